//! Mutation fuzzing of command text: nothing may panic or hang, and the invariants hold for every input.
//!
//! Each target starts from the corpus and mutates it for `FUZZ_SECONDS` (one by default). A failure prints the
//! input and the seed; `FUZZ_SEED` sets the seed.
#![allow(missing_docs, reason = "tests say what they prove in their names")]

use becket_guard::analyze::{MAX_STEPS, analyze_counting};
use becket_guard::{NoFacts, Policy, RunLocation, judge, shell};
use becket_model::Verdict;

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

/// Checks mutations of the corpus.
fn fuzz(target: &str, check: impl Fn(&str)) {
    let samples: Vec<Vec<u8>> = corpus().into_iter().map(String::into_bytes).collect();
    becket_testkit::fuzz(target, &samples, PIECES, |input| {
        check(&String::from_utf8_lossy(input));
    });
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
    fuzz("analyze", |text| {
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
    fuzz("judge", |text| {
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
    fuzz("behind", |text| {
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
