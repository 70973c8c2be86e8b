//! What is known of a session: from its events as they come, and from the database where that knows more.

use std::path::Path;

use becket_store::SessionRow;
use serde_json::Value;

use crate::tail;

/// Why nothing is to be seen of a session.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Rest {
    #[default]
    Works,
    /// It has nothing to do; then what it was asked says more.
    Waits,
    /// Nothing was heard of it for long.
    Silent,
}

#[derive(Default)]
pub(super) struct Session {
    pub(super) id: String,
    pub(super) agent: String,
    pub(super) project: String,
    /// What it does, in one line.
    pub(super) now: String,
    /// What it was asked first.
    pub(super) about: String,
    pub(super) is_over: bool,
    rest: Rest,
    pub(super) calls: u64,
    pub(super) failed: u64,
    pub(super) asked: u64,
    pub(super) denied: u64,
    pub(super) tokens: Option<u64>,
    /// The time of its latest event.
    pub(super) last: String,
    /// Whether the database may know more than was learnt from it.
    pub(super) is_stale: bool,
}

impl Session {
    pub(super) fn new(id: &str, record: &Value) -> Self {
        let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
        Self {
            id: id.to_owned(),
            agent: text("agent"),
            project: text("project"),
            ..Self::default()
        }
    }

    /// One more event.
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
            self.about = tail::what(record);
        }
        self.is_over = event == "SessionEnd";
        self.rest = if self.is_over || event == "Stop" {
            Rest::Waits
        } else {
            Rest::Works
        };
        self.now = doing(event, record);
        let at = record["ts"].as_str().unwrap_or_default();
        at.clone_into(&mut self.last);
        self.is_stale = true;
    }

    /// Nothing was heard of it for long, until then. It may have spoken since.
    pub(super) fn fall_silent(&mut self, record: &Value) {
        let at = record["ts"].as_str().unwrap_or_default();
        if self.rest == Rest::Works && at >= self.last.as_str() {
            self.rest = Rest::Silent;
        }
        self.is_stale = true;
    }

    pub(super) fn is_silent(&self) -> bool {
        self.rest == Rest::Silent
    }

    /// What the database has; events that it does not have yet count all the same.
    pub(super) fn learn(&mut self, row: &SessionRow, tokens: Option<u64>) {
        self.calls = self.calls.max(row.activities);
        self.failed = self.failed.max(row.failures);
        self.denied = self.denied.max(row.denied);
        self.tokens = tokens;
        if let Some(about) = row.title.as_ref().or(row.first_prompt.as_ref()) {
            about.clone_into(&mut self.about);
        }
        // It may be behind what was heard here.
        if row.last_at.to_text() >= self.last {
            self.is_over = row.status == "completed";
        } else {
            self.is_stale = true;
        }
    }

    /// What it does, and what it was about where it does nothing.
    pub(super) fn line(&self) -> String {
        let now = &self.now;
        match self.rest {
            Rest::Waits if !self.about.is_empty() => format!("{now}: {}", self.about),
            Rest::Silent => format!("idle, last: {now}"),
            _ => now.clone(),
        }
    }

    pub(super) fn place(&self) -> String {
        name_of(&self.project)
    }
}

/// The last part of a project's directory.
pub(super) fn name_of(project: &str) -> String {
    let name = Path::new(project).file_name();
    name.map_or_else(
        || project.to_owned(),
        |name| name.to_string_lossy().into_owned(),
    )
}

pub(super) fn verdict(record: &Value) -> &str {
    record["decision"]["verdict"].as_str().unwrap_or("none")
}

/// What an agent does after an event.
fn doing(event: &str, record: &Value) -> String {
    let what = tail::what(record);
    match (event, verdict(record)) {
        ("SessionStart", _) => "has started".to_owned(),
        ("SessionEnd", _) => "has ended".to_owned(),
        ("Stop", _) => "waits for you".to_owned(),
        (_, "deny" | "halt") => format!("denied: {what}"),
        (_, "ask") => format!("asks: {what}"),
        ("UserPromptSubmit", _) => format!("> {what}"),
        ("PreToolUse", _) => what,
        ("PostToolUse" | "PostToolUseFailure", _) => format!("thinks, after {what}"),
        _ if what.is_empty() => event.to_owned(),
        _ => format!("{event} {what}"),
    }
}

/// A number in few letters: `950`, `12k`, `3.4M`.
pub(super) fn short(number: u64) -> String {
    match number {
        0..=9_999 => number.to_string(),
        10_000..=999_999 => format!("{}k", number / 1000),
        _ => format!("{}.{}M", number / 1_000_000, number / 100_000 % 10),
    }
}
