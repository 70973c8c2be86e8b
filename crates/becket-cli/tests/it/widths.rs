//! What is printed fits the terminal, and is whole where there is none.

use serde_json::json;
use unicode_width::UnicodeWidthStr;

use crate::context::Context;

const LONG: &str = "Please fix the parser: 設定ファイルの最後の行が消える, and the tests that nobody has looked at since the summer, all of them";

const FACT: &str =
    "The cart rounds prices to whole cents before tax, and nobody may change that without asking";

/// Some work with long and wide words, something told and something refused, kept in a database.
fn work() -> Context {
    let mut context = Context::new();
    context.set_env("BECKET_RECALL", "60000");
    context.config(
        "[[hook]]\nname = \"no-push\"\nevent = \"PreToolUse\"\nif = \"Bash(git push*)\"\ncommand = \"echo 'Pushing is for people: say what you want to have pushed, and where to, and somebody who is awake will look at it and then do it, perhaps' >&2; exit 2\"\n",
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
    // Lists wait until what is in the spool was taken in.
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
fn no_line_is_wider_than_the_terminal_and_none_is_cut_in_a_pipe() {
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
fn what_matters_most_is_seen_on_a_narrow_terminal() {
    let mut context = work();
    let id = context.run(&["memories", "--json"]).json()["memories"][0]["id"].clone();
    let id = id.as_str().expect("an id").to_owned();
    for columns in [30, 40, 80] {
        context.set_env("COLUMNS", columns.to_string());
        // An id is given to other commands, and is no id when it is cut.
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
        // Why something was refused can be read to its end.
        let story = context.run(&["session"]).stdout;
        assert!(story.contains("perhaps"), "{columns}: {story}");
    }
}

#[test]
fn a_call_that_runs_is_part_of_the_story_until_its_turn_is_over() {
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
    let told = story();
    assert!(told.contains("…      Bash make slow\n"), "{told}");
    assert_eq!(told.matches("make quick").count(), 1, "{told}");
    context.fire("Stop", json!({ "stop_hook_active": false }));
    let told = story();
    assert!(!told.contains("make slow"), "{told}");
    context.run(&["daemon", "stop"]);
}

#[test]
fn nothing_is_asked_for_and_nothing_is_said() {
    let context = Context::new();
    context.bash("ls");
    assert_eq!(context.run(&["tail", "-n", "0"]).stdout, "");
}
