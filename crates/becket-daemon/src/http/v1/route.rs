//! A route: its handler and its description for the OpenAPI document, in one place.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Query, State};
use axum::handler::Handler;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, MethodRouter, delete, get, on, post};
use becket_store::StoreReader;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::query::NoParams;
use crate::rpc::{ServiceError, ServiceErrorKind};
use crate::run::Daemon;
use crate::setup::Setup;

pub(super) type DaemonState = State<Arc<Daemon>>;
type SchemaFn = fn(&mut SchemaGenerator) -> Schema;

/// Query parameters or a request body.
pub(super) trait RequestParams: DeserializeOwned + JsonSchema + Send + 'static {}
impl<Q: DeserializeOwned + JsonSchema + Send + 'static> RequestParams for Q {}

/// A response body.
pub(super) trait ResponseBody: Serialize + JsonSchema + Send + 'static {}
impl<A: Serialize + JsonSchema + Send + 'static> ResponseBody for A {}

/// A status code and its description.
pub(super) type ErrorResponse = (&'static str, &'static str);
/// The named item does not exist.
pub(super) const NOT_FOUND: ErrorResponse = ("404", "Not found");
/// The files changed since the plan was made.
pub(super) const PLAN_CHANGED: ErrorResponse = (
    "409",
    "The plan does not match the files any more; request a new plan",
);

/// A route.
pub(super) struct Route {
    pub(super) method: &'static str,
    /// Below `/api/v1`; the only placeholder is `{id}`.
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    pub(super) params: SchemaFn,
    /// The schema of the request body, if there is one.
    pub(super) body: Option<SchemaFn>,
    pub(super) response: SchemaFn,
    pub(super) media: &'static str,
    /// Errors in addition to those of every route.
    pub(super) errors: &'static [ErrorResponse],
    pub(super) handler: MethodRouter<Arc<Daemon>>,
}

impl Route {
    fn new<Q: RequestParams, A: ResponseBody>(
        method: &'static str,
        path: &'static str,
        summary: &'static str,
        handler: MethodRouter<Arc<Daemon>>,
    ) -> Self {
        Self {
            method,
            path,
            summary,
            params: |generator| Q::json_schema(generator),
            body: None,
            response: |generator| generator.subschema_for::<A>(),
            media: "application/json",
            errors: &[],
            handler,
        }
    }

    /// Adds errors to the description.
    pub(super) fn with_errors(self, errors: &'static [ErrorResponse]) -> Self {
        Self { errors, ..self }
    }
}

/// GET: runs a query on the database.
pub(super) fn get_from_store<Q: RequestParams, A: ResponseBody>(
    path: &'static str,
    summary: &'static str,
    read: fn(&StoreReader, Q) -> Result<A, becket_store::Error>,
) -> Route {
    let handler = move |State(daemon): DaemonState, uri: Uri| async move {
        let params: Q = parse_query(&uri)?;
        let query = daemon.store.query(move |reader| read(reader, params));
        Ok::<_, ApiError>(Json(query.await?))
    };
    Route::new::<Q, A>("get", path, summary, get(handler))
}

/// GET: looks up one item in the database by its id.
pub(super) fn get_by_id<Q: RequestParams, A: ResponseBody>(
    path: &'static str,
    summary: &'static str,
    read: fn(&StoreReader, &str, Q) -> Result<Option<A>, becket_store::Error>,
) -> Route {
    let handler = move |State(daemon): DaemonState, id: PathId, uri: Uri| async move {
        let id = parse_id(id)?;
        let params: Q = parse_query(&uri)?;
        let name = id.clone();
        let query = daemon
            .store
            .query(move |reader| read(reader, &name, params));
        query
            .await?
            .map(Json)
            .ok_or_else(|| ApiError::not_found(&id))
    };
    Route::new::<Q, A>("get", path, summary, get(handler))
}

/// GET, with a custom handler.
pub(super) fn get_with<Q: RequestParams, A: ResponseBody, H, T>(
    path: &'static str,
    summary: &'static str,
    handler: H,
) -> Route
where
    H: Handler<T, Arc<Daemon>>,
    T: 'static,
{
    Route::new::<Q, A>("get", path, summary, get(handler))
}

/// POST without a body, with a custom handler.
pub(super) fn post_with<Q: RequestParams, A: ResponseBody, H, T>(
    path: &'static str,
    summary: &'static str,
    handler: H,
) -> Route
where
    H: Handler<T, Arc<Daemon>>,
    T: 'static,
{
    Route::new::<Q, A>("post", path, summary, post(handler))
}

/// PATCH or POST with a JSON body, with a custom handler.
pub(super) fn json_body<B: RequestParams, A: ResponseBody, H, T>(
    method: &'static str,
    path: &'static str,
    summary: &'static str,
    handler: H,
) -> Route
where
    H: Handler<T, Arc<Daemon>>,
    T: 'static,
{
    let filter = match method {
        "patch" => MethodFilter::PATCH,
        _ => MethodFilter::POST,
    };
    Route {
        body: Some(|generator| B::json_schema(generator)),
        ..Route::new::<NoParams, A>(method, path, summary, on(filter, handler))
    }
}

/// POST with a JSON body: runs a call on this machine's [`Setup`].
pub(super) fn post_setup<B: RequestParams, A: ResponseBody>(
    path: &'static str,
    summary: &'static str,
    work: fn(&dyn Setup, B) -> Result<A, ServiceError>,
) -> Route {
    let handler = move |State(daemon): DaemonState, uri: Uri, body: Bytes| async move {
        parse_query::<NoParams>(&uri)?;
        let request: B = parse_body(&body)?;
        let result = daemon.setup.run(move |setup| work(setup, request));
        Ok::<_, ApiError>(Json(result.await?))
    };
    json_body::<B, A, _, _>("post", path, summary, handler).with_errors(&[NOT_FOUND, PLAN_CHANGED])
}

/// DELETE, with a custom handler.
pub(super) fn delete_with<A: ResponseBody, H, T>(
    path: &'static str,
    summary: &'static str,
    handler: H,
) -> Route
where
    H: Handler<T, Arc<Daemon>>,
    T: 'static,
{
    Route::new::<NoParams, A>("delete", path, summary, delete(handler))
}

/// Parses a JSON body.
pub(super) fn parse_body<B: DeserializeOwned>(body: &[u8]) -> Result<B, ApiError> {
    serde_json::from_slice(body)
        .map_err(|error| ApiError::bad_request(format!("invalid body: {error}")))
}

pub(super) type PathId = Result<Path<String>, PathRejection>;

/// Parses the `{id}` of a path.
pub(super) fn parse_id(id: PathId) -> Result<String, ApiError> {
    match id {
        Ok(Path(id)) => Ok(id),
        Err(error) => Err(ApiError::bad_request(format!("parameter `id`: {error}"))),
    }
}

/// Parses the query parameters.
pub(super) fn parse_query<Q: DeserializeOwned>(uri: &Uri) -> Result<Q, ApiError> {
    let read = Query::<Q>::try_from_uri(uri);
    read.map(|Query(params)| params).map_err(|error| {
        let text = error.body_text();
        let why = text
            .rsplit_once("query string: ")
            .map_or(&*text, |(_, why)| why);
        ApiError::bad_request(format!("parameter {}", describe_query_error(why)))
    })
}

/// Rephrases serde's messages, so that all of them name the parameter in the same way.
fn describe_query_error(why: &str) -> String {
    let fielded = ["unknown field ", "missing field ", "duplicate field "];
    let at = fielded.iter().find_map(|start| {
        let (_, rest) = why.split_once(start)?;
        let (name, rest) = rest.strip_prefix('`')?.split_once('`')?;
        let kind = start.split(' ').next().unwrap_or_default();
        Some(format!("`{name}` is {kind}{rest}"))
    });
    at.unwrap_or_else(|| match why.split_once(": ") {
        Some((name, rest)) => format!("`{name}`: {rest}"),
        None => why.to_owned(),
    })
}

/// An error response.
#[derive(Debug)]
pub(super) struct ApiError(StatusCode, String);

/// An error
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Error")]
pub(super) struct ErrorBody {
    /// The error message; it names the parameter at fault
    error: String,
}

impl ApiError {
    pub(super) fn bad_request(why: impl Into<String>) -> Self {
        Self(StatusCode::BAD_REQUEST, why.into())
    }

    pub(super) fn forbidden(why: impl Into<String>) -> Self {
        Self(StatusCode::FORBIDDEN, why.into())
    }

    pub(super) fn not_found(id: &str) -> Self {
        let id: String = id.chars().take(200).collect();
        Self(StatusCode::NOT_FOUND, format!("`{id}` not found"))
    }

    pub(super) fn unavailable(why: impl ToString) -> Self {
        Self(StatusCode::SERVICE_UNAVAILABLE, why.to_string())
    }

    pub(super) fn no_route(uri: &Uri) -> Self {
        Self::not_found(uri.path())
    }

    pub(super) fn method_not_allowed() -> Self {
        let why = "method not allowed; see /api/v1/openapi.json";
        Self(StatusCode::METHOD_NOT_ALLOWED, why.into())
    }
}

impl From<ServiceError> for ApiError {
    fn from(error: ServiceError) -> Self {
        let status = match error.kind {
            ServiceErrorKind::Invalid | ServiceErrorKind::Refused => StatusCode::BAD_REQUEST,
            ServiceErrorKind::NotFound => StatusCode::NOT_FOUND,
            ServiceErrorKind::Changed => StatusCode::CONFLICT,
            ServiceErrorKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        };
        Self(status, error.message)
    }
}

impl From<becket_store::Error> for ApiError {
    fn from(error: becket_store::Error) -> Self {
        Self::unavailable(error)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        (self.0, Json(ErrorBody { error: self.1 })).into_response()
    }
}
