//! Hook definitions: what identifies a hook, how layers are merged, what a failure means.

use std::time::Duration;

use becket_model::layer::{in_order, layer};
use becket_model::matcher::MatchStyle;
use becket_model::spec::parse_duration;
use becket_model::{
    Action, BrokenHook, Condition, Dialect, EventKind, FailureKind, HookSpec, Layer, Level,
    Matcher, OnFailure, Problem, Severity, Verdict,
};
use serde_json::json;

use crate::hook;

fn command(command: &str, args: Option<&[&str]>) -> Action {
    Action::Command {
        command: command.into(),
        args: args.map(|args| args.iter().map(ToString::to_string).collect()),
    }
}

fn actions() -> [Action; 6] {
    [
        command("check", None),
        Action::Http {
            url: "https://example.com/hook".into(),
            headers: vec![("X-Team".into(), "a".into())],
            allowed_env: vec!["TOKEN".into()],
        },
        Action::Prompt {
            prompt: "Is it safe?".into(),
            model: Some("small".into()),
        },
        Action::Agent {
            prompt: "Review it".into(),
            agent: Some("reviewer".into()),
            model: None,
        },
        Action::McpTool {
            server: "files".into(),
            tool: "check".into(),
            input: json!({ "path": "a" }),
        },
        Action::Builtin {
            name: "auto-format".into(),
            options: json!({ "skip": ["a"] }),
        },
    ]
}

/// A part of a definition, and a change of it.
type DefinitionChange = (&'static str, fn(&mut HookSpec));

/// One change for every part of a definition.
fn changes() -> Vec<DefinitionChange> {
    vec![
        ("dialect", |hook| hook.dialect = Dialect::Cursor),
        ("event", |hook| hook.event = EventKind::Stop),
        ("native event", |hook| {
            hook.native_event = Some("beforeReadFile".into());
        }),
        ("matcher", |hook| {
            hook.matcher = Matcher::parse("Bash", MatchStyle::Names).expect("a name");
        }),
        ("tools", |hook| hook.filter.tool.push("Write".into())),
        ("paths", |hook| hook.filter.path.push("src/**".into())),
        ("condition", |hook| {
            hook.condition = Condition::parse("Bash(git *)");
        }),
        ("command", |hook| hook.action = command("other", None)),
        ("arguments", |hook| {
            hook.action = command("check", Some(&["--fast"]));
        }),
        ("environment", |hook| {
            hook.env.push(("A".into(), "1".into()));
        }),
        ("directory", |hook| hook.cwd = Some("lib".into())),
        ("timeout", |hook| hook.timeout = Duration::from_millis(1)),
        ("async", |hook| hook.is_async = true),
        ("once", |hook| hook.once = true),
        ("sequential", |hook| hook.sequential = true),
        ("failure policy", |hook| {
            hook.on_failure = Some(OnFailure::Deny);
        }),
        ("root", |hook| hook.root = Some("/plugin".into())),
    ]
}

#[test]
fn any_change_of_what_a_hook_does_or_when_changes_its_definition() {
    let original = hook("h", Dialect::Becket);
    let mut seen = vec![original.definition()];
    for (part, change) in changes() {
        let mut changed = original.clone();
        change(&mut changed);
        assert!(!seen.contains(&changed.definition()), "{part}");
        seen.push(changed.definition());
    }
    let mut urgent = original.clone();
    urgent.priority = 1;
    assert_ne!(urgent.definition(), original.definition());
}

#[test]
fn name_and_place_of_a_hook_are_no_part_of_its_definition() {
    let original = hook("h", Dialect::Becket);
    let mut other = hook("other", Dialect::Becket);
    other.description = Some("moved".into());
    other.source.line = 99;
    assert_eq!(original.definition(), other.definition());
}

#[test]
fn definition_contains_the_action() {
    let mut hook = hook("h", Dialect::Becket);
    let expected = [
        ("command", json!({ "command": "check", "args": null })),
        (
            "http",
            json!({ "url": "https://example.com/hook", "headers": [["X-Team", "a"]], "allowed_env": ["TOKEN"] }),
        ),
        (
            "prompt",
            json!({ "prompt": "Is it safe?", "model": "small" }),
        ),
        (
            "agent",
            json!({ "prompt": "Review it", "agent": "reviewer", "model": null }),
        ),
        (
            "mcp_tool",
            json!({ "server": "files", "tool": "check", "input": { "path": "a" } }),
        ),
        (
            "builtin",
            json!({ "use": "auto-format", "options": { "skip": ["a"] } }),
        ),
    ];
    for (action, (kind, expected)) in actions().into_iter().zip(expected) {
        hook.action = action;
        let definition = hook.definition();
        assert_eq!(
            (&definition["type"], &definition["action"]),
            (&json!(kind), &expected)
        );
    }
}

#[test]
fn summary_names_what_an_action_runs_or_asks() {
    let summaries = actions().map(|action| action.summary());
    let expected = [
        "check",
        "https://example.com/hook",
        "Is it safe?",
        "Review it",
        "files:check",
        "auto-format",
    ];
    assert_eq!(summaries, expected);
    assert_eq!(
        command("npx", Some(&["lint", "--fix"])).summary(),
        "npx lint --fix"
    );
}

fn merged(hooks: [HookSpec; 2]) -> Vec<HookSpec> {
    let hooks = hooks.into();
    let all = layer([Layer {
        hooks,
        ..Layer::default()
    }]);
    all.hooks
}

#[test]
fn identical_hooks_run_once_and_hooks_that_differ_in_any_part_both_run() {
    let original = hook("h", Dialect::Becket);
    assert_eq!(
        merged([original.clone(), hook("twin", Dialect::Becket)]).len(),
        1
    );
    for (part, change) in changes() {
        let mut changed = original.clone();
        change(&mut changed);
        assert_eq!(merged([original.clone(), changed]).len(), 2, "{part}");
    }
    let mut disabled = original.clone();
    disabled.enabled = false;
    assert_eq!(
        merged([original, disabled]).len(),
        2,
        "a disabled entry disables only itself"
    );
}

#[test]
fn layers_keep_duplicates_broken_entries_and_problems_until_they_are_merged() {
    let problem = Problem {
        file: "/home/ana/hooks".into(),
        line: 3,
        key: "hooks[0]".into(),
        message: "an unknown key".into(),
        hint: None,
        severity: Severity::Error,
    };
    let one = || {
        let hook = hook("h", Dialect::Becket);
        Layer {
            broken: vec![BrokenHook {
                name: "bad".into(),
                source: hook.source.clone(),
                event: EventKind::Stop,
                on_failure: OnFailure::Deny,
                message: "no command".into(),
            }],
            hooks: vec![hook],
            problems: vec![problem.clone()],
        }
    };
    let count = |all: Layer| (all.hooks.len(), all.broken.len(), all.problems.len());
    assert_eq!(count(in_order([one(), one()])), (2, 2, 2));
    assert_eq!(count(layer([one(), one()])), (1, 2, 2));
}

#[test]
fn problem_names_file_line_and_key_and_gives_a_hint() {
    let mut problem = Problem {
        file: "/w/becket.toml".into(),
        line: 7,
        key: "hook[0].matcher".into(),
        message: "not a regex".into(),
        hint: Some("close the group".into()),
        severity: Severity::Warning,
    };
    assert_eq!(
        problem.to_string(),
        "/w/becket.toml:7: warning: `hook[0].matcher`: not a regex\n  hint: close the group"
    );
    (problem.line, problem.hint, problem.severity) = (0, None, Severity::Error);
    assert_eq!(
        problem.to_string(),
        "/w/becket.toml: `hook[0].matcher`: not a regex"
    );
    problem.key = String::new();
    assert_eq!(problem.to_string(), "/w/becket.toml: not a regex");
}

#[test]
fn failure_policies_have_the_words_of_all_dialects() {
    for (words, policy, verdict) in [
        (["allow", "continue"], OnFailure::Allow, Verdict::NoOpinion),
        (["ask", "ask"], OnFailure::Ask, Verdict::Ask),
        (["deny", "block"], OnFailure::Deny, Verdict::Deny),
    ] {
        for word in words {
            assert_eq!(OnFailure::parse(word), Some(policy), "{word}");
        }
        assert_eq!((policy.word(), policy.verdict()), (words[0], verdict));
    }
    assert_eq!(OnFailure::parse("explode"), None);
}

#[test]
fn policy_of_a_hook_replaces_that_of_its_dialect() {
    let mut strict = hook("h", Dialect::ClaudeAgent);
    let both = |hook: &HookSpec| [hook.failure_verdict(), hook.verdict_of(FailureKind::Exit)];
    assert_eq!(both(&strict), [Verdict::Deny; 2]);
    strict.on_failure = Some(OnFailure::Ask);
    assert_eq!(both(&strict), [Verdict::Ask; 2]);
    let lenient = hook("h", Dialect::Becket);
    assert_eq!(both(&lenient), [Verdict::NoOpinion; 2]);
    let mut cursor = hook("h", Dialect::Cursor);
    assert_eq!(cursor.verdict_of(FailureKind::BadReply), Verdict::Deny);
    cursor.event = EventKind::SubagentStart;
    assert_eq!(cursor.verdict_of(FailureKind::BadReply), Verdict::Deny);
    cursor.event = EventKind::Stop;
    assert_eq!(cursor.verdict_of(FailureKind::BadReply), Verdict::NoOpinion);
    let mut copilot = hook("h", Dialect::Copilot);
    assert_eq!(
        copilot.verdict_of(FailureKind::Cancelled),
        Verdict::NoOpinion
    );
    copilot.event = EventKind::PermissionRequest;
    assert_eq!(copilot.failure_verdict(), Verdict::NoOpinion);
}

#[test]
fn only_files_in_the_project_need_trust() {
    let needing: Vec<&str> = [
        Level::Project,
        Level::Local,
        Level::User,
        Level::Plugin,
        Level::Builtin,
    ]
    .into_iter()
    .filter(|level| level.needs_trust())
    .map(Level::name)
    .collect();
    assert_eq!(needing, ["project", "local"]);
    let others = [Level::User, Level::Plugin, Level::Builtin].map(Level::name);
    assert_eq!(others, ["user", "plugin", "built-in"]);
}

#[test]
fn durations_have_five_spellings_of_units() {
    let second = Duration::from_secs(1);
    for (text, seconds) in [
        ("2min", 120.0),
        ("1h", 3600.0),
        (" 3 s ", 3.0),
        ("0.5", 0.5),
        ("250ms", 0.25),
        ("3m", 180.0),
    ] {
        assert_eq!(
            parse_duration(text, second),
            Some(Duration::from_secs_f64(seconds)),
            "{text}"
        );
    }
    assert_eq!(
        parse_duration("5", Duration::from_millis(1)),
        Some(Duration::from_millis(5))
    );
}
