//! The last so many things, by key: what was not asked for the longest goes first.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

/// A memory with a bound.
#[derive(Debug)]
pub(super) struct Recent<K, V> {
    most: usize,
    entries: HashMap<K, Entry<V>>,
    /// Keys by when they were last used; the first is the next to go.
    order: BTreeMap<u64, K>,
    uses: u64,
}

#[derive(Debug)]
struct Entry<V> {
    used: u64,
    value: V,
}

impl<K: Clone + Eq + Hash, V> Recent<K, V> {
    /// An empty one that holds at most `most`.
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            entries: HashMap::new(),
            order: BTreeMap::new(),
            uses: 0,
        }
    }

    /// What is known under a key; to look counts as a use.
    pub(super) fn get(&mut self, key: &K) -> Option<&mut V> {
        let entry = self.entries.get_mut(key)?;
        self.uses += 1;
        self.order.remove(&entry.used);
        self.order.insert(self.uses, key.clone());
        entry.used = self.uses;
        Some(&mut entry.value)
    }

    /// Puts a value under a key, in place of what was there.
    pub(super) fn put(&mut self, key: K, value: V) {
        self.uses += 1;
        let entry = Entry {
            used: self.uses,
            value,
        };
        self.order.insert(self.uses, key.clone());
        if let Some(old) = self.entries.insert(key, entry) {
            self.order.remove(&old.used);
        }
        while self.entries.len() > self.most {
            let Some((_, oldest)) = self.order.pop_first() else {
                return;
            };
            self.entries.remove(&oldest);
        }
    }

    /// Drops every key of which `is_over` is true.
    pub(super) fn forget(&mut self, is_over: impl Fn(&K) -> bool) {
        let order = &mut self.order;
        self.entries.retain(|key, entry| {
            let over = is_over(key);
            if over {
                order.remove(&entry.used);
            }
            !over
        });
    }

    /// Drops everything.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.order.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(recent: &Recent<u32, &str>) -> Vec<u32> {
        assert_eq!(recent.entries.len(), recent.order.len());
        recent.order.values().copied().collect()
    }

    #[test]
    fn what_was_not_used_for_the_longest_goes_first() {
        let mut recent = Recent::new(3);
        for key in [1, 2, 3] {
            recent.put(key, "old");
        }
        assert_eq!(recent.get(&1).copied(), Some("old"));
        recent.put(4, "new");
        assert_eq!(keys(&recent), [3, 1, 4]);
        assert_eq!(recent.get(&2), None);
    }

    #[test]
    fn a_key_that_is_put_again_is_there_once_with_the_new_value() {
        let mut recent = Recent::new(2);
        recent.put(1, "a");
        recent.put(2, "b");
        recent.put(1, "c");
        assert_eq!(keys(&recent), [2, 1]);
        assert_eq!(recent.get(&1).copied(), Some("c"));
    }

    #[test]
    fn what_is_forgotten_makes_room() {
        let mut recent = Recent::new(3);
        for key in 1..=3 {
            recent.put(key, "x");
        }
        recent.forget(|key| key % 2 == 1);
        assert_eq!(keys(&recent), [2]);
        recent.put(4, "y");
        recent.put(5, "z");
        assert_eq!(keys(&recent), [2, 4, 5]);
        recent.clear();
        assert_eq!(keys(&recent), [0; 0]);
    }

    #[test]
    fn a_thousand_and_one_keys_leave_a_thousand() {
        let mut recent = Recent::new(1000);
        for key in 0..1001 {
            recent.put(key, "x");
        }
        assert_eq!(keys(&recent).len(), 1000);
        assert!(recent.get(&0).is_none() && recent.get(&1).is_some());
    }
}
