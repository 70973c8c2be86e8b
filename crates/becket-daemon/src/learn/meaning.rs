//! Memories that say the same in other words.
//!
//! Always by the model inside the program, whichever one things are found by: it costs nothing, and how near is near
//! enough was chosen for it.

use becket_learn::Similar;
use becket_recall::embed::{Builtin, Embedder};

/// Texts at least this near say the same. Chosen on a few dozen pairs of sentences, those of the test below among them:
/// about half of those that say one thing in other words are nearer, those that differ in a word that matters are not.
const SAME: f32 = 0.74;

/// What such a text counts at least in the scale of words, where [`SAME`] stands whether or not both are about one file.
const COUNTS: f32 = 0.88;

/// The model inside the program.
pub(super) struct ByMeaning;

impl Similar for ByMeaning {
    fn scores(&self, text: &str, known: &[&str]) -> Vec<f32> {
        let (Ok(new), Ok(known)) = (Builtin.embed(&[text]), Builtin.embed(known)) else {
            return Vec::new();
        };
        let new = &new[0];
        known.iter().map(|one| score(cosine(new, one))).collect()
    }
}

fn cosine(one: &[f32], two: &[f32]) -> f32 {
    one.iter().zip(two).map(|(x, y)| x * y).sum()
}

/// From the scale of cosines to that of words.
fn score(cosine: f32) -> f32 {
    if cosine < SAME {
        return 0.0;
    }
    COUNTS + (cosine.min(1.0) - SAME) / (1.0 - SAME) * (1.0 - COUNTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_same(one: &str, two: &str) -> bool {
        ByMeaning.scores(one, &[two])[0] >= COUNTS
    }

    #[test]
    fn what_is_said_in_other_words_is_the_same_and_what_differs_in_a_word_that_matters_is_not() {
        for (one, two) in [
            (
                "Use snake_case for json fields",
                "JSON fields are written in snake_case",
            ),
            (
                "Log with the tracing crate, not println",
                "Use tracing for logging instead of println",
            ),
            (
                "Don't mock the database in tests",
                "Tests must use a real database instead of mocks",
            ),
            (
                "Every endpoint needs an authorization check",
                "All endpoints must check authorization",
            ),
        ] {
            assert!(is_same(one, two), "{one} | {two}");
        }
        for (one, two) in [
            (
                "Always run the tests before you commit",
                "Always run the formatter before you commit",
            ),
            (
                "Don't use unwrap in library code",
                "Don't use println in library code",
            ),
            (
                "Access tokens expire after one hour",
                "Refresh tokens expire after one month",
            ),
            ("Never push to main", "Never push to the release branch"),
            ("Dates are stored in UTC", "Dates are shown in local time"),
        ] {
            assert!(!is_same(one, two), "{one} | {two}");
        }
    }
}
