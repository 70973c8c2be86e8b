//! Claude's settings files.

use std::path::{Path, PathBuf};
use std::time::Duration;

use becket_agents::config::{ConfigFile, is_own_entry, settings};
use becket_model::{Action, Dialect, EventKind, Level, OnFailure};
use serde_json::json;

use super::{clean, command, load, only, problem_lines, seconds, shown};

/// The example from Code Agent's documentation, which uses Claude's own file.
const DOCUMENTED: &str = r#"{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          {
            "type": "command",
            "command": "./scripts/validate-command.sh",
            "timeout": 5000
          }
        ]
      },
      {
        "matcher": "Write|Edit",
        "hooks": [
          {
            "type": "command",
            "command": "echo 'File operation: $TOOL_NAME on $FILE_PATH'"
          }
        ]
      }
    ],
    "PostToolUse": [
      {
        "matcher": ".*",
        "hooks": [
          {
            "type": "command",
            "command": "./scripts/log-tool-usage.sh"
          }
        ]
      }
    ],
    "SessionEnd": [
      {
        "matcher": ".*",
        "hooks": [
          {
            "type": "command",
            "command": "./scripts/cleanup.sh"
          }
        ]
      }
    ]
  }
}"#;

#[test]
fn the_documented_example_loads_as_claudes_own() {
    let layer = load(settings, DOCUMENTED);
    assert_eq!(
        shown(&layer.hooks),
        [
            "7 PreToolUse [Bash] command `./scripts/validate-command.sh` 5s",
            "17 PreToolUse [Write|Edit] command `echo 'File operation: $TOOL_NAME on $FILE_PATH'` 600s",
            "28 PostToolUse [.*] command `./scripts/log-tool-usage.sh` 600s",
            "39 SessionEnd [.*] command `./scripts/cleanup.sh` 600s",
        ]
    );
    assert_eq!(
        problem_lines(&layer),
        [
            "W 10 hooks.PreToolUse[0].hooks[0].timeout: is too large for seconds and is treated as milliseconds",
            "W 19 hooks.PreToolUse[1].hooks[0].command: `$TOOL_NAME` is in single quotes, so the shell does not expand it",
        ]
    );
    assert!(
        layer
            .hooks
            .iter()
            .all(|hook| hook.dialect == Dialect::Claude)
    );
    assert!(
        !layer.hooks[1].matcher.matches("MultiEdit"),
        "a list of names is exact"
    );
    assert!(layer.hooks[2].matcher.is_all());
    let source = &layer.hooks[1].source;
    assert_eq!(source.file, PathBuf::from("/w/file"));
    assert_eq!(source.key, "hooks.PreToolUse[1].hooks[0]");
    assert_eq!(layer.hooks[1].name, "PreToolUse[1].hooks[0]");
}

#[test]
fn the_same_file_keeps_code_agents_contract_when_it_says_so() {
    let text = DOCUMENTED.replacen('{', r#"{ "dialect": "code-agent","#, 1);
    let layer = load(settings, &text);
    assert_eq!(layer.hooks.len(), 4);
    assert!(
        layer
            .hooks
            .iter()
            .all(|hook| hook.dialect == Dialect::CodeAgent)
    );
    assert!(layer.hooks.iter().all(|hook| hook.timeout == seconds(5)));
    assert!(
        layer.hooks[1].matcher.matches("MultiEdit"),
        "Code Agent searches"
    );
    assert_eq!(
        problem_lines(&layer).len(),
        1,
        "5000 is what it seems there: {:?}",
        problem_lines(&layer)
    );
}

#[test]
fn the_documented_prompt_hook_loads() {
    let layer = load(
        settings,
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{
            "type": "prompt",
            "prompt": "Evaluate if this command is safe to execute: $COMMAND. Respond with ALLOW, BLOCK, or CONTINUE.",
            "timeout": 10000
        }]}]}}"#,
    );
    let hook = only(layer.hooks);
    assert_eq!(hook.timeout, seconds(10));
    assert_eq!(
        hook.action,
        Action::Prompt {
            prompt: "Evaluate if this command is safe to execute: $COMMAND. Respond with ALLOW, BLOCK, or CONTINUE.".into(),
            model: None,
        }
    );
}

#[test]
fn every_type_of_handler_loads_with_its_fields_and_default_deadline() {
    let hooks = clean(
        settings,
        r#"{"hooks": {"PreToolUse": [{"hooks": [
            {"type": "command", "command": "/bin/x", "args": ["a b", "$c"], "shell": "bash", "async": true,
             "if": "Bash(git *)", "statusMessage": "looking", "once": true, "onFailure": "block"},
            {"type": "command", "command": "wake", "asyncRewake": true, "onFailure": "continue"},
            {"type": "http", "url": "https://h/x", "headers": {"B": "2", "A": "$T"}, "allowedEnvVars": ["T"]},
            {"type": "prompt", "prompt": "ok? $ARGUMENTS", "model": "m", "continueOnBlock": true},
            {"type": "agent", "prompt": "look"},
            {"type": "mcp_tool", "server": "s", "tool": "t", "input": {"x": [1, null, "${a.b}"]}}
        ]}]}}"#,
    );
    assert_eq!(
        hooks
            .iter()
            .map(|hook| hook.action.clone())
            .collect::<Vec<_>>(),
        [
            Action::Command {
                command: "/bin/x".into(),
                args: Some(vec!["a b".into(), "$c".into()]),
            },
            command("wake"),
            Action::Http {
                url: "https://h/x".into(),
                headers: vec![("B".into(), "2".into()), ("A".into(), "$T".into())],
                allowed_env: vec!["T".into()],
            },
            Action::Prompt {
                prompt: "ok? $ARGUMENTS".into(),
                model: Some("m".into()),
            },
            Action::Agent {
                prompt: "look".into(),
                agent: None,
                model: None,
            },
            Action::McpTool {
                server: "s".into(),
                tool: "t".into(),
                input: json!({ "x": [1, null, "${a.b}"] }),
            },
        ]
    );
    let deadlines: Vec<u64> = hooks.iter().map(|hook| hook.timeout.as_secs()).collect();
    assert_eq!(deadlines, [600, 600, 600, 30, 60, 600]);
    let background: Vec<bool> = hooks.iter().map(|hook| hook.is_async).collect();
    assert_eq!(background, [true, true, false, false, false, false]);
    assert_eq!(
        hooks[0]
            .condition
            .as_ref()
            .map(ToString::to_string)
            .as_deref(),
        Some("Bash(git *)")
    );
    assert!(hooks[0].once && !hooks[1].once);
    assert_eq!(hooks[0].on_failure, Some(OnFailure::Deny));
    assert_eq!(hooks[1].on_failure, Some(OnFailure::Allow));
    assert_eq!(hooks[2].on_failure, None);
}

#[test]
fn deadlines_are_seconds_with_fractions_and_units() {
    for (event, written, expected, warned) in [
        ("PreToolUse", "10", seconds(10), false),
        ("PreToolUse", "0.5", Duration::from_millis(500), false),
        ("PreToolUse", "999", seconds(999), false),
        ("PreToolUse", "1000", seconds(1), true),
        ("PreToolUse", "60000.0", seconds(60), true),
        ("PreToolUse", "\"500ms\"", Duration::from_millis(500), false),
        ("PreToolUse", "\"30s\"", seconds(30), false),
        ("PreToolUse", "\"2m\"", seconds(120), false),
        ("PreToolUse", "\"7\"", seconds(7), false),
        ("PreToolUse", "null", seconds(600), false),
        ("UserPromptSubmit", "null", seconds(30), false),
        ("PreModelSwitch", "null", seconds(30), false),
    ] {
        let text = format!(
            r#"{{"hooks": {{"{event}": [{{"hooks": [{{"type": "command", "command": "x", "timeout": {written}}}]}}]}}}}"#
        );
        let layer = load(settings, &text);
        assert_eq!(
            layer.problems.len(),
            usize::from(warned),
            "{written}: {:?}",
            problem_lines(&layer)
        );
        assert_eq!(only(layer.hooks).timeout, expected, "{event} {written}");
    }
}

#[test]
fn longest_timeout_is_one_year() {
    let layer = load(
        settings,
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": "99999999h"}]}]}}"#,
    );
    assert_eq!(
        problem_lines(&layer),
        ["W 1 hooks.Stop[0].hooks[0].timeout: is longer than a year; reduced to one year"]
    );
    assert_eq!(only(layer.hooks).timeout, seconds(365 * 24 * 3600));
}

#[test]
fn comments_trailing_commas_and_a_byte_order_mark_are_fine() {
    let hooks = clean(
        settings,
        "\u{feff}{\n // why\n \"hooks\": { /* what */\n  \"Stop\": [\n   {\"hooks\": [{\"type\": \"command\", \"command\": \"x\",},],},\n  ],\n },\n}\n",
    );
    assert_eq!(shown(&hooks), ["5 Stop [] command `x` 600s"]);
}

#[test]
fn other_settings_keys_are_ignored() {
    let hooks = clean(
        settings,
        r#"{"permissions": {"allow": ["Bash"], "allow": []}, "env": {"A": "b"}, "whatever": 1, "model": "m",
            "hooks": {}}"#,
    );
    assert_eq!(hooks, []);
    for text in [
        "",
        "  \n",
        "{}",
        r#"{"hooks": null}"#,
        r#"{"hooks": {"Stop": []}}"#,
        r#"{"hooks": {"Stop": null}}"#,
    ] {
        assert_eq!(clean(settings, text), [], "{text:?}");
    }
}

#[test]
fn disable_all_hooks_loads_disabled_hooks_with_a_warning() {
    let layer = load(
        settings,
        "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}], \"SessionStart\": [\"y\", {\"command\": \"z\", \"enabled\": true}]},\n\"disableAllHooks\": true}",
    );
    assert_eq!(
        problem_lines(&layer),
        ["W 2 disableAllHooks: all hooks in this file are disabled"]
    );
    assert_eq!(layer.hooks.len(), 3);
    assert!(layer.hooks.iter().all(|hook| !hook.enabled));
}

#[test]
fn own_entries_are_skipped_silently() {
    assert!(is_own_entry("/opt/becket hook PreToolUse --agent claude"));
    let hooks = clean(
        settings,
        r#"{"hooks": {
            "PreToolUse": [{"matcher": "*", "hooks": [
                {"type": "command", "command": "'/opt/my bin/becket' hook PreToolUse --agent claude", "whatever": 1},
                {"type": "command", "command": "/opt/becket", "args": ["hook", "--agent", "claude"]},
                {"type": "command", "command": "mine"}
            ]}],
            "sessionStart": ["becket hook --agent claude", "other"],
            "sessionEnd": {"becket": {"command": "becket hook --agent claude"}}
        }}"#,
    );
    assert_eq!(
        shown(&hooks),
        [
            "5 PreToolUse [*] command `mine` 600s",
            "7 SessionStart [] command `other` 60s"
        ]
    );
}

#[test]
fn the_innermost_dialect_wins() {
    let layer = load(
        settings,
        r#"{"dialect": "code-agent", "hooks": {"PreToolUse": [
            {"hooks": [{"type": "command", "command": "file"}]},
            {"dialect": "claude", "matcher": "Edit", "hooks": [
                {"type": "command", "command": "group"},
                {"type": "command", "command": "hook", "dialect": "claude-agent"}
            ]},
            "flat",
            {"command": "own", "dialect": "claude-agent"}
        ]}}"#,
    );
    assert_eq!(problem_lines(&layer), [""; 0]);
    let seen: Vec<_> = layer
        .hooks
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
            ("file".into(), Dialect::CodeAgent, 5, true),
            ("group".into(), Dialect::Claude, 600, false),
            ("hook".into(), Dialect::ClaudeAgent, 60, true),
            ("flat".into(), Dialect::CodeAgent, 5, true),
            ("own".into(), Dialect::ClaudeAgent, 60, true),
        ]
    );
    let inside = clean(
        settings,
        r#"{"hooks": {"dialect": "code-agent", "Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#,
    );
    assert_eq!(only(inside).dialect, Dialect::CodeAgent);
}

#[test]
fn claudes_other_events_are_kept_without_a_warning() {
    let hooks = clean(
        settings,
        r#"{"hooks": {"ConfigChange": [{"matcher": "user_settings", "hooks": [{"type": "command", "command": "x"}]}]}}"#,
    );
    assert_eq!(only(hooks).event, EventKind::Other("ConfigChange".into()));
}

#[test]
fn level_and_root_come_from_the_caller() {
    let layer = settings(&ConfigFile {
        path: Path::new("/home/me/.claude/settings.json"),
        level: Level::User,
        text: r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#,
        root: Some(Path::new("/plugins/p")),
    });
    let hook = only(layer.hooks);
    assert_eq!(hook.source.level, Level::User);
    assert_eq!(hook.root, Some(PathBuf::from("/plugins/p")));
}
