//! Translates Crush's tool calls to canonical keys, and a rewrite to the patch that Crush merges.
//!
//! Crush is written in Go, whose JSON parser matches keys in any case and lets the last one win:
//! `{"command": "ls", "COMMAND": "rm -rf /"}` runs the second. A guard must see what Go sees.

use becket_model::ToolCall;
use serde_json::{Map, Value};

use super::TITLE;
use crate::exchange::tools::{
    ExchangeForm, ExchangeKey, ExchangeTool, Rewritten, Vocabulary, When, as_it_was,
};

/// The tools of source 37f36e9 whose names or keys are not canonical.
pub(super) const WORDS: Vocabulary = Vocabulary {
    agent: TITLE,
    tools: &[
        ExchangeTool {
            native: "multiedit",
            name: "MultiEdit",
            when: When::Always,
            keys: &[],
        },
        ExchangeTool {
            native: "lsp_replace_symbol",
            name: "Edit",
            when: When::Always,
            keys: &[ExchangeKey("replacement", "new_string", ExchangeForm::Same)],
        },
        ExchangeTool {
            native: "agentic_fetch",
            name: "WebFetch",
            when: When::Always,
            keys: &[],
        },
    ],
    settle,
    restore: as_it_was,
    mcp,
};

/// Every parameter of Crush's own tools that determines what a call does.
const PARAMETERS: &[&str] = &[
    "action",
    "command",
    "content",
    "edits",
    "file_path",
    "mcp_name",
    "new_name",
    "new_string",
    "old_string",
    "path",
    "pattern",
    "prompt",
    "query",
    "replace_all",
    "replacement",
    "run_in_background",
    "shell_id",
    "symbol",
    "uri",
    "url",
    "working_dir",
];

/// `mcp_server_tool`; a server name with an underscore cannot be separated from the tool name.
fn mcp(native: &str) -> Option<String> {
    let (server, tool) = native.strip_prefix("mcp_")?.split_once('_')?;
    Some(format!("mcp__{server}__{tool}"))
}

fn settle(native_name: &str, input: &Value) -> Value {
    let Value::Object(input) = input else {
        return input.clone();
    };
    let settled: Map<String, Value> = input
        .iter()
        .map(|(key, value)| (parameter(native_name, key).to_owned(), value.clone()))
        .collect();
    Value::Object(settled)
}

/// The parameter that Go matches with a key. An MCP tool gets its keys unchanged.
fn parameter<'k>(native_name: &str, key: &'k str) -> &'k str {
    if native_name.starts_with("mcp_") {
        return key;
    }
    let folded = fold(key);
    let known = PARAMETERS.iter().find(|known| **known == folded);
    known.copied().unwrap_or(key)
}

/// Lower case as Go folds it: the Kelvin sign is a `k`, the long s an `s`.
fn fold(key: &str) -> String {
    key.chars()
        .flat_map(char::to_lowercase)
        .map(|c| if c == 'ſ' { 's' } else { c })
        .collect()
}

/// A rewritten input as the changed keys, or why Crush cannot apply it.
pub(super) fn patch(
    call: &ToolCall,
    native: &Map<String, Value>,
    updated: &Value,
) -> Result<Rewritten, String> {
    let name = &call.native_name;
    let input = Value::Object(native.clone());
    let rewritten = WORDS.rewrite(name, &input, updated)?;
    let wanted = &rewritten.input;
    let gone = native
        .keys()
        .find(|key| !wanted.contains_key(parameter(name, key)));
    if let Some(key) = gone {
        return Err(format!(
            "{TITLE} merges a rewrite into the input and cannot remove `{key}`"
        ));
    }
    let mut patch = Map::new();
    for (key, value) in wanted {
        let spellings: Vec<&String> = native
            .keys()
            .filter(|own| parameter(name, own) == key)
            .collect();
        if spellings.last().and_then(|last| native.get(*last)) == Some(value) {
            continue;
        }
        // Whichever spelling Go reads last, it gets the new value.
        patch.extend(
            spellings
                .into_iter()
                .map(|own| (own.clone(), value.clone())),
        );
        patch.insert(key.clone(), value.clone());
    }
    match patch.keys().find(|key| !is_plain(key)) {
        Some(key) => Err(format!("{TITLE} would take `{key}` for a path")),
        None => Ok(Rewritten {
            input: patch,
            ..rewritten
        }),
    }
}

/// Whether Crush's setter treats a key as a plain name: it interprets dots, stars and some other characters as
/// a path, and a number as a list index.
fn is_plain(key: &str) -> bool {
    key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && key
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}
