//! Property tests over payloads and decisions.

use becket_model::{Decision, EventKind, Verdict};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{AutohandFate, GATES, call_of, read, rewrite};
use crate::adapter::Adapter;
use crate::agents::autohand::AUTOHAND;
use crate::agents::autohand::events::EVENTS;
use crate::arbitrary::{any_decision, any_payload, any_verdict, rewrite_of};

const KEYS: &[&str] = &[
    "hook_event_name",
    "session_id",
    "cwd",
    "tool_name",
    "tool_input",
    "tool_use_id",
    "tool_response",
    "tool_success",
    "file_path",
    "instruction",
    "command",
    "args",
    "path",
    "from",
    "type",
    "error",
    "subagent_id",
    "summary",
    "context_reason",
    "team_task_id",
    "review_path",
];

fn names() -> Vec<&'static str> {
    EVENTS.iter().map(|row| row.native).collect()
}

/// Tools with inputs as Autohand sends them.
fn any_call() -> impl Strategy<Value = (&'static str, Map<String, Value>)> {
    let calls = [
        (
            "shell",
            json!({ "command": "cargo", "args": ["test", "-q"], "directory": "a" }),
        ),
        (
            "run_command",
            json!({ "command": "cargo test", "background": true }),
        ),
        (
            "custom_command",
            json!({ "name": "x", "command": "make", "args": [] }),
        ),
        ("read_file", json!({ "path": "a", "limit": 3 })),
        ("write_file", json!({ "path": "a", "contents": "x" })),
        ("append_file", json!({ "path": "a", "contents": "x" })),
        ("apply_patch", json!({ "path": "a", "patch": "@@" })),
        ("fff_grep", json!({ "query": "x", "path": "a" })),
        ("rename_path", json!({ "from": "a", "to": "b" })),
        ("fetch_url", json!({ "url": "u", "max_length": 3 })),
        ("git_push", json!({ "remote": "origin" })),
        ("mcp__db__query", json!({ "path": "a", "sql": "s" })),
    ];
    let calls: Vec<_> = calls
        .into_iter()
        .map(|(tool, input)| (tool, input.as_object().unwrap().clone()))
        .collect();
    prop::sample::select(calls)
}

proptest! {
    /// A denial is always applied, ask is never treated as approval, and only an approval approves.
    #[test]
    fn every_decision_reaches_autohand(payload in any_payload("hook_event_name", names(), KEYS), decision in any_decision(&["command", "file_path", "content"])) {
        let Ok(event) = AUTOHAND.parse(None, payload) else { return Ok(()) };
        let rendered = AUTOHAND.render(&event, &decision);
        if !GATES.contains(&event.native_name.as_str()) {
            prop_assert!(matches!(rendered.exit, 0 | 2));
            let object = rendered.stdout.starts_with('{');
            prop_assert!(!object);
            return Ok(());
        }
        let fate = read(&Map::new(), &rendered);
        match decision.verdict {
            Verdict::Deny | Verdict::Halt => prop_assert!(matches!(fate, AutohandFate::Rejected(_))),
            Verdict::Ask => prop_assert!(matches!(fate, AutohandFate::Rejected(_) | AutohandFate::Asked(_))),
            Verdict::NoOpinion => prop_assert!(!matches!(fate, AutohandFate::Approved(_) | AutohandFate::Asked(_))),
            Verdict::Allow => prop_assert!(!matches!(fate, AutohandFate::Asked(_) | AutohandFate::Left(_))),
        }
    }

    /// After a rewrite, the rewritten input runs, or nothing.
    #[test]
    fn a_rewritten_call_runs_as_rewritten_or_not_at_all(
        (tool, input, after) in any_call().prop_flat_map(|(tool, input)| {
            let call = call_of(tool, &Value::Object(input.clone()));
            let canonical = call.call().unwrap().input.as_object().unwrap().clone();
            (Just(tool), Just(input), rewrite_of(canonical))
        }),
        verdict in any_verdict(),
    ) {
        let event = call_of(tool, &Value::Object(input.clone()));
        let decision = Decision {
            verdict,
            ..rewrite(Value::Object(after.clone()))
        };
        let fate = read(&input, &AUTOHAND.render(&event, &decision));
        let Some(ran) = fate.input() else { return Ok(()) };
        let seen = call_of(tool, &Value::Object(ran.clone()));
        let seen = &seen.call().unwrap().input;
        // The paths of a rename come from its keys.
        for (key, value) in after.iter().filter(|(key, _)| *key != "file_paths") {
            // A guard trims nothing; Autohand trims the joined line.
            let trimmed = value.as_str().map(str::trim);
            let same = seen.get(key) == Some(value)
                || (key == "command" && seen[key].as_str() == trimmed);
            prop_assert!(same, "{}: {} {:?}", key, seen, after);
        }
    }

    /// The same, from the event name alone.
    #[test]
    fn an_unread_payload_is_answered_as_the_policy_says(gate in prop::sample::select(&GATES), verdict in any_verdict()) {
        let kind = EventKind::parse(gate);
        let fate = read(&Map::new(), &AUTOHAND.render_unparsed(Some(&kind), verdict, "cannot be read"));
        match verdict {
            Verdict::NoOpinion | Verdict::Allow => prop_assert!(matches!(fate, AutohandFate::Left(_))),
            Verdict::Ask => prop_assert!(matches!(fate, AutohandFate::Asked(_))),
            _ => prop_assert_eq!(fate, AutohandFate::Rejected("cannot be read".into())),
        }
        let nameless = AUTOHAND.render_unparsed(None, verdict, "cannot be read");
        prop_assert_eq!(nameless.exit, if verdict >= Verdict::Ask { 2 } else { 0 });
    }
}
