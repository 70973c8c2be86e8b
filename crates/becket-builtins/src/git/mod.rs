//! `git-auto-stage` and `smart-commit`.

mod change;
mod commit;
mod message;
mod own;
mod repo;
mod secret;
mod stage;
mod summary;

pub(crate) use commit::{Commit, OPTIONS as COMMIT_OPTIONS};
pub use message::{MessageRequest, Writer};
pub(crate) use stage::{OPTIONS as STAGE_OPTIONS, Stage};
