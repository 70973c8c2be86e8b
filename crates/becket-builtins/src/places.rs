//! The files that an event is about: found, and proved to lie in the project.

use std::path::{Path, PathBuf};

use becket_model::EventData;

use crate::hook::Job;
use crate::words;

/// A file of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProjectFile {
    /// Absolute, and every directory above it is resolved. The file itself may be a link.
    pub(crate) path: PathBuf,
    /// The project's root, resolved likewise.
    pub(crate) root: PathBuf,
}

impl ProjectFile {
    /// For people and models: relative to the project, without control characters, not endless.
    pub(crate) fn shown(&self) -> String {
        let inside = self.path.strip_prefix(&self.root).unwrap_or(&self.path);
        words::one_line(&inside.to_string_lossy(), 200)
    }

    /// Relative to the project.
    pub(crate) fn relative(&self) -> &Path {
        self.path.strip_prefix(&self.root).unwrap_or(&self.path)
    }
}

/// The files that the event has changed, each once, those outside the project left out. A file may
/// be gone.
pub(crate) fn changed(job: &Job) -> Vec<ProjectFile> {
    if !matches!(
        job.event.data,
        EventData::PostToolUse { .. } | EventData::FileModified { .. }
    ) {
        return Vec::new();
    }
    // Without a project every file would be in it.
    if job.project.parent().is_none() {
        return Vec::new();
    }
    let cwd = job.cwd();
    let mut files = Vec::new();
    for written in job.event.paths() {
        if let Some(file) = locate(&job.project, &cwd, written)
            && !files.contains(&file)
        {
            files.push(file);
        }
    }
    files
}

/// Finds a path as an agent wrote it. `None` where it is not in the project, whatever links say.
fn locate(project: &Path, cwd: &Path, written: &str) -> Option<ProjectFile> {
    if written.is_empty() || written.contains('\0') {
        return None;
    }
    let root = project.canonicalize().ok()?;
    let joined = cwd.join(written);
    // A path that ends in `..` names no file.
    let name = joined.file_name()?.to_owned();
    // A directory that is gone with its last file counts where it was: nothing is opened there.
    let parent = resolve(joined.parent()?)?;
    let path = parent.join(name);
    path.starts_with(&root)
        .then_some(ProjectFile { path, root })
}

/// Resolves a directory, and where its last parts are gone, what is left above them.
fn resolve(dir: &Path) -> Option<PathBuf> {
    if let Ok(real) = dir.canonicalize() {
        return Some(real);
    }
    // A part that cannot be resolved but is there is a dangling link, or closed to us.
    if dir.symlink_metadata().is_ok() {
        return None;
    }
    let name = dir.file_name()?;
    Some(resolve(dir.parent()?)?.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_what_really_lies_in_the_project_is_found() {
        let dir = tempfile::tempdir().expect("a directory");
        let base = dir.path().canonicalize().expect("a real path");
        let project = base.join("app");
        fs::create_dir_all(project.join("src")).expect("created");
        fs::create_dir_all(base.join("outside")).expect("created");
        fs::create_dir_all(base.join("application")).expect("created");
        symlink(base.join("outside"), project.join("out")).expect("linked");
        symlink(base.join("nowhere"), project.join("dangling")).expect("linked");
        symlink(project.join("src"), project.join("in")).expect("linked");
        let found = |written: &str| {
            locate(&project, &project.join("src"), written)
                .map(|file| file.relative().to_string_lossy().into_owned())
        };
        let absolute = project.join("src/a.rs").to_string_lossy().into_owned();
        for (written, expected) in [
            ("a.rs", Some("src/a.rs")),
            ("../b.rs", Some("b.rs")),
            (absolute.as_str(), Some("src/a.rs")),
            ("../in/a.rs", Some("src/a.rs")),
            ("gone/with/it.rs", Some("src/gone/with/it.rs")),
            ("-rf", Some("src/-rf")),
            ("../../outside/x", None),
            ("../../application/x", None),
            ("../out/x", None),
            ("../dangling/x", None),
            ("gone/../../../outside/x", None),
            ("/etc/passwd", None),
            ("..", None),
            ("", None),
            ("a\0b", None),
        ] {
            assert_eq!(found(written).as_deref(), expected, "{written:?}");
        }
    }

    #[test]
    fn a_name_that_would_write_on_the_terminal_is_shown_without_its_control_characters() {
        let file = ProjectFile {
            path: "/p/a\u{1b}[31m\n`x`.rs".into(),
            root: "/p".into(),
        };
        assert_eq!(file.shown(), "a�[31m�'x'.rs");
    }
}
