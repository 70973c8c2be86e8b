//! [`HooksEngine`]: the engine behind `trigger`, `register` and `unregister` by id.

use std::sync::Arc;

use becket_model::{EventKind, HookRun, Verdict};

use crate::error::Result;
use crate::hook::Hook;
use crate::input::{HookContext, HookInput};
use crate::manager::HookManager;

/// A hook's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookDecision {
    /// It allows the action.
    Allow,
    /// It blocks the action.
    Block,
    /// It does not decide, but may add a message.
    Continue,
}

/// The result of an event.
#[derive(Debug, Clone, PartialEq)]
pub struct HookResult {
    /// Whether the action may proceed.
    pub allowed: bool,
    /// The result of each hook, in order.
    pub results: Vec<IndividualHookResult>,
    /// The complete merged decision.
    pub decision: becket_model::Decision,
}

/// The result of one hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndividualHookResult {
    /// The hook's id.
    pub hook_id: String,
    /// Whether it completed.
    pub success: bool,
    /// Its output.
    pub output: Option<String>,
    /// Its error.
    pub error: Option<String>,
    /// Its decision.
    pub decision: Option<HookDecision>,
}

/// Triggers events for hooks that are registered under ids.
///
/// ```
/// use std::sync::Arc;
/// use becket_runner::{FnHook, HookContext, HookEvent, HookInput, HookOutput, HooksEngine};
///
/// # futures_lite::future::block_on(async {
/// let mut engine = HooksEngine::new();
/// let hook = FnHook::new("no", [], |_, _| async { Ok(HookOutput::block("no")) });
/// let id = engine.register(HookEvent::PreToolUse, Arc::new(hook));
/// let event = || HookInput::pre_tool_use("s", "Bash", serde_json::json!({}));
/// assert!(!engine.trigger(event(), &HookContext::new("s")).await?.allowed);
/// assert!(engine.unregister(&HookEvent::PreToolUse, &id));
/// assert!(engine.trigger(event(), &HookContext::new("s")).await?.allowed);
/// # Ok::<(), becket_runner::Error>(()) }).unwrap();
/// ```
#[derive(Default)]
pub struct HooksEngine {
    manager: HookManager,
    ids: Vec<(EventKind, String, u64)>,
}

impl HooksEngine {
    /// An engine without hooks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a hook for one event and returns its id.
    pub fn register(&mut self, event: EventKind, hook: Arc<dyn Hook>) -> String {
        let name = hook.name().to_owned();
        let number = self.manager.insert(hook, Some(event.clone()));
        let id = format!("{name}#{number}");
        self.ids.push((event, id.clone(), number));
        id
    }

    /// Removes a hook; `false` if it was not registered.
    pub fn unregister(&mut self, event: &EventKind, hook_id: &str) -> bool {
        let Some(at) = self
            .ids
            .iter()
            .position(|(on, id, _)| on == event && id == hook_id)
        else {
            return false;
        };
        let (_, _, number) = self.ids.swap_remove(at);
        self.manager.remove(number)
    }

    /// Runs the hooks for an event.
    pub async fn trigger(&self, event: HookInput, ctx: &HookContext) -> Result<HookResult> {
        let decision = self.manager.decide(event.event_type(), event, ctx).await?;
        let results = decision.hook_runs.iter().map(individual).collect();
        Ok(HookResult {
            allowed: !decision.verdict.blocks(),
            results,
            decision,
        })
    }
}

fn individual(run: &HookRun) -> IndividualHookResult {
    let outcome = &run.outcome;
    let decision = match outcome.verdict {
        Verdict::Allow => Some(HookDecision::Allow),
        Verdict::NoOpinion => Some(HookDecision::Continue),
        Verdict::Deny | Verdict::Halt => Some(HookDecision::Block),
        Verdict::Ask => None,
    };
    IndividualHookResult {
        hook_id: run.hook.clone(),
        success: outcome.failure.is_none(),
        output: outcome.reason.clone().or_else(|| outcome.context.clone()),
        error: outcome
            .failure
            .as_ref()
            .map(|failure| failure.message.clone()),
        decision,
    }
}
