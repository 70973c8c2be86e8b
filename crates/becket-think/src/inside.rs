//! Keeping an agent that a hook asks from asking itself.
//!
//! A child that answers for a hook is told so by a variable, and its own hooks that would ask an agent stay
//! silent. All other hooks run there as everywhere, guards above all: the variable switches nothing else off. It
//! counts only while the hook that set it waits, which a file of the same name shows, so that nobody can set it for
//! a session of their own.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::settings::ThinkSettings;

/// Set for a child that answers for a hook.
pub const BECKET_INSIDE: &str = "BECKET_INSIDE";

/// A child that answers, while it does.
pub(crate) struct Inside {
    word: String,
    /// `None` if there is no room for the mark. The child then may ask itself, within its deadline.
    mark: Option<PathBuf>,
}

impl Inside {
    pub(crate) fn enter(settings: &ThinkSettings) -> Self {
        let random = || RandomState::new().hash_one(std::process::id());
        let word = format!("{:016x}{:016x}", random(), random());
        let mark = directory(&settings.state).join(&word);
        Self {
            mark: make(&mark).ok().map(|()| mark),
            word,
        }
    }

    pub(crate) fn env(&self) -> Vec<(OsString, OsString)> {
        vec![(BECKET_INSIDE.into(), self.word.as_str().into())]
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        if let Some(mark) = &self.mark {
            let _ = fs::remove_file(mark);
        }
    }
}

/// Whether this process answers for a hook that waits.
pub(crate) fn is_inside(settings: &ThinkSettings) -> bool {
    let Some(word) = settings.env.get(BECKET_INSIDE) else {
        return false;
    };
    // It becomes part of a path.
    let is_word = word.len() == 32 && word.bytes().all(|c| c.is_ascii_hexdigit());
    is_word && directory(&settings.state).join(word).is_file()
}

fn directory(state: &Path) -> PathBuf {
    state.join("inside")
}

fn make(mark: &Path) -> std::io::Result<()> {
    if let Some(dir) = mark.parent() {
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(dir)?;
    }
    let mut options = OpenOptions::new();
    options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(mark)?;
    Ok(())
}
