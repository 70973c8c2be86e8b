//! The hooks that come with Becket: formatting, staging, committing, telling people, keeping a log.
//!
//! Each is one module, made from its options and put behind [`Hook`](becket_runner::Hook) by
//! [`make`]. [`BUILTINS`] lists them with their options, for `becket hooks`, documentation and
//! schema; when each runs by default is in [`becket_model::builtin`].
//!
//! They start processes, write files and send requests, and everything they handle (file names,
//! commands, messages, the project itself) is somebody else's: no shell reads any of it, nothing is
//! written before it is redacted, and no code of a project runs before the person has trusted the
//! project. Where they need the world they ask [`Deps`], so tests bring their own.
//!
//! They know no agent and print nothing. Start at [`make`].

mod deps;
mod desktop;
mod detached;
mod editor;
mod format;
mod git;
mod hook;
mod log;
mod notify;
mod options;
mod places;
mod post;
mod programs;
mod registry;
mod sound;
mod told;
mod words;

pub use deps::{Deps, Turn};
pub use git::{MessageRequest, Writer};
pub use post::{HttpPost, Post, PostError, PostReply, PostRequest};
pub use registry::{BUILTINS, Builtin, OptionDoc, check, find, make};
