//! The hooks `git-auto-stage` and `smart-commit`.

mod change;
mod commit;
mod message;
mod repo;
mod repo_programs;
mod secret;
mod stage;
mod summary;

pub(crate) use commit::{OPTIONS as COMMIT_OPTIONS, SmartCommit};
pub use message::{MessageRequest, MessageWriter};
pub(crate) use stage::{AutoStage, OPTIONS as STAGE_OPTIONS};
