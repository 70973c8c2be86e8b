//! The store as its writer and its readers see it.

mod abouts;
mod api;
mod channels;
mod crashing;
mod decisions;
mod families;
mod ingesting;
mod keeping;
mod laws;
mod numbers;
mod opening;
mod reading;
mod recall;
mod recovery;
mod silence;
mod turns;
mod versions;

use becket_store::{IngestReport, Millis, Record, Writer};
use serde_json::{Value, json};

/// A moment in the tests' own time: seconds after its beginning.
fn at(seconds: f64) -> Millis {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the tests' times are small"
    )]
    let millis = (seconds * 1000.0) as i64;
    Millis(1_790_000_000_000 + millis)
}

/// A line as a client would write it for Claude Code, session `s1`, project `/home/ana/shop`.
fn record(id: &str, seconds: f64, event: &str, payload: Value) -> Value {
    let mut record = json!({
        "v": 1, "id": id, "ts": at(seconds).to_text(), "agent": "claude", "event": event, "session": "s1",
        "project": "/home/ana/shop", "decision": { "verdict": "none" }, "payload": payload,
    });
    record["payload"]["hook_event_name"] = json!(event);
    record["payload"]["session_id"] = json!("s1");
    record
}

/// The same event, but of another session.
fn of_session(mut record: Value, session: &str) -> Value {
    record["session"] = json!(session);
    record["payload"]["session_id"] = json!(session);
    record
}

fn start(id: &str, seconds: f64, source: &str) -> Value {
    record(id, seconds, "SessionStart", json!({ "source": source }))
}

fn prompt(id: &str, seconds: f64, text: &str) -> Value {
    record(id, seconds, "UserPromptSubmit", json!({ "prompt": text }))
}

fn bash(id: &str, seconds: f64, call: &str, command: &str) -> Value {
    let payload = json!({
        "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": call,
        "tool_response": { "stdout": "done", "stderr": "" },
    });
    record(id, seconds, "PostToolUse", payload)
}

fn announced(id: &str, seconds: f64, call: &str, command: &str) -> Value {
    let payload = json!({
        "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": call,
    });
    record(id, seconds, "PreToolUse", payload)
}

fn stop(id: &str, seconds: f64, answer: &str) -> Value {
    let payload = json!({ "stop_hook_active": false, "last_assistant_message": answer });
    record(id, seconds, "Stop", payload)
}

fn end(id: &str, seconds: f64) -> Value {
    record(id, seconds, "SessionEnd", json!({ "reason": "exit" }))
}

/// A usual session of two turns.
fn usual() -> Vec<Value> {
    vec![
        start("e01", 0.0, "startup"),
        prompt("e02", 1.0, "Fix the parser"),
        announced("e03", 2.0, "t1", "cargo test"),
        bash("e04", 3.0, "t1", "cargo test"),
        stop("e05", 4.0, "The parser is fixed."),
        prompt("e06", 10.0, "Now the docs"),
        bash("e07", 11.0, "t2", "mdbook build"),
        stop("e08", 12.0, "Done."),
        end("e09", 20.0),
    ]
}

fn writer() -> Writer {
    Writer::in_memory().expect("a database in memory")
}

fn ingest(writer: &mut Writer, records: &[Value]) -> IngestReport {
    let lines: Vec<String> = records.iter().map(ToString::to_string).collect();
    let records: Vec<Record<'_>> = lines.iter().map(|line| Record { line }).collect();
    writer.ingest(&records).expect("ingested")
}

/// A writer that has taken these, all at once.
fn stored(records: &[Value]) -> Writer {
    let mut writer = writer();
    ingest(&mut writer, records);
    writer
}
