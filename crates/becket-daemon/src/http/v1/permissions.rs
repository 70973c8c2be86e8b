//! What agents wait for somebody to answer.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::Uri;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::query::Nothing;
use super::route::{ABSENT, Failed, Route, Shared, body, parameters, read, with_body};
use super::{Items, items};
use crate::rpc::{Decided, Waiting, Word};

/// An answer.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Answering {
    /// Which permission
    id: String,
    /// What is said; with `ask` the agent asks by itself
    decision: Word,
    /// Why
    reason: Option<String>,
}

/// An answer that was heard.
#[derive(Debug, Serialize, JsonSchema)]
struct Answered {
    /// Which permission
    id: String,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        read::<Nothing, Items<Waiting>, _, _>(
            "/permissions",
            "What agents wait for somebody to answer. Who asks for it counts as somebody who can, for a few seconds",
            list,
        ),
        with_body::<Answering, Answered, _, _>(
            "post",
            "/permissions/decide",
            "Answer one of them",
            decide,
        )
        .failing(&[ABSENT]),
    ]
}

async fn list(State(daemon): Shared, uri: Uri) -> Result<Json<Items<Waiting>>, Failed> {
    parameters::<Nothing>(&uri)?;
    Ok(Json(items(daemon.pending.look())))
}

async fn decide(State(daemon): Shared, uri: Uri, sent: Bytes) -> Result<Json<Answered>, Failed> {
    parameters::<Nothing>(&uri)?;
    let answer: Answering = body(&sent)?;
    let decided = Decided {
        word: answer.decision,
        reason: answer.reason,
    };
    daemon.pending.decide(&answer.id, decided)?;
    Ok(Json(Answered { id: answer.id }))
}
