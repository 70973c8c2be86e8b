use serde_json::json;

use super::*;
use crate::http::oak::context::ContextSlot;

/// The requests of one session, and how each is classified.
struct TestSession {
    deduper: RequestDeduper,
    now: Duration,
    count: u64,
}

#[derive(Debug, PartialEq)]
enum DedupeResult {
    New,
    /// A duplicate of the request with this number.
    DuplicateOf(u64),
}
use DedupeResult::{DuplicateOf, New};

impl TestSession {
    fn new() -> Self {
        Self {
            deduper: RequestDeduper::new(),
            now: Duration::ZERO,
            count: 0,
        }
    }

    fn take(&mut self, event: &OakEvent) -> DedupeResult {
        self.count += 1;
        match self.deduper.find(event, self.now) {
            Some(OakReply::Prompted { batch, .. }) => DuplicateOf(
                batch
                    .and_then(|number| number.parse().ok())
                    .expect("a number"),
            ),
            Some(other) => panic!("not a remembered reply: {other:?}"),
            None => {
                // Identifies the request in the reply.
                let batch = Some(self.count.to_string());
                let reply = OakReply::Prompted {
                    batch,
                    context: ContextSlot::default(),
                };
                self.deduper.remember(event, reply, self.now);
                New
            }
        }
    }

    fn takes(&mut self, all: &[(OakEvent, DedupeResult)]) {
        for (number, (event, expected)) in all.iter().enumerate() {
            assert_eq!(self.take(event), *expected, "{}: {event:?}", number + 1);
        }
    }
}

fn event(what: OakEventKind) -> OakEvent {
    OakEvent {
        session: "s1".into(),
        agent: "claude".into(),
        generation: None,
        project: None,
        transcript: None,
        kind: what,
    }
}

fn by(agent: &str, event: OakEvent) -> OakEvent {
    OakEvent {
        agent: agent.into(),
        ..event
    }
}

fn in_turn(turn: &str, event: OakEvent) -> OakEvent {
    OakEvent {
        generation: Some(turn.into()),
        ..event
    }
}

fn start(source: &str) -> OakEvent {
    event(OakEventKind::SessionStart {
        source: Some(source.into()),
        parent: None,
    })
}

fn prompt(text: &str) -> OakEvent {
    event(OakEventKind::Prompt(text.into()))
}

fn tool(id: Option<&str>) -> OakEvent {
    event(OakEventKind::PostTool {
        tool: OakTool {
            name: "Bash".into(),
            input: json!({ "command": "ls" }),
            id: id.map(str::to_owned),
        },
        output: json!("a.rs"),
    })
}

fn stop() -> OakEvent {
    event(OakEventKind::Stop { response: None })
}

fn end() -> OakEvent {
    event(OakEventKind::SessionEnd { reason: None })
}

fn compact() -> OakEvent {
    event(OakEventKind::PreCompact { trigger: None })
}

fn subagent(starts: bool, id: &str) -> OakEvent {
    let (id, kind) = (id.to_owned(), "explore".to_owned());
    event(if starts {
        OakEventKind::SubagentStart {
            id,
            kind,
            description: String::new(),
        }
    } else {
        OakEventKind::SubagentStop {
            id,
            kind,
            response: None,
            transcript: None,
        }
    })
}

#[test]
fn session_start_is_deduped_per_agent() {
    TestSession::new().takes(&[
        (start("startup"), New),
        (by("cursor", start("startup")), New),
        (start("startup"), DuplicateOf(1)),
        (start("resume"), New),
        (by("cursor", start("startup")), DuplicateOf(2)),
    ]);
}

#[test]
fn session_start_after_activity_is_new() {
    for between in [prompt("a"), tool(None), stop(), end(), compact()] {
        TestSession::new().takes(&[
            (start("resume"), New),
            (between, New),
            (start("resume"), New),
        ]);
    }
}

#[test]
fn prompt_is_a_duplicate_until_the_next_event() {
    TestSession::new().takes(&[
        (prompt("continue"), New),
        (by("cursor", prompt("continue")), DuplicateOf(1)),
        (prompt("continue"), DuplicateOf(1)),
    ]);
    for between in [tool(Some("t1")), tool(None), stop(), end(), prompt("other")] {
        TestSession::new().takes(&[
            (prompt("continue"), New),
            (between, New),
            (prompt("continue"), New),
        ]);
    }
}

#[test]
fn prompt_with_a_turn_id_stays_a_duplicate() {
    TestSession::new().takes(&[
        (in_turn("g1", prompt("continue")), New),
        (tool(None), New),
        (in_turn("g1", prompt("continue")), DuplicateOf(1)),
        (in_turn("g2", prompt("continue")), New),
        (in_turn("g1", prompt("go on")), New),
    ]);
}

#[test]
fn tool_call_is_deduped_by_id_within_its_turn() {
    let failed = event(OakEventKind::ToolFailure {
        tool: OakTool {
            name: "Bash".into(),
            input: json!({}),
            id: Some("t1".into()),
        },
        error: "no".into(),
    });
    TestSession::new().takes(&[
        (tool(Some("t1")), New),
        (by("cursor", tool(Some("t1"))), DuplicateOf(1)),
        (tool(Some("t2")), New),
        (failed.clone(), New),
        (by("cursor", failed), DuplicateOf(4)),
        (prompt("next"), New),
        (tool(Some("t1")), New),
    ]);
}

#[test]
fn equal_content_without_id_is_a_duplicate_only_from_another_caller() {
    TestSession::new().takes(&[
        (tool(None), New),
        (by("cursor", tool(None)), DuplicateOf(1)),
        (tool(None), New),
        (by("cursor", tool(None)), DuplicateOf(3)),
        (tool(None), New),
        (tool(None), New),
    ]);
}

#[test]
fn session_end_is_a_duplicate_until_new_activity() {
    TestSession::new().takes(&[
        (end(), New),
        (by("cursor", end()), DuplicateOf(1)),
        (stop(), New),
        (end(), DuplicateOf(1)),
        (start("resume"), New),
        (end(), New),
        (prompt("still here"), New),
        (end(), New),
    ]);
}

#[test]
fn stop_is_a_duplicate_until_new_activity() {
    for between in [prompt("next"), tool(None), start("resume")] {
        TestSession::new().takes(&[
            (stop(), New),
            (by("cursor", stop()), DuplicateOf(1)),
            (between, New),
            (stop(), New),
        ]);
    }
}

#[test]
fn compaction_window_ends_with_a_start_a_prompt_or_time() {
    TestSession::new().takes(&[
        (compact(), New),
        (by("cursor", compact()), DuplicateOf(1)),
        (start("resume"), New),
        (compact(), DuplicateOf(1)),
        (start("compact"), New),
        (compact(), New),
        (prompt("next"), New),
        (compact(), New),
    ]);
    let mut session = TestSession::new();
    assert_eq!(session.take(&compact()), New);
    session.now = Duration::from_secs(30);
    assert_eq!(session.take(&compact()), DuplicateOf(1));
    session.now = Duration::from_millis(30_001);
    assert_eq!(session.take(&compact()), New);
    assert_eq!(session.take(&compact()), DuplicateOf(3));
}

#[test]
fn resumed_subagent_starts_and_stops_again() {
    TestSession::new().takes(&[
        (subagent(true, "a1"), New),
        (by("cursor", subagent(true, "a1")), DuplicateOf(1)),
        (subagent(true, "a2"), New),
        (subagent(false, "a1"), New),
        (by("cursor", subagent(false, "a1")), DuplicateOf(4)),
        (subagent(true, "a2"), DuplicateOf(3)),
        (subagent(true, "a1"), New),
        (subagent(false, "a1"), New),
    ]);
}

#[test]
fn thoughts_and_answers_are_deduped_by_turn_or_caller() {
    for what in [
        OakEventKind::Thought("hm".into()),
        OakEventKind::Response("done".into()),
    ] {
        let plain = event(what);
        TestSession::new().takes(&[
            (in_turn("g1", plain.clone()), New),
            (in_turn("g1", plain.clone()), DuplicateOf(1)),
            (in_turn("g2", plain.clone()), New),
            (plain.clone(), New),
            (by("cursor", plain.clone()), DuplicateOf(4)),
            (plain, New),
        ]);
    }
}

#[test]
fn sessions_are_deduped_independently() {
    let other = |event: OakEvent| OakEvent {
        session: "s2".into(),
        ..event
    };
    TestSession::new().takes(&[
        (prompt("a"), New),
        (other(prompt("a")), New),
        (other(stop()), New),
        (prompt("a"), DuplicateOf(1)),
    ]);
}

#[test]
fn oldest_request_is_evicted() {
    let mut session = TestSession::new();
    for number in 0..=1000 {
        assert_eq!(session.take(&tool(Some(&format!("t{number}")))), New);
    }
    assert_eq!(session.take(&tool(Some("t1"))), DuplicateOf(2));
    assert_eq!(session.take(&tool(Some("t0"))), New);
}

#[test]
fn failed_commit_clears_the_deduper() {
    let mut session = TestSession::new();
    assert_eq!(session.take(&prompt("a")), New);
    session.deduper.clear();
    assert_eq!(session.take(&prompt("a")), New);
}
