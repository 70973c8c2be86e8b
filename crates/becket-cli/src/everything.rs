//! Every kind of hook, for the large program.

use std::sync::Arc;

use becket::make::Around;
use becket::model::HookSpec;
use becket::{CommandHook, Hook, Maker};

/// Makes any hook run. What it cannot run fails when it fires, as its failure policy says.
pub(crate) struct Everything;

impl Maker for Everything {
    fn knows(&self, _: &HookSpec) -> bool {
        true
    }

    fn make(&self, hook: HookSpec, _: &Around<'_>) -> Arc<dyn Hook> {
        Arc::new(CommandHook::from_spec(hook))
    }
}
