//! Updates the index for a single file.

use std::path::{Component, Path, PathBuf};

use becket_store::StoreWriter;

use super::index::{IndexError, resolve_project};
use super::prepare::{FailFastEmbedder, embed, hash, prepare, read, store_file};
use super::skip::SkipReason;
use super::walk::{CandidateFile, candidate, skip_reason};
use crate::embed::Embedder;

/// The result for a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileOutcome {
    /// New or changed, and indexed.
    Changed,
    /// Unchanged.
    Same,
    /// The file is gone and was removed from the index.
    Removed,
    /// Skipped, and removed from the index.
    Refused(SkipReason),
    /// The file could not be read.
    Problem(String),
}

/// Indexes one file. The path may be absolute or relative to the project. Files outside the project, also through
/// links, are skipped.
pub fn index_file(
    writer: &mut StoreWriter,
    root: &Path,
    file: &Path,
    model: &dyn Embedder,
) -> Result<FileOutcome, IndexError> {
    let (root, project) = resolve_project(root)?;
    let Some(absolute) = resolve_inside(&root, file) else {
        return Ok(FileOutcome::Refused(SkipReason::Outside));
    };
    let Ok(relative) = absolute.strip_prefix(&root) else {
        return Ok(FileOutcome::Refused(SkipReason::Outside));
    };
    let path = relative.to_string_lossy().into_owned();
    if absolute.symlink_metadata().is_err() {
        let mut group = writer.begin()?;
        group.remove_code_file(&project, &path)?;
        group.commit()?;
        return Ok(FileOutcome::Removed);
    }
    let looked_at = match skip_reason(&root, &absolute) {
        Some(refusal) => Ok(Err(refusal)),
        None => candidate(&root, &absolute),
    };
    match looked_at {
        Ok(Ok(candidate)) => update_file(writer, &project, &candidate, model),
        Ok(Err(refusal)) => remove_skipped(writer, &project, &path, refusal),
        Err(problem) => Ok(FileOutcome::Problem(problem)),
    }
}

fn update_file(
    writer: &mut StoreWriter,
    project: &str,
    file: &CandidateFile,
    model: &dyn Embedder,
) -> Result<FileOutcome, IndexError> {
    let text = match read(file) {
        Ok(Ok(text)) => text,
        Ok(Err(refusal)) => return remove_skipped(writer, project, &file.path, refusal),
        Err(error) => return Ok(FileOutcome::Problem(format!("`{}`: {error}", file.path))),
    };
    let hash = hash(&text);
    let known = writer.reader().code_file(project, &file.path)?;
    if known.is_some_and(|known| known.content_hash == hash) {
        return Ok(FileOutcome::Same);
    }
    let mut prepared = prepare(&file.path, &text, hash);
    embed(
        [(file.path.as_str(), &mut prepared)],
        &FailFastEmbedder::new(model),
    );
    let mut group = writer.begin()?;
    store_file(&mut group, project, file, &prepared, model.id())?;
    group.commit()?;
    Ok(FileOutcome::Changed)
}

fn remove_skipped(
    writer: &mut StoreWriter,
    project: &str,
    path: &str,
    refusal: SkipReason,
) -> Result<FileOutcome, IndexError> {
    let mut group = writer.begin()?;
    group.remove_code_file(project, path)?;
    group.commit()?;
    Ok(FileOutcome::Refused(refusal))
}

/// The path with resolved directories, if it is inside the project. The file itself may be gone.
fn resolve_inside(root: &Path, file: &Path) -> Option<PathBuf> {
    let absolute = root.join(file);
    if absolute
        .components()
        .any(|part| part == Component::ParentDir)
    {
        return None;
    }
    let name = absolute.file_name()?;
    let mut dir = absolute.parent()?;
    let mut missing = PathBuf::new();
    // A directory may be gone with its files.
    let real = loop {
        match dir.canonicalize() {
            Ok(real) => break real.join(missing),
            Err(_) => {
                missing = Path::new(dir.file_name()?).join(missing);
                dir = dir.parent()?;
            }
        }
    };
    let real = real.join(name);
    real.starts_with(root).then_some(real)
}
