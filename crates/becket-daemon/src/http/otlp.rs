//! `/v1/logs`: OpenTelemetry logs over HTTP, and over gRPC on the same port. Metrics and traces are let go.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use becket_store::{Group, Millis, Origin, Tokens, ToolUse};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};

use crate::keeper::NotKept;
use crate::otlp::decode::{self, DecodeError};
use crate::otlp::table::{Call, Told, What, meaning};
use crate::otlp::{Log, id_of};
use crate::run::Daemon;

pub(super) fn router() -> Router<Arc<Daemon>> {
    const COLLECTOR: &str = "/opentelemetry.proto.collector";
    Router::new()
        .route("/v1/logs", post(over_http))
        .route("/v1/metrics", post(let_go_http))
        .route("/v1/traces", post(let_go_http))
        .route(
            &format!("{COLLECTOR}.logs.v1.LogsService/Export"),
            post(over_grpc),
        )
        .route(
            &format!("{COLLECTOR}.metrics.v1.MetricsService/Export"),
            post(let_go_grpc),
        )
        .route(
            &format!("{COLLECTOR}.trace.v1.TraceService/Export"),
            post(let_go_grpc),
        )
}

/// Some clients export all or nothing, and complain to their user when a part of it is refused.
async fn let_go_http(headers: HeaderMap, _: Bytes) -> Response {
    taken(header_text(&headers, "content-type").unwrap_or_default())
}

async fn let_go_grpc(_: Bytes) -> Response {
    grpc_taken()
}

fn header_text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

async fn over_http(State(daemon): State<Arc<Daemon>>, headers: HeaderMap, body: Bytes) -> Response {
    let kind = header_text(&headers, "content-type").unwrap_or_default();
    let encoding = header_text(&headers, "content-encoding");
    let logs = match decode::http(kind, encoding, &body) {
        Ok(logs) => logs,
        Err(error) => return refused(&error),
    };
    if let Err(error) = keep(&daemon, logs).await {
        let body = Json(json!({ "message": error.to_string() }));
        // Exporters try again later.
        return (StatusCode::SERVICE_UNAVAILABLE, body).into_response();
    }
    taken(kind)
}

/// Everything was taken, said in the sender's own way.
fn taken(kind: &str) -> Response {
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

fn refused(error: &DecodeError) -> Response {
    let status = match error {
        DecodeError::ContentType(_) | DecodeError::Encoding(_) => {
            StatusCode::UNSUPPORTED_MEDIA_TYPE
        }
        DecodeError::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        _ => StatusCode::BAD_REQUEST,
    };
    (status, Json(json!({ "message": error.to_string() }))).into_response()
}

/// Status codes of gRPC.
const OK: &str = "0";
const INVALID: &str = "3";
const UNAVAILABLE: &str = "14";

async fn over_grpc(State(daemon): State<Arc<Daemon>>, headers: HeaderMap, body: Bytes) -> Response {
    let logs = match decode::grpc(header_text(&headers, "grpc-encoding"), &body) {
        Ok(logs) => logs,
        Err(error) => return grpc_answer(None, INVALID, &error.to_string()),
    };
    match keep(&daemon, logs).await {
        Ok(()) => grpc_taken(),
        Err(error) => grpc_answer(None, UNAVAILABLE, &error.to_string()),
    }
}

/// An empty message: everything was taken.
fn grpc_taken() -> Response {
    grpc_answer(Some(Bytes::from_static(&[0, 0, 0, 0, 0])), OK, "")
}

fn grpc_answer(message: Option<Bytes>, status: &'static str, text: &str) -> Response {
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

/// A log record that means something.
struct Kept {
    id: String,
    at: Millis,
    told: Told,
}

/// Tells the store what the records mean. What means nothing here is let go.
async fn keep(daemon: &Daemon, logs: Vec<Log>) -> Result<(), NotKept> {
    let now = u64::try_from(Millis::now().0).unwrap_or_default() * 1_000_000;
    let kept = |log: &Log| {
        Some(Kept {
            id: id_of(log),
            at: Millis(i64::try_from(log.happened(now) / 1_000_000).unwrap_or(i64::MAX)),
            told: meaning(log)?,
        })
    };
    let told: Vec<Kept> = logs.iter().filter_map(kept).collect();
    if told.is_empty() {
        return Ok(());
    }
    daemon
        .keeper
        .tell(move |group| told.iter().try_for_each(|kept| tell(group, kept)))
        .await
}

fn tell(group: &mut Group<'_>, kept: &Kept) -> Result<(), becket_store::Error> {
    let Kept { id, at, told } = kept;
    let generation = match &told.what {
        What::Prompt { generation, .. } => generation.as_deref(),
        _ => None,
    };
    // No log record says where it was.
    let project = group.project_of(&told.session)?;
    let origin = Origin {
        id,
        at: *at,
        agent: &told.agent,
        session: &told.session,
        project: project.as_deref(),
        transcript: None,
        generation,
    };
    match &told.what {
        What::SessionStart => group.session_start(&origin, None, None).map(drop),
        What::Prompt {
            text: Some(text), ..
        } => group.prompt_submit(&origin, text).map(drop),
        What::Prompt {
            text: None, chars, ..
        } => group.prompt_untold(&origin, *chars).map(drop),
        What::Decision {
            call,
            allowed: true,
            ..
        } => {
            let call = tool_use(call, None);
            group.pre_tool_use(&origin, &call, None).map(drop)
        }
        What::Decision { call, word, .. } => {
            let call = tool_use(call, None);
            group.permission_denied(&origin, &call, word).map(drop)
        }
        What::Result {
            call,
            output,
            error: None,
            duration,
        } => {
            let output = output.clone().map_or(Value::Null, Value::String);
            let call = tool_use(call, *duration);
            group.post_tool_use(&origin, &call, output).map(drop)
        }
        What::Result {
            call,
            error: Some(error),
            duration,
            ..
        } => {
            let call = tool_use(call, *duration);
            group.post_tool_use_failure(&origin, &call, error).map(drop)
        }
        What::Usage {
            model,
            input,
            output,
            cached,
        } => {
            let tokens = Tokens {
                input: *input,
                output: *output,
                cache_read: *cached,
                ..Tokens::default()
            };
            let model = model.as_deref();
            group.model_request(&origin, model, tokens).map(drop)
        }
    }
}

fn tool_use(call: &Call, duration: Option<Duration>) -> ToolUse<'_> {
    ToolUse {
        tool: &call.tool,
        input: call.input.clone(),
        call_id: call.id.as_deref(),
        duration,
    }
}
