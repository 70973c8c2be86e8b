//! A route: what is asked, who answers, and what the document says of both, in one place.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Query, State};
use axum::handler::Handler;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, MethodRouter, delete, get, on, post};
use becket_store::Reader;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::query::Nothing;
use crate::rpc::{Failure, FailureKind};
use crate::run::Daemon;
use crate::setup::Setup;

pub(super) type Shared = State<Arc<Daemon>>;
type Describe = fn(&mut SchemaGenerator) -> Schema;

/// What is asked: the parameters behind the `?`.
pub(super) trait Question: DeserializeOwned + JsonSchema + Send + 'static {}
impl<Q: DeserializeOwned + JsonSchema + Send + 'static> Question for Q {}

/// What is answered.
pub(super) trait Answer: Serialize + JsonSchema + Send + 'static {}
impl<A: Serialize + JsonSchema + Send + 'static> Answer for A {}

/// A status, and what it means.
pub(super) type Failing = (&'static str, &'static str);
/// What is named does not exist.
pub(super) const ABSENT: Failing = ("404", "There is no such thing");
/// A plan that was made for other files.
pub(super) const CHANGED: Failing = (
    "409",
    "What was shown is no longer what would be done; ask for it again",
);

/// One way to ask.
pub(super) struct Route {
    pub(super) method: &'static str,
    /// Below `/api/v1`; the only placeholder is `{id}`.
    pub(super) path: &'static str,
    pub(super) summary: &'static str,
    pub(super) question: Describe,
    /// What is sent along, if anything is.
    pub(super) body: Option<Describe>,
    pub(super) answer: Describe,
    pub(super) media: &'static str,
    /// How it can fail beside the ways in which all can.
    pub(super) fails: &'static [Failing],
    pub(super) handler: MethodRouter<Arc<Daemon>>,
}

impl Route {
    fn new<Q: Question, A: Answer>(
        method: &'static str,
        path: &'static str,
        summary: &'static str,
        handler: MethodRouter<Arc<Daemon>>,
    ) -> Self {
        Self {
            method,
            path,
            summary,
            question: |generator| Q::json_schema(generator),
            body: None,
            answer: |generator| generator.subschema_for::<A>(),
            media: "application/json",
            fails: &[],
            handler,
        }
    }

    /// The same, which can also fail in these ways.
    pub(super) fn failing(self, fails: &'static [Failing]) -> Self {
        Self { fails, ..self }
    }
}

/// Asks the database for something that is always there.
pub(super) fn ask<Q: Question, A: Answer>(
    path: &'static str,
    summary: &'static str,
    answer: fn(&Reader, Q) -> Result<A, becket_store::Error>,
) -> Route {
    let handler = move |State(daemon): Shared, uri: Uri| async move {
        let question: Q = parameters(&uri)?;
        let ask = daemon.keeper.ask(move |reader| answer(reader, question));
        Ok::<_, Failed>(Json(ask.await?))
    };
    Route::new::<Q, A>("get", path, summary, get(handler))
}

/// Asks the database for one thing by its id.
pub(super) fn find<Q: Question, A: Answer>(
    path: &'static str,
    summary: &'static str,
    answer: fn(&Reader, &str, Q) -> Result<Option<A>, becket_store::Error>,
) -> Route {
    let handler = move |State(daemon): Shared, id: Id, uri: Uri| async move {
        let id = known(id)?;
        let question: Q = parameters(&uri)?;
        let name = id.clone();
        let ask = daemon
            .keeper
            .ask(move |reader| answer(reader, &name, question));
        ask.await?.map(Json).ok_or_else(|| Failed::missing(&id))
    };
    Route::new::<Q, A>("get", path, summary, get(handler))
}

/// Asks the daemon.
pub(super) fn read<Q: Question, A: Answer, H, T>(
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

/// Changes something.
pub(super) fn change<Q: Question, A: Answer, H, T>(
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

/// Changes something as what is sent along says: `patch` or `post`.
pub(super) fn with_body<B: Question, A: Answer, H, T>(
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
        ..Route::new::<Nothing, A>(method, path, summary, on(filter, handler))
    }
}

/// Has the set-up of this machine changed, or tried out, as what is sent along says.
pub(super) fn set_up<B: Question, A: Answer>(
    path: &'static str,
    summary: &'static str,
    answer: fn(&dyn Setup, B) -> Result<A, Failure>,
) -> Route {
    let handler = move |State(daemon): Shared, uri: Uri, sent: Bytes| async move {
        parameters::<Nothing>(&uri)?;
        let asked: B = body(&sent)?;
        let done = daemon.setup.ask(move |setup| answer(setup, asked));
        Ok::<_, Failed>(Json(done.await?))
    };
    with_body::<B, A, _, _>("post", path, summary, handler).failing(&[ABSENT, CHANGED])
}

/// Removes something.
pub(super) fn removing<A: Answer, H, T>(
    path: &'static str,
    summary: &'static str,
    handler: H,
) -> Route
where
    H: Handler<T, Arc<Daemon>>,
    T: 'static,
{
    Route::new::<Nothing, A>("delete", path, summary, delete(handler))
}

/// Reads what was sent along.
pub(super) fn body<B: DeserializeOwned>(sent: &[u8]) -> Result<B, Failed> {
    serde_json::from_slice(sent).map_err(|error| Failed::bad(format!("the body: {error}")))
}

pub(super) type Id = Result<Path<String>, PathRejection>;

/// The `{id}` of a path.
pub(super) fn known(id: Id) -> Result<String, Failed> {
    match id {
        Ok(Path(id)) => Ok(id),
        Err(error) => Err(Failed::bad(format!("parameter `id`: {error}"))),
    }
}

/// Reads what stands behind the `?`.
pub(super) fn parameters<Q: DeserializeOwned>(uri: &Uri) -> Result<Q, Failed> {
    let read = Query::<Q>::try_from_uri(uri);
    read.map(|Query(question)| question).map_err(|error| {
        let text = error.body_text();
        let why = text
            .rsplit_once("query string: ")
            .map_or(&*text, |(_, why)| why);
        Failed::bad(format!("parameter {}", in_words_of_callers(why)))
    })
}

/// `limit: invalid digit` and "unknown field `x`" both name the parameter, but only one calls it so.
fn in_words_of_callers(why: &str) -> String {
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

/// An error in the words of the caller.
#[derive(Debug)]
pub(super) struct Failed(StatusCode, String);

/// What an error looks like
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Error")]
pub(super) struct ErrorShape {
    /// What went wrong, for people; a parameter that is at fault is named in it
    error: String,
}

impl Failed {
    pub(super) fn bad(why: impl Into<String>) -> Self {
        Self(StatusCode::BAD_REQUEST, why.into())
    }

    pub(super) fn refused(why: impl Into<String>) -> Self {
        Self(StatusCode::FORBIDDEN, why.into())
    }

    pub(super) fn missing(id: &str) -> Self {
        let id: String = id.chars().take(200).collect();
        Self(StatusCode::NOT_FOUND, format!("there is no `{id}`"))
    }

    pub(super) fn unavailable(why: impl ToString) -> Self {
        Self(StatusCode::SERVICE_UNAVAILABLE, why.to_string())
    }

    pub(super) fn no_route(uri: &Uri) -> Self {
        Self::missing(uri.path())
    }

    pub(super) fn no_method() -> Self {
        let why = "this method is not served here; the document says which is";
        Self(StatusCode::METHOD_NOT_ALLOWED, why.into())
    }
}

impl From<Failure> for Failed {
    fn from(failure: Failure) -> Self {
        let status = match failure.kind {
            FailureKind::Invalid | FailureKind::Refused => StatusCode::BAD_REQUEST,
            FailureKind::NotFound => StatusCode::NOT_FOUND,
            FailureKind::Changed => StatusCode::CONFLICT,
            FailureKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        };
        Self(status, failure.message)
    }
}

impl From<becket_store::Error> for Failed {
    fn from(error: becket_store::Error) -> Self {
        Self::unavailable(error)
    }
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        (self.0, Json(ErrorShape { error: self.1 })).into_response()
    }
}
