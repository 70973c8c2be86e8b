//! The memory backend of the tools, and an implementation over the record alone.

use std::collections::BTreeMap;

use becket_store::MemoryKind;
use serde_json::{Value, json};

use crate::rpc::{ActivityQuery, RecordBackend, SearchQuery, ServiceError, ServiceErrorKind};

/// The input of `search`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchInput {
    /// The search words.
    pub query: String,
    /// The project's directory; `None` for all projects.
    pub project: Option<String>,
    /// The most results.
    pub limit: Option<usize>,
}

/// The input of `remember`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RememberInput {
    /// The text of the memory.
    pub text: String,
    /// The type.
    pub kind: Option<MemoryKind>,
    /// Where it applies, or why.
    pub context: Option<String>,
    /// Files that it refers to.
    pub files: Vec<String>,
    /// From 1 to 10.
    pub importance: Option<u64>,
    /// The project's directory.
    pub project: Option<String>,
}

/// The input of `context`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContextInput {
    /// The task, in the agent's words.
    pub task: Option<String>,
    /// Files to be changed.
    pub files: Vec<String>,
    /// The project's directory; `None` for all projects.
    pub project: Option<String>,
    /// The most results of each kind.
    pub limit: Option<usize>,
}

/// The input of `memories`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemoriesInput {
    /// Only memories of this type.
    pub kind: Option<MemoryKind>,
    /// The project's directory; `None` for all projects.
    pub project: Option<String>,
    /// The most results.
    pub limit: Option<usize>,
}

/// Access to memories. Results are objects with `items`; an item has at least `text`, and if known `kind`, `session`,
/// `at` (milliseconds since 1970) and `score`.
pub trait MemoryBackend: Send {
    /// Searches memories, code and the record.
    fn search(&self, query: &SearchInput) -> Result<Value, ServiceError>;
    /// Stores a memory; the result has at least `{id}`.
    fn remember(&self, input: &RememberInput) -> Result<Value, ServiceError>;
    /// Finds memories and records that are relevant to a task.
    fn context(&self, query: &ContextInput) -> Result<Value, ServiceError>;
    /// Lists memories, the newest first.
    fn memories(&self, query: &MemoriesInput) -> Result<Value, ServiceError>;
}

/// A backend over the record alone: searchable, without memories.
pub struct RecordOnly<B> {
    backend: B,
}

/// The most words of a task that are searched one by one.
const MAX_WORDS: usize = 8;
/// Shorter words match too much.
const MIN_WORD_CHARS: usize = 4;
/// The default number of results of each kind.
pub(super) const DEFAULT_LIMIT: usize = 5;

impl<B: RecordBackend> RecordOnly<B> {
    /// A backend over a record.
    pub fn new(backend: B) -> Self {
        Self { backend }
    }

    pub(super) fn search_record(
        &self,
        text: &str,
        project: Option<&String>,
        limit: usize,
    ) -> Result<Vec<Value>, ServiceError> {
        let query = SearchQuery {
            text: text.to_owned(),
            project: project.cloned(),
            limit: Some(limit),
            ..SearchQuery::default()
        };
        let mut found = self.backend.search(&query)?;
        match found["items"].take() {
            Value::Array(items) => Ok(items),
            _ => Ok(Vec::new()),
        }
    }

    /// Finds records with all words of a task, or else with the most of them.
    fn search_task(
        &self,
        task: &str,
        project: Option<&String>,
        limit: usize,
    ) -> Result<Vec<Value>, ServiceError> {
        let whole = self.search_record(task, project, limit)?;
        if !whole.is_empty() {
            return Ok(whole);
        }
        let mut hits: BTreeMap<String, (usize, Value)> = BTreeMap::new();
        for word in longest_words(task) {
            for hit in self.search_record(word, project, 20)? {
                let id = hit["event_id"].as_str().unwrap_or_default().to_owned();
                hits.entry(id).or_insert((0, hit)).0 += 1;
            }
        }
        let mut ranked: Vec<(usize, Value)> = hits.into_values().collect();
        ranked.sort_by_key(|(words, hit)| std::cmp::Reverse((*words, hit["at"].as_i64())));
        Ok(ranked.into_iter().map(|(_, hit)| hit).take(limit).collect())
    }
}

/// The longest words, which are the most specific.
fn longest_words(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.chars().count() >= MIN_WORD_CHARS)
        .collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words.dedup();
    words.truncate(MAX_WORDS);
    words
}

fn no_memories(instead: &str) -> ServiceError {
    ServiceError::new(
        ServiceErrorKind::Unavailable,
        format!("this server has no memories, only the record; {instead}"),
    )
}

impl<B: RecordBackend> MemoryBackend for RecordOnly<B> {
    fn search(&self, query: &SearchInput) -> Result<Value, ServiceError> {
        let limit = query.limit.unwrap_or(20);
        let items = self.search_record(&query.query, query.project.as_ref(), limit)?;
        Ok(json!({ "items": items }))
    }

    fn remember(&self, _: &RememberInput) -> Result<Value, ServiceError> {
        Err(no_memories("nothing was stored"))
    }

    fn context(&self, query: &ContextInput) -> Result<Value, ServiceError> {
        let limit = query.limit.unwrap_or(DEFAULT_LIMIT);
        let project = query.project.as_ref();
        let mut items = match &query.task {
            Some(task) => self.search_task(task, project, limit)?,
            None => Vec::new(),
        };
        for file in query.files.iter().take(20) {
            let query = ActivityQuery {
                path: Some(relative_to(file, project).to_owned()),
                project: project.cloned(),
                limit: Some(limit),
                ..ActivityQuery::default()
            };
            let mut done = self.backend.activity(&query)?;
            if let Value::Array(done) = done["items"].take() {
                items.extend(done);
            }
        }
        Ok(json!({ "items": items }))
    }

    fn memories(&self, _: &MemoriesInput) -> Result<Value, ServiceError> {
        Err(no_memories("use `search` to search the record"))
    }
}

/// A path relative to its project, as in the record.
pub(super) fn relative_to<'p>(path: &'p str, project: Option<&String>) -> &'p str {
    let inside = project.and_then(|project| path.strip_prefix(project.trim_end_matches('/')));
    inside
        .and_then(|rest| rest.strip_prefix('/'))
        .unwrap_or(path)
}
