//! Restricts requests to directories that are projects.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::route::ApiError;
use crate::run::Daemon;

/// Checks that a path is a project: a recorded one, or one with a configuration of this user. An authenticated client
/// cannot read arbitrary directories this way.
pub(super) async fn project(daemon: &Daemon, path: &str) -> Result<PathBuf, ApiError> {
    let shown: String = path.chars().take(200).collect();
    let directory = PathBuf::from(path);
    let on_record = path.to_owned();
    let query = daemon
        .store
        .query(move |reader| reader.has_project(&on_record));
    let is_project = query.await? || is_configured(&directory);
    if !is_project {
        let why = "is neither a recorded project nor a directory with your own becket.toml";
        return Err(ApiError::bad_request(format!("`project`: `{shown}` {why}")));
    }
    if !directory.is_absolute() || !directory.is_dir() {
        let why = "is not a directory on this machine";
        return Err(ApiError::bad_request(format!("`project`: `{shown}` {why}")));
    }
    Ok(directory)
}

/// As [`project`], for an optional parameter.
pub(super) async fn optional_project(
    daemon: &Daemon,
    path: Option<&str>,
) -> Result<Option<PathBuf>, ApiError> {
    match path {
        Some(path) => project(daemon, path).await.map(Some),
        None => Ok(None),
    }
}

/// Whether the directory itself, without following symbolic links, has a configuration file of this user.
fn is_configured(path: &Path) -> bool {
    let me = rustix::process::geteuid().as_raw();
    let file = path.join("becket.toml").symlink_metadata();
    path.is_absolute()
        && path.canonicalize().is_ok_and(|real| real == path)
        && file.is_ok_and(|meta| meta.is_file() && meta.uid() == me)
}
