//! Hooks across agents: a file written for one agent, an event fired by another.

use becket_agents::config::{autohand, codex, copilot, cursor, gemini};
use becket_agents::contract::{EventMetadata, stdin};
use becket_model::plan::{passes, select};
use becket_model::{AgentId, Event, EventData, EventKind, HookSpec, SessionId, ToolCall};
use serde_json::{Value, json};

use super::{Load, clean, only};

fn event(agent: &str, data: EventData) -> Event {
    let mut event = Event::new(AgentId::new(agent), SessionId::new("s"), data);
    event.cwd = Some("/w".into());
    event
}

fn before(agent: &str, tool: &str, input: Value) -> Event {
    let call = ToolCall::new(tool, input);
    event(agent, EventData::PreToolUse { call })
}

fn read(hook: &HookSpec, event: &Event) -> Value {
    let around = EventMetadata {
        event_id: "e",
        timestamp: "2026-08-23T10:11:12Z",
        project_dir: None,
    };
    serde_json::from_slice(&stdin(hook, event, &around)).expect("JSON")
}

const GUARDS: [(Load, &str, &str); 7] = [
    (
        autohand,
        r#"{"hooks": {"hooks": [{"event": "pre-tool", "command": "x", "matcher": "^(run_command|delete_path|write_file)$"}]}}"#,
        "/tool_name",
    ),
    (
        cursor,
        r#"{"version": 1, "hooks": {"preToolUse": [{"command": "x", "matcher": "^(Shell|Write|Delete)$"}]}}"#,
        "/tool_name",
    ),
    (
        gemini,
        r#"{"hooks": {"BeforeTool": [{"matcher": "run_shell_command|write_file|replace", "hooks": [{"type": "command", "command": "x"}]}]}}"#,
        "/tool_name",
    ),
    (
        codex,
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash|apply_patch", "hooks": [{"type": "command", "command": "x"}]}]}}"#,
        "/tool_name",
    ),
    (
        codex,
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash|Write", "hooks": [{"type": "command", "command": "x"}]}]}}"#,
        "",
    ),
    (
        copilot,
        r#"{"hooks": {"preToolUse": [{"bash": "x", "matcher": "bash|create|edit"}]}}"#,
        "/toolName",
    ),
    (
        copilot,
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash|Write", "hooks": [{"bash": "x"}]}]}}"#,
        "/tool_name",
    ),
];

#[test]
fn guards_of_every_dialect_match_shell_and_file_tools_of_every_agent() {
    for (reader, text, pointer) in GUARDS {
        let guard = only(clean(reader, text));
        for event in [
            before("claude", "Bash", json!({ "command": "rm -rf /" })),
            before("gemini", "run_shell_command", json!({ "command": "rm" })),
            before("opencode", "bash", json!({ "command": "rm" })),
            before(
                "claude",
                "Write",
                json!({ "file_path": "a", "content": "" }),
            ),
            before(
                "copilot",
                "create",
                json!({ "file_path": "a", "content": "" }),
            ),
        ] {
            assert!(passes(&guard, &event), "{text} {:?}", event.call());
            // The hook reads a tool name that its own matcher matches.
            if let Some(name) = read(&guard, &event)
                .pointer(pointer)
                .and_then(Value::as_str)
            {
                assert!(guard.matcher.matches(name), "{text} {name}");
            }
        }
        for event in [
            before("claude", "Read", json!({ "file_path": "a" })),
            before("gemini", "read_file", json!({ "file_path": "a" })),
            before("claude", "Grep", json!({ "pattern": "a" })),
            before("claude", "mcp__github__search", json!({})),
        ] {
            assert!(!passes(&guard, &event), "{text} {:?}", event.call());
        }
    }
}

#[test]
fn cursors_specific_events_run_for_their_own_calls_only() {
    let hooks = clean(
        cursor,
        r#"{"version": 1, "hooks": {
            "preToolUse": [{"command": "any"}],
            "beforeShellExecution": [{"command": "push", "matcher": "git push"}, {"command": "shell"}],
            "beforeReadFile": [{"command": "read"}],
            "beforeMCPExecution": [{"command": "mcp", "matcher": "^MCP:search$"}]
        }}"#,
    );
    let run = |event: &Event| -> Vec<String> {
        let plan = select(&hooks, event);
        plan.hooks().map(|hook| hook.action.summary()).collect()
    };
    let push = before("claude", "Bash", json!({ "command": "git push -f" }));
    assert_eq!(run(&push), ["any", "push", "shell"]);
    let list = before("claude", "Bash", json!({ "command": "ls" }));
    assert_eq!(run(&list), ["any", "shell"]);
    let view = before("claude", "Read", json!({ "file_path": "a" }));
    assert_eq!(run(&view), ["any", "read"]);
    let mcp = before("claude", "mcp__github__search", json!({}));
    assert_eq!(run(&mcp), ["any", "mcp"]);
}

#[test]
fn a_hook_after_tools_runs_after_good_and_bad_ones_alike() {
    for (reader, text) in [
        (
            autohand as Load,
            r#"{"hooks": {"hooks": [{"event": "post-tool", "command": "x", "matcher": "^run_command$"}]}}"#,
        ),
        (
            gemini,
            r#"{"hooks": {"AfterTool": [{"matcher": "run_shell_command", "hooks": [{"type": "command", "command": "x"}]}]}}"#,
        ),
        (
            cursor,
            r#"{"version": 1, "hooks": {"afterShellExecution": [{"command": "x", "matcher": "npm"}]}}"#,
        ),
    ] {
        let hooks = clean(reader, text);
        let call = || ToolCall::new("Bash", json!({ "command": "npm test" }));
        for data in [
            EventData::PostToolUse {
                call: call(),
                response: json!("ok"),
                duration_ms: None,
            },
            EventData::PostToolUseFailure {
                call: call(),
                error: "no".into(),
                interrupted: false,
                duration_ms: None,
            },
        ] {
            let plan = select(&hooks, &event("claude", data)).hooks().count();
            assert_eq!(plan, 1, "{text}");
        }
    }
}

#[test]
fn a_filter_on_files_finds_them_however_the_path_is_written() {
    let hook = only(clean(
        autohand,
        r#"{"hooks": {"hooks": [{"event": "file-modified", "command": "x", "filter": {"path": ["src/**/*.ts"]}}]}}"#,
    ));
    for (path, expected) in [
        ("src/a.ts", true),
        ("./src/a.ts", true),
        ("/w/src/deep/a.ts", true),
        ("src/.x/a.ts", true),
        ("/elsewhere/src/a.ts", false),
        ("lib/a.ts", false),
    ] {
        let data = EventData::FileModified {
            path: path.into(),
            change: None,
        };
        assert_eq!(passes(&hook, &event("claude", data)), expected, "{path}");
    }
}

#[test]
fn sequential_hooks_see_what_those_before_them_rewrote() {
    let hooks = clean(
        gemini,
        r#"{"hooks": {"BeforeTool": [{"sequential": true, "hooks": [
            {"type": "command", "command": "a"}, {"type": "command", "command": "b"}
        ]}]}}"#,
    );
    let event = before("claude", "Bash", json!({ "command": "x" }));
    assert_eq!(select(&hooks, &event).stages.len(), 2);
    assert_eq!(hooks[0].event, EventKind::PreToolUse);
}
