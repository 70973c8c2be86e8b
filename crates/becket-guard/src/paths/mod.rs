//! Classifies paths: area, secrets and protection.
//!
//! Classification starts from text. [`absolute`] normalizes every path, `area` locates it, `secret` and
//! `protection` recognize it by name and location. Facts are looked up only where text is not enough: for the
//! matches of a glob and the target of a symlink. A path that does not exist is judged like any other, because the
//! file can be created later.
//!
//! Start at [`PathContext::classify_word`].

mod area;
mod glob;
mod normalize;
mod protection;
mod secret;
mod tables;

pub use area::PathArea;
pub use normalize::absolute;
pub use protection::{PersistenceKind, Protection};
pub use secret::{SecretFile, SecretKind};

pub(crate) use normalize::name;
pub(crate) use secret::is_example;

use std::cell::Cell;

use crate::command::{Invocation, Launcher, UNKNOWN, Word};
use crate::facts::{Facts, NoFacts, PathKind, RunLocation};

/// Maximum number of fact lookups for one command.
const MAX_LOOKUPS: u32 = 1024;

/// Whether a file with this name holds confidential data, judged by its path alone.
pub fn holds_secret(text: &str, cwd: Option<&str>, home: &str) -> bool {
    secret::secret(&absolute(text, cwd, home), home).is_some_and(SecretFile::is_confidential)
}

/// The kind of secret in a file with this name, judged by its path alone, for any home directory.
pub(crate) fn secret_by_name(text: &str) -> Option<SecretFile> {
    secret::secret(
        &absolute(text, None, "/home/placeholder"),
        "/home/placeholder",
    )
}

/// A path with its classification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassifiedPath {
    /// Absolute path; may contain [`UNKNOWN`] or a glob.
    pub path: String,
    /// Location.
    pub area: PathArea,
    /// The secret that the file holds.
    pub secret: Option<SecretFile>,
    /// Other protection of the file.
    pub protection: Option<Protection>,
    /// The word means everything in the directory (`dir/*`), not the directory itself.
    pub is_contents: bool,
    /// A glob that could not be expanded may match it.
    pub is_possible: bool,
    /// Reached through a symlink; the command names another path.
    pub is_linked: bool,
}

impl ClassifiedPath {
    /// Whether part of the path is unknown.
    pub fn has_unknown_part(&self) -> bool {
        self.path.contains(UNKNOWN)
    }
}

/// Which symlinks an action follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowLinks {
    /// All symlinks: reading and writing.
    Always,
    /// Symlinks in parent directories only: deleting and moving act on the link itself.
    InDirectories,
    /// None: the name alone counts, and no facts are looked up.
    Never,
}

/// The context in which a command or tool resolves paths.
pub struct PathContext<'a> {
    location: &'a RunLocation,
    facts: &'a dyn Facts,
    cwd: Option<&'a str>,
    machine: TargetMachine,
    lookups: Cell<u32>,
}

/// Whether the launcher connects to a machine that people log in to.
fn is_login_host(how: &str) -> bool {
    let program = how.split(' ').next().unwrap_or(how);
    program.contains("ssh")
        || matches!(
            program,
            "mosh" | "pdsh" | "clush" | "vagrant" | "gcloud" | "fly" | "flyctl" | "adb"
        )
}

/// The machine whose files a path refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetMachine {
    /// This machine's.
    Local,
    /// A machine that people log in to.
    Remote,
    /// A container that can be recreated.
    Container,
    /// A running container with the data it has accumulated.
    RunningContainer,
}

impl TargetMachine {
    /// Whether it is a container, isolated from the rest of the machine.
    pub fn is_container(self) -> bool {
        matches!(self, Self::Container | Self::RunningContainer)
    }
}

impl<'a> PathContext<'a> {
    /// The context of a command. On another machine there is no project, and no facts are available.
    pub fn of(command: &'a Invocation, location: &'a RunLocation, facts: &'a dyn Facts) -> Self {
        let elsewhere = command.via.iter().find_map(|via| match via {
            Launcher::Remote(how) => Some(how.as_str()),
            _ => None,
        });
        let machine = match elsewhere {
            None => TargetMachine::Local,
            Some(how) if is_login_host(how) => TargetMachine::Remote,
            Some(how) if how.split(' ').nth(1) == Some("exec") => TargetMachine::RunningContainer,
            Some(_) => TargetMachine::Container,
        };
        let local = machine == TargetMachine::Local;
        Self {
            location,
            facts: if local { facts } else { &NoFacts },
            cwd: command.cwd.as_deref().filter(|_| local),
            machine,
            lookups: Cell::new(0),
        }
    }

    /// The context of a tool that resolves paths against the working directory.
    pub fn at(location: &'a RunLocation, facts: &'a dyn Facts) -> Self {
        Self {
            location,
            facts,
            cwd: Some(&location.cwd),
            machine: TargetMachine::Local,
            lookups: Cell::new(0),
        }
    }

    /// The machine that paths refer to.
    pub fn machine(&self) -> TargetMachine {
        self.machine
    }

    /// The type of the file at a path, if it is known.
    pub fn path_kind(&self, path: &str) -> Option<PathKind> {
        if path.contains(UNKNOWN) || glob::is_pattern(path) {
            return None;
        }
        self.may_look_up()
            .then(|| self.facts.path_kind(path))
            .flatten()
    }

    fn real_path(&self, path: &str) -> Option<String> {
        self.may_look_up()
            .then(|| self.facts.real_path(path))
            .flatten()
    }

    fn may_look_up(&self) -> bool {
        let lookups = self.lookups.get().saturating_add(1);
        self.lookups.set(lookups);
        lookups <= MAX_LOOKUPS
    }

    /// Whether the lookup limit was exceeded: later paths were judged by name alone.
    pub fn is_exhausted(&self) -> bool {
        self.lookups.get() > MAX_LOOKUPS
    }

    /// `text` as an absolute path.
    pub fn absolute(&self, text: &str) -> String {
        absolute(text, self.cwd, &self.location.home)
    }

    /// Classifies every path that a word may refer to.
    pub fn classify_word(&self, word: &Word, follow: FollowLinks) -> Vec<ClassifiedPath> {
        let mut candidates = Vec::new();
        if word.glob && word.text.contains('{') {
            for text in glob::braces(&word.text) {
                self.add(&text, true, follow, &mut candidates);
            }
        } else {
            self.add(&word.text, word.glob, follow, &mut candidates);
        }
        candidates
    }

    fn add(
        &self,
        text: &str,
        is_glob: bool,
        follow: FollowLinks,
        candidates: &mut Vec<ClassifiedPath>,
    ) {
        let path = self.absolute(text);
        if is_glob && glob::is_pattern(&path) {
            self.add_pattern(&path, candidates);
            return;
        }
        let classified = self.classify(path);
        self.add_links(text, &classified, follow, candidates);
        candidates.push(classified);
    }

    fn add_pattern(&self, path: &str, candidates: &mut Vec<ClassifiedPath>) {
        let (base, contents) = without_stars(path);
        if contents && !glob::is_pattern(base) {
            candidates.push(ClassifiedPath {
                is_contents: true,
                ..self.classify(base.to_owned())
            });
            self.add_link_of(base, candidates);
        }
        let look = |directory: &str| {
            if self.may_look_up() {
                self.facts.list_names(directory)
            } else {
                Vec::new()
            }
        };
        let expanded = glob::expand(path, look);
        if expanded.too_many {
            self.lookups.set(MAX_LOOKUPS + 1);
        }
        let before = candidates.len();
        candidates.extend(
            expanded
                .paths
                .iter()
                .map(|path| self.classify(path.clone())),
        );
        if candidates.len() > before {
            return;
        }
        if !contents || glob::is_pattern(base) {
            // `*.pem` and `.env*` reveal the kind of file by themselves.
            let named = self.classify(path.replace(['*', '?'], ""));
            let names_protected = named.secret.is_some() || named.protection.is_some();
            candidates.push(ClassifiedPath {
                secret: named.secret,
                protection: named.protection,
                ..self.classify(path.to_owned())
            });
            if names_protected {
                return;
            }
        }
        if !expanded.certain {
            let could = glob::possible_protected_paths(path).into_iter();
            candidates.extend(
                could
                    .filter(|could| could != path)
                    .map(|path| ClassifiedPath {
                        is_possible: true,
                        ..self.classify(path)
                    }),
            );
        }
    }

    /// Classifies one path by its text.
    pub fn classify(&self, path: String) -> ClassifiedPath {
        let project = self.project();
        ClassifiedPath {
            area: area::area(&path, self.location, project),
            secret: secret::secret(&path, &self.location.home)
                .or_else(|| secret::daemon_credential(&path, self.location)),
            protection: protection::protection(&path, self.location, project),
            is_contents: false,
            is_possible: false,
            is_linked: false,
            path,
        }
    }

    fn project(&self) -> Option<&'a str> {
        self.location
            .project
            .as_deref()
            .filter(|_| self.machine == TargetMachine::Local)
    }

    /// Adds the targets of symlinks, if they differ.
    fn add_links(
        &self,
        text: &str,
        classified: &ClassifiedPath,
        follow: FollowLinks,
        candidates: &mut Vec<ClassifiedPath>,
    ) {
        if classified.has_unknown_part() || follow == FollowLinks::Never {
            return;
        }
        if text.contains("..") && !text.starts_with(['~', '$']) {
            self.add_physical_parent(text, candidates);
        }
        let through = follow == FollowLinks::Always || text.ends_with('/') || text.ends_with("/.");
        let real = if through {
            self.real_path(&classified.path)
        } else {
            let directory = self.real_path(normalize::parent(&classified.path));
            directory.map(|dir| format!("{}/{}", dir.trim_end_matches('/'), name(&classified.path)))
        };
        if let Some(real) = real {
            self.add_real(&real, &classified.path, candidates);
        }
    }

    fn add_link_of(&self, directory: &str, candidates: &mut Vec<ClassifiedPath>) {
        if let Some(real) = self.real_path(directory) {
            let before = candidates.len();
            self.add_real(&real, directory, candidates);
            for classified in &mut candidates[before..] {
                classified.is_contents = true;
            }
        }
    }

    fn add_real(&self, real: &str, written: &str, candidates: &mut Vec<ClassifiedPath>) {
        let real = absolute(real, None, &self.location.home);
        if real == written {
            return;
        }
        let real = self.with_familiar_root(real);
        if real != written {
            candidates.push(ClassifiedPath {
                is_linked: true,
                ..self.classify(real)
            });
        }
    }

    /// `link/..` is the parent of the link's target.
    fn add_physical_parent(&self, text: &str, candidates: &mut Vec<ClassifiedPath>) {
        let mut path = if text.starts_with('/') {
            String::new()
        } else {
            self.cwd.unwrap_or_default().to_owned()
        };
        for part in text.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    let real = self.real_path(&path).unwrap_or_else(|| path.clone());
                    normalize::parent(&real)
                        .trim_end_matches('/')
                        .clone_into(&mut path);
                }
                part => {
                    path.push('/');
                    path.push_str(part);
                }
            }
        }
        let logical = self.absolute(text);
        self.add_real(&path, &logical, candidates);
    }

    /// Replaces the resolved path of a home or project that is itself reached through a symlink by the name that
    /// people use.
    fn with_familiar_root(&self, real: String) -> String {
        let called = self
            .project()
            .into_iter()
            .chain([self.location.home.as_str()])
            .chain(self.cwd);
        for directory in called.filter(|directory| directory.len() > 1) {
            if let Some(there) = self.real_path(directory)
                && there.len() > 1
                && there != directory
                && let Some(rest) = normalize::below(&real, &there)
            {
                return self.absolute(&format!("{directory}/{rest}"));
            }
        }
        real
    }
}

/// The path without trailing components that match everything.
fn without_stars(path: &str) -> (&str, bool) {
    let mut base = path;
    while let Some((before, last)) = base.rsplit_once('/') {
        if !glob::matches_all(last) {
            break;
        }
        base = before;
    }
    let contents = base.len() < path.len();
    (if base.is_empty() { "/" } else { base }, contents)
}
