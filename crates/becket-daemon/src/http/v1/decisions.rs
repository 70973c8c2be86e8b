//! Explains a decision, and plans rules that allow a call.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::Uri;
use becket_guard::judge;
use becket_store::{DecisionRow, HookRunRow, StreamedEvent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::query::NoParams;
use super::route::{
    ApiError, DaemonState, NOT_FOUND, PLAN_CHANGED, PathId, Route, get_with, json_body, parse_body,
    parse_id, parse_query,
};
use crate::run::Daemon;
use crate::setup::{FileWritten, RuleMatch, RulePlan};

/// A decision with its call and its hooks.
#[derive(Debug, Serialize, JsonSchema)]
struct DecisionDetail {
    #[serde(flatten)]
    decision: DecisionRow,
    /// The tool call, with secrets redacted
    call: CallDetail,
    /// The hooks that ran, in execution order
    hooks: Vec<HookResult>,
}

/// A tool call.
#[derive(Debug, Serialize, JsonSchema)]
struct CallDetail {
    /// The canonical tool name; null if the event is not about a tool
    tool: Option<String>,
    /// The tool's input, as the agent sent it
    input: Value,
    /// The input as rewritten by hooks
    rewritten_to: Option<Value>,
}

/// The result of a hook run.
#[derive(Debug, Serialize, JsonSchema)]
struct HookResult {
    #[serde(flatten)]
    run: HookRunRow,
    /// The matches of guard rules, if the hook is the guard
    matched: Vec<RuleMatch>,
}

/// The decision to change for the future.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RulePlanRequest {
    /// The id of the decision's event
    decision: String,
}

/// A plan to apply.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RuleApplyRequest {
    /// The id of the decision's event
    decision: String,
    /// The `plan` of the response to the plan request
    plan: String,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        get_with::<NoParams, DecisionDetail, _, _>(
            "/decisions/{id}",
            "Explain a decision: the tool call, the hooks that ran, and the guard rules that matched",
            explain,
        ),
        json_body::<RulePlanRequest, RulePlan, _, _>(
            "post",
            "/rules/plan",
            "Plan a rule that allows exactly this call in the future",
            plan,
        )
        .with_errors(&[NOT_FOUND]),
        json_body::<RuleApplyRequest, FileWritten, _, _>(
            "post",
            "/rules/apply",
            "Apply a rule plan, if the file has not changed since",
            apply,
        )
        .with_errors(&[NOT_FOUND, PLAN_CHANGED]),
    ]
}

async fn explain(
    State(daemon): DaemonState,
    id: PathId,
    uri: Uri,
) -> Result<Json<DecisionDetail>, ApiError> {
    let id = parse_id(id)?;
    parse_query::<NoParams>(&uri)?;
    let event_id = id.clone();
    let query = daemon.store.query(move |reader| {
        let decision = reader.decision(&event_id)?;
        Ok((
            decision,
            reader.event(&event_id)?,
            reader.hook_runs(&event_id)?,
        ))
    });
    let (Some(decision), event, runs) = query.await? else {
        return Err(ApiError::not_found(&id));
    };
    let call = call_of(&decision, event.as_ref());
    let matched = match event {
        Some(event) if runs.iter().any(is_guard_run) => {
            // Without a setup, only the record is available.
            let query = daemon
                .setup
                .run(move |setup| Ok(setup.rule_matches(&event)));
            query.await.unwrap_or_default()
        }
        _ => Vec::new(),
    };
    let hooks = runs
        .into_iter()
        .map(|run| hook_result(run, &matched))
        .collect();
    Ok(Json(DecisionDetail {
        decision,
        call,
        hooks,
    }))
}

fn call_of(decision: &DecisionRow, event: Option<&StreamedEvent>) -> CallDetail {
    let record = event.and_then(|event| serde_json::from_str::<Value>(&event.record).ok());
    let parsed = record.as_ref().and_then(becket_store::event_of_record);
    let input = parsed.as_ref().and_then(|event| event.call());
    let rewritten = record
        .as_ref()
        .map(|record| &record["decision"]["updated_input"]);
    CallDetail {
        tool: decision.tool.clone(),
        input: input.map_or(Value::Null, |call| call.input.clone()),
        rewritten_to: rewritten.filter(|input| !input.is_null()).cloned(),
    }
}

fn is_guard_run(run: &HookRunRow) -> bool {
    let known = |id: &String| judge::rules().any(|rule| rule.id == id);
    run.rule.as_ref().is_some_and(known)
}

/// Combines a hook run with the current rule matches. The files may have changed since, so the deciding rule is added
/// from the record if it does not match any more.
fn hook_result(run: HookRunRow, matched: &[RuleMatch]) -> HookResult {
    if !is_guard_run(&run) {
        return HookResult {
            run,
            matched: Vec::new(),
        };
    }
    let mut matched = matched.to_vec();
    let is_deciding = |one: &RuleMatch| Some(&one.rule) == run.rule.as_ref();
    if !matched.iter().any(is_deciding) {
        matched.extend(match_from_record(&run));
    }
    // The deciding rule comes first.
    matched.sort_by_key(|one| !is_deciding(one));
    HookResult { run, matched }
}

fn match_from_record(run: &HookRunRow) -> Option<RuleMatch> {
    let rule = judge::rules().find(|rule| Some(rule.id) == run.rule.as_deref())?;
    let subject = run.reason.as_deref().and_then(|reason| {
        let (_, rest) = reason.split_once(": `")?;
        rest.split_once('`').map(|(subject, _)| subject)
    });
    Some(RuleMatch {
        rule: rule.id.to_owned(),
        severity: rule.severity.word().to_owned(),
        text: subject.unwrap_or_default().to_owned(),
        start: None,
        end: None,
        explanation: rule.explanation.to_owned(),
        safer: rule.safer.to_owned(),
    })
}

async fn plan(
    State(daemon): DaemonState,
    uri: Uri,
    body: Bytes,
) -> Result<Json<RulePlan>, ApiError> {
    parse_query::<NoParams>(&uri)?;
    let request: RulePlanRequest = parse_body(&body)?;
    let event = decision_event(&daemon, request.decision).await?;
    let query = daemon.setup.run(move |setup| setup.plan_rule(&event));
    Ok(Json(query.await?))
}

async fn apply(
    State(daemon): DaemonState,
    uri: Uri,
    body: Bytes,
) -> Result<Json<FileWritten>, ApiError> {
    parse_query::<NoParams>(&uri)?;
    let request: RuleApplyRequest = parse_body(&body)?;
    let event = decision_event(&daemon, request.decision).await?;
    let plan = request.plan;
    let query = daemon
        .setup
        .run(move |setup| setup.apply_rule(&event, &plan));
    Ok(Json(query.await?))
}

/// The event of a decision.
async fn decision_event(daemon: &Daemon, id: String) -> Result<StreamedEvent, ApiError> {
    let event_id = id.clone();
    let query = daemon.store.query(move |reader| {
        let is_decision = reader.decision(&event_id)?.is_some();
        Ok(reader.event(&event_id)?.filter(|_| is_decision))
    });
    query.await?.ok_or_else(|| ApiError::not_found(&id))
}
