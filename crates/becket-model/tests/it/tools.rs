//! Tool calls: names, files, changes.

use becket_model::tool::{mcp_parts, names_in};
use becket_model::{Dialect, ToolCall, is_file_tool};
use serde_json::{Value, json};

#[test]
fn file_tools_work_on_the_content_of_files() {
    for (name, expected) in [
        ("Read", true),
        ("Edit", true),
        ("Write", true),
        ("MultiEdit", true),
        ("NotebookEdit", true),
        ("ApplyPatch", true),
        ("Bash", false),
        ("Delete", false),
        ("read", false),
    ] {
        assert_eq!(is_file_tool(name), expected, "{name}");
    }
}

#[test]
fn canonical_names_ignore_case_but_keep_claudes_other_editors() {
    for (native, canonical) in [
        ("MULTIEDIT", "MULTIEDIT"),
        ("multiedit", "multiedit"),
        ("NotebookEdit", "NotebookEdit"),
        ("Run_Shell_Command", "Bash"),
        ("Read", "Read"),
        ("AGENT", "Task"),
        ("unheard_of", "unheard_of"),
    ] {
        assert_eq!(
            ToolCall::new(native, json!({})).names(),
            [canonical, native]
        );
    }
}

#[test]
fn mcp_tools_have_a_server_and_a_name() {
    assert_eq!(
        mcp_parts("mcp__github__create__issue"),
        Some(("github", "create__issue"))
    );
    for other in ["mcp__github", "github__x", "Bash"] {
        assert_eq!(mcp_parts(other), None, "{other}");
    }
    assert_eq!(names_in(Dialect::Copilot, "mcp__gh__x"), ["gh-x"]);
    assert_eq!(names_in(Dialect::Gemini, "NotebookEdit"), ["replace"]);
}

fn paths(name: &str, input: Value) -> Vec<String> {
    let call = ToolCall::new(name, input);
    call.paths().into_iter().map(str::to_owned).collect()
}

#[test]
fn files_are_found_under_the_keys_of_every_agent() {
    for (input, expected) in [
        (json!({ "file_path": "a" }), &["a"][..]),
        (json!({ "path": "a" }), &["a"]),
        (json!({ "notebook_path": "a" }), &["a"]),
        (json!({ "filePath": "a" }), &["a"]),
        (json!({ "file_paths": ["a", "b", 7] }), &["a", "b"]),
        (json!({ "paths": ["a", "b"] }), &["a", "b"]),
        (json!({ "path": "dir", "paths": ["a"] }), &["dir", "a"]),
        (json!({ "file_path": 7 }), &[]),
        (json!({}), &[]),
    ] {
        assert_eq!(paths("Read", input.clone()), expected, "{input}");
    }
}

#[test]
fn patch_that_names_no_file_falls_back_to_the_files_of_the_input() {
    let input = json!({ "patch": "--- a\n+++ b", "file_path": "b" });
    assert_eq!(paths("apply_patch", input), ["b"]);
    let input = json!({ "input": "*** Update File: c", "file_path": "b" });
    assert_eq!(paths("apply_patch", input.clone()), ["c"]);
    assert_eq!(paths("Read", input), ["b"], "only a patch tool has a patch");
}

#[test]
fn command_is_a_text() {
    let command = |input| ToolCall::new("Bash", input).command().map(str::to_owned);
    assert_eq!(command(json!({ "command": "ls" })).as_deref(), Some("ls"));
    assert_eq!(command(json!({ "command": ["ls", "-a"] })), None);
    assert_eq!(command(json!({})), None);
}

#[test]
fn every_editor_changes_its_files_once() {
    let changes = |name: &str, input: Value| {
        let call = ToolCall::new(name, input);
        let changes = call.changes().into_iter();
        changes
            .map(|(path, how)| (path.to_owned(), how))
            .collect::<Vec<_>>()
    };
    for tool in ["Edit", "MultiEdit", "NotebookEdit"] {
        let input = json!({ "path": "a", "paths": ["a", "", "b"] });
        let expected = ["a", "b"].map(|path| (path.to_owned(), Some("modify")));
        assert_eq!(changes(tool, input), expected, "{tool}");
    }
    assert_eq!(
        changes("Delete", json!({ "path": "a" })),
        [("a".to_owned(), Some("delete"))]
    );
}

#[test]
fn agents_id_of_a_call_is_kept() {
    let call = ToolCall::new("Bash", json!({ "command": "ls" })).with_id(Some("t1".into()));
    assert_eq!(
        (call.id.as_deref(), call.command()),
        (Some("t1"), Some("ls"))
    );
}
