//! What differs between clients: how each is prepared, started and read.
//!
//! A driver knows its client's command line, environment and settings. It knows nothing of hooks,
//! which a test configures as a person would, and it leaves the files alone in which a person has
//! hooks, as far as the client has another place for what a driver must settle.

use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::install::Installed;
use crate::process::{self, Finished};
use crate::session::Permissions;
use crate::workspace::Workspace;

/// What a driver prepares.
pub(crate) struct Setup<'a> {
    pub(crate) workspace: &'a mut Workspace,
    pub(crate) installed: &'a Installed,
    /// The model that the client is to use.
    pub(crate) model: &'a str,
    /// The base URL of the fake model.
    pub(crate) url: &'a str,
}

/// One turn to be run.
pub(crate) struct Asked<'a> {
    pub(crate) prompt: &'a str,
    pub(crate) conversation: Conversation,
    pub(crate) permissions: Permissions,
    pub(crate) model: &'a str,
    pub(crate) url: &'a str,
    /// Further arguments, from the test.
    pub(crate) arguments: &'a [String],
}

/// How a turn relates to the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Conversation {
    New,
    Continued,
}

/// A program to be run with the workspace's environment, under a deadline, with its output kept.
pub(crate) struct Job<'a> {
    pub(crate) command: Command,
    pub(crate) output: &'a Path,
    pub(crate) limit: Duration,
}

/// One client.
pub(crate) trait Driver: Sync {
    /// Settles what a person has settled before the first turn: where the model is, the account,
    /// the folder that is trusted, what is reported to whom.
    fn prepare(&self, setup: &mut Setup<'_>) -> io::Result<()>;

    /// Completes the command line, and the environment where it depends on the turn.
    fn ask(&self, command: &mut Command, asked: &Asked<'_>);

    /// Runs one turn to its end.
    fn run(&self, mut job: Job<'_>, asked: &Asked<'_>) -> io::Result<Finished> {
        self.ask(&mut job.command, asked);
        process::run(&mut job.command, job.output, job.limit)
    }

    /// The text with which the client ended the turn, from its own messages.
    fn final_text(&self, messages: &[Value]) -> Option<String>;

    /// Confirms the hooks that are configured now, where the client wants that of a person before it
    /// runs them, and returns how many it had not known.
    fn trust_hooks(&self, _job: Job<'_>, _work: &Path) -> io::Result<usize> {
        Ok(0)
    }
}

/// The text at `path` in the last message whose fields are these.
pub(crate) fn last_text(messages: &[Value], fields: &[(&str, &str)], path: &str) -> Option<String> {
    let fits = |message: &&Value| {
        let mut fields = fields.iter();
        fields.all(|(pointer, value)| message.pointer(pointer).is_some_and(|it| it == value))
    };
    let last = messages.iter().rev().find(fits)?;
    last.pointer(path)?.as_str().map(str::to_owned)
}
