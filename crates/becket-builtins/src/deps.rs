//! Dependencies of the built-in hooks, supplied by the host program.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use becket_model::{Event, HookSpec, Verdict};
use becket_runner::Hook;

use crate::git::MessageWriter;
use crate::http_post::{HttpPostClient, PostClient};

type EnvFn = dyn Fn(&str) -> Option<OsString> + Send + Sync;
type TrustFn = dyn Fn(&Path) -> bool + Send + Sync;
type GuardFactory = dyn Fn(HookSpec) -> Result<Arc<dyn Hook>, String> + Send + Sync;
type EditorFn = dyn Fn(&Event, &str, Duration) -> Option<(Verdict, Option<String>)> + Send + Sync;
type TurnStatsFn = dyn Fn(&Event) -> TurnStats + Send + Sync;

/// What the host program supplies. Tests pass their own.
#[derive(Clone)]
pub struct BuiltinDeps {
    /// Becket's state directory. The log and marker files are below it.
    pub state_dir: PathBuf,
    /// Environment variables: `PATH`, `HOME`, and the variables that hold webhook URLs.
    pub env: Arc<EnvFn>,
    /// Whether the user trusts a project. Code of untrusted projects does not run.
    pub trusted: Arc<TrustFn>,
    /// Sends HTTP requests.
    pub post: Arc<dyn PostClient>,
    /// Writes commit messages. Without a writer, the message is derived from the change.
    pub writer: Option<Arc<dyn MessageWriter>>,
    /// Statistics of the turn or session that an event ends, in addition to the event's own data.
    pub turn_stats: Option<Arc<TurnStatsFn>>,
    /// Asks a connected editor to decide on the event with this id within this time; `None` if no editor answers.
    pub editor: Option<Arc<EditorFn>>,
    /// Builds `security-guard`. Unknown option keys are already rejected.
    pub guard: Option<Arc<GuardFactory>>,
}

/// Statistics of a turn or session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TurnStats {
    /// Duration.
    pub duration: Option<Duration>,
    /// Tokens used.
    pub tokens: Option<u64>,
    /// Number of tool calls.
    pub tool_calls: Option<u64>,
}

impl BuiltinDeps {
    /// Uses the environment of this process and HTTP requests. No project is trusted, and there is no message writer.
    pub fn new(state_dir: impl Into<PathBuf>) -> Self {
        Self {
            state_dir: state_dir.into(),
            env: Arc::new(|name| std::env::var_os(name)),
            trusted: Arc::new(|_| false),
            post: Arc::new(HttpPostClient::new()),
            writer: None,
            turn_stats: None,
            editor: None,
            guard: None,
        }
    }
}

impl std::fmt::Debug for BuiltinDeps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Deps")
            .field("state_dir", &self.state_dir)
            .field("writer", &self.writer.is_some())
            .finish_non_exhaustive()
    }
}
