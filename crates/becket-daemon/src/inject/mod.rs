//! Context injection: finds memories and code for an agent's event, for the socket and the hooks API.
//!
//! The daemon injects context only if it has a [`ContextProvider`]. [`StoreContextProvider`] is the one that reads
//! from the store; the `session_log` keeps each session from getting the same item twice.

pub(crate) mod session_log;

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

use becket_base::sync::MutexExt;
use becket_guard::redact::redact_text;
use becket_model::{Event, EventData, is_file_tool};
use becket_recall::inject::{
    InjectionLimits, InjectionTrigger, Injector, KnowledgeCounts, KnowledgeSource, StartSource,
    StoreKnowledge,
};
use becket_store::{Millis, StoreReader, event_of_record};
use serde_json::Value;

use crate::recall::{MemoryError, MemoryService};
use crate::socket::ContextRequest;
use session_log::{InjectedItems, SessionLog};

/// Upper bound for the waiting time that a client requests.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// A request for the context of one event.
#[derive(Debug, Clone, Copy)]
pub struct InjectionRequest<'a> {
    /// The session's id.
    pub session: &'a str,
    /// The agent's id.
    pub agent: &'a str,
    /// The project and the limits of this request.
    pub scope: InjectionScope<'a>,
    /// The event.
    pub moment: InjectionTrigger<'a>,
}

/// The project and the limits of a request.
#[derive(Debug, Clone, Copy, Default)]
pub struct InjectionScope<'a> {
    /// The project's directory; `None` means the session's project.
    pub project: Option<&'a str>,
    /// Bytes of context that hooks already added to the same answer.
    pub used_bytes: usize,
    /// A later result is discarded, and its items do not count as injected.
    pub deadline: Option<Instant>,
}

/// The context for one event.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InjectedContext {
    /// The text to inject, between its markers; `None` if nothing is relevant.
    pub text: Option<String>,
    /// The number of memories and code chunks; only loaded at the start of a session.
    pub status: KnowledgeCounts,
}

/// Finds context for events. It may read from disk, so call it on a blocking thread.
pub trait ContextProvider: Send + Sync {
    /// Finds the context to inject. On an error there is none.
    fn context(&self, request: &InjectionRequest<'_>) -> InjectedContext;

    /// Releases cached resources when the daemon stops.
    fn close(&self) {}
}

/// Finds the context for an event; empty for events at which nothing is injected.
pub fn context_for_event(
    provider: &dyn ContextProvider,
    event: &Event,
    scope: InjectionScope<'_>,
) -> InjectedContext {
    // A subagent has its own context window, so the session log does not apply to it.
    if event.subagent.is_some() {
        return InjectedContext::default();
    }
    let context_at = |moment| {
        provider.context(&InjectionRequest {
            session: event.session.as_str(),
            agent: event.agent.as_str(),
            scope,
            moment,
        })
    };
    match &event.data {
        EventData::SessionStart { source } => context_at(InjectionTrigger::SessionStart(
            StartSource::parse(source.as_deref()),
        )),
        EventData::UserPromptSubmit { prompt } => context_at(InjectionTrigger::Prompt(prompt)),
        EventData::PostToolUse { call, response, .. } if is_file_tool(&call.name) => {
            context_at(InjectionTrigger::FileTool {
                tool: &call.name,
                paths: &call.paths(),
                output: response.as_str().unwrap_or_default(),
                prompt: "",
            })
        }
        EventData::PreToolUse { call }
            if is_file_tool(&call.name) && injects_before_tools(event) =>
        {
            context_at(InjectionTrigger::FileTool {
                tool: &call.name,
                paths: &call.paths(),
                output: "",
                prompt: "",
            })
        }
        _ => InjectedContext::default(),
    }
}

fn injects_before_tools(event: &Event) -> bool {
    becket_agents::adapter(event.agent.as_str())
        .is_some_and(becket_agents::Adapter::injects_before_tools)
}

/// Finds the context for the event in a record, within the time that the client waits. Runs on a blocking thread.
pub(crate) async fn context_for_record(
    provider: Option<&Arc<dyn ContextProvider>>,
    record: String,
    request: &ContextRequest,
) -> Option<String> {
    let provider = Arc::clone(provider?);
    let timeout = Duration::from_millis(request.wait_ms).min(MAX_WAIT);
    let (used_bytes, deadline) = (request.used_bytes, Instant::now() + timeout);
    let search = tokio::task::spawn_blocking(move || {
        let record: Value = serde_json::from_str(&record).ok()?;
        let scope = InjectionScope {
            project: record["project"].as_str(),
            used_bytes,
            deadline: Some(deadline),
        };
        context_for_event(provider.as_ref(), &event_of_record(&record)?, scope).text
    });
    let found = tokio::time::timeout(timeout, search).await;
    found.ok()?.ok()?
}

/// Looks up a project's injection limits; `None` disables injection for the project.
pub type LimitsLookup = Box<dyn Fn(&Path) -> Option<InjectionLimits> + Send + Sync>;

/// Finds context in the store.
pub struct StoreContextProvider {
    memory: MemoryService,
    limits: LimitsLookup,
    session_log: Arc<SessionLog>,
    /// Reused by the next request, because opening takes longer than searching.
    reader_cache: Mutex<Option<CachedReader>>,
}

/// An open read connection.
struct CachedReader {
    reader: StoreReader,
    /// Device and inode of the file; a corrupt database is replaced by another file.
    file: Option<(u64, u64)>,
}

fn file_identity(database: &Path) -> Option<(u64, u64)> {
    let meta = database.metadata().ok()?;
    Some((meta.dev(), meta.ino()))
}

impl StoreContextProvider {
    /// A provider that injects within `limits`. The session log is stored below the state directory.
    pub fn new(memory: MemoryService, state: &Path, limits: LimitsLookup) -> Self {
        Self {
            memory,
            limits,
            session_log: Arc::new(SessionLog::new(state.join("told"))),
            reader_cache: Mutex::default(),
        }
    }

    fn find_context(&self, request: &InjectionRequest<'_>) -> Result<InjectedContext, MemoryError> {
        let open = self.open_reader()?;
        let found = self.find_context_with(&open.reader, request)?;
        // Cached only after a success: a failure may be due to the connection.
        *self.reader_cache() = Some(open);
        Ok(found)
    }

    fn reader_cache(&self) -> MutexGuard<'_, Option<CachedReader>> {
        self.reader_cache.lock_ignoring_poison()
    }

    /// Opens the database, or reuses the cached connection unless the file was replaced.
    fn open_reader(&self) -> Result<CachedReader, MemoryError> {
        let file = file_identity(&self.memory.store().database_path());
        let cached = self.reader_cache().take();
        if let Some(open) = cached.filter(|open| open.file == file) {
            return Ok(open);
        }
        let reader = self.memory.reader()?;
        Ok(CachedReader { reader, file })
    }

    fn find_context_with(
        &self,
        reader: &StoreReader,
        request: &InjectionRequest<'_>,
    ) -> Result<InjectedContext, MemoryError> {
        let project = match request.scope.project {
            Some(project) => Some(project.to_owned()),
            None => reader
                .session_head(request.session)?
                .and_then(|head| head.project),
        };
        let Some(project) = project else {
            return Ok(InjectedContext::default());
        };
        let Some(limits) = (self.limits)(Path::new(&project)) else {
            return Ok(InjectedContext::default());
        };
        let recall = self.memory.recall()?;
        let knowledge = StoreKnowledge {
            session: Some(request.session),
            ..StoreKnowledge::new(reader, &recall, &project)
        };
        let injector = Injector {
            knowledge: &knowledge,
            limits: &limits,
            agent: request.agent,
            used_bytes: request.scope.used_bytes,
            now: Millis::now(),
        };
        let context = InjectedContext {
            text: self.inject(&injector, request, reader)?,
            status: match request.moment {
                InjectionTrigger::SessionStart(_) => knowledge.status()?,
                _ => KnowledgeCounts::default(),
            },
        };
        if let InjectionTrigger::SessionStart(_) = request.moment {
            // Opens the index in the background: a prompt follows soon and should not wait for it.
            self.memory.project_changed(&project);
        }
        Ok(context)
    }

    fn inject(
        &self,
        injector: &Injector<'_>,
        request: &InjectionRequest<'_>,
        reader: &StoreReader,
    ) -> Result<Option<String>, MemoryError> {
        let prompt = active_prompt(reader, request)?;
        let shared = self.session_log.get(request.session);
        // Tools may run in parallel. The second request waits, and gets only what the first did not inject.
        let mut injected = shared.lock_ignoring_poison();
        let before = injected.seen.clone();
        // Some agents do not report a new session start after a compaction.
        if let Some(at) = injected.last_injected_at
            && reader.was_compacted_since(request.session, at)?
        {
            injected.seen.clear();
        }
        let mut seen = injected.seen.clone();
        let injection = injector.inject(&with_prompt(request.moment, &prompt), &mut seen)?;
        let is_late = request
            .scope
            .deadline
            .is_some_and(|deadline| deadline <= Instant::now());
        if !is_late {
            injected.seen = seen;
        } else if matches!(request.moment, InjectionTrigger::SessionStart(start) if start != StartSource::Resume)
        {
            injected.seen.clear();
        }
        if injected.seen != before {
            (injected.last_injected_at, injected.is_dirty) = (Some(Millis::now()), true);
            self.persist_later(request.session, Arc::clone(&shared));
        }
        Ok(injection
            .map(|injection| injection.text)
            .filter(|_| !is_late))
    }

    /// Writes the session log after the response was sent.
    fn persist_later(&self, session: &str, injected: Arc<Mutex<InjectedItems>>) {
        let (session_log, session) = (Arc::clone(&self.session_log), session.to_owned());
        tokio::task::spawn_blocking(move || session_log.persist(&session, &injected));
    }
}

impl ContextProvider for StoreContextProvider {
    fn close(&self) {
        *self.reader_cache() = None;
        self.session_log.persist_all();
    }

    fn context(&self, request: &InjectionRequest<'_>) -> InjectedContext {
        let session = redact_text(request.session);
        match self.find_context(request) {
            Ok(context) => {
                if let Some(text) = &context.text {
                    tracing::info!("INJECT: {} bytes into session={session:?}", text.len());
                }
                context
            }
            Err(error) => {
                let error = error.to_string();
                tracing::warn!(
                    "no context injected into {session:?}: {:?}",
                    redact_text(&error)
                );
                InjectedContext::default()
            }
        }
    }
}

/// The prompt of the turn that a tool call belongs to.
fn active_prompt(
    reader: &StoreReader,
    request: &InjectionRequest<'_>,
) -> Result<String, MemoryError> {
    let batch = match request.moment {
        InjectionTrigger::FileTool { prompt: "", .. } => reader.active_batch(request.session)?,
        _ => None,
    };
    Ok(batch.and_then(|batch| batch.prompt).unwrap_or_default())
}

fn with_prompt<'m>(moment: InjectionTrigger<'m>, active_prompt: &'m str) -> InjectionTrigger<'m> {
    match moment {
        InjectionTrigger::FileTool {
            tool,
            paths,
            output,
            prompt: "",
        } => InjectionTrigger::FileTool {
            tool,
            paths,
            output,
            prompt: active_prompt,
        },
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use becket_model::{AgentId, SessionId, Subagent, ToolCall};
    use serde_json::{Value, json};

    use super::*;

    /// A provider that returns its request as text.
    struct EchoProvider;

    impl ContextProvider for EchoProvider {
        fn context(&self, request: &InjectionRequest<'_>) -> InjectedContext {
            let InjectionRequest {
                session,
                agent,
                scope: InjectionScope { project, .. },
                moment,
            } = request;
            InjectedContext {
                text: Some(format!("{agent} {session} {project:?} {moment:?}")),
                ..InjectedContext::default()
            }
        }
    }

    fn context_text(data: EventData) -> Option<String> {
        context_text_for("codex", data)
    }

    fn context_text_for(agent: &str, data: EventData) -> Option<String> {
        let event = Event::new(AgentId::new(agent), SessionId::new("s1"), data);
        let scope = InjectionScope {
            project: Some("/shop"),
            ..InjectionScope::default()
        };
        context_for_event(&EchoProvider, &event, scope).text
    }

    fn used(tool: &str, input: Value) -> EventData {
        EventData::PostToolUse {
            call: ToolCall::new(tool, input),
            response: json!({ "type": "update" }),
            duration_ms: None,
        }
    }

    #[test]
    fn context_is_injected_at_starts_prompts_and_file_tools_only() {
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
            assert_eq!(context_text(data), expected);
        }
    }

    #[test]
    fn agents_that_ignore_answers_after_a_tool_get_context_before_it() {
        let reading = || EventData::PreToolUse {
            call: ToolCall::new("Read", json!({ "file_path": "src/a.rs" })),
        };
        let moment = r#"FileTool { tool: "Read", paths: ["src/a.rs"], output: "", prompt: "" }"#;
        for agent in ["crush", "autohand"] {
            let expected = format!("{agent} s1 Some(\"/shop\") {moment}");
            assert_eq!(context_text_for(agent, reading()), Some(expected));
        }
        assert_eq!(context_text_for("claude", reading()), None);
    }

    #[test]
    fn subagents_get_no_injected_context() {
        let prompt = EventData::UserPromptSubmit {
            prompt: "fix".into(),
        };
        let mut event = Event::new(AgentId::new("claude"), SessionId::new("s1"), prompt);
        event.subagent = Some(Subagent {
            id: "a1".into(),
            kind: None,
        });
        let context = context_for_event(&EchoProvider, &event, InjectionScope::default());
        assert_eq!(context, InjectedContext::default());
    }
}
