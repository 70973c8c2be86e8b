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
        0.512, 0.750, 1.501, 1.983, 2.887, 0.114, 0.447, 0.000, 0.114, 0.996, 0.465, 1.156, 0.646,
        0.119, 1.035, 0.948, 0.795, 0.439, 0.226, 0.079, 0.047,
    ],
    named: [
        0.512, 0.750, 1.501, 1.983, 2.887, 0.114, 0.447, 0.000, 0.114, 0.996, 0.465, 1.156, 0.646,
        0.119, 1.035, 0.948, 0.795, 0.439, 0.226, 0.079, 0.047,
    ],
};
const CODE: Ranker = Ranker {
    plain: [
        1.629, 0.369, 1.260, 1.377, 2.398, 1.377, 1.054, 0.000, 1.794, -0.584, -0.507, 0.160,
        0.887, -0.195, 0.979, 1.066, -0.097, 0.369, 0.656, 0.131, 0.040,
    ],
    named: [
        1.113, 0.439, 0.167, 0.647, 0.563, 1.451, 1.324, 2.965, 0.059, 0.279, 0.304, 0.565, 0.037,
        0.833, 0.017, 1.014, 0.213, 1.316, 0.046, 1.113, 0.167,
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

/// Says of all texts that were looked at for a query what follows from their order.
pub fn rank<'f>(ranker: &Ranker, all: impl Iterator<Item = &'f mut Features>) {
    let mut all: Vec<&mut Features> = all.collect();
    let (mut first, mut second, mut sum) = (f32::NEG_INFINITY, f32::NEG_INFINITY, 0.0);
    for one in &mut all {
        one.fused = ranker.order(one);
        sum += one.fused.exp();
        second = second.max(one.fused.min(first));
        first = first.max(one.fused);
    }
    // Nothing is lost to one that stands alone.
    let second = if second.is_finite() { second } else { 0.0 };
    for one in all {
        let other = if one.fused >= first { second } else { first };
        one.margin = one.fused - other;
        one.share = one.fused.exp() / sum;
    }
}
