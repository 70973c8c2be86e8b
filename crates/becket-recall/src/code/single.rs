//! One file that has changed.

use std::path::{Component, Path, PathBuf};

use becket_store::Writer;

use super::index::{IndexError, resolved};
use super::prepare::{Failing, embed, hash, prepare, put, read};
use super::refuse::Refusal;
use super::walk::{Candidate, candidate, left_out};
use crate::embed::Embedder;

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileOutcome {
    /// It is new or has changed, and is indexed.
    Changed,
    /// It is as it was.
    Same,
    /// It is gone.
    Removed,
    /// It is not indexed, and neither is what was known of it.
    Refused(Refusal),
    /// It could not be read.
    Problem(String),
}

/// Brings one file up to date. `file` may be absolute or inside the project; one that is not, and one that a link
/// leads out of it, is refused.
pub fn index_file(
    writer: &mut Writer,
    root: &Path,
    file: &Path,
    model: &dyn Embedder,
) -> Result<FileOutcome, IndexError> {
    let (root, project) = resolved(root)?;
    let Some(absolute) = inside(&root, file) else {
        return Ok(FileOutcome::Refused(Refusal::Outside));
    };
    let Ok(relative) = absolute.strip_prefix(&root) else {
        return Ok(FileOutcome::Refused(Refusal::Outside));
    };
    let path = relative.to_string_lossy().into_owned();
    if absolute.symlink_metadata().is_err() {
        let mut group = writer.begin()?;
        group.remove_code_file(&project, &path)?;
        group.commit()?;
        return Ok(FileOutcome::Removed);
    }
    let looked_at = match left_out(&root, &absolute) {
        Some(refusal) => Ok(Err(refusal)),
        None => candidate(&root, &absolute),
    };
    match looked_at {
        Ok(Ok(candidate)) => update(writer, &project, &candidate, model),
        Ok(Err(refusal)) => refuse(writer, &project, &path, refusal),
        Err(problem) => Ok(FileOutcome::Problem(problem)),
    }
}

fn update(
    writer: &mut Writer,
    project: &str,
    file: &Candidate,
    model: &dyn Embedder,
) -> Result<FileOutcome, IndexError> {
    let text = match read(file) {
        Ok(Ok(text)) => text,
        Ok(Err(refusal)) => return refuse(writer, project, &file.path, refusal),
        Err(error) => return Ok(FileOutcome::Problem(format!("`{}`: {error}", file.path))),
    };
    let hash = hash(&text);
    let known = writer.reader().code_file(project, &file.path)?;
    if known.is_some_and(|known| known.content_hash == hash) {
        return Ok(FileOutcome::Same);
    }
    let mut prepared = prepare(&file.path, &text, hash);
    embed([(file.path.as_str(), &mut prepared)], &Failing::new(model));
    let mut group = writer.begin()?;
    put(&mut group, project, file, &prepared, model.id())?;
    group.commit()?;
    Ok(FileOutcome::Changed)
}

fn refuse(
    writer: &mut Writer,
    project: &str,
    path: &str,
    refusal: Refusal,
) -> Result<FileOutcome, IndexError> {
    let mut group = writer.begin()?;
    group.remove_code_file(project, path)?;
    group.commit()?;
    Ok(FileOutcome::Refused(refusal))
}

/// The file's own place with the links of its directories resolved, if that is inside the project. The file itself
/// may be gone.
fn inside(root: &Path, file: &Path) -> Option<PathBuf> {
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
