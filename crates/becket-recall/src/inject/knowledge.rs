//! What is known of a project: asked as questions, so that what is told can be a function of the answers.

use std::collections::HashMap;
use std::time::Duration;

use becket_store::{
    MemoryFilter, MemoryKind, MemoryRow, MemoryStatus, Millis, Reader, Scope, SessionFilter,
    SessionRow,
};
use serde::Serialize;

use crate::search::{Band, Filter, Found, Freshness, Hit, Kind, Query, Recall, RecallError};

/// How much is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Status {
    /// Pieces of code.
    pub code_chunks: u64,
    /// Memories that hold.
    pub memories: u64,
}

/// A session that was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastSession {
    /// Its id.
    pub id: String,
    /// The agent that had it.
    pub agent: String,
    /// What it was about.
    pub text: String,
}

/// What is known of one project.
///
/// Answers may hold more than is fit to be told: whatever does not hold any more, or was told before, is left out by
/// [`Injector`](super::Injector).
pub trait Knowledge {
    /// The project's directory.
    fn project(&self) -> &str;

    /// How much is known.
    fn status(&self) -> Result<Status, RecallError>;

    /// The sessions before this one of which is known what they were about, the latest first.
    fn recent_sessions(&self, most: usize) -> Result<Vec<PastSession>, RecallError>;

    /// Memories, pinned ones first, then the latest; neither summaries of sessions nor plans.
    fn recent_memories(&self, most: usize) -> Result<Vec<MemoryRow>, RecallError>;

    /// Memories and code that are relevant to a text and surely enough so, the likeliest first.
    fn search(&self, text: &str, least: Band, most: usize) -> Result<Vec<Found>, RecallError>;

    /// Memories about a file (`path` as seen from the project): those that name it, then those that are likely
    /// relevant to `query`, which says what happens to it.
    fn about_file(
        &self,
        path: &str,
        query: &str,
        most: usize,
    ) -> Result<Vec<MemoryRow>, RecallError>;
}

/// What the store knows.
#[derive(Clone, Copy)]
pub struct Stored<'k> {
    /// The store.
    pub reader: &'k Reader,
    /// The search.
    pub recall: &'k Recall,
    /// The project's directory.
    pub project: &'k str,
    /// The session that asks; it is not one that was.
    pub session: Option<&'k str>,
    /// The present.
    pub now: Millis,
    /// Whether to read on first.
    pub freshness: Freshness,
    /// How long a model behind an endpoint is waited for.
    pub patience: Duration,
}

/// As many sessions and summaries are looked at: some are of no use.
const LOOKED_AT: usize = 50;

impl<'k> Stored<'k> {
    /// What is known now, for somebody who waits.
    pub fn new(reader: &'k Reader, recall: &'k Recall, project: &'k str) -> Self {
        Self {
            reader,
            recall,
            project,
            session: None,
            now: Millis::now(),
            freshness: Freshness::UpToDate,
            patience: Duration::from_millis(500),
        }
    }

    fn found(
        &self,
        text: &str,
        kinds: &[Kind],
        least: Band,
        limit: usize,
    ) -> Result<Vec<Found>, RecallError> {
        let query = Query {
            project: self.project,
            text,
            filter: Filter {
                kinds,
                ..Filter::default()
            },
            least,
            limit,
            now: self.now,
            freshness: self.freshness,
            patience: self.patience,
        };
        self.recall.search(self.reader, &query)
    }

    fn memories(&self, filter: &MemoryFilter<'_>) -> Result<Vec<MemoryRow>, RecallError> {
        let filter = MemoryFilter {
            project: Some(self.project),
            ..*filter
        };
        Ok(self.reader.memories(&filter)?)
    }

    /// The memories that name a file, by its path in the project or the absolute one.
    fn naming(&self, path: &str) -> Result<Vec<MemoryRow>, RecallError> {
        let absolute = format!("{}/{path}", self.project.trim_end_matches('/'));
        let mut all = Vec::new();
        for file in [path, &absolute] {
            all.extend(self.memories(&MemoryFilter {
                file: Some(file),
                status: Some(MemoryStatus::Active),
                limit: LOOKED_AT,
                ..MemoryFilter::default()
            })?);
        }
        all.retain(is_lesson);
        all.sort_by_key(|memory| {
            std::cmp::Reverse((memory.pinned, memory.importance, memory.created))
        });
        Ok(all)
    }

    /// Summaries that were kept as memories, by session; `None` for one that does not hold or is not to be shown.
    fn summaries(&self) -> Result<HashMap<String, Option<String>>, RecallError> {
        let filter = MemoryFilter {
            kind: Some(MemoryKind::SessionSummary),
            limit: LOOKED_AT,
            ..MemoryFilter::default()
        };
        let mut summaries = HashMap::new();
        for memory in self.memories(&filter)? {
            let holds = holds(&memory, self.now);
            if let Some(session) = memory.session {
                // The latest of a session comes first.
                summaries
                    .entry(session)
                    .or_insert(holds.then_some(memory.text));
            }
        }
        Ok(summaries)
    }
}

impl Knowledge for Stored<'_> {
    fn project(&self) -> &str {
        self.project
    }

    fn status(&self) -> Result<Status, RecallError> {
        let numbers = self.reader.recall_numbers(self.project)?;
        Ok(Status {
            code_chunks: numbers.chunks,
            memories: numbers.memories,
        })
    }

    fn recent_sessions(&self, most: usize) -> Result<Vec<PastSession>, RecallError> {
        let filter = SessionFilter {
            scope: Scope {
                project: Some(self.project),
                ..Scope::default()
            },
            limit: LOOKED_AT,
            ..SessionFilter::default()
        };
        let mut summaries = self.summaries()?;
        let rows = self.reader.sessions(&filter)?.items.into_iter();
        let others = rows.filter(|row| self.session != Some(row.id.as_str()) && !is_subagent(row));
        let told = others.filter_map(|row| {
            let text = match summaries.remove(&row.id) {
                Some(kept) => kept?,
                None => row.summary.or(row.title)?,
            };
            Some(PastSession {
                id: row.id,
                agent: row.agent,
                text,
            })
        });
        Ok(told.take(most).collect())
    }

    fn recent_memories(&self, most: usize) -> Result<Vec<MemoryRow>, RecallError> {
        let filter = MemoryFilter {
            status: Some(MemoryStatus::Active),
            // Some have expired, and some are of other kinds.
            limit: most.saturating_add(4 * LOOKED_AT),
            ..MemoryFilter::default()
        };
        let mut all = self.memories(&filter)?;
        all.retain(|memory| is_lesson(memory) && holds(memory, self.now));
        all.truncate(most);
        Ok(all)
    }

    fn search(&self, text: &str, least: Band, most: usize) -> Result<Vec<Found>, RecallError> {
        self.found(text, &[Kind::Memory, Kind::Code], least, most)
    }

    fn about_file(
        &self,
        path: &str,
        query: &str,
        most: usize,
    ) -> Result<Vec<MemoryRow>, RecallError> {
        let mut all = self.naming(path)?;
        for found in self.found(query, &[Kind::Memory], Band::Medium, most)? {
            if let Hit::Memory(memory) = found.hit
                && !all.iter().any(|known| known.id == memory.id)
            {
                all.push(*memory);
            }
        }
        all.retain(|memory| holds(memory, self.now));
        all.truncate(most);
        Ok(all)
    }
}

/// Whether a memory may be told at all.
pub(super) fn holds(memory: &MemoryRow, now: Millis) -> bool {
    memory.status == MemoryStatus::Active
        && memory.superseded_by.is_none()
        && memory.expires.is_none_or(|expires| expires > now)
}

/// Something that was learnt, and not what a session was about or is to be done.
pub(super) fn is_lesson(memory: &MemoryRow) -> bool {
    Kind::of(Some(memory.kind)) == Kind::Memory
}

fn is_subagent(row: &SessionRow) -> bool {
    row.parent_reason.as_deref() == Some("subagent")
}
