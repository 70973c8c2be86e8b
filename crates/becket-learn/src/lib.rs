//! Learning from what agents did: observations, titles and summaries out of recorded turns.
//!
//! [`rules`] learns without a model, [`Llm`] with one. [`settle()`] decides what becomes of an observation beside what is known.

mod llm;
mod observation;
pub mod rules;
mod settle;
mod text;
mod turn;

pub use llm::{Budget, Llm, Purse, Spent, VERSION as PROMPT_VERSION};
pub use observation::{Learnt, Observation, Told};
pub use settle::{Candidate, Settled, Similar, SimilarError, by_words, settle};
pub use turn::{ChangedTogether, Material, Step, Turn};
