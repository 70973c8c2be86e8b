//! Programs, git commands, flags and variables that the code asks for by name (`data/programs.toml`).

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// Whether a sorted set contains `word`.
pub(crate) fn contains(set: &[&str], word: &str) -> bool {
    set.binary_search(&word).is_ok()
}
