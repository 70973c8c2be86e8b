//! The person's own settings.

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use schemars::JsonSchema;
use serde::Deserialize;

use super::query::Nothing;
use super::route::{ABSENT, Failed, Route, Shared, parameters, read, set_up};
use crate::setup::{
    FileWritten, GuardWanted, KeepingWanted, Settings, SettingsPlan, SettingsWanted,
};

/// Settings that were looked at: what was asked for, and the plan that was shown.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SettingsAccepted {
    /// Regular expressions for what is secret to the person
    redact: Option<Vec<String>>,
    /// For how long records are kept
    retention: Option<KeepingWanted>,
    /// The daemon's port, from its next start on; 0 is any that is free
    port: Option<u16>,
    /// Whether events start the daemon
    daemon: Option<bool>,
    /// Whether events are recorded
    record: Option<bool>,
    /// The guard
    guard: Option<GuardWanted>,
    /// The `plan` that was shown
    plan: String,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        read::<Nothing, Settings, _, _>("/settings", "Your own settings", show).failing(&[ABSENT]),
        set_up(
            "/settings/plan",
            "What other settings would write; what is left out stays as it is",
            |setup, wanted: SettingsWanted| -> Result<SettingsPlan, _> {
                setup.plan_settings(&wanted)
            },
        ),
        set_up(
            "/settings/apply",
            "Write them, if the file is still as it was shown",
            |setup, accepted: SettingsAccepted| -> Result<FileWritten, _> {
                let plan = accepted.plan;
                let wanted = SettingsWanted {
                    redact: accepted.redact,
                    retention: accepted.retention,
                    port: accepted.port,
                    daemon: accepted.daemon,
                    record: accepted.record,
                    guard: accepted.guard,
                };
                setup.apply_settings(&wanted, &plan)
            },
        ),
    ]
}

async fn show(State(daemon): Shared, uri: Uri) -> Result<Json<Settings>, Failed> {
    parameters::<Nothing>(&uri)?;
    let ask = daemon.setup.ask(|setup| setup.settings());
    Ok(Json(ask.await?))
}
