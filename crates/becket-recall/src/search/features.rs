//! What is known about a query and a text together.

use super::calibrate::FEATURES;

/// What is known. None of it depends on which model made the vectors.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Features {
    /// How much of what the query asks for the text has, by weight of words: from 0 to 1.
    pub coverage: f32,
    /// BM25 as a part of the most it could be.
    pub strength: f32,
    /// The cosine in deviations from what unrelated texts have.
    pub standing: f32,
    /// The fused score.
    pub fused: f32,
    /// The fused score less that of the best other text.
    pub margin: f32,
    /// How many terms the query has.
    pub terms: f32,
    /// How much of what the query asks for the title alone has.
    pub titled: f32,
    /// How much of the title the query has.
    pub named: f32,
    /// BM25 as a part of the best text's.
    pub lexical: f32,
    /// One if the query has a name that some text has, else zero.
    pub by_name: f32,
}

impl Features {
    /// As numbers of about one, for [`Calibration`](super::Calibration).
    pub fn numbers(&self) -> [f32; FEATURES] {
        let standing = self.standing / 4.0;
        let short = (1.0 + self.terms).ln() / 2.0;
        [
            1.0,
            self.coverage,
            self.strength,
            standing,
            self.coverage * standing,
            self.margin.clamp(-1.0, 1.0),
            short,
            self.coverage * short,
            standing * short,
            self.titled,
            self.named,
            self.lexical,
            self.by_name,
            self.by_name * self.margin.clamp(-1.0, 1.0),
            self.by_name * self.titled,
        ]
    }
}
