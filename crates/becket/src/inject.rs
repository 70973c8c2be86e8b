//! Context injection: replies that can still take recalled context.
//!
//! Whether an agent accepts context is a query on its capabilities. This module looks nothing up. The caller queries the daemon once the event is on record, and renders the reply again
//! with [`InjectionPoint::render_with`].

use std::time::Duration;

use becket_agents::{Adapter, Rendered, adapter};
use becket_model::{Decision, Event, EventData, is_file_tool};

/// How long an agent waits for context when a session starts. The person is not typing yet.
const SESSION_START_TIMEOUT: Duration = Duration::from_millis(400);

/// How long it waits during a turn.
const TURN_TIMEOUT: Duration = Duration::from_millis(150);

/// A reply that can still take injected context: the event, the decision, and how long the agent waits.
pub struct InjectionPoint {
    adapter: &'static dyn Adapter,
    event: Event,
    decision: Decision,
    lost: Vec<String>,
    patience: Duration,
}

impl InjectionPoint {
    /// The injection point of an event, if Becket injects at this event and the agent accepts context there.
    pub(crate) fn new(event: &Event, decision: &Decision, rendered: &Rendered) -> Option<Self> {
        let patience = injection_timeout(event)?;
        let is_free = !decision.verdict.blocks()
            && decision.keep_going.is_none()
            && rendered.exit == 0
            && event.subagent.is_none();
        let adapter = adapter(event.agent.as_str())
            .filter(|adapter| is_free && adapter.accepts_context(event, decision))?;
        Some(Self {
            adapter,
            event: event.clone(),
            decision: decision.clone(),
            lost: rendered.lost.clone(),
            patience,
        })
    }

    /// How long the agent waits for context.
    pub fn timeout(&self) -> Duration {
        self.patience
    }

    /// Whether the event starts a session.
    pub fn is_session_start(&self) -> bool {
        matches!(self.event.data, EventData::SessionStart { .. })
    }

    /// The length in bytes of the context that hooks have added, with the separator to more text.
    pub fn context_len(&self) -> usize {
        let context = self.decision.context.as_ref();
        context.map_or(0, |text| text.len() + 1)
    }

    /// The reply with `text` as additional context for the model.
    pub fn render_with(&self, text: &str) -> Rendered {
        let mut rendered = self.rendered(text);
        rendered.lost.clone_from(&self.lost);
        rendered
    }

    fn rendered(&self, text: &str) -> Rendered {
        let context = match &self.decision.context {
            Some(before) => format!("{before}\n{text}"),
            None => text.to_owned(),
        };
        let decision = Decision {
            context: Some(context),
            ..self.decision.clone()
        };
        self.adapter.render(&self.event, &decision)
    }
}

/// Whether context can be injected at an event, judging by the event and the agent alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Availability {
    /// It can, unless a hook blocks the event.
    Available,
    /// Becket does not inject at this event.
    UnsupportedEvent,
    /// The agent's reply format has no field for context here.
    UnsupportedByAgent,
    /// A subagent gets no context; its parent does.
    Subagent,
}

/// Whether context can be injected at an event.
pub fn availability(event: &Event) -> Availability {
    if injection_timeout(event).is_none() {
        return Availability::UnsupportedEvent;
    }
    if event.subagent.is_some() {
        return Availability::Subagent;
    }
    let adapter = adapter(event.agent.as_str());
    if adapter.is_some_and(|adapter| adapter.accepts_context(event, &Decision::default())) {
        Availability::Available
    } else {
        Availability::UnsupportedByAgent
    }
}

/// How long the agent waits for context at an event; `None` where Becket does not inject.
fn injection_timeout(event: &Event) -> Option<Duration> {
    match &event.data {
        EventData::SessionStart { .. } => Some(SESSION_START_TIMEOUT),
        EventData::UserPromptSubmit { .. } => Some(TURN_TIMEOUT),
        EventData::PostToolUse { call, .. } if is_file_tool(&call.name) => Some(TURN_TIMEOUT),
        EventData::PreToolUse { call } if is_file_tool(&call.name) => {
            adapter(event.agent.as_str()).filter(|it| it.injects_before_tools())?;
            Some(TURN_TIMEOUT)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use becket_model::{AgentId, SessionId, Subagent, ToolCall, Verdict};
    use serde_json::{Value, json};

    use super::*;

    fn event(agent: &str, data: EventData) -> Event {
        let mut event = Event::new(AgentId::new(agent), SessionId::new("s"), data);
        event.native_name = event.kind().name().to_owned();
        event
    }

    fn prompt(agent: &str) -> Event {
        let prompt = "fix it".to_owned();
        event(agent, EventData::UserPromptSubmit { prompt })
    }

    fn used(agent: &str, tool: &str) -> Event {
        let data = EventData::PostToolUse {
            call: ToolCall::new(tool, json!({ "file_path": "/w/a.rs" })),
            response: Value::Null,
            duration_ms: None,
        };
        event(agent, data)
    }

    fn using(agent: &str, tool: &str) -> Event {
        let call = ToolCall::new(tool, json!({ "file_path": "/w/a.rs" }));
        event(agent, EventData::PreToolUse { call })
    }

    fn open(event: &Event, decision: &Decision) -> Option<InjectionPoint> {
        let adapter = adapter(event.agent.as_str()).expect("an agent");
        let rendered = adapter.render(event, decision);
        InjectionPoint::new(event, decision, &rendered)
    }

    fn is_open(event: &Event) -> bool {
        open(event, &Decision::default()).is_some()
    }

    #[test]
    fn context_is_injected_at_session_starts_prompts_and_file_tools_of_agents_that_accept_it() {
        let start = |agent| event(agent, EventData::SessionStart { source: None });
        let (mut listed, mut wrong) = (Vec::new(), Vec::new());
        for (agent, at_start, at_prompt, before_tool, after_tool) in [
            ("claude", true, true, false, true),
            ("codex", true, true, false, true),
            ("gemini", true, true, false, true),
            ("qwen", true, true, false, true),
            ("copilot", true, true, false, true),
            ("cursor", true, true, false, true),
            ("droid", true, true, false, true),
            ("cline", false, false, false, true),
            ("amp", true, true, false, true),
            ("augment", false, false, false, true),
            ("kiro", true, true, false, true),
            ("devin", true, true, false, false),
            ("opencode", true, true, false, true),
            ("crush", false, false, true, false),
            ("autohand", false, false, true, false),
            ("windsurf", false, false, false, false),
            ("goose", false, false, false, false),
        ] {
            let found = (
                is_open(&start(agent)),
                is_open(&prompt(agent)),
                is_open(&using(agent, "Read")),
                is_open(&used(agent, "Read")),
            );
            let expected = (at_start, at_prompt, before_tool, after_tool);
            if found != expected {
                wrong.push((agent, found));
            }
            for tool in [using(agent, "Bash"), used(agent, "Bash")] {
                assert!(!is_open(&tool), "{agent}, Bash");
            }
            listed.push(agent);
        }
        let mut agents: Vec<&str> = becket_agents::adapters().iter().map(|it| it.id()).collect();
        agents.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, agents, "no agent is left out");
        assert_eq!(wrong, []);
    }

    #[test]
    fn availability_says_why_no_context_is_injected() {
        assert_eq!(availability(&prompt("claude")), Availability::Available);
        assert_eq!(
            availability(&used("claude", "Bash")),
            Availability::UnsupportedEvent
        );
        assert_eq!(
            availability(&prompt("windsurf")),
            Availability::UnsupportedByAgent
        );
    }

    #[test]
    fn blocked_events_and_subagents_get_no_context() {
        for verdict in [Verdict::Deny, Verdict::Halt] {
            let decision = Decision {
                verdict,
                ..Decision::default()
            };
            assert!(open(&prompt("claude"), &decision).is_none(), "{verdict}");
        }
        let mut within = prompt("claude");
        within.subagent = Some(Subagent {
            id: "a1".into(),
            kind: None,
        });
        assert!(!is_open(&within));
        assert_eq!(availability(&within), Availability::Subagent);
    }

    #[test]
    fn injected_context_follows_the_context_of_hooks() {
        let decision = Decision {
            context: Some("from a hook".into()),
            ..Decision::default()
        };
        let open = open(&prompt("claude"), &decision).expect("it accepts context");
        assert_eq!(open.context_len(), "from a hook\n".len());
        let reply: Value =
            serde_json::from_str(&open.render_with("recalled").stdout).expect("JSON");
        let context = &reply["hookSpecificOutput"]["additionalContext"];
        assert_eq!(context, "from a hook\nrecalled");
    }
}
