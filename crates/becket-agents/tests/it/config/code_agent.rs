//! Code Agent's own file.

use std::time::Duration;

use becket_agents::config::code_agent;
use becket_model::{Action, Dialect, EventKind};

use super::{clean, command, load, only, problem_lines, seconds, shown};

#[test]
fn the_object_is_the_map_of_events_or_has_it_under_hooks() {
    let map = r#"{"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./validate.sh", "timeout": 250}]}],
                  "SessionEnd": [{"hooks": [{"type": "command", "command": "./cleanup.sh"}]}]}"#;
    let expected = clean(code_agent, map);
    assert_eq!(
        expected
            .iter()
            .map(|hook| (hook.event.clone(), hook.timeout))
            .collect::<Vec<_>>(),
        [
            (EventKind::PreToolUse, Duration::from_millis(250)),
            (EventKind::SessionEnd, seconds(5)),
        ]
    );
    assert!(
        expected
            .iter()
            .all(|hook| hook.dialect == Dialect::CodeAgent)
    );
    let wrapped = clean(code_agent, &format!(r#"{{"hooks": {map}}}"#));
    assert_eq!(shown(&wrapped), shown(&expected));
    assert_eq!(expected[0].source.key, "PreToolUse[0].hooks[0]");
    assert_eq!(wrapped[0].source.key, "hooks.PreToolUse[0].hooks[0]");
    assert_eq!(wrapped[0].name, expected[0].name);
}

#[test]
fn every_type_loads_with_its_fields_and_default_deadline() {
    let hooks = clean(
        code_agent,
        r#"{"PreToolUse": [{"matcher": "", "parallel": true, "hookType": "decision", "hooks": [
            {"type": "command", "name": "check", "command": "x", "async": true, "once": true, "if": "Bash(git *)"},
            {"type": "prompt", "prompt": "safe? $COMMAND"},
            {"type": "agent", "agent": "reviewer", "agentPrompt": "look at it"},
            {"type": "agent", "agent": "reviewer"},
            {"type": "http", "url": "https://h", "headers": {"Authorization": "Bearer $T"}, "allowedEnvVars": ["T"], "timeout": "2s"},
            {"type": "command", "command": "off", "disabled": true}
        ]}]}"#,
    );
    let actions: Vec<Action> = hooks.iter().map(|hook| hook.action.clone()).collect();
    let agent = |prompt: &str| Action::Agent {
        prompt: prompt.into(),
        agent: Some("reviewer".into()),
        model: None,
    };
    assert_eq!(
        actions,
        [
            command("x"),
            Action::Prompt {
                prompt: "safe? $COMMAND".into(),
                model: None,
            },
            agent("look at it"),
            agent("As a reviewer, analyze this event."),
            Action::Http {
                url: "https://h".into(),
                headers: vec![("Authorization".into(), "Bearer $T".into())],
                allowed_env: vec!["T".into()],
            },
            command("off"),
        ]
    );
    assert_eq!(hooks[0].name, "check");
    assert!(hooks[0].is_async && hooks[0].once && hooks[0].condition.is_some());
    let enabled: Vec<bool> = hooks.iter().map(|hook| hook.enabled).collect();
    assert_eq!(enabled, [true, true, true, true, true, false]);
    assert_eq!(hooks[0].timeout, seconds(5));
    assert_eq!(hooks[1].timeout, seconds(10));
    assert_eq!(hooks[4].timeout, seconds(2));
}

#[test]
fn an_mcp_server_limits_the_group_to_its_tools_and_servers_do_not_collapse() {
    let hooks = clean(
        code_agent,
        r#"{"PreToolUse": [
            {"mcpServer": "github", "hooks": [{"type": "command", "command": "g"}]},
            {"mcpServer": "linear", "hooks": [{"type": "command", "command": "g"}]},
            {"mcpServer": "github", "matcher": "create|^x|issue$", "hooks": [{"type": "command", "command": "both"}]},
            {"mcpServer": "a.b", "matcher": "*", "hooks": [{"type": "command", "command": "dot"}]}
        ]}"#,
    );
    assert_eq!(hooks.len(), 4);
    for (hook, tool, expected) in [
        (0, "mcp__github__search", true),
        (0, "mcp__linear__search", false),
        (0, "Bash", false),
        (0, "x_mcp__github__search", false),
        (1, "mcp__linear__search", true),
        (1, "mcp__github__search", false),
        (2, "mcp__github__create_pr", true),
        (2, "mcp__github__get_issue", true),
        (2, "mcp__github__issues", false),
        (2, "mcp__linear__create", false),
        (2, "create", false),
        (3, "mcp__a.b__x", true),
        (3, "mcp__aXb__x", false),
    ] {
        assert_eq!(
            hooks[hook].matcher.matches(tool),
            expected,
            "{hook} on {tool}"
        );
    }
}

#[test]
fn hooks_of_one_group_that_differ_only_in_url_or_agent_all_load() {
    let hooks = clean(
        code_agent,
        r#"{"PreToolUse": [{"hooks": [
            {"type": "http", "url": "https://a"}, {"type": "http", "url": "https://b"}, {"type": "agent", "agent": "r"}
        ]}]}"#,
    );
    assert_eq!(hooks.len(), 3);
    let loaded = becket_model::layer([becket_model::Layer {
        hooks,
        ..becket_model::Layer::default()
    }]);
    assert_eq!(
        loaded.hooks.len(),
        3,
        "nor do they collapse when layers merge"
    );
}

#[test]
fn invalid_hooks_cost_themselves_only() {
    let layer = load(
        code_agent,
        r#"{"PreToolUse": [{"hooks": [
            {"type": "command", "command": "one"},
            {"type": "command"},
            {"type": "prompt"},
            {"type": "carrier-pigeon", "command": "x"},
            {"type": "command", "command": "two"}
        ]},
        {"matcher": "[", "hooks": [{"type": "command", "command": "three", "onFailure": "block"}]},
        {"matcher": "Edit", "hooks": [{"type": "command", "command": "four"}]}
        ]}"#,
    );
    assert_eq!(
        layer
            .hooks
            .iter()
            .map(|hook| hook.action.summary())
            .collect::<Vec<_>>(),
        ["one", "two", "four"]
    );
    assert!(
        layer.hooks[2].matcher.matches("MultiEdit"),
        "an unanchored search"
    );
    assert_eq!(
        problem_lines(&layer)[..3],
        [
            "E 3 PreToolUse[0].hooks[1]: missing `command`",
            "E 4 PreToolUse[0].hooks[2]: missing `prompt`",
            "E 5 PreToolUse[0].hooks[3].type: unknown hook type `carrier-pigeon`",
        ]
    );
    assert!(
        problem_lines(&layer)[3]
            .starts_with("E 8 PreToolUse[1].matcher: matcher `[` is not a valid regex")
    );
    assert_eq!(layer.problems.len(), 4);
    let broken: Vec<_> = layer
        .broken
        .iter()
        .map(|broken| (broken.source.key.as_str(), broken.on_failure.word()))
        .collect();
    assert_eq!(
        broken,
        [
            ("PreToolUse[0].hooks[1]", "allow"),
            ("PreToolUse[0].hooks[2]", "allow"),
            ("PreToolUse[0].hooks[3]", "allow"),
            ("PreToolUse[1].hooks[0]", "deny"),
        ]
    );
}

#[test]
fn observers_never_delay_or_block() {
    let hook = only(clean(
        code_agent,
        r#"{"PreToolUse": [{"hookType": "observer", "hooks": [{"type": "command", "command": "x"}]}]}"#,
    ));
    assert!(hook.is_async);
}

#[test]
fn the_keys_of_a_group_are_checked() {
    let group = |event: &str, keys: &str| {
        let text = format!(
            r#"{{"{event}": [{{{keys}, "hooks": [{{"type": "command", "command": "x"}}]}}]}}"#
        );
        let layer = load(code_agent, &text);
        (problem_lines(&layer), layer.hooks.len(), layer.broken.len())
    };
    for (keys, expected) in [
        (
            r#""hookType": "obsever""#,
            "E 1 PreToolUse[0].hookType: unknown kind `obsever`",
        ),
        (
            r#""parallel": 1"#,
            "E 1 PreToolUse[0].parallel: expected true or false, found a number",
        ),
        (
            r#""mcpServer": []"#,
            "E 1 PreToolUse[0].mcpServer: expected a string, found an array",
        ),
    ] {
        assert_eq!(group("PreToolUse", keys), (vec![expected.to_owned()], 0, 1));
    }
    let (problems, hooks, broken) = group("SessionStart", r#""mcpServer": "github""#);
    assert_eq!(
        problems,
        [
            "W 1 SessionStart[0].mcpServer: has no effect on `SessionStart`, which is not a tool event"
        ]
    );
    assert_eq!((hooks, broken), (1, 0));
}

#[test]
fn all_of_its_events_are_known_and_a_typo_gets_a_suggestion() {
    for event in [
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "UserPromptSubmit",
        "Stop",
        "SubagentStop",
        "PreCompact",
        "Setup",
        "SessionStart",
        "SessionEnd",
        "Notification",
        "PostExecution",
        "PermissionRequest",
        "TaskCreated",
        "TaskCompleted",
        "PermissionDenied",
        "PostCompact",
        "StopFailure",
        "RoleWake",
        "VoiceCallStarted",
    ] {
        let hooks = clean(
            code_agent,
            &format!(
                r#"{{"{event}": [{{"matcher": ".*", "hooks": [{{"type": "command", "command": "x"}}]}}]}}"#
            ),
        );
        assert_eq!(only(hooks).event.name(), event);
    }
    let layer = load(
        code_agent,
        r#"{"preTolUse": [{"hooks": [{"type": "command", "command": "x"}]}]}"#,
    );
    assert_eq!(
        problem_lines(&layer),
        ["W 1 preTolUse: unknown event `preTolUse`"]
    );
    assert_eq!(
        layer.problems[0].hint.as_deref(),
        Some("did you mean `PreToolUse`?")
    );
    assert_eq!(
        only(layer.hooks).event,
        EventKind::Other("preTolUse".into())
    );
}

#[test]
fn unknown_keys_warn_and_the_hook_still_loads() {
    let layer = load(
        code_agent,
        "{\"PreToolUse\": [{\"matcher\": \"Bash\",\n\"paralel\": true, \"hooks\": [{\"type\": \"command\", \"command\": \"x\",\n\"disabled\": false, \"statusMessage\": \"m\",\n\"tiemout\": 5}]}]}",
    );
    assert_eq!(layer.hooks.len(), 1);
    assert_eq!(
        problem_lines(&layer),
        [
            "W 2 PreToolUse[0].paralel: unknown key",
            "W 3 PreToolUse[0].hooks[0].statusMessage: unknown key",
            "W 4 PreToolUse[0].hooks[0].tiemout: unknown key",
        ]
    );
    assert_eq!(
        layer.problems[2].hint.as_deref(),
        Some("did you mean `timeout`?")
    );
}
