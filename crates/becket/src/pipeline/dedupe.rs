//! Dedupe: a tool call that an agent reports twice runs its hooks once, and both reports get the same decision.
//!
//! Some agents also run the hooks of another agent's files, or announce one tool call in two ways ([`dedupe_key`],
//! [`paired_report`]). The first report claims the call: it holds a lock on a small file while its hooks run and
//! publishes the decision there. The second report waits for the lock and replays the decision. If the first
//! process dies, the file is empty and the second report takes over. A decision is valid for a few seconds.
//!
//! Agents that never report twice skip all of this. Losing a file is harmless: the hooks then run twice.

use std::fs::{self, File};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use becket_agents::{Adapter, PairedReport, TurnEnd, dedupe_key, paired_report, turn_end};
use becket_base::fs::{FileSync, LockRetry, create_private_parent, open_private, write_private};
use becket_model::{Decision, Event, EventKind, HookOutcome, HookRun, HookSpec, Verdict, merge};
use serde_json::{Value, json};

/// How long a published decision is valid.
const DECISION_TTL: Duration = Duration::from_secs(10);

/// How long the second report waits for the first. Cursor gives a hook a minute, and waits for both.
const CLAIM_TIMEOUT: Duration = Duration::from_secs(50);

/// Files older than this are deleted.
const MAX_FILE_AGE: Duration = Duration::from_secs(3600);

/// The directory of claimed calls and published decisions.
pub(super) struct Deduper {
    dir: PathBuf,
}

/// The result of claiming a tool call.
pub(super) enum Claim {
    /// This is the first or only report: decide.
    First(FirstReport),
    /// The first report has decided: replay this decision.
    Repeated(Box<Decision>),
    /// Another process still decides, and the wait timed out.
    InProgress,
}

/// The claim of a first report, with the decision of an earlier announcement of the same tool call.
#[derive(Default)]
pub(super) struct FirstReport {
    file: Option<File>,
    /// Marks the end of a turn as reported.
    turn_mark: Option<PathBuf>,
    sibling: SiblingDecision,
}

/// The published decision of an earlier announcement of the same tool call.
#[derive(Default)]
pub(super) struct SiblingDecision {
    hook_runs: Vec<HookRun>,
    /// Digests of the hooks that ran.
    ran: Vec<String>,
    /// The file it was read from, and its text.
    source: Option<(PathBuf, String)>,
}

impl FirstReport {
    /// Whether a hook ran for the earlier announcement.
    pub(super) fn has_run(&self, hook: &HookSpec) -> bool {
        let ran = &self.sibling.ran;
        !ran.is_empty() && ran.contains(&digest(hook))
    }

    /// Merges a decision with that of the earlier announcement.
    pub(super) fn merge_sibling(&self, decision: Decision) -> Decision {
        if self.sibling.hook_runs.is_empty() {
            return decision;
        }
        let conflicts = decision.conflicts;
        let runs = self.sibling.hook_runs.iter().cloned();
        Decision {
            conflicts,
            ..merge(runs.chain(decision.hook_runs).collect())
        }
    }

    /// Restores the earlier announcement's decision: another process will claim the call again.
    pub(super) fn release(self) {
        if let Some((path, text)) = self.sibling.source {
            let _ = open_private(&path).and_then(|mut file| file.write_all(text.as_bytes()));
        }
    }

    /// The decision to publish for another report, once this one is on record.
    pub(super) fn pending_decision(
        self,
        deduper: &Deduper,
        event: &Event,
        decision: &Decision,
        hooks: &[&HookSpec],
    ) -> Option<PendingDecision> {
        if self.file.is_none() && self.turn_mark.is_none() {
            return None;
        }
        Some(PendingDecision {
            sibling: sibling_file(deduper, event, decision, hooks),
            file: self.file,
            turn_mark: self.turn_mark,
            decision: outcome_json(None, &without_hook_runs(decision)),
        })
    }
}

/// A decision to publish for another report of the same tool call. If it is dropped instead, the other report decides
/// for itself.
pub struct PendingDecision {
    file: Option<File>,
    turn_mark: Option<PathBuf>,
    decision: Value,
    /// For the second announcement of the same tool call: the file and its content.
    sibling: Option<(PathBuf, Value)>,
}

impl PendingDecision {
    /// Adds injected context, so that the agent gets it whichever report it uses.
    pub fn add_context(&mut self, text: &str) {
        let context = match self.decision["context"].as_str() {
            Some(before) => format!("{before}\n{text}"),
            None => text.to_owned(),
        };
        self.decision["context"] = context.into();
    }

    /// Publishes the decision if `is_free_of_secrets`. Call it when the event is on record: the report that replays the
    /// decision does not record it again.
    pub fn publish(self, is_free_of_secrets: impl Fn(&Value) -> bool) {
        // A failed write costs a second run and nothing else.
        if let Some(mut file) = self.file
            && is_free_of_secrets(&self.decision)
        {
            let _ = file.write_all(self.decision.to_string().as_bytes());
        }
        if let Some(mark) = self.turn_mark {
            let _ = create_private_parent(&mark).and_then(|()| open_private(&mark));
        }
        if let Some((path, text)) = self.sibling
            && is_free_of_secrets(&text)
        {
            let _ = write_private(&path, text.to_string().as_bytes(), FileSync::Skip);
        }
    }
}

impl Deduper {
    pub(super) fn new(state: &Path) -> Self {
        Self {
            dir: state.join("repeats"),
        }
    }

    /// Claims the tool call of an event, or finds the decision of its first report.
    pub(super) fn claim(&self, adapter: &dyn Adapter, event: &Event) -> Claim {
        if let Some(end) = turn_end(event) {
            return self.claim_turn_end(&end, event.session.as_str());
        }
        if !adapter.may_report_twice() {
            return Claim::First(FirstReport::default());
        }
        if matches!(
            event.kind(),
            EventKind::SessionStart | EventKind::UserPromptSubmit
        ) {
            self.remove_old_files();
        }
        let input = event.call().map(|call| &call.input);
        if let Some(PairedReport::Later(key)) = input.and_then(|input| paired_report(event, input))
        {
            return Claim::First(FirstReport {
                sibling: self.take_sibling(&key).unwrap_or_default(),
                ..FirstReport::default()
            });
        }
        match dedupe_key(event) {
            Some(key) => claim_file(&self.path(&key)),
            None => Claim::First(FirstReport::default()),
        }
    }

    fn claim_turn_end(&self, end: &TurnEnd, session: &str) -> Claim {
        let (TurnEnd::StopHook(turn) | TurnEnd::Notification(turn)) = end;
        // Turns are counted within a session.
        let mark = self.path(&format!("turn|{session}|{turn}"));
        self.remove_old_files();
        if matches!(end, TurnEnd::Notification(_)) && mark.exists() {
            return Claim::Repeated(Box::default());
        }
        Claim::First(FirstReport {
            turn_mark: Some(mark),
            ..FirstReport::default()
        })
    }

    /// Reads and deletes the decision of an earlier announcement: it is used once.
    fn take_sibling(&self, key: &str) -> Option<SiblingDecision> {
        let path = self.path(&sibling_key(key));
        let mine = path.with_extension(format!("taken-{}", std::process::id()));
        fs::rename(&path, &mine).ok()?;
        let text = File::open(&mine).ok().filter(is_fresh).and_then(read_text);
        let _ = fs::remove_file(&mine);
        let text = text?;
        let value: Value = serde_json::from_str(&text).ok()?;
        let ran = value["ran"].as_array()?.iter();
        Some(SiblingDecision {
            hook_runs: value["said"]
                .as_array()?
                .iter()
                .map(parse_hook_run)
                .collect(),
            ran: ran.filter_map(Value::as_str).map(str::to_owned).collect(),
            source: Some((path, text)),
        })
    }

    fn path(&self, key: &str) -> PathBuf {
        let name = blake3::hash(key.as_bytes()).to_hex();
        self.dir.join(&name.as_str()[..32])
    }

    fn remove_old_files(&self) {
        for entry in fs::read_dir(&self.dir).into_iter().flatten().flatten() {
            let age = entry.metadata().ok().and_then(|meta| age(&meta));
            if age.is_some_and(|age| age > MAX_FILE_AGE) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Claims a call by locking its file, or waits for the report that holds the lock.
fn claim_file(path: &Path) -> Claim {
    let Ok(mut file) = create_private_parent(path).and_then(|()| open_private(path)) else {
        return Claim::First(FirstReport::default());
    };
    match LockRetry::new(CLAIM_TIMEOUT).lock(&file) {
        Ok(true) => {}
        Ok(false) => return Claim::InProgress,
        // The file system has no locks.
        Err(_) => return Claim::First(FirstReport::default()),
    }
    if let Some(decision) = read_decision(&mut file) {
        return Claim::Repeated(Box::new(decision));
    }
    let emptied = file.set_len(0).and_then(|()| file.rewind());
    Claim::First(FirstReport {
        file: emptied.is_ok().then_some(file),
        ..FirstReport::default()
    })
}

fn sibling_key(key: &str) -> String {
    format!("sibling|{key}")
}

/// The file and its content for the later announcement of the same call. That announcement carries the rewritten
/// input, so the key is computed from it.
fn sibling_file(
    deduper: &Deduper,
    event: &Event,
    decision: &Decision,
    hooks: &[&HookSpec],
) -> Option<(PathBuf, Value)> {
    let input = match &decision.updated_input {
        Some(input) => input,
        None => &event.call()?.input,
    };
    let PairedReport::Earlier(key) = paired_report(event, input)? else {
        return None;
    };
    let has_run = |hook: &&&HookSpec| {
        hook.is_async || decision.hook_runs.iter().any(|run| run.hook == hook.name)
    };
    let ran: Vec<String> = hooks
        .iter()
        .filter(has_run)
        .map(|hook| digest(hook))
        .collect();
    let runs: Vec<Value> = decision
        .hook_runs
        .iter()
        .map(|run| {
            let outcome = HookOutcome {
                updated_input: None,
                ..run.outcome.clone()
            };
            outcome_json(Some(&run.hook), &outcome)
        })
        .collect();
    let path = deduper.path(&sibling_key(&key));
    Some((path, json!({ "said": runs, "ran": ran })))
}

fn read_decision(file: &mut File) -> Option<Decision> {
    if !is_fresh(file) {
        return None;
    }
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    let outcome = parse_outcome(&serde_json::from_str(&text).ok()?);
    Some(Decision {
        verdict: outcome.verdict,
        reason: outcome.reason,
        updated_input: outcome.updated_input,
        context: outcome.context,
        system_message: outcome.system_message,
        keep_going: outcome.keep_going,
        suppress_logging: outcome.suppress_logging,
        ..Decision::default()
    })
}

fn read_text(mut file: File) -> Option<String> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    Some(text)
}

fn is_fresh(file: &File) -> bool {
    let age = file.metadata().ok().and_then(|meta| age(&meta));
    age.is_some_and(|age| age <= DECISION_TTL)
}

/// `None` if the modification time is in the future.
fn age(meta: &fs::Metadata) -> Option<Duration> {
    SystemTime::now().duration_since(meta.modified().ok()?).ok()
}

fn digest(hook: &HookSpec) -> String {
    let definition = hook.definition().to_string();
    blake3::hash(definition.as_bytes()).to_hex().to_string()
}

/// The decision as one outcome, without the single hook runs.
fn without_hook_runs(decision: &Decision) -> HookOutcome {
    HookOutcome {
        verdict: decision.verdict,
        reason: decision.reason.clone(),
        updated_input: decision.updated_input.clone(),
        updated_output: decision.updated_output.clone(),
        context: decision.context.clone(),
        system_message: decision.system_message.clone(),
        keep_going: decision.keep_going.clone(),
        suppress_logging: decision.suppress_logging,
        failure: None,
        trace: None,
    }
}

fn outcome_json(hook: Option<&str>, outcome: &HookOutcome) -> Value {
    json!({
        "hook": hook,
        "verdict": outcome.verdict.word(),
        "reason": outcome.reason,
        "updated_input": outcome.updated_input,
        "updated_output": outcome.updated_output,
        "context": outcome.context,
        "system_message": outcome.system_message,
        "keep_going": outcome.keep_going,
        "suppress_logging": outcome.suppress_logging,
    })
}

fn parse_hook_run(value: &Value) -> HookRun {
    HookRun {
        hook: value["hook"].as_str().unwrap_or_default().to_owned(),
        outcome: parse_outcome(value),
        took: Duration::ZERO,
    }
}

fn parse_outcome(value: &Value) -> HookOutcome {
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    let replaced = |key: &str| Some(&value[key]).filter(|it| !it.is_null()).cloned();
    let name = value["verdict"].as_str();
    let all = [
        Verdict::NoOpinion,
        Verdict::Allow,
        Verdict::Ask,
        Verdict::Deny,
        Verdict::Halt,
    ];
    HookOutcome {
        // An unreadable verdict is not consent.
        verdict: all
            .into_iter()
            .find(|verdict| Some(verdict.word()) == name)
            .unwrap_or(Verdict::Ask),
        reason: text("reason"),
        updated_input: replaced("updated_input"),
        updated_output: replaced("updated_output"),
        context: text("context"),
        system_message: text("system_message"),
        keep_going: text("keep_going"),
        suppress_logging: value["suppress_logging"] == true,
        failure: None,
        trace: None,
    }
}
