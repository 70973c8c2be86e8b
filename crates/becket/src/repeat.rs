//! One action that an agent reports twice: hooks run once, and both reports get the same decision.
//!
//! Some agents also run the hooks of another agent's files, or announce a call in two ways
//! ([`double_fire_key`], [`sibling`]). The first report of an action holds a lock on a small file
//! while its hooks run and leaves the decision there; the second waits for it. A first that dies
//! leaves an empty file, and the second takes its place. What is left counts for a few seconds.
//!
//! Agents that never report twice do not get here. Losing a file is harmless: hooks then run twice.

use std::fs::{self, File, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use becket_agents::{Adapter, Sibling, TurnEnd, double_fire_key, sibling, turn_end};
use becket_model::{Decision, Event, EventKind, HookSpec, Outcome, Said, Verdict, merge};
use serde_json::{Value, json};

/// How long a decision counts for another report of the same action.
const WINDOW: Duration = Duration::from_secs(10);

/// How long the second report waits for the first. Cursor gives a hook a minute, and waits for both.
const PATIENCE: Duration = Duration::from_secs(50);

/// Files older than this are cleared away.
const KEPT: Duration = Duration::from_secs(3600);

/// Where the decisions of one person's agents are left for a moment.
pub(crate) struct Repeats {
    dir: PathBuf,
}

/// What a report turns out to be.
pub(crate) enum Report {
    /// The first of its action, or the only one.
    First(First),
    /// The action was decided on.
    Again(Box<Decision>),
    /// Another process is deciding, and for too long.
    Undecided,
}

/// The first report of an action, and what hooks said at an announcement of the same call before.
#[derive(Default)]
pub(crate) struct First {
    file: Option<File>,
    /// Shows that the end of a turn is known.
    mark: Option<PathBuf>,
    earlier: Earlier,
}

/// What is known from an earlier announcement of the same call.
#[derive(Default)]
pub(crate) struct Earlier {
    said: Vec<Said>,
    /// Digests of the hooks that ran.
    ran: Vec<String>,
    /// Where this was found, and how it read.
    found: Option<(PathBuf, String)>,
}

impl Earlier {
    /// Whether a hook has had its say.
    pub(crate) fn heard(&self, hook: &HookSpec) -> bool {
        !self.ran.is_empty() && self.ran.contains(&digest(hook))
    }

    /// A decision together with what was said before.
    pub(crate) fn joined(&self, decision: Decision) -> Decision {
        if self.said.is_empty() {
            return decision;
        }
        let conflicts = decision.conflicts;
        let said = self.said.iter().cloned().chain(decision.said);
        Decision {
            conflicts,
            ..merge(said.collect())
        }
    }
}

impl First {
    pub(crate) fn earlier(&self) -> &Earlier {
        &self.earlier
    }

    /// Leaves everything as it was: another process will ask again.
    pub(crate) fn give_back(self) {
        if let Some((path, text)) = self.earlier.found {
            let _ = open(&path).and_then(|mut file| file.write_all(text.as_bytes()));
        }
    }

    /// What to leave for another report, once this one is on record.
    pub(crate) fn settlement(
        self,
        repeats: &Repeats,
        event: &Event,
        decision: &Decision,
        hooks: &[&HookSpec],
    ) -> Option<Settlement> {
        if self.file.is_none() && self.mark.is_none() {
            return None;
        }
        Some(Settlement {
            beside: beside(repeats, event, decision, hooks),
            file: self.file,
            mark: self.mark,
            text: opinion(None, &whole(decision)),
        })
    }
}

/// A decision that another report of the same action is to find. Dropped, it leaves nothing, and
/// the other report decides for itself.
pub struct Settlement {
    file: Option<File>,
    mark: Option<PathBuf>,
    text: Value,
    /// For the sibling of an announcement: where, and what.
    beside: Option<(PathBuf, Value)>,
}

impl Settlement {
    /// Adds text for the model: whichever report the agent listens to has all of it, unless it listens to both.
    pub fn add_context(&mut self, text: &str) {
        let context = match self.text["context"].as_str() {
            Some(before) => format!("{before}\n{text}"),
            None => text.to_owned(),
        };
        self.text["context"] = context.into();
    }

    /// Leaves the decision, if `may_be_kept` says that nothing in it is secret. Call it when the
    /// event is on record: whoever takes the decision over does not record it again.
    pub fn settle(self, may_be_kept: impl Fn(&Value) -> bool) {
        // Not being able to leave it costs a second run and nothing else.
        if let Some(mut file) = self.file
            && may_be_kept(&self.text)
        {
            let _ = file.write_all(self.text.to_string().as_bytes());
        }
        if let Some(mark) = self.mark {
            let _ = create_parent(&mark).and_then(|()| open(&mark));
        }
        if let Some((path, text)) = self.beside
            && may_be_kept(&text)
        {
            let temporary = path.with_extension(format!("new-{}", std::process::id()));
            let _ = open(&temporary)
                .and_then(|mut file| file.write_all(text.to_string().as_bytes()))
                .and_then(|()| fs::rename(&temporary, &path));
        }
    }
}

impl Repeats {
    pub(crate) fn new(state: &Path) -> Self {
        Self {
            dir: state.join("repeats"),
        }
    }

    /// Finds out whether an action was reported before.
    pub(crate) fn report(&self, adapter: &dyn Adapter, event: &Event) -> Report {
        if let Some(end) = turn_end(event) {
            return self.turn_report(&end, event.session.as_str());
        }
        if !adapter.reports_twice() {
            return Report::First(First::default());
        }
        if matches!(
            event.kind(),
            EventKind::SessionStart | EventKind::UserPromptSubmit
        ) {
            self.clear_away();
        }
        let input = event.call().map(|call| &call.input);
        if let Some(Sibling::Later(key)) = input.and_then(|input| sibling(event, input)) {
            return Report::First(First {
                earlier: self.take(&key).unwrap_or_default(),
                ..First::default()
            });
        }
        match double_fire_key(event) {
            Some(key) => claim(&self.path(&key)),
            None => Report::First(First::default()),
        }
    }

    fn turn_report(&self, end: &TurnEnd, session: &str) -> Report {
        let (TurnEnd::Asked(turn) | TurnEnd::Told(turn)) = end;
        // Turns are counted within a session.
        let mark = self.path(&format!("turn|{session}|{turn}"));
        self.clear_away();
        if matches!(end, TurnEnd::Told(_)) && mark.exists() {
            return Report::Again(Box::default());
        }
        Report::First(First {
            mark: Some(mark),
            ..First::default()
        })
    }

    /// What was left for a sibling, which is gone then: it counts once.
    fn take(&self, key: &str) -> Option<Earlier> {
        let path = self.path(&beside_key(key));
        let mine = path.with_extension(format!("taken-{}", std::process::id()));
        fs::rename(&path, &mine).ok()?;
        let text = File::open(&mine).ok().filter(is_fresh).and_then(text_of);
        let _ = fs::remove_file(&mine);
        let text = text?;
        let value: Value = serde_json::from_str(&text).ok()?;
        let ran = value["ran"].as_array()?.iter();
        Some(Earlier {
            said: value["said"].as_array()?.iter().map(said).collect(),
            ran: ran.filter_map(Value::as_str).map(str::to_owned).collect(),
            found: Some((path, text)),
        })
    }

    fn path(&self, key: &str) -> PathBuf {
        let name = blake3::hash(key.as_bytes()).to_hex();
        self.dir.join(&name.as_str()[..32])
    }

    fn clear_away(&self) {
        for entry in fs::read_dir(&self.dir).into_iter().flatten().flatten() {
            let age = entry.metadata().ok().and_then(|meta| age(&meta));
            if age.is_some_and(|age| age > KEPT) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Takes the place of the first report, or waits for whoever has it.
fn claim(path: &Path) -> Report {
    let Ok(mut file) = create_parent(path).and_then(|()| open(path)) else {
        return Report::First(First::default());
    };
    match lock(&file, PATIENCE) {
        Locked::Held => {}
        Locked::TooLong => return Report::Undecided,
        Locked::Impossible => return Report::First(First::default()),
    }
    if let Some(decision) = decided(&mut file) {
        return Report::Again(Box::new(decision));
    }
    let emptied = file.set_len(0).and_then(|()| file.rewind());
    Report::First(First {
        file: emptied.is_ok().then_some(file),
        ..First::default()
    })
}

fn beside_key(key: &str) -> String {
    format!("sibling|{key}")
}

/// What the later announcement of a call needs. An input that was rewritten has been by then.
fn beside(
    repeats: &Repeats,
    event: &Event,
    decision: &Decision,
    hooks: &[&HookSpec],
) -> Option<(PathBuf, Value)> {
    let input = match &decision.updated_input {
        Some(input) => input,
        None => &event.call()?.input,
    };
    let Sibling::Earlier(key) = sibling(event, input)? else {
        return None;
    };
    let spoke = |hook: &&&HookSpec| {
        hook.is_async || decision.said.iter().any(|said| said.hook == hook.name)
    };
    let ran: Vec<String> = hooks
        .iter()
        .filter(spoke)
        .map(|hook| digest(hook))
        .collect();
    let said: Vec<Value> = decision
        .said
        .iter()
        .map(|said| {
            let outcome = Outcome {
                updated_input: None,
                ..said.outcome.clone()
            };
            opinion(Some(&said.hook), &outcome)
        })
        .collect();
    let path = repeats.path(&beside_key(&key));
    Some((path, json!({ "said": said, "ran": ran })))
}

enum Locked {
    Held,
    TooLong,
    Impossible,
}

/// Waits for the lock. It is released when its holder ends, however it ends.
fn lock(file: &File, patience: Duration) -> Locked {
    let start = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        match file.try_lock() {
            Ok(()) => return Locked::Held,
            Err(TryLockError::Error(_)) => return Locked::Impossible,
            Err(TryLockError::WouldBlock) if start.elapsed() >= patience => return Locked::TooLong,
            Err(TryLockError::WouldBlock) => std::thread::sleep(pause),
        }
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

fn create_parent(path: &Path) -> std::io::Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(dir)
}

fn open(path: &Path) -> std::io::Result<File> {
    fs::OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
}

fn decided(file: &mut File) -> Option<Decision> {
    if !is_fresh(file) {
        return None;
    }
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    let outcome = outcome(&serde_json::from_str(&text).ok()?);
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

fn text_of(mut file: File) -> Option<String> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    Some(text)
}

fn is_fresh(file: &File) -> bool {
    let age = file.metadata().ok().and_then(|meta| age(&meta));
    age.is_some_and(|age| age <= WINDOW)
}

/// `None` for what is said to have happened in the future.
fn age(meta: &fs::Metadata) -> Option<Duration> {
    SystemTime::now().duration_since(meta.modified().ok()?).ok()
}

fn digest(hook: &HookSpec) -> String {
    let definition = hook.definition().to_string();
    blake3::hash(definition.as_bytes()).to_hex().to_string()
}

/// A decision without who said what.
fn whole(decision: &Decision) -> Outcome {
    Outcome {
        verdict: decision.verdict,
        reason: decision.reason.clone(),
        updated_input: decision.updated_input.clone(),
        context: decision.context.clone(),
        system_message: decision.system_message.clone(),
        keep_going: decision.keep_going.clone(),
        suppress_logging: decision.suppress_logging,
        failure: None,
        trace: None,
    }
}

fn opinion(hook: Option<&str>, outcome: &Outcome) -> Value {
    json!({
        "hook": hook,
        "verdict": outcome.verdict.word(),
        "reason": outcome.reason,
        "updated_input": outcome.updated_input,
        "context": outcome.context,
        "system_message": outcome.system_message,
        "keep_going": outcome.keep_going,
        "suppress_logging": outcome.suppress_logging,
    })
}

fn said(value: &Value) -> Said {
    Said {
        hook: value["hook"].as_str().unwrap_or_default().to_owned(),
        outcome: outcome(value),
        took: Duration::ZERO,
    }
}

fn outcome(value: &Value) -> Outcome {
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    let word = value["verdict"].as_str();
    let all = [
        Verdict::NoOpinion,
        Verdict::Allow,
        Verdict::Ask,
        Verdict::Deny,
        Verdict::Halt,
    ];
    Outcome {
        // What cannot be read is nobody's consent.
        verdict: all
            .into_iter()
            .find(|verdict| Some(verdict.word()) == word)
            .unwrap_or(Verdict::Ask),
        reason: text("reason"),
        updated_input: Some(&value["updated_input"])
            .filter(|input| !input.is_null())
            .cloned(),
        context: text("context"),
        system_message: text("system_message"),
        keep_going: text("keep_going"),
        suppress_logging: value["suppress_logging"] == true,
        failure: None,
        trace: None,
    }
}
