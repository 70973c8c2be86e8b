//! Hook runs and the merged decision in a record.

use becket_base::text::prefix_chars;
use becket_guard::judge;
use serde_json::{Map, Value};

use super::{ParsedEvent, text_field};
use crate::condense::SUMMARY_CHARS;
use crate::session::EventPosition;

/// The longest output of a hook that is stored, in characters.
const OUTPUT_CHARS: usize = 2_000;

/// The most hook runs that are stored per event.
const MAX_RUNS: usize = 256;

/// The merged decision of all hooks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MergedDecision {
    pub(crate) verdict: String,
    pub(crate) reason: Option<String>,
    /// The first hook that gave the verdict; for a mere rewrite, the hook that rewrote the input.
    pub(crate) hook: Option<String>,
    pub(crate) rewritten: bool,
    pub(crate) keeps_going: bool,
    /// What the agent's protocol could not express, as JSON.
    pub(crate) lost: Option<String>,
}

/// One run of a hook.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HookRun {
    pub(crate) id: String,
    pub(crate) event_id: String,
    pub(crate) position: EventPosition,
    pub(crate) hook: String,
    pub(crate) rule: Option<String>,
    pub(crate) verdict: String,
    pub(crate) ms: Option<i64>,
    pub(crate) ending: Option<String>,
    pub(crate) error: Option<String>,
    pub(crate) reason: Option<String>,
    pub(crate) output: Option<String>,
    pub(crate) detached: bool,
}

impl HookRun {
    fn of(fields: &Map<String, Value>, position: &EventPosition, number: usize) -> Self {
        let short =
            |key| text_field(fields, key).map(|text| prefix_chars(&text, SUMMARY_CHARS).to_owned());
        let exit = fields.get("exit").and_then(Value::as_i64);
        Self {
            id: format!("{}#{number}", position.id),
            event_id: position.id.clone(),
            position: position.clone(),
            hook: text_field(fields, "hook").unwrap_or_else(|| "unnamed".into()),
            // The guard names its rule in the reason.
            rule: text_field(fields, "rule").or_else(|| {
                let reason = fields.get("reason").and_then(Value::as_str)?;
                judge::rule_in(reason).map(|rule| rule.id.to_owned())
            }),
            verdict: text_field(fields, "verdict").unwrap_or_else(|| "none".into()),
            ms: fields.get("ms").and_then(Value::as_i64),
            ending: text_field(fields, "ending")
                .or_else(|| exit.map(|code| format!("exit {code}"))),
            error: short("error"),
            reason: short("reason"),
            output: text_field(fields, "output")
                .map(|text| prefix_chars(&text, OUTPUT_CHARS).to_owned()),
            detached: false,
        }
    }

    /// The end of an async hook.
    pub(super) fn detached(fields: &Map<String, Value>, position: EventPosition) -> Self {
        let run = Self::of(fields, &position, 0);
        let failed = run
            .ending
            .as_deref()
            .is_some_and(|ending| ending != "exit 0");
        Self {
            id: position.id.clone(),
            event_id: text_field(fields, "event_id").unwrap_or_default(),
            error: run
                .error
                .clone()
                .or_else(|| run.ending.clone().filter(|_| failed)),
            detached: true,
            ..run
        }
    }

    /// Context that was injected after the event was recorded.
    pub(super) fn injected(fields: &Map<String, Value>, position: EventPosition) -> Self {
        Self {
            id: position.id.clone(),
            event_id: text_field(fields, "event_id").unwrap_or_default(),
            ..Self::of(fields, &position, 0)
        }
    }
}

impl ParsedEvent {
    pub(super) fn set_decision(&mut self, fields: &Map<String, Value>) {
        let Some(Value::Object(decision)) = fields.get("decision") else {
            return;
        };
        let verdict = text_field(decision, "verdict").unwrap_or_else(|| "none".into());
        self.verdict = Some(verdict.clone());
        let runs = decision.get("hooks").and_then(Value::as_array);
        let runs = runs.into_iter().flatten().filter_map(Value::as_object);
        self.hook_runs = runs
            .take(MAX_RUNS)
            .enumerate()
            .map(|(number, run)| HookRun::of(run, &self.position, number))
            .collect();
        let rewritten = decision
            .get("updated_input")
            .is_some_and(|input| !input.is_null());
        let has_text = ["context", "keep_going"]
            .iter()
            .any(|key| text_field(decision, key).is_some());
        if verdict == "none" && self.hook_runs.is_empty() && !rewritten && !has_text {
            return;
        }
        let lost = fields.get("lost").filter(|lost| !lost.is_null());
        let hook = if rewritten && matches!(verdict.as_str(), "none" | "allow") {
            rewriter(decision)
        } else {
            None
        };
        let hook = hook.or_else(|| {
            let mut runs = self.hook_runs.iter().filter(|_| verdict != "none");
            let run = runs.find(|run| run.verdict == verdict)?;
            Some(run.hook.clone())
        });
        // An agent whose protocol cannot express "keep going" stops, whatever was decided.
        let is_expressed = lost.is_none();
        let goes_on = text_field(decision, "keep_going").is_some() || verdict == "deny";
        self.decision = Some(MergedDecision {
            reason: text_field(decision, "reason")
                .map(|text| prefix_chars(&text, OUTPUT_CHARS).to_owned()),
            hook,
            rewritten,
            keeps_going: goes_on && is_expressed,
            lost: lost.map(ToString::to_string),
            verdict,
        });
    }
}

/// The hook whose rewrite counts: the last one that rewrote the input. Old records do not mark it; there it is
/// known only if a single hook ran.
fn rewriter(decision: &Map<String, Value>) -> Option<String> {
    let runs = decision.get("hooks")?.as_array()?;
    let rewrote = |run: &&Value| run["rewrote"] == true;
    let run = runs.iter().rev().find(rewrote).or(match runs.as_slice() {
        [only] => Some(only),
        _ => None,
    })?;
    text_field(run.as_object()?, "hook")
}
