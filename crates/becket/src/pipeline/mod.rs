//! The event pipeline: a payload in, a reply and a record out.
//!
//! ```text
//! parse → dedupe → cache → load → select → trust → run → merge → record → render → inject
//! ```
//!
//! [`respond`] is the pipeline in one function. It reads configuration and trust, runs hooks and updates small
//! session state. It writes no record and prints nothing: the caller records first and replies second. Injecting
//! recalled context is the caller's last step, at the [`InjectionPoint`] of the [`Response`].

mod cache;
mod dedupe;
mod fail_closed;
mod limits;
mod notices;
mod record;
mod run;

use std::path::{Path, PathBuf};

use becket_agents::{Adapter, Rendered, payload, sending_agent};
use becket_model::{Decision, Event, EventData, EventKind, HookSpec};
use becket_runner::CancellationToken;
use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::changes::changes;
use crate::env::Home;
use crate::factory::HookFactory;
use crate::id::new_id;
use crate::inject::InjectionPoint;
use crate::load::{Configuration, load, load_files};
use crate::project;
use crate::state::SessionState;
use cache::{Lookup, MatcherCache};
use dedupe::{Claim, Deduper, FirstReport};

pub use dedupe::PendingDecision;
pub use fail_closed::{BAD_PAYLOAD, fail_closed};
pub use run::{DetachedHook, DetachedWork, HookKey, run_in_process, untrusted_hooks};

/// One event that an agent reports.
pub struct Request<'a> {
    /// The agent that `--agent` names.
    pub adapter: &'a dyn Adapter,
    /// The event name from the command line.
    pub event: Option<&'a str>,
    /// The bytes on standard input.
    pub payload: &'a [u8],
    /// The user's directories.
    pub home: &'a Home,
    /// The client's working directory, for payloads without one.
    pub cwd: &'a Path,
    /// Called just before the first hook that may wait, so that the caller can connect signals to the token. Events
    /// without such hooks never pay for it.
    pub before_hooks: &'a dyn Fn(&CancellationToken),
    /// Builds runnable hooks.
    pub factory: &'a dyn HookFactory,
}

/// A selected hook is of a kind that the request's [`HookFactory`] cannot build. No hook has run and no state has
/// changed: send the request again with a factory that can.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NeedsFullBinary;

/// What to reply, record and start.
pub struct Response {
    /// The reply for the agent.
    pub rendered: Rendered,
    /// The record of the event, not redacted yet.
    pub record: Value,
    /// Records of the file changes that hooks ran for, not redacted yet.
    pub change_records: Vec<Value>,
    /// Async hooks to start.
    pub detached: Vec<DetachedHook>,
    /// The decision for a second report of the same tool call. Publish it once the record is durable.
    pub pending_decision: Option<PendingDecision>,
    /// Where recalled context can be injected, once the record is durable.
    pub injection_point: Option<Box<InjectionPoint>>,
    /// Whether the user wants events recorded.
    pub should_record: bool,
    /// The user's own redaction patterns, in addition to the built-in secret detection.
    pub redact: Vec<String>,
    /// The configuration that was loaded. A process that exits right away can `mem::forget` the response, which
    /// saves freeing it.
    pub configuration: Configuration,
}

impl Response {
    fn new(rendered: Rendered, record: Value, policy: RecordPolicy) -> Self {
        Self {
            rendered,
            record,
            change_records: Vec::new(),
            detached: Vec::new(),
            pending_decision: None,
            injection_point: None,
            should_record: policy.should_record,
            redact: policy.redact,
            configuration: Configuration::default(),
        }
    }
}

/// The user's settings for events, known from the matcher cache or the configuration.
struct RecordPolicy {
    should_record: bool,
    /// Whether recalled context may be injected.
    recall: bool,
    redact: Vec<String>,
}

impl RecordPolicy {
    fn of(configuration: &Configuration) -> Self {
        let settings = &configuration.settings;
        Self {
            should_record: settings.record.unwrap_or(true),
            recall: settings.recall.enabled.unwrap_or(true),
            redact: settings.redact.clone(),
        }
    }
}

/// Answers one event of an agent.
pub fn respond(request: &Request<'_>) -> Result<Response, NeedsFullBinary> {
    let (adapter, event) = match parse(request) {
        Ok(parsed) => parsed,
        Err((adapter, error)) => return Ok(fail_closed::unreadable(request, adapter, &error)),
    };
    let request = &Request {
        adapter,
        ..*request
    };
    let mut pipeline = Pipeline::new(request, event, new_id(), Utc::now());

    let deduper = Deduper::new(&request.home.state);
    let claim = match deduper.claim(adapter, &pipeline.event) {
        Claim::First(claim) => claim,
        Claim::Repeated(decision) => return Ok(pipeline.replay(*decision)),
        Claim::InProgress => return Ok(pipeline.ask_while_in_progress()),
    };

    let changes = changes(adapter, &pipeline.event);
    let root = pipeline.root.clone();
    let cache = MatcherCache::new(request.home, &root, adapter.id());
    let lookup = cache.lookup_all(&pipeline.event, &changes);
    let configuration = match lookup {
        // A session start reports configuration problems, so it always loads the configuration.
        Lookup::NoHooks(policy) if !pipeline.is_session_start() => {
            let decision = claim.merge_sibling(Decision::default());
            return Ok(pipeline.finish(decision, &[], claim, &deduper, policy));
        }
        Lookup::Unknown => {
            let configuration = load(request.home, Some(&root), Some(adapter.id()));
            cache.store(&configuration);
            configuration
        }
        Lookup::Hooks(files) => load_files(files, request.home, Some(adapter.id())),
        Lookup::NoHooks(_) => load(request.home, Some(&root), Some(adapter.id())),
    };
    if pipeline.needs_full_binary(&configuration, &changes) {
        claim.release();
        return Err(NeedsFullBinary);
    }

    let mut run = pipeline.run_with_changes(&configuration, changes, &claim);
    pipeline.limit_retries(&mut run.decision, &configuration.settings);
    pipeline.add_session_start_notices(&configuration, &mut run.decision);
    let policy = RecordPolicy::of(&configuration);
    let response = pipeline.finish(run.decision, &run.hooks, claim, &deduper, policy);
    Ok(Response {
        change_records: run.change_records,
        detached: run.detached,
        configuration,
        ..response
    })
}

/// Parses the payload with the adapter of the agent that really sent it. On failure the adapter is the best
/// guess, so that the error reply has a format the agent understands.
fn parse<'a>(request: &Request<'a>) -> Result<(&'a dyn Adapter, Event), (&'a dyn Adapter, String)> {
    let map =
        payload::read(request.payload).map_err(|error| (request.adapter, error.to_string()))?;
    let adapter = sending_agent(request.adapter, &map);
    let event = adapter
        .parse(request.event, map)
        .map_err(|error| (adapter, error.to_string()))?;
    Ok((adapter, event))
}

/// One event on its way through the pipeline.
struct Pipeline<'a> {
    request: &'a Request<'a>,
    event: Event,
    id: String,
    now: DateTime<Utc>,
    /// The project's root directory.
    root: PathBuf,
    state: SessionState,
    /// The index of the file change that this event reports, if it is derived from a tool call.
    change: Option<usize>,
    /// Parts of the decision that the reply does not express, in addition to those that the adapter reports.
    notes: Vec<String>,
    /// Hooks that were left out, with the reason.
    skipped: Vec<Value>,
}

impl<'a> Pipeline<'a> {
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
        // Most agents do not report that a hook has kept the turn going.
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

    fn is_session_start(&self) -> bool {
        self.event.kind() == EventKind::SessionStart
    }

    /// Updates the session state, then renders and records the decision.
    fn finish(
        mut self,
        decision: Decision,
        hooks: &[&HookSpec],
        claim: FirstReport,
        deduper: &Deduper,
        policy: RecordPolicy,
    ) -> Response {
        self.update_session_state();
        let pending_decision = claim.pending_decision(deduper, &self.event, &decision, hooks);
        let mut rendered = self.request.adapter.render(&self.event, &decision);
        rendered.lost.append(&mut self.notes);
        let injection_point = policy
            .recall
            .then(|| InjectionPoint::new(&self.event, &decision, &rendered))
            .flatten();
        let record = self.record(&decision, &rendered);
        Response {
            pending_decision,
            injection_point: injection_point.map(Box::new),
            ..Response::new(rendered, record, policy)
        }
    }

    /// Session state ends with the session, turn state with the next prompt.
    fn update_session_state(&self) {
        match self.event.kind() {
            EventKind::SessionEnd => self.state.forget(),
            EventKind::UserPromptSubmit => self.state.new_turn(),
            _ => {}
        }
    }

    /// Answers a second report of a tool call with the decision of the first. The first report is the one on record.
    fn replay(self, mut decision: Decision) -> Response {
        // The agent adds up the context of both replies.
        if self.request.adapter.merges_replies() {
            decision.context = None;
        }
        let policy = RecordPolicy {
            should_record: false,
            recall: false,
            redact: Vec::new(),
        };
        self.reply(&decision, policy)
    }

    fn reply(self, decision: &Decision, policy: RecordPolicy) -> Response {
        let rendered = self.request.adapter.render(&self.event, decision);
        let record = self.record(decision, &rendered);
        Response::new(rendered, record, policy)
    }
}
