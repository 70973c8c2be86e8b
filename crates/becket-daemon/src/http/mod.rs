//! Loopback HTTP: for dashboards, other tools, and clients of other systems.

pub mod gate;
mod guests;
mod idle;
mod login;
mod oak;
mod otlp;
mod pages;
mod protocols;
pub mod serve;
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
use gate::Gate;

/// The largest body of a request.
const LARGEST_BODY: usize = 10 * 1024 * 1024;

/// Everything that is served, behind the gate.
pub(crate) fn router(daemon: Arc<Daemon>, gate: Arc<Gate>) -> Router {
    Router::new()
        .route("/api/health", get(health))
        .route("/metrics", get(metrics))
        .nest("/api/v1", v1::router())
        .nest("/api/oak/ci", oak::router(Arc::clone(&daemon.counters)))
        .merge(otlp::router())
        .merge(login::router())
        .merge(pages::router())
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .with_state(Arc::clone(&daemon))
        .merge(protocols::router(&daemon))
        .layer(middleware::from_fn_with_state(daemon, note))
        .layer(middleware::from_fn_with_state(gate, gate::guard))
}

async fn note(State(daemon): State<Arc<Daemon>>, request: Request, next: Next) -> Response {
    daemon.used();
    daemon.counters.http_requests.add(1);
    if announces_too_much(request.headers()) {
        // Nobody waits for a body that will not be taken.
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    }
    daemon.setup.renew_redaction();
    next.run(request).await
}

fn announces_too_much(headers: &HeaderMap) -> bool {
    let length = headers.get(header::CONTENT_LENGTH);
    let length = length.and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    length.is_some_and(|length| length > LARGEST_BODY)
}

async fn health() -> Json<serde_json::Value> {
    Json(json!({ "status": "ok" }))
}

async fn metrics(State(daemon): State<Arc<Daemon>>) -> Response {
    let kind = [("content-type", "text/plain; version=0.0.4")];
    (kind, daemon.counters.text()).into_response()
}
