//! What is printed fits the terminal, and is whole where there is none.

use serde_json::json;
use unicode_width::UnicodeWidthStr;

use crate::context::Context;

const LONG: &str = "Please fix the parser: 設定ファイルの最後の行が消える, and the tests that nobody has looked at since the summer, all of them";

/// Some work with long and wide words, kept in a database.
fn work() -> Context {
    let context = Context::new();
    context.fire("SessionStart", json!({ "source": "startup" }));
    context.fire("UserPromptSubmit", json!({ "prompt": LONG }));
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
    let started = context.run(&["daemon", "start"]);
    assert_eq!(started.exit, 0, "{}", started.stderr);
    // Lists wait until what is in the spool was taken in.
    context.run(&["sessions"]);
    context.run(&["daemon", "stop"]);
    context
}

#[test]
fn no_line_is_wider_than_the_terminal_and_none_is_cut_in_a_pipe() {
    let mut context = work();
    let commands: [&[&str]; 4] = [&["tail"], &["sessions"], &["session"], &["stats"]];
    for command in commands {
        let whole = context.run(command).stdout;
        if command != ["stats"] {
            assert!(whole.contains("設定"), "{command:?}:\n{whole}");
        }
    }
    let whole = context.run(&["sessions"]).stdout;
    assert!(whole.contains(LONG), "{whole}");
    for columns in [60, 80, 200] {
        context.set_env("COLUMNS", columns.to_string());
        for command in commands {
            let said = context.run(command);
            assert_eq!(said.exit, 0, "{}", said.stderr);
            for line in said.stdout.lines() {
                assert!(line.width() <= columns, "{columns} {command:?}: {line}");
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
