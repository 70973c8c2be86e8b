//! How Becket gets into an agent's settings: which files, and what becomes of each.
//!
//! An [`Installer`] plans; the caller reads, shows, asks and writes. Only Becket's own entries are
//! ever touched.

use crate::edit::{Edit, EditError};

/// For whom Becket is installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// All of a person's projects.
    User,
    /// One project.
    Project,
}

/// Where a path starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// The person's home.
    Home,
    /// The directory that a variable names, else one below the home.
    EnvOr(&'static str, &'static str),
    /// The project's root.
    Project,
}

/// A file that an agent reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettingsFile {
    /// Where its path starts.
    pub base: Base,
    /// The rest of its path.
    pub path: &'static str,
}

/// What shows that an agent is on a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Traces {
    /// Programs in `PATH`.
    pub programs: &'static [&'static str],
    /// Files or directories below the home.
    pub home: &'static [&'static str],
    /// Files or directories below a project's root.
    pub project: &'static [&'static str],
}

/// An entry of ours in a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstalledEntry {
    /// The agent's name of the event.
    pub event: String,
    /// The line of the file.
    pub line: usize,
    /// The program it runs, if the entry names one plainly.
    pub binary: Option<String>,
    /// How it differs from what an install writes, as a lower-case fragment.
    pub stale: Option<&'static str>,
}

/// Plans changes to an agent's settings, as text in and text out.
pub trait Installer: Sync {
    /// What shows that the agent is there.
    fn traces(&self) -> Traces;

    /// The files that an installation needs; empty where the scope is not supported.
    fn files(&self, scope: Scope) -> &'static [SettingsFile];

    /// The agent's names of the events that an installation listens to.
    fn events(&self) -> &'static [&'static str];

    /// A file of [`Installer::files`] with Becket in it. `None` is a file that does not exist yet.
    fn plan_install(
        &self,
        file: &SettingsFile,
        existing: Option<&str>,
        binary: &str,
    ) -> Result<Edit, EditError>;

    /// The file without Becket.
    fn plan_uninstall(&self, file: &SettingsFile, existing: &str) -> Result<Edit, EditError>;

    /// Which of our entries a file has.
    fn installed(&self, file: &SettingsFile, existing: &str) -> Vec<InstalledEntry>;

    /// What the agent still asks of the person after an installation, such as trusting the hooks.
    fn afterwards(&self) -> Option<&'static str> {
        None
    }
}
