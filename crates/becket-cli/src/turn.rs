//! What a turn took, from the records of its own session.
//!
//! Agents rarely say it themselves. How long it was and how many tools it called follows from what was recorded since the
//! last prompt; nothing is kept for this alone, and events pay nothing for it. Tokens are known only where
//! the agent tells them.

use becket::Home;
use becket::model::{Event, EventKind};
use becket_builtins::Turn;
use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::records;

/// A turn that has left more records than this, its own and those of other sessions, is not told about.
const MOST_RECORDS: usize = 4000;

/// What is on record about the turn or session that an event ends.
pub(crate) fn of(home: &Home, event: &Event) -> Turn {
    let Some(beginning) = beginning(&event.kind()) else {
        return Turn::default();
    };
    let newest_first = records::latest_of(home, event.agent.as_str(), MOST_RECORDS);
    since(newest_first.into_iter(), event, beginning, Utc::now())
}

/// What an event ends began with this one.
fn beginning(kind: &EventKind) -> Option<&'static str> {
    match kind {
        EventKind::Stop | EventKind::StopFailure => Some("UserPromptSubmit"),
        EventKind::SessionEnd => Some("SessionStart"),
        _ => None,
    }
}

/// Known whole or not at all: without its beginning a turn has no length, and any number of calls.
fn since(
    newest_first: impl Iterator<Item = Value>,
    event: &Event,
    beginning: &str,
    now: DateTime<Utc>,
) -> Turn {
    let (agent, session) = (event.agent.as_str(), event.session.as_str());
    let own = newest_first.filter(|it| it["agent"] == agent && it["session"] == session);
    let mut calls = 0;
    for record in own {
        if record["event"] == "PreToolUse" && !is_refused(&record) {
            calls += 1;
        } else if record["event"] == beginning {
            let ts = record["ts"].as_str().unwrap_or_default();
            let began = DateTime::parse_from_rfc3339(ts).ok();
            return Turn {
                duration: began.and_then(|began| (now - began.to_utc()).to_std().ok()),
                tokens: None,
                tool_calls: Some(calls),
            };
        }
    }
    Turn::default()
}

fn is_refused(record: &Value) -> bool {
    let verdict = &record["decision"]["verdict"];
    verdict == "deny" || verdict == "halt"
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use becket::model::{AgentId, EventData, SessionId};
    use serde_json::json;

    use super::*;

    fn turn(records: &[Value]) -> Turn {
        let data = EventData::Stop {
            active: false,
            last_message: None,
        };
        let event = Event::new(AgentId::new("claude"), SessionId::new("s"), data);
        let now = "2026-11-16T02:00:10Z".parse().expect("a time");
        let newest_first = records.iter().rev().cloned();
        since(newest_first, &event, "UserPromptSubmit", now)
    }

    fn record(session: &str, event: &str, second: u32, verdict: &str) -> Value {
        json!({
            "agent": "claude", "session": session, "event": event,
            "ts": format!("2026-11-16T02:00:{second:02}.000Z"), "decision": { "verdict": verdict },
        })
    }

    #[test]
    fn a_turn_is_what_its_session_did_since_the_last_prompt() {
        let records = [
            record("s", "UserPromptSubmit", 0, "none"),
            record("s", "PreToolUse", 1, "none"),
            record("s", "UserPromptSubmit", 4, "none"),
            record("s", "PreToolUse", 5, "allow"),
            record("s", "PostToolUse", 5, "none"),
            record("other", "UserPromptSubmit", 6, "none"),
            record("other", "PreToolUse", 6, "none"),
            record("s", "PreToolUse", 7, "deny"),
            record("s", "PreToolUse", 8, "none"),
            record("s", "Stop", 9, "none"),
        ];
        let expected = Turn {
            duration: Some(Duration::from_secs(6)),
            tokens: None,
            tool_calls: Some(2),
        };
        assert_eq!(turn(&records), expected);
    }

    #[test]
    fn without_its_beginning_nothing_is_known_of_a_turn() {
        let records = [record("s", "PreToolUse", 1, "none")];
        assert_eq!(turn(&records), Turn::default());
        assert_eq!(turn(&[]), Turn::default());
    }

    #[test]
    fn a_prompt_from_the_future_has_no_length() {
        let records = [record("s", "UserPromptSubmit", 59, "none")];
        let turn = turn(&records);
        assert_eq!((turn.duration, turn.tool_calls), (None, Some(0)));
    }
}
