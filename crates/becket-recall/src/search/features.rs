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
        let length = (1.0 + self.terms).ln() / 2.0;
        let margin = self.margin.clamp(-1.0, 1.0);
        [
            1.0,
            self.coverage,
            self.strength,
            standing,
            self.coverage * standing,
            margin,
            length,
            self.coverage * length,
            standing * length,
            self.titled,
            self.named,
            self.lexical,
            // Where a name is known, all of it means something else.
            self.by_name,
            self.by_name * margin,
            self.by_name * self.titled,
            self.by_name * self.coverage,
            self.by_name * standing,
            self.by_name * self.lexical,
            self.by_name * length,
        ]
    }
}
