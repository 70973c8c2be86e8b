//! What is known about a query and a text together.

use super::calibrate::FEATURES;
use super::rank::RANKED;

/// What is known. None of it depends on which model made the vectors.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Features {
    /// How much of what the query asks for the text has, by weight of words: from 0 to 1.
    pub coverage: f32,
    /// How much of it the text and others of the same file have together.
    pub breadth: f32,
    /// BM25 as a part of the most it could be.
    pub strength: f32,
    /// BM25 as a part of the best text's.
    pub lexical: f32,
    /// The cosine in deviations from what unrelated texts have.
    pub standing: f32,
    /// How much of what the query asks for the title alone has.
    pub titled: f32,
    /// How much of the title the query has.
    pub named: f32,
    /// One if the text is the definition of a name in the query, else zero.
    pub defined: f32,
    /// How much of what the query asks for the paths of the text's files have.
    pub placed: f32,
    /// How much of the query's heading the paths of the text's files have.
    pub headed: f32,
    /// How well other texts of the same file fit.
    pub support: f32,
    /// Its place by words: one for the first, half for the eleventh, zero for those that were not found so.
    pub word_place: f32,
    /// Its place by meaning.
    pub meaning_place: f32,
    /// BM25 less that of the best other text, as a part of the best text's.
    pub word_lead: f32,
    /// The standing less that of the best other text.
    pub meaning_lead: f32,
    /// How many of the query's terms the text has.
    pub matched: f32,
    /// How much the rarest of those tells that it has not.
    pub missing: f32,
    /// How much of what the query asks for is everyday words that the text has.
    pub everyday: f32,
    /// What is known about the query alone.
    pub query: QueryFeatures,
    /// The fused score, a logarithm.
    pub fused: f32,
    /// The fused score less that of the best other text.
    pub margin: f32,
    /// The share of the text among all that were looked at, if one of them is the answer.
    pub share: f32,
}

/// What is known about a query and a shelf.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct QueryFeatures {
    /// How many terms it has.
    pub terms: f32,
    /// The coverage of the text that is best by words: whether words lead anywhere.
    pub ground: f32,
    /// The standing of the text that is best by meaning: whether meaning does.
    pub peak: f32,
    /// How many texts there are, as a logarithm: the fewer, the less it says that a word is rare among them.
    pub size: f32,
    /// One if it has a name that some text has, else zero.
    pub mentions: f32,
    /// One if it has a heading, else zero: what is before a colon is a part of the project rather than a word.
    pub heading: f32,
    /// Whether a text is the definition of such a name. Then everything else means something else.
    pub is_defined: bool,
}

impl Features {
    /// As numbers of about one, for [`Ranker`](super::Ranker): what tells texts from each other.
    pub fn ranking(&self) -> [f32; RANKED] {
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

    /// As numbers of about one, for [`Calibration`](super::Calibration): what tells answers from texts that only
    /// are the best there is.
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
            // Who is ahead in both ways is seldom ahead by chance.
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
