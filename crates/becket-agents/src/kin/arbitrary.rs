//! Payloads and decisions by chance, for the laws of every agent of the family.

use becket_model::{Decision, Verdict};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value};

use super::Kin;

/// The keys that a parser or a tool looks at, so that chance finds them.
const KEYS: &[&str] = &[
    "agent_id",
    "agent_type",
    "command",
    "content",
    "cwd",
    "description",
    "directory_path",
    "displayed_text",
    "error",
    "file_path",
    "folder",
    "hook_event_name",
    "input",
    "isError",
    "is_final",
    "last-assistant-message",
    "message",
    "new_str",
    "old_str",
    "old_string",
    "phase",
    "prompt",
    "reason",
    "session_id",
    "source",
    "success",
    "task_error",
    "thread-id",
    "tool_input",
    "tool_name",
    "tool_response",
    "tool_use_id",
    "transcript_path",
    "type",
];

const TOOLS: &[&str] = &[
    "ApplyPatch",
    "Bash",
    "Edit",
    "Execute",
    "FetchUrl",
    "Glob",
    "LS",
    "apply_patch",
    "edit",
    "mcp__a__b",
    "monitor",
    "run_shell_command",
    "spawn_agent",
];

/// A name of one of the agent's events, now and then another one.
pub(crate) fn any_name(kin: &Kin) -> impl Strategy<Value = String> + use<> {
    let own: Vec<String> = kin.rows.iter().map(|row| row.name.to_owned()).collect();
    prop_oneof![6 => prop::sample::select(own), 1 => ".{0,12}"]
}

/// A payload, more often than not one that can be read.
pub(crate) fn any_payload(kin: &Kin) -> impl Strategy<Value = Map<String, Value>> + use<> {
    let members = vec((any_key(), any_value()), 0..8);
    (members, option::of(any_name(kin)), option::of(any_call())).prop_map(
        |(members, name, call)| {
            let mut payload: Map<String, Value> = members.into_iter().collect();
            if let Some(name) = name {
                payload.insert("hook_event_name".into(), name.into());
            }
            if let Some((tool, input)) = call {
                payload.insert("tool_name".into(), tool.into());
                payload.insert("tool_input".into(), Value::Object(input));
                payload.entry("prompt").or_insert_with(|| "hi".into());
            }
            payload
        },
    )
}

/// A tool and an input for it.
pub(crate) fn any_call() -> impl Strategy<Value = (String, Map<String, Value>)> {
    let tool = prop::sample::select(TOOLS).prop_map(str::to_owned);
    (tool, any_object())
}

/// An object.
pub(crate) fn any_object() -> impl Strategy<Value = Map<String, Value>> {
    vec((any_key(), any_value()), 0..5).prop_map(|members| members.into_iter().collect())
}

/// Any JSON.
pub(crate) fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        // Halves and quarters are read back as they were written.
        1 => any::<i16>().prop_map(|n| Value::from(f64::from(n) / 4.0)),
        4 => ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((any_key(), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn any_key() -> impl Strategy<Value = String> {
    let known = prop::sample::select(KEYS).prop_map(str::to_owned);
    prop_oneof![6 => known, 1 => ".{0,6}"]
}

/// Any verdict.
pub(crate) fn any_verdict() -> impl Strategy<Value = Verdict> {
    prop::sample::select(&[
        Verdict::NoOpinion,
        Verdict::Allow,
        Verdict::Ask,
        Verdict::Deny,
        Verdict::Halt,
    ])
}

/// Any decision; its texts may be blank, and look like JSON.
pub(crate) fn any_decision() -> impl Strategy<Value = Decision> {
    let text = || {
        option::of(
            prop_oneof![4 => ".{0,20}", 1 => Just(" \n".to_owned()), 1 => Just("{\"a\":1}".to_owned())],
        )
    };
    let rewrite = prop_oneof![
        3 => any_object().prop_map(Value::Object),
        2 => ".{0,12}".prop_map(|command| serde_json::json!({ "command": command })),
        1 => any_value(),
    ];
    (
        any_verdict(),
        (text(), text(), text(), text()),
        option::of(rewrite),
        any::<bool>(),
    )
        .prop_map(
            |(verdict, (reason, context, message, going), input, quiet)| Decision {
                verdict,
                reason,
                context,
                system_message: message,
                keep_going: going,
                updated_input: input,
                suppress_logging: quiet,
                ..Decision::default()
            },
        )
}
