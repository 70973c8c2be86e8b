//! The memory backend over the memory service.

use std::path::Path;

use becket_store::{MemoryRow, MemoryStatus, Trust};
use serde_json::{Value, json};

use super::memory::{
    ContextInput, DEFAULT_LIMIT, MemoriesInput, MemoryBackend, RecordOnly, RememberInput,
    SearchInput, relative_to,
};
use crate::recall::{
    BlockingMemoryClient, MemoryError, MemoryInput, MemoryListQuery, MemoryRequest, MemoryResponse,
    RecallHit, RecallQuery, head_commit,
};
use crate::rpc::{RecordBackend, ServiceError, ServiceErrorKind};

/// Memories and the record. Memories belong to a project: without one, only the record is searched.
pub struct RecallBackend<B> {
    record: RecordOnly<B>,
    client: BlockingMemoryClient,
}

impl<B: RecordBackend> RecallBackend<B> {
    /// A backend that sends requests through `client`, which blocks.
    pub fn new(backend: B, client: BlockingMemoryClient) -> Self {
        Self {
            record: RecordOnly::new(backend),
            client,
        }
    }

    fn request(&self, request: MemoryRequest) -> Result<MemoryResponse, ServiceError> {
        (self.client)(request).map_err(ServiceError::from)
    }

    fn relevant(
        &self,
        project: &str,
        text: &str,
        limit: usize,
    ) -> Result<Vec<Value>, ServiceError> {
        let query = RecallQuery {
            limit,
            ..RecallQuery::new(project, text)
        };
        match self.request(MemoryRequest::Search(query))? {
            MemoryResponse::Found(found) => Ok(found.into_iter().map(hit_json).collect()),
            _ => Err(unexpected_response()),
        }
    }

    fn list(&self, query: MemoryListQuery) -> Result<Vec<Value>, ServiceError> {
        match self.request(MemoryRequest::List(query))? {
            MemoryResponse::Memories(rows) => Ok(rows.iter().map(memory_json).collect()),
            _ => Err(unexpected_response()),
        }
    }
}

impl From<MemoryError> for ServiceError {
    fn from(error: MemoryError) -> Self {
        let kind = match &error {
            MemoryError::Invalid(_) | MemoryError::Ambiguous { .. } => ServiceErrorKind::Invalid,
            MemoryError::NotFound(_) => ServiceErrorKind::NotFound,
            _ => ServiceErrorKind::Unavailable,
        };
        Self::new(kind, error.to_string())
    }
}

fn unexpected_response() -> ServiceError {
    ServiceError::new(
        ServiceErrorKind::Unavailable,
        "unexpected response from the memory service",
    )
}

fn no_project() -> ServiceError {
    let why = "`project` is missing; memories belong to a project";
    ServiceError::new(ServiceErrorKind::Invalid, why)
}

/// A search hit as a JSON item.
fn hit_json(item: RecallHit) -> Value {
    let mut json = match (&item.memory, &item.code) {
        (Some(memory), _) => memory_json(memory),
        (None, Some(code)) => json!({
            "text": code.text, "path": code.path, "start": code.start, "end": code.end, "name": code.name,
            "language": code.language,
        }),
        (None, None) => json!({ "text": "" }),
    };
    json["score"] = json!(item.score);
    json["band"] = json!(item.band);
    json["why"] = json!(item.why);
    json["kind"] = json!(item.kind);
    json
}

fn memory_json(memory: &MemoryRow) -> Value {
    json!({
        "id": memory.id, "kind": "memory", "type": memory.kind, "text": memory.text, "context": memory.context,
        "importance": memory.importance, "trust": memory.trust, "files": memory.files, "session": memory.session,
        "agent": memory.agent, "commit": memory.commit, "at": memory.created,
    })
}

impl<B: RecordBackend> MemoryBackend for RecallBackend<B> {
    fn search(&self, query: &SearchInput) -> Result<Value, ServiceError> {
        let limit = query.limit.unwrap_or(20);
        let mut items = match &query.project {
            Some(project) => self.relevant(project, &query.query, limit)?,
            None => Vec::new(),
        };
        let left = limit.saturating_sub(items.len());
        if left > 0 {
            let record = self
                .record
                .search_record(&query.query, query.project.as_ref(), left);
            items.extend(record?);
        }
        Ok(json!({ "items": items }))
    }

    fn remember(&self, input: &RememberInput) -> Result<Value, ServiceError> {
        let project = input.project.as_ref().ok_or_else(no_project)?;
        let importance = input
            .importance
            .and_then(|number| u8::try_from(number).ok());
        let defaults = MemoryInput::new(project.as_str(), input.text.as_str());
        let memory = MemoryInput {
            kind: input.kind.unwrap_or(defaults.kind),
            context: input.context.clone(),
            files: input.files.clone(),
            importance: importance.unwrap_or(defaults.importance),
            trust: Some(Trust::Agent),
            commit: head_commit(Path::new(project)),
            ..defaults
        };
        let MemoryResponse::Remembered(result) = self.request(MemoryRequest::Remember(memory))?
        else {
            return Err(unexpected_response());
        };
        let message = match (&result.suspect, result.new) {
            (Some(why), true) => format!(
                "Quarantined as {} until a person has reviewed it: {why}.",
                result.id
            ),
            (_, true) => format!("Remembered as {}.", result.id),
            (_, false) => format!("Already stored as {}.", result.id),
        };
        Ok(json!({ "id": result.id, "new": result.new, "status": result.status, "said": message }))
    }

    fn context(&self, query: &ContextInput) -> Result<Value, ServiceError> {
        let limit = query.limit.unwrap_or(DEFAULT_LIMIT);
        let mut items: Vec<Value> = Vec::new();
        if let Some(project) = &query.project {
            if let Some(task) = &query.task {
                items = self.relevant(project, task, limit)?;
            }
            for file in query.files.iter().take(20) {
                let list_query = MemoryListQuery {
                    project: Some(project.clone()),
                    status: Some(MemoryStatus::Active),
                    file: Some(relative_to(file, Some(project)).to_owned()),
                    limit,
                    ..MemoryListQuery::default()
                };
                for memory in self.list(list_query)? {
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

    fn memories(&self, query: &MemoriesInput) -> Result<Value, ServiceError> {
        let items = self.list(MemoryListQuery {
            project: Some(query.project.clone().ok_or_else(no_project)?),
            kind: query.kind,
            // Quarantined memories are for people to review.
            status: Some(MemoryStatus::Active),
            limit: query.limit.unwrap_or(20),
            ..MemoryListQuery::default()
        })?;
        Ok(json!({ "items": items }))
    }
}
