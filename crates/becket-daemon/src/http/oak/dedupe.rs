//! Detects duplicate requests: Cursor fires every hook twice, through two files and under two names, and any client may
//! retry.
//!
//! A duplicate gets the response of the first request, and changes nothing. How long a request can have duplicates
//! depends on its kind, because the same content later is a new event: a prompt until the next event, an end until the
//! next start, a compaction for half a minute. See [`DedupeKey::is_ended_by`].
//!
//! If an event has no id, equal content from the same caller is a new event; from another caller it is a duplicate.

use std::num::NonZeroUsize;
use std::time::Duration;

use lru::LruCache;

use super::event::{OakEvent, OakEventKind, OakTool};
use super::reply::OakReply;

/// How many requests are remembered.
const CACHE_CAPACITY: NonZeroUsize = NonZeroUsize::new(1000).unwrap();

/// A second report of a compaction within this time is a duplicate.
const COMPACTION_WINDOW: Duration = Duration::from_secs(30);

/// Remembers the responses of recent requests.
pub(super) struct RequestDeduper {
    replies: LruCache<DedupeKey, CachedReply>,
}

/// `event|session|content`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct DedupeKey {
    kind: DedupeKind,
    session: String,
    unique: String,
}

/// Kinds of events with different rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum DedupeKind {
    SessionStart,
    Prompt,
    /// A prompt with a turn id.
    PromptOfTurn,
    PreTool,
    PostTool,
    ToolFailure,
    Stop,
    SessionEnd,
    SubagentStart,
    SubagentStop,
    PreCompact,
    Thought,
    Notify,
}

struct CachedReply {
    reply: OakReply,
    at: Duration,
    /// The callers that sent it; `None` if the event has an id and the caller is irrelevant.
    callers: Option<Vec<String>>,
}

impl RequestDeduper {
    pub(super) fn new() -> Self {
        Self {
            replies: LruCache::new(CACHE_CAPACITY),
        }
    }

    /// The response of the first request, if `event` is a duplicate.
    pub(super) fn find(&mut self, event: &OakEvent, now: Duration) -> Option<OakReply> {
        let (key, _) = key(event);
        let cached = self.replies.get_mut(&key)?;
        if key.kind == DedupeKind::PreCompact && now.saturating_sub(cached.at) > COMPACTION_WINDOW {
            return None;
        }
        if let Some(callers) = &mut cached.callers {
            if callers.contains(&event.agent) {
                return None;
            }
            callers.push(event.agent.clone());
        }
        Some(cached.reply.clone())
    }

    /// Remembers the response of a new request, and forgets those whose window it ends.
    pub(super) fn remember(&mut self, event: &OakEvent, reply: OakReply, now: Duration) {
        let (new, identity) = key(event);
        self.replies
            .retain(|old, _| old.session != new.session || !old.is_ended_by(&new, event));
        let callers = match identity {
            EventIdentity::Id => None,
            EventIdentity::Content => Some(vec![event.agent.clone()]),
        };
        let cached = CachedReply {
            reply,
            at: now,
            callers,
        };
        self.replies.put(new, cached);
    }

    /// Forgets all responses, after a commit that failed.
    pub(super) fn clear(&mut self) {
        self.replies.clear();
    }
}

impl DedupeKey {
    fn is_ended_by(&self, new: &DedupeKey, event: &OakEvent) -> bool {
        use DedupeKind as S;
        let is_same_subagent = self.unique == new.unique;
        match self.kind {
            S::SessionStart => !matches!(
                new.kind,
                S::SessionStart | S::Thought | S::Notify | S::SubagentStart | S::SubagentStop
            ),
            // Ended by any action of the agent and by any other prompt.
            S::Prompt => new.kind.is_progress(),
            // Some agents restart the numbers of their calls in each turn.
            S::PreTool | S::PostTool | S::ToolFailure => {
                matches!(new.kind, S::Prompt | S::PromptOfTurn)
            }
            S::Stop | S::SessionEnd => match new.kind {
                S::Stop | S::SessionEnd | S::PreCompact => false,
                S::SessionStart => true,
                other => other.is_progress(),
            },
            // A subagent can be resumed.
            S::SubagentStart => new.kind == S::SubagentStop && is_same_subagent,
            S::SubagentStop => new.kind == S::SubagentStart && is_same_subagent,
            S::PreCompact => match &event.kind {
                OakEventKind::SessionStart { source, .. } => source.as_deref() == Some("compact"),
                kind => matches!(kind, OakEventKind::Prompt(_)),
            },
            S::PromptOfTurn | S::Thought | S::Notify => false,
        }
    }
}

impl DedupeKind {
    /// Whether the event shows progress of the session.
    fn is_progress(self) -> bool {
        matches!(
            self,
            Self::Prompt
                | Self::PromptOfTurn
                | Self::PreTool
                | Self::PostTool
                | Self::ToolFailure
                | Self::Stop
                | Self::SessionEnd
                | Self::PreCompact
        )
    }
}

/// What identifies an event.
enum EventIdentity {
    Id,
    Content,
}

fn key(event: &OakEvent) -> (DedupeKey, EventIdentity) {
    let turn = event.generation.as_deref();
    let (kind, unique, identity) = match &event.kind {
        OakEventKind::SessionStart { source, .. } => {
            let source = source.as_deref().unwrap_or_default();
            (
                DedupeKind::SessionStart,
                hash(&[&event.agent, source]),
                EventIdentity::Id,
            )
        }
        OakEventKind::Prompt(text) => match turn {
            Some(turn) => (
                DedupeKind::PromptOfTurn,
                hash(&[turn, text]),
                EventIdentity::Id,
            ),
            None => (DedupeKind::Prompt, hash(&[text]), EventIdentity::Id),
        },
        OakEventKind::PreTool(tool) => call_key(DedupeKind::PreTool, tool, ""),
        OakEventKind::PostTool { tool, output } => {
            call_key(DedupeKind::PostTool, tool, &output.to_string())
        }
        OakEventKind::ToolFailure { tool, error } => call_key(DedupeKind::ToolFailure, tool, error),
        OakEventKind::Stop { .. } => (DedupeKind::Stop, String::new(), EventIdentity::Id),
        OakEventKind::SessionEnd { .. } => {
            (DedupeKind::SessionEnd, String::new(), EventIdentity::Id)
        }
        OakEventKind::SubagentStart {
            id,
            kind: subagent_kind,
            description,
        } => subagent_key(DedupeKind::SubagentStart, id, &[subagent_kind, description]),
        OakEventKind::SubagentStop {
            id,
            kind: subagent_kind,
            response,
            ..
        } => {
            let response = response.as_deref().unwrap_or_default();
            subagent_key(DedupeKind::SubagentStop, id, &[subagent_kind, response])
        }
        OakEventKind::PreCompact { .. } => {
            (DedupeKind::PreCompact, String::new(), EventIdentity::Id)
        }
        OakEventKind::Thought(text) => turn_key(DedupeKind::Thought, turn, text),
        OakEventKind::Response(text) => turn_key(DedupeKind::Notify, turn, text),
        OakEventKind::Notice { kind, message } => {
            let kind = kind.as_deref().unwrap_or_default();
            turn_key(DedupeKind::Notify, turn, &format!("{kind}\n{message}"))
        }
    };
    let key = DedupeKey {
        kind,
        session: event.session.clone(),
        unique,
    };
    (key, identity)
}

fn call_key(kind: DedupeKind, tool: &OakTool, result: &str) -> (DedupeKind, String, EventIdentity) {
    match &tool.id {
        Some(id) => (kind, hash(&[id]), EventIdentity::Id),
        None => {
            let words = [tool.name.as_str(), &tool.input.to_string(), result];
            (kind, hash(&words), EventIdentity::Content)
        }
    }
}

fn subagent_key(kind: DedupeKind, id: &str, words: &[&str]) -> (DedupeKind, String, EventIdentity) {
    if id.is_empty() {
        (kind, hash(words), EventIdentity::Content)
    } else {
        (kind, hash(&[id]), EventIdentity::Id)
    }
}

fn turn_key(
    kind: DedupeKind,
    turn: Option<&str>,
    text: &str,
) -> (DedupeKind, String, EventIdentity) {
    match turn {
        Some(turn) => (kind, hash(&[turn, text]), EventIdentity::Id),
        None => (kind, hash(&[text]), EventIdentity::Content),
    }
}

/// A short hash; the lengths keep different lists of words apart.
fn hash(words: &[&str]) -> String {
    let mut hasher = blake3::Hasher::new();
    for word in words {
        hasher.update(&(word.len() as u64).to_le_bytes());
        hasher.update(word.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

#[cfg(test)]
mod tests;
