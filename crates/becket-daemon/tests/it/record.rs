//! A record of agents' events, in its own database.

use std::path::PathBuf;

use becket_daemon::rpc::StoreBackend;
use becket_store::{Millis, Options, RecordLine, StoreWriter};
use serde_json::{Value, json};

pub(crate) const PROJECT: &str = "/home/ana/shop";

/// A database that is written while others read it.
pub(crate) struct Trail {
    dir: tempfile::TempDir,
    writer: Option<StoreWriter>,
}

impl Trail {
    /// A directory without a database.
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        Self { dir, writer: None }
    }

    /// A database with these records.
    pub(crate) fn of(records: &[Value]) -> Self {
        let mut trail = Self::new();
        trail.add(records);
        trail
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.dir.path().join("becket.db")
    }

    pub(crate) fn store(&self) -> StoreBackend {
        StoreBackend::at(self.path())
    }

    pub(crate) fn add(&mut self, records: &[Value]) {
        let path = self.path();
        let writer = self
            .writer
            .get_or_insert_with(|| StoreWriter::open(path, Options::default()).expect("opened"));
        let lines: Vec<String> = records.iter().map(ToString::to_string).collect();
        let records: Vec<RecordLine<'_>> = lines.iter().map(|line| RecordLine { line }).collect();
        writer.ingest(&records).expect("ingested");
    }

    /// Replaces the database by an empty one.
    pub(crate) fn begin_anew(&mut self) {
        self.writer = None;
        for suffix in ["", "-wal", "-shm"] {
            let file = self.dir.path().join(format!("becket.db{suffix}"));
            let _ = std::fs::remove_file(file);
        }
    }
}

/// A record of a Claude Code event in session `s1`, at an offset in seconds.
pub(crate) fn record(id: &str, seconds: i64, event: &str, payload: Value) -> Value {
    let at = Millis(1_790_000_000_000 + seconds * 1000).to_text();
    let mut record = json!({
        "v": 1, "id": id, "ts": at, "agent": "claude", "event": event, "session": "s1",
        "project": PROJECT, "decision": { "verdict": "none" }, "payload": payload,
    });
    record["payload"]["hook_event_name"] = json!(event);
    record["payload"]["session_id"] = json!("s1");
    record
}

pub(crate) fn bash(id: &str, seconds: i64, event: &str, call: &str, command: &str) -> Value {
    let mut payload = json!({
        "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": call,
    });
    if event == "PostToolUse" {
        payload["tool_response"] = json!({ "stdout": "all green", "stderr": "" });
    }
    record(id, seconds, event, payload)
}

/// A session of one turn, as Claude Code reports it: no durations, no counts.
pub(crate) fn turn() -> Vec<Value> {
    vec![
        record("e1", 0, "SessionStart", json!({ "source": "startup" })),
        record(
            "e2",
            1,
            "UserPromptSubmit",
            json!({ "prompt": "Fix the parser" }),
        ),
        bash("e3", 2, "PreToolUse", "t1", "cargo test"),
        bash("e4", 5, "PostToolUse", "t1", "cargo test"),
        record(
            "e5",
            9,
            "Stop",
            json!({ "last_assistant_message": "The parser is fixed." }),
        ),
        record(
            "e6",
            60,
            "SessionEnd",
            json!({ "reason": "prompt_input_exit" }),
        ),
    ]
}
