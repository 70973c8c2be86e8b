//! The store through its public API.

mod aggregates;
mod api;
mod crash;
mod decisions;
mod dedupe_sources;
mod describe;
mod ingest;
mod laws;
mod maintenance;
mod missing_hooks;
mod open;
mod parents;
mod queries;
mod recall;
mod recovery;
mod turns;
mod versions;

use becket_store::{IngestReport, Millis, RecordLine, StoreWriter};
use serde_json::{Value, json};

/// A time in the tests: seconds after a fixed start.
fn at(seconds: f64) -> Millis {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the tests' times are small"
    )]
    let millis = (seconds * 1000.0) as i64;
    Millis(1_790_000_000_000 + millis)
}

/// A record as a client writes it for Claude Code, session `s1`, project `/home/ana/shop`.
fn record(id: &str, seconds: f64, event: &str, payload: Value) -> Value {
    let mut record = json!({
        "v": 1, "id": id, "ts": at(seconds).to_text(), "agent": "claude", "event": event, "session": "s1",
        "project": "/home/ana/shop", "decision": { "verdict": "none" }, "payload": payload,
    });
    record["payload"]["hook_event_name"] = json!(event);
    record["payload"]["session_id"] = json!("s1");
    record
}

/// The same event in another session.
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

/// An ordinary session with two turns.
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

fn writer() -> StoreWriter {
    StoreWriter::in_memory().expect("a database in memory")
}

fn ingest(writer: &mut StoreWriter, records: &[Value]) -> IngestReport {
    let lines: Vec<String> = records.iter().map(ToString::to_string).collect();
    let records: Vec<RecordLine<'_>> = lines.iter().map(|line| RecordLine { line }).collect();
    writer.ingest(&records).expect("ingested")
}

/// A writer with these records, ingested at once.
fn stored(records: &[Value]) -> StoreWriter {
    let mut writer = writer();
    ingest(&mut writer, records);
    writer
}
