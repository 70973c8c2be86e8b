//! Prevents infinite recursion when a hook runs an agent whose own hooks would run an agent.
//!
//! The child process gets a random token in `BECKET_INSIDE`. While that token is valid, its hooks of type `agent` and
//! `command` models do nothing. All other hooks, the guard included, run as usual. The token is valid only while a file
//! of that name exists, and only the waiting hook creates and deletes that file. Setting the variable by hand therefore
//! has no effect.

use std::ffi::OsString;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};

use becket_base::fs::{create_private_parent, private_options};

use crate::settings::ThinkSettings;

/// Set in the environment of a child process that answers for a hook.
pub const BECKET_INSIDE: &str = "BECKET_INSIDE";

/// The token and marker file of one child process. Dropping it deletes the file.
pub(crate) struct RecursionMarker {
    token: String,
    /// `None` if the file could not be created. The child may then recurse, limited by its deadline.
    marker_file: Option<PathBuf>,
}

impl RecursionMarker {
    pub(crate) fn enter(settings: &ThinkSettings) -> Self {
        let random = || RandomState::new().hash_one(std::process::id());
        let token = format!("{:016x}{:016x}", random(), random());
        let mark = directory(&settings.state).join(&token);
        Self {
            marker_file: create_marker(&mark).ok().map(|()| mark),
            token,
        }
    }

    pub(crate) fn env(&self) -> Vec<(OsString, OsString)> {
        vec![(BECKET_INSIDE.into(), self.token.as_str().into())]
    }
}

impl Drop for RecursionMarker {
    fn drop(&mut self) {
        if let Some(mark) = &self.marker_file {
            let _ = fs::remove_file(mark);
        }
    }
}

/// Whether this process answers for a hook that is still waiting.
pub(crate) fn is_nested(settings: &ThinkSettings) -> bool {
    let Some(word) = settings.env.get(BECKET_INSIDE) else {
        return false;
    };
    // The token becomes part of a path, so only hexadecimal digits are accepted.
    let is_word = word.len() == 32 && word.bytes().all(|c| c.is_ascii_hexdigit());
    is_word && directory(&settings.state).join(word).is_file()
}

fn directory(state: &Path) -> PathBuf {
    state.join("inside")
}

fn create_marker(mark: &Path) -> std::io::Result<()> {
    create_private_parent(mark)?;
    private_options().create_new(true).open(mark)?;
    Ok(())
}
