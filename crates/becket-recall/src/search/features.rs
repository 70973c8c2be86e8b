//! Features of a query and a text.

use super::calibrate::FEATURES;
use super::rank::RANKING_FEATURES;

/// The features of a result. They do not depend on the embedding model.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Features {
    /// The weighted share of query terms in the text, from 0 to 1.
    pub coverage: f32,
    /// The same for all texts of the file together.
    pub breadth: f32,
    /// BM25 relative to its maximum.
    pub strength: f32,
    /// BM25 relative to the best text.
    pub lexical: f32,
    /// The z-score of the cosine.
    pub standing: f32,
    /// The weighted share of query terms in the title.
    pub titled: f32,
    /// The share of title terms in the query.
    pub named: f32,
    /// 1 if the text defines a name in the query, else 0.
    pub defined: f32,
    /// The weighted share of query terms in the file paths.
    pub placed: f32,
    /// The share of heading terms in the file paths.
    pub headed: f32,
    /// How well other texts of the same file match.
    pub support: f32,
    /// Rank by words: 1 for the first, 0.5 for the eleventh, 0 if not found.
    pub word_place: f32,
    /// Rank by vectors.
    pub meaning_place: f32,
    /// BM25 lead over the best other text, relative to the best.
    pub word_lead: f32,
    /// Z-score lead over the best other text.
    pub meaning_lead: f32,
    /// Number of matched query terms.
    pub matched: f32,
    /// Weight of the rarest missing query term.
    pub missing: f32,
    /// The weighted share of matched everyday words.
    pub everyday: f32,
    /// Features of the query.
    pub query: QueryFeatures,
    /// The ranking score (log odds).
    pub fused: f32,
    /// Lead of the ranking score over the best other text.
    pub margin: f32,
    /// The softmax share among all candidates.
    pub share: f32,
}

/// Features of a query and a corpus.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct QueryFeatures {
    /// Number of terms.
    pub terms: f32,
    /// Coverage of the best text by words.
    pub ground: f32,
    /// Z-score of the best text by vectors.
    pub peak: f32,
    /// Logarithm of the corpus size. In a small corpus, a rare word says less.
    pub size: f32,
    /// 1 if it contains a name that occurs in a text, else 0.
    pub mentions: f32,
    /// 1 if it has a heading, else 0. The word before a colon names a part of the project.
    pub heading: f32,
    /// Whether a text defines such a name. The other features then have another meaning.
    pub is_defined: bool,
}

impl Features {
    /// Normalised features for [`Ranker`](super::Ranker), which compares texts.
    pub fn ranking(&self) -> [f32; RANKING_FEATURES] {
        let standing = self.standing / 4.0;
        let QueryFeatures {
            ground,
            mentions,
            heading,
            ..
        } = self.query;
        let length = self.query.length();
        let peak = self.query.peak / 6.0;
        [
            self.lexical,
            self.strength,
            standing,
            self.coverage,
            self.breadth,
            self.titled,
            self.named,
            self.defined,
            self.placed,
            self.support,
            standing * self.coverage,
            self.lexical * ground,
            standing * ground,
            self.lexical * peak,
            standing * peak,
            self.lexical * length,
            standing * length,
            self.titled * length,
            self.support * length,
            self.lexical * mentions,
            standing * mentions,
            self.word_place,
            self.meaning_place,
            self.meaning_place * peak,
            self.placed * length,
            self.headed,
            self.lexical * heading,
            standing * heading,
            self.support * heading,
            self.meaning_place * heading,
        ]
    }

    /// Normalised features for [`Calibration`](super::Calibration), which tells answers from the best wrong texts.
    pub fn numbers(&self) -> [f32; FEATURES] {
        let standing = self.standing / 4.0;
        let length = self.query.length();
        let margin = self.margin.clamp(-4.0, 4.0) / 2.0;
        let meaning_lead = self.meaning_lead.clamp(-4.0, 4.0) / 2.0;
        let QueryFeatures {
            mentions,
            heading,
            size,
            ..
        } = self.query;
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
            self.share * self.coverage,
            self.share * standing,
            self.lexical,
            self.titled,
            self.named,
            self.defined,
            self.placed,
            self.support,
            self.breadth,
            mentions,
            mentions * self.coverage,
            mentions * self.share,
            self.word_lead,
            meaning_lead,
            // A lead in both methods is rarely a coincidence.
            self.word_lead.max(0.0) * meaning_lead.max(0.0),
            self.word_place * self.meaning_place,
            self.headed,
            heading,
            self.everyday,
            self.matched.min(6.0) / 3.0,
            self.missing / 5.0,
            size / 6.0,
        ]
    }
}

impl QueryFeatures {
    fn length(&self) -> f32 {
        (1.0 + self.terms).ln() / 2.0
    }
}
