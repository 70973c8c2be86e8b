//! A small LRU cache.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

/// A map of limited size that evicts the least recently used entry.
#[derive(Debug)]
pub(super) struct LruCache<K, V> {
    capacity: usize,
    entries: HashMap<K, CacheEntry<V>>,
    /// Keys by their last use; the first is evicted next.
    order: BTreeMap<u64, K>,
    uses: u64,
}

#[derive(Debug)]
struct CacheEntry<V> {
    last_use: u64,
    value: V,
}

impl<K: Clone + Eq + Hash, V> LruCache<K, V> {
    /// An empty cache for at most `capacity` entries.
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            capacity,
            entries: HashMap::new(),
            order: BTreeMap::new(),
            uses: 0,
        }
    }

    /// Looks up a key, and marks it as used.
    pub(super) fn get(&mut self, key: &K) -> Option<&mut V> {
        let entry = self.entries.get_mut(key)?;
        self.uses += 1;
        self.order.remove(&entry.last_use);
        self.order.insert(self.uses, key.clone());
        entry.last_use = self.uses;
        Some(&mut entry.value)
    }

    /// Inserts or replaces an entry.
    pub(super) fn insert(&mut self, key: K, value: V) {
        self.uses += 1;
        let entry = CacheEntry {
            last_use: self.uses,
            value,
        };
        self.order.insert(self.uses, key.clone());
        if let Some(old) = self.entries.insert(key, entry) {
            self.order.remove(&old.last_use);
        }
        while self.entries.len() > self.capacity {
            let Some((_, oldest)) = self.order.pop_first() else {
                return;
            };
            self.entries.remove(&oldest);
        }
    }

    /// Removes every key for which `should_remove` returns true.
    pub(super) fn remove_where(&mut self, should_remove: impl Fn(&K) -> bool) {
        let order = &mut self.order;
        self.entries.retain(|key, entry| {
            let remove = should_remove(key);
            if remove {
                order.remove(&entry.last_use);
            }
            !remove
        });
    }

    /// Removes all entries.
    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.order.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(cache: &LruCache<u32, &str>) -> Vec<u32> {
        assert_eq!(cache.entries.len(), cache.order.len());
        cache.order.values().copied().collect()
    }

    #[test]
    fn least_recently_used_entry_is_evicted_first() {
        let mut cache = LruCache::new(3);
        for key in [1, 2, 3] {
            cache.insert(key, "old");
        }
        assert_eq!(cache.get(&1).copied(), Some("old"));
        cache.insert(4, "new");
        assert_eq!(keys(&cache), [3, 1, 4]);
        assert_eq!(cache.get(&2), None);
    }

    #[test]
    fn inserting_a_key_again_replaces_its_value() {
        let mut cache = LruCache::new(2);
        cache.insert(1, "a");
        cache.insert(2, "b");
        cache.insert(1, "c");
        assert_eq!(keys(&cache), [2, 1]);
        assert_eq!(cache.get(&1).copied(), Some("c"));
    }

    #[test]
    fn removed_entries_free_capacity() {
        let mut cache = LruCache::new(3);
        for key in 1..=3 {
            cache.insert(key, "x");
        }
        cache.remove_where(|key| key % 2 == 1);
        assert_eq!(keys(&cache), [2]);
        cache.insert(4, "y");
        cache.insert(5, "z");
        assert_eq!(keys(&cache), [2, 4, 5]);
        cache.clear();
        assert_eq!(keys(&cache), [0; 0]);
    }

    #[test]
    fn capacity_is_never_exceeded() {
        let mut cache = LruCache::new(1000);
        for key in 0..1001 {
            cache.insert(key, "x");
        }
        assert_eq!(keys(&cache).len(), 1000);
        assert!(cache.get(&0).is_none() && cache.get(&1).is_some());
    }
}
