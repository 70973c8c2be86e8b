//! The built-in hooks: formatting, staging, committing, notifications, logging.
//!
//! Each hook is one module. [`make`] builds it from its options and wraps it in a [`Hook`](becket_runner::Hook).
//! [`BUILTINS`] lists all hooks with their options, for `becket hooks`, the documentation and the schema. The events on
//! which each hook runs by default are in [`becket_model::builtin`].
//!
//! The hooks start processes, write files and send requests with untrusted input: file names, commands, messages and the
//! project itself. No input reaches a shell, all output is redacted before it is written, and code of a project runs only
//! if the user trusts the project. Everything from outside comes through [`BuiltinDeps`], so tests can replace it.
//!
//! This crate does not know any agent and prints nothing. Start at [`make`].

mod deps;
mod desktop;
mod detached;
mod display_text;
mod editor;
mod format;
mod git;
mod hook;
mod http_post;
mod log;
mod notify;
mod once_per_session;
mod options;
mod programs;
mod project_files;
mod registry;
mod sound;

pub use deps::{BuiltinDeps, TurnStats};
pub use git::{MessageRequest, MessageWriter};
pub use http_post::{HttpPostClient, PostClient, PostError, PostRequest, PostResponse};
pub use registry::{BUILTINS, BuiltinSpec, OptionDoc, check, find, make};
