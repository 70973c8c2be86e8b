//! Ending idle turns and sessions.

use std::collections::BTreeSet;
use std::time::Duration;

use becket_store::{IdleTimeouts, RecoveryReport, StoreWriter};

use crate::{at, bash, end, ingest, of_session, prompt, start, stop, stored};

const MINUTE: f64 = 60.0;

fn recover(writer: &mut StoreWriter, seconds: f64) -> RecoveryReport {
    writer
        .recover(at(seconds), IdleTimeouts::default())
        .unwrap()
}

fn status(writer: &StoreWriter) -> (String, Option<becket_store::Millis>, Option<String>) {
    let row = writer.reader().session("s1").unwrap().unwrap();
    (row.status, row.ended_at, row.end_reason)
}

#[test]
fn long_turn_stays_open_while_events_arrive() {
    let mut writer = stored(&[
        prompt("e1", 0.0, "a"),
        bash("e2", 50.0 * MINUTE, "t", "make"),
    ]);
    assert_eq!(
        recover(&mut writer, 54.0 * MINUTE),
        RecoveryReport::default()
    );
}

#[test]
fn idle_turn_ends_at_its_last_event_and_reopens_on_activity() {
    let mut writer = stored(&[prompt("e1", 0.0, "a"), bash("e2", 10.0, "t", "make")]);
    let recovered = recover(&mut writer, 10.0 + 6.0 * MINUTE);
    assert_eq!(
        (recovered.batches, recovered.sessions.len()),
        (vec!["e1".to_owned()], 0)
    );
    let batch = writer.reader().batch("e1").unwrap().unwrap();
    assert_eq!(
        (batch.ended_at, batch.ended_by.as_deref()),
        (Some(at(10.0)), Some("idle"))
    );
    assert_eq!(
        recover(&mut writer, 10.0 + 7.0 * MINUTE),
        RecoveryReport::default()
    );
    // The tool took twenty minutes.
    ingest(
        &mut writer,
        &[
            bash("e3", 20.0 * MINUTE, "t2", "make"),
            stop("e4", 21.0 * MINUTE, "built"),
        ],
    );
    let batches = writer.reader().batches("s1").unwrap();
    assert_eq!(batches.len(), 1);
    assert_eq!(batches[0].ended_by.as_deref(), Some("stop"));
    assert_eq!(batches[0].response.as_deref(), Some("built"));
}

#[test]
fn idle_session_ends_and_is_kept() {
    let mut writer = stored(&[
        start("e1", 0.0, "startup"),
        prompt("e2", 5.0, "what is 2 + 2?"),
        stop("e3", 6.0, "4"),
    ]);
    let recovered = recover(&mut writer, 6.0 + 61.0 * MINUTE);
    assert_eq!(recovered.sessions, ["s1"]);
    assert_eq!(
        status(&writer),
        ("completed".into(), Some(at(6.0)), Some("idle".into()))
    );
    let session = writer.reader().session("s1").unwrap().unwrap();
    assert_eq!(
        (session.prompts, session.first_prompt.as_deref()),
        (1, Some("what is 2 + 2?"))
    );
}

#[test]
fn idle_session_can_resume_and_end_properly() {
    let mut writer = stored(&[prompt("e1", 0.0, "a")]);
    recover(&mut writer, 120.0 * MINUTE);
    ingest(&mut writer, &[prompt("e2", 180.0 * MINUTE, "b")]);
    assert_eq!(status(&writer).0, "active");
    ingest(&mut writer, &[end("e3", 190.0 * MINUTE)]);
    assert_eq!(
        status(&writer),
        (
            "completed".into(),
            Some(at(190.0 * MINUTE)),
            Some("exit".into())
        )
    );
}

#[test]
fn late_events_before_the_idle_end_do_not_reopen() {
    let mut writer = stored(&[prompt("e1", 0.0, "a"), bash("e3", 20.0, "t", "ls")]);
    recover(&mut writer, 120.0 * MINUTE);
    ingest(&mut writer, &[prompt("e2", 10.0, "b")]);
    assert_eq!(
        status(&writer),
        ("completed".into(), Some(at(20.0)), Some("idle".into()))
    );
    assert_eq!(writer.reader().batches("s1").unwrap().len(), 2);
}

#[test]
fn idle_timeouts_apply_per_session() {
    let mut writer = stored(&[
        prompt("e1", 0.0, "a"),
        of_session(prompt("e2", 59.0 * MINUTE, "b"), "s2"),
    ]);
    let timeouts = IdleTimeouts {
        turn: Duration::from_secs(120),
        session: Duration::from_secs(1800),
    };
    let recovered = writer.recover(at(60.0 * MINUTE), timeouts).unwrap();
    assert_eq!(
        (recovered.sessions, recovered.batches),
        (vec!["s1".to_owned()], vec!["e1".to_owned()])
    );
}

#[test]
fn session_with_arriving_backlog_is_not_idle() {
    let mut writer = stored(&[
        prompt("e1", 0.0, "a"),
        of_session(prompt("e2", 0.0, "b"), "s2"),
    ]);
    let arriving = BTreeSet::from(["s1".to_owned()]);
    let recovered = writer
        .recover_except(at(90.0 * MINUTE), IdleTimeouts::default(), &arriving)
        .unwrap();
    assert_eq!(recovered.sessions, ["s2"]);
    assert_eq!(recover(&mut writer, 90.0 * MINUTE).sessions, ["s1"]);
}
