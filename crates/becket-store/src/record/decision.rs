//! What hooks said, and what came of it.

use becket_guard::judge;
use serde_json::{Map, Value};

use super::{Observed, filled};
use crate::sanitise::{SUMMARY_CHARS, cut};
use crate::session::Position;

/// How much of a hook's output is kept.
const OUTPUT_CHARS: usize = 2_000;

/// The most runs that are listed of one event.
const MOST_RUNS: usize = 256;

/// What hooks, taken together, decided.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Decided {
    pub(crate) verdict: String,
    pub(crate) reason: Option<String>,
    /// The first hook that gave the verdict; where there is none and the input is another, the hook that gave it.
    pub(crate) hook: Option<String>,
    pub(crate) rewritten: bool,
    pub(crate) keeps_going: bool,
    /// What could not be said to the agent, as JSON.
    pub(crate) lost: Option<String>,
}

/// One run of one hook.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HookRun {
    pub(crate) id: String,
    pub(crate) event_id: String,
    pub(crate) position: Position,
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
    fn of(fields: &Map<String, Value>, position: &Position, number: usize) -> Self {
        let short = |key| filled(fields, key).map(|text| cut(&text, SUMMARY_CHARS).to_owned());
        let exit = fields.get("exit").and_then(Value::as_i64);
        Self {
            id: format!("{}#{number}", position.id),
            event_id: position.id.clone(),
            position: position.clone(),
            hook: filled(fields, "hook").unwrap_or_else(|| "unnamed".into()),
            // The guard says its rule in what it says to the agent.
            rule: filled(fields, "rule").or_else(|| {
                let reason = fields.get("reason").and_then(Value::as_str)?;
                judge::rule_in(reason).map(|rule| rule.id.to_owned())
            }),
            verdict: filled(fields, "verdict").unwrap_or_else(|| "none".into()),
            ms: fields.get("ms").and_then(Value::as_i64),
            ending: filled(fields, "ending").or_else(|| exit.map(|code| format!("exit {code}"))),
            error: short("error"),
            reason: short("reason"),
            output: filled(fields, "output").map(|text| cut(&text, OUTPUT_CHARS).to_owned()),
            detached: false,
        }
    }

    /// The end of a hook that nobody waited for.
    pub(super) fn detached(fields: &Map<String, Value>, position: Position) -> Self {
        let run = Self::of(fields, &position, 0);
        let failed = run
            .ending
            .as_deref()
            .is_some_and(|ending| ending != "exit 0");
        Self {
            id: position.id.clone(),
            event_id: filled(fields, "event_id").unwrap_or_default(),
            error: run
                .error
                .clone()
                .or_else(|| run.ending.clone().filter(|_| failed)),
            detached: true,
            ..run
        }
    }

    /// What an agent was told at an event that was on record by then.
    pub(super) fn told(fields: &Map<String, Value>, position: Position) -> Self {
        Self {
            id: position.id.clone(),
            event_id: filled(fields, "event_id").unwrap_or_default(),
            ..Self::of(fields, &position, 0)
        }
    }
}

impl Observed {
    pub(super) fn read_decision(&mut self, fields: &Map<String, Value>) {
        let Some(Value::Object(decision)) = fields.get("decision") else {
            return;
        };
        let verdict = filled(decision, "verdict").unwrap_or_else(|| "none".into());
        self.verdict = Some(verdict.clone());
        let runs = decision.get("hooks").and_then(Value::as_array);
        let runs = runs.into_iter().flatten().filter_map(Value::as_object);
        self.hooks = runs
            .take(MOST_RUNS)
            .enumerate()
            .map(|(number, run)| HookRun::of(run, &self.position, number))
            .collect();
        let rewritten = decision
            .get("updated_input")
            .is_some_and(|input| !input.is_null());
        let told = ["context", "keep_going"]
            .iter()
            .any(|key| filled(decision, key).is_some());
        if verdict == "none" && self.hooks.is_empty() && !rewritten && !told {
            return;
        }
        let lost = fields.get("lost").filter(|lost| !lost.is_null());
        let hook = if rewritten && matches!(verdict.as_str(), "none" | "allow") {
            rewriter(decision)
        } else {
            None
        };
        let hook = hook.or_else(|| {
            let mut runs = self.hooks.iter().filter(|_| verdict != "none");
            let run = runs.find(|run| run.verdict == verdict)?;
            Some(run.hook.clone())
        });
        // An agent that cannot be told to go on rests, whatever was decided.
        let heard = lost.is_none();
        let goes_on = filled(decision, "keep_going").is_some() || verdict == "deny";
        self.decided = Some(Decided {
            reason: filled(decision, "reason").map(|text| cut(&text, OUTPUT_CHARS).to_owned()),
            hook,
            rewritten,
            keeps_going: goes_on && heard,
            lost: lost.map(ToString::to_string),
            verdict,
        });
    }
}

/// The hook whose input is the one that counts: the last that gave one. Records of old do not say which did, and name it only
/// where there was no other.
fn rewriter(decision: &Map<String, Value>) -> Option<String> {
    let runs = decision.get("hooks")?.as_array()?;
    let rewrote = |run: &&Value| run["rewrote"] == true;
    let run = runs.iter().rev().find(rewrote).or(match runs.as_slice() {
        [only] => Some(only),
        _ => None,
    })?;
    filled(run.as_object()?, "hook")
}
