//! Events: kinds, subjects, paths, and the JSON that hooks read.

use becket_model::{AgentId, EventData, EventKind, SessionId, Subagent, ToolCall};
use serde_json::{Value, json};

use crate::event;

fn call() -> ToolCall {
    ToolCall::new("Bash", json!({ "command": "ls" })).with_id(Some("t1".into()))
}

/// One event of every kind, and its own fields in JSON.
fn all() -> Vec<(EventData, Value)> {
    let call_json = |more: Value| {
        let mut fields =
            json!({ "tool_name": "Bash", "tool_input": { "command": "ls" }, "tool_use_id": "t1" });
        let all = fields.as_object_mut().expect("an object");
        all.extend(more.as_object().expect("an object").clone());
        fields
    };
    vec![
        (EventData::PreToolUse { call: call() }, call_json(json!({}))),
        (
            EventData::PostToolUse {
                call: call(),
                response: json!("ok"),
                duration_ms: Some(7),
            },
            call_json(json!({ "tool_response": "ok", "duration_ms": 7 })),
        ),
        (
            EventData::PostToolUseFailure {
                call: call(),
                error: "no".into(),
                interrupted: true,
                duration_ms: None,
            },
            call_json(json!({ "error": "no", "is_interrupt": true })),
        ),
        (
            EventData::PermissionRequest { call: call() },
            call_json(json!({})),
        ),
        (
            EventData::PermissionDenied {
                call: call(),
                reason: Some("no".into()),
            },
            call_json(json!({ "reason": "no" })),
        ),
        (
            EventData::UserPromptSubmit {
                prompt: "hi".into(),
            },
            json!({ "prompt": "hi" }),
        ),
        (
            EventData::Stop {
                active: true,
                last_message: Some("Done.".into()),
            },
            json!({ "stop_hook_active": true, "last_assistant_message": "Done." }),
        ),
        (
            EventData::StopFailure {
                error: "rate_limit".into(),
                details: Some("429".into()),
            },
            json!({ "error": "rate_limit", "error_details": "429" }),
        ),
        (
            EventData::SubagentStart {
                id: "a1".into(),
                kind: "Explore".into(),
                description: "look".into(),
            },
            json!({ "agent_id": "a1", "agent_type": "Explore", "description": "look" }),
        ),
        (
            EventData::SubagentStop {
                id: "a1".into(),
                kind: "Explore".into(),
                active: false,
                success: true,
                error: Some("no".into()),
                last_message: Some("Done.".into()),
            },
            json!({
                "agent_id": "a1", "agent_type": "Explore", "stop_hook_active": false, "success": true, "error": "no",
                "last_assistant_message": "Done.",
            }),
        ),
        (
            EventData::PreCompact {
                trigger: Some("auto".into()),
                instructions: Some("short".into()),
            },
            json!({ "trigger": "auto", "custom_instructions": "short" }),
        ),
        (
            EventData::PostCompact {
                trigger: Some("auto".into()),
                summary: Some("short".into()),
            },
            json!({ "trigger": "auto", "compact_summary": "short" }),
        ),
        (
            EventData::Setup {
                trigger: Some("init".into()),
            },
            json!({ "trigger": "init" }),
        ),
        (
            EventData::SessionStart {
                source: Some("startup".into()),
            },
            json!({ "source": "startup" }),
        ),
        (
            EventData::SessionEnd {
                reason: Some("exit".into()),
            },
            json!({ "reason": "exit" }),
        ),
        (
            EventData::SessionError {
                error: "no".into(),
                code: Some("7".into()),
            },
            json!({ "error": "no", "error_code": "7" }),
        ),
        (
            EventData::Notification {
                kind: Some("idle".into()),
                message: "hi".into(),
            },
            json!({ "notification_type": "idle", "message": "hi" }),
        ),
        (
            EventData::FileModified {
                path: "a.rs".into(),
                change: Some("create".into()),
            },
            json!({ "file_path": "a.rs", "change_type": "create" }),
        ),
        (
            EventData::AgentThought { text: "hm".into() },
            json!({ "text": "hm" }),
        ),
        (
            EventData::AgentResponse { text: "ok".into() },
            json!({ "text": "ok" }),
        ),
        (EventData::PreModelRequest, json!({})),
        (EventData::PostModelRequest, json!({})),
        (
            EventData::TaskCreated {
                id: "k1".into(),
                subject: "test".into(),
            },
            json!({ "task_id": "k1", "task_subject": "test" }),
        ),
        (
            EventData::TaskCompleted {
                id: "k1".into(),
                subject: "test".into(),
            },
            json!({ "task_id": "k1", "task_subject": "test" }),
        ),
        (
            EventData::Other {
                name: "Custom".into(),
                subject: Some("x".into()),
            },
            json!({ "subject": "x" }),
        ),
    ]
}

#[test]
fn hooks_read_every_field_of_an_event_and_who_sent_it() {
    for (data, mut expected) in all() {
        let event = event(data);
        let name = event.kind().name().to_owned();
        let fields = expected.as_object_mut().expect("an object");
        for (key, value) in [
            ("schema_version", json!(1)),
            ("event", json!(name)),
            ("hook_event_name", json!(name)),
            ("agent", json!("claude")),
            ("native_event", json!(name)),
            ("session_id", json!("s1")),
            ("cwd", json!("/w")),
        ] {
            fields.insert(key.into(), value);
        }
        assert_eq!(event.to_json(), expected, "{name}");
    }
}

#[test]
fn every_canonical_kind_has_its_data_and_is_known() {
    let kinds: Vec<EventKind> = all().iter().map(|(data, _)| data.kind()).collect();
    let known: Vec<&EventKind> = kinds.iter().filter(|kind| kind.is_known()).collect();
    let mut expected: Vec<&EventKind> = EventKind::ALL.iter().collect();
    let mut found = known.clone();
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
    assert_eq!(kinds.len(), known.len() + 1);
}

#[test]
fn fields_that_an_event_does_not_have_are_left_out() {
    let mut note = event(EventData::Notification {
        kind: None,
        message: "hi".into(),
    });
    let json = note.to_json();
    for absent in [
        "notification_type",
        "transcript_path",
        "agent_id",
        "agent_type",
    ] {
        assert_eq!(json.get(absent), None, "{absent}");
    }
    note.transcript = Some("/t.jsonl".into());
    note.subagent = Some(Subagent {
        id: "a1".into(),
        kind: Some("Explore".into()),
    });
    let json = note.to_json();
    let given = ["transcript_path", "agent_id", "agent_type"].map(|key| json[key].clone());
    assert_eq!(given, ["/t.jsonl", "a1", "Explore"]);
}

#[test]
fn tools_own_name_is_sent_if_it_is_not_the_canonical_one() {
    let native = event(EventData::PreToolUse {
        call: ToolCall::new("run_shell_command", json!({})),
    });
    let json = native.to_json();
    assert_eq!(
        (&json["tool_name"], &json["native_tool_name"]),
        (&json!("Bash"), &json!("run_shell_command"))
    );
    assert_eq!(json.get("tool_use_id"), None);
}

#[test]
fn events_that_are_not_about_a_tool_have_a_subject() {
    let subjects: Vec<String> = all()
        .into_iter()
        .filter_map(|(data, _)| {
            let event = event(data);
            Some(format!("{} {}", event.kind().name(), event.subject()?))
        })
        .collect();
    assert_eq!(
        subjects,
        [
            "StopFailure rate_limit",
            "SubagentStart Explore",
            "SubagentStop Explore",
            "PreCompact auto",
            "PostCompact auto",
            "Setup init",
            "SessionStart startup",
            "SessionEnd exit",
            "Notification idle",
            "Custom x",
        ]
    );
}

#[test]
fn tool_events_have_a_call_that_can_be_rewritten() {
    for (mut data, _) in all() {
        let kind = data.kind();
        assert_eq!(data.call().is_some(), kind.is_tool(), "{kind}");
        assert_eq!(data.call_mut().is_some(), kind.is_tool(), "{kind}");
        if let Some(call) = data.call_mut() {
            call.input = json!({ "command": "ls -a" });
            let command = event(data)
                .call()
                .and_then(|call| call.command().map(str::to_owned));
            assert_eq!(command.as_deref(), Some("ls -a"));
        }
    }
}

#[test]
fn paths_are_those_of_the_call_or_of_the_changed_file() {
    let paths = |data| {
        let event = event(data);
        let paths = event.paths().into_iter();
        paths.map(str::to_owned).collect::<Vec<_>>()
    };
    let read = ToolCall::new("Read", json!({ "file_path": "b.rs" }));
    assert_eq!(paths(EventData::PreToolUse { call: read }), ["b.rs"]);
    assert_eq!(
        paths(EventData::FileModified {
            path: "a.rs".into(),
            change: None
        }),
        ["a.rs"]
    );
    assert_eq!(paths(EventData::PreModelRequest), [""; 0]);
}

#[test]
fn tool_and_guarded_events_are_few() {
    let named = |is: fn(&EventKind) -> bool| -> Vec<&str> {
        EventKind::ALL
            .iter()
            .filter(|kind| is(kind))
            .map(EventKind::name)
            .collect()
    };
    assert_eq!(
        named(EventKind::is_tool),
        [
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "PermissionRequest",
            "PermissionDenied"
        ]
    );
    assert_eq!(
        named(EventKind::is_guarded),
        ["PreToolUse", "PermissionRequest"]
    );
}

#[test]
fn suggestion_is_the_nearest_name_within_a_few_letters() {
    for (name, expected) in [
        ("Stpo", Some(EventKind::Stop)),
        ("Stp", Some(EventKind::Stop)),
        ("Stqqq", None),
        ("PostToolUseFailur", Some(EventKind::PostToolUseFailure)),
        ("PostToolUseFai", Some(EventKind::PostToolUseFailure)),
        ("PostToolUsed", Some(EventKind::PostToolUse)),
        ("ostToolUse", Some(EventKind::PostToolUse)),
        ("SubagentStrat", Some(EventKind::SubagentStart)),
        ("", None),
    ] {
        assert_eq!(EventKind::suggest(name), expected.as_ref(), "{name}");
    }
}

#[test]
fn kinds_and_ids_print_as_they_are_written_on_the_wire() {
    assert_eq!(EventKind::PreToolUse.to_string(), "pre_tool_use");
    assert_eq!(
        EventKind::Other("Worktree-Create".into()).to_string(),
        "Worktree-Create"
    );
    assert_eq!(EventKind::Stop.kebab(), "stop");
    let (agent, session) = (AgentId::new("codex"), SessionId::new("s/../9"));
    assert_eq!(
        (agent.to_string().as_str(), agent.as_str()),
        ("codex", "codex")
    );
    assert_eq!(
        (session.to_string().as_str(), session.as_str()),
        ("s/../9", "s/../9")
    );
}
