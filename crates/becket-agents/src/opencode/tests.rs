//! Property tests over payloads and decisions; ordinary cases are in `fixtures/opencode/`.
//!
//! [`OpenCodePlugin`] is a model of how the plugin interprets a reply; `tests/it/plugins.rs` tests the plugin
//! itself.

use becket_model::{Decision, Event, EventKind, Verdict};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::events::EVENTS;
use super::{OpenCode, plugin_source};
use crate::adapter::{Adapter, Recognition, Rendered, SenderClues};
use crate::arbitrary;
use crate::bridge::FIRST_LINE;

#[derive(Debug, PartialEq)]
enum OpenCodeOutcome {
    Runs(Value),
    Refused,
}

/// No output means no opinion, an object of this bridge is a reply, everything else is a failure.
struct OpenCodePlugin(Option<Value>);

impl OpenCodePlugin {
    fn reads(rendered: &Rendered) -> Self {
        let reply = match rendered.stdout.trim() {
            "" => Some(json!({})),
            text => serde_json::from_str(text)
                .ok()
                .filter(|reply: &Value| reply["bridge"] == "opencode/1"),
        };
        Self(reply.filter(|_| rendered.exit == 0))
    }

    fn before_tool(&self, args: &Value) -> OpenCodeOutcome {
        match &self.0 {
            None => OpenCodeOutcome::Refused,
            Some(reply) if reply["verdict"] == "deny" || reply["verdict"] == "ask" => {
                OpenCodeOutcome::Refused
            }
            Some(reply) => OpenCodeOutcome::Runs(reply.get("input").unwrap_or(args).clone()),
        }
    }

    fn verdict(&self) -> Option<&str> {
        self.0.as_ref()?["verdict"].as_str()
    }
}

fn args() -> Value {
    json!({ "filePath": "/srv/a.txt", "content": "x", "mode": 1 })
}

fn event(payload: &Value) -> Event {
    let payload = payload.as_object().unwrap().clone();
    OpenCode.parse(None, payload).unwrap()
}

fn write() -> Event {
    event(&json!({
        "hook": "tool.execute.before", "sessionID": "ses_1",
        "input": { "tool": "write", "sessionID": "ses_1", "callID": "call_1" },
        "output": { "args": args() },
    }))
}

fn named(name: &str) -> Event {
    let properties = json!({ "permission": "bash", "metadata": {} });
    let payload = json!({
        "hook": name, "input": { "tool": "bash" }, "output": { "args": {}, "parts": [] },
        "event": { "properties": properties },
    });
    event(&payload)
}

fn verdict(verdict: Verdict) -> Decision {
    Decision {
        verdict,
        ..Decision::default()
    }
}

#[test]
fn no_opinion_renders_nothing_at_every_hook() {
    for native in &EVENTS {
        let rendered = OpenCode.render(&named(native.name), &Decision::default());
        assert_eq!(rendered, Rendered::default(), "{}", native.name);
    }
}

#[test]
fn a_rewrite_comes_back_in_opencodes_own_keys() {
    let decision = Decision {
        updated_input: Some(json!({ "file_path": "/tmp/b", "content": "y" })),
        ..Decision::default()
    };
    let plugin = OpenCodePlugin::reads(&OpenCode.render(&write(), &decision));
    assert_eq!(
        plugin.before_tool(&args()),
        OpenCodeOutcome::Runs(json!({ "filePath": "/tmp/b", "content": "y", "mode": 1 }))
    );
}

#[test]
fn a_subagent_that_rests_is_not_kept_going() {
    let rests = event(&json!({
        "hook": "event", "sessionID": "ses_b", "parentID": "ses_a",
        "event": { "type": "session.idle", "properties": {} },
    }));
    let decision = Decision {
        keep_going: Some("more".into()),
        ..verdict(Verdict::Deny)
    };
    let rendered = OpenCode.render(&rests, &decision);
    assert!(!rendered.stdout.contains("continue"), "{}", rendered.stdout);
    assert!(!rendered.lost.is_empty());
}

#[test]
fn an_unread_payload_is_answered_from_the_name_on_the_command_line() {
    let unread = |name: Option<&str>, verdict| {
        let kind = name.map(EventKind::parse);
        OpenCode.render_unparsed(kind.as_ref(), verdict, "the payload is truncated")
    };
    for name in [Some("tool.execute.before"), Some("PreToolUse"), None] {
        for verdict in [Verdict::Ask, Verdict::Deny, Verdict::Halt] {
            let plugin = OpenCodePlugin::reads(&unread(name, verdict));
            assert_eq!(
                plugin.before_tool(&args()),
                OpenCodeOutcome::Refused,
                "{name:?}"
            );
        }
        let silent = unread(name, Verdict::NoOpinion);
        // With an empty reply the caller would exit with an error code, which the plugin treats as a failure.
        assert!(!silent.stdout.is_empty());
        let outcome = OpenCodePlugin::reads(&silent).before_tool(&args());
        assert_eq!(outcome, OpenCodeOutcome::Runs(args()));
    }
    assert_eq!(
        OpenCodePlugin::reads(&unread(Some("x"), Verdict::Deny)).verdict(),
        None
    );
}

#[test]
fn the_plugin_says_on_its_first_line_whose_it_is() {
    let source = plugin_source("/usr/bin/becket");
    assert_eq!(source.lines().next(), Some(FIRST_LINE));
    assert!(source.contains("const BECKET = \"/usr/bin/becket\"\n"));
    assert!(!source.contains("@BECKET"), "every mark is filled in");
    assert!(!source.contains("//@becket"), "every mark is filled in");
}

#[test]
fn only_its_own_bridge_is_recognised() {
    let recognise = |payload: Value| {
        OpenCode.recognises(&SenderClues {
            payload: payload.as_object().unwrap(),
            has_env: &|_| true,
        })
    };
    let ours = json!({ "becket_bridge": "opencode/1" });
    assert_eq!(recognise(ours), Recognition::Payload);
    let amps = json!({ "becket_bridge": "amp/1", "hook": "event" });
    assert_eq!(recognise(amps), Recognition::No);
}

const KEYS: &[&str] = &[
    "hook",
    "event",
    "type",
    "properties",
    "sessionID",
    "parentID",
    "agent",
    "directory",
    "input",
    "output",
    "args",
    "tool",
    "callID",
    "parts",
    "part",
    "state",
    "status",
    "error",
    "call",
    "permission",
    "metadata",
    "info",
];

fn any_name() -> impl Strategy<Value = String> {
    arbitrary::any_name(EVENTS.iter().map(|event| event.name).collect())
}

proptest! {
    /// Any JSON object gives an event or an error that names a key.
    #[test]
    fn parsing_never_panics(payload in arbitrary::any_object(KEYS), hint in option::of(any_name())) {
        match OpenCode.parse(hint.as_deref(), payload.clone()) {
            Ok(event) => prop_assert_eq!(event.raw, payload),
            Err(error) => prop_assert!(error.message.contains('`'), "{}", error),
        }
    }

    /// Any decision on any hook gives a reply that the plugin accepts.
    #[test]
    fn every_reply_is_an_answer(payload in arbitrary::any_object(KEYS), hint in any_name(), decision in arbitrary::any_decision(&["command", "file_path", "decision", "allow"])) {
        if let Ok(event) = OpenCode.parse(Some(&hint), payload) {
            let rendered = OpenCode.render(&event, &decision);
            prop_assert!(OpenCodePlugin::reads(&rendered).0.is_some(), "{rendered:?}");
            prop_assert_eq!(&*rendered.stderr, "");
        }
    }

    /// A call never gets more than the decision permits.
    #[test]
    fn no_verdict_is_lost_before_a_tool(decision in arbitrary::any_decision(&["command", "file_path", "decision", "allow"])) {
        let outcome = OpenCodePlugin::reads(&OpenCode.render(&write(), &decision)).before_tool(&args());
        let fits = decision.updated_input.as_ref().is_none_or(Value::is_object);
        if decision.verdict >= Verdict::Ask || !fits {
            prop_assert_eq!(outcome, OpenCodeOutcome::Refused);
        } else {
            let path = match &decision.updated_input {
                Some(new) => new.get("file_path").filter(|p| !p.is_null()).cloned(),
                None => Some(json!("/srv/a.txt")),
            };
            let OpenCodeOutcome::Runs(ran) = outcome else { panic!("{outcome:?}") };
            prop_assert_eq!(ran.get("filePath").cloned(), path);
            prop_assert_eq!(ran.get("mode"), Some(&json!(1)));
        }
    }

    /// Only an allow answers OpenCode's own prompt with yes, and every denial with no.
    #[test]
    fn a_permission_is_given_only_by_an_allow(decision in arbitrary::any_decision(&["command", "file_path", "decision", "allow"])) {
        let plugin = OpenCodePlugin::reads(&OpenCode.render(&named("permission.asked"), &decision));
        let expected = match decision.verdict {
            verdict if verdict.blocks() || decision.updated_input.is_some() => Some("deny"),
            Verdict::Allow => Some("allow"),
            _ => None,
        };
        prop_assert_eq!(plugin.verdict(), expected);
    }
}
