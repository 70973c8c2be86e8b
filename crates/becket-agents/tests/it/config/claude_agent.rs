//! claude-agent's shapes in Claude's settings files.

use becket_agents::config::settings;
use becket_model::{Dialect, EventKind, OnFailure};

use super::{clean, load, only, problem_lines, seconds, shown};

const DOCUMENTED: &str = r#"{
  "hooks": {
    "preToolUse": {
      "security-check": {
        "command": "python check_security.py",
        "timeout_secs": 30,
        "matcher": "Bash|Write"
      }
    },
    "postToolUse": {
      "audit-log": "echo '{\"event\":\"$EVENT\"}' >> /tmp/audit.log"
    },
    "sessionStart": [
      "notify-send 'Session started'"
    ],
    "sessionEnd": [
      "cleanup-temp.sh"
    ]
  }
}"#;

#[test]
fn the_documented_example_loads_whole() {
    let layer = load(settings, DOCUMENTED);
    assert_eq!(
        shown(&layer.hooks),
        [
            "4 PreToolUse [Bash|Write] command `python check_security.py` 30s",
            "11 PostToolUse [] command `echo '{\"event\":\"$EVENT\"}' >> /tmp/audit.log` 60s",
            "14 SessionStart [] command `notify-send 'Session started'` 60s",
            "17 SessionEnd [] command `cleanup-temp.sh` 60s",
        ]
    );
    assert!(
        layer
            .hooks
            .iter()
            .all(|hook| hook.dialect == Dialect::ClaudeAgent)
    );
    let names: Vec<&str> = layer.hooks.iter().map(|hook| hook.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "security-check",
            "audit-log",
            "sessionStart[0]",
            "sessionEnd[0]"
        ]
    );
    assert_eq!(layer.hooks[0].source.key, "hooks.preToolUse.security-check");
    assert_eq!(
        problem_lines(&layer),
        [
            "W 11 hooks.postToolUse.audit-log: `$EVENT` is in single quotes, so the shell does not expand it"
        ]
    );
}

#[test]
fn every_spelling_of_an_event_and_every_event_is_understood() {
    for (key, event) in [
        ("preToolUse", EventKind::PreToolUse),
        ("PreToolUse", EventKind::PreToolUse),
        ("pre_tool_use", EventKind::PreToolUse),
        ("PostToolUseFailure", EventKind::PostToolUseFailure),
        ("userPromptSubmit", EventKind::UserPromptSubmit),
        ("stop", EventKind::Stop),
        ("subagent_start", EventKind::SubagentStart),
        ("SubagentStop", EventKind::SubagentStop),
        ("preCompact", EventKind::PreCompact),
        ("session_end", EventKind::SessionEnd),
    ] {
        for value in [
            r#"{"n": "x"}"#,
            r#"{"n": {"command": "x"}}"#,
            r#"["x"]"#,
            r#"[{"command": "x"}]"#,
        ] {
            let hooks = clean(settings, &format!(r#"{{"hooks": {{"{key}": {value}}}}}"#));
            let hook = only(hooks);
            assert_eq!(hook.event, event, "{key}: {value}");
            assert_eq!(hook.dialect, Dialect::ClaudeAgent);
            assert_eq!(hook.timeout, seconds(60));
        }
    }
}

#[test]
fn a_hook_may_be_called_command() {
    let hook = only(clean(settings, r#"{"hooks": {"stop": {"command": "x"}}}"#));
    assert_eq!(
        (hook.name.as_str(), hook.action.summary().as_str()),
        ("command", "x")
    );
}

#[test]
fn names_run_in_the_order_of_the_file() {
    let names = ["zeta", "alpha", "mid", "beta", "omega", "a1", "a0"];
    let map: Vec<String> = names
        .iter()
        .map(|name| format!(r#""{name}": "x-{name}""#))
        .collect();
    let hooks = clean(
        settings,
        &format!(r#"{{"hooks": {{"preToolUse": {{{}}}}}}}"#, map.join(",")),
    );
    let loaded: Vec<&str> = hooks.iter().map(|hook| hook.name.as_str()).collect();
    assert_eq!(loaded, names);
}

#[test]
fn both_shapes_stand_in_one_file_and_even_in_one_array() {
    let hooks = clean(
        settings,
        r#"{"hooks": {
            "PreToolUse": [
                {"matcher": "Edit", "hooks": [{"type": "command", "command": "nested"}]},
                "flat",
                {"command": "object", "matcher": "Edit", "timeout_secs": 120}
            ],
            "postToolUse": {"named": {"command": "map", "timeoutSecs": 2}}
        }}"#,
    );
    let seen: Vec<_> = hooks
        .iter()
        .map(|hook| {
            (
                hook.action.summary(),
                hook.dialect,
                hook.timeout.as_secs(),
                hook.matcher.matches("MultiEdit"),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("nested".into(), Dialect::Claude, 600, false),
            ("flat".into(), Dialect::ClaudeAgent, 60, true),
            // No hidden limit of one minute, and an unanchored search.
            ("object".into(), Dialect::ClaudeAgent, 120, true),
            ("map".into(), Dialect::ClaudeAgent, 2, true),
        ]
    );
}

#[test]
fn a_bad_matcher_breaks_its_hook_and_never_matches_everything() {
    let layer = load(
        settings,
        "{\"hooks\": {\"preToolUse\": {\n\"bad\": {\"command\": \"x\", \"on_failure\": \"deny\",\n\"matcher\": \"Bash(\"},\n\"good\": \"y\"}}}",
    );
    assert_eq!(shown(&layer.hooks), ["4 PreToolUse [] command `y` 60s"]);
    let problem = &layer.problems[0];
    assert_eq!(
        (problem.line, problem.key.as_str()),
        (3, "hooks.preToolUse.bad.matcher")
    );
    assert!(
        problem
            .message
            .starts_with("matcher `Bash(` is not a valid regex"),
        "{problem}"
    );
    let broken = &layer.broken[0];
    assert_eq!(broken.name, "bad");
    assert_eq!(broken.event, EventKind::PreToolUse);
    assert_eq!(broken.on_failure, OnFailure::Deny);
    assert_eq!(
        (broken.source.line, broken.source.key.as_str()),
        (2, "hooks.preToolUse.bad")
    );
}

#[test]
fn the_library_s_other_properties_are_read() {
    let hook = only(clean(
        settings,
        r#"{"hooks": {"PreToolUse": {"n": {"command": "x", "args": ["a"], "priority": 100, "enabled": false,
            "async": true, "once": true, "if": "Bash(rm *)", "description": "why", "on_failure": "ask", "timeout": 5}}}}"#,
    ));
    assert_eq!(hook.priority, 100);
    assert!(!hook.enabled && hook.is_async && hook.once);
    assert_eq!(hook.on_failure, Some(OnFailure::Ask));
    assert_eq!(hook.description.as_deref(), Some("why"));
    assert_eq!(hook.timeout, seconds(5));
    assert!(hook.condition.is_some());
}

#[test]
fn unknown_shape_is_an_error_that_names_the_nearest() {
    for (value, key, message, hint) in [
        (
            "\"x\"",
            "hooks.PreToolUse",
            "a string is not a hook",
            "expected an array of matcher groups",
        ),
        (
            "7",
            "hooks.PreToolUse",
            "a number is not a hook",
            "named hooks",
        ),
        (
            r#"{"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]}"#,
            "hooks.PreToolUse",
            "a matcher group must be in an array",
            r#"[{"matcher": "Bash""#,
        ),
        (
            r#"{"command": "x", "timeout_secs": 5}"#,
            "hooks.PreToolUse",
            "a hook must be in an array or have a name",
            "my-hook",
        ),
        (
            r#"[["x"]]"#,
            "hooks.PreToolUse[0]",
            "an array is not a hook",
            "expected an array of matcher groups",
        ),
        (
            r#"[{"matcher": "Bash"}]"#,
            "hooks.PreToolUse[0]",
            "neither a matcher group nor a hook: it has no `hooks` and no `command`",
            "\"hooks\": [",
        ),
        (
            r#"{"n": ["x"]}"#,
            "hooks.PreToolUse.n",
            "an array is not a hook",
            "named hooks",
        ),
        (
            r#"{"n": {"hooks": []}}"#,
            "hooks.PreToolUse.n",
            "a matcher group must be in an array",
            "[{",
        ),
    ] {
        let layer = load(
            settings,
            &format!(r#"{{"hooks": {{"PreToolUse": {value}, "Stop": ["good"]}}}}"#),
        );
        assert_eq!(layer.hooks.len(), 1, "{value}: the other event loads");
        assert_eq!(
            problem_lines(&layer),
            [format!("E 1 {key}: {message}")],
            "{value}"
        );
        let given = layer.problems[0].hint.as_deref().unwrap_or_default();
        assert!(given.contains(hint), "{value}: {given}");
        assert_eq!(layer.broken.len(), 1, "{value}");
        assert_eq!(layer.broken[0].event, EventKind::PreToolUse);
    }
}

#[test]
fn autohands_shape_is_distinguished_from_events() {
    let layer = load(
        settings,
        r#"{"hooks": {"enabled": true, "hooks": [{"event": "pre-tool", "command": "x"}]}}"#,
    );
    assert_eq!(
        problem_lines(&layer),
        [
            "E 1 hooks.enabled: is not an event",
            "E 1 hooks.hooks: is not an event"
        ]
    );
    assert!(
        layer.problems[1]
            .hint
            .as_deref()
            .is_some_and(|hint| hint.contains("Autohand"))
    );
    let layer = load(
        settings,
        r#"{"hooks": [{"event": "pre-tool", "command": "x"}]}"#,
    );
    assert_eq!(
        problem_lines(&layer),
        ["E 1 hooks: expected an object of events, found an array"]
    );
}
