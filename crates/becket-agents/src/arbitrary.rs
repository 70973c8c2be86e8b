//! Payloads and decisions of every kind, for the laws that each agent's tests state.

use becket_model::{Decision, Verdict};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value};

/// Any JSON; objects have the given keys more often than others, so that chance finds them.
pub(crate) fn value(keys: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        // Quarters: the parser reads any float, but not every one to its last bit.
        any::<i16>().prop_map(|n| Value::from(f64::from(n) / 4.0)),
        ".{0,12}".prop_map(Value::from),
        prop::sample::select(keys).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((key(keys), inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn key(keys: &'static [&'static str]) -> impl Strategy<Value = String> {
    let known = prop::sample::select(keys).prop_map(str::to_owned);
    prop_oneof![4 => known, 1 => ".{0,6}"]
}

/// Any object, with the given keys more often than others.
pub(crate) fn object(keys: &'static [&'static str]) -> impl Strategy<Value = Map<String, Value>> {
    vec((key(keys), value(keys)), 0..10).prop_map(|members| members.into_iter().collect())
}

/// One of the names, or none of them.
pub(crate) fn name(names: Vec<&'static str>) -> impl Strategy<Value = String> {
    let own = prop::sample::select(names).prop_map(str::to_owned);
    prop_oneof![6 => own, 1 => ".{0,12}"]
}

pub(crate) fn verdict() -> impl Strategy<Value = Verdict> {
    prop::sample::select(&[
        Verdict::NoOpinion,
        Verdict::Allow,
        Verdict::Ask,
        Verdict::Deny,
        Verdict::Halt,
    ])
}

/// Any decision.
pub(crate) fn decision() -> impl Strategy<Value = Decision> {
    let text = || option::of(".{0,20}");
    (
        verdict(),
        (text(), text(), text(), text()),
        option::of(value(&["command", "file_path", "decision", "allow"])),
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
