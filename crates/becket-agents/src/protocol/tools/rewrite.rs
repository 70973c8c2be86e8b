//! A rewritten input in the agent's keys and forms, or why the agent cannot take it.
//!
//! An error is the start of a sentence.

use becket_model::ToolCall;
use serde_json::{Map, Value};

use super::{
    CANONICAL_KEYS, CANONICAL_TOOLS, KeyRow, ToolMap, ToolRow, UnmentionedKeys, canonical_input,
    present,
};

/// A key with words for the person about a call, which do not change what the call does.
const DESCRIPTION: &str = "description";

/// An input in the agent's keys.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct RewrittenInput {
    /// `None` if the rewrite changes nothing.
    pub(crate) input: Option<Map<String, Value>>,
    /// Keys that the rewrite does not mention and that stay.
    pub(crate) kept: Vec<String>,
}

impl RewrittenInput {
    /// The whole input of the tool.
    pub(crate) fn whole(input: Map<String, Value>) -> Self {
        Self {
            input: Some(input),
            kept: Vec::new(),
        }
    }

    /// What the record says about the keys that stay.
    pub(crate) fn kept_sentence(&self) -> Option<String> {
        let keys: Vec<String> = self.kept.iter().map(|key| format!("`{key}`")).collect();
        let verb = if keys.len() == 1 { "stays" } else { "stay" };
        (!keys.is_empty())
            .then(|| format!("The rewrite leaves out {}, which {verb}.", keys.join(", ")))
    }

    /// Only the keys that change, for an agent that lays them over the call's input.
    pub(crate) fn merged(
        mut self,
        title: &str,
        native: &Map<String, Value>,
    ) -> Result<Self, String> {
        let Some(input) = &mut self.input else {
            return Ok(self);
        };
        if let Some(gone) = native.keys().find(|key| !input.contains_key(*key)) {
            return Err(format!(
                "{title} lays a rewritten input over the call's own and cannot take `{gone}` away"
            ));
        }
        input.retain(|key, value| native.get(key) != Some(value));
        Ok(self)
    }
}

impl ToolMap {
    /// The agent's own input of a call: the one that the agent sent, or, without a payload, the canonical one
    /// under the agent's keys.
    pub(crate) fn native_input(&self, call: &ToolCall, sent: Option<&Value>) -> Value {
        match (sent, &call.input) {
            (Some(sent @ Value::Object(_)), _) => sent.clone(),
            (_, Value::Object(input)) => {
                let keys = self.keys(self.row(&call.native_name, &call.input));
                Value::Object(native_keys(keys, input.clone()))
            }
            _ => Value::Object(Map::new()),
        }
    }

    /// A rewrite of the input that the agent sent, as a whole input in the agent's keys.
    pub(crate) fn rewritten(
        &self,
        title: &str,
        native_name: &str,
        sent: &Value,
        updated: &Value,
    ) -> Result<RewrittenInput, String> {
        let Value::Object(updated) = updated else {
            return Err(format!("{title} takes only an object as a rewritten input"));
        };
        let normal = self.normal(native_name, sent.clone());
        let row = self.row(native_name, &normal);
        let rewritten = self.translated(title, native_name, row, (sent, normal), updated)?;
        match row {
            Some(row) if !row.only.is_empty() => only_keys(title, row, sent, rewritten),
            _ => Ok(rewritten),
        }
    }

    /// The same for a call of a server's tool, whose keys are its own.
    pub(crate) fn rewritten_foreign(
        &self,
        title: &str,
        sent: &Value,
        updated: &Value,
    ) -> Result<RewrittenInput, String> {
        let Value::Object(updated) = updated else {
            return Err(format!("{title} takes only an object as a rewritten input"));
        };
        match self.unmentioned {
            UnmentionedKeys::Kept => back(title, &[], sent.clone(), updated),
            _ => Ok(whole(sent, updated.clone())),
        }
    }

    fn translated(
        &self,
        title: &str,
        native_name: &str,
        row: Option<&'static ToolRow>,
        (sent, normal): (&Value, Value),
        updated: &Map<String, Value>,
    ) -> Result<RewrittenInput, String> {
        let keys = self.keys(row);
        if !self.keeps(native_name, row) {
            return Ok(whole(sent, native_keys(keys, updated.clone())));
        }
        let mut rewritten = back(title, keys, normal, updated)?;
        if let Some(restore) = self.restore {
            rewritten.input = rewritten.input.map(|input| restore(native_name, input));
        }
        if rewritten.input.as_ref() == sent.as_object() {
            rewritten.input = None;
        }
        Ok(rewritten)
    }

    fn keeps(&self, native_name: &str, row: Option<&ToolRow>) -> bool {
        match self.unmentioned {
            UnmentionedKeys::Removed => false,
            UnmentionedKeys::Kept => true,
            UnmentionedKeys::KeptInCanonicalTools => {
                let name =
                    row.map_or_else(|| self.name(native_name), |row| row.canonical.to_owned());
                CANONICAL_TOOLS.contains(&name.as_str())
            }
        }
    }
}

/// A rewrite that is the whole input.
fn whole(sent: &Value, updated: Map<String, Value>) -> RewrittenInput {
    match sent.as_object() {
        Some(same) if *same == updated => RewrittenInput::default(),
        _ => RewrittenInput::whole(updated),
    }
}

/// Canonical keys under the agent's names, in place, so that their order stays.
fn native_keys(keys: &'static [KeyRow], input: Map<String, Value>) -> Map<String, Value> {
    let own = |name: &str| keys.iter().find(|key| key.1 == name);
    let replaced = |name: &str| {
        keys.iter()
            .any(|key| key.0 == name && input.contains_key(key.1))
    };
    if !input.keys().any(|name| own(name).is_some()) {
        return input;
    }
    let stray: Vec<String> = input
        .keys()
        .filter(|name| replaced(name))
        .cloned()
        .collect();
    input
        .into_iter()
        .filter(|(name, _)| !stray.contains(name))
        .map(|(name, value)| match own(&name) {
            Some(key) => (
                key.0.to_owned(),
                key.2.native(None, &value).unwrap_or(value),
            ),
            None => (name, value),
        })
        .collect()
}

/// Keeps only the keys that the agent takes back; another change cannot be expressed.
fn only_keys(
    title: &str,
    row: &ToolRow,
    sent: &Value,
    rewritten: RewrittenInput,
) -> Result<RewrittenInput, String> {
    let Some(mut input) = rewritten.input else {
        return Ok(rewritten);
    };
    let taken = |key: &str| row.only.contains(&key);
    let matters = |key: &String| !taken(key) && key != DESCRIPTION;
    let before = sent.as_object();
    let same = |key: &String| before.and_then(|before| before.get(key)) == input.get(key);
    let others_stay = input.keys().filter(|key| matters(key)).all(&same)
        && before.is_none_or(|before| before.keys().filter(|key| matters(key)).all(&same));
    let keys = row.only.join("`, `");
    let texts = row
        .only
        .iter()
        .all(|key| input.get(*key).is_some_and(Value::is_string));
    if !others_stay || !texts {
        return Err(format!(
            "{title} takes only another `{keys}` for {}",
            row.canonical
        ));
    }
    input.retain(|key, _| taken(key));
    Ok(RewrittenInput::whole(input))
}

/// A rewrite laid into the agent's own input.
fn back(
    title: &str,
    keys: &'static [KeyRow],
    normal: Value,
    updated: &Map<String, Value>,
) -> Result<RewrittenInput, String> {
    let before = canonical_input(keys, normal.clone());
    let (Value::Object(native), Value::Object(before)) = (normal, before) else {
        return Err(format!("{title} has no object as the input to rewrite"));
    };
    if *updated == before {
        return Ok(RewrittenInput::default());
    }
    let back = RewriteBack {
        keys: &present(keys, &native),
        all: keys,
        before: &before,
        updated,
    };
    back.apply(native)
        .map_err(|why| format!("{title} takes no such input: {why}"))
}

/// The way back of one rewrite.
struct RewriteBack<'a> {
    /// The keys that the input has.
    keys: &'a [&'static KeyRow],
    /// Every key that the tool may have.
    all: &'static [KeyRow],
    before: &'a Map<String, Value>,
    updated: &'a Map<String, Value>,
}

impl RewriteBack<'_> {
    fn apply(&self, native: Map<String, Value>) -> Result<RewrittenInput, String> {
        let mut out = native;
        for (name, value) in self
            .updated
            .iter()
            .filter(|(name, _)| !self.is_shadowed(name))
        {
            match self.before.get(name) {
                before if before == Some(value) => {}
                // A null removes a key, which is the only way to remove one without a canonical name.
                Some(_) if value.is_null() => drop(out.shift_remove(self.native_name(name))),
                _ => self.put(&mut out, name, value)?,
            }
        }
        let mut kept = Vec::new();
        for name in self.before.keys().filter(|name| !self.mentions(name)) {
            if CANONICAL_KEYS.contains(&name.as_str()) {
                out.shift_remove(self.native_name(name));
            } else {
                kept.push(self.native_name(name).to_owned());
            }
        }
        let input = Some(out);
        Ok(RewrittenInput { input, kept })
    }

    fn put(&self, out: &mut Map<String, Value>, name: &str, value: &Value) -> Result<(), String> {
        let (native, value) = match self.key(name) {
            Some(KeyRow(native, _, form)) => {
                let value = form.native(out.get(*native), value);
                let value = value.map_err(|why| format!("{why} as `{name}`"))?;
                ((*native).to_owned(), value)
            }
            // The hook uses the agent's own key, or one that has no other name.
            None => (name.to_owned(), value.clone()),
        };
        out.insert(native, value);
        Ok(())
    }

    /// Whether the rewrite also has the canonical key for one of the agent's, which then counts.
    fn is_shadowed(&self, name: &str) -> bool {
        let canonical = |key: &KeyRow| self.updated.keys().any(|word| key.owns(word));
        self.all
            .iter()
            .any(|key| key.0 == name && !key.owns(name) && canonical(key))
    }

    fn native_name<'k>(&self, name: &'k str) -> &'k str {
        self.key(name).map_or(name, |key| key.0)
    }

    /// The key for a canonical name: one that the input has, else one that it could have.
    fn key(&self, name: &str) -> Option<&'static KeyRow> {
        // The input may have the canonical key itself, which then is the tool's own.
        let own = |key: &&'static KeyRow| key.owns(name);
        let had = self.keys.iter().copied().find(own);
        let could = || self.all.iter().find(own);
        had.or_else(|| could().filter(|_| !self.before.contains_key(name)))
    }

    /// Whether the rewrite speaks of a key, under the canonical name or the agent's.
    fn mentions(&self, name: &str) -> bool {
        let said = |word: &str| self.updated.contains_key(word);
        said(name)
            || self
                .key(name)
                .is_some_and(|key| said(key.0) || self.updated.keys().any(|word| key.owns(word)))
    }
}
