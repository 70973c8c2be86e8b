//! Learning from what agents did: observations, titles and summaries out of recorded turns.
//!
//! [`rules`] learns without a model. No SQL, no files, no clock.

mod observation;
pub mod rules;
mod text;
mod turn;

pub use observation::{Learnt, Observation, Told};
pub use turn::{ChangedTogether, Material, Step, Turn};
