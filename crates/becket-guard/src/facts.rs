//! What the guard is told about the machine. It never looks for itself.

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// Nothing.
    Missing,
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A device, a socket, a pipe.
    Other,
}

/// Where a command would run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The absolute working directory.
    pub cwd: String,
    /// The person's home directory.
    pub home: String,
    /// The project's root, if there is a project.
    pub project: Option<String>,
    /// Becket's own directories and files beside the project's `becket.toml`: configuration, state, trust.
    pub own: Vec<String>,
}

/// Facts about files, asked for only where a verdict hangs on them. Paths are absolute and without
/// `.` and `..`.
pub trait Facts {
    /// What is there, links followed.
    fn found(&self, path: &str) -> Option<Found>;
    /// The path with every link in it resolved, also when its last parts do not exist yet.
    fn real(&self, path: &str) -> Option<String>;
    /// The text of a script that is about to be run, when it is small enough to read.
    fn script(&self, path: &str) -> Option<String>;
    /// What `git NAME` means here, when it is an alias.
    fn git_alias(&self, name: &str, cwd: &str) -> Option<String>;
    /// The names in a directory that a pattern's last part may match.
    fn names(&self, directory: &str) -> Vec<String>;
}

/// Knows nothing. What hangs on facts is judged by its name alone.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFacts;

impl Facts for NoFacts {
    fn found(&self, _: &str) -> Option<Found> {
        None
    }
    fn real(&self, _: &str) -> Option<String> {
        None
    }
    fn script(&self, _: &str) -> Option<String> {
        None
    }
    fn git_alias(&self, _: &str, _: &str) -> Option<String> {
        None
    }
    fn names(&self, _: &str) -> Vec<String> {
        Vec::new()
    }
}
