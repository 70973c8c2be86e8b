//! The user's settings.

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use schemars::JsonSchema;
use serde::Deserialize;

use super::query::NoParams;
use super::route::{ApiError, DaemonState, NOT_FOUND, Route, get_with, parse_query, post_setup};
use crate::setup::{
    FileWritten, GuardUpdate, RetentionUpdate, SettingsPlan, SettingsUpdate, UserSettings,
};

/// A change to apply, with the plan that was shown.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SettingsApplyRequest {
    /// Regular expressions for additional secrets to redact
    redact: Option<Vec<String>>,
    /// How long records are kept
    retention: Option<RetentionUpdate>,
    /// The daemon's port from its next start on; 0 picks a free one
    port: Option<u16>,
    /// Whether events start the daemon
    daemon: Option<bool>,
    /// Whether events are recorded
    record: Option<bool>,
    /// The guard
    guard: Option<GuardUpdate>,
    /// The `plan` of the response to the plan request
    plan: String,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        get_with::<NoParams, UserSettings, _, _>("/settings", "Get the user's settings", show)
            .with_errors(&[NOT_FOUND]),
        post_setup(
            "/settings/plan",
            "Plan a change of settings; omitted members stay unchanged",
            |setup, update: SettingsUpdate| -> Result<SettingsPlan, _> {
                setup.plan_settings(&update)
            },
        ),
        post_setup(
            "/settings/apply",
            "Apply a settings plan, if the file has not changed since",
            |setup, request: SettingsApplyRequest| -> Result<FileWritten, _> {
                let plan = request.plan;
                let update = SettingsUpdate {
                    redact: request.redact,
                    retention: request.retention,
                    port: request.port,
                    daemon: request.daemon,
                    record: request.record,
                    guard: request.guard,
                };
                setup.apply_settings(&update, &plan)
            },
        ),
    ]
}

async fn show(State(daemon): DaemonState, uri: Uri) -> Result<Json<UserSettings>, ApiError> {
    parse_query::<NoParams>(&uri)?;
    let query = daemon.setup.run(|setup| setup.settings());
    Ok(Json(query.await?))
}
