//! Read access to the memories, code and sessions of a project. Injection is a pure function of it.

use std::collections::HashMap;
use std::time::Duration;

use becket_store::{
    MemoryFilter, MemoryKind, MemoryRow, MemoryStatus, Millis, QueryScope, SessionFilter,
    SessionRow, StoreReader,
};
use serde::Serialize;

use crate::search::{
    Band, Freshness, HitKind, Recall, RecallError, SearchFilter, SearchHit, SearchQuery,
    SearchResult,
};

/// Number of indexed items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct KnowledgeCounts {
    /// Code chunks.
    pub code_chunks: u64,
    /// Active memories.
    pub memories: u64,
}

/// An earlier session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastSession {
    /// Its id.
    pub id: String,
    /// The agent of the session.
    pub agent: String,
    /// Its summary or title.
    pub text: String,
}

/// The knowledge about one project.
///
/// Results may contain more than can be injected. [`Injector`](super::Injector) drops inactive and already injected items.
pub trait KnowledgeSource {
    /// The project directory.
    fn project(&self) -> &str;

    /// The number of indexed items.
    fn status(&self) -> Result<KnowledgeCounts, RecallError>;

    /// Earlier sessions with a summary or title, latest first.
    fn recent_sessions(&self, most: usize) -> Result<Vec<PastSession>, RecallError>;

    /// Memories, pinned ones first, then the latest; without session summaries and plans.
    fn recent_memories(&self, most: usize) -> Result<Vec<MemoryRow>, RecallError>;

    /// Memories and code with at least this confidence, most relevant first.
    fn search(
        &self,
        text: &str,
        least: Band,
        most: usize,
    ) -> Result<Vec<SearchResult>, RecallError>;

    /// Memories about a file (`path` is relative to the project): those that name it, then those that match `query`.
    fn about_file(
        &self,
        path: &str,
        query: &str,
        most: usize,
    ) -> Result<Vec<MemoryRow>, RecallError>;
}

/// Knowledge from the store.
#[derive(Clone, Copy)]
pub struct StoreKnowledge<'k> {
    /// The store.
    pub reader: &'k StoreReader,
    /// The search index.
    pub recall: &'k Recall,
    /// The project directory.
    pub project: &'k str,
    /// The current session, which is not an earlier one.
    pub session: Option<&'k str>,
    /// The current time.
    pub now: Millis,
    /// Whether to update the index first.
    pub freshness: Freshness,
    /// Time limit for an embedding endpoint.
    pub query_timeout: Duration,
}

/// Maximum number of sessions and summaries to read; some are not usable.
const MAX_ROWS: usize = 50;

impl<'k> StoreKnowledge<'k> {
    /// Defaults for an interactive query.
    pub fn new(reader: &'k StoreReader, recall: &'k Recall, project: &'k str) -> Self {
        Self {
            reader,
            recall,
            project,
            session: None,
            now: Millis::now(),
            freshness: Freshness::UpToDate,
            query_timeout: Duration::from_millis(500),
        }
    }

    fn search_kinds(
        &self,
        text: &str,
        kinds: &[HitKind],
        least: Band,
        limit: usize,
    ) -> Result<Vec<SearchResult>, RecallError> {
        let query = SearchQuery {
            project: self.project,
            text,
            filter: SearchFilter {
                kinds,
                ..SearchFilter::default()
            },
            least,
            limit,
            now: self.now,
            freshness: self.freshness,
            embed_timeout: self.query_timeout,
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

    /// Memories that name a file, by relative or absolute path.
    fn memories_naming(&self, path: &str) -> Result<Vec<MemoryRow>, RecallError> {
        let absolute = format!("{}/{path}", self.project.trim_end_matches('/'));
        let mut all = Vec::new();
        for file in [path, &absolute] {
            all.extend(self.memories(&MemoryFilter {
                file: Some(file),
                status: Some(MemoryStatus::Active),
                limit: MAX_ROWS,
                ..MemoryFilter::default()
            })?);
        }
        all.retain(is_lesson);
        all.sort_by_key(|memory| {
            std::cmp::Reverse((memory.pinned, memory.importance, memory.created))
        });
        Ok(all)
    }

    /// Session summaries stored as memories; `None` for an inactive one.
    fn summaries(&self) -> Result<HashMap<String, Option<String>>, RecallError> {
        let filter = MemoryFilter {
            kind: Some(MemoryKind::SessionSummary),
            limit: MAX_ROWS,
            ..MemoryFilter::default()
        };
        let mut summaries = HashMap::new();
        for memory in self.memories(&filter)? {
            let holds = is_active(&memory, self.now);
            if let Some(session) = memory.session {
                // The latest summary of a session comes first.
                summaries
                    .entry(session)
                    .or_insert(holds.then_some(memory.text));
            }
        }
        Ok(summaries)
    }
}

impl KnowledgeSource for StoreKnowledge<'_> {
    fn project(&self) -> &str {
        self.project
    }

    fn status(&self) -> Result<KnowledgeCounts, RecallError> {
        let numbers = self.reader.recall_counts(self.project)?;
        Ok(KnowledgeCounts {
            code_chunks: numbers.chunks,
            memories: numbers.memories,
        })
    }

    fn recent_sessions(&self, most: usize) -> Result<Vec<PastSession>, RecallError> {
        let filter = SessionFilter {
            scope: QueryScope {
                project: Some(self.project),
                ..QueryScope::default()
            },
            limit: MAX_ROWS,
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
            // Some have expired or have another type.
            limit: most.saturating_add(4 * MAX_ROWS),
            ..MemoryFilter::default()
        };
        let mut all = self.memories(&filter)?;
        all.retain(|memory| is_lesson(memory) && is_active(memory, self.now));
        all.truncate(most);
        Ok(all)
    }

    fn search(
        &self,
        text: &str,
        least: Band,
        most: usize,
    ) -> Result<Vec<SearchResult>, RecallError> {
        self.search_kinds(text, &[HitKind::Memory, HitKind::Code], least, most)
    }

    fn about_file(
        &self,
        path: &str,
        query: &str,
        most: usize,
    ) -> Result<Vec<MemoryRow>, RecallError> {
        let mut all = self.memories_naming(path)?;
        for found in self.search_kinds(query, &[HitKind::Memory], Band::Medium, most)? {
            if let SearchHit::Memory(memory) = found.hit
                && !all.iter().any(|known| known.id == memory.id)
            {
                all.push(*memory);
            }
        }
        all.retain(|memory| is_active(memory, self.now));
        all.truncate(most);
        Ok(all)
    }
}

/// Whether a memory is active, not superseded and not expired.
pub(super) fn is_active(memory: &MemoryRow, now: Millis) -> bool {
    memory.status == MemoryStatus::Active
        && memory.superseded_by.is_none()
        && memory.expires.is_none_or(|expires| expires > now)
}

/// Whether it is a memory in the narrow sense, not a session summary or a plan.
pub(super) fn is_lesson(memory: &MemoryRow) -> bool {
    HitKind::of(Some(memory.kind)) == HitKind::Memory
}

fn is_subagent(row: &SessionRow) -> bool {
    row.parent_reason.as_deref() == Some("subagent")
}
