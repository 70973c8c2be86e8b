//! Select, trust, run, merge: from configured hooks to one decision.

use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use becket_agents::contract::EventMetadata;
use becket_agents::{Rendered, payload, sending_agent};
use becket_model::{
    Action, BrokenHook, Decision, Event, FailureKind, HookOutcome, HookRun, HookSpec, Level, Plan,
    Verdict, merge, select,
};
use becket_runner::command::child_command;
use becket_runner::{Hook, HookContext, HookInput, engine, process};
use chrono::Utc;
use futures_lite::future::block_on;
use serde_json::{Value, json};

use super::dedupe::FirstReport;
use super::fail_closed::undecided;
use super::record::timestamp;
use super::{Pipeline, Request};
use crate::changes::changes;
use crate::env::Home;
use crate::factory::{HookSite, OnceHook};
use crate::guard::is_guard;
use crate::id::new_id;
use crate::load::{Configuration, load};
use crate::trust::{TrustStore, fingerprint};

/// An async hook: started, never waited for.
pub struct DetachedHook {
    /// The hook's name.
    pub hook: String,
    /// The id of the event it runs for.
    pub event_id: String,
    /// What to start.
    pub work: DetachedWork,
}

/// How to start a detached hook.
pub enum DetachedWork {
    /// As a child process.
    Command(Box<process::Command>),
    /// In a process of Becket's: [`run_in_process`] with the same request.
    InProcess(HookKey),
}

/// Identifies one configured hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookKey {
    /// The file that defines it.
    pub file: PathBuf,
    /// Its key in that file.
    pub key: String,
    /// The index of the file change it runs for, if the event is derived from a tool call.
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

/// Runs one hook for an event that was answered before: the other end of [`DetachedWork::InProcess`].
pub fn run_in_process(request: &Request<'_>, key: &HookKey, id: &str) -> Result<HookRun, String> {
    let map = payload::read(request.payload).map_err(|error| error.to_string())?;
    let request = &Request {
        adapter: sending_agent(request.adapter, &map),
        ..*request
    };
    let event = request.adapter.parse(request.event, map);
    let mut event = event.map_err(|error| error.to_string())?;
    if let Some(index) = key.change {
        let changed = changes(request.adapter, &event).into_iter().nth(index);
        event = changed.ok_or("the event has fewer file changes than before")?;
    }
    let mut pipeline = Pipeline::new(request, event, id.to_owned(), Utc::now());
    let configuration = load(
        request.home,
        Some(&pipeline.root),
        Some(request.adapter.id()),
    );
    let mut plan = select(&configuration.loaded.hooks, &pipeline.event);
    plan.retain(|hook| HookKey::of(hook, key.change) == *key);
    pipeline.skip_untrusted(&mut plan);
    let hook = plan
        .hooks()
        .find(|hook| request.factory.can_build(hook))
        .ok_or("the hook is no longer configured, or not trusted")?;
    // The client claimed its one run when it answered the event.
    let hook = HookSpec {
        once: false,
        ..hook.clone()
    };
    let stages = [vec![pipeline.runnable(&hook, &[])]];
    let input = HookInput::from_event(pipeline.event.clone(), id);
    let decision = block_on(engine::run(&stages, input, &pipeline.context()));
    let run = decision.map_err(|error| error.to_string())?.hook_runs.pop();
    run.ok_or_else(|| "the hook did not run".to_owned())
}

/// A project's hooks that need trust and do not have it.
pub fn untrusted_hooks<'c>(
    configuration: &'c Configuration,
    home: &Home,
    root: &Path,
) -> Vec<&'c HookSpec> {
    let mut needing = configuration
        .loaded
        .hooks
        .iter()
        .filter(|hook| hook.source.level.needs_trust() && hook.enabled)
        .peekable();
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

/// The merged result of the hooks of one event.
struct PlanResult<'c> {
    decision: Decision,
    hooks: Vec<&'c HookSpec>,
    detached: Vec<DetachedHook>,
}

/// The merged result of an event and the file changes derived from it.
pub(super) struct EventResult<'c> {
    pub(super) decision: Decision,
    /// The hooks that ran for the event itself.
    pub(super) hooks: Vec<&'c HookSpec>,
    pub(super) detached: Vec<DetachedHook>,
    pub(super) change_records: Vec<Value>,
}

impl Pipeline<'_> {
    /// Whether a selected hook is of a kind that this program cannot build.
    pub(super) fn needs_full_binary(
        &self,
        configuration: &Configuration,
        changes: &[Event],
    ) -> bool {
        std::iter::once(&self.event).chain(changes).any(|event| {
            let plan = select(&configuration.loaded.hooks, event);
            plan.hooks()
                .any(|hook| !self.request.factory.can_build(hook))
        })
    }

    /// Runs the hooks of the event, then those of the file changes derived from it.
    pub(super) fn run_with_changes<'c>(
        &mut self,
        configuration: &'c Configuration,
        changes: Vec<Event>,
        claim: &FirstReport,
    ) -> EventResult<'c> {
        let own = self.run_hooks(configuration, &|hook| claim.has_run(hook));
        let mut result = EventResult {
            decision: claim.merge_sibling(own.decision),
            hooks: own.hooks,
            detached: own.detached,
            change_records: Vec::new(),
        };
        for (index, event) in changes.into_iter().enumerate() {
            let mut change = Pipeline::new(self.request, event, new_id(), self.now);
            change.change = Some(index);
            let run = change.run_hooks(configuration, &|hook| {
                is_covered_by_call(hook, &result.hooks)
            });
            if run.hooks.is_empty() && change.skipped.is_empty() {
                continue;
            }
            result.detached.extend(run.detached);
            let record = change.record(&run.decision, &Rendered::default());
            result.change_records.push(record);
            result.decision = merge_decisions(result.decision, run.decision);
        }
        result
    }

    /// Runs the matching hooks, except those that `has_run` already.
    fn run_hooks<'c>(
        &mut self,
        configuration: &'c Configuration,
        has_run: &dyn Fn(&HookSpec) -> bool,
    ) -> PlanResult<'c> {
        let mut plan = select(&configuration.loaded.hooks, &self.event);
        if !plan.is_empty() {
            self.skip_untrusted(&mut plan);
            plan.retain(|hook| !(hook.once && self.state.has_run(hook)));
            plan.retain(|hook| !has_run(hook));
        }
        let detached = self.detached(&plan);
        let decision = self.decide(&plan, &configuration.loaded.broken);
        PlanResult {
            decision,
            hooks: plan.hooks().collect(),
            detached,
        }
    }

    fn skip_untrusted(&mut self, plan: &mut Plan<'_>) {
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

    fn detached(&self, plan: &Plan<'_>) -> Vec<DetachedHook> {
        let (timestamp, root) = (timestamp(self.now), self.root.to_string_lossy());
        let metadata = EventMetadata {
            event_id: &self.id,
            timestamp: &timestamp,
            project_dir: Some(&root),
        };
        let work = |hook: &HookSpec| match child_command(hook, &self.event, &metadata) {
            Some(mut command) => {
                command.cwd = Some(match &hook.cwd {
                    Some(cwd) => self.root.join(cwd),
                    None => self.root.clone(),
                });
                DetachedWork::Command(Box::new(command))
            }
            None => DetachedWork::InProcess(HookKey::of(hook, self.change)),
        };
        plan.detached
            .iter()
            .filter(|hook| !hook.once || self.state.claim_once(hook))
            .map(|hook| DetachedHook {
                hook: hook.name.clone(),
                event_id: self.id.clone(),
                work: work(hook),
            })
            .collect()
    }

    /// A `once` hook claims its one run when it starts, because an earlier stage may end the plan before that.
    fn runnable(&self, hook: &HookSpec, hooks: &[&HookSpec]) -> Arc<dyn Hook> {
        let spec = HookSpec {
            once: false,
            ..hook.clone()
        };
        let site = HookSite {
            home: self.request.home,
            agent: self.request.adapter.id(),
            root: &self.root,
            cwd: self.event.cwd.as_deref(),
            hooks,
        };
        let built = self.request.factory.build(spec, &site);
        if !hook.once {
            return built;
        }
        let (state, hook) = (self.state.clone(), hook.clone());
        Arc::new(OnceHook {
            hook: built,
            claim: move || state.claim_once(&hook),
        })
    }

    fn decide(&self, plan: &Plan<'_>, broken: &[BrokenHook]) -> Decision {
        let failed: Vec<HookRun> = broken
            .iter()
            .filter(|b| b.event == self.event.kind())
            .filter_map(broken_hook_run)
            .collect();
        if plan.stages.is_empty() {
            return if failed.is_empty() {
                Decision::default()
            } else {
                merge(failed)
            };
        }
        let ctx = self.context();
        let hooks: Vec<&HookSpec> = plan.hooks().collect();
        // The guard computes and never waits. For the guard alone, a thread that handles signals would cost more than
        // the judgement.
        if hooks.iter().any(|hook| !is_guard(hook)) {
            (self.request.before_hooks)(&ctx.cancellation_token);
        }
        let stages: Vec<Vec<Arc<dyn Hook>>> = plan
            .stages
            .iter()
            .map(|stage| {
                let stage = stage.iter();
                stage.map(|hook| self.runnable(hook, &hooks)).collect()
            })
            .collect();
        let input = HookInput::from_event(self.event.clone(), self.id.as_str());
        match complete(engine::run(&stages, input, &ctx)) {
            Ok(decision) if failed.is_empty() => decision,
            Ok(decision) => merge_decisions(decision, merge(failed)),
            Err(error) => undecided(
                &self.event.kind(),
                format!("hooks were interrupted: {error}"),
            ),
        }
    }
}

/// Runs a future to its end. One that never waits, such as the guard's, does not pay for a waker of this thread.
fn complete<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let mut once = Context::from_waker(Waker::noop());
    match future.as_mut().poll(&mut once) {
        Poll::Ready(output) => output,
        Poll::Pending => block_on(future),
    }
}

/// A built-in that ran for the tool call does not run again for the file change that the call made.
fn is_covered_by_call(hook: &HookSpec, ran: &[&HookSpec]) -> bool {
    let is_same = |other: &&HookSpec| other.source == hook.source;
    matches!(hook.action, Action::Builtin { .. }) && ran.iter().any(is_same)
}

fn merge_decisions(decision: Decision, other: Decision) -> Decision {
    let runs = decision.hook_runs.into_iter().chain(other.hook_runs);
    let conflicts = decision.conflicts.into_iter().chain(other.conflicts);
    Decision {
        conflicts: conflicts.collect(),
        ..merge(runs.collect())
    }
}

/// A hook that did not load counts as failed if its `on_failure` says so. Only user-level entries count: the person has not
/// approved a project's broken entry.
fn broken_hook_run(broken: &BrokenHook) -> Option<HookRun> {
    let verdict = broken.on_failure.verdict();
    if verdict == Verdict::NoOpinion || broken.source.level != Level::User {
        return None;
    }
    let message = format!("hook `{}` did not load: {}", broken.name, broken.message);
    let outcome = HookOutcome::failed(FailureKind::Broken, message, verdict);
    Some(HookRun {
        hook: broken.name.clone(),
        outcome,
        took: Duration::ZERO,
    })
}
