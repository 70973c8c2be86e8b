//! Ingesting records.

use std::fs;
use std::path::Path;

use becket_agents::{adapters, payload};
use becket_store::{ActivityFilter, RecordLine, SessionFilter};
use serde_json::json;

use crate::{announced, at, bash, ingest, prompt, record, start, stored, usual, writer};

#[test]
fn ordinary_session_fills_every_table() {
    let writer = stored(&usual());
    let reader = writer.reader();
    let session = reader.session("s1").unwrap().unwrap();
    assert_eq!(session.agent, "claude");
    assert_eq!(session.project.as_deref(), Some("/home/ana/shop"));
    assert_eq!(session.status, "completed");
    assert_eq!(session.source.as_deref(), Some("startup"));
    assert_eq!(
        (session.started_at, session.ended_at),
        (at(0.0), Some(at(20.0)))
    );
    assert_eq!(session.end_reason.as_deref(), Some("exit"));
    assert_eq!((session.prompts, session.tool_calls), (2, 2));
    assert_eq!(session.first_prompt.as_deref(), Some("Fix the parser"));
    let batches = reader.batches("s1").unwrap();
    let told: Vec<_> = batches
        .iter()
        .map(|b| {
            (
                b.id.as_str(),
                b.number,
                b.prompt.as_deref(),
                b.response.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            (
                "e02",
                1,
                Some("Fix the parser"),
                Some("The parser is fixed.")
            ),
            ("e06", 2, Some("Now the docs"), Some("Done.")),
        ]
    );
    let activities = reader.activities(&ActivityFilter::default()).unwrap().items;
    assert_eq!(
        activities[1].input.as_deref(),
        Some(r#"{"command":"cargo test"}"#)
    );
    assert_eq!(activities[1].output.as_deref(), Some("done"));
    assert_eq!(activities[1].batch.as_deref(), Some("e02"));
}

#[test]
fn ingest_is_idempotent() {
    let mut writer = writer();
    assert_eq!(ingest(&mut writer, &usual()).stored, 9);
    let again = ingest(&mut writer, &usual());
    assert_eq!((again.stored, again.already_stored), (0, 9));
    assert!(again.sessions.is_empty() && again.ended_batches.is_empty());
    assert_eq!(writer.reader().last_seq().unwrap(), 9);
}

#[test]
fn ingest_report_lists_ended_batches_and_sessions() {
    let mut writer = writer();
    let report = ingest(&mut writer, &usual()[..5]);
    assert_eq!(report.sessions.into_iter().collect::<Vec<_>>(), ["s1"]);
    assert_eq!(
        report.ended_batches.into_iter().collect::<Vec<_>>(),
        ["e02"]
    );
    assert!(report.ended_sessions.is_empty());
    let report = ingest(&mut writer, &usual());
    assert_eq!(
        report.ended_sessions.into_iter().collect::<Vec<_>>(),
        ["s1"]
    );
}

#[test]
fn unparsable_records_are_stored_as_they_are() {
    let mut writer = writer();
    let lines = [
        "not json",
        "[1, 2]",
        "\"text\"",
        "{}",
        r#"{"v":1,"id":"x1","event":"PreToolUse","agent":"claude","error":"the payload is empty","bytes":0}"#,
        r#"{"v":1,"id":"x2","event":"PreToolUse","agent":"claude","session":"s1","payload":{"tool_name":"Bash"}}"#,
        r#"{"v":9,"id":"x3","event":"MoonPhase","agent":"stranger","session":"s1","payload":{"phase":"full"}}"#,
    ];
    let records: Vec<RecordLine<'_>> = lines.iter().map(|line| RecordLine { line }).collect();
    let report = writer.ingest(&records).unwrap();
    assert_eq!((report.stored, report.problems), (7, 5));
    assert_eq!(writer.ingest(&records).unwrap().already_stored, 7);
    let reader = writer.reader();
    let problem = |id: &str| reader.event(id).unwrap().unwrap().problem;
    assert_eq!(problem("x1").as_deref(), Some("the payload is empty"));
    assert_eq!(
        problem("x2").as_deref(),
        Some("not a valid claude payload: `tool_input` is missing")
    );
    let unknown = reader.event("x3").unwrap().unwrap();
    assert_eq!(
        (unknown.kind.as_str(), unknown.problem),
        ("MoonPhase", None)
    );
    assert_eq!(unknown.record, lines[6]);
}

#[test]
fn event_without_a_session_creates_no_session() {
    let mut alone = prompt("e1", 0.0, "hi");
    alone["session"] = json!("");
    let writer = stored(&[alone]);
    let reader = writer.reader();
    assert_eq!(reader.event("e1").unwrap().unwrap().session, None);
    assert!(
        reader
            .sessions(&SessionFilter::default())
            .unwrap()
            .items
            .is_empty()
    );
}

#[test]
fn record_without_a_time_uses_the_time_of_its_id() {
    let mut late = prompt("01k00000000000000000000000", 0.0, "hi");
    late.as_object_mut().unwrap().remove("ts");
    let writer = stored(&[late]);
    let event = writer.reader().event("01k00000000000000000000000").unwrap();
    assert_eq!(event.unwrap().at.0, 0x0198_0000_0000);
}

#[test]
fn activities_contain_no_file_content() {
    let write = |id: &str, seconds: f64, tool: &str, input| {
        record(
            id,
            seconds,
            "PostToolUse",
            json!({ "tool_name": tool, "tool_input": input, "tool_use_id": id, "tool_response": {} }),
        )
    };
    let writer = stored(&[
        write(
            "e1",
            0.0,
            "Write",
            json!({ "file_path": "/home/ana/shop/src/a.rs", "content": "fn main() {}" }),
        ),
        write(
            "e2",
            1.0,
            "Edit",
            json!({ "file_path": "/home/ana/shop/src/a.rs", "old_string": "a", "new_string": "bc" }),
        ),
    ]);
    let rows = writer
        .reader()
        .activities(&ActivityFilter::default())
        .unwrap()
        .items;
    assert_eq!(
        rows[1].input.as_deref(),
        Some(r#"{"file_path":"/home/ana/shop/src/a.rs","content":"<12 chars>"}"#)
    );
    assert!(
        rows[0]
            .input
            .as_ref()
            .unwrap()
            .contains(r#""new_string":"<2 chars>""#)
    );
    assert_eq!(rows[0].files.as_deref(), Some("src/a.rs"));
    let stats = writer.reader().session_stats("s1").unwrap();
    assert_eq!(
        (
            stats.files_touched,
            stats.files_created,
            stats.files_modified
        ),
        (1, 1, 1)
    );
}

#[test]
fn stderr_output_is_stored_and_is_no_failure() {
    let warned = record(
        "e1",
        0.0,
        "PostToolUse",
        json!({
            "tool_name": "Bash", "tool_input": { "command": "make" }, "tool_response": { "stdout": "ok", "stderr": "deprecated" },
        }),
    );
    let failed = record(
        "e2",
        1.0,
        "PostToolUseFailure",
        json!({
            "tool_name": "Bash", "tool_input": { "command": "make" }, "error": "x".repeat(600),
        }),
    );
    let writer = stored(&[warned, failed]);
    let rows = writer
        .reader()
        .activities(&ActivityFilter::default())
        .unwrap()
        .items;
    assert_eq!(
        (rows[1].success, rows[1].error.as_deref()),
        (true, Some("deprecated"))
    );
    assert_eq!(
        (rows[0].success, rows[0].error.as_ref().unwrap().len()),
        (false, 500)
    );
}

#[test]
fn call_duration_is_measured_unless_reported() {
    let mut told = bash("e4", 5.0, "t2", "ls");
    told["payload"]["duration_ms"] = json!(7);
    let mut writer = stored(&[
        bash("e2", 3.0, "t1", "make"),
        announced("e3", 4.0, "t2", "ls"),
        told,
    ]);
    let durations = |writer: &becket_store::StoreWriter| -> Vec<Option<i64>> {
        let rows = writer
            .reader()
            .activities(&ActivityFilter::default())
            .unwrap()
            .items;
        rows.iter().map(|row| row.duration_ms).collect()
    };
    assert_eq!(durations(&writer), [Some(7), None]);
    ingest(&mut writer, &[announced("e1", 1.5, "t1", "make")]);
    assert_eq!(durations(&writer), [Some(7), Some(1500)]);
}

#[test]
fn async_hook_run_is_linked_even_if_it_arrives_first() {
    let run = json!({ "v": 1, "id": "h1", "kind": "async_hook", "event_id": "e1", "hook": "format", "ending": "exit 1", "ms": 40 });
    let mut writer = stored(std::slice::from_ref(&run));
    assert_eq!(
        ingest(&mut writer, &[prompt("e1", 0.0, "hi"), run]).already_stored,
        1
    );
    let timeline = writer.reader().timeline("s1", 1, 10).unwrap().unwrap();
    let hooks = &timeline.batches[0].entries[0].hooks;
    assert_eq!(hooks.len(), 1);
    assert_eq!(
        (hooks[0].hook.as_str(), hooks[0].error.as_deref()),
        ("format", Some("exit 1"))
    );
    assert!(hooks[0].detached);
}

#[test]
fn injected_context_is_stored_truncated_as_a_hook_run() {
    let told = json!({
        "v": 1, "id": "t1", "kind": "told", "event_id": "e1", "hook": "recall", "ms": 3,
        "output": format!("- [gotcha] {}", "x".repeat(5_000)),
    });
    let writer = stored(&[prompt("e1", 0.0, "hi"), told]);
    let timeline = writer.reader().timeline("s1", 1, 10).unwrap().unwrap();
    let [entry] = timeline.batches[0].entries.as_slice() else {
        panic!("{timeline:?}")
    };
    let [run] = entry.hooks.as_slice() else {
        panic!("{entry:?}")
    };
    assert_eq!(
        (run.hook.as_str(), run.verdict.as_str()),
        ("recall", "none")
    );
    let output = run.output.as_deref().unwrap_or_default();
    assert!(output.starts_with("- [gotcha] xxx") && output.len() <= 2_000);
    assert!(!run.detached && run.error.is_none());
}

#[test]
fn cursor_events_through_claude_settings_count_once_as_cursor() {
    let twice = |mut event: serde_json::Value, id: &str, agent: &str| {
        event["id"] = json!(id);
        event["agent"] = json!(agent);
        event
    };
    let mut all = Vec::new();
    for (number, event) in usual().into_iter().enumerate() {
        all.push(twice(event.clone(), &format!("a{number}"), "claude"));
        all.push(twice(event, &format!("b{number}"), "cursor"));
    }
    let writer = stored(&all);
    let reader = writer.reader();
    let session = reader.session("s1").unwrap().unwrap();
    assert_eq!(session.agent, "cursor");
    assert_eq!((session.prompts, session.tool_calls), (2, 2));
    assert_eq!(reader.last_seq().unwrap(), 18);
    assert_eq!(
        reader.event("b3").unwrap().unwrap().duplicate_of.as_deref(),
        Some("a3")
    );
}

/// Ingests every payload in the fixtures, as a client would have recorded it.
#[test]
fn every_event_of_every_agent_is_ingested() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let folders = |path: &Path| -> Vec<_> {
        let entries = fs::read_dir(path)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        entries.filter(|path| path.is_dir()).collect()
    };
    let mut records = Vec::new();
    for agent in adapters() {
        for event in folders(&fixtures.join(agent.id())) {
            let hint = event.file_name().unwrap().to_string_lossy().into_owned();
            for case in folders(&event) {
                let map = payload::read(&fs::read(case.join("input.json")).unwrap()).unwrap();
                let parsed = agent.parse(Some(&hint), map).unwrap();
                let number = records.len();
                records.push((parsed.kind().name().to_owned(), json!({
                    "v": 1, "id": format!("f{number:05}"), "ts": at(1.0).to_text(), "agent": agent.id(),
                    "event": parsed.kind().name(), "session": parsed.session.as_str(),
                    "project": "/home/dev/shop", "decision": { "verdict": "none" }, "payload": parsed.raw,
                })));
            }
        }
    }
    assert!(records.len() > 500);
    let lines: Vec<_> = records.iter().map(|(_, record)| record.clone()).collect();
    let mut writer = writer();
    let report = ingest(&mut writer, &lines);
    assert_eq!(report.stored, u64::try_from(records.len()).unwrap());
    assert_eq!(report.problems, 0);
    for (kind, record) in &records {
        let id = record["id"].as_str().unwrap();
        assert_eq!(
            &writer.reader().event(id).unwrap().unwrap().kind,
            kind,
            "{record}"
        );
    }
    assert_eq!(
        writer
            .reader()
            .check(becket_store::CheckDepth::Full)
            .unwrap()
            .problems,
        [""; 0]
    );
}

#[test]
fn session_start_alone_creates_no_batch() {
    let writer = stored(&[start("e1", 0.0, "startup")]);
    let session = writer.reader().session("s1").unwrap().unwrap();
    assert_eq!((session.status.as_str(), session.prompts), ("active", 0));
    assert!(writer.reader().batches("s1").unwrap().is_empty());
}
