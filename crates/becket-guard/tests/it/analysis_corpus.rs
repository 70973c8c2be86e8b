//! The corpus of shell texts with the commands that the analysis has to find.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use becket_guard::command::{
    ExecutedCode, Invocation, Launcher, RedirectKind, Script, Stdin, UNKNOWN,
};
use becket_guard::{Facts, PathKind, RunLocation, analyze};

/// Two scripts on disk, and nothing else.
pub(crate) struct Disk;

impl Facts for Disk {
    fn path_kind(&self, _: &str) -> Option<PathKind> {
        None
    }
    fn real_path(&self, _: &str) -> Option<String> {
        None
    }
    fn script_text(&self, path: &str) -> Option<String> {
        match path {
            "/w/p/known.sh" => Some("#!/bin/sh\nrm -rf \"$1\" /opt/x\n".to_owned()),
            "/w/p/known.py" => Some("#!/usr/bin/env python3\nimport os, sys\nos.remove('/opt/x')\nos.remove(sys.argv[1])\n".to_owned()),
            _ => None,
        }
    }
    fn git_alias(&self, _: &str, _: &str) -> Option<String> {
        None
    }
    fn list_names(&self, _: &str) -> Vec<String> {
        Vec::new()
    }
}

pub(crate) fn location() -> RunLocation {
    RunLocation {
        cwd: "/w/p".to_owned(),
        home: "/home/u".to_owned(),
        project: Some("/w/p".to_owned()),
        becket_paths: Vec::new(),
    }
}

fn file() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/analysis.txt")
}

/// Every text of the corpus with the expected analysis.
pub(crate) fn corpus() -> Vec<(String, String)> {
    let mut cases: Vec<(String, String)> = Vec::new();
    let all = std::fs::read_to_string(file()).expect("the corpus is part of the repository");
    for line in all.lines().filter(|line| !line.starts_with('#')) {
        if let Some(text) = line.strip_prefix("$ ") {
            cases.push((text.to_owned(), String::new()));
        } else if let (Some(more), Some((text, _))) = (line.strip_prefix("> "), cases.last_mut()) {
            text.push('\n');
            text.push_str(more);
        } else if let (false, Some((_, expected))) = (line.is_empty(), cases.last_mut()) {
            expected.push_str(line);
            expected.push('\n');
        }
    }
    cases
}

fn word(text: &str) -> String {
    let shown = text
        .replace(UNKNOWN, "¿")
        .replace('\n', "\\n")
        .replace('\t', "\\t")
        .replace('\0', "\\0");
    if shown.is_empty()
        || shown.contains([' ', '\'', '(', '{', '<', '>', '@', '=']) && !shown.contains('\'')
    {
        format!("'{shown}'")
    } else if shown.contains(' ') {
        format!("\"{shown}\"")
    } else {
        shown
    }
}

fn via(via: &Launcher) -> String {
    match via {
        Launcher::Root(name) => format!("{name}#"),
        Launcher::Remote(name) => format!("{name}@"),
        Launcher::Wrapper(name) => name.replace(UNKNOWN, "¿"),
        Launcher::Interpreter(name) => format!("{name}*"),
        Launcher::File(name) => format!("{name}:"),
    }
}

fn command(command: &Invocation) -> String {
    let mut line = String::new();
    if !command.via.is_empty() {
        let all: Vec<String> = command.via.iter().map(via).collect();
        let _ = write!(line, "({}) ", all.join(", "));
    }
    if !command.env.is_empty() {
        let all: Vec<String> = command
            .env
            .iter()
            .map(|(name, value)| format!("{name}={}", word(&value.text)))
            .collect();
        let _ = write!(line, "{{{}}} ", all.join(" "));
    }
    line.push_str(if command.program.is_empty() {
        "''"
    } else {
        &command.program
    });
    for arg in &command.args {
        let _ = write!(line, " {}", word(&arg.text));
    }
    match &command.stdin {
        Stdin::Inherited => {}
        Stdin::Text(text) => line.push_str(&format!(" <{}", word(text))),
        Stdin::Pipe(index) => line.push_str(&format!(" <|{index}")),
    }
    for redirect in &command.redirects {
        let sign = match redirect.kind {
            RedirectKind::Read => "<",
            RedirectKind::Truncate => ">",
            RedirectKind::Append => ">>",
            RedirectKind::ReadWrite => "<>",
        };
        let _ = write!(line, " {sign}{}", word(&redirect.target.text));
    }
    match command.cwd.as_deref() {
        Some("/w/p") => {}
        Some(cwd) => line.push_str(&format!(" @{cwd}")),
        None => line.push_str(" @?"),
    }
    match &command.executes {
        ExecutedCode::Nothing => {}
        ExecutedCode::Known => line.push_str(" =known"),
        ExecutedCode::File(path) => line.push_str(&format!(" =file:{path}")),
        ExecutedCode::Unknown { from } => line.push_str(&format!(" =unknown{from:?}")),
    }
    if command.more_operands {
        line.push_str(" +more");
    }
    line.replace(UNKNOWN, "¿")
}

fn render(script: &Script) -> String {
    let mut all = String::new();
    for invocation in &script.commands {
        all.push_str(&command(invocation));
        all.push('\n');
    }
    for doubt in &script.doubts {
        all.push_str(&format!("? {}\n", doubt.message));
    }
    all
}

#[test]
fn analysis_of_the_corpus_is_as_recorded() {
    let wrappers = ["mytool run".to_owned()];
    let cases = corpus();
    assert!(
        cases.len() >= 300,
        "the corpus has shrunk to {} texts",
        cases.len()
    );
    let mut wrong = String::new();
    for (text, expected) in &cases {
        let seen = render(&analyze(text, &location(), &Disk, &wrappers));
        if seen != *expected {
            wrong.push_str(&format!("\n$ {text}\nexpected:\n{expected}seen:\n{seen}"));
        }
    }
    if std::env::var_os("BECKET_BLESS").is_some() {
        bless(&cases);
        return;
    }
    assert!(
        wrong.is_empty(),
        "{wrong}\nhint: BECKET_BLESS=1 writes the corpus; read it before you commit it"
    );
}

/// Rewrites the expected analysis below each text; keeps headings and comments.
fn bless(cases: &[(String, String)]) {
    let all = std::fs::read_to_string(file()).expect("the corpus is part of the repository");
    let wrappers = ["mytool run".to_owned()];
    let mut out = String::new();
    let mut next = cases.iter();
    for line in all.lines() {
        if line.starts_with('#') {
            if line.starts_with("## ") {
                out.push('\n');
            }
            out.push_str(line);
            out.push('\n');
        } else if line.starts_with("$ ") {
            let Some((text, _)) = next.next() else { break };
            let seen = render(&analyze(text, &location(), &Disk, &wrappers));
            out.push_str(&format!("\n$ {}\n{seen}", text.replace('\n', "\n> ")));
        }
    }
    std::fs::write(file(), out).expect("the corpus can be written");
}
