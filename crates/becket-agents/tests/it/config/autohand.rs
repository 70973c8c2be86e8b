//! Autohand's configuration, in its three notations.

use std::time::Duration;

use becket_agents::config::autohand;
use becket_model::{Dialect, EventKind, Filter, MatchStyle};

use super::{clean, command, load, load_as, only, problem_lines, seconds};

fn hooks(list: &str) -> String {
    format!(r#"{{"hooks": {{"enabled": true, "hooks": [{list}]}}}}"#)
}

#[test]
fn the_documented_file_loads() {
    let hook = only(clean(
        autohand,
        r#"{
  "provider": {"name": "x"},
  "hooks": {
    "enabled": true,
    "hooks": [
      {
        "event": "pre-tool",
        "command": "echo \"Running tool: $HOOK_TOOL\" >> ~/.autohand/hooks.log",
        "description": "Log all tool executions",
        "enabled": true
      }
    ]
  }
}"#,
    ));
    assert_eq!(hook.dialect, Dialect::Autohand);
    assert_eq!(hook.event, EventKind::PreToolUse);
    assert_eq!(
        hook.action,
        command("echo \"Running tool: $HOOK_TOOL\" >> ~/.autohand/hooks.log")
    );
    assert_eq!(hook.description.as_deref(), Some("Log all tool executions"));
    assert!(hook.enabled && hook.matcher.is_all() && hook.filter.is_empty());
    assert_eq!(hook.timeout, seconds(5));
    assert_eq!(
        (hook.source.line, hook.source.key.as_str()),
        (6, "hooks.hooks[0]")
    );
}

#[test]
fn every_property_of_the_table_is_read() {
    let hook = only(clean(
        autohand,
        &hooks(
            r#"{"event": "pre-tool", "command": "./log-dangerous.sh", "description": "d", "enabled": false,
                "timeout": 1500, "async": true, "matcher": "^(run_command|delete_path)$",
                "filter": {"tool": ["run_command", "write_file"], "path": ["src/**/*.ts", "lib/**/*.js"]}}"#,
        ),
    ));
    assert!(!hook.enabled && hook.is_async);
    assert_eq!(hook.timeout, Duration::from_millis(1500));
    assert_eq!(hook.matcher.style(), MatchStyle::Search);
    assert!(hook.matcher.matches("delete_path") && !hook.matcher.matches("x_delete_path"));
    assert_eq!(
        hook.filter,
        Filter {
            tool: vec!["run_command".into(), "write_file".into()],
            path: vec!["src/**/*.ts".into(), "lib/**/*.js".into()],
        }
    );
}

#[test]
fn every_documented_event_is_known_and_one_maps_to_two_canonical_events() {
    for (name, kinds) in [
        ("pre-tool", &[EventKind::PreToolUse][..]),
        (
            "post-tool",
            &[EventKind::PostToolUse, EventKind::PostToolUseFailure],
        ),
        ("file-modified", &[EventKind::FileModified]),
        ("pre-prompt", &[EventKind::UserPromptSubmit]),
        ("stop", &[EventKind::Stop]),
        ("post-response", &[EventKind::Stop]),
        ("session-start", &[EventKind::SessionStart]),
        ("session-end", &[EventKind::SessionEnd]),
        ("session-error", &[EventKind::SessionError]),
        ("subagent-stop", &[EventKind::SubagentStop]),
        ("permission-request", &[EventKind::PermissionRequest]),
        ("notification", &[EventKind::Notification]),
        ("context:compact", &[EventKind::PostCompact]),
        ("rate-limit", &[EventKind::Other("rate-limit".into())]),
        (
            "automode:iteration",
            &[EventKind::Other("automode:iteration".into())],
        ),
    ] {
        let text = hooks(&format!(r#"{{"event": "{name}", "command": "x"}}"#));
        let found = clean(autohand, &text);
        let found: Vec<_> = found.iter().map(|hook| hook.event.clone()).collect();
        assert_eq!(found, kinds, "{name}");
    }
}

#[test]
fn a_hook_after_tools_reports_its_faults_once_and_fails_for_both_events() {
    let layer = load(autohand, &hooks(r#"{"event": "post-tool", "command": ""}"#));
    assert_eq!(
        problem_lines(&layer),
        ["E 1 hooks.hooks[0].command: is empty"]
    );
    let events: Vec<_> = layer.broken.iter().map(|b| b.event.clone()).collect();
    assert_eq!(
        events,
        [EventKind::PostToolUse, EventKind::PostToolUseFailure]
    );
}

#[test]
fn background_work_is_not_cut_off_after_five_seconds() {
    let text = hooks(
        r#"{"event": "stop", "command": "a", "async": true}, {"event": "stop", "command": "b", "async": true, "timeout": 2000}"#,
    );
    let found: Vec<_> = clean(autohand, &text).iter().map(|h| h.timeout).collect();
    assert_eq!(found, [seconds(600), seconds(2)]);
}

#[test]
fn toml_and_yaml_load_the_same_hooks() {
    let json = hooks(
        r#"{"event": "pre-tool", "command": "./x", "timeout": 250, "matcher": "^run_command$", "filter": {"path": ["a/**"]}}"#,
    );
    let toml = "model = 'm'\n[hooks]\nenabled = true\n\n[[hooks.hooks]]\nevent = 'pre-tool'\ncommand = './x'\ntimeout = 250\nmatcher = '^run_command$'\nfilter = { path = ['a/**'] }\n";
    let yaml = "model: m\nhooks:\n  enabled: true\n  hooks:\n    - event: pre-tool\n      command: ./x\n      timeout: 250\n      matcher: ^run_command$\n      filter:\n        path: [\"a/**\"]\n";
    let expected = only(clean(autohand, &json)).definition();
    for (path, text, line) in [
        ("/w/config.toml", toml, 5),
        ("/w/config.yaml", yaml, 5),
        ("/w/config.YML", yaml, 5),
    ] {
        let layer = load_as(autohand, path, text);
        assert_eq!(layer.problems, [], "{path}");
        let hook = only(layer.hooks);
        assert_eq!(hook.definition(), expected, "{path}");
        assert_eq!(hook.source.line, line, "{path}");
    }
    let broken = load_as(autohand, "/w/config.yaml", "hooks: [");
    assert_eq!(broken.problems.len(), 1);
    assert!(broken.problems[0].message.starts_with("not valid YAML"));
    for (path, text) in [("/w/config.yaml", ""), ("/w/config.toml", ""), ("/w/f", "")] {
        let empty = load_as(autohand, path, text);
        assert_eq!((empty.hooks.len(), empty.problems.len()), (0, 0), "{path}");
    }
}

#[test]
fn file_switch_disables_all_hooks_with_a_warning() {
    let layer = load(
        autohand,
        r#"{"hooks": {"enabled": false, "hooks": [{"event": "stop", "command": "x"}]}}"#,
    );
    assert_eq!(
        problem_lines(&layer),
        ["W 1 hooks.enabled: all hooks in this file are disabled"]
    );
    assert!(!only(layer.hooks).enabled);
}

#[test]
fn shapes_autohand_does_not_read_load_with_a_warning() {
    let by_event = load(
        autohand,
        "{\"hooks\": {\n\"rate-limit\": [{\"command\": \"./on-limit.sh\"}],\n\"pre-tool\": [{\"command\": \"a\", \"event\": \"stop\"}]}}",
    );
    let found: Vec<_> = by_event.hooks.iter().map(|h| h.event.name()).collect();
    assert_eq!(found, ["rate-limit", "Stop"]);
    assert_eq!(
        problem_lines(&by_event),
        [
            "W 2 hooks.rate-limit: hooks are grouped by event name",
            "W 3 hooks.pre-tool: hooks are grouped by event name",
        ]
    );
    assert!(
        by_event.problems[0]
            .hint
            .as_deref()
            .is_some_and(|hint| hint.contains("Autohand itself does not read this"))
    );
    let list = load(
        autohand,
        r#"{"hooks": [{"event": "stop", "command": "x"}]}"#,
    );
    assert_eq!(list.hooks.len(), 1);
    assert_eq!(
        problem_lines(&list),
        ["W 1 hooks: expected an object, found a list"]
    );
}

#[test]
fn bad_entry_breaks_only_itself() {
    let layer = load(
        autohand,
        "{\"hooks\": {\"hooks\": [\n\
         {\"event\": \"stop\", \"command\": \"one\"},\n\
         {\"command\": \"x\"},\n\
         {\"event\": \"stop\"},\n\
         {\"event\": \"pre-tool\", \"command\": \"x\", \"matcher\": \"[\"},\n\
         {\"event\": \"pre-tool\", \"command\": \"x\", \"timeout\": -1},\n\
         {\"event\": \"pre-tool\", \"command\": \"x\", \"filter\": {\"tool\": 1, \"paht\": []}},\n\
         {\"event\": \"pre-tol\", \"command\": \"two\", \"tiemout\": 5},\n\
         {\"event\": \"stop\", \"command\": \"three\", \"matcher\": \"^nothing$\"},\n\
         {\"event\": \"pre-tool\", \"command\": \"becket hook --agent autohand\"},\n\
         7], \"hoks\": []}}",
    );
    let problem_lines = problem_lines(&layer);
    assert_eq!(
        problem_lines
            .iter()
            .filter(|problem_lines| !problem_lines.contains("regex"))
            .collect::<Vec<_>>(),
        [
            "E 3 hooks.hooks[1]: missing `event`",
            "E 4 hooks.hooks[2]: missing `command`",
            "E 6 hooks.hooks[4].timeout: is not a duration greater than 0",
            "W 7 hooks.hooks[5].filter.paht: unknown key",
            "E 7 hooks.hooks[5].filter.tool: expected a string or an array of strings, found a number",
            "W 8 hooks.hooks[6].tiemout: unknown key",
            "W 8 hooks.hooks[6].event: `pre-tol` is not an event of Autohand",
            "W 9 hooks.hooks[7].matcher: has no effect on `Stop`, which has nothing to match: the hook always runs",
            "E 11 hooks.hooks[9]: expected a hook, found a number",
            "W 11 hooks.hoks: unknown key",
        ]
    );
    assert!(
        problem_lines[2]
            .starts_with("E 5 hooks.hooks[3].matcher: matcher `[` is not a valid regex")
    );
    let names: Vec<_> = layer.hooks.iter().map(|h| h.action.summary()).collect();
    assert_eq!(names, ["one", "two", "three"]);
    assert_eq!(layer.broken.len(), 4);
}

#[test]
fn other_shapes_of_hooks_are_errors_that_show_the_right_one() {
    for (text, message) in [
        (
            r#"{"hooks": 1}"#,
            "E 1 hooks: expected an object, found a number",
        ),
        (
            r#"{"hooks": {"hooks": {}}}"#,
            "E 1 hooks.hooks: expected an array of hooks, found an object",
        ),
        ("[]", "E 1 : expected an object, found an array"),
    ] {
        let layer = load(autohand, text);
        assert_eq!(problem_lines(&layer), [message]);
        assert_eq!(layer.hooks, []);
    }
    assert_eq!(load(autohand, r#"{"theme": "dark"}"#).problems, []);
}
