//! Properties of shell analysis that hold for every text.

use becket_guard::analyze::{MAX_STEPS, analyze_counting};
use becket_guard::command::{Script, Span};
use becket_guard::{Policy, analyze, judge, shell};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::analysis_corpus::{Disk, corpus, location};

/// Fragments with a meaning in a shell, for random combination.
const PIECES: &[&str] = &[
    "rm",
    "-rf",
    "/",
    "~",
    "$x",
    "${x:-y}",
    "${x//a/b}",
    "${x#*}",
    "$(",
    "`",
    ")",
    "(",
    "((",
    "))",
    "$((",
    "{",
    "}",
    "{a,b}",
    "{1..9}",
    "[[",
    "]]",
    "\"",
    "'",
    "$'",
    "\\",
    "\n",
    " ",
    "\t",
    ";",
    ";;",
    "&",
    "&&",
    "|",
    "||",
    "|&",
    ">",
    ">>",
    "<",
    "<<E",
    "\nE\n",
    "<<<",
    "<(",
    ">(",
    "2>&1",
    "&>",
    "if ",
    "then ",
    "else ",
    "fi",
    "for x in ",
    "do ",
    "done",
    "while ",
    "case x in ",
    "esac",
    "function f ",
    "f() ",
    "f",
    "x=",
    "x=rm",
    "a=(",
    "a[0]=",
    "${a[@]}",
    "\"$@\"",
    "sudo ",
    "env ",
    "bash -c ",
    "eval ",
    "xargs ",
    "find . -exec ",
    " {} ;",
    "ssh h ",
    "python3 -c ",
    "os.system(",
    "node -e ",
    "alias a=",
    "trap ",
    "cd ",
    "source ",
    "curl u ",
    "| sh",
    "base64 -d",
    "# ",
    "!",
    "time ",
    "coproc ",
    "é",
    "日",
    "\r\n",
    "*",
    "?",
    "[",
    "]",
    "=",
    "$",
    "${",
    "@(",
    "awk ",
    "perl -e ",
    "-c ",
    "--",
    "\u{FFFC}",
    "\0",
];

fn random_pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => proptest::sample::select(PIECES).prop_map(str::to_owned),
        1 => "[a-z]{1,4}",
        1 => "\\PC{0,4}",
    ];
    vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn any_text() -> impl Strategy<Value = String> {
    let sample = proptest::sample::select(
        corpus()
            .into_iter()
            .map(|(text, _)| text)
            .collect::<Vec<_>>(),
    );
    let joined = (sample.clone(), random_pieces(), sample)
        .prop_map(|(before, middle, after)| format!("{before}{middle}{after}"));
    prop_oneof![3 => random_pieces(), 2 => joined, 1 => any::<String>()]
}

fn spans(script: &Script) -> Vec<Span> {
    let mut all: Vec<Span> = script.doubts.iter().map(|doubt| doubt.span).collect();
    for command in &script.commands {
        all.push(command.span);
        all.extend(command.args.iter().map(|word| word.span));
        all.extend(
            command
                .redirects
                .iter()
                .map(|redirect| redirect.target.span),
        );
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn spans_are_inside_the_text_on_character_boundaries(text in any_text()) {
        let script = analyze(&text, &location(), &Disk, &[]);
        for span in spans(&script) {
            prop_assert!(span.start <= span.end && span.end <= text.len(), "{:?} of {}", span, text.len());
            prop_assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
        }
    }

    #[test]
    fn indices_refer_to_commands(text in any_text()) {
        let script = analyze(&text, &location(), &Disk, &[]);
        let count = script.commands.len();
        for (index, command) in script.commands.iter().enumerate() {
            let words = command.args.iter().flat_map(|word| &word.from);
            prop_assert!(command.sources.iter().chain(words).all(|from| *from < count));
            script.origin_of_stdin(index);
            script.origin_of_code(index);
        }
    }

    #[test]
    fn analysis_steps_are_bounded(text in any_text()) {
        let (_, steps) = analyze_counting(&text, &location(), &Disk, &[]);
        prop_assert!(steps <= MAX_STEPS);
    }

    #[test]
    fn syntax_errors_raise_a_doubt(text in any_text()) {
        if !shell::parse(&text).errors.is_empty() {
            let judgement = judge::command(&text, &Policy::default(), &location(), &Disk);
            prop_assert!(judgement.verdict >= becket_model::Verdict::Ask);
            prop_assert!(judgement.reason.is_some_and(|reason| !reason.chars().any(|c| c.is_control() && c != '\n')));
        }
    }

    #[test]
    fn quoted_text_runs_nothing(text in any_text()) {
        let quoted = text.replace(['\'', '\0'], "");
        let script = analyze(&format!("echo '{quoted}'"), &location(), &Disk, &[]);
        prop_assert_eq!(script.commands.len(), 1);
        prop_assert!(script.doubts.is_empty());
    }

    #[test]
    fn a_literal_heredoc_runs_nothing(text in any_text()) {
        let body = text.replace("END", "");
        let script = analyze(&format!("cat <<'END'\n{body}\nEND\n"), &location(), &Disk, &[]);
        prop_assert_eq!(script.commands.len(), 1);
        prop_assert!(script.doubts.is_empty());
    }

    #[test]
    fn a_comment_runs_nothing(text in "[^\n\r]{0,80}") {
        let script = analyze(&format!("ls # {text}"), &location(), &Disk, &[]);
        prop_assert_eq!(script.commands.len(), 1);
    }
}

/// Every construct nested in itself, far beyond the limit: raises a doubt instead of overflowing the stack.
#[test]
fn excessive_depth_raises_a_doubt() {
    for (open, close) in [
        ("$(", ")"),
        ("`", "`"),
        ("(", ")"),
        ("{ ", "; }"),
        ("\"$(", ")\""),
        ("${x:-", "}"),
        ("<(", ")"),
        ("if a; then ", "; fi"),
        ("while a; do ", "; done"),
        ("case x in a) ", ";; esac"),
        ("f() { ", "; }"),
        ("$((", "))"),
        ("((", "))"),
        ("[[ ", " ]]"),
        ("! ", ""),
        ("a=(", ")"),
        ("coproc ", ""),
        ("sudo ", ""),
        ("eval ", ""),
        ("env bash -c '", "'"),
        ("${a[", "]}"),
        ("@(", ")"),
        ("a[$(", ")]=x"),
        ("a[$(", ")]x"),
        ("coproc \"$(", ")\""),
        ("time ", ""),
        ("xargs ", ""),
    ] {
        for times in [10, 100, 3000] {
            let text = format!("{}x{}", open.repeat(times), close.repeat(times));
            let (_, steps) = analyze_counting(&text, &location(), &Disk, &[]);
            assert!(steps <= MAX_STEPS);
        }
    }
    let text = format!("{}rm x{}", "$(".repeat(1000), ")".repeat(1000));
    assert!(!analyze(&text, &location(), &Disk, &[]).doubts.is_empty());
}

/// A fragment repeated a hundred thousand times; anything worse than linear would not finish.
#[test]
fn repeated_fragments_take_linear_time() {
    for piece in PIECES {
        let text = piece.repeat(100_000 / piece.len());
        std::hint::black_box(analyze(&text, &location(), &Disk, &[]));
        let inside = format!("python3 - <<'E_N_D'\n{text}\nE_N_D\n");
        std::hint::black_box(analyze(&inside, &location(), &Disk, &[]));
    }
    for piece in [
        "x=$x$x;",
        "f(){ f2;f2; };f2(){ f3;f3; };f3(){ f;f; };f;",
        "for a in {1..200}; do ",
        "a[ ",
        "curl a ",
        "echo {a,b}",
        "x=${x//a/aa}",
        "os.system(x+x);",
        "x=x+x\n",
        "[x,",
        "{x:",
    ] {
        let text = piece.repeat(60_000 / piece.len());
        std::hint::black_box(analyze(&text, &location(), &Disk, &[]));
    }
}

#[test]
fn excessive_length_raises_a_doubt() {
    let long = "a ".repeat(600_000);
    assert!(!analyze(&long, &location(), &Disk, &[]).doubts.is_empty());
    let many = "ls;".repeat(100_000);
    assert!(!analyze(&many, &location(), &Disk, &[]).doubts.is_empty());
    let words = "echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}";
    assert!(!analyze(words, &location(), &Disk, &[]).doubts.is_empty());
}

#[test]
fn crlf_line_ends_are_accepted() {
    let script = analyze(
        "if a; then\r\n  rm -rf /\r\nfi\r\ncat <<E\r\nx\r\nE\r\nls\r\n",
        &location(),
        &Disk,
        &[],
    );
    let programs: Vec<&str> = script
        .commands
        .iter()
        .map(|command| command.program.as_str())
        .collect();
    assert_eq!(programs, ["a", "rm", "cat", "ls"]);
    assert_eq!(script.commands[1].args[1].text, "/");
    assert!(script.doubts.is_empty());
}
