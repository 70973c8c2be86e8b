//! What is known, added to an answer: one line to the daemon, one line back, and never for longer than an agent can wait.
//!
//! Whatever goes wrong here costs nobody an answer: it is then given without.

use std::io;
use std::time::{Duration, Instant};

use becket::env::{EnvVars, ProcessEnv, Vars};
use becket::{Home, Open, Response, id};
use becket_spool::place::Place;
use serde_json::{Value, json};

use crate::{trail, wake};

/// Longer records are of files that nobody reads as a whole, and would take long to be read here, too. One that could
/// not be written down is empty.
const ASKED_ABOUT: std::ops::RangeInclusive<usize> = 1..=4 * 1024 * 1024;

/// How often a daemon that is being started is asked.
const GLANCE: Duration = Duration::from_millis(5);

/// How what is known is recorded: as a hook of this name.
const HOOK: &str = "recall";

/// What became of a question.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// Nobody heard it.
    Unheard,
    /// The daemon heard it, and looks into the spool a moment later: what it told is there by then.
    Heard,
}

/// Asks what is known about an event whose record is `line`, and adds it to the answer.
pub(crate) fn add_what_is_known(response: &mut Response, line: &[u8], home: &Home) -> Asked {
    let Some(open) = response.open.take() else {
        return Asked::Unheard;
    };
    let wish = ProcessEnv.get(EnvVars::BECKET_RECALL);
    let wish = wish.as_deref().and_then(|wish| wish.to_str());
    let Some(patience) =
        patience(wish, open.patience()).filter(|_| ASKED_ABOUT.contains(&line.len()))
    else {
        return Asked::Unheard;
    };
    let started = Instant::now();
    let question = Question {
        home,
        line,
        taken: open.taken(),
        until: started + patience,
        // Who starts can wait for a daemon to start as well.
        may_start: open.is_start() && response.wants_record,
    };
    let Ok(answer) = question.ask() else {
        return Asked::Unheard;
    };
    let answer: Value = serde_json::from_slice(&answer).unwrap_or_default();
    let Some(text) = answer["context"].as_str() else {
        return Asked::Heard;
    };
    say(response, &open, text);
    if response.wants_record {
        record(home, line, text, started.elapsed());
    }
    Asked::Heard
}

/// How long to wait; `None`: agents are to be told nothing.
fn patience(wish: Option<&str>, usual: Duration) -> Option<Duration> {
    match wish {
        Some(wish) if wish.eq_ignore_ascii_case("off") => None,
        Some(wish) => Some(wish.parse().map_or(usual, Duration::from_millis)),
        None => Some(usual),
    }
}

fn say(response: &mut Response, open: &Open, text: &str) {
    response.rendered = open.with(text);
    if let Some(settlement) = &mut response.settlement {
        settlement.add_context(text);
    }
}

/// What was told, beside the event at which it was.
fn record(home: &Home, line: &[u8], text: &str, took: Duration) {
    #[derive(serde::Deserialize)]
    struct Event {
        id: String,
    }
    let Ok(event) = serde_json::from_slice::<Event>(line) else {
        return;
    };
    let record = json!({
        "v": 1, "id": id::new_id(), "kind": "told", "event_id": event.id, "hook": HOOK,
        "ms": u64::try_from(took.as_millis()).unwrap_or(u64::MAX), "output": text,
    });
    if let Err(error) = trail::append(home, record) {
        crate::hook::say(&format!(
            "becket: what the agent was told is not on record: {error:#}\n"
        ));
    }
}

struct Question<'q> {
    home: &'q Home,
    line: &'q [u8],
    taken: usize,
    until: Instant,
    may_start: bool,
}

impl Question<'_> {
    fn ask(&self) -> io::Result<Vec<u8>> {
        let place = Place::below(&self.home.state);
        let mut answer = self.ask_once(&place);
        if self.may_start && is_nobody(&answer) && wake::start(self.home, &place) {
            while is_nobody(&answer) && Instant::now() < self.until {
                std::thread::sleep(GLANCE);
                answer = self.ask_once(&place);
            }
        }
        answer
    }

    fn ask_once(&self, place: &Place) -> io::Result<Vec<u8>> {
        let left = self.until.saturating_duration_since(Instant::now());
        // What is said in the last moment may come too late, and would then count as told.
        let wait_ms = (left * 9 / 10).as_millis();
        let (version, taken) = (env!("CARGO_PKG_VERSION"), self.taken);
        let head = format!(
            r#"{{"do":"context","asking":{{"version":"{version}","wait_ms":{wait_ms},"taken":{taken}}},"record":"#
        );
        becket_spool::ask(place, &[head.as_bytes(), self.line, b"}"], left)
    }
}

/// Whether no daemon listens.
fn is_nobody(answer: &io::Result<Vec<u8>>) -> bool {
    use io::ErrorKind::{ConnectionRefused, NotFound};
    let kind = answer.as_ref().err().map(io::Error::kind);
    matches!(kind, Some(NotFound | ConnectionRefused))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_person_says_whether_and_how_long_agents_wait() {
        let usual = Duration::from_millis(150);
        for (wish, expected) in [
            (None, Some(usual)),
            (Some("off"), None),
            (Some("OFF"), None),
            (Some("2000"), Some(Duration::from_secs(2))),
            (Some("on"), Some(usual)),
            (Some("-1"), Some(usual)),
        ] {
            assert_eq!(patience(wish, usual), expected, "{wish:?}");
        }
    }
}
