//! Reports by hooks and by telemetry are deduped in either order.

use becket_store::{
    ActivityFilter, ActivityRow, AlarmFilter, EventOrigin, StoreWriter, TELEMETRY_ID_PREFIX,
    TokenCounts, ToolUse,
};
use serde_json::{Value, json};

use crate::{announced, at, bash, ingest, prompt, record, stop, writer};

/// A telemetry report, with an id that begins as telemetry's do.
fn exported(
    writer: &mut StoreWriter,
    seconds: f64,
    report: impl FnOnce(&mut becket_store::WriteTransaction<'_>, &EventOrigin<'_>),
) {
    let id = format!("{TELEMETRY_ID_PREFIX}{seconds:09.3}");
    let mut transaction = writer.begin().unwrap();
    let origin = EventOrigin {
        id: &id,
        at: at(seconds),
        agent: "claude",
        session: "s1",
        project: None,
        transcript: None,
        generation: None,
    };
    report(&mut transaction, &origin);
    transaction.commit().unwrap();
}

fn redacted_prompt(writer: &mut StoreWriter, seconds: f64, chars: u64) {
    exported(writer, seconds, |transaction, origin| {
        transaction
            .redacted_prompt_submit(origin, Some(chars))
            .unwrap();
    });
}

fn result(writer: &mut StoreWriter, seconds: f64, call: Option<&str>, command: &str) {
    exported(writer, seconds, |transaction, origin| {
        let call = ToolUse {
            tool: "Bash",
            input: json!({ "command": command }),
            call_id: call,
            duration: Some(std::time::Duration::from_millis(77)),
        };
        transaction
            .post_tool_use(origin, &call, Value::Null)
            .unwrap();
    });
}

/// Both orders of arrival.
fn either_way(
    one: impl Fn(&mut StoreWriter),
    other: impl Fn(&mut StoreWriter),
    check: impl Fn(&StoreWriter),
) {
    let mut writer_of_one = writer();
    one(&mut writer_of_one);
    other(&mut writer_of_one);
    check(&writer_of_one);
    let mut writer_of_other = writer();
    other(&mut writer_of_other);
    one(&mut writer_of_other);
    check(&writer_of_other);
}

fn prompts(writer: &StoreWriter) -> Vec<String> {
    let batches = writer.reader().batches("s1").unwrap().into_iter();
    batches.map(|batch| batch.prompt.unwrap()).collect()
}

fn activities(writer: &StoreWriter) -> Vec<ActivityRow> {
    let rows = writer.reader().activities(&ActivityFilter::default());
    let mut rows = rows.unwrap().items;
    rows.reverse();
    rows
}

fn without_id(mut record: Value) -> Value {
    let payload = record["payload"].as_object_mut().unwrap();
    payload.remove("tool_use_id");
    record
}

#[test]
fn redacted_telemetry_prompt_is_a_duplicate_of_the_hook_prompt() {
    // Telemetry may be dated before or after the hook.
    for seconds in [0.9, 1.1] {
        either_way(
            |writer| redacted_prompt(writer, seconds, 11),
            |writer| {
                ingest(writer, &[prompt("e1", 1.0, "fix the bug")]);
            },
            |writer| {
                assert_eq!(prompts(writer), ["fix the bug"], "{seconds}");
                let session = writer.reader().session("s1").unwrap().unwrap();
                assert_eq!(session.first_prompt.as_deref(), Some("fix the bug"));
            },
        );
    }
}

#[test]
fn plan_prompt_from_a_hook_sets_the_batch_source() {
    let plan = "Implement the following plan:\n# a\n1. b";
    either_way(
        |writer| redacted_prompt(writer, 0.9, plan.len() as u64),
        |writer| {
            ingest(writer, &[prompt("e1", 1.0, plan)]);
        },
        |writer| {
            let batches = writer.reader().batches("s1").unwrap();
            assert_eq!(batches.len(), 1);
            assert_eq!(batches[0].source, "plan");
            assert_eq!(batches[0].plan.as_deref(), Some("# a\n1. b"));
        },
    );
}

#[test]
fn prompt_lengths_are_compared_in_both_units_unless_redacted() {
    let token = "ghp_".to_owned() + &"A1b2".repeat(9);
    for (text, chars) in [("schön 🦀", 8), ("schön 🦀", 7), (token.as_str(), 40)] {
        either_way(
            |writer| redacted_prompt(writer, 0.9, chars),
            |writer| {
                ingest(writer, &[prompt("e1", 1.0, text)]);
            },
            |writer| assert_eq!(prompts(writer).len(), 1, "{text}"),
        );
    }
}

#[test]
fn prompts_of_other_lengths_or_later_turns_are_separate() {
    either_way(
        |writer| redacted_prompt(writer, 0.9, 12),
        |writer| {
            ingest(writer, &[prompt("e1", 1.0, "fix the bug")]);
        },
        |writer| {
            assert_eq!(
                prompts(writer),
                ["[Prompt redacted, 12 chars]", "fix the bug"]
            );
        },
    );
    either_way(
        |writer| {
            redacted_prompt(writer, 1.1, 2);
            redacted_prompt(writer, 9.1, 2);
        },
        |writer| {
            let records = [
                prompt("e1", 1.0, "go"),
                stop("e2", 5.0, "done"),
                prompt("e3", 9.0, "on"),
            ];
            ingest(writer, &records);
        },
        |writer| assert_eq!(prompts(writer), ["go", "on"]),
    );
}

#[test]
fn call_merges_hook_details_with_telemetry_duration_in_any_order() {
    for seconds in [2.9, 3.1] {
        either_way(
            |writer| result(writer, seconds, Some("t1"), "ls -l"),
            |writer| {
                let records = [
                    prompt("e1", 1.0, "go"),
                    announced("e2", 2.0, "t1", "ls"),
                    bash("e3", 3.0, "t1", "ls"),
                ];
                ingest(writer, &records);
            },
            |writer| {
                let rows = activities(writer);
                assert_eq!(rows.len(), 1, "{seconds}: {rows:?}");
                assert_eq!(rows[0].id, "e3");
                assert_eq!(rows[0].output.as_deref(), Some("done"));
                assert_eq!(rows[0].duration_ms, Some(77));
                let stats = writer.reader().session_stats("s1").unwrap();
                assert_eq!(stats.tool_calls, 1);
            },
        );
    }
}

#[test]
fn call_ids_that_restart_in_each_turn_stay_separate() {
    either_way(
        |writer| {
            result(writer, 2.1, Some("t1"), "ls");
            result(writer, 9.1, Some("t1"), "make");
        },
        |writer| {
            let records = [
                prompt("e1", 1.0, "go"),
                bash("e2", 2.0, "t1", "ls"),
                prompt("e3", 8.0, "on"),
                bash("e4", 9.0, "t1", "make"),
            ];
            ingest(writer, &records);
        },
        |writer| {
            let ids: Vec<_> = activities(writer).into_iter().map(|row| row.id).collect();
            assert_eq!(ids, ["e2", "e4"]);
        },
    );
}

#[test]
fn calls_without_ids_are_paired_one_to_one() {
    either_way(
        |writer| {
            result(writer, 2.1, None, "ls");
            result(writer, 3.1, None, "ls");
            result(writer, 4.1, None, "ls");
        },
        |writer| {
            let records = [
                prompt("e1", 1.0, "go"),
                without_id(bash("e2", 2.0, "", "ls")),
                without_id(bash("e3", 3.0, "", "ls")),
            ];
            ingest(writer, &records);
        },
        |writer| {
            let ids: Vec<_> = activities(writer).into_iter().map(|row| row.id).collect();
            assert_eq!(
                ids[..2],
                ["e2", "e3"],
                "the third is known from telemetry alone"
            );
            assert_eq!(ids.len(), 3);
        },
    );
}

#[test]
fn duplicate_report_does_not_count_against_a_denial() {
    let mut denied = without_id(announced("e2", 2.0, "", "ls"));
    denied["decision"] = json!({ "verdict": "deny", "reason": "no" });
    let mut allowed = without_id(announced("e3", 3.0, "", "ls"));
    allowed["decision"] = json!({ "verdict": "allow" });
    either_way(
        |writer| result(writer, 4.1, None, "ls"),
        |writer| {
            let records = [
                prompt("e1", 1.0, "go"),
                denied.clone(),
                allowed.clone(),
                without_id(bash("e4", 4.0, "", "ls")),
            ];
            ingest(writer, &records);
        },
        |writer| assert_eq!(writer.reader().alarms(AlarmFilter::All, 9).unwrap(), []),
    );
}

#[test]
fn hook_reported_tokens_replace_telemetry_tokens() {
    let spent = |writer: &StoreWriter| writer.reader().session_tokens("s1").unwrap();
    let hook_prompt = |writer: &mut StoreWriter| {
        exported(writer, 3.0, |transaction, origin| {
            let tokens = TokenCounts {
                input: 7,
                ..TokenCounts::default()
            };
            transaction
                .model_request(origin, Some("m"), tokens)
                .unwrap();
        });
    };
    let mut alone = writer();
    hook_prompt(&mut alone);
    assert_eq!(spent(&alone), Some(7));
    either_way(
        hook_prompt,
        |writer| {
            let usage = json!({ "usage": { "input_tokens": 5, "output_tokens": 1 } });
            let mut asked = record("e1", 2.0, "PostModelRequest", usage);
            asked["shape"] = json!("becket");
            ingest(writer, &[asked]);
        },
        |writer| assert_eq!(spent(writer), Some(6)),
    );
}
