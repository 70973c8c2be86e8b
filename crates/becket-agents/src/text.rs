//! The small change of replies: texts that are filled, joined and shortened.

use serde_json::Value;

use crate::payload::clip;

/// How much of a rewritten input a refusal repeats, unless the agent takes less.
const REWRITE_SHOWN: usize = 4_000;

/// What is said for a refusal that came without a reason. The agents have texts of their own for
/// that, which do not say that it was a hook of the person's; some take an empty reason for consent.
pub(crate) const NO_REASON: &str = "refused by a hook";

/// A text that says something.
pub(crate) fn filled(text: Option<&String>) -> Option<&str> {
    text.map(String::as_str)
        .filter(|text| !text.trim().is_empty())
}

/// One text after the other.
pub(crate) fn joined(own: Option<&str>, told: Option<String>) -> Option<String> {
    match (own, told) {
        (Some(own), Some(told)) => Some(format!("{own}\n{told}")),
        (Some(own), None) => Some(own.to_owned()),
        (None, told) => told,
    }
}

/// The reason of a refusal that stands in for a rewrite.
pub(crate) fn with_rewrite(reason: Option<&str>, input: &Value) -> String {
    with_rewrite_of(reason, input, REWRITE_SHOWN)
}

/// The same, with this much of the rewritten input.
pub(crate) fn with_rewrite_of(reason: Option<&str>, input: &Value, shown: usize) -> String {
    let input = input.to_string();
    let input = clip(&input, shown);
    let why = reason.map_or(String::new(), |reason| format!(" ({reason})"));
    format!(
        "a hook wants another input{why}, which can only be said by refusing; use this instead: {input}"
    )
}
