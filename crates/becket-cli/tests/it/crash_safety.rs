//! Clients and the daemon are killed at any time: every answered event is recorded exactly once.

use std::collections::HashMap;
use std::io::Write;
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use becket_testkit::{Dice, poll_until};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::context::Context;

const CLIENTS: u64 = 50;
const EACH: u64 = 12;
/// One in this many clients is killed before or just after it answers.
const KILLED: u64 = 4;

fn start(context: &Context, prompt: &str) -> Child {
    let payload = json!({
        "session_id": "s", "cwd": context.project(), "hook_event_name": "UserPromptSubmit", "prompt": prompt,
    });
    let mut child = context
        .command(&["hook", "UserPromptSubmit", "--agent", "claude"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("started");
    let mut stdin = child.stdin.take().expect("piped");
    let _ = stdin.write_all(payload.to_string().as_bytes());
    child
}

/// Fires events and notes the answered ones.
fn client(context: &Context, number: u64, answered: &Mutex<Vec<String>>) {
    let mut chance = Dice::new(number + 1);
    for event in 0..EACH {
        let prompt = format!("event {number}-{event}");
        let mut child = start(context, &prompt);
        if chance.below(KILLED) == 0 {
            std::thread::sleep(Duration::from_micros(chance.below(20_000)));
            let _ = child.kill();
        }
        if child.wait().expect("ended").success() {
            answered.lock().expect("unharmed").push(prompt);
        }
    }
}

/// Starts daemons and kills each after a while.
fn kill_daemons(context: &Context, over: &AtomicBool) {
    let mut chance = Dice::new(20_261_116);
    while !over.load(Ordering::Relaxed) {
        context.run(&["daemon", "start"]);
        std::thread::sleep(Duration::from_millis(chance.below(400)));
        let status = context.run(&["daemon", "status", "--json"]).stdout;
        let status: Value = serde_json::from_str(&status).unwrap_or_default();
        let pid = status["status"]["pid"].as_i64();
        let pid = pid.and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
        if let Some(pid) = pid {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

fn recorded_prompts(context: &Context) -> HashMap<String, usize> {
    let exported = context.run(&["export"]).stdout;
    let mut found = HashMap::new();
    for line in exported.lines() {
        let value: Value = serde_json::from_str(line).expect("JSON");
        if let Some(prompt) = value["record"]["payload"]["prompt"].as_str() {
            *found.entry(prompt.to_owned()).or_default() += 1;
        }
    }
    found
}

#[test]
fn answered_events_are_recorded_exactly_once_despite_kills() {
    let context = Context::new();
    let (answered, over) = (Mutex::new(Vec::new()), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let harassed = scope.spawn(|| kill_daemons(&context, &over));
        let clients: Vec<_> = (0..CLIENTS)
            .map(|number| {
                let (context, answered) = (&context, &answered);
                scope.spawn(move || client(context, number, answered))
            })
            .collect();
        for client in clients {
            client.join().expect("a client does not panic");
        }
        over.store(true, Ordering::Relaxed);
        harassed.join().expect("the killing thread does not panic");
    });
    context.run(&["daemon", "start"]);
    let answered = answered.into_inner().expect("unharmed");
    let found = poll_until("all answered prompts", || {
        let found = recorded_prompts(&context);
        let is_missing = |prompt| !found.contains_key(prompt);
        (!answered.iter().any(is_missing)).then_some(found)
    });
    context.run(&["daemon", "stop"]);
    assert!(answered.len() as u64 > CLIENTS * EACH / 2, "too many died");
    let twice: Vec<_> = found.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
    let checked = context.run(&["doctor", "--json"]).stdout;
    assert!(!checked.contains("damaged"), "{checked}");
}
