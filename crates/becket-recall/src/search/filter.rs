//! What is asked.

use std::time::Duration;

use becket_store::{MemoryKind, MemoryStatus, Millis, Shelf};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::calibrate::Band;

/// What can be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema, Serialize, Deserialize)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Something that was learnt.
    Memory,
    /// A piece of a file.
    Code,
    /// The summary of a session.
    Session,
    /// A plan.
    Plan,
}

impl Kind {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::Memory, Self::Code, Self::Session, Self::Plan];

    /// The kind of a row.
    pub fn of(memory: Option<MemoryKind>) -> Self {
        match memory {
            None => Self::Code,
            Some(MemoryKind::SessionSummary) => Self::Session,
            Some(MemoryKind::Plan) => Self::Plan,
            Some(_) => Self::Memory,
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Code => "code",
            Self::Session => "session",
            Self::Plan => "plan",
        }
    }

    /// Where it stands.
    pub fn shelf(self) -> Shelf {
        match self {
            Self::Code => Shelf::Code,
            _ => Shelf::Memory,
        }
    }
}

/// Which texts may be found; what is empty or `None` narrows nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Filter<'q> {
    /// What.
    pub kinds: &'q [Kind],
    /// What sort of memory.
    pub types: &'q [MemoryKind],
    /// Memories that hold, if empty; otherwise these.
    pub statuses: &'q [MemoryStatus],
    /// A file that it is or is about, or a directory of such files.
    pub file: Option<&'q str>,
    /// Not older than this.
    pub since: Option<Millis>,
    /// The agent that it came from.
    pub agent: Option<&'q str>,
}

impl Filter<'_> {
    /// Whether anything on a shelf can pass.
    pub(super) fn wants(&self, on: Shelf) -> bool {
        let of_shelf = |kind: &Kind| kind.shelf() == on;
        let kinds = self.kinds.is_empty() || self.kinds.iter().any(of_shelf);
        let of_memories = !self.types.is_empty() || self.agent.is_some();
        kinds && !(on == Shelf::Code && of_memories)
    }
}

/// Whether a shelf is brought up to date before it is searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Freshness {
    /// What is in the store is found.
    #[default]
    UpToDate,
    /// What has been read so far is found, for those in a hurry.
    AsItIs,
}

/// A question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Query<'q> {
    /// The project's directory. Nothing of another project is found.
    pub project: &'q str,
    /// Words, a sentence, a whole prompt.
    pub text: &'q str,
    /// Which texts.
    pub filter: Filter<'q>,
    /// How sure one must be.
    pub least: Band,
    /// How many of each shelf.
    pub limit: usize,
    /// The present, for what expires.
    pub now: Millis,
    /// Whether to read on first.
    pub freshness: Freshness,
    /// How long a model behind an endpoint is waited for; then it is searched by words alone.
    pub patience: Duration,
}

impl<'q> Query<'q> {
    /// The ten best of everything that is at least `low`.
    pub fn new(project: &'q str, text: &'q str) -> Self {
        Self {
            project,
            text,
            filter: Filter::default(),
            least: Band::Low,
            limit: 10,
            now: Millis::now(),
            freshness: Freshness::UpToDate,
            patience: Duration::from_secs(1),
        }
    }
}

/// Whether a path is what was asked for, or inside it.
pub(super) fn is_meant(path: &str, asked: &str) -> bool {
    let asked = asked
        .strip_prefix("./")
        .unwrap_or(asked)
        .trim_end_matches('/');
    let (path, asked) = (path.trim_start_matches("./"), asked);
    let rest = path.strip_prefix(asked);
    let inside = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let ends = |long: &str, short: &str| {
        long.strip_suffix(short)
            .is_some_and(|rest| rest.ends_with('/'))
    };
    // An absolute path of either side still ends as the other does.
    inside
        || (asked.starts_with('/') && ends(asked, path))
        || (path.starts_with('/') && ends(path, asked))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_meant_by_its_path_its_directory_or_its_absolute_path() {
        for (path, asked, expected) in [
            ("src/db.rs", "src/db.rs", true),
            ("src/db.rs", "./src/", true),
            ("src/db.rs", "src", true),
            ("src/db.rs", "/home/ana/shop/src/db.rs", true),
            ("/home/ana/shop/src/db.rs", "src/db.rs", true),
            ("src/db.rs", "db.rs", false),
            ("src2/db.rs", "src", false),
            ("src/db.rs", "/b.rs", false),
        ] {
            assert_eq!(is_meant(path, asked), expected, "{path} {asked}");
        }
    }
}
