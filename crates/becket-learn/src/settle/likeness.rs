//! How much two texts have in common.

use std::collections::BTreeSet;

use crate::text::content_words;

/// Words in common, from 0 to 1.
pub(super) fn likeness(one: &str, two: &str) -> f32 {
    let (one, two) = (set(one), set(two));
    let all = one.len() + two.len();
    if all == 0 {
        return 0.0;
    }
    let both = one.intersection(&two).count() * 2;
    #[expect(clippy::cast_precision_loss, reason = "texts have few words")]
    let share = both as f32 / all as f32;
    share
}

/// How many words a text has.
pub(super) fn size(text: &str) -> usize {
    set(text).len()
}

/// Whether both are about the same files, commands and numbers. Sentences that differ in nothing else differ in
/// everything.
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

fn set(text: &str) -> BTreeSet<String> {
    content_words(text).into_iter().collect()
}
