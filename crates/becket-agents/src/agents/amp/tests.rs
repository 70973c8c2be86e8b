//! Property tests over payloads and decisions; ordinary cases are in `fixtures/amp/`.
//!
//! [`AmpPlugin`] is a model of how the plugin interprets a reply; `tests/it/plugins.rs` tests the plugin itself.

use becket_model::{Decision, Event, EventKind, Verdict};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{AMP, plugin_source};
use crate::adapter::{Adapter, Rendered};
use crate::arbitrary::{any_decision, verdict};

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
    AMP.parse(None, payload).unwrap()
}

fn bash() -> Event {
    event(&json!({
        "hook": "tool.call", "sessionID": "T-1",
        "event": { "thread": { "id": "T-1" }, "toolUseID": "t", "tool": "Bash", "input": input() },
    }))
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
        let found = AMP.find(EventKind::parse(name).name());
        assert_eq!(found.map(|row| row.native), Some(native));
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
        let rendered = AMP.render(&ended, &decision);
        assert!(!rendered.stdout.contains("continue"), "{status}");
    }
}

#[test]
fn an_unread_call_is_refused_or_asked_about() {
    for name in [Some("PreToolUse"), None] {
        let kind = name.map(EventKind::parse);
        let unread = |verdict| {
            let rendered = AMP.render_unparsed(kind.as_ref(), verdict, "cut off");
            AmpPlugin::reads(&rendered).tool_call(&input())
        };
        assert_eq!(unread(Verdict::Ask), AmpOutcome::Asked(input()));
        assert_eq!(unread(Verdict::Deny), AmpOutcome::Rejected);
        assert_eq!(unread(Verdict::NoOpinion), AmpOutcome::Runs(input()));
        // With an empty reply the caller would exit with an error code, which the plugin treats as a failure.
        let silent = AMP.render_unparsed(kind.as_ref(), Verdict::NoOpinion, "cut off");
        assert!(!silent.stdout.is_empty());
    }
}

proptest! {
    /// A call never gets more than the decision permits.
    #[test]
    fn no_verdict_is_lost_before_a_tool(decision in any_decision(&["command", "file_path", "decision", "allow"])) {
        let outcome = AmpPlugin::reads(&AMP.render(&bash(), &decision)).tool_call(&input());
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
