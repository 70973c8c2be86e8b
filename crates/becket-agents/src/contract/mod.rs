//! The contract between Becket and a hook process, by dialect: input, environment, exit codes, replies.
//!
//! A hook keeps the contract of the file it was written in, whichever agent fires the event: an Autohand
//! script reads `pre-tool` and thirty keys under Claude too, and its exit code 1 does not block there
//! either. The contract has four parts: [`stdin()`], [`env()`], exit codes and replies (both in
//! [`interpret()`]).
//!
//! Nothing here starts a process, opens a file, or reads the clock or the environment; the caller passes
//! all of that in ([`EventMetadata`], [`ProcessOutput`]). Nothing here knows what the agent can express
//! either: the verdict stays as the hook meant it, and the agent's adapter renders it.
//!
//! Each dialect has one file for its differences; start at [`interpret()`].

mod autohand;
mod becket;
mod claude;
mod claude_agent;
mod code_agent;
mod codex;
mod copilot;
mod cursor;
mod env;
mod exit_codes;
mod gemini;
mod in_process;
mod interpret;
mod invocation;
mod json;
mod reply;
mod rules;
mod stdin;
mod text;
mod tools;

use becket_model::Dialect;

pub use env::{MAX_ENTRY_BYTES, MAX_TOTAL_BYTES, env, is_name, reserved};
pub use in_process::{constrain, failure_outcome};
pub use interpret::interpret;
pub use reply::{HookReply, OutputForm, parse_reply};
pub use stdin::stdin;

/// How a hook process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessEnd<'a> {
    /// It exited with this code.
    Exited(i32),
    /// It was killed by this signal. Not the same as exit code 0.
    Signaled(i32),
    /// It was killed after its timeout.
    TimedOut,
    /// The caller cancelled it.
    Cancelled,
    /// It did not start; the text gives the reason.
    NotStarted(&'a str),
}

/// The result of a hook process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProcessOutput<'a> {
    /// How it ended.
    pub ending: ProcessEnd<'a>,
    /// Captured standard output.
    pub stdout: &'a [u8],
    /// Captured standard error.
    pub stderr: &'a [u8],
    /// Whether output beyond the limit was discarded.
    pub truncated: bool,
}

/// Facts for a hook that are not part of the event itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventMetadata<'a> {
    /// Becket's id for the event.
    pub event_id: &'a str,
    /// When it happened, RFC 3339.
    pub timestamp: &'a str,
    /// The project's root.
    pub project_dir: Option<&'a str>,
}

/// The shell for a command line of this dialect: a program and its arguments, to which the line is
/// appended. Cursor and Codex use the user's login shell, which is not known here.
pub fn shell(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Gemini => &["bash", "-c"],
        Dialect::Copilot => &["bash", "--norc", "--noprofile", "-c"],
        _ => &["/bin/sh", "-c"],
    }
}
