//! Tool calls translated there and back.

use proptest::prelude::*;
use serde_json::json;

use super::*;

const MAP: ToolMap = ToolMap {
    tools: &[
        ToolRow::new(
            "editor",
            "Edit",
            &[
                KeyRow::same("path", "file_path"),
                KeyRow::same("old_text", "old_string"),
                KeyRow::same("new_text", "new_string"),
                KeyRow::same("command", "operation"),
            ],
        )
        .when(InputTest::Has("old_text")),
        ToolRow::new(
            "editor",
            "Write",
            &[
                KeyRow::same("path", "file_path"),
                KeyRow::same("file_text", "content"),
                KeyRow::same("new_text", "content"),
            ],
        ),
        ToolRow::new(
            "run",
            "Bash",
            &[KeyRow("commands", "command", KeyForm::Script)],
        ),
        ToolRow::new(
            "read",
            "Read",
            &[KeyRow("files", "file_path", KeyForm::Each("path"))],
        ),
        ToolRow::new(
            "fetch",
            "WebFetch",
            &[KeyRow("requests", "url", KeyForm::Lines(Some("url")))],
        ),
        ToolRow::keys_of("Glob", &[KeyRow::same("folder", "path")]),
        ToolRow::new("sh", "Bash", &[]).only(&["command"]),
    ],
    mcp: Some(|native| {
        let (server, tool) = native.strip_prefix('@')?.split_once('/')?;
        Some(format!("mcp__{server}__{tool}"))
    }),
    unmentioned: UnmentionedKeys::Kept,
    ..ToolMap::CANONICAL
};

#[test]
fn calls_are_translated_to_canonical_keys() {
    for (native, input, name, expected) in [
        (
            "editor",
            json!({ "path": "a", "old_text": "x", "new_text": "y", "command": "replace" }),
            "Edit",
            json!({ "file_path": "a", "old_string": "x", "new_string": "y", "operation": "replace" }),
        ),
        (
            "editor",
            json!({ "path": "a", "old_text": null, "new_text": "y" }),
            "Write",
            json!({ "file_path": "a", "old_text": null, "content": "y" }),
        ),
        (
            "run",
            json!({ "commands": ["a", "b"] }),
            "Bash",
            json!({ "command": "a\nb" }),
        ),
        (
            "read",
            json!({ "files": [{ "path": "a", "start_line": 2 }] }),
            "Read",
            json!({ "file_path": "a" }),
        ),
        (
            "read",
            json!({ "files": [{ "path": "a" }, "b"] }),
            "Read",
            json!({ "file_paths": ["a", "b"] }),
        ),
        (
            "fetch",
            json!({ "requests": [{ "url": "u" }, { "url": "v" }] }),
            "WebFetch",
            json!({ "url": "u\nv" }),
        ),
        (
            "find_files",
            json!({ "pattern": "*", "folder": "src" }),
            "Glob",
            json!({ "pattern": "*", "path": "src" }),
        ),
        (
            "@db/run",
            json!({ "q": 1 }),
            "mcp__db__run",
            json!({ "q": 1 }),
        ),
        ("mystery", json!([1]), "mystery", json!([1])),
    ] {
        let call = MAP.call(native.to_owned(), input.clone());
        assert_eq!((&*call.name, &call.input), (name, &expected), "{input}");
        assert_eq!(call.native_name, native);
    }
}

#[test]
fn a_decoy_under_the_canonical_key_does_not_hide_what_the_tool_reads() {
    for (input, expected) in [
        (json!({ "file_path": "decoy", "path": "real" }), "real"),
        (json!({ "path": "real", "file_path": "decoy" }), "real"),
        (json!({ "path": null, "file_path": "odd" }), "odd"),
    ] {
        let call = MAP.call("editor".into(), input.clone());
        assert_eq!(call.input["file_path"], json!(expected), "{input}");
    }
}

fn back(native: &str, input: &Value, updated: &Value) -> Result<RewrittenInput, String> {
    MAP.rewritten("Tester", native, input, updated)
}

#[test]
fn a_rewrite_goes_back_to_native_keys_and_keeps_what_has_no_canonical_name() {
    for (native, input, updated, expected, kept) in [
        (
            "editor",
            json!({ "path": "a", "old_text": "x", "new_text": "y", "insert_line": 3 }),
            json!({ "file_path": "b", "old_string": "x", "new_string": "z", "insert_line": 3 }),
            json!({ "path": "b", "old_text": "x", "new_text": "z", "insert_line": 3 }),
            &[][..],
        ),
        (
            "run",
            json!({ "commands": ["a", "b"], "wait": true }),
            json!({ "command": "a -n\nb" }),
            json!({ "commands": ["a -n\nb"], "wait": true }),
            &["wait"],
        ),
        (
            "read",
            json!({ "files": [{ "path": "a", "start_line": 2 }, "b"] }),
            json!({ "file_paths": ["c", "b", "d"] }),
            json!({ "files": [{ "path": "c", "start_line": 2 }, { "path": "b" }, { "path": "d" }] }),
            &[],
        ),
        (
            "fetch",
            json!({ "requests": [{ "url": "u", "prompt": "p" }] }),
            json!({ "url": "v" }),
            json!({ "requests": [{ "url": "v", "prompt": "p" }] }),
            &[],
        ),
        // A rewrite with the agent's own keys is accepted too.
        (
            "editor",
            json!({ "path": "a", "new_text": "y" }),
            json!({ "path": "b", "new_text": "y" }),
            json!({ "path": "b", "new_text": "y" }),
            &[],
        ),
        // A canonical key that is left out is removed, and so is a key that is set to null.
        (
            "editor",
            json!({ "path": "a", "old_text": "x", "new_text": "y" }),
            json!({ "file_path": "a", "new_string": "y" }),
            json!({ "path": "a", "new_text": "y" }),
            &[],
        ),
        (
            "mystery",
            json!({ "title": "t", "body": "b", "draft": true }),
            json!({ "title": "u", "draft": null }),
            json!({ "title": "u", "body": "b" }),
            &["body"],
        ),
        (
            "sh",
            json!({ "command": "ls" }),
            json!({ "command": "ls -a", "description": "list" }),
            json!({ "command": "ls -a" }),
            &[],
        ),
    ] {
        let rewritten = back(native, &input, &updated).unwrap();
        assert_eq!(
            rewritten.input.map(Value::Object),
            Some(expected),
            "{updated}"
        );
        assert_eq!(rewritten.kept, kept, "{updated}");
    }
}

#[test]
fn untranslatable_rewrite_is_an_error_with_a_reason() {
    let run = json!({ "commands": ["a"] });
    for (native, input, updated, expected) in [
        (
            "run",
            &run,
            json!(["x"]),
            "Tester takes only an object as a rewritten input",
        ),
        (
            "run",
            &run,
            json!({ "command": 7 }),
            "Tester takes no such input: a text is expected as `command`",
        ),
        (
            "run",
            &json!("a"),
            json!({ "command": "b" }),
            "Tester has no object as the input to rewrite",
        ),
        (
            "sh",
            &json!({ "command": "ls" }),
            json!({ "command": "ls", "timeout": 5 }),
            "Tester takes only another `command` for Bash",
        ),
    ] {
        assert_eq!(back(native, input, &updated).unwrap_err(), expected);
    }
}

#[test]
fn a_merged_rewrite_has_only_what_changes_and_removes_nothing() {
    let native = json!({ "query": "x", "force": true });
    let merged = |updated: Value| {
        let rewritten = RewrittenInput::whole(updated.as_object().unwrap().clone());
        rewritten.merged("Tester", native.as_object().unwrap())
    };
    let taken = merged(json!({ "query": "y", "force": true, "new": 1 })).unwrap();
    assert_eq!(
        taken.input.map(Value::Object),
        Some(json!({ "query": "y", "new": 1 }))
    );
    let gone = merged(json!({ "query": "y" })).unwrap_err();
    assert!(gone.contains("cannot take `force` away"), "{gone}");
}

#[test]
fn unmentioned_keys_are_kept_or_removed_as_the_agent_needs() {
    let updated = json!({ "command": "ls", "title": "u" });
    let sent = json!({ "command": "rm", "title": "t", "body": "b" });
    let with = |unmentioned, native: &str| {
        let map = ToolMap { unmentioned, ..MAP };
        let rewritten = map.rewritten("Tester", native, &sent, &updated).unwrap();
        rewritten.input.unwrap().contains_key("body")
    };
    assert!(!with(UnmentionedKeys::Removed, "Bash"));
    assert!(with(UnmentionedKeys::Kept, "mystery"));
    assert!(with(UnmentionedKeys::KeptInCanonicalTools, "Bash"));
    assert!(!with(UnmentionedKeys::KeptInCanonicalTools, "mystery"));
}

#[test]
fn without_a_payload_the_native_input_is_the_canonical_one_under_native_keys() {
    let sent = json!({ "path": "a", "old_text": "x", "insert_line": 3 });
    let call = MAP.call("editor".into(), sent.clone());
    assert_eq!(MAP.native_input(&call, Some(&sent)), sent);
    let call = ToolCall::new("find_files", json!({ "pattern": "*", "path": "src" }));
    assert_eq!(
        MAP.native_input(&call, None),
        json!({ "pattern": "*", "folder": "src" })
    );
}

proptest! {
    /// A rewrite that changes nothing changes nothing, in any tool.
    #[test]
    fn there_and_back_changes_nothing(
        name in prop::sample::select(vec!["editor", "run", "read", "sh", "other"]),
        keys in prop::collection::vec("path|file_path|old_text|commands|command|content|new_text|x", 0..6),
        null in any::<bool>(),
    ) {
        let value = |null| if null { Value::Null } else { json!("v") };
        let native: Map<String, Value> = keys.into_iter().map(|key| (key, value(null))).collect();
        let native = Value::Object(native);
        let call = MAP.call(name.into(), native.clone());
        let rewritten = back(name, &native, &call.input);
        prop_assert_eq!(rewritten, Ok(RewrittenInput::default()));
    }
}
