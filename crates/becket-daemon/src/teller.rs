//! What agents are told of what is known, for every way in which they ask.
//!
//! A daemon may have a [`Teller`] or not; without one nobody is told anything. [`Recalling`] is the one that tells
//! what stands in the store.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use becket_guard::redact::redact_text;
use becket_model::{Event, EventData, is_file_tool};
use becket_recall::inject::{Injector, Knowledge, Limits, Moment, Start, Status, Stored};
use becket_store::{Millis, Reader, event_in};
use serde_json::Value;

use crate::recall::{Remembering, Unanswered};
use crate::seen::{Sessions, Told};
use crate::socket::Asking;

/// Nobody is waited for longer than this, whatever they say.
const PATIENCE: Duration = Duration::from_secs(60);

/// Who asks, and when.
#[derive(Debug, Clone, Copy)]
pub struct Ask<'a> {
    /// The session.
    pub session: &'a str,
    /// The agent.
    pub agent: &'a str,
    /// Where, and for how long somebody waits.
    pub around: Around<'a>,
    /// What happens.
    pub moment: Moment<'a>,
}

/// What is around a question.
#[derive(Debug, Clone, Copy, Default)]
pub struct Around<'a> {
    /// The project's directory; `None`: the session's.
    pub project: Option<&'a str>,
    /// How many bytes the agent is told by others at the same time.
    pub taken: usize,
    /// Nobody hears what is said later, so that it does not count as told.
    pub until: Option<Instant>,
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

    /// Lets go of what is held between questions, because the daemon ends.
    fn rest(&self) {}
}

/// What to tell at an event, if it is one at which agents are told anything.
pub fn tell_at(teller: &dyn Teller, event: &Event, around: Around<'_>) -> Context {
    // A subagent has a context of its own, and what it was told the session was not.
    if event.subagent.is_some() {
        return Context::default();
    }
    let tell = |moment| {
        teller.tell(&Ask {
            session: event.session.as_str(),
            agent: event.agent.as_str(),
            around,
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
        EventData::PreToolUse { call } if is_file_tool(&call.name) && hears_before(event) => {
            tell(Moment::FileTool {
                tool: &call.name,
                paths: &call.paths(),
                output: "",
                prompt: "",
            })
        }
        _ => Context::default(),
    }
}

fn hears_before(event: &Event) -> bool {
    becket_agents::adapter(event.agent.as_str())
        .is_some_and(becket_agents::Adapter::hears_before_tools)
}

/// What a client is told of the event of a record, within the time that it waits. Nothing of it runs where others wait.
pub(crate) async fn answer(
    teller: Option<&Arc<dyn Teller>>,
    record: String,
    asking: &Asking,
) -> Option<String> {
    let teller = Arc::clone(teller?);
    let patience = Duration::from_millis(asking.wait_ms).min(PATIENCE);
    let (taken, until) = (asking.taken, Instant::now() + patience);
    let find = tokio::task::spawn_blocking(move || {
        let record: Value = serde_json::from_str(&record).ok()?;
        let around = Around {
            project: record["project"].as_str(),
            taken,
            until: Some(until),
        };
        tell_at(teller.as_ref(), &event_in(&record)?, around).text
    });
    let found = tokio::time::timeout(patience, find).await;
    found.ok()?.ok()?
}

/// How much a project's agents are told at most; `None` where they are told nothing.
pub type LimitsOf = Box<dyn Fn(&Path) -> Option<Limits> + Send + Sync>;

/// Tells what stands in the store.
pub struct Recalling {
    remembering: Remembering,
    limits: LimitsOf,
    sessions: Arc<Sessions>,
    /// For the next question: opening takes longer than searching.
    kept: Mutex<Option<Open>>,
}

/// An open database.
struct Open {
    reader: Reader,
    /// The file that was opened; a damaged one is set aside, and another takes its place.
    file: Option<(u64, u64)>,
}

fn identity(database: &Path) -> Option<(u64, u64)> {
    let meta = database.metadata().ok()?;
    Some((meta.dev(), meta.ino()))
}

impl Recalling {
    /// Tells what is remembered, within limits. What sessions were told is kept below the state directory.
    pub fn new(remembering: Remembering, state: &Path, limits: LimitsOf) -> Self {
        Self {
            remembering,
            limits,
            sessions: Arc::new(Sessions::new(state.join("told"))),
            kept: Mutex::default(),
        }
    }

    fn found(&self, ask: &Ask<'_>) -> Result<Context, Unanswered> {
        let open = self.open()?;
        let found = self.found_in(&open.reader, ask)?;
        // What failed may be the connection's fault.
        *self.kept() = Some(open);
        Ok(found)
    }

    fn kept(&self) -> MutexGuard<'_, Option<Open>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The database, open: as it was left by the last question, unless another file has taken its place.
    fn open(&self) -> Result<Open, Unanswered> {
        let file = identity(&self.remembering.keeper().database());
        let kept = self.kept().take();
        if let Some(open) = kept.filter(|open| open.file == file) {
            return Ok(open);
        }
        let reader = self.remembering.reader()?;
        Ok(Open { reader, file })
    }

    fn found_in(&self, reader: &Reader, ask: &Ask<'_>) -> Result<Context, Unanswered> {
        let project = match ask.around.project {
            Some(project) => Some(project.to_owned()),
            None => reader
                .session_head(ask.session)?
                .and_then(|head| head.project),
        };
        let Some(project) = project else {
            return Ok(Context::default());
        };
        let Some(limits) = (self.limits)(Path::new(&project)) else {
            return Ok(Context::default());
        };
        let recall = self.remembering.recall()?;
        let known = Stored {
            session: Some(ask.session),
            ..Stored::new(reader, &recall, &project)
        };
        let injector = Injector {
            knowledge: &known,
            limits: &limits,
            agent: ask.agent,
            taken: ask.around.taken,
            now: Millis::now(),
        };
        let context = Context {
            text: self.told(&injector, ask, reader)?,
            status: match ask.moment {
                Moment::SessionStart(_) => known.status()?,
                _ => Status::default(),
            },
        };
        if let Moment::SessionStart(_) = ask.moment {
            // A prompt follows, and its answer is not to wait for an index that nobody has opened yet.
            self.remembering.changed(&project);
        }
        Ok(context)
    }

    fn told(
        &self,
        injector: &Injector<'_>,
        ask: &Ask<'_>,
        reader: &Reader,
    ) -> Result<Option<String>, Unanswered> {
        let prompt = asked_for(reader, ask)?;
        let shared = self.sessions.of(ask.session);
        // Tools may run at the same time: the second of them waits, and is told what the first was not.
        let mut told = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let before = told.seen.clone();
        // Not every agent says that a session starts anew once its context was summed up.
        if let Some(at) = told.at
            && reader.was_compacted_since(ask.session, at)?
        {
            told.seen.forget();
        }
        let mut seen = told.seen.clone();
        let injection = injector.inject(&with_prompt(ask.moment, &prompt), &mut seen)?;
        let is_late = ask
            .around
            .until
            .is_some_and(|until| until <= Instant::now());
        if !is_late {
            told.seen = seen;
        } else if matches!(ask.moment, Moment::SessionStart(start) if start != Start::Resume) {
            told.seen.forget();
        }
        if told.seen != before {
            (told.at, told.is_unkept) = (Some(Millis::now()), true);
            self.keep_later(ask.session, Arc::clone(&shared));
        }
        Ok(injection.map(|told| told.text).filter(|_| !is_late))
    }

    /// Keeps what a session was told, while whoever asked has the answer already.
    fn keep_later(&self, session: &str, told: Arc<Mutex<Told>>) {
        let (sessions, session) = (Arc::clone(&self.sessions), session.to_owned());
        tokio::task::spawn_blocking(move || sessions.keep(&session, &told));
    }
}

impl Teller for Recalling {
    fn rest(&self) {
        *self.kept() = None;
        self.sessions.keep_all();
    }

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
fn asked_for(reader: &Reader, ask: &Ask<'_>) -> Result<String, Unanswered> {
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
                around: Around { project, .. },
                moment,
            } = ask;
            Context {
                text: Some(format!("{agent} {session} {project:?} {moment:?}")),
                ..Context::default()
            }
        }
    }

    fn asked(data: EventData) -> Option<String> {
        asked_by("codex", data)
    }

    fn asked_by(agent: &str, data: EventData) -> Option<String> {
        let event = Event::new(AgentId::new(agent), SessionId::new("s1"), data);
        let around = Around {
            project: Some("/shop"),
            ..Around::default()
        };
        tell_at(&Repeats, &event, around).text
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
    fn who_reads_no_answer_after_a_tool_is_told_before_it() {
        let reading = || EventData::PreToolUse {
            call: ToolCall::new("Read", json!({ "file_path": "src/a.rs" })),
        };
        let moment = r#"FileTool { tool: "Read", paths: ["src/a.rs"], output: "", prompt: "" }"#;
        for agent in ["crush", "autohand"] {
            let expected = format!("{agent} s1 Some(\"/shop\") {moment}");
            assert_eq!(asked_by(agent, reading()), Some(expected));
        }
        assert_eq!(asked_by("claude", reading()), None);
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
        let told = tell_at(&Repeats, &event, Around::default());
        assert_eq!(told, Context::default());
    }
}
