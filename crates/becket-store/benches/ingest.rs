//! Durable ingest rate by transaction size, and the latency of common queries afterwards.
#![allow(missing_docs, clippy::print_stdout, reason = "a benchmark talks")]

use std::time::{Duration, Instant};

use becket_store::{
    Durability, Millis, Options, QueryScope, RecordLine, SearchFilter, SessionFilter, StoreReader,
    StoreWriter,
};
use serde_json::{Value, json};

const BEGINNING: i64 = 1_790_000_000_000;

/// Eight interleaved sessions of prompts, five calls and a stop. About 1 KB per record.
fn lines(count: usize) -> Vec<String> {
    (0..count).map(|number| line(number).to_string()).collect()
}

fn line(number: usize) -> Value {
    let (session, step) = (number % 8, number / 8);
    let (event, payload) = match step % 12 {
        0 => (
            "UserPromptSubmit",
            json!({ "prompt": format!("Make parseHeader number {step} return early. {}", words(step)) }),
        ),
        11 => (
            "Stop",
            json!({ "stop_hook_active": false, "last_assistant_message": words(step) }),
        ),
        odd if odd % 2 == 1 => ("PreToolUse", call(step + 1)),
        _ => {
            let mut after = call(step);
            after["tool_response"] = json!({ "stdout": words(step), "stderr": "" });
            ("PostToolUse", after)
        }
    };
    let mut record = json!({
        "v": 1, "id": format!("{number:026}"), "ts": Millis(BEGINNING + i64::try_from(number).unwrap_or(0) * 20).to_text(),
        "agent": "claude", "event": event, "session": format!("020f002d-0448-45e0-a9c2-b5863ebb5f9{session}"),
        "project": "/home/dev/app", "decision": { "verdict": "none" }, "payload": payload,
    });
    record["payload"]["hook_event_name"] = json!(event);
    record["payload"]["transcript_path"] =
        json!("/home/dev/.claude/projects/-home-dev-app/020f002d.jsonl");
    record
}

fn call(step: usize) -> Value {
    json!({
        "tool_name": "Edit", "tool_use_id": format!("toolu_{step}"),
        "tool_input": { "file_path": format!("/home/dev/app/src/part_{}.rs", step % 97), "old_string": words(step), "new_string": "x" },
    })
}

fn words(step: usize) -> String {
    let list = [
        "parse", "header", "token", "socket", "retry", "budget", "schema", "cursor", "window",
        "branch",
    ];
    let pick = |n: usize| list[(step * 7 + n * n) % list.len()];
    (0..60).map(pick).collect::<Vec<_>>().join(" ")
}

fn main() {
    for durability in [Durability::Synced, Durability::Process] {
        println!("events/s, {durability:?}, by events in a group:");
        for (group, events) in [(1, 400), (100, 8_000), (1000, 40_000)] {
            measure(durability, group, events);
        }
    }
}

fn measure(durability: Durability, group: usize, events: usize) {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
    let path = dir.path().join("trail.db");
    let options = Options {
        durability,
        ..Options::default()
    };
    let mut writer = StoreWriter::open(&path, options).expect("opened");
    let lines = lines(events);
    let bytes: usize = lines.iter().map(String::len).sum();
    let (started, busy) = (Instant::now(), processor_time());
    for chunk in lines.chunks(group) {
        let records: Vec<RecordLine<'_>> = chunk.iter().map(|line| RecordLine { line }).collect();
        writer.ingest(&records).expect("stored");
    }
    let took = started.elapsed();
    // CPU time, which does not depend on the load of the machine.
    let busy = processor_time().saturating_sub(busy) / u32::try_from(events).unwrap_or(1);
    println!(
        "  {group:5}  {:8.0}/s, {busy:.1?} of processor each   ({events} events of {} bytes)",
        per_second(events, took),
        bytes / events
    );
    if group == 1000 && durability == Durability::Process {
        questions(&StoreReader::open(&path).expect("opened"), events);
    }
}

/// The CPU time of this thread, where the system reports it.
fn processor_time() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = told.split(' ').next().and_then(|first| first.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(0))
}

#[expect(clippy::cast_precision_loss, reason = "a rate is no exact number")]
fn per_second(events: usize, took: Duration) -> f64 {
    events as f64 / took.as_secs_f64()
}

fn questions(reader: &StoreReader, events: usize) {
    println!("median of 20 answers, {events} events stored:");
    let scope = QueryScope::default();
    let search = SearchFilter {
        text: "parseHeader 1200",
        scope,
        session: None,
        limit: 20,
    };
    ask("search for two words", || reader.search(&search));
    let sessions = SessionFilter::default();
    ask("list of sessions", || reader.sessions(&sessions));
    ask("events since a place", || reader.events_since(1000, 100));
    let minute = Duration::from_secs(60);
    ask("events over time", || {
        reader.events_over_time(&scope, minute)
    });
    ask("busiest files", || reader.busiest_files(&scope, 20));
}

fn ask<T>(what: &str, question: impl Fn() -> Result<T, becket_store::Error>) {
    let mut times: Vec<Duration> = (0..20)
        .map(|_| {
            let started = Instant::now();
            std::hint::black_box(question().expect("answered"));
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    println!("  {what:24} {:9.2?}", times[times.len() / 2]);
}
