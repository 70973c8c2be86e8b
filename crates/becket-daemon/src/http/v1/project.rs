//! Which directories may be asked about.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::route::Failed;
use crate::run::Daemon;

/// A project of this person: one on record, or one with a configuration of its own. Who is let in here is not thereby
/// let into every directory of the machine.
pub(super) async fn project(daemon: &Daemon, named: &str) -> Result<PathBuf, Failed> {
    let shown: String = named.chars().take(200).collect();
    let path = PathBuf::from(named);
    let on_record = named.to_owned();
    let ask = daemon
        .keeper
        .ask(move |reader| reader.has_project(&on_record));
    let is_known = ask.await? || is_configured(&path);
    if !is_known {
        let why = "is not a project on record and has no becket.toml of yours";
        return Err(Failed::bad(format!("`project`: `{shown}` {why}")));
    }
    if !path.is_absolute() || !path.is_dir() {
        let why = "is not a directory on this machine";
        return Err(Failed::bad(format!("`project`: `{shown}` {why}")));
    }
    Ok(path)
}

/// The same where none may be named.
pub(super) async fn perhaps(
    daemon: &Daemon,
    named: Option<&str>,
) -> Result<Option<PathBuf>, Failed> {
    match named {
        Some(named) => project(daemon, named).await.map(Some),
        None => Ok(None),
    }
}

/// Whether the directory itself, and nothing that a link leads to, holds a configuration of this person's.
fn is_configured(path: &Path) -> bool {
    let me = rustix::process::geteuid().as_raw();
    let file = path.join("becket.toml").symlink_metadata();
    path.is_absolute()
        && path.canonicalize().is_ok_and(|real| real == path)
        && file.is_ok_and(|meta| meta.is_file() && meta.uid() == me)
}
