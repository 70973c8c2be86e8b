//! The HTTP server on loopback: dashboard, API, OTLP, MCP and JSON-RPC.

pub mod auth;
mod idle;
mod login;
mod oak;
mod otlp;
mod pages;
mod protocols;
pub mod serve;
mod unauthenticated;
mod v1;

use std::sync::Arc;

use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::json;

use crate::run::Daemon;
use auth::Authenticator;

/// The largest request body.
const MAX_BODY_BYTES: usize = 10 * 1024 * 1024;

/// All routes, behind authentication.
pub(crate) fn router(daemon: Arc<Daemon>, auth: Arc<Authenticator>) -> Router {
    Router::new()
        .route("/api/health", get(health))
        .route("/metrics", get(metrics))
        .nest("/api/v1", v1::router())
        .nest("/api/oak/ci", oak::router(Arc::clone(&daemon.counters)))
        .merge(otlp::router())
        .merge(login::router())
        .merge(pages::router())
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(Arc::clone(&daemon))
        .merge(protocols::router(&daemon))
        .layer(middleware::from_fn_with_state(daemon, track_request))
        .layer(middleware::from_fn_with_state(auth, auth::authenticate))
}

async fn track_request(
    State(daemon): State<Arc<Daemon>>,
    request: Request,
    next: Next,
) -> Response {
    daemon.touch();
    daemon.counters.http_requests.add(1);
    if exceeds_body_limit(request.headers()) {
        // Reject it before the body is read.
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    }
    daemon.setup.renew_redaction();
    next.run(request).await
}

fn exceeds_body_limit(headers: &HeaderMap) -> bool {
    let length = headers.get(header::CONTENT_LENGTH);
    let length = length.and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    length.is_some_and(|length| length > MAX_BODY_BYTES)
}

async fn health() -> Json<serde_json::Value> {
    Json(json!({ "status": "ok" }))
}

async fn metrics(State(daemon): State<Arc<Daemon>>) -> Response {
    let kind = [("content-type", "text/plain; version=0.0.4")];
    (kind, daemon.counters.render_prometheus()).into_response()
}
