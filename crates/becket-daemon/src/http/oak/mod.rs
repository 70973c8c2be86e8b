//! `/api/oak/ci/*`: the hooks API of Codebase Intelligence, so that its clients work unchanged.
//!
//! An agent waits for the answer, and whatever happens here is none of its business: every answer is
//! `200` with `"status":"ok"`, and what went wrong is counted and logged. Only the doors ([`super::gate`])
//! and the limit on a body come before that.
//!
//! [`told`] takes a body apart, [`echo`] knows which requests are repetitions, [`keep`] tells the store,
//! [`context`] finds out what the agent is to be told, [`reply`] gives the answers their shape.

mod body;
mod clock;
mod context;
mod echo;
mod keep;
mod recent;
mod reply;
mod told;

use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, PathRejection};
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use becket_agents::payload::{self, PayloadError};
use becket_guard::redact::redact_text;
use serde_json::json;

use crate::counters::Counters;
use crate::run::Daemon;
use body::Body;
use keep::Memory;
use reply::{Around, Reply};
use told::{Told, What};

type Shared = Arc<Mutex<Memory>>;

pub(super) fn router(counters: Arc<Counters>) -> Router<Arc<Daemon>> {
    let memory: Shared = Arc::new(Mutex::new(Memory::new(counters)));
    Router::new()
        .route("/{event}", post(hear))
        .layer(Extension(memory))
}

async fn hear(
    State(daemon): State<Arc<Daemon>>,
    Extension(memory): Extension<Shared>,
    event: Result<Path<String>, PathRejection>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    daemon.counters.oak_requests.add(1);
    let event = match event {
        Ok(Path(event)) => event,
        Err(rejection) => return went_wrong(&daemon, "", &rejection),
    };
    let body = match body {
        Ok(body) => body,
        Err(rejection) if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            daemon.counters.oak_errors.add(1);
            return rejection.into_response();
        }
        Err(rejection) => return went_wrong(&daemon, &event, &rejection),
    };
    let body = match payload::read(&body) {
        Ok(fields) => Body::new(fields),
        Err(PayloadError::Empty) => Body::default(),
        Err(error) => return went_wrong(&daemon, &event, &error),
    };
    let Some(told) = told::read(&event, &body) else {
        went_wrong(&daemon, &event, &"no such event");
        return Json(json!({ "status": "ok", "event": event })).into_response();
    };
    note(&daemon, &told);
    answer(&daemon, memory, event, told).await
}

async fn answer(daemon: &Daemon, memory: Shared, event: String, told: Told) -> Response {
    let told = Arc::new(told);
    let kept = Arc::clone(&told);
    let reply = daemon.keeper.tell(move |group| {
        // Nobody else waits for it: this is the thread that writes.
        let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
        memory.answer(group, &kept)
    });
    let reply = match reply.await {
        Ok(reply) => reply,
        Err(error) => return went_wrong(daemon, &event, &error),
    };
    if let (Some(teller), Some(slot)) = (daemon.teller.get(), reply.slot()) {
        slot.fill(Arc::clone(teller), Arc::clone(&told)).await;
    }
    let around = around(daemon, &reply).await;
    Json(reply.render(&told.agent, around)).into_response()
}

/// What else goes on, as far as an answer tells of it.
async fn around(daemon: &Daemon, reply: &Reply) -> Around {
    let mut around = Around::default();
    match reply {
        Reply::SessionStarted {
            project: Some(project),
            ..
        } => around.is_indexing = daemon.remembering.indexing(project).running,
        Reply::Stopped { batch: Some(_), .. } => {
            if let Some(learner) = daemon.learner.clone() {
                // It reads a file.
                let is_on = tokio::task::spawn_blocking(move || learner.is_on());
                around.is_learning = is_on.await.unwrap_or_default();
            }
        }
        _ => {}
    }
    around
}

/// What comes from outside is quoted, so that no line of the log can be forged, and redacted.
fn went_wrong(daemon: &Daemon, event: &str, error: &dyn std::fmt::Display) -> Response {
    daemon.counters.oak_errors.add(1);
    let (event, error) = (redact_text(event), error.to_string());
    tracing::warn!("{event:?} was not kept: {:?}", redact_text(&error));
    Json(Reply::Heard.render("", Around::default())).into_response()
}

fn note(daemon: &Daemon, told: &Told) {
    if told.session.is_empty() {
        daemon.counters.oak_errors.add(1);
        let name = told.what.name();
        tracing::warn!("[{name}] of no session: nothing is concluded from it");
    } else {
        tracing::info!(
            "[{}] session={:?} agent={:?}",
            told.what.name(),
            told.session,
            told.agent
        );
    }
}

impl What {
    /// By which the log can be searched.
    fn name(&self) -> &'static str {
        match self {
            Self::SessionStart { .. } => "SESSION-START",
            Self::Prompt(_) => "PROMPT",
            Self::PreTool(_) => "TOOL-BEFORE",
            Self::PostTool { .. } => "TOOL",
            Self::ToolFailure { .. } => "TOOL-FAILURE",
            Self::Stop { .. } => "STOP",
            Self::SessionEnd { .. } => "SESSION-END",
            Self::SubagentStart { .. } => "SUBAGENT-START",
            Self::SubagentStop { .. } => "SUBAGENT-STOP",
            Self::PreCompact { .. } => "PRE-COMPACT",
            Self::Thought(_) => "THOUGHT",
            Self::Response(_) | Self::Notice { .. } => "NOTIFY",
        }
    }
}
