//! Cursor's `hooks.json`.

use becket_agents::config::cursor;
use becket_model::{Action, Dialect, EventKind, MatchStyle, OnFailure};

use super::{clean, command, load, only, problem_lines, seconds, shown};

fn file(hooks: &str) -> String {
    format!(r#"{{"version": 1, "hooks": {{{hooks}}}}}"#)
}

#[test]
fn hooks_load_with_cursors_defaults() {
    let hook = only(clean(
        cursor,
        "{\n  \"version\": 1, // the only one\n  \"hooks\": {\n    \"preToolUse\": [\n      {\"command\": \".cursor/hooks/guard.sh\"}\n    ]\n  }\n}",
    ));
    assert_eq!(hook.dialect, Dialect::Cursor);
    assert_eq!(hook.event, EventKind::PreToolUse);
    assert_eq!(hook.native_event, None);
    assert_eq!(hook.action, command(".cursor/hooks/guard.sh"));
    assert_eq!(hook.timeout, seconds(60));
    assert_eq!(hook.on_failure, None);
    assert_eq!(
        (hook.source.line, hook.source.key.as_str()),
        (5, "hooks.preToolUse[0]")
    );
}

#[test]
fn every_key_is_read() {
    let hooks = clean(
        cursor,
        &file(
            r#""preToolUse": [
                {"type": "command", "command": "x", "matcher": "Shell|^Write$", "timeout": 2.5, "failClosed": true},
                {"type": "prompt", "prompt": "safe? $ARGUMENTS", "model": "fast"},
                {"prompt": "the key implies the type"},
                {"command": "y", "loop_limit": null, "failClosed": false}
            ]"#,
        ),
    );
    assert_eq!(hooks[0].matcher.style(), MatchStyle::Search);
    assert!(hooks[0].matcher.matches("Shell") && !hooks[0].matcher.matches("MyWrite"));
    assert_eq!(hooks[0].timeout.as_millis(), 2500);
    assert_eq!(hooks[0].on_failure, Some(OnFailure::Deny));
    assert_eq!(
        hooks[1].action,
        Action::Prompt {
            prompt: "safe? $ARGUMENTS".into(),
            model: Some("fast".into()),
        }
    );
    assert_eq!(hooks[2].action.kind(), "prompt");
    assert_eq!(hooks[3].on_failure, None);
}

#[test]
fn every_event_is_known_and_specific_ones_keep_their_names() {
    for (name, kinds, native) in [
        ("sessionStart", &[EventKind::SessionStart][..], false),
        ("sessionEnd", &[EventKind::SessionEnd], false),
        ("beforeSubmitPrompt", &[EventKind::UserPromptSubmit], false),
        ("preToolUse", &[EventKind::PreToolUse], false),
        ("postToolUse", &[EventKind::PostToolUse], false),
        (
            "postToolUseFailure",
            &[EventKind::PostToolUseFailure],
            false,
        ),
        ("beforeShellExecution", &[EventKind::PreToolUse], true),
        (
            "afterShellExecution",
            &[EventKind::PostToolUse, EventKind::PostToolUseFailure],
            true,
        ),
        ("beforeMCPExecution", &[EventKind::PreToolUse], true),
        (
            "afterMCPExecution",
            &[EventKind::PostToolUse, EventKind::PostToolUseFailure],
            true,
        ),
        ("beforeReadFile", &[EventKind::PreToolUse], true),
        ("afterFileEdit", &[EventKind::FileModified], false),
        ("subagentStart", &[EventKind::SubagentStart], false),
        ("subagentStop", &[EventKind::SubagentStop], false),
        ("preCompact", &[EventKind::PreCompact], false),
        ("stop", &[EventKind::Stop], false),
        ("afterAgentResponse", &[EventKind::AgentResponse], false),
        ("afterAgentThought", &[EventKind::AgentThought], false),
        ("workspaceOpen", &[EventKind::Setup], false),
        (
            "beforeTabFileRead",
            &[EventKind::Other("beforeTabFileRead".into())],
            false,
        ),
    ] {
        let found = clean(cursor, &file(&format!(r#""{name}": [{{"command": "x"}}]"#)));
        let events: Vec<_> = found.iter().map(|hook| hook.event.clone()).collect();
        assert_eq!(events, kinds, "{name}");
        for hook in found {
            assert_eq!(
                hook.native_event.as_deref(),
                native.then_some(name),
                "{name}"
            );
        }
    }
}

#[test]
fn cursor_file_errors_are_reported_and_break_one_entry_only() {
    let layer = load(
        cursor,
        "{\"hooks\": {\n\
         \"preToolUse\": [{\"command\": \"one\"}, {\"command\": \"x\", \"matcher\": \"[\", \"failClosed\": true}, {}, 5],\n\
         \"PreToolUse\": [{\"command\": \"two\"}],\n\
         \"beforeshell\": [{\"command\": \"three\"}],\n\
         \"stop\": {\"command\": \"x\"}\n\
         }, \"stop_hook_loop_limit\": 3}",
    );
    let problem_lines = problem_lines(&layer);
    assert_eq!(
        problem_lines
            .iter()
            .filter(|problem_lines| !problem_lines.contains("regex"))
            .collect::<Vec<_>>(),
        [
            "W 1 : missing `version`",
            "W 6 stop_hook_loop_limit: is obsolete",
            "E 2 hooks.preToolUse[2]: missing `command`",
            "E 2 hooks.preToolUse[3]: expected a hook, found a number",
            "W 3 hooks.PreToolUse: `PreToolUse` is not an event of Cursor",
            "W 4 hooks.beforeshell: `beforeshell` is not an event of Cursor",
            "E 5 hooks.stop: expected an array of hooks, found an object",
        ]
    );
    assert_eq!(
        layer.problems[5].hint.as_deref(),
        Some("write `preToolUse`")
    );
    assert_eq!(
        shown(&layer.hooks),
        [
            "2 PreToolUse [] command `one` 60s",
            "3 PreToolUse [] command `two` 60s",
            "4 beforeshell [] command `three` 60s",
        ]
    );
    let broken: Vec<_> = layer.broken.iter().map(|b| b.on_failure).collect();
    assert_eq!(broken[0], OnFailure::Deny, "a closed hook stays closed");
    assert_eq!(broken.len(), 4);
}

#[test]
fn ineffective_hooks_are_reported() {
    for (hooks, expected) in [
        (
            r#""stop": [{"command": "x", "matcher": "Bash"}]"#,
            "hooks.stop[0].matcher: never matches: Cursor compares it with `Stop`",
        ),
        (
            r#""sessionStart": [{"command": "x", "matcher": "startup"}]"#,
            "hooks.sessionStart[0].matcher: has no effect on `SessionStart`, which has nothing to match: the hook always runs",
        ),
        (
            r#""preToolUse": [{"command": "curl https://example.org"}]"#,
            "hooks.preToolUse[0].command: Cursor treats `//` as a comment, even inside a string",
        ),
        (
            r#""stop": [{"command": "x", "loop_limit": 3}]"#,
            "hooks.stop[0].loop_limit: is ignored",
        ),
    ] {
        let layer = load(cursor, &file(hooks));
        assert_eq!(problem_lines(&layer), [format!("W 1 {expected}")]);
        assert_eq!(layer.hooks.len(), 1);
    }
    let escaped = r#""preToolUse": [{"command": "curl https:\/\/example.org"}]"#;
    assert_eq!(
        only(clean(cursor, &file(escaped))).action,
        command("curl https://example.org")
    );
}

#[test]
fn own_entries_are_skipped() {
    let hooks = clean(
        cursor,
        &file(
            r#""preToolUse": [{"command": "becket hook preToolUse --agent cursor"}, {"command": "mine"}]"#,
        ),
    );
    assert_eq!(only(hooks).action, command("mine"));
}
