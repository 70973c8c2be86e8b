//! Runs the packs over the corpora, with a plain word splitter instead of the shell parser.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample;

use crate::command::{Invocation, Script, Stdin, Word};
use crate::facts::{NoFacts, RunLocation};
use crate::packs::{PACKS, check, rules};
use crate::plain_shell;
use crate::rule::{Finding, Severity};

const DANGEROUS: &str = include_str!("../../tests/corpus/dangerous.txt");
const EVERYDAY: &str = include_str!("../../tests/corpus/everyday.txt");
const NEIGHBOURS: &str = include_str!("../../tests/corpus/neighbours.txt");

fn location() -> RunLocation {
    RunLocation {
        cwd: "/home/dev/app".to_owned(),
        home: "/home/dev".to_owned(),
        project: Some("/home/dev/app".to_owned()),
        becket_paths: Vec::new(),
    }
}

fn findings(script: &Script) -> Vec<Finding> {
    let mut found = Vec::new();
    for command in &script.commands {
        check(command, script, &location(), &NoFacts, &mut found);
    }
    found
}

fn lines(corpus: &'static str) -> impl Iterator<Item = &'static str> {
    corpus
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("# "))
}

fn ids(found: &[Finding]) -> Vec<&'static str> {
    found.iter().map(|finding| finding.rule.id).collect()
}

#[test]
fn dangerous_corpus_lines_match_their_rule() {
    let mut missed = Vec::new();
    for line in lines(DANGEROUS) {
        let (rule, command) = line.split_once(' ').expect("a rule, then a command");
        let Some(script) = plain_shell::script(command) else {
            continue;
        };
        let found = findings(&script);
        if !found.iter().any(|finding| finding.rule.id == rule) {
            missed.push(format!("{line}   found {:?}", ids(&found)));
        }
    }
    assert!(
        missed.is_empty(),
        "{} missed:\n{}",
        missed.len(),
        missed.join("\n")
    );
}

#[test]
fn every_rule_has_three_corpus_lines() {
    let mut shown: BTreeMap<&str, usize> = rules().map(|rule| (rule.id, 0)).collect();
    for line in lines(DANGEROUS) {
        let (rule, command) = line.split_once(' ').expect("a rule, then a command");
        assert!(shown.contains_key(rule), "no rule is called {rule}");
        let is_plain = plain_shell::script(command).is_some();
        *shown.entry(rule).or_default() += usize::from(is_plain);
    }
    let rare: Vec<_> = shown.iter().filter(|(_, count)| **count < 3).collect();
    assert!(rare.is_empty(), "{rare:?}");
}

#[test]
fn everyday_commands_and_near_misses_have_no_findings() {
    let mut alarms = Vec::new();
    for line in lines(EVERYDAY).chain(lines(NEIGHBOURS)) {
        let (most, command) = match line.strip_prefix("? ") {
            Some(command) => (Severity::Doubtful, command),
            None => (Severity::Notice, line),
        };
        let Some(script) = plain_shell::script(command) else {
            continue;
        };
        let found = findings(&script);
        if found.iter().any(|finding| finding.rule.severity > most) {
            alarms.push(format!("{command}   found {:?}", ids(&found)));
        }
    }
    assert!(
        alarms.is_empty(),
        "{} alarms:\n{}",
        alarms.len(),
        alarms.join("\n")
    );
}

#[test]
fn every_rule_belongs_to_a_pack_and_is_unique() {
    let mut seen = BTreeSet::new();
    for rule in rules() {
        assert!(
            PACKS.iter().any(|pack| pack.name == rule.pack()),
            "{}",
            rule.id
        );
        assert!(seen.insert(rule.id), "{} is there twice", rule.id);
        assert!(
            !rule.explanation.ends_with('.') && !rule.safer.is_empty(),
            "{}",
            rule.id
        );
        assert!(
            !rule.explanation.starts_with(char::is_uppercase),
            "{}",
            rule.id
        );
    }
}

#[test]
fn subjects_are_short_and_printable_and_hold_no_secret() {
    let secret = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let script = plain_shell::script(&format!("git push --force https://x:{secret}@host/r main"))
        .expect("plain");
    let found = findings(&script);
    assert!(!found.is_empty());
    for finding in found {
        assert!(!finding.subject.contains(&secret), "{}", finding.subject);
    }
    let mut script = plain_shell::script("git push --force").expect("plain");
    script.commands[0]
        .args
        .push(Word::literal("\u{1b}[31m\u{FFFC}".repeat(60)));
    let subject = &findings(&script)[0].subject;
    assert!(
        subject.chars().count() <= 81 && !subject.contains(char::is_control),
        "{subject:?}"
    );
}

/// Fragments with a meaning in some pack, for random combination.
const PIECES: &[&str] = &[
    "git",
    "docker",
    "kubectl",
    "psql",
    "aws",
    "npx",
    "python",
    "curl",
    "redis-cli",
    "mongosh",
    "-",
    "--",
    "-c",
    "-f",
    "-e",
    "--=",
    "-=",
    "--force=",
    "=",
    "+",
    ":",
    "push",
    "config",
    "checkout",
    "alias.x=!",
    "alias.x='",
    "-m",
    "$$",
    "'",
    "\"",
    "/*",
    "*/",
    "--x",
    "DROP",
    "DELETE FROM",
    "é",
    "\u{FFFC}",
    "@",
    "://",
    "",
    " ",
    "s3",
    "+main",
    ":main",
    "-C",
    "run",
    "-v",
    "/:",
    "exec",
    "manage.py",
    "[",
    "E'",
    "$a$",
    "container",
    "WITH (",
    ")",
    "WHERE",
    "1=1",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn random_command_lines_do_not_panic(words in vec(prop_oneof![4 => sample::select(PIECES).prop_map(str::to_owned), 1 => any::<String>()], 1..10)) {
        let mut words = words.into_iter();
        let command = Invocation {
            program: words.next().unwrap_or_default(),
            args: words.map(Word::literal).collect(),
            stdin: Stdin::Text("DROP $$ é".to_owned()),
            ..Invocation::default()
        };
        let script = Script { commands: vec![command], ..Script::default() };
        for finding in findings(&script) {
            prop_assert!(!finding.subject.contains(char::is_control));
        }
        crate::readonly::is_proven_read_only(&script, &location(), &|_, _| false);
    }

    #[test]
    fn random_sql_does_not_panic(pieces in vec(prop_oneof![4 => sample::select(PIECES).prop_map(str::to_owned), 1 => any::<String>()], 0..16), program in sample::select(&["psql", "mysql", "sqlcmd"][..])) {
        let command = Invocation {
            program: program.to_owned(),
            stdin: Stdin::Text(pieces.join(" ")),
            ..Invocation::default()
        };
        findings(&Script { commands: vec![command], ..Script::default() });
    }
}
