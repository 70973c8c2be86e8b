//! Compares the analysis with bash: generated texts are executed, and every call of a harmless probe function has
//! to be among the analyzed commands.

use std::process::{Command, Stdio};

use becket_guard::analyze;
use becket_guard::command::UNKNOWN;

use crate::analysis_corpus::{Disk, location};

/// Separates arguments in the probe's output.
const SEPARATOR: char = '\u{1f}';
const TEXTS: usize = 150;

/// Generates texts deterministically.
struct Author {
    state: u64,
    names: usize,
}

impl Author {
    fn roll(&mut self, sides: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state % sides as u64).unwrap_or(0)
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("a{}", self.names)
    }

    fn word(&mut self, depth: usize) -> String {
        let name = self.name();
        if depth == 0 {
            return name;
        }
        match self.roll(22) {
            0 => format!("'{name} b'"),
            1 => format!("\"{name} c\""),
            2 => format!("$'{name}\\x41'"),
            3 => "\"$x\"".to_owned(),
            4 => "$x".to_owned(),
            5 => format!("${{x:-{}}}", self.word(depth - 1)),
            6 => format!("\"${{y:-{name}}}\""),
            7 => format!("$({})", self.list(depth - 1)),
            8 => format!("\"$({})\"", self.list(depth - 1)),
            9 => format!("`probe {name}`"),
            10 => format!("{{{name},{name}z}}"),
            11 => "${x#*q}".to_owned(),
            12 => "${x%%r*}".to_owned(),
            13 => "${x/q/z}".to_owned(),
            14 => "${x:1:2}${#x}".to_owned(),
            15 => "\"${arr[@]}\"".to_owned(),
            16 => format!("$(echo {name})"),
            17 => "\"$@\"".to_owned(),
            _ => name,
        }
    }

    fn simple(&mut self, depth: usize) -> String {
        let name = self.name();
        let words = (0..self.roll(3))
            .map(|_| self.word(depth.saturating_sub(1)))
            .collect::<Vec<_>>()
            .join(" ");
        match self.roll(14) {
            0 => format!("$P {words}"),
            1 => "x=qr".to_owned(),
            2 => "x='q s'".to_owned(),
            3 => format!("eval 'probe {name}'"),
            4 => format!("f {words}"),
            5 => format!("echo 'probe {name}' | bash"),
            6 => format!("bash -c 'probe \"$1\"' _ {name}"),
            7 => format!("bash <<< 'probe {name}'"),
            8 => format!("set -- {name} {name}"),
            _ => format!("probe {words}"),
        }
    }

    fn list(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.simple(0);
        }
        let next = depth - 1;
        match self.roll(15) {
            0 => format!("{}; {}", self.list(next), self.list(next)),
            1 => format!("{} && {}", self.list(next), self.list(next)),
            2 => format!("{} || {}", self.list(next), self.list(next)),
            3 => format!("( {} )", self.list(next)),
            4 => format!("{{ {}; }}", self.list(next)),
            5 => format!(
                "if {}; then {}; else {}; fi",
                self.list(next),
                self.list(next),
                self.list(next)
            ),
            6 => format!(
                "for i in {} {}; do {}; probe $i; done",
                self.word(next),
                self.word(next),
                self.list(next)
            ),
            7 => format!(
                "case {} in a*) {};; *) {};; esac",
                self.word(next),
                self.list(next),
                self.list(next)
            ),
            8 => format!("{{ {}; }} | {{ {}; }}", self.list(next), self.list(next)),
            9 => format!(
                "while read -r l; do probe \"$l\"; done <<< '{}'",
                self.name()
            ),
            _ => self.simple(depth),
        }
    }
}

/// The arguments of each probe call; `None` if bash is not installed.
fn run_in_bash(text: &str) -> Option<Vec<String>> {
    let setup = "exec 9>&2 2>/dev/null; probe() { local IFS=$'\\x1f'; printf '%s\\n' \"$*\" >&9; }; export -f probe; eval \"$TEXT\"";
    let output = Command::new("bash")
        .args(["--norc", "-c", setup])
        .env("TEXT", text)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .output()
        .ok()?;
    Some(
        String::from_utf8_lossy(&output.stderr)
            .lines()
            .map(str::to_owned)
            .collect(),
    )
}

/// Whether the analysis predicted the call: a gap matches any text, and a word that is only a gap matches any
/// words.
fn is_predicted(call: &str, words: &[&str]) -> bool {
    let mut rest: Vec<&str> = if call.is_empty() {
        Vec::new()
    } else {
        call.split(SEPARATOR).collect()
    };
    let open = words
        .iter()
        .any(|word| word.chars().all(|character| character == UNKNOWN) && !word.is_empty());
    for word in words.iter().filter(|word| !word.starts_with(UNKNOWN)) {
        let found = rest.iter().position(|actual| fits(word, actual));
        match found {
            Some(0) => drop(rest.remove(0)),
            Some(at) if open => drop(rest.drain(..=at)),
            _ => return call.is_empty() && word.is_empty(),
        }
    }
    open || rest.is_empty() || words.iter().any(|word| word.starts_with(UNKNOWN))
}

fn fits(word: &str, actual: &str) -> bool {
    match word.split_once(UNKNOWN) {
        Some((before, after)) => {
            actual.starts_with(before)
                && actual.ends_with(after.rsplit(UNKNOWN).next().unwrap_or_default())
        }
        None => word == actual,
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped has to say so")]
fn everything_that_bash_runs_was_predicted() {
    let mut author = Author {
        state: 0x9e37_79b9_7f4a_7c15,
        names: 0,
    };
    let mut calls = 0;
    for _ in 0..TEXTS {
        let text = format!(
            "P=pro; P+=be; arr=(m n); f() {{ probe f \"$@\"; }}; x=qr; {}",
            author.list(4)
        );
        let Some(run) = run_in_bash(&text) else {
            eprintln!("skipped: there is no bash here");
            return;
        };
        let script = analyze(&text, &location(), &Disk, &[]);
        assert!(script.doubts.is_empty(), "{:?} about {text}", script.doubts);
        let seen: Vec<Vec<&str>> = script
            .commands
            .iter()
            .filter(|command| command.program == "probe")
            .map(|command| command.words().collect())
            .collect();
        for call in &run {
            calls += 1;
            assert!(
                seen.iter().any(|words| is_predicted(call, words)),
                "{call:?} was not foreseen in\n{text}\n{seen:?}"
            );
        }
    }
    assert!(calls > TEXTS, "the texts ran only {calls} calls");
}
