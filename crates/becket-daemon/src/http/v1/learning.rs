//! The learning queue: status, pause, resume, retry.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::Uri;
use schemars::JsonSchema;
use serde::Deserialize;

use super::query::NoParams;
use super::route::{
    ApiError, DaemonState, NOT_FOUND, Route, get_with, json_body, parse_body, parse_query,
    post_with,
};
use crate::learn::{LearningError, LearningRequest, LearningResponse};

/// The failed jobs to retry
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RetryRequest {
    /// The id of a failed job; all of them if omitted
    #[serde(default)]
    id: Option<i64>,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        get_with::<NoParams, LearningResponse, _, _>(
            "/learning",
            "Get the learning status: the queue, failed jobs, and token use today",
            status,
        ),
        post_with::<NoParams, LearningResponse, _, _>(
            "/learning/pause",
            "Pause the learning queue",
            pause,
        ),
        post_with::<NoParams, LearningResponse, _, _>(
            "/learning/resume",
            "Resume the learning queue",
            resume,
        ),
        json_body::<RetryRequest, LearningResponse, _, _>(
            "post",
            "/learning/retry",
            "Retry failed learning jobs",
            retry,
        )
        .with_errors(&[NOT_FOUND]),
    ]
}

impl From<LearningError> for ApiError {
    fn from(error: LearningError) -> Self {
        match error {
            LearningError::UnknownJob(id) => Self::not_found(&id.to_string()),
            other => Self::unavailable(other),
        }
    }
}

async fn status(daemon: DaemonState, uri: Uri) -> Result<Json<LearningResponse>, ApiError> {
    respond(daemon, &uri, LearningRequest::Status).await
}

async fn pause(daemon: DaemonState, uri: Uri) -> Result<Json<LearningResponse>, ApiError> {
    respond(daemon, &uri, LearningRequest::Pause).await
}

async fn resume(daemon: DaemonState, uri: Uri) -> Result<Json<LearningResponse>, ApiError> {
    respond(daemon, &uri, LearningRequest::Resume).await
}

async fn retry(
    daemon: DaemonState,
    uri: Uri,
    body: Bytes,
) -> Result<Json<LearningResponse>, ApiError> {
    let RetryRequest { id } = parse_body(&body)?;
    respond(daemon, &uri, LearningRequest::Retry { id }).await
}

async fn respond(
    State(daemon): DaemonState,
    uri: &Uri,
    request: LearningRequest,
) -> Result<Json<LearningResponse>, ApiError> {
    parse_query::<NoParams>(uri)?;
    Ok(Json(daemon.learning(request).await?))
}
