//! The guard, as `becket up` offers it: shown before it is switched on.

use becket::guard;
use becket_guard::rule::Preset;

use super::args::options;
use super::catalog::{Catalog, Definition, State};
use super::change;
use crate::args::Here;
use crate::report::tame;

const GUARD: &str = "security-guard";

pub(crate) struct Offer {
    catalog: Catalog,
}

impl Offer {
    pub(crate) fn find(here: &Here) -> anyhow::Result<Self> {
        Ok(Self {
            catalog: Catalog::find(here)?,
        })
    }

    /// Where a guard is switched on already.
    pub(crate) fn standing(&self) -> Option<String> {
        let is_on = |hook: &&Definition| {
            hook.state == State::Enabled && hook.specs.iter().any(guard::is_guard)
        };
        let found = self.catalog.definitions.iter().find(is_on)?;
        Some(tame(&found.place()))
    }

    /// What would change.
    pub(crate) fn preview(&self, preset: Preset) -> anyhow::Result<String> {
        if let Some(hook) = self.catalog.look_up(GUARD, None)? {
            return Ok(format!(
                "{}: `{GUARD}` is switched on\n",
                tame(&hook.place())
            ));
        }
        let options = options(&wanted(preset))?;
        Ok(change::plan_builtin(&self.catalog, GUARD, None, &options)?.shown())
    }

    /// Switches it on, and says so.
    pub(crate) fn accept(&self, preset: Preset) -> anyhow::Result<String> {
        Ok(change::enable(&self.catalog, GUARD, None, &wanted(preset))?.said)
    }
}

fn wanted(preset: Preset) -> [String; 1] {
    [format!("preset={}", preset.word())]
}
