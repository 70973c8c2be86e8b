//! Async hooks: the client starts them and does not wait.

use std::sync::Arc;

use becket::factory::HookSite;
use becket::model::HookSpec;
use becket::pipeline::{DetachedWork, HookKey, run_in_process};
use becket::runner::process;
use becket::{CoreHooks, Hook, HookFactory, Response};
use serde_json::json;

use super::client_world::ClientWorld;
use super::project_hooks::trust_all;

const LATER: &str =
    "[[hook]]\nname = \"later\"\nevent = \"PreToolUse\"\nasync = true\ncommand = \"exit 2\"\n";

fn commands(response: &Response) -> Vec<&process::Command> {
    let commands = response.detached.iter().map(|hook| match &hook.work {
        DetachedWork::Command(command) => Some(&**command),
        DetachedWork::InProcess(_) => None,
    });
    commands.flatten().collect()
}

fn key(response: &Response) -> HookKey {
    let [hook] = response.detached.as_slice() else {
        panic!("{} hooks", response.detached.len());
    };
    match &hook.work {
        DetachedWork::InProcess(key) => key.clone(),
        DetachedWork::Command(_) => panic!("{} is a command", hook.hook),
    }
}

#[test]
fn async_command_is_returned_and_decides_nothing() {
    let world = ClientWorld::with_config(LATER);
    let answer = world.bash("ls");
    assert_eq!(answer.record["decision"], json!({ "verdict": "none" }));
    let [hook] = answer.detached.as_slice() else {
        panic!("{} hooks", answer.detached.len());
    };
    assert_eq!(hook.hook, "later");
    assert_eq!(answer.record["id"], hook.event_id.as_str());
    assert_eq!(commands(&answer)[0].cwd.as_deref(), Some(&*world.project()));
    assert!(world.fire("Stop", &json!({})).detached.is_empty());
}

#[test]
fn async_command_runs_in_its_own_directory_of_the_project() {
    let world = ClientWorld::with_config(&format!("{LATER}cwd = \"lib\"\n"));
    let answer = world.bash("ls");
    assert_eq!(commands(&answer)[0].cwd, Some(world.project().join("lib")));
}

#[test]
fn async_once_command_is_returned_once() {
    let world = ClientWorld::with_config(&format!("{LATER}once = true\n"));
    let counts = [0; 2].map(|_| world.bash("ls").detached.len());
    assert_eq!(counts, [1, 0]);
    world.config(LATER);
    let counts = [0; 2].map(|_| world.bash("ls").detached.len());
    assert_eq!(counts, [1, 1]);
}

/// Builds every hook as a command that prints what it is for.
struct EchoFactory;

impl HookFactory for EchoFactory {
    fn can_build(&self, _: &HookSpec) -> bool {
        true
    }

    fn build(&self, hook: HookSpec, site: &HookSite<'_>) -> Arc<dyn Hook> {
        let name = hook.name.clone();
        let command = HookSpec::command(
            name.clone(),
            hook.dialect,
            hook.event.clone(),
            format!("echo '{{\"additionalContext\":\"{name} ran\"}}'; cat >&2"),
            hook.source.clone(),
        );
        CoreHooks.build(
            HookSpec {
                once: hook.once,
                ..command
            },
            site,
        )
    }
}

/// A prompt hook runs in a process of Becket's.
const ASYNC_PROMPT: &str = "async = true\ntype = \"prompt\"\nprompt = \"Is it good?\"\n";

fn fire(world: &ClientWorld, payload: &serde_json::Value) -> Response {
    let event = payload["hook_event_name"].as_str();
    let bytes = payload.to_string();
    let sent = world.send("claude", event, bytes.as_bytes(), &EchoFactory);
    sent.expect("the factory builds every hook")
}

/// The context that the hook gives, or why it did not run.
fn run(world: &ClientWorld, payload: &serde_json::Value, key: &HookKey) -> Result<String, String> {
    let event = payload["hook_event_name"].as_str();
    let bytes = payload.to_string();
    let run = world.with_request("claude", event, bytes.as_bytes(), &EchoFactory, |request| {
        run_in_process(request, key, "e1")
    });
    run.map(|run| run.outcome.context.unwrap_or_default())
}

#[test]
fn async_hook_without_a_command_runs_in_a_process_by_its_key() {
    let hook =
        |name: &str| format!("[[hook]]\nname = \"{name}\"\nevent = \"PreToolUse\"\n{ASYNC_PROMPT}");
    let world = ClientWorld::with_config(&format!(
        "{}{}",
        hook("one"),
        hook("two").replace("good", "bad")
    ));
    let payload = world.event(
        "PreToolUse",
        &json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } }),
    );
    let answer = fire(&world, &payload);
    let results: Vec<_> = answer
        .detached
        .iter()
        .map(|hook| match &hook.work {
            DetachedWork::InProcess(key) => run(&world, &payload, key).unwrap(),
            DetachedWork::Command(_) => panic!("{} is no command", hook.hook),
        })
        .collect();
    assert_eq!(results, ["one ran", "two ran"]);
}

#[test]
fn once_hook_runs_in_process_though_the_client_has_claimed_its_run() {
    let world = ClientWorld::with_config(&format!(
        "[[hook]]\nname = \"one\"\nevent = \"Stop\"\nonce = true\n{ASYNC_PROMPT}"
    ));
    let payload = world.event("Stop", &json!({}));
    let answer = fire(&world, &payload);
    assert_eq!(
        run(&world, &payload, &key(&answer)).as_deref(),
        Ok("one ran")
    );
}

#[test]
fn hook_runs_in_process_for_the_file_change_of_its_key() {
    let world = ClientWorld::with_config(&format!(
        "[[hook]]\nname = \"change\"\nevent = \"FileModified\"\nfilter = {{ path = [\"*.rs\"] }}\n{ASYNC_PROMPT}"
    ));
    let patch =
        "*** Begin Patch\n*** Add File: a.txt\n+x\n*** Update File: b.rs\n-x\n+y\n*** End Patch\n";
    let call = |patch: &str| {
        world.event("PostToolUse", &json!({ "tool_name": "apply_patch", "tool_input": { "command": patch }, "tool_response": {} }))
    };
    let key = key(&fire(&world, &call(patch)));
    assert_eq!(key.change, Some(1));
    assert_eq!(run(&world, &call(patch), &key).as_deref(), Ok("change ran"));
    let shorter = "*** Begin Patch\n*** Update File: b.rs\n-x\n+y\n*** End Patch\n";
    let error = run(&world, &call(shorter), &key).unwrap_err();
    assert!(error.contains("fewer file changes"), "{error}");
    let first = HookKey {
        change: Some(0),
        ..key
    };
    run(&world, &call(patch), &first).expect_err("the hook is not for text files");
}

#[test]
fn hook_that_lost_its_trust_or_its_entry_does_not_run_in_process() {
    let world = ClientWorld::new();
    let entry = format!("[[hook]]\nname = \"ours\"\nevent = \"Stop\"\n{ASYNC_PROMPT}");
    world.write("app/becket.toml", &entry);
    trust_all(&world);
    let payload = world.event("Stop", &json!({}));
    let key = key(&fire(&world, &payload));
    assert_eq!(run(&world, &payload, &key).as_deref(), Ok("ours ran"));
    for changed in [entry.replace("good", "bad"), String::new()] {
        world.write("app/becket.toml", &changed);
        let error = run(&world, &payload, &key).unwrap_err();
        assert!(
            error.contains("no longer configured, or not trusted"),
            "{error}"
        );
    }
}

#[test]
fn unreadable_payload_runs_nothing_in_process() {
    let world = ClientWorld::new();
    let key = HookKey {
        file: "f".into(),
        key: "k".into(),
        change: None,
    };
    for payload in [&b"{ nonsense"[..], b"{}"] {
        let run = world.with_request("claude", None, payload, &EchoFactory, |request| {
            run_in_process(request, &key, "e1")
        });
        assert_ne!(run.unwrap_err(), "");
    }
}
