//! The files that an event changed, checked to be inside the project.

use std::path::{Path, PathBuf};

use becket_model::EventData;

use crate::display_text;
use crate::hook::HookJob;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProjectFile {
    /// Absolute, with all parent directories resolved. The file itself may be a symbolic link.
    pub(crate) path: PathBuf,
    /// The resolved root of the project.
    pub(crate) root: PathBuf,
}

impl ProjectFile {
    /// The path for messages: relative to the project, without control characters, truncated.
    pub(crate) fn display_path(&self) -> String {
        let inside = self.path.strip_prefix(&self.root).unwrap_or(&self.path);
        display_text::one_line(&inside.to_string_lossy(), 200)
    }

    /// The path relative to the project.
    pub(crate) fn relative(&self) -> &Path {
        self.path.strip_prefix(&self.root).unwrap_or(&self.path)
    }
}

/// The files that the event changed, without duplicates and without files outside the project. A file may be deleted.
pub(crate) fn changed_files(job: &HookJob) -> Vec<ProjectFile> {
    if !matches!(
        job.event.data,
        EventData::PostToolUse { .. } | EventData::FileModified { .. }
    ) {
        return Vec::new();
    }
    // If the project is `/`, every file would be inside it.
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

/// Resolves a path that an agent wrote. `None` if it is outside the project, also through links.
fn locate(project: &Path, cwd: &Path, written: &str) -> Option<ProjectFile> {
    if written.is_empty() || written.contains('\0') {
        return None;
    }
    let root = project.canonicalize().ok()?;
    let joined = cwd.join(written);
    // A path that ends in `..` names no file.
    let name = joined.file_name()?.to_owned();
    // If the directory was deleted with its last file, use its old path: nothing is opened there.
    let parent = resolve_existing(joined.parent()?)?;
    let path = parent.join(name);
    path.starts_with(&root)
        .then_some(ProjectFile { path, root })
}

/// Resolves a directory. If its last components do not exist, it resolves the existing parent.
fn resolve_existing(dir: &Path) -> Option<PathBuf> {
    if let Ok(real) = dir.canonicalize() {
        return Some(real);
    }
    // A component that exists but cannot be resolved is a dangling link or not readable.
    if dir.symlink_metadata().is_ok() {
        return None;
    }
    let name = dir.file_name()?;
    Some(resolve_existing(dir.parent()?)?.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    #[test]
    fn only_files_inside_the_project_are_found() {
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
    fn file_names_are_shown_without_control_characters() {
        let file = ProjectFile {
            path: "/p/a\u{1b}[31m\n`x`.rs".into(),
            root: "/p".into(),
        };
        assert_eq!(file.display_path(), "a�[31m�'x'.rs");
    }
}
