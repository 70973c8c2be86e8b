//! Ids of records: sortable by time, unique without coordination.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::{SystemTime, UNIX_EPOCH};

const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Creates an id: 48 bits of milliseconds since 1970 and 80 random bits, in 26 characters (base 32).
pub fn new_id() -> String {
    let elapsed = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let millis = elapsed.as_millis() & 0xffff_ffff_ffff;
    // The operating system seeds `RandomState`; the process id and the clock are mixed in.
    let random_bits = || {
        let mut hasher = RandomState::new().build_hasher();
        hasher.write_u32(std::process::id());
        hasher.write_u128(elapsed.as_nanos());
        u128::from(hasher.finish())
    };
    let random = (random_bits() << 64 | random_bits()) & ((1 << 80) - 1);
    encode(millis << 80 | random)
}

fn encode(mut bits: u128) -> String {
    let mut text = [0u8; 26];
    for slot in text.iter_mut().rev() {
        *slot = ALPHABET[(bits & 31) as usize];
        bits >>= 5;
    }
    text.iter().map(|byte| char::from(*byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_sort_by_time() {
        let ids: std::collections::HashSet<String> = (0..1000).map(|_| new_id()).collect();
        assert_eq!(ids.len(), 1000);
        assert!(encode(1 << 80) < encode(2 << 80));
        assert_eq!(encode(0), "0".repeat(26));
    }
}
