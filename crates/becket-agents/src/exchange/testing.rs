//! Arbitrary payloads and decisions, for the laws that every adapter keeps.

use becket_model::{Decision, Verdict};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value};

/// A key, mostly one that the parser looks at, so that chance finds it.
pub(crate) fn any_key(known: &'static [&'static str]) -> impl Strategy<Value = String> {
    let known = prop::sample::select(known).prop_map(str::to_owned);
    prop_oneof![4 => known, 1 => ".{0,6}"]
}

/// A value whose keys and texts are mostly known words.
pub(crate) fn any_value(known: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        // Numbers that text keeps exactly.
        any::<i16>().prop_map(|n| Value::from(f64::from(n) / 8.0)),
        any_key(known).prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((any_key(known), inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// A payload that mostly names an event.
pub(crate) fn any_payload(
    known: &'static [&'static str],
    event_key: &'static str,
    names: &'static [&'static str],
) -> impl Strategy<Value = Map<String, Value>> {
    let members = vec((any_key(known), any_value(known)), 0..10);
    let name = option::weighted(0.9, prop::sample::select(names));
    (members, name).prop_map(move |(members, name)| {
        let mut payload: Map<String, Value> = members.into_iter().collect();
        if let Some(name) = name {
            payload.insert(event_key.to_owned(), name.into());
        }
        payload
    })
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

/// Any decision.
pub(crate) fn any_decision(known: &'static [&'static str]) -> impl Strategy<Value = Decision> {
    let text = || option::of(".{0,20}");
    (
        any_verdict(),
        (text(), text(), text(), text()),
        option::of(any_value(known)),
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

/// A decision with nothing but a verdict.
pub(crate) fn verdict(verdict: Verdict) -> Decision {
    Decision {
        verdict,
        ..Decision::default()
    }
}
