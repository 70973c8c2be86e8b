//! The environment of hooks.

use std::collections::BTreeMap;

use becket_agents::contract::{EventMetadata, MAX_ENTRY_BYTES, MAX_TOTAL_BYTES, env, reserved};
use becket_model::Dialect::{Autohand, Becket, Claude, ClaudeAgent, CodeAgent};
use becket_model::{Dialect, Event, EventData, EventKind};
use serde_json::json;

use super::{
    AROUND, DIALECTS, bash, call, event, every_event, hook, kept_going, of_kind, stop,
    subagent_stop,
};

fn vars(dialect: Dialect, event: &Event) -> BTreeMap<String, String> {
    vars_with(dialect, event, &AROUND)
}

fn vars_with(
    dialect: Dialect,
    event: &Event,
    around: &EventMetadata<'_>,
) -> BTreeMap<String, String> {
    let all = env(&hook(dialect, event.kind()), event, around);
    let count = all.len();
    let map: BTreeMap<_, _> = all.into_iter().collect();
    assert_eq!(map.len(), count, "a name was given twice");
    map
}

/// The variables that a dialect sets in addition to the neutral ones.
fn own(dialect: Dialect, event: &Event) -> BTreeMap<String, String> {
    let mut vars = vars(dialect, event);
    vars.retain(|name, _| !name.starts_with("BECKET_"));
    vars
}

fn expected(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    pairs.iter().map(own).collect()
}

#[test]
fn every_hook_gets_the_neutral_names_whatever_its_dialect() {
    for dialect in Dialect::ALL {
        let mut vars = vars(dialect, &of_kind(&EventKind::PreToolUse));
        vars.retain(|name, _| name.starts_with("BECKET_"));
        assert_eq!(
            vars,
            expected(&[
                ("BECKET_EVENT", "PreToolUse"),
                ("BECKET_AGENT", "gemini"),
                ("BECKET_SESSION_ID", "s-1"),
                ("BECKET_TOOL", "Bash"),
                ("BECKET_CWD", "/home/ana/shop/api"),
                ("BECKET_EVENT_ID", "ev-1"),
                ("BECKET_HOOK", "guard"),
            ])
        );
    }
    assert_eq!(vars(Claude, &of_kind(&EventKind::Stop))["BECKET_TOOL"], "");
}

#[test]
fn code_agent_hooks_get_the_five_documented_names_and_the_programs_own() {
    assert_eq!(
        own(CodeAgent, &of_kind(&EventKind::PreToolUse)),
        expected(&[
            ("TOOL_NAME", "Bash"),
            ("TOOL_INPUT", r#"{"command":"npm test"}"#),
            ("SESSION_ID", "s-1"),
            ("COMMAND", "npm test"),
            ("HOOK_EVENT", "PreToolUse"),
            ("HOOK_SESSION_ID", "s-1"),
            ("HOOK_WORKING_DIR", "/home/ana/shop/api"),
            ("HOOK_TOOL_NAME", "Bash"),
            ("HOOK_TOOL_INPUT", r#"{"command":"npm test"}"#),
        ])
    );
    let write = EventData::PreToolUse {
        call: call("write_file", json!({ "file_path": "/a.ts", "content": "" })),
    };
    let vars = own(CodeAgent, &event("gemini", write));
    assert_eq!(vars["FILE_PATH"], "/a.ts");
    assert_eq!(vars.get("COMMAND"), None);
    let patch = EventData::PreToolUse {
        call: call(
            "apply_patch",
            json!({ "command": "*** Update File: b.rs\n" }),
        ),
    };
    let vars = own(CodeAgent, &event("codex", patch));
    assert_eq!(vars["FILE_PATH"], "b.rs");
    assert_eq!(vars.get("COMMAND"), None);
}

#[test]
fn code_agent_hooks_get_output_error_prompt_and_stop_state() {
    for (kind, name, value) in [
        (
            EventKind::PostToolUse,
            "HOOK_TOOL_OUTPUT",
            r#"{"stdout":"ok"}"#,
        ),
        (
            EventKind::PostToolUseFailure,
            "HOOK_ERROR_MESSAGE",
            "Exit code 3",
        ),
        (EventKind::UserPromptSubmit, "HOOK_USER_PROMPT", "fix it"),
        (EventKind::PermissionRequest, "HOOK_RESOURCE", "npm test"),
        (
            EventKind::PermissionRequest,
            "HOOK_PERMISSION_TYPE",
            "tool_approval",
        ),
        (EventKind::SessionEnd, "HOOK_REASON", "quit"),
        (EventKind::TaskCompleted, "HOOK_TASK_ID", "t-1"),
        (EventKind::Stop, "HOOK_STOP_HOOK_ACTIVE", "false"),
        (EventKind::SubagentStop, "HOOK_SUBAGENT_ID", "a-1"),
        (EventKind::SubagentStop, "HOOK_SUBAGENT_TYPE", "explore"),
    ] {
        assert_eq!(own(CodeAgent, &of_kind(&kind))[name], value, "{name}");
    }
    let vars = own(CodeAgent, &kept_going(of_kind(&EventKind::Stop)));
    assert_eq!(vars["HOOK_STOP_HOOK_ACTIVE"], "true");
}

#[test]
fn claude_hooks_get_the_project_and_their_plugins_root() {
    let event = of_kind(&EventKind::PreToolUse);
    assert_eq!(
        own(Claude, &event),
        expected(&[("CLAUDE_PROJECT_DIR", "/home/ana/shop")])
    );
    let mut plugin = hook(Claude, EventKind::PreToolUse);
    plugin.root = Some("/plugins/fmt".into());
    let vars = env(&plugin, &event, &AROUND);
    assert!(vars.contains(&("CLAUDE_PLUGIN_ROOT".into(), "/plugins/fmt".into())));
}

#[test]
fn claude_agent_hooks_get_the_event() {
    assert_eq!(
        own(ClaudeAgent, &of_kind(&EventKind::PreToolUse)),
        expected(&[("EVENT", "pre_tool_use")])
    );
}

#[test]
fn autohand_hooks_get_what_the_table_promises_for_each_event() {
    let with_raw = |data: EventData, raw: serde_json::Value| {
        let mut event = event("autohand", data);
        event.raw = raw.as_object().cloned().expect("an object");
        event
    };
    let tool: &[(&str, &str)] = &[
        ("HOOK_TOOL", "run_command"),
        ("HOOK_TOOL_CALL_ID", "call-1"),
        ("HOOK_ARGS", r#"{"command":"npm test"}"#),
    ];
    let also = |more: &[(&'static str, &'static str)]| [tool, more].concat();
    let text = EventData::PostToolUse {
        call: bash(),
        response: json!("plain output"),
        duration_ms: Some(7),
    };
    for (event, name, pairs) in [
        (of_kind(&EventKind::PreToolUse), "pre-tool", tool.to_vec()),
        (
            event("claude", text),
            "post-tool",
            also(&[
                ("HOOK_SUCCESS", "true"),
                ("HOOK_OUTPUT", "plain output"),
                ("HOOK_DURATION", "7"),
            ]),
        ),
        (
            of_kind(&EventKind::PostToolUseFailure),
            "post-tool",
            also(&[
                ("HOOK_SUCCESS", "false"),
                ("HOOK_OUTPUT", "Exit code 3"),
                ("HOOK_ERROR", "Exit code 3"),
                ("HOOK_DURATION", "7"),
            ]),
        ),
        (
            of_kind(&EventKind::PermissionRequest),
            "permission-request",
            also(&[("HOOK_PERMISSION_TYPE", "tool_approval")]),
        ),
        (
            of_kind(&EventKind::FileModified),
            "file-modified",
            vec![("HOOK_PATH", "src/a.rs"), ("HOOK_CHANGE_TYPE", "modify")],
        ),
        (
            with_raw(
                EventData::UserPromptSubmit { prompt: "p".into() },
                json!({ "mentioned_files": ["a.rs"] }),
            ),
            "pre-prompt",
            vec![
                ("HOOK_INSTRUCTION", "p"),
                ("HOOK_MENTIONED_FILES", r#"["a.rs"]"#),
            ],
        ),
        (
            with_raw(
                stop(false),
                json!({ "tokens_used": 9, "tool_calls_count": 3, "turn_tool_calls": 2, "turn_duration": 64 }),
            ),
            "stop",
            vec![
                ("HOOK_TOKENS", "9"),
                ("HOOK_TOOL_CALLS_COUNT", "3"),
                ("HOOK_TURN_TOOL_CALLS", "2"),
                ("HOOK_TURN_DURATION", "64"),
                ("HOOK_DURATION", "64"),
            ],
        ),
        (
            of_kind(&EventKind::SessionStart),
            "session-start",
            vec![("HOOK_SESSION_TYPE", "startup")],
        ),
        (
            of_kind(&EventKind::SessionEnd),
            "session-end",
            vec![("HOOK_SESSION_END_REASON", "quit")],
        ),
        (
            of_kind(&EventKind::SessionError),
            "session-error",
            vec![("HOOK_ERROR", "429"), ("HOOK_ERROR_CODE", "rate_limited")],
        ),
        (
            with_raw(subagent_stop(), json!({ "subagent_duration": 8120 })),
            "subagent-stop",
            vec![
                ("HOOK_SUBAGENT_ID", "a-1"),
                ("HOOK_SUBAGENT_NAME", "explore"),
                ("HOOK_SUBAGENT_TYPE", "explore"),
                ("HOOK_SUBAGENT_SUCCESS", "false"),
                ("HOOK_SUBAGENT_ERROR", "lost"),
                ("HOOK_SUBAGENT_DURATION", "8120"),
            ],
        ),
        (
            of_kind(&EventKind::Notification),
            "notification",
            vec![
                ("HOOK_NOTIFICATION_TYPE", "idle"),
                ("HOOK_NOTIFICATION_MSG", "waiting"),
            ],
        ),
    ] {
        let mut pairs = pairs;
        pairs.extend([
            ("HOOK_EVENT", name),
            ("HOOK_WORKSPACE", "/home/ana/shop/api"),
            ("HOOK_SESSION_ID", "s-1"),
        ]);
        assert_eq!(own(Autohand, &event), expected(&pairs), "{name}");
    }
}

#[test]
fn all_thirty_names_of_autohands_table_are_known() {
    let names = reserved(Autohand);
    let hooks = names
        .iter()
        .filter(|name| name.starts_with("HOOK_"))
        .count();
    assert_eq!(hooks, 30);
}

#[test]
fn becket_hooks_get_every_family_and_their_own_event_name() {
    let event = of_kind(&EventKind::PreToolUse);
    let all = vars(Becket, &event);
    assert_eq!(all["HOOK_EVENT"], "PreToolUse");
    assert_eq!(all["EVENT"], "pre_tool_use");
    for dialect in DIALECTS {
        for (name, value) in vars(dialect, &event) {
            if name != "HOOK_EVENT" {
                assert_eq!(all.get(&name), Some(&value), "{dialect:?} {name}");
            }
        }
    }
}

#[test]
fn generic_names_are_set_for_code_agent_only() {
    let others = Dialect::ALL.into_iter();
    for dialect in others.filter(|dialect| ![Becket, CodeAgent].contains(dialect)) {
        let vars = vars(dialect, &of_kind(&EventKind::PreToolUse));
        for name in [
            "COMMAND",
            "SESSION_ID",
            "TOOL_NAME",
            "TOOL_INPUT",
            "FILE_PATH",
        ] {
            assert_eq!(vars.get(name), None, "{dialect:?} {name}");
        }
    }
}

#[test]
fn reserved_names_cover_all_that_is_ever_set() {
    for dialect in Dialect::ALL {
        let names = reserved(dialect);
        for event in every_event() {
            for name in vars(dialect, &event).keys() {
                assert!(names.contains(&name.as_str()), "{dialect:?} {name}");
            }
        }
    }
}

fn with_output(bytes: usize) -> Event {
    event(
        "gemini",
        EventData::PostToolUse {
            call: bash(),
            response: json!("é".repeat(bytes / 2)),
            duration_ms: None,
        },
    )
}

#[test]
fn an_oversized_value_is_cut_between_characters_and_says_so() {
    let vars = vars(Autohand, &with_output(200 * 1024));
    let output = &vars["HOOK_OUTPUT"];
    assert!("HOOK_OUTPUT=".len() + output.len() < MAX_ENTRY_BYTES);
    assert!("HOOK_OUTPUT=".len() + output.len() + 4 >= MAX_ENTRY_BYTES);
    assert!(output.ends_with("é[truncated]"));
    assert_eq!(vars["HOOK_TOOL"], "run_command");
}

#[test]
fn a_value_that_just_fits_is_left_alone() {
    let room = MAX_ENTRY_BYTES - "HOOK_INSTRUCTION=\0".len();
    for (length, whole) in [(room, true), (room + 1, false)] {
        let prompt = "x".repeat(length);
        let event = event("gemini", EventData::UserPromptSubmit { prompt });
        let vars = vars(Autohand, &event);
        assert_eq!(!vars["HOOK_INSTRUCTION"].ends_with("[truncated]"), whole);
    }
}

#[test]
fn a_total_that_is_too_large_is_cut_at_its_largest_values() {
    let huge = "x".repeat(300 * 1024);
    let mut event = event(
        "gemini",
        EventData::PermissionRequest {
            call: call(
                "run_shell_command",
                json!({ "command": huge, "file_path": huge }),
            ),
        },
    );
    event.cwd = Some(huge.clone());
    event.session = becket_model::SessionId::new(huge);
    let mut hook = hook(Becket, EventKind::PermissionRequest);
    hook.description = None;
    let vars = env(&hook, &event, &AROUND);
    let total: usize = vars.iter().map(|(n, v)| n.len() + v.len() + 2).sum();
    assert!(total <= MAX_TOTAL_BYTES, "{total}");
    assert!(
        total > MAX_TOTAL_BYTES - 1024,
        "no more is cut than needed: {total}"
    );
    let small = vars.iter().find(|(name, _)| name == "BECKET_HOOK");
    assert_eq!(small.map(|(_, value)| value.as_str()), Some("guard"));
    let cut = vars.iter().filter(|(_, v)| v.ends_with("[truncated]"));
    let lengths: Vec<_> = cut.map(|(n, v)| n.len() + v.len()).collect();
    assert!(lengths.len() > 8, "{lengths:?}");
    assert!(lengths.iter().max().unwrap() - lengths.iter().min().unwrap() <= 4);
}

#[test]
fn a_nul_byte_never_reaches_the_environment() {
    let mut event = event(
        "gemini",
        EventData::UserPromptSubmit {
            prompt: "a\0b".into(),
        },
    );
    event.session = becket_model::SessionId::new("\0");
    let vars = vars(Autohand, &event);
    assert_eq!(vars["HOOK_INSTRUCTION"], "ab");
    assert_eq!(vars["BECKET_SESSION_ID"], "");
}

#[test]
fn definition_env_overrides_the_dialect_but_not_becket() {
    let event = of_kind(&EventKind::PreToolUse);
    let mut own = hook(Claude, EventKind::PreToolUse);
    own.env = [
        ("LEVEL", "2"),
        ("CLAUDE_PROJECT_DIR", "/mine"),
        ("BECKET_AGENT", "unknown"),
        ("", "x"),
        ("A=B", "x"),
        ("LEVEL", "3\0"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .to_vec();
    let vars = env(&own, &event, &AROUND);
    let value = |name: &str| {
        let found: Vec<_> = vars.iter().filter(|(given, _)| given == name).collect();
        assert!(found.len() <= 1, "{name} is set once");
        found.first().map(|(_, value)| value.as_str())
    };
    assert_eq!(value("LEVEL"), Some("3"));
    assert_eq!(value("CLAUDE_PROJECT_DIR"), Some("/mine"));
    assert_eq!(value("BECKET_AGENT"), Some("gemini"));
    assert_eq!((value(""), value("A=B")), (None, None));
}

#[test]
fn becket_hooks_get_no_agent_detection_variables() {
    let vars = vars(Becket, &of_kind(&EventKind::PreToolUse));
    for name in ["COPILOT_CLI", "GEMINI_SESSION_ID", "CURSOR_VERSION"] {
        assert_eq!(vars.get(name), None, "{name}");
    }
    for name in [
        "CURSOR_PROJECT_DIR",
        "GEMINI_PROJECT_DIR",
        "COPILOT_PROJECT_DIR",
    ] {
        assert!(vars.contains_key(name), "{name}");
    }
}

#[test]
fn no_payload_can_choose_a_name() {
    let mut event = of_kind(&EventKind::PreToolUse);
    event.raw = json!({ "LD_PRELOAD": "/x.so", "BASH_ENV": "/x", "env": { "GIT_SSH": "/x" } })
        .as_object()
        .cloned()
        .expect("an object");
    for dialect in Dialect::ALL {
        for (name, _) in env(&hook(dialect, EventKind::PreToolUse), &event, &AROUND) {
            assert!(reserved(dialect).contains(&name.as_str()), "{name}");
        }
    }
}
