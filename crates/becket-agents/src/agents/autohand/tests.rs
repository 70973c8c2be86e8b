//! Tests beyond the ordinary cases in `fixtures/autohand/`.
//!
//! [`read`] is a model of how Autohand interprets a reply before a tool, written from its source: the tests
//! check what Autohand would do, not the printed text.

mod laws;

use becket_model::{Decision, Event, EventData, EventKind, Verdict};
use serde_json::{Map, Value, json};

use super::AUTOHAND;
use super::events::EVENTS;
use crate::adapter::{Adapter, Recognition, Rendered, SenderClues, recognise};
use crate::arbitrary::verdict;

/// The fate of a call.
#[derive(Debug, PartialEq)]
enum AutohandFate {
    Rejected(String),
    Asked(Map<String, Value>),
    Approved(Map<String, Value>),
    /// Autohand's own rules decide.
    Left(Map<String, Value>),
}

impl AutohandFate {
    fn input(&self) -> Option<&Map<String, Value>> {
        match self {
            Self::Rejected(_) => None,
            Self::Asked(input) | Self::Approved(input) | Self::Left(input) => Some(input),
        }
    }
}

const GATES: [&str; 2] = ["pre-tool", "permission-request"];

fn read(announced: &Map<String, Value>, rendered: &Rendered) -> AutohandFate {
    let rejected = |why: &str| AutohandFate::Rejected(why.to_owned());
    if rendered.exit != 0 {
        return rejected(rendered.stderr.trim());
    }
    let text = rendered.stdout.trim();
    if !text.starts_with('{') {
        return AutohandFate::Left(announced.clone());
    }
    let Ok(Value::Object(reply)) = serde_json::from_str(text) else {
        return rejected("malformed JSON");
    };
    let word = reply.get("decision");
    let known = [json!("allow"), json!("deny"), json!("ask"), json!("block")];
    let strings = ["reason", "stopReason", "additionalContext"];
    let fits = word.is_none_or(|word| known.contains(word))
        && reply.get("continue").is_none_or(Value::is_boolean)
        && strings
            .iter()
            .all(|key| reply.get(*key).is_none_or(Value::is_string))
        && reply.get("updatedInput").is_none_or(Value::is_object);
    if !fits {
        return rejected("malformed response");
    }
    let mut input = announced.clone();
    if let Some(Value::Object(updated)) = reply.get("updatedInput") {
        let reserved = ["type", "tool", "__proto__", "prototype", "constructor"];
        if reserved.iter().any(|key| updated.contains_key(*key)) {
            return rejected("reserved");
        }
        input.extend(updated.clone());
    }
    let reason = |key: &str| reply.get(key).and_then(Value::as_str).unwrap_or_default();
    if reply.get("continue") == Some(&json!(false)) {
        return rejected(reason("stopReason"));
    }
    match word.and_then(Value::as_str) {
        Some("deny" | "block") => rejected(reason("reason")),
        Some("ask") => AutohandFate::Asked(input),
        Some("allow") => AutohandFate::Approved(input),
        _ => AutohandFate::Left(input),
    }
}

fn event(payload: &Value) -> Event {
    AUTOHAND
        .parse(None, payload.as_object().unwrap().clone())
        .unwrap()
}

/// A payload with all required fields.
fn named(name: &str) -> Event {
    event(&json!({
        "hook_event_name": name, "tool_name": "shell", "tool_input": { "command": "ls" },
        "file_path": "a.rs", "instruction": "hi",
    }))
}

fn call_of(tool: &str, input: &Value) -> Event {
    event(&json!({ "hook_event_name": "pre-tool", "tool_name": tool, "tool_input": input }))
}

fn rewrite(input: Value) -> Decision {
    Decision {
        updated_input: Some(input),
        ..Decision::default()
    }
}

#[test]
fn the_documented_payload_with_its_nulls_reads_like_the_one_without() {
    let short = json!({
        "session_id": "abc123", "cwd": "/w", "hook_event_name": "pre-tool", "tool_name": "write_file",
        "tool_input": { "path": "src/index.ts", "content": "x" }, "tool_use_id": "call_123",
    });
    let mut long = short.clone();
    for key in [
        "tool_response",
        "tool_success",
        "file_path",
        "change_type",
        "instruction",
        "mentioned_files",
        "tokens_used",
        "tool_calls_count",
        "turn_tool_calls",
        "turn_duration",
        "duration",
        "error",
        "error_code",
        "session_type",
        "session_end_reason",
        "subagent_id",
        "subagent_name",
        "subagent_type",
        "subagent_success",
        "subagent_error",
        "subagent_duration",
        "permission_type",
        "notification_type",
        "notification_message",
    ] {
        long[key] = Value::Null;
    }
    let (short, mut long) = (event(&short), event(&long));
    long.raw.clone_from(&short.raw);
    assert_eq!(long, short);
    assert_eq!(short.session.as_str(), "abc123");
}

#[test]
fn null_in_every_optional_key_of_every_event_is_nothing() {
    for native in &EVENTS {
        let bare = json!({
            "hook_event_name": native.native, "tool_name": "shell", "tool_input": {}, "file_path": "a",
            "instruction": "hi",
        });
        let mut nulls = bare.clone();
        for key in [
            "session_id",
            "cwd",
            "tool_use_id",
            "tool_response",
            "tool_success",
            "error",
            "session_type",
            "session_end_reason",
            "subagent_id",
            "subagent_type",
            "subagent_success",
            "notification_type",
            "notification_message",
            "summary",
            "context_reason",
            "team_task_id",
            "team_name",
            "review_path",
            "goal_objective",
            "automode_prompt",
        ] {
            nulls[key] = Value::Null;
        }
        assert_eq!(event(&bare).data, event(&nulls).data, "{}", native.native);
    }
}

#[test]
fn a_response_is_a_stop_under_either_name() {
    for name in ["stop", "post-response"] {
        let event = named(name);
        assert_eq!(event.kind(), EventKind::Stop);
        assert_eq!(event.native_name, name);
    }
}

#[test]
fn a_guard_sees_the_arguments_of_a_command() {
    for tool in ["run_command", "shell", "custom_command"] {
        let event = call_of(tool, &json!({ "command": "rm", "args": ["-rf", "/"] }));
        let call = event.call().unwrap();
        assert_eq!((&*call.name, call.command()), ("Bash", Some("rm -rf /")));
    }
}

#[test]
fn a_rewritten_command_leaves_no_arguments_behind() {
    let event = call_of(
        "shell",
        &json!({ "command": "rm", "args": ["-rf", "/"], "directory": "a" }),
    );
    let rendered = AUTOHAND.render(&event, &rewrite(json!({ "command": "rm -ri build" })));
    let reply: Value = serde_json::from_str(&rendered.stdout).unwrap();
    assert_eq!(
        reply,
        json!({ "updatedInput": { "command": "rm -ri build", "args": [] } })
    );
}

#[test]
fn tools_have_their_canonical_names_and_keys() {
    for (tool, input, name, expected) in [
        (
            "read_file",
            json!({ "path": "a" }),
            "Read",
            json!({ "file_path": "a" }),
        ),
        (
            "write_file",
            json!({ "path": "a", "contents": "x" }),
            "Write",
            json!({ "file_path": "a", "content": "x" }),
        ),
        (
            "write_file",
            json!({ "path": "a", "content": "x" }),
            "Write",
            json!({ "file_path": "a", "content": "x" }),
        ),
        (
            "append_file",
            json!({ "path": "a", "contents": "x" }),
            "Edit",
            json!({ "file_path": "a", "new_string": "x" }),
        ),
        (
            "apply_patch",
            json!({ "path": "a", "patch": "@@" }),
            "Edit",
            json!({ "file_path": "a", "patch": "@@" }),
        ),
        (
            "search_replace",
            json!({ "path": "a", "blocks": "b" }),
            "Edit",
            json!({ "file_path": "a", "blocks": "b" }),
        ),
        (
            "delete_path",
            json!({ "path": "a" }),
            "Delete",
            json!({ "file_path": "a" }),
        ),
        (
            "fff_grep",
            json!({ "query": "x", "path": "a" }),
            "Grep",
            json!({ "pattern": "x", "file_path": "a" }),
        ),
        (
            "fff_find",
            json!({ "query": "x" }),
            "Glob",
            json!({ "pattern": "x" }),
        ),
        (
            "list_tree",
            json!({ "path": "a" }),
            "List",
            json!({ "file_path": "a" }),
        ),
        (
            "fetch_url",
            json!({ "url": "u" }),
            "WebFetch",
            json!({ "url": "u" }),
        ),
        (
            "web_search",
            json!({ "query": "q" }),
            "WebSearch",
            json!({ "query": "q" }),
        ),
        (
            "delegate_task",
            json!({ "task": "t" }),
            "Task",
            json!({ "task": "t" }),
        ),
        (
            "create_directory",
            json!({ "path": "a" }),
            "create_directory",
            json!({ "file_path": "a" }),
        ),
        (
            "rename_path",
            json!({ "from": "a", "to": "b" }),
            "rename_path",
            json!({ "from": "a", "to": "b", "file_paths": ["a", "b"] }),
        ),
        (
            "mcp__db__query",
            json!({ "path": "a" }),
            "mcp__db__query",
            json!({ "path": "a" }),
        ),
    ] {
        let event = call_of(tool, &input);
        let call = event.call().unwrap();
        assert_eq!((&*call.name, &call.input), (name, &expected), "{tool}");
        assert_eq!(call.native_name, tool);
    }
}

#[test]
fn both_ends_of_a_rename_are_its_paths() {
    let event = call_of("rename_path", &json!({ "from": ".env", "to": "a" }));
    assert_eq!(event.paths(), [".env", "a"]);
    let patched = call_of("apply_patch", &json!({ "path": ".env", "patch": "@@" }));
    assert_eq!(patched.paths(), [".env"]);
}

#[test]
fn a_tool_that_failed_is_a_failure() {
    let post = |success: Value| {
        event(&json!({
            "hook_event_name": "post-tool", "tool_name": "shell", "tool_response": "boom",
            "tool_input": { "type": "shell", "command": "make" }, "tool_success": success,
        }))
    };
    assert_eq!(post(json!(true)).kind(), EventKind::PostToolUse);
    assert_eq!(post(Value::Null).kind(), EventKind::PostToolUse);
    let failed = post(json!(false));
    let EventData::PostToolUseFailure { call, error, .. } = &failed.data else {
        panic!("{failed:?}");
    };
    assert_eq!(
        (error.as_str(), &call.input),
        ("boom", &json!({ "command": "make" }))
    );
}

#[test]
fn permission_may_be_asked_for_with_a_path_alone() {
    let event = event(&json!({
        "hook_event_name": "permission-request", "tool_name": "delete_path", "file_path": "src",
        "tool_input": null, "permission_type": "tool_approval",
    }));
    assert_eq!(event.kind(), EventKind::PermissionRequest);
    assert_eq!(event.paths(), ["src"]);
}

#[test]
fn a_key_that_autohand_reserves_is_refused_with_a_reason_of_ours() {
    let event = call_of("shell", &json!({ "command": "ls" }));
    for key in ["type", "tool", "__proto__"] {
        let mut input = json!({ "command": "ls" });
        input[key] = json!("x");
        let rendered = AUTOHAND.render(&event, &rewrite(input));
        let AutohandFate::Rejected(why) = read(&Map::new(), &rendered) else {
            panic!("{rendered:?}");
        };
        assert!(why.contains("use this instead"), "{why}");
    }
}

#[test]
fn a_message_is_never_mistaken_for_a_reply() {
    let decision = Decision {
        system_message: Some("{ not json".into()),
        ..Decision::default()
    };
    for name in GATES {
        let rendered = AUTOHAND.render(&named(name), &decision);
        assert_eq!(rendered.stdout, "Note: { not json\n");
    }
    let both = Decision {
        verdict: Verdict::Allow,
        ..decision
    };
    let rendered = AUTOHAND.render(&named("pre-tool"), &both);
    assert_eq!(rendered.stdout, "{\"decision\":\"allow\"}\n");
    assert_eq!(rendered.stderr, "{ not json\n");
}

#[test]
fn only_exit_code_2_keeps_a_skill_from_being_learnt() {
    for verdict_of in [Verdict::Ask, Verdict::Deny, Verdict::Halt] {
        let rendered = AUTOHAND.render(&named("pre-learn"), &verdict(verdict_of));
        assert_eq!(
            (rendered.exit, &*rendered.stderr),
            (2, "refused by a hook\n")
        );
    }
}

#[test]
fn unread_payload_without_guards_is_not_denied() {
    for name in GATES {
        let kind = EventKind::parse(name);
        let rendered = AUTOHAND.render_unparsed(Some(&kind), Verdict::NoOpinion, "bad");
        assert_eq!((&*rendered.stdout, rendered.exit), ("{}\n", 0));
    }
}

#[test]
fn autohand_is_known_by_its_event_names_or_by_its_variables() {
    let recognition = |name: &str, set: bool| {
        let payload = json!({ "hook_event_name": name });
        let clues = SenderClues {
            payload: payload.as_object().unwrap(),
            has_env: &|key| set && matches!(key, "HOOK_EVENT" | "HOOK_WORKSPACE"),
        };
        (
            AUTOHAND.recognises(&clues),
            recognise(&clues).map(Adapter::id),
        )
    };
    let own = (Recognition::Payload, Some("autohand"));
    assert_eq!(recognition("pre-tool", false), own);
    assert_eq!(recognition("context:compact", true), own);
    assert_eq!(
        recognition("stop", true),
        (Recognition::Environment, Some("autohand"))
    );
    assert_eq!(recognition("stop", false), (Recognition::No, None));
    assert_eq!(recognition("PreToolUse", false), (Recognition::No, None));
}

#[test]
fn a_required_key_that_is_missing_is_named() {
    for (payload, expected) in [
        (
            json!({ "hook_event_name": null }),
            "`hook_event_name` is missing",
        ),
        (
            json!({ "hook_event_name": "pre-tool", "tool_name": "shell", "tool_input": null }),
            "`tool_input` is null, not an object",
        ),
        (
            json!({ "hook_event_name": "pre-tool", "tool_input": {} }),
            "`tool_name` is missing",
        ),
        (
            json!({ "hook_event_name": "permission-request", "tool_name": "x", "tool_input": "y" }),
            "`tool_input` is a string, not an object",
        ),
        (
            json!({ "hook_event_name": "pre-prompt" }),
            "`instruction` is missing",
        ),
        (
            json!({ "hook_event_name": "file-modified" }),
            "`file_path` is missing",
        ),
    ] {
        let error = AUTOHAND.parse(None, payload.as_object().unwrap().clone());
        assert_eq!(error.unwrap_err().message, expected);
    }
}
