//! Small facts that must outlive one hook call: which `once` hooks have run, how often a turn was
//! kept going. One empty or tiny file each; losing them is harmless.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use becket_model::HookSpec;

/// What an agent says when it is about to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Going {
    /// No hook has kept it going in this turn.
    First,
    /// One has.
    Again,
}

/// What is remembered about one session.
#[derive(Clone)]
pub struct SessionState {
    state: PathBuf,
    session: String,
}

impl SessionState {
    /// The state of a session.
    pub fn new(state: &Path, agent: &str, session: &str) -> Self {
        Self {
            state: state.to_owned(),
            session: format!("{agent}\0{session}"),
        }
    }

    /// Where it is kept. The id is hashed: it comes from outside and is no path.
    fn dir(&self) -> PathBuf {
        let key = blake3::hash(self.session.as_bytes()).to_hex();
        self.state.join("sessions").join(&key.as_str()[..32])
    }

    /// Claims the one run of a `once` hook; `false` if it has been claimed before. When it cannot be
    /// remembered the hook runs: twice is better than never.
    pub fn claim_once(&self, hook: &HookSpec) -> bool {
        if self.create_dir().is_err() {
            return true;
        }
        let made = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(self.once_file(hook));
        !matches!(made, Err(error) if error.kind() == ErrorKind::AlreadyExists)
    }

    /// Whether the one run of a `once` hook has been claimed.
    pub fn has_run(&self, hook: &HookSpec) -> bool {
        self.once_file(hook).exists()
    }

    fn once_file(&self, hook: &HookSpec) -> PathBuf {
        let name = blake3::hash(hook.definition().to_string().as_bytes()).to_hex();
        self.dir().join(format!("once-{}", &name.as_str()[..32]))
    }

    /// A new prompt: nothing has been kept going yet.
    pub fn new_turn(&self) {
        let _ = fs::remove_file(self.dir().join("kept-going"));
    }

    /// How often this turn has been kept going, as far as is known.
    pub fn kept_going(&self) -> Option<u32> {
        let text = fs::read_to_string(self.dir().join("kept-going")).ok()?;
        text.parse().ok()
    }

    /// How often this turn has been kept going, this time included. An agent that does not say whether
    /// this is the first time is counted from its last prompt.
    pub fn count_retry(&self, says: Option<Going>) -> u32 {
        let path = self.dir().join("kept-going");
        let now = match says {
            Some(Going::First) => 1,
            Some(Going::Again) => self.kept_going().unwrap_or(1).saturating_add(1),
            None => self.kept_going().unwrap_or(0).saturating_add(1),
        };
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        let kept = self
            .create_dir()
            .and_then(|()| options.open(&path))
            .and_then(|mut file| write!(file, "{now}"));
        // An agent that does not count, and nothing to count in: better one turn short than one without end.
        if kept.is_err() && says.is_none() {
            u32::MAX
        } else {
            now
        }
    }

    /// Forgets the session.
    pub fn forget(&self) {
        let _ = fs::remove_dir_all(self.dir());
    }

    fn create_dir(&self) -> std::io::Result<()> {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(self.dir())
    }
}
