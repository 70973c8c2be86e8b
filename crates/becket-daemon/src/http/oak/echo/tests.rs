use serde_json::json;

use super::*;
use crate::http::oak::context::Slot;

/// Requests of one session, and how each of them is taken.
struct Session {
    echoes: Echoes,
    now: Duration,
    count: u64,
}

#[derive(Debug, PartialEq)]
enum Taken {
    New,
    /// The echo of the request with this number.
    EchoOf(u64),
}
use Taken::{EchoOf, New};

impl Session {
    fn new() -> Self {
        Self {
            echoes: Echoes::new(),
            now: Duration::ZERO,
            count: 0,
        }
    }

    fn take(&mut self, told: &Told) -> Taken {
        self.count += 1;
        match self.echoes.find(told, self.now) {
            Some(Reply::Prompted { batch, .. }) => EchoOf(
                batch
                    .and_then(|number| number.parse().ok())
                    .expect("a number"),
            ),
            Some(other) => panic!("not what was answered: {other:?}"),
            None => {
                // Any answer that tells one request from another.
                let batch = Some(self.count.to_string());
                let reply = Reply::Prompted {
                    batch,
                    context: Slot::default(),
                };
                self.echoes.answered(told, reply, self.now);
                New
            }
        }
    }

    fn takes(&mut self, all: &[(Told, Taken)]) {
        for (number, (told, expected)) in all.iter().enumerate() {
            assert_eq!(self.take(told), *expected, "{}: {told:?}", number + 1);
        }
    }
}

fn told(what: What) -> Told {
    Told {
        session: "s1".into(),
        agent: "claude".into(),
        generation: None,
        project: None,
        transcript: None,
        what,
    }
}

fn by(agent: &str, told: Told) -> Told {
    Told {
        agent: agent.into(),
        ..told
    }
}

fn in_turn(turn: &str, told: Told) -> Told {
    Told {
        generation: Some(turn.into()),
        ..told
    }
}

fn start(source: &str) -> Told {
    told(What::SessionStart {
        source: Some(source.into()),
        parent: None,
    })
}

fn prompt(text: &str) -> Told {
    told(What::Prompt(text.into()))
}

fn tool(id: Option<&str>) -> Told {
    told(What::PostTool {
        tool: Tool {
            name: "Bash".into(),
            input: json!({ "command": "ls" }),
            id: id.map(str::to_owned),
        },
        output: json!("a.rs"),
    })
}

fn stop() -> Told {
    told(What::Stop { response: None })
}

fn end() -> Told {
    told(What::SessionEnd { reason: None })
}

fn compact() -> Told {
    told(What::PreCompact { trigger: None })
}

fn subagent(starts: bool, id: &str) -> Told {
    let (id, kind) = (id.to_owned(), "explore".to_owned());
    told(if starts {
        What::SubagentStart {
            id,
            kind,
            description: String::new(),
        }
    } else {
        What::SubagentStop {
            id,
            kind,
            response: None,
            transcript: None,
        }
    })
}

#[test]
fn a_start_is_taken_from_every_agent_and_once_from_each() {
    Session::new().takes(&[
        (start("startup"), New),
        (by("cursor", start("startup")), New),
        (start("startup"), EchoOf(1)),
        (start("resume"), New),
        (by("cursor", start("startup")), EchoOf(2)),
    ]);
}

#[test]
fn a_session_may_start_again_after_anything_happened_in_it() {
    for between in [prompt("a"), tool(None), stop(), end(), compact()] {
        Session::new().takes(&[
            (start("resume"), New),
            (between, New),
            (start("resume"), New),
        ]);
    }
}

#[test]
fn a_prompt_is_an_echo_until_something_follows_it() {
    Session::new().takes(&[
        (prompt("continue"), New),
        (by("cursor", prompt("continue")), EchoOf(1)),
        (prompt("continue"), EchoOf(1)),
    ]);
    for between in [tool(Some("t1")), tool(None), stop(), end(), prompt("other")] {
        Session::new().takes(&[
            (prompt("continue"), New),
            (between, New),
            (prompt("continue"), New),
        ]);
    }
}

#[test]
fn a_prompt_of_a_named_turn_is_an_echo_for_as_long_as_it_is_remembered() {
    Session::new().takes(&[
        (in_turn("g1", prompt("continue")), New),
        (tool(None), New),
        (in_turn("g1", prompt("continue")), EchoOf(1)),
        (in_turn("g2", prompt("continue")), New),
        (in_turn("g1", prompt("go on")), New),
    ]);
}

#[test]
fn a_call_is_known_by_its_id_within_its_turn() {
    let failed = told(What::ToolFailure {
        tool: Tool {
            name: "Bash".into(),
            input: json!({}),
            id: Some("t1".into()),
        },
        error: "no".into(),
    });
    Session::new().takes(&[
        (tool(Some("t1")), New),
        (by("cursor", tool(Some("t1"))), EchoOf(1)),
        (tool(Some("t2")), New),
        (failed.clone(), New),
        (by("cursor", failed), EchoOf(4)),
        (prompt("next"), New),
        (tool(Some("t1")), New),
    ]);
}

#[test]
fn without_an_id_equal_words_are_an_echo_only_from_another_caller() {
    Session::new().takes(&[
        (tool(None), New),
        (by("cursor", tool(None)), EchoOf(1)),
        (tool(None), New),
        (by("cursor", tool(None)), EchoOf(3)),
        (tool(None), New),
        (tool(None), New),
    ]);
}

#[test]
fn a_session_ends_once_until_it_goes_on() {
    Session::new().takes(&[
        (end(), New),
        (by("cursor", end()), EchoOf(1)),
        (stop(), New),
        (end(), EchoOf(1)),
        (start("resume"), New),
        (end(), New),
        (prompt("still here"), New),
        (end(), New),
    ]);
}

#[test]
fn a_stop_has_echoes_until_the_turn_goes_on() {
    for between in [prompt("next"), tool(None), start("resume")] {
        Session::new().takes(&[
            (stop(), New),
            (by("cursor", stop()), EchoOf(1)),
            (between, New),
            (stop(), New),
        ]);
    }
}

#[test]
fn a_compaction_is_over_by_a_start_a_prompt_or_time() {
    Session::new().takes(&[
        (compact(), New),
        (by("cursor", compact()), EchoOf(1)),
        (start("resume"), New),
        (compact(), EchoOf(1)),
        (start("compact"), New),
        (compact(), New),
        (prompt("next"), New),
        (compact(), New),
    ]);
    let mut session = Session::new();
    assert_eq!(session.take(&compact()), New);
    session.now = Duration::from_secs(30);
    assert_eq!(session.take(&compact()), EchoOf(1));
    session.now = Duration::from_millis(30_001);
    assert_eq!(session.take(&compact()), New);
    assert_eq!(session.take(&compact()), EchoOf(3));
}

#[test]
fn a_subagent_that_is_woken_again_starts_and_stops_again() {
    Session::new().takes(&[
        (subagent(true, "a1"), New),
        (by("cursor", subagent(true, "a1")), EchoOf(1)),
        (subagent(true, "a2"), New),
        (subagent(false, "a1"), New),
        (by("cursor", subagent(false, "a1")), EchoOf(4)),
        (subagent(true, "a2"), EchoOf(3)),
        (subagent(true, "a1"), New),
        (subagent(false, "a1"), New),
    ]);
}

#[test]
fn thoughts_and_answers_are_echoes_in_a_named_turn_or_from_another_caller() {
    for what in [What::Thought("hm".into()), What::Response("done".into())] {
        let plain = told(what);
        Session::new().takes(&[
            (in_turn("g1", plain.clone()), New),
            (in_turn("g1", plain.clone()), EchoOf(1)),
            (in_turn("g2", plain.clone()), New),
            (plain.clone(), New),
            (by("cursor", plain.clone()), EchoOf(4)),
            (plain, New),
        ]);
    }
}

#[test]
fn sessions_know_nothing_of_each_other() {
    let other = |told: Told| Told {
        session: "s2".into(),
        ..told
    };
    Session::new().takes(&[
        (prompt("a"), New),
        (other(prompt("a")), New),
        (other(stop()), New),
        (prompt("a"), EchoOf(1)),
    ]);
}

#[test]
fn the_oldest_of_more_than_a_thousand_is_no_longer_known() {
    let mut session = Session::new();
    for number in 0..=1000 {
        assert_eq!(session.take(&tool(Some(&format!("t{number}")))), New);
    }
    assert_eq!(session.take(&tool(Some("t1"))), EchoOf(2));
    assert_eq!(session.take(&tool(Some("t0"))), New);
}

#[test]
fn what_was_not_kept_has_no_echoes() {
    let mut session = Session::new();
    assert_eq!(session.take(&prompt("a")), New);
    session.echoes.take_back();
    assert_eq!(session.take(&prompt("a")), New);
}
