//! Becket in the settings of agents, and whether all is wired up.

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use schemars::JsonSchema;
use serde::Deserialize;

use super::query::Nothing;
use super::route::{ABSENT, Failed, Route, Shared, parameters, read, set_up};
use super::{Items, items, project};
use crate::setup::{Connection, ConnectionChange, ConnectionPlan, Diagnosis, FilesWritten};

/// A change that was looked at.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ConnectionAccepted {
    /// The agent's id
    agent: String,
    /// True takes Becket out instead of putting it in
    #[serde(default)]
    remove: bool,
    /// The `plan` that was shown
    plan: String,
}

/// Which project is looked at, too.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LookedAt {
    /// The directory of a project
    project: Option<String>,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        read::<Nothing, Items<Connection>, _, _>(
            "/connections",
            "Every agent that Becket can be connected to, and whether it is",
            list,
        )
        .failing(&[ABSENT]),
        set_up(
            "/connections/plan",
            "What connecting an agent, or taking Becket out of it, would write",
            |setup, change: ConnectionChange| -> Result<ConnectionPlan, _> {
                setup.plan_connection(&change)
            },
        ),
        set_up(
            "/connections/apply",
            "Write it, if the files are still as they were shown",
            |setup, accepted: ConnectionAccepted| -> Result<FilesWritten, _> {
                let change = ConnectionChange {
                    agent: accepted.agent,
                    remove: accepted.remove,
                };
                setup.apply_connection(&change, &accepted.plan)
            },
        ),
        read::<LookedAt, Diagnosis, _, _>(
            "/doctor",
            "What is wired up, what is not, and what to do about it",
            doctor,
        )
        .failing(&[ABSENT]),
    ]
}

async fn list(State(daemon): Shared, uri: Uri) -> Result<Json<Items<Connection>>, Failed> {
    parameters::<Nothing>(&uri)?;
    let ask = daemon.setup.ask(|setup| setup.connections());
    Ok(Json(items(ask.await?)))
}

async fn doctor(State(daemon): Shared, uri: Uri) -> Result<Json<Diagnosis>, Failed> {
    let asked: LookedAt = parameters(&uri)?;
    let root = project::perhaps(&daemon, asked.project.as_deref()).await?;
    let ask = daemon.setup.ask(move |setup| setup.doctor(root.as_deref()));
    Ok(Json(ask.await?))
}
