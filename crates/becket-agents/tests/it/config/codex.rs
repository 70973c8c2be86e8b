//! Codex's `hooks.json` and `config.toml`.

use becket_agents::config::codex;
use becket_model::{Action, Dialect, EventKind};
use serde_json::json;

use super::{clean, command, load, load_as, only, problem_lines, seconds, shown};

const FILE: &str = r#"{"description": "mine", "hooks": {
"PreToolUse": [{"matcher": "Bash|apply_patch", "hooks": [
  {"type": "command", "command": "./guard.sh", "commandWindows": "guard.cmd", "timeout": 5, "statusMessage": "checking", "additionalContextLimit": 0},
  {"type": "mcp_tool", "server": "policy", "tool": "check", "input": {"command": "${tool_input.command}"}},
  {"type": "command", "command": "./log.sh", "async": true}
]}]}}"#;

#[test]
fn hooks_load_with_codex_defaults() {
    let hooks = clean(codex, FILE);
    assert!(hooks.iter().all(|hook| hook.dialect == Dialect::Codex));
    assert_eq!(
        shown(&hooks),
        [
            "3 PreToolUse [Bash|apply_patch] command `./guard.sh` 5s",
            "4 PreToolUse [Bash|apply_patch] mcp_tool `policy:check` 600s",
            "5 PreToolUse [Bash|apply_patch] command `./log.sh` 600s",
        ]
    );
    assert_eq!(
        hooks[1].action,
        Action::McpTool {
            server: "policy".into(),
            tool: "check".into(),
            input: json!({ "command": "${tool_input.command}" }),
        }
    );
    assert!(hooks[2].is_async);
}

#[test]
fn the_same_in_toml_loads_the_same_beside_codex_other_settings() {
    let toml = r#"model = "gpt-5.5"
notify = ["x"]

[features]
hooks = true

[[hooks.PreToolUse]]
matcher = "Bash|apply_patch"
hooks = [
  { type = "command", command = "./guard.sh", timeout = 5 },
]

[hooks.state."/elsewhere/hooks.json:pre_tool_use:0:0"]
enabled = false
trusted_hash = "sha256:0"
"#;
    let layer = load_as(codex, "/w/config.toml", toml);
    assert_eq!(layer.problems, []);
    let hook = only(layer.hooks);
    assert!(hook.enabled);
    assert_eq!(hook.definition(), clean(codex, FILE)[0].definition());
    assert_eq!(
        (hook.source.line, hook.source.key.as_str()),
        (10, "hooks.PreToolUse[0].hooks[0]")
    );
}

#[test]
fn hooks_disabled_in_codex_stay_disabled() {
    let toml = "[[hooks.Stop]]\nhooks = [{ type = 'command', command = 'a' }, { type = 'command', command = 'b' }]\n[hooks.state.\"/w/config.toml:stop:0:1\"]\nenabled = false\n";
    let enabled = |text: &str| -> Vec<bool> {
        let layer = load_as(codex, "/w/config.toml", text);
        layer.hooks.iter().map(|hook| hook.enabled).collect()
    };
    assert_eq!(enabled(toml), [true, false]);
    assert_eq!(
        enabled(&format!("[features]\nhooks = false\n{toml}")),
        [false, false]
    );
}

#[test]
fn every_event_is_known() {
    for name in [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PermissionRequest",
        "PostToolUse",
        "PreCompact",
        "PostCompact",
        "SubagentStart",
        "SubagentStop",
        "Stop",
        "SessionEnd",
        "PreModelRequest",
        "PostModelRequest",
        "Interrupt",
    ] {
        let text = format!(
            r#"{{"hooks": {{"{name}": [{{"hooks": [{{"type": "command", "command": "x"}}]}}]}}}}"#
        );
        let hook = only(clean(codex, &text));
        assert_eq!(hook.event.name(), name);
        let last = matches!(name, "SessionEnd" | "Interrupt");
        assert_eq!(hook.timeout, seconds(if last { 1 } else { 600 }), "{name}");
    }
}

#[test]
fn session_end_hooks_are_synchronous_and_capped_at_three_seconds() {
    let layer = load(
        codex,
        r#"{"hooks": {"SessionEnd": [{"hooks": [{"type": "command", "command": "x", "timeout": 60, "async": true}]}]}}"#,
    );
    assert_eq!(
        problem_lines(&layer),
        [
            "W 1 hooks.SessionEnd[0].hooks[0]: Codex caps the timeout at 3 seconds on this event",
            "W 1 hooks.SessionEnd[0].hooks[0]: `async` has no effect: Codex waits for hooks on this event",
        ]
    );
    let hook = only(layer.hooks);
    assert_eq!((hook.timeout, hook.is_async), (seconds(3), false));
}

#[test]
fn matchers_are_lists_of_words_or_regular_expressions() {
    for (matcher, tool, expected) in [
        ("Edit", "MultiEdit", false),
        ("Edit|Bash", "Bash", true),
        ("mcp__memory", "mcp__memory__get", false),
        ("mcp__memory__.*", "mcp__memory__get", true),
        // A comma makes it a regular expression that matches nothing.
        ("Edit, Bash", "Bash", false),
        ("my-tool", "your-my-tool", true),
        ("*", "Bash", true),
    ] {
        let text = format!(
            r#"{{"hooks": {{"PreToolUse": [{{"matcher": "{matcher}", "hooks": [{{"type": "command", "command": "x"}}]}}]}}}}"#
        );
        let hook = only(clean(codex, &text));
        assert_eq!(hook.matcher.matches(tool), expected, "{matcher} on {tool}");
    }
}

#[test]
fn codex_file_errors_are_reported_and_break_one_entry_only() {
    let layer = load(
        codex,
        r#"{"version": 1, "hooks": {
"preToolUse": [{"hooks": [{"type": "command", "command": "one"}]}],
"PreToolUse": [{"hooks": [
  {"type": "http", "url": "https://x"},
  {"type": "command", "command": "two", "if": "Bash(git *)"}
]}],
"Stop": [{"matcher": "x", "hooks": [{"type": "command", "command": "three"}]}]
}}"#,
    );
    assert_eq!(
        problem_lines(&layer),
        [
            "W 1 version: unknown key",
            "W 2 hooks.preToolUse: `preToolUse` is not an event of Codex",
            "W 4 hooks.PreToolUse[0].hooks[0].url: unknown key",
            "E 4 hooks.PreToolUse[0].hooks[0].type: unknown hook type `http`",
            "W 5 hooks.PreToolUse[0].hooks[1].if: unknown key",
            "W 7 hooks.Stop[0].matcher: has no effect on `Stop`, which has nothing to match: the hook always runs",
        ]
    );
    assert_eq!(layer.hooks.len(), 3);
    assert_eq!(layer.hooks[0].event, EventKind::PreToolUse);
    assert_eq!(layer.hooks[2].action, command("three"));
}
