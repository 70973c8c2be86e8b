//! A tool call in an agent's words and in ours, there and back, by table.
//!
//! The way there shows a guard what the tool will do: where an input holds both the agent's own key
//! and ours, the agent's own counts, because the tool reads that one. The way back starts from the
//! input that the agent sent, so that keys which Becket has no word for are kept. Start at
//! [`Vocabulary`].

use becket_model::ToolCall;
use becket_model::tool::canonical_name;
use serde_json::{Map, Value, json};

/// The keys that Becket has words for: a rewrite that leaves one out removes it.
const OURS: &[&str] = &[
    "command",
    "file_path",
    "file_paths",
    "content",
    "old_string",
    "new_string",
    "edits",
    "url",
    "pattern",
    // A patch has no word of ours, and is found under any of these.
    "patch",
    "input",
];

/// The tools of an agent.
pub(crate) struct Vocabulary {
    /// The agent's name for people.
    pub(crate) agent: &'static str,
    /// The first row that fits a call counts.
    pub(crate) tools: &'static [ExchangeTool],
    /// An input in the one spelling that the table knows, out of those that the agent takes.
    pub(crate) settle: fn(&str, &Value) -> Value,
    /// That spelling in one that the agent takes.
    pub(crate) restore: fn(&str, Map<String, Value>) -> Map<String, Value>,
    /// `mcp__server__tool`, for a name that means a tool of a server.
    pub(crate) mcp: fn(&str) -> Option<String>,
}

/// A tool, in the agent's words and in ours.
pub(crate) struct ExchangeTool {
    pub(crate) native: &'static str,
    pub(crate) name: &'static str,
    pub(crate) when: When,
    pub(crate) keys: &'static [ExchangeKey],
}

/// Which inputs a row is for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum When {
    Always,
    /// The key is there and not null.
    Has(&'static str),
    /// The key has this text.
    Is(&'static str, &'static str),
}

/// A key of an input: the agent's word, ours, and how the values differ.
pub(crate) struct ExchangeKey(
    pub(crate) &'static str,
    pub(crate) &'static str,
    pub(crate) ExchangeForm,
);

/// How a value in the agent's words differs from one in ours.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ExchangeForm {
    /// Not at all.
    Same,
    /// A list of commands is one script, which goes back as one command.
    Script,
    /// A list of texts, or of objects with a text under a key, is one text with a line each.
    Lines(Option<&'static str>),
    /// A list of objects with a text under a key: that text if there is one, else a list of texts
    /// under our word and an `s`.
    Each(&'static str),
}

/// An input in the agent's words.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Rewritten {
    pub(crate) input: Map<String, Value>,
    /// The agent's own keys that the rewrite did not mention.
    pub(crate) kept: Vec<String>,
}

impl Rewritten {
    /// What the record says about keys that the hook did not mention.
    pub(crate) fn kept_sentence(&self) -> Option<String> {
        let keys: Vec<String> = self.kept.iter().map(|key| format!("`{key}`")).collect();
        let verb = if keys.len() == 1 { "stays" } else { "stay" };
        (!keys.is_empty())
            .then(|| format!("The rewrite leaves out {}, which {verb}.", keys.join(", ")))
    }
}

/// For agents that take an input in one spelling only.
pub(crate) fn as_it_is(_: &str, input: &Value) -> Value {
    input.clone()
}

/// The same on the way back.
pub(crate) fn as_it_was(_: &str, input: Map<String, Value>) -> Map<String, Value> {
    input
}

impl Vocabulary {
    /// A call in our words.
    pub(crate) fn call(&self, native_name: &str, input: &Value) -> ToolCall {
        let settled = (self.settle)(native_name, input);
        let (name, input) = match self.row(native_name, &settled) {
            Some(tool) => (tool.name.to_owned(), ours(tool.keys, &settled)),
            None => (self.name(native_name), settled),
        };
        named(name, native_name, input)
    }

    /// A call of a server's tool, which has nothing to do with a tool of the agent's that happens to
    /// have the same name.
    pub(crate) fn foreign(name: String, native_name: &str, input: &Value) -> ToolCall {
        named(name, native_name, input.clone())
    }

    /// A rewritten input in the agent's words, or why it cannot be said in them.
    pub(crate) fn rewrite(
        &self,
        native_name: &str,
        input: &Value,
        updated: &Value,
    ) -> Result<Rewritten, String> {
        let settled = (self.settle)(native_name, input);
        let keys = self.row(native_name, &settled).map_or(&[][..], |t| t.keys);
        let rewritten = self.back(keys, input, settled, updated)?;
        Ok(Rewritten {
            input: (self.restore)(native_name, rewritten.input),
            ..rewritten
        })
    }

    /// The same for a call of a server's tool, whose keys are its own.
    pub(crate) fn rewrite_foreign(
        &self,
        input: &Value,
        updated: &Value,
    ) -> Result<Rewritten, String> {
        self.back(&[], input, input.clone(), updated)
    }

    fn back(
        &self,
        keys: &'static [ExchangeKey],
        input: &Value,
        settled: Value,
        updated: &Value,
    ) -> Result<Rewritten, String> {
        let agent = self.agent;
        let Value::Object(updated) = updated else {
            return Err(format!("{agent} takes only an object as a rewritten input"));
        };
        let before = ours(keys, &settled);
        let (Value::Object(native), Value::Object(before)) = (settled, before) else {
            return Err(format!("{agent} has no object as the input to rewrite"));
        };
        if *updated == before {
            let input = input.as_object().cloned().unwrap_or(native);
            let kept = Vec::new();
            return Ok(Rewritten { input, kept });
        }
        let back = ExchangeBack {
            keys: &present(keys, &native),
            all: keys,
            before: &before,
            updated,
        };
        back.apply(native)
            .map_err(|why| format!("{agent} takes no such input: {why}"))
    }

    fn row(&self, native_name: &str, input: &Value) -> Option<&'static ExchangeTool> {
        let fits = |tool: &&ExchangeTool| tool.native == native_name && tool.when.fits(input);
        self.tools.iter().find(fits)
    }

    fn name(&self, native_name: &str) -> String {
        (self.mcp)(native_name).unwrap_or_else(|| canonical_name(native_name).to_owned())
    }
}

fn named(name: String, native_name: &str, input: Value) -> ToolCall {
    ToolCall {
        name,
        input,
        native_name: native_name.to_owned(),
        id: None,
    }
}

impl When {
    fn fits(self, input: &Value) -> bool {
        match self {
            Self::Always => true,
            Self::Has(key) => input.get(key).is_some_and(|value| !value.is_null()),
            Self::Is(key, text) => input.get(key).and_then(Value::as_str) == Some(text),
        }
    }
}

/// The keys of a table that an input has; the first one for each of our words.
fn present(keys: &'static [ExchangeKey], input: &Map<String, Value>) -> Vec<&'static ExchangeKey> {
    let mut found: Vec<&ExchangeKey> = Vec::new();
    for key in keys {
        let ExchangeKey(native, ours, form) = key;
        let readable = input
            .get(*native)
            .and_then(|v| form.there(ours, v))
            .is_some();
        if readable && found.iter().all(|other| other.1 != *ours) {
            found.push(key);
        }
    }
    found
}

/// An input in our words.
fn ours(keys: &'static [ExchangeKey], settled: &Value) -> Value {
    let Value::Object(input) = settled else {
        return settled.clone();
    };
    let keys = present(keys, input);
    let taken = |name: &str| keys.iter().any(|key| key.owns(name));
    let mut out = Map::new();
    for (name, value) in input {
        let mapped = keys.iter().find(|key| key.0 == name);
        match mapped.and_then(|key| key.2.there(key.1, value)) {
            Some((name, value)) => {
                out.insert(name, value);
            }
            // Our word in the agent's input means nothing to a tool that reads another key.
            None if taken(name) => {}
            None => {
                out.insert(name.clone(), value.clone());
            }
        }
    }
    Value::Object(out)
}

impl ExchangeKey {
    /// Whether our word for it, singular or plural, is this one.
    fn owns(&self, name: &str) -> bool {
        let ExchangeKey(_, ours, form) = self;
        name == *ours
            || (matches!(form, ExchangeForm::Each(_)) && name.strip_suffix('s') == Some(ours))
    }
}

impl ExchangeForm {
    /// A value of the agent's under our word; `None` if it is nothing that the tool could read.
    fn there(self, ours: &str, value: &Value) -> Option<(String, Value)> {
        let ours = ours.to_owned();
        match self {
            Self::Same => (!value.is_null()).then(|| (ours, value.clone())),
            Self::Script => texts(value, None).map(|lines| (ours, json!(lines.join("\n")))),
            Self::Lines(inner) => texts(value, inner).map(|lines| (ours, json!(lines.join("\n")))),
            Self::Each(inner) => match &texts(value, Some(inner))?[..] {
                [one] => Some((ours, json!(one))),
                many => Some((ours + "s", json!(many))),
            },
        }
    }

    /// A value of ours in place of one of the agent's.
    fn back(self, old: Option<&Value>, new: &Value) -> Result<Value, &'static str> {
        let text = || new.as_str().ok_or("a text is expected");
        match self {
            Self::Same => Ok(new.clone()),
            Self::Script => Ok(json!([text()?])),
            Self::Lines(inner) => Ok(items(old, inner, text()?.split('\n'))),
            Self::Each(inner) => {
                let new = texts(new, None).ok_or("a text or a list of texts is expected")?;
                Ok(items(old, Some(inner), new))
            }
        }
    }
}

/// The texts of a list, or of the one item that stands in its place.
fn texts<'a>(value: &'a Value, inner: Option<&str>) -> Option<Vec<&'a str>> {
    let text = |item: &'a Value| match (item, inner) {
        (Value::String(text), _) => Some(text.as_str()),
        (Value::Object(item), Some(inner)) => item.get(inner)?.as_str(),
        _ => None,
    };
    let found: Vec<&str> = match value {
        Value::Array(items) => items.iter().filter_map(text).collect(),
        other => text(other).into_iter().collect(),
    };
    (!found.is_empty()).then_some(found)
}

/// A list of new texts, each in the place of the item it replaces.
fn items<'a>(
    old: Option<&Value>,
    inner: Option<&str>,
    new: impl IntoIterator<Item = &'a str>,
) -> Value {
    let old = old.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let item = |(at, text): (usize, &str)| match (inner, old.get(at)) {
        (Some(inner), Some(Value::Object(item))) => {
            let mut item = item.clone();
            item.insert(inner.to_owned(), json!(text));
            Value::Object(item)
        }
        (Some(inner), _) => json!({ inner: text }),
        (None, _) => json!(text),
    };
    new.into_iter().enumerate().map(item).collect()
}

/// The way back of one rewrite.
struct ExchangeBack<'a> {
    /// The keys that the input has.
    keys: &'a [&'static ExchangeKey],
    /// Every key that the tool may have.
    all: &'static [ExchangeKey],
    before: &'a Map<String, Value>,
    updated: &'a Map<String, Value>,
}

impl ExchangeBack<'_> {
    fn apply(&self, native: Map<String, Value>) -> Result<Rewritten, String> {
        let mut out = native;
        for (name, value) in self.updated {
            if self.before.get(name) != Some(value) {
                self.put(&mut out, name, value)?;
            }
        }
        let mut kept = Vec::new();
        for name in self.before.keys().filter(|name| !self.mentions(name)) {
            let native = self.key(name).map_or(name.as_str(), |key| key.0);
            if OURS.contains(&name.as_str()) {
                out.shift_remove(native);
            } else {
                kept.push(native.to_owned());
            }
        }
        Ok(Rewritten { input: out, kept })
    }

    fn put(&self, out: &mut Map<String, Value>, name: &str, value: &Value) -> Result<(), String> {
        let (native, value) = match self.key(name) {
            Some(ExchangeKey(native, _, form)) => {
                let value = form.back(out.get(*native), value);
                let value = value.map_err(|why| format!("{why} as `{name}`"))?;
                ((*native).to_owned(), value)
            }
            // The hook speaks the agent's own language, or of a key that has no other word.
            None => (name.to_owned(), value.clone()),
        };
        out.insert(native, value);
        Ok(())
    }

    /// The key for a word of ours: one that the input has, else one that it could have.
    fn key(&self, name: &str) -> Option<&'static ExchangeKey> {
        let own = |key: &&'static ExchangeKey| key.owns(name);
        let had = self.keys.iter().copied().find(own);
        had.or_else(|| self.all.iter().find(own))
    }

    /// Whether the rewrite speaks of a key, in our words or in the agent's.
    fn mentions(&self, name: &str) -> bool {
        let said = |word: &str| self.updated.contains_key(word);
        said(name)
            || self
                .key(name)
                .is_some_and(|key| said(key.0) || self.updated.keys().any(|word| key.owns(word)))
    }
}
