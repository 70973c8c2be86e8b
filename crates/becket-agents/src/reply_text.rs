//! Helpers for texts in replies: trim, join, shorten.

use serde_json::Value;

use crate::payload::clip;

/// The reason for a denial without one. The agents' default texts do not say that the user's hook denied the
/// call, and some agents take an empty reason for consent.
pub(crate) const NO_REASON: &str = "refused by a hook";

/// The text, unless it is blank.
pub(crate) fn non_blank(text: Option<&String>) -> Option<&str> {
    text.map(String::as_str)
        .filter(|text| !text.trim().is_empty())
}

/// Both texts on separate lines.
pub(crate) fn join_lines(own: Option<&str>, added: Option<String>) -> Option<String> {
    match (own, added) {
        (Some(own), Some(added)) => Some(format!("{own}\n{added}")),
        (Some(own), None) => Some(own.to_owned()),
        (None, added) => added,
    }
}

/// The reason of a denial that replaces a rewrite. It repeats at most `shown` characters of the input.
pub(crate) fn with_rewrite(reason: Option<&str>, input: &Value, shown: usize) -> String {
    let input = input.to_string();
    let input = clip(&input, shown);
    let why = reason.map_or(String::new(), |reason| format!(" ({reason})"));
    format!(
        "a hook wants another input{why}, which can only be said by refusing; use this instead: {input}"
    )
}
