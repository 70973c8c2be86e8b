//! Counts and groups the decisions of a replay.

use std::collections::{BTreeMap, HashMap, HashSet};

use becket::model::Verdict;
use becket_store::{Millis, StreamedEvent, describe_record_in_full};
use serde_json::Value;

use super::evaluate::{ReplayDecision, parse_verdict};

/// How many distinct calls a group keeps; further ones are only counted.
const MAX_DISTINCT_CALLS: usize = 10_000;

/// One call with its recorded and its new verdict.
#[derive(Clone)]
pub(super) struct ReplayedCall {
    pub(super) event_id: String,
    pub(super) at: Millis,
    pub(super) agent: String,
    pub(super) session: Option<String>,
    pub(super) project: Option<String>,
    /// The tool, or the event name if the event is not about a tool.
    pub(super) tool: String,
    pub(super) subject: String,
    pub(super) then: Verdict,
    /// The recorded verdict of all hooks together.
    pub(super) overall_then: Verdict,
    pub(super) now: Verdict,
    pub(super) hook: Option<String>,
    pub(super) rule: Option<String>,
    pub(super) reason: Option<String>,
    /// `open`, `ran`, `failed` or `refused`.
    pub(super) outcome: Option<String>,
    /// How often this call occurred.
    pub(super) times: u64,
}

impl ReplayedCall {
    pub(super) fn new(
        event: &StreamedEvent,
        record: &Value,
        then: Verdict,
        now: ReplayDecision,
    ) -> Self {
        Self {
            event_id: event.id.clone(),
            at: event.at,
            agent: event.agent.clone(),
            session: event.session.clone(),
            project: event.project.clone(),
            tool: event.tool.clone().unwrap_or_else(|| event.kind.clone()),
            subject: describe_record_in_full(record).unwrap_or_default(),
            then,
            overall_then: parse_verdict(&record["decision"]["verdict"]),
            now: now.verdict,
            rule: now.rule().map(str::to_owned),
            hook: now.hook,
            reason: now.reason,
            outcome: None,
            times: 1,
        }
    }

    fn is_changed(&self) -> bool {
        self.then != self.now
    }

    /// It ran without an error.
    fn ran_ok(&self) -> bool {
        self.outcome.as_deref() == Some("ran")
    }
}

/// Calls of one kind; identical calls are merged.
#[derive(Default)]
pub(super) struct CallGroup {
    pub(super) count: u64,
    calls: Vec<ReplayedCall>,
    positions: HashMap<(String, String, Option<String>), usize>,
}

impl CallGroup {
    fn add(&mut self, call: &ReplayedCall) {
        self.count += 1;
        let key = (call.tool.clone(), call.subject.clone(), call.rule.clone());
        match self.positions.get(&key) {
            Some(at) => {
                let times = self.calls[*at].times + 1;
                self.calls[*at] = ReplayedCall {
                    times,
                    ..call.clone()
                };
            }
            None if self.calls.len() < MAX_DISTINCT_CALLS => {
                self.positions.insert(key, self.calls.len());
                self.calls.push(call.clone());
            }
            None => {}
        }
    }

    /// Whether both groups hold the same calls.
    pub(super) fn is_same_as(&self, other: &Self) -> bool {
        let ids = |of: &Self| -> Vec<String> {
            of.calls.iter().map(|one| one.event_id.clone()).collect()
        };
        self.count == other.count && ids(self) == ids(other)
    }

    /// The most frequent calls.
    pub(super) fn first(&self, limit: usize) -> Vec<&ReplayedCall> {
        let mut calls: Vec<&ReplayedCall> = self.calls.iter().collect();
        calls.sort_by_key(|call| std::cmp::Reverse((call.times, call.at)));
        calls.truncate(limit);
        calls
    }
}

pub(super) struct ReplayTally {
    /// Whether all events were replayed.
    pub(super) complete: bool,
    /// Events that hooks can block.
    pub(super) looked_at: u64,
    /// Events on which a selected hook decided, then or now.
    pub(super) replayed: u64,
    pub(super) unreadable: u64,
    sessions: HashSet<String>,
    pub(super) span: Option<(Millis, Millis)>,
    pub(super) then: BTreeMap<Verdict, u64>,
    pub(super) now: BTreeMap<Verdict, u64>,
    pub(super) changes: BTreeMap<(Verdict, Verdict), CallGroup>,
    /// Calls that would be blocked now, and ran successfully then.
    pub(super) denied: CallGroup,
    /// Calls that would be asked about now, and ran successfully without asking then.
    pub(super) asked: CallGroup,
    /// Counts by hook, rule and verdict.
    pub(super) rules: BTreeMap<(String, Option<String>, Verdict), u64>,
    pub(super) not_run: BTreeMap<(String, &'static str), u64>,
}

impl Default for ReplayTally {
    fn default() -> Self {
        Self {
            complete: true,
            looked_at: 0,
            replayed: 0,
            unreadable: 0,
            sessions: HashSet::new(),
            span: None,
            then: BTreeMap::new(),
            now: BTreeMap::new(),
            changes: BTreeMap::new(),
            denied: CallGroup::default(),
            asked: CallGroup::default(),
            rules: BTreeMap::new(),
            not_run: BTreeMap::new(),
        }
    }
}

impl ReplayTally {
    pub(super) fn add(&mut self, call: &ReplayedCall) {
        self.replayed += 1;
        self.sessions.extend(call.session.clone());
        let (first, last) = self.span.unwrap_or((call.at, call.at));
        self.span = Some((first.min(call.at), last.max(call.at)));
        *self.then.entry(call.then).or_default() += 1;
        *self.now.entry(call.now).or_default() += 1;
        if let Some(hook) = &call.hook {
            let key = (hook.clone(), call.rule.clone(), call.now);
            *self.rules.entry(key).or_default() += 1;
        }
        if call.is_changed() {
            let change = self.changes.entry((call.then, call.now)).or_default();
            change.add(call);
        }
        match call.now {
            // A call that another hook blocked or asked about is not evidence of a false positive.
            now if now.blocks() && !call.overall_then.blocks() && call.ran_ok() => {
                self.denied.add(call);
            }
            Verdict::Ask if call.overall_then < Verdict::Ask && call.ran_ok() => {
                self.asked.add(call);
            }
            _ => {}
        }
    }

    pub(super) fn sessions(&self) -> u64 {
        self.sessions.len() as u64
    }

    pub(super) fn changed(&self) -> u64 {
        self.changes.values().map(|group| group.count).sum()
    }
}
