//! Runs a client in a scratch repository against a scenario, turn by turn.
//!
//! This module is the same for every client. Start at [`Client::session`], then [`ClientSession::run`].

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::agent::{Agent, Client};
use crate::driver::{ClientJob, ClientSetup, Conversation, TurnRequest};
use crate::evidence;
use crate::fake_model::record::{MarkerSighting, marker_sightings};
use crate::fake_model::{
    FakeModel, ModelExchange, RecordedRequest, RequestKind, ScriptPosition, StartError,
};
use crate::process::ProcessExit;
use crate::scenario::Scenario;
use crate::workspace::Workspace;

/// A turn takes seconds; the rest is slack for busy machines.
const TIMEOUT: Duration = Duration::from_secs(180);

/// A scratch repository with a scenario. A test prepares [`ClientSession::workspace`] and then runs one or more turns.
#[derive(Debug)]
pub struct ClientSession {
    /// The repository, the home and the environment.
    pub workspace: Workspace,
    /// What the client may do without asking.
    pub permissions: Permissions,
    /// Additional client arguments.
    pub arguments: Vec<String>,
    /// How long one turn may take before the client is killed.
    pub timeout: Duration,
    model: FakeModel,
    client: Client,
    turns: usize,
    reviews: usize,
}

/// What the client may do without asking. A headless run has no person to ask, so the client refuses everything else,
/// unless a hook decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Permissions {
    /// Everything.
    #[default]
    AllowAll,
    /// Only what the client allows by default, such as reading.
    AskForAll,
}

/// Why a session cannot start.
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

/// One finished run of the client.
#[derive(Debug, Clone)]
pub struct ClientTurn {
    /// How it ended.
    pub exit: ProcessExit,
    /// Its standard output, as JSON Lines.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
    /// The requests to the model in this turn, in order.
    pub requests: Vec<RecordedRequest>,
    agent: Agent,
}

impl ClientSession {
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
        // The proxy setting sends requests for other hosts to the fake model, which refuses and records them.
        for name in ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"] {
            workspace.set_env(name, &url);
        }
        client.agent().driver().prepare(&mut ClientSetup {
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

    /// Runs the client with a prompt in a new conversation, until it ends or times out.
    pub fn run(&mut self, prompt: &str) -> io::Result<ClientTurn> {
        self.turn(prompt, Conversation::New)
    }

    /// Runs the client again and continues the last conversation and the scenario.
    pub fn continue_with(&mut self, prompt: &str) -> io::Result<ClientTurn> {
        self.turn(prompt, Conversation::Continued)
    }

    /// Confirms all configured hooks, as a person does in the client's interface. Returns how many were new.
    ///
    /// Only Codex requires this; for other clients it does nothing.
    pub fn trust_hooks(&mut self) -> io::Result<usize> {
        self.reviews += 1;
        let output = self.output("review", self.reviews);
        let driver = self.agent().driver();
        driver.trust_hooks(self.job(&output)?, self.workspace.work())
    }

    /// The agent of this session.
    pub fn agent(&self) -> Agent {
        self.client.agent()
    }

    /// The requests to the model in all turns.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.model.requests()
    }

    /// The base URL of the fake model.
    pub fn model_url(&self) -> String {
        self.model.url()
    }

    fn turn(&mut self, prompt: &str, conversation: Conversation) -> io::Result<ClientTurn> {
        self.turns += 1;
        let before = self.model.requests().len();
        let output = self.output("turn", self.turns);
        let request = TurnRequest {
            prompt,
            conversation,
            permissions: self.permissions,
            model: &self.client.tools.model,
            url: &self.model.url(),
            arguments: &self.arguments,
        };
        let finished = self.agent().driver().run(self.job(&output)?, &request);
        let mut requests = self.model.requests();
        evidence::write_requests(self.workspace.root(), &requests)?;
        let finished = finished?;
        Ok(ClientTurn {
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

    fn job<'a>(&self, output: &'a Path) -> io::Result<ClientJob<'a>> {
        Ok(ClientJob {
            command: self.workspace.command(&self.client.installed.program)?,
            output,
            limit: self.timeout,
        })
    }
}

impl ClientTurn {
    /// Where `marker` reached the model in this turn: each place once, ordered by step.
    pub fn marker_sightings(&self, marker: &str) -> Vec<MarkerSighting> {
        marker_sightings(&self.requests, marker)
    }

    /// The model requests of the conversation, without side requests.
    pub fn exchanges(&self) -> impl Iterator<Item = &ModelExchange> {
        let all = self.requests.iter().filter_map(RecordedRequest::exchange);
        all.filter(|exchange| exchange.position != ScriptPosition::Side)
    }

    /// The other hosts that the client tried to reach.
    pub fn strays(&self) -> Vec<&str> {
        let strays = self
            .requests
            .iter()
            .filter(|it| it.kind == RequestKind::Stray);
        strays.map(|request| request.target.as_str()).collect()
    }

    /// The client's messages. Lines that are not JSON are only in `stdout`.
    pub fn messages(&self) -> Vec<Value> {
        let lines = self.stdout.lines();
        lines
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }

    /// The client's final text of the turn, if it got that far.
    pub fn final_text(&self) -> Option<String> {
        self.agent.driver().final_text(&self.messages())
    }
}
