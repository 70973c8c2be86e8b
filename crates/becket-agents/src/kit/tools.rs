//! A tool's input in canonical keys, and a rewritten one back in the agent's own.
//!
//! An agent's tool is a [`KitShape`]: its native name, its canonical one, and the keys that differ. Going
//! back starts from what the agent sent: only what the rewrite changes is translated, so that keys
//! which the canonical form does not know stay as they are.

use becket_model::{Event, ToolCall};
use serde_json::{Map, Value};

use crate::adapter::Adapter;

/// A tool of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KitShape {
    /// The agent's name for it.
    pub(crate) native: &'static str,
    /// Becket's name for it.
    pub(crate) canonical: &'static str,
    /// The keys that differ, the agent's first.
    pub(crate) keys: &'static [(&'static str, &'static str)],
}

/// The keys that mean the same under every agent. A rewrite without one of them takes it away; a
/// rewrite without any other key leaves that one alone.
const CANONICAL: &[&str] = &[
    "command",
    "file_path",
    "content",
    "old_string",
    "new_string",
    "url",
    "pattern",
];

/// Which keys count as taken away when a rewrite does not have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KitKnown {
    /// The canonical ones.
    Canonical,
    /// All, because the input belongs to an unknown tool.
    All,
}

/// The call as the agent announced it, whatever was made of the event's input on its way: a rewrite is
/// measured by what would run without it.
pub(crate) fn as_sent(adapter: &dyn Adapter, event: &Event) -> Option<ToolCall> {
    let again = adapter.parse(Some(&event.native_name), event.raw.clone());
    let sent = again.ok().and_then(|event| event.call().cloned());
    sent.or_else(|| event.call().cloned())
}

/// For an agent that takes no rewrite: nothing if none is meant, else something that cannot be said.
pub(crate) fn differs(
    adapter: &dyn Adapter,
    event: &Event,
    after: &Value,
) -> Option<Map<String, Value>> {
    let same = as_sent(adapter, event).is_some_and(|call| call.input == *after);
    (!same).then(Map::new)
}

/// The input under canonical keys. Where a call has the agent's key and the canonical one, the agent's
/// counts, because that is the one that its tool reads: the other is a decoy or a mistake.
pub(crate) fn to_canonical(
    keys: &[(&str, &str)],
    native: &Map<String, Value>,
) -> Map<String, Value> {
    let ours = |key: &str| keys.iter().find(|(theirs, _)| *theirs == key);
    let shadowed = |key: &str| {
        keys.iter()
            .any(|(theirs, ours)| *ours == key && native.contains_key(*theirs))
    };
    native
        .iter()
        .filter(|(key, _)| !shadowed(key))
        .map(|(key, value)| (ours(key).map_or(key.as_str(), |(_, ours)| ours), value))
        .map(|(key, value)| (key.to_owned(), value.clone()))
        .collect()
}

/// What a rewrite changes, under the agent's keys: `None` if nothing. `before` is the canonical
/// input that was announced, `native` the one that the agent sent.
pub(crate) fn changes(
    keys: &[(&str, &str)],
    native: &Map<String, Value>,
    before: &Map<String, Value>,
    after: &Value,
    known: KitKnown,
) -> Result<Option<Map<String, Value>>, String> {
    let Value::Object(after) = after else {
        return Err("Only an object can be a rewritten input".to_owned());
    };
    let counts = |key: &str| known == KitKnown::All || CANONICAL.contains(&key);
    if let Some(gone) = before
        .keys()
        .find(|key| counts(key) && !after.contains_key(*key))
    {
        return Err(format!("The key `{gone}` cannot be taken out of the input"));
    }
    let theirs = |key: &String| {
        let pair = keys.iter().find(|(_, ours)| ours == key);
        match pair {
            Some((theirs, _)) if native.contains_key(*theirs) || !native.contains_key(key) => {
                (*theirs).to_owned()
            }
            _ => key.clone(),
        }
    };
    let changed: Map<String, Value> = after
        .iter()
        .filter(|(key, value)| before.get(*key) != Some(*value))
        .map(|(key, value)| (theirs(key), value.clone()))
        .collect();
    Ok((!changed.is_empty()).then_some(changed))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const KEYS: &[(&str, &str)] = &[("path", "file_path"), ("contents", "content")];

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn a_rewrite_comes_back_under_the_agents_keys() {
        let native = map(json!({ "path": "a.rs", "contents": "x", "mode": 1 }));
        let before = to_canonical(KEYS, &native);
        assert_eq!(
            Value::Object(before.clone()),
            json!({ "file_path": "a.rs", "content": "x", "mode": 1 })
        );
        let changed = |after: Value| changes(KEYS, &native, &before, &after, KitKnown::Canonical);
        assert_eq!(
            changed(json!({ "file_path": "b.rs", "content": "x" })),
            Ok(Some(map(json!({ "path": "b.rs" }))))
        );
        assert_eq!(
            changed(json!({ "file_path": "a.rs", "content": "x", "mode": 2 })),
            Ok(Some(map(json!({ "mode": 2 }))))
        );
        assert_eq!(changed(Value::Object(before.clone())), Ok(None));
        assert!(changed(json!({ "content": "y" })).is_err());
        assert!(changed(json!(["x"])).is_err());
    }

    #[test]
    fn a_key_that_is_canonical_already_is_left_alone_in_both_directions() {
        let native = map(json!({ "file_path": "a" }));
        let before = to_canonical(KEYS, &native);
        assert_eq!(before, native);
        assert_eq!(
            changes(
                KEYS,
                &native,
                &before,
                &json!({ "file_path": "b" }),
                KitKnown::Canonical
            ),
            Ok(Some(map(json!({ "file_path": "b" }))))
        );
    }

    #[test]
    fn a_canonical_key_beside_the_agents_own_hides_nothing_from_a_guard() {
        let native = map(json!({ "file_path": "harmless.txt", "path": ".env" }));
        let before = to_canonical(KEYS, &native);
        assert_eq!(
            Value::Object(before.clone()),
            json!({ "file_path": ".env" })
        );
        assert_eq!(
            changes(
                KEYS,
                &native,
                &before,
                &json!({ "file_path": "b" }),
                KitKnown::Canonical
            ),
            Ok(Some(map(json!({ "path": "b" }))))
        );
    }
}
