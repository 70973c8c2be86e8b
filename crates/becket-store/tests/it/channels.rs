//! What an agent tells by hooks and by telemetry is recorded once, whichever is heard of first.

use becket_store::{
    ActivityFilter, ActivityRow, AlarmFilter, Origin, TELEMETRY, Tokens, ToolUse, Writer,
};
use serde_json::{Value, json};

use crate::{announced, at, bash, ingest, prompt, record, stop, writer};

/// What an exporter tells, at a time and with an id that begins as telemetry's do.
fn exported(
    writer: &mut Writer,
    seconds: f64,
    tell: impl FnOnce(&mut becket_store::Group<'_>, &Origin<'_>),
) {
    let id = format!("{TELEMETRY}{seconds:09.3}");
    let mut group = writer.begin().unwrap();
    let origin = Origin {
        id: &id,
        at: at(seconds),
        agent: "claude",
        session: "s1",
        project: None,
        transcript: None,
        generation: None,
    };
    tell(&mut group, &origin);
    group.commit().unwrap();
}

fn untold(writer: &mut Writer, seconds: f64, chars: u64) {
    exported(writer, seconds, |group, origin| {
        group.prompt_untold(origin, Some(chars)).unwrap();
    });
}

fn result(writer: &mut Writer, seconds: f64, call: Option<&str>, command: &str) {
    exported(writer, seconds, |group, origin| {
        let call = ToolUse {
            tool: "Bash",
            input: json!({ "command": command }),
            call_id: call,
            duration: Some(std::time::Duration::from_millis(77)),
        };
        group.post_tool_use(origin, &call, Value::Null).unwrap();
    });
}

/// Both orders of arrival.
fn either_way(one: impl Fn(&mut Writer), other: impl Fn(&mut Writer), check: impl Fn(&Writer)) {
    let mut writer_of_one = writer();
    one(&mut writer_of_one);
    other(&mut writer_of_one);
    check(&writer_of_one);
    let mut writer_of_other = writer();
    other(&mut writer_of_other);
    one(&mut writer_of_other);
    check(&writer_of_other);
}

fn prompts(writer: &Writer) -> Vec<String> {
    let batches = writer.reader().batches("s1").unwrap().into_iter();
    batches.map(|batch| batch.prompt.unwrap()).collect()
}

fn activities(writer: &Writer) -> Vec<ActivityRow> {
    let rows = writer.reader().activities(&ActivityFilter::default());
    let mut rows = rows.unwrap().items;
    rows.reverse();
    rows
}

fn unnamed(mut record: Value) -> Value {
    let payload = record["payload"].as_object_mut().unwrap();
    payload.remove("tool_use_id");
    record
}

#[test]
fn a_prompt_that_telemetry_keeps_to_itself_is_the_one_that_a_hook_tells() {
    // Telemetry may be dated before the hook, or after.
    for seconds in [0.9, 1.1] {
        either_way(
            |writer| untold(writer, seconds, 11),
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
fn a_plan_that_a_hook_tells_makes_the_turn_one_of_a_plan() {
    let plan = "Implement the following plan:\n# a\n1. b";
    either_way(
        |writer| untold(writer, 0.9, plan.len() as u64),
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
fn a_length_is_compared_as_each_agent_counts_and_not_where_a_secret_was() {
    let token = "ghp_".to_owned() + &"A1b2".repeat(9);
    for (text, chars) in [("schön 🦀", 8), ("schön 🦀", 7), (token.as_str(), 40)] {
        either_way(
            |writer| untold(writer, 0.9, chars),
            |writer| {
                ingest(writer, &[prompt("e1", 1.0, text)]);
            },
            |writer| assert_eq!(prompts(writer).len(), 1, "{text}"),
        );
    }
}

#[test]
fn prompts_of_other_lengths_and_of_later_turns_are_others() {
    either_way(
        |writer| untold(writer, 0.9, 12),
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
            untold(writer, 1.1, 2);
            untold(writer, 9.1, 2);
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
fn a_call_is_one_in_any_order_with_the_words_of_the_hook_and_the_time_of_telemetry() {
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
fn ids_that_count_anew_in_each_turn_are_told_apart() {
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
                unnamed(bash("e2", 2.0, "", "ls")),
                unnamed(bash("e3", 3.0, "", "ls")),
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
fn a_second_report_of_a_call_is_not_held_against_a_denial() {
    let mut denied = unnamed(announced("e2", 2.0, "", "ls"));
    denied["decision"] = json!({ "verdict": "deny", "reason": "no" });
    let mut allowed = unnamed(announced("e3", 3.0, "", "ls"));
    allowed["decision"] = json!({ "verdict": "allow" });
    either_way(
        |writer| result(writer, 4.1, None, "ls"),
        |writer| {
            let records = [
                prompt("e1", 1.0, "go"),
                denied.clone(),
                allowed.clone(),
                unnamed(bash("e4", 4.0, "", "ls")),
            ];
            ingest(writer, &records);
        },
        |writer| assert_eq!(writer.reader().alarms(AlarmFilter::All, 9).unwrap(), []),
    );
}

#[test]
fn tokens_that_hooks_tell_of_are_not_counted_again() {
    let spent = |writer: &Writer| writer.reader().session_tokens("s1").unwrap();
    let told = |writer: &mut Writer| {
        exported(writer, 3.0, |group, origin| {
            let tokens = Tokens {
                input: 7,
                ..Tokens::default()
            };
            group.model_request(origin, Some("m"), tokens).unwrap();
        });
    };
    let mut alone = writer();
    told(&mut alone);
    assert_eq!(spent(&alone), Some(7));
    either_way(
        told,
        |writer| {
            let usage = json!({ "usage": { "input_tokens": 5, "output_tokens": 1 } });
            let mut asked = record("e1", 2.0, "PostModelRequest", usage);
            asked["shape"] = json!("becket");
            ingest(writer, &[asked]);
        },
        |writer| assert_eq!(spent(writer), Some(6)),
    );
}
