//! Trust in a project's hooks: looked at, given, taken back.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::Uri;
use schemars::JsonSchema;
use serde::Deserialize;

use super::project::project;
use super::query::Nothing;
use super::route::{ABSENT, CHANGED, Failed, Route, Shared, body, parameters, read, with_body};
use crate::setup::{Granted, Review, Revoked};

/// Which project.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TrustOf {
    /// The directory of a project
    project: String,
}

/// What was looked at and is to run.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Trusting {
    /// The directory of a project
    project: String,
    /// The `digest` of what was shown
    digest: String,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        read::<TrustOf, Review, _, _>(
            "/trust",
            "What a project wants to run, and how it differs from what was trusted",
            review,
        )
        .failing(&[ABSENT]),
        with_body::<Trusting, Granted, _, _>(
            "post",
            "/trust",
            "Trust what was shown, and nothing else",
            grant,
        )
        .failing(&[ABSENT, CHANGED]),
        with_body::<TrustOf, Revoked, _, _>(
            "post",
            "/trust/revoke",
            "Take trust back from a whole project",
            revoke,
        )
        .failing(&[ABSENT]),
    ]
}

async fn review(State(daemon): Shared, uri: Uri) -> Result<Json<Review>, Failed> {
    let of: TrustOf = parameters(&uri)?;
    let root = project(&daemon, &of.project).await?;
    let ask = daemon.setup.ask(move |setup| setup.review(&root));
    Ok(Json(ask.await?))
}

async fn grant(State(daemon): Shared, uri: Uri, sent: Bytes) -> Result<Json<Granted>, Failed> {
    parameters::<Nothing>(&uri)?;
    let asked: Trusting = body(&sent)?;
    let root = project(&daemon, &asked.project).await?;
    let digest = asked.digest;
    let ask = daemon.setup.ask(move |setup| setup.grant(&root, &digest));
    Ok(Json(ask.await?))
}

async fn revoke(State(daemon): Shared, uri: Uri, sent: Bytes) -> Result<Json<Revoked>, Failed> {
    parameters::<Nothing>(&uri)?;
    let asked: TrustOf = body(&sent)?;
    let root = project(&daemon, &asked.project).await?;
    let ask = daemon.setup.ask(move |setup| setup.revoke(&root));
    Ok(Json(ask.await?))
}
