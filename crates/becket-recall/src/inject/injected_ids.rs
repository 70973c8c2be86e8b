//! Deduplicates injected items within a session.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// Maximum number of ids per session. The oldest are dropped first and may be injected again.
const MAX_IDS: usize = 1_000;

/// The ids of everything injected into a session. The caller stores it with the session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InjectedIds {
    /// `memory:ID`, `session:ID` or `code:HASH`, oldest first.
    ids: VecDeque<String>,
}

impl InjectedIds {
    /// Whether an item was injected.
    pub fn contains(&self, id: &str) -> bool {
        self.ids.iter().any(|known| known == id)
    }

    /// Whether nothing was injected.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Clears the list after the model's context was cleared or compacted.
    pub fn clear(&mut self) {
        self.ids.clear();
    }

    pub(super) fn add(&mut self, id: &str) {
        if self.contains(id) {
            return;
        }
        self.ids.push_back(id.to_owned());
        while self.ids.len() > MAX_IDS {
            self.ids.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn injected_ids_serialise_as_a_bounded_list() {
        let mut injected = InjectedIds::default();
        for number in 0..=MAX_IDS {
            injected.add(&format!("memory:{number}"));
            injected.add("memory:1");
        }
        assert!(!injected.contains("memory:0") && injected.contains("memory:1000"));
        let stored: InjectedIds = serde_json::from_str(r#"["memory:a","code:b"]"#).unwrap();
        assert!(stored.contains("memory:a") && stored.contains("code:b"));
        let again = serde_json::to_string(&stored).unwrap();
        assert_eq!(again, r#"["memory:a","code:b"]"#);
    }
}
