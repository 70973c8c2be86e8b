//! Ranking: from features to an order.
//!
//! A weighted sum per corpus, fitted so that answers come before other candidates. `make eval` measures it on questions that
//! were not used for fitting.

use becket_store::CorpusKind;

use super::features::Features;

/// Number of features for ranking.
pub const RANKING_FEATURES: usize = 30;

/// The ranking weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranker {
    /// For plain queries.
    pub plain: [f32; RANKING_FEATURES],
    /// For queries that name a definition.
    pub named: [f32; RANKING_FEATURES],
}

const MEMORY: Ranker = Ranker {
    plain: [
        -0.910, 1.873, 2.319, 3.043, 3.191, -0.188, 0.452, 0.000, -0.188, 0.813, -0.729, 0.982,
        -0.810, -1.994, 1.237, 3.747, 1.214, 0.333, 0.888, 0.206, -0.896, 0.079, -0.759, 1.409,
        0.333, 0.000, 0.000, 0.000, 0.000, 0.000,
    ],
    named: [
        -0.910, 1.873, 2.319, 3.043, 3.191, -0.188, 0.452, 0.000, -0.188, 0.813, -0.729, 0.982,
        -0.810, -1.994, 1.237, 3.747, 1.214, 0.333, 0.888, 0.206, -0.896, 0.079, -0.759, 1.409,
        0.333, 0.000, 0.000, 0.000, 0.000, 0.000,
    ],
};
const CODE: Ranker = Ranker {
    plain: [
        0.721, 1.374, 0.335, 3.258, 2.855, 2.468, 0.532, 0.000, 0.150, -0.266, -1.924, -2.573,
        1.633, 0.148, 0.939, 1.280, 0.621, -0.209, 0.168, 1.038, -0.165, 0.481, -0.400, 2.092,
        2.476, 2.474, 0.144, -1.018, 0.145, -1.863,
    ],
    named: [
        1.081, 0.435, 0.113, 0.582, 0.427, 1.284, 1.329, 4.774, 0.022, 0.186, 0.364, 0.598, 0.052,
        0.954, 0.031, 1.038, 0.123, 1.229, 0.138, 1.081, 0.113, 1.232, 0.222, 0.157, 0.022, 0.001,
        0.002, 0.003, 0.000, 0.001,
    ],
};

impl Ranker {
    /// The weights for a corpus.
    pub fn of(corpus: CorpusKind) -> Self {
        match corpus {
            CorpusKind::Memory => MEMORY,
            CorpusKind::Code => CODE,
        }
    }

    /// The ranking score. A difference of one means 2.7 times more likely.
    pub fn order(&self, features: &Features) -> f32 {
        let weights = if features.query.is_defined {
            self.named
        } else {
            self.plain
        };
        let numbers = features.ranking();
        weights.iter().zip(numbers).map(|(w, x)| w * x).sum()
    }
}

/// The score of a virtual weak match. It prevents the only text of a corpus from being the answer to everything.
const BASELINE_ORDER: f32 = 4.0;

/// Ranks all candidates of a query and computes the dependent features.
pub fn rank<'f>(ranker: &Ranker, all: impl Iterator<Item = &'f mut Features>) {
    let mut all: Vec<&mut Features> = all.collect();
    let (mut first, mut second) = (f32::NEG_INFINITY, BASELINE_ORDER);
    let mut sum = BASELINE_ORDER.exp();
    for one in &mut all {
        one.fused = ranker.order(one);
        sum += one.fused.exp();
        second = second.max(one.fused.min(first));
        first = first.max(one.fused);
    }
    for one in all {
        let other = if one.fused >= first { second } else { first };
        one.margin = one.fused - other;
        one.share = one.fused.exp() / sum;
    }
}
