//! An agent's event table: names, subjects and capabilities, and the search for a name in any spelling.

use becket_model::EventKind;

use super::capability::EventCaps;
use super::wire::DenySpelling;

/// One event of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EventRow {
    /// The agent's name for it, which some replies have to repeat exactly. Empty for an unknown event.
    pub(crate) native: &'static str,
    /// Other names that the agent has for it.
    pub(crate) aliases: &'static [&'static str],
    /// The canonical event that the row stands for. Several rows may have the same; the first one answers
    /// for an event that is known only by its canonical name.
    pub(crate) kind: Option<&'static EventKind>,
    /// The keys of the payload that a matcher is tested against; the first one that is present counts.
    pub(crate) subject: &'static [&'static str],
    pub(crate) caps: EventCaps,
    /// How the wire spells a denial here. Only the wire reads it.
    pub(crate) spelling: DenySpelling,
}

impl EventRow {
    pub(crate) const fn new(
        native: &'static str,
        kind: Option<&'static EventKind>,
        caps: EventCaps,
    ) -> Self {
        Self {
            native,
            aliases: &[],
            kind,
            subject: &[],
            caps,
            spelling: DenySpelling::Usual,
        }
    }

    /// What a later version of the agent may add.
    pub(crate) const fn unknown(caps: EventCaps) -> Self {
        Self::new("", None, caps)
    }

    pub(crate) const fn aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    pub(crate) const fn subject(self, subject: &'static [&'static str]) -> Self {
        Self { subject, ..self }
    }

    pub(crate) const fn spelling(self, spelling: DenySpelling) -> Self {
        Self { spelling, ..self }
    }

    pub(crate) fn is_unknown(&self) -> bool {
        self.native.is_empty()
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.native).chain(self.aliases.iter().copied())
    }
}

/// The row for a name in any spelling: the agent's own, another case or other separators, or the canonical name.
/// Most agents have one event for success and failure of a tool, so a failure falls back to it.
pub(crate) fn find(rows: &'static [EventRow], name: &str) -> Option<&'static EventRow> {
    rows.iter()
        .find(|row| row.names().any(|own| own == name))
        .or_else(|| {
            rows.iter()
                .find(|row| row.names().any(|own| same(own, name)))
        })
        .or_else(|| find_kind(rows, &EventKind::parse(name)))
}

/// The row for a canonical event.
pub(crate) fn find_kind(rows: &'static [EventRow], kind: &EventKind) -> Option<&'static EventRow> {
    let standing = |kind: &EventKind| rows.iter().find(|row| row.kind == Some(kind));
    standing(kind).or_else(|| match kind {
        EventKind::PostToolUseFailure => standing(&EventKind::PostToolUse),
        _ => None,
    })
}

/// Whether two names differ in case and separators only.
pub(crate) fn same(a: &str, b: &str) -> bool {
    fn letters(name: &str) -> impl Iterator<Item = u8> {
        name.bytes()
            .filter(|b| !matches!(b, b'-' | b'_' | b':' | b'.' | b' '))
            .map(|b| b.to_ascii_lowercase())
    }
    letters(a).eq(letters(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: &[EventRow] = &[
        EventRow::new("tool_call", Some(&EventKind::PreToolUse), EventCaps::UNREAD),
        EventRow::new(
            "PreToolUse",
            Some(&EventKind::PreToolUse),
            EventCaps::UNREAD,
        ),
        EventRow::new(
            "tool_result",
            Some(&EventKind::PostToolUse),
            EventCaps::UNREAD,
        ),
        EventRow::new("agentStop", Some(&EventKind::Stop), EventCaps::UNREAD).aliases(&["Finish"]),
        EventRow::new("before:shell", None, EventCaps::UNREAD),
    ];

    #[test]
    fn an_event_is_found_in_any_spelling_and_by_its_canonical_kind() {
        for (name, expected) in [
            ("tool_call", Some("tool_call")),
            ("TOOL-CALL", Some("tool_call")),
            ("PreToolUse", Some("PreToolUse")),
            ("pre-tool-use", Some("PreToolUse")),
            ("before_tool", Some("tool_call")),
            ("Finish", Some("agentStop")),
            ("finish", Some("agentStop")),
            ("post-response", Some("agentStop")),
            ("BeforeShell", Some("before:shell")),
            ("PostToolUseFailure", Some("tool_result")),
            ("MoonPhase", None),
            ("", None),
            ("-", None),
        ] {
            let found = find(ROWS, name).map(|row| row.native);
            assert_eq!(found, expected, "{name}");
        }
    }
}
