//! [`HookManager`]: registers hooks, looks them up by event and tool, and runs them in order.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use becket_base::sync::RwLockExt;
use becket_model::{Decision, EventKind, HookSpec, plan};
use regex::Regex;

use crate::command::CommandHook;
use crate::engine;
use crate::error::Result;
use crate::hook::Hook;
use crate::input::{HookContext, HookInput};
use crate::output::HookOutput;

/// The most cached pairs of event and tool before the cache is cleared. Tool names come from outside, so the cache
/// must be bounded.
const MAX_CACHED_LOOKUPS: usize = 512;

/// Registers hooks and runs them.
///
/// ```
/// use std::sync::Arc;
/// use becket_runner::{FnHook, HookContext, HookEvent, HookInput, HookManager, HookOutput};
///
/// # futures_lite::future::block_on(async {
/// let mut manager = HookManager::new();
/// manager.register(FnHook::new("quiet", [HookEvent::PreToolUse], |_, _| async {
///     Ok(HookOutput::block("quiet hours"))
/// }));
/// let input = HookInput::pre_tool_use("session-1", "Bash", serde_json::json!({"command": "ls"}));
/// let output = manager.execute(HookEvent::PreToolUse, input, &HookContext::new("session-1")).await?;
/// assert!(!output.continue_execution);
/// # Ok::<(), becket_runner::Error>(()) }).unwrap();
/// ```
#[derive(Default)]
pub struct HookManager {
    /// In running order: by priority, then by registration.
    hooks: Vec<RegisteredHook>,
    next_id: u64,
    found: RwLock<HashMap<EventKind, HooksByTool>>,
}

type HooksByTool = HashMap<String, Arc<[usize]>>;

struct RegisteredHook {
    id: u64,
    hook: Arc<dyn Hook>,
    events: Vec<EventKind>,
    matcher: Option<Regex>,
    priority: i32,
}

impl HookManager {
    /// A manager without hooks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a hook.
    pub fn register(&mut self, hook: impl Hook + 'static) {
        self.register_arc(Arc::new(hook));
    }

    /// Registers a shared hook.
    pub fn register_arc(&mut self, hook: Arc<dyn Hook>) {
        self.insert(hook, None);
    }

    /// Registers configured hooks, in their order.
    pub fn register_specs(&mut self, specs: impl IntoIterator<Item = HookSpec>) {
        for spec in specs {
            self.register(CommandHook::from_spec(spec));
        }
    }

    pub(crate) fn insert(&mut self, hook: Arc<dyn Hook>, only: Option<EventKind>) -> u64 {
        let id = self.next_id;
        self.next_id += 1;
        let events = only.map_or_else(|| hook.events().to_vec(), |event| vec![event]);
        let (matcher, priority) = (hook.tool_matcher().cloned(), hook.priority());
        let at = self
            .hooks
            .partition_point(|other| other.priority >= priority);
        self.hooks.insert(
            at,
            RegisteredHook {
                id,
                hook,
                events,
                matcher,
                priority,
            },
        );
        self.clear_lookup_cache();
        id
    }

    pub(crate) fn remove(&mut self, id: u64) -> bool {
        let before = self.hooks.len();
        self.hooks.retain(|one| one.id != id);
        self.clear_lookup_cache();
        self.hooks.len() < before
    }

    /// Removes every hook with this name; `false` if there is none.
    pub fn unregister(&mut self, name: &str) -> bool {
        let before = self.hooks.len();
        self.hooks.retain(|one| one.hook.name() != name);
        self.clear_lookup_cache();
        self.hooks.len() < before
    }

    /// The names of all hooks, in running order.
    pub fn hook_names(&self) -> Vec<&str> {
        self.hooks.iter().map(|one| one.hook.name()).collect()
    }

    /// Whether a hook with this name is registered.
    pub fn has_hook(&self, name: &str) -> bool {
        self.hooks.iter().any(|one| one.hook.name() == name)
    }

    /// Whether any hook is registered for this event.
    pub fn has_hooks_for(&self, event: &EventKind) -> bool {
        self.hooks.iter().any(|one| one.events.contains(event))
    }

    /// Runs the hooks for an event and merges their outputs.
    ///
    /// A hook that fails on an event that can be blocked blocks it, and the reason contains the error. The only
    /// error is [`Error::Cancelled`](crate::Error::Cancelled).
    pub async fn execute(
        &self,
        event: EventKind,
        input: HookInput,
        ctx: &HookContext,
    ) -> Result<HookOutput> {
        Ok(self.decide(event, input, ctx).await?.into())
    }

    /// Runs the hooks for an event and returns the complete decision, with every hook run and all conflicts.
    pub async fn decide(
        &self,
        event: EventKind,
        input: HookInput,
        ctx: &HookContext,
    ) -> Result<Decision> {
        let found = self.find(&event, &input);
        if found.is_empty() {
            return Ok(Decision::default());
        }
        let stages = self.stages(&found, &input, ctx);
        engine::run(&stages, input, ctx).await
    }

    fn stages(
        &self,
        found: &[usize],
        input: &HookInput,
        ctx: &HookContext,
    ) -> Vec<Vec<Arc<dyn Hook>>> {
        let any_spec = found.iter().any(|at| self.hooks[*at].hook.spec().is_some());
        let event = any_spec.then(|| input.to_event(ctx));
        let mut stages: Vec<Vec<Arc<dyn Hook>>> = Vec::new();
        let mut open: Option<i32> = None;
        for at in found {
            let one = &self.hooks[*at];
            let spec = one.hook.spec();
            if let (Some(spec), Some(event)) = (spec, &event)
                && !plan::passes(spec, event)
            {
                continue;
            }
            if spec.is_some_and(|spec| spec.is_async) {
                crate::detached::start(Arc::clone(&one.hook), input.clone(), ctx.clone());
                continue;
            }
            let concurrent = spec
                .is_some_and(|spec| spec.dialect.runs_concurrently())
                .then_some(one.priority);
            match stages.last_mut() {
                Some(stage) if concurrent.is_some() && concurrent == open => {
                    stage.push(Arc::clone(&one.hook));
                }
                _ => stages.push(vec![Arc::clone(&one.hook)]),
            }
            open = concurrent;
        }
        stages
    }

    /// The hooks whose event and tool matcher match; cached per event and tool.
    fn find(&self, event: &EventKind, input: &HookInput) -> Arc<[usize]> {
        let tool = input.tool_name().unwrap_or_default();
        {
            let remembered = self.found.read_ignoring_poison();
            if let Some(found) = remembered.get(event).and_then(|tools| tools.get(tool)) {
                return Arc::clone(found);
            }
        }
        let fits = |one: &RegisteredHook| {
            one.events.contains(event)
                && (tool.is_empty()
                    || one
                        .matcher
                        .as_ref()
                        .is_none_or(|matcher| matcher.is_match(tool)))
        };
        let found: Arc<[usize]> = self
            .hooks
            .iter()
            .enumerate()
            .filter(|(_, one)| fits(one))
            .map(|(at, _)| at)
            .collect();
        let mut remembered = self.found.write_ignoring_poison();
        let tools = remembered.entry(event.clone()).or_default();
        if tools.len() >= MAX_CACHED_LOOKUPS {
            tools.clear();
        }
        tools.insert(tool.to_owned(), Arc::clone(&found));
        found
    }

    fn clear_lookup_cache(&mut self) {
        self.found
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
    }
}
