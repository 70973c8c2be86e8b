//! The guard, as `becket up` offers it: shown before it is switched on.

use becket::guard;
use becket::model::Level;
use becket_guard::rule::Preset;

use super::args::options;
use super::builtins;
use super::catalog::{Catalog, Definition, State};
use super::change::{self, Addition};
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

    /// The guard that is switched on already.
    pub(crate) fn standing(&self) -> Option<Standing<'_>> {
        let is_on = |hook: &&Definition| {
            hook.state == State::Enabled && hook.specs.iter().any(guard::is_guard)
        };
        let hook = self.catalog.definitions.iter().find(is_on)?;
        Some(Standing {
            catalog: &self.catalog,
            hook,
        })
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

/// A guard that is on.
pub(crate) struct Standing<'c> {
    catalog: &'c Catalog,
    hook: &'c Definition,
}

impl Standing<'_> {
    pub(crate) fn name(&self) -> String {
        tame(self.hook.name())
    }

    pub(crate) fn place(&self) -> String {
        tame(&self.hook.place())
    }

    /// What it takes to have this preset; `None` where it has it, and where the file is not the person's own.
    pub(crate) fn plan(&self, preset: Preset) -> anyhow::Result<Option<Addition>> {
        let said =
            builtins::of(self.hook.first()).and_then(|(_, options)| guard::policy(options).ok());
        if said.is_some_and(|policy| policy.preset == preset) || self.hook.level() != Level::User {
            return Ok(None);
        }
        change::plan_options(self.catalog, self.hook, &options(&wanted(preset))?)
    }
}

fn wanted(preset: Preset) -> [String; 1] {
    [format!("preset={}", preset.word())]
}
