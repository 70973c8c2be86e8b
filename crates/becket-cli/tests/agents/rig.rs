//! A real client with Becket connected to it by `becket init`, as a person would do it.
//!
//! The client's home and Becket's are private to the test. Nothing here knows what hooks answer or
//! how records come about: it runs the programs and reads what they print. Start at
//! [`Rig::connected`] for Claude, at [`Rig::of`] and [`Rig::connect`]
//! for any client.

use std::error::Error;
use std::fs;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::time::Duration;

use becket_lab::fake_model::{Place, Told};
use becket_lab::harness::Case;
use becket_lab::process::{self, Exit, Finished};
use becket_lab::scenario::Scenario;
use becket_lab::{Agent, Session, Turn};
use serde_json::Value;

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// For what goes on in the background. Only a test that fails waits for so long.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The binary under test.
pub(crate) const BECKET: &str = env!("CARGO_BIN_EXE_becket");

/// A session of a client in which Becket has a home.
pub(crate) struct Rig {
    session: Session,
    becket_home: PathBuf,
}

impl Rig {
    /// Claude, which knows nothing of Becket yet.
    pub(crate) fn new(dir: &Path, scenario: &Scenario) -> Result<Self> {
        Self::of(Agent::Claude, dir, scenario)
    }

    /// A client that knows nothing of Becket yet.
    pub(crate) fn of(agent: Agent, dir: &Path, scenario: &Scenario) -> Result<Self> {
        let mut session = agent.ready()?.session(dir, scenario)?;
        let becket_home = session.workspace.root().join("becket");
        session
            .workspace
            .set_env("BECKET_HOME", &becket_home)
            .set_env("BECKET_DAEMON", "off")
            // Claude gives hooks at the end of a session 1.5 s, which a busy machine may need for
            // the start of a process.
            .set_env("CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS", "60000");
        Ok(Self {
            session,
            becket_home,
        })
    }

    /// Claude, connected by `becket init`, with these hooks of the person's own.
    pub(crate) fn connected(case: &Case, scenario: &Scenario, hooks: &[Hook]) -> Result<Self> {
        let mut rig = Self::new(case.dir(), scenario)?;
        rig.configure(hooks)?;
        rig.becket(&["init", "--yes"])?;
        Ok(rig)
    }

    /// Connects the client for this user, and confirms Becket's hooks where the client wants a
    /// person to.
    pub(crate) fn connect(&mut self) -> Result<()> {
        let agent = self.agent().name();
        self.becket(&["init", "--agent", agent, "--yes"])?;
        self.trust_hooks()?;
        Ok(())
    }

    /// Writes the person's own configuration.
    pub(crate) fn configure(&self, hooks: &[Hook]) -> Result<()> {
        self.configure_with(&toml(hooks))
    }

    /// Writes the person's own configuration, which is this text.
    pub(crate) fn configure_with(&self, text: &str) -> Result<()> {
        fs::create_dir_all(&self.becket_home)?;
        fs::write(self.becket_home.join("config.toml"), text)?;
        Ok(())
    }

    /// Everything that Becket keeps.
    pub(crate) fn becket_home(&self) -> &Path {
        &self.becket_home
    }

    /// A path for a hook to leave something at, outside the repository.
    pub(crate) fn outside(&self, name: &str) -> PathBuf {
        self.workspace.root().join(name)
    }

    /// Runs `becket` in the repository; it must succeed.
    pub(crate) fn becket(&mut self, words: &[&str]) -> Result<Finished> {
        let done = self.try_becket(words)?;
        let said = format!("becket {words:?}: {}{}", done.stdout, done.stderr);
        assert!(done.exit.is_success(), "{said}");
        Ok(done)
    }

    /// Runs `becket` in the repository, however it ends.
    pub(crate) fn try_becket(&mut self, words: &[&str]) -> Result<Finished> {
        Ok(self.workspace.exec(BECKET, words)?)
    }

    /// Runs `becket … --json`.
    pub(crate) fn becket_json(&mut self, words: &[&str]) -> Result<Value> {
        let done = self.becket(&[words, &["--json"]].concat())?;
        Ok(serde_json::from_str(&done.stdout)?)
    }

    /// What is on record.
    pub(crate) fn trail(&mut self) -> Result<Trail> {
        let told = self.becket_json(&["tail", "-n", "1000"])?;
        let events = told["events"].as_array().cloned();
        Ok(Trail(events.ok_or("tail has no list of events")?))
    }

    /// Runs a turn that must end well, without a word to other hosts.
    pub(crate) fn turn(&mut self, prompt: &str) -> Result<Turn> {
        let turn = self.session.run(prompt)?;
        assert_ended_well(&turn);
        Ok(turn)
    }

    /// Runs one more turn of the same conversation.
    pub(crate) fn next_turn(&mut self, prompt: &str) -> Result<Turn> {
        let turn = self.session.continue_with(prompt)?;
        assert_ended_well(&turn);
        Ok(turn)
    }

    /// Asserts that everything that was started has ended, or does in a while.
    pub(crate) fn assert_nothing_left_running(&self) -> Result<()> {
        self.workspace.running()?;
        let ended = || self.workspace.running().ok()?.is_empty().then_some(());
        let left = process::until(PATIENCE, ended);
        assert!(left.is_some(), "{:#?}", self.workspace.running()?);
        Ok(())
    }
}

impl Deref for Rig {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl DerefMut for Rig {
    fn deref_mut(&mut self) -> &mut Session {
        &mut self.session
    }
}

/// What a client wants of other hosts is refused by the lab, and none of Becket's business: some look
/// for news of their own at times of their own.
fn assert_ended_well(turn: &Turn) {
    assert_eq!(turn.exit, Exit::Code(0));
}

/// One `[[hook]]` of a configuration file.
pub(crate) struct Hook(String);

impl Hook {
    pub(crate) fn new(name: &str, event: &str, command: &str) -> Self {
        Self(format!(
            "[[hook]]\nname = '{name}'\nevent = '{event}'\ncommand = '''{command}'''\n"
        ))
    }

    /// With one more key, its value as TOML.
    pub(crate) fn with(self, key: &str, value: &str) -> Self {
        Self(format!("{}{key} = {value}\n", self.0))
    }
}

/// A configuration file of these hooks.
pub(crate) fn toml(hooks: &[Hook]) -> String {
    let texts: Vec<&str> = hooks.iter().map(|hook| hook.0.as_str()).collect();
    texts.join("\n")
}

/// The shell command of a hook that refuses calls whose payload holds `word`.
pub(crate) fn deny_if(word: &str, reason: &str) -> String {
    format!("if grep -q {word}; then echo {reason} >&2; exit 2; fi")
}

/// The records, oldest first.
#[derive(Debug)]
pub(crate) struct Trail(Vec<Value>);

impl Trail {
    /// Every record, ends of async hooks included.
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

    /// The one record of an event.
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

/// Asserts that the model first heard of `marker` at `step`, as the error of a tool call.
pub(crate) fn assert_refused(turn: &Turn, step: usize, marker: &str) {
    let told = turn.told_model(marker);
    let refusal = Told {
        step: Some(step),
        place: Place::ToolResult { is_error: true },
    };
    assert_eq!(told.first(), Some(&refusal), "{marker}: {told:?}");
}
