//! What is known about a query and a text together.

use super::calibrate::FEATURES;
use super::rank::RANKED;

/// What is known. None of it depends on which model made the vectors.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Features {
    /// How much of what the query asks for the text has, by weight of words: from 0 to 1.
    pub coverage: f32,
    /// The coverage of the text that is best by words: whether words lead anywhere.
    pub ground: f32,
    /// BM25 as a part of the most it could be.
    pub strength: f32,
    /// BM25 as a part of the best text's.
    pub lexical: f32,
    /// The cosine in deviations from what unrelated texts have.
    pub standing: f32,
    /// How many terms the query has.
    pub terms: f32,
    /// How much of what the query asks for the title alone has.
    pub titled: f32,
    /// How much of the title the query has.
    pub named: f32,
    /// How much of what the query asks for the paths of the text's files have.
    pub placed: f32,
    /// How well other texts of the same file fit.
    pub support: f32,
    /// One if the query has a name that some text has, else zero.
    pub by_name: f32,
    /// One if such a name is this text's title, or a part of it.
    pub defined: f32,
    /// The fused score, a logarithm.
    pub fused: f32,
    /// The fused score less that of the best other text.
    pub margin: f32,
    /// The share of the text among all that were looked at, if one of them is the answer.
    pub share: f32,
}

impl Features {
    /// As numbers of about one, for [`Ranker`](super::Ranker): what tells texts from each other.
    pub fn ranking(&self) -> [f32; RANKED] {
        let standing = self.standing / 4.0;
        let length = self.length();
        [
            self.lexical,
            self.strength,
            standing,
            self.coverage,
            self.titled,
            self.named,
            self.defined,
            self.placed,
            self.support,
            self.lexical * self.ground,
            standing * self.ground,
            standing * self.coverage,
            self.lexical * length,
            standing * length,
            // Where a name is known, all of it means something else.
            self.by_name * self.lexical,
            self.by_name * standing,
            self.by_name * self.named,
            self.by_name * self.placed,
            self.by_name * self.support,
        ]
    }

    /// As numbers of about one, for [`Calibration`](super::Calibration): what tells answers from texts that only
    /// are the best there is.
    pub fn numbers(&self) -> [f32; FEATURES] {
        let standing = self.standing / 4.0;
        let length = self.length();
        let margin = self.margin.clamp(-4.0, 4.0) / 2.0;
        [
            1.0,
            self.coverage,
            self.strength,
            standing,
            self.coverage * standing,
            margin,
            self.share,
            length,
            self.coverage * length,
            standing * length,
            self.titled,
            self.named,
            self.lexical,
            self.placed,
            self.support,
            self.defined,
            self.by_name,
            self.by_name * margin,
            self.by_name * self.coverage,
            self.by_name * standing,
            self.by_name * self.lexical,
            self.by_name * length,
        ]
    }

    fn length(&self) -> f32 {
        (1.0 + self.terms).ln() / 2.0
    }
}
