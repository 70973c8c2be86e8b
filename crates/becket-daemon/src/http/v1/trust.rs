//! Trust in a project's hooks: review, grant, revoke.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::Uri;
use schemars::JsonSchema;
use serde::Deserialize;

use super::project::project;
use super::query::NoParams;
use super::route::{
    ApiError, DaemonState, NOT_FOUND, PLAN_CHANGED, Route, get_with, json_body, parse_body,
    parse_query,
};
use crate::setup::{TrustGranted, TrustReview, TrustRevoked};

/// Selects a project.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TrustParams {
    /// The project's directory
    project: String,
}

/// A review to trust.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TrustRequest {
    /// The project's directory
    project: String,
    /// The `digest` of the review
    digest: String,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        get_with::<TrustParams, TrustReview, _, _>(
            "/trust",
            "Review the hooks of a project, and how they differ from their trusted versions",
            review,
        )
        .with_errors(&[NOT_FOUND]),
        json_body::<TrustRequest, TrustGranted, _, _>(
            "post",
            "/trust",
            "Trust exactly the hooks of a review",
            grant,
        )
        .with_errors(&[NOT_FOUND, PLAN_CHANGED]),
        json_body::<TrustParams, TrustRevoked, _, _>(
            "post",
            "/trust/revoke",
            "Revoke the trust in a project's hooks",
            revoke,
        )
        .with_errors(&[NOT_FOUND]),
    ]
}

async fn review(State(daemon): DaemonState, uri: Uri) -> Result<Json<TrustReview>, ApiError> {
    let params: TrustParams = parse_query(&uri)?;
    let root = project(&daemon, &params.project).await?;
    let query = daemon.setup.run(move |setup| setup.review(&root));
    Ok(Json(query.await?))
}

async fn grant(
    State(daemon): DaemonState,
    uri: Uri,
    body: Bytes,
) -> Result<Json<TrustGranted>, ApiError> {
    parse_query::<NoParams>(&uri)?;
    let request: TrustRequest = parse_body(&body)?;
    let root = project(&daemon, &request.project).await?;
    let digest = request.digest;
    let query = daemon.setup.run(move |setup| setup.grant(&root, &digest));
    Ok(Json(query.await?))
}

async fn revoke(
    State(daemon): DaemonState,
    uri: Uri,
    body: Bytes,
) -> Result<Json<TrustRevoked>, ApiError> {
    parse_query::<NoParams>(&uri)?;
    let request: TrustParams = parse_body(&body)?;
    let root = project(&daemon, &request.project).await?;
    let query = daemon.setup.run(move |setup| setup.revoke(&root));
    Ok(Json(query.await?))
}
