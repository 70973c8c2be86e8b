//! The cosine distribution of unrelated texts.
//!
//! Cosine values differ between models. As z-scores against unrelated texts, they are comparable.

use crate::embed::{EmbedError, Embedder};

/// Unrelated questions and answers.
const QUESTIONS: [&str; 8] = [
    "how are passwords hashed before they are stored",
    "the release script fails on macOS because of sed",
    "make the sidebar collapse on small screens",
    "where is the retry policy of the payment client",
    "rename the column without locking the table",
    "why does the linter ignore generated files",
    "add German translations for the checkout page",
    "flaky test in the websocket reconnect suite",
];
const ANSWERS: [&str; 8] = [
    "The image cache evicts by size, not by age; thumbnails are rebuilt at night.",
    "fn parse_duration(text: &str) -> Option<Duration> { text.strip_suffix(\"ms\")?.parse().ok() }",
    "Kafka consumers must commit offsets after the database transaction.",
    "Use the shared date picker; the old one ignores the user's time zone.",
    "def moving_average(values, window): return [mean(values[i:i + window]) for i in range(len(values))]",
    "Decided to vendor the protobuf files instead of fetching them at build time.",
    "Terraform state lives in the eu-west bucket; lock it before importing.",
    "CSV exports are limited to fifty thousand rows, larger ones go through the queue.",
];

/// The weight of this prior, as a number of vectors.
const PRIOR_WEIGHT: f32 = 64.0;

/// Mean and standard deviation of the cosines of unrelated texts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CosineBackground {
    /// The mean.
    pub mean: f32,
    /// The standard deviation.
    pub deviation: f32,
}

impl CosineBackground {
    /// Measures a model, once.
    pub fn measure(model: &dyn Embedder) -> Result<Self, EmbedError> {
        let questions = model.embed(&QUESTIONS)?;
        let answers = model.embed(&ANSWERS)?;
        let cosine = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum();
        let pairs = questions
            .iter()
            .flat_map(|q| answers.iter().map(move |a| cosine(q, a)));
        let cosines: Vec<f32> = pairs.collect();
        Ok(Self::of(&cosines))
    }

    fn of(cosines: &[f32]) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
        let count = cosines.len().max(1) as f32;
        let mean = cosines.iter().sum::<f32>() / count;
        let variance = cosines.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / count;
        Self {
            mean,
            deviation: variance.sqrt().max(0.02),
        }
    }

    /// Blends the prior with the cosines of a query and texts of a corpus.
    #[must_use]
    pub(super) fn blended_with(self, cosines: &[f32]) -> Self {
        if cosines.is_empty() {
            return self;
        }
        #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
        let count = cosines.len() as f32;
        let share = count / (count + PRIOR_WEIGHT);
        let seen = Self::of(cosines);
        Self {
            mean: share * seen.mean + (1.0 - share) * self.mean,
            deviation: share * seen.deviation + (1.0 - share) * self.deviation,
        }
    }

    /// The z-score of a cosine.
    pub(super) fn z_score(self, cosine: f32) -> f32 {
        ((cosine - self.mean) / self.deviation).clamp(-3.0, 12.0)
    }
}
