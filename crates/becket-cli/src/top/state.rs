//! The state of the screen and its key handling. Nothing here draws, reads or blocks.

use std::collections::{BTreeSet, VecDeque};

use becket_store::{IDLE_EVENT, SessionRow};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::widgets::ListState;
use serde_json::Value;

use super::session::{LiveSession, verdict};
use crate::report::sanitize;
use crate::tail;

/// How many events are kept.
const MAX_EVENTS: usize = 5000;
/// How many sessions are refreshed from the database at a time.
const REFRESH_BATCH: usize = 20;

/// What a key asks the main loop to do.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TopAction {
    None,
    Quit,
    Suspend,
}

/// The list with the cursor.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) enum Pane {
    #[default]
    Sessions,
    Events,
}

/// A text shown in place of the lists.
pub(super) enum Overlay {
    Session {
        id: String,
        text: String,
        /// Whether the text is up to date.
        fresh: bool,
    },
    Text {
        title: String,
        text: String,
    },
}

/// Events by verdict.
#[derive(Default)]
pub(super) struct VerdictCounts {
    pub(super) allowed: u64,
    pub(super) asked: u64,
    pub(super) denied: u64,
}

#[derive(Default)]
pub(super) struct TopState {
    /// Active sessions first, each group by latest event.
    pub(super) sessions: Vec<LiveSession>,
    /// Newest first.
    pub(super) events: VecDeque<Value>,
    pub(super) event_count: u64,
    pub(super) verdicts: VerdictCounts,
    pub(super) pane: Pane,
    pub(super) at_session: ListState,
    pub(super) at_event: ListState,
    pub(super) search: String,
    pub(super) is_searching: bool,
    pub(super) agent: Option<String>,
    pub(super) project: Option<String>,
    /// Records that arrived while the screen is paused.
    pub(super) buffered: Option<Vec<Value>>,
    pub(super) open: Option<Overlay>,
    pub(super) scroll: u16,
    /// The text width of the screen.
    pub(super) width: usize,
    pub(super) has_daemon: bool,
    pub(super) error: Option<String>,
}

pub(super) const HELP: &str = "\
up, down, j, k    move; home, end: first, last
tab               switch between sessions and events
enter             open the session's timeline or the event's details
/                 search both lists; esc clears the search
a                 filter by agent: next agent, then all
p                 filter by project: next project, then all
space             pause or continue
?                 this help
q                 quit

Events come from the database and, without a daemon, from the spool. Times are UTC.";

impl TopState {
    /// Applies new records, or buffers them while the screen is paused.
    pub(super) fn take(&mut self, records: Vec<Value>) {
        match &mut self.buffered {
            Some(buffered) => {
                buffered.extend(records);
                let excess = buffered.len().saturating_sub(MAX_EVENTS);
                buffered.drain(..excess);
            }
            None => records.into_iter().for_each(|record| self.add(record)),
        }
    }

    fn add(&mut self, record: Value) {
        if record["event"] == IDLE_EVENT {
            let id = record["session"].as_str().unwrap_or_default();
            let session = self.sessions.iter_mut().find(|one| one.id == id);
            return session.into_iter().for_each(|one| one.mark_idle(&record));
        }
        self.event_count += 1;
        match verdict(&record) {
            "allow" => self.verdicts.allowed += 1,
            "ask" => self.verdicts.asked += 1,
            "deny" | "halt" => self.verdicts.denied += 1,
            _ => {}
        }
        if let Some(id) = record["session"].as_str().filter(|id| !id.is_empty()) {
            self.update_session(id, &record);
        }
        self.events.push_front(record);
        self.events.truncate(MAX_EVENTS);
        // The cursor stays on an older event.
        if let Some(at) = self.at_event.selected().filter(|at| *at > 0) {
            self.at_event.select(Some(at + 1));
        }
    }

    fn update_session(&mut self, id: &str, record: &Value) {
        let chosen = self.session().map(|session| session.id.clone());
        let found = self.sessions.iter().position(|one| one.id == id);
        let mut session = match found {
            Some(at) => self.sessions.remove(at),
            None => LiveSession::new(id, record),
        };
        session.take(record);
        self.sessions.insert(0, session);
        self.sort();
        if let Some(Overlay::Session {
            id: open, fresh, ..
        }) = &mut self.open
            && open == id
        {
            *fresh = false;
        }
        // The cursor stays on its session when the order changes; at the top it stays at the top.
        if let Some(chosen) = chosen.filter(|_| self.at_session.selected() > Some(0)) {
            let at = self.shown_sessions().position(|one| one.id == chosen);
            self.at_session.select(at);
        }
    }

    /// Sessions for which the database may have newer data.
    pub(super) fn stale_sessions(&self) -> Vec<String> {
        let stale = self.sessions.iter().filter(|session| session.is_stale);
        stale
            .take(REFRESH_BATCH)
            .map(|one| one.id.clone())
            .collect()
    }

    pub(super) fn update_from_store(
        &mut self,
        id: &str,
        row: Option<&SessionRow>,
        tokens: Option<u64>,
    ) {
        if let Some(session) = self.sessions.iter_mut().find(|one| one.id == id) {
            session.is_stale = false;
            if let Some(row) = row {
                session.update_from_store(row, tokens);
            }
        }
        self.sort();
    }

    fn sort(&mut self) {
        self.sessions.sort_by_key(|session| session.is_over);
    }

    pub(super) fn shown_sessions(&self) -> impl Iterator<Item = &LiveSession> {
        self.sessions.iter().filter(|session| {
            let text = format!(
                "{} {} {} {} {}",
                session.agent, session.project, session.id, session.now, session.about
            );
            self.is_wanted(&session.agent, &session.project, &text)
        })
    }

    pub(super) fn shown_events(&self) -> impl Iterator<Item = &Value> {
        self.events.iter().filter(|record| {
            let text = |key: &str| record[key].as_str().unwrap_or_default();
            // Build the searchable text only if there is a search.
            let all = if self.search.is_empty() {
                String::new()
            } else {
                format!(
                    "{} {} {} {}",
                    text("event"),
                    text("project"),
                    text("agent"),
                    tail::searchable_text(record)
                )
            };
            self.is_wanted(text("agent"), text("project"), &all)
        })
    }

    fn is_wanted(&self, agent: &str, project: &str, text: &str) -> bool {
        self.agent.as_deref().is_none_or(|wanted| wanted == agent)
            && self
                .project
                .as_deref()
                .is_none_or(|wanted| wanted == project)
            && (self.search.is_empty() || text.to_lowercase().contains(&self.search.to_lowercase()))
    }

    pub(super) fn session(&self) -> Option<&LiveSession> {
        self.shown_sessions()
            .nth(self.at_session.selected().unwrap_or(0))
    }

    fn event(&self) -> Option<&Value> {
        self.shown_events()
            .nth(self.at_event.selected().unwrap_or(0))
    }

    pub(super) fn press(&mut self, key: KeyEvent) -> TopAction {
        // Escape followed quickly by a key arrives as Alt and that key. Alt has no other meaning here.
        if key.modifiers.contains(KeyModifiers::ALT) {
            self.press(KeyEvent::from(KeyCode::Esc));
            return self.press(KeyEvent::new(key.code, key.modifiers - KeyModifiers::ALT));
        }
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return match key.code {
                KeyCode::Char('c') => TopAction::Quit,
                KeyCode::Char('z') => TopAction::Suspend,
                _ => TopAction::None,
            };
        }
        if self.is_searching {
            self.search_key(key.code);
        } else if self.open.is_some() {
            self.overlay_key(key.code);
        } else {
            return self.list_key(key.code);
        }
        TopAction::None
    }

    fn search_key(&mut self, code: KeyCode) {
        match code {
            KeyCode::Esc => {
                self.search.clear();
                self.is_searching = false;
            }
            KeyCode::Enter => self.is_searching = false,
            KeyCode::Backspace => {
                self.search.pop();
            }
            KeyCode::Char(c) => self.search.push(c),
            _ => {}
        }
        self.reset_selection();
    }

    fn overlay_key(&mut self, code: KeyCode) {
        let by = |scroll: u16, amount: i32| {
            let moved = i32::from(scroll).saturating_add(amount);
            u16::try_from(moved.max(0)).unwrap_or(u16::MAX)
        };
        match code {
            KeyCode::Down | KeyCode::Char('j') => self.scroll = by(self.scroll, 1),
            KeyCode::Up | KeyCode::Char('k') => self.scroll = by(self.scroll, -1),
            KeyCode::PageDown | KeyCode::Char(' ') => self.scroll = by(self.scroll, 10),
            KeyCode::PageUp => self.scroll = by(self.scroll, -10),
            KeyCode::Home => self.scroll = 0,
            KeyCode::End | KeyCode::Char('G') => self.scroll = u16::MAX,
            KeyCode::Esc | KeyCode::Char('q') | KeyCode::Enter => self.open = None,
            _ => {}
        }
    }

    fn list_key(&mut self, code: KeyCode) -> TopAction {
        match code {
            KeyCode::Down | KeyCode::Char('j') => self.step(1),
            KeyCode::Up | KeyCode::Char('k') => self.step(-1),
            KeyCode::PageDown => self.step(10),
            KeyCode::PageUp => self.step(-10),
            KeyCode::Home => self.step(isize::MIN),
            KeyCode::End | KeyCode::Char('G') => self.step(isize::MAX),
            KeyCode::Tab | KeyCode::BackTab => {
                self.pane = match self.pane {
                    Pane::Sessions => Pane::Events,
                    Pane::Events => Pane::Sessions,
                }
            }
            KeyCode::Enter => self.open_selected(),
            KeyCode::Char('/') => self.is_searching = true,
            KeyCode::Char('a') => {
                let all = self.sessions.iter().map(|one| one.agent.clone());
                self.agent = next_filter(self.agent.as_ref(), all.collect());
                self.reset_selection();
            }
            KeyCode::Char('p') => {
                let all = self.sessions.iter().map(|one| one.project.clone());
                self.project = next_filter(self.project.as_ref(), all.collect());
                self.reset_selection();
            }
            KeyCode::Char(' ') => self.toggle_pause(),
            KeyCode::Char('?') => self.open_text("Help", HELP.to_owned()),
            KeyCode::Esc => {
                self.search.clear();
                (self.agent, self.project) = (None, None);
                self.reset_selection();
            }
            KeyCode::Char('q') => return TopAction::Quit,
            _ => {}
        }
        TopAction::None
    }

    fn toggle_pause(&mut self) {
        match self.buffered.take() {
            Some(buffered) => self.take(buffered),
            None => self.buffered = Some(Vec::new()),
        }
    }

    fn step(&mut self, by: isize) {
        let (chosen, count) = match self.pane {
            Pane::Sessions => (self.at_session.selected(), self.shown_sessions().count()),
            Pane::Events => (self.at_event.selected(), self.shown_events().count()),
        };
        let last = count.saturating_sub(1);
        let at = chosen.unwrap_or(0).saturating_add_signed(by).min(last);
        let at = (count > 0).then_some(at);
        match self.pane {
            Pane::Sessions => self.at_session.select(at),
            Pane::Events => self.at_event.select(at),
        }
    }

    fn reset_selection(&mut self) {
        self.at_session.select(Some(0));
        self.at_event.select(Some(0));
    }

    fn open_selected(&mut self) {
        self.scroll = 0;
        match self.pane {
            Pane::Sessions => {
                if let Some(session) = self.session() {
                    let id = session.id.clone();
                    let text = self.session_events_text(&id);
                    self.open = Some(Overlay::Session {
                        id,
                        text,
                        fresh: false,
                    });
                }
            }
            Pane::Events => {
                if let Some(record) = self.event() {
                    let title = record["event"].as_str().unwrap_or("Event").to_owned();
                    let text = event_details(record);
                    self.open_text(&title, text);
                }
            }
        }
    }

    /// The events of a session, shown until the database has its timeline.
    fn session_events_text(&self, id: &str) -> String {
        let of_it = self.events.iter().filter(|record| record["session"] == id);
        let style = crate::report::Style::plain();
        let lines = of_it.map(|record| tail::render_row(record, style, self.width.max(20)));
        lines.collect::<Vec<_>>().into_iter().rev().collect()
    }

    fn open_text(&mut self, title: &str, text: String) {
        self.scroll = 0;
        self.open = Some(Overlay::Text {
            title: title.to_owned(),
            text,
        });
    }
}

/// The value after the selected one; after the last one, none.
fn next_filter(chosen: Option<&String>, all: BTreeSet<String>) -> Option<String> {
    match chosen {
        None => all.into_iter().next(),
        Some(chosen) => all.into_iter().find(|one| one > chosen),
    }
}

/// The details of an event: its facts, the decision, then the raw record.
fn event_details(record: &Value) -> String {
    let mut text = String::new();
    let mut fact = |key: &str, value: &Value| match value {
        Value::Null => {}
        Value::String(value) => text += &format!("{key:9} {value}\n"),
        other => text += &format!("{key:9} {other}\n"),
    };
    for key in ["ts", "agent", "session", "project"] {
        fact(key, &record[key]);
    }
    fact("about", &Value::String(tail::subject(record)));
    let decision = &record["decision"];
    for (key, name) in [
        ("verdict", "verdict"),
        ("reason", "reason"),
        ("updated_input", "rewritten"),
        ("context", "context"),
    ] {
        fact(name, &decision[key]);
    }
    fact("error", &record["error"]);
    let whole = serde_json::to_string_pretty(record).unwrap_or_default();
    sanitize(&format!("{text}\n{whole}"))
}
