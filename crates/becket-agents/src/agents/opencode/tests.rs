//! Property tests over payloads and decisions; ordinary cases are in `fixtures/opencode/`.
//!
//! [`OpenCodePlugin`] is a model of how the plugin interprets a reply; `tests/it/plugins.rs` tests the plugin
//! itself.

use becket_model::{Decision, Event, EventKind, Verdict};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::OPENCODE;
use crate::adapter::{Adapter, Rendered};
use crate::arbitrary::{any_decision, verdict};

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
    OPENCODE.parse(None, payload).unwrap()
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

#[test]
fn a_rewrite_comes_back_in_opencodes_own_keys() {
    let decision = Decision {
        updated_input: Some(json!({ "file_path": "/tmp/b", "content": "y" })),
        ..Decision::default()
    };
    let plugin = OpenCodePlugin::reads(&OPENCODE.render(&write(), &decision));
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
    let rendered = OPENCODE.render(&rests, &decision);
    assert!(!rendered.stdout.contains("continue"), "{}", rendered.stdout);
    assert!(!rendered.lost.is_empty());
}

#[test]
fn an_unread_payload_is_answered_from_the_name_on_the_command_line() {
    let unread = |name: Option<&str>, verdict| {
        let kind = name.map(EventKind::parse);
        OPENCODE.render_unparsed(kind.as_ref(), verdict, "the payload is truncated")
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

proptest! {
    /// A call never gets more than the decision permits.
    #[test]
    fn no_verdict_is_lost_before_a_tool(decision in any_decision(&["command", "file_path", "decision", "allow"])) {
        let outcome = OpenCodePlugin::reads(&OPENCODE.render(&write(), &decision)).before_tool(&args());
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
    fn a_permission_is_given_only_by_an_allow(decision in any_decision(&["command", "file_path", "decision", "allow"])) {
        let plugin = OpenCodePlugin::reads(&OPENCODE.render(&named("permission.asked"), &decision));
        let rewritten = decision.updated_input.as_ref().is_some_and(|input| *input != json!({}));
        let expected = match decision.verdict {
            verdict if verdict.blocks() || rewritten => Some("deny"),
            Verdict::Allow => Some("allow"),
            _ => None,
        };
        prop_assert_eq!(plugin.verdict(), expected);
    }
}
