//! Runs the whole guard over everyday commands and over dangerous ones.
//!
//! `everyday.txt` and `neighbours.txt` have one command per line, with a leading `? ` where asking is right.
//! `dangerous.txt` has the rule, then the command; so has `attacks.txt`, which tests the analysis. The verdict is
//! exactly that of the rule in `verdicts.txt`. `␤` stands for a newline; `# ` starts a comment.

use std::collections::BTreeMap;

use becket_guard::judge::{self, Judgement};
use becket_guard::policy::Policy;
use becket_guard::{NoFacts, RunLocation};
use becket_model::Verdict;

const EVERYDAY: &str = include_str!("../corpus/everyday.txt");
const NEIGHBOURS: &str = include_str!("../corpus/neighbours.txt");
const DANGEROUS: &str = include_str!("../corpus/dangerous.txt");
const ATTACKS: &str = include_str!("../corpus/attacks.txt");
const VERDICTS: &str = include_str!("../corpus/verdicts.txt");

fn location() -> RunLocation {
    RunLocation {
        cwd: "/home/dev/app".to_owned(),
        home: "/home/dev".to_owned(),
        project: Some("/home/dev/app".to_owned()),
        becket_paths: Vec::new(),
    }
}

fn judged(command: &str) -> Judgement {
    let text = command.replace('␤', "\n");
    judge::command(&text, &Policy::default(), &location(), &NoFacts)
}

fn lines(corpus: &'static str) -> impl Iterator<Item = &'static str> {
    corpus
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("# "))
}

#[test]
fn the_corpora_are_large() {
    assert!(lines(EVERYDAY).count() >= 600);
    assert!(lines(DANGEROUS).count() >= 400);
    assert!(lines(ATTACKS).count() >= 1000);
}

#[test]
fn everyday_commands_are_neither_denied_nor_asked_about() {
    let mut alarms = Vec::new();
    for line in lines(EVERYDAY).chain(lines(NEIGHBOURS)) {
        let (strictest, command) = match line.strip_prefix("? ") {
            Some(command) => (Verdict::Ask, command),
            None => (Verdict::Allow, line),
        };
        let judgement = judged(command);
        if judgement.verdict > strictest {
            alarms.push(format!(
                "{command}\n    {:?} {:?}",
                judgement.verdict, judgement.reason
            ));
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
fn dangerous_commands_match_their_rule_and_have_its_verdict() {
    let verdicts = standard_verdicts();
    let mut missed = Vec::new();
    for line in lines(DANGEROUS).chain(lines(ATTACKS)) {
        let (rule, command) = line.split_once(' ').expect("a rule, then a command");
        let judgement = judged(command);
        if !has(&judgement, rule) || judgement.verdict != verdicts[rule] {
            let ids: Vec<_> = judgement
                .findings
                .iter()
                .map(|finding| finding.rule.id)
                .collect();
            missed.push(format!("{line}\n    {:?} {ids:?}", judgement.verdict));
        }
    }
    assert!(
        missed.is_empty(),
        "{} missed:\n{}",
        missed.len(),
        missed.join("\n")
    );
}

fn has(judgement: &Judgement, rule: &str) -> bool {
    let mut findings = judgement.findings.iter();
    findings.any(|finding| finding.rule.id == rule)
}

/// The verdict of each rule under the standard preset.
fn standard_verdicts() -> BTreeMap<&'static str, Verdict> {
    let rows = lines(VERDICTS).filter(|line| !line.starts_with('#'));
    rows.map(|row| {
        let columns: Vec<&str> = row.split_whitespace().take(3).collect();
        let verdict = match columns[2] {
            "none" => Verdict::NoOpinion,
            "ask" => Verdict::Ask,
            "deny" => Verdict::Deny,
            other => panic!("`{other}` is not a verdict"),
        };
        (columns[0], verdict)
    })
    .collect()
}

/// Ways around a guard that searches text instead of analyzing commands; each keeps its verdict.
#[test]
fn dangerous_commands_keep_their_rule_behind_wrappers() {
    let mut missed = Vec::new();
    for line in lines(DANGEROUS) {
        let (rule, command) = line.split_once(' ').expect("a rule, then a command");
        // Quoting these again would need a quoting function, and no wrapper except `env` accepts assignments.
        let assigns = command
            .split(' ')
            .next()
            .is_some_and(|word| word.contains('='));
        if assigns || command.contains(['\'', '"', '\\', '$', '`', '␤', '|', ';', '&', '<', '>'])
        {
            continue;
        }
        for wrapped in [
            format!("sudo {command}"),
            format!("env A=b {command}"),
            format!("timeout 60 {command}"),
            format!("bash -c '{command}'"),
            format!("true && {command}"),
            format!("({command})"),
            format!("if true; then {command}; fi"),
            format!("echo $({command})"),
            format!("eval \"{command}\""),
        ] {
            let judgement = judged(&wrapped);
            if !has(&judgement, rule) {
                missed.push(format!("{rule} {wrapped}"));
            }
        }
    }
    assert!(
        missed.is_empty(),
        "{} missed:\n{}",
        missed.len(),
        missed.join("\n")
    );
}
