//! Every documented notification has its documented parameters, for every agent.

use std::collections::BTreeSet;
use std::path::Path;

use becket_daemon::rpc::{
    AUTOHAND_METHODS, EVENT_METHOD, EventMetrics, RpcNotification, notifications,
};
use becket_model::EventKind;
use serde_json::{Value, json};

use super::Client;
use crate::record::{Trail, record, turn};

/// Members by method: name, type, and `?` for optional ones.
const SHAPES: [(&str, &str); 13] = [
    (
        "preTool",
        "toolId:string toolName:string args:object timestamp:string",
    ),
    (
        "postTool",
        "toolId:string toolName:string success:boolean duration:number output?:string timestamp:string",
    ),
    (
        "fileModified",
        "filePath:string changeType:create|modify|delete toolId:string timestamp:string",
    ),
    (
        "prePrompt",
        "instruction:string mentionedFiles:strings timestamp:string",
    ),
    (
        "stop",
        "tokensUsed:number toolCallsCount:number duration:number timestamp:string",
    ),
    (
        "postResponse",
        "tokensUsed:number toolCallsCount:number duration:number timestamp:string",
    ),
    (
        "sessionStart",
        "sessionType:startup|resume|clear timestamp:string",
    ),
    (
        "sessionEnd",
        "reason:quit|clear|exit|error duration:number timestamp:string",
    ),
    (
        "sessionError",
        "error:string code?:string context?:object timestamp:string",
    ),
    (
        "rateLimit",
        "error:string code?:string retryAfterMs?:number httpStatus?:number model?:string provider?:string timestamp:string",
    ),
    (
        "subagentStop",
        "subagentId:string subagentName:string subagentType:string success:boolean duration:number error?:string timestamp:string",
    ),
    (
        "permissionRequest",
        "tool:string path?:string command?:string args?:object timestamp:string",
    ),
    (
        "notification",
        "notificationType:string message:string timestamp:string",
    ),
];

fn is_a(value: &Value, kind: &str) -> bool {
    match kind {
        "string" => value.is_string(),
        "number" => value.is_u64(),
        "boolean" => value.is_boolean(),
        "object" => value.is_object(),
        "strings" => value
            .as_array()
            .is_some_and(|all| all.iter().all(Value::is_string)),
        words => words.split('|').any(|word| value == word),
    }
}

fn check_shape(told: &RpcNotification, whence: &str) {
    let name = told
        .method
        .strip_prefix("autohand.hook.")
        .expect("a documented method");
    let (_, shape) = SHAPES
        .iter()
        .find(|(known, _)| *known == name)
        .expect("a shape");
    for member in shape.split(' ') {
        let (key, kind) = member.split_once(':').expect("a member");
        let (key, optional) = key
            .strip_suffix('?')
            .map_or((key, false), |key| (key, true));
        match told.params.get(key) {
            Some(value) => assert!(is_a(value, kind), "{whence}: {name}.{key} is {value}"),
            None => assert!(optional, "{whence}: {name} has no {key}"),
        }
    }
}

#[test]
fn documented_methods_are_complete() {
    let methods: Vec<String> = SHAPES
        .iter()
        .map(|(name, _)| format!("autohand.hook.{name}"))
        .collect();
    assert_eq!(methods, AUTOHAND_METHODS);
}

/// Every payload in the fixtures, of every agent.
pub(crate) fn payloads() -> Vec<(String, String, Value)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let below = |dir: &Path| -> Vec<_> {
        let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
        entries
            .map(|entry| entry.path())
            .filter(|path| path.is_dir())
            .collect()
    };
    let name = |path: &Path| {
        path.file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned()
    };
    let mut found = Vec::new();
    for agent in below(&root) {
        for event in below(&agent) {
            for case in below(&event) {
                let text = std::fs::read_to_string(case.join("input.json")).unwrap_or_default();
                if let Ok(payload) = serde_json::from_str(&text) {
                    found.push((name(&agent), name(&event), payload));
                }
            }
        }
    }
    found
}

#[test]
fn every_agents_payloads_give_the_documented_notifications() {
    let mut seen = BTreeSet::new();
    let payloads = payloads();
    assert!(
        payloads.len() > 300,
        "only {} payloads are on file",
        payloads.len()
    );
    for (agent, event, payload) in payloads {
        let record = json!({
            "v": 1, "id": "e", "ts": "2026-11-16T01:02:03.456Z", "agent": agent, "event": event,
            "session": "s", "project": "/p", "decision": { "verdict": "none" }, "payload": payload,
        });
        for told in notifications(&record, &EventMetrics::default()) {
            let whence = format!("{agent} {event}");
            if told.method != EVENT_METHOD {
                check_shape(&told, &whence);
                seen.insert(told.method);
            }
            assert_eq!(told.params["agent"], agent, "{whence}");
            assert_eq!(
                told.params["timestamp"], "2026-11-16T01:02:03.456Z",
                "{whence}"
            );
        }
    }
    assert_eq!(
        seen,
        AUTOHAND_METHODS.into_iter().collect(),
        "each of them occurs"
    );
}

fn autohand(event: &str, payload: Value) -> Vec<(String, Value)> {
    let mut record = record("e", 0, EventKind::parse(event).name(), payload);
    record["agent"] = json!("autohand");
    record["payload"]["hook_event_name"] = json!(event);
    let all = notifications(
        &record,
        &EventMetrics {
            duration: Some(1),
            tool_calls: Some(1),
            tokens: Some(1),
        },
    );
    let name = |told: &RpcNotification| {
        told.method
            .rsplit('.')
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    all.into_iter()
        .map(|told| (name(&told), told.params))
        .collect()
}

fn check(event: &str, payload: Value, expected: &[(&str, Value)]) {
    let told = autohand(event, payload);
    let names: Vec<&str> = told.iter().map(|(name, _)| name.as_str()).collect();
    let wanted: Vec<&str> = expected.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, wanted, "{event}");
    for ((_, params), (_, expected)) in told.iter().zip(expected) {
        for (key, value) in expected.as_object().expect("an object") {
            assert_eq!(&params[key], value, "{event}: {key}");
        }
    }
}

#[test]
fn values_in_the_event_take_precedence() {
    let call = json!({ "tool_name": "run_command", "tool_input": { "command": "ls" }, "tool_use_id": "c1" });
    let with = |more: Value| {
        let mut call = call.clone();
        let fields = call.as_object_mut().expect("an object");
        fields.extend(more.as_object().expect("an object").clone());
        call
    };
    check(
        "pre-tool",
        call.clone(),
        &[(
            "preTool",
            json!({ "toolId": "c1", "toolName": "run_command", "args": { "command": "ls" } }),
        )],
    );
    check(
        "post-tool",
        with(json!({ "tool_success": true, "tool_response": "ok", "duration": 42 })),
        &[(
            "postTool",
            json!({ "toolName": "run_command", "success": true, "duration": 42, "output": "ok" }),
        )],
    );
    check(
        "post-tool",
        with(json!({ "tool_success": false, "tool_response": "no", "duration": 0 })),
        &[(
            "postTool",
            json!({ "success": false, "duration": 0, "output": "no" }),
        )],
    );
    check(
        "file-modified",
        json!({ "file_path": "a", "change_type": "delete", "tool_use_id": "c" }),
        &[(
            "fileModified",
            json!({ "filePath": "a", "changeType": "delete", "toolId": "c" }),
        )],
    );
    check(
        "pre-prompt",
        json!({ "instruction": "do", "mentioned_files": ["a"] }),
        &[(
            "prePrompt",
            json!({ "instruction": "do", "mentionedFiles": ["a"] }),
        )],
    );
    let turn = json!({ "tokensUsed": 5, "toolCallsCount": 3, "duration": 9 });
    check(
        "stop",
        json!({ "tokens_used": 5, "tool_calls_count": 3, "turn_duration": 9 }),
        &[("stop", turn.clone()), ("postResponse", turn)],
    );
    check(
        "session-start",
        json!({ "session_type": "resume" }),
        &[("sessionStart", json!({ "sessionType": "resume" }))],
    );
    check(
        "session-end",
        json!({ "session_end_reason": "error", "duration": 7 }),
        &[("sessionEnd", json!({ "reason": "error", "duration": 7 }))],
    );
    check(
        "session-error",
        json!({ "error": "429", "error_code": "quota" }),
        &[("sessionError", json!({ "error": "429", "code": "quota" }))],
    );
    check(
        "subagent-stop",
        json!({ "subagent_id": "t", "subagent_name": "n", "subagent_type": "k", "subagent_success": false, "subagent_error": "e", "subagent_duration": 8 }),
        &[(
            "subagentStop",
            json!({ "subagentId": "t", "subagentName": "n", "subagentType": "k", "success": false, "error": "e", "duration": 8 }),
        )],
    );
    check(
        "permission-request",
        with(json!({ "permission_type": "tool_approval" })),
        &[(
            "permissionRequest",
            json!({ "tool": "run_command", "command": "ls", "args": { "command": "ls" } }),
        )],
    );
    check(
        "notification",
        json!({ "notification_type": "idle", "notification_message": "hi" }),
        &[(
            "notification",
            json!({ "notificationType": "idle", "message": "hi" }),
        )],
    );
}

#[test]
fn rate_limit_is_reported_with_and_without_retry_time() {
    let limited = |more: Value| {
        let mut payload = json!({ "error": "429 quota", "error_code": "rate_limited" });
        let fields = payload.as_object_mut().expect("an object");
        fields.extend(more.as_object().expect("an object").clone());
        let told = autohand("rate-limit", payload);
        assert_eq!(told.len(), 1, "no additional session error");
        assert_eq!(told[0].0, "rateLimit");
        let mut params = told[0].1.clone();
        let names = [
            "error",
            "code",
            "retryAfterMs",
            "httpStatus",
            "model",
            "provider",
        ];
        Value::from_iter(names.map(|name| (name, params[name].take())))
    };
    assert_eq!(
        limited(json!({})),
        json!({ "error": "429 quota", "code": "rate_limited", "retryAfterMs": null, "httpStatus": null, "model": null, "provider": null })
    );
    assert_eq!(
        limited(
            json!({ "retry_after_ms": 1500, "http_status": 429, "model": "m", "provider": "p" })
        ),
        json!({ "error": "429 quota", "code": "rate_limited", "retryAfterMs": 1500, "httpStatus": 429, "model": "m", "provider": "p" })
    );
}

#[test]
fn rate_limit_subscription_accepts_any_spelling() {
    let event = |id: &str, second: i64, name: &str| {
        let mut one = record(id, second, "SessionError", json!({ "error": "429 quota" }));
        one["agent"] = json!("autohand");
        one["payload"]["hook_event_name"] = json!(name);
        one
    };
    let trail = Trail::of(&[
        event("e1", 0, "session-error"),
        event("e2", 1, "rate-limit"),
    ]);
    for name in [
        "rate-limit",
        "rateLimit",
        "RateLimit",
        "autohand.hook.rateLimit",
    ] {
        let mut client = Client::of(&trail);
        client.done("becket.subscribe", json!({ "since": 0, "events": [name] }));
        assert_eq!(client.events(), ["e2 rateLimit"], "{name}");
    }
    let mut client = Client::of(&trail);
    client.done("becket.subscribe", json!({ "since": 0 }));
    assert_eq!(client.events(), ["e1 sessionError", "e2 rateLimit"]);
}

/// A denied call that ran anyway, in the session of the record.
fn ran_all_the_same() -> [Value; 2] {
    let call = json!({ "tool_name": "Bash", "tool_input": { "command": "rm x" }, "tool_use_id": "t1", "tool_response": {} });
    let mut denied = record("e1", 0, "PreToolUse", call.clone());
    denied["decision"] = json!({ "verdict": "deny", "reason": "no" });
    [denied, record("e2", 1, "PostToolUse", call)]
}

#[test]
fn open_alarms_are_sent_once_to_matching_subscriptions() {
    let trail = Trail::of(&ran_all_the_same());
    let alarms = |wanted: Value| {
        let mut client = Client::of(&trail);
        client.done("becket.subscribe", wanted);
        let heard = client.heard();
        assert_eq!(client.heard(), [], "each alarm is sent once");
        let alarms = heard
            .into_iter()
            .filter(|(method, _)| method == "becket.alarm");
        alarms.map(|(_, params)| params).collect::<Vec<_>>()
    };
    let all = alarms(json!({}));
    assert_eq!(all.len(), 1);
    assert_eq!(all[0]["id"], "denied-call-ran:e1");
    assert_eq!(
        (&all[0]["kind"], &all[0]["eventId"]),
        (&json!("denied_call_ran"), &json!("e1"))
    );
    let (session, project) = (all[0]["sessionId"].clone(), all[0]["project"].clone());
    assert!(session.is_string() && project.is_string(), "{}", all[0]);
    for (wanted, count) in [
        (json!({ "events": ["becket.alarm"] }), 1),
        (json!({ "session": session }), 1),
        (json!({ "project": project, "agent": "claude" }), 1),
        (json!({ "events": ["stop"] }), 0),
        (json!({ "session": "another" }), 0),
        (json!({ "project": "/elsewhere" }), 0),
        (json!({ "agent": "codex" }), 0),
    ] {
        assert_eq!(alarms(wanted.clone()).len(), count, "{wanted}");
    }
}

#[test]
fn project_filter_must_be_an_absolute_path() {
    let trail = Trail::of(&turn());
    let mut client = Client::of(&trail);
    for project in [".", "", "shop"] {
        let (code, why) = client.refused("becket.subscribe", json!({ "project": project }));
        assert_eq!(code, -32602);
        assert!(why.contains("`project` must be an absolute path"), "{why}");
    }
}

#[test]
fn missing_metrics_come_from_the_record() {
    let trail = Trail::of(&turn());
    let mut client = Client::of(&trail);
    client.done("becket.subscribe", json!({ "since": 0 }));
    let heard = client.heard();
    let of = |name: &str| {
        let method = format!("autohand.hook.{name}");
        let mut found = heard.iter().filter(|(told, _)| *told == method);
        found.next().map(|(_, params)| params.clone()).expect(name)
    };
    assert_eq!(of("postTool")["duration"], 3000);
    assert_eq!(of("postTool")["output"], "all green");
    assert_eq!(of("stop")["toolCallsCount"], 1);
    assert_eq!(of("stop")["duration"], 8000);
    assert_eq!(of("sessionEnd")["duration"], 60_000);
    assert_eq!(of("sessionEnd")["reason"], "quit");
}

#[test]
fn changed_file_is_reported_once() {
    let call = json!({ "tool_name": "Write", "tool_input": { "file_path": "/p/a.rs", "content": "" }, "tool_use_id": "t1", "tool_response": { "type": "create" } });
    let mut written = vec![record("e1", 0, "PostToolUse", call)];
    let files = |records: &[Value]| {
        let trail = Trail::of(records);
        let mut client = Client::of(&trail);
        client.done(
            "becket.subscribe",
            json!({ "since": 0, "events": ["file-modified"] }),
        );
        let heard = client.heard().into_iter();
        heard
            .map(|(_, params)| (params["filePath"].clone(), params["changeType"].clone()))
            .collect::<Vec<_>>()
    };
    let expected = [(json!("/p/a.rs"), json!("create"))];
    assert_eq!(files(&written), expected);
    // A hook ran, so the client recorded the change as well.
    let mut followed = record(
        "e2",
        0,
        "FileModified",
        json!({ "tool_name": "Write", "tool_use_id": "t1", "file_path": "/p/a.rs" }),
    );
    followed["payload"]
        .as_object_mut()
        .expect("an object")
        .remove("hook_event_name");
    written.push(followed);
    assert_eq!(files(&written), expected);
}

#[test]
fn unreadable_record_is_skipped() {
    for record in [
        json!(null),
        json!({}),
        json!({ "event": "Stop" }),
        json!({ "event": "PreToolUse", "agent": "claude", "payload": {} }),
    ] {
        assert_eq!(
            notifications(&record, &EventMetrics::default()),
            [],
            "{record}"
        );
    }
}
