//! Payloads that cannot be parsed, and hooks that cannot run: the reply never looks like consent.

use becket::pipeline::{BAD_PAYLOAD, fail_closed};
use becket::{CoreHooks, Response};
use serde_json::Value;

use super::client_world::{ClientWorld, verdict};

fn garbage(world: &ClientWorld, agent: &str, event: Option<&str>) -> Response {
    let sent = world.send(agent, event, b"{ nonsense", &CoreHooks);
    sent.expect("no hook needs to be built")
}

fn permission(response: &Response) -> Value {
    let reply: Value = serde_json::from_str(&response.rendered.stdout).unwrap_or_default();
    reply["hookSpecificOutput"]["permissionDecision"].clone()
}

#[test]
fn person_decides_about_a_tool_call_that_cannot_be_read() {
    let world = ClientWorld::new();
    let answer = garbage(&world, "claude", Some("PreToolUse"));
    assert_eq!(
        (permission(&answer), answer.rendered.exit),
        ("ask".into(), 0)
    );
    assert!(
        answer
            .rendered
            .stderr
            .starts_with("becket: becket could not read the event")
    );
    assert_eq!(verdict(&answer), "ask");
    assert_eq!(answer.record["event"], "PreToolUse");
    assert_eq!(answer.record["bytes"], 10);
    assert_ne!(answer.record["error"], "");
    assert!(answer.should_record);
}

#[test]
fn user_sets_what_an_unreadable_payload_means() {
    for (policy, expected) in [("allow", "none"), ("ask", "ask"), ("deny", "deny")] {
        let world =
            ClientWorld::with_config(&format!("[settings]\non_bad_payload = \"{policy}\"\n"));
        assert_eq!(
            verdict(&garbage(&world, "claude", Some("PreToolUse"))),
            expected
        );
        let after = garbage(&world, "claude", Some("PostToolUse"));
        assert_eq!(verdict(&after), "none", "the call has run");
    }
}

#[test]
fn unreadable_payload_of_an_observing_event_is_an_error_that_blocks_nothing() {
    let world = ClientWorld::new();
    for event in [Some("PostToolUse"), None] {
        let answer = garbage(&world, "claude", event);
        assert_eq!(answer.rendered.stdout, "");
        assert_eq!(answer.rendered.exit, BAD_PAYLOAD);
        assert_eq!(verdict(&answer), "none");
    }
}

#[test]
fn agents_that_read_exit_codes_keep_theirs() {
    let world = ClientWorld::new();
    let answer = garbage(&world, "windsurf", Some("pre_run_command"));
    assert_eq!(
        (answer.rendered.stdout.as_str(), answer.rendered.exit),
        ("", 2)
    );
}

#[test]
fn event_that_its_agent_does_not_identify_is_unreadable() {
    let world = ClientWorld::new();
    let answer = world
        .send("claude", None, b"{}", &CoreHooks)
        .expect("no hook needs to be built");
    assert_ne!(answer.record["error"], Value::Null);
    assert_eq!(verdict(&answer), "none");
}

#[test]
fn person_decides_if_no_hook_can_run() {
    let world = ClientWorld::with_config("[settings]\nrecord = false\n");
    let fail = |event: &str| {
        let work = |request: &becket::Request<'_>| fail_closed(request, "no threads left");
        world.with_request("claude", Some(event), b"{}", &CoreHooks, work)
    };
    let answer = fail("PreToolUse");
    assert_eq!(permission(&answer), "ask");
    assert!(
        answer
            .rendered
            .stderr
            .contains("could not run the hooks for this event: no threads left")
    );
    assert_eq!(answer.record["error"], "no threads left");
    assert!(!answer.should_record);
    assert_eq!(verdict(&fail("Stop")), "none");
}
