//! How alike a model finds texts that have nothing to do with each other.
//!
//! Cosines mean something else with every model. Measured in deviations from what the model says of unrelated
//! texts, they mean the same with all.

use crate::embed::{EmbedError, Embedder};

/// Questions and answers of which none belongs to another.
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

/// As many vectors of a shelf as weigh as much as the texts above.
const PRIOR: f32 = 64.0;

/// What unrelated texts look like: mean and deviation of their cosines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Background {
    /// The mean.
    pub mean: f32,
    /// The deviation.
    pub deviation: f32,
}

impl Background {
    /// Measures a model. Done once for each.
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

    /// The same, the better informed the more cosines of a query with texts of a shelf there are.
    #[must_use]
    pub(super) fn informed(self, cosines: &[f32]) -> Self {
        if cosines.is_empty() {
            return self;
        }
        #[expect(clippy::cast_precision_loss, reason = "a few hundred")]
        let count = cosines.len() as f32;
        let share = count / (count + PRIOR);
        let seen = Self::of(cosines);
        Self {
            mean: share * seen.mean + (1.0 - share) * self.mean,
            deviation: share * seen.deviation + (1.0 - share) * self.deviation,
        }
    }

    /// A cosine in deviations.
    pub(super) fn standing(self, cosine: f32) -> f32 {
        ((cosine - self.mean) / self.deviation).clamp(-3.0, 12.0)
    }
}
