//! The matcher cache: no configuration is read for an event that no hook matches, and no hook is missed.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client_world::{ClientWorld, ran, verdict};

const CACHE: &str = "home/.becket/matcher-cache";

/// An event that no hook matches has an answer from the cache: it comes without a configuration.
fn is_hit(world: &ClientWorld, event: &str, more: &Value) -> bool {
    let response = world.fire(event, more);
    response.configuration.files.is_empty() && response.configuration.loaded.problems.is_empty()
}

/// The content of the cache after an event without hooks.
fn cached(world: &ClientWorld) -> Vec<String> {
    world.fire("Notification", &json!({ "message": "hi" }));
    let files = fs::read_dir(world.path(CACHE)).into_iter().flatten();
    files
        .map(|file| fs::read_to_string(file.unwrap().path()).unwrap())
        .collect()
}

/// Waits until the cache is used. It stores nothing while a file has changed within the resolution of its timestamps, and
/// its own directory may appear next to the configuration.
pub(super) fn wait_for_a_hit(world: &ClientWorld) {
    let begun = Instant::now();
    fs::remove_dir_all(world.path(CACHE)).unwrap_or_default();
    loop {
        let before = cached(world);
        if !before.is_empty() && cached(world) == before {
            return;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "nothing is cached"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn call(tool: &str) -> Value {
    json!({ "tool_name": tool, "tool_input": { "command": "ls", "file_path": "/w/a" }, "tool_response": {} })
}

fn hook(name: &str, keys: &str) -> String {
    format!("[[hook]]\nname = \"{name}\"\n{keys}\ncommand = \"exit 2\"\n")
}

#[test]
fn event_without_matching_hooks_reads_no_configuration() {
    let world = ClientWorld::with_config(&hook("a", "event = \"PreToolUse\"\nmatcher = \"Bash\""));
    wait_for_a_hit(&world);
    assert!(is_hit(&world, "PreToolUse", &call("Read")));
    assert!(is_hit(&world, "Stop", &json!({})));
    assert!(!is_hit(&world, "PreToolUse", &call("Bash")));
    assert_eq!(verdict(&world.bash("ls")), "deny");
}

#[test]
fn files_that_changed_just_now_are_not_cached() {
    let world = ClientWorld::with_config("");
    world.bash("ls");
    assert!(!world.path(CACHE).exists());
}

#[test]
fn every_style_of_matcher_is_cached() {
    let world = ClientWorld::new();
    world.config(
        &(hook("names", "event = \"PreToolUse\"\nmatcher = \"Bash|Write\"")
            + &hook("regex", "event = \"PreToolUse\"\nmatcher = \"^Notebook.*\"")
            + &hook("all", "event = \"UserPromptSubmit\"")),
    );
    world.write(
        "home/.gemini/settings.json",
        r#"{"hooks": {"BeforeTool": [{"matcher": "web_fetch", "hooks": [{"type": "command", "command": "exit 2"}]}]}}"#,
    );
    world.write(
        "home/.code-agent/hooks/hooks.json",
        r#"{"PreToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "exit 2"}]}]}"#,
    );
    wait_for_a_hit(&world);
    let hit = |tool| is_hit(&world, "PreToolUse", &call(tool));
    for tool in ["Bash", "Write", "NotebookEdit", "WebFetch", "MultiEdit"] {
        assert!(!hit(tool), "{tool}");
        assert!(
            !ran(&world.fire("PreToolUse", &call(tool))).is_empty(),
            "{tool}"
        );
    }
    assert!(hit("Read") && hit("Grep"));
    assert!(!is_hit(
        &world,
        "UserPromptSubmit",
        &json!({ "prompt": "hi" })
    ));
}

#[test]
fn hook_for_one_native_event_does_not_match_another() {
    let world = ClientWorld::new();
    world.write(
        "home/.cursor/hooks.json",
        r#"{"version": 1, "hooks": {"beforeShellExecution": [{"command": "exit 2"}]}}"#,
    );
    wait_for_a_hit(&world);
    assert!(!is_hit(&world, "PreToolUse", &call("Bash")));
    assert!(is_hit(&world, "PreToolUse", &call("Read")));
}

#[test]
fn cache_ends_with_any_change_of_configuration() {
    let world = ClientWorld::new();
    wait_for_a_hit(&world);
    assert!(is_hit(&world, "PreToolUse", &call("Bash")));
    for (file, text) in [
        (
            "home/.becket/config.toml",
            hook("mine", "event = \"PreToolUse\""),
        ),
        (
            "home/.code-agent/hooks/hooks.json",
            r#"{"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}"#.to_owned(),
        ),
        (
            "home/.claude/settings.json",
            r#"{"hooks": {"preToolUse": {"check": {"command": "exit 2"}}}}"#.to_owned(),
        ),
    ] {
        world.write(file, &text);
        assert!(!ran(&world.bash("ls")).is_empty(), "{file} appeared");
        fs::remove_file(world.path(file)).unwrap();
        assert_eq!(verdict(&world.bash("ls")), "none", "{file} is gone");
    }
    world.write("app/becket.toml", &hook("ours", "event = \"PreToolUse\""));
    let answer = world.bash("ls");
    assert_eq!(answer.record["skipped"][0]["hook"], "ours");
}

#[test]
fn edit_that_keeps_the_size_of_a_file_is_noticed() {
    let allows = hook("mine", "event = \"PreToolUse\"\nmatcher = \"Read\"");
    let world = ClientWorld::with_config(&allows);
    wait_for_a_hit(&world);
    assert!(is_hit(&world, "PreToolUse", &call("Bash")));
    world.config(&allows.replace("Read", "Bash"));
    assert_eq!(verdict(&world.bash("ls")), "deny");
}

#[test]
fn hooks_for_derived_file_changes_are_not_missed() {
    let world = ClientWorld::with_config(&hook("change", "event = \"FileModified\""));
    wait_for_a_hit(&world);
    assert!(is_hit(&world, "PostToolUse", &call("Read")));
    assert_eq!(ran(&world.fire("PostToolUse", &call("Write"))), ["change"]);
}

#[test]
fn broken_hook_that_blocks_is_not_missed_and_one_that_allows_costs_nothing() {
    let broken = |policy: &str| {
        hook(
            "bad",
            &format!("event = \"PreToolUse\"\nmatcher = \"a(\"\non_failure = \"{policy}\""),
        )
    };
    let world = ClientWorld::with_config(&broken("deny"));
    wait_for_a_hit(&world);
    assert_eq!(verdict(&world.bash("ls")), "deny");
    world.config(&broken("allow"));
    wait_for_a_hit(&world);
    assert!(is_hit(&world, "PreToolUse", &call("Bash")));
}

#[test]
fn disabled_hooks_cost_nothing() {
    let world = ClientWorld::with_config(&hook("off", "event = \"PreToolUse\"\nenabled = false"));
    wait_for_a_hit(&world);
    assert!(is_hit(&world, "PreToolUse", &call("Bash")));
}

#[test]
fn each_agent_and_project_has_its_own_cache() {
    let world = ClientWorld::new();
    world.write("app/becket.toml", &hook("ours", "event = \"PreToolUse\""));
    std::fs::create_dir_all(world.path("other/.git")).unwrap();
    wait_for_a_hit(&world);
    let elsewhere = json!({ "cwd": world.path("other"), "tool_name": "Bash", "tool_input": {} });
    for _ in 0..2 {
        assert_eq!(
            world.fire("PreToolUse", &elsewhere).record.get("skipped"),
            None
        );
        assert_eq!(world.bash("ls").record["skipped"][0]["hook"], "ours");
    }
    // Claude runs its own file itself; other agents need Becket for it.
    world.write(
        "home/.claude/settings.json",
        r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}"#,
    );
    wait_for_a_hit(&world);
    let gemini = json!({
        "hook_event_name": "BeforeTool", "session_id": "s1", "cwd": world.project(), "tool_name": "run_shell_command",
        "tool_input": { "command": "ls" },
    });
    assert_eq!(verdict(&world.bash("ls")), "none");
    assert_eq!(verdict(&world.fire_as("gemini", &gemini)), "deny");
    assert_eq!(verdict(&world.bash("ls")), "none");
}

#[test]
fn damaged_cache_is_ignored_and_replaced() {
    let world = ClientWorld::with_config(&hook("a", "event = \"PreToolUse\"\nmatcher = \"Bash\""));
    wait_for_a_hit(&world);
    let file = fs::read_dir(world.path(CACHE))
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let good = fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = good.lines().collect();
    for cut in 0..3 {
        // The first lines say for which program, project and files the rest is valid.
        let mut other = lines.clone();
        other[cut] = "something else";
        fs::write(&file, other[..5].join("\n")).unwrap();
        assert_eq!(verdict(&world.bash("ls")), "deny", "line {cut}");
        assert_eq!(fs::read_to_string(&file).unwrap(), good, "line {cut}");
    }
    for unreadable in [
        "PreToolUse\tstrange\tbecket\t\tRead\n",
        "PreToolUse\tnames\tklingon\t\tRead\n",
        "PreToolUse\tnames\n",
    ] {
        fs::write(&file, lines[..5].join("\n") + "\n" + unreadable).unwrap();
        assert_eq!(verdict(&world.bash("ls")), "deny", "{unreadable}");
    }
    fs::write(&file, "\u{0}").unwrap();
    assert_eq!(verdict(&world.bash("ls")), "deny");
}
