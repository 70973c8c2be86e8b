//! Small facts that must outlive one hook call: which `once` hooks have run, how often a turn was
//! kept going. One empty or tiny file each; losing them is harmless.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use becket_model::HookSpec;

/// What is remembered about one session.
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
        let name = blake3::hash(hook.definition().to_string().as_bytes()).to_hex();
        let path = self.dir().join(format!("once-{}", &name.as_str()[..32]));
        if self.create_dir().is_err() {
            return true;
        }
        let made = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path);
        !matches!(made, Err(error) if error.kind() == ErrorKind::AlreadyExists)
    }

    /// How often this turn has been kept going, this time included.
    pub fn count_retry(&self, first: bool) -> u32 {
        let path = self.dir().join("kept-going");
        let before: u32 = if first {
            0
        } else {
            fs::read_to_string(&path)
                .ok()
                .and_then(|t| t.parse().ok())
                .unwrap_or(1)
        };
        let now = before.saturating_add(1);
        if self.create_dir().is_ok()
            && let Ok(mut file) = fs::OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(true)
                .mode(0o600)
                .open(path)
        {
            let _ = write!(file, "{now}");
        }
        now
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
