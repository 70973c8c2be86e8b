//! `FileModified` hooks run once for every changed file, for every agent.

use serde_json::{Value, json};

use crate::context::{CommandOutput, Context, quoted};

fn fire(context: &Context, agent: &str, event: &str, payload: &Value) -> CommandOutput {
    let mut payload = payload.clone();
    payload["session_id"] = json!("s-1");
    context.run_with(
        &["hook", event, "--agent", agent],
        payload.to_string().as_bytes(),
    )
}

/// A context with a hook that logs every changed file and returns context.
fn noting() -> Context {
    let context = Context::new();
    let script = context.script(
        "note.sh",
        &format!(
            "echo \"$HOOK_PATH $HOOK_CHANGE_TYPE\" >> '{}'\necho '{{\"additionalContext\": \"noted\"}}'",
            context.path("noted").display()
        ),
    );
    context.config(&format!(
        "[[hook]]\nname = \"note\"\nevent = \"file-modified\"\ncommand = {}\n",
        quoted(script)
    ));
    context
}

fn noted(context: &Context) -> Vec<String> {
    let text = context.read("noted");
    text.lines().map(|line| line.trim().to_owned()).collect()
}

#[test]
fn file_change_is_derived_from_a_write_if_the_agent_reports_none() {
    let context = noting();
    let answer = fire(
        &context,
        "claude",
        "PostToolUse",
        &json!({
            "hook_event_name": "PostToolUse", "cwd": context.project(), "transcript_path": "",
            "tool_name": "Write", "tool_input": { "file_path": "/w/a.rs", "content": "" },
            "tool_response": { "type": "create", "filePath": "/w/a.rs" }, "tool_use_id": "t1",
        }),
    );
    assert_eq!(noted(&context), ["/w/a.rs create"]);
    let told = &answer.json()["hookSpecificOutput"]["additionalContext"];
    assert_eq!(told, "noted", "what the hook says reaches the model");
    let records = context.records();
    let names: Vec<_> = records.iter().map(|it| it["event"].as_str()).collect();
    assert_eq!(names, [Some("PostToolUse"), Some("FileModified")]);
    assert_eq!(records[1]["payload"]["file_path"], "/w/a.rs");
}

#[test]
fn patch_reports_a_change_for_every_file() {
    let context = noting();
    let patch = "*** Begin Patch\n*** Add File: a.rs\n+x\n*** Update File: b.rs\n-x\n+y\n*** Delete File: c.rs\n*** End Patch\n";
    fire(
        &context,
        "codex",
        "PostToolUse",
        &json!({
            "hook_event_name": "PostToolUse", "cwd": context.project(), "transcript_path": null, "turn_id": "t", "model": "m",
            "tool_name": "apply_patch", "tool_input": { "command": patch }, "tool_response": "Exit code: 0\n", "tool_use_id": "c1",
        }),
    );
    assert_eq!(
        noted(&context),
        ["a.rs create", "b.rs modify", "c.rs delete"]
    );
}

#[test]
fn file_changes_reported_by_the_agent_are_not_duplicated() {
    let context = noting();
    let cursor = |event: &str, more: Value| {
        let mut payload = json!({
            "hook_event_name": event, "conversation_id": "c", "generation_id": "g", "cursor_version": "3.18.2",
            "workspace_roots": [context.project()],
        });
        let fields = payload.as_object_mut().expect("an object");
        fields.extend(more.as_object().expect("an object").clone());
        fire(&context, "cursor", event, &payload)
    };
    let call = |tool: &str, id: &str| json!({ "tool_name": tool, "tool_input": { "file_path": "/w/a.rs" }, "tool_output": "{}", "tool_use_id": id });
    cursor(
        "afterFileEdit",
        json!({ "file_path": "/w/a.rs", "edits": [{ "old_string": "a", "new_string": "b" }] }),
    );
    cursor("postToolUse", call("Write", "t1"));
    assert_eq!(noted(&context), ["/w/a.rs modify"]);
    cursor("postToolUse", call("Delete", "t2"));
    assert_eq!(noted(&context), ["/w/a.rs modify", "/w/a.rs delete"]);
}

#[test]
fn failed_or_read_only_calls_report_no_file_change() {
    let context = noting();
    let failed = json!({
        "hook_event_name": "PostToolUseFailure", "cwd": context.project(), "transcript_path": "",
        "tool_name": "Write", "tool_input": { "file_path": "/w/a.rs" }, "error": "no", "tool_use_id": "t1",
    });
    fire(&context, "claude", "PostToolUseFailure", &failed);
    let read = json!({
        "hook_event_name": "PostToolUse", "cwd": context.project(), "transcript_path": "",
        "tool_name": "Read", "tool_input": { "file_path": "/w/a.rs" }, "tool_response": {}, "tool_use_id": "t2",
    });
    fire(&context, "claude", "PostToolUse", &read);
    assert_eq!(noted(&context), Vec::<String>::new());
    assert_eq!(context.records().len(), 2);
}
