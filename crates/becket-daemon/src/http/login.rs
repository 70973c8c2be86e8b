//! `/api/login` and `/api/logout`: a code for a cookie, and the end of one.

use std::sync::Arc;
use std::time::Instant;

use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use becket_store::Millis;
use serde::Deserialize;
use serde_json::json;

use super::gate::{COOKIE, cookies};
use crate::login::COOKIE_LIFE;
use crate::run::Daemon;

/// The largest body of such a request.
const LARGEST_BODY: usize = 4 * 1024;

pub(super) fn router() -> Router<Arc<Daemon>> {
    Router::new()
        .route("/api/login", post(log_in))
        .route("/api/logout", post(log_out))
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Shown {
    code: String,
}

async fn log_in(State(daemon): State<Arc<Daemon>>, sent: Bytes) -> Response {
    // The error of the reader would say what was sent, and that may be a code.
    let Ok(shown) = serde_json::from_slice::<Shown>(&sent) else {
        return failed(StatusCode::BAD_REQUEST, "the body is no `{\"code\": …}`");
    };
    let logins = Arc::clone(&daemon.logins);
    let redeem = move || logins.redeem(&shown.code, Instant::now(), Millis::now());
    match off_thread(redeem).await {
        Ok(Some(cookie)) => with_cookie(&cookie, COOKIE_LIFE.as_secs()),
        Ok(None) => {
            let why = "this code is wrong, used or too old; `becket ui` makes another";
            failed(StatusCode::FORBIDDEN, why)
        }
        Err(error) => {
            tracing::warn!("a browser cannot be let in: {error}");
            let why = "the daemon cannot keep who is let in";
            failed(StatusCode::SERVICE_UNAVAILABLE, why)
        }
    }
}

async fn log_out(State(daemon): State<Arc<Daemon>>, headers: HeaderMap) -> Response {
    let logins = Arc::clone(&daemon.logins);
    let shown: Vec<String> = cookies(&headers).map(str::to_owned).collect();
    let end = move || shown.iter().try_for_each(|cookie| logins.end(cookie));
    if let Err(error) = off_thread(end).await {
        tracing::warn!("a browser cannot be let out: {error}");
        let why = "the daemon cannot keep that";
        return failed(StatusCode::SERVICE_UNAVAILABLE, why);
    }
    with_cookie("", 0)
}

/// Waits for the disk, and lets nobody else wait for it.
async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> std::io::Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(std::io::Error::other)?
}

fn with_cookie(value: &str, seconds: u64) -> Response {
    let cookie = format!("{COOKIE}={value}; HttpOnly; SameSite=Strict; Path=/; Max-Age={seconds}");
    (StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response()
}

fn failed(status: StatusCode, why: &str) -> Response {
    (status, Json(json!({ "error": why }))).into_response()
}
