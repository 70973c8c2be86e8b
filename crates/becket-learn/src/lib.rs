//! Learning from what agents did: observations, titles and summaries out of recorded turns.
//!
//! Start at [`Worker::run_once`]. [`rules`] learns without a model, [`Llm`] with one. [`settle()`] decides what becomes of an observation beside what is known.
//!
//! No SQL, no clock, no network of its own: the time is passed in, and models are asked through `becket_think`.

mod llm;
mod observation;
mod review;
pub mod rules;
mod settle;
mod text;
mod turn;
mod worker;

pub use llm::{Budget, Llm, Purse, Spent, VERSION as PROMPT_VERSION};
pub use observation::{Learnt, Observation, Told};
pub use review::review;
pub use settle::{Candidate, Settled, Similar, by_words, settle};
pub use turn::{ChangedTogether, Material, Step, Turn, Worked};
pub use worker::{
    Desk, DeskError, Habits, OwnDesk, Ran, Report, Status, Worker, catch_up, contradictions,
    enqueue_ended, enqueue_session_end, enqueue_turn, pause, resume, status,
};
