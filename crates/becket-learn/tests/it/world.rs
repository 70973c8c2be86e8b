//! A store with recorded sessions, and a worker on it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use becket_agents::config::{self, ConfigFile};
use becket_learn::{
    JobReport, OwnedStoreAccess, RunOutcome, StoreAccess, Worker, WorkerOptions, backfill_queue,
};
use becket_model::Level;
use becket_store::{MemoryFilter, MemoryRow, Millis, RecordLine, StoreWriter};
use becket_think::{EnvLookup, LanguageModel, ThinkSettings, configured_model};
use serde_json::{Value, json};

pub(crate) const SHOP: &str = "/home/ana/shop";

/// A rule of the user, and a failing test that is fixed.
pub(crate) const MENDED: &str = "> run the tests. Use pnpm instead of npm.
    $ pnpm test !! Exit code 1: Error: cannot find ./cart
    ~ src/cart.ts
    $ pnpm test
    < The import was wrong because the file had been renamed.";

/// Seconds after the start of the test clock.
pub(crate) fn at(seconds: i64) -> Millis {
    Millis(1_790_000_000_000 + seconds * 1000)
}

/// A session in the notation of `script`, as a client would record it.
pub(crate) fn records(session: &str, from: i64, script: &str) -> Vec<Value> {
    let mut records = Vec::new();
    let mut add = |event: &str, payload: Value| {
        let number = i64::try_from(records.len()).expect("few");
        let mut record = json!({
            "v": 1, "id": format!("{session}-{number:03}"), "ts": at(from + number).to_text(), "agent": "claude", "event": event,
            "session": session, "project": SHOP, "decision": { "verdict": "none" }, "payload": payload,
        });
        record["payload"]["hook_event_name"] = json!(event);
        record["payload"]["session_id"] = json!(session);
        records.push(record);
    };
    add("SessionStart", json!({ "source": "startup" }));
    for (number, line) in script.lines().map(str::trim).enumerate() {
        let Some((mark, rest)) = line.split_once(' ') else {
            continue;
        };
        let id = format!("{session}-t{number}");
        match mark {
            ">" => add("UserPromptSubmit", json!({ "prompt": rest })),
            "<" => add(
                "Stop",
                json!({ "stop_hook_active": false, "last_assistant_message": rest }),
            ),
            "~" => add(
                "PostToolUse",
                json!({ "tool_name": "Edit", "tool_use_id": id, "tool_input": { "file_path": format!("{SHOP}/{rest}"), "old_string": "a", "new_string": "b" }, "tool_response": {} }),
            ),
            _ => match rest.split_once(" !! ") {
                Some((command, error)) => add(
                    "PostToolUseFailure",
                    json!({ "tool_name": "Bash", "tool_use_id": id, "tool_input": { "command": command }, "error": error }),
                ),
                None => add(
                    "PostToolUse",
                    json!({ "tool_name": "Bash", "tool_use_id": id, "tool_input": { "command": rest }, "tool_response": { "stdout": "ok", "stderr": "" } }),
                ),
            },
        }
    }
    records
}

pub(crate) fn end(session: &str, seconds: i64) -> Value {
    json!({
        "v": 1, "id": format!("{session}-end{seconds}"), "ts": at(seconds).to_text(), "agent": "claude", "event": "SessionEnd",
        "session": session, "project": SHOP, "decision": { "verdict": "none" },
        "payload": { "hook_event_name": "SessionEnd", "session_id": session, "reason": "exit" },
    })
}

pub(crate) fn ingest(writer: &mut StoreWriter, records: &[Value]) -> becket_store::IngestReport {
    let lines: Vec<String> = records.iter().map(ToString::to_string).collect();
    let records: Vec<RecordLine<'_>> = lines.iter().map(|line| RecordLine { line }).collect();
    writer.ingest(&records).expect("ingested")
}

/// Access to an in-memory store with these records.
pub(crate) fn store(records: &[Value]) -> OwnedStoreAccess {
    let mut writer = StoreWriter::in_memory().expect("a database in memory");
    ingest(&mut writer, records);
    OwnedStoreAccess::new(writer)
}

/// Runs all due jobs, long after everything happened.
pub(crate) fn run_all<D: StoreAccess>(worker: &Worker<D>, now: Millis) -> Vec<JobReport> {
    backfill_queue(worker.store(), now, 100).expect("caught up");
    let later = now.plus(Duration::from_secs(60));
    let mut reports = Vec::new();
    loop {
        match worker.run_once(later).expect("a store") {
            RunOutcome::Idle => return reports,
            RunOutcome::Done(report) => reports.push(report),
            other => panic!("{other:?}"),
        }
    }
}

pub(crate) fn memories(store: &impl StoreAccess) -> Vec<MemoryRow> {
    let filter = MemoryFilter {
        limit: 100,
        ..MemoryFilter::default()
    };
    store
        .read(|reader| reader.memories(&filter))
        .expect("memories")
}

/// A model on a server, with its own usage ledger.
pub(crate) fn model_at(
    dir: &Path,
    provider: &str,
    url: &str,
    more: &str,
) -> Arc<dyn LanguageModel> {
    let text = format!(
        "[llm]\nprovider = '{provider}'\nbase_url = '{url}'\nmodel = 'm1'\nretries = 0\n{more}\n"
    );
    let file = ConfigFile {
        path: Path::new("/home/config.toml"),
        level: Level::User,
        text: &text,
        root: None,
    };
    assert_eq!(config::becket(&file).problems, [], "{text}");
    let settings =
        ThinkSettings::new(config::becket_services(&file), dir).with_env(EnvLookup::from_pairs([]));
    configured_model(&settings).expect("a model")
}

pub(crate) fn with_model(model: Arc<dyn LanguageModel>) -> WorkerOptions {
    WorkerOptions {
        model: Some(model),
        ..WorkerOptions::default()
    }
}
