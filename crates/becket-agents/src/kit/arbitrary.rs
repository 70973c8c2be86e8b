//! Payloads and decisions of any kind, for laws that hold for all of them.

use becket_model::{Decision, Verdict};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value};

/// Any JSON, with keys that a parser may look for.
pub(crate) fn any_value(keys: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((any_key(keys), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn any_key(keys: &'static [&'static str]) -> impl Strategy<Value = String> {
    let known = prop::sample::select(keys).prop_map(str::to_owned);
    prop_oneof![4 => known, 1 => ".{0,6}"]
}

/// One of the names, or nonsense.
pub(crate) fn any_name(names: Vec<&'static str>) -> impl Strategy<Value = String> {
    let own = prop::sample::select(names).prop_map(str::to_owned);
    prop_oneof![4 => own, 1 => ".{0,12}"]
}

/// A payload that mostly names one of the events under `key`.
pub(crate) fn any_payload(
    key: &'static str,
    names: Vec<&'static str>,
    keys: &'static [&'static str],
) -> impl Strategy<Value = Map<String, Value>> {
    let members = vec((any_key(keys), any_value(keys)), 0..10);
    (members, option::of(any_name(names))).prop_map(move |(members, name)| {
        let mut payload: Map<String, Value> = members.into_iter().collect();
        if let Some(name) = name {
            payload.insert(key.into(), name.into());
        }
        payload
    })
}

pub(crate) fn any_verdict() -> impl Strategy<Value = Verdict> {
    prop::sample::select(&[
        Verdict::NoOpinion,
        Verdict::Allow,
        Verdict::Ask,
        Verdict::Deny,
        Verdict::Halt,
    ])
}

pub(crate) fn any_decision() -> impl Strategy<Value = Decision> {
    let text = || option::of(".{0,20}");
    (
        any_verdict(),
        (text(), text(), text(), text()),
        option::of(any_value(&["command", "file_path", "content"])),
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

/// An input made from another: keys changed, added and taken away.
pub(crate) fn rewrite_of(input: Map<String, Value>) -> impl Strategy<Value = Map<String, Value>> {
    let keys: Vec<String> = input.keys().cloned().chain(["added".to_owned()]).collect();
    let changes = vec(
        (prop::sample::select(keys), option::of("[a-z ./-]{0,8}")),
        0..4,
    );
    changes.prop_map(move |changes| {
        let mut out = input.clone();
        for (key, value) in changes {
            match value {
                Some(text) => out.insert(key, Value::String(text)),
                None => out.remove(&key),
            };
        }
        out
    })
}
