//! What is told about an event, whoever it is told to.

use std::path::Path;
use std::time::Duration;

use becket_guard::redact::redact_text;
use becket_model::{Event, EventData, ToolCall};
use serde_json::Value;

use crate::deps::Turn;
use crate::hook::Job;
use crate::words;

/// Whether commands and the agent's own words are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    With,
    Without,
}

impl From<bool> for Detail {
    fn from(with: bool) -> Self {
        if with { Self::With } else { Self::Without }
    }
}

/// How things stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    Finished,
    Failed,
    Waiting,
    Ended,
    Told,
}

impl Standing {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Failed => "failed",
            Self::Waiting => "waiting",
            Self::Ended => "ended",
            Self::Told => "told",
        }
    }
}

/// An event for people. Every text in it is redacted, short and free of control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) project: String,
    pub(crate) agent: String,
    pub(crate) headline: String,
    pub(crate) standing: Standing,
    pub(crate) turn: Turn,
    /// The command, the message: what the event is about.
    pub(crate) detail: Option<String>,
}

impl Note {
    pub(crate) fn of(job: &Job, detail: Detail) -> Self {
        let event = &job.event;
        let (standing, headline, about) = describe(event);
        let about = about.filter(|about| !about.private || detail == Detail::With);
        Self {
            project: project_name(&job.project),
            agent: clean(event.agent.as_str(), 40),
            headline: clean(&headline, 140),
            standing,
            turn: turn(job),
            detail: about.map(|about| words::lines(&redact_text(&about.text), 600)),
        }
    }

    /// What the turn took, as far as anybody knows. What is not known is left out, never zero.
    pub(crate) fn facts(&self) -> Vec<(&'static str, String)> {
        let duration = self
            .turn
            .duration
            .map(|took| ("Duration", words::duration(took)));
        let tokens = self
            .turn
            .tokens
            .map(|count| ("Tokens", words::grouped(count)));
        let calls = self.turn.tool_calls;
        let calls = calls.map(|count| ("Tool calls", words::grouped(count)));
        [duration, tokens, calls].into_iter().flatten().collect()
    }

    /// Everything below the headline.
    pub(crate) fn lines(&self) -> Vec<String> {
        let facts: Vec<String> = self
            .facts()
            .into_iter()
            .map(|(label, value)| format!("{label}: {value}"))
            .collect();
        let facts = (!facts.is_empty()).then(|| facts.join(", "));
        self.detail.clone().into_iter().chain(facts).collect()
    }
}

/// Whether people want to be told. That an agent has logged in is no news, unless somebody asks for
/// certain notifications.
pub(crate) fn is_news(job: &Job) -> bool {
    match &job.event.data {
        EventData::Notification { kind, .. } => {
            kind.as_deref() != Some("auth_success") || !job.spec.matcher.is_all()
        }
        _ => true,
    }
}

struct About {
    text: String,
    /// What the agent said or wants to run, rather than what it wants the person to know.
    private: bool,
}

fn describe(event: &Event) -> (Standing, String, Option<About>) {
    let private = |text: &str| About {
        text: text.to_owned(),
        private: true,
    };
    let open = |text: &str| About {
        text: text.to_owned(),
        private: false,
    };
    match &event.data {
        EventData::Stop { last_message, .. } => (
            Standing::Finished,
            "Task finished".into(),
            last_message.as_deref().map(private),
        ),
        EventData::StopFailure { error, details } => (
            Standing::Failed,
            format!("Task failed: {error}"),
            details.as_deref().map(open),
        ),
        EventData::SessionError { error, .. } => {
            (Standing::Failed, "Session error".into(), Some(open(error)))
        }
        EventData::SessionEnd { reason } => {
            let why = reason.as_ref().map(|why| format!(" ({why})"));
            let headline = format!("Session ended{}", why.unwrap_or_default());
            (Standing::Ended, headline, None)
        }
        EventData::Notification { message, .. } => (
            Standing::Waiting,
            "Wants your attention".into(),
            Some(open(message)),
        ),
        EventData::PermissionRequest { call } => {
            let headline = format!("Asks for permission: {}", call.name);
            (
                Standing::Waiting,
                headline,
                wanted(call).as_deref().map(private),
            )
        }
        EventData::SubagentStop {
            kind,
            success,
            last_message,
            ..
        } => {
            let (standing, word) = match success {
                true => (Standing::Finished, "finished"),
                false => (Standing::Failed, "failed"),
            };
            (
                standing,
                format!("Subagent {kind} {word}"),
                last_message.as_deref().map(private),
            )
        }
        data => (Standing::Told, data.kind().name().to_owned(), None),
    }
}

fn wanted(call: &ToolCall) -> Option<String> {
    let paths = call.paths();
    call.command()
        .map(str::to_owned)
        .or_else(|| (!paths.is_empty()).then(|| paths.join(", ")))
}

fn clean(text: &str, most: usize) -> String {
    words::one_line(&redact_text(text), most)
}

fn project_name(root: &Path) -> String {
    let name = root.file_name().unwrap_or(root.as_os_str());
    clean(&name.to_string_lossy(), 80)
}

/// What the event itself says, and for the rest what the program around us knows.
fn turn(job: &Job) -> Turn {
    let number = |keys: &[&str]| {
        keys.iter()
            .find_map(|key| natural(job.event.raw.get(*key)?))
    };
    let ends = matches!(
        job.event.data,
        EventData::Stop { .. }
            | EventData::StopFailure { .. }
            | EventData::SessionEnd { .. }
            | EventData::SubagentStop { .. }
    );
    if !ends {
        return Turn::default();
    }
    let known = job.deps.turn.as_ref().map(|turn| turn(&job.event));
    let known = known.unwrap_or_default();
    let counted = job.event.raw.get("tokens_usage_status");
    let counted = counted.is_none_or(|status| status != "unavailable");
    let tokens = number(&["tokens_used", "total_tokens"]).filter(|_| counted);
    let duration = number(&["turn_duration", "duration", "duration_ms"]);
    Turn {
        duration: duration.map(Duration::from_millis).or(known.duration),
        tokens: tokens.or(known.tokens),
        tool_calls: number(&["turn_tool_calls", "tool_calls_count"]).or(known.tool_calls),
    }
}

/// A number from 0 on, however it was written.
fn natural(value: &Value) -> Option<u64> {
    let fraction = || {
        let number = value
            .as_f64()
            .filter(|number| (0.0..9.0e15).contains(number))?;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the bounds are checked above"
        )]
        let whole = number.round() as u64;
        Some(whole)
    };
    value.as_u64().or_else(fraction)
}
