//! A real client with Becket connected by `becket init`, as a user would do it.
//!
//! The client's home and Becket's home are private to the test. This module does not know what hooks answer or how events
//! are recorded: it runs the programs and reads their output. Start at [`Rig::connected`] for Claude, at [`Rig::of`] and
//! [`Rig::connect`] for any client.

use std::error::Error;
use std::fs;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::time::Duration;

use becket_lab::fake_model::{MarkerSighting, PromptPart};
use becket_lab::harness::TestCase;
use becket_lab::process::{self, FinishedProcess, ProcessExit};
use becket_lab::scenario::Scenario;
use becket_lab::{Agent, ClientSession, ClientTurn};
use serde_json::Value;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Timeout for background work. Only a failing test waits this long.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// The binary under test.
pub(crate) const BECKET: &str = env!("CARGO_BIN_EXE_becket");

/// A client session with a Becket home.
pub(crate) struct Rig {
    session: ClientSession,
    becket_home: PathBuf,
}

impl Rig {
    /// Claude without Becket.
    pub(crate) fn new(dir: &Path, scenario: &Scenario) -> Result<Self> {
        Self::of(Agent::Claude, dir, scenario)
    }

    /// A client without Becket.
    pub(crate) fn of(agent: Agent, dir: &Path, scenario: &Scenario) -> Result<Self> {
        let mut session = agent.ready()?.session(dir, scenario)?;
        let becket_home = session.workspace.root().join("becket");
        session
            .workspace
            .set_env("BECKET_HOME", &becket_home)
            .set_env("BECKET_DAEMON", "off")
            // Claude gives hooks at the end of a session 1.5 s, which a busy machine may need to start a process.
            .set_env("CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS", "60000");
        Ok(Self {
            session,
            becket_home,
        })
    }

    /// Claude, connected by `becket init`, with these user hooks.
    pub(crate) fn connected(
        case: &TestCase,
        scenario: &Scenario,
        hooks: &[HookEntry],
    ) -> Result<Self> {
        let mut rig = Self::new(case.dir(), scenario)?;
        rig.configure(hooks)?;
        rig.becket(&["init", "--yes"])?;
        Ok(rig)
    }

    /// Connects the client for this user, and confirms Becket's hooks if the client requires it.
    pub(crate) fn connect(&mut self) -> Result<()> {
        let agent = self.agent().name();
        self.becket(&["init", "--agent", agent, "--yes"])?;
        self.trust_hooks()?;
        Ok(())
    }

    /// Writes the user's configuration with these hooks.
    pub(crate) fn configure(&self, hooks: &[HookEntry]) -> Result<()> {
        self.configure_with(&toml(hooks))
    }

    /// Writes the user's configuration.
    pub(crate) fn configure_with(&self, text: &str) -> Result<()> {
        fs::create_dir_all(&self.becket_home)?;
        fs::write(self.becket_home.join("config.toml"), text)?;
        Ok(())
    }

    /// Becket's home directory.
    pub(crate) fn becket_home(&self) -> &Path {
        &self.becket_home
    }

    /// A path outside the repository, for a hook's output.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.workspace.root().join(name)
    }

    /// Runs `becket` in the repository; it must succeed.
    pub(crate) fn becket(&mut self, words: &[&str]) -> Result<FinishedProcess> {
        let done = self.try_becket(words)?;
        let said = format!("becket {words:?}: {}{}", done.stdout, done.stderr);
        assert!(done.exit.is_success(), "{said}");
        Ok(done)
    }

    /// Runs `becket` in the repository and returns the result, even on failure.
    pub(crate) fn try_becket(&mut self, words: &[&str]) -> Result<FinishedProcess> {
        Ok(self.workspace.exec(BECKET, words)?)
    }

    /// Runs `becket … --json`.
    pub(crate) fn becket_json(&mut self, words: &[&str]) -> Result<Value> {
        let done = self.becket(&[words, &["--json"]].concat())?;
        Ok(serde_json::from_str(&done.stdout)?)
    }

    /// The recorded events.
    pub(crate) fn recorded_events(&mut self) -> Result<RecordedEvents> {
        let shown = self.becket_json(&["tail", "-n", "1000"])?;
        let events = shown["events"].as_array().cloned();
        Ok(RecordedEvents(events.ok_or("tail has no list of events")?))
    }

    /// Runs a turn that must succeed.
    pub(crate) fn turn(&mut self, prompt: &str) -> Result<ClientTurn> {
        let turn = self.session.run(prompt)?;
        assert_ended_well(&turn);
        Ok(turn)
    }

    /// Runs the next turn of the same conversation.
    pub(crate) fn next_turn(&mut self, prompt: &str) -> Result<ClientTurn> {
        let turn = self.session.continue_with(prompt)?;
        assert_ended_well(&turn);
        Ok(turn)
    }

    /// Asserts that all started processes end within the timeout.
    pub(crate) fn assert_nothing_left_running(&self) -> Result<()> {
        self.workspace.running()?;
        let ended = || self.workspace.running().ok()?.is_empty().then_some(());
        let left = process::until(TIMEOUT, ended);
        assert!(left.is_some(), "{:#?}", self.workspace.running()?);
        Ok(())
    }
}

impl Deref for Rig {
    type Target = ClientSession;

    fn deref(&self) -> &ClientSession {
        &self.session
    }
}

impl DerefMut for Rig {
    fn deref_mut(&mut self) -> &mut ClientSession {
        &mut self.session
    }
}

/// The lab refuses requests to other hosts. They do not count here: some clients check for news at any time.
fn assert_ended_well(turn: &ClientTurn) {
    assert_eq!(turn.exit, ProcessExit::Code(0));
}

/// One `[[hook]]` of a configuration file.
pub(crate) struct HookEntry(String);

impl HookEntry {
    pub(crate) fn new(name: &str, event: &str, command: &str) -> Self {
        Self(format!(
            "[[hook]]\nname = '{name}'\nevent = '{event}'\ncommand = '''{command}'''\n"
        ))
    }

    /// Adds a key with a TOML value.
    pub(crate) fn with(self, key: &str, value: &str) -> Self {
        Self(format!("{}{key} = {value}\n", self.0))
    }
}

/// A configuration file with these hooks.
pub(crate) fn toml(hooks: &[HookEntry]) -> String {
    let texts: Vec<&str> = hooks.iter().map(|hook| hook.0.as_str()).collect();
    texts.join("\n")
}

/// The shell command of a hook that denies calls whose payload contains `word`.
pub(crate) fn deny_if(word: &str, reason: &str) -> String {
    format!("if grep -q {word}; then echo {reason} >&2; exit 2; fi")
}

/// The recorded events, oldest first.
#[derive(Debug)]
pub(crate) struct RecordedEvents(Vec<Value>);

impl RecordedEvents {
    /// Every record, including the ends of async hooks.
    pub(crate) fn all(&self) -> &[Value] {
        &self.0
    }

    /// The names of the events, in order.
    pub(crate) fn events(&self) -> Vec<&str> {
        let events = self.0.iter().filter_map(|record| record["event"].as_str());
        events.collect()
    }

    /// The records of an event.
    pub(crate) fn of(&self, event: &str) -> Vec<&Value> {
        let records = self.0.iter();
        records.filter(|record| record["event"] == event).collect()
    }

    /// The only record of an event.
    pub(crate) fn only(&self, event: &str) -> &Value {
        let records = self.of(event);
        assert_eq!(records.len(), 1, "{event}: {:?}", self.events());
        records[0]
    }

    /// The verdicts on an event, in order.
    pub(crate) fn verdicts(&self, event: &str) -> Vec<&str> {
        let records = self.of(event).into_iter();
        let verdicts = records.map(|record| record["decision"]["verdict"].as_str());
        verdicts.map(Option::unwrap_or_default).collect()
    }
}

/// Asserts that `marker` first reached the model at `step`, as the error of a tool call.
pub(crate) fn assert_refused(turn: &ClientTurn, step: usize, marker: &str) {
    let shown = turn.marker_sightings(marker);
    let refusal = MarkerSighting {
        step: Some(step),
        place: PromptPart::ToolResult { is_error: true },
    };
    assert_eq!(shown.first(), Some(&refusal), "{marker}: {shown:?}");
}
