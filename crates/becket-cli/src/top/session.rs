//! One live session, updated from its events and from the database.

use std::path::Path;

use becket_store::SessionRow;
use serde_json::Value;

use crate::tail;

/// What a session is doing.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum SessionActivity {
    #[default]
    Working,
    /// Its turn is over; its first prompt says more than its last event.
    Waiting,
    /// No event for a long time.
    Idle,
}

#[derive(Default)]
pub(super) struct LiveSession {
    pub(super) id: String,
    pub(super) agent: String,
    pub(super) project: String,
    /// What it is doing, in one line.
    pub(super) now: String,
    /// Its first prompt or title.
    pub(super) about: String,
    pub(super) is_over: bool,
    activity: SessionActivity,
    pub(super) calls: u64,
    pub(super) failed: u64,
    pub(super) asked: u64,
    pub(super) denied: u64,
    pub(super) tokens: Option<u64>,
    /// The time of its latest event.
    pub(super) last: String,
    /// Whether the database may have newer data.
    pub(super) is_stale: bool,
}

impl LiveSession {
    pub(super) fn new(id: &str, record: &Value) -> Self {
        let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
        Self {
            id: id.to_owned(),
            agent: text("agent"),
            project: text("project"),
            ..Self::default()
        }
    }

    /// Applies an event.
    pub(super) fn take(&mut self, record: &Value) {
        let event = record["event"].as_str().unwrap_or_default();
        match event {
            "PostToolUse" => self.calls += 1,
            "PostToolUseFailure" => {
                self.calls += 1;
                self.failed += 1;
            }
            _ => {}
        }
        match verdict(record) {
            "deny" | "halt" => self.denied += 1,
            "ask" => self.asked += 1,
            _ => {}
        }
        if event == "UserPromptSubmit" && self.about.is_empty() {
            self.about = tail::subject(record);
        }
        self.is_over = event == "SessionEnd";
        self.activity = if self.is_over || event == "Stop" {
            SessionActivity::Waiting
        } else {
            SessionActivity::Working
        };
        self.now = activity_text(event, record);
        let at = record["ts"].as_str().unwrap_or_default();
        at.clone_into(&mut self.last);
        self.is_stale = true;
    }

    /// Marks the session idle, unless it had an event after this one.
    pub(super) fn mark_idle(&mut self, record: &Value) {
        let at = record["ts"].as_str().unwrap_or_default();
        if self.activity == SessionActivity::Working && at >= self.last.as_str() {
            self.activity = SessionActivity::Idle;
        }
        self.is_stale = true;
    }

    pub(super) fn is_idle(&self) -> bool {
        self.activity == SessionActivity::Idle
    }

    /// Updates from the database, which may not have the latest events yet.
    pub(super) fn update_from_store(&mut self, row: &SessionRow, tokens: Option<u64>) {
        self.calls = self.calls.max(row.tool_calls);
        self.failed = self.failed.max(row.failures);
        self.denied = self.denied.max(row.denied);
        self.tokens = tokens;
        if let Some(about) = row.title.as_ref().or(row.first_prompt.as_ref()) {
            about.clone_into(&mut self.about);
        }
        // The database may be behind the events seen here.
        if row.last_at.to_text() >= self.last {
            self.is_over = row.status == "completed";
        } else {
            self.is_stale = true;
        }
    }

    /// What it is doing, or its first prompt if it is waiting.
    pub(super) fn line(&self) -> String {
        let now = &self.now;
        match self.activity {
            SessionActivity::Waiting if !self.about.is_empty() => format!("{now}: {}", self.about),
            SessionActivity::Idle => format!("idle, last: {now}"),
            _ => now.clone(),
        }
    }

    pub(super) fn place(&self) -> String {
        project_name(&self.project)
    }
}

/// The last component of a project's path.
pub(super) fn project_name(project: &str) -> String {
    let name = Path::new(project).file_name();
    name.map_or_else(
        || project.to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

pub(super) fn verdict(record: &Value) -> &str {
    record["decision"]["verdict"].as_str().unwrap_or("none")
}

/// What the agent is doing after an event.
fn activity_text(event: &str, record: &Value) -> String {
    let what = tail::subject(record);
    match (event, verdict(record)) {
        ("SessionStart", _) => "started".to_owned(),
        ("SessionEnd", _) => "ended".to_owned(),
        ("Stop", _) => "waiting for you".to_owned(),
        (_, "deny" | "halt") => format!("blocked: {what}"),
        (_, "ask") => format!("asked: {what}"),
        ("UserPromptSubmit", _) => format!("> {what}"),
        ("PreToolUse", _) => what,
        ("PostToolUse" | "PostToolUseFailure", _) => format!("thinking after {what}"),
        _ if what.is_empty() => event.to_owned(),
        _ => format!("{event} {what}"),
    }
}

/// A short number: `950`, `12k`, `3.4M`.
pub(super) fn compact_number(number: u64) -> String {
    match number {
        0..=9_999 => number.to_string(),
        10_000..=999_999 => format!("{}k", number / 1000),
        _ => format!("{}.{}M", number / 1_000_000, number / 100_000 % 10),
    }
}
