//! Alarms: raised, streamed and acknowledged.

use becket_store::Millis;
use serde_json::{Value, json};

use super::world::{Events, World, denied, record};

fn call(id: &str, second: u32, event: &str) -> Value {
    let payload = json!({
        "tool_name": "Bash", "tool_input": { "command": "rm x" }, "tool_use_id": "t1", "tool_response": {},
    });
    record(id, second, event, payload)
}

fn alarms(world: &World) -> Vec<Value> {
    let list = world.get("/api/v1/alarms").json();
    list["items"].as_array().expect("a list").clone()
}

/// A call that Claude Code reports by telemetry, some minutes ago.
fn told(minutes: i64) -> Value {
    let text = |key: &str, value: &str| json!({ "key": key, "value": { "stringValue": value } });
    let nanos = (Millis::now().0 - minutes * 60_000) * 1_000_000;
    json!({ "resourceLogs": [{
        "resource": { "attributes": [text("service.name", "claude-code")] },
        "scopeLogs": [{ "logRecords": [{
            "timeUnixNano": nanos.to_string(),
            "body": { "stringValue": "claude_code.tool_result" },
            "attributes": [
                text("event.name", "tool_result"), text("session.id", "quiet"), text("tool_name", "Bash"),
                text("tool_use_id", "t9"), text("success", "true"),
            ],
        }] }],
    }] })
}

#[test]
fn raised_alarm_is_sent_in_the_stream() {
    let world = World::with(&[]);
    let mut all = world.stream("/api/v1/events/stream", "");
    let mut of_session = world.stream("/api/v1/events/stream?session=s1", "");
    world.record(&[denied(call("e1", 1, "PreToolUse"))]);
    world.record(&[call("e2", 2, "PostToolUse")]);
    for stream in [&mut all, &mut of_session] {
        let alarm = stream.named("alarm");
        assert_eq!(alarm["id"], "denied-call-ran:e1");
        assert_eq!(alarm["kind"], "denied_call_ran");
        assert_eq!(alarm["session"], "s1");
    }
}

#[test]
fn connecting_stream_sends_open_alarms_first() {
    let world = World::with(&[
        denied(call("e1", 1, "PreToolUse")),
        call("e2", 2, "PostToolUse"),
    ]);
    let first = |stream: &mut Events| {
        let (name, mut data) = stream.told().expect("an event");
        (name, data["id"].take())
    };
    let last = world.get("/api/v1/events").json()["cursor"].to_string();
    let back = format!("Last-Event-ID: {last}\r\n");
    for headers in ["", back.as_str()] {
        let mut stream = world.stream("/api/v1/events/stream?session=s1", headers);
        let alarm = ("alarm".to_owned(), json!("denied-call-ran:e1"));
        assert_eq!(first(&mut stream), alarm);
    }
    // Alarms of other sessions are not sent, and neither are open alarms to a client with a position.
    let mut elsewhere = world.stream("/api/v1/events/stream?session=s2", "");
    let mut page = world.stream(&format!("/api/v1/events/stream?since={last}"), "");
    let mut other = record("e9", 9, "Stop", json!({}));
    other["session"] = json!("s2");
    other["payload"]["session_id"] = json!("s2");
    world.record(&[other]);
    for stream in [&mut elsewhere, &mut page] {
        assert_eq!(first(stream), (String::new(), json!("e9")));
    }
    world.ask_socket(&json!({ "do": "acknowledge" }));
    let mut seen = world.stream("/api/v1/events/stream", "");
    world.record(&[record("e10", 10, "Stop", json!({}))]);
    assert_eq!(first(&mut seen), (String::new(), json!("e10")));
}

#[test]
fn alarms_are_acknowledged_over_the_socket() {
    let world = World::with(&[
        denied(call("e1", 1, "PreToolUse")),
        call("e2", 2, "PostToolUse"),
    ]);
    let ask = |request: Value| world.ask_socket(&request)["acknowledged"].clone();
    assert_eq!(ask(json!({ "do": "acknowledge", "alarm": "missing" })), 0);
    assert_eq!(alarms(&world).len(), 1);
    assert_eq!(ask(json!({ "do": "acknowledge" })), 1);
    assert_eq!(alarms(&world), [Value::Null; 0]);
    assert_eq!(ask(json!({ "do": "acknowledge" })), 0);
}

fn first_alarm(world: &World) -> Value {
    let started = std::time::Instant::now();
    loop {
        match alarms(world).pop() {
            Some(alarm) => return alarm,
            None => assert!(started.elapsed() < becket_testkit::PATIENCE, "no alarm"),
        }
    }
}

#[test]
fn growing_transcript_without_hook_events_raises_an_alarm() {
    let mut heard = record("e1", 1, "UserPromptSubmit", json!({ "prompt": "hi" }));
    heard["ts"] = json!(Millis(Millis::now().0 - 3_600_000).to_text());
    heard["decision"] = json!({ "verdict": "none" });
    let world = World::with(&[heard]);
    let session = "020f002d-0448-45e0-a9c2-b5863ebb5f91";
    let dir = world.home().join(".claude/projects/-home-ana-shop");
    std::fs::create_dir_all(&dir).expect("created");
    let path = dir.join(format!("{session}.jsonl"));
    let file = std::fs::File::create(path).expect("created");
    let ten_minutes_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(600);
    file.set_modified(ten_minutes_ago).expect("set");
    let world = world.watched();
    let found = first_alarm(&world);
    assert_eq!(found["kind"], "silent_hooks");
    assert_eq!(found["id"], format!("silent-hooks:{session}"));
}

#[test]
fn telemetry_without_hook_events_raises_an_alarm() {
    let world = World::with(&[]);
    assert_eq!(
        world.post("/v1/logs", "", &told(10).to_string()).status,
        200
    );
    let world = world.watched();
    let found = first_alarm(&world);
    assert_eq!(found["kind"], "silent_hooks");
    assert_eq!(found["session"], "quiet");
}
