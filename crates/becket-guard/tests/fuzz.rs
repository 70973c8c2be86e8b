//! Mutation fuzzing of command text: nothing may panic or hang, and the invariants hold for every input.
//!
//! Each target starts from the corpus and mutates it for `FUZZ_SECONDS` (one by default). A failure prints the
//! input and the seed; `FUZZ_SEED` sets the seed.
#![allow(missing_docs, reason = "tests say what they prove in their names")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use becket_guard::analyze::{MAX_STEPS, analyze_counting};
use becket_guard::{NoFacts, Policy, RunLocation, judge, shell};
use becket_model::Verdict;

/// A small pseudo-random number generator.
struct Prng(u64);

impl Prng {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides.max(1) as u64).unwrap_or(0)
    }
}

/// Fragments with a meaning in a shell or an interpreter.
const PIECES: &[&str] = &[
    "$(",
    ")",
    "`",
    "\"",
    "'",
    "$'",
    "\\",
    "\n",
    ";",
    "&&",
    "|",
    "<<E\n",
    "\nE\n",
    "<<'E'\n",
    "${",
    "}",
    "$((",
    "))",
    "{a,b}",
    "[[ ",
    " ]]",
    "if ",
    "; then ",
    "; fi",
    "for i in ",
    "; do ",
    "; done",
    "case x in ",
    ") ;; esac",
    "f() {",
    "x=",
    "$x",
    "sudo ",
    "bash -c '",
    "eval ",
    " | sh",
    "<(",
    ">(",
    "xargs -I{} ",
    "find / -exec ",
    " \\;",
    "python3 -c \"",
    "os.system('",
    "')",
    "node -e '",
    "require('child_process').exec(`",
    "\u{FFFC}",
    "\u{0}",
    "\r\n",
    "é",
    "🪝",
    "#",
    "alias ",
    "trap ",
];

fn mutate(rng: &mut Prng, seeds: &[String]) -> String {
    let mut text = seeds[rng.roll(seeds.len())].clone().into_bytes();
    for _ in 0..=rng.roll(6) {
        let at = rng.roll(text.len() + 1);
        match rng.roll(6) {
            0 if at < text.len() => text[at] = u8::try_from(rng.roll(256)).unwrap_or(0),
            1 => text.truncate(at),
            2 => drop(text.splice(at..at, PIECES[rng.roll(PIECES.len())].bytes())),
            3 => {
                let end = (at + rng.roll(20)).min(text.len());
                text.drain(at..end);
            }
            4 => {
                let other = seeds[rng.roll(seeds.len())].as_bytes();
                let from = rng.roll(other.len() + 1);
                text.splice(at..at, other[from..].iter().copied().take(200));
            }
            _ => {
                let piece = PIECES[rng.roll(PIECES.len())];
                text.splice(at..at, piece.repeat(rng.roll(200)).into_bytes());
            }
        }
        text.truncate(20_000);
    }
    String::from_utf8_lossy(&text).into_owned()
}

fn fuzz(target: &str, seeds: &[String], check: impl Fn(&str)) {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
    };
    let deadline = Instant::now() + Duration::from_secs(number("FUZZ_SECONDS").unwrap_or(1));
    let seed = number("FUZZ_SEED").unwrap_or(0x9e37_79b9_7f4a_7c15 ^ u64::from(std::process::id()));
    let mut rng = Prng(seed | 1);
    let mut rounds = 0_u64;
    while Instant::now() < deadline {
        let input = mutate(&mut rng, seeds);
        let survived = catch_unwind(AssertUnwindSafe(|| check(&input))).is_ok();
        assert!(
            survived,
            "{target} broke (FUZZ_SEED={seed}, round {rounds}) on:\n{input}"
        );
        rounds += 1;
    }
    assert!(rounds > 0, "{target}: no round was played");
}

fn corpus() -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    for line in include_str!("corpus/analysis.txt").lines() {
        if let Some(text) = line.strip_prefix("$ ") {
            texts.push(text.to_owned());
        } else if let (Some(more), Some(text)) = (line.strip_prefix("> "), texts.last_mut()) {
            text.push('\n');
            text.push_str(more);
        }
    }
    assert!(texts.len() > 300);
    texts
}

fn location() -> RunLocation {
    RunLocation {
        cwd: "/w/p".to_owned(),
        home: "/home/u".to_owned(),
        ..RunLocation::default()
    }
}

#[test]
fn analysis_stays_within_limits_and_spans_within_the_text() {
    fuzz("analyze", &corpus(), |text| {
        let (script, steps) =
            analyze_counting(text, &location(), &NoFacts, &["tool run".to_owned()]);
        assert!(steps <= MAX_STEPS);
        for command in &script.commands {
            let span = command.span;
            assert!(span.start <= span.end && text.get(span.start..span.end).is_some());
        }
    });
}

#[test]
fn syntax_errors_always_raise_a_doubt() {
    let policy = Policy::default();
    fuzz("judge", &corpus(), |text| {
        let judgement = judge::command(text, &policy, &location(), &NoFacts);
        if !shell::parse(text).errors.is_empty() {
            assert!(judgement.verdict >= Verdict::Ask);
        }
        let shown = judgement.reason.unwrap_or_default();
        assert!(shown.lines().count() <= 2 && !shown.chars().any(|c| c.is_control() && c != '\n'));
    });
}

/// A dangerous command after any valid text is still found.
#[test]
fn command_on_its_own_line_is_found_after_any_valid_text() {
    fuzz("behind", &corpus(), |text| {
        let parsed = shell::parse(text);
        // An unfinished heredoc consumes the following lines, and a trailing backslash or comment joins lines, as
        // in the shell.
        if !parsed.errors.is_empty() || text.contains("<<") || text.trim_end().ends_with('\\') {
            return;
        }
        let (script, _) = analyze_counting(
            &format!("{text}\nunlikely-program x\n"),
            &location(),
            &NoFacts,
            &[],
        );
        let seen = script
            .commands
            .iter()
            .any(|command| command.program == "unlikely-program");
        assert!(seen || !script.doubts.is_empty(), "lost");
    });
}
