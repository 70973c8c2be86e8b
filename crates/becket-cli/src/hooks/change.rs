//! Adds, removes, enables and disables hooks in their configuration files.

use std::path::PathBuf;

use anyhow::{Context, bail};
use becket::model::{Dialect, Level};
use becket::switches;
use becket_agents::config::change::{self, SwitchResult};
use becket_agents::config::{self, ConfigFile};

use super::args::options;
use super::builtins;
use super::catalog::{HookCatalog, HookDefinition};
use super::draft::HookDraft;
use super::file::EditableConfig;
use crate::report::sanitize;

/// The result of a change; `changed` is false if there was nothing to do.
#[derive(Debug)]
pub(crate) struct HookChange {
    /// The hook's name.
    pub(crate) name: String,
    /// The hook's file, as the configuration names it.
    pub(crate) file: PathBuf,
    pub(crate) changed: bool,
    /// One sentence for the user.
    pub(crate) message: String,
    /// Further notes for the user.
    pub(crate) notes: Vec<String>,
}

/// Adds a hook.
pub(crate) fn add(
    catalog: &HookCatalog,
    draft: HookDraft,
    level: Level,
) -> anyhow::Result<HookChange> {
    plan_addition(catalog, draft, level)?.write()
}

/// A hook or options to be written to a file.
pub(crate) struct PlannedAddition {
    file: EditableConfig,
    after: String,
    done: HookChange,
}

impl PlannedAddition {
    /// The change as a diff.
    pub(crate) fn shown(&self) -> String {
        self.file.diff(&self.after)
    }

    pub(crate) fn write(self) -> anyhow::Result<HookChange> {
        self.file.write(&self.after)?;
        Ok(self.done)
    }
}

fn plan_addition(
    catalog: &HookCatalog,
    draft: HookDraft,
    level: Level,
) -> anyhow::Result<PlannedAddition> {
    let path = catalog.file_for(level)?;
    let taken = |name: &str| {
        let mut all = catalog.definitions.iter();
        all.any(|one| one.file() == path && one.name() == name)
    };
    let checked = draft.check(level, &taken)?;
    let file = EditableConfig::open(&path, level, catalog)?;
    let after = edited(&file, change::add(file.text(), &checked.block))?;
    let name = checked.spec.name;
    let mut notes = checked.warnings;
    notes.extend(hooks_off_note(catalog));
    let done = HookChange {
        message: format!("Added `{name}` to {}.", path.display()),
        name,
        file: path,
        changed: true,
        notes,
    };
    Ok(PlannedAddition { file, after, done })
}

/// Enables a hook; a built-in without a definition is added.
pub(crate) fn enable(
    catalog: &HookCatalog,
    name: &str,
    level: Option<Level>,
    wanted: &[String],
) -> anyhow::Result<HookChange> {
    let wanted = options(wanted)?;
    // Without a level, an existing definition of a built-in is used, wherever it is.
    let found = catalog.look_up(name, level)?;
    let Some(hook) = found else {
        if builtins::find(name).is_none() {
            catalog.resolve(name, level)?;
        }
        return plan_builtin(catalog, name, level, &wanted)?.write();
    };
    if wanted.is_empty() {
        return switch(catalog, hook, true);
    }
    // Invalid options are rejected before anything is written.
    with_options(catalog, hook, &wanted)?;
    let mut done = switch(catalog, hook, true)?;
    set_options(catalog, hook, &wanted, &mut done)?;
    Ok(done)
}

/// Plans the definition of a built-in with these options.
pub(crate) fn plan_builtin(
    catalog: &HookCatalog,
    name: &str,
    level: Option<Level>,
    wanted: &[(String, String)],
) -> anyhow::Result<PlannedAddition> {
    let mut draft = HookDraft::default();
    draft.text("name", Some(name));
    draft.text("use", Some(name));
    draft.table("options", wanted);
    let mut addition = plan_addition(catalog, draft, level.unwrap_or(Level::User))?;
    let file = addition.done.file.display();
    addition.done.message = format!("Enabled `{name}` in {file}.");
    Ok(addition)
}

/// Plans new options for a built-in; `None` if it already has them.
pub(crate) fn plan_options(
    catalog: &HookCatalog,
    hook: &HookDefinition,
    options: &[(String, String)],
) -> anyhow::Result<Option<PlannedAddition>> {
    let (file, after) = with_options(catalog, hook, options)?;
    let done = HookChange {
        name: hook.name().to_owned(),
        file: hook.file().to_owned(),
        changed: true,
        message: format!("Changed the options of `{}`.", hook.name()),
        notes: Vec::new(),
    };
    Ok(file
        .differs(&after)
        .then_some(PlannedAddition { file, after, done }))
}

fn set_options(
    catalog: &HookCatalog,
    hook: &HookDefinition,
    options: &[(String, String)],
    done: &mut HookChange,
) -> anyhow::Result<()> {
    let Some(plan) = plan_options(catalog, hook, options)? else {
        return Ok(());
    };
    let written = plan.write()?;
    done.message = if done.changed {
        format!("Enabled `{}` with these options.", hook.name())
    } else {
        written.message
    };
    done.changed = true;
    Ok(())
}

/// The hook's file and its text with these options.
fn with_options(
    catalog: &HookCatalog,
    hook: &HookDefinition,
    options: &[(String, String)],
) -> anyhow::Result<(EditableConfig, String)> {
    if !change::is_own(hook.first()) || hook.first().action.kind() != "builtin" {
        bail!(
            "--option: `{}` does not use a built-in ({})",
            sanitize(hook.name()),
            sanitize(&hook.place())
        );
    }
    let file = EditableConfig::open(hook.file(), hook.level(), catalog)?;
    let mut after = file.text().to_owned();
    for (option, value) in options {
        after = edited(
            &file,
            change::set_option(hook.first(), &after, option, value),
        )?;
    }
    let read = config::becket(&ConfigFile {
        path: hook.file(),
        level: hook.level(),
        text: &after,
        root: None,
    });
    let mut hooks = read.hooks.iter();
    let changed = hooks.find(|one| one.source.key == hook.first().source.key);
    if let Some(Err(why)) = changed.map(builtins::check) {
        bail!("`options`: {why}");
    }
    Ok((file, after))
}

/// Enables or disables a hook.
pub(crate) fn switch(
    catalog: &HookCatalog,
    hook: &HookDefinition,
    on: bool,
) -> anyhow::Result<HookChange> {
    let word = if on { "enabled" } else { "disabled" };
    let mut done = HookChange {
        name: hook.name().to_owned(),
        file: hook.file().to_owned(),
        changed: false,
        message: format!("`{}` is already {word}.", hook.name()),
        notes: Vec::new(),
    };
    if on {
        done.notes.extend(hooks_off_note(catalog));
    }
    if hook.enabled() == on {
        return Ok(done);
    }
    let spec = hook.first();
    let listed = &catalog.configuration.settings.hooks;
    if on && let Some(entry) = switches::entry(listed, spec, &catalog.home) {
        update_disabled_list(catalog, entry, false)?;
        done.message = format!(
            "Enabled `{}` again in {}.",
            hook.name(),
            catalog.home.config_file().display()
        );
    } else {
        let file = EditableConfig::open(hook.file(), hook.level(), catalog)?;
        match change::switch(spec, file.text(), on).map_err(|error| failed(&file, error))? {
            SwitchResult::Text(after) if file.differs(&after) => {
                file.write(&after)?;
                let verb = if on { "Enabled" } else { "Disabled" };
                done.message = format!("{verb} `{}` in {}.", hook.name(), hook.file().display());
            }
            SwitchResult::Unsupported if !on => {
                update_disabled_list(catalog, &switches::reference(spec, &catalog.home), true)?;
                done.message = format!(
                    "Disabled `{}` in {}.",
                    hook.name(),
                    catalog.home.config_file().display()
                );
                done.notes.extend(agent_runs_file_note(spec.dialect));
            }
            _ => bail!(
                "cannot enable `{}`: its file turns it off in a way that Becket does not edit; change it in {}",
                sanitize(hook.name()),
                sanitize(&hook.place())
            ),
        }
    }
    done.changed = true;
    Ok(done)
}

/// A note if the agent runs the hooks of this file itself, regardless of Becket's configuration.
fn agent_runs_file_note(dialect: Dialect) -> Option<String> {
    let agent = match dialect {
        Dialect::Claude => "Claude Code",
        Dialect::Cursor => "Cursor",
        Dialect::Codex => "Codex",
        Dialect::Copilot => "Copilot",
        Dialect::Autohand => "Autohand",
        _ => return None,
    };
    Some(format!(
        "this file has no switch for a single hook: Becket skips the hook from now on, but {agent} still runs its own file"
    ))
}

fn hooks_off_note(catalog: &HookCatalog) -> Option<String> {
    let note = "all hooks are off; `becket hooks on` turns them on";
    (!catalog.is_on()).then(|| note.to_owned())
}

fn update_disabled_list(catalog: &HookCatalog, entry: &str, disabled: bool) -> anyhow::Result<()> {
    let file = EditableConfig::open(&catalog.home.config_file(), Level::User, catalog)?;
    let after = edited(&file, change::list_disabled(file.text(), entry, disabled))?;
    file.write(&after)
}

/// Turns all hooks on or off.
pub(crate) fn switch_all(catalog: &HookCatalog, on: bool) -> anyhow::Result<HookChange> {
    let path = catalog.home.config_file();
    let file = EditableConfig::open(&path, Level::User, catalog)?;
    let after = edited(&file, change::switch_all(file.text(), on))?;
    let changed = file.differs(&after);
    if changed {
        file.write(&after)?;
    }
    let message = match (on, changed) {
        (true, true) => "Hooks are on.",
        (true, false) => "Hooks are already on.",
        (false, true) => {
            "Hooks are off: Becket runs no hook, for any agent, until `becket hooks on`."
        }
        (false, false) => "Hooks are already off.",
    };
    Ok(HookChange {
        name: String::new(),
        file: path,
        changed,
        message: message.to_owned(),
        notes: Vec::new(),
    })
}

/// A removal to be shown before it is written.
pub(crate) struct PlannedRemoval {
    name: String,
    file: EditableConfig,
    after: String,
    /// The user's configuration without its `[hooks] disabled` entry for the hook.
    unlisted: Option<(EditableConfig, String)>,
}

pub(crate) fn plan_removal(
    hook: &HookDefinition,
    catalog: &HookCatalog,
) -> anyhow::Result<PlannedRemoval> {
    let file = EditableConfig::open(hook.file(), hook.level(), catalog)?;
    let after = edited(&file, change::remove(hook.first(), file.text()))?;
    let listed = &catalog.configuration.settings.hooks;
    let unlisted = match switches::entry(listed, hook.first(), &catalog.home) {
        Some(entry) => {
            let own = EditableConfig::open(&catalog.home.config_file(), Level::User, catalog)?;
            let text = edited(&own, change::list_disabled(own.text(), entry, false))?;
            Some((own, text))
        }
        None => None,
    };
    Ok(PlannedRemoval {
        name: hook.name().to_owned(),
        file,
        after,
        unlisted,
    })
}

impl PlannedRemoval {
    /// The change as a diff.
    pub(crate) fn shown(&self) -> String {
        let mut shown = self.file.diff(&self.after);
        if let Some((file, after)) = &self.unlisted {
            shown += &file.diff(after);
        }
        shown
    }

    pub(crate) fn write(self) -> anyhow::Result<HookChange> {
        self.file.write(&self.after)?;
        if let Some((file, after)) = &self.unlisted {
            file.write(after)?;
        }
        Ok(HookChange {
            message: format!("Removed `{}` from {}.", self.name, self.file.path.display()),
            name: self.name,
            file: self.file.path,
            changed: true,
            notes: Vec::new(),
        })
    }
}

fn edited(
    file: &EditableConfig,
    after: Result<String, becket_agents::edit::EditError>,
) -> anyhow::Result<String> {
    after.map_err(|error| failed(file, error))
}

fn failed(file: &EditableConfig, error: becket_agents::edit::EditError) -> anyhow::Error {
    let place = match error.position() {
        Some(at) => format!("{}:{}", file.path.display(), at.line),
        None => file.path.display().to_string(),
    };
    Err::<(), _>(error)
        .with_context(|| format!("`{}` was not changed", sanitize(&place)))
        .expect_err("the result is an error")
}
