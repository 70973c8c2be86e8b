//! Claude Code, headless, in a scratch repository, against the fake model.
//!
//! The driver knows Claude's command line and environment; it knows nothing of hooks, which a test
//! configures as a person would, in `home/.claude/settings.json` or `work/.claude/settings.json`.
//! Start at [`Claude::ready`], then [`Claude::session`].

use std::io;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::evidence;
use crate::fake_model::record::{Told, told_model};
use crate::fake_model::{Exchange, FakeModel, Kind, Position, Recorded, StartError};
use crate::install::{self, Installed, Unavailable};
use crate::process::{self, Exit};
use crate::scenario::Scenario;
use crate::tools::ToolTable;
use crate::workspace::Workspace;

/// The client's name in `clients.json` and `tools.json`.
const NAME: &str = "claude";

/// A start takes about a second; the rest is for machines that are busy.
const TIMEOUT: Duration = Duration::from_secs(180);

/// Claude Code, installed.
#[derive(Debug, Clone)]
pub struct Claude {
    installed: Installed,
    tools: ToolTable,
}

/// A scratch repository with a scenario to play in it. A test prepares [`Session::workspace`], then
/// runs one turn or more.
#[derive(Debug)]
pub struct Session {
    /// The repository, the home and the environment.
    pub workspace: Workspace,
    /// What the client may do without asking.
    pub permissions: Permissions,
    /// Further arguments of the client.
    pub arguments: Vec<String>,
    /// How long one turn may take before the client is killed.
    pub timeout: Duration,
    model: FakeModel,
    client: Claude,
    turns: usize,
}

/// What the client may do without asking. There is nobody to ask in a headless run, so what is not
/// allowed is refused, unless a hook decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Permissions {
    /// These tools.
    Allow(Vec<String>),
    /// Only what Claude allows by itself, such as reading.
    AskForAll,
}

impl Default for Permissions {
    fn default() -> Self {
        let tools = ["Bash", "Write", "Edit", "Read", "Agent", "Task"];
        Self::Allow(tools.map(str::to_owned).to_vec())
    }
}

/// Why there is no session.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The scratch repository could not be made.
    #[error("cannot prepare the scratch repository")]
    Workspace(#[from] io::Error),
    /// The fake model did not start.
    #[error("cannot start the fake model")]
    Model(#[from] StartError),
}

/// One run of the client, which has ended.
#[derive(Debug, Clone)]
pub struct Turn {
    /// How it ended.
    pub exit: Exit,
    /// Its standard output: one JSON message on each line.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// What the server was asked in this turn, in order.
    pub requests: Vec<Recorded>,
}

/// How a turn relates to the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Conversation {
    New,
    Continued,
}

impl Claude {
    /// The pinned Claude Code, installed if need be.
    pub fn ready() -> Result<Self, Unavailable> {
        let installed = install::client(NAME)?;
        let tools = ToolTable::of(NAME).map_err(|error| Unavailable {
            client: NAME.to_owned(),
            why: error.to_string(),
        })?;
        Ok(Self { installed, tools })
    }

    /// The pinned version.
    pub fn version(&self) -> &str {
        &self.installed.version
    }

    /// Prepares a scratch repository in `root` and a model that plays `scenario`.
    pub fn session(&self, root: &Path, scenario: &Scenario) -> Result<Session, SessionError> {
        let mut workspace = Workspace::create(root)?;
        let model = FakeModel::start(scenario, &self.tools, workspace.work())?;
        for folder in self.installed.path.iter().rev() {
            workspace.put_on_path(folder);
        }
        let url = model.url();
        workspace
            .set_env("ANTHROPIC_BASE_URL", &url)
            .set_env("ANTHROPIC_API_KEY", "dummy-not-a-key")
            .set_env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .set_env("DISABLE_AUTOUPDATER", "1")
            .set_env("DISABLE_TELEMETRY", "1")
            .set_env("DISABLE_ERROR_REPORTING", "1");
        // Whatever the client wants of other hosts arrives at the fake model, which refuses and
        // records it.
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] {
            workspace.set_env(name, &url);
        }
        Ok(Session {
            workspace,
            permissions: Permissions::default(),
            arguments: Vec::new(),
            timeout: TIMEOUT,
            model,
            client: self.clone(),
            turns: 0,
        })
    }
}

impl Session {
    /// Runs the client with a prompt, in a new conversation, until it ends or its time is up.
    pub fn run(&mut self, prompt: &str) -> io::Result<Turn> {
        self.turn(prompt, Conversation::New)
    }

    /// Runs the client again, going on with the last conversation. The model goes on with the steps
    /// of its scenario.
    pub fn continue_with(&mut self, prompt: &str) -> io::Result<Turn> {
        self.turn(prompt, Conversation::Continued)
    }

    /// What the server was asked in all turns.
    pub fn requests(&self) -> Vec<Recorded> {
        self.model.requests()
    }

    /// The base URL of the fake model.
    pub fn model_url(&self) -> String {
        self.model.url()
    }

    fn turn(&mut self, prompt: &str, conversation: Conversation) -> io::Result<Turn> {
        self.turns += 1;
        let before = self.model.requests().len();
        let output = self.workspace.root().join(format!("turn-{}", self.turns));
        let mut command = self.workspace.command(&self.client.installed.program)?;
        command.args(self.command_line(prompt, conversation));
        let finished = process::run(&mut command, &output, self.timeout)?;
        let mut requests = self.model.requests();
        evidence::keep_requests(self.workspace.root(), &requests)?;
        Ok(Turn {
            exit: finished.exit,
            stdout: finished.stdout,
            stderr: finished.stderr,
            requests: requests.split_off(before),
        })
    }

    fn command_line(&self, prompt: &str, conversation: Conversation) -> Vec<String> {
        let model = self.client.tools.model.as_str();
        let fixed = ["-p", prompt, "--model", model];
        let output = ["--output-format", "stream-json", "--verbose"];
        let mut line: Vec<String> = fixed.into_iter().chain(output).map(str::to_owned).collect();
        if conversation == Conversation::Continued {
            line.push("--continue".to_owned());
        }
        line.extend(self.arguments.iter().cloned());
        // Last, because it takes every argument that follows.
        if let Permissions::Allow(tools) = &self.permissions {
            line.push("--allowedTools".to_owned());
            line.extend(tools.iter().cloned());
        }
        line
    }
}

impl Turn {
    /// Where `marker` reached the model in this turn: each place once, by step.
    pub fn told_model(&self, marker: &str) -> Vec<Told> {
        told_model(&self.requests, marker)
    }

    /// The questions to the model, without those beside the conversation.
    pub fn exchanges(&self) -> impl Iterator<Item = &Exchange> {
        let all = self.requests.iter().filter_map(Recorded::exchange);
        all.filter(|exchange| exchange.position != Position::Side)
    }

    /// What the client wanted of other hosts.
    pub fn strays(&self) -> Vec<&str> {
        let strays = self.requests.iter().filter(|it| it.kind == Kind::Stray);
        strays.map(|request| request.target.as_str()).collect()
    }

    /// The client's messages. Lines that are not JSON are left out; they are in `stdout`.
    pub fn messages(&self) -> Vec<Value> {
        let lines = self.stdout.lines();
        lines
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }

    /// The text with which the client ended the turn, if it got that far.
    pub fn final_text(&self) -> Option<String> {
        let messages = self.messages();
        let end = messages.iter().rev().find(|it| it["type"] == "result")?;
        end["result"].as_str().map(str::to_owned)
    }
}
