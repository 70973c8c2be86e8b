//! Answers to which something that is known may still be added.
//!
//! What is known is not known here: whoever delivers an answer asks, once the event is on record, and says it with
//! [`Open::with`]. Only where agents are told anything, and only in answers that have a place for it.

use std::time::Duration;

use becket_agents::{Adapter, Rendered, adapter};
use becket_model::{Decision, Event, EventData, is_file_tool};

/// How long an agent that starts waits for what is known; nobody types yet.
const AT_START: Duration = Duration::from_millis(400);

/// How long it waits in the middle of its work.
const AT_WORK: Duration = Duration::from_millis(150);

/// An answer that has room for text to the model.
pub struct Open {
    adapter: &'static dyn Adapter,
    event: Event,
    decision: Decision,
    lost: Vec<String>,
    patience: Duration,
}

impl Open {
    /// The answer to an event, if agents are told something there and this one would listen.
    pub(crate) fn new(event: &Event, decision: &Decision, rendered: &Rendered) -> Option<Self> {
        let patience = patience(event)?;
        let is_free = !decision.verdict.blocks()
            && decision.keep_going.is_none()
            && rendered.exit == 0
            && event.subagent.is_none();
        let adapter = adapter(event.agent.as_str()).filter(|_| is_free)?;
        let open = Self {
            adapter,
            event: event.clone(),
            decision: decision.clone(),
            lost: rendered.lost.clone(),
            patience,
        };
        open.listens(rendered).then_some(open)
    }

    /// Whether the agent's words for this event have a place for a text, as each adapter's table says.
    fn listens(&self, rendered: &Rendered) -> bool {
        let said = self.rendered("text");
        said.stdout != rendered.stdout && said.exit == 0 && said.lost.len() <= self.lost.len()
    }

    /// How long the agent can wait for it.
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// Whether it is a session's first word.
    pub fn is_start(&self) -> bool {
        matches!(self.event.data, EventData::SessionStart { .. })
    }

    /// How many bytes of text for the model there are already, with what stands between them and more.
    pub fn taken(&self) -> usize {
        let context = self.decision.context.as_ref();
        context.map_or(0, |text| text.len() + 1)
    }

    /// The answer with one more text for the model.
    pub fn with(&self, text: &str) -> Rendered {
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

/// Whether the answer to an event has room for what is known, going by the event and the agent alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    /// It has, unless a hook refuses.
    Open,
    /// Agents are told nothing at such an event.
    NotHere,
    /// The agent has no place for it in its answer.
    NoPlace,
    /// A subagent is told nothing; who sent it is.
    Subagent,
}

/// Whether more may be said in the answer to an event.
pub fn room(event: &Event) -> Room {
    if patience(event).is_none() {
        return Room::NotHere;
    }
    if event.subagent.is_some() {
        return Room::Subagent;
    }
    let decision = Decision::default();
    let rendered = adapter(event.agent.as_str()).map(|adapter| adapter.render(event, &decision));
    match rendered.and_then(|rendered| Open::new(event, &decision, &rendered)) {
        Some(_) => Room::Open,
        None => Room::NoPlace,
    }
}

/// How long is waited at an event, if agents are told anything there at all.
fn patience(event: &Event) -> Option<Duration> {
    match &event.data {
        EventData::SessionStart { .. } => Some(AT_START),
        EventData::UserPromptSubmit { .. } => Some(AT_WORK),
        EventData::PostToolUse { call, .. } if is_file_tool(&call.name) => Some(AT_WORK),
        EventData::PreToolUse { call } if is_file_tool(&call.name) => {
            adapter(event.agent.as_str()).filter(|it| it.hears_before_tools())?;
            Some(AT_WORK)
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

    fn open(event: &Event, decision: &Decision) -> Option<Open> {
        let adapter = adapter(event.agent.as_str()).expect("an agent");
        let rendered = adapter.render(event, decision);
        Open::new(event, decision, &rendered)
    }

    fn is_open(event: &Event) -> bool {
        open(event, &Decision::default()).is_some()
    }

    #[test]
    fn agents_are_told_at_starts_prompts_and_tools_on_files_where_they_listen() {
        let start = |agent| event(agent, EventData::SessionStart { source: None });
        let (mut told, mut wrong) = (Vec::new(), Vec::new());
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
            told.push(agent);
        }
        let mut agents: Vec<&str> = becket_agents::adapters().iter().map(|it| it.id()).collect();
        agents.sort_unstable();
        told.sort_unstable();
        assert_eq!(told, agents, "no agent is left out");
        assert_eq!(wrong, []);
    }

    #[test]
    fn why_nothing_is_said_is_told_apart() {
        assert_eq!(room(&prompt("claude")), Room::Open);
        assert_eq!(room(&used("claude", "Bash")), Room::NotHere);
        assert_eq!(room(&prompt("windsurf")), Room::NoPlace);
    }

    #[test]
    fn nobody_is_told_anything_beside_a_refusal_or_within_a_subagent() {
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
        assert_eq!(room(&within), Room::Subagent);
    }

    #[test]
    fn what_is_known_follows_what_hooks_have_said() {
        let decision = Decision {
            context: Some("from a hook".into()),
            ..Decision::default()
        };
        let open = open(&prompt("claude"), &decision).expect("it listens");
        assert_eq!(open.taken(), "from a hook\n".len());
        let said: Value = serde_json::from_str(&open.with("known").stdout).expect("JSON");
        let context = &said["hookSpecificOutput"]["additionalContext"];
        assert_eq!(context, "from a hook\nknown");
    }
}
