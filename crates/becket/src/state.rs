//! Session state that outlives one hook process: which `once` hooks have run, how often a turn was kept going.
//! One empty or tiny file each. Losing them is harmless.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use becket_base::fs::{FileSync, create_private_dir, private_options, write_private};
use becket_model::HookSpec;

/// What an agent reports when it is about to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopAttempt {
    /// No hook has kept the turn going yet.
    First,
    /// A hook has kept the turn going before.
    Repeated,
}

/// The state directory of one session.
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

    /// The session id comes from the agent, so it is hashed and never used as a path.
    fn dir(&self) -> PathBuf {
        let key = blake3::hash(self.session.as_bytes()).to_hex();
        self.state.join("sessions").join(&key.as_str()[..32])
    }

    /// Claims the one run of a `once` hook; `false` if it was claimed before. If the claim cannot be stored, the hook runs:
    /// twice is better than never.
    pub fn claim_once(&self, hook: &HookSpec) -> bool {
        if create_private_dir(&self.dir()).is_err() {
            return true;
        }
        let made = private_options()
            .create_new(true)
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

    /// Resets the retry count at a new prompt.
    pub fn new_turn(&self) {
        let _ = fs::remove_file(self.dir().join("kept-going"));
    }

    /// How often this turn has been kept going, if a count is stored.
    pub fn kept_going(&self) -> Option<u32> {
        let text = fs::read_to_string(self.dir().join("kept-going")).ok()?;
        text.parse().ok()
    }

    /// Counts a retry and returns how often this turn has been kept going. For an agent that does not report whether this
    /// is the first attempt, the count starts at its last prompt.
    pub fn count_retry(&self, attempt: Option<StopAttempt>) -> u32 {
        let path = self.dir().join("kept-going");
        let now = match attempt {
            Some(StopAttempt::First) => 1,
            Some(StopAttempt::Repeated) => self.kept_going().unwrap_or(1).saturating_add(1),
            None => self.kept_going().unwrap_or(0).saturating_add(1),
        };
        let kept = write_private(&path, now.to_string().as_bytes(), FileSync::Skip);
        // The agent does not count and the count cannot be stored: end the turn early rather than never.
        if kept.is_err() && attempt.is_none() {
            u32::MAX
        } else {
            now
        }
    }

    /// Deletes the session's state.
    pub fn forget(&self) {
        let _ = fs::remove_dir_all(self.dir());
    }
}
