//! From a hook as configured to one that runs.

use std::path::Path;
use std::sync::Arc;

use becket_model::{Action, HookSpec};
use becket_runner::{CommandHook, Hook};

use crate::env::Home;

/// Where a hook is about to run.
#[derive(Debug, Clone, Copy)]
pub struct Around<'a> {
    /// The person's directories.
    pub home: &'a Home,
    /// The project's root.
    pub root: &'a Path,
    /// The directory of the session, as the agent says.
    pub cwd: Option<&'a str>,
}

/// Knows how to run some kinds of hooks. What needs a network or a model is left to makers that
/// are linked only where start-up cost does not matter.
pub trait Maker {
    /// Whether it can make this hook run.
    fn knows(&self, hook: &HookSpec) -> bool;

    /// The hook, ready to run; asked only for hooks that it knows.
    fn make(&self, hook: HookSpec, around: &Around<'_>) -> Arc<dyn Hook>;
}

/// Runs commands, and nothing else.
#[derive(Debug, Clone, Copy, Default)]
pub struct Commands;

impl Maker for Commands {
    fn knows(&self, hook: &HookSpec) -> bool {
        matches!(hook.action, Action::Command { .. })
    }

    fn make(&self, hook: HookSpec, _: &Around<'_>) -> Arc<dyn Hook> {
        Arc::new(CommandHook::from_spec(hook))
    }
}
