//! What holds for every agent with a plugin; `tests/it/plugins.rs` tests the plugins themselves.

use becket_model::EventKind;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::adapter::{Adapter, Rendered};
use crate::agents::{amp, opencode};
use crate::arbitrary::{any_decision, any_name, any_object};
use crate::protocol::AgentSpec;

type PluginSource = fn(&str) -> String;

/// The agents and the sources of their plugins.
const PLUGINS: [(&AgentSpec, PluginSource); 2] = [
    (&amp::AMP, amp::plugin_source),
    (&opencode::OPENCODE, opencode::plugin_source),
];

/// No output means no opinion, an object of the agent's bridge is a reply, everything else is a failure.
fn accepted(agent: &AgentSpec, rendered: &Rendered) -> bool {
    let text = rendered.stdout.trim();
    let reply: Option<Value> = serde_json::from_str(text).ok();
    let bridge = reply.and_then(|reply| reply["bridge"].as_str().map(str::to_owned));
    let fits = text.is_empty() || bridge == Some(format!("{}/1", agent.id));
    fits && rendered.exit == 0 && rendered.stderr.is_empty()
}

#[test]
fn no_path_breaks_out_of_the_plugins_string() {
    for binary in [
        "/usr/bin/becket",
        "/home/ana/my \"tools\"/becket\\new\n\u{2028}",
        "\"; process.exit(1); //",
        "@BECKET_AGENT@",
    ] {
        for (agent, source) in PLUGINS {
            let source = source(binary);
            let line = source
                .lines()
                .find_map(|line| line.strip_prefix("const BECKET = "))
                .expect("the program has a line of its own");
            let read: String = serde_json::from_str(line).expect("the line is one JSON string");
            assert_eq!(read, binary, "{}", agent.id);
        }
    }
}

#[test]
fn the_first_line_says_that_the_plugin_is_beckets_and_every_mark_is_replaced() {
    for (agent, source) in PLUGINS {
        let source = source("/usr/bin/becket");
        let first = "// becket: generated, bridge 1";
        assert_eq!(source.lines().next(), Some(first), "{}", agent.id);
        assert!(!source.contains("@BECKET"), "{}", agent.id);
        assert!(!source.contains("//@becket"), "{}", agent.id);
    }
}

#[test]
fn an_agent_is_recognised_only_by_its_own_bridge() {
    for (agent, _) in PLUGINS {
        for bridge in ["amp/1", "opencode/1", "opencode/2", "amp", "ampere/1"] {
            let payload = json!({ "becket_bridge": bridge });
            let found = agent.recognises(&SenderClues {
                payload: payload.as_object().unwrap(),
                has_env: &|_| true,
            });
            let own = bridge.starts_with(&format!("{}/", agent.id));
            assert_eq!(found == Recognition::Payload, own, "{} {bridge}", agent.id);
        }
    }
}

const KEYS: &[&str] = &[
    "agent",
    "args",
    "call",
    "content",
    "directory",
    "error",
    "event",
    "hook",
    "id",
    "info",
    "input",
    "message",
    "messages",
    "metadata",
    "output",
    "parentID",
    "part",
    "parts",
    "permission",
    "properties",
    "sessionID",
    "state",
    "status",
    "thread",
    "tool",
    "type",
];

proptest! {
    /// Any payload gives a reply that the plugin accepts, whatever the decision.
    #[test]
    fn every_reply_is_one_that_the_plugin_accepts(
        payload in any_object(KEYS),
        names in (any_name(names(0)), any_name(names(1))),
        unnamed in any::<bool>(),
        decision in any_decision(&["command", "file_path", "decision"]),
    ) {
        for ((agent, _), name) in PLUGINS.into_iter().zip([&names.0, &names.1]) {
            let hint = Some(&**name).filter(|_| !unnamed);
            let rendered = match agent.parse(hint, payload.clone()) {
                Ok(event) => agent.render(&event, &decision),
                Err(_) => {
                    let kind = hint.map(EventKind::parse);
                    agent.render_unparsed(kind.as_ref(), decision.verdict, "cut off")
                }
            };
            prop_assert!(accepted(agent, &rendered), "{} {rendered:?}", agent.id);
        }
    }
}

fn names(plugin: usize) -> Vec<&'static str> {
    PLUGINS[plugin]
        .0
        .events
        .iter()
        .map(|row| row.native)
        .collect()
}
