//! What the adapters share whose agents have a protocol of their own, neither Claude's nor like it.
//!
//! [`tools`] translates a tool's input and translates a
//! rewritten one back, [`settle`] decides what is left of a decision at an event that cannot take all
//! of it. None of them knows an agent: an adapter brings tables and writes the words.

pub(crate) mod settle;
pub(crate) mod tools;

use becket_model::EventKind;

pub(crate) use settle::{
    KitAllow, KitAsk, KitContext, KitHalt, KitMeans, KitMessage, KitRewrite, KitScene, KitSettled,
    Refuse,
};

/// The event of that name in an agent's table, in any spelling: the agent's own, or the canonical one that
/// a row stands for. `names` gives both; a row that stands for none has an empty one.
pub(crate) fn find<'t, T>(
    table: &'t [T],
    name: &str,
    names: fn(&T) -> (&'static str, &'static str),
) -> Option<&'t T> {
    let own = |test: &dyn Fn(&str) -> bool| table.iter().find(|row| test(names(row).0));
    let standing = |kind: &EventKind| {
        let canonical = kind.name();
        let mut rows = table.iter().filter(|_| !canonical.is_empty());
        rows.find(|row| names(row).1 == canonical)
    };
    let kind = EventKind::parse(name);
    own(&|own| own == name)
        .or_else(|| own(&|own| same_name(own, name)))
        .or_else(|| standing(&kind))
        // Most agents have one event for success and failure.
        .or_else(|| match kind {
            EventKind::PostToolUseFailure => standing(&EventKind::PostToolUse),
            _ => None,
        })
}

/// Whether two names differ in case and separators only.
fn same_name(a: &str, b: &str) -> bool {
    let letters = |name: &str| -> Vec<u8> {
        name.bytes()
            .filter(|b| !matches!(b, b'-' | b'_' | b':' | b'.' | b' '))
            .map(|b| b.to_ascii_lowercase())
            .collect()
    };
    letters(a) == letters(b)
}

/// A line for stdout that no agent takes for JSON.
pub(crate) fn plain_line(text: &str) -> String {
    if text.trim_start().starts_with('{') {
        format!("Note: {text}\n")
    } else {
        format!("{text}\n")
    }
}
