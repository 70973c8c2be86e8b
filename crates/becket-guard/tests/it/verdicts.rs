//! Every rule, found by a command of its own, with the exact verdict under each preset.

use std::collections::BTreeMap;

use becket_guard::{Judgement, NoFacts, Policy, RunLocation, judge};
use becket_model::Verdict;
use serde_json::{Value, json};

const VERDICTS: &str = include_str!("../corpus/verdicts.txt");
const PRESETS: [&str; 3] = ["permissive", "standard", "strict"];

/// Rules that no command of the table can show, with the test that shows them.
const SHOWN_ELSEWHERE: &[(&str, &str)] = &[
    (
        "core.raw-copy",
        "guard/deletion.rs: it needs a file that exists",
    ),
    (
        "core.too-many-paths",
        "bounds.rs: a command with thousands of paths",
    ),
    ("policy.deny", "policy.rs: the policy decides what it finds"),
    (
        "secrets.in-content",
        "guard/file_tools.rs: a file tool's content",
    ),
];

/// A row of `verdicts.txt`.
struct ShownRule {
    id: &'static str,
    verdicts: [Verdict; 3],
    command: String,
}

fn rows() -> Vec<ShownRule> {
    let lines = VERDICTS.lines().filter(|line| !line.starts_with('#'));
    lines.map(row).collect()
}

fn row(line: &'static str) -> ShownRule {
    let mut rest = line;
    let mut column = || {
        let (word, after) = rest.split_once(' ').expect("five columns");
        rest = after.trim_start();
        word
    };
    let id = column();
    let verdicts = [(); 3].map(|()| verdict(column()));
    // In pieces, so that the repository holds no token.
    let token = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
    let command = rest.replace('␤', "\n").replace("{token}", &token);
    ShownRule {
        id,
        verdicts,
        command,
    }
}

fn verdict(word: &str) -> Verdict {
    match word {
        "none" => Verdict::NoOpinion,
        "ask" => Verdict::Ask,
        "deny" => Verdict::Deny,
        other => panic!("`{other}` is not a verdict"),
    }
}

fn judged(command: &str, options: &Value) -> Judgement {
    let location = RunLocation {
        cwd: "/home/dev/app".to_owned(),
        home: "/home/dev".to_owned(),
        project: Some("/home/dev/app".to_owned()),
        becket_paths: Vec::new(),
    };
    let policy = Policy::parse(options).expect("the options are right");
    judge::command(command, &policy, &location, &NoFacts)
}

fn has(judgement: &Judgement, id: &str) -> bool {
    judgement.findings.iter().any(|finding| finding.rule.id == id)
        // What could not be analyzed is a doubt and no finding.
        || judgement.rule.is_some_and(|rule| rule.id == id)
}

fn none_wrong(wrong: &[String]) {
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_rule_is_in_the_table_once() {
    let mut listed: BTreeMap<&str, usize> = BTreeMap::new();
    for id in rows().iter().map(|row| row.id) {
        *listed.entry(id).or_default() += 1;
    }
    for (id, _) in SHOWN_ELSEWHERE {
        *listed.entry(id).or_default() += 1;
    }
    let known: BTreeMap<&str, usize> = judge::rules().map(|rule| (rule.id, 1)).collect();
    assert_eq!(listed, known);
}

#[test]
fn every_rule_is_found_and_has_exactly_its_verdict_under_each_preset() {
    let mut wrong = Vec::new();
    for row in rows() {
        for (preset, expected) in PRESETS.iter().zip(row.verdicts) {
            let judgement = judged(&row.command, &json!({ "preset": preset }));
            let decided = judgement.rule.is_some_and(|rule| rule.id == row.id);
            let is_silent = expected == Verdict::NoOpinion;
            if judgement.verdict != expected || !has(&judgement, row.id) && !is_silent {
                wrong.push(format!("{} {preset}: {judgement:?}", row.command));
            } else if !is_silent && !decided {
                wrong.push(format!("{} {preset}: another rule decided", row.command));
            }
        }
    }
    none_wrong(&wrong);
}

#[test]
fn each_severity_override_changes_the_verdict_of_its_rule_alone() {
    let standard = [
        ("notice", Verdict::NoOpinion),
        ("doubtful", Verdict::Ask),
        ("severe", Verdict::Deny),
        ("catastrophic", Verdict::Deny),
    ];
    let permissive = [
        ("notice", Verdict::NoOpinion),
        ("doubtful", Verdict::NoOpinion),
        ("severe", Verdict::Ask),
        ("catastrophic", Verdict::Deny),
    ];
    for (preset, table) in [("standard", standard), ("permissive", permissive)] {
        for (severity, expected) in table {
            let options = json!({ "preset": preset, "severity": { "git.push-force": severity } });
            let judgement = judged("git push --force origin topic", &options);
            assert_eq!(judgement.verdict, expected, "{preset} {severity}");
            let other = judged("git reset --hard", &options).verdict;
            let usual = judged("git reset --hard", &json!({ "preset": preset })).verdict;
            assert_eq!(other, usual, "{preset} {severity}");
        }
    }
}

#[test]
fn a_rule_or_pack_that_is_off_is_suppressed_and_no_other_is() {
    for off in ["git.push-force", "git"] {
        let options = json!({ "off": [off] });
        let judgement = judged("git push --force origin topic", &options);
        assert_eq!(judgement.verdict, Verdict::NoOpinion, "{off}");
        assert_eq!(judgement.findings, [], "{off}");
        let ids: Vec<_> = judgement
            .suppressed
            .iter()
            .map(|suppressed| suppressed.finding.rule.id)
            .collect();
        assert_eq!(ids, ["git.push-force"], "{off}");
    }
    // A name switches off the rule or the pack that has it, and nothing that begins alike.
    for off in [
        "git.push",
        "gi",
        "git.push-force-main",
        "push-force",
        "core",
    ] {
        let judgement = judged("git push --force origin topic", &json!({ "off": [off] }));
        assert_eq!(judgement.verdict, Verdict::Deny, "{off}");
    }
    let both = judged(
        "git push --force origin topic && rm -rf .git",
        &json!({ "off": ["git"] }),
    );
    assert_eq!(both.rule.map(|rule| rule.id), Some("core.delete-git"));
}

#[test]
fn the_strictest_rule_decides_and_is_named() {
    for (command, expected) in [
        ("git stash drop && rm -rf .git", "core.delete-git"),
        ("rm -rf .git && git stash drop", "core.delete-git"),
        (
            "docker login ghcr.io; docker buildx prune",
            "containers.prune",
        ),
        (
            "docker buildx prune; docker login ghcr.io",
            "containers.prune",
        ),
    ] {
        let judgement = judged(command, &Value::Null);
        assert_eq!(
            judgement.rule.map(|rule| rule.id),
            Some(expected),
            "{command}"
        );
        assert_eq!(judgement.findings.len(), 2, "{command}");
        let reason = judgement.reason.expect("a reason");
        assert!(reason.starts_with(&format!("{expected}: ")), "{reason}");
        assert_eq!(judge::rule_in(&reason).map(|rule| rule.id), Some(expected));
    }
}

#[test]
fn auto_approve_allows_what_only_reads_and_nothing_else() {
    let options = json!({ "auto_approve": true });
    for (command, expected) in [
        ("ls -la", Verdict::Allow),
        ("git status && grep -r x src", Verdict::Allow),
        ("touch x", Verdict::NoOpinion),
        ("ls > x", Verdict::NoOpinion),
        ("cat .env", Verdict::Deny),
        ("git push --force origin topic", Verdict::Deny),
    ] {
        assert_eq!(judged(command, &options).verdict, expected, "{command}");
        let usual = judged(command, &Value::Null).verdict;
        let without = if expected == Verdict::Allow {
            Verdict::NoOpinion
        } else {
            expected
        };
        assert_eq!(usual, without, "{command}");
    }
}
