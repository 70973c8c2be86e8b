//! Dedupe: agents that report one action twice run hooks once, and both reports get the same decision.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use becket::{CoreHooks, NeedsFullBinary, Response};
use serde_json::{Value, json};

use super::client_world::{ClientWorld, extend, ran, reason, verdict};

const REPEATS: &str = "home/.becket/repeats";
const BLOCKS: &str = "echo 'not that' >&2; exit 2";

/// Cursor's payload for an event. It reads Claude's files as well as its own.
fn cursor(world: &ClientWorld, event: &str, more: &Value) -> Value {
    let mut payload = json!({
        "conversation_id": "c-71", "session_id": "c-71", "generation_id": "g-4", "hook_event_name": event,
        "cursor_version": "3.18.2", "workspace_roots": [world.project()], "transcript_path": null,
    });
    extend(&mut payload, more);
    payload
}

fn read(world: &ClientWorld, id: &str) -> Value {
    let call =
        json!({ "tool_name": "Read", "tool_input": { "file_path": "/w/a" }, "tool_use_id": id });
    cursor(world, "preToolUse", &call)
}

/// A command is reported as a tool call, and then as a command.
fn general(world: &ClientWorld, command: &str) -> Value {
    let input = json!({ "command": command, "cwd": world.project() });
    let call = json!({ "tool_name": "Shell", "tool_input": input, "tool_use_id": "t1" });
    cursor(world, "preToolUse", &call)
}

fn specific(world: &ClientWorld, command: &str) -> Value {
    let call = json!({ "command": command, "cwd": "", "sandbox": false });
    cursor(world, "beforeShellExecution", &call)
}

/// Copilot reports twice as well, and adds up nothing.
fn copilot(world: &ClientWorld) -> Value {
    json!({
        "hook_event_name": "PreToolUse", "session_id": "9f0c", "timestamp": "2026-11-15T18:56:07.398Z",
        "cwd": world.project(), "tool_name": "Bash", "tool_input": { "command": "ls" },
    })
}

/// Answers a report, and publishes the decision as the client does once the event is on record.
fn report(world: &ClientWorld, agent: &str, payload: &Value) -> Response {
    let mut response = world.fire_as(agent, payload);
    if let Some(pending) = response.pending_decision.take() {
        pending.publish(|_| true);
    }
    response
}

fn counting(then: &str) -> ClientWorld {
    let world = ClientWorld::new();
    world.config(&world.counting("name = \"counting\"\nevent = \"PreToolUse\"", then));
    world
}

fn files(world: &ClientWorld) -> Vec<std::path::PathBuf> {
    let dir = fs::read_dir(world.path(REPEATS)).into_iter().flatten();
    dir.map(|entry| entry.unwrap().path()).collect()
}

/// Changes the age of all published decisions.
fn age(world: &ClientWorld, time: SystemTime) {
    for file in files(world) {
        let file = File::options().write(true).open(file).unwrap();
        file.set_modified(time).unwrap();
    }
}

#[test]
fn second_report_gets_the_decision_of_the_first_in_its_format_and_leaves_no_record() {
    let world = counting(BLOCKS);
    let first = report(&world, "cursor", &read(&world, "t1"));
    let second = report(&world, "claude", &read(&world, "t1"));
    assert_eq!((verdict(&first), reason(&first)), ("deny", "not that"));
    assert_eq!((verdict(&second), reason(&second)), ("deny", "not that"));
    assert_eq!(first.rendered.stdout, second.rendered.stdout);
    assert_eq!(world.runs(), 1);
    assert!(first.should_record && !second.should_record);
    report(&world, "cursor", &read(&world, "t2"));
    assert_eq!(world.runs(), 2, "another call is another call");
}

#[test]
fn every_part_of_a_decision_is_replayed() {
    let says = json!({
        "decision": "ask", "reason": "sure?", "updatedInput": { "command": "ls -a" }, "systemMessage": "look",
        "suppressOutput": true, "additionalContext": "more",
    });
    let world = counting(&format!(
        "echo \"{}\"",
        says.to_string().replace('"', "\\\"")
    ));
    let first = report(&world, "copilot", &copilot(&world));
    let second = report(&world, "claude", &copilot(&world));
    let of = |response: &Response| {
        let decision = &response.record["decision"];
        let keys = [
            "verdict",
            "reason",
            "updated_input",
            "system_message",
            "context",
        ];
        keys.map(|key| decision[key].clone())
    };
    let expected = json!(["ask", "sure?", { "command": "ls -a" }, "look", "more"]);
    assert_eq!(json!(of(&first)), expected);
    assert_eq!(json!(of(&second)), expected);
    assert_eq!(first.rendered, second.rendered);
    assert_eq!(world.runs(), 1);
}

#[test]
fn every_verdict_is_replayed() {
    for (word, expected) in [
        ("allow", "allow"),
        ("ask", "ask"),
        ("deny", "deny"),
        ("", "none"),
    ] {
        let world = counting(&format!(
            "echo '{{\"decision\":\"{word}\",\"reason\":\"r\"}}'"
        ));
        report(&world, "cursor", &read(&world, "t1"));
        let second = report(&world, "claude", &read(&world, "t1"));
        assert_eq!((verdict(&second), world.runs()), (expected, 1), "{word}");
    }
}

#[test]
fn turn_that_a_hook_keeps_going_is_kept_going_through_both_reports() {
    let world = ClientWorld::new();
    world.config(&world.counting("event = \"Stop\"", "echo again >&2; exit 2"));
    let stop = cursor(
        &world,
        "stop",
        &json!({ "status": "completed", "loop_count": 0 }),
    );
    let first = report(&world, "cursor", &stop);
    let second = report(&world, "claude", &stop);
    assert!(
        first.rendered.stdout.contains("again"),
        "{}",
        first.rendered.stdout
    );
    assert_eq!((first.rendered, world.runs()), (second.rendered, 1));
}

#[test]
fn agent_that_adds_up_both_replies_gets_context_once() {
    let world = counting("echo '{\"additionalContext\": \"FROM_A_HOOK\"}'");
    let contexts = ["cursor", "claude"].map(|agent| {
        let answer = report(&world, agent, &read(&world, "t1"));
        answer.rendered.stdout.contains("FROM_A_HOOK")
    });
    assert_eq!((contexts, world.runs()), ([true, false], 1));
}

#[test]
fn injected_context_is_replayed_after_that_of_hooks() {
    for (says, expected) in [
        ("{\"additionalContext\": \"hook\"}", "hook\ninjected"),
        ("", "injected"),
    ] {
        let world = counting(&format!("echo '{says}'"));
        let first = world.fire_as("copilot", &copilot(&world));
        let mut pending = first.pending_decision.unwrap();
        pending.add_context("injected");
        pending.publish(|_| true);
        let second = world.fire_as("claude", &copilot(&world));
        assert_eq!(second.record["decision"]["context"], expected);
    }
}

#[test]
fn second_report_decides_for_itself_if_nothing_was_published() {
    let world = counting(BLOCKS);
    drop(world.fire_as("cursor", &read(&world, "t1")));
    let second = report(&world, "claude", &read(&world, "t1"));
    assert_eq!((verdict(&second), world.runs()), ("deny", 2));
    assert!(second.should_record);
}

#[test]
fn decision_with_a_secret_is_not_written() {
    for payload in [read, |world: &ClientWorld, _: &str| general(world, "ls")] {
        let world = counting("echo 'a secret' >&2; exit 2");
        let first = world.fire_as("cursor", &payload(&world, "t1"));
        let pending = first.pending_decision.unwrap();
        pending.publish(|value| !value.to_string().contains("secret"));
        for file in files(&world) {
            assert_eq!(fs::read_to_string(&file).unwrap(), "", "{}", file.display());
        }
        report(&world, "claude", &payload(&world, "t1"));
        assert_eq!(world.runs(), 2);
    }
}

#[test]
fn published_decision_is_valid_for_a_few_seconds() {
    let now = SystemTime::now();
    for (time, is_valid) in [
        (now - Duration::from_secs(5), true),
        (now - Duration::from_secs(11), false),
        (now + Duration::from_secs(3600), false),
    ] {
        let world = counting(BLOCKS);
        report(&world, "cursor", &read(&world, "t1"));
        age(&world, time);
        report(&world, "claude", &read(&world, "t1"));
        assert_eq!(world.runs(), if is_valid { 1 } else { 2 });
        report(&world, "claude", &read(&world, "t1"));
        assert_eq!(
            world.runs(),
            if is_valid { 1 } else { 2 },
            "the new decision is valid"
        );
    }
}

#[test]
fn damaged_decision_is_not_consent() {
    let world = counting("exit 0");
    report(&world, "cursor", &read(&world, "t1"));
    let [file] = files(&world).try_into().unwrap();
    fs::write(&file, "{\"verdict\": \"yes, please\"}").unwrap();
    assert_eq!(
        verdict(&report(&world, "claude", &read(&world, "t1"))),
        "ask"
    );
    fs::write(&file, "{ damaged").unwrap();
    assert_eq!(
        verdict(&report(&world, "claude", &read(&world, "t1"))),
        "none"
    );
    assert_eq!(world.runs(), 2, "without a decision, the hooks run");
}

#[test]
fn hooks_run_though_decisions_cannot_be_stored() {
    let world = counting(BLOCKS);
    world.write(REPEATS, "a file in the way");
    for agent in ["cursor", "claude"] {
        assert_eq!(verdict(&report(&world, agent, &read(&world, "t1"))), "deny");
    }
    assert_eq!(world.runs(), 2);
}

#[test]
fn simultaneous_reports_share_one_decision() {
    let world = ClientWorld::new();
    let go = world.path("go");
    let wait = format!(
        "while [ ! -e '{}' ]; do sleep 0.01; done; {BLOCKS}",
        go.display()
    );
    world.config(&world.counting("event = \"PreToolUse\"", &wait));
    let (world, payload) = (&world, &read(&world, "t1"));
    let answer = |agent| verdict(&report(world, agent, payload)).to_owned();
    std::thread::scope(|scope| {
        let first = scope.spawn(move || answer("cursor"));
        while world.runs() == 0 {
            std::thread::yield_now();
        }
        let others = [(); 3].map(|()| scope.spawn(move || answer("claude")));
        world.write("go", "");
        assert_eq!(first.join().unwrap(), "deny");
        for other in others {
            assert_eq!(other.join().unwrap(), "deny");
        }
    });
    assert_eq!(world.runs(), 1);
}

#[test]
fn old_files_are_deleted_at_the_start_of_a_session_or_turn() {
    let now = SystemTime::now();
    let session = ("cursor", "sessionStart", json!({}));
    let prompt = ("cursor", "beforeSubmitPrompt", json!({ "prompt": "hi" }));
    let turn = (
        "codex",
        "Stop",
        json!({ "turn_id": "t1", "session_id": "x" }),
    );
    let other = (
        "cursor",
        "postToolUse",
        json!({ "tool_name": "Read", "tool_input": {}, "tool_use_id": "t9" }),
    );
    for ((agent, event, more), deletes) in [
        (session, true),
        (prompt, true),
        (turn, true),
        (other, false),
    ] {
        for (hours, is_old) in [(2, true), (0, false)] {
            let world = counting(BLOCKS);
            report(&world, "cursor", &read(&world, "t1"));
            age(
                &world,
                now - Duration::from_secs(3500) - Duration::from_secs(hours * 3600),
            );
            let [file] = files(&world).try_into().unwrap();
            report(&world, agent, &cursor(&world, event, &more));
            assert_eq!(file.exists(), !(deletes && is_old), "{event} {hours}");
        }
    }
}

#[test]
fn general_and_specific_report_of_one_command_run_hooks_once() {
    let world = counting("echo '{\"decision\":\"ask\",\"reason\":\"sure?\"}'");
    let first = report(&world, "cursor", &general(&world, "ls"));
    let second = report(&world, "cursor", &specific(&world, "ls"));
    for answer in [&first, &second] {
        assert_eq!((verdict(answer), reason(answer)), ("ask", "sure?"));
        assert_eq!(ran(answer), ["counting"]);
        assert!(answer.should_record);
    }
    assert_eq!(world.runs(), 1);
    report(&world, "cursor", &specific(&world, "ls"));
    assert_eq!(world.runs(), 2, "a decision is used once");
    let mut next = general(&world, "ls");
    next["tool_use_id"] = json!("t2");
    report(&world, "cursor", &next);
    report(&world, "cursor", &specific(&world, "ls -a"));
    assert_eq!(world.runs(), 4, "another command is another command");
}

#[test]
fn decision_on_the_general_report_expires() {
    let world = counting(BLOCKS);
    report(&world, "cursor", &general(&world, "ls"));
    age(&world, SystemTime::now() - Duration::from_secs(11));
    report(&world, "cursor", &specific(&world, "ls"));
    assert_eq!(world.runs(), 2);
}

#[test]
fn specific_report_carries_the_rewritten_command() {
    let world = counting("echo '{\"updatedInput\": {\"command\": \"ls -a\"}}'");
    report(&world, "cursor", &general(&world, "ls"));
    let second = report(&world, "cursor", &specific(&world, "ls -a"));
    assert_eq!(world.runs(), 1);
    let again = &second.record["decision"]["updated_input"];
    assert_eq!(*again, Value::Null, "it is rewritten already");
}

#[test]
fn hook_for_only_the_specific_report_runs_and_is_merged() {
    let world = counting("echo '{\"decision\":\"ask\",\"reason\":\"sure?\"}'");
    let general_hook = fs::read_to_string(world.path("home/.becket/config.toml")).unwrap();
    report(&world, "cursor", &general(&world, "ls"));
    world.config(&format!("{general_hook}[[hook]]\nname = \"new\"\nevent = \"PreToolUse\"\ncommand = \"echo no >&2; exit 2\"\n"));
    let second = report(&world, "cursor", &specific(&world, "ls"));
    assert_eq!((verdict(&second), reason(&second)), ("deny", "no"));
    assert_eq!((ran(&second), world.runs()), (vec!["counting", "new"], 1));
}

#[test]
fn decision_stands_though_no_hook_is_left_for_the_specific_report() {
    let world = counting(BLOCKS);
    report(&world, "cursor", &general(&world, "ls"));
    fs::remove_file(world.path("home/.becket/config.toml")).unwrap();
    super::matcher_cache::wait_for_a_hit(&world);
    assert_eq!(
        verdict(&report(&world, "cursor", &specific(&world, "ls"))),
        "deny"
    );
}

#[test]
fn hook_that_an_earlier_block_skipped_runs_for_the_specific_report() {
    let world = ClientWorld::new();
    let gate = world.path("gate");
    let late = world.counting("name = \"late\"\nevent = \"PreToolUse\"", "true");
    world.config(&format!(
        "[[hook]]\nname = \"gate\"\nevent = \"PreToolUse\"\npriority = 9\ncommand = \"test -e '{}' || exit 2\"\n{late}",
        gate.display()
    ));
    report(&world, "cursor", &general(&world, "ls"));
    let second = report(&world, "cursor", &specific(&world, "ls"));
    assert_eq!((ran(&second), world.runs()), (vec!["gate", "late"], 1));
    assert_eq!(verdict(&second), "deny");
}

#[test]
fn async_hook_starts_for_one_of_the_two_reports() {
    let world = ClientWorld::with_config(
        "[[hook]]\nname = \"later\"\nevent = \"PreToolUse\"\nasync = true\ncommand = \"true\"\n",
    );
    let started = [general(&world, "ls"), specific(&world, "ls")]
        .map(|payload| report(&world, "cursor", &payload).detached.len());
    assert_eq!(started, [1, 0]);
}

#[test]
fn program_that_takes_over_finds_the_decision_on_the_general_report() {
    let world = counting(BLOCKS);
    report(&world, "cursor", &general(&world, "ls"));
    let config = fs::read_to_string(world.path("home/.becket/config.toml")).unwrap();
    world.config(&format!(
        "{config}[[hook]]\nevent = \"PreToolUse\"\ntype = \"prompt\"\nprompt = \"Safe?\"\n"
    ));
    let payload = specific(&world, "ls");
    let bytes = payload.to_string();
    let sent = world.send(
        "cursor",
        Some("beforeShellExecution"),
        bytes.as_bytes(),
        &CoreHooks,
    );
    assert!(matches!(sent, Err(NeedsFullBinary)));
    world.config(&config);
    let second = report(&world, "cursor", &payload);
    assert_eq!((verdict(&second), world.runs()), ("deny", 1));
}

#[test]
fn agents_that_report_once_leave_no_state() {
    let world = counting("exit 0");
    for _ in 0..2 {
        assert!(world.bash("ls").pending_decision.is_none());
    }
    assert_eq!(world.runs(), 2);
    assert!(!world.path(REPEATS).exists());
}

/// Codex runs `Stop` hooks, and its notify program when the turn is over.
fn codex(world: &ClientWorld, session: &str, key: &str, turn: &str) -> Value {
    json!({
        "hook_event_name": "Stop", "session_id": session, key: turn, "cwd": world.project(), "transcript_path": null,
        "model": "m", "stop_hook_active": false, "last_assistant_message": "Done.",
    })
}

#[test]
fn codex_notification_of_a_turn_that_stop_hooks_have_seen_runs_nothing() {
    let world = ClientWorld::new();
    world.config(&world.counting("event = \"Stop\"", "true"));
    let fire = |session: &str, key: &str, turn: &str| {
        let answer = report(&world, "codex", &codex(&world, session, key, turn));
        (world.runs(), answer.should_record)
    };
    assert_eq!(fire("s1", "turn_id", "u1"), (1, true));
    assert_eq!(
        fire("s1", "turn_id", "u1"),
        (2, true),
        "a turn may stop twice"
    );
    assert_eq!(fire("s1", "turn-id", "u1"), (2, false));
    assert_eq!(fire("s1", "turn-id", "u2"), (3, true), "another turn");
    assert_eq!(fire("s2", "turn-id", "u1"), (4, true), "another session");
}
