//! Becket's entries in Claude Code's settings: install and uninstall change nothing else.

mod agents;
mod autohand;
mod codex;
mod documents;
mod generated;
mod paths;
mod strict;
mod written;

use becket_agents::claude::install::{
    EVENTS, Install, StaleReason, installed, plan_install, plan_uninstall,
};
use becket_agents::edit::{FileEdit, JsonDocument, TextPosition};
use proptest::prelude::*;
use serde_json::{Value, json};

use documents::settings;

const BINARY: &str = "/usr/local/bin/becket";

/// Settings without Becket.
const SETTINGS: &[&str] = &[
    "",
    "\n",
    "   ",
    "\u{feff}",
    "// nothing yet\n",
    "// nothing yet",
    "{}",
    "{}\n",
    "{ }",
    "{\n}\n",
    "{\r\n}\r\n",
    "\u{feff}{}\r\n",
    "\n\n  {}  \n",
    "{ // nothing yet\n}\n",
    "{/* nothing yet */}",
    r#"{"hooks":{}}"#,
    r#"{"hooks":{},"model":"opus"}"#,
    r#"{"model":"opus","hooks":{"Stop":[]}}"#,
    r#"{"hooks": {"Stop": [ ], "PreToolUse": []}}"#,
    "{\n  \"hooks\": {\"Stop\": [ ], \"PreToolUse\": []}\n}\n",
    "{\n  \"hooks\": {}\n}\n",
    "{\n  \"hooks\": {\n  }\n}\n",
    "{\n  \"hooks\": {\n    \"PreToolUse\": [],\n    \"Stop\": [\n    ]\n  }\n}\n",
    "{\n  \"hooks\": {\n    // later\n  },\n}\n",
    "{\n  \"hooks\": {\n    \"Stop\": [\n      // later\n    ],\n  },\n}\n",
    r#"{"model":"opus","env":{"A":"1"}}"#,
    r#"{"model": "opus", "env": {"A": "1"}}"#,
    "{\n  \"model\": \"opus\"\n}\n",
    "{\n  \"model\": \"opus\"\n}",
    "{\n    \"model\": \"opus\",\n    \"env\": {\n        \"LANG\": \"日本語\"\n    }\n}\n",
    "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"Stop\": []\n\t}\n}\n",
    "{\r\n  \"model\": \"opus\",\r\n  \"hooks\": {\r\n    \"Stop\": []\r\n  }\r\n}\r\n",
    "{\n\"model\": \"opus\"\n}\n",
    "{\"model\": \"opus\",\n \"verbose\": true}",
    "// mine\n{\n  // the model\n  \"model\": \"opus\", // big\n  /* last */\n}\n// end\n",
    "{\n  \"model\": \"opus\" // big\n}\n",
    "{\n  \"model\": \"opus\", // big\n}\n",
    "{\n  \"model\": \"opus\" /* big */ , /* odd */\n}\n",
    r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"say done"}]}]}}"#,
    r#"{"hooks":{"Stop":[{"hooks":[]}],"Stop":[]},"hooks":{"Stop":[]}}"#,
    r#"{"hooks":{"preToolUse":{"lint":{"command":"./lint.sh","timeout_secs":5}}}}"#,
    r#"{"hooks":{"PreToolUse":["./lint.sh"],"FileChanged":"odd"}}"#,
    PROJECT,
    PERSONAL,
];

const PROJECT: &str = r#"{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "permissions": {
    "allow": ["Bash(npm run lint)", "Bash(npm run test:*)", "Read(~/.zshrc)"],
    "deny": ["Bash(curl:*)", "Read(./.env)", "Read(./secrets/**)"],
    "defaultMode": "acceptEdits"
  },
  "env": {
    "CLAUDE_CODE_ENABLE_TELEMETRY": "1",
    "OTEL_METRICS_EXPORTER": "otlp"
  },
  "statusLine": { "type": "command", "command": "~/.claude/statusline.sh", "padding": 0 },
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          {
            "type": "command",
            "command": "\"$CLAUDE_PROJECT_DIR\"/.claude/hooks/guard.py",
            "timeout": 10
          }
        ]
      }
    ],
    "PostToolUse": [
      {
        "matcher": "Edit|Write",
        "hooks": [
          { "type": "command", "command": "jq -r '.tool_input.file_path' | xargs npx prettier --write" }
        ]
      }
    ],
    "Notification": [{ "hooks": [{ "type": "command", "command": "notify-send 'Claude'" }] }]
  },
  "enabledPlugins": { "formatter@company-tools": true }
}
"#;

const PERSONAL: &str = "{\r\n\t// colours\r\n\t\"theme\": \"dark\",\r\n\t\"hooks\": {\r\n\t\t/* chime */\r\n\t\t\"Stop\": [\r\n\t\t\t{ \"hooks\": [ { \"type\": \"command\", \"command\": \"afplay done.aiff\" } ] }, // loud\r\n\t\t],\r\n\t},\r\n\t\"feedbackSurveyState\": { \"lastShownTime\": 1754000000000 },\r\n}";

fn install(existing: &str) -> FileEdit {
    plan_install(Some(existing), BINARY).unwrap()
}

#[track_caller]
fn comes_and_goes(existing: &str) {
    let after = install(existing);
    assert!(after.changed);
    assert_eq!(after.added, EVENTS);
    assert!(after.updated.is_empty() && after.removed.is_empty() && !after.delete);

    let again = install(&after.text);
    assert_eq!(again.text, after.text);
    assert!(!again.changed && again.added.is_empty() && again.updated.is_empty());

    assert_all_there(&after.text);

    let gone = plan_uninstall(&after.text).unwrap();
    assert_eq!(gone.text, existing, "after\n{}", after.text);
    assert!(gone.changed);
    assert_eq!(gone.delete, existing.is_empty());
    assert!(installed(&gone.text).is_empty());
}

#[track_caller]
fn assert_all_there(text: &str) {
    let entries = installed(text);
    for event in EVENTS {
        let mine: Vec<_> = entries
            .iter()
            .filter(|entry| entry.event == *event)
            .collect();
        let [entry] = mine.as_slice() else {
            panic!("{} entries for {event}", mine.len());
        };
        assert_eq!(
            entry.command,
            format!("{BINARY} hook {event} --agent claude")
        );
        assert_eq!(entry.binary.as_deref(), Some(BINARY));
        assert_eq!(entry.stale, None);
        let line = text.lines().nth(entry.line - 1).unwrap();
        assert!(
            line.contains(&format!("hook {event} --agent claude")),
            "{line}"
        );
    }
}

/// One group with these handlers under `Stop`, as an agent would print it.
fn stop(handlers: &Value) -> String {
    let settings = json!({ "hooks": { "Stop": [{ "hooks": handlers }] } });
    serde_json::to_string_pretty(&settings).unwrap()
}

fn handler(command: &str) -> Value {
    json!({ "type": "command", "command": command })
}

fn commands(text: &str, event: &str) -> Vec<String> {
    let entries = installed(text).into_iter();
    let mine = entries.filter(|entry| entry.event == event);
    mine.map(|entry| entry.command).collect()
}

fn only_stop(binary: &str, existing: &str) -> FileEdit {
    let install = Install {
        command: binary,
        events: &["Stop"],
    };
    install.plan(Some(existing)).unwrap()
}

#[test]
fn all_events_but_four_are_registered() {
    let mut events = EVENTS.to_vec();
    events.sort_unstable();
    events.dedup();
    assert_eq!(events.len(), 33 - 4);
    for left_out in [
        "WorktreeCreate",
        "WorktreeRemove",
        "FileChanged",
        "MessageDisplay",
    ] {
        assert!(!events.contains(&left_out));
    }
}

#[test]
fn install_then_uninstall_gives_back_every_byte() {
    for existing in SETTINGS {
        comes_and_goes(existing);
    }
}

#[test]
fn valid_json_stays_valid_json_with_the_same_foreign_settings() {
    for existing in SETTINGS {
        let Ok(before) = serde_json::from_str::<Value>(existing) else {
            continue;
        };
        let after: Value = serde_json::from_str(&install(existing).text).unwrap();
        for (key, value) in before.as_object().unwrap() {
            if key != "hooks" {
                assert_eq!(&after[key], value);
                continue;
            }
            for (event, groups) in value.as_object().unwrap() {
                match groups.as_array() {
                    Some(groups) => {
                        assert_eq!(
                            &after["hooks"][event].as_array().unwrap()[..groups.len()],
                            groups
                        );
                    }
                    None => assert_eq!(&after["hooks"][event], groups),
                }
            }
        }
    }
}

#[test]
fn a_file_that_does_not_exist_is_created_and_deleted_again() {
    let created = plan_install(None, BINARY).unwrap();
    let value: Value = serde_json::from_str(&created.text).unwrap();
    assert_eq!(
        value["hooks"]["Stop"],
        json!([{ "hooks": [handler("/usr/local/bin/becket hook Stop --agent claude")] }])
    );
    assert!(created.text.ends_with("}\n"));
    let lines: Vec<_> = created.text.lines().take(3).collect();
    assert_eq!(
        lines,
        [
            "{",
            "  \"hooks\": {",
            "    \"PreToolUse\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"/usr/local/bin/becket hook PreToolUse --agent claude\"}]}],",
        ]
    );
    let gone = plan_uninstall(&created.text).unwrap();
    assert!(gone.changed && gone.delete);
    assert_eq!(gone.text, "");
    assert_eq!(gone.removed, EVENTS);
}

#[test]
fn a_created_file_that_the_agent_reprinted_is_still_deleted() {
    let created = plan_install(None, BINARY).unwrap();
    let value: Value = serde_json::from_str(&created.text).unwrap();
    let reprinted = serde_json::to_string_pretty(&value).unwrap();
    assert!(plan_uninstall(&reprinted).unwrap().delete);
}

#[test]
fn settings_that_the_agent_reprinted_lose_our_entries_and_keep_the_rest() {
    let value: Value = serde_json::from_str(&install(PROJECT).text).unwrap();
    let reprinted = serde_json::to_string_pretty(&value).unwrap();
    let gone = plan_uninstall(&reprinted).unwrap();
    let before: Value = serde_json::from_str(PROJECT).unwrap();
    assert_eq!(gone.text, serde_json::to_string_pretty(&before).unwrap());
}

#[test]
fn foreign_entries_added_later_survive_the_uninstall() {
    let mut document = JsonDocument::parse(install("{\n  \"model\": \"opus\"\n}\n").text).unwrap();
    document
        .append_member(&[], "verbose", &json!(true), 0)
        .unwrap();
    document
        .append_member(&[1], "Custom", &json!([]), 0)
        .unwrap();
    let gone = plan_uninstall(document.text()).unwrap();
    assert_eq!(
        gone.text,
        "{\n  \"model\": \"opus\",\n  \"hooks\": {\n    \"Custom\": []\n  },\n  \"verbose\": true\n}\n"
    );
}

#[test]
fn uninstalling_what_was_never_installed_changes_nothing() {
    for existing in SETTINGS
        .iter()
        .chain(&["[1]", "\"text\"", r#"{"hooks": 1}"#])
    {
        let edit = plan_uninstall(existing).unwrap();
        assert_eq!(edit.text, *existing);
        assert!(!edit.changed && !edit.delete && edit.removed.is_empty());
    }
}

#[test]
fn a_path_with_spaces_and_quotes_survives_shell_and_json() {
    for binary in [
        "/opt/my tools/becket",
        "/home/o'brien/\"bin\"/becket",
        r"C:\Program Files\Becket\becket.exe",
        "/tmp/$HOME`id`/é\n/becket",
    ] {
        let edit = plan_install(None, binary).unwrap();
        let entries = installed(&edit.text);
        assert_eq!(entries.len(), EVENTS.len());
        assert!(
            entries
                .iter()
                .all(|entry| entry.binary.as_deref() == Some(binary))
        );
        assert!(!plan_install(Some(&edit.text), binary).unwrap().changed);
        assert!(plan_uninstall(&edit.text).unwrap().delete);
    }
}

#[test]
fn a_binary_that_could_not_be_recognised_again_is_refused() {
    for binary in ["", "/usr/bin/becketd", "/usr/bin/becket/", "becket-cli"] {
        let error = plan_install(None, binary).unwrap_err();
        assert_eq!(error.position(), None);
        assert!(error.to_string().contains("is not named `becket`"));
    }
}

#[test]
fn another_path_is_corrected_in_place() {
    let before = install(PERSONAL).text;
    let edit = plan_install(Some(&before), "/opt/my tools/becket").unwrap();
    assert_eq!(edit.text, before.replace(BINARY, "'/opt/my tools/becket'"));
    assert_eq!(edit.updated.len(), EVENTS.len());
    assert!(edit.changed && edit.added.is_empty());
    assert_eq!(plan_uninstall(&edit.text).unwrap().text, PERSONAL);
}

#[test]
fn words_that_a_person_added_stay_when_the_path_is_corrected() {
    let before = stop(&json!([
        { "type": "command", "command": "$HOME/bin/becket hook Stop --agent claude || true", "timeout": 5 },
    ]));
    let edit = only_stop(BINARY, &before);
    assert_eq!(edit.text, before.replace("$HOME/bin/becket", BINARY));
    assert_eq!(edit.updated, ["Stop"]);
}

#[test]
fn an_entry_for_the_wrong_event_is_rewritten() {
    let before = stop(&json!([handler(
        "/usr/local/bin/becket hook PreToolUse --agent claude"
    )]));
    assert_eq!(installed(&before)[0].stale, Some(StaleReason::WrongEvent));
    let edit = only_stop(BINARY, &before);
    assert_eq!(edit.text, before.replace("PreToolUse", "Stop"));
    assert_eq!(edit.updated, ["Stop"]);
}

#[test]
fn several_entries_of_ours_become_one() {
    let ours = "/usr/local/bin/becket hook Stop --agent claude";
    let before = json!({ "hooks": { "Stop": [
        { "hooks": [handler("first"), handler("becket hook Stop --agent claude"), handler("last")] },
        { "matcher": "x", "hooks": [handler(ours), handler(ours)] },
        { "hooks": [handler("other")] },
        { "hooks": [handler(ours)] },
    ] } });
    let before = serde_json::to_string_pretty(&before).unwrap();
    let stale: Vec<_> = installed(&before).iter().map(|entry| entry.stale).collect();
    assert_eq!(
        stale,
        [
            None,
            Some(StaleReason::Duplicate),
            Some(StaleReason::Duplicate),
            Some(StaleReason::Duplicate)
        ]
    );
    let edit = only_stop(BINARY, &before);
    assert_eq!(edit.updated, ["Stop"]);
    assert!(edit.added.is_empty());
    let after: Value = serde_json::from_str(&edit.text).unwrap();
    assert_eq!(
        after,
        json!({ "hooks": { "Stop": [
            { "hooks": [handler("first"), handler(ours), handler("last")] },
            { "hooks": [handler("other")] },
        ] } })
    );
    assert!(!only_stop(BINARY, &edit.text).changed);
}

#[test]
fn an_entry_among_foreign_handlers_leaves_them_alone() {
    let ours = handler("/usr/local/bin/becket hook Stop --agent claude");
    let foreign = stop(&json!([handler("first"), handler("last")]));
    for at in 0..3 {
        let mut handlers = vec![handler("first"), handler("last")];
        handlers.insert(at, ours.clone());
        let before = stop(&json!(handlers));
        assert!(!only_stop(BINARY, &before).changed);
        let gone = plan_uninstall(&before).unwrap();
        assert_eq!(gone.text, foreign);
        assert_eq!(gone.removed, ["Stop"]);
    }
}

#[test]
fn an_entry_that_claude_would_not_run_is_replaced() {
    let command = "/usr/local/bin/becket hook Stop --agent claude";
    for broken in [
        json!({ "command": command }),
        json!({ "type": "http", "command": command }),
        json!({ "type": "command", "command": command, "args": [] }),
    ] {
        let before = stop(&json!([broken]));
        assert_eq!(installed(&before)[0].stale, Some(StaleReason::Unusable));
        let edit = only_stop(BINARY, &before);
        assert_eq!(
            (edit.updated, edit.added),
            (vec!["Stop".to_owned()], vec![])
        );
        let after: Value = serde_json::from_str(&edit.text).unwrap();
        assert_eq!(
            after,
            json!({ "hooks": { "Stop": [{ "hooks": [handler(command)] }] } })
        );
    }
}

#[test]
fn an_entry_under_an_overridden_key_does_not_count() {
    let ours = r#"[{"hooks":[{"type":"command","command":"/usr/local/bin/becket hook Stop --agent claude"}]}]"#;
    let before = format!(r#"{{"hooks":{{"Stop":{ours},"Stop":[]}}}}"#);
    assert_eq!(installed(&before)[0].stale, Some(StaleReason::Overridden));
    let edit = only_stop(BINARY, &before);
    assert_eq!(edit.updated, ["Stop"]);
    let after: Value = serde_json::from_str(&edit.text).unwrap();
    assert_eq!(after["hooks"]["Stop"].as_array().unwrap().len(), 1);
    assert_eq!(commands(&edit.text, "Stop").len(), 1);
}

#[test]
fn entries_for_unregistered_events_are_corrected_and_kept() {
    let before = r#"{"hooks":{"FileChanged":[{"matcher":".env","hooks":[{"type":"command","command":"/old/becket hook FileChanged --agent claude"}]}]}}"#;
    let after = install(before);
    assert_eq!(
        commands(&after.text, "FileChanged"),
        ["/usr/local/bin/becket hook FileChanged --agent claude"]
    );
    assert_eq!(after.updated, ["FileChanged"]);
    assert_eq!(after.added, EVENTS);
}

#[test]
fn unrestricted_entry_is_kept_over_a_restricted_one() {
    let ours = handler("/usr/local/bin/becket hook PreToolUse --agent claude");
    let before = json!({ "hooks": { "PreToolUse": [
        { "matcher": "Bash", "hooks": [ours] },
        { "matcher": "*", "hooks": [ours] },
    ] } });
    let after: Value = serde_json::from_str(&install(&before.to_string()).text).unwrap();
    assert_eq!(
        after["hooks"]["PreToolUse"],
        json!([{ "matcher": "*", "hooks": [ours] }])
    );
}

#[test]
fn unusable_entry_of_an_unregistered_event_is_left_alone() {
    let group = json!({ "hooks": [{ "command": "becket hook FileChanged --agent claude" }] });
    let before = json!({ "hooks": { "FileChanged": [group] } }).to_string();
    let after: Value = serde_json::from_str(&install(&before).text).unwrap();
    assert_eq!(after["hooks"]["FileChanged"], json!([group]));
}

#[test]
fn edited_and_restricted_entries_are_reported() {
    let check = |event: &str, group: Value, expected: Option<StaleReason>| {
        let text = json!({ "hooks": { event: [group] } }).to_string();
        assert_eq!(installed(&text)[0].stale, expected, "{text}");
    };
    let ours = |event: &str| handler(&format!("{BINARY} hook {event} --agent claude"));
    check(
        "PreToolUse",
        json!({ "matcher": "*", "hooks": [ours("PreToolUse")] }),
        None,
    );
    check(
        "PreToolUse",
        json!({ "matcher": "", "hooks": [ours("PreToolUse")] }),
        None,
    );
    check(
        "PreToolUse",
        json!({ "matcher": "Bash", "hooks": [ours("PreToolUse")] }),
        Some(StaleReason::Restricted),
    );
    check(
        "Stop",
        json!({ "matcher": "Bash", "hooks": [ours("Stop")] }),
        None,
    );
    check(
        "Stop",
        json!({ "hooks": [{ "type": "command", "if": "Bash(git:*)", "command": ours("Stop")["command"] }] }),
        Some(StaleReason::Restricted),
    );
    check(
        "Stop",
        json!({ "hooks": [{ "type": "command", "timeout": 3, "command": ours("Stop")["command"] }] }),
        Some(StaleReason::Edited),
    );
    check(
        "Stop",
        json!({ "hooks": [handler("becket hook Stop --agent claude || true")] }),
        Some(StaleReason::Edited),
    );
}

#[test]
fn the_program_behind_a_variable_is_not_guessed() {
    let text = stop(&json!([handler(
        "\"$HOME/bin/becket\" hook Stop --agent claude"
    )]));
    let entries = installed(&text);
    assert_eq!(entries[0].binary, None);
    assert_eq!(entries[0].line, 8);
}

#[test]
fn a_restricted_entry_is_left_and_warned_about() {
    let command = "/usr/local/bin/becket hook PreToolUse --agent claude";
    let before =
        json!({ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [handler(command)] }] } });
    let edit = install(&before.to_string());
    assert_eq!(commands(&edit.text, "PreToolUse").len(), 1);
    assert_eq!(edit.warnings.len(), 1);
    assert!(
        edit.warnings[0].contains("`PreToolUse` on line 1"),
        "{:?}",
        edit.warnings
    );
}

#[test]
fn a_switch_that_stops_all_hooks_is_warned_about() {
    let edit = install("{\n  \"disableAllHooks\": true\n}\n");
    assert!(edit.changed);
    assert_eq!(edit.warnings.len(), 1);
    assert!(edit.warnings[0].contains("`disableAllHooks` is true on line 2"));
    assert!(install("{\"disableAllHooks\": false}").warnings.is_empty());
}

#[test]
fn a_key_of_the_wrong_type_is_an_error_that_names_it() {
    let refused = |text: &str, line: usize, column: usize, message: &str| {
        let error = plan_install(Some(text), BINARY).unwrap_err();
        assert_eq!(error.position(), Some(TextPosition { line, column }));
        assert_eq!(error.to_string(), message);
    };
    refused(
        "{\n  \"hooks\": \"none\"\n}",
        2,
        12,
        "`hooks` at line 2, column 12 should be an object, but is a string",
    );
    refused(
        "{\"hooks\": []}",
        1,
        11,
        "`hooks` at line 1, column 11 should be an object, but is an array",
    );
    refused(
        "{\"hooks\": {\n\"Stop\": 5}}",
        2,
        9,
        "`hooks.Stop` at line 2, column 9 should be an array, but is a number",
    );
    refused(
        "{\"hooks\": {\"PreToolUse\": {}}}",
        1,
        26,
        "`hooks.PreToolUse` at line 1, column 26 should be an array, but is an object",
    );
    refused(
        "[]",
        1,
        1,
        "`settings` at line 1, column 1 should be an object, but is an array",
    );
    refused(
        "{\n  \"model\": opus\n}",
        2,
        12,
        "not valid JSON at line 2, column 12: unexpected word",
    );
}

#[test]
fn the_other_spelling_of_hooks_is_left_alone() {
    let before = "{\n  \"hooks\": {\n    \"preToolUse\": { \"lint\": \"./lint.sh\" },\n    \"stop\": [\"./done.sh\"]\n  }\n}\n";
    comes_and_goes(before);
    let after: Value = serde_json::from_str(&install(before).text).unwrap();
    assert_eq!(after["hooks"]["preToolUse"], json!({ "lint": "./lint.sh" }));
    assert_eq!(after["hooks"]["stop"], json!(["./done.sh"]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// For any settings: all events are registered, a second install is a no-op, and an uninstall restores the
    /// original.
    #[test]
    fn any_settings_come_back_unharmed(existing in settings()) {
        comes_and_goes(&existing);
    }

    /// Every comment of the original survives.
    #[test]
    fn an_install_keeps_every_line_comment(existing in settings()) {
        let after = install(&existing).text;
        for comment in ["// c", "// ü ]},", "/* c */", "/* a\nb */"] {
            prop_assert_eq!(after.matches(comment).count(), existing.matches(comment).count());
        }
    }

    /// Truncated files, and texts that are not settings at all.
    #[test]
    fn no_text_makes_a_plan_panic(existing in settings(), cut in any::<prop::sample::Index>(), noise in ".*") {
        let cut = cut.index(existing.len() + 1);
        let head = existing.get(..cut).unwrap_or_default();
        for text in [head.to_owned(), noise.clone(), format!("{head}{noise}")] {
            let _ = plan_install(Some(&text), BINARY);
            let _ = plan_uninstall(&text);
            let _ = installed(&text);
        }
    }

    /// For any path, the shell sees one word, and Becket recognises its entry.
    #[test]
    fn any_path_is_recognised_again(directory in "\\PC{0,12}") {
        let binary = format!("/{directory}/becket");
        let created = plan_install(None, &binary).unwrap();
        let entries = installed(&created.text);
        prop_assert_eq!(entries.len(), EVENTS.len());
        for entry in entries {
            prop_assert_eq!(entry.binary.as_deref(), Some(binary.as_str()));
            prop_assert_eq!(entry.stale, None);
        }
    }
}
