//! The content of a notification, for all receivers.

use std::path::Path;
use std::time::Duration;

use becket_base::time::format_span;
use becket_guard::redact::redact_text;
use becket_model::{Event, EventData, ToolCall};
use serde_json::Value;

use crate::deps::TurnStats;
use crate::display_text;
use crate::hook::HookJob;

/// Whether commands and the agent's messages are included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DetailLevel {
    With,
    Without,
}

impl From<bool> for DetailLevel {
    fn from(with: bool) -> Self {
        if with { Self::With } else { Self::Without }
    }
}

/// The state that a notification reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotificationOutcome {
    Finished,
    Failed,
    Waiting,
    Ended,
    Info,
}

impl NotificationOutcome {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Failed => "failed",
            Self::Waiting => "waiting",
            Self::Ended => "ended",
            Self::Info => "told",
        }
    }
}

/// The content of a notification. All texts are redacted, short and free of control characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Notification {
    pub(crate) project: String,
    pub(crate) agent: String,
    pub(crate) headline: String,
    pub(crate) outcome: NotificationOutcome,
    pub(crate) stats: TurnStats,
    /// The command or message.
    pub(crate) detail: Option<String>,
}

impl Notification {
    pub(crate) fn of(job: &HookJob, detail: DetailLevel) -> Self {
        let event = &job.event;
        let (outcome, headline, about) = describe(event);
        let about = about.filter(|about| !about.is_private || detail == DetailLevel::With);
        Self {
            project: project_name(&job.project),
            agent: redacted_line(event.agent.as_str(), 40),
            headline: redacted_line(&headline, 140),
            outcome,
            stats: turn_stats(job),
            detail: about.map(|about| display_text::lines(&redact_text(&about.text), 600)),
        }
    }

    /// Statistics of the turn. Unknown values are omitted, not zero.
    pub(crate) fn facts(&self) -> Vec<(&'static str, String)> {
        let duration = self
            .stats
            .duration
            .map(|took| ("Duration", format_span(took)));
        let tokens = self
            .stats
            .tokens
            .map(|count| ("Tokens", display_text::group_digits(count)));
        let calls = self.stats.tool_calls;
        let calls = calls.map(|count| ("Tool calls", display_text::group_digits(count)));
        [duration, tokens, calls].into_iter().flatten().collect()
    }

    /// All lines below the headline.
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

/// Whether the event is worth a notification. A login is worth one only if the hook's matcher selects
/// notifications.
pub(crate) fn should_notify(job: &HookJob) -> bool {
    match &job.event.data {
        EventData::Notification { kind, .. } => {
            kind.as_deref() != Some("auth_success") || !job.spec.matcher.is_all()
        }
        _ => true,
    }
}

struct NotificationDetail {
    text: String,
    /// Whether it is a message of the agent or a command, and not a text meant for the user.
    is_private: bool,
}

fn describe(event: &Event) -> (NotificationOutcome, String, Option<NotificationDetail>) {
    let private = |text: &str| NotificationDetail {
        text: text.to_owned(),
        is_private: true,
    };
    let open = |text: &str| NotificationDetail {
        text: text.to_owned(),
        is_private: false,
    };
    match &event.data {
        EventData::Stop { last_message, .. } => (
            NotificationOutcome::Finished,
            "Task finished".into(),
            last_message.as_deref().map(private),
        ),
        EventData::StopFailure { error, details } => (
            NotificationOutcome::Failed,
            format!("Task failed: {error}"),
            details.as_deref().map(open),
        ),
        EventData::SessionError { error, .. } => (
            NotificationOutcome::Failed,
            "Session error".into(),
            Some(open(error)),
        ),
        EventData::SessionEnd { reason } => {
            let why = reason.as_ref().map(|why| format!(" ({why})"));
            let headline = format!("Session ended{}", why.unwrap_or_default());
            (NotificationOutcome::Ended, headline, None)
        }
        EventData::Notification { message, .. } => (
            NotificationOutcome::Waiting,
            "Wants your attention".into(),
            Some(open(message)),
        ),
        EventData::PermissionRequest { call } => {
            let headline = format!("Asks for permission: {}", call.name);
            (
                NotificationOutcome::Waiting,
                headline,
                requested_action(call).as_deref().map(private),
            )
        }
        EventData::SubagentStop {
            kind,
            success,
            last_message,
            ..
        } => {
            let (standing, word) = match success {
                true => (NotificationOutcome::Finished, "finished"),
                false => (NotificationOutcome::Failed, "failed"),
            };
            (
                standing,
                format!("Subagent {kind} {word}"),
                last_message.as_deref().map(private),
            )
        }
        data => (
            NotificationOutcome::Info,
            data.kind().name().to_owned(),
            None,
        ),
    }
}

fn requested_action(call: &ToolCall) -> Option<String> {
    let paths = call.paths();
    call.command()
        .map(str::to_owned)
        .or_else(|| (!paths.is_empty()).then(|| paths.join(", ")))
}

fn redacted_line(text: &str, most: usize) -> String {
    display_text::one_line(&redact_text(text), most)
}

fn project_name(root: &Path) -> String {
    let name = root.file_name().unwrap_or(root.as_os_str());
    redacted_line(&name.to_string_lossy(), 80)
}

/// Statistics from the event, completed by the host program.
fn turn_stats(job: &HookJob) -> TurnStats {
    let number = |keys: &[&str]| {
        keys.iter()
            .find_map(|key| parse_natural(job.event.raw.get(*key)?))
    };
    let ends = matches!(
        job.event.data,
        EventData::Stop { .. }
            | EventData::StopFailure { .. }
            | EventData::SessionEnd { .. }
            | EventData::SubagentStop { .. }
    );
    if !ends {
        return TurnStats::default();
    }
    let known = job
        .deps
        .turn_stats
        .as_ref()
        .map(|stats_of| stats_of(&job.event));
    let known = known.unwrap_or_default();
    let counted = job.event.raw.get("tokens_usage_status");
    let counted = counted.is_none_or(|status| status != "unavailable");
    let tokens = number(&["tokens_used", "total_tokens"]).filter(|_| counted);
    let duration = number(&["turn_duration", "duration", "duration_ms"]);
    TurnStats {
        duration: duration.map(Duration::from_millis).or(known.duration),
        tokens: tokens.or(known.tokens),
        tool_calls: number(&["turn_tool_calls", "tool_calls_count"]).or(known.tool_calls),
    }
}

/// A non-negative number, as an integer or a float.
fn parse_natural(value: &Value) -> Option<u64> {
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
