//! The interface to one client: prepare it, start it, read its output.
//!
//! A driver knows its client's command line, environment and settings. It knows nothing of hooks: a test configures
//! those as a user would. If a client can read its settings from another place, the driver writes them there and
//! does not touch the files that contain a user's hooks.

use std::io;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::install::InstalledClient;
use crate::process::{self, FinishedProcess};
use crate::session::Permissions;
use crate::workspace::Workspace;

/// What a driver prepares.
pub(crate) struct ClientSetup<'a> {
    pub(crate) workspace: &'a mut Workspace,
    pub(crate) installed: &'a InstalledClient,
    /// The model for the client to use.
    pub(crate) model: &'a str,
    /// The base URL of the fake model.
    pub(crate) url: &'a str,
}

/// One turn to run.
pub(crate) struct TurnRequest<'a> {
    pub(crate) prompt: &'a str,
    pub(crate) conversation: Conversation,
    pub(crate) permissions: Permissions,
    pub(crate) model: &'a str,
    pub(crate) url: &'a str,
    /// Additional arguments from the test.
    pub(crate) arguments: &'a [String],
}

/// Whether a turn starts a conversation or continues the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Conversation {
    New,
    Continued,
}

/// A program to run in the workspace's environment, with a time limit and a directory for its output.
pub(crate) struct ClientJob<'a> {
    pub(crate) command: Command,
    pub(crate) output: &'a Path,
    pub(crate) limit: Duration,
}

/// The driver of one client.
pub(crate) trait Driver: Sync {
    /// Configures what a user has configured before the first turn: the model's address, the account, the trusted
    /// folder, telemetry.
    fn prepare(&self, setup: &mut ClientSetup<'_>) -> io::Result<()>;

    /// Adds the arguments of a turn, and environment variables that depend on it.
    fn build_command(&self, command: &mut Command, request: &TurnRequest<'_>);

    /// Runs one turn to its end.
    fn run(
        &self,
        mut job: ClientJob<'_>,
        request: &TurnRequest<'_>,
    ) -> io::Result<FinishedProcess> {
        self.build_command(&mut job.command, request);
        process::run(&mut job.command, job.output, job.limit)
    }

    /// The client's final text of the turn, from its messages.
    fn final_text(&self, messages: &[Value]) -> Option<String>;

    /// Confirms the configured hooks, for clients that require it before they run hooks. Returns how many were new.
    fn trust_hooks(&self, _job: ClientJob<'_>, _work: &Path) -> io::Result<usize> {
        Ok(0)
    }
}

/// The text at `path` in the last message with these fields.
pub(crate) fn last_text(messages: &[Value], fields: &[(&str, &str)], path: &str) -> Option<String> {
    let fits = |message: &&Value| {
        let mut fields = fields.iter();
        fields.all(|(pointer, value)| message.pointer(pointer).is_some_and(|it| it == value))
    };
    let last = messages.iter().rev().find(fits)?;
    last.pointer(path)?.as_str().map(str::to_owned)
}
