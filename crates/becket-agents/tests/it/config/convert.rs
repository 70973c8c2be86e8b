//! Converting hooks to another dialect's file, and what is lost.

use std::time::Duration;

use becket_agents::config::{
    ConvertedFile, autohand, becket, code_agent, codex, convert, copilot, cursor, gemini, settings,
};
use becket_model::plan::passes;
use becket_model::{
    AgentId, Dialect, Event, EventData, EventKind, HookSpec, MatchStyle, Matcher, OnFailure,
    SessionId, ToolCall,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Load, clean, load};

fn reader(dialect: Dialect) -> Load {
    match dialect {
        Dialect::Becket => becket,
        Dialect::Claude | Dialect::ClaudeAgent => settings,
        Dialect::CodeAgent => code_agent,
        Dialect::Autohand => autohand,
        Dialect::Cursor => cursor,
        Dialect::Gemini => gemini,
        Dialect::Codex => codex,
        Dialect::Copilot => copilot,
    }
}

fn one(text: &str) -> Vec<HookSpec> {
    clean(becket, text)
}

fn file(hooks: &[HookSpec], to: Dialect) -> Value {
    serde_json::from_str(&convert(hooks, to).text).expect("JSON")
}

/// Losses of one hook, without its name.
fn lost(converted: &ConvertedFile) -> Vec<&str> {
    let mine = converted.lost.iter().filter_map(|lost| {
        let rest = lost.strip_prefix("hook `")?;
        rest.split_once("`: ").map(|(_, what)| what)
    });
    mine.collect()
}

const GUARD: &str = "[[hook]]\nname = 'guard'\nevent = 'PreToolUse'\nmatcher = 'Bash|Write'\ncommand = './guard.sh'\ntimeout = '5s'\n";

#[test]
fn a_plain_hook_is_written_as_each_agent_would_have_it() {
    let hooks = one(GUARD);
    for (to, expected) in [
        (
            Dialect::Claude,
            json!({ "hooks": { "PreToolUse": [{ "matcher": "Bash|Write", "hooks": [
                { "type": "command", "command": "./guard.sh", "timeout": 5 }] }] } }),
        ),
        (
            Dialect::CodeAgent,
            json!({ "hooks": { "PreToolUse": [{ "matcher": "^(Bash|Write)$", "hooks": [
                { "type": "command", "command": "./guard.sh", "name": "guard", "timeout": 5000 }] }] } }),
        ),
        (
            Dialect::ClaudeAgent,
            json!({ "hooks": { "preToolUse": { "guard":
                { "command": "./guard.sh", "timeout_secs": 5, "matcher": "^(Bash|Write)$" } } } }),
        ),
        (
            Dialect::Cursor,
            json!({ "version": 1, "hooks": { "preToolUse": [
                { "matcher": "^(Shell|Write)$", "type": "command", "command": "./guard.sh", "timeout": 5 }] } }),
        ),
        (
            Dialect::Gemini,
            json!({ "hooks": { "BeforeTool": [{ "matcher": "^(run_shell_command|write_file)$", "hooks": [
                { "type": "command", "command": "./guard.sh", "name": "guard", "timeout": 5000 }] }] } }),
        ),
        (
            Dialect::Codex,
            json!({ "hooks": { "PreToolUse": [{ "matcher": "Bash|apply_patch", "hooks": [
                { "type": "command", "command": "./guard.sh", "timeout": 5 }] }] } }),
        ),
        (
            Dialect::Copilot,
            json!({ "version": 1, "hooks": { "preToolUse": [
                { "matcher": "bash|create", "type": "command", "bash": "./guard.sh", "timeoutSec": 5 }] } }),
        ),
        (
            Dialect::Autohand,
            json!({ "hooks": { "enabled": true, "hooks": [
                { "event": "pre-tool", "matcher": "^(run_command|write_file)$", "command": "./guard.sh", "timeout": 5000 }] } }),
        ),
    ] {
        assert_eq!(file(&hooks, to), expected, "{to:?}");
    }
}

#[test]
fn beckets_own_file_loses_nothing() {
    let text = "[[hook]]\nname = \"a\"\nevent = \"PreToolUse\"\ntype = \"command\"\ncommand = \"x\"\ntimeout = \"5s\"\nonce = true\npriority = 3\ndialect = \"gemini\"\n";
    let converted = convert(&one(text), Dialect::Becket);
    assert_eq!(converted.text, text);
    assert_eq!(converted.lost, [""; 0]);
    let mut plugin = one(text);
    plugin[0].root = Some("/plugins/fmt".into());
    for to in [Dialect::Becket, Dialect::Gemini] {
        assert_eq!(
            lost(&convert(&plugin, to)).last(),
            Some(&"it is part of /plugins/fmt, whose files it would not find"),
            "{to:?}"
        );
    }
}

#[test]
fn inexpressible_properties_are_reported() {
    let hooks = one(
        "[[hook]]\nname = 'n'\nevent = 'PreToolUse'\nif = 'Bash(git *)'\nfilter = { tool = ['Write'], path = ['src/**'] }\n\
         command = 'x'\ntimeout = '1500ms'\nasync = true\nonce = true\npriority = 3\nsequential = true\non_failure = 'ask'\n",
    );
    for (to, expected) in [
        (
            Dialect::Claude,
            vec![
                "its path filter (src/**): it would run for all files",
                "its failure would block instead of asking",
                "its priority of 3",
                "Claude Code runs it in parallel with other hooks",
            ],
        ),
        (
            Dialect::Cursor,
            vec![
                "in Cursor, `Write` also covers Edit and ApplyPatch",
                "its `if` (Bash(git *)): it would run for more calls",
                "its path filter (src/**): it would run for all files",
                "`async`: Cursor would wait for it and apply its decision",
                "`once`: it would run every time",
                "its failure would block instead of asking",
                "its priority of 3",
                "Cursor runs it in parallel with other hooks",
            ],
        ),
        (
            Dialect::Codex,
            vec![
                "in Codex, `apply_patch` also covers Edit and Delete and ApplyPatch",
                "its timeout of 1.5s becomes 2s",
                "its `if` (Bash(git *)): it would run for more calls",
                "its path filter (src/**): it would run for all files",
                "`once`: it would run every time",
                "its failure would no longer block the action",
                "its priority of 3",
                "Codex runs it in parallel with other hooks",
            ],
        ),
        (
            Dialect::Autohand,
            vec![
                "its `if` (Bash(git *)): it would run for more calls",
                "`once`: it would run every time",
                "its failure would no longer block the action",
                "its priority of 3",
            ],
        ),
        (
            Dialect::Copilot,
            vec![
                "its timeout of 1.5s becomes 2s",
                "its `if` (Bash(git *)): it would run for more calls",
                "its path filter (src/**): it would run for all files",
                "`async`: Copilot would wait for it and apply its decision",
                "`once`: it would run every time",
                "its failure would block instead of asking",
                "its priority of 3",
            ],
        ),
    ] {
        let converted = convert(&hooks, to);
        assert_eq!(lost(&converted), expected, "{to:?}");
    }
    let filter = file(&hooks, Dialect::Autohand)["hooks"]["hooks"][0]["filter"].clone();
    assert_eq!(
        filter,
        json!({ "tool": ["write_file"], "path": ["src/**"] })
    );
    assert_eq!(
        file(&hooks, Dialect::Claude)["hooks"]["PreToolUse"][0]["matcher"],
        "Write"
    );
}

#[test]
fn unsupported_hooks_are_left_out_and_reported() {
    let hooks = one(
        "[[hook]]\nname = 'note'\nevent = 'Notification'\ncommand = 'x'\n\
         [[hook]]\nname = 'off'\nevent = 'Stop'\ncommand = 'x'\nenabled = false\n\
         [[hook]]\nname = 'net'\nevent = 'Stop'\nurl = 'https://h'\n\
         [[hook]]\nname = 'own'\nevent = 'PreToolUse'\nuse = 'security-guard'\n\
         [[hook]]\nname = 'kept'\nevent = 'Stop'\ncommand = 'x'\n",
    );
    let converted = convert(&hooks, Dialect::Cursor);
    assert_eq!(
        converted.lost[..4],
        [
            "hook `note`: left out: Cursor has no `Notification`",
            "hook `off`: left out: it is disabled, and the file format cannot express that",
            "hook `net`: left out: Cursor has no hooks of type `http`",
            "hook `own`: left out: Cursor has no hooks of type `builtin`",
        ]
    );
    let read = clean(cursor, &converted.text);
    assert_eq!(read.len(), 1);
    let looking =
        one("[[hook]]\nname = 'l'\nevent = 'PreToolUse'\nmatcher = '^(?!mcp__)'\ncommand = 'x'\n");
    assert_eq!(
        lost(&convert(&looking, Dialect::Codex)).last(),
        Some(&"left out: Codex does not support look-around in `^(?!mcp__)`")
    );
    let lists = one(
        "[[hook]]\nname = 's'\nevent = 'SessionStart'\nmatcher = 'startup|resume'\ncommand = 'x'\n",
    );
    let groups = &file(&lists, Dialect::Gemini)["hooks"]["SessionStart"];
    assert_eq!(
        (&groups[0]["matcher"], &groups[1]["matcher"]),
        (&json!("startup"), &json!("resume"))
    );
}

#[test]
fn disabled_hook_stays_disabled_if_the_format_supports_it() {
    let hooks = one("[[hook]]\nname = 'off'\nevent = 'Stop'\ncommand = 'x'\nenabled = false\n");
    for to in [Dialect::Autohand, Dialect::CodeAgent, Dialect::Gemini] {
        let converted = convert(&hooks, to);
        let read = load(reader(to), &converted.text);
        assert_eq!(read.problems, [], "{}", converted.text);
        let enabled: Vec<_> = read.hooks.iter().map(|hook| hook.enabled).collect();
        assert_eq!(enabled, [false], "{to:?}");
    }
}

#[test]
fn changed_exit_codes_are_reported() {
    let from = |dialect: Dialect| {
        one(&format!(
            "[[hook]]\nname = 'n'\nevent = 'PreToolUse'\ncommand = 'x'\ndialect = '{}'\n",
            dialect.name()
        ))
    };
    let problem_lines = |dialect: Dialect, to: Dialect, what: &str| {
        let lost = convert(&from(dialect), to).lost;
        lost.iter().any(|lost| lost.ends_with(what))
    };
    let one_blocks = "exit code 1 no longer blocks; exit with 2 and print the reason to stderr";
    for (dialect, to, expected) in [
        (Dialect::CodeAgent, Dialect::Claude, true),
        (Dialect::CodeAgent, Dialect::Gemini, true),
        (Dialect::ClaudeAgent, Dialect::Autohand, true),
        (Dialect::Copilot, Dialect::Codex, true),
        (Dialect::CodeAgent, Dialect::Copilot, false),
        (Dialect::Claude, Dialect::Cursor, false),
    ] {
        assert_eq!(
            problem_lines(dialect, to, one_blocks),
            expected,
            "{dialect:?} {to:?}"
        );
    }
    let words = "exit code 2 blocks only with a reason on stderr";
    assert!(problem_lines(Dialect::Claude, Dialect::Codex, words));
    assert!(!problem_lines(Dialect::Codex, Dialect::Gemini, words));
    assert!(problem_lines(
        Dialect::Claude,
        Dialect::Copilot,
        "every exit code but 0 blocks in Copilot, even if the hook itself failed"
    ));
    assert!(problem_lines(
        Dialect::Claude,
        Dialect::Gemini,
        "`allow` before a tool does not skip the permission prompt"
    ));
    assert!(problem_lines(
        Dialect::Claude,
        Dialect::Cursor,
        "a hook that prints nothing counts as failed; print `{}`"
    ));
    assert_eq!(
        convert(&from(Dialect::Gemini), Dialect::Gemini).lost,
        [""; 0]
    );
}

#[test]
fn fail_closed_is_kept_or_the_loss_is_reported() {
    let hooks = one(
        "[[hook]]\nname = 'n'\nevent = 'PreToolUse'\ncommand = 'x'\ndialect = 'claude-agent'\n",
    );
    for (to, key, value) in [
        (Dialect::Claude, "onFailure", json!("block")),
        (Dialect::Cursor, "failClosed", json!(true)),
    ] {
        let text = file(&hooks, to).to_string();
        assert!(text.contains(&format!("\"{key}\":{value}")), "{text}");
        let read = clean(reader(to), &convert(&hooks, to).text);
        assert_eq!(read[0].on_failure, Some(OnFailure::Deny), "{to:?}");
    }
    assert_eq!(
        lost(&convert(&hooks, Dialect::Gemini)),
        ["its failure would no longer block the action"]
    );
    assert_eq!(lost(&convert(&hooks, Dialect::Copilot)), [""; 0]);
}

#[test]
fn merged_event_is_written_once_and_extra_coverage_is_reported() {
    let text =
        "[[hook]]\nname = 'n'\nevent = ['PostToolUse', 'PostToolUseFailure']\ncommand = 'x'\n";
    for (to, event) in [
        (Dialect::Gemini, "AfterTool"),
        (Dialect::Autohand, "post-tool"),
    ] {
        let both = convert(&one(text), to);
        assert_eq!(lost(&both), [""; 0], "{to:?}");
        assert_eq!(both.text.matches(event).count(), 1, "{}", both.text);
        assert_eq!(clean(reader(to), &both.text).len(), 2);
        let half = convert(&one(text)[..1], to);
        assert_eq!(
            lost(&half),
            [format!("`{event}` also covers `PostToolUseFailure`")]
        );
    }
}

#[test]
fn cursors_specific_events_become_matchers_in_other_dialects() {
    let hooks = clean(
        cursor,
        r#"{"version": 1, "hooks": {"beforeShellExecution": [{"command": "x", "matcher": "git push"}], "beforeReadFile": [{"command": "y"}]}}"#,
    );
    let claude = file(&hooks, Dialect::Claude);
    assert_eq!(claude["hooks"]["PreToolUse"][0]["matcher"], "Bash");
    assert_eq!(claude["hooks"]["PreToolUse"][1]["matcher"], "Read");
    assert!(lost(&convert(&hooks, Dialect::Claude)).contains(
        &"its matcher tests the command line (git push): it would run for every command"
    ));
    let home = convert(&hooks, Dialect::Cursor);
    assert_eq!(home.lost, [""; 0]);
    let read = clean(cursor, &home.text);
    assert_eq!(
        read[0].native_event.as_deref(),
        Some("beforeShellExecution")
    );
    assert_eq!(read[0].matcher.pattern(), "git push");
}

#[test]
fn variables_and_directories_go_into_the_command_where_there_is_no_key_for_them() {
    let hooks =
        one("[[hook]]\nevent = 'Stop'\ncommand = './x'\nenv = { A = \"it's\" }\ncwd = 'my dir'\n");
    let command = |to: Dialect, pointer: &str| {
        let file = file(&hooks, to);
        file.pointer(pointer)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    assert_eq!(
        command(Dialect::Claude, "/hooks/Stop/0/hooks/0/command").as_deref(),
        Some(r"export A='it'\''s'; cd 'my dir' && ./x")
    );
    assert_eq!(
        command(Dialect::Gemini, "/hooks/AfterAgent/0/hooks/0/command").as_deref(),
        Some("cd 'my dir' && ./x")
    );
    assert_eq!(
        command(Dialect::Copilot, "/hooks/agentStop/0/cwd").as_deref(),
        Some("my dir")
    );
    let exec = one("[[hook]]\nevent = 'Stop'\ncommand = '/bin/x'\nargs = ['a b', '$HOME']\n");
    assert_eq!(
        file(&exec, Dialect::Codex)["hooks"]["Stop"][0]["hooks"][0]["command"],
        "/bin/x 'a b' '$HOME'"
    );
}

#[test]
fn a_cursor_file_has_nothing_that_cursor_takes_for_a_comment() {
    let hooks = one("[[hook]]\nevent = 'Stop'\ncommand = 'curl https://x//y /* z */'\n");
    let text = convert(&hooks, Dialect::Cursor).text;
    assert!(!text.contains("//") && !text.contains("/*"), "{text}");
    assert_eq!(
        clean(cursor, &text)[0].action.summary(),
        "curl https://x//y /* z */"
    );
}

#[test]
fn regex_matchers_are_kept_and_reported() {
    let hooks =
        one("[[hook]]\nname = 'n'\nevent = 'PreToolUse'\nmatcher = 'Ba.h'\ncommand = 'x'\n");
    let gemini = convert(&hooks, Dialect::Gemini);
    assert_eq!(
        lost(&gemini),
        ["its matcher is a regular expression, and Gemini CLI has other names for tools: Ba.h"]
    );
    assert_eq!(lost(&convert(&hooks, Dialect::CodeAgent)), [""; 0]);
    let copilot = file(&hooks, Dialect::Copilot);
    assert_eq!(copilot["hooks"]["preToolUse"][0]["matcher"], ".*(?:Ba.h).*");
    let search = one(
        "[[hook]]\nevent = 'PreToolUse'\nmatcher = 'Edit'\ncommand = 'x'\ndialect = 'code-agent'\n",
    );
    assert_eq!(
        file(&search, Dialect::Claude)["hooks"]["PreToolUse"][0]["matcher"],
        "(?:Edit)"
    );
}

/// Tool calls as several agents name them.
fn calls() -> Vec<ToolCall> {
    let path =
        json!({ "file_path": "src/a.rs", "content": "", "old_string": "", "new_string": "" });
    let command = json!({ "command": "git push" });
    [
        ("Bash", &command),
        ("run_shell_command", &command),
        ("Write", &path),
        ("Edit", &path),
        ("Read", &path),
        ("delete_path", &path),
        (
            "apply_patch",
            &json!({ "command": "*** Add File: src/a.rs\n" }),
        ),
        ("Grep", &json!({ "pattern": "x" })),
        ("WebFetch", &json!({ "url": "https://x" })),
        ("mcp__github__search", &json!({})),
    ]
    .into_iter()
    .map(|(name, input)| ToolCall::new(name, input.clone()))
    .collect()
}

fn events(kind: &EventKind) -> Vec<Event> {
    let event = |data| Event::new(AgentId::new("other"), SessionId::new("s"), data);
    let calls = || calls().into_iter();
    match kind {
        EventKind::PreToolUse => calls()
            .map(|call| event(EventData::PreToolUse { call }))
            .collect(),
        EventKind::PermissionRequest => calls()
            .map(|call| event(EventData::PermissionRequest { call }))
            .collect(),
        EventKind::PostToolUse => calls()
            .map(|call| {
                event(EventData::PostToolUse {
                    call,
                    response: Value::Null,
                    duration_ms: None,
                })
            })
            .collect(),
        EventKind::SessionStart => ["startup", "resume", "clear"]
            .map(|source| {
                event(EventData::SessionStart {
                    source: Some(source.into()),
                })
            })
            .to_vec(),
        EventKind::SubagentStop => ["explore", "plan"]
            .map(|kind| {
                event(EventData::SubagentStop {
                    id: "a".into(),
                    kind: kind.into(),
                    active: false,
                    success: true,
                    error: None,
                    last_message: None,
                })
            })
            .to_vec(),
        _ => vec![event(EventData::Stop {
            active: false,
            last_message: None,
        })],
    }
}

fn plain_hook() -> impl Strategy<Value = HookSpec> {
    let event = prop::sample::select(vec![
        EventKind::PreToolUse,
        EventKind::PermissionRequest,
        EventKind::PostToolUse,
        EventKind::SessionStart,
        EventKind::SubagentStop,
        EventKind::Stop,
    ]);
    let names = prop::sample::select(vec![
        "",
        "*",
        "Bash",
        "Write",
        "Edit|Write|ApplyPatch|Delete",
        "Bash, Read",
        "mcp__github__search|Grep",
        "startup",
        "startup|resume",
        "explore",
        "my-tool",
    ]);
    let command = "[a-z./ '\"$]{0,10}[a-z]";
    let timeout = prop_oneof![1..900_000_u64, (1..900_u64).prop_map(|s| s * 1000)];
    (event, names, command, timeout).prop_map(|(event, pattern, command, timeout)| {
        let source = becket_model::HookSource {
            level: becket_model::Level::User,
            file: "f".into(),
            line: 1,
            key: "hook[0]".into(),
        };
        let mut hook = HookSpec::command("n", Dialect::Becket, event, command, source);
        hook.matcher = Matcher::parse(pattern, MatchStyle::Names).expect("a list of names");
        hook.timeout = Duration::from_millis(timeout);
        hook
    })
}

proptest! {
    /// From Becket to any dialect and back: event, command and timeout are kept, and the matcher matches
    /// the same; a difference is reported.
    #[test]
    fn expressible_properties_survive_a_round_trip(hook in plain_hook(), to in prop::sample::select(Dialect::ALL.to_vec())) {
        let converted = convert(std::slice::from_ref(&hook), to);
        let lost = lost(&converted);
        let layer = load(reader(to), &converted.text);
        prop_assert!(layer.broken.is_empty(), "{}\n{:?}", converted.text, layer.problems);
        if lost.iter().any(|lost| lost.starts_with("left out")) {
            prop_assert!(layer.hooks.is_empty());
            return Ok(());
        }
        let back: Vec<_> = layer.hooks.iter().filter(|back| back.event == hook.event).collect();
        prop_assert!(!back.is_empty(), "{}", converted.text);
        let rounded = lost.iter().any(|lost| lost.starts_with("its timeout"));
        for back in &back {
            prop_assert_eq!(&back.action, &hook.action, "{}", converted.text);
            let near = back.timeout >= hook.timeout && back.timeout < hook.timeout + Duration::from_secs(1);
            prop_assert!(back.timeout == hook.timeout || (rounded && near), "{:?}", back.timeout);
            prop_assert_eq!(back.dialect, to);
        }
        let wider = lost.iter().any(|lost| lost.contains("also covers") || lost.contains("every such event") || lost.contains("another server"));
        for event in events(&hook.event) {
            let (before, after) = (passes(&hook, &event), back.iter().any(|back| passes(back, &event)));
            let kept = before == after || (wider && after);
            prop_assert!(kept, "{to:?} {:?}: {before} became {after}\n{}", event.call(), converted.text);
        }
    }

    /// For any hooks, the reader accepts the text, and no hook is dropped silently.
    #[test]
    fn any_hooks_give_a_file_that_can_be_read(hooks in prop::collection::vec(super::laws::hook(), 0..4), to in prop::sample::select(Dialect::ALL.to_vec())) {
        let converted = convert(&hooks, to);
        let layer = load(reader(to), &converted.text);
        prop_assert!(layer.broken.is_empty(), "{}\n{:?}", converted.text, layer.problems);
        let left_out = converted.lost.iter().filter(|lost| lost.contains("`: left out: ")).count();
        let found = layer.hooks.len();
        prop_assert!(found + left_out > 0 || hooks.is_empty(), "{}", converted.text);
        let off = hooks.iter().all(|hook| !hook.enabled);
        prop_assert!(!off || layer.hooks.iter().all(|hook| !hook.enabled), "{}", converted.text);
    }
}
