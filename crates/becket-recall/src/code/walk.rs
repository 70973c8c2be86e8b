//! The files of a project.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::UNIX_EPOCH;

use ignore::{WalkBuilder, WalkState};

use super::refuse::{self, Refusal};

/// People's own list of what is not to be indexed.
pub(super) const OWN_IGNORE: &str = ".becketignore";

/// A file that may be indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    /// Inside the project, with `/`.
    pub(super) path: String,
    pub(super) absolute: PathBuf,
    pub(super) size: u64,
    /// In nanoseconds since 1970.
    pub(super) changed: i64,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Walked {
    /// In order of their paths.
    pub(super) files: Vec<Candidate>,
    /// Each reason with the number of files.
    pub(super) refused: Vec<Refusal>,
    /// What could not be read.
    pub(super) problems: Vec<String>,
}

/// Walks a project, on all cores. Links are not followed.
pub(super) fn walk(root: &Path, threads: usize) -> Walked {
    let found = Mutex::new(Walked::default());
    let walker = WalkBuilder::new(root)
        .hidden(false)
        .follow_links(false)
        .require_git(false)
        .add_custom_ignore_filename(OWN_IGNORE)
        .threads(threads)
        .filter_entry(|entry| {
            let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
            let name = entry.file_name().to_string_lossy();
            entry.depth() == 0 || !is_dir || !refuse::is_vendored(&name)
        })
        .build_parallel();
    walker.run(|| {
        Box::new(|entry| {
            let mut found = found
                .lock()
                .unwrap_or_else(std::sync::PoisonError::into_inner);
            match entry {
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                    match candidate(root, entry.path()) {
                        Ok(Ok(file)) => found.files.push(file),
                        Ok(Err(refusal)) => found.refused.push(refusal),
                        Err(problem) => found.problems.push(problem),
                    }
                }
                Ok(_) => {}
                Err(error) => found.problems.push(error.to_string()),
            }
            WalkState::Continue
        })
    });
    let mut found = found
        .into_inner()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    found.files.sort_by(|a, b| a.path.cmp(&b.path));
    found.refused.sort_unstable();
    found
}

/// A file as a candidate, or why it is none.
pub(super) fn candidate(root: &Path, file: &Path) -> Result<Result<Candidate, Refusal>, String> {
    let Ok(inside) = file.strip_prefix(root) else {
        return Ok(Err(Refusal::Outside));
    };
    let Some(path) = inside.to_str() else {
        return Err(format!("`{}` has a name that is not text", file.display()));
    };
    let path = path.replace(std::path::MAIN_SEPARATOR, "/");
    if let Some(refusal) = refuse::by_path(&path) {
        return Ok(Err(refusal));
    }
    let about = file
        .symlink_metadata()
        .map_err(|error| format!("`{path}`: {error}"))?;
    if !about.is_file() {
        return Ok(Err(Refusal::Outside));
    }
    if about.len() > refuse::MOST_BYTES {
        return Ok(Err(Refusal::Huge));
    }
    let changed = about
        .modified()
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let changed = changed.and_then(|since| i64::try_from(since.as_nanos()).ok());
    Ok(Ok(Candidate {
        path,
        absolute: file.to_owned(),
        size: about.len(),
        changed: changed.unwrap_or_default(),
    }))
}
