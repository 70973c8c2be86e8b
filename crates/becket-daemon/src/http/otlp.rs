//! `/v1/logs`: OpenTelemetry logs over HTTP, and over gRPC on the same port. Metrics and traces are discarded.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use becket_store::{EventOrigin, Millis, TokenCounts, ToolUse, WriteTransaction};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};

use crate::otlp::decode::{self, DecodeError};
use crate::otlp::table::{TelemetryAction, TelemetryCall, TelemetryEvent, interpret};
use crate::otlp::{LogRecord, record_id};
use crate::run::Daemon;
use crate::store_handle::WriteError;

pub(super) fn router() -> Router<Arc<Daemon>> {
    const COLLECTOR: &str = "/opentelemetry.proto.collector";
    Router::new()
        .route("/v1/logs", post(logs_over_http))
        .route("/v1/metrics", post(discard_http))
        .route("/v1/traces", post(discard_http))
        .route(
            &format!("{COLLECTOR}.logs.v1.LogsService/Export"),
            post(logs_over_grpc),
        )
        .route(
            &format!("{COLLECTOR}.metrics.v1.MetricsService/Export"),
            post(discard_grpc),
        )
        .route(
            &format!("{COLLECTOR}.trace.v1.TraceService/Export"),
            post(discard_grpc),
        )
}

/// Some exporters send all signals or none, and show an error to the user if one is rejected.
async fn discard_http(headers: HeaderMap, _: Bytes) -> Response {
    accepted(header_text(&headers, "content-type").unwrap_or_default())
}

async fn discard_grpc(_: Bytes) -> Response {
    grpc_accepted()
}

fn header_text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

async fn logs_over_http(
    State(daemon): State<Arc<Daemon>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let kind = header_text(&headers, "content-type").unwrap_or_default();
    let encoding = header_text(&headers, "content-encoding");
    let logs = match decode::decode_http(kind, encoding, &body) {
        Ok(logs) => logs,
        Err(error) => return rejected(&error),
    };
    if let Err(error) = store_logs(&daemon, logs).await {
        let body = Json(json!({ "message": error.to_string() }));
        // The exporter retries.
        return (StatusCode::SERVICE_UNAVAILABLE, body).into_response();
    }
    accepted(kind)
}

/// A success response in the format of the request.
fn accepted(kind: &str) -> Response {
    if decode::media_type(kind) == "application/json" {
        Json(json!({ "partialSuccess": {} })).into_response()
    } else {
        (
            [(header::CONTENT_TYPE, "application/x-protobuf")],
            Bytes::new(),
        )
            .into_response()
    }
}

fn rejected(error: &DecodeError) -> Response {
    let status = match error {
        DecodeError::ContentType(_) | DecodeError::Encoding(_) => {
            StatusCode::UNSUPPORTED_MEDIA_TYPE
        }
        DecodeError::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        _ => StatusCode::BAD_REQUEST,
    };
    (status, Json(json!({ "message": error.to_string() }))).into_response()
}

/// gRPC status codes.
const OK: &str = "0";
const INVALID: &str = "3";
const UNAVAILABLE: &str = "14";

async fn logs_over_grpc(
    State(daemon): State<Arc<Daemon>>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let logs = match decode::decode_grpc(header_text(&headers, "grpc-encoding"), &body) {
        Ok(logs) => logs,
        Err(error) => return grpc_response(None, INVALID, &error.to_string()),
    };
    match store_logs(&daemon, logs).await {
        Ok(()) => grpc_accepted(),
        Err(error) => grpc_response(None, UNAVAILABLE, &error.to_string()),
    }
}

/// An empty message: full success.
fn grpc_accepted() -> Response {
    grpc_response(Some(Bytes::from_static(&[0, 0, 0, 0, 0])), OK, "")
}

fn grpc_response(message: Option<Bytes>, status: &'static str, text: &str) -> Response {
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", HeaderValue::from_static(status));
    if let Ok(text) = HeaderValue::from_str(text) {
        trailers.insert("grpc-message", text);
    }
    let body = Full::new(message.unwrap_or_default())
        .with_trailers(std::future::ready(Some(Ok(trailers))));
    (
        [(header::CONTENT_TYPE, "application/grpc")],
        Body::new(body),
    )
        .into_response()
}

/// An event with its id and time.
struct ReceivedEvent {
    id: String,
    at: Millis,
    event: TelemetryEvent,
}

/// Stores the events of log records. Irrelevant records are discarded.
async fn store_logs(daemon: &Daemon, logs: Vec<LogRecord>) -> Result<(), WriteError> {
    let now = u64::try_from(Millis::now().0).unwrap_or_default() * 1_000_000;
    let received = |log: &LogRecord| {
        Some(ReceivedEvent {
            id: record_id(log),
            at: Millis(i64::try_from(log.timestamp(now) / 1_000_000).unwrap_or(i64::MAX)),
            event: interpret(log)?,
        })
    };
    let events: Vec<ReceivedEvent> = logs.iter().filter_map(received).collect();
    if events.is_empty() {
        return Ok(());
    }
    daemon
        .store
        .transaction(move |transaction| {
            events
                .iter()
                .try_for_each(|event| record(transaction, event))
        })
        .await
}

fn record(
    transaction: &mut WriteTransaction<'_>,
    received: &ReceivedEvent,
) -> Result<(), becket_store::Error> {
    let ReceivedEvent { id, at, event } = received;
    let generation = match &event.action {
        TelemetryAction::Prompt { generation, .. } => generation.as_deref(),
        _ => None,
    };
    // Log records do not contain the project.
    let project = transaction.project_of(&event.session)?;
    let origin = EventOrigin {
        id,
        at: *at,
        agent: &event.agent,
        session: &event.session,
        project: project.as_deref(),
        transcript: None,
        generation,
    };
    match &event.action {
        TelemetryAction::SessionStart => transaction.session_start(&origin, None, None).map(drop),
        TelemetryAction::Prompt {
            text: Some(text), ..
        } => transaction.prompt_submit(&origin, text).map(drop),
        TelemetryAction::Prompt {
            text: None, chars, ..
        } => transaction
            .redacted_prompt_submit(&origin, *chars)
            .map(drop),
        TelemetryAction::Decision {
            call,
            allowed: true,
            ..
        } => {
            let call = tool_use(call, None);
            transaction.pre_tool_use(&origin, &call, None).map(drop)
        }
        TelemetryAction::Decision { call, word, .. } => {
            let call = tool_use(call, None);
            transaction
                .permission_denied(&origin, &call, word)
                .map(drop)
        }
        TelemetryAction::Result {
            call,
            output,
            error: None,
            duration,
        } => {
            let output = output.clone().map_or(Value::Null, Value::String);
            let call = tool_use(call, *duration);
            transaction.post_tool_use(&origin, &call, output).map(drop)
        }
        TelemetryAction::Result {
            call,
            error: Some(error),
            duration,
            ..
        } => {
            let call = tool_use(call, *duration);
            transaction
                .post_tool_use_failure(&origin, &call, error)
                .map(drop)
        }
        TelemetryAction::Usage {
            model,
            input,
            output,
            cached,
        } => {
            let tokens = TokenCounts {
                input: *input,
                output: *output,
                cache_read: *cached,
                ..TokenCounts::default()
            };
            let model = model.as_deref();
            transaction.model_request(&origin, model, tokens).map(drop)
        }
    }
}

fn tool_use(call: &TelemetryCall, duration: Option<Duration>) -> ToolUse<'_> {
    ToolUse {
        tool: &call.tool,
        input: call.input.clone(),
        call_id: call.id.as_deref(),
        duration,
    }
}
