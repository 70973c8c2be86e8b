//! Word patterns of prompt injections (`data/prompt-injection.toml`).

use super::PromptInjection;

/// A sequence of slots. One word of each slot must occur within [`MAX_GAP`] words after the previous slot. A trailing `*`
/// matches any ending.
type WordPattern = &'static [&'static [&'static str]];

/// Maximum number of words between two slots.
const MAX_GAP: usize = 3;

include!(concat!(env!("OUT_DIR"), "/prompt_injection.rs"));

pub(super) fn words(plain: &str) -> Vec<String> {
    let plain = plain.replace(['\'', '\u{2019}'], "");
    let words = plain.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

pub(super) fn occurs(pattern: WordPattern, words: &[String]) -> bool {
    let Some((first, rest)) = pattern.split_first() else {
        return true;
    };
    let starts = (0..words.len()).filter(|at| is_one_of(first, &words[*at]));
    let mut reached: Vec<usize> = starts.collect();
    for slot in rest {
        // Each position is visited once, which keeps the search linear.
        let mut next: Vec<usize> = Vec::new();
        for at in reached {
            let end = (at + 2 + MAX_GAP).min(words.len());
            let from = next.last().map_or(at + 1, |last| (last + 1).max(at + 1));
            next.extend((from..end).filter(|at| is_one_of(slot, &words[*at])));
        }
        reached = next;
    }
    !reached.is_empty()
}

fn is_one_of(slot: &[&str], word: &str) -> bool {
    slot.iter().any(|one| match one.strip_suffix('*') {
        Some(beginning) => word.starts_with(beginning),
        None => *one == word,
    })
}
