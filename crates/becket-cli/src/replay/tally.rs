//! What a replay adds up to.

use std::collections::{BTreeMap, HashMap, HashSet};

use becket::model::Verdict;
use becket_store::{Millis, StreamedEvent, about_in_full};
use serde_json::Value;

use super::rules::{Answer, verdict};

/// Different calls that are kept apart; more are only counted.
const MOST_CALLS: usize = 10_000;

/// One call, decided then and now.
#[derive(Clone)]
pub(super) struct Case {
    pub(super) event_id: String,
    pub(super) at: Millis,
    pub(super) agent: String,
    pub(super) session: Option<String>,
    pub(super) project: Option<String>,
    /// The event's own name where it is not about a tool.
    pub(super) tool: String,
    pub(super) subject: String,
    pub(super) then: Verdict,
    /// What all hooks together said then, whosever word is wanted.
    pub(super) told: Verdict,
    pub(super) now: Verdict,
    pub(super) hook: Option<String>,
    pub(super) rule: Option<String>,
    pub(super) reason: Option<String>,
    /// `open`, `ran`, `failed` or `refused`.
    pub(super) outcome: Option<String>,
    /// How often the very same came up.
    pub(super) times: u64,
}

impl Case {
    pub(super) fn new(event: &StreamedEvent, record: &Value, then: Verdict, now: Answer) -> Self {
        Self {
            event_id: event.id.clone(),
            at: event.at,
            agent: event.agent.clone(),
            session: event.session.clone(),
            project: event.project.clone(),
            tool: event.tool.clone().unwrap_or_else(|| event.kind.clone()),
            subject: about_in_full(record).unwrap_or_default(),
            then,
            told: verdict(&record["decision"]["verdict"]),
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

    /// It ran, and nothing went wrong.
    fn ran_well(&self) -> bool {
        self.outcome.as_deref() == Some("ran")
    }
}

/// Calls of one sort, the same ones together.
#[derive(Default)]
pub(super) struct Cases {
    pub(super) count: u64,
    kept: Vec<Case>,
    known: HashMap<(String, String, Option<String>), usize>,
}

impl Cases {
    fn add(&mut self, case: &Case) {
        self.count += 1;
        let key = (case.tool.clone(), case.subject.clone(), case.rule.clone());
        match self.known.get(&key) {
            Some(at) => {
                let times = self.kept[*at].times + 1;
                self.kept[*at] = Case {
                    times,
                    ..case.clone()
                };
            }
            None if self.kept.len() < MOST_CALLS => {
                self.known.insert(key, self.kept.len());
                self.kept.push(case.clone());
            }
            None => {}
        }
    }

    /// Whether these are the very same calls.
    pub(super) fn is_same_as(&self, other: &Self) -> bool {
        let ids =
            |of: &Self| -> Vec<String> { of.kept.iter().map(|one| one.event_id.clone()).collect() };
        self.count == other.count && ids(self) == ids(other)
    }

    /// The most frequent first.
    pub(super) fn first(&self, limit: usize) -> Vec<&Case> {
        let mut cases: Vec<&Case> = self.kept.iter().collect();
        cases.sort_by_key(|case| std::cmp::Reverse((case.times, case.at)));
        cases.truncate(limit);
        cases
    }
}

pub(super) struct Tally {
    /// Whether all events were looked at.
    pub(super) complete: bool,
    /// Events on which a hook could decide.
    pub(super) looked_at: u64,
    /// Those on which somebody did, then or now.
    pub(super) replayed: u64,
    pub(super) unreadable: u64,
    sessions: HashSet<String>,
    pub(super) span: Option<(Millis, Millis)>,
    pub(super) then: BTreeMap<Verdict, u64>,
    pub(super) now: BTreeMap<Verdict, u64>,
    pub(super) changes: BTreeMap<(Verdict, Verdict), Cases>,
    /// Would now be denied, and was let through and ran well then.
    pub(super) denied: Cases,
    /// Would now be asked about, and ran well then without.
    pub(super) asked: Cases,
    /// By hook, rule and verdict.
    pub(super) rules: BTreeMap<(String, Option<String>, Verdict), u64>,
    pub(super) not_run: BTreeMap<(String, &'static str), u64>,
}

impl Default for Tally {
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
            denied: Cases::default(),
            asked: Cases::default(),
            rules: BTreeMap::new(),
            not_run: BTreeMap::new(),
        }
    }
}

impl Tally {
    pub(super) fn add(&mut self, case: &Case) {
        self.replayed += 1;
        self.sessions.extend(case.session.clone());
        let (first, last) = self.span.unwrap_or((case.at, case.at));
        self.span = Some((first.min(case.at), last.max(case.at)));
        *self.then.entry(case.then).or_default() += 1;
        *self.now.entry(case.now).or_default() += 1;
        if let Some(hook) = &case.hook {
            let key = (hook.clone(), case.rule.clone(), case.now);
            *self.rules.entry(key).or_default() += 1;
        }
        if case.is_changed() {
            let change = self.changes.entry((case.then, case.now)).or_default();
            change.add(case);
        }
        match case.now {
            // What another hook denied then, or asked about, did not run because nobody minded.
            now if now.blocks() && !case.told.blocks() && case.ran_well() => self.denied.add(case),
            Verdict::Ask if case.told < Verdict::Ask && case.ran_well() => self.asked.add(case),
            _ => {}
        }
    }

    pub(super) fn sessions(&self) -> u64 {
        self.sessions.len() as u64
    }

    pub(super) fn changed(&self) -> u64 {
        self.changes.values().map(|cases| cases.count).sum()
    }
}
