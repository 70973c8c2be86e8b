//! Facts about the machine. The caller supplies them; the guard never does I/O.

/// The type of the file at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathKind {
    /// The path does not exist.
    Missing,
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A device, a socket or a pipe.
    Other,
}

/// The directories that a command or tool call is judged against.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RunLocation {
    /// The absolute working directory.
    pub cwd: String,
    /// The person's home directory.
    pub home: String,
    /// The project root, if there is a project.
    pub project: Option<String>,
    /// Becket's directories, and its files in addition to the project's `becket.toml`: configuration, state, trust.
    pub becket_paths: Vec<String>,
}

/// Lookups of file-system facts. The guard calls them only when a verdict depends on the result. Paths are absolute
/// and contain no `.` or `..`.
pub trait Facts {
    /// The type of the file at `path`, symlinks followed; `None` if it cannot be determined.
    fn path_kind(&self, path: &str) -> Option<PathKind>;
    /// The path with all symlinks resolved. Trailing components may not exist yet.
    fn real_path(&self, path: &str) -> Option<String>;
    /// The text of a script that is about to run; `None` if it is too large to read.
    fn script_text(&self, path: &str) -> Option<String>;
    /// The definition of `git NAME` in `cwd`, if it is an alias.
    fn git_alias(&self, name: &str, cwd: &str) -> Option<String>;
    /// The names in a directory that a glob's last component may match.
    fn list_names(&self, directory: &str) -> Vec<String>;
}

/// Provides no facts. The guard then judges by names alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFacts;

impl Facts for NoFacts {
    fn path_kind(&self, _: &str) -> Option<PathKind> {
        None
    }
    fn real_path(&self, _: &str) -> Option<String> {
        None
    }
    fn script_text(&self, _: &str) -> Option<String> {
        None
    }
    fn git_alias(&self, _: &str, _: &str) -> Option<String> {
        None
    }
    fn list_names(&self, _: &str) -> Vec<String> {
        Vec::new()
    }
}
