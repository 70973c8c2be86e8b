//! `/api/login` and `/api/logout`: exchange a code for a cookie, revoke a cookie.

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

use super::auth::{COOKIE, cookies};
use crate::login::COOKIE_LIFETIME;
use crate::run::Daemon;

/// The largest request body.
const MAX_BODY_BYTES: usize = 4 * 1024;

pub(super) fn router() -> Router<Arc<Daemon>> {
    Router::new()
        .route("/api/login", post(log_in))
        .route("/api/logout", post(log_out))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LoginRequest {
    code: String,
}

async fn log_in(State(daemon): State<Arc<Daemon>>, body: Bytes) -> Response {
    // The parse error is not returned: it could contain the code.
    let Ok(request) = serde_json::from_slice::<LoginRequest>(&body) else {
        return error_response(StatusCode::BAD_REQUEST, "the body must be `{\"code\": …}`");
    };
    let logins = Arc::clone(&daemon.logins);
    let redeem = move || logins.redeem(&request.code, Instant::now(), Millis::now());
    match blocking(redeem).await {
        Ok(Some(cookie)) => with_cookie(&cookie, COOKIE_LIFETIME.as_secs()),
        Ok(None) => {
            let why = "this login code is invalid, used or expired; run `becket ui` for a new one";
            error_response(StatusCode::FORBIDDEN, why)
        }
        Err(error) => {
            tracing::warn!("cannot store a browser login: {error}");
            let why = "the daemon cannot store the login";
            error_response(StatusCode::SERVICE_UNAVAILABLE, why)
        }
    }
}

async fn log_out(State(daemon): State<Arc<Daemon>>, headers: HeaderMap) -> Response {
    let logins = Arc::clone(&daemon.logins);
    let presented: Vec<String> = cookies(&headers).map(str::to_owned).collect();
    let revoke = move || {
        presented
            .iter()
            .try_for_each(|cookie| logins.revoke_cookie(cookie))
    };
    if let Err(error) = blocking(revoke).await {
        tracing::warn!("cannot store a browser logout: {error}");
        let why = "the daemon cannot store the logout";
        return error_response(StatusCode::SERVICE_UNAVAILABLE, why);
    }
    with_cookie("", 0)
}

/// Runs disk I/O on a blocking thread.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> std::io::Result<T> + Send + 'static,
) -> std::io::Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(std::io::Error::other)?
}

fn with_cookie(value: &str, seconds: u64) -> Response {
    let cookie = format!("{COOKIE}={value}; HttpOnly; SameSite=Strict; Path=/; Max-Age={seconds}");
    (StatusCode::NO_CONTENT, [(header::SET_COOKIE, cookie)]).into_response()
}

fn error_response(status: StatusCode, why: &str) -> Response {
    (status, Json(json!({ "error": why }))).into_response()
}
