//! Search queries and filters.

use std::time::Duration;

use becket_store::{CorpusKind, MemoryKind, MemoryStatus, Millis};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::calibrate::Band;

/// The kind of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, JsonSchema, Serialize, Deserialize)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
pub enum HitKind {
    /// A memory.
    Memory,
    /// A code chunk.
    Code,
    /// A session summary.
    Session,
    /// A plan.
    Plan,
}

impl HitKind {
    /// All kinds.
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

    /// The name.
    pub fn word(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Code => "code",
            Self::Session => "session",
            Self::Plan => "plan",
        }
    }

    /// Its corpus.
    pub fn corpus(self) -> CorpusKind {
        match self {
            Self::Code => CorpusKind::Code,
            _ => CorpusKind::Memory,
        }
    }
}

/// Restricts a search; empty fields and `None` do not restrict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SearchFilter<'q> {
    /// Kinds of results.
    pub kinds: &'q [HitKind],
    /// Memory types.
    pub types: &'q [MemoryKind],
    /// Memory statuses; active ones if empty.
    pub statuses: &'q [MemoryStatus],
    /// A file or directory that the text is or is about.
    pub file: Option<&'q str>,
    /// Created at this time or later.
    pub since: Option<Millis>,
    /// The source agent.
    pub agent: Option<&'q str>,
}

impl SearchFilter<'_> {
    /// Whether anything in a corpus can pass.
    pub(super) fn wants(&self, on: CorpusKind) -> bool {
        let of_corpus = |kind: &HitKind| kind.corpus() == on;
        let kinds = self.kinds.is_empty() || self.kinds.iter().any(of_corpus);
        let of_memories = !self.types.is_empty() || self.agent.is_some();
        kinds && !(on == CorpusKind::Code && of_memories)
    }
}

/// Whether to update the index before the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Freshness {
    /// Update the index first.
    #[default]
    UpToDate,
    /// Search the current index, for callers that must not wait.
    Cached,
}

/// A search query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SearchQuery<'q> {
    /// The project directory. Other projects are never searched.
    pub project: &'q str,
    /// Words, a sentence or a whole prompt.
    pub text: &'q str,
    /// The filter.
    pub filter: SearchFilter<'q>,
    /// Minimum confidence.
    pub least: Band,
    /// Maximum results per corpus.
    pub limit: usize,
    /// The current time, for expiry.
    pub now: Millis,
    /// Whether to update the index first.
    pub freshness: Freshness,
    /// Time limit for an embedding endpoint; after that, only words are searched.
    pub embed_timeout: Duration,
}

impl<'q> SearchQuery<'q> {
    /// The ten best results of each corpus with at least low confidence.
    pub fn new(project: &'q str, text: &'q str) -> Self {
        Self {
            project,
            text,
            filter: SearchFilter::default(),
            least: Band::Low,
            limit: 10,
            now: Millis::now(),
            freshness: Freshness::UpToDate,
            embed_timeout: Duration::from_secs(1),
        }
    }
}

/// Whether a path equals the filter or is inside it.
pub(super) fn path_matches(path: &str, asked: &str) -> bool {
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
    // Also matches an absolute path against a relative one.
    inside
        || (asked.starts_with('/') && ends(asked, path))
        || (path.starts_with('/') && ends(path, asked))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_filter_matches_file_directory_and_absolute_path() {
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
            assert_eq!(path_matches(path, asked), expected, "{path} {asked}");
        }
    }
}
