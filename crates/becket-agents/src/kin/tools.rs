//! An agent's tools in canonical words, and a rewritten input back in the agent's own.
//!
//! Inputs are renamed, never interpreted: a key that has no canonical name stays as it is.

use becket_model::ToolCall;
use becket_model::tool::canonical_name;
use serde_json::{Map, Value};

/// The keys that canonical inputs are made of. A rewrite that leaves one out means it.
const VOCABULARY: [&str; 7] = [
    "command",
    "file_path",
    "content",
    "old_string",
    "new_string",
    "url",
    "pattern",
];

/// The tools that have a canonical form.
const CANONICAL: [&str; 12] = [
    "Bash",
    "Read",
    "Write",
    "Edit",
    "Delete",
    "Grep",
    "Glob",
    "List",
    "WebFetch",
    "WebSearch",
    "Task",
    "ApplyPatch",
];

/// An agent's words, where they are not the ones that [`becket_model::tool`] knows anyway.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Tools {
    /// The agent's name of a tool and the canonical one.
    pub(crate) names: &'static [(&'static str, &'static str)],
    /// Canonical tool, the agent's key, canonical key.
    pub(crate) keys: &'static [(&'static str, &'static str, &'static str)],
}

impl Tools {
    /// The call under canonical names.
    pub(crate) fn call(&self, native_name: String, input: Value) -> ToolCall {
        let name = self.canonical(&native_name).to_owned();
        let input = match input {
            Value::Object(input) => Value::Object(self.renamed(&name, input, Direction::In)),
            other => other,
        };
        ToolCall {
            name,
            ..ToolCall::new(native_name, input)
        }
    }

    /// The agent's own input for a call, from its payload or, if there is none, by renaming.
    pub(crate) fn native_input(
        &self,
        call: &ToolCall,
        raw: &Map<String, Value>,
    ) -> Map<String, Value> {
        match (raw.get("tool_input"), &call.input) {
            (Some(Value::Object(native)), _) => native.clone(),
            (_, Value::Object(input)) => self.renamed(&call.name, input.clone(), Direction::Out),
            _ => Map::new(),
        }
    }

    /// A canonical rewrite of `native` in the agent's own keys and shape.
    ///
    /// What the canonical form has no word for stays as the agent wrote it; a tool that has no
    /// canonical form takes the rewrite as it is.
    pub(crate) fn rewritten(
        &self,
        call: &ToolCall,
        native: &Map<String, Value>,
        rewrite: &Map<String, Value>,
    ) -> Map<String, Value> {
        let wanted = self.renamed(&call.name, rewrite.clone(), Direction::Out);
        if !CANONICAL.contains(&call.name.as_str()) {
            return wanted;
        }
        let mut out = native.clone();
        out.retain(|key, _| {
            wanted.contains_key(key) || !VOCABULARY.contains(&self.canonical_key(&call.name, key))
        });
        out.extend(wanted);
        out
    }

    fn canonical<'a>(&self, native: &'a str) -> &'a str {
        let own = self.names.iter().find(|(name, _)| *name == native);
        own.map_or_else(|| canonical_name(native), |(_, canonical)| canonical)
    }

    fn canonical_key<'a>(&self, tool: &str, key: &'a str) -> &'a str {
        let own = |(of, native, _): &&(&str, &str, &str)| *of == tool && *native == key;
        self.keys
            .iter()
            .find(own)
            .map_or(key, |(_, _, canonical)| canonical)
    }

    /// Renames in place, so that the order of keys stays. The key that is renamed is the one that
    /// the tool reads; a stray one that has the new name already gives way.
    fn renamed(
        &self,
        tool: &str,
        input: Map<String, Value>,
        direction: Direction,
    ) -> Map<String, Value> {
        let pairs: Vec<(&str, &str)> = self
            .keys
            .iter()
            .filter(|(of, _, _)| *of == tool)
            .map(|(_, native, canonical)| match direction {
                Direction::In => (*native, *canonical),
                Direction::Out => (*canonical, *native),
            })
            .filter(|(from, _)| input.contains_key(*from))
            .collect();
        if pairs.is_empty() {
            return input;
        }
        input
            .into_iter()
            .filter(|(key, _)| !pairs.iter().any(|(_, to)| to == key))
            .map(
                |(key, value)| match pairs.iter().find(|(from, _)| *from == key) {
                    Some((_, to)) => ((*to).to_owned(), value),
                    None => (key, value),
                },
            )
            .collect()
    }
}

/// Which way a key is renamed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// To the canonical one.
    In,
    /// To the agent's.
    Out,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const TOOLS: Tools = Tools {
        names: &[("FetchUrl", "WebFetch")],
        keys: &[("Edit", "old_str", "old_string")],
    };

    fn map(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn edit() -> (ToolCall, Map<String, Value>) {
        let native = json!({ "file_path": "/a", "old_str": "x", "change_all": true });
        let call = TOOLS.call("Edit".into(), native.clone());
        (call, map(&native))
    }

    fn rewritten(rewrite: &Value) -> Value {
        let (call, native) = edit();
        Value::Object(TOOLS.rewritten(&call, &native, &map(rewrite)))
    }

    #[test]
    fn names_and_keys_become_canonical_and_the_native_name_stays() {
        let (call, _) = edit();
        assert_eq!(
            call.input,
            json!({ "file_path": "/a", "old_string": "x", "change_all": true })
        );
        let call = TOOLS.call("FetchUrl".into(), json!({ "url": "u" }));
        assert_eq!(call.names(), ["WebFetch", "FetchUrl"]);
    }

    #[test]
    fn a_stray_key_cannot_hide_the_one_that_the_tool_reads() {
        let input = json!({ "old_string": "harmless", "old_str": "real" });
        let call = TOOLS.call("Edit".into(), input);
        assert_eq!(call.input, json!({ "old_string": "real" }));
    }

    #[test]
    fn a_rewrite_goes_back_to_native_keys_and_keeps_what_has_no_canonical_word() {
        for (rewrite, expected) in [
            (
                json!({ "file_path": "/b", "old_string": "y" }),
                json!({ "file_path": "/b", "old_str": "y", "change_all": true }),
            ),
            (
                json!({ "file_path": "/a", "old_string": "x", "change_all": false }),
                json!({ "file_path": "/a", "old_str": "x", "change_all": false }),
            ),
            // A canonical key that is left out is taken away.
            (
                json!({ "file_path": "/a" }),
                json!({ "file_path": "/a", "change_all": true }),
            ),
        ] {
            assert_eq!(rewritten(&rewrite), expected, "{rewrite}");
        }
    }

    #[test]
    fn a_tool_without_a_canonical_form_takes_the_rewrite_as_it_is() {
        let native = json!({ "query": "x", "force": true });
        let call = TOOLS.call("mcp__db__run".into(), native.clone());
        let out = TOOLS.rewritten(&call, &map(&native), &map(&json!({ "query": "y" })));
        assert_eq!(Value::Object(out), json!({ "query": "y" }));
    }

    #[test]
    fn without_a_payload_the_native_input_is_the_canonical_one_renamed() {
        let (call, native) = edit();
        assert_eq!(TOOLS.native_input(&call, &Map::new()), native);
    }
}
