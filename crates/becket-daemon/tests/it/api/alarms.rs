//! Alarms: raised, told as they come, and seen.

use becket_store::Millis;
use serde_json::{Value, json};

use super::world::{World, denied, record};

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

/// A call that Claude Code tells by telemetry, so many minutes ago.
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
fn an_alarm_is_told_in_the_stream_when_it_is_raised() {
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
fn alarms_are_noted_as_seen_over_the_socket() {
    let world = World::with(&[
        denied(call("e1", 1, "PreToolUse")),
        call("e2", 2, "PostToolUse"),
    ]);
    let ask = |request: Value| world.ask_socket(&request)["acknowledged"].clone();
    assert_eq!(ask(json!({ "do": "acknowledge", "alarm": "nobody" })), 0);
    assert_eq!(alarms(&world).len(), 1);
    assert_eq!(ask(json!({ "do": "acknowledge" })), 1);
    assert_eq!(alarms(&world), [Value::Null; 0]);
    assert_eq!(ask(json!({ "do": "acknowledge" })), 0);
}

#[test]
fn an_agent_that_works_while_its_hooks_are_silent_is_found_out() {
    let world = World::with(&[]);
    assert_eq!(
        world.post("/v1/logs", "", &told(10).to_string()).status,
        200
    );
    let world = world.watched();
    let started = std::time::Instant::now();
    let found = loop {
        match alarms(&world).pop() {
            Some(alarm) => break alarm,
            None => assert!(started.elapsed() < super::world::PATIENCE, "no alarm"),
        }
    };
    assert_eq!(found["kind"], "silent_hooks");
    assert_eq!(found["session"], "quiet");
}
