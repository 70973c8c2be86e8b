//! The protocol over HTTP: one message in a POST, the answer in its response.
//!
//! Nothing is streamed, because no tool takes long enough to have something to say in between; a client that
//! asks for a stream is told so with 405, as the protocol has it. Who may connect is settled before, by
//! [`crate::http::gate`].

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use serde_json::{Value, json};

use super::server::{Server, VERSIONS};
use crate::rpc::frame::{FrameError, LONGEST_MESSAGE};
use crate::token::Token;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// Sessions that are remembered; the oldest goes, and its client begins anew.
const MOST_SESSIONS: usize = 1024;

/// What requests need.
#[derive(Clone)]
pub struct Endpoint {
    server: Arc<dyn Fn() -> Server + Send + Sync>,
    sessions: Arc<Mutex<VecDeque<String>>>,
}

impl Endpoint {
    /// An endpoint that has a server made for each request. It keeps no state but the sessions' ids.
    pub fn new(server: Arc<dyn Fn() -> Server + Send + Sync>) -> Self {
        Self {
            server,
            sessions: Arc::default(),
        }
    }

    fn is_known(&self, id: &str) -> bool {
        let sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.iter().any(|known| known == id)
    }

    fn begin(&self) -> Option<String> {
        let id = Token::random().ok()?.expose().to_owned();
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        if sessions.len() >= MOST_SESSIONS {
            sessions.pop_front();
        }
        sessions.push_back(id.clone());
        Some(id)
    }

    fn end(&self, id: &str) -> bool {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let before = sessions.len();
        sessions.retain(|known| known != id);
        sessions.len() < before
    }
}

/// A router that serves the protocol under `/mcp`.
pub fn router(endpoint: Endpoint) -> Router {
    let limit = DefaultBodyLimit::max(LONGEST_MESSAGE);
    let methods = post(answer).delete(end).layer(limit);
    Router::new().route("/mcp", methods).with_state(endpoint)
}

async fn answer(State(endpoint): State<Endpoint>, headers: HeaderMap, body: Bytes) -> Response {
    let text = String::from_utf8(body.to_vec()).map_err(|_| FrameError::NotText);
    let begins = text.as_deref().is_ok_and(is_initialize);
    if let Err((status, why)) = check(&endpoint, &headers, begins) {
        return refuse(status, why);
    }
    let server = Arc::clone(&endpoint.server);
    let answered = tokio::task::spawn_blocking(move || server().receive(&text)).await;
    let Ok(answered) = answered else {
        return refuse(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the request could not be answered",
        );
    };
    let Some(answer) = answered else {
        return StatusCode::ACCEPTED.into_response();
    };
    let json = (
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    let mut response = ([json], answer).into_response();
    if begins
        && let Some(id) = endpoint
            .begin()
            .and_then(|id| HeaderValue::try_from(id).ok())
    {
        response.headers_mut().insert(SESSION, id);
    }
    response
}

async fn end(State(endpoint): State<Endpoint>, headers: HeaderMap) -> Response {
    let id = headers.get(SESSION).and_then(|id| id.to_str().ok());
    match id {
        Some(id) if endpoint.end(id) => StatusCode::NO_CONTENT.into_response(),
        Some(_) => refuse(StatusCode::NOT_FOUND, "no such session"),
        None => refuse(StatusCode::BAD_REQUEST, "`Mcp-Session-Id` is missing"),
    }
}

fn is_initialize(text: &str) -> bool {
    let message: Option<Value> = serde_json::from_str(text).ok();
    message.is_some_and(|message| message["method"] == "initialize")
}

/// Why a request is not answered.
type Refusal = (StatusCode, &'static str);

fn check(endpoint: &Endpoint, headers: &HeaderMap, begins: bool) -> Result<(), Refusal> {
    let text = |name: &HeaderName| {
        headers
            .get(name)
            .map(|value| value.to_str().unwrap_or_default())
    };
    // A page can send other types without being asked for leave; a program has no reason to.
    let kind = text(&header::CONTENT_TYPE).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return Err((
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "messages are `application/json`",
        ));
    }
    if begins {
        return Ok(());
    }
    if text(&VERSION).is_some_and(|version| !VERSIONS.contains(&version)) {
        return Err((
            StatusCode::BAD_REQUEST,
            "this version of the protocol is not spoken here",
        ));
    }
    match text(&SESSION) {
        Some(id) if endpoint.is_known(id) => Ok(()),
        Some(_) => Err((StatusCode::NOT_FOUND, "no such session; initialize again")),
        None => Err((
            StatusCode::BAD_REQUEST,
            "`Mcp-Session-Id` is missing; initialize first",
        )),
    }
}

fn refuse(status: StatusCode, message: &str) -> Response {
    let body =
        json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32600, "message": message } });
    (status, axum::Json(body)).into_response()
}
