//! "Did you mean": the known word that is nearest to a misspelt one.

/// Longer words are compared by their start.
const MAX_CHARS: usize = 32;

/// The known word that was probably meant; `None` if no known word is near. Case, `-`, `_`, `:`, `.` and spaces do not
/// count, and two swapped letters are one mistake.
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let word = fold(word);
    let distance = |candidate: &&str| strsim::osa_distance(&word, &fold(candidate));
    // A short word may be nearer than a long one and still be too far for its length.
    known
        .into_iter()
        .map(|candidate| (distance(&candidate), candidate))
        .filter(|(distance, candidate)| *distance <= allowed_mistakes(candidate.len()))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// One mistake in a word of three letters, two from six letters on, more in long words.
fn allowed_mistakes(length: usize) -> usize {
    (length / 3).min(2).max(length / 4)
}

fn fold(word: &str) -> String {
    word.chars()
        .filter(|c| !matches!(c, '-' | '_' | ':' | '.' | ' '))
        .map(|c| c.to_ascii_lowercase())
        .take(MAX_CHARS)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_suggested_and_far_ones_are_not() {
        let known = ["timeout", "on", "PreToolUse", "session-start"];
        for (word, expected) in [
            ("timout", Some("timeout")),
            ("TIME_OUT", Some("timeout")),
            ("tiemout", Some("timeout")),
            ("PreTolUse", Some("PreToolUse")),
            ("sesionstart", Some("session-start")),
            ("of", None),
            ("banana", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, known), expected, "{word}");
        }
        assert_eq!(nearest("timeout", []), None);
        assert_eq!(nearest(&"x".repeat(100_000), known), None);
    }
}
