//! Walks the files of a project.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::UNIX_EPOCH;

use becket_base::sync::MutexExt;
use ignore::{DirEntry, WalkBuilder, WalkState};

use super::skip::{self, SkipReason};

/// The ignore file for indexing.
const BECKET_IGNORE: &str = ".becketignore";

/// A file that may be indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CandidateFile {
    /// Relative to the project, with `/`.
    pub(super) path: String,
    pub(super) absolute: PathBuf,
    pub(super) size: u64,
    /// Nanoseconds since 1970.
    pub(super) changed: i64,
}

#[derive(Debug, Default)]
pub(super) struct WalkResult {
    /// Sorted by path.
    pub(super) files: Vec<CandidateFile>,
    /// One reason per skipped file and per vendored directory.
    pub(super) refused: Vec<SkipReason>,
    /// Read errors.
    pub(super) problems: Vec<String>,
}

/// A walk with all ignore rules of git and Becket, for a project or a single file.
fn builder(root: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder
        .hidden(false)
        .follow_links(false)
        .require_git(false)
        .current_dir(root)
        .add_custom_ignore_filename(BECKET_IGNORE);
    builder
}

/// Why a walk over the project would not find this file. Visits only the directories that lead to it.
pub(super) fn skip_reason(root: &Path, file: &Path) -> Option<SkipReason> {
    let above = file.ancestors().skip(1).take_while(|dir| *dir != root);
    if above.into_iter().any(skip::is_vendored_or_built) {
        return Some(SkipReason::Vendored);
    }
    let way = file.to_owned();
    let mut found = builder(root)
        .filter_entry(move |entry| way.starts_with(entry.path()))
        .build();
    let is_found = found.any(|entry| entry.is_ok_and(|entry| entry.path() == file));
    (!is_found).then_some(SkipReason::Ignored)
}

/// Walks a project on all cores without following links.
pub(super) fn walk(root: &Path, threads: usize) -> WalkResult {
    let found = Mutex::new(WalkResult::default());
    let foreign = Arc::new(AtomicUsize::new(0));
    let passed_by = foreign.clone();
    let walker = builder(root)
        .threads(threads)
        .filter_entry(move |entry| {
            let is_passed_by =
                is_dir(entry) && entry.depth() > 0 && skip::is_vendored_or_built(entry.path());
            // Hidden directories are not counted.
            let is_told = is_passed_by && !entry.file_name().as_encoded_bytes().starts_with(b".");
            passed_by.fetch_add(usize::from(is_told), Ordering::Relaxed);
            !is_passed_by
        })
        .build_parallel();
    walker.run(|| {
        Box::new(|entry| {
            let mut found = found.lock_ignoring_poison();
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
    found.refused.extend([SkipReason::Vendored].repeat(foreign));
    found.refused.sort_unstable();
    found
}

fn is_dir(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}

/// Checks a file; the inner error says why it is skipped.
pub(super) fn candidate(
    root: &Path,
    file: &Path,
) -> Result<Result<CandidateFile, SkipReason>, String> {
    let Ok(inside) = file.strip_prefix(root) else {
        return Ok(Err(SkipReason::Outside));
    };
    let Some(path) = inside.to_str() else {
        return Err(format!(
            "the name of `{}` is not valid UTF-8",
            file.display()
        ));
    };
    let path = path.replace(std::path::MAIN_SEPARATOR, "/");
    if let Some(refusal) = skip::by_path(&path) {
        return Ok(Err(refusal));
    }
    let about = file
        .symlink_metadata()
        .map_err(|error| format!("`{path}`: {error}"))?;
    if !about.is_file() {
        return Ok(Err(SkipReason::Outside));
    }
    if about.len() > skip::MAX_FILE_BYTES {
        return Ok(Err(SkipReason::Huge));
    }
    let changed = about
        .modified()
        .ok()
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let changed = changed.and_then(|since| i64::try_from(since.as_nanos()).ok());
    Ok(Ok(CandidateFile {
        path,
        absolute: file.to_owned(),
        size: about.len(),
        changed: changed.unwrap_or_default(),
    }))
}
