//! Configured hooks: list with statistics, enable, disable, test.

use std::collections::HashMap;
use std::path::PathBuf;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::Uri;
use becket_guard::redact::{redact_json, redact_text};
use becket_store::{HookLatency, QueryScope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::project;
use super::query::NoParams;
use super::route::{
    ApiError, DaemonState, NOT_FOUND, Route, get_with, json_body, parse_body, parse_query,
};
use crate::rpc::{HookSelector, HookTest};
use crate::setup::{HookEntry, HookProblem, HookSwitchResult, HookTestResult};

/// Selects a project.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HooksParams {
    /// The project's directory; without it, only your own hooks
    project: Option<String>,
}

/// All configured hooks with statistics.
#[derive(Debug, Serialize, JsonSchema)]
struct HookOverview {
    /// The version of this format
    schema_version: u32,
    /// `enabled`, or `disabled` if all hooks are disabled
    mode: String,
    /// In execution order; an entry for several events is listed once for each
    hooks: Vec<HookWithStats>,
    /// Errors and warnings in the files
    problems: Vec<HookProblem>,
}

/// A hook with statistics.
#[derive(Debug, Serialize, JsonSchema)]
struct HookWithStats {
    #[serde(flatten)]
    hook: HookEntry,
    /// The number of runs under this name
    runs: u64,
    /// The number of hook errors
    failures: u64,
    /// The median duration in milliseconds (50th percentile)
    p50_ms: Option<i64>,
    /// The 95th percentile of the duration in milliseconds
    p95_ms: Option<i64>,
}

/// Enables or disables a hook.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HookSwitchRequest {
    /// The hook's name, or `FILE:LINE`
    name: String,
    /// The level, if several hooks have the name
    level: Option<HookLevel>,
    /// The project's directory
    project: Option<String>,
    /// Whether to enable it
    on: bool,
}

/// Runs a hook with a sample event.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HookTestRequest {
    /// The hook's name, or `FILE:LINE`
    name: String,
    /// The level, if several hooks have the name
    level: Option<HookLevel>,
    /// The project's directory
    project: Option<String>,
    /// Another event than the hook's own
    event: Option<String>,
    /// The tool, for tool events
    tool: Option<String>,
    /// The tool's input
    input: Option<serde_json::Map<String, Value>>,
}

/// The configuration level of a hook.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum HookLevel {
    User,
    Project,
    Local,
}

impl HookLevel {
    fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Project => "project",
            Self::Local => "local",
        }
    }
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        get_with::<HooksParams, HookOverview, _, _>(
            "/hooks",
            "List the configured hooks with their trust and statistics",
            list,
        )
        .with_errors(&[NOT_FOUND]),
        json_body::<HookSwitchRequest, HookSwitchResult, _, _>(
            "post",
            "/hooks/switch",
            "Enable or disable a hook",
            switch,
        )
        .with_errors(&[NOT_FOUND]),
        json_body::<HookTestRequest, HookTestResult, _, _>(
            "post",
            "/hooks/test",
            "Run a hook with a sample event, including its side effects",
            test,
        )
        .with_errors(&[NOT_FOUND]),
    ]
}

async fn list(State(daemon): DaemonState, uri: Uri) -> Result<Json<HookOverview>, ApiError> {
    let params: HooksParams = parse_query(&uri)?;
    let root = project::optional_project(&daemon, params.project.as_deref()).await?;
    let listed = daemon
        .setup
        .run(move |setup| setup.hooks(root.as_deref()))
        .await?;
    let query = daemon.store.query(move |reader| {
        reader.hook_latency(&QueryScope {
            project: params.project.as_deref(),
            ..QueryScope::default()
        })
    });
    let latency = query.await?.into_iter();
    let latency: HashMap<String, HookLatency> =
        latency.map(|one| (one.hook.clone(), one)).collect();
    let hooks = listed.hooks.into_iter();
    Ok(Json(HookOverview {
        schema_version: listed.schema_version,
        mode: listed.mode,
        hooks: hooks.map(|hook| with_stats(hook, &latency)).collect(),
        problems: listed.problems,
    }))
}

fn with_stats(mut hook: HookEntry, latency: &HashMap<String, HookLatency>) -> HookWithStats {
    let latency = latency.get(&hook.name);
    redact_json(&mut hook.definition);
    HookWithStats {
        runs: latency.map_or(0, |one| one.runs),
        failures: latency.map_or(0, |one| one.errors),
        p50_ms: latency.map(|one| one.p50),
        p95_ms: latency.map(|one| one.p95),
        hook,
    }
}

/// A hook, with a validated project.
struct SelectedHook {
    name: String,
    level: Option<HookLevel>,
    project: Option<PathBuf>,
}

impl SelectedHook {
    fn name(&self) -> HookSelector<'_> {
        HookSelector {
            name: &self.name,
            level: self.level.map(HookLevel::word),
            project: self.project.as_deref(),
        }
    }
}

async fn switch(
    State(daemon): DaemonState,
    uri: Uri,
    body: Bytes,
) -> Result<Json<HookSwitchResult>, ApiError> {
    parse_query::<NoParams>(&uri)?;
    let request: HookSwitchRequest = parse_body(&body)?;
    let selected = SelectedHook {
        project: project::optional_project(&daemon, request.project.as_deref()).await?,
        name: request.name,
        level: request.level,
    };
    let query = daemon
        .setup
        .run(move |setup| setup.switch(&selected.name(), request.on));
    Ok(Json(query.await?))
}

async fn test(
    State(daemon): DaemonState,
    uri: Uri,
    body: Bytes,
) -> Result<Json<HookTestResult>, ApiError> {
    parse_query::<NoParams>(&uri)?;
    let request: HookTestRequest = parse_body(&body)?;
    let selected = SelectedHook {
        project: project::optional_project(&daemon, request.project.as_deref()).await?,
        name: request.name,
        level: request.level,
    };
    let input = request.input.map(Value::Object);
    let query = daemon.setup.run(move |setup| {
        setup.test(&HookTest {
            hook: selected.name(),
            event: request.event.as_deref(),
            tool: request.tool.as_deref(),
            input: input.as_ref(),
        })
    });
    let mut result = query.await?;
    // The output of a program may contain secrets.
    for text in [&mut result.stdout, &mut result.stderr] {
        *text = redact_text(text).into_owned();
    }
    Ok(Json(result))
}
