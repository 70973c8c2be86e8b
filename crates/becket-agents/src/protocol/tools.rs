//! An agent's tools in canonical names and keys, and a rewritten input back in the agent's own.
//!
//! On the way in, an input shows a guard what the tool will do: where it holds both the agent's key and the
//! canonical one, the agent's counts, because the tool reads that one. On the way back only what the rewrite
//! changes is translated, so that keys without a canonical name stay as the agent wrote them. Start at
//! [`ToolMap`].

mod forms;
mod rewrite;
#[cfg(test)]
mod tests;

use becket_model::ToolCall;
use becket_model::tool::canonical_name;
use serde_json::{Map, Value};

pub(crate) use forms::KeyForm;
pub(crate) use rewrite::RewrittenInput;

/// The keys that canonical inputs consist of. A rewrite without one of them removes it.
const CANONICAL_KEYS: [&str; 11] = [
    "command",
    "file_path",
    "file_paths",
    "content",
    "old_string",
    "new_string",
    "edits",
    "url",
    "pattern",
    // The text of a patch has no canonical key.
    "patch",
    "input",
];

/// The tools that have a canonical form.
const CANONICAL_TOOLS: [&str; 12] = [
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

type RestoreInput = fn(&str, Map<String, Value>) -> Map<String, Value>;

/// The tools of an agent, as far as they differ from the canonical ones.
#[derive(Clone, Copy)]
pub(crate) struct ToolMap {
    /// The first row that fits a call counts.
    pub(crate) tools: &'static [ToolRow],
    /// The keys of tools without a row.
    pub(crate) other_keys: &'static [KeyRow],
    /// An input in the one spelling that the table knows, out of those that the agent's tool takes.
    pub(crate) normalize: Option<fn(&str, &Value) -> Value>,
    /// That spelling in one that the agent's tool takes.
    pub(crate) restore: Option<RestoreInput>,
    /// `mcp__server__tool` for a name that means a tool of a server.
    pub(crate) mcp: Option<fn(&str) -> Option<String>>,
    /// What a rewrite means for keys that it does not mention.
    pub(crate) unmentioned: UnmentionedKeys,
}

/// A tool, in the agent's words and in canonical ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolRow {
    /// The agent's name; empty for every tool with this canonical name.
    pub(crate) native: &'static str,
    pub(crate) canonical: &'static str,
    /// Which inputs the row is for.
    pub(crate) when: InputTest,
    pub(crate) keys: &'static [KeyRow],
    /// If not empty, the only keys that the agent takes back.
    pub(crate) only: &'static [&'static str],
}

/// A key of an input: the agent's name, the canonical one, and how their values differ.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyRow(
    pub(crate) &'static str,
    pub(crate) &'static str,
    pub(crate) KeyForm,
);

/// Which inputs a row is for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum InputTest {
    Any,
    /// The key is there and not null.
    Has(&'static str),
    /// The key has this text.
    Is(&'static str, &'static str),
}

/// What becomes of keys that a rewrite does not mention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnmentionedKeys {
    /// They are removed: the rewrite is the whole input.
    Removed,
    /// They are kept, unless they have a canonical name.
    Kept,
    /// They are kept if the tool has a canonical form; another tool's rewrite is the whole input.
    KeptInCanonicalTools,
}

impl ToolRow {
    pub(crate) const fn new(
        native: &'static str,
        canonical: &'static str,
        keys: &'static [KeyRow],
    ) -> Self {
        Self {
            native,
            canonical,
            when: InputTest::Any,
            keys,
            only: &[],
        }
    }

    /// Keys of every tool with this canonical name.
    pub(crate) const fn keys_of(canonical: &'static str, keys: &'static [KeyRow]) -> Self {
        Self::new("", canonical, keys)
    }

    pub(crate) const fn when(self, when: InputTest) -> Self {
        Self { when, ..self }
    }

    pub(crate) const fn only(self, only: &'static [&'static str]) -> Self {
        Self { only, ..self }
    }

    fn fits(&self, native_name: &str, canonical: &str, input: &Value) -> bool {
        let named = match self.native {
            "" => self.canonical == canonical,
            native => native == native_name,
        };
        named && self.when.fits(input)
    }
}

impl KeyRow {
    /// A key whose values are the same under either name.
    pub(crate) const fn same(native: &'static str, canonical: &'static str) -> Self {
        Self(native, canonical, KeyForm::Same)
    }
}

impl InputTest {
    fn fits(self, input: &Value) -> bool {
        match self {
            Self::Any => true,
            Self::Has(key) => input.get(key).is_some_and(|value| !value.is_null()),
            Self::Is(key, text) => input.get(key).and_then(Value::as_str) == Some(text),
        }
    }
}

impl ToolMap {
    /// An agent whose names and keys are canonical, and whose hooks write a whole input.
    pub(crate) const CANONICAL: Self = Self {
        tools: &[],
        other_keys: &[],
        normalize: None,
        restore: None,
        mcp: None,
        unmentioned: UnmentionedKeys::Removed,
    };

    /// A call in canonical names and keys.
    pub(crate) fn call(&self, native_name: String, input: Value) -> ToolCall {
        let input = self.normal(&native_name, input);
        let row = self.row(&native_name, &input);
        let name = match row {
            Some(row) => row.canonical.to_owned(),
            None => self.name(&native_name),
        };
        ToolCall {
            name,
            input: canonical_input(self.keys(row), input),
            native_name,
            id: None,
        }
    }

    /// A call of a server's tool, which has nothing to do with a tool of the agent that has the same name.
    pub(crate) fn foreign(name: String, native_name: String, input: Value) -> ToolCall {
        ToolCall {
            name,
            input,
            native_name,
            id: None,
        }
    }

    fn normal(&self, native_name: &str, input: Value) -> Value {
        match self.normalize {
            Some(normalize) => normalize(native_name, &input),
            None => input,
        }
    }

    fn row(&self, native_name: &str, input: &Value) -> Option<&'static ToolRow> {
        if self.tools.is_empty() {
            return None;
        }
        let canonical = canonical_name(native_name);
        let fits = |row: &&ToolRow| row.fits(native_name, canonical, input);
        self.tools.iter().find(fits)
    }

    fn keys(&self, row: Option<&'static ToolRow>) -> &'static [KeyRow] {
        row.map_or(self.other_keys, |row| row.keys)
    }

    fn name(&self, native_name: &str) -> String {
        let server_tool = self.mcp.and_then(|mcp| mcp(native_name));
        server_tool.unwrap_or_else(|| canonical_name(native_name).to_owned())
    }
}

/// The keys of a table that an input has; the first one for each canonical name.
fn present(keys: &'static [KeyRow], input: &Map<String, Value>) -> Vec<&'static KeyRow> {
    let mut found: Vec<&KeyRow> = Vec::new();
    for key in keys {
        let KeyRow(native, canonical, form) = key;
        let readable = input
            .get(*native)
            .and_then(|value| form.canonical(canonical, value))
            .is_some();
        if readable && found.iter().all(|other| other.1 != *canonical) {
            found.push(key);
        }
    }
    found
}

/// An input under canonical keys.
fn canonical_input(keys: &'static [KeyRow], input: Value) -> Value {
    let input = match input {
        Value::Object(input) => input,
        other => return other,
    };
    let keys = present(keys, &input);
    if keys.is_empty() {
        return Value::Object(input);
    }
    let mut out = Map::new();
    for (name, value) in input {
        let mapped = keys.iter().find(|key| key.0 == name);
        match mapped.and_then(|key| key.2.canonical(key.1, &value)) {
            Some((name, value)) => {
                out.insert(name, value);
            }
            // The canonical key in the agent's input means nothing to a tool that reads another one.
            None if keys.iter().any(|key| key.owns(&name)) => {}
            None => {
                out.insert(name, value);
            }
        }
    }
    Value::Object(out)
}
