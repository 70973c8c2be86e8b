//! Programs on the `PATH`, found before they are started.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::hook::Job;

/// The program of this name on the `PATH`. Entries that are not absolute would make it depend on
/// where the agent happens to be, and do not count.
pub(crate) fn find(job: &Job, name: &str) -> Option<PathBuf> {
    let path = job.var("PATH")?;
    std::env::split_paths(&path)
        .filter(|dir| dir.is_absolute())
        .map(|dir| dir.join(name))
        .find(|file| is_program(file))
}

/// The same, where a program of the project itself will not do.
pub(crate) fn find_outside(job: &Job, name: &str) -> Option<PathBuf> {
    find(job, name).filter(|program| !is_inside(program, &job.project))
}

/// Whether there is a file that may be executed.
pub(crate) fn is_program(file: &Path) -> bool {
    file.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// Whether a program lies in a project, by its name or by what it links to.
pub(crate) fn is_inside(program: &Path, project: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    program.starts_with(project) || real(program).starts_with(real(project))
}
