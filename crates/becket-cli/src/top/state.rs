//! What is on the screen, and what a key does to it. Nothing here draws, reads or waits.

use std::collections::{BTreeSet, VecDeque};

use becket_store::{IDLE, SessionRow};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::widgets::ListState;
use serde_json::Value;

use super::session::{Session, verdict};
use crate::report::tame;
use crate::tail;

/// Events that are kept to be looked at.
const KEPT: usize = 5000;
/// Sessions that are asked about at a time.
const AT_A_TIME: usize = 20;

/// What has to be done about a key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Effect {
    None,
    Quit,
    Suspend,
}

/// Which list has the cursor.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) enum Pane {
    #[default]
    Sessions,
    Events,
}

/// What is read in place of the lists.
pub(super) enum Open {
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

/// How many events were decided how.
#[derive(Default)]
pub(super) struct Verdicts {
    pub(super) allowed: u64,
    pub(super) asked: u64,
    pub(super) denied: u64,
}

#[derive(Default)]
pub(super) struct App {
    /// Those that are over behind the others; else the one that spoke last is the first.
    pub(super) sessions: Vec<Session>,
    /// The latest is the first.
    pub(super) events: VecDeque<Value>,
    pub(super) seen: u64,
    pub(super) verdicts: Verdicts,
    pub(super) pane: Pane,
    pub(super) at_session: ListState,
    pub(super) at_event: ListState,
    pub(super) search: String,
    pub(super) is_searching: bool,
    pub(super) agent: Option<String>,
    pub(super) project: Option<String>,
    /// What has come while the screen stands still.
    pub(super) held: Option<Vec<Value>>,
    pub(super) open: Option<Open>,
    pub(super) scroll: u16,
    /// Of the screen, so that texts fit.
    pub(super) width: usize,
    pub(super) has_daemon: bool,
    pub(super) trouble: Option<String>,
}

pub(super) const HELP: &str = "\
up, down, j, k    move; home, end: to the first, to the last
tab               sessions or events
enter             the story of the session, everything about the event
/                 search in both lists; esc shows everything again
a                 only one agent: the next, and at last all again
p                 only one project: the next, and at last all again
space             let the screen stand still, or go on
?                 this help
q                 quit

Events come from the database and, where no daemon runs, from the spool. Times are UTC.";

impl App {
    /// Takes in what has come, or keeps it for later while the screen stands still.
    pub(super) fn take(&mut self, records: Vec<Value>) {
        match &mut self.held {
            Some(held) => {
                held.extend(records);
                let much = held.len().saturating_sub(KEPT);
                held.drain(..much);
            }
            None => records.into_iter().for_each(|record| self.add(record)),
        }
    }

    fn add(&mut self, record: Value) {
        if record["event"] == IDLE {
            let id = record["session"].as_str().unwrap_or_default();
            let session = self.sessions.iter_mut().find(|one| one.id == id);
            return session.into_iter().for_each(|one| one.fall_silent(&record));
        }
        self.seen += 1;
        match verdict(&record) {
            "allow" => self.verdicts.allowed += 1,
            "ask" => self.verdicts.asked += 1,
            "deny" | "halt" => self.verdicts.denied += 1,
            _ => {}
        }
        if let Some(id) = record["session"].as_str().filter(|id| !id.is_empty()) {
            self.tell_session(id, &record);
        }
        self.events.push_front(record);
        self.events.truncate(KEPT);
        // Who looks at an older event goes on looking at it.
        if let Some(at) = self.at_event.selected().filter(|at| *at > 0) {
            self.at_event.select(Some(at + 1));
        }
    }

    fn tell_session(&mut self, id: &str, record: &Value) {
        let chosen = self.session().map(|session| session.id.clone());
        let found = self.sessions.iter().position(|one| one.id == id);
        let mut session = match found {
            Some(at) => self.sessions.remove(at),
            None => Session::new(id, record),
        };
        session.take(record);
        self.sessions.insert(0, session);
        self.sort();
        if let Some(Open::Session {
            id: open, fresh, ..
        }) = &mut self.open
            && open == id
        {
            *fresh = false;
        }
        // The cursor stays on its session, wherever that moves; the first place is whoever is first.
        if let Some(chosen) = chosen.filter(|_| self.at_session.selected() > Some(0)) {
            let at = self.shown_sessions().position(|one| one.id == chosen);
            self.at_session.select(at);
        }
    }

    /// Sessions of which the database may know more.
    pub(super) fn stale(&self) -> Vec<String> {
        let stale = self.sessions.iter().filter(|session| session.is_stale);
        stale.take(AT_A_TIME).map(|one| one.id.clone()).collect()
    }

    pub(super) fn learn(&mut self, id: &str, row: Option<&SessionRow>, tokens: Option<u64>) {
        if let Some(session) = self.sessions.iter_mut().find(|one| one.id == id) {
            session.is_stale = false;
            if let Some(row) = row {
                session.learn(row, tokens);
            }
        }
        self.sort();
    }

    fn sort(&mut self) {
        self.sessions.sort_by_key(|session| session.is_over);
    }

    pub(super) fn shown_sessions(&self) -> impl Iterator<Item = &Session> {
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
            // What it is about is only put together where somebody asks for it.
            let all = if self.search.is_empty() {
                String::new()
            } else {
                format!(
                    "{} {} {} {}",
                    text("event"),
                    text("project"),
                    text("agent"),
                    tail::everything(record)
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

    pub(super) fn session(&self) -> Option<&Session> {
        self.shown_sessions()
            .nth(self.at_session.selected().unwrap_or(0))
    }

    fn event(&self) -> Option<&Value> {
        self.shown_events()
            .nth(self.at_event.selected().unwrap_or(0))
    }

    pub(super) fn press(&mut self, key: KeyEvent) -> Effect {
        // Escape and a key right behind it look like that key with Alt, which means nothing here.
        if key.modifiers.contains(KeyModifiers::ALT) {
            self.press(KeyEvent::from(KeyCode::Esc));
            return self.press(KeyEvent::new(key.code, key.modifiers - KeyModifiers::ALT));
        }
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return match key.code {
                KeyCode::Char('c') => Effect::Quit,
                KeyCode::Char('z') => Effect::Suspend,
                _ => Effect::None,
            };
        }
        if self.is_searching {
            self.in_search(key.code);
        } else if self.open.is_some() {
            self.in_text(key.code);
        } else {
            return self.in_lists(key.code);
        }
        Effect::None
    }

    fn in_search(&mut self, code: KeyCode) {
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
        self.back_to_the_top();
    }

    fn in_text(&mut self, code: KeyCode) {
        let by = |scroll: u16, much: i32| {
            let moved = i32::from(scroll).saturating_add(much);
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

    fn in_lists(&mut self, code: KeyCode) -> Effect {
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
            KeyCode::Enter => self.look_closer(),
            KeyCode::Char('/') => self.is_searching = true,
            KeyCode::Char('a') => {
                let all = self.sessions.iter().map(|one| one.agent.clone());
                self.agent = after(self.agent.as_ref(), all.collect());
                self.back_to_the_top();
            }
            KeyCode::Char('p') => {
                let all = self.sessions.iter().map(|one| one.project.clone());
                self.project = after(self.project.as_ref(), all.collect());
                self.back_to_the_top();
            }
            KeyCode::Char(' ') => self.stand_still_or_go_on(),
            KeyCode::Char('?') => self.read("Help", HELP.to_owned()),
            KeyCode::Esc => {
                self.search.clear();
                (self.agent, self.project) = (None, None);
                self.back_to_the_top();
            }
            KeyCode::Char('q') => return Effect::Quit,
            _ => {}
        }
        Effect::None
    }

    fn stand_still_or_go_on(&mut self) {
        match self.held.take() {
            Some(held) => self.take(held),
            None => self.held = Some(Vec::new()),
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

    fn back_to_the_top(&mut self) {
        self.at_session.select(Some(0));
        self.at_event.select(Some(0));
    }

    fn look_closer(&mut self) {
        self.scroll = 0;
        match self.pane {
            Pane::Sessions => {
                if let Some(session) = self.session() {
                    let id = session.id.clone();
                    let text = self.events_of(&id);
                    self.open = Some(Open::Session {
                        id,
                        text,
                        fresh: false,
                    });
                }
            }
            Pane::Events => {
                if let Some(record) = self.event() {
                    let title = record["event"].as_str().unwrap_or("Event").to_owned();
                    let text = details(record);
                    self.read(&title, text);
                }
            }
        }
    }

    /// What is known of a session before the database has told its story, or where there is none.
    fn events_of(&self, id: &str) -> String {
        let of_it = self.events.iter().filter(|record| record["session"] == id);
        let style = crate::report::Style::plain();
        let lines = of_it.map(|record| tail::row(record, style, self.width.max(20)));
        lines.collect::<Vec<_>>().into_iter().rev().collect()
    }

    fn read(&mut self, title: &str, text: String) {
        self.scroll = 0;
        self.open = Some(Open::Text {
            title: title.to_owned(),
            text,
        });
    }
}

/// The next of these behind the one that is chosen; behind the last, none.
fn after(chosen: Option<&String>, all: BTreeSet<String>) -> Option<String> {
    match chosen {
        None => all.into_iter().next(),
        Some(chosen) => all.into_iter().find(|one| one > chosen),
    }
}

/// Everything about an event: what it was, what was decided, then the record as it is.
fn details(record: &Value) -> String {
    let mut text = String::new();
    let mut fact = |key: &str, value: &Value| match value {
        Value::Null => {}
        Value::String(value) => text += &format!("{key:9} {value}\n"),
        other => text += &format!("{key:9} {other}\n"),
    };
    for key in ["ts", "agent", "session", "project"] {
        fact(key, &record[key]);
    }
    fact("about", &Value::String(tail::what(record)));
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
    tame(&format!("{text}\n{whole}"))
}
