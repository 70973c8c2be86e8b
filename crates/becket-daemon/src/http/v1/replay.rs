//! What other rules would have decided.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::Uri;
use becket_store::Millis;
use schemars::JsonSchema;
use serde::Deserialize;

use super::project;
use super::query::{MOMENT, Nothing, a_moment};
use super::route::{ABSENT, Failed, Route, Shared, body, parameters, with_body};
use crate::setup::{Preset, ReplayQuestion, ReplayReport};

/// Whose word is wanted on what; all hooks on everything, if nothing is said.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Replay {
    /// That of the guard with this preset, whether or not it is switched on
    preset: Option<Preset>,
    /// That of the hook of this name alone
    hook: Option<String>,
    /// The directory of a project
    project: Option<String>,
    /// From then on: a time, a day, milliseconds since 1970, or how long ago (`12h`, `7d`)
    #[serde(default, deserialize_with = "a_moment")]
    #[schemars(with = "Option<String>", extend("pattern" = MOMENT))]
    since: Option<Millis>,
}

pub(super) fn route() -> Route {
    with_body::<Replay, ReplayReport, _, _>(
        "post",
        "/replay",
        "What another preset or hook would have decided on what is on record; nothing is run but the guard",
        replay,
    )
    .failing(&[ABSENT])
}

async fn replay(
    State(daemon): Shared,
    uri: Uri,
    sent: Bytes,
) -> Result<Json<ReplayReport>, Failed> {
    parameters::<Nothing>(&uri)?;
    let asked: Replay = body(&sent)?;
    if asked.preset.is_some() && asked.hook.is_some() {
        return Err(Failed::bad("`preset` and `hook` cannot be given together"));
    }
    project::perhaps(&daemon, asked.project.as_deref()).await?;
    let question = ReplayQuestion {
        preset: asked.preset,
        hook: asked.hook,
        project: asked.project,
        since: asked.since,
    };
    let ask = daemon.setup.ask(move |setup| setup.replay(&question));
    Ok(Json(ask.await?))
}
