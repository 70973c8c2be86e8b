//! What holds for every command text.

use becket_guard::command::{Script, Span};
use becket_guard::understand::{MAX_STEPS, understand_counting};
use becket_guard::{Policy, judge, shell, understand};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::understood::{Disk, corpus, place};

/// Pieces that mean something to a shell, to be put together in ways nobody would.
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

fn soup() -> impl Strategy<Value = String> {
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
    let joined = (sample.clone(), soup(), sample)
        .prop_map(|(before, middle, after)| format!("{before}{middle}{after}"));
    prop_oneof![3 => soup(), 2 => joined, 1 => any::<String>()]
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
    fn every_place_lies_in_the_text_between_characters(text in any_text()) {
        let script = understand(&text, &place(), &Disk, &[]);
        for span in spans(&script) {
            prop_assert!(span.start <= span.end && span.end <= text.len(), "{:?} of {}", span, text.len());
            prop_assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
        }
    }

    #[test]
    fn every_index_names_a_command(text in any_text()) {
        let script = understand(&text, &place(), &Disk, &[]);
        let count = script.commands.len();
        for (index, command) in script.commands.iter().enumerate() {
            let words = command.args.iter().flat_map(|word| &word.from);
            prop_assert!(command.sources.iter().chain(words).all(|from| *from < count));
            script.origin_of_stdin(index);
            script.origin_of_code(index);
        }
    }

    #[test]
    fn work_is_bounded_and_counted(text in any_text()) {
        let (_, steps) = understand_counting(&text, &place(), &Disk, &[]);
        prop_assert!(steps <= MAX_STEPS);
    }

    #[test]
    fn what_the_parser_refuses_is_never_silently_harmless(text in any_text()) {
        if !shell::parse(&text).problems.is_empty() {
            let judgement = judge::command(&text, &Policy::default(), &place(), &Disk);
            prop_assert!(judgement.verdict >= becket_model::Verdict::Ask);
            prop_assert!(judgement.reason.is_some_and(|reason| !reason.chars().any(|c| c.is_control() && c != '\n')));
        }
    }

    #[test]
    fn quoted_text_runs_nothing(text in any_text()) {
        let quoted = text.replace(['\'', '\0'], "");
        let script = understand(&format!("echo '{quoted}'"), &place(), &Disk, &[]);
        prop_assert_eq!(script.commands.len(), 1);
        prop_assert!(script.doubts.is_empty());
    }

    #[test]
    fn a_literal_heredoc_runs_nothing(text in any_text()) {
        let body = text.replace("END", "");
        let script = understand(&format!("cat <<'END'\n{body}\nEND\n"), &place(), &Disk, &[]);
        prop_assert_eq!(script.commands.len(), 1);
        prop_assert!(script.doubts.is_empty());
    }

    #[test]
    fn a_comment_runs_nothing(text in "[^\n\r]{0,80}") {
        let script = understand(&format!("ls # {text}"), &place(), &Disk, &[]);
        prop_assert_eq!(script.commands.len(), 1);
    }
}

/// Every construct inside itself, far too often: a doubt, not an end of the stack.
#[test]
fn depth_is_bounded_and_said() {
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
            let (_, steps) = understand_counting(&text, &place(), &Disk, &[]);
            assert!(steps <= MAX_STEPS);
        }
    }
    let text = format!("{}rm x{}", "$(".repeat(1000), ")".repeat(1000));
    assert!(!understand(&text, &place(), &Disk, &[]).doubts.is_empty());
}

/// A piece a hundred thousand times over; anything worse than linear would not come back.
#[test]
fn hostile_repetition_of_any_piece_ends() {
    for piece in PIECES {
        let text = piece.repeat(100_000 / piece.len());
        std::hint::black_box(understand(&text, &place(), &Disk, &[]));
        let inside = format!("python3 - <<'E_N_D'\n{text}\nE_N_D\n");
        std::hint::black_box(understand(&inside, &place(), &Disk, &[]));
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
        std::hint::black_box(understand(&text, &place(), &Disk, &[]));
    }
}

#[test]
fn too_much_is_a_doubt() {
    let long = "a ".repeat(600_000);
    assert!(!understand(&long, &place(), &Disk, &[]).doubts.is_empty());
    let many = "ls;".repeat(100_000);
    assert!(!understand(&many, &place(), &Disk, &[]).doubts.is_empty());
    let words = "echo {a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}";
    assert!(!understand(words, &place(), &Disk, &[]).doubts.is_empty());
}

#[test]
fn lines_that_end_in_two_characters_are_lines() {
    let script = understand(
        "if a; then\r\n  rm -rf /\r\nfi\r\ncat <<E\r\nx\r\nE\r\nls\r\n",
        &place(),
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
