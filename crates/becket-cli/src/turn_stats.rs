//! Measures a turn from the recorded events of its session.
//!
//! Agents rarely report this. Duration and tool calls follow from the events since the last prompt, so nothing extra is
//! stored and other events cost nothing. Tokens are known only if the agent reports them.

use becket::Home;
use becket::model::{Event, EventKind};
use becket_builtins::TurnStats;
use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::records;

/// A turn longer than this many records, counting all sessions, is not measured.
const MAX_RECORDS: usize = 4000;

/// The statistics of the turn or session that an event ends.
pub(crate) fn measure(home: &Home, event: &Event) -> TurnStats {
    let Some(beginning) = start_event(&event.kind()) else {
        return TurnStats::default();
    };
    let newest_first = records::latest_events_of(home, event.agent.as_str(), MAX_RECORDS);
    measure_since(newest_first.into_iter(), event, beginning, Utc::now())
}

/// The event that starts the turn or session that an event of this kind ends.
fn start_event(kind: &EventKind) -> Option<&'static str> {
    match kind {
        EventKind::Stop | EventKind::StopFailure => Some("UserPromptSubmit"),
        EventKind::SessionEnd => Some("SessionStart"),
        _ => None,
    }
}

/// Without its start event a turn has neither a duration nor a complete count, so none is reported.
fn measure_since(
    newest_first: impl Iterator<Item = Value>,
    event: &Event,
    beginning: &str,
    now: DateTime<Utc>,
) -> TurnStats {
    let (agent, session) = (event.agent.as_str(), event.session.as_str());
    let own = newest_first.filter(|it| it["agent"] == agent && it["session"] == session);
    let mut calls = 0;
    for record in own {
        if record["event"] == "PreToolUse" && !is_blocked(&record) {
            calls += 1;
        } else if record["event"] == beginning {
            let ts = record["ts"].as_str().unwrap_or_default();
            let began = DateTime::parse_from_rfc3339(ts).ok();
            return TurnStats {
                duration: began.and_then(|began| (now - began.to_utc()).to_std().ok()),
                tokens: None,
                tool_calls: Some(calls),
            };
        }
    }
    TurnStats::default()
}

fn is_blocked(record: &Value) -> bool {
    let verdict = &record["decision"]["verdict"];
    verdict == "deny" || verdict == "halt"
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use becket::model::{AgentId, EventData, SessionId};
    use serde_json::json;

    use super::*;

    fn turn(records: &[Value]) -> TurnStats {
        let data = EventData::Stop {
            active: false,
            last_message: None,
        };
        let event = Event::new(AgentId::new("claude"), SessionId::new("s"), data);
        let now = "2026-11-16T02:00:10Z".parse().expect("a time");
        let newest_first = records.iter().rev().cloned();
        measure_since(newest_first, &event, "UserPromptSubmit", now)
    }

    fn record(session: &str, event: &str, second: u32, verdict: &str) -> Value {
        json!({
            "agent": "claude", "session": session, "event": event,
            "ts": format!("2026-11-16T02:00:{second:02}.000Z"), "decision": { "verdict": verdict },
        })
    }

    #[test]
    fn turn_counts_only_its_session_since_the_last_prompt() {
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
        let expected = TurnStats {
            duration: Some(Duration::from_secs(6)),
            tokens: None,
            tool_calls: Some(2),
        };
        assert_eq!(turn(&records), expected);
    }

    #[test]
    fn turn_without_its_prompt_has_no_statistics() {
        let records = [record("s", "PreToolUse", 1, "none")];
        assert_eq!(turn(&records), TurnStats::default());
        assert_eq!(turn(&[]), TurnStats::default());
    }

    #[test]
    fn prompt_from_the_future_has_no_duration() {
        let records = [record("s", "UserPromptSubmit", 59, "none")];
        let turn = turn(&records);
        assert_eq!((turn.duration, turn.tool_calls), (None, Some(0)));
    }
}
