//! MCP over HTTP: one message per POST, the answer in its response.
//!
//! Nothing is streamed, because no tool runs long enough to need it; a request for a stream gets 405, as the protocol
//! specifies. [`crate::http::auth`] authenticates every request first.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use becket_base::sync::MutexExt;
use serde_json::{Value, json};

use super::server::{McpServer, PROTOCOL_VERSIONS};
use crate::rpc::frame::{FrameError, MAX_MESSAGE_BYTES};
use crate::token::Token;

const SESSION_HEADER: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION_HEADER: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// Sessions that are remembered. The oldest is evicted, and its client must initialize again.
const MAX_SESSIONS: usize = 1024;

/// The HTTP endpoint for MCP.
#[derive(Clone)]
pub struct McpEndpoint {
    server: Arc<dyn Fn() -> McpServer + Send + Sync>,
    sessions: Arc<Mutex<VecDeque<String>>>,
}

impl McpEndpoint {
    /// An endpoint that creates a server per request. Its only state is the set of session ids.
    pub fn new(server: Arc<dyn Fn() -> McpServer + Send + Sync>) -> Self {
        Self {
            server,
            sessions: Arc::default(),
        }
    }

    fn has_session(&self, id: &str) -> bool {
        let sessions = self.sessions.lock_ignoring_poison();
        sessions.iter().any(|known| known == id)
    }

    fn begin_session(&self) -> Option<String> {
        let id = Token::random().ok()?.expose().to_owned();
        let mut sessions = self.sessions.lock_ignoring_poison();
        if sessions.len() >= MAX_SESSIONS {
            sessions.pop_front();
        }
        sessions.push_back(id.clone());
        Some(id)
    }

    fn end_session(&self, id: &str) -> bool {
        let mut sessions = self.sessions.lock_ignoring_poison();
        let before = sessions.len();
        sessions.retain(|known| known != id);
        sessions.len() < before
    }
}

/// A router that serves MCP under `/mcp`.
pub fn router(endpoint: McpEndpoint) -> Router {
    let limit = DefaultBodyLimit::max(MAX_MESSAGE_BYTES);
    let methods = post(handle_post).delete(handle_delete).layer(limit);
    Router::new().route("/mcp", methods).with_state(endpoint)
}

async fn handle_post(
    State(endpoint): State<McpEndpoint>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let text = String::from_utf8(body.to_vec()).map_err(|_| FrameError::NotText);
    let is_initialize = text.as_deref().is_ok_and(is_initialize_call);
    if let Err((status, why)) = check_headers(&endpoint, &headers, is_initialize) {
        return error_response(status, why);
    }
    let server = Arc::clone(&endpoint.server);
    let answered = tokio::task::spawn_blocking(move || server().receive(&text)).await;
    let Ok(answered) = answered else {
        return error_response(StatusCode::INTERNAL_SERVER_ERROR, "the request failed");
    };
    let Some(answer) = answered else {
        return StatusCode::ACCEPTED.into_response();
    };
    let json = (
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    let mut response = ([json], answer).into_response();
    if is_initialize
        && let Some(id) = endpoint
            .begin_session()
            .and_then(|id| HeaderValue::try_from(id).ok())
    {
        response.headers_mut().insert(SESSION_HEADER, id);
    }
    response
}

async fn handle_delete(State(endpoint): State<McpEndpoint>, headers: HeaderMap) -> Response {
    let id = headers.get(SESSION_HEADER).and_then(|id| id.to_str().ok());
    match id {
        Some(id) if endpoint.end_session(id) => StatusCode::NO_CONTENT.into_response(),
        Some(_) => error_response(StatusCode::NOT_FOUND, "unknown session"),
        None => error_response(StatusCode::BAD_REQUEST, "`Mcp-Session-Id` is missing"),
    }
}

fn is_initialize_call(text: &str) -> bool {
    let message: Option<Value> = serde_json::from_str(text).ok();
    message.is_some_and(|message| message["method"] == "initialize")
}

/// Why a request is rejected.
type McpRefusal = (StatusCode, &'static str);

fn check_headers(
    endpoint: &McpEndpoint,
    headers: &HeaderMap,
    is_initialize: bool,
) -> Result<(), McpRefusal> {
    let text = |name: &HeaderName| {
        headers
            .get(name)
            .map(|value| value.to_str().unwrap_or_default())
    };
    // CSRF protection: a web page can send other content types without a preflight request.
    let kind = text(&header::CONTENT_TYPE).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return Err((
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "the content type must be `application/json`",
        ));
    }
    if is_initialize {
        return Ok(());
    }
    if text(&VERSION_HEADER).is_some_and(|version| !PROTOCOL_VERSIONS.contains(&version)) {
        return Err((StatusCode::BAD_REQUEST, "unsupported protocol version"));
    }
    match text(&SESSION_HEADER) {
        Some(id) if endpoint.has_session(id) => Ok(()),
        Some(_) => Err((StatusCode::NOT_FOUND, "unknown session; initialize again")),
        None => Err((
            StatusCode::BAD_REQUEST,
            "`Mcp-Session-Id` is missing; initialize first",
        )),
    }
}

fn error_response(status: StatusCode, message: &str) -> Response {
    let body =
        json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32600, "message": message } });
    (status, axum::Json(body)).into_response()
}
