//! Agents that work while their hooks are silent.

use becket_store::{AlarmFilter, Origin, TELEMETRY, ToolUse, Transcript, Watched, Writer};
use serde_json::{Value, json};

use crate::{announced, at, bash, ingest, of_session, prompt, record, stored, writer};

const MINUTE: f64 = 60.0;
const ALARM: &str = "silent-hooks:s1";

/// What an agent tells by telemetry of a call in session `s1`.
fn tell(writer: &mut Writer, seconds: f64, tool: &str) {
    let id = format!("{TELEMETRY}{seconds}");
    let origin = Origin {
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
    let mut group = writer.begin().unwrap();
    group.post_tool_use(&origin, &call, json!("done")).unwrap();
    group.commit().unwrap();
}

fn watch(writer: &mut Writer, minutes: f64) -> Watched {
    writer.watch_hooks(at(minutes * MINUTE), &[]).unwrap()
}

fn raised() -> Watched {
    Watched {
        raised: vec![ALARM.to_owned()],
        withdrawn: Vec::new(),
    }
}

fn message(writer: &Writer) -> String {
    let alarms = writer.reader().alarms(AlarmFilter::Open, 10).unwrap();
    assert_eq!(alarms.len(), 1);
    assert_eq!(alarms[0].kind, "silent_hooks");
    alarms[0].message.clone()
}

#[test]
fn calls_that_only_telemetry_tells_of_raise_one_alarm_after_a_grace() {
    let mut writer = writer();
    tell(&mut writer, 0.0, "Bash");
    assert_eq!(watch(&mut writer, 4.0), Watched::default());
    assert_eq!(watch(&mut writer, 6.0), raised());
    tell(&mut writer, 400.0, "Bash");
    assert_eq!(watch(&mut writer, 20.0), Watched::default());
    let text = message(&writer);
    assert!(
        text.contains("are not installed") && text.contains("becket init --agent claude"),
        "{text}"
    );
}

#[test]
fn an_agent_whose_hooks_have_fired_before_is_told_apart() {
    let earlier = of_session(prompt("e1", -500.0, "hi"), "s0");
    let mut writer = stored(&[earlier]);
    tell(&mut writer, 0.0, "Bash");
    assert_eq!(watch(&mut writer, 6.0), raised());
    let text = message(&writer);
    assert!(
        text.contains("they have before") && text.contains("becket doctor"),
        "{text}"
    );
}

#[test]
fn hooks_that_are_heard_of_later_take_the_alarm_back_for_good() {
    let mut writer = writer();
    tell(&mut writer, 0.0, "Bash");
    watch(&mut writer, 6.0);
    ingest(&mut writer, &[announced("e1", 400.0, "t1", "ls")]);
    assert_eq!(
        watch(&mut writer, 7.0).withdrawn,
        [ALARM],
        "the hook was heard"
    );
    assert_eq!(watch(&mut writer, 20.0), Watched::default());
    let all = writer.reader().alarms(AlarmFilter::All, 10).unwrap();
    assert_eq!(all, []);
}

#[test]
fn an_alarm_that_somebody_has_seen_stays_and_is_not_raised_again() {
    let mut writer = writer();
    tell(&mut writer, 0.0, "Bash");
    watch(&mut writer, 6.0);
    let mut group = writer.begin().unwrap();
    assert_eq!(group.acknowledge_alarms(at(400.0)).unwrap(), 1);
    assert_eq!(group.acknowledge_alarms(at(401.0)).unwrap(), 0);
    group.commit().unwrap();
    assert_eq!(watch(&mut writer, 8.0), Watched::default());
    assert_eq!(writer.reader().open_alarms().unwrap(), 0);
}

#[test]
fn nothing_is_wrong_where_hooks_tell_of_calls_or_nothing_was_to_be_told() {
    let hooked = stored(&[bash("e1", 1.0, "t1", "ls")]);
    let prompted_only = stored(&[prompt("e1", 1.0, "hi")]);
    for (why, mut writer, tool) in [
        ("hooks tell of calls", hooked, Some("Bash")),
        ("nothing was called", prompted_only, None),
        (
            "not every agent has hooks for it",
            writer(),
            Some("update_plan"),
        ),
    ] {
        if let Some(tool) = tool {
            tell(&mut writer, 0.0, tool);
        }
        assert_eq!(watch(&mut writer, 20.0), Watched::default(), "{why}");
    }
    let mut long_ago = crate::writer();
    tell(&mut long_ago, 0.0, "Bash");
    assert_eq!(
        watch(&mut long_ago, 3.0 * 24.0 * 60.0),
        Watched::default(),
        "long ago"
    );
}

#[test]
fn prompts_that_hooks_tell_of_do_not_make_up_for_calls() {
    let mut writer = stored(&[prompt("e1", 0.0, "hi")]);
    tell(&mut writer, 1.0, "Bash");
    assert_eq!(watch(&mut writer, 6.0), raised());
}

fn of_codex(mut record: Value) -> Value {
    record["agent"] = json!("codex");
    record
}

#[test]
fn turns_that_codex_notifies_of_and_no_hook_does_raise_an_alarm() {
    let mut notified = of_codex(record("e1", 0.0, "Stop", json!({})));
    notified["payload"] =
        json!({ "type": "agent-turn-complete", "thread-id": "s1", "turn-id": "u", "cwd": "/w" });
    let mut writer = stored(&[notified.clone()]);
    assert_eq!(watch(&mut writer, 4.0), Watched::default());
    assert_eq!(watch(&mut writer, 6.0), raised());
    let text = message(&writer);
    assert!(
        text.contains("codex notifies of turns") && text.contains("not installed"),
        "{text}"
    );
    let asked = of_codex(prompt("e0", -1.0, "hi"));
    ingest(&mut writer, &[asked]);
    assert_eq!(watch(&mut writer, 7.0).withdrawn, [ALARM]);
}

fn transcript(session: &str, minutes: f64) -> Transcript {
    Transcript {
        agent: "claude".to_owned(),
        session: session.to_owned(),
        path: format!("/home/ana/.claude/projects/shop/{session}.jsonl"),
        grown: at(minutes * MINUTE),
    }
}

/// Looks ten minutes after the start, with this transcript there.
fn watch_with(writer: &mut Writer, transcript: &Transcript) -> Watched {
    let all = std::slice::from_ref(transcript);
    writer.watch_hooks(at(10.0 * MINUTE), all).unwrap()
}

#[test]
fn a_transcript_that_grows_while_hooks_are_silent_raises_one_alarm_until_they_are_heard() {
    let mut writer = stored(&[of_session(prompt("e0", -500.0, "hi"), "s0")]);
    let grown = transcript("s1", 2.0);
    assert_eq!(watch_with(&mut writer, &grown), raised());
    assert_eq!(watch_with(&mut writer, &grown), Watched::default(), "once");
    let text = message(&writer);
    assert!(
        text.contains("claude writes a transcript of session s1")
            && text.contains("they have before"),
        "{text}"
    );
    ingest(&mut writer, &[of_session(prompt("e1", 30.0, "late"), "s1")]);
    let withdrawn = Watched {
        raised: Vec::new(),
        withdrawn: vec![ALARM.to_owned()],
    };
    assert_eq!(watch_with(&mut writer, &grown), withdrawn);
    assert_eq!(watch_with(&mut writer, &grown), Watched::default());
}

#[test]
fn transcripts_that_prove_nothing_raise_no_alarm() {
    let heard = of_session(prompt("e0", -500.0, "hi"), "s0");
    let mut elsewhere = of_session(prompt("e1", 60.0, "hi"), "another");
    elsewhere["payload"]["transcript_path"] = json!("/home/ana/.claude/projects/shop/s1.jsonl");
    let mut inside = of_session(bash("e2", 60.0, "t1", "ls"), "s0");
    inside["payload"]["agent_id"] = json!("s1");
    for (why, records, of) in [
        (
            "hooks of the session were heard",
            vec![heard.clone(), of_session(prompt("e1", 60.0, "hi"), "s1")],
            transcript("s1", 2.0),
        ),
        (
            "they were heard under a longer id",
            vec![
                heard.clone(),
                of_session(prompt("e1", 60.0, "hi"), "s1-and-more"),
            ],
            transcript("s1", 2.0),
        ),
        (
            "they were heard with this very transcript",
            vec![heard.clone(), elsewhere],
            transcript("s1", 2.0),
        ),
        (
            "it is a subagent's",
            vec![heard.clone(), inside],
            transcript("s1", 2.0),
        ),
        (
            "it grows right now",
            vec![heard.clone()],
            transcript("s1", 8.0),
        ),
        (
            "no hook had fired by then",
            vec![heard],
            transcript("s1", -600.0),
        ),
        ("the agent is not known", vec![], transcript("s1", 2.0)),
    ] {
        let mut writer = stored(&records);
        assert_eq!(watch_with(&mut writer, &of), Watched::default(), "{why}");
    }
}
