//! Runs the whole guard over everyday commands and over dangerous ones.
//!
//! `everyday.txt` and `neighbours.txt` have one command per line, with a leading `? ` where asking is right.
//! `dangerous.txt` has the rule, then the command; so has `attacks.txt`, which tests the analysis. `␤` stands for a
//! newline; `# ` starts a comment.

use becket_guard::judge::{self, Judgement};
use becket_guard::policy::Policy;
use becket_guard::rule::Severity;
use becket_guard::{NoFacts, RunLocation};
use becket_model::Verdict;

const EVERYDAY: &str = include_str!("../corpus/everyday.txt");
const NEIGHBOURS: &str = include_str!("../corpus/neighbours.txt");
const DANGEROUS: &str = include_str!("../corpus/dangerous.txt");
const ATTACKS: &str = include_str!("../corpus/attacks.txt");

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
fn dangerous_commands_match_their_rule() {
    let mut missed = Vec::new();
    for line in lines(DANGEROUS).chain(lines(ATTACKS)) {
        let (rule, command) = line.split_once(' ').expect("a rule, then a command");
        let judgement = judged(command);
        let met = judgement
            .findings
            .iter()
            .find(|finding| finding.rule.id.starts_with(rule));
        let silent = met.is_some_and(|finding| finding.rule.severity >= Severity::Doubtful)
            && judgement.verdict < Verdict::Ask;
        if met.is_none() || silent {
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
            if !judgement
                .findings
                .iter()
                .any(|finding| finding.rule.id.starts_with(rule))
            {
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
