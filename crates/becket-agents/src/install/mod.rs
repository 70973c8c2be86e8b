//! Plans how Becket is installed into an agent's settings: which files, and how each changes.
//!
//! An [`Installer`] plans; the caller reads, shows the diff, asks and writes. Only Becket's own entries are
//! ever touched. Start at [`installer`].
//!
//! Most agents keep their hooks in a JSON file that belongs to the user: such an agent is one
//! `SettingsFormat` in `agents`, and `plan` does the work with splices. If an agent reads a whole directory,
//! Becket has its own file there (`generated`). `strict` knows what an agent refuses to parse; [`codex`]
//! handles Codex's record of trusted hooks.

mod agents;
pub mod codex;
mod entries;
pub(crate) mod format;
mod generated;
pub(crate) mod json;
mod list_toml;
mod list_yaml;
pub mod mcp_servers;
pub mod obstacles;
mod plan;
pub(crate) mod strict;

use std::fmt;
use std::path::{Path, PathBuf};

use crate::edit::{EditError, FileEdit};

/// The scope of an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstallScope {
    /// All projects of the user.
    User,
    /// One project.
    Project,
}

/// The base directory of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathBase {
    /// The user's home.
    Home,
    /// The directory in this variable, else this directory below the home.
    EnvOr(&'static str, &'static str),
    /// The first of these variables that is set, with a path below it; else this directory below the home.
    EnvsOr(&'static [(&'static str, &'static str)], &'static str),
    /// The project's root.
    Project,
}

/// The directories of one machine and one project, from the caller.
pub struct BaseDirs<'p> {
    /// The user's home.
    pub home: &'p Path,
    /// The project's root.
    pub project: &'p Path,
    /// The value of an environment variable; an empty one counts as not set.
    pub env: &'p dyn Fn(&str) -> Option<PathBuf>,
}

/// A file that an agent reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettingsFile {
    /// The base directory of its path.
    pub base: PathBase,
    /// The path below that directory.
    pub path: &'static str,
    /// Files in the same base directory that the agent reads instead. The first one that exists is edited;
    /// this file is created only if none exists.
    pub alternatives: &'static [&'static str],
    /// Whether the agent executes the file, so that it must be executable.
    pub executable: bool,
    /// An ancestor directory, below the same base, that only Becket uses. It is removed with the file if it
    /// is then empty, because some agents give an empty directory a meaning.
    pub own_dir: Option<&'static str>,
}

impl SettingsFile {
    pub(crate) const fn new(base: PathBase, path: &'static str) -> Self {
        Self {
            base,
            path,
            alternatives: &[],
            executable: false,
            own_dir: None,
        }
    }

    pub(crate) const fn with_alternatives(mut self, alternatives: &'static [&'static str]) -> Self {
        self.alternatives = alternatives;
        self
    }

    pub(crate) const fn executable(mut self) -> Self {
        self.executable = true;
        self
    }

    pub(crate) const fn own_dir(mut self, directory: &'static str) -> Self {
        self.own_dir = Some(directory);
        self
    }

    /// The files that may replace this one, in order of precedence, and this file last. An uninstall checks
    /// each that exists.
    pub fn candidates(&self) -> impl Iterator<Item = Self> + use<> {
        let file = *self;
        let paths = file.alternatives.iter().copied().chain([file.path]);
        paths.map(move |path| Self {
            path,
            alternatives: &[],
            ..file
        })
    }

    /// The file to install into.
    #[must_use]
    pub fn choose(&self, exists: impl Fn(&Self) -> bool) -> Self {
        let itself = Self {
            alternatives: &[],
            ..*self
        };
        self.candidates().find(exists).unwrap_or(itself)
    }

    /// Where it is.
    pub fn locate(&self, dirs: &BaseDirs<'_>) -> PathBuf {
        self.base.locate(dirs).join(self.path)
    }

    /// The last component of its path.
    pub fn name(&self) -> &'static str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }
}

impl PathBase {
    /// Where it is.
    pub fn locate(&self, dirs: &BaseDirs<'_>) -> PathBuf {
        let variable = |name: &str| (dirs.env)(name).filter(|path| !path.as_os_str().is_empty());
        match *self {
            Self::Home => dirs.home.to_owned(),
            Self::Project => dirs.project.to_owned(),
            Self::EnvOr(name, below) => variable(name).unwrap_or_else(|| dirs.home.join(below)),
            Self::EnvsOr(names, below) => names
                .iter()
                .find_map(|(name, rest)| Some(variable(name)?.join(rest)))
                .unwrap_or_else(|| dirs.home.join(below)),
        }
    }
}

/// Evidence that an agent is present on a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DetectionHints {
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
    /// The complete line that runs Becket; for a generated file, the line that marks it.
    pub command: String,
    /// The line number of the command.
    pub line: usize,
    /// The program it runs; `None` if only a shell can expand it (`$HOME/bin/becket`).
    pub binary: Option<String>,
    /// How it differs from a freshly written entry, apart from the program's path.
    pub stale: Option<StaleReason>,
}

/// How an entry differs from a freshly written one; of several differences, the first in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum StaleReason {
    /// Its key occurs again further down, and readers use the last one.
    Overridden,
    /// The agent does not run it as written: another handler type, or disabled.
    Unusable,
    /// The command names another event than the one it is registered under.
    WrongEvent,
    /// Another entry of ours does the same for this event.
    Duplicate,
    /// A matcher or a condition hides some occurrences of the event from it.
    Restricted,
    /// The command, the handler or the file was edited by hand, or written by another version of Becket.
    Edited,
}

impl fmt::Display for StaleReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overridden => "the same key occurs again further down and overrides it",
            Self::Unusable => "the agent does not run it as written",
            Self::WrongEvent => "the command names another event",
            Self::Duplicate => "it duplicates another entry",
            Self::Restricted => "a matcher or a condition hides some events from it",
            Self::Edited => "it was changed after Becket wrote it",
        })
    }
}

/// Plans changes to an agent's settings: text in, text out.
pub trait Installer: Sync {
    /// The agent's id, as used with `--agent`.
    fn agent(&self) -> &'static str;

    /// Evidence that the agent is present.
    fn detection_hints(&self) -> DetectionHints;

    /// The files that an installation needs; empty where the scope is not supported.
    fn files(&self, scope: InstallScope) -> &'static [SettingsFile];

    /// The agent's names of the events that an installation registers.
    fn events(&self) -> &'static [&'static str];

    /// A file of [`Installer::files`] with Becket in it. `None` means that the file does not exist yet.
    fn plan_install(
        &self,
        file: &SettingsFile,
        existing: Option<&str>,
        binary: &str,
    ) -> Result<FileEdit, EditError>;

    /// The file without Becket.
    fn plan_uninstall(&self, file: &SettingsFile, existing: &str) -> Result<FileEdit, EditError>;

    /// Our entries in a file.
    fn installed(&self, file: &SettingsFile, existing: &str) -> Vec<InstalledEntry>;

    /// Why the agent rejects this file, always or in some modes, although an entry of ours is in it; a
    /// lower-case sentence. Install plans include it in their warnings.
    fn rejection_reason(&self, file: &SettingsFile, existing: &str) -> Option<String> {
        let _ = (file, existing);
        None
    }

    /// What the user still has to do after an installation, such as trusting the hooks.
    fn next_steps(&self) -> Option<&'static str> {
        None
    }
}

/// Every agent that Becket can be installed into.
pub fn installers() -> &'static [&'static dyn Installer] {
    agents::ALL
}

/// The installer for the agent with this id.
///
/// ```
/// use becket_agents::install::{InstallScope, installer};
///
/// let gemini = installer("gemini").expect("a known agent");
/// let file = &gemini.files(InstallScope::Project)[0];
/// let edit = gemini.plan_install(file, Some("{}"), "/usr/local/bin/becket")?;
/// assert!(edit.text.contains("/usr/local/bin/becket hook BeforeTool --agent gemini"));
/// assert_eq!(gemini.plan_uninstall(file, &edit.text)?.text, "{}");
/// # Ok::<(), becket_agents::edit::EditError>(())
/// ```
pub fn installer(agent_id: &str) -> Option<&'static dyn Installer> {
    installers()
        .iter()
        .copied()
        .find(|installer| installer.agent() == agent_id)
}
