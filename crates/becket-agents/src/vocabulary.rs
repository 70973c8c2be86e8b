//! An agent's tools and their keys in canonical words, and back.
//!
//! A table says what each tool and its keys are called; what the table does not list keeps its name.
//! Of two keys that mean the same, the one that the agent itself acts on counts: a second one that
//! only carries the canonical name would let a call show one file and touch another.
//!
//! A rewritten input is mapped back onto the native one. Keys that only the agent knows stay as they
//! are unless the rewrite sets them (`null` removes them): a hook that was written for another agent
//! does not know of the working directory that a command is to run in. Start at [`call`] and [`back`].

use becket_model::{ToolCall, tool};
use serde_json::{Map, Value};

/// A tool under an agent's own name.
pub(crate) struct VocabularyTool {
    pub(crate) native: &'static str,
    pub(crate) canonical: &'static str,
    /// Its keys that have another name in canonical words: native, then canonical.
    pub(crate) keys: &'static [(&'static str, &'static str)],
}

pub(crate) const fn tool(
    native: &'static str,
    canonical: &'static str,
    keys: &'static [(&'static str, &'static str)],
) -> VocabularyTool {
    VocabularyTool {
        native,
        canonical,
        keys,
    }
}

/// The keys that have a meaning of their own in canonical words.
const CANONICAL: &[&str] = &[
    "command",
    "file_path",
    "content",
    "old_string",
    "new_string",
    "url",
    "pattern",
];

/// A call in canonical words.
pub(crate) fn call(tools: &[VocabularyTool], native_name: String, input: Value) -> ToolCall {
    let known = find(tools, &native_name);
    let name = match known {
        Some(tool) => tool.canonical,
        None => tool::canonical_name(&native_name),
    };
    ToolCall {
        name: name.to_owned(),
        input: match input {
            Value::Object(map) => Value::Object(renamed(keys(known), map)),
            other => other,
        },
        native_name,
        id: None,
    }
}

/// A rewritten input in the agent's words, from the native input that it replaces.
pub(crate) fn back(
    tools: &[VocabularyTool],
    native_name: &str,
    native: &Map<String, Value>,
    rewritten: &Map<String, Value>,
) -> Map<String, Value> {
    let keys = keys(find(tools, native_name));
    let mut out = Map::new();
    for (key, value) in native {
        match canonical_key(keys, key) {
            Some(canonical) => match rewritten.get(canonical) {
                Some(Value::Null) if !value.is_null() => {}
                Some(new) => drop(out.insert(key.clone(), new.clone())),
                None if CANONICAL.contains(&canonical) => {}
                None => drop(out.insert(key.clone(), value.clone())),
            },
            None => drop(out.insert(key.clone(), value.clone())),
        }
    }
    for (key, value) in rewritten.iter().filter(|(_, value)| !value.is_null()) {
        out.entry(native_key(keys, key))
            .or_insert_with(|| value.clone());
    }
    out
}

fn find<'t>(tools: &'t [VocabularyTool], native_name: &str) -> Option<&'t VocabularyTool> {
    tools.iter().find(|tool| tool.native == native_name)
}

type VocabularyKeys = &'static [(&'static str, &'static str)];

fn keys(tool: Option<&VocabularyTool>) -> VocabularyKeys {
    tool.map_or(&[], |tool| tool.keys)
}

fn renamed(keys: VocabularyKeys, native: Map<String, Value>) -> Map<String, Value> {
    let mut out = Map::new();
    for (key, value) in native {
        if let Some(canonical) = canonical_key(keys, &key) {
            out.insert(canonical.to_owned(), value);
        }
    }
    out
}

/// A key in canonical words; `None` for one that only looks canonical, because the tool acts on
/// another key.
fn canonical_key(keys: VocabularyKeys, key: &str) -> Option<&str> {
    match keys.iter().find(|(native, _)| *native == key) {
        Some((_, canonical)) => Some(canonical),
        None if keys.iter().any(|(_, canonical)| *canonical == key) => None,
        None => Some(key),
    }
}

fn native_key(keys: VocabularyKeys, key: &str) -> String {
    keys.iter()
        .find(|(_, canonical)| *canonical == key)
        .map_or(key, |(native, _)| native)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const TOOLS: &[VocabularyTool] = &[
        tool(
            "create",
            "Write",
            &[("path", "file_path"), ("file_text", "content")],
        ),
        tool("Bash", "Bash", &[("cmd", "command")]),
    ];

    fn object(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn rewritten(name: &str, native: Value, new: Value) -> Value {
        Value::Object(back(TOOLS, name, &object(native), &object(new)))
    }

    #[test]
    fn names_and_keys_become_canonical_and_the_native_name_stays() {
        let input = json!({ "path": "/a", "file_text": "x", "mode": 1 });
        let call = call(TOOLS, "create".into(), input);
        assert_eq!((&*call.name, &*call.native_name), ("Write", "create"));
        assert_eq!(
            call.input,
            json!({ "file_path": "/a", "content": "x", "mode": 1 })
        );
    }

    #[test]
    fn a_key_that_the_tool_does_not_act_on_cannot_pose_as_the_one_it_does() {
        let input = json!({ "file_path": "harmless.txt", "path": "/etc/passwd" });
        let call = call(TOOLS, "create".into(), input.clone());
        assert_eq!(call.file_path(), Some("/etc/passwd"));
        assert_eq!(
            rewritten("create", input, json!({ "file_path": "/tmp/x" })),
            json!({ "file_path": "harmless.txt", "path": "/tmp/x" })
        );
    }

    #[test]
    fn a_rewrite_keeps_what_only_the_agent_knows() {
        let native = json!({ "cmd": "ls", "cwd": "/srv", "background": true });
        assert_eq!(
            rewritten("Bash", native.clone(), json!({ "command": "ls -a" })),
            json!({ "cmd": "ls -a", "cwd": "/srv", "background": true })
        );
        assert_eq!(
            rewritten(
                "Bash",
                native,
                json!({ "command": "ls", "background": null, "n": 1 })
            ),
            json!({ "cmd": "ls", "cwd": "/srv", "n": 1 })
        );
    }

    #[test]
    fn a_canonical_key_that_a_rewrite_leaves_out_is_gone() {
        let native = json!({ "path": "/a", "file_text": "x" });
        assert_eq!(
            rewritten("create", native, json!({ "file_path": "/b" })),
            json!({ "path": "/b" })
        );
    }

    proptest! {
        /// What no hook changes comes back as it was, in any tool.
        #[test]
        fn there_and_back_changes_nothing(
            name in prop::sample::select(vec!["create", "Bash", "other"]),
            keys in prop::collection::vec("path|file_path|cmd|command|content|file_text|x", 0..6),
            null in any::<bool>(),
        ) {
            let native: Map<String, Value> = keys.into_iter().map(|key| (key, if null { Value::Null } else { json!("v") })).collect();
            let call = call(TOOLS, name.into(), Value::Object(native.clone()));
            let canonical = object(call.input);
            prop_assert_eq!(back(TOOLS, name, &native, &canonical), native);
        }
    }
}
