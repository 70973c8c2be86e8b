//! What a hook process is given and what its answer means, by dialect.
//!
//! A hook keeps the contract of the file it was written in, whichever agent fires the event: an
//! Autohand script reads `pre-tool` and thirty keys under Claude too, and its exit code 1 stays harmless
//! there. The contract has four parts: [`stdin()`], [`env()`], exit codes and replies (both
//! [`interpret()`]).
//!
//! Nothing here starts a process, opens a file, reads the clock or looks at the environment; the caller
//! passes all of that in ([`Surroundings`], [`Ran`]). Nothing here decides what the agent can express
//! either: a verdict leaves as the hook meant it and the agent's adapter says it.
//!
//! What differs between dialects lives in one file per dialect; start at [`interpret()`].

mod autohand;
mod becket;
mod claude;
mod claude_agent;
mod code_agent;
mod codex;
mod copilot;
mod cursor;
mod direct;
mod env;
mod exits;
mod gemini;
mod interpret;
mod json;
mod reply;
mod rules;
mod scene;
mod stdin;
mod text;
mod tools;

use becket_model::Dialect;

pub use direct::{failed, settled};
pub use env::{MAX_ENTRY_BYTES, MAX_TOTAL_BYTES, env, is_name, reserved};
pub use interpret::interpret;
pub use reply::{Form, Reply, parse_reply};
pub use stdin::stdin;

/// How a hook process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending<'a> {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal. Not the same as exit code 0.
    Signaled(i32),
    /// Its deadline passed and it was killed.
    TimedOut,
    /// The caller gave up on it.
    Cancelled,
    /// It never ran; the text says why.
    NotStarted(&'a str),
}

/// What a hook process left behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ran<'a> {
    /// How it ended.
    pub ending: Ending<'a>,
    /// What it printed.
    pub stdout: &'a [u8],
    /// What it complained about.
    pub stderr: &'a [u8],
    /// Whether it printed more than was kept.
    pub truncated: bool,
}

/// What a hook is told beyond the event itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Surroundings<'a> {
    /// Becket's id for the event.
    pub event_id: &'a str,
    /// When it happened, RFC 3339.
    pub timestamp: &'a str,
    /// The project's root.
    pub project_dir: Option<&'a str>,
}

/// The shell that a command line of this dialect is written for: a program and its arguments, to which
/// the line is added. Cursor and Codex take the person's own shell, which is not known here.
pub fn shell(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Gemini => &["bash", "-c"],
        Dialect::Copilot => &["bash", "--norc", "--noprofile", "-c"],
        _ => &["/bin/sh", "-c"],
    }
}
