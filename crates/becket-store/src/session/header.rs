//! What is known of a session whatever order its events came in.

use serde::{Deserialize, Serialize};

use super::{Mark, Position};
use crate::millis::Millis;

/// What one event tells about its session.
#[derive(Debug, Clone)]
pub(crate) struct Sighting<'e> {
    pub(crate) position: Position,
    pub(crate) agent: &'e str,
    pub(crate) project: Option<i64>,
    pub(crate) transcript: Option<&'e str>,
    /// The parent that the event names, and why it is one.
    pub(crate) parent: Option<(&'e str, &'e str)>,
    pub(crate) mark: Option<&'e Mark>,
    /// How the parent is found if this is the session's first event.
    pub(crate) link: Option<Link>,
}

/// How the parent of a session is found that does not name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Link {
    /// It began where another was cleared.
    Clear,
    /// It is a subagent's.
    Subagent,
}

impl Link {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Clear => "clear",
            Self::Subagent => "subagent",
        }
    }
}

/// The earliest event that told something, and what it told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Earliest<T> {
    position: Position,
    pub(crate) value: T,
}

/// Who the session belongs to. Ordered by how much the label is worth.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Label {
    rank: u8,
    at_start: bool,
    position: Position,
    agent: String,
}

/// What is known of a session whatever order its events came in.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Header {
    first: Option<Earliest<Option<Link>>>,
    last_at: Millis,
    label: Option<Label>,
    project: Option<Earliest<i64>>,
    transcript: Option<Earliest<String>>,
    source: Option<Earliest<Option<String>>>,
    parent: Option<Earliest<(String, String)>>,
    /// Hooks have told of tokens.
    hooks_tell_tokens: bool,
    /// A call was denied; `None`: nobody has looked.
    pub(crate) has_denial: Option<bool>,
    /// Telemetry has told of something; `None`: nobody has looked.
    pub(crate) has_telemetry: Option<bool>,
}

impl Header {
    /// Takes an event into account.
    pub(crate) fn see(&mut self, sighting: &Sighting<'_>) {
        let position = &sighting.position;
        self.last_at = match self.first {
            None => position.at,
            Some(_) => self.last_at.max(position.at),
        };
        earliest(&mut self.first, position, Some(&sighting.link));
        earliest(&mut self.project, position, sighting.project.as_ref());
        let transcript = sighting.transcript.map(str::to_owned);
        earliest(&mut self.transcript, position, transcript.as_ref());
        if let Some(Mark::Start { source }) = sighting.mark {
            earliest(&mut self.source, position, Some(source));
        }
        let parent = sighting
            .parent
            .map(|(id, why)| (id.to_owned(), why.to_owned()));
        earliest(&mut self.parent, position, parent.as_ref());
        self.see_label(sighting);
    }

    /// Notes that a hook told of tokens; whether none had before.
    pub(crate) fn see_tokens(&mut self) -> bool {
        !std::mem::replace(&mut self.hooks_tell_tokens, true)
    }

    pub(crate) fn hooks_tell_tokens(&self) -> bool {
        self.hooks_tell_tokens
    }

    /// A specific label beats a general one, whichever came first: Cursor's events also arrive through
    /// Claude's file, under Claude's name. Of equals, the latest start's.
    fn see_label(&mut self, sighting: &Sighting<'_>) {
        let label = Label {
            rank: rank(sighting.agent),
            at_start: matches!(sighting.mark, Some(Mark::Start { .. })),
            position: sighting.position.clone(),
            agent: sighting.agent.to_owned(),
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

    /// The parent that events name, and why it is one.
    pub(crate) fn parent(&self) -> Option<(&str, &str)> {
        let (id, why) = &self.parent.as_ref()?.value;
        Some((id, why))
    }

    /// How the parent is to be found, where none is named.
    pub(crate) fn link(&self) -> Option<Link> {
        self.first.as_ref()?.value.filter(|_| self.parent.is_none())
    }
}

fn earliest<T: Clone>(slot: &mut Option<Earliest<T>>, position: &Position, given: Option<&T>) {
    let Some(value) = given else { return };
    if slot.as_ref().is_none_or(|known| *position < known.position) {
        *slot = Some(Earliest {
            position: position.clone(),
            value: value.clone(),
        });
    }
}

fn rank(agent: &str) -> u8 {
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
        let mut header = Header::default();
        for (at, (agent, start)) in (0..).zip(labels) {
            header.see(&Sighting {
                position: Position {
                    at: Millis(at),
                    id: at.to_string(),
                },
                agent,
                project: None,
                transcript: None,
                parent: None,
                mark: start.then_some(&Mark::Start { source: None }),
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
