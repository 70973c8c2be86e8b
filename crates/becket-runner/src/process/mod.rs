//! Child processes: start one, feed it, hear it out, and leave nothing behind.
//!
//! [`run`] is the whole module as one call: it starts a [`Command`] in a process group of its own,
//! writes its standard input while reading both outputs, and returns what happened as a
//! [`Finished`]. Everything a child can do wrong is a value of [`Ending`]; nothing here panics or
//! hangs on it.
//!
//! - One deadline covers start, input, output and exit. Past it, or on [`Cancel::cancel`], the
//!   group is asked to end (`SIGTERM`), given a moment, and killed.
//! - A hook's background processes end with the hook. When the child has exited, whatever is left
//!   of its group is ended too, so work that should go on belongs in an `async` hook. A process
//!   that leaves the group on purpose (`setsid`) is not followed, but it cannot hold up the call
//!   by keeping the pipes open.
//! - The first mebibyte of each output stream is kept ([`OUTPUT_LIMIT`]); the rest is read, counted
//!   and dropped, so that a flood neither blocks the child nor fills memory.
//!
//! The module is synchronous and starts no thread in the ordinary case; callers choose their own
//! concurrency. It knows nothing of hooks, events or JSON. Two things are out of its hands:
//! starting a program from a file system that does not answer blocks inside the system call, and
//! the process around it has to ignore `SIGPIPE`, as every Rust program does unless it opts out.
//!
//! Start at [`run`]; [`converse`] is for a child that has to be answered; [`ScriptExecutor`] is the small front door for a command line and a handful
//! of variables.

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
pub use converse::{Next, converse};
pub use ending::{Captured, Ending, Finished};
pub use executor::{ExecutionResult, ScriptExecutor};
pub use run::run;
pub use streams::OUTPUT_LIMIT;
