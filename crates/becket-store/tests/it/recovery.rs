//! Turns and sessions that never ended.

use std::collections::BTreeSet;
use std::time::Duration;

use becket_store::{Patience, Recovered, Writer};

use crate::{at, bash, end, ingest, of_session, prompt, start, stop, stored};

const MINUTE: f64 = 60.0;

fn recover(writer: &mut Writer, seconds: f64) -> Recovered {
    writer.recover(at(seconds), Patience::default()).unwrap()
}

fn status(writer: &Writer) -> (String, Option<becket_store::Millis>, Option<String>) {
    let row = writer.reader().session("s1").unwrap().unwrap();
    (row.status, row.ended_at, row.end_reason)
}

#[test]
fn a_long_turn_is_not_cut_while_something_is_heard_of_it() {
    let mut writer = stored(&[
        prompt("e1", 0.0, "a"),
        bash("e2", 50.0 * MINUTE, "t", "make"),
    ]);
    assert_eq!(recover(&mut writer, 54.0 * MINUTE), Recovered::default());
}

#[test]
fn a_silent_turn_is_over_when_it_was_last_heard_of_and_goes_on_when_it_speaks_again() {
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
        Recovered::default()
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
fn a_silent_session_is_over_and_kept_however_short_it_was() {
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
fn a_session_that_was_taken_to_be_over_goes_on_and_ends_properly() {
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
fn what_arrives_late_from_before_the_silence_does_not_undo_it() {
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
fn each_session_has_its_own_patience() {
    let mut writer = stored(&[
        prompt("e1", 0.0, "a"),
        of_session(prompt("e2", 59.0 * MINUTE, "b"), "s2"),
    ]);
    let patience = Patience {
        turn: Duration::from_secs(120),
        session: Duration::from_secs(1800),
    };
    let recovered = writer.recover(at(60.0 * MINUTE), patience).unwrap();
    assert_eq!(
        (recovered.sessions, recovered.batches),
        (vec!["s1".to_owned()], vec!["e1".to_owned()])
    );
}

#[test]
fn a_session_whose_old_records_still_arrive_is_not_silent() {
    let mut writer = stored(&[
        prompt("e1", 0.0, "a"),
        of_session(prompt("e2", 0.0, "b"), "s2"),
    ]);
    let arriving = BTreeSet::from(["s1".to_owned()]);
    let recovered = writer
        .recover_except(at(90.0 * MINUTE), Patience::default(), &arriving)
        .unwrap();
    assert_eq!(recovered.sessions, ["s2"]);
    assert_eq!(recover(&mut writer, 90.0 * MINUTE).sessions, ["s1"]);
}
