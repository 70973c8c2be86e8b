//! Gemini CLI's settings.

use std::path::Path;
use std::time::Duration;

use becket_agents::config::{ConfigFile, gemini};
use becket_model::{Dialect, EventKind, Level, MatchStyle};

use super::{clean, command, load, only, problem_lines, seconds, shown};

#[test]
fn hooks_load_with_geminis_units_and_defaults() {
    let hooks = clean(
        gemini,
        r#"{"theme": "x", "hooks": {
            "BeforeTool": [{"matcher": "run_shell_command|write_file", "hooks": [
                {"type": "command", "command": "./guard.sh", "name": "guard", "description": "d", "timeout": 1500, "env": {"LOG": "1"}},
                {"type": "command", "command": "./other.sh"}
            ]}],
            "notifications": true
        }}"#,
    );
    assert!(hooks.iter().all(|hook| hook.dialect == Dialect::Gemini));
    assert_eq!(
        shown(&hooks),
        [
            "3 PreToolUse [run_shell_command|write_file] command `./guard.sh` 1.5s",
            "4 PreToolUse [run_shell_command|write_file] command `./other.sh` 60s",
        ]
    );
    assert_eq!(hooks[0].name, "guard");
    assert_eq!(hooks[0].description.as_deref(), Some("d"));
    assert_eq!(hooks[0].env, [("LOG".to_owned(), "1".to_owned())]);
    assert_eq!(hooks[1].name, "BeforeTool[0].hooks[1]");
    assert_eq!(hooks[0].matcher.style(), MatchStyle::Search);
}

#[test]
fn every_event_is_known_and_one_maps_to_two_canonical_events() {
    for (name, kinds) in [
        ("SessionStart", &[EventKind::SessionStart][..]),
        ("SessionEnd", &[EventKind::SessionEnd]),
        ("BeforeAgent", &[EventKind::UserPromptSubmit]),
        ("AfterAgent", &[EventKind::Stop]),
        ("BeforeModel", &[EventKind::PreModelRequest]),
        ("AfterModel", &[EventKind::PostModelRequest]),
        (
            "BeforeToolSelection",
            &[EventKind::Other("BeforeToolSelection".into())],
        ),
        ("BeforeTool", &[EventKind::PreToolUse]),
        (
            "AfterTool",
            &[EventKind::PostToolUse, EventKind::PostToolUseFailure],
        ),
        ("Notification", &[EventKind::Notification]),
        ("PreCompress", &[EventKind::PreCompact]),
    ] {
        let text = format!(
            r#"{{"hooks": {{"{name}": [{{"hooks": [{{"type": "command", "command": "x"}}]}}]}}}}"#
        );
        let found = clean(gemini, &text);
        let found: Vec<_> = found.iter().map(|hook| hook.event.clone()).collect();
        assert_eq!(found, kinds, "{name}");
    }
}

#[test]
fn one_sequential_group_makes_all_hooks_of_its_event_run_in_turn() {
    let hooks = clean(
        gemini,
        r#"{"hooks": {
            "BeforeTool": [
                {"hooks": [{"type": "command", "command": "a"}]},
                {"sequential": true, "hooks": [{"type": "command", "command": "b"}]}
            ],
            "AfterTool": [{"sequential": false, "hooks": [{"type": "command", "command": "c"}]}]
        }}"#,
    );
    let sequential: Vec<_> = hooks.iter().map(|hook| hook.sequential).collect();
    assert_eq!(sequential, [true, true, false, false]);
}

#[test]
fn file_level_switches_apply() {
    let text = |config: &str| {
        format!(
            r#"{{"hooksConfig": {config}, "hooks": {{"BeforeTool": [{{"hooks": [
                {{"type": "command", "command": "a.sh", "name": "named"}},
                {{"type": "command", "command": "b.sh"}},
                {{"type": "command", "command": "c.sh"}}
            ]}}]}}}}"#
        )
    };
    let hooks = clean(gemini, &text(r#"{"disabled": ["named", "b.sh", "a.sh"]}"#));
    let enabled: Vec<_> = hooks.iter().map(|hook| hook.enabled).collect();
    assert_eq!(enabled, [false, false, true]);
    let off = load(gemini, &text(r#"{"enabled": false}"#));
    assert!(off.hooks.iter().all(|hook| !hook.enabled));
    assert_eq!(
        problem_lines(&off),
        ["W 1 hooksConfig.enabled: all hooks in this file are disabled"]
    );
    // A named hook is identified by its name only.
    let by_command = clean(gemini, &text(r#"{"disabled": ["a.sh"]}"#));
    assert!(by_command[0].enabled);
}

#[test]
fn matchers_are_read_as_gemini_reads_them() {
    let one = |event: &str, matcher: &str| {
        let text = format!(
            r#"{{"hooks": {{"{event}": [{{"matcher": "{matcher}", "hooks": [{{"type": "command", "command": "x"}}]}}]}}}}"#
        );
        let layer = load(gemini, &text);
        (layer.hooks[0].matcher.clone(), problem_lines(&layer))
    };
    let (tool, quiet) = one("BeforeTool", "write");
    assert!(tool.matches("write_file"));
    assert_eq!(quiet, [""; 0]);
    let (name, loud) = one("BeforeTool", "*.js");
    assert!(name.matches("*.js") && !name.matches("a.js"));
    assert_eq!(
        loud,
        [
            "W 1 hooks.BeforeTool[0].matcher: is compared as a whole name in Gemini CLI, not as a regular expression"
        ]
    );
    let (exact, quiet) = one("SessionStart", "startup");
    assert!(exact.matches("startup") && !exact.matches("startups"));
    assert_eq!(quiet, [""; 0]);
    let (list, loud) = one("SessionStart", "startup|resume");
    assert!(!list.matches("startup"));
    assert_eq!(loud.len(), 1);
    let (_, ignored) = one("BeforeAgent", "x");
    assert!(ignored[0].contains("has no effect"), "{ignored:?}");
}

#[test]
fn unknown_gemini_keys_are_reported_and_break_only_their_entry() {
    let layer = load(
        gemini,
        r#"{"hooks": {
"PreToolUse": [{"hooks": [{"type": "command", "command": "one"}]}],
"BeforeTool": [{"hooks": [
  {"type": "http", "url": "https://x"},
  {"type": "command", "command": "two", "async": true},
  {"type": "command", "command": "x", "env": {"A=B": "c"}}
]}, {"command": "flat"}, {"hooks": [{"type": "command", "command": "three"}], "parallel": true}],
"AfterTool": {"matcher": "x"}
}}"#,
    );
    assert_eq!(
        problem_lines(&layer),
        [
            "W 2 hooks.PreToolUse: `PreToolUse` is not an event of Gemini CLI",
            "W 4 hooks.BeforeTool[0].hooks[0].url: unknown key",
            "E 4 hooks.BeforeTool[0].hooks[0].type: unknown hook type `http`",
            "W 5 hooks.BeforeTool[0].hooks[1].async: unknown key",
            "E 6 hooks.BeforeTool[0].hooks[2].env: \"A=B\" is not a valid variable name",
            "E 7 hooks.BeforeTool[1]: not a matcher group: it has no `hooks`",
            "W 7 hooks.BeforeTool[2].parallel: unknown key",
            "E 8 hooks.AfterTool: not a matcher group: it has no `hooks`",
        ]
    );
    assert_eq!(
        layer.problems[0].hint.as_deref(),
        Some("write `BeforeTool`")
    );
    let names: Vec<_> = layer.hooks.iter().map(|h| h.action.summary()).collect();
    assert_eq!(names, ["one", "two", "three"]);
    assert_eq!(layer.broken.len(), 5, "the last one for both its events");
}

#[test]
fn extension_hooks_get_their_directory() {
    let layer = gemini(&ConfigFile {
        path: Path::new("/e/hooks/hooks.json"),
        level: Level::Plugin,
        text: r#"{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "${extensionPath}/x.sh"}]}]}}"#,
        root: Some(Path::new("/e")),
    });
    let hook = only(layer.hooks);
    assert_eq!(hook.action, command("${extensionPath}/x.sh"));
    assert_eq!(hook.env, [("extensionPath".to_owned(), "/e".to_owned())]);
    assert_eq!(hook.root.as_deref(), Some(Path::new("/e")));
}

#[test]
fn small_timeouts_are_milliseconds() {
    let hook = only(clean(
        gemini,
        r#"{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "x", "timeout": 30}]}]}}"#,
    ));
    assert_eq!(hook.timeout, Duration::from_millis(30));
    assert_ne!(hook.timeout, seconds(30));
}
