//! What the hooks need of the world around them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use becket_model::{Event, HookSpec, Verdict};
use becket_runner::Hook;

use crate::git::Writer;
use crate::post::{HttpPost, Post};

type Env = dyn Fn(&str) -> Option<OsString> + Send + Sync;
type Trusted = dyn Fn(&Path) -> bool + Send + Sync;
type MakeGuard = dyn Fn(HookSpec) -> Result<Arc<dyn Hook>, String> + Send + Sync;
type AskEditor = dyn Fn(&Event, &str, Duration) -> Option<(Verdict, Option<String>)> + Send + Sync;
type TurnOf = dyn Fn(&Event) -> Turn + Send + Sync;

/// Brought by the program that runs the hooks.
#[derive(Clone)]
pub struct Deps {
    /// Becket's state directory; the log and small marks lie in it.
    pub state_dir: PathBuf,
    /// The environment: `PATH`, `HOME`, and the variables that hold addresses.
    pub env: Arc<Env>,
    /// Whether the person has trusted this project. Code of any other project does not run.
    pub trusted: Arc<Trusted>,
    /// How requests are sent.
    pub post: Arc<dyn Post>,
    /// Who writes commit messages; without one they are made from the change itself.
    pub writer: Option<Arc<dyn Writer>>,
    /// What is known about the turn or session that an event ends, beyond what the event says.
    pub turn: Option<Arc<TurnOf>>,
    /// Lets somebody at an editor decide on an event with this id, within this time; `None` if nobody does.
    pub editor: Option<Arc<AskEditor>>,
    /// Makes `security-guard`, whose options have been checked for unknown keys.
    pub guard: Option<Arc<MakeGuard>>,
}

/// What a turn or session took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Turn {
    /// How long it was.
    pub duration: Option<Duration>,
    /// How many tokens it used.
    pub tokens: Option<u64>,
    /// How many tools it called.
    pub tool_calls: Option<u64>,
}

impl Deps {
    /// The environment of this process, requests over HTTP, no project trusted, no writer.
    pub fn new(state_dir: impl Into<PathBuf>) -> Self {
        Self {
            state_dir: state_dir.into(),
            env: Arc::new(|name| std::env::var_os(name)),
            trusted: Arc::new(|_| false),
            post: Arc::new(HttpPost::new()),
            writer: None,
            turn: None,
            editor: None,
            guard: None,
        }
    }
}

impl std::fmt::Debug for Deps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Deps")
            .field("state_dir", &self.state_dir)
            .field("writer", &self.writer.is_some())
            .finish_non_exhaustive()
    }
}
