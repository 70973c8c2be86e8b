//! Becket's own API.
//!
//! [`routes`] is the one list: the router is built from it, and so is the document that describes it
//! ([`document`]). Nothing is changed by a GET.

mod connections;
mod decisions;
mod document;
mod events;
mod export;
mod hooks;
mod learning;
mod memories;
mod permissions;
mod project;
mod query;
mod replay;
mod route;
mod sessions;
mod settings;
mod trust;
mod words;

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::Uri;
use axum::{Json, Router};
use becket_store::Millis;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::run::Daemon;
use crate::status::Status;
use query::{
    Activities, Alarms, Decisions, Events, Listed, Nothing, Notifications, Numbers, OverTime,
    Sessions,
};
use route::{Failed, Id, Route, Shared, ask, change, find, known, parameters, read};
use words::By;

pub(super) fn router() -> Router<Arc<Daemon>> {
    let all = routes().into_iter().fold(Router::new(), |router, route| {
        router.route(route.path, route.handler)
    });
    // The second is for routes that are there already.
    all.fallback(|uri: Uri| async move { Failed::no_route(&uri) })
        .method_not_allowed_fallback(|| async { Failed::no_method() })
}

/// A list without pages.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}List")]
struct Items<T> {
    items: Vec<T>,
}

fn items<T>(items: Vec<T>) -> Items<T> {
    Items { items }
}

/// Every way to ask.
fn routes() -> Vec<Route> {
    let mut all = vec![
        read::<Nothing, Status, _, _>("/status", "How the daemon is", status),
        read::<Nothing, Value, _, _>("/openapi.json", "This document", openapi),
        ask(
            "/sessions",
            "Sessions, the latest first",
            |reader, q: Sessions| reader.sessions(&q.filter()),
        ),
        find(
            "/sessions/{id}",
            "A session, in numbers, among its kin",
            sessions::detail,
        ),
        find(
            "/sessions/{id}/timeline",
            "What happened in a session, prompt by prompt",
            sessions::timeline,
        ),
        export::route(),
        ask(
            "/activities",
            "What agents did, the latest first",
            |reader, q: Activities| reader.activities(&q.filter()),
        ),
        ask(
            "/decisions",
            "What was decided and what came of it, the latest first",
            |reader, q: Decisions| reader.decisions(&q.filter()),
        ),
        ask(
            "/alarms",
            "What a person should know, the latest first",
            |reader, q: Alarms| reader.alarms(q.filter(), q.limit.rows()).map(items),
        ),
        change::<Nothing, Acknowledged, _, _>(
            "/alarms/{id}/acknowledge",
            "Note that a person has seen an alarm",
            acknowledge,
        ),
        ask(
            "/notifications",
            "What agents wanted to be noticed, the latest first",
            |reader, q: Notifications| {
                reader
                    .notifications(q.session.as_deref(), q.limit.rows())
                    .map(items)
            },
        ),
        ask(
            "/plans",
            "Plans as they were last written, the latest first",
            |reader, q: Listed| reader.plans(&q.scope(), q.limit.rows()).map(items),
        ),
        ask(
            "/projects",
            "Every project, the latest first",
            |reader, _: Nothing| reader.projects().map(items),
        ),
        ask(
            "/agents",
            "Every agent, the latest first",
            |reader, _: Nothing| reader.agents().map(items),
        ),
        ask(
            "/events",
            "Events in the order in which they were stored, from a place on or back from one",
            events::list,
        ),
        find(
            "/events/{id}",
            "An event, with all that was recorded of it",
            events::one,
        ),
        Route {
            media: "text/event-stream",
            ..read::<Events, events::Described, _, _>(
                "/events/stream",
                "Events as they come, each as the data of a server-sent event; `since` or the header Last-Event-ID begins earlier. Alarms come between them as events named `alarm`, when they are raised",
                events::stream,
            )
        },
    ];
    all.extend(memories::routes());
    all.extend(decisions::routes());
    all.extend(hooks::routes());
    all.extend(trust::routes());
    all.extend(connections::routes());
    all.extend(settings::routes());
    all.push(replay::route());
    all.extend(permissions::routes());
    all.extend(learning::routes());
    all.extend(numbers());
    all
}

/// What was done, in numbers.
fn numbers() -> Vec<Route> {
    const HOUR: u32 = 60 * 60;
    vec![
        ask(
            "/stats/events",
            "Events over time; stretches without any are missing",
            |reader, q: OverTime| {
                let step = q.step.map_or(HOUR, std::num::NonZeroU32::get);
                let step = Duration::from_secs(step.into());
                let buckets = match q.by {
                    Some(By::Agent) => reader.events_over_time_by_agent(&q.scope(), step),
                    None => reader.events_over_time(&q.scope(), step),
                };
                buckets.map(items)
            },
        ),
        ask(
            "/stats/tools",
            "How tools fared with each agent, the most used first",
            |reader, q: Numbers| reader.tools_by_agent(&q.scope()).map(items),
        ),
        ask(
            "/stats/verdicts",
            "What hooks and their rules said, and how often",
            |reader, q: Numbers| reader.verdicts_by_hook(&q.scope()).map(items),
        ),
        ask(
            "/stats/hooks",
            "How long hooks take, in milliseconds",
            |reader, q: Numbers| reader.hook_latency(&q.scope()).map(items),
        ),
        ask(
            "/stats/files",
            "The files that were touched most",
            |reader, q: Listed| reader.busiest_files(&q.scope(), q.limit.rows()).map(items),
        ),
        ask(
            "/stats/tokens",
            "Tokens by agent and model, where agents tell of them",
            |reader, q: Numbers| reader.tokens(&q.scope()).map(items),
        ),
    ]
}

async fn status(State(daemon): Shared, uri: Uri) -> Result<Json<Status>, Failed> {
    parameters::<Nothing>(&uri)?;
    Ok(Json(daemon.status()))
}

async fn openapi(uri: Uri) -> Result<Json<Value>, Failed> {
    parameters::<Nothing>(&uri)?;
    Ok(Json(document::document(&routes())))
}

#[derive(Debug, Serialize, JsonSchema)]
struct Acknowledged {
    /// False if somebody had seen it before
    acknowledged: bool,
}

async fn acknowledge(
    State(daemon): Shared,
    id: Id,
    uri: Uri,
) -> Result<Json<Acknowledged>, Failed> {
    let id = known(id)?;
    parameters::<Nothing>(&uri)?;
    let alarm = id.clone();
    let is_known = daemon.keeper.ask(move |reader| reader.has_alarm(&alarm));
    if !is_known.await? {
        return Err(Failed::missing(&id));
    }
    let tell = daemon
        .keeper
        .tell(move |group| group.acknowledge_alarm(&id, Millis::now()));
    let acknowledged = tell.await.map_err(Failed::unavailable)?;
    Ok(Json(Acknowledged { acknowledged }))
}
