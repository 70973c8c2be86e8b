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
        -0.016, 1.023, 1.835, 2.940, 4.217, 0.006, 0.713, 0.000, 0.006, 1.283, -0.483, 1.232,
        0.602, -0.293, 1.180, 1.066, 0.516, 0.686, -0.039, 0.117, 0.066, -0.050, -0.021, 0.753,
        0.686, 0.000, 0.078, -1.090, 0.824, -1.145,
    ],
    named: [
        -0.016, 1.023, 1.835, 2.940, 4.217, 0.006, 0.713, 0.000, 0.006, 1.283, -0.483, 1.232,
        0.602, -0.293, 1.180, 1.066, 0.516, 0.686, -0.039, 0.117, 0.066, -0.050, -0.021, 0.753,
        0.686, 0.000, 0.078, -1.090, 0.824, -1.145,
    ],
};
const CODE: Ranker = Ranker {
    plain: [
        2.884, 0.642, 0.375, 2.394, 2.128, 1.969, 0.796, 0.000, 0.329, -0.268, -0.792, -0.788,
        1.001, -1.494, 0.286, 0.075, 0.756, 0.354, 0.156, 0.497, -0.306, 0.224, 0.548, 1.741,
        0.524, 2.079, 0.549, -0.943, 0.504, -2.754,
    ],
    named: [
        1.051, 0.417, 0.130, 0.514, 0.394, 1.159, 1.290, 3.960, 0.017, 0.125, 0.360, 0.599, 0.058,
        0.914, 0.084, 1.013, 0.153, 1.107, 0.132, 1.051, 0.130, 1.177, 0.179, 0.142, 0.018, 0.000,
        0.000, 0.000, 0.000, 0.000,
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
