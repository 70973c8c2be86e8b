//! The files of a project.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::UNIX_EPOCH;

use ignore::{DirEntry, WalkBuilder, WalkState};

use super::refuse::{self, Refusal};

/// People's own list of what is not to be indexed.
const OWN_IGNORE: &str = ".becketignore";

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
    /// A reason for each file, and for each directory of foreign code.
    pub(super) refused: Vec<Refusal>,
    /// What could not be read.
    pub(super) problems: Vec<String>,
}

/// The walk that knows what is ignored: by git, in whichever list, and by Becket. The same for a whole project and for
/// one file of it.
fn builder(root: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder
        .hidden(false)
        .follow_links(false)
        .require_git(false)
        .current_dir(root)
        .add_custom_ignore_filename(OWN_IGNORE);
    builder
}

/// Why one file is not among those that a walk over the whole project would find, if it is not. Only the directories
/// that lead to it are looked into.
pub(super) fn left_out(root: &Path, file: &Path) -> Option<Refusal> {
    let above = file.ancestors().skip(1).take_while(|dir| *dir != root);
    if above.into_iter().any(refuse::is_foreign) {
        return Some(Refusal::Vendored);
    }
    let way = file.to_owned();
    let mut found = builder(root)
        .filter_entry(move |entry| way.starts_with(entry.path()))
        .build();
    let is_found = found.any(|entry| entry.is_ok_and(|entry| entry.path() == file));
    (!is_found).then_some(Refusal::Ignored)
}

/// Walks a project, on all cores. Links are not followed.
pub(super) fn walk(root: &Path, threads: usize) -> Walked {
    let found = Mutex::new(Walked::default());
    let foreign = Arc::new(AtomicUsize::new(0));
    let passed_by = foreign.clone();
    let walker = builder(root)
        .threads(threads)
        .filter_entry(move |entry| {
            let is_passed_by =
                is_dir(entry) && entry.depth() > 0 && refuse::is_foreign(entry.path());
            // Nobody misses what is hidden.
            let is_told = is_passed_by && !entry.file_name().as_encoded_bytes().starts_with(b".");
            passed_by.fetch_add(usize::from(is_told), Ordering::Relaxed);
            !is_passed_by
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
    let foreign = foreign.load(Ordering::Relaxed);
    found.refused.extend([Refusal::Vendored].repeat(foreign));
    found.refused.sort_unstable();
    found
}

fn is_dir(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
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
