//! Decisions, outcomes and alarms for denied calls that ran.

use becket_store::{AlarmFilter, DecisionFilter, Millis, StoreWriter};
use serde_json::{Value, json};

use crate::{announced, at, bash, ingest, of_session, prompt, record, stored};

fn decided(mut record: Value, verdict: &str) -> Value {
    record["decision"] = json!({
        "verdict": verdict, "reason": "touches .env",
        "hooks": [
            { "hook": "lint", "verdict": "none", "ms": 2 },
            { "hook": "guard", "verdict": verdict, "ms": 5, "reason": "touches .env", "rule": "env-files" },
        ],
    });
    record
}

fn failed(id: &str, seconds: f64, call: &str) -> Value {
    let payload =
        json!({ "tool_name": "Bash", "tool_input": {}, "tool_use_id": call, "error": "denied" });
    record(id, seconds, "PostToolUseFailure", payload)
}

fn outcome(writer: &StoreWriter) -> String {
    let page = writer
        .reader()
        .decisions(&DecisionFilter::default())
        .unwrap();
    page.items[0].outcome.clone()
}

fn alarms(writer: &StoreWriter) -> usize {
    writer.reader().alarms(AlarmFilter::Open, 10).unwrap().len()
}

#[test]
fn a_decision_is_listed_with_the_hook_that_made_it() {
    let writer = stored(&[decided(announced("e1", 0.0, "t1", "cat .env"), "deny")]);
    let page = writer
        .reader()
        .decisions(&DecisionFilter::default())
        .unwrap();
    let row = &page.items[0];
    assert_eq!(
        (row.verdict.as_str(), row.hook.as_deref()),
        ("deny", Some("guard"))
    );
    assert_eq!(row.reason.as_deref(), Some("touches .env"));
    assert_eq!(
        (row.tool.as_deref(), row.outcome.as_str()),
        (Some("Bash"), "open")
    );
    let runs = writer.reader().hook_runs("e1").unwrap();
    assert_eq!(
        (runs.len(), runs[1].rule.as_deref()),
        (2, Some("env-files"))
    );
}

#[test]
fn events_without_a_verdict_are_no_decisions() {
    let writer = stored(&[announced("e1", 0.0, "t1", "ls")]);
    let page = writer
        .reader()
        .decisions(&DecisionFilter::default())
        .unwrap();
    assert!(page.items.is_empty());
}

#[test]
fn denied_call_that_ran_raises_an_alarm_in_any_order() {
    let (denied, ran) = (
        decided(announced("e1", 0.0, "t1", "rm x"), "deny"),
        bash("e2", 1.0, "t1", "rm x"),
    );
    for order in [[denied.clone(), ran.clone()], [ran, denied]] {
        let mut writer = crate::writer();
        let raised: usize = order
            .iter()
            .map(|one| ingest(&mut writer, std::slice::from_ref(one)).alarms.len())
            .sum();
        assert_eq!(raised, 1);
        assert_eq!(outcome(&writer), "ran");
        let alarm = writer
            .reader()
            .alarms(AlarmFilter::Open, 10)
            .unwrap()
            .remove(0);
        assert_eq!(
            (alarm.kind.as_str(), alarm.event_id.as_deref()),
            ("denied_call_ran", Some("e1"))
        );
        assert!(
            alarm.message.starts_with("claude ran Bash at "),
            "{}",
            alarm.message
        );
    }
}

#[test]
fn denied_call_reported_as_failed_raises_no_alarm() {
    let writer = stored(&[
        decided(announced("e1", 0.0, "t1", "rm x"), "deny"),
        failed("e2", 1.0, "t1"),
    ]);
    assert_eq!((outcome(&writer).as_str(), alarms(&writer)), ("failed", 0));
}

#[test]
fn a_call_that_was_asked_about_may_run_or_be_refused() {
    let permission_event = decided(announced("e1", 0.0, "t1", "rm x"), "ask");
    let writer = stored(&[permission_event.clone(), bash("e2", 1.0, "t1", "rm x")]);
    assert_eq!((outcome(&writer).as_str(), alarms(&writer)), ("ran", 0));
    let payload = json!({ "tool_name": "Bash", "tool_input": {}, "tool_use_id": "t1" });
    let writer = stored(&[
        permission_event,
        record("e2", 1.0, "PermissionDenied", payload),
    ]);
    assert_eq!(outcome(&writer), "refused");
}

#[test]
fn restarted_call_ids_raise_no_false_alarm() {
    let denied = decided(announced("e2", 1.0, "call_1", "rm x"), "deny");
    let writer = stored(&[
        prompt("e1", 0.0, "a"),
        denied,
        prompt("e3", 2.0, "b"),
        bash("e4", 3.0, "call_1", "ls"),
    ]);
    assert_eq!((outcome(&writer).as_str(), alarms(&writer)), ("open", 0));
}

#[test]
fn alarm_is_open_until_acknowledged() {
    let mut writer = stored(&[
        decided(announced("e1", 0.0, "t1", "rm x"), "halt"),
        bash("e2", 1.0, "t1", "rm x"),
    ]);
    let mut transaction = writer.begin().unwrap();
    assert!(
        transaction
            .acknowledge_alarm("denied-call-ran:e1", at(5.0))
            .unwrap()
    );
    assert!(
        !transaction
            .acknowledge_alarm("denied-call-ran:e1", at(6.0))
            .unwrap()
    );
    transaction.commit().unwrap();
    assert_eq!(alarms(&writer), 0);
    // A late event that causes a replay does not raise the alarm again.
    let report = ingest(&mut writer, &[prompt("e0", -5.0, "first")]);
    assert!(report.alarms.is_empty());
    let all = writer.reader().alarms(AlarmFilter::All, 10).unwrap();
    assert_eq!(
        all.iter()
            .map(|alarm| alarm.acknowledged_at)
            .collect::<Vec<_>>(),
        [Some(Millis(at(5.0).0))]
    );
}

/// The same event from an agent that sends no call ids.
fn without_id(mut record: Value) -> Value {
    let payload = record["payload"].as_object_mut().unwrap();
    payload.remove("tool_use_id");
    record
}

fn permission_event(id: &str, seconds: f64, verdict: &str) -> Value {
    let announced = without_id(announced(id, seconds, "", "rm x"));
    match verdict {
        "none" => announced,
        verdict => decided(announced, verdict),
    }
}

fn ran(id: &str, seconds: f64) -> Value {
    without_id(bash(id, seconds, "", "rm x"))
}

#[test]
fn a_denied_input_that_ran_raises_an_alarm_where_calls_have_no_ids() {
    let (denied, ran) = (permission_event("e1", 0.0, "deny"), ran("e2", 1.0));
    for order in [[denied.clone(), ran.clone()], [ran, denied]] {
        let mut writer = crate::writer();
        let raised: usize = order
            .iter()
            .map(|one| ingest(&mut writer, std::slice::from_ref(one)).alarms.len())
            .sum();
        assert_eq!((raised, outcome(&writer).as_str()), (1, "ran"));
        let alarm = writer
            .reader()
            .alarms(AlarmFilter::Open, 10)
            .unwrap()
            .remove(0);
        assert_eq!(alarm.id, "denied-call-ran:e1");
        assert!(
            alarm
                .message
                .contains("although a call with the same input was denied at"),
            "{}",
            alarm.message
        );
    }
}

#[test]
fn key_order_does_not_change_the_input() {
    let with_input = |mut record: Value, input: &str| {
        record["payload"]["tool_input"] = serde_json::from_str(input).unwrap();
        record
    };
    let denied = with_input(
        permission_event("e1", 0.0, "deny"),
        r#"{"command":"rm x","env":{"A":"1","B":"2"}}"#,
    );
    let ran = with_input(
        ran("e2", 1.0),
        r#"{"env":{"B":"2","A":"1"},"command":"rm x"}"#,
    );
    assert_eq!(alarms(&stored(&[denied, ran])), 1);
}

#[test]
fn explained_reports_raise_no_alarm() {
    let refused = {
        let mut payload = failed("e2", 1.0, "")["payload"].clone();
        payload["tool_input"] = json!({ "command": "rm x" });
        without_id(record("e2", 1.0, "PostToolUseFailure", payload))
    };
    let approved = |id: &str, seconds: f64| {
        let payload = json!({ "tool_name": "Bash", "tool_input": { "command": "rm x" } });
        decided(record(id, seconds, "PermissionRequest", payload), "allow")
    };
    let denied = permission_event("e1", 0.0, "deny");
    let other_tool = {
        let mut record = ran("e2", 1.0);
        record["payload"]["tool_name"] = json!("Shell2");
        record
    };
    for (why, rest) in [
        (
            "the failure is the denial",
            vec![denied.clone(), refused.clone()],
        ),
        (
            "and what follows it is not judged again",
            vec![denied.clone(), refused, ran("e3", 2.0)],
        ),
        (
            "no verdict the second time",
            vec![
                denied.clone(),
                permission_event("e2", 1.0, "none"),
                ran("e3", 2.0),
            ],
        ),
        (
            "it was allowed later",
            vec![
                denied.clone(),
                permission_event("e2", 1.0, "allow"),
                ran("e3", 2.0),
            ],
        ),
        (
            "a person approved it",
            vec![denied.clone(), approved("e2", 1.0), ran("e3", 2.0)],
        ),
        (
            "another call with that input was under way",
            vec![
                permission_event("e0", -1.0, "none"),
                denied.clone(),
                ran("e3", 2.0),
            ],
        ),
        (
            "it ran before",
            vec![
                permission_event("e0", -2.0, "none"),
                ran("e00", -1.0),
                denied.clone(),
            ],
        ),
        (
            "another input",
            vec![denied.clone(), without_id(bash("e2", 1.0, "", "ls"))],
        ),
        (
            "another session",
            vec![denied.clone(), of_session(ran("e2", 1.0), "s2")],
        ),
        ("another tool", vec![denied.clone(), other_tool]),
    ] {
        assert_eq!(alarms(&stored(&rest)), 0, "{why}");
    }
}

#[test]
fn open_calls_of_earlier_turns_explain_nothing() {
    let writer = stored(&[
        prompt("e0", 0.0, "a"),
        permission_event("e1", 1.0, "none"),
        prompt("e2", 10.0, "b"),
        permission_event("e3", 11.0, "deny"),
        ran("e4", 12.0),
    ]);
    assert_eq!(alarms(&writer), 1);
}

#[test]
fn late_allowing_decision_withdraws_the_alarm() {
    let mut writer = stored(&[permission_event("e1", 0.0, "deny"), ran("e3", 2.0)]);
    assert_eq!(alarms(&writer), 1);
    ingest(&mut writer, &[permission_event("e2", 1.0, "ask")]);
    assert_eq!(alarms(&writer), 0);
    let page = writer
        .reader()
        .decisions(&DecisionFilter::default())
        .unwrap();
    let outcomes: Vec<_> = page
        .items
        .iter()
        .map(|row| (row.event_id.as_str(), row.outcome.as_str()))
        .collect();
    assert_eq!(outcomes, [("e2", "ran"), ("e1", "open")]);
}

#[test]
fn a_hook_that_objects_to_a_result_raises_no_alarm() {
    let objected = |record: Value| decided(record, "deny");
    let named = stored(&[objected(bash("e1", 0.0, "t1", "rm x"))]);
    let without_id = stored(&[objected(ran("e1", 0.0))]);
    assert_eq!((alarms(&named), alarms(&without_id)), (0, 0));
}

fn permission_event_with_id(id: &str, seconds: f64, call: Option<&str>, verdict: &str) -> Value {
    let mut record = permission_event(id, seconds, verdict);
    if let Some(call) = call {
        record["payload"]["tool_use_id"] = json!(call);
    }
    record
}

fn ran_as(id: &str, seconds: f64, call: Option<&str>) -> Value {
    let mut record = ran(id, seconds);
    if let Some(call) = call {
        record["payload"]["tool_use_id"] = json!(call);
    }
    record
}

/// Stores records in this order and in reverse; returns the alarms that are open in both cases.
fn alarms_either_way(records: &[Value]) -> Vec<String> {
    let in_order = |records: &[Value]| -> Vec<String> {
        let mut writer = crate::writer();
        for one in records {
            ingest(&mut writer, std::slice::from_ref(one));
        }
        let open = writer.reader().alarms(AlarmFilter::Open, 10).unwrap();
        open.into_iter()
            .map(|alarm| format!("{}: {}", alarm.id, alarm.message))
            .collect()
    };
    let backwards: Vec<Value> = records.iter().rev().cloned().collect();
    let found = in_order(records);
    assert_eq!(found, in_order(&backwards), "the order of arrival");
    found
}

#[test]
fn a_denied_input_that_ran_under_another_id_raises_an_alarm() {
    for (permission_event, ran) in [
        (Some("t1"), Some("t2")),
        (Some("t1"), None),
        (None, Some("t2")),
    ] {
        let found = alarms_either_way(&[
            permission_event_with_id("e1", 0.0, permission_event, "deny"),
            ran_as("e2", 1.0, ran),
        ]);
        assert_eq!(found.len(), 1, "{permission_event:?} {ran:?}");
        assert!(found[0].starts_with("denied-call-ran:e1"), "{found:?}");
        assert!(
            found[0].contains("although a call with the same input was denied at"),
            "{found:?}"
        );
    }
}

#[test]
fn reports_explained_by_id_or_decision_raise_no_alarm() {
    let t = Some;
    let denied = permission_event_with_id("e1", 0.0, t("t1"), "deny");
    for (why, rest) in [
        (
            "it was allowed under another id",
            vec![
                permission_event_with_id("e2", 1.0, t("t2"), "allow"),
                ran_as("e3", 2.0, t("t2")),
            ],
        ),
        (
            "no verdict the second time",
            vec![
                permission_event_with_id("e2", 1.0, t("t2"), "none"),
                ran_as("e3", 2.0, t("t2")),
            ],
        ),
        (
            "and the report came twice",
            vec![
                permission_event_with_id("e2", 1.0, t("t2"), "none"),
                ran_as("e3", 2.0, t("t2")),
                ran_as("e4", 3.0, t("t2")),
            ],
        ),
        (
            "it was allowed, and the report has no id",
            vec![
                permission_event_with_id("e2", 1.0, t("t2"), "allow"),
                ran_as("e3", 2.0, None),
            ],
        ),
        (
            "another was under way",
            vec![
                permission_event_with_id("e0", -1.0, t("t0"), "none"),
                ran_as("e3", 2.0, t("t0")),
            ],
        ),
        (
            "another was under way, and the report has no id",
            vec![
                permission_event_with_id("e0", -1.0, t("t0"), "none"),
                ran_as("e3", 2.0, None),
            ],
        ),
        ("it ran before", vec![ran_as("e0", -1.0, t("t0"))]),
        ("it failed", vec![failed("e2", 1.0, "t1")]),
        ("another input", vec![bash("e2", 1.0, "t2", "ls")]),
        (
            "another session",
            vec![of_session(ran_as("e2", 1.0, t("t2")), "s2")],
        ),
        (
            "telemetry is ahead of the hook",
            vec![ran_as("otlp-e2", 1.0, t("t2"))],
        ),
    ] {
        let mut all = vec![denied.clone()];
        all.extend(rest);
        assert_eq!(alarms_either_way(&all), Vec::<String>::new(), "{why}");
    }
}

#[test]
fn late_permission_event_withdraws_an_alarm_by_input() {
    let mut writer = stored(&[
        permission_event_with_id("e1", 0.0, Some("t1"), "deny"),
        ran_as("e3", 2.0, Some("t2")),
    ]);
    assert_eq!(alarms(&writer), 1);
    ingest(
        &mut writer,
        &[permission_event_with_id("e2", 1.0, Some("t2"), "none")],
    );
    assert_eq!(alarms(&writer), 0);
}

#[test]
fn hook_report_withdraws_an_alarm_from_telemetry() {
    let mut writer = stored(&[
        permission_event("otlp-e1", 0.0, "deny"),
        ran_as("e3", 2.0, Some("t1")),
    ]);
    assert_eq!((alarms(&writer), outcome(&writer).as_str()), (1, "ran"));
    ingest(&mut writer, &[permission_event("e2", 1.0, "none")]);
    assert_eq!((alarms(&writer), outcome(&writer).as_str()), (0, "open"));
}

/// A second permission event of a call, from an agent that sends the id only with the first.
fn permission(id: &str, seconds: f64, verdict: &str) -> Value {
    let mut record = permission_event(id, seconds, verdict);
    record["event"] = json!("PermissionRequest");
    record["payload"]["hook_event_name"] = json!("PermissionRequest");
    record
}

#[test]
fn permission_denied_without_id_raises_an_alarm_if_the_call_ran() {
    let t = Some;
    let found = alarms_either_way(&[
        permission_event_with_id("e1", 0.0, t("t1"), "none"),
        permission("e2", 1.0, "deny"),
        ran_as("e3", 2.0, t("t1")),
    ]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("denied-call-ran:e2"), "{found:?}");
    for (why, all) in [
        (
            "it was heeded, and the next try was let through",
            vec![
                permission_event_with_id("e1", 0.0, t("t1"), "none"),
                permission("e2", 1.0, "deny"),
                permission_event_with_id("e3", 2.0, t("t2"), "none"),
                ran_as("e4", 3.0, t("t2")),
            ],
        ),
        (
            "either of two may have been meant",
            vec![
                permission_event_with_id("e0", -1.0, t("t0"), "none"),
                permission_event_with_id("e1", 0.0, t("t1"), "none"),
                permission("e2", 1.0, "deny"),
                ran_as("e3", 2.0, t("t0")),
            ],
        ),
        (
            "a person said yes",
            vec![
                permission_event_with_id("e1", 0.0, t("t1"), "none"),
                permission("e2", 1.0, "ask"),
                ran_as("e3", 2.0, t("t1")),
            ],
        ),
    ] {
        assert_eq!(alarms_either_way(&all), Vec::<String>::new(), "{why}");
    }
}
