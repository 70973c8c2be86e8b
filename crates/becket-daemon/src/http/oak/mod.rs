//! `/api/oak/ci/*`: the hooks API of Codebase Intelligence, so that its clients work unchanged.
//!
//! The agent waits for the response and must not fail because of the daemon: every response is `200` with
//! `"status":"ok"`, and errors are counted and logged. Only authentication ([`super::auth`]) and the body limit come
//! before that.
//!
//! [`event`] parses a request, [`dedupe`] detects duplicates, [`record`] writes to the store, [`context`] finds context
//! to inject, and [`reply`] renders the response.

mod body;
mod clock;
mod context;
mod dedupe;
mod event;
mod record;
mod reply;

use std::sync::{Arc, Mutex};

use axum::body::Bytes;
use axum::extract::rejection::{BytesRejection, PathRejection};
use axum::extract::{Extension, Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use becket_agents::payload::{self, PayloadError};
use becket_base::sync::MutexExt;
use becket_guard::redact::redact_text;
use serde_json::json;

use crate::counters::Counters;
use crate::run::Daemon;
use body::OakBody;
use event::{OakEvent, OakEventKind};
use record::OakRecorder;
use reply::{BackgroundActivity, OakReply};

type SharedRecorder = Arc<Mutex<OakRecorder>>;

pub(super) fn router(counters: Arc<Counters>) -> Router<Arc<Daemon>> {
    let recorder: SharedRecorder = Arc::new(Mutex::new(OakRecorder::new(counters)));
    Router::new()
        .route("/{event}", post(handle_event))
        .layer(Extension(recorder))
}

async fn handle_event(
    State(daemon): State<Arc<Daemon>>,
    Extension(recorder): Extension<SharedRecorder>,
    event: Result<Path<String>, PathRejection>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    daemon.counters.oak_requests.add(1);
    let event = match event {
        Ok(Path(event)) => event,
        Err(rejection) => return log_failure(&daemon, "", &rejection),
    };
    let body = match body {
        Ok(body) => body,
        Err(rejection) if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            daemon.counters.oak_errors.add(1);
            return rejection.into_response();
        }
        Err(rejection) => return log_failure(&daemon, &event, &rejection),
    };
    let body = match payload::read(&body) {
        Ok(fields) => OakBody::new(fields),
        Err(PayloadError::Empty) => OakBody::default(),
        Err(error) => return log_failure(&daemon, &event, &error),
    };
    let Some(oak_event) = event::parse(&event, &body) else {
        log_failure(&daemon, &event, &"unknown event");
        return Json(json!({ "status": "ok", "event": event })).into_response();
    };
    log_event(&daemon, &oak_event);
    respond(&daemon, recorder, event, oak_event).await
}

async fn respond(
    daemon: &Daemon,
    recorder: SharedRecorder,
    event: String,
    oak_event: OakEvent,
) -> Response {
    let oak_event = Arc::new(oak_event);
    let shared_event = Arc::clone(&oak_event);
    let reply = daemon.store.transaction(move |transaction| {
        // Uncontended: only the writer thread locks it.
        let mut recorder = recorder.lock_ignoring_poison();
        recorder.handle(transaction, &shared_event)
    });
    let reply = match reply.await {
        Ok(reply) => reply,
        Err(error) => return log_failure(daemon, &event, &error),
    };
    if let (Some(provider), Some(slot)) = (daemon.context_provider.get(), reply.slot()) {
        slot.fill(Arc::clone(provider), Arc::clone(&oak_event))
            .await;
    }
    let activity = background_activity(daemon, &reply).await;
    Json(reply.render(&oak_event.agent, activity)).into_response()
}

/// The background activity that a response reports.
async fn background_activity(daemon: &Daemon, reply: &OakReply) -> BackgroundActivity {
    let mut activity = BackgroundActivity::default();
    match reply {
        OakReply::SessionStarted {
            project: Some(project),
            ..
        } => activity.is_indexing = daemon.memory.indexing_status(project).running,
        OakReply::Stopped { batch: Some(_), .. } => {
            if let Some(learner) = daemon.learner.clone() {
                // Loading the settings reads a file.
                let is_on = tokio::task::spawn_blocking(move || learner.is_on());
                activity.is_learning = is_on.await.unwrap_or_default();
            }
        }
        _ => {}
    }
    activity
}

/// External text is quoted, so that it cannot forge a log line, and redacted.
fn log_failure(daemon: &Daemon, event: &str, error: &dyn std::fmt::Display) -> Response {
    daemon.counters.oak_errors.add(1);
    let (event, error) = (redact_text(event), error.to_string());
    tracing::warn!("cannot record {event:?}: {:?}", redact_text(&error));
    Json(OakReply::Acknowledged.render("", BackgroundActivity::default())).into_response()
}

fn log_event(daemon: &Daemon, oak_event: &OakEvent) {
    if oak_event.session.is_empty() {
        daemon.counters.oak_errors.add(1);
        let name = oak_event.kind.name();
        tracing::warn!("[{name}] without a session id: only the event is stored");
    } else {
        tracing::info!(
            "[{}] session={:?} agent={:?}",
            oak_event.kind.name(),
            oak_event.session,
            oak_event.agent
        );
    }
}

impl OakEventKind {
    /// The event's tag in the log.
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
