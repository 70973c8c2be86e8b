//! GitHub Copilot's hook files.

use std::path::Path;

use becket_agents::config::copilot;
use becket_model::{Action, Dialect, EventKind, MatchStyle};

use super::{clean, command, load, only, problem_lines, seconds, shown};

fn file(hooks: &str) -> String {
    format!(r#"{{"version": 1, "hooks": {{{hooks}}}}}"#)
}

#[test]
fn every_kind_of_entry_loads() {
    let hooks = clean(
        copilot,
        &file(
            r#"
"preToolUse": [
  {"type": "command", "bash": "./guard.sh", "powershell": "guard.ps1", "cwd": "scripts", "env": {"LEVEL": "2"}, "timeoutSec": 5, "matcher": "bash|create"},
  {"command": "everywhere", "timeout": 7, "comment": "c"},
  {"exec": "/bin/guard", "args": ["--json"]},
  {"type": "http", "url": "https://h", "headers": {"A": "$T"}, "allowedEnvVars": ["T"]}
],
"sessionStart": [{"type": "prompt", "prompt": "/review"}]"#,
        ),
    );
    assert!(hooks.iter().all(|hook| hook.dialect == Dialect::Copilot));
    assert_eq!(
        shown(&hooks),
        [
            "3 PreToolUse [bash|create] command `./guard.sh` 5s",
            "4 PreToolUse [] command `everywhere` 7s",
            "5 PreToolUse [] command `/bin/guard --json` 30s",
            "6 PreToolUse [] http `https://h` 30s",
            "8 SessionStart [] prompt `/review` 30s",
        ]
    );
    assert_eq!(hooks[0].cwd.as_deref(), Some(Path::new("scripts")));
    assert_eq!(hooks[0].env, [("LEVEL".to_owned(), "2".to_owned())]);
    assert_eq!(
        hooks[2].action,
        Action::Command {
            command: "/bin/guard".into(),
            args: Some(vec!["--json".into()]),
        }
    );
}

#[test]
fn the_case_of_the_key_chooses_the_payload_and_is_kept() {
    for (camel, pascal, kind) in [
        ("sessionStart", "SessionStart", EventKind::SessionStart),
        ("sessionEnd", "SessionEnd", EventKind::SessionEnd),
        (
            "userPromptSubmitted",
            "UserPromptSubmit",
            EventKind::UserPromptSubmit,
        ),
        ("preToolUse", "PreToolUse", EventKind::PreToolUse),
        (
            "permissionRequest",
            "PermissionRequest",
            EventKind::PermissionRequest,
        ),
        ("postToolUse", "PostToolUse", EventKind::PostToolUse),
        (
            "postToolUseFailure",
            "PostToolUseFailure",
            EventKind::PostToolUseFailure,
        ),
        ("agentStop", "Stop", EventKind::Stop),
        ("subagentStart", "SubagentStart", EventKind::SubagentStart),
        ("subagentStop", "SubagentStop", EventKind::SubagentStop),
        ("preCompact", "PreCompact", EventKind::PreCompact),
        ("errorOccurred", "ErrorOccurred", EventKind::SessionError),
        ("notification", "Notification", EventKind::Notification),
    ] {
        for (name, native) in [(camel, None), (pascal, Some(pascal))] {
            let text = file(&format!(r#""{name}": [{{"bash": "x"}}]"#));
            let hook = only(clean(copilot, &text));
            assert_eq!(hook.event, kind, "{name}");
            assert_eq!(hook.native_event.as_deref(), native, "{name}");
        }
    }
    let text = file(r#""userPromptTransformed": [{"bash": "x"}]"#);
    assert_eq!(
        only(clean(copilot, &text)).event,
        EventKind::Other("userPromptTransformed".into())
    );
}

#[test]
fn matchers_are_for_the_whole_name_and_claudes_under_claudes_keys() {
    let one = |event: &str, matcher: &str| {
        let text = file(&format!(
            r#""{event}": [{{"bash": "x", "matcher": "{matcher}"}}]"#
        ));
        load(copilot, &text)
    };
    let camel = only(one("preToolUse", "bash|view").hooks);
    assert_eq!(camel.matcher.style(), MatchStyle::Whole);
    assert!(camel.matcher.matches("view") && !camel.matcher.matches("review"));
    let pascal = only(one("PreToolUse", "Edit|Write").hooks);
    assert_eq!(pascal.matcher.style(), MatchStyle::Names);
    assert!(only(one("PreToolUse", "*").hooks).matcher.is_all());
    for (event, matcher) in [("preToolUse", "*"), ("preToolUse", ""), ("PreToolUse", "")] {
        let layer = one(event, matcher);
        assert_eq!(
            problem_lines(&layer),
            [format!(
                "E 1 hooks.{event}[0].matcher: Copilot does not accept `{matcher}` as a matcher and skips the hook"
            )]
        );
        assert_eq!((layer.hooks.len(), layer.broken.len()), (0, 1));
    }
}

#[test]
fn claudes_nesting_is_read_under_claudes_keys_only() {
    let hooks = clean(
        copilot,
        &file(
            r#""PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "a", "timeout": 9}, {"bash": "b"}]}]"#,
        ),
    );
    assert_eq!(
        shown(&hooks),
        [
            "1 PreToolUse [Bash] command `a` 9s",
            "1 PreToolUse [Bash] command `b` 30s",
        ]
    );
    let camel = load(
        copilot,
        &file(r#""preToolUse": [{"hooks": [{"bash": "a"}]}, {"bash": "b"}]"#),
    );
    assert_eq!(
        problem_lines(&camel),
        ["E 1 hooks.preToolUse[0]: matcher groups are only allowed under PascalCase keys"]
    );
    assert_eq!(only(camel.hooks).action, command("b"));
    let bad = load(
        copilot,
        &file(r#""PreToolUse": [{"matcher": "[", "hooks": [{"bash": "a"}, {"bash": "b"}]}]"#),
    );
    assert_eq!((bad.hooks.len(), bad.broken.len()), (0, 2));
    assert_eq!(bad.problems.len(), 1);
}

#[test]
fn bad_entry_breaks_only_itself() {
    let layer = load(
        copilot,
        &file(
            r#"
"preToolUse": [
  {"bash": "one"},
  {"type": "command"},
  {"powershell": "guard.ps1"},
  {"bash": "x", "exec": "y"},
  {"bash": "x", "timeoutSec": "soon"},
  "x",
  {"bash": "becket hook preToolUse --agent copilot"},
  {"exec": "becket", "args": ["hook", "--agent", "copilot"]},
  {"bash": "two", "timout": 3}
],
"agentstop": [{"bash": "three"}],
"sessionEnd": 5"#,
        ),
    );
    assert_eq!(
        problem_lines(&layer),
        [
            "E 4 hooks.preToolUse[1]: missing `bash`",
            "W 5 hooks.preToolUse[2].powershell: has only a Windows command and does not run here",
            "E 6 hooks.preToolUse[3].exec: cannot be combined with a shell command",
            "E 7 hooks.preToolUse[4].timeoutSec: is not a duration greater than 0",
            "E 8 hooks.preToolUse[5]: expected a hook, found a string",
            "W 11 hooks.preToolUse[8].timout: unknown key",
            "W 13 hooks.agentstop: `agentstop` is not an event of Copilot",
            "E 14 hooks.sessionEnd: expected an array of hooks, found a number",
        ]
    );
    let names: Vec<_> = layer.hooks.iter().map(|h| h.action.summary()).collect();
    assert_eq!(names, ["one", "two", "three"]);
    assert_eq!(layer.broken.len(), 5);
}

#[test]
fn file_switch_disables_all_hooks() {
    let layer = load(
        copilot,
        r#"{"disableAllHooks": true, "hooks": {"agentStop": [{"bash": "x"}]}, "other": 1}"#,
    );
    assert_eq!(
        problem_lines(&layer),
        ["W 1 disableAllHooks: all hooks in this file are disabled"]
    );
    let hook = only(layer.hooks);
    assert!(!hook.enabled);
    assert_eq!(hook.timeout, seconds(30));
}
