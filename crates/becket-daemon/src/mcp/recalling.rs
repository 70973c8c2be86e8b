//! Memories for agents.

use std::path::Path;

use becket_store::{MemoryKind, MemoryRow, MemoryStatus, Trust};
use serde_json::{Value, json};

use super::memory::{
    ContextQuery, MemoriesQuery, Memory, RecordOnly, Remembered, SearchIn, USUAL, seen_from,
};
use crate::recall::{Ask, Asking, Item, Note, Question, Told, Unanswered, Which, head};
use crate::rpc::{Backend, Failure, FailureKind};

/// What is remembered, and the record beside it. Memories are of one project: without one there is the record alone.
pub struct Recalling<B> {
    record: RecordOnly<B>,
    asking: Asking,
}

impl<B: Backend> Recalling<B> {
    /// Asks through `asking`, which may wait.
    pub fn new(backend: B, asking: Asking) -> Self {
        Self {
            record: RecordOnly::new(backend),
            asking,
        }
    }

    fn ask(&self, ask: Ask) -> Result<Told, Failure> {
        (self.asking)(ask).map_err(Failure::from)
    }

    fn relevant(&self, project: &str, text: &str, limit: usize) -> Result<Vec<Value>, Failure> {
        let question = Question {
            limit,
            ..Question::new(project, text)
        };
        match self.ask(Ask::Search(question))? {
            Told::Found(found) => Ok(found.into_iter().map(flat).collect()),
            _ => Err(unexpected()),
        }
    }

    fn listed(&self, which: Which) -> Result<Vec<Value>, Failure> {
        match self.ask(Ask::List(which))? {
            Told::Memories(rows) => Ok(rows.iter().map(flat_memory).collect()),
            _ => Err(unexpected()),
        }
    }
}

impl From<Unanswered> for Failure {
    fn from(error: Unanswered) -> Self {
        let kind = match &error {
            Unanswered::Bad(_) | Unanswered::Ambiguous { .. } => FailureKind::Invalid,
            Unanswered::Missing(_) => FailureKind::NotFound,
            _ => FailureKind::Unavailable,
        };
        Self::new(kind, error.to_string())
    }
}

fn unexpected() -> Failure {
    Failure::new(
        FailureKind::Unavailable,
        "the answer is not to the question",
    )
}

fn no_project() -> Failure {
    let why = "memories are of one project: `project` names its directory";
    Failure::new(FailureKind::Invalid, why)
}

/// Something that was found, in the shape of an item.
fn flat(item: Item) -> Value {
    let mut flat = match (&item.memory, &item.code) {
        (Some(memory), _) => flat_memory(memory),
        (None, Some(code)) => json!({
            "text": code.text, "path": code.path, "start": code.start, "end": code.end, "name": code.name,
            "language": code.language,
        }),
        (None, None) => json!({ "text": "" }),
    };
    flat["score"] = json!(item.score);
    flat["band"] = json!(item.band);
    flat["why"] = json!(item.why);
    flat["kind"] = json!(item.kind);
    flat
}

fn flat_memory(memory: &MemoryRow) -> Value {
    json!({
        "id": memory.id, "kind": "memory", "type": memory.kind, "text": memory.text, "context": memory.context,
        "importance": memory.importance, "trust": memory.trust, "files": memory.files, "session": memory.session,
        "agent": memory.agent, "commit": memory.commit, "at": memory.created,
    })
}

impl<B: Backend> Memory for Recalling<B> {
    fn search(&self, query: &SearchIn) -> Result<Value, Failure> {
        let limit = query.limit.unwrap_or(20);
        let mut items = match &query.project {
            Some(project) => self.relevant(project, &query.query, limit)?,
            None => Vec::new(),
        };
        let left = limit.saturating_sub(items.len());
        if left > 0 {
            let record = self
                .record
                .found(&query.query, query.project.as_ref(), left);
            items.extend(record?);
        }
        Ok(json!({ "items": items }))
    }

    fn remember(&self, what: &Remembered) -> Result<Value, Failure> {
        let project = what.project.as_ref().ok_or_else(no_project)?;
        let kind = what.kind.as_deref().and_then(MemoryKind::parse);
        let importance = what.importance.and_then(|number| u8::try_from(number).ok());
        let usual = Note::new(project.as_str(), what.text.as_str());
        let note = Note {
            kind: kind.unwrap_or(usual.kind),
            context: what.context.clone(),
            files: what.files.clone(),
            importance: importance.unwrap_or(usual.importance),
            trust: Some(Trust::Agent),
            commit: head(Path::new(project)),
            ..usual
        };
        let Told::Remembered(kept) = self.ask(Ask::Remember(note))? else {
            return Err(unexpected());
        };
        let said = match (&kept.suspect, kept.new) {
            (Some(why), true) => format!(
                "Set aside as {} until a person has looked at it: {why}.",
                kept.id
            ),
            (_, true) => format!("Remembered as {}.", kept.id),
            (_, false) => format!("Known already as {}.", kept.id),
        };
        Ok(json!({ "id": kept.id, "new": kept.new, "status": kept.status, "said": said }))
    }

    fn context(&self, query: &ContextQuery) -> Result<Value, Failure> {
        let limit = query.limit.unwrap_or(USUAL);
        let mut items: Vec<Value> = Vec::new();
        if let Some(project) = &query.project {
            if let Some(task) = &query.task {
                items = self.relevant(project, task, limit)?;
            }
            for file in query.files.iter().take(20) {
                let which = Which {
                    project: Some(project.clone()),
                    status: Some(MemoryStatus::Active),
                    file: Some(seen_from(file, Some(project)).to_owned()),
                    limit,
                    ..Which::default()
                };
                for memory in self.listed(which)? {
                    if !items.iter().any(|item| item["id"] == memory["id"]) {
                        items.push(memory);
                    }
                }
            }
        }
        let mut record = self.record.context(query)?;
        if let Value::Array(done) = record["items"].take() {
            items.extend(done);
        }
        Ok(json!({ "items": items }))
    }

    fn memories(&self, query: &MemoriesQuery) -> Result<Value, Failure> {
        let items = self.listed(Which {
            project: Some(query.project.clone().ok_or_else(no_project)?),
            kind: query.kind.as_deref().and_then(MemoryKind::parse),
            // What was set aside is for people.
            status: Some(MemoryStatus::Active),
            limit: query.limit.unwrap_or(20),
            ..Which::default()
        })?;
        Ok(json!({ "items": items }))
    }
}
