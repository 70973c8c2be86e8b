//! The guard as offered by `becket up`: shows the change, then enables it.

use becket::guard;
use becket::model::Level;
use becket_guard::rule::Preset;

use super::args::options;
use super::builtins;
use super::catalog::{HookCatalog, HookDefinition, HookState};
use super::change::{self, PlannedAddition};
use crate::args::ProjectArgs;
use crate::report::sanitize;

const GUARD: &str = "security-guard";

pub(crate) struct GuardOffer {
    catalog: HookCatalog,
}

impl GuardOffer {
    pub(crate) fn find(here: &ProjectArgs) -> anyhow::Result<Self> {
        Ok(Self {
            catalog: HookCatalog::find(here)?,
        })
    }

    /// The guard, if it is already enabled.
    pub(crate) fn enabled_guard(&self) -> Option<EnabledGuard<'_>> {
        let is_on = |hook: &&HookDefinition| {
            hook.state == HookState::Enabled && hook.specs.iter().any(guard::is_guard)
        };
        let hook = self.catalog.definitions.iter().find(is_on)?;
        Some(EnabledGuard {
            catalog: &self.catalog,
            hook,
        })
    }

    /// The change that enabling the guard would make.
    pub(crate) fn preview(&self, preset: Preset) -> anyhow::Result<String> {
        if let Some(hook) = self.catalog.look_up(GUARD, None)? {
            return Ok(format!(
                "{}: `{GUARD}` will be enabled\n",
                sanitize(&hook.place())
            ));
        }
        let options = options(&preset_option(preset))?;
        Ok(change::plan_builtin(&self.catalog, GUARD, None, &options)?.shown())
    }

    /// Enables the guard; returns the message for the user.
    pub(crate) fn enable(&self, preset: Preset) -> anyhow::Result<String> {
        Ok(change::enable(&self.catalog, GUARD, None, &preset_option(preset))?.message)
    }
}

/// A guard that is enabled.
pub(crate) struct EnabledGuard<'c> {
    catalog: &'c HookCatalog,
    hook: &'c HookDefinition,
}

impl EnabledGuard<'_> {
    pub(crate) fn name(&self) -> String {
        sanitize(self.hook.name())
    }

    pub(crate) fn place(&self) -> String {
        sanitize(&self.hook.place())
    }

    /// Plans a change of the preset; `None` if it is already set, or if the file is not the user's.
    pub(crate) fn plan(&self, preset: Preset) -> anyhow::Result<Option<PlannedAddition>> {
        let current_policy = builtins::builtin_of(self.hook.first())
            .and_then(|(_, options)| guard::policy(options).ok());
        if current_policy.is_some_and(|policy| policy.preset == preset)
            || self.hook.level() != Level::User
        {
            return Ok(None);
        }
        change::plan_options(self.catalog, self.hook, &options(&preset_option(preset))?)
    }
}

fn preset_option(preset: Preset) -> [String; 1] {
    [format!("preset={}", preset.word())]
}
