//! `log`

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use becket_builtins::BUILTINS;
use becket_model::{EventData, EventKind, Level};
use serde_json::Value;

use crate::world::{World, failure};

fn lines(path: PathBuf) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("a log");
    assert!(text.is_empty() || text.ends_with('\n'));
    let read = |line| serde_json::from_str(line).expect("a line of JSON");
    text.lines().map(read).collect()
}

fn prompt(world: &World, prompt: &str) -> becket_model::Event {
    world.event(EventData::UserPromptSubmit {
        prompt: prompt.to_owned(),
    })
}

#[test]
fn every_event_is_one_line_in_a_private_file() {
    let world = World::new();
    for data in [
        EventData::SessionStart {
            source: Some("startup".into()),
        },
        EventData::UserPromptSubmit {
            prompt: "one\ntwo".into(),
        },
        EventData::SessionEnd { reason: None },
    ] {
        let outcome = world.fire("use = 'log'", world.event(data));
        assert_eq!(outcome, becket_model::HookOutcome::none());
    }
    let log = world.path("state/logs/events.jsonl");
    let rights = std::fs::metadata(&log).expect("a log").permissions().mode();
    assert_eq!(rights & 0o777, 0o600);
    let rights = std::fs::metadata(world.path("state/logs")).expect("a directory");
    assert_eq!(rights.permissions().mode() & 0o777, 0o700);
    let lines = lines(log);
    let events: Vec<&str> = lines
        .iter()
        .filter_map(|line| line["event"].as_str())
        .collect();
    assert_eq!(events, ["SessionStart", "UserPromptSubmit", "SessionEnd"]);
    assert_eq!(lines[1]["prompt"], "one\ntwo");
    assert_eq!(lines[1]["id"], "e1");
    assert!(lines[1]["ts"].as_str().is_some_and(|ts| ts.ends_with('Z')));
}

#[test]
fn every_event_kind_is_logged() {
    let log = BUILTINS
        .iter()
        .find(|one| one.name == "log")
        .expect("listed");
    assert_eq!(log.defaults().events, EventKind::ALL);
}

#[test]
fn secrets_are_redacted_before_truncation() {
    let world = World::new();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    // The secret crosses the position where long texts are truncated.
    let long = format!(
        "{} {secret} {}",
        "x".repeat(16 * 1024 - 12),
        "y".repeat(40_000)
    );
    world.fire("use = 'log'", prompt(&world, &long));
    world.fire("use = 'log'", prompt(&world, &format!("use {secret}")));
    let text = std::fs::read_to_string(world.path("state/logs/events.jsonl")).expect("a log");
    assert!(!text.contains("ghp_"), "{}", &text[16_000..17_000]);
    assert!(text.contains("[redacted:github-token:"));
    assert!(text.len() < 40_000 && text.contains("bytes omitted"));
}

#[test]
fn fields_option_selects_fields() {
    let world = World::new();
    let entry = "use = 'log'\noptions = { fields = ['event', 'prompt'] }";
    world.fire(entry, prompt(&world, "x"));
    let lines = lines(world.path("state/logs/events.jsonl"));
    assert_eq!(lines[0].as_object().expect("an object").len(), 2);
}

#[test]
fn path_option_sets_the_file() {
    let mut world = World::new();
    let absolute = world.path("elsewhere/log.jsonl");
    let entry = format!(
        "use = 'log'\noptions = {{ path = '{}' }}",
        absolute.display()
    );
    world.fire(&entry, prompt(&world, "x"));
    assert_eq!(lines(absolute).len(), 1);
    world.fire(
        "use = 'log'\noptions = { path = '~/log.jsonl' }",
        prompt(&world, "x"),
    );
    assert_eq!(lines(world.path("home/log.jsonl")).len(), 1);
    let relative = "use = 'log'\noptions = { path = 'own.jsonl' }";
    world.fire(relative, prompt(&world, "x"));
    assert_eq!(lines(world.path("state/logs/own.jsonl")).len(), 1);
    world.level = Level::Project;
    world.fire(relative, prompt(&world, "x"));
    assert_eq!(lines(world.path("app/own.jsonl")).len(), 1);
}

#[test]
fn full_log_is_rotated_and_old_files_are_deleted() {
    let world = World::new();
    let entry = "use = 'log'\noptions = { fields = ['prompt'], max_bytes = 50, keep = 2 }";
    for n in 0..8 {
        world.fire(entry, prompt(&world, &format!("number {n}")));
    }
    let log = |suffix: &str| world.path(&format!("state/logs/events.jsonl{suffix}"));
    let prompts = |suffix: &str| -> Vec<String> {
        let prompt = |line: &Value| line["prompt"].as_str().map(str::to_owned);
        lines(log(suffix)).iter().filter_map(prompt).collect()
    };
    assert_eq!(prompts(""), ["number 6", "number 7"]);
    assert_eq!(prompts(".1"), ["number 4", "number 5"]);
    assert_eq!(prompts(".2"), ["number 2", "number 3"]);
    assert!(!log(".3").exists());
}

#[test]
fn concurrent_writers_lose_nothing_during_rotation() {
    let world = World::new();
    let entry = "use = 'log'\noptions = { fields = ['prompt'], max_bytes = 3000, keep = 900 }";
    std::thread::scope(|scope| {
        for writer in 0..8 {
            let world = &world;
            scope.spawn(move || {
                for n in 0..25 {
                    let text = format!("{writer}-{n} {}", "z".repeat(300));
                    world.fire(entry, prompt(world, &text));
                }
            });
        }
    });
    let mut seen: Vec<String> = Vec::new();
    for file in std::fs::read_dir(world.path("state/logs")).expect("a directory") {
        let file = file.expect("an entry").path();
        if !file.to_string_lossy().ends_with(".lock") {
            seen.extend(
                lines(file).iter().filter_map(|line| {
                    Some(line["prompt"].as_str()?.split(' ').next()?.to_owned())
                }),
            );
        }
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 200);
}

#[test]
fn unwritable_file_is_named_and_a_pipe_does_not_block() {
    let world = World::new();
    let pipe = world.path("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()));
    for path in [pipe, world.path("app")] {
        let entry = format!("use = 'log'\noptions = {{ path = '{}' }}", path.display());
        let outcome = world.fire(&entry, prompt(&world, "x"));
        let why = failure(&outcome);
        assert!(
            why.contains("cannot write") && why.contains(&*path.to_string_lossy()),
            "{why}"
        );
        assert!(!outcome.verdict.blocks());
    }
}
