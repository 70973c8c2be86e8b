//! Learning from recorded turns: observations to remember, session titles and summaries.
//!
//! Start at [`Worker::run_once`]. [`rules`] learns without a model, [`LlmLearner`] with one. [`reconcile()`] compares an
//! observation with the existing memories: add, merge, supersede or mark as a contradiction.
//!
//! This crate has no SQL, no clock and no network code. The caller passes the time, and `becket_think` calls the models.

mod llm;
mod observation;
mod reconcile;
mod review;
pub mod rules;
mod text;
mod turn;
mod worker;

pub use llm::{LlmLearner, PromptBudget, TokenBudget, TokensSpent, VERSION as PROMPT_VERSION};
pub use observation::{LearnedTurn, Observation, SessionSummary};
pub use reconcile::{
    MergeCandidate, Reconciliation, SimilarityModel, candidates_by_words, reconcile,
};
pub use review::review;
pub use turn::{ChangedFiles, LearningInput, RecordedStep, RecordedTurn, SucceededCommand};
pub use worker::{
    JobReport, LearnStatus, OwnedStoreAccess, RunOutcome, StoreAccess, StoreAccessError, Worker,
    WorkerOptions, backfill_queue, contradictions, enqueue_ended, enqueue_session_end,
    enqueue_turn, pause, resume, status,
};
