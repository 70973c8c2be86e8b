//! Becket's HTTP API.
//!
//! [`routes`] is the single list from which the router and the OpenAPI document ([`document`]) are built. A GET changes
//! nothing.

mod connections;
mod decisions;
mod document;
mod enums;
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
use crate::status::DaemonStatus;
use enums::GroupBy;
use query::{
    ActivitiesParams, AlarmsParams, DecisionsParams, EventStreamParams, ListParams, NoParams,
    NotificationsParams, SessionsParams, StatsParams, TimeSeriesParams,
};
use route::{
    ApiError, DaemonState, PathId, Route, get_by_id, get_from_store, get_with, parse_id,
    parse_query, post_with,
};

pub(super) fn router() -> Router<Arc<Daemon>> {
    let all = routes().into_iter().fold(Router::new(), |router, route| {
        router.route(route.path, route.handler)
    });
    // Applies to the routes added before it.
    all.fallback(|uri: Uri| async move { ApiError::no_route(&uri) })
        .method_not_allowed_fallback(|| async { ApiError::method_not_allowed() })
}

/// A list without pages.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}List")]
struct ItemList<T> {
    items: Vec<T>,
}

fn item_list<T>(items: Vec<T>) -> ItemList<T> {
    ItemList { items }
}

/// All routes.
fn routes() -> Vec<Route> {
    let mut all = vec![
        get_with::<NoParams, DaemonStatus, _, _>("/status", "Get the daemon's status", status),
        get_with::<NoParams, Value, _, _>("/openapi.json", "Get this OpenAPI document", openapi),
        get_from_store(
            "/sessions",
            "List sessions, the newest first",
            |reader, q: SessionsParams| reader.sessions(&q.filter()),
        ),
        get_by_id(
            "/sessions/{id}",
            "Get a session with its statistics and related sessions",
            sessions::detail,
        ),
        get_by_id(
            "/sessions/{id}/timeline",
            "Get the timeline of a session, prompt by prompt",
            sessions::timeline,
        ),
        export::route(),
        get_from_store(
            "/activities",
            "List tool calls and other activities, the newest first",
            |reader, q: ActivitiesParams| reader.activities(&q.filter()),
        ),
        get_from_store(
            "/decisions",
            "List decisions and their outcomes, the newest first",
            |reader, q: DecisionsParams| reader.decisions(&q.filter()),
        ),
        get_from_store(
            "/alarms",
            "List alarms, the newest first",
            |reader, q: AlarmsParams| reader.alarms(q.filter(), q.limit.rows()).map(item_list),
        ),
        post_with::<NoParams, Acknowledged, _, _>(
            "/alarms/{id}/acknowledge",
            "Acknowledge an alarm",
            acknowledge,
        ),
        get_from_store(
            "/notifications",
            "List notifications of agents, the newest first",
            |reader, q: NotificationsParams| {
                reader
                    .notifications(q.session.as_deref(), q.limit.rows())
                    .map(item_list)
            },
        ),
        get_from_store(
            "/plans",
            "List the latest version of each plan, the newest first",
            |reader, q: ListParams| reader.plans(&q.scope(), q.limit.rows()).map(item_list),
        ),
        get_from_store(
            "/projects",
            "List projects, the most recently used first",
            |reader, _: NoParams| reader.projects().map(item_list),
        ),
        get_from_store(
            "/agents",
            "List agents, the most recently used first",
            |reader, _: NoParams| reader.agents().map(item_list),
        ),
        get_from_store(
            "/events",
            "List events in storage order, forwards or backwards from a position",
            events::list,
        ),
        get_by_id(
            "/events/{id}",
            "Get an event with its full record",
            events::detail,
        ),
        Route {
            media: "text/event-stream",
            ..get_with::<EventStreamParams, events::DescribedEvent, _, _>(
                "/events/stream",
                "Stream events as server-sent events; `since` or the header Last-Event-ID sets the start. Alarms are sent as events named `alarm` when they are raised",
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
    all.extend(stats_routes());
    all
}

/// The routes for statistics.
fn stats_routes() -> Vec<Route> {
    const HOUR: u32 = 60 * 60;
    vec![
        get_from_store(
            "/stats/events",
            "Count events per interval; empty intervals are omitted",
            |reader, q: TimeSeriesParams| {
                let step = q.step.map_or(HOUR, std::num::NonZeroU32::get);
                let step = Duration::from_secs(step.into());
                let buckets = match q.by {
                    Some(GroupBy::Agent) => reader.events_over_time_by_agent(&q.scope(), step),
                    None => reader.events_over_time(&q.scope(), step),
                };
                buckets.map(item_list)
            },
        ),
        get_from_store(
            "/stats/tools",
            "Count tool calls by tool and agent, the most used first",
            |reader, q: StatsParams| reader.tools_by_agent(&q.scope()).map(item_list),
        ),
        get_from_store(
            "/stats/verdicts",
            "Count verdicts by hook and rule",
            |reader, q: StatsParams| reader.verdicts_by_hook(&q.scope()).map(item_list),
        ),
        get_from_store(
            "/stats/hooks",
            "Get percentiles of hook durations in milliseconds",
            |reader, q: StatsParams| reader.hook_latency(&q.scope()).map(item_list),
        ),
        get_from_store(
            "/stats/files",
            "List the files with the most activity",
            |reader, q: ListParams| {
                reader
                    .busiest_files(&q.scope(), q.limit.rows())
                    .map(item_list)
            },
        ),
        get_from_store(
            "/stats/tokens",
            "Sum tokens by agent and model, as far as agents report them",
            |reader, q: StatsParams| reader.tokens(&q.scope()).map(item_list),
        ),
    ]
}

async fn status(State(daemon): DaemonState, uri: Uri) -> Result<Json<DaemonStatus>, ApiError> {
    parse_query::<NoParams>(&uri)?;
    Ok(Json(daemon.status()))
}

async fn openapi(uri: Uri) -> Result<Json<Value>, ApiError> {
    parse_query::<NoParams>(&uri)?;
    Ok(Json(document::document(&routes())))
}

#[derive(Debug, Serialize, JsonSchema)]
struct Acknowledged {
    /// False if it was acknowledged before
    acknowledged: bool,
}

async fn acknowledge(
    State(daemon): DaemonState,
    id: PathId,
    uri: Uri,
) -> Result<Json<Acknowledged>, ApiError> {
    let id = parse_id(id)?;
    parse_query::<NoParams>(&uri)?;
    let alarm = id.clone();
    let exists = daemon.store.query(move |reader| reader.has_alarm(&alarm));
    if !exists.await? {
        return Err(ApiError::not_found(&id));
    }
    let write = daemon
        .store
        .transaction(move |transaction| transaction.acknowledge_alarm(&id, Millis::now()));
    let acknowledged = write.await.map_err(ApiError::unavailable)?;
    Ok(Json(Acknowledged { acknowledged }))
}
