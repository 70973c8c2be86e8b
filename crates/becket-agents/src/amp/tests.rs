//! Property tests over payloads and decisions; ordinary cases are in `fixtures/amp/`.
//!
//! [`AmpPlugin`] is a model of how the plugin interprets a reply; `tests/it/plugins.rs` tests the plugin itself.

use becket_model::{Decision, Event, EventKind, Verdict};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::events::EVENTS;
use super::{Amp, plugin_source};
use crate::adapter::{Adapter, Recognition, Rendered, SenderClues};
use crate::arbitrary;
use crate::bridge::FIRST_LINE;

#[derive(Debug, PartialEq)]
enum AmpOutcome {
    Runs(Value),
    Asked(Value),
    Rejected,
}

/// No output means no opinion, an object of this bridge is a reply, everything else is a failure.
struct AmpPlugin(Option<Value>);

impl AmpPlugin {
    fn reads(rendered: &Rendered) -> Self {
        let reply = match rendered.stdout.trim() {
            "" => Some(json!({})),
            text => serde_json::from_str(text)
                .ok()
                .filter(|reply: &Value| reply["bridge"] == "amp/1"),
        };
        Self(reply.filter(|_| rendered.exit == 0))
    }

    fn tool_call(&self, input: &Value) -> AmpOutcome {
        let Some(reply) = &self.0 else {
            return AmpOutcome::Rejected;
        };
        let input = reply.get("input").unwrap_or(input).clone();
        match reply["verdict"].as_str() {
            Some("deny") => AmpOutcome::Rejected,
            Some("ask") => AmpOutcome::Asked(input),
            _ => AmpOutcome::Runs(input),
        }
    }
}

fn input() -> Value {
    json!({ "cmd": "rm -rf build", "cwd": "/srv" })
}

fn event(payload: &Value) -> Event {
    let payload = payload.as_object().unwrap().clone();
    Amp.parse(None, payload).unwrap()
}

fn bash() -> Event {
    event(&json!({
        "hook": "tool.call", "sessionID": "T-1",
        "event": { "thread": { "id": "T-1" }, "toolUseID": "t", "tool": "Bash", "input": input() },
    }))
}

fn named(name: &str) -> Event {
    event(&json!({ "hook": name, "event": { "tool": "Bash", "input": {}, "message": "hi" } }))
}

fn verdict(verdict: Verdict) -> Decision {
    Decision {
        verdict,
        ..Decision::default()
    }
}

#[test]
fn no_opinion_renders_nothing_at_every_event() {
    for native in &EVENTS {
        let rendered = Amp.render(&named(native.name), &Decision::default());
        assert_eq!(rendered, Rendered::default(), "{}", native.name);
    }
}

#[test]
fn every_event_is_found_by_the_name_that_the_plugin_gives_on_the_command_line() {
    // A call with an unreadable payload is guarded only if the command line has a canonical event name.
    for (name, native) in [
        ("PreToolUse", "tool.call"),
        ("PostToolUse", "tool.result"),
        ("UserPromptSubmit", "agent.start"),
        ("Stop", "agent.end"),
        ("SessionStart", "session.start"),
        ("SessionEnd", "dispose"),
        ("changes.prompt", "changes.prompt"),
    ] {
        let found = super::events::find(EventKind::parse(name).name());
        assert_eq!(found.map(|e| e.name), Some(native));
        assert!(plugin_source("b").contains(&format!("{name:?}")), "{name}");
    }
    assert!(EventKind::parse("PreToolUse").is_guarded());
}

#[test]
fn a_turn_that_was_cancelled_or_failed_is_not_kept_going() {
    for status in ["cancelled", "error"] {
        let ended = event(&json!({ "hook": "agent.end", "event": { "status": status } }));
        let decision = Decision {
            keep_going: Some("more".into()),
            ..verdict(Verdict::Deny)
        };
        let rendered = Amp.render(&ended, &decision);
        assert!(!rendered.stdout.contains("continue"), "{status}");
    }
}

#[test]
fn an_unread_call_is_refused_or_asked_about() {
    for name in [Some("PreToolUse"), None] {
        let kind = name.map(EventKind::parse);
        let unread = |verdict| {
            let rendered = Amp.render_unparsed(kind.as_ref(), verdict, "cut off");
            AmpPlugin::reads(&rendered).tool_call(&input())
        };
        assert_eq!(unread(Verdict::Ask), AmpOutcome::Asked(input()));
        assert_eq!(unread(Verdict::Deny), AmpOutcome::Rejected);
        assert_eq!(unread(Verdict::NoOpinion), AmpOutcome::Runs(input()));
        // With an empty reply the caller would exit with an error code, which the plugin treats as a failure.
        let silent = Amp.render_unparsed(kind.as_ref(), Verdict::NoOpinion, "cut off");
        assert!(!silent.stdout.is_empty());
    }
}

#[test]
fn the_plugin_says_on_its_first_line_whose_it_is() {
    let source = plugin_source("/usr/bin/becket");
    assert_eq!(source.lines().next(), Some(FIRST_LINE));
    assert!(!source.contains("@BECKET"), "every mark is filled in");
    assert!(!source.contains("//@becket"), "every mark is filled in");
}

#[test]
fn only_its_own_bridge_is_recognised() {
    let recognise = |bridge: &str| {
        let payload = json!({ "becket_bridge": bridge });
        Amp.recognises(&SenderClues {
            payload: payload.as_object().unwrap(),
            has_env: &|_| true,
        })
    };
    assert_eq!(recognise("amp/1"), Recognition::Payload);
    assert_eq!(recognise("opencode/1"), Recognition::No);
}

const KEYS: &[&str] = &[
    "hook",
    "event",
    "thread",
    "id",
    "sessionID",
    "parentID",
    "directory",
    "tool",
    "input",
    "output",
    "status",
    "error",
    "cancelled",
    "message",
    "messages",
    "content",
];

fn any_name() -> impl Strategy<Value = String> {
    arbitrary::any_name(EVENTS.iter().map(|event| event.name).collect())
}

proptest! {
    /// Any JSON object gives an event or an error that names a key.
    #[test]
    fn parsing_never_panics(payload in arbitrary::any_object(KEYS), hint in option::of(any_name())) {
        match Amp.parse(hint.as_deref(), payload.clone()) {
            Ok(event) => prop_assert_eq!(event.raw, payload),
            Err(error) => prop_assert!(error.message.contains('`'), "{}", error),
        }
    }

    /// Any decision on any event gives a reply that the plugin accepts.
    #[test]
    fn every_reply_is_an_answer(payload in arbitrary::any_object(KEYS), hint in any_name(), decision in arbitrary::any_decision(&["command", "file_path", "decision", "allow"])) {
        if let Ok(event) = Amp.parse(Some(&hint), payload) {
            let rendered = Amp.render(&event, &decision);
            prop_assert!(AmpPlugin::reads(&rendered).0.is_some(), "{rendered:?}");
            prop_assert_eq!(&*rendered.stderr, "");
        }
    }

    /// A call never gets more than the decision permits.
    #[test]
    fn no_verdict_is_lost_before_a_tool(decision in arbitrary::any_decision(&["command", "file_path", "decision", "allow"])) {
        let outcome = AmpPlugin::reads(&Amp.render(&bash(), &decision)).tool_call(&input());
        let fits = decision.updated_input.as_ref().is_none_or(Value::is_object);
        let command = match &decision.updated_input {
            Some(new) => new.get("command").filter(|c| !c.is_null()).cloned(),
            None => Some(json!("rm -rf build")),
        };
        match (decision.verdict, outcome) {
            (verdict, outcome) if verdict.blocks() || !fits => prop_assert_eq!(outcome, AmpOutcome::Rejected),
            (Verdict::Ask, AmpOutcome::Asked(ran)) | (Verdict::Allow | Verdict::NoOpinion, AmpOutcome::Runs(ran)) => {
                prop_assert_eq!(ran.get("cmd").cloned(), command);
                prop_assert_eq!(ran.get("cwd"), Some(&json!("/srv")));
            }
            (verdict, outcome) => prop_assert!(false, "{verdict}: {outcome:?}"),
        }
    }
}
