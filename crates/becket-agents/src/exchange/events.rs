//! The shape of an agent's event table, and the answer that follows from it.
//!
//! Start at [`Protocol`].

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::Value;

use super::lean::{ExchangeAnswer, ExchangeMeans, Occasion, lean};
use super::tools::Rewritten;

/// One of an agent's events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ExchangeNative {
    /// The agent's names for it; the first one is what a record says.
    pub(crate) names: &'static [&'static str],
    /// What it is read as.
    pub(crate) reads: Reads,
    /// What a hook may do.
    pub(crate) means: ExchangeMeans,
}

/// What an event of an agent is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    PreTool,
    /// Success, or a failure that the payload reports.
    PostTool,
    PostToolFailure,
    Prompt,
    /// A start, and how Becket calls its source.
    Start(Option<&'static str>),
    End,
    /// The agent comes to rest.
    Rest,
    Error,
    /// A file was created, modified or deleted.
    File(&'static str),
    Compaction,
    Notice,
    SubagentStart,
    SubagentStop,
    /// Nothing canonical. Also what fires together with a tool event for the same call: read as that call
    /// it would be recorded and judged twice.
    Other,
}

impl ExchangeNative {
    /// The name that a record says.
    pub(crate) fn name(&self) -> &'static str {
        self.names[0]
    }

    fn is_called(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    fn is_of(&self, kind: &EventKind) -> bool {
        let own = |name: &&str| EventKind::parse(name) == *kind;
        self.names.iter().any(own)
    }
}

/// An agent, as far as replies go: its name for people, its events, and what is assumed of an event
/// that a later version may add.
pub(crate) struct Protocol {
    pub(crate) agent: &'static str,
    pub(crate) events: &'static [ExchangeNative],
    pub(crate) unknown: ExchangeMeans,
}

impl Protocol {
    /// The event of that name: as the agent spells it, by its canonical kind, or in another case.
    pub(crate) fn find(&self, name: &str) -> Option<&'static ExchangeNative> {
        let first =
            |fits: &dyn Fn(&ExchangeNative) -> bool| self.events.iter().find(|event| fits(event));
        let kind = EventKind::parse(name);
        first(&|event| event.is_called(name))
            .or_else(|| first(&|event| kind.is_known() && event.is_of(&kind)))
            .or_else(|| first(&|event| event.names.iter().any(|own| same(own, name))))
    }

    /// The answer that the agent can express at an event. `translate` is as for [`lean`].
    pub(crate) fn answer(
        &self,
        event: &Event,
        decision: &Decision,
        translate: &dyn Fn(&Value) -> Result<Rewritten, String>,
    ) -> ExchangeAnswer {
        // The name that the agent gave decides; the kind is for an event that was not read here.
        let by_name = self.find(&event.native_name);
        let native = by_name.or_else(|| self.find(event.kind().name()));
        lean(
            self.occasion(native, &event.native_name),
            decision,
            translate,
        )
    }

    /// The answer that the agent can express when its payload could not be read; none for a verdict that lets
    /// it happen, because an unread payload cannot be approved.
    pub(crate) fn unread(
        &self,
        kind: Option<&EventKind>,
        verdict: Verdict,
        reason: &str,
    ) -> Option<ExchangeAnswer> {
        let decision = Decision {
            verdict,
            reason: Some(reason.to_owned()),
            ..Decision::default()
        };
        let name = kind.map_or("this event", EventKind::name);
        let occasion = self.occasion(self.find(name), name);
        (verdict > Verdict::Allow).then(|| lean(occasion, &decision, &nothing_to_rewrite))
    }

    fn occasion<'a>(
        &'a self,
        native: Option<&'static ExchangeNative>,
        name: &'a str,
    ) -> Occasion<'a> {
        Occasion {
            agent: self.agent,
            name: native.map_or(name, |native| native.means.name),
            means: native.map_or(&self.unknown, |native| &native.means),
        }
    }
}

/// For agents that take no rewritten input anywhere.
pub(crate) fn nothing_to_rewrite(_: &Value) -> Result<Rewritten, String> {
    Err("there is nothing to rewrite".to_owned())
}

/// Whether two names differ in case and separators only.
fn same(a: &str, b: &str) -> bool {
    let letters = |name: &str| -> Vec<u8> {
        name.bytes()
            .filter(|b| !matches!(b, b'-' | b'_' | b':' | b'.' | b' '))
            .map(|b| b.to_ascii_lowercase())
            .collect()
    };
    letters(a) == letters(b)
}

#[cfg(test)]
mod tests {
    use becket_model::{AgentId, EventData, SessionId, ToolCall};

    use super::super::lean::{Act, Refusal};
    use super::*;

    const TESTER: Protocol = Protocol {
        agent: "Tester",
        events: &[
            ExchangeNative {
                names: &["tool_call", "PreToolUse"],
                reads: Reads::PreTool,
                means: ExchangeMeans::at("PreToolUse").refusal(Refusal::Prevents),
            },
            ExchangeNative {
                names: &["TaskError"],
                reads: Reads::Error,
                means: ExchangeMeans::at("TaskError"),
            },
        ],
        unknown: ExchangeMeans::at("").refusal(Refusal::Unknown),
    };

    #[test]
    fn an_event_is_found_in_any_spelling_and_by_its_canonical_kind() {
        for (name, expected) in [
            ("tool_call", Some("tool_call")),
            ("PreToolUse", Some("tool_call")),
            ("before_tool", Some("tool_call")),
            ("TOOL-CALL", Some("tool_call")),
            ("task_error", Some("TaskError")),
            ("MoonPhase", None),
        ] {
            let found = TESTER.find(name).map(ExchangeNative::name);
            assert_eq!(found, expected, "{name}");
        }
    }

    #[test]
    fn an_event_that_was_not_read_here_is_answered_by_its_kind() {
        let call = ToolCall::new("Bash", serde_json::json!({}));
        let (agent, session) = (AgentId::new("x"), SessionId::default());
        let mut event = Event::new(agent, session, EventData::PreToolUse { call });
        event.native_name = "beforeShell".into();
        let deny = Decision {
            verdict: Verdict::Deny,
            ..Decision::default()
        };
        let answer = TESTER.answer(&event, &deny, &nothing_to_rewrite);
        assert!(matches!(answer.act, Act::Refuse { .. }));
        assert!(answer.lost.is_empty());
    }

    #[test]
    fn unread_payload_is_never_allowed() {
        for kind in [Some(EventKind::PreToolUse), None] {
            for verdict in [Verdict::NoOpinion, Verdict::Allow] {
                assert_eq!(TESTER.unread(kind.as_ref(), verdict, "cut"), None);
            }
            for verdict in [Verdict::Ask, Verdict::Deny, Verdict::Halt] {
                let answer = TESTER.unread(kind.as_ref(), verdict, "cut").unwrap();
                assert!(
                    matches!(answer.act, Act::Refuse { .. }),
                    "{kind:?} {verdict}"
                );
            }
        }
    }
}
