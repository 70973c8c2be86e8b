//! How well search finds what is relevant, measured on sets of queries whose answers are known.
//!
//! A [`Set`] is put into a store of its own and searched as people's own data is; [`measure`] compares words, meaning
//! and both, and says what the bands are worth. [`fit`] makes the numbers of a
//! [`Calibration`](crate::search::Calibration).

mod fit;
mod measure;
mod set;
mod sources;

pub use fit::{Care, Example, fit, fit_order};
pub use measure::{
    Asked, BandNumbers, Bench, Bin, Half, Measured, Ranking, bands, measure, measure_all,
    reliability,
};
pub use set::{Question, Set, Sort, Text};
pub use sources::{
    by_name, hand_written, history, repositories, rust_docs, sealed, strings_of_python, trades,
    unanswerable,
};
