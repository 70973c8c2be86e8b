//! What agents are told of what is known, for every way in which they ask.
//!
//! A daemon may have a [`Teller`] or not; without one nobody is told anything. [`Recalling`] is the one that tells
//! what stands in the store.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use becket_guard::redact::redact_text;
use becket_recall::inject::{Injector, Knowledge, Limits, Moment, Seen, Status, Stored};
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
