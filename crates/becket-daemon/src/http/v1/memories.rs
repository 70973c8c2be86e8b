//! Memories and search: list, store, edit, forget, index.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::Uri;
use axum::{Extension, Json};
use becket_recall::search::HitKind;
use becket_store::{MemoryKind, MemoryRow, MemoryStatus, SearchHit, Trust};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::query::{NoParams, PageLimit, SearchParams};
use super::route::{
    ApiError, DaemonState, PathId, Route, delete_with, get_with, json_body, parse_body, parse_id,
    parse_query,
};
use super::{ItemList, item_list};
use crate::http::auth::Caller;
use crate::recall::{
    ForgetResult, IndexingStatus, MemoryDetail, MemoryError, MemoryInput, MemoryListQuery,
    MemoryPatch, RecallHit, RecallQuery, RememberResult,
};

/// The results of a search.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SearchResults {
    /// Recorded events with the words, the newest first
    items: Vec<SearchHit>,
    /// Relevant memories and code, the best first; only with `project`
    found: Vec<RecallHit>,
}

/// A filter for memories.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct MemoriesParams {
    /// The project's directory; all projects if omitted
    project: Option<String>,
    /// The memory type
    #[serde(rename = "type")]
    kind: Option<MemoryKind>,
    /// The status; `active` if omitted
    status: Option<MemoryStatus>,
    /// Include memories of any status
    #[serde(default)]
    all: bool,
    /// The session that the memories come from
    session: Option<String>,
    /// A file that the memories refer to, relative to the project
    file: Option<String>,
    /// The most results
    #[serde(default)]
    #[schemars(with = "u32", range(min = 1, max = 1000))]
    limit: PageLimit,
}

/// Selects a project.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ProjectParams {
    /// The project's directory
    project: String,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        get_with::<SearchParams, SearchResults, _, _>(
            "/search",
            "Search the record, and the memories and code of a project",
            search,
        ),
        get_with::<MemoriesParams, ItemList<MemoryRow>, _, _>(
            "/memories",
            "List memories, pinned ones first, then the newest",
            list,
        ),
        json_body::<MemoryInput, RememberResult, _, _>(
            "post",
            "/memories",
            "Store a memory; it is quarantined if it looks like a prompt injection",
            remember,
        ),
        get_with::<NoParams, MemoryDetail, _, _>(
            "/memories/{id}",
            "Get a memory with its sources",
            show,
        ),
        json_body::<MemoryPatch, MemoryDetail, _, _>(
            "patch",
            "/memories/{id}",
            "Edit a memory: text, status, pin",
            edit,
        ),
        delete_with::<ForgetResult, _, _>(
            "/memories/{id}",
            "Forget a memory and everything derived from it",
            forget,
        ),
        get_with::<ProjectParams, IndexingStatus, _, _>(
            "/index",
            "Get the progress of indexing a project's code",
            indexing,
        ),
        json_body::<ProjectParams, IndexingStatus, _, _>(
            "post",
            "/index",
            "Start to index a project's code; the GET returns the progress",
            index,
        ),
    ]
}

impl From<MemoryError> for ApiError {
    fn from(error: MemoryError) -> Self {
        match error {
            MemoryError::NotFound(id) => Self::not_found(&id),
            MemoryError::Invalid(_) | MemoryError::Ambiguous { .. } => {
                Self::bad_request(error.to_string())
            }
            other => Self::unavailable(other),
        }
    }
}

async fn search(State(daemon): DaemonState, uri: Uri) -> Result<Json<SearchResults>, ApiError> {
    let params: SearchParams = parse_query(&uri)?;
    // Memories belong to a project, not to a session.
    let project = params.project().filter(|_| params.session.is_none());
    let query = project.map(|project| RecallQuery {
        kinds: params.kind.into_iter().collect::<Vec<HitKind>>(),
        types: params.memory_type.into_iter().collect(),
        file: params.file.clone(),
        since: params.scope().since,
        agent: params.scope().agent.map(str::to_owned),
        limit: params.limit.rows(),
        ..RecallQuery::new(project, params.q.as_str())
    });
    let found = match query {
        Some(query) => daemon.memory.search(query).await?,
        None => Vec::new(),
    };
    let record = daemon
        .store
        .query(move |reader| reader.search(&params.filter()));
    Ok(Json(SearchResults {
        items: record.await?,
        found,
    }))
}

async fn list(State(daemon): DaemonState, uri: Uri) -> Result<Json<ItemList<MemoryRow>>, ApiError> {
    let params: MemoriesParams = parse_query(&uri)?;
    let default_status = params.status.unwrap_or(MemoryStatus::Active);
    let query = MemoryListQuery {
        project: params.project,
        kind: params.kind,
        status: (!params.all).then_some(default_status),
        session: params.session,
        file: params.file,
        limit: params.limit.rows(),
    };
    Ok(Json(item_list(daemon.memory.list(query).await?)))
}

async fn remember(
    State(daemon): DaemonState,
    Extension(caller): Extension<Caller>,
    uri: Uri,
    body: Bytes,
) -> Result<Json<RememberResult>, ApiError> {
    parse_query::<NoParams>(&uri)?;
    let mut input: MemoryInput = parse_body(&body)?;
    // A dashboard request comes from a person. The token is for programs, and an agent can read it.
    match caller {
        Caller::Person => {
            input.trust.get_or_insert(Trust::User);
        }
        Caller::Program if input.trust == Some(Trust::User) => return Err(person_only("`trust`")),
        Caller::Program if input.pinned => return Err(person_only("`pinned`")),
        Caller::Program => {}
    }
    Ok(Json(daemon.memory.remember(input).await?))
}

async fn show(
    State(daemon): DaemonState,
    id: PathId,
    uri: Uri,
) -> Result<Json<MemoryDetail>, ApiError> {
    let id = parse_id(id)?;
    parse_query::<NoParams>(&uri)?;
    Ok(Json(daemon.memory.show(None, id).await?))
}

async fn edit(
    State(daemon): DaemonState,
    Extension(caller): Extension<Caller>,
    id: PathId,
    uri: Uri,
    body: Bytes,
) -> Result<Json<MemoryDetail>, ApiError> {
    let id = parse_id(id)?;
    parse_query::<NoParams>(&uri)?;
    let edit: MemoryPatch = parse_body(&body)?;
    if caller == Caller::Program {
        check_program_edit(&edit)?;
    }
    Ok(Json(daemon.memory.edit(None, id, edit).await?))
}

/// Rejects edits that only a person may make: the text, the pin and the activation of a memory influence agents.
fn check_program_edit(edit: &MemoryPatch) -> Result<(), ApiError> {
    let is_release = edit.status == Some(MemoryStatus::Active);
    let parts = [
        (edit.text.is_some(), "`text`"),
        (edit.context.is_some(), "`context`"),
        (edit.pinned == Some(true), "`pinned`"),
        (is_release, "`status`: `active`"),
    ];
    let part = parts.into_iter().find(|(is_present, _)| *is_present);
    part.map_or(Ok(()), |(_, part)| Err(person_only(part)))
}

fn person_only(part: &str) -> ApiError {
    ApiError::forbidden(format!(
        "{part} can only be set by a person, in the dashboard or with `becket memories`, not with the token"
    ))
}

async fn forget(
    State(daemon): DaemonState,
    id: PathId,
    uri: Uri,
) -> Result<Json<ForgetResult>, ApiError> {
    let id = parse_id(id)?;
    parse_query::<NoParams>(&uri)?;
    Ok(Json(daemon.memory.forget(None, id).await?))
}

async fn indexing(State(daemon): DaemonState, uri: Uri) -> Result<Json<IndexingStatus>, ApiError> {
    let params: ProjectParams = parse_query(&uri)?;
    Ok(Json(daemon.memory.indexing_status(&params.project)))
}

async fn index(
    State(daemon): DaemonState,
    uri: Uri,
    body: Bytes,
) -> Result<Json<IndexingStatus>, ApiError> {
    parse_query::<NoParams>(&uri)?;
    let params: ProjectParams = parse_body(&body)?;
    Ok(Json(daemon.memory.start_indexing(&params.project)?))
}
