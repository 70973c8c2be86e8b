//! What is remembered: asked for, added to, changed and forgotten.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::Uri;
use axum::{Extension, Json};
use becket_recall::search::Kind;
use becket_store::{Hit, MemoryKind, MemoryRow, MemoryStatus, Trust};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::query::{Limit, Nothing, Search};
use super::route::{Failed, Id, Route, Shared, body, known, parameters, read, removing, with_body};
use super::{Items, items};
use crate::http::gate::Visitor;
use crate::recall::{
    Change, Detail, Forgotten, Indexing, Item, Note, Question, Remembered, Unanswered, Which,
};

/// What was found.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Searched {
    /// What was done and said that has the words, the latest first
    items: Vec<Hit>,
    /// What is remembered and relevant, and code; the likeliest first. Only where `project` says of which project
    found: Vec<Item>,
}

/// Which memories.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Memories {
    /// The directory of a project; all of them, if it is not said
    project: Option<String>,
    /// What sort
    #[serde(rename = "type")]
    kind: Option<MemoryKind>,
    /// Whether they hold; those that do, unless said
    status: Option<MemoryStatus>,
    /// Whether they hold or not
    #[serde(default)]
    all: bool,
    /// The session that they came from
    session: Option<String>,
    /// A file that they are about, as its project sees it
    file: Option<String>,
    /// How many
    #[serde(default)]
    #[schemars(with = "u32", range(min = 1, max = 1000))]
    limit: Limit,
}

/// Which project.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Of {
    /// The directory of a project
    project: String,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        read::<Search, Searched, _, _>(
            "/search",
            "What was done and said that has these words, and what of a project is remembered and relevant",
            search,
        ),
        read::<Memories, Items<MemoryRow>, _, _>(
            "/memories",
            "What is remembered, pinned ones first, then the latest",
            list,
        ),
        with_body::<Note, Remembered, _, _>(
            "post",
            "/memories",
            "Remember something; what a tool printed is set aside if it reads like an instruction",
            remember,
        ),
        read::<Nothing, Detail, _, _>("/memories/{id}", "A memory, and where it comes from", show),
        with_body::<Change, Detail, _, _>(
            "patch",
            "/memories/{id}",
            "Change a memory: what it says, whether it holds, whether it is shown first",
            change,
        ),
        removing::<Forgotten, _, _>(
            "/memories/{id}",
            "Forget a memory and everything that was made from it",
            forget,
        ),
        read::<Of, Indexing, _, _>(
            "/index",
            "How far it is with the code of a project",
            indexing,
        ),
        with_body::<Of, Indexing, _, _>(
            "post",
            "/index",
            "Begin to bring the code of a project up to date; ask again how far it is",
            index,
        ),
    ]
}

impl From<Unanswered> for Failed {
    fn from(error: Unanswered) -> Self {
        match error {
            Unanswered::Missing(id) => Self::missing(&id),
            Unanswered::Bad(_) | Unanswered::Ambiguous { .. } => Self::bad(error.to_string()),
            other => Self::unavailable(other),
        }
    }
}

async fn search(State(daemon): Shared, uri: Uri) -> Result<Json<Searched>, Failed> {
    let question: Search = parameters(&uri)?;
    // What is remembered is not a session's alone.
    let of = question.project().filter(|_| question.session.is_none());
    let wanted = of.map(|project| Question {
        kinds: question.kind.into_iter().collect::<Vec<Kind>>(),
        types: question.memory_type.into_iter().collect(),
        file: question.file.clone(),
        since: question.scope().since,
        agent: question.scope().agent.map(str::to_owned),
        limit: question.limit.rows(),
        ..Question::new(project, question.q.as_str())
    });
    let found = match wanted {
        Some(wanted) => daemon.remembering.search(wanted).await?,
        None => Vec::new(),
    };
    let ask = daemon
        .keeper
        .ask(move |reader| reader.search(&question.filter()));
    Ok(Json(Searched {
        items: ask.await?,
        found,
    }))
}

async fn list(State(daemon): Shared, uri: Uri) -> Result<Json<Items<MemoryRow>>, Failed> {
    let asked: Memories = parameters(&uri)?;
    let usual = asked.status.unwrap_or(MemoryStatus::Active);
    let which = Which {
        project: asked.project,
        kind: asked.kind,
        status: (!asked.all).then_some(usual),
        session: asked.session,
        file: asked.file,
        limit: asked.limit.rows(),
    };
    Ok(Json(items(daemon.remembering.memories(which).await?)))
}

async fn remember(
    State(daemon): Shared,
    Extension(visitor): Extension<Visitor>,
    uri: Uri,
    sent: Bytes,
) -> Result<Json<Remembered>, Failed> {
    parameters::<Nothing>(&uri)?;
    let mut note: Note = body(&sent)?;
    // At the dashboard sits a person. The token is for programs, and an agent can read it.
    match visitor {
        Visitor::Person => {
            note.trust.get_or_insert(Trust::User);
        }
        Visitor::Program if note.trust == Some(Trust::User) => return Err(for_a_person("`trust`")),
        Visitor::Program if note.pinned => return Err(for_a_person("`pinned`")),
        Visitor::Program => {}
    }
    Ok(Json(daemon.remembering.remember(note).await?))
}

async fn show(State(daemon): Shared, id: Id, uri: Uri) -> Result<Json<Detail>, Failed> {
    let id = known(id)?;
    parameters::<Nothing>(&uri)?;
    Ok(Json(daemon.remembering.show(None, id).await?))
}

async fn change(
    State(daemon): Shared,
    Extension(visitor): Extension<Visitor>,
    id: Id,
    uri: Uri,
    sent: Bytes,
) -> Result<Json<Detail>, Failed> {
    let id = known(id)?;
    parameters::<Nothing>(&uri)?;
    let change: Change = body(&sent)?;
    if visitor == Visitor::Program {
        may_be_a_programs(&change)?;
    }
    Ok(Json(daemon.remembering.change(None, id, change).await?))
}

/// What a memory says, whether it is shown first, and that it holds are for the one who is told by it.
fn may_be_a_programs(change: &Change) -> Result<(), Failed> {
    let is_release = change.status == Some(MemoryStatus::Active);
    let parts = [
        (change.text.is_some(), "`text`"),
        (change.context.is_some(), "`context`"),
        (change.pinned == Some(true), "`pinned`"),
        (is_release, "`status`: that it holds"),
    ];
    let part = parts.into_iter().find(|(is_said, _)| *is_said);
    part.map_or(Ok(()), |(_, part)| Err(for_a_person(part)))
}

fn for_a_person(part: &str) -> Failed {
    Failed::refused(format!(
        "{part} is for a person to say, at the dashboard or with `becket memories`; with the token, programs speak"
    ))
}

async fn forget(State(daemon): Shared, id: Id, uri: Uri) -> Result<Json<Forgotten>, Failed> {
    let id = known(id)?;
    parameters::<Nothing>(&uri)?;
    Ok(Json(daemon.remembering.forget(None, id).await?))
}

async fn indexing(State(daemon): Shared, uri: Uri) -> Result<Json<Indexing>, Failed> {
    let of: Of = parameters(&uri)?;
    Ok(Json(daemon.remembering.indexing(&of.project)))
}

async fn index(State(daemon): Shared, uri: Uri, sent: Bytes) -> Result<Json<Indexing>, Failed> {
    parameters::<Nothing>(&uri)?;
    let of: Of = body(&sent)?;
    Ok(Json(daemon.remembering.index(&of.project)?))
}
