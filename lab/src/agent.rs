//! The supported clients by name, and an installed client.
//!
//! A test that runs under every client takes an [`Agent`] as its argument. The differences between clients are in
//! [`crate::clients`]; this module does not know them. Start at [`Agent::ready`], then [`Client::session`].

use std::fmt;
use std::path::Path;

use crate::clients::{
    claude, cline, codex, copilot, gemini, goose, kilo, kimi, opencode, pi, qwen,
};
use crate::driver::Driver;
use crate::install::{self, InstalledClient, Unavailable};
use crate::scenario::Scenario;
use crate::session::{ClientSession, SessionError};
use crate::tools::ToolTable;

/// A coding agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// Cline CLI.
    Cline,
    /// OpenAI's Codex CLI.
    Codex,
    /// GitHub's Copilot CLI.
    Copilot,
    /// Google's Gemini CLI.
    Gemini,
    /// Goose.
    Goose,
    /// Kilo Code CLI.
    Kilo,
    /// Kimi Code CLI.
    Kimi,
    /// OpenCode.
    OpenCode,
    /// Pi.
    Pi,
    /// Qwen Code.
    Qwen,
}

/// An installed agent.
#[derive(Debug, Clone)]
pub struct Client {
    agent: Agent,
    pub(crate) installed: InstalledClient,
    pub(crate) tools: ToolTable,
}

impl Agent {
    /// All agents.
    pub const ALL: [Self; 11] = [
        Self::Claude,
        Self::Cline,
        Self::Codex,
        Self::Copilot,
        Self::Gemini,
        Self::Goose,
        Self::Kilo,
        Self::Kimi,
        Self::OpenCode,
        Self::Pi,
        Self::Qwen,
    ];

    /// Its name in `clients.json` and `tools.json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Cline => "cline",
            Self::Codex => "codex",
            Self::Copilot => "copilot",
            Self::Gemini => "gemini",
            Self::Goose => "goose",
            Self::Kilo => "kilo",
            Self::Kimi => "kimi",
            Self::OpenCode => "opencode",
            Self::Pi => "pi",
            Self::Qwen => "qwen",
        }
    }

    /// The pinned client, installed if necessary.
    pub fn ready(self) -> Result<Client, Unavailable> {
        let installed = install::client(self.name())?;
        let tools = ToolTable::of(self.name()).map_err(|error| Unavailable {
            client: self.name().to_owned(),
            why: error.to_string(),
        })?;
        Ok(Client {
            agent: self,
            installed,
            tools,
        })
    }

    pub(crate) fn driver(self) -> &'static dyn Driver {
        match self {
            Self::Claude => &claude::Claude,
            Self::Cline => &cline::Cline,
            Self::Codex => &codex::Codex,
            Self::Copilot => &copilot::Copilot,
            Self::Gemini => &gemini::Gemini,
            Self::Goose => &goose::Goose,
            Self::Kilo => &kilo::Kilo,
            Self::Kimi => &kimi::Kimi,
            Self::OpenCode => &opencode::OpenCode,
            Self::Pi => &pi::Pi,
            Self::Qwen => &qwen::Qwen,
        }
    }
}

impl fmt::Display for Agent {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl Client {
    /// Which agent it is.
    pub fn agent(&self) -> Agent {
        self.agent
    }

    /// The pinned version.
    pub fn version(&self) -> &str {
        &self.installed.version
    }

    /// Prepares a scratch repository in `root` and a model that plays `scenario`.
    pub fn session(&self, root: &Path, scenario: &Scenario) -> Result<ClientSession, SessionError> {
        ClientSession::open(self, root, scenario)
    }
}
