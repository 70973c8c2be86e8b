//! Evaluation: search quality on sets of questions with known answers.
//!
//! An [`EvalSet`] is stored and searched like real data. [`measure`] compares word, vector and hybrid search and the
//! confidence bands. [`fit`] computes the weights of a [`Calibration`](crate::search::Calibration).

mod fit;
mod measure;
mod set;
mod sources;

pub use fit::{FitExample, FitOptions, fit, fit_order};
pub use measure::{
    BandMetrics, DataSplit, EvalStore, QuestionResult, RankingMetrics, ReliabilityBin, SetResult,
    bands, measure, measure_all, reliability,
};
pub use set::{EvalQuestion, EvalSet, EvalText, QuestionSource};
pub use sources::{
    by_name, commit_history, hand_written, other_domains, python_docs, repositories, rust_docs,
    sealed, unanswerable,
};
