//! What was learnt, and where it is looked for.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::rpc::{ActivityQuery, Backend, Failure, FailureKind, SearchQuery};

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchIn {
    /// Words.
    pub query: String,
    /// The directory of a project; `None` is all of them.
    pub project: Option<String>,
    /// How many.
    pub limit: Option<usize>,
}

/// Something to remember.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Remembered {
    /// What.
    pub text: String,
    /// `gotcha`, `decision`, `bug_fix`, `discovery`, `trade_off`.
    pub kind: Option<String>,
    /// Where it holds, or why.
    pub context: Option<String>,
    /// Files that it is about.
    pub files: Vec<String>,
    /// From 1 to 10.
    pub importance: Option<u64>,
    /// The directory of a project.
    pub project: Option<String>,
}

/// What somebody is about to do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContextQuery {
    /// In their words.
    pub task: Option<String>,
    /// Files that they are about to touch.
    pub files: Vec<String>,
    /// The directory of a project; `None` is all of them.
    pub project: Option<String>,
    /// How many of each.
    pub limit: Option<usize>,
}

/// Which memories are asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemoriesQuery {
    /// As in [`Remembered`].
    pub kind: Option<String>,
    /// The directory of a project; `None` is all of them.
    pub project: Option<String>,
    /// How many.
    pub limit: Option<usize>,
}

/// What was learnt. Answers are objects with `items`; an item has at least `text`, and what is known of
/// `kind`, `session`, `at` (milliseconds since 1970), `score`.
pub trait Memory: Send {
    /// Looks for words in everything there is.
    fn search(&self, query: &SearchIn) -> Result<Value, Failure>;
    /// Keeps something; gives `{id}` at least.
    fn remember(&self, what: &Remembered) -> Result<Value, Failure>;
    /// What is worth knowing before a task.
    fn context(&self, query: &ContextQuery) -> Result<Value, Failure>;
    /// What was kept, the latest first.
    fn memories(&self, query: &MemoriesQuery) -> Result<Value, Failure>;
}

/// The record alone: it can be searched, and nothing can be added to it.
pub struct RecordOnly<B> {
    backend: B,
}

/// The most words of a task that are looked for one by one.
const MOST_WORDS: usize = 8;
/// Shorter words are in everything.
const SHORTEST_WORD: usize = 4;
/// How many of each are given to who does not say.
pub(super) const USUAL: usize = 5;

impl<B: Backend> RecordOnly<B> {
    /// Answers from a record.
    pub fn new(backend: B) -> Self {
        Self { backend }
    }

    pub(super) fn found(
        &self,
        text: &str,
        project: Option<&String>,
        limit: usize,
    ) -> Result<Vec<Value>, Failure> {
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

    /// What has all the words of a task, or else most of them.
    fn about(
        &self,
        task: &str,
        project: Option<&String>,
        limit: usize,
    ) -> Result<Vec<Value>, Failure> {
        let whole = self.found(task, project, limit)?;
        if !whole.is_empty() {
            return Ok(whole);
        }
        let mut hits: BTreeMap<String, (usize, Value)> = BTreeMap::new();
        for word in words(task) {
            for hit in self.found(word, project, 20)? {
                let id = hit["event_id"].as_str().unwrap_or_default().to_owned();
                hits.entry(id).or_insert((0, hit)).0 += 1;
            }
        }
        let mut ranked: Vec<(usize, Value)> = hits.into_values().collect();
        ranked.sort_by_key(|(words, hit)| std::cmp::Reverse((*words, hit["at"].as_i64())));
        Ok(ranked.into_iter().map(|(_, hit)| hit).take(limit).collect())
    }
}

/// The longest words, which tell most.
fn words(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| word.chars().count() >= SHORTEST_WORD)
        .collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    words.dedup();
    words.truncate(MOST_WORDS);
    words
}

fn no_memories(instead: &str) -> Failure {
    Failure::new(
        FailureKind::Unavailable,
        format!("this Becket records what agents do but keeps no memories; {instead}"),
    )
}

impl<B: Backend> Memory for RecordOnly<B> {
    fn search(&self, query: &SearchIn) -> Result<Value, Failure> {
        let limit = query.limit.unwrap_or(20);
        let items = self.found(&query.query, query.project.as_ref(), limit)?;
        Ok(json!({ "items": items }))
    }

    fn remember(&self, _: &Remembered) -> Result<Value, Failure> {
        Err(no_memories("nothing was kept"))
    }

    fn context(&self, query: &ContextQuery) -> Result<Value, Failure> {
        let limit = query.limit.unwrap_or(USUAL);
        let project = query.project.as_ref();
        let mut items = match &query.task {
            Some(task) => self.about(task, project, limit)?,
            None => Vec::new(),
        };
        for file in query.files.iter().take(20) {
            let asked = ActivityQuery {
                path: Some(seen_from(file, project).to_owned()),
                project: project.cloned(),
                limit: Some(limit),
                ..ActivityQuery::default()
            };
            let mut done = self.backend.activity(&asked)?;
            if let Value::Array(done) = done["items"].take() {
                items.extend(done);
            }
        }
        Ok(json!({ "items": items }))
    }

    fn memories(&self, _: &MemoriesQuery) -> Result<Value, Failure> {
        Err(no_memories("`search` finds what was done and said"))
    }
}

/// A path as the record has it: from its project.
pub(super) fn seen_from<'p>(path: &'p str, project: Option<&String>) -> &'p str {
    let inside = project.and_then(|project| path.strip_prefix(project.trim_end_matches('/')));
    inside
        .and_then(|rest| rest.strip_prefix('/'))
        .unwrap_or(path)
}
