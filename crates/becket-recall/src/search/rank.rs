//! From what is known to the order in which texts come.
//!
//! A weighted sum, fitted so that the answer of a question comes before the other texts that were looked at
//! (`make eval` prints how well it does on questions that it was not fitted on). One for each kind of shelf.

use becket_store::Shelf;

use super::features::Features;

/// How many numbers texts are ordered by.
pub const RANKED: usize = 19;

/// The weights of what is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranker(pub [f32; RANKED]);

const MEMORY: Ranker = Ranker([
    6.5, 0.0, 2.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
]);
const CODE: Ranker = MEMORY;

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
        let numbers = features.ranking();
        self.0.iter().zip(numbers).map(|(w, x)| w * x).sum()
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
