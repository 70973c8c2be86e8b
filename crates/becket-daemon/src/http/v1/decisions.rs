//! One decision explained, and what would let such a call pass.

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::Uri;
use becket_guard::judge;
use becket_store::{DecisionRow, HookRunRow, StreamedEvent};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::query::Nothing;
use super::route::{
    ABSENT, CHANGED, Failed, Id, Route, Shared, body, known, parameters, read, with_body,
};
use crate::run::Daemon;
use crate::setup::{FileWritten, Matched, RulePlan};

/// A decision, and what it rests on.
#[derive(Debug, Serialize, JsonSchema)]
struct DecisionDetail {
    #[serde(flatten)]
    decision: DecisionRow,
    /// What was to be done, without secrets
    call: CallDetail,
    /// Every hook that ran, in running order
    hooks: Vec<HookSaid>,
}

/// A call of a tool.
#[derive(Debug, Serialize, JsonSchema)]
struct CallDetail {
    /// The tool's canonical name; nothing where the event is not about a tool
    tool: Option<String>,
    /// The tool's input, as the agent gave it
    input: Value,
    /// The input that hooks gave the tool instead
    rewritten_to: Option<Value>,
}

/// What a hook said.
#[derive(Debug, Serialize, JsonSchema)]
struct HookSaid {
    #[serde(flatten)]
    run: HookRunRow,
    /// What the guard met, where it is the guard
    matched: Vec<Matched>,
}

/// Which decision is to be made otherwise in future.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RuleWanted {
    /// The id of its event
    decision: String,
}

/// A plan to carry out.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RuleAccepted {
    /// The id of its event
    decision: String,
    /// The `plan` that was shown
    plan: String,
}

pub(super) fn routes() -> Vec<Route> {
    vec![
        read::<Nothing, DecisionDetail, _, _>(
            "/decisions/{id}",
            "A decision explained: the call, every hook that ran, and what the guard met",
            explain,
        ),
        with_body::<RuleWanted, RulePlan, _, _>(
            "post",
            "/rules/plan",
            "What would be written to your configuration so that this very call passes in future",
            plan,
        )
        .failing(&[ABSENT]),
        with_body::<RuleAccepted, FileWritten, _, _>(
            "post",
            "/rules/apply",
            "Write it, if the file is still as it was shown",
            apply,
        )
        .failing(&[ABSENT, CHANGED]),
    ]
}

async fn explain(State(daemon): Shared, id: Id, uri: Uri) -> Result<Json<DecisionDetail>, Failed> {
    let id = known(id)?;
    parameters::<Nothing>(&uri)?;
    let wanted = id.clone();
    let ask = daemon.keeper.ask(move |reader| {
        let decision = reader.decision(&wanted)?;
        Ok((decision, reader.event(&wanted)?, reader.hook_runs(&wanted)?))
    });
    let (Some(decision), event, runs) = ask.await? else {
        return Err(Failed::missing(&id));
    };
    let call = call_of(&decision, event.as_ref());
    let matched = match event {
        Some(event) if runs.iter().any(is_guards) => {
            // Without a set-up there is only what the record says.
            let ask = daemon.setup.ask(move |setup| Ok(setup.matched(&event)));
            ask.await.unwrap_or_default()
        }
        _ => Vec::new(),
    };
    let hooks = runs.into_iter().map(|run| said(run, &matched)).collect();
    Ok(Json(DecisionDetail {
        decision,
        call,
        hooks,
    }))
}

fn call_of(decision: &DecisionRow, event: Option<&StreamedEvent>) -> CallDetail {
    let record = event.and_then(|event| serde_json::from_str::<Value>(&event.record).ok());
    let told = record.as_ref().and_then(becket_store::event_in);
    let input = told.as_ref().and_then(|told| told.call());
    let rewritten = record
        .as_ref()
        .map(|record| &record["decision"]["updated_input"]);
    CallDetail {
        tool: decision.tool.clone(),
        input: input.map_or(Value::Null, |call| call.input.clone()),
        rewritten_to: rewritten.filter(|input| !input.is_null()).cloned(),
    }
}

fn is_guards(run: &HookRunRow) -> bool {
    let known = |id: &String| judge::rules().any(|rule| rule.id == id);
    run.rule.as_ref().is_some_and(known)
}

/// The files that a call was about may have changed since. The rule that decided is told all the same, as the record has it.
fn said(run: HookRunRow, matched: &[Matched]) -> HookSaid {
    if !is_guards(&run) {
        return HookSaid {
            run,
            matched: Vec::new(),
        };
    }
    let mut matched = matched.to_vec();
    let decided = |one: &Matched| Some(&one.rule) == run.rule.as_ref();
    if !matched.iter().any(decided) {
        matched.extend(as_recorded(&run));
    }
    // What decided comes first.
    matched.sort_by_key(|one| !decided(one));
    HookSaid { run, matched }
}

fn as_recorded(run: &HookRunRow) -> Option<Matched> {
    let rule = judge::rules().find(|rule| Some(rule.id) == run.rule.as_deref())?;
    let subject = run.reason.as_deref().and_then(|reason| {
        let (_, rest) = reason.split_once(": `")?;
        rest.split_once('`').map(|(subject, _)| subject)
    });
    Some(Matched {
        rule: rule.id.to_owned(),
        severity: rule.severity.word().to_owned(),
        text: subject.unwrap_or_default().to_owned(),
        start: None,
        end: None,
        explanation: rule.explanation.to_owned(),
        safer: rule.safer.to_owned(),
    })
}

async fn plan(State(daemon): Shared, uri: Uri, sent: Bytes) -> Result<Json<RulePlan>, Failed> {
    parameters::<Nothing>(&uri)?;
    let wanted: RuleWanted = body(&sent)?;
    let event = decided(&daemon, wanted.decision).await?;
    let ask = daemon.setup.ask(move |setup| setup.plan_rule(&event));
    Ok(Json(ask.await?))
}

async fn apply(State(daemon): Shared, uri: Uri, sent: Bytes) -> Result<Json<FileWritten>, Failed> {
    parameters::<Nothing>(&uri)?;
    let accepted: RuleAccepted = body(&sent)?;
    let event = decided(&daemon, accepted.decision).await?;
    let plan = accepted.plan;
    let ask = daemon
        .setup
        .ask(move |setup| setup.apply_rule(&event, &plan));
    Ok(Json(ask.await?))
}

/// The event of a decision.
async fn decided(daemon: &Daemon, id: String) -> Result<StreamedEvent, Failed> {
    let wanted = id.clone();
    let ask = daemon.keeper.ask(move |reader| {
        let is_decision = reader.decision(&wanted)?.is_some();
        Ok(reader.event(&wanted)?.filter(|_| is_decision))
    });
    ask.await?.ok_or_else(|| Failed::missing(&id))
}
