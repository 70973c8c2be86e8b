//! What each agent's entries look like, and how broken ones are detected.

use becket_agents::install::{InstallScope, StaleReason};
use serde_json::{Value, json};

use super::agents::{BINARY, agent, all_there, comes_and_goes, files};

/// The entry that an install writes for one event, as JSON at a pointer into a new file.
#[track_caller]
fn writes(id: &str, file: &str, pointer: &str, expected: Value) {
    let agent = agent(id);
    let file = files(agent).into_iter().find(|f| f.path == file).unwrap();
    let created = agent.plan_install(&file, None, BINARY).unwrap();
    let root: Value = serde_json::from_str(&created.text).unwrap();
    assert_eq!(root.pointer(pointer), Some(&expected), "{root:#}");
}

#[test]
fn entries_are_written_as_each_agent_expects_them() {
    let line = |event: &str, id: &str| format!("{BINARY} hook {event} --agent {id}");
    let nested = |event: &str, id: &str, timeout: u64| json!([{ "hooks": [{ "type": "command", "command": line(event, id), "timeout": timeout }] }]);
    writes(
        "claude",
        "settings.json",
        "/hooks/PreToolUse",
        json!([{ "hooks": [{ "type": "command", "command": line("PreToolUse", "claude") }] }]),
    );
    writes(
        "codex",
        "hooks.json",
        "/hooks/PreToolUse",
        json!([{ "hooks": [{ "type": "command", "command": line("PreToolUse", "codex") }] }]),
    );
    writes(
        "codex",
        "hooks.json",
        "/hooks/SessionEnd",
        nested("SessionEnd", "codex", 3),
    );
    writes(
        "gemini",
        ".gemini/settings.json",
        "/hooks/BeforeTool",
        nested("BeforeTool", "gemini", 600_000),
    );
    writes(
        "qwen",
        ".qwen/settings.json",
        "/hooks/PreToolUse",
        nested("PreToolUse", "qwen", 600_000),
    );
    writes(
        "droid",
        ".factory/settings.json",
        "/hooks/PreToolUse",
        nested("PreToolUse", "droid", 600),
    );
    writes(
        "droid",
        ".factory/hooks.json",
        "/PreToolUse",
        nested("PreToolUse", "droid", 600),
    );
    let mut augment = nested("PromptSubmit", "augment", 600_000);
    augment[0]["metadata"] = json!({ "includeConversationData": true, "includeMCPMetadata": true });
    writes(
        "augment",
        ".augment/settings.json",
        "/hooks/PromptSubmit",
        augment,
    );
    writes(
        "goose",
        ".agents/plugins/becket/hooks/hooks.json",
        "/hooks/Stop",
        nested("Stop", "goose", 600),
    );
    writes(
        "copilot",
        ".github/hooks/becket.json",
        "",
        json!({
            "hooks": copilot_hooks(),
            "version": 1,
        }),
    );
    writes(
        "cursor",
        ".cursor/hooks.json",
        "/hooks/beforeShellExecution",
        json!([{ "command": line("beforeShellExecution", "cursor"), "timeout": 600 }]),
    );
    writes("cursor", ".cursor/hooks.json", "/version", json!(1));
    writes(
        "windsurf",
        ".windsurf/hooks.json",
        "/hooks/pre_run_command",
        json!([{ "command": line("pre_run_command", "windsurf") }]),
    );
    writes(
        "crush",
        "crush.json",
        "",
        json!({ "hooks": { "PreToolUse": [{ "command": line("PreToolUse", "crush"), "timeout": 600 }] } }),
    );
    writes(
        "kiro",
        ".kiro/hooks/becket.json",
        "/hooks/3",
        json!({
            "name": "becket-PreToolUse",
            "trigger": "PreToolUse",
            "action": { "type": "command", "command": line("PreToolUse", "kiro") },
            "timeout": 600,
        }),
    );
    writes("kiro", ".kiro/hooks/becket.json", "/version", json!("v1"));
    writes(
        "autohand",
        "config.json",
        "/hooks/hooks/0",
        json!({
            "event": "pre-tool",
            "command": line("pre-tool", "autohand"),
            "description": "Becket",
            "timeout": 600_000,
        }),
    );
}

fn copilot_hooks() -> Value {
    let events = agent("copilot").events();
    let entry = |event: &&str| {
        let line = format!("{BINARY} hook {event} --agent copilot");
        let handler = json!([{ "type": "command", "bash": line, "timeoutSec": 600 }]);
        ((*event).to_owned(), handler)
    };
    Value::Object(events.iter().map(entry).collect())
}

#[test]
fn goose_keeps_becket_in_a_directory_that_goes_with_it() {
    for scope in [InstallScope::User, InstallScope::Project] {
        let [file] = agent("goose").files(scope) else {
            panic!("one file");
        };
        let directory = file.own_dir.unwrap();
        assert!(file.path.starts_with(&format!("{directory}/")));
    }
}

#[test]
fn entries_that_the_agent_would_not_run_are_replaced() {
    let check = |id: &str, text: &Value, expected: StaleReason| {
        let agent = agent(id);
        let file = files(agent)[0];
        let text = text.to_string();
        let entries = agent.installed(&file, &text);
        assert_eq!(entries[0].stale, Some(expected), "{id}");
        let edit = agent.plan_install(&file, Some(&text), BINARY).unwrap();
        all_there(agent, &file, &edit.text, BINARY);
        assert_eq!(edit.updated, [entries[0].event.as_str()]);
    };
    let off = json!({ "hooks": { "hooks": [{ "event": "stop", "enabled": false,
        "command": "becket hook stop --agent autohand" }] } });
    let json_config = agent("autohand").files(InstallScope::User)[0]
        .candidates()
        .last()
        .unwrap();
    assert_eq!(json_config.name(), "config.json");
    let stale = agent("autohand").installed(&json_config, &off.to_string())[0].stale;
    assert_eq!(stale, Some(StaleReason::Unusable));
    check(
        "kiro",
        &json!({ "version": "v1", "hooks": [{ "trigger": "Stop", "enabled": false,
            "action": { "type": "command", "command": "becket hook Stop --agent kiro" } }] }),
        StaleReason::Unusable,
    );
    check(
        "gemini",
        &json!({ "hooks": { "BeforeTool": [{ "hooks": [{ "command": "becket hook BeforeTool --agent gemini" }] }] } }),
        StaleReason::Unusable,
    );
    check(
        "cursor",
        &json!({ "version": 1, "hooks": { "stop": [{ "type": "prompt", "command": "becket hook stop --agent cursor" }] } }),
        StaleReason::Unusable,
    );
}

#[test]
fn a_matcher_on_our_entry_is_reported() {
    let check = |id: &str, hooks: Value, expected: Option<StaleReason>| {
        let agent = agent(id);
        let text = json!({ "hooks": hooks }).to_string();
        assert_eq!(
            agent.installed(&files(agent)[0], &text)[0].stale,
            expected,
            "{text}"
        );
    };
    let nested = |event: &str, id: &str, matcher: &str, timeout: u64| {
        let command = format!("{BINARY} hook {event} --agent {id}");
        json!({ event: [{ "matcher": matcher,
            "hooks": [{ "type": "command", "command": command, "timeout": timeout }] }] })
    };
    check(
        "gemini",
        nested("BeforeTool", "gemini", "x", 600_000),
        Some(StaleReason::Restricted),
    );
    check("gemini", nested("BeforeTool", "gemini", "*", 600_000), None);
    check(
        "gemini",
        nested("BeforeAgent", "gemini", "x", 600_000),
        None,
    );
    check(
        "gemini",
        nested("BeforeAgent", "gemini", "x", 5),
        Some(StaleReason::Edited),
    );
    check("goose", nested("PreToolUse", "goose", ".*", 600), None);
    check(
        "goose",
        nested("PreToolUse", "goose", "shell", 600),
        Some(StaleReason::Restricted),
    );
    let cursor = |matcher: Value| {
        json!({ "preToolUse": [{ "matcher": matcher, "timeout": 600,
            "command": format!("{BINARY} hook preToolUse --agent cursor") }] })
    };
    check(
        "cursor",
        cursor(json!("Shell")),
        Some(StaleReason::Restricted),
    );
    check("cursor", cursor(json!("*")), Some(StaleReason::Edited));
    check("cursor", cursor(json!("^(?!Shell$|MCP:)")), None);
}

#[test]
fn an_entry_from_before_there_was_a_matcher_gets_it() {
    let agent = agent("cursor");
    let file = &files(agent)[0];
    let command = format!("{BINARY} hook preToolUse --agent cursor");
    let old = json!({ "version": 1, "hooks": { "preToolUse": [{ "command": command, "timeout": 600 }] } });
    let edit = agent
        .plan_install(file, Some(&old.to_string()), BINARY)
        .unwrap();
    assert_eq!(edit.updated, ["preToolUse"]);
    let entries = agent.installed(file, &edit.text);
    assert!(entries.iter().all(|entry| entry.stale.is_none()));
    let again = agent.plan_install(file, Some(&edit.text), BINARY).unwrap();
    assert!(!again.changed, "{}", again.text);
}

#[test]
fn switches_that_stop_all_hooks_are_warned_about() {
    for (id, text) in [
        ("gemini", r#"{"hooksConfig": {"enabled": false}}"#),
        ("qwen", r#"{"disableAllHooks": true}"#),
        ("copilot", r#"{"version": 1, "disableAllHooks": true}"#),
        ("autohand", r#"{"hooks": {"enabled": false}}"#),
        ("droid", r#"{"hooks": {"hooksDisabled": true}}"#),
    ] {
        let agent = agent(id);
        let file = agent.files(InstallScope::User)[0].choose(|_| false);
        let edit = agent.plan_install(&file, Some(text), BINARY).unwrap();
        let [warning] = edit.warnings.as_slice() else {
            panic!("{id}: {:?}", edit.warnings);
        };
        assert!(warning.contains("runs no hooks"), "{warning}");
    }
}

#[test]
fn a_header_that_was_there_stays_and_one_that_we_wrote_goes() {
    let cursor = agent("cursor");
    let file = cursor.files(InstallScope::User)[0];
    for text in [
        "{\n  \"version\": 1\n}\n",
        "{\"version\":2}",
        "{}",
        "{\n  \"hooks\": {\"stop\": []},\n  \"version\": 1\n}\n",
    ] {
        comes_and_goes(cursor, &file, Some(text));
        let after = cursor.plan_install(&file, Some(text), BINARY).unwrap().text;
        let root: Value = serde_json::from_str(&after).unwrap();
        assert!(root["version"].is_u64());
    }
    let headless = r#"{"hooks": {"stop": [{"command": "x"}]}}"#;
    comes_and_goes(cursor, &file, Some(headless));
    let edit = cursor.plan_install(&file, Some(headless), BINARY).unwrap();
    assert!(
        edit.warnings[0].contains("`version` is not"),
        "{:?}",
        edit.warnings
    );

    let created = cursor.plan_install(&file, None, BINARY).unwrap().text;
    let value: Value = serde_json::from_str(&created).unwrap();
    let reprinted = serde_json::to_string_pretty(&value).unwrap();
    assert!(cursor.plan_uninstall(&file, &reprinted).unwrap().delete);
}
