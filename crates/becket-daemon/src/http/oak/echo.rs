//! Which requests are the echo of another: Cursor fires every hook twice, through two files and under two
//! names, and any client may try again.
//!
//! An echo is answered with what the first was answered, and changes nothing. How long a request can have
//! echoes differs, because the same words later are a new event: a prompt until something follows it,
//! an end until a start, a compaction for half a minute. What ends it is in [`Sort::is_ended_by`].
//!
//! Where an event has no identity of its own, equal words prove nothing if one caller says them twice;
//! they prove an echo if two callers do.

use std::time::Duration;

use super::recent::Recent;
use super::reply::Reply;
use super::told::{Told, Tool, What};

/// How many requests are remembered.
const MOST: usize = 1000;

/// Another report of a compaction within this time is of the same one.
const COMPACTION: Duration = Duration::from_secs(30);

/// Requests that were answered.
pub(super) struct Echoes {
    recent: Recent<Key, Answered>,
}

/// `event|session|what makes it unique`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Key {
    sort: Sort,
    session: String,
    unique: String,
}

/// Events, as far as their echoes differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Sort {
    SessionStart,
    Prompt,
    /// A prompt that says of which turn it is.
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

struct Answered {
    reply: Reply,
    at: Duration,
    /// Who has told it so far; `None` if the event has an identity and it does not matter.
    callers: Option<Vec<String>>,
}

impl Echoes {
    pub(super) fn new() -> Self {
        Self {
            recent: Recent::new(MOST),
        }
    }

    /// What the first of two requests was answered, if `told` is the second.
    pub(super) fn find(&mut self, told: &Told, now: Duration) -> Option<Reply> {
        let (key, _) = key(told);
        let known = self.recent.get(&key)?;
        if key.sort == Sort::PreCompact && now.saturating_sub(known.at) > COMPACTION {
            return None;
        }
        if let Some(callers) = &mut known.callers {
            if callers.contains(&told.agent) {
                return None;
            }
            callers.push(told.agent.clone());
        }
        Some(known.reply.clone())
    }

    /// Remembers the answer to a request that was no echo, after ending what it ends.
    pub(super) fn answered(&mut self, told: &Told, reply: Reply, now: Duration) {
        let (new, identity) = key(told);
        self.recent
            .forget(|old| old.session == new.session && old.is_ended_by(&new, told));
        let callers = match identity {
            Identity::Own => None,
            Identity::Words => Some(vec![told.agent.clone()]),
        };
        let answered = Answered {
            reply,
            at: now,
            callers,
        };
        self.recent.put(new, answered);
    }

    /// What was answered is not true: it could not be kept.
    pub(super) fn take_back(&mut self) {
        self.recent.clear();
    }
}

impl Key {
    fn is_ended_by(&self, new: &Key, told: &Told) -> bool {
        use Sort as S;
        let is_same_subagent = self.unique == new.unique;
        match self.sort {
            S::SessionStart => !matches!(
                new.sort,
                S::SessionStart | S::Thought | S::Notify | S::SubagentStart | S::SubagentStop
            ),
            // Anything that the agent does, and any other prompt.
            S::Prompt => new.sort.is_progress(),
            // Some agents count their calls anew in each turn.
            S::PreTool | S::PostTool | S::ToolFailure => {
                matches!(new.sort, S::Prompt | S::PromptOfTurn)
            }
            S::Stop | S::SessionEnd => match new.sort {
                S::Stop | S::SessionEnd | S::PreCompact => false,
                S::SessionStart => true,
                other => other.is_progress(),
            },
            // A subagent may be woken again.
            S::SubagentStart => new.sort == S::SubagentStop && is_same_subagent,
            S::SubagentStop => new.sort == S::SubagentStart && is_same_subagent,
            S::PreCompact => match &told.what {
                What::SessionStart { source, .. } => source.as_deref() == Some("compact"),
                what => matches!(what, What::Prompt(_)),
            },
            S::PromptOfTurn | S::Thought | S::Notify => false,
        }
    }
}

impl Sort {
    /// Whether the session goes on by it.
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

/// By what an event is known again.
enum Identity {
    Own,
    Words,
}

fn key(told: &Told) -> (Key, Identity) {
    let turn = told.generation.as_deref();
    let (sort, unique, identity) = match &told.what {
        What::SessionStart { source, .. } => {
            let source = source.as_deref().unwrap_or_default();
            (
                Sort::SessionStart,
                hash(&[&told.agent, source]),
                Identity::Own,
            )
        }
        What::Prompt(text) => match turn {
            Some(turn) => (Sort::PromptOfTurn, hash(&[turn, text]), Identity::Own),
            None => (Sort::Prompt, hash(&[text]), Identity::Own),
        },
        What::PreTool(tool) => of_call(Sort::PreTool, tool, ""),
        What::PostTool { tool, output } => of_call(Sort::PostTool, tool, &output.to_string()),
        What::ToolFailure { tool, error } => of_call(Sort::ToolFailure, tool, error),
        What::Stop { .. } => (Sort::Stop, String::new(), Identity::Own),
        What::SessionEnd { .. } => (Sort::SessionEnd, String::new(), Identity::Own),
        What::SubagentStart {
            id,
            kind,
            description,
        } => of_subagent(Sort::SubagentStart, id, &[kind, description]),
        What::SubagentStop {
            id, kind, response, ..
        } => {
            let response = response.as_deref().unwrap_or_default();
            of_subagent(Sort::SubagentStop, id, &[kind, response])
        }
        What::PreCompact { .. } => (Sort::PreCompact, String::new(), Identity::Own),
        What::Thought(text) => in_turn(Sort::Thought, turn, text),
        What::Response(text) => in_turn(Sort::Notify, turn, text),
        What::Notice { kind, message } => {
            let kind = kind.as_deref().unwrap_or_default();
            in_turn(Sort::Notify, turn, &format!("{kind}\n{message}"))
        }
    };
    let key = Key {
        sort,
        session: told.session.clone(),
        unique,
    };
    (key, identity)
}

fn of_call(sort: Sort, tool: &Tool, said: &str) -> (Sort, String, Identity) {
    match &tool.id {
        Some(id) => (sort, hash(&[id]), Identity::Own),
        None => {
            let words = [tool.name.as_str(), &tool.input.to_string(), said];
            (sort, hash(&words), Identity::Words)
        }
    }
}

fn of_subagent(sort: Sort, id: &str, words: &[&str]) -> (Sort, String, Identity) {
    if id.is_empty() {
        (sort, hash(words), Identity::Words)
    } else {
        (sort, hash(&[id]), Identity::Own)
    }
}

fn in_turn(sort: Sort, turn: Option<&str>, text: &str) -> (Sort, String, Identity) {
    match turn {
        Some(turn) => (sort, hash(&[turn, text]), Identity::Own),
        None => (sort, hash(&[text]), Identity::Words),
    }
}

/// Short whatever the words are, and different for different words.
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
