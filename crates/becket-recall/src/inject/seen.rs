//! What was told before.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

/// As many things are remembered for a session; then the first are forgotten, and may be told again.
const MOST: usize = 1_000;

/// What a session was told. It belongs to whoever keeps sessions, and is stored as it is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Seen {
    /// `memory:ID`, `session:ID` or `code:HASH`, the oldest first.
    ids: VecDeque<String>,
}

impl Seen {
    /// Whether something was told.
    pub fn contains(&self, id: &str) -> bool {
        self.ids.iter().any(|known| known == id)
    }

    /// Nothing was told yet.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The model has not read it any more: its context was emptied or summed up.
    pub fn forget(&mut self) {
        self.ids.clear();
    }

    pub(super) fn add(&mut self, id: &str) {
        if self.contains(id) {
            return;
        }
        self.ids.push_back(id.to_owned());
        while self.ids.len() > MOST {
            self.ids.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_stored_as_a_list_and_never_grows_without_end() {
        let mut seen = Seen::default();
        for number in 0..=MOST {
            seen.add(&format!("memory:{number}"));
            seen.add("memory:1");
        }
        assert!(!seen.contains("memory:0") && seen.contains("memory:1000"));
        let stored: Seen = serde_json::from_str(r#"["memory:a","code:b"]"#).unwrap();
        assert!(stored.contains("memory:a") && stored.contains("code:b"));
        let again = serde_json::to_string(&stored).unwrap();
        assert_eq!(again, r#"["memory:a","code:b"]"#);
    }
}
