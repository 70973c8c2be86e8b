//! Similarity of two texts by their words.

use std::collections::BTreeSet;

use crate::text::content_words;

/// The share of common words, from 0 to 1.
pub(super) fn word_similarity(one: &str, two: &str) -> f32 {
    let (one, two) = (word_set(one), word_set(two));
    let all = one.len() + two.len();
    if all == 0 {
        return 0.0;
    }
    let both = one.intersection(&two).count() * 2;
    #[expect(clippy::cast_precision_loss, reason = "texts have few words")]
    let share = both as f32 / all as f32;
    share
}

/// The number of distinct content words.
pub(super) fn word_count(text: &str) -> usize {
    word_set(text).len()
}

/// Whether both texts name the same files, commands and numbers. Texts that differ only in these are not duplicates.
pub(super) fn same_names(one: &str, two: &str) -> bool {
    let (one, two) = (names(one), names(two));
    let both = one.intersection(&two).count();
    both == one.len() || both == two.len()
}

fn names(text: &str) -> BTreeSet<String> {
    let quoted = text.split('`').skip(1).step_by(2).map(str::to_lowercase);
    let is_name = |word: &String| {
        let inner = word.trim_matches(|c: char| !c.is_alphanumeric());
        inner.contains(['_', '/', '.']) || inner.contains(|c: char| c.is_ascii_digit())
    };
    content_words(text)
        .into_iter()
        .filter(is_name)
        .chain(quoted)
        .collect()
}

fn word_set(text: &str) -> BTreeSet<String> {
    content_words(text).into_iter().collect()
}
