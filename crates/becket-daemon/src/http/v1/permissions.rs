//! Pending permission requests.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::Uri;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::query::NoParams;
use super::route::{
    ApiError, DaemonState, NOT_FOUND, Route, get_with, json_body, parse_body, parse_query,
};
use super::{ItemList, item_list};
use crate::rpc::{PendingPermission, PermissionChoice, PermissionDecision};

/// A decision on a permission request.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DecideRequest {
    /// The permission's id
    id: String,
    /// The decision; with `ask` the agent asks the user itself
    decision: PermissionChoice,
    /// The reason
    reason: Option<String>,
}

/// The decided permission.
#[derive(Debug, Serialize, JsonSchema)]
struct DecideResponse {
    /// The permission's id
    id: String,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        get_with::<NoParams, ItemList<PendingPermission>, _, _>(
            "/permissions",
            "List pending permissions; the caller counts as present and able to decide for a few seconds",
            list,
        ),
        json_body::<DecideRequest, DecideResponse, _, _>(
            "post",
            "/permissions/decide",
            "Decide a pending permission",
            decide,
        )
        .with_errors(&[NOT_FOUND]),
    ]
}

async fn list(
    State(daemon): DaemonState,
    uri: Uri,
) -> Result<Json<ItemList<PendingPermission>>, ApiError> {
    parse_query::<NoParams>(&uri)?;
    Ok(Json(item_list(daemon.pending.poll())))
}

async fn decide(
    State(daemon): DaemonState,
    uri: Uri,
    body: Bytes,
) -> Result<Json<DecideResponse>, ApiError> {
    parse_query::<NoParams>(&uri)?;
    let request: DecideRequest = parse_body(&body)?;
    let decision = PermissionDecision {
        choice: request.decision,
        reason: request.reason,
    };
    daemon.pending.decide(&request.id, decision)?;
    Ok(Json(DecideResponse { id: request.id }))
}
