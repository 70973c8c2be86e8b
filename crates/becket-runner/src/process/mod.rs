//! Child processes: start one, write its input, read its output, and clean up.
//!
//! [`run`] is the whole module in one call: it starts a [`Command`] in its own process group, writes its standard
//! input while reading both outputs, and returns a [`Finished`]. Everything that can go wrong is a value of
//! [`Ending`]; nothing here panics or hangs.
//!
//! - One deadline covers start, input, output and exit. After it, or on [`Cancel::cancel`], the group gets
//!   `SIGTERM`, a grace period, and `SIGKILL`.
//! - A hook's background processes end with the hook. When the child has exited, the rest of its group is ended
//!   too; work that should continue belongs in an `async` hook. A process that leaves the group on purpose
//!   (`setsid`) is not followed, but it cannot delay the call by keeping the pipes open.
//! - The first mebibyte of each output stream is kept ([`OUTPUT_LIMIT`]); the rest is read, counted and dropped, so
//!   that it neither blocks the child nor fills memory.
//!
//! The module is synchronous and normally starts no thread; callers choose their own concurrency. It knows nothing
//! of hooks, events or JSON. Two things are out of its control: starting a program from a file system that does not
//! respond blocks inside the system call, and this process has to ignore `SIGPIPE`, as every Rust program does by
//! default.
//!
//! Start at [`run`]. [`converse`] is for a child that needs responses; [`ScriptExecutor`] is a simple interface for
//! a command line and some variables.

mod cancel;
mod command;
mod converse;
mod ending;
mod executor;
mod group;
mod members;
mod run;
mod streams;

pub use cancel::Cancel;
pub use command::{Command, Program, StartError};
pub use converse::{LineAction, converse};
pub use ending::{Captured, Ending, Finished};
pub use executor::{ExecutionResult, ScriptExecutor};
pub use run::run;
pub use streams::OUTPUT_LIMIT;
