//! Missing-hook alarms.

use becket_store::{
    AlarmFilter, EventOrigin, MissingHookReport, StoreWriter, TELEMETRY_ID_PREFIX, ToolUse,
    TranscriptFile,
};
use serde_json::{Value, json};

use crate::{announced, at, bash, ingest, of_session, prompt, record, stored, writer};

const MINUTE: f64 = 60.0;
const ALARM: &str = "silent-hooks:s1";

/// Reports a call in session `s1` by telemetry.
fn report_call(writer: &mut StoreWriter, seconds: f64, tool: &str) {
    let id = format!("{TELEMETRY_ID_PREFIX}{seconds}");
    let origin = EventOrigin {
        id: &id,
        at: at(seconds),
        agent: "claude",
        session: "s1",
        project: None,
        transcript: None,
        generation: None,
    };
    let call = ToolUse {
        tool,
        input: json!({ "command": "ls" }),
        ..ToolUse::default()
    };
    let mut transaction = writer.begin().unwrap();
    transaction
        .post_tool_use(&origin, &call, json!("done"))
        .unwrap();
    transaction.commit().unwrap();
}

fn check(writer: &mut StoreWriter, minutes: f64) -> MissingHookReport {
    writer
        .check_missing_hooks(at(minutes * MINUTE), &[])
        .unwrap()
}

fn raised() -> MissingHookReport {
    MissingHookReport {
        raised: vec![ALARM.to_owned()],
        withdrawn: Vec::new(),
    }
}

fn message(writer: &StoreWriter) -> String {
    let alarms = writer.reader().alarms(AlarmFilter::Open, 10).unwrap();
    assert_eq!(alarms.len(), 1);
    assert_eq!(alarms[0].kind, "silent_hooks");
    alarms[0].message.clone()
}

#[test]
fn telemetry_only_calls_raise_one_alarm_after_the_grace_period() {
    let mut writer = writer();
    report_call(&mut writer, 0.0, "Bash");
    assert_eq!(check(&mut writer, 4.0), MissingHookReport::default());
    assert_eq!(check(&mut writer, 6.0), raised());
    report_call(&mut writer, 400.0, "Bash");
    assert_eq!(check(&mut writer, 20.0), MissingHookReport::default());
    let text = message(&writer);
    assert!(
        text.contains("not installed") && text.contains("becket init --agent claude"),
        "{text}"
    );
}

#[test]
fn alarm_says_whether_hooks_fired_before() {
    let earlier = of_session(prompt("e1", -500.0, "hi"), "s0");
    let mut writer = stored(&[earlier]);
    report_call(&mut writer, 0.0, "Bash");
    assert_eq!(check(&mut writer, 6.0), raised());
    let text = message(&writer);
    assert!(
        text.contains("they have before") && text.contains("becket doctor"),
        "{text}"
    );
}

#[test]
fn late_hooks_withdraw_the_alarm() {
    let mut writer = writer();
    report_call(&mut writer, 0.0, "Bash");
    check(&mut writer, 6.0);
    ingest(&mut writer, &[announced("e1", 400.0, "t1", "ls")]);
    assert_eq!(check(&mut writer, 7.0).withdrawn, [ALARM], "the hook fired");
    assert_eq!(check(&mut writer, 20.0), MissingHookReport::default());
    let all = writer.reader().alarms(AlarmFilter::All, 10).unwrap();
    assert_eq!(all, []);
}

#[test]
fn acknowledged_alarm_stays_and_is_not_raised_again() {
    let mut writer = writer();
    report_call(&mut writer, 0.0, "Bash");
    check(&mut writer, 6.0);
    let mut transaction = writer.begin().unwrap();
    assert_eq!(transaction.acknowledge_alarms(at(400.0)).unwrap(), 1);
    assert_eq!(transaction.acknowledge_alarms(at(401.0)).unwrap(), 0);
    transaction.commit().unwrap();
    assert_eq!(check(&mut writer, 8.0), MissingHookReport::default());
    assert_eq!(writer.reader().open_alarms().unwrap(), 0);
}

#[test]
fn no_alarm_if_hooks_report_calls_or_there_are_none() {
    let hooked = stored(&[bash("e1", 1.0, "t1", "ls")]);
    let prompted_only = stored(&[prompt("e1", 1.0, "hi")]);
    for (why, mut writer, tool) in [
        ("hooks report calls", hooked, Some("Bash")),
        ("nothing was called", prompted_only, None),
        (
            "not every agent has hooks for it",
            writer(),
            Some("update_plan"),
        ),
    ] {
        if let Some(tool) = tool {
            report_call(&mut writer, 0.0, tool);
        }
        assert_eq!(
            check(&mut writer, 20.0),
            MissingHookReport::default(),
            "{why}"
        );
    }
    let mut long_ago = crate::writer();
    report_call(&mut long_ago, 0.0, "Bash");
    assert_eq!(
        check(&mut long_ago, 3.0 * 24.0 * 60.0),
        MissingHookReport::default(),
        "long ago"
    );
}

#[test]
fn hook_reported_prompts_do_not_excuse_missing_calls() {
    let mut writer = stored(&[prompt("e1", 0.0, "hi")]);
    report_call(&mut writer, 1.0, "Bash");
    assert_eq!(check(&mut writer, 6.0), raised());
}

fn of_codex(mut record: Value) -> Value {
    record["agent"] = json!("codex");
    record
}

#[test]
fn codex_turn_notifications_without_hooks_raise_an_alarm() {
    let mut notified = of_codex(record("e1", 0.0, "Stop", json!({})));
    notified["payload"] =
        json!({ "type": "agent-turn-complete", "thread-id": "s1", "turn-id": "u", "cwd": "/w" });
    let mut writer = stored(&[notified.clone()]);
    assert_eq!(check(&mut writer, 4.0), MissingHookReport::default());
    assert_eq!(check(&mut writer, 6.0), raised());
    let text = message(&writer);
    assert!(
        text.contains("codex reports finished turns") && text.contains("not installed"),
        "{text}"
    );
    let asked = of_codex(prompt("e0", -1.0, "hi"));
    ingest(&mut writer, &[asked]);
    assert_eq!(check(&mut writer, 7.0).withdrawn, [ALARM]);
}

fn transcript(session: &str, minutes: f64) -> TranscriptFile {
    TranscriptFile {
        agent: "claude".to_owned(),
        session: session.to_owned(),
        path: format!("/home/ana/.claude/projects/shop/{session}.jsonl"),
        modified_at: at(minutes * MINUTE),
    }
}

/// Checks ten minutes after the start, with this transcript.
fn check_with(writer: &mut StoreWriter, transcript: &TranscriptFile) -> MissingHookReport {
    let all = std::slice::from_ref(transcript);
    writer.check_missing_hooks(at(10.0 * MINUTE), all).unwrap()
}

#[test]
fn growing_transcript_without_hooks_raises_one_alarm() {
    let mut writer = stored(&[of_session(prompt("e0", -500.0, "hi"), "s0")]);
    let grown = transcript("s1", 2.0);
    assert_eq!(check_with(&mut writer, &grown), raised());
    assert_eq!(
        check_with(&mut writer, &grown),
        MissingHookReport::default(),
        "once"
    );
    let text = message(&writer);
    assert!(
        text.contains("claude writes a transcript of session s1")
            && text.contains("they have before"),
        "{text}"
    );
    ingest(&mut writer, &[of_session(prompt("e1", 30.0, "late"), "s1")]);
    let withdrawn = MissingHookReport {
        raised: Vec::new(),
        withdrawn: vec![ALARM.to_owned()],
    };
    assert_eq!(check_with(&mut writer, &grown), withdrawn);
    assert_eq!(
        check_with(&mut writer, &grown),
        MissingHookReport::default()
    );
}

#[test]
fn inconclusive_transcripts_raise_no_alarm() {
    let hook_event = of_session(prompt("e0", -500.0, "hi"), "s0");
    let mut elsewhere = of_session(prompt("e1", 60.0, "hi"), "another");
    elsewhere["payload"]["transcript_path"] = json!("/home/ana/.claude/projects/shop/s1.jsonl");
    let mut inside = of_session(bash("e2", 60.0, "t1", "ls"), "s0");
    inside["payload"]["agent_id"] = json!("s1");
    for (why, records, of) in [
        (
            "hooks of the session fired",
            vec![
                hook_event.clone(),
                of_session(prompt("e1", 60.0, "hi"), "s1"),
            ],
            transcript("s1", 2.0),
        ),
        (
            "hooks fired under a longer id",
            vec![
                hook_event.clone(),
                of_session(prompt("e1", 60.0, "hi"), "s1-and-more"),
            ],
            transcript("s1", 2.0),
        ),
        (
            "hooks fired with this transcript",
            vec![hook_event.clone(), elsewhere],
            transcript("s1", 2.0),
        ),
        (
            "it is a subagent's",
            vec![hook_event.clone(), inside],
            transcript("s1", 2.0),
        ),
        (
            "it grows right now",
            vec![hook_event.clone()],
            transcript("s1", 8.0),
        ),
        (
            "no hook had fired by then",
            vec![hook_event],
            transcript("s1", -600.0),
        ),
        ("the agent is not known", vec![], transcript("s1", 2.0)),
    ] {
        let mut writer = stored(&records);
        assert_eq!(
            check_with(&mut writer, &of),
            MissingHookReport::default(),
            "{why}"
        );
    }
}
