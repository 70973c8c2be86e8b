//! Connections to agents, and the diagnosis of the installation.

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use schemars::JsonSchema;
use serde::Deserialize;

use super::query::NoParams;
use super::route::{ApiError, DaemonState, NOT_FOUND, Route, get_with, parse_query, post_setup};
use super::{ItemList, item_list, project};
use crate::setup::{AgentConnection, ConnectionChange, ConnectionPlan, DoctorReport, FilesWritten};

/// A change to apply.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ConnectionApplyRequest {
    /// The agent's id
    agent: String,
    /// True removes Becket from the agent's settings; otherwise it is added
    #[serde(default)]
    remove: bool,
    /// The `plan` of the response to the plan request
    plan: String,
}

/// The project to diagnose.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DoctorParams {
    /// The project's directory
    project: Option<String>,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        get_with::<NoParams, ItemList<AgentConnection>, _, _>(
            "/connections",
            "List the supported agents and whether they are connected",
            list,
        )
        .with_errors(&[NOT_FOUND]),
        post_setup(
            "/connections/plan",
            "Plan to connect or disconnect an agent",
            |setup, change: ConnectionChange| -> Result<ConnectionPlan, _> {
                setup.plan_connection(&change)
            },
        ),
        post_setup(
            "/connections/apply",
            "Apply a connection plan, if the files have not changed since",
            |setup, request: ConnectionApplyRequest| -> Result<FilesWritten, _> {
                let change = ConnectionChange {
                    agent: request.agent,
                    remove: request.remove,
                };
                setup.apply_connection(&change, &request.plan)
            },
        ),
        get_with::<DoctorParams, DoctorReport, _, _>(
            "/doctor",
            "Diagnose the installation",
            doctor,
        )
        .with_errors(&[NOT_FOUND]),
    ]
}

async fn list(
    State(daemon): DaemonState,
    uri: Uri,
) -> Result<Json<ItemList<AgentConnection>>, ApiError> {
    parse_query::<NoParams>(&uri)?;
    let query = daemon.setup.run(|setup| setup.connections());
    Ok(Json(item_list(query.await?)))
}

async fn doctor(State(daemon): DaemonState, uri: Uri) -> Result<Json<DoctorReport>, ApiError> {
    let params: DoctorParams = parse_query(&uri)?;
    let root = project::optional_project(&daemon, params.project.as_deref()).await?;
    let query = daemon.setup.run(move |setup| setup.doctor(root.as_deref()));
    Ok(Json(query.await?))
}
