//! What agents are told of what is known, for every way in which they ask.
//!
//! A daemon may have a [`Teller`] or not; without one nobody is told anything. [`Recalling`] is the one that tells
//! what stands in the store.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use becket_guard::redact::redact_text;
use becket_model::{Event, EventData};
use becket_recall::inject::{
    Injector, Knowledge, Limits, Moment, Seen, Start, Status, Stored, is_file_tool,
};
use becket_recall::search::{Recall, RecallError};
use becket_store::{Millis, Reader};

/// As many sessions are known; then the one that was silent for the longest may be told things again.
const SESSIONS: usize = 256;

/// Who asks, and when.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The session.
    pub session: &'a str,
    /// The agent.
    pub agent: &'a str,
    /// The project's directory; `None`: the session's.
    pub project: Option<&'a str>,
    /// What happens.
    pub moment: Moment<'a>,
}

/// What there is to tell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Context {
    /// The text for the agent, between its marks; `None`: nothing is relevant.
    pub text: Option<String>,
    /// How much is known; looked up at the start of a session only.
    pub status: Status,
}

/// Tells agents what is known. It may ask the disk, so it is not asked where others wait.
pub trait Teller: Send + Sync {
    /// What to tell. What cannot be found out is not told.
    fn tell(&self, ask: &Ask<'_>) -> Context;
}

/// What to tell at an event, if it is one at which agents are told anything. Without a project it is the session's.
pub fn tell_at(teller: &dyn Teller, event: &Event, project: Option<&str>) -> Context {
    // A subagent has a context of its own, and what it was told the session was not.
    if event.subagent.is_some() {
        return Context::default();
    }
    let tell = |moment| {
        teller.tell(&Ask {
            session: event.session.as_str(),
            agent: event.agent.as_str(),
            project,
            moment,
        })
    };
    match &event.data {
        EventData::SessionStart { source } => {
            tell(Moment::SessionStart(Start::parse(source.as_deref())))
        }
        EventData::UserPromptSubmit { prompt } => tell(Moment::Prompt(prompt)),
        EventData::PostToolUse { call, response, .. } if is_file_tool(&call.name) => {
            tell(Moment::FileTool {
                tool: &call.name,
                paths: &call.paths(),
                output: response.as_str().unwrap_or_default(),
                prompt: "",
            })
        }
        _ => Context::default(),
    }
}

/// Tells what stands in the store.
pub struct Recalling {
    recall: Arc<Recall>,
    database: PathBuf,
    limits: Limits,
    /// What sessions were told, the one that asked last at the end.
    sessions: Mutex<VecDeque<(String, Arc<Mutex<Seen>>)>>,
}

impl Recalling {
    /// Tells what is in this database, within limits.
    pub fn new(recall: Arc<Recall>, database: PathBuf, limits: Limits) -> Self {
        Self {
            recall,
            database,
            limits,
            sessions: Mutex::default(),
        }
    }

    fn found(&self, ask: &Ask<'_>) -> Result<Context, RecallError> {
        let reader = Reader::open(&self.database)?;
        let project = match ask.project {
            Some(project) => Some(project.to_owned()),
            None => reader.session(ask.session)?.and_then(|row| row.project),
        };
        let Some(project) = project else {
            return Ok(Context::default());
        };
        let known = Stored {
            session: Some(ask.session),
            ..Stored::new(&reader, &self.recall, &project)
        };
        let injector = Injector {
            knowledge: &known,
            limits: &self.limits,
            agent: ask.agent,
            now: Millis::now(),
        };
        let prompt = asked_for(&reader, ask)?;
        let moment = with_prompt(ask.moment, &prompt);
        let seen = self.seen(ask.session);
        // Tools may run at the same time: the second of them waits, and is told what the first was not.
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        let injection = injector.inject(&moment, &mut seen)?;
        let status = match ask.moment {
            Moment::SessionStart(_) => known.status()?,
            _ => Status::default(),
        };
        Ok(Context {
            text: injection.map(|told| told.text),
            status,
        })
    }

    /// What a session was told; it is kept for the next time.
    fn seen(&self, session: &str) -> Arc<Mutex<Seen>> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let at = sessions.iter().position(|(id, _)| id == session);
        let known = at.and_then(|at| sessions.remove(at));
        let known = known.unwrap_or_else(|| (session.to_owned(), Arc::default()));
        let seen = Arc::clone(&known.1);
        sessions.push_back(known);
        while sessions.len() > SESSIONS {
            sessions.pop_front();
        }
        seen
    }
}

impl Teller for Recalling {
    fn tell(&self, ask: &Ask<'_>) -> Context {
        let session = redact_text(ask.session);
        match self.found(ask) {
            Ok(context) => {
                if let Some(text) = &context.text {
                    tracing::info!("INJECT: {} bytes into session={session:?}", text.len());
                }
                context
            }
            Err(error) => {
                let error = error.to_string();
                tracing::warn!("nothing is told to {session:?}: {:?}", redact_text(&error));
                Context::default()
            }
        }
    }
}

/// The prompt that a tool works for.
fn asked_for(reader: &Reader, ask: &Ask<'_>) -> Result<String, RecallError> {
    let batch = match ask.moment {
        Moment::FileTool { prompt: "", .. } => reader.active_batch(ask.session)?,
        _ => None,
    };
    Ok(batch.and_then(|batch| batch.prompt).unwrap_or_default())
}

fn with_prompt<'m>(moment: Moment<'m>, asked_for: &'m str) -> Moment<'m> {
    match moment {
        Moment::FileTool {
            tool,
            paths,
            output,
            prompt: "",
        } => Moment::FileTool {
            tool,
            paths,
            output,
            prompt: asked_for,
        },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use becket_model::{AgentId, SessionId, Subagent, ToolCall};
    use serde_json::{Value, json};

    use super::*;

    /// Says what it was asked.
    struct Repeats;

    impl Teller for Repeats {
        fn tell(&self, ask: &Ask<'_>) -> Context {
            let Ask {
                session,
                agent,
                project,
                moment,
            } = ask;
            Context {
                text: Some(format!("{agent} {session} {project:?} {moment:?}")),
                ..Context::default()
            }
        }
    }

    fn asked(data: EventData) -> Option<String> {
        let event = Event::new(AgentId::new("codex"), SessionId::new("s1"), data);
        tell_at(&Repeats, &event, Some("/shop")).text
    }

    fn used(tool: &str, input: Value) -> EventData {
        EventData::PostToolUse {
            call: ToolCall::new(tool, input),
            response: json!({ "type": "update" }),
            duration_ms: None,
        }
    }

    #[test]
    fn agents_are_told_something_at_starts_prompts_and_tools_on_files_only() {
        let patch =
            "*** Begin Patch\n*** Update File: src/a.rs\n*** Add File: src/b.rs\n*** End Patch";
        for (data, expected) in [
            (
                EventData::SessionStart {
                    source: Some("resume".into()),
                },
                Some("SessionStart(Resume)"),
            ),
            (
                EventData::UserPromptSubmit {
                    prompt: "fix".into(),
                },
                Some(r#"Prompt("fix")"#),
            ),
            (
                used("apply_patch", json!({ "command": patch })),
                Some(
                    r#"FileTool { tool: "ApplyPatch", paths: ["src/a.rs", "src/b.rs"], output: "", prompt: "" }"#,
                ),
            ),
            (used("Bash", json!({ "command": "cat src/a.rs" })), None),
            (EventData::PreModelRequest, None),
        ] {
            let expected = expected.map(|moment| format!("codex s1 Some(\"/shop\") {moment}"));
            assert_eq!(asked(data), expected);
        }
    }

    #[test]
    fn what_is_told_to_a_session_is_not_told_to_its_subagents() {
        let prompt = EventData::UserPromptSubmit {
            prompt: "fix".into(),
        };
        let mut event = Event::new(AgentId::new("claude"), SessionId::new("s1"), prompt);
        event.subagent = Some(Subagent {
            id: "a1".into(),
            kind: None,
        });
        assert_eq!(tell_at(&Repeats, &event, None), Context::default());
    }
}
