//! Replays recorded events with other rules.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::Uri;
use becket_store::Millis;
use schemars::JsonSchema;
use serde::Deserialize;

use super::project;
use super::query::{NoParams, TIME_PATTERN, parse_time};
use super::route::{ApiError, DaemonState, NOT_FOUND, Route, json_body, parse_body, parse_query};
use crate::setup::{Preset, ReplayQuery, ReplayReport};

/// What to replay; by default all hooks on all events.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReplayRequest {
    /// Replay the guard with this preset, even if it is disabled
    preset: Option<Preset>,
    /// Replay only the hook with this name
    hook: Option<String>,
    /// The project's directory
    project: Option<String>,
    /// Only from this time on: a timestamp, a date, milliseconds since 1970, or a duration before now (`12h`, `7d`)
    #[serde(default, deserialize_with = "parse_time")]
    #[schemars(with = "Option<String>", extend("pattern" = TIME_PATTERN))]
    since: Option<Millis>,
}

pub(super) fn route() -> Route {
    json_body::<ReplayRequest, ReplayReport, _, _>(
        "post",
        "/replay",
        "Replay recorded events with another preset or hook; only the guard is run",
        replay,
    )
    .with_errors(&[NOT_FOUND])
}

async fn replay(
    State(daemon): DaemonState,
    uri: Uri,
    body: Bytes,
) -> Result<Json<ReplayReport>, ApiError> {
    parse_query::<NoParams>(&uri)?;
    let request: ReplayRequest = parse_body(&body)?;
    if request.preset.is_some() && request.hook.is_some() {
        return Err(ApiError::bad_request(
            "`preset` and `hook` cannot be given together",
        ));
    }
    project::optional_project(&daemon, request.project.as_deref()).await?;
    let query = ReplayQuery {
        preset: request.preset,
        hook: request.hook,
        project: request.project,
        since: request.since,
    };
    let report = daemon.setup.run(move |setup| setup.replay(&query));
    Ok(Json(report.await?))
}
