//! Hooks from configuration text, fired at events.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use becket_agents::config::{self, File};
use becket_model::{AgentId, Event, EventData, HookSpec, Level, Outcome, SessionId, ToolCall};
use becket_runner::{CancellationToken, Hook, HookContext, HookInput};
use becket_think::{Env, ThinkSettings, make};
use futures_lite::future::block_on;
use serde_json::json;

/// Far longer than anything here takes, far shorter than what must not be waited for.
pub(crate) const HUNG: Duration = Duration::from_secs(20);

/// A person's configuration and a state directory of its own.
pub(crate) struct World {
    pub(crate) settings: ThinkSettings,
    pub(crate) hooks: Vec<HookSpec>,
    pub(crate) dir: tempfile::TempDir,
}

impl World {
    pub(crate) fn new(text: &str) -> Self {
        Self::in_dir(tempfile::tempdir().expect("a temporary directory"), text)
    }

    /// The same where something lies already.
    pub(crate) fn in_dir(dir: tempfile::TempDir, text: &str) -> Self {
        let file = File {
            path: Path::new("/home/config.toml"),
            level: Level::User,
            text,
            root: None,
        };
        let layer = config::becket(&file);
        assert_eq!(layer.problems, [], "{text}");
        let asking = config::becket_thinking(&file);
        Self {
            settings: ThinkSettings::new(asking, dir.path()).with_env(Env::of([])),
            hooks: layer.hooks,
            dir,
        }
    }

    pub(crate) fn env<const N: usize>(mut self, pairs: [(&str, &str); N]) -> Self {
        self.settings = self.settings.with_env(Env::of(pairs));
        self
    }

    pub(crate) fn hook(&self) -> Arc<dyn Hook> {
        make(&self.hooks[0], &self.settings).expect("a hook that thinks")
    }

    /// Fires an event at the first hook.
    pub(crate) fn fire(&self, event: Event) -> Outcome {
        self.fire_under(event, &CancellationToken::new())
    }

    pub(crate) fn fire_under(&self, event: Event, token: &CancellationToken) -> Outcome {
        let started = Instant::now();
        let outcome = self.run(event, token);
        assert!(started.elapsed() < HUNG, "waited in vain: {outcome:?}");
        outcome
    }

    /// The same for a hook that really takes its time.
    pub(crate) fn fire_slowly(&self, event: Event) -> Outcome {
        self.run(event, &CancellationToken::new())
    }

    fn run(&self, event: Event, token: &CancellationToken) -> Outcome {
        let ctx = HookContext::new("s1")
            .with_cwd(self.dir.path())
            .with_cancellation(token.clone());
        let input = HookInput::from_event(event, "e1");
        block_on(self.hook().run(input, &ctx))
    }
}

/// A command that an agent is about to run.
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

/// Waits until a file is there.
pub(crate) fn await_file(path: &Path) {
    let started = Instant::now();
    while !path.exists() {
        assert!(started.elapsed() < HUNG, "{} never came", path.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process is gone, or only waits for its parent to notice.
pub(crate) fn is_gone(pid: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    stat.is_empty() || stat.contains(") Z ")
}

/// The message of the failure that must be there.
#[track_caller]
pub(crate) fn failure(outcome: &Outcome) -> &str {
    match &outcome.failure {
        Some(failure) => &failure.message,
        None => panic!("no failure: {outcome:?}"),
    }
}
