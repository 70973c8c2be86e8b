//! A client in a scratch repository, with a scenario to play, one turn after another.
//!
//! Everything here is the same for every client, so a test of it is too. Start at
//! [`Client::session`], then [`Session::run`].

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::agent::{Agent, Client};
use crate::driver::{Asked, Conversation, Job, Setup};
use crate::evidence;
use crate::fake_model::record::{Told, told_model};
use crate::fake_model::{Exchange, FakeModel, Kind, Position, Recorded, StartError};
use crate::process::Exit;
use crate::scenario::Scenario;
use crate::workspace::Workspace;

/// A turn takes seconds; the rest is for machines that are busy.
const TIMEOUT: Duration = Duration::from_secs(180);

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
    client: Client,
    turns: usize,
    reviews: usize,
}

/// What the client may do without asking. There is nobody to ask in a headless run, so what is not
/// allowed is refused, unless a hook decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Permissions {
    /// Everything.
    #[default]
    AllowAll,
    /// Only what the client allows by itself, such as reading.
    AskForAll,
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
    agent: Agent,
}

impl Session {
    pub(crate) fn open(
        client: &Client,
        root: &Path,
        scenario: &Scenario,
    ) -> Result<Self, SessionError> {
        let mut workspace = Workspace::create(root)?;
        let model = FakeModel::start(scenario, &client.tools, workspace.work())?;
        for folder in client.installed.path.iter().rev() {
            workspace.put_on_path(folder);
        }
        let url = model.url();
        // Whatever the client wants of other hosts arrives at the fake model, which refuses and
        // records it.
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] {
            workspace.set_env(name, &url);
        }
        client.agent().driver().prepare(&mut Setup {
            workspace: &mut workspace,
            installed: &client.installed,
            model: &client.tools.model,
            url: &url,
        })?;
        Ok(Self {
            workspace,
            permissions: Permissions::default(),
            arguments: Vec::new(),
            timeout: TIMEOUT,
            model,
            client: client.clone(),
            turns: 0,
            reviews: 0,
        })
    }

    /// Runs the client with a prompt, in a new conversation, until it ends or its time is up.
    pub fn run(&mut self, prompt: &str) -> io::Result<Turn> {
        self.turn(prompt, Conversation::New)
    }

    /// Runs the client again, going on with the last conversation. The model goes on with the steps
    /// of its scenario.
    pub fn continue_with(&mut self, prompt: &str) -> io::Result<Turn> {
        self.turn(prompt, Conversation::Continued)
    }

    /// Confirms the hooks that are configured now, by whomever, as a person does on the client's own
    /// screen, and returns how many the client had not known.
    ///
    /// Only Codex wants that; elsewhere nothing happens.
    pub fn trust_hooks(&mut self) -> io::Result<usize> {
        self.reviews += 1;
        let output = self.output("review", self.reviews);
        let driver = self.agent().driver();
        driver.trust_hooks(self.job(&output)?, self.workspace.work())
    }

    /// Which agent this is a session of.
    pub fn agent(&self) -> Agent {
        self.client.agent()
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
        let output = self.output("turn", self.turns);
        let asked = Asked {
            prompt,
            conversation,
            permissions: self.permissions,
            model: &self.client.tools.model,
            url: &self.model.url(),
            arguments: &self.arguments,
        };
        let finished = self.agent().driver().run(self.job(&output)?, &asked);
        let mut requests = self.model.requests();
        evidence::keep_requests(self.workspace.root(), &requests)?;
        let finished = finished?;
        Ok(Turn {
            exit: finished.exit,
            stdout: finished.stdout,
            stderr: finished.stderr,
            requests: requests.split_off(before),
            agent: self.agent(),
        })
    }

    fn output(&self, what: &str, number: usize) -> PathBuf {
        self.workspace.root().join(format!("{what}-{number}"))
    }

    fn job<'a>(&self, output: &'a Path) -> io::Result<Job<'a>> {
        Ok(Job {
            command: self.workspace.command(&self.client.installed.program)?,
            output,
            limit: self.timeout,
        })
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
        self.agent.driver().final_text(&self.messages())
    }
}
