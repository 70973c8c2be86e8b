//! From what is known to the order in which texts come.
//!
//! A weighted sum, fitted so that the answer of a question comes before the other texts that were looked at
//! (`make eval` prints how well it does on questions that it was not fitted on). One for each kind of shelf.

use becket_store::Shelf;

use super::features::Features;

/// How many numbers texts are ordered by.
pub const RANKED: usize = 30;

/// The weights of what is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranker {
    /// For queries in words.
    pub plain: [f32; RANKED],
    /// For those that name something that is defined.
    pub named: [f32; RANKED],
}

const MEMORY: Ranker = Ranker {
    plain: [
        -0.541, 1.056, 1.861, 2.520, 3.172, -0.256, 0.493, 0.000, -0.256, 1.003, -0.059, 1.630,
        -0.578, -0.680, 1.005, 2.166, 1.809, 0.411, 1.054, 0.000, 0.000, 0.078, -0.313, 0.756,
        0.411, 0.000, 0.000, 0.000, 0.000, 0.000,
    ],
    named: [
        -0.541, 1.056, 1.861, 2.520, 3.172, -0.256, 0.493, 0.000, -0.256, 1.003, -0.059, 1.630,
        -0.578, -0.680, 1.005, 2.166, 1.809, 0.411, 1.054, 0.000, 0.000, 0.078, -0.313, 0.756,
        0.411, 0.000, 0.000, 0.000, 0.000, 0.000,
    ],
};
const CODE: Ranker = Ranker {
    plain: [
        1.994, 1.054, 0.782, 1.943, 2.619, 1.749, 0.540, 0.000, 0.886, -0.435, -0.949, -0.950,
        -0.127, -0.839, 0.819, -0.064, 0.743, -0.252, 0.297, 0.627, -0.097, 0.884, -0.199, 2.183,
        1.923, 2.126, -0.558, -1.152, 0.321, -2.177,
    ],
    named: [
        0.923, 0.373, 0.064, 0.553, 0.452, 1.277, 1.368, 4.125, 0.020, 0.231, 0.386, 0.512, 0.055,
        0.852, 0.089, 0.880, 0.072, 1.212, 0.214, 0.923, 0.064, 1.080, 0.178, 0.162, 0.018, -0.000,
        0.000, 0.001, 0.000, 0.000,
    ],
};

impl Ranker {
    /// The weights for a shelf.
    pub fn of(shelf: Shelf) -> Self {
        match shelf {
            Shelf::Memory => MEMORY,
            Shelf::Code => CODE,
        }
    }

    /// The higher, the earlier. A difference of one means 2.7 times as likely.
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

/// The order of a text that has a little of what is asked for. Whoever stands alone has at least this one to beat:
/// the only text of a shelf is not the answer to everything.
const SOMETHING: f32 = 4.0;

/// Says of all texts that were looked at for a query what follows from their order.
pub fn rank<'f>(ranker: &Ranker, all: impl Iterator<Item = &'f mut Features>) {
    let mut all: Vec<&mut Features> = all.collect();
    let (mut first, mut second) = (f32::NEG_INFINITY, SOMETHING);
    let mut sum = SOMETHING.exp();
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
