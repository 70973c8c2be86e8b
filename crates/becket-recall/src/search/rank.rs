//! From what is known to the order in which texts come.
//!
//! A weighted sum, fitted so that the answer of a question comes before the other texts that were looked at
//! (`make eval` prints how well it does on questions that it was not fitted on). One for each kind of shelf.

use becket_store::Shelf;

use super::features::Features;

/// How many numbers texts are ordered by.
pub const RANKED: usize = 21;

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
        0.519, 0.806, 1.787, 2.139, 3.099, 0.103, 0.455, 0.000, 0.103, 1.076, 0.157, 1.187, 0.667,
        0.164, 1.085, 0.826, 0.796, 0.434, 0.319, 0.075, 0.045,
    ],
    named: [
        0.519, 0.806, 1.787, 2.139, 3.099, 0.103, 0.455, 0.000, 0.103, 1.076, 0.157, 1.187, 0.667,
        0.164, 1.085, 0.826, 0.796, 0.434, 0.319, 0.075, 0.045,
    ],
};
const CODE: Ranker = Ranker {
    plain: [
        1.773, 0.341, 1.396, 1.717, 2.400, 1.553, 0.819, 0.000, 1.804, -0.488, -0.562, 0.168,
        0.754, -0.566, 0.990, 0.859, 0.310, 0.613, 0.531, 0.063, -0.361,
    ],
    named: [
        1.181, 0.471, 0.169, 0.669, 0.477, 1.216, 1.297, 3.450, 0.086, 0.191, 0.450, 0.646, 0.040,
        0.989, 0.053, 1.157, 0.234, 1.159, 0.068, 1.181, 0.169,
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
