//! Learning: how it is, and what a person wants of it.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::Uri;
use schemars::JsonSchema;
use serde::Deserialize;

use super::query::Nothing;
use super::route::{ABSENT, Failed, Route, Shared, body, change, parameters, read, with_body};
use crate::learn::{Ask, NotLearnt, Told};

/// What to try again
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Retry {
    /// The id of something that was given up; all of it, if it is not said
    #[serde(default)]
    id: Option<i64>,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        read::<Nothing, Told, _, _>(
            "/learning",
            "How learning is: the queue, what was given up and why, what models cost today",
            status,
        ),
        change::<Nothing, Told, _, _>(
            "/learning/pause",
            "Let the queue wait until it is told to go on",
            pause,
        ),
        change::<Nothing, Told, _, _>("/learning/resume", "Go on learning", resume),
        with_body::<Retry, Told, _, _>(
            "post",
            "/learning/retry",
            "Put what was given up back into the queue",
            retry,
        )
        .failing(&[ABSENT]),
    ]
}

impl From<NotLearnt> for Failed {
    fn from(error: NotLearnt) -> Self {
        match error {
            NotLearnt::Missing(id) => Self::missing(&id.to_string()),
            other => Self::unavailable(other),
        }
    }
}

async fn status(daemon: Shared, uri: Uri) -> Result<Json<Told>, Failed> {
    answer(daemon, &uri, Ask::Status).await
}

async fn pause(daemon: Shared, uri: Uri) -> Result<Json<Told>, Failed> {
    answer(daemon, &uri, Ask::Pause).await
}

async fn resume(daemon: Shared, uri: Uri) -> Result<Json<Told>, Failed> {
    answer(daemon, &uri, Ask::Resume).await
}

async fn retry(daemon: Shared, uri: Uri, sent: Bytes) -> Result<Json<Told>, Failed> {
    let Retry { id } = body(&sent)?;
    answer(daemon, &uri, Ask::Retry { id }).await
}

async fn answer(State(daemon): Shared, uri: &Uri, ask: Ask) -> Result<Json<Told>, Failed> {
    parameters::<Nothing>(uri)?;
    Ok(Json(daemon.learning(ask).await?))
}
