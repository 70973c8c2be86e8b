//! Finds programs on the `PATH`.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::hook::HookJob;

/// The program of this name on the `PATH`. Relative entries are ignored, because they depend on the agent's working
/// directory.
pub(crate) fn find(job: &HookJob, name: &str) -> Option<PathBuf> {
    let path = job.var("PATH")?;
    std::env::split_paths(&path)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(name))
        .find(|file| is_program(file))
}

/// Like [`find`], but ignores programs inside the project.
pub(crate) fn find_outside(job: &HookJob, name: &str) -> Option<PathBuf> {
    find(job, name).filter(|program| !is_inside(program, &job.project))
}

/// Whether the file exists and is executable.
pub(crate) fn is_program(file: &Path) -> bool {
    file.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// Whether a program is inside a project, directly or through a link.
pub(crate) fn is_inside(program: &Path, project: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    program.starts_with(project) || real(program).starts_with(real(project))
}
