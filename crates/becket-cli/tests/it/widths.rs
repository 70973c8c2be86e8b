//! Output fits the terminal, and is not truncated in a pipe.

use serde_json::json;
use unicode_width::UnicodeWidthStr;

use crate::context::Context;

const LONG: &str = "Please fix the parser: 設定ファイルの最後の行が消える, and the tests that no one has looked at since the summer, all of them";

const FACT: &str =
    "The cart rounds prices to whole cents before tax, and no one may change that without asking";

/// A database with long and wide texts, injected context and a blocked call.
fn work() -> Context {
    let mut context = Context::new();
    context.set_env("BECKET_RECALL", "60000");
    context.config(
        "[[hook]]\nname = \"no-push\"\nevent = \"PreToolUse\"\nif = \"Bash(git push*)\"\ncommand = \"echo 'Pushing is for people: say what you want to have pushed, and where to, and someone who is awake will look at it and then do it, perhaps' >&2; exit 2\"\n",
    );
    let started = context.run(&["daemon", "start"]);
    assert_eq!(started.exit, 0, "{}", started.stderr);
    let kept = context.run(&["remember", FACT]);
    assert_eq!(kept.exit, 0, "{}", kept.stderr);
    context.fire("SessionStart", json!({ "source": "startup" }));
    context.fire("UserPromptSubmit", json!({ "prompt": LONG }));
    context.fire(
        "UserPromptSubmit",
        json!({ "prompt": "Why does the cart round prices to whole cents before tax?" }),
    );
    context.bash("git push --force origin main-branch-with-a-long-name");
    for command in [
        "cargo test --workspace --all-features -- --nocapture 設定",
        "ls",
    ] {
        let call = json!({ "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": "t1" });
        context.fire("PreToolUse", call.clone());
        let mut done = call;
        done["tool_response"] = json!({ "stdout": "ok" });
        context.fire("PostToolUse", done);
    }
    context.fire(
        "Stop",
        json!({ "stop_hook_active": false, "last_assistant_message": LONG }),
    );
    // Lists wait until the spool is drained.
    context.run(&["sessions"]);
    context.run(&["daemon", "stop"]);
    context
}

const COMMANDS: [&[&str]; 8] = [
    &["tail"],
    &["sessions"],
    &["session"],
    &["stats"],
    &["agents"],
    &["hooks", "list"],
    &["memories"],
    &["search", "how are prices rounded in the cart"],
];

#[test]
fn lines_fit_the_terminal_and_are_not_truncated_in_a_pipe() {
    let mut context = work();
    for command in &COMMANDS[..3] {
        let whole = context.run(command).stdout;
        assert!(whole.contains("設定"), "{command:?}:\n{whole}");
    }
    let whole = context.run(&["sessions"]).stdout;
    assert!(whole.contains(LONG), "{whole}");
    for columns in [30, 40, 60, 80, 200] {
        context.set_env("COLUMNS", columns.to_string());
        for command in COMMANDS {
            let said = context.run(command);
            assert_eq!(said.exit, 0, "{}", said.stderr);
            assert!(!said.stdout.is_empty(), "{columns} {command:?}");
            for line in said.stdout.lines() {
                assert!(
                    line.width() <= columns,
                    "{columns} {command:?}: {line}\n{}",
                    said.stdout
                );
            }
        }
    }
    context.set_env("COLUMNS", "60");
    let narrow = context.run(&["sessions"]).stdout;
    let head = narrow.lines().next().unwrap_or_default();
    assert!(
        head.starts_with("SESSION") && head.contains("ABOUT") && !head.contains('…'),
        "{narrow}"
    );
}

#[test]
fn narrow_terminal_keeps_the_most_important_columns() {
    let mut context = work();
    let id = context.run(&["memories", "--json"]).json()["memories"][0]["id"].clone();
    let id = id.as_str().expect("an id").to_owned();
    for columns in [30, 40, 80] {
        context.set_env("COLUMNS", columns.to_string());
        // Ids are arguments of other commands, so they must not be truncated.
        for command in [&COMMANDS[6], &COMMANDS[7]] {
            let said = context.run(command).stdout;
            assert!(said.contains(&id), "{columns} {command:?}:\n{said}");
        }
        if columns == 80 {
            let memories = context.run(&["memories"]).stdout;
            assert!(memories.contains("The cart rounds prices"), "{memories}");
        }
        let tail = context.run(&["tail"]).stdout;
        let denied = tail.lines().find(|line| line.contains("deny"));
        assert!(
            denied.is_some_and(|line| line.contains("Bash:")),
            "{columns}: {tail}"
        );
        let started = tail.lines().find(|line| line.contains("startup"));
        assert!(started.is_some(), "{columns}: {tail}");
        // The reason of a block is not truncated.
        let story = context.run(&["session"]).stdout;
        assert!(story.contains("perhaps"), "{columns}: {story}");
    }
}

#[test]
fn running_call_is_shown_in_the_timeline_until_the_turn_ends() {
    let context = Context::new();
    let started = context.run(&["daemon", "start"]);
    assert_eq!(started.exit, 0, "{}", started.stderr);
    let story = || {
        context.run(&["sessions"]);
        context.run(&["session"]).stdout
    };
    context.fire("UserPromptSubmit", json!({ "prompt": "Test it" }));
    let call = |command: &str, id: &str| json!({ "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": id });
    context.fire("PreToolUse", call("make slow", "t1"));
    context.fire("PreToolUse", call("make quick", "t2"));
    let mut done = call("make quick", "t2");
    done["tool_response"] = json!({ "stdout": "ok" });
    context.fire("PostToolUse", done);
    let output = story();
    assert!(output.contains("…      Bash make slow\n"), "{output}");
    assert_eq!(output.matches("make quick").count(), 1, "{output}");
    context.fire("Stop", json!({ "stop_hook_active": false }));
    let output = story();
    assert!(!output.contains("make slow"), "{output}");
    context.run(&["daemon", "stop"]);
}

#[test]
fn tail_with_zero_events_prints_nothing() {
    let context = Context::new();
    context.bash("ls");
    assert_eq!(context.run(&["tail", "-n", "0"]).stdout, "");
}
