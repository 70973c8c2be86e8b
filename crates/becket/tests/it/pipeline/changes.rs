//! `FileModified` events that the pipeline derives from tool calls.

use serde_json::{Value, json};

use super::client_world::{ClientWorld, context, ran, verdict};

const CHANGED: &str = "event = \"FileModified\"";

fn written(path: &str) -> Value {
    json!({
        "tool_name": "Write", "tool_input": { "file_path": path, "content": "" }, "tool_use_id": "t1",
        "tool_response": { "type": "create", "filePath": path },
    })
}

#[test]
fn changed_file_runs_its_hooks_and_has_a_record() {
    let world = ClientWorld::new();
    let note = world.counting(
        &format!("name = \"note\"\n{CHANGED}"),
        "echo '{\"additionalContext\": \"noted\"}'",
    );
    world.config(&note);
    let answer = world.fire("PostToolUse", &written("/w/a.rs"));
    assert_eq!((world.runs(), context(&answer)), (1, json!("noted")));
    let [change] = answer.change_records.as_slice() else {
        panic!("{:?}", answer.change_records);
    };
    assert_eq!(change["event"], "FileModified");
    assert_eq!(change["payload"]["file_path"], "/w/a.rs");
    assert_eq!(change["session"], "s1");
    assert_ne!(change["id"], answer.record["id"]);
    assert_eq!(ran(&answer), ["note"]);
}

#[test]
fn decisions_on_the_call_and_its_changes_are_merged() {
    let world = ClientWorld::with_config(
        r#"
[[hook]]
name = "call"
event = "PostToolUse"
command = "echo '{\"additionalContext\":\"written\"}'"
[[hook]]
name = "change"
event = "FileModified"
command = "echo '{\"additionalContext\":\"noted\"}'"
"#,
    );
    let answer = world.fire("PostToolUse", &written("/w/a.rs"));
    assert_eq!(ran(&answer), ["call", "change"]);
    assert_eq!(context(&answer), json!("written\nnoted"));
}

#[test]
fn change_without_hooks_has_no_record() {
    let world = ClientWorld::with_config(
        "[[hook]]\nname = \"call\"\nevent = \"PostToolUse\"\ncommand = \"true\"\n",
    );
    let answer = world.fire("PostToolUse", &written("/w/a.rs"));
    assert_eq!(ran(&answer), ["call"]);
    assert!(answer.change_records.is_empty());
    assert_eq!(verdict(&answer), "none");
}

#[test]
fn change_whose_only_hook_is_untrusted_is_on_record_as_skipped() {
    let world = ClientWorld::new();
    world.write(
        "app/becket.toml",
        &world.counting(&format!("name = \"ours\"\n{CHANGED}"), "true"),
    );
    let answer = world.fire("PostToolUse", &written("/w/a.rs"));
    assert_eq!(world.runs(), 0);
    let skipped = &answer.change_records[0]["skipped"];
    assert_eq!(*skipped, json!([{ "hook": "ours", "why": "untrusted" }]));
}

#[test]
fn built_in_that_ran_for_the_call_does_not_run_again_for_its_change() {
    let both = "event = [\"PostToolUse\", \"FileModified\"]";
    let guard = format!("[[hook]]\nname = \"guard\"\nuse = \"security-guard\"\n{both}\n");
    let world = ClientWorld::with_config(&guard);
    let answer = world.fire("PostToolUse", &written("/w/a.rs"));
    assert_eq!(ran(&answer), ["guard"]);
    assert!(answer.change_records.is_empty());
    // A command for both events wants to run for both, and another built-in is another hook.
    world.config(&world.counting(both, "true"));
    world.fire("PostToolUse", &written("/w/a.rs"));
    assert_eq!(world.runs(), 2);
    world.config(&format!(
        "{guard}[[hook]]\nname = \"other\"\nuse = \"security-guard\"\n{CHANGED}\noptions = {{ allow = [] }}\n"
    ));
    let answer = world.fire("PostToolUse", &written("/w/a.rs"));
    assert_eq!(ran(&answer), ["guard", "other"]);
}
