//! The whole road of an event as one call: payload in, reply and record out.
//!
//! [`respond`] reads configuration and trust, runs hooks, and remembers small session facts. It
//! writes no record and prints nothing: the caller does both, in that order.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use becket_agents::contract::Surroundings;
use becket_agents::{Adapter, Rendered, host, payload};
use becket_model::{
    Action, Broken, Decision, Event, EventData, EventKind, FailureKind, HookSpec, Level, Outcome,
    Plan, Said, Severity, Verdict, merge, select,
};
use becket_runner::command::child_command;
use becket_runner::{CancellationToken, Error, Hook, HookContext, HookInput, engine, process};
use chrono::{DateTime, SecondsFormat, Utc};
use futures_lite::future::block_on;
use serde_json::{Value, json};

use crate::changes::changes;
use crate::env::Home;
use crate::id::new_id;
use crate::load::{Configuration, load};
use crate::make::{Around, Claimed, Maker};
use crate::project;
use crate::quick::{Answer, Quick};
use crate::repeat::{First, Repeats, Report, Settlement};
use crate::state::{Going, SessionState};
use crate::tell::Open;
use crate::trust::{TrustStore, fingerprint};

/// How often a turn may be kept going when nobody says otherwise.
const STOP_RETRIES: u32 = 1;

/// What an agent asks.
pub struct Request<'a> {
    /// Who asks.
    pub adapter: &'a dyn Adapter,
    /// The event's name from the command line.
    pub event: Option<&'a str>,
    /// What came on stdin.
    pub payload: &'a [u8],
    /// The person's directories.
    pub home: &'a Home,
    /// Where the agent started us, for payloads that name no directory.
    pub cwd: &'a Path,
    /// Called just before the first hook runs, so that signals can be wired to the token. Events
    /// that no hook cares about never pay for it.
    pub before_hooks: &'a dyn Fn(&CancellationToken),
    /// Who makes hooks run.
    pub maker: &'a dyn Maker,
}

/// What came of a request.
pub enum Reply {
    /// The answer.
    Ready(Box<Response>),
    /// Some hook is of a kind that the request's maker does not know. Nothing has run and nothing has
    /// been remembered: ask again with one that knows it.
    Beyond,
}

/// What to answer, record and start.
pub struct Response {
    /// For the agent.
    pub rendered: Rendered,
    /// For the trail; not redacted yet.
    pub record: Value,
    /// For the trail as well: what followed from the event and concerned hooks. Not redacted yet.
    pub followed: Vec<Value>,
    /// Hooks to start and not wait for.
    pub detached: Vec<Detached>,
    /// The decision for another report of the same action, to be settled once this one is recorded.
    pub settlement: Option<Settlement>,
    /// Where what is known may be added to the answer, once the event is on record.
    pub open: Option<Box<Open>>,
    /// Whether the person wants events recorded.
    pub wants_record: bool,
    /// Regular expressions for what must not be in the record, beside known secrets.
    pub redact: Vec<String>,
    /// What answering needed. A process that ends right after may forget the whole response
    /// instead of taking all of this apart.
    pub used: Configuration,
}

/// A hook that nobody waits for.
pub struct Detached {
    /// The hook's name.
    pub hook: String,
    /// The event it runs for.
    pub event_id: String,
    /// What to start.
    pub work: Work,
}

/// What a hook that nobody waits for consists of.
pub enum Work {
    /// A child process.
    Command(Box<process::Command>),
    /// A hook that runs within a process of ours: [`run_alone`] with the same request.
    Alone(HookKey),
}

/// A hook among all that are configured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookKey {
    /// The file it stands in.
    pub file: PathBuf,
    /// Its place there.
    pub key: String,
    /// The number of the change that it is about, where an event stands for several.
    pub change: Option<usize>,
}

impl HookKey {
    fn of(hook: &HookSpec, change: Option<usize>) -> Self {
        Self {
            file: hook.source.file.clone(),
            key: hook.source.key.clone(),
            change,
        }
    }
}

/// Answers an agent.
pub fn respond(request: &Request<'_>) -> Reply {
    let now = Utc::now();
    let id = new_id();
    let map = match payload::read(request.payload) {
        Ok(map) => map,
        Err(error) => return ready(unread(request, &id, now, &error.to_string())),
    };
    let adapter = host(request.adapter, &map);
    let request = Request {
        adapter,
        ..*request
    };
    match adapter.parse(request.event, map) {
        Ok(event) => Road::new(&request, event, id, now).start(),
        Err(error) => ready(unread(&request, &id, now, &error.to_string())),
    }
}

fn ready(response: Response) -> Reply {
    Reply::Ready(Box::new(response))
}

/// Runs one hook for an event that was answered before: the other end of [`Work::Alone`].
pub fn run_alone(request: &Request<'_>, key: &HookKey, id: &str) -> Result<Said, String> {
    let map = payload::read(request.payload).map_err(|error| error.to_string())?;
    let request = &Request {
        adapter: host(request.adapter, &map),
        ..*request
    };
    let event = request.adapter.parse(request.event, map);
    let mut event = event.map_err(|error| error.to_string())?;
    if let Some(number) = key.change {
        let changed = changes(request.adapter, &event).into_iter().nth(number);
        event = changed.ok_or("the event is about fewer changes than it was")?;
    }
    let mut road = Road::new(request, event, id.to_owned(), Utc::now());
    let configuration = load(request.home, Some(&road.root), Some(request.adapter.id()));
    let mut plan = select(&configuration.loaded.hooks, &road.event);
    plan.retain(|hook| HookKey::of(hook, key.change) == *key);
    road.leave_out_untrusted(&mut plan);
    let hook = plan
        .hooks()
        .find(|hook| request.maker.knows(hook))
        .ok_or("it is not configured any more, or not trusted")?;
    // Its one run was claimed when the event was answered.
    let hook = HookSpec {
        once: false,
        ..hook.clone()
    };
    let stages = [vec![road.runnable(&hook, &[])]];
    let input = HookInput::from_event(road.event.clone(), id);
    let decision = block_on(engine::run(&stages, input, &road.context()));
    let said = decision.map_err(|error| error.to_string())?.said.pop();
    said.ok_or_else(|| "it did not run".to_owned())
}

/// Answers when the payload could not be read: no opinion on events that only observe, and the
/// person's policy (`ask` unless they say otherwise) where guards stand.
fn unread(request: &Request<'_>, id: &str, now: DateTime<Utc>, why: &str) -> Response {
    let reason = format!("becket could not read the event: {why}");
    unanswered(request, id, now, &reason, why)
}

fn unanswered(
    request: &Request<'_>,
    id: &str,
    now: DateTime<Utc>,
    reason: &str,
    why: &str,
) -> Response {
    let kind = request.event.map(EventKind::parse);
    let settings = load(request.home, None, Some(request.adapter.id())).settings;
    let guarded = request
        .event
        .is_some_and(|name| request.adapter.is_guarded(name));
    let verdict = match settings.on_bad_payload {
        Some(policy) if guarded => policy.verdict(),
        None if guarded => Verdict::Ask,
        _ => Verdict::NoOpinion,
    };
    let mut rendered = request
        .adapter
        .render_unread(kind.as_ref(), verdict, reason);
    rendered.stderr = format!("becket: {reason}\n{}", rendered.stderr);
    if rendered.stdout.is_empty() && rendered.exit == 0 {
        rendered.exit = BAD_PAYLOAD;
    }
    let record = json!({
        "v": 1, "id": id, "ts": timestamp(now), "agent": request.adapter.id(), "event": request.event,
        "error": why, "bytes": request.payload.len(), "decision": { "verdict": verdict.word() },
    });
    Response {
        rendered,
        record,
        followed: Vec::new(),
        detached: Vec::new(),
        settlement: None,
        open: None,
        wants_record: settings.record.unwrap_or(true),
        redact: settings.redact,
        used: Configuration::default(),
    }
}

/// Answers when hooks that should run cannot be run at all: a person decides where guards stand.
pub fn impossible(request: &Request<'_>, why: &str) -> Response {
    let reason = format!("becket could not run the hooks for this event: {why}");
    unanswered(request, &new_id(), Utc::now(), &reason, why)
}

/// The exit code for a payload that could not be read, when there is nothing else to answer.
/// Agents take it for an error that blocks nothing.
pub const BAD_PAYLOAD: i32 = 65;

/// What came of running hooks.
struct Ran<'c> {
    decision: Decision,
    hooks: Vec<&'c HookSpec>,
    detached: Vec<Detached>,
}

/// What the person wants, where no hook has anything to say.
struct Wants {
    recorded: bool,
    recall: bool,
}

/// One event on its way.
struct Road<'a> {
    request: &'a Request<'a>,
    event: Event,
    id: String,
    now: DateTime<Utc>,
    root: PathBuf,
    state: SessionState,
    /// Set when this is one of the changes that another event stands for.
    change: Option<usize>,
    notes: Vec<String>,
    skipped: Vec<Value>,
}

impl<'a> Road<'a> {
    fn new(request: &'a Request<'a>, mut event: Event, id: String, now: DateTime<Utc>) -> Self {
        let cwd = event
            .cwd
            .as_ref()
            .map(PathBuf::from)
            .filter(|cwd| cwd.is_absolute());
        let root = project::root(cwd.as_deref().unwrap_or(request.cwd), &request.home.user);
        let state = SessionState::new(
            &request.home.state,
            event.agent.as_str(),
            event.session.as_str(),
        );
        // Most agents do not say that a hook has kept them going.
        if let EventData::Stop { active, .. } | EventData::SubagentStop { active, .. } =
            &mut event.data
            && !event.raw.contains_key("stop_hook_active")
        {
            *active |= state.kept_going().is_some();
        }
        Self {
            request,
            event,
            id,
            now,
            root,
            state,
            change: None,
            notes: Vec::new(),
            skipped: Vec::new(),
        }
    }

    /// An action that was reported before is not decided on again.
    fn start(self) -> Reply {
        let repeats = Repeats::new(&self.request.home.state);
        match repeats.report(self.request.adapter, &self.event) {
            Report::First(first) => self.travel(first, &repeats),
            Report::Again(mut decision) => {
                if self.request.adapter.joins_answers() {
                    decision.context = None;
                }
                ready(self.answer_again(&decision, false))
            }
            Report::Undecided => {
                let why = "another report of this event is still being decided on";
                let decision = undecided(&self.event.kind(), why.to_owned());
                ready(self.answer_again(&decision, true))
            }
        }
    }

    fn travel(self, first: First, repeats: &Repeats) -> Reply {
        // At its start a session is told about problems, so everything is read then.
        let starting = self.event.kind() == EventKind::SessionStart;
        let root = self.root.clone();
        let quick = Quick::new(self.request.home, &root, self.request.adapter.id());
        let changes = changes(self.request.adapter, &self.event);
        let wanted = |event: &Event| matches!(quick.ask(event), Answer::Wanted);
        match quick.ask(&self.event) {
            Answer::Nobody {
                recorded,
                recall,
                redact,
            } if !starting && !changes.iter().any(wanted) => {
                let wants = Wants { recorded, recall };
                ready(self.answer_alone(wants, redact, first, repeats))
            }
            Answer::Unknown => self.travel_far(Some(&quick), changes, first, repeats),
            Answer::Nobody { .. } | Answer::Wanted => {
                self.travel_far(None, changes, first, repeats)
            }
        }
    }

    /// The answer to an action that was decided on elsewhere, in the words of who asks now.
    fn answer_again(self, decision: &Decision, wants_record: bool) -> Response {
        let redact = if wants_record {
            load(self.request.home, None, None).settings.redact
        } else {
            Vec::new()
        };
        let rendered = self.request.adapter.render(&self.event, decision);
        let record = self.record(decision, &rendered);
        Response {
            rendered,
            record,
            followed: Vec::new(),
            detached: Vec::new(),
            settlement: None,
            open: None,
            wants_record,
            redact,
            used: Configuration::default(),
        }
    }

    /// Nobody has anything to say.
    fn answer_alone(
        self,
        wants: Wants,
        redact: Vec<String>,
        first: First,
        repeats: &Repeats,
    ) -> Response {
        self.keep_state();
        let decision = first.earlier().joined(Decision::default());
        let settlement = first.settlement(repeats, &self.event, &decision, &[]);
        let rendered = self.request.adapter.render(&self.event, &decision);
        let open = self.open(&decision, &rendered, wants.recall);
        let record = self.record(&decision, &rendered);
        Response {
            rendered,
            record,
            followed: Vec::new(),
            detached: Vec::new(),
            settlement,
            open,
            wants_record: wants.recorded,
            redact,
            used: Configuration::default(),
        }
    }

    fn travel_far(
        mut self,
        to_remember: Option<&Quick<'_>>,
        changes: Vec<Event>,
        first: First,
        repeats: &Repeats,
    ) -> Reply {
        let configuration = load(
            self.request.home,
            Some(&self.root),
            Some(self.request.adapter.id()),
        );
        if let Some(quick) = to_remember {
            quick.remember(&configuration);
        }
        if self.is_beyond(&configuration, &changes) {
            first.give_back();
            return Reply::Beyond;
        }
        let Ran {
            decision,
            hooks,
            mut detached,
        } = self.run(&configuration, &|hook| first.earlier().heard(hook));
        let mut decision = first.earlier().joined(decision);
        let mut followed = Vec::new();
        for (number, event) in changes.into_iter().enumerate() {
            let mut road = Road::new(self.request, event, new_id(), self.now);
            road.change = Some(number);
            let mut ran = road.run(&configuration, &|hook| is_told(hook, &hooks));
            if ran.hooks.is_empty() && road.skipped.is_empty() {
                continue;
            }
            detached.append(&mut ran.detached);
            followed.push(road.record(&ran.decision, &Rendered::default()));
            decision = with(decision, ran.decision);
        }
        self.limit_retries(
            &mut decision,
            configuration.settings.stop_retries.unwrap_or(STOP_RETRIES),
        );
        if self.event.kind() == EventKind::SessionStart {
            self.tell_at_session_start(&configuration, &mut decision);
        }
        self.keep_state();
        let settlement = first.settlement(repeats, &self.event, &decision, &hooks);
        let mut rendered = self.request.adapter.render(&self.event, &decision);
        rendered.lost.append(&mut self.notes);
        let recall = configuration.settings.recall.enabled.unwrap_or(true);
        let open = self.open(&decision, &rendered, recall);
        let record = self.record(&decision, &rendered);
        Reply::Ready(Box::new(Response {
            rendered,
            record,
            followed,
            detached,
            settlement,
            open,
            wants_record: configuration.settings.record.unwrap_or(true),
            redact: configuration.settings.redact.clone(),
            used: configuration,
        }))
    }

    /// Where more may be said, if the person wants agents to be told what is known.
    fn open(&self, decision: &Decision, rendered: &Rendered, recall: bool) -> Option<Box<Open>> {
        let open = recall.then(|| Open::new(&self.event, decision, rendered));
        open.flatten().map(Box::new)
    }

    /// Whether some hook is of a kind that cannot be run here.
    fn is_beyond(&self, configuration: &Configuration, changes: &[Event]) -> bool {
        std::iter::once(&self.event).chain(changes).any(|event| {
            let plan = select(&configuration.loaded.hooks, event);
            plan.hooks().any(|hook| !self.request.maker.knows(hook))
        })
    }

    /// Runs the hooks that want the event and have not had their say.
    fn run<'c>(
        &mut self,
        configuration: &'c Configuration,
        heard: &dyn Fn(&HookSpec) -> bool,
    ) -> Ran<'c> {
        let mut plan = select(&configuration.loaded.hooks, &self.event);
        if !plan.is_empty() {
            self.leave_out_untrusted(&mut plan);
            plan.retain(|hook| !(hook.once && self.state.has_run(hook)));
            plan.retain(|hook| !heard(hook));
        }
        let detached = self.detached(&plan);
        let decision = self.decide(&plan, &configuration.loaded.broken);
        Ran {
            decision,
            hooks: plan.hooks().collect(),
            detached,
        }
    }

    /// What a session remembers ends with it, and what a turn remembers with the next prompt.
    fn keep_state(&self) {
        match self.event.kind() {
            EventKind::SessionEnd => self.state.forget(),
            EventKind::UserPromptSubmit => self.state.new_turn(),
            _ => {}
        }
    }

    fn leave_out_untrusted(&mut self, plan: &mut Plan<'_>) {
        if !plan.hooks().any(|hook| hook.source.level.needs_trust()) {
            return;
        }
        let store = TrustStore::open(&self.request.home.trust_file());
        let root = self.root.clone();
        let skipped = &mut self.skipped;
        plan.retain(|hook| {
            let trusted = !hook.source.level.needs_trust()
                || store
                    .as_ref()
                    .is_ok_and(|store| store.trusts(&root, &fingerprint(hook, &root)));
            if !trusted {
                skipped.push(json!({ "hook": hook.name, "why": "untrusted" }));
            }
            trusted
        });
    }

    fn context(&self) -> HookContext {
        let mut ctx = HookContext::new(self.event.session.as_str()).with_cwd(&self.root);
        ctx.project_dir = Some(self.root.clone());
        ctx
    }

    fn detached(&self, plan: &Plan<'_>) -> Vec<Detached> {
        let (timestamp, root) = (timestamp(self.now), self.root.to_string_lossy());
        let around = Surroundings {
            event_id: &self.id,
            timestamp: &timestamp,
            project_dir: Some(&root),
        };
        let work = |hook: &HookSpec| match child_command(hook, &self.event, &around) {
            Some(mut command) => {
                command.cwd = Some(match &hook.cwd {
                    Some(cwd) => self.root.join(cwd),
                    None => self.root.clone(),
                });
                Work::Command(Box::new(command))
            }
            None => Work::Alone(HookKey::of(hook, self.change)),
        };
        let claimed = |hook: &&&HookSpec| !hook.once || self.state.claim_once(hook);
        let detached = plan.detached.iter().filter(claimed).map(|hook| Detached {
            hook: hook.name.clone(),
            event_id: self.id.clone(),
            work: work(hook),
        });
        detached.collect()
    }

    /// A `once` hook claims its one run when it starts: an earlier stage may end the plan before.
    fn runnable(&self, hook: &HookSpec, beside: &[&HookSpec]) -> Arc<dyn Hook> {
        let copy = HookSpec {
            once: false,
            ..hook.clone()
        };
        let around = Around {
            home: self.request.home,
            agent: self.request.adapter.id(),
            root: &self.root,
            cwd: self.event.cwd.as_deref(),
            beside,
        };
        let made = self.request.maker.make(copy, &around);
        if !hook.once {
            return made;
        }
        let (state, hook) = (self.state.clone(), hook.clone());
        Arc::new(Claimed {
            hook: made,
            claim: move || state.claim_once(&hook),
        })
    }

    fn decide(&self, plan: &Plan<'_>, broken: &[Broken]) -> Decision {
        let failed: Vec<Said> = broken
            .iter()
            .filter(|b| b.event == self.event.kind())
            .filter_map(broken_outcome)
            .collect();
        if plan.stages.is_empty() {
            return if failed.is_empty() {
                Decision::default()
            } else {
                merge(failed)
            };
        }
        let ctx = self.context();
        (self.request.before_hooks)(&ctx.cancellation_token);
        let beside: Vec<&HookSpec> = plan.hooks().collect();
        let stages: Vec<Vec<Arc<dyn Hook>>> = plan
            .stages
            .iter()
            .map(|stage| {
                stage
                    .iter()
                    .map(|hook| self.runnable(hook, &beside))
                    .collect()
            })
            .collect();
        let input = HookInput::from_event(self.event.clone(), self.id.as_str());
        match block_on(engine::run(&stages, input, &ctx)) {
            Ok(decision) if failed.is_empty() => decision,
            Ok(decision) => with(decision, merge(failed)),
            Err(error) => cancelled(&self.event.kind(), &error),
        }
    }

    /// An agent that is told to go on and on never ends: after a number of times it may stop.
    fn limit_retries(&mut self, decision: &mut Decision, allowed: u32) {
        let (EventData::Stop { active, .. } | EventData::SubagentStop { active, .. }) =
            &self.event.data
        else {
            return;
        };
        let says = match active {
            true => Some(Going::Again),
            // Only some agents say it; the others are never "active".
            false if self.event.raw.contains_key("stop_hook_active") => Some(Going::First),
            false => None,
        };
        let wants_more = decision.keep_going.is_some() || decision.verdict == Verdict::Deny;
        if wants_more && self.state.count_retry(says) > allowed {
            decision.keep_going = None;
            decision.verdict = Verdict::NoOpinion;
            self.notes.push(format!(
                "kept going {allowed} times already; the agent may stop now"
            ));
        }
    }

    fn tell_at_session_start(&self, configuration: &Configuration, decision: &mut Decision) {
        let mut lines = Vec::new();
        if configuration.settings.hooks.enabled == Some(false) {
            lines.push("becket: all hooks are switched off (`becket hooks on`).".to_owned());
        }
        let untrusted = untrusted_hooks(configuration, self.request.home, &self.root);
        if !untrusted.is_empty() {
            let names: Vec<&str> = untrusted.iter().map(|hook| hook.name.as_str()).collect();
            lines.push(format!(
                "becket: {} of this project's hooks are not trusted and do not run ({}). Review them with `becket trust`.",
                names.len(),
                names.join(", ")
            ));
        }
        let errors: Vec<String> = configuration
            .loaded
            .problems
            .iter()
            .filter(|problem| problem.severity == Severity::Error)
            .map(ToString::to_string)
            .collect();
        if let Some(first) = errors.first() {
            lines.push(format!(
                "becket: {} problems in hook configuration, first: {first}. See `becket doctor`.",
                errors.len()
            ));
        }
        lines.extend(decision.system_message.take());
        decision.system_message = (!lines.is_empty()).then(|| lines.join("\n"));
    }

    fn record(self, decision: &Decision, rendered: &Rendered) -> Value {
        let event = self.event;
        let kind = event.kind();
        let mut record = json!({
            "v": 1,
            "id": self.id,
            "ts": timestamp(self.now),
            "agent": event.agent.as_str(),
            "event": kind.name(),
            "session": event.session.as_str(),
            "project": self.root,
            "decision": decision.to_json(),
        });
        record["payload"] = Value::Object(event.raw);
        if !rendered.lost.is_empty() {
            record["lost"] = json!(rendered.lost);
        }
        if !self.skipped.is_empty() {
            record["skipped"] = json!(self.skipped);
        }
        record
    }
}

/// Whether a built-in has heard of the call that made a change: it need not hear of the change as well.
fn is_told(hook: &HookSpec, ran: &[&HookSpec]) -> bool {
    let same = |one: &&HookSpec| one.source == hook.source;
    matches!(hook.action, Action::Builtin { .. }) && ran.iter().any(same)
}

/// A decision with what more hooks said.
fn with(decision: Decision, more: Decision) -> Decision {
    let said = decision.said.into_iter().chain(more.said).collect();
    let conflicts = decision.conflicts.into_iter().chain(more.conflicts);
    Decision {
        conflicts: conflicts.collect(),
        ..merge(said)
    }
}

/// The hooks of a project that would need trust and do not have it.
pub fn untrusted_hooks<'c>(
    configuration: &'c Configuration,
    home: &Home,
    root: &Path,
) -> Vec<&'c HookSpec> {
    let needing = configuration
        .loaded
        .hooks
        .iter()
        .filter(|hook| hook.source.level.needs_trust() && hook.enabled);
    let mut needing = needing.peekable();
    if needing.peek().is_none() {
        return Vec::new();
    }
    let store = TrustStore::open(&home.trust_file());
    needing
        .filter(|hook| {
            !store
                .as_ref()
                .is_ok_and(|store| store.trusts(root, &fingerprint(hook, root)))
        })
        .collect()
}

/// A hook that did not load counts as failed, where it had said that its failure matters and where
/// its word may be taken: a project's broken entry has never been trusted.
fn broken_outcome(broken: &Broken) -> Option<Said> {
    let verdict = broken.on_failure.verdict();
    if verdict == Verdict::NoOpinion || broken.source.level != Level::User {
        return None;
    }
    let message = format!("hook `{}` did not load: {}", broken.name, broken.message);
    let outcome = Outcome::failed(FailureKind::Broken, message, verdict);
    Some(Said {
        hook: broken.name.clone(),
        outcome,
        took: Duration::ZERO,
    })
}

fn cancelled(kind: &EventKind, error: &Error) -> Decision {
    undecided(kind, format!("hooks were interrupted: {error}"))
}

/// The decision where there is none: to ask, where that means something.
fn undecided(kind: &EventKind, why: String) -> Decision {
    let verdict = if kind.can_block() {
        Verdict::Ask
    } else {
        Verdict::NoOpinion
    };
    merge(vec![Said {
        hook: "becket".into(),
        outcome: Outcome::failed(FailureKind::Cancelled, why, verdict),
        took: Duration::ZERO,
    }])
}

fn timestamp(now: DateTime<Utc>) -> String {
    now.to_rfc3339_opts(SecondsFormat::Millis, true)
}
