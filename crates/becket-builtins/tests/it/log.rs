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
fn every_event_is_one_line_that_only_its_owner_can_read() {
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
        assert_eq!(outcome, becket_model::Outcome::none());
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
fn it_is_for_every_event_that_has_a_name() {
    let log = BUILTINS
        .iter()
        .find(|one| one.name == "log")
        .expect("listed");
    assert_eq!(log.defaults().events, EventKind::ALL);
}

#[test]
fn no_secret_is_written_not_even_half_of_one() {
    let world = World::new();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ456789";
    // Lies across the place where long texts are cut.
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
    assert!(text.len() < 40_000 && text.contains("bytes left out"));
}

#[test]
fn fields_are_picked() {
    let world = World::new();
    let entry = "use = 'log'\noptions = { fields = ['event', 'prompt'] }";
    world.fire(entry, prompt(&world, "x"));
    let lines = lines(world.path("state/logs/events.jsonl"));
    assert_eq!(lines[0].as_object().expect("an object").len(), 2);
}

#[test]
fn the_file_may_be_elsewhere() {
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
fn a_full_file_is_set_aside_and_only_so_many_are_kept() {
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
fn writers_at_the_same_time_lose_and_mix_nothing_while_files_are_set_aside() {
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
fn a_file_that_cannot_be_written_is_a_failure_that_names_it_and_a_pipe_holds_up_nobody() {
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
