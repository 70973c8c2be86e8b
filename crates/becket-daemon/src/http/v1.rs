//! Becket's own API.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio_stream::Stream;

use crate::run::Daemon;

type Shared = State<Arc<Daemon>>;

pub(super) fn router() -> Router<Arc<Daemon>> {
    Router::new()
        .route("/status", get(status))
        .route("/events", get(events))
        .route("/events/stream", get(stream))
        .route("/sessions/{id}", get(session))
}

/// An error in the words of the caller.
struct Failed(StatusCode, String);

impl From<becket_store::Error> for Failed {
    fn from(error: becket_store::Error) -> Self {
        Self(StatusCode::SERVICE_UNAVAILABLE, error.to_string())
    }
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        (self.0, Json(json!({ "error": self.1 }))).into_response()
    }
}

async fn status(State(daemon): Shared) -> Json<Value> {
    Json(daemon.status())
}

#[derive(Deserialize)]
struct Since {
    #[serde(default)]
    since: i64,
    limit: Option<usize>,
}

const MOST_EVENTS: usize = 1000;

async fn events(State(daemon): Shared, Query(query): Query<Since>) -> Result<Json<Value>, Failed> {
    let limit = query.limit.unwrap_or(100).clamp(1, MOST_EVENTS);
    let events = daemon
        .keeper
        .ask(move |reader| reader.events_since(query.since, limit))
        .await?;
    let cursor = events.last().map_or(query.since, |event| event.seq);
    Ok(Json(json!({ "events": events, "cursor": cursor })))
}

async fn session(State(daemon): Shared, Path(id): Path<String>) -> Result<Json<Value>, Failed> {
    let found = daemon.keeper.ask(move |reader| reader.session(&id)).await?;
    match found {
        Some(session) => Ok(Json(json!(session))),
        None => Err(Failed(StatusCode::NOT_FOUND, "no such session".into())),
    }
}

/// Every event from a cursor on, as it comes.
async fn stream(
    State(daemon): Shared,
    Query(query): Query<Since>,
) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let (sender, receiver) = tokio::sync::mpsc::channel(64);
    tokio::spawn(async move {
        let mut cursor = query.since;
        let mut latest = daemon.keeper.latest();
        loop {
            let from = cursor;
            let ask = daemon
                .keeper
                .ask(move |reader| reader.events_since(from, MOST_EVENTS));
            let Ok(events) = ask.await else { return };
            let more = events.len() == MOST_EVENTS;
            for event in events {
                cursor = event.seq;
                let Ok(data) = Event::default().id(cursor.to_string()).json_data(&event) else {
                    continue;
                };
                if sender.send(Ok(data)).await.is_err() {
                    return;
                }
            }
            daemon.used();
            if more {
                continue;
            }
            tokio::select! {
                () = daemon.stop.cancelled() => return,
                () = sender.closed() => return,
                changed = latest.changed() => if changed.is_err() { return },
            }
        }
    });
    Sse::new(tokio_stream::wrappers::ReceiverStream::new(receiver))
        .keep_alive(KeepAlive::new().interval(Duration::from_secs(15)))
}
