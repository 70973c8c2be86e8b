//! How Becket gets into an agent's settings: which files, and what becomes of each.
//!
//! An [`Installer`] plans; the caller reads, shows, asks and writes. Only Becket's own entries are
//! ever touched. Start at [`installer`].
//!
//! Most agents keep their hooks in a JSON file that belongs to the person: for those an agent is one
//! `Dialect` in `agents`, and `plan` does the work by splices. Where an agent reads
//! a whole directory, Becket has a file of its own there (`generated`). What an agent refuses to read
//! is in `strict`; Codex's record of trusted hooks is [`codex`].

mod agents;
pub mod codex;
pub(crate) mod dialect;
mod entries;
pub mod gates;
mod generated;
pub(crate) mod json;
mod list_toml;
mod list_yaml;
mod plan;
pub mod servers;
pub(crate) mod strict;

use std::fmt;
use std::path::{Path, PathBuf};

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
    /// The first variable that is set, and what follows below its directory; else one below the home.
    EnvsOr(&'static [(&'static str, &'static str)], &'static str),
    /// The project's root.
    Project,
}

/// The directories of one machine and one project, as the caller knows them.
pub struct Places<'p> {
    /// The person's home.
    pub home: &'p Path,
    /// The project's root.
    pub project: &'p Path,
    /// The value of an environment variable; one that is empty counts as not set.
    pub env: &'p dyn Fn(&str) -> Option<PathBuf>,
}

/// A file that an agent reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SettingsFile {
    /// Where its path starts.
    pub base: Base,
    /// The rest of its path.
    pub path: &'static str,
    /// Files, from the same start, that the agent reads in its place. Of those that exist the first is
    /// the one to edit, and this file is created only if there is none.
    pub instead: &'static [&'static str],
    /// Whether the agent runs the file itself, so that it has to be executable.
    pub executable: bool,
    /// A directory above it, from the same start, that is there for Becket alone. When the file is
    /// deleted and leaves it empty, it goes too: to some agents an empty one means something.
    pub alone_in: Option<&'static str>,
}

impl SettingsFile {
    pub(crate) const fn new(base: Base, path: &'static str) -> Self {
        Self {
            base,
            path,
            instead: &[],
            executable: false,
            alone_in: None,
        }
    }

    pub(crate) const fn unless(mut self, instead: &'static [&'static str]) -> Self {
        self.instead = instead;
        self
    }

    pub(crate) const fn executable(mut self) -> Self {
        self.executable = true;
        self
    }

    pub(crate) const fn alone_in(mut self, directory: &'static str) -> Self {
        self.alone_in = Some(directory);
        self
    }

    /// The files that may stand for this one, in the order in which they count; itself is the last.
    /// An uninstall looks into each that exists.
    pub fn candidates(&self) -> impl Iterator<Item = Self> + use<> {
        let file = *self;
        let paths = file.instead.iter().copied().chain([file.path]);
        paths.map(move |path| Self {
            path,
            instead: &[],
            ..file
        })
    }

    /// The file to install into.
    #[must_use]
    pub fn choose(&self, exists: impl Fn(&Self) -> bool) -> Self {
        let itself = Self {
            instead: &[],
            ..*self
        };
        self.candidates().find(exists).unwrap_or(itself)
    }

    /// Where it is.
    pub fn locate(&self, places: &Places<'_>) -> PathBuf {
        self.base.locate(places).join(self.path)
    }

    /// The last part of its path.
    pub fn name(&self) -> &'static str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }
}

impl Base {
    /// Where it is.
    pub fn locate(&self, places: &Places<'_>) -> PathBuf {
        let variable = |name: &str| (places.env)(name).filter(|path| !path.as_os_str().is_empty());
        match *self {
            Self::Home => places.home.to_owned(),
            Self::Project => places.project.to_owned(),
            Self::EnvOr(name, below) => variable(name).unwrap_or_else(|| places.home.join(below)),
            Self::EnvsOr(names, below) => names
                .iter()
                .find_map(|(name, rest)| Some(variable(name)?.join(rest)))
                .unwrap_or_else(|| places.home.join(below)),
        }
    }
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
    /// The whole line that runs Becket; where a file of ours is the entry, the line that marks it.
    pub command: String,
    /// The line of the file where the command stands.
    pub line: usize,
    /// The program it runs; `None` if only a shell could tell (`$HOME/bin/becket`).
    pub binary: Option<String>,
    /// How it differs from what an install writes, apart from the program's path.
    pub stale: Option<Stale>,
}

/// How an entry differs from what an install writes; of several differences, the first of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Stale {
    /// Its key occurs again further down, and readers take the last.
    Overridden,
    /// The agent does not run it as written: another type of handler, or switched off.
    Unusable,
    /// The command names another event than the one it stands under.
    WrongEvent,
    /// Another entry of ours does the same for this event.
    Duplicate,
    /// A matcher or a condition keeps some occurrences of the event from it.
    Restricted,
    /// The command, the handler or the file was edited by hand, or another Becket wrote it.
    Edited,
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Overridden => "the same key occurs again further down and counts instead",
            Self::Unusable => "the agent does not run it as written",
            Self::WrongEvent => "the command names another event",
            Self::Duplicate => "another entry does the same",
            Self::Restricted => "a matcher or a condition keeps some events from it",
            Self::Edited => "it was changed since Becket wrote it",
        })
    }
}

/// Plans changes to an agent's settings, as text in and text out.
pub trait Installer: Sync {
    /// The agent's id, as used with `--agent`.
    fn agent(&self) -> &'static str;

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

    /// Why the agent will not read this file, or not always, although an entry of ours is in it; a
    /// lower-case sentence. Install plans have it among their warnings.
    fn unread(&self, file: &SettingsFile, existing: &str) -> Option<String> {
        let _ = (file, existing);
        None
    }

    /// What the agent still asks of the person after an installation, such as trusting the hooks.
    fn afterwards(&self) -> Option<&'static str> {
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
/// use becket_agents::install::{Scope, installer};
///
/// let gemini = installer("gemini").expect("a known agent");
/// let file = &gemini.files(Scope::Project)[0];
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
