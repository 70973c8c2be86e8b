//! Any payload of a guarded event is answered in time, strictly, and recorded once: truncated, with missing or mistyped
//! keys, with invalid bytes, huge, and through a pipe that stays open.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Output, Stdio};

use becket_testkit::poll_until;
use serde_json::{Map, Value, json};

use crate::context::Context;

/// A guarded event of each agent, with its native and its fixture name.
const GUARDED: &[(&str, &str, &str)] = &[
    ("amp", "tool.call", "tool.call"),
    ("augment", "PreToolUse", "PreToolUse"),
    ("autohand", "pre-tool", "pre-tool"),
    ("claude", "PreToolUse", "PreToolUse"),
    ("cline", "PreToolUse", "PreToolUse"),
    ("codex", "PreToolUse", "PreToolUse"),
    ("copilot", "preToolUse", "preToolUse"),
    ("crush", "PreToolUse", "PreToolUse"),
    ("cursor", "preToolUse", "preToolUse"),
    ("cursor", "beforeShellExecution", "beforeShellExecution"),
    ("devin", "PreToolUse", "PreToolUse"),
    ("droid", "PreToolUse", "PreToolUse"),
    ("gemini", "BeforeTool", "BeforeTool"),
    ("goose", "PreToolUse", "PreToolUse"),
    ("kiro", "preToolUse", "preToolUse"),
    ("opencode", "tool.execute.before", "tool.execute.before"),
    ("qwen", "PreToolUse", "PreToolUse"),
    ("windsurf", "pre_run_command", "pre_run_command"),
];

/// The first fixture of an event.
fn fixture(agent: &str, event: &str) -> Map<String, Value> {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let folder = fixtures.join(agent).join(event);
    let cases = std::fs::read_dir(&folder).expect("a folder of cases");
    let mut inputs: Vec<PathBuf> = cases
        .map(|entry| entry.expect("an entry").path().join("input.json"))
        .filter(|path| path.exists())
        .collect();
    inputs.sort();
    let text = std::fs::read(inputs.first().expect("a case")).expect("text");
    serde_json::from_slice(&text).expect("an object")
}

/// Damaged variants of a payload, by name.
fn variants(payload: &Map<String, Value>) -> Vec<(String, Vec<u8>)> {
    let text = serde_json::to_vec(payload).expect("JSON");
    let mut all = vec![
        ("whole".to_owned(), text.clone()),
        ("marked".to_owned(), [b"\xef\xbb\xbf", &*text].concat()),
        ("empty".to_owned(), Vec::new()),
        ("null".to_owned(), b"null".to_vec()),
    ];
    for part in 1..4 {
        let end = text.len() * part / 4;
        all.push((format!("cut at {end}"), text[..end].to_vec()));
    }
    let mut padded = payload.clone();
    padded.insert("padding".into(), json!("x ".repeat(1 << 18)));
    all.push((
        "huge".to_owned(),
        serde_json::to_vec(&padded).expect("JSON"),
    ));
    for key in payload.keys() {
        let mut without = payload.clone();
        without.remove(key);
        let text = serde_json::to_vec(&without).expect("JSON");
        all.push((format!("without {key}"), text));
        for odd in [json!(7), Value::Null] {
            let mut other = payload.clone();
            other.insert(key.clone(), odd.clone());
            let text = serde_json::to_vec(&other).expect("JSON");
            all.push((format!("{key} is {odd}"), text));
        }
    }
    all
}

/// A context in which a hook denies every tool call.
fn refusing() -> Context {
    let context = Context::new();
    context.config(
        "[[hook]]\nname = \"refuse\"\nevent = \"PreToolUse\"\ncommand = \"echo REFUSED >&2; exit 2\"\n",
    );
    context
}

fn start(context: &Context, agent: &str, event: &str) -> Child {
    context
        .command(&["hook", event, "--agent", agent])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started")
}

/// Waits for a child whose stdin is still open.
fn ended(mut child: Child) -> Output {
    poll_until("an answer", || child.try_wait().expect("asked"));
    child.wait_with_output().expect("ended")
}

/// The recorded verdicts, oldest first.
fn verdicts(context: &Context) -> Vec<String> {
    let records = context.records();
    let verdict = |it: &Value| it["decision"]["verdict"].as_str().unwrap_or("?").to_owned();
    records.iter().map(verdict).collect()
}

#[test]
fn any_payload_of_a_guarded_event_is_answered_strictly() {
    std::thread::scope(|scope| {
        for part in GUARDED.chunks(GUARDED.len().div_ceil(4)) {
            scope.spawn(move || part.iter().for_each(|it| answered_strictly(*it)));
        }
    });
}

fn answered_strictly((agent, event, folder): (&str, &str, &str)) {
    let context = refusing();
    let mut expected = Vec::new();
    for (name, bytes) in variants(&fixture(agent, folder)) {
        let answer = context.run_with(&["hook", event, "--agent", agent], &bytes);
        let said = format!(
            "{agent} {event}, {name}: {}{}",
            answer.stdout, answer.stderr
        );
        assert!(!said.contains("panicked"), "{said}");
        assert_ne!(answer.exit, -1, "{said}");
        if name == "empty" {
            let words = ["deny", "ask", "block", "cancel", "reject"];
            let is_refused = words.iter().any(|word| answer.stdout.contains(word));
            assert!(is_refused || answer.exit == 2, "{said}");
        }
        expected.push((name, said));
        // Each variant is a separate action here, so the dedupe state is deleted.
        let _ = std::fs::remove_dir_all(context.path("home/.becket/repeats"));
    }
    let verdicts = verdicts(&context);
    assert_eq!(
        verdicts.len(),
        expected.len(),
        "{agent} {event}: one record each"
    );
    for ((name, said), verdict) in expected.iter().zip(&verdicts) {
        let is_strict = verdict == "deny" || verdict == "ask";
        // A payload that names another event is another event.
        let is_itself = !name.contains("hook_event_name") && !name.contains("hookName");
        assert!(is_strict || !is_itself, "{verdict}: {said}");
    }
}

#[test]
fn open_pipe_does_not_delay_the_reply() {
    for (agent, event, folder) in GUARDED {
        let context = refusing();
        for mark in [&b""[..], b"\xef\xbb\xbf"] {
            let mut child = start(&context, agent, event);
            let mut pipe = child.stdin.take().expect("a pipe");
            let payload = serde_json::to_vec(&fixture(agent, folder)).expect("JSON");
            pipe.write_all(&[mark, &*payload].concat())
                .expect("written");
            let output = ended(child);
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(!stderr.contains("could not read"), "{agent}: {stderr}");
            drop(pipe);
        }
        assert_eq!(verdicts(&context)[0], "deny", "{agent} {event}");
    }
}
