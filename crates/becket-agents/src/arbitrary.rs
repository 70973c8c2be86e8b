//! Strategies for arbitrary payloads and decisions, for the property tests of each agent.

use becket_model::{Decision, Verdict};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Any JSON; objects use the given keys more often than others, so that random tests reach them.
pub(crate) fn any_value(keys: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        // Multiples of 1/4: the parser does not round-trip every float to the last bit.
        any::<i16>().prop_map(|n| Value::from(f64::from(n) / 4.0)),
        ".{0,12}".prop_map(Value::from),
        prop::sample::select(keys).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((any_key(keys), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// A key, mostly one of the given ones.
pub(crate) fn any_key(keys: &'static [&'static str]) -> impl Strategy<Value = String> {
    let known = prop::sample::select(keys).prop_map(str::to_owned);
    prop_oneof![4 => known, 1 => ".{0,6}"]
}

/// Any object, with the given keys more often than others.
pub(crate) fn any_object(
    keys: &'static [&'static str],
) -> impl Strategy<Value = Map<String, Value>> {
    vec((any_key(keys), any_value(keys)), 0..10).prop_map(|members| members.into_iter().collect())
}

/// One of the names, or rarely another.
pub(crate) fn any_name(names: Vec<&'static str>) -> impl Strategy<Value = String> {
    let own = prop::sample::select(names).prop_map(str::to_owned);
    prop_oneof![6 => own, 1 => ".{0,12}"]
}

/// A payload that usually names one of the events under `key`.
pub(crate) fn any_payload(
    key: &'static str,
    names: Vec<&'static str>,
    keys: &'static [&'static str],
) -> impl Strategy<Value = Map<String, Value>> {
    let name = option::weighted(0.9, any_name(names));
    (any_object(keys), name).prop_map(move |(mut payload, name)| {
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

/// Any decision; its texts may be blank, or look like JSON.
pub(crate) fn any_decision(keys: &'static [&'static str]) -> impl Strategy<Value = Decision> {
    let text = || {
        option::of(
            prop_oneof![4 => ".{0,20}", 1 => Just(" \n".to_owned()), 1 => Just("{\"a\":1}".to_owned())],
        )
    };
    let input = vec((any_key(keys), any_value(keys)), 0..4);
    let rewrite = prop_oneof![
        3 => input.prop_map(|members| Value::Object(members.into_iter().collect())),
        2 => ".{0,12}".prop_map(|command| json!({ "command": command })),
        1 => any_value(keys),
    ];
    (
        any_verdict(),
        (text(), text(), text(), text()),
        option::of(rewrite),
        any::<bool>(),
    )
        .prop_map(
            |(verdict, (reason, context, system_message, keep_going), updated_input, quiet)| {
                Decision {
                    verdict,
                    reason,
                    context,
                    system_message,
                    keep_going,
                    updated_input,
                    suppress_logging: quiet,
                    ..Decision::default()
                }
            },
        )
}

/// A decision with only a verdict.
pub(crate) fn verdict(verdict: Verdict) -> Decision {
    Decision {
        verdict,
        ..Decision::default()
    }
}

/// An input derived from another: keys changed, added and removed.
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
