//! Another input for a call, as far as the agent takes one at the event.
//!
//! An error is why it cannot be said, as the start of a sentence.

use becket_model::{Event, ToolCall, Verdict};
use serde_json::{Map, Value};

use super::Kin;
use super::events::{KinEventRow, KinRewrite};

/// A rewrite that is larger as JSON is refused: a reply that is cut off is no refusal any more.
const REWRITE_LIMIT: usize = 700_000;

/// Words for the person about a call, which do not change what it does.
const DESCRIPTION: &str = "description";

/// A rewrite that is nested deeper is refused; Codex reads 128 levels, and a reply adds some.
const DEPTH_LIMIT: usize = 100;

/// Where a rewrite is to be said.
#[derive(Clone, Copy)]
pub(super) struct KinPlace<'a> {
    pub(super) kin: &'a Kin,
    pub(super) row: &'a KinEventRow,
    pub(super) name: &'a str,
    pub(super) event: Option<&'a Event>,
}

impl<'a> KinPlace<'a> {
    /// The rewrite as the agent takes it, or nothing if it changes nothing.
    pub(super) fn takes(
        &self,
        verdict: Verdict,
        input: &Value,
    ) -> Result<Option<Map<String, Value>>, String> {
        let title = self.kin.title;
        let Value::Object(input) = input else {
            return Err(format!("{title} takes only an object as a rewritten input"));
        };
        if self.row.rewrite == KinRewrite::No {
            return Err(format!("{title} takes no rewritten input at {}", self.name));
        }
        if self.row.rewrite == KinRewrite::Prompt {
            return self.takes_prompt(input).map(Some);
        }
        let Some((call, native)) = self.call() else {
            return Err(format!("{title} takes no rewritten input without a call"));
        };
        let out = self.kin.tools.rewritten(call, &native, input);
        if out == native {
            return Ok(None);
        }
        fits(&out).map_err(|why| format!("A rewritten input {why} would not reach {title}"))?;
        match self.row.rewrite {
            KinRewrite::AllowWord(only) => self.takes_key(only, call, &native, out).map(Some),
            KinRewrite::Merged => self.takes_merge(&native, out).map(Some),
            _ if verdict == Verdict::Allow => Ok(Some(out)),
            _ => Err(format!(
                "{title} takes a rewritten input at {} only with an allow",
                self.name
            )),
        }
    }

    fn takes_prompt(&self, input: &Map<String, Value>) -> Result<Map<String, Value>, String> {
        let prompt = input.get("prompt").and_then(Value::as_str);
        let prompt = prompt.filter(|_| input.len() == 1);
        let prompt = prompt.ok_or_else(|| {
            format!(
                "{} takes only another `prompt` at {}",
                self.kin.title, self.name
            )
        })?;
        let out = Map::from_iter([("prompt".to_owned(), Value::from(prompt))]);
        match fits(&out) {
            Ok(()) => Ok(out),
            Err(why) => Err(format!(
                "A rewritten prompt {why} would not reach {}",
                self.kin.title
            )),
        }
    }

    fn takes_key(
        &self,
        only: &[(&str, &str)],
        call: &ToolCall,
        native: &Map<String, Value>,
        mut out: Map<String, Value>,
    ) -> Result<Map<String, Value>, String> {
        let Some((tool, key)) = only.iter().find(|(tool, _)| *tool == call.name) else {
            return Ok(out);
        };
        let others = |map: &Map<String, Value>| {
            let mut map = map.clone();
            map.retain(|name, _| name != key && name != DESCRIPTION);
            map
        };
        match out.remove(*key) {
            Some(value @ Value::String(_)) if others(&out) == others(native) => {
                return Ok(Map::from_iter([((*key).to_owned(), value)]));
            }
            _ => {}
        }
        Err(format!(
            "{} takes only another `{key}` for {tool}",
            self.kin.title
        ))
    }

    /// Only what changes is said: the rest stays as it is, and the agent's own judgement of it too.
    fn takes_merge(
        &self,
        native: &Map<String, Value>,
        mut out: Map<String, Value>,
    ) -> Result<Map<String, Value>, String> {
        if let Some(gone) = native.keys().find(|key| !out.contains_key(*key)) {
            return Err(format!(
                "{} lays a rewritten input over the call's own and cannot take `{gone}` away",
                self.kin.title
            ));
        }
        out.retain(|key, value| native.get(key) != Some(value));
        Ok(out)
    }

    fn call(&self) -> Option<(&'a ToolCall, Map<String, Value>)> {
        let event = self.event?;
        let call = event.call()?;
        Some((call, self.kin.tools.native_input(call, &event.raw)))
    }

    /// A rewrite in the words that the model knows the tool by.
    pub(super) fn natively(&self, input: &Value) -> Value {
        match (self.call(), input) {
            (Some((call, native)), Value::Object(input)) => {
                Value::Object(self.kin.tools.rewritten(call, &native, input))
            }
            _ => input.clone(),
        }
    }
}

/// Whether a rewrite arrives whole.
fn fits(input: &Map<String, Value>) -> Result<(), String> {
    if input.values().map(depth).max().unwrap_or(0) >= DEPTH_LIMIT {
        return Err(format!("that is nested {DEPTH_LIMIT} levels deep"));
    }
    let size = serde_json::to_string(input).map_or(usize::MAX, |json| json.len());
    if size > REWRITE_LIMIT {
        return Err(format!("of more than {REWRITE_LIMIT} bytes"));
    }
    Ok(())
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}
