//! The turn state: assignment of events to batches, and when batches end.

use becket_store::{BatchRow, INJECTED_BEGIN, INJECTED_END, QueryScope, StoreWriter};
use serde_json::{Value, json};

use crate::{announced, at, bash, end, ingest, prompt, record, start, stop, stored};

fn batches(writer: &StoreWriter) -> Vec<BatchRow> {
    writer.reader().batches("s1").unwrap()
}

/// Number, source, and why it ended.
fn batch_summaries(records: &[Value]) -> Vec<(u32, String, Option<String>)> {
    let rows = batches(&stored(records)).into_iter();
    rows.map(|b| (b.number, b.source, b.ended_by)).collect()
}

fn row(number: u32, source: &str, ended_by: Option<&str>) -> (u32, String, Option<String>) {
    (number, source.into(), ended_by.map(str::to_owned))
}

#[test]
fn prompt_ends_the_previous_turn() {
    let records = [
        prompt("e1", 0.0, "a"),
        bash("e2", 5.0, "t", "ls"),
        prompt("e3", 60.0, "b"),
    ];
    assert_eq!(
        batch_summaries(&records),
        [row(1, "user", Some("prompt")), row(2, "user", None)]
    );
    // The time that a person took in between does not belong to the turn.
    assert_eq!(batches(&stored(&records))[0].ended_at, Some(at(5.0)));
}

#[test]
fn injected_context_is_not_part_of_the_prompt() {
    let given = format!("{INJECTED_BEGIN}\n- [gotcha] connections leak\n{INJECTED_END}");
    let records = [prompt("e1", 0.0, &format!("fix the build\n{given}"))];
    let kept = batches(&stored(&records)).pop().unwrap().prompt;
    assert_eq!(kept.as_deref(), Some("fix the build\n"));
}

#[test]
fn repeated_prompt_is_new_after_activity() {
    for between in [
        stop("e2", 1.0, "ok"),
        bash("e2", 1.0, "t", "ls"),
        announced("e2", 1.0, "t", "ls"),
        prompt("e2", 1.0, "other"),
    ] {
        let records = [
            prompt("e1", 0.0, "continue"),
            between,
            prompt("e3", 2.0, "continue"),
        ];
        let last = batches(&stored(&records)).pop().unwrap();
        assert_eq!(last.id, "e3");
    }
    let records = [prompt("e1", 0.0, "continue"), prompt("e2", 2.0, "continue")];
    assert_eq!(batch_summaries(&records), [row(1, "user", None)]);
}

#[test]
fn turn_ids_separate_equal_prompts() {
    let of_turn = |id: &str, seconds: f64, turn: &str| {
        let mut record = prompt(id, seconds, "continue");
        record["payload"]["generation_id"] = json!(turn);
        record
    };
    let same = [
        of_turn("e1", 0.0, "g1"),
        bash("e2", 1.0, "t", "ls"),
        of_turn("e3", 2.0, "g1"),
    ];
    assert_eq!(batch_summaries(&same).len(), 1);
    let other = [of_turn("e1", 0.0, "g1"), of_turn("e3", 2.0, "g2")];
    assert_eq!(batch_summaries(&other).len(), 2);
}

#[test]
fn activity_soon_after_a_stop_reopens_the_turn() {
    let records = |seconds: f64| {
        [
            prompt("e1", 0.0, "a"),
            stop("e2", 10.0, "x"),
            bash("e3", seconds, "t", "ls"),
        ]
    };
    assert_eq!(batch_summaries(&records(70.0)), [row(1, "user", None)]);
    assert_eq!(
        batch_summaries(&records(70.1)),
        [row(1, "user", Some("stop")), row(2, "system", None)]
    );
}

#[test]
fn activity_without_a_prompt_gets_a_system_batch() {
    assert_eq!(
        batch_summaries(&[bash("e1", 0.0, "t", "ls")]),
        [row(1, "system", None)]
    );
}

#[test]
fn kept_going_stop_does_not_end_the_turn_unless_lost() {
    let mut kept = stop("e2", 1.0, "half");
    kept["decision"] = json!({ "verdict": "none", "keep_going": "run the tests" });
    let records = [prompt("e1", 0.0, "a"), kept.clone()];
    assert_eq!(batch_summaries(&records), [row(1, "user", None)]);
    kept["lost"] = json!(["keep going"]);
    let records = [prompt("e1", 0.0, "a"), kept];
    assert_eq!(batch_summaries(&records), [row(1, "user", Some("stop"))]);
}

#[test]
fn late_answer_is_kept_if_the_turn_has_none() {
    let mut silent = stop("e2", 1.0, "");
    silent["payload"]["last_assistant_message"] = Value::Null;
    let rows = batches(&stored(&[
        prompt("e1", 0.0, "a"),
        silent,
        stop("e3", 2.0, "late"),
    ]));
    assert_eq!(rows[0].response.as_deref(), Some("late"));
    assert_eq!(rows[0].ended_at, Some(at(1.0)));
    let rows = batches(&stored(&[
        prompt("e1", 0.0, "a"),
        stop("e2", 1.0, "first"),
        stop("e3", 2.0, "late"),
    ]));
    assert_eq!(rows[0].response.as_deref(), Some("first"));
}

#[test]
fn stop_failure_ends_the_turn() {
    let failed = record("e2", 1.0, "StopFailure", json!({ "error": "rate_limit" }));
    assert_eq!(
        batch_summaries(&[prompt("e1", 0.0, "a"), failed]),
        [row(1, "user", Some("failure"))]
    );
}

#[test]
fn ended_session_can_resume_and_end_again() {
    let mut writer = stored(&[
        start("e1", 0.0, "startup"),
        prompt("e2", 1.0, "a"),
        end("e3", 2.0),
    ]);
    let session = |writer: &StoreWriter| {
        let row = writer.reader().session("s1").unwrap().unwrap();
        (row.status, row.ended_at)
    };
    assert_eq!(session(&writer), ("completed".into(), Some(at(2.0))));
    assert_eq!(batches(&writer)[0].ended_by.as_deref(), Some("session_end"));
    ingest(&mut writer, &[start("e4", 100.0, "resume")]);
    assert_eq!(session(&writer), ("active".into(), None));
    ingest(&mut writer, &[end("e5", 110.0)]);
    assert_eq!(session(&writer), ("completed".into(), Some(at(110.0))));
}

#[test]
fn reports_just_after_the_session_end_do_not_reopen_it() {
    let mut writer = stored(&[
        prompt("e1", 0.0, "a"),
        end("e2", 2.0),
        bash("e3", 3.0, "t", "ls"),
    ]);
    let status = |writer: &StoreWriter| writer.reader().session("s1").unwrap().unwrap().status;
    assert_eq!(status(&writer), "completed");
    assert_eq!(batches(&writer).len(), 1);
    ingest(&mut writer, &[bash("e4", 3600.0, "t2", "ls")]);
    assert_eq!(status(&writer), "active");
    assert_eq!(batches(&writer)[1].source, "system");
}

/// All batches, and the batch of each event.
fn shape(writer: &StoreWriter) -> Value {
    let events = writer.reader().events_since(0, 100).unwrap();
    let mut events: Vec<_> = events.into_iter().map(|e| (e.id, e.batch)).collect();
    events.sort();
    json!([batches(writer), events])
}

#[test]
fn late_activity_counts_from_its_time_in_a_reopened_turn() {
    let resumed = [
        prompt("e1", 0.0, "go on"),
        start("e2", 0.0, "resume"),
        bash("e3", 135.0, "t", "ls"),
        stop("e4", 270.0, ""),
        bash("e5", 4000.0, "t", "ls"),
    ];
    // The late activity makes the stop effective, so activity an hour later does not belong to the person's turn.
    let turns = [row(1, "user", Some("stop")), row(2, "system", None)];
    assert_eq!(batch_summaries(&resumed), turns);
    let ended = [
        prompt("e1", 0.0, "a"),
        stop("e2", 10.0, "x"),
        bash("e3", 15.0, "t1", "ls"),
        end("e4", 20.0),
        start("e5", 25.0, "startup"),
        bash("e6", 50.0, "t2", "ls"),
    ];
    let turns = [row(1, "user", Some("session_end")), row(2, "system", None)];
    assert_eq!(batch_summaries(&ended), turns);
    let answered = [
        prompt("e1", 0.0, "a"),
        stop("e2", 10.0, "x"),
        bash("e3", 15.0, "t1", "ls"),
        stop("e4", 20.0, "y"),
        bash("e5", 50.0, "t2", "ls"),
    ];
    assert_eq!(batch_summaries(&answered), [row(1, "user", None)]);
    for records in [&resumed[..], &ended, &answered] {
        let whole = shape(&stored(records));
        for late in 0..records.len() {
            let mut others = records.to_vec();
            let late = others.remove(late);
            let mut writer = stored(&others);
            ingest(&mut writer, std::slice::from_ref(&late));
            assert_eq!(shape(&writer), whole, "late: {late}");
        }
    }
}

#[test]
fn compaction_does_not_end_a_turn_and_counts_once() {
    let compact =
        |id: &str, seconds: f64| record(id, seconds, "PreCompact", json!({ "trigger": "auto" }));
    let records = [
        prompt("e1", 0.0, "a"),
        compact("e2", 1.0),
        compact("e3", 2.0),
        start("e4", 3.0, "compact"),
        compact("e5", 4.0),
        bash("e6", 5.0, "t", "ls"),
    ];
    assert_eq!(batch_summaries(&records), [row(1, "user", None)]);
    let stats = stored(&records).reader().batch_stats("e1").unwrap();
    assert_eq!((stats.activity_count, stats.tool_calls), (3, 1));
}

#[test]
fn subagents_neither_end_nor_begin_turns() {
    let inside = |mut record: Value| {
        record["payload"]["agent_id"] = json!("a1");
        record["payload"]["agent_type"] = json!("explore");
        record
    };
    let records = [
        prompt("e1", 0.0, "a"),
        inside(record("e2", 1.0, "SubagentStart", json!({}))),
        stop("e3", 2.0, "it runs in the background"),
        inside(bash("e4", 300.0, "t", "ls")),
        inside(record(
            "e5",
            301.0,
            "SubagentStop",
            json!({ "last_assistant_message": "found it" }),
        )),
    ];
    assert_eq!(batch_summaries(&records), [row(1, "user", Some("stop"))]);
    let timeline = stored(&records)
        .reader()
        .timeline("s1", 1, 9)
        .unwrap()
        .unwrap();
    let batch = &timeline.batches[0];
    assert_eq!(batch.subagents.len(), 1);
    assert_eq!(
        (
            batch.subagents[0].id.as_str(),
            batch.subagents[0].entries.len()
        ),
        ("a1", 3)
    );
    let own: Vec<_> = batch
        .entries
        .iter()
        .map(|entry| entry.kind.as_str())
        .collect();
    assert_eq!(own, ["UserPromptSubmit", "Stop"]);
}

#[test]
fn prompts_are_classified_by_source() {
    for (text, expected) in [
        ("fix it", "user"),
        (
            "<task-notification>done</task-notification>",
            "agent_notification",
        ),
        ("<system-reminder>x</system-reminder>", "system"),
        ("Implement the following plan:\n\n# Parser\n1. a", "plan"),
    ] {
        assert_eq!(
            batch_summaries(&[prompt("e1", 0.0, text)]),
            [row(1, expected, None)],
            "{text}"
        );
    }
}

#[test]
fn written_plan_marks_its_turn_and_the_last_version_counts() {
    let write = |id: &str, seconds: f64, path: &str, text: &str| {
        record(
            id,
            seconds,
            "PostToolUse",
            json!({
                "tool_name": "Write", "tool_input": { "file_path": path, "content": text }, "tool_use_id": id, "tool_response": {},
            }),
        )
    };
    let plan = "/home/ana/.claude/plans/calm-otter.md";
    let writer = stored(&[
        prompt("e1", 0.0, "plan it"),
        write("e2", 1.0, plan, "# One"),
        write("e3", 2.0, plan, "# Two"),
        prompt("e4", 3.0, "do it"),
        write("e5", 4.0, "/home/ana/shop/plans/a.md", "# No plan"),
    ]);
    let rows = batches(&writer);
    assert_eq!(
        (rows[0].source.as_str(), rows[0].plan.as_deref()),
        ("plan", Some("# Two"))
    );
    assert_eq!(rows[0].plan_path.as_deref(), Some(plan));
    assert_eq!(
        (rows[1].source.as_str(), rows[1].plan.as_deref()),
        ("user", None)
    );
    let plans = writer.reader().plans(&QueryScope::default(), 10).unwrap();
    assert_eq!(
        plans
            .iter()
            .map(|plan| plan.text.as_str())
            .collect::<Vec<_>>(),
        ["# Two"]
    );
}

#[test]
fn long_texts_are_truncated() {
    let rows = batches(&stored(&[
        prompt("e1", 0.0, &"ä".repeat(20_000)),
        stop("e2", 1.0, &"ö".repeat(20_000)),
    ]));
    assert_eq!(rows[0].prompt.as_ref().unwrap().chars().count(), 10_000);
    assert_eq!(rows[0].response.as_ref().unwrap().chars().count(), 15_000);
}
