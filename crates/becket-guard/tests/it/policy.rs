//! Parsing of policies, and their effect on judgements.

use becket_guard::{Policy, Rule, Severity, analyze, judge};
use becket_model::Verdict;
use serde_json::{Value, json};

use crate::analysis_corpus::{Disk, location};

fn errors(options: &Value) -> Vec<String> {
    Policy::parse(options)
        .expect_err("the options are wrong")
        .iter()
        .map(ToString::to_string)
        .collect()
}

fn verdict(text: &str, options: &Value) -> (Verdict, Option<String>) {
    let policy = Policy::parse(options).expect("the options are right");
    let judgement = judge::command(text, &policy, &location(), &Disk);
    (judgement.verdict, judgement.reason)
}

#[test]
fn empty_options_are_the_default_policy() {
    assert_eq!(Policy::parse(&Value::Null), Ok(Policy::default()));
    assert_eq!(Policy::parse(&json!({})), Ok(Policy::default()));
}

#[test]
fn invalid_keys_are_named_in_errors() {
    assert_eq!(errors(&json!([])), ["`options` must be a table"]);
    assert_eq!(
        errors(&json!({ "preset": "lax" })),
        ["`preset` must be one of permissive, standard, strict"]
    );
    assert_eq!(errors(&json!({ "off": "git" })), ["`off` must be a list"]);
    assert_eq!(
        errors(&json!({ "off": ["git", 1] })),
        ["`off[1]` must be a non-empty string"]
    );
    assert_eq!(
        errors(&json!({ "severity": { "git.clean": "bad" } })),
        ["`severity.git.clean` must be one of notice, doubtful, severe, catastrophic"]
    );
    assert_eq!(
        errors(&json!({ "auto_approve": "yes" })),
        ["`auto_approve` must be true or false"]
    );
    assert_eq!(
        errors(&json!({ "allow": [{ "command": "ls" }, { "reason": "x" }] })),
        [
            "`allow[0].reason` is missing; give the reason for the exception",
            "`allow[1]` needs a `command`, a `rule` or a `path`"
        ]
    );
    assert_eq!(
        errors(&json!({ "allow": [{ "path": "build", "reason": "x" }] })),
        ["`allow[0].path` must be an absolute path"]
    );
    assert_eq!(
        errors(&json!({ "deny": [{ "command": "pip" }] })),
        ["`deny[0].message` is missing; say what to do instead"]
    );
    assert_eq!(
        errors(&json!({ "deny": [{ "message": "no" }] })),
        ["`deny[0].command` is missing"]
    );
    let unknown =
        errors(&json!({ "presett": "x", "allow": [{ "cmd": "x", "rule": "r", "reason": "y" }] }));
    assert!(
        unknown[0].starts_with("`presett` is not a known key")
            && unknown[1].starts_with("`allow[0].cmd` is not a known key"),
        "{unknown:?}"
    );
}

#[test]
fn policy_lists_the_rules_it_names() {
    let policy = Policy::parse(&json!({ "off": ["git"], "severity": { "core.x": "notice" }, "allow": [{ "rule": "core.y", "reason": "z" }] })).expect("right");
    let names: Vec<_> = policy.names().collect();
    assert_eq!(
        names,
        [("off", "git"), ("severity", "core.x"), ("allow", "core.y")]
    );
}

#[test]
fn denied_commands_are_denied_behind_every_wrapper() {
    let options = json!({ "deny": [{ "command": "pip install", "message": "use uv add" }] });
    for text in [
        "pip install x",
        "sudo pip install -U x",
        "bash -c 'cd a && pip install x'",
        "p=pip; $p install x",
        "python3 -c 'import os; os.system(\"pip install x\")'",
    ] {
        let (verdict, reason) = verdict(text, &options);
        assert_eq!(verdict, Verdict::Deny, "{text}");
        assert!(
            reason.is_some_and(
                |reason| reason.starts_with("policy.deny: ") && reason.ends_with("use uv add")
            ),
            "{text}"
        );
    }
    for text in [
        "pip list",
        "echo pip install x",
        "git commit -m 'pip install x'",
        "# pip install x",
    ] {
        assert_eq!(
            verdict(text, &options),
            (Verdict::NoOpinion, None),
            "{text}"
        );
    }
}

#[test]
fn a_fork_bomb_is_denied_by_every_preset_unless_its_rule_is_off() {
    for preset in ["permissive", "standard", "strict"] {
        let (verdict, reason) = verdict(":(){ :|:& };:", &json!({ "preset": preset }));
        assert_eq!(verdict, Verdict::Deny);
        assert!(reason.is_some_and(
            |reason| reason.starts_with("core.fork-bomb: ") && reason.contains("\ninstead: ")
        ));
    }
    assert_eq!(
        verdict(":(){ :|:& };:", &json!({ "off": ["core.fork-bomb"] })).0,
        Verdict::NoOpinion
    );
}

#[test]
fn unanalyzable_commands_ask_and_say_why() {
    for text in [
        "echo 'unclosed",
        "if a; then b",
        "powershell -c 'Frobnicate -All'",
        "powershell -enc AAAA",
    ] {
        let (verdict, reason) = verdict(text, &Value::Null);
        assert_eq!(verdict, Verdict::Ask, "{text}");
        assert!(
            reason.is_some_and(|reason| reason.contains("could not be fully analyzed")),
            "{text}"
        );
    }
}

#[test]
fn no_finding_is_not_an_approval() {
    assert_eq!(
        verdict("cargo build", &Value::Null),
        (Verdict::NoOpinion, None)
    );
}

#[test]
fn declared_wrappers_are_unwrapped() {
    let options = json!({ "wrappers": ["mytool run"], "deny": [{ "command": "reboot", "message": "do not" }] });
    assert_eq!(verdict("mytool run -v reboot", &options).0, Verdict::Deny);
    assert_eq!(
        verdict("mytool show reboot", &options).0,
        Verdict::NoOpinion
    );
}

#[test]
fn deny_entry_permits_its_unless_wrapper() {
    let options = json!({ "deny": [
        { "command": "python", "unless": "uv run", "message": "use `uv run python`" },
    ] });
    for text in [
        "python x.py",
        "env A=b python x.py",
        "uv pip list && python x.py",
        "sudo python x.py",
    ] {
        assert_eq!(verdict(text, &options).0, Verdict::Deny, "{text}");
    }
    for text in [
        "uv run python x.py",
        "uv run --with rich python -m x",
        "timeout 5 uv run python x.py",
        "python3 x.py",
    ] {
        assert_eq!(verdict(text, &options).0, Verdict::NoOpinion, "{text}");
    }
}

static SEVERE: Rule = Rule {
    id: "core.x",
    severity: Severity::Severe,
    explanation: "does harm",
    safer: "do not",
};
static WORST: Rule = Rule {
    id: "core.y",
    severity: Severity::Catastrophic,
    explanation: "does harm",
    safer: "do not",
};

/// Whether the policy permits the last command of the text.
fn passes(entry: Value, rule: &Rule, text: &str) -> bool {
    let policy = Policy::parse(&json!({ "allow": [entry] })).expect("the options are right");
    let script = analyze(text, &location(), &Disk, &[]);
    let command = script.commands.last().expect("a command");
    policy.allowed(rule, command).is_some()
}

#[test]
fn allow_command_covers_exactly_the_whole_command() {
    let build = || json!({ "command": "rm -rf build", "reason": "it is made again" });
    assert!(passes(build(), &SEVERE, "rm -rf build"));
    assert!(passes(build(), &SEVERE, "rm -rf 'build' 2>/dev/null"));
    for text in [
        "rm -rf build /",
        "rm -rf",
        "rm -rf $X",
        "rm -rf build > /etc/x",
        "A=b rm -rf build",
        "find . | xargs rm -rf build",
    ] {
        assert!(!passes(build(), &SEVERE, text), "{text}");
    }
    let push = || json!({ "command": "git push *", "reason": "a private fork" });
    assert!(passes(push(), &SEVERE, "git push -f origin x"));
    assert!(!passes(push(), &SEVERE, "git pull"));
    assert!(!passes(push(), &SEVERE, "git push $REMOTE"));
}

#[test]
fn allow_rule_and_path_cover_only_themselves() {
    let rule = || json!({ "rule": "core.x", "reason": "r" });
    assert!(passes(rule(), &SEVERE, "rm a"));
    assert!(!passes(rule(), &WORST, "rm a"));
    let path = || json!({ "path": "/srv/scratch", "reason": "r" });
    assert!(passes(
        path(),
        &SEVERE,
        "rm -rf /srv/scratch/a /srv/scratch"
    ));
    assert!(passes(path(), &SEVERE, "cd /srv/scratch && rm -rf a"));
    for text in [
        "rm -rf /srv/scratch/../x",
        "rm -rf /srv/scratchy",
        "rm -rf /srv/scratch/a /etc",
        "rm -rf $X",
        "cd $X && rm a",
        "rm -rf /srv/scratch/$X",
    ] {
        assert!(!passes(path(), &SEVERE, text), "{text}");
    }
}

#[test]
fn catastrophic_rules_need_to_be_named_in_allow() {
    assert!(!passes(
        json!({ "command": "rm -rf /", "reason": "r" }),
        &WORST,
        "rm -rf /"
    ));
    assert!(!passes(
        json!({ "path": "/", "reason": "r" }),
        &WORST,
        "rm -rf /"
    ));
    assert!(passes(
        json!({ "rule": "core.y", "command": "rm -rf /", "reason": "r" }),
        &WORST,
        "rm -rf /"
    ));
}
