//! The part of a session's state that does not depend on the order of its events.

use serde::{Deserialize, Serialize};

use super::{EventPosition, TurnEffect};
use crate::millis::Millis;

/// The part of an event that updates the header.
#[derive(Debug, Clone)]
pub(crate) struct HeaderUpdate<'e> {
    pub(crate) position: EventPosition,
    pub(crate) agent: &'e str,
    pub(crate) project: Option<i64>,
    pub(crate) transcript: Option<&'e str>,
    /// The parent that the event names, and the reason for the link.
    pub(crate) parent: Option<(&'e str, &'e str)>,
    pub(crate) turn_effect: Option<&'e TurnEffect>,
    /// How to find the parent, if this is the session's first event.
    pub(crate) link: Option<ParentLink>,
}

/// How to find a parent that the events do not name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ParentLink {
    /// The session began when another one was cleared.
    Clear,
    /// The session belongs to a subagent.
    Subagent,
}

impl ParentLink {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Clear => "clear",
            Self::Subagent => "subagent",
        }
    }
}

/// A value and the position of the earliest event that has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct EarliestValue<T> {
    position: EventPosition,
    pub(crate) value: T,
}

/// The session's agent. Ordered by how specific the label is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct AgentLabel {
    rank: u8,
    at_start: bool,
    position: EventPosition,
    agent: String,
}

/// The order-independent state of a session: every field is a minimum or a maximum over its events. Stored as JSON
/// in `sessions.header`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct SessionHeader {
    first: Option<EarliestValue<Option<ParentLink>>>,
    last_at: Millis,
    label: Option<AgentLabel>,
    project: Option<EarliestValue<i64>>,
    transcript: Option<EarliestValue<String>>,
    source: Option<EarliestValue<Option<String>>>,
    parent: Option<EarliestValue<(String, String)>>,
    /// Hooks have reported token use.
    #[serde(rename = "hooks_tell_tokens")]
    hooks_report_tokens: bool,
    /// Whether a call was denied; `None`: not yet determined.
    pub(crate) has_denial: Option<bool>,
    /// Whether telemetry has reported an event; `None`: not yet determined.
    pub(crate) has_telemetry: Option<bool>,
}

impl SessionHeader {
    /// Updates the header with an event.
    pub(crate) fn update(&mut self, event: &HeaderUpdate<'_>) {
        let position = &event.position;
        self.last_at = match self.first {
            None => position.at,
            Some(_) => self.last_at.max(position.at),
        };
        earliest(&mut self.first, position, Some(&event.link));
        earliest(&mut self.project, position, event.project.as_ref());
        let transcript = event.transcript.map(str::to_owned);
        earliest(&mut self.transcript, position, transcript.as_ref());
        if let Some(TurnEffect::Start { source }) = event.turn_effect {
            earliest(&mut self.source, position, Some(source));
        }
        let parent = event
            .parent
            .map(|(id, why)| (id.to_owned(), why.to_owned()));
        earliest(&mut self.parent, position, parent.as_ref());
        self.update_label(event);
    }

    /// Records that a hook reported token use; `true` the first time.
    pub(crate) fn note_hook_tokens(&mut self) -> bool {
        !std::mem::replace(&mut self.hooks_report_tokens, true)
    }

    pub(crate) fn hooks_report_tokens(&self) -> bool {
        self.hooks_report_tokens
    }

    /// A specific label replaces a general one in either order: Cursor's events also arrive through Claude's
    /// settings, under Claude's name. Between equals, the latest session start wins.
    fn update_label(&mut self, event: &HeaderUpdate<'_>) {
        let label = AgentLabel {
            rank: agent_rank(event.agent),
            at_start: matches!(event.turn_effect, Some(TurnEffect::Start { .. })),
            position: event.position.clone(),
            agent: event.agent.to_owned(),
        };
        if self.label.as_ref().is_none_or(|known| *known < label) {
            self.label = Some(label);
        }
    }

    pub(crate) fn started_at(&self) -> Millis {
        self.first
            .as_ref()
            .map_or(Millis(0), |first| first.position.at)
    }

    pub(crate) fn last_at(&self) -> Millis {
        self.last_at
    }

    pub(crate) fn agent(&self) -> &str {
        self.label.as_ref().map_or("unknown", |label| &label.agent)
    }

    pub(crate) fn project(&self) -> Option<i64> {
        self.project.as_ref().map(|project| project.value)
    }

    pub(crate) fn transcript(&self) -> Option<&str> {
        self.transcript.as_ref().map(|path| path.value.as_str())
    }

    pub(crate) fn source(&self) -> Option<&str> {
        self.source.as_ref()?.value.as_deref()
    }

    /// The parent that events name, and the reason for the link.
    pub(crate) fn parent(&self) -> Option<(&str, &str)> {
        let (id, why) = &self.parent.as_ref()?.value;
        Some((id, why))
    }

    /// How to find the parent, if no event names it.
    pub(crate) fn link(&self) -> Option<ParentLink> {
        self.first.as_ref()?.value.filter(|_| self.parent.is_none())
    }
}

fn earliest<T: Clone>(
    slot: &mut Option<EarliestValue<T>>,
    position: &EventPosition,
    given: Option<&T>,
) {
    let Some(value) = given else { return };
    if slot.as_ref().is_none_or(|known| *position < known.position) {
        *slot = Some(EarliestValue {
            position: position.clone(),
            value: value.clone(),
        });
    }
}

fn agent_rank(agent: &str) -> u8 {
    match agent {
        "" | "unknown" => 0,
        "claude" => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(labels: &[(&str, bool)]) -> String {
        let mut header = SessionHeader::default();
        for (at, (agent, start)) in (0..).zip(labels) {
            header.update(&HeaderUpdate {
                position: EventPosition {
                    at: Millis(at),
                    id: at.to_string(),
                },
                agent,
                project: None,
                transcript: None,
                parent: None,
                turn_effect: start.then_some(&TurnEffect::Start { source: None }),
                link: None,
            });
        }
        header.agent().to_owned()
    }

    #[test]
    fn a_specific_label_beats_a_general_one_in_either_order() {
        for (labels, expected) in [
            (&[("claude", true), ("cursor", true)][..], "cursor"),
            (&[("cursor", true), ("claude", true)], "cursor"),
            (&[("unknown", true), ("claude", false)], "claude"),
            (&[("copilot", true), ("cursor", true)], "cursor"),
            (&[("copilot", true), ("cursor", false)], "copilot"),
            (&[], "unknown"),
        ] {
            assert_eq!(seen(labels), expected, "{labels:?}");
        }
    }
}
