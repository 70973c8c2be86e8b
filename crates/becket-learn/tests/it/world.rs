//! A store with sessions in it, and a worker at it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use becket_agents::config::{self, File};
use becket_learn::{Desk, Habits, OwnDesk, Ran, Report, Worker, catch_up};
use becket_model::Level;
use becket_store::{MemoryFilter, MemoryRow, Millis, Record, Writer};
use becket_think::{Env, Model, ThinkSettings, model};
use serde_json::{Value, json};

pub(crate) const SHOP: &str = "/home/ana/shop";

/// A rule of a person, and a test that failed and was mended.
pub(crate) const MENDED: &str = "> run the tests. Use pnpm instead of npm.
    $ pnpm test !! Exit code 1: Error: cannot find ./cart
    ~ src/cart.ts
    $ pnpm test
    < The import was wrong because the file had been renamed.";

/// Seconds after the beginning of the tests' own time.
pub(crate) fn at(seconds: i64) -> Millis {
    Millis(1_790_000_000_000 + seconds * 1000)
}

/// A session, in the words of `script`, as a client would have recorded it.
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

pub(crate) fn ingest(writer: &mut Writer, records: &[Value]) -> becket_store::IngestReport {
    let lines: Vec<String> = records.iter().map(ToString::to_string).collect();
    let records: Vec<Record<'_>> = lines.iter().map(|line| Record { line }).collect();
    writer.ingest(&records).expect("ingested")
}

/// A desk at a store in memory in which these were recorded.
pub(crate) fn desk(records: &[Value]) -> OwnDesk {
    let mut writer = Writer::in_memory().expect("a database in memory");
    ingest(&mut writer, records);
    OwnDesk::new(writer)
}

/// All that is due, at a time long after everything.
pub(crate) fn run_all<D: Desk>(worker: &Worker<D>, now: Millis) -> Vec<Report> {
    catch_up(worker.desk(), now, 100).expect("caught up");
    let later = now.plus(Duration::from_secs(60));
    let mut reports = Vec::new();
    loop {
        match worker.run_once(later).expect("a store") {
            Ran::Idle => return reports,
            Ran::Done(report) => reports.push(report),
            other => panic!("{other:?}"),
        }
    }
}

pub(crate) fn memories(desk: &impl Desk) -> Vec<MemoryRow> {
    let filter = MemoryFilter {
        limit: 100,
        ..MemoryFilter::default()
    };
    desk.read(|reader| reader.memories(&filter))
        .expect("memories")
}

/// A model that speaks to a server, with a ledger of its own.
pub(crate) fn model_at(dir: &Path, provider: &str, url: &str, more: &str) -> Arc<dyn Model> {
    let text = format!(
        "[llm]\nprovider = '{provider}'\nbase_url = '{url}'\nmodel = 'm1'\nretries = 0\n{more}\n"
    );
    let file = File {
        path: Path::new("/home/config.toml"),
        level: Level::User,
        text: &text,
        root: None,
    };
    assert_eq!(config::becket(&file).problems, [], "{text}");
    let settings = ThinkSettings::new(config::becket_thinking(&file), dir).with_env(Env::of([]));
    model(&settings).expect("a model")
}

pub(crate) fn with_model(model: Arc<dyn Model>) -> Habits {
    Habits {
        model: Some(model),
        ..Habits::default()
    }
}
