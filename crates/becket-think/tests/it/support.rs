//! Builds hooks from configuration text and runs them on events.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use becket_agents::config::{self, ConfigFile};
use becket_model::{AgentId, Event, EventData, HookOutcome, HookSpec, Level, SessionId, ToolCall};
use becket_runner::{CancellationToken, Hook, HookContext, HookInput};
use becket_think::{EnvLookup, ThinkSettings, make};
use futures_lite::future::block_on;
use serde_json::json;

/// Longer than any test takes, shorter than the delays that must not be waited for.
pub(crate) const HUNG: Duration = Duration::from_secs(20);

/// A user configuration with its own state directory.
pub(crate) struct World {
    pub(crate) settings: ThinkSettings,
    pub(crate) hooks: Vec<HookSpec>,
    pub(crate) dir: tempfile::TempDir,
}

impl World {
    pub(crate) fn new(text: &str) -> Self {
        Self::in_dir(tempfile::tempdir().expect("a temporary directory"), text)
    }

    /// The same in an existing directory.
    pub(crate) fn in_dir(dir: tempfile::TempDir, text: &str) -> Self {
        let file = ConfigFile {
            path: Path::new("/home/config.toml"),
            level: Level::User,
            text,
            root: None,
        };
        let layer = config::becket(&file);
        assert_eq!(layer.problems, [], "{text}");
        let asking = config::becket_services(&file);
        Self {
            settings: ThinkSettings::new(asking, dir.path()).with_env(EnvLookup::from_pairs([])),
            hooks: layer.hooks,
            dir,
        }
    }

    pub(crate) fn env<const N: usize>(mut self, pairs: [(&str, &str); N]) -> Self {
        self.settings = self.settings.with_env(EnvLookup::from_pairs(pairs));
        self
    }

    pub(crate) fn hook(&self) -> Arc<dyn Hook> {
        make(&self.hooks[0], &self.settings).expect("a hook that thinks")
    }

    /// Runs the first hook on an event.
    pub(crate) fn fire(&self, event: Event) -> HookOutcome {
        self.fire_under(event, &CancellationToken::new())
    }

    pub(crate) fn fire_under(&self, event: Event, token: &CancellationToken) -> HookOutcome {
        let started = Instant::now();
        let outcome = self.run(event, token);
        assert!(started.elapsed() < HUNG, "waited in vain: {outcome:?}");
        outcome
    }

    /// The same for a hook that is slow on purpose.
    pub(crate) fn fire_slowly(&self, event: Event) -> HookOutcome {
        self.run(event, &CancellationToken::new())
    }

    fn run(&self, event: Event, token: &CancellationToken) -> HookOutcome {
        let ctx = HookContext::new("s1")
            .with_cwd(self.dir.path())
            .with_cancellation(token.clone());
        let input = HookInput::from_event(event, "e1");
        block_on(self.hook().run(input, &ctx))
    }
}

/// A `PreToolUse` event for a shell command.
pub(crate) fn bash(command: &str) -> Event {
    event(EventData::PreToolUse {
        call: ToolCall::new("Bash", json!({ "command": command })),
    })
}

pub(crate) fn event(data: EventData) -> Event {
    let mut event = Event::new(AgentId::new("claude"), SessionId::new("s1"), data);
    event.cwd = Some("/w".to_owned());
    event
}

/// Whether a process has ended; a zombie counts as ended.
pub(crate) fn is_gone(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.is_empty() || stat.contains(") Z ")
}

/// The failure message of an outcome that must have failed.
#[track_caller]
pub(crate) fn failure(outcome: &HookOutcome) -> &str {
    match &outcome.failure {
        Some(failure) => &failure.message,
        None => panic!("no failure: {outcome:?}"),
    }
}
