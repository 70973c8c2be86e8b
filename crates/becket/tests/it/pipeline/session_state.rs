//! Session state: hooks that run once, limits on retries, notices at session start.

use becket::CoreHooks;
use serde_json::{Value, json};

use super::client_world::{ClientWorld, ran, verdict};

const ONCE: &str = "name = \"greeting\"\nonce = true\nevent = \"UserPromptSubmit\"";
const STUBBORN: &str =
    "[[hook]]\nevent = [\"Stop\", \"SubagentStop\"]\ncommand = \"echo again >&2; exit 2\"\n";

fn prompt(world: &ClientWorld, session: &str) {
    world.fire(
        "UserPromptSubmit",
        &json!({ "prompt": "hi", "session_id": session }),
    );
}

/// Whether the turn goes on.
fn stop(world: &ClientWorld, active: bool) -> bool {
    let answer = world.fire("Stop", &json!({ "stop_hook_active": active }));
    answer.rendered.stdout.contains("again")
}

#[test]
fn once_hook_runs_once_in_each_session() {
    let world = ClientWorld::new();
    world.config(&world.counting(ONCE, "true"));
    prompt(&world, "s1");
    prompt(&world, "s1");
    assert_eq!(world.runs(), 1);
    prompt(&world, "s2");
    assert_eq!(world.runs(), 2);
    world.fire("SessionEnd", &json!({ "reason": "other" }));
    prompt(&world, "s1");
    assert_eq!(world.runs(), 3, "state ends with its session");
    prompt(&world, "s2");
    assert_eq!(world.runs(), 3, "and with no other");
}

#[test]
fn once_hook_that_an_earlier_stage_skipped_runs_later() {
    let world = ClientWorld::new();
    let gate = world.path("gate");
    let greeting = world.counting(
        "name = \"greeting\"\nonce = true\nevent = \"PreToolUse\"",
        "true",
    );
    world.config(&format!(
        "[[hook]]\nname = \"gate\"\nevent = \"PreToolUse\"\npriority = 10\ncommand = \"test -e '{}' || exit 2\"\n{greeting}",
        gate.display()
    ));
    assert_eq!((verdict(&world.bash("ls")), world.runs()), ("deny", 0));
    world.write("gate", "");
    for _ in 0..2 {
        world.bash("ls");
    }
    assert_eq!(world.runs(), 1);
}

#[test]
fn turn_is_kept_going_once_unless_configured() {
    let world = ClientWorld::with_config(STUBBORN);
    assert_eq!([stop(&world, false), stop(&world, true)], [true, false]);
    assert!(stop(&world, false), "a new turn starts a new count");
    world.config(&format!("[settings]\nstop_retries = 2\n{STUBBORN}"));
    let more = [false, true, true].map(|active| stop(&world, active));
    assert_eq!(more, [true, true, false]);
    world.config(&format!("[settings]\nstop_retries = 0\n{STUBBORN}"));
    assert!(!stop(&world, false));
}

#[test]
fn end_of_retries_is_on_record() {
    let world = ClientWorld::with_config(STUBBORN);
    stop(&world, false);
    let answer = world.fire("Stop", &json!({ "stop_hook_active": true }));
    let lost = answer.record["lost"][0].as_str().unwrap();
    assert!(lost.contains("1 times already"), "{lost}");
    assert_eq!(verdict(&answer), "none");
}

#[test]
fn hooks_that_let_the_agent_stop_are_not_limited() {
    let world = ClientWorld::with_config(
        "[[hook]]\nevent = \"Stop\"\ncommand = \"echo '{\\\"systemMessage\\\":\\\"bye\\\"}'\"\n",
    );
    for _ in 0..3 {
        let answer = world.fire("Stop", &json!({ "stop_hook_active": true }));
        assert_eq!(answer.record.get("lost"), None);
        assert!(answer.rendered.stdout.contains("bye"));
    }
}

#[test]
fn events_that_end_no_turn_are_blocked_every_time() {
    let world =
        ClientWorld::with_config("[[hook]]\nevent = \"PreToolUse\"\ncommand = \"exit 2\"\n");
    for _ in 0..3 {
        assert_eq!(verdict(&world.bash("ls")), "deny");
    }
}

/// Windsurf does not report that a hook has kept the turn going.
fn windsurf(world: &ClientWorld, event: &str, info: Value) -> becket::Response {
    let payload = json!({ "agent_action_name": event, "trajectory_id": "tr-1", "tool_info": info });
    let bytes = payload.to_string();
    let sent = world.send("windsurf", Some(event), bytes.as_bytes(), &CoreHooks);
    sent.expect("the factory builds every hook")
}

#[test]
fn retries_are_counted_from_the_last_prompt_if_the_agent_does_not_count() {
    let world = ClientWorld::new();
    let seen = world.path("seen");
    world.config(&format!(
        "[[hook]]\nevent = \"Stop\"\ncommand = \"tee -a '{}' >&2; exit 2\"\n",
        seen.display()
    ));
    let stopped = || {
        let answer = windsurf(
            &world,
            "post_cascade_response",
            json!({ "response": "Done." }),
        );
        let lost = answer.record["lost"].to_string();
        lost.contains("times already")
    };
    assert_eq!([stopped(), stopped()], [false, true]);
    windsurf(&world, "pre_user_prompt", json!({ "user_prompt": "more" }));
    assert!(!stopped(), "a prompt starts a new turn");
    let seen = std::fs::read_to_string(&seen).unwrap();
    let active: Vec<bool> = seen
        .split("\"stop_hook_active\":")
        .skip(1)
        .map(|rest| rest.starts_with("true"))
        .collect();
    assert_eq!(active, [false, true, false], "{seen}");
}

#[test]
fn hooks_see_whether_the_agent_reports_a_retry() {
    let world = ClientWorld::new();
    let seen = world.path("seen");
    world.config(&format!(
        "[[hook]]\nevent = \"Stop\"\ncommand = \"tee -a '{}' | grep -q '\\\"stop_hook_active\\\":false' && {{ echo again >&2; exit 2; }}; exit 0\"\n",
        seen.display()
    ));
    // The agent's own report counts, whatever the stored state says.
    assert_eq!(
        [stop(&world, false), stop(&world, false), stop(&world, true)],
        [true, true, false]
    );
}

fn start(world: &ClientWorld) -> String {
    let answer = world.fire("SessionStart", &json!({ "source": "startup" }));
    let reply: Value = serde_json::from_str(&answer.rendered.stdout).unwrap_or_default();
    reply["systemMessage"]
        .as_str()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn session_start_reports_nothing_when_all_is_well() {
    let world = ClientWorld::with_config("[[hook]]\nevent = \"Stop\"\ncommand = \"true\"\n");
    assert_eq!(start(&world), "");
}

#[test]
fn session_start_reports_switched_off_hooks() {
    let world = ClientWorld::with_config("[hooks]\nenabled = false\n");
    assert!(
        start(&world).contains("becket hooks on"),
        "{}",
        start(&world)
    );
    world.config("[hooks]\nenabled = true\n");
    assert_eq!(start(&world), "");
}

#[test]
fn session_start_reports_the_first_and_the_number_of_errors_but_no_warnings() {
    let broken = |name: &str| {
        format!(
            "[[hook]]\nname = \"{name}\"\nevent = \"Stop\"\nmatcher = \"{name}(\"\ncommand = \"true\"\n"
        )
    };
    let world = ClientWorld::with_config(&(broken("a") + &broken("b") + &broken("c")));
    let message = start(&world);
    assert!(
        message.contains("3 problems") && message.contains("a("),
        "{message}"
    );
    world.config("[[hook]]\nevent = \"Stop\"\ncommand = \"true\"\ncolour = \"red\"\n");
    let response = world.fire("SessionStart", &json!({ "source": "startup" }));
    assert!(!response.configuration.loaded.problems.is_empty());
    assert_eq!(start(&world), "");
}

#[test]
fn messages_of_hooks_come_after_the_notices_and_only_session_start_has_notices() {
    let world = ClientWorld::new();
    world.write(
        "app/becket.toml",
        "[[hook]]\nname = \"ours\"\nevent = \"Stop\"\ncommand = \"true\"\n",
    );
    world.config(
        "[[hook]]\nevent = [\"SessionStart\", \"UserPromptSubmit\"]\ncommand = \"echo '{\\\"systemMessage\\\":\\\"hello\\\"}'\"\n",
    );
    let message = start(&world);
    let lines: Vec<&str> = message.lines().collect();
    let [notice, "hello"] = lines.as_slice() else {
        panic!("{message}");
    };
    assert!(
        notice.contains("1 of this project's hooks") && notice.contains("(ours)"),
        "{notice}"
    );
    let answer = world.fire("UserPromptSubmit", &json!({ "prompt": "hi" }));
    assert_eq!(answer.record["decision"]["system_message"], "hello");
    assert_eq!(ran(&answer).len(), 1);
}

#[test]
fn session_start_reports_problems_though_the_cache_knows_that_no_hook_matches() {
    let world = ClientWorld::new();
    world.write(
        "app/becket.toml",
        "[[hook]]\nname = \"ours\"\nevent = \"Stop\"\ncommand = \"true\"\n",
    );
    super::matcher_cache::wait_for_a_hit(&world);
    assert!(start(&world).contains("ours"));
}
