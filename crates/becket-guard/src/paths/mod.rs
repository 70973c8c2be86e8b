//! What a path is: whose, where, and whether it is protected.
//!
//! Text first: [`absolute`] gives every path one spelling, `area` says where it is, `secret` and
//! `guarded` say what it is by name and place. Facts are asked for only where text leaves it open: what a
//! pattern matches, and where a link leads. Paths that do not exist are judged like others, because a
//! file that is missing today can be planted.
//!
//! Start at [`Scene::spots`].

mod area;
mod glob;
mod guarded;
mod normal;
mod secret;
mod tables;

pub use area::Area;
pub use guarded::{Guarded, Persistence};
pub use normal::absolute;
pub use secret::{Secret, SecretKind};

pub(crate) use normal::name;
pub(crate) use secret::is_example;

use std::cell::Cell;

use crate::command::{Invocation, UNKNOWN, Via, Word};
use crate::facts::{Facts, Found, NoFacts, Place};

/// The machine is asked this often about one command.
const MOST_LOOKS: u32 = 1024;

/// Whether a file of this name holds what should not be seen, going by its text alone.
pub fn holds_secret(text: &str, cwd: Option<&str>, home: &str) -> bool {
    secret::secret(&absolute(text, cwd, home), home).is_some_and(Secret::is_hidden)
}

/// The secret in a file of this name, going by its text alone; a home directory is any.
pub(crate) fn secret_at(text: &str) -> Option<Secret> {
    secret::secret(&absolute(text, None, "/home/somebody"), "/home/somebody")
}

/// A path, looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// Absolute; may hold [`UNKNOWN`] or a pattern.
    pub path: String,
    /// Where it is.
    pub area: Area,
    /// The secret it holds.
    pub secret: Option<Secret>,
    /// What else protects it.
    pub guarded: Option<Guarded>,
    /// What is meant is everything in it (`dir/*`), not the directory.
    pub contents: bool,
    /// A pattern that nobody could try might match it.
    pub possible: bool,
    /// A link leads here; nobody wrote this path.
    pub linked: bool,
}

impl Spot {
    /// Whether something is missing in the path.
    pub fn is_open(&self) -> bool {
        self.path.contains(UNKNOWN)
    }
}

/// What an action follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Follow {
    /// Links, to the end: reading, writing.
    Links,
    /// Links in the directories only: deleting and moving take the link itself.
    Directories,
    /// Nothing: the name alone counts, and nobody is asked.
    Nothing,
}

/// Where paths are looked at from.
pub struct Scene<'a> {
    place: &'a Place,
    facts: &'a dyn Facts,
    cwd: Option<&'a str>,
    machine: Machine,
    looks: Cell<u32>,
}

/// Whether it is a machine that people log in to, going by what takes them there.
fn is_logged_in_to(how: &str) -> bool {
    let program = how.split(' ').next().unwrap_or(how);
    program.contains("ssh")
        || matches!(
            program,
            "mosh" | "pdsh" | "clush" | "vagrant" | "gcloud" | "fly" | "flyctl" | "adb"
        )
}

/// Whose files are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Machine {
    /// This machine's.
    Local,
    /// A machine's that people log in to.
    Remote,
    /// A container's, which can be made again.
    Container,
    /// A container's that is running, with all the data that it has gathered.
    Running,
}

impl Machine {
    /// Whether the rest of the machine is out of its reach.
    pub fn is_container(self) -> bool {
        matches!(self, Self::Container | Self::Running)
    }
}

impl<'a> Scene<'a> {
    /// As the command sees it. On another machine there is no project and there are no facts.
    pub fn of(command: &'a Invocation, place: &'a Place, facts: &'a dyn Facts) -> Self {
        let elsewhere = command.via.iter().find_map(|via| match via {
            Via::Elsewhere(how) => Some(how.as_str()),
            _ => None,
        });
        let machine = match elsewhere {
            None => Machine::Local,
            Some(how) if is_logged_in_to(how) => Machine::Remote,
            Some(how) if how.split(' ').nth(1) == Some("exec") => Machine::Running,
            Some(_) => Machine::Container,
        };
        let local = machine == Machine::Local;
        Self {
            place,
            facts: if local { facts } else { &NoFacts },
            cwd: command.cwd.as_deref().filter(|_| local),
            machine,
            looks: Cell::new(0),
        }
    }

    /// As a tool sees it that takes paths relative to the working directory.
    pub fn at(place: &'a Place, facts: &'a dyn Facts) -> Self {
        Self {
            place,
            facts,
            cwd: Some(&place.cwd),
            machine: Machine::Local,
            looks: Cell::new(0),
        }
    }

    /// Whose files paths mean.
    pub fn machine(&self) -> Machine {
        self.machine
    }

    /// What is at a path, if that is known.
    pub fn found(&self, path: &str) -> Option<Found> {
        if path.contains(UNKNOWN) || glob::is_pattern(path) {
            return None;
        }
        self.may_look().then(|| self.facts.found(path)).flatten()
    }

    fn real(&self, path: &str) -> Option<String> {
        self.may_look().then(|| self.facts.real(path)).flatten()
    }

    fn may_look(&self) -> bool {
        let looks = self.looks.get().saturating_add(1);
        self.looks.set(looks);
        looks <= MOST_LOOKS
    }

    /// Whether more had to be asked than may be: what came last was judged by its name alone.
    pub fn is_exhausted(&self) -> bool {
        self.looks.get() > MOST_LOOKS
    }

    /// `text` as an absolute path.
    pub fn absolute(&self, text: &str) -> String {
        absolute(text, self.cwd, &self.place.home)
    }

    /// Everything that a word, used as a path, may mean.
    pub fn spots(&self, word: &Word, follow: Follow) -> Vec<Spot> {
        let mut spots = Vec::new();
        if word.glob && word.text.contains('{') {
            for text in glob::braces(&word.text) {
                self.add(&text, true, follow, &mut spots);
            }
        } else {
            self.add(&word.text, word.glob, follow, &mut spots);
        }
        spots
    }

    fn add(&self, text: &str, is_glob: bool, follow: Follow, spots: &mut Vec<Spot>) {
        let path = self.absolute(text);
        if is_glob && glob::is_pattern(&path) {
            self.add_pattern(&path, spots);
            return;
        }
        let spot = self.spot(path);
        self.add_links(text, &spot, follow, spots);
        spots.push(spot);
    }

    fn add_pattern(&self, path: &str, spots: &mut Vec<Spot>) {
        let (base, contents) = without_stars(path);
        if contents && !glob::is_pattern(base) {
            spots.push(Spot {
                contents: true,
                ..self.spot(base.to_owned())
            });
            self.add_link_of(base, spots);
        }
        let look = |directory: &str| {
            if self.may_look() {
                self.facts.names(directory)
            } else {
                Vec::new()
            }
        };
        let expanded = glob::expand(path, look);
        if expanded.too_many {
            self.looks.set(MOST_LOOKS + 1);
        }
        let before = spots.len();
        spots.extend(expanded.paths.iter().map(|path| self.spot(path.clone())));
        if spots.len() > before {
            return;
        }
        if !contents || glob::is_pattern(base) {
            // `*.pem` and `.env*` name what they mean.
            let named = self.spot(path.replace(['*', '?'], ""));
            let is_telling = named.secret.is_some() || named.guarded.is_some();
            spots.push(Spot {
                secret: named.secret,
                guarded: named.guarded,
                ..self.spot(path.to_owned())
            });
            if is_telling {
                return;
            }
        }
        if !expanded.certain {
            let could = glob::could_mean(path).into_iter();
            spots.extend(could.filter(|could| could != path).map(|path| Spot {
                possible: true,
                ..self.spot(path)
            }));
        }
    }

    /// The class of one path, by its text.
    pub fn spot(&self, path: String) -> Spot {
        let project = self.project();
        Spot {
            area: area::area(&path, self.place, project),
            secret: secret::secret(&path, &self.place.home)
                .or_else(|| secret::of_becket(&path, self.place)),
            guarded: guarded::guarded(&path, self.place, project),
            contents: false,
            possible: false,
            linked: false,
            path,
        }
    }

    fn project(&self) -> Option<&'a str> {
        self.place
            .project
            .as_deref()
            .filter(|_| self.machine == Machine::Local)
    }

    /// Adds where links lead, if anywhere else.
    fn add_links(&self, text: &str, spot: &Spot, follow: Follow, spots: &mut Vec<Spot>) {
        if spot.is_open() || follow == Follow::Nothing {
            return;
        }
        if text.contains("..") && !text.starts_with(['~', '$']) {
            self.add_physical(text, spots);
        }
        let through = follow == Follow::Links || text.ends_with('/') || text.ends_with("/.");
        let real = if through {
            self.real(&spot.path)
        } else {
            let directory = self.real(normal::parent(&spot.path));
            directory.map(|dir| format!("{}/{}", dir.trim_end_matches('/'), name(&spot.path)))
        };
        if let Some(real) = real {
            self.add_real(&real, &spot.path, spots);
        }
    }

    fn add_link_of(&self, directory: &str, spots: &mut Vec<Spot>) {
        if let Some(real) = self.real(directory) {
            let before = spots.len();
            self.add_real(&real, directory, spots);
            for spot in &mut spots[before..] {
                spot.contents = true;
            }
        }
    }

    fn add_real(&self, real: &str, written: &str, spots: &mut Vec<Spot>) {
        let real = absolute(real, None, &self.place.home);
        if real == written {
            return;
        }
        let real = self.as_called(real);
        if real != written {
            spots.push(Spot {
                linked: true,
                ..self.spot(real)
            });
        }
    }

    /// `link/..` is the parent of what the link leads to.
    fn add_physical(&self, text: &str, spots: &mut Vec<Spot>) {
        let mut path = if text.starts_with('/') {
            String::new()
        } else {
            self.cwd.unwrap_or_default().to_owned()
        };
        for part in text.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    let real = self.real(&path).unwrap_or_else(|| path.clone());
                    normal::parent(&real)
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
        self.add_real(&path, &logical, spots);
    }

    /// A home or a project that is itself reached through a link keeps the name that people use.
    fn as_called(&self, real: String) -> String {
        let called = self
            .project()
            .into_iter()
            .chain([self.place.home.as_str()])
            .chain(self.cwd);
        for directory in called.filter(|directory| directory.len() > 1) {
            if let Some(there) = self.real(directory)
                && there.len() > 1
                && there != directory
                && let Some(rest) = normal::below(&real, &there)
            {
                return self.absolute(&format!("{directory}/{rest}"));
            }
        }
        real
    }
}

/// The path before components at its end that match everything.
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
