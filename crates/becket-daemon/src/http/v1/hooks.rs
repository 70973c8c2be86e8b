//! The hooks of this machine: listed with how they fare, switched, tried.

use std::collections::HashMap;
use std::path::PathBuf;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::Uri;
use becket_guard::redact::{redact_json, redact_text};
use becket_store::{HookLatency, Scope};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::project;
use super::query::Nothing;
use super::route::{ABSENT, Failed, Route, Shared, body, parameters, read, with_body};
use crate::rpc::{HookName, HookTest};
use crate::setup::{HookEntry, HookProblem, HookTried, Switched};

/// Whose hooks.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct OfProject {
    /// The directory of a project; only your own hooks, if it is not said
    project: Option<String>,
}

/// Every hook that is configured, and how it fares.
#[derive(Debug, Serialize, JsonSchema)]
struct HookOverview {
    /// Of this shape
    schema_version: u32,
    /// `enabled`, or `disabled` where all hooks rest
    mode: String,
    /// In running order; an entry for several events is there once for each
    hooks: Vec<HookShown>,
    /// What is wrong with the files
    problems: Vec<HookProblem>,
}

/// A hook, and how it fares.
#[derive(Debug, Serialize, JsonSchema)]
struct HookShown {
    #[serde(flatten)]
    hook: HookEntry,
    /// How often it ran, under this name
    runs: u64,
    /// How often it failed
    failures: u64,
    /// Half of the runs took no longer, in milliseconds
    p50_ms: Option<i64>,
    /// 95 of 100 runs took no longer
    p95_ms: Option<i64>,
}

/// A hook to switch.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Switch {
    /// Its name, or `FILE:LINE`
    name: String,
    /// Where several have the name: which
    level: Option<HookLevel>,
    /// The directory of its project
    project: Option<String>,
    /// Whether it is to run
    on: bool,
}

/// A hook to run once.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Try {
    /// Its name, or `FILE:LINE`
    name: String,
    /// Where several have the name: which
    level: Option<HookLevel>,
    /// The directory of its project
    project: Option<String>,
    /// Another event than its own
    event: Option<String>,
    /// The tool, for events about tools
    tool: Option<String>,
    /// The tool's input
    input: Option<serde_json::Map<String, Value>>,
}

/// Whose file a hook stands in.
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
        read::<OfProject, HookOverview, _, _>(
            "/hooks",
            "Every hook that is configured, whether it is trusted, and how it fares",
            list,
        )
        .failing(&[ABSENT]),
        with_body::<Switch, Switched, _, _>(
            "post",
            "/hooks/switch",
            "Switch a hook on or off",
            switch,
        )
        .failing(&[ABSENT]),
        with_body::<Try, HookTried, _, _>(
            "post",
            "/hooks/test",
            "Run a hook with a sample event; it does what it does",
            test,
        )
        .failing(&[ABSENT]),
    ]
}

async fn list(State(daemon): Shared, uri: Uri) -> Result<Json<HookOverview>, Failed> {
    let of: OfProject = parameters(&uri)?;
    let root = project::perhaps(&daemon, of.project.as_deref()).await?;
    let listed = daemon
        .setup
        .ask(move |setup| setup.hooks(root.as_deref()))
        .await?;
    let ask = daemon.keeper.ask(move |reader| {
        reader.hook_latency(&Scope {
            project: of.project.as_deref(),
            ..Scope::default()
        })
    });
    let fared = ask.await?.into_iter();
    let fared: HashMap<String, HookLatency> = fared.map(|one| (one.hook.clone(), one)).collect();
    let hooks = listed.hooks.into_iter();
    Ok(Json(HookOverview {
        schema_version: listed.schema_version,
        mode: listed.mode,
        hooks: hooks.map(|hook| shown(hook, &fared)).collect(),
        problems: listed.problems,
    }))
}

fn shown(mut hook: HookEntry, fared: &HashMap<String, HookLatency>) -> HookShown {
    let fared = fared.get(&hook.name);
    redact_json(&mut hook.definition);
    HookShown {
        runs: fared.map_or(0, |one| one.runs),
        failures: fared.map_or(0, |one| one.errors),
        p50_ms: fared.map(|one| one.p50),
        p95_ms: fared.map(|one| one.p95),
        hook,
    }
}

/// Which hook, with a project that may be asked about.
struct Meant {
    name: String,
    level: Option<HookLevel>,
    project: Option<PathBuf>,
}

impl Meant {
    fn name(&self) -> HookName<'_> {
        HookName {
            name: &self.name,
            level: self.level.map(HookLevel::word),
            project: self.project.as_deref(),
        }
    }
}

async fn switch(State(daemon): Shared, uri: Uri, sent: Bytes) -> Result<Json<Switched>, Failed> {
    parameters::<Nothing>(&uri)?;
    let asked: Switch = body(&sent)?;
    let meant = Meant {
        project: project::perhaps(&daemon, asked.project.as_deref()).await?,
        name: asked.name,
        level: asked.level,
    };
    let ask = daemon
        .setup
        .ask(move |setup| setup.switch(&meant.name(), asked.on));
    Ok(Json(ask.await?))
}

async fn test(State(daemon): Shared, uri: Uri, sent: Bytes) -> Result<Json<HookTried>, Failed> {
    parameters::<Nothing>(&uri)?;
    let asked: Try = body(&sent)?;
    let meant = Meant {
        project: project::perhaps(&daemon, asked.project.as_deref()).await?,
        name: asked.name,
        level: asked.level,
    };
    let input = asked.input.map(Value::Object);
    let ask = daemon.setup.ask(move |setup| {
        setup.test(&HookTest {
            hook: meant.name(),
            event: asked.event.as_deref(),
            tool: asked.tool.as_deref(),
            input: input.as_ref(),
        })
    });
    let mut tried = ask.await?;
    // What a program prints may be anything.
    for text in [&mut tried.stdout, &mut tried.stderr] {
        *text = redact_text(text).into_owned();
    }
    Ok(Json(tried))
}
