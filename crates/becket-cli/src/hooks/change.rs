//! Adding, removing and switching hooks: which file, what text, and what to say about it.

use std::path::PathBuf;

use anyhow::{Context, bail};
use becket::model::{Dialect, Level};
use becket::switches;
use becket_agents::config::change::{self, Switched};
use becket_agents::config::{self, File};

use super::args::options;
use super::builtins;
use super::catalog::{Catalog, Definition};
use super::draft::Draft;
use super::file::ConfigFile;
use crate::report::tame;

/// A change that was made, or turned out to be made already.
#[derive(Debug)]
pub(crate) struct Done {
    /// The hook's name.
    pub(crate) name: String,
    /// The hook's file, as configuration calls it.
    pub(crate) file: PathBuf,
    pub(crate) changed: bool,
    /// One sentence.
    pub(crate) said: String,
    /// What else there is to know.
    pub(crate) notes: Vec<String>,
}

/// Adds a hook.
pub(crate) fn add(catalog: &Catalog, draft: Draft, level: Level) -> anyhow::Result<Done> {
    plan_addition(catalog, draft, level)?.write()
}

/// A hook, or options of one, that are not in their file yet.
pub(crate) struct Addition {
    file: ConfigFile,
    after: String,
    done: Done,
}

impl Addition {
    /// The change, for a person.
    pub(crate) fn shown(&self) -> String {
        self.file.diff(&self.after)
    }

    pub(crate) fn write(self) -> anyhow::Result<Done> {
        self.file.write(&self.after)?;
        Ok(self.done)
    }
}

fn plan_addition(catalog: &Catalog, draft: Draft, level: Level) -> anyhow::Result<Addition> {
    let path = catalog.file_for(level)?;
    let taken = |name: &str| {
        let mut all = catalog.definitions.iter();
        all.any(|one| one.file() == path && one.name() == name)
    };
    let checked = draft.check(level, &taken)?;
    let file = ConfigFile::open(&path, level, catalog)?;
    let after = edited(&file, change::add(file.text(), &checked.block))?;
    let name = checked.spec.name;
    let mut notes = checked.warnings;
    notes.extend(resting(catalog));
    let done = Done {
        said: format!("Added `{name}` to {}.", path.display()),
        name,
        file: path,
        changed: true,
        notes,
    };
    Ok(Addition { file, after, done })
}

/// Switches a hook on; a built-in that nobody has set up is added.
pub(crate) fn enable(
    catalog: &Catalog,
    name: &str,
    level: Option<Level>,
    wanted: &[String],
) -> anyhow::Result<Done> {
    let wanted = options(wanted)?;
    // A built-in stands where it stands, unless a place for it is named.
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
    // What makes no sense is refused before anything is written.
    with_options(catalog, hook, &wanted)?;
    let mut done = switch(catalog, hook, true)?;
    set_options(catalog, hook, &wanted, &mut done)?;
    Ok(done)
}

/// A built-in that is in no file, with these options.
pub(crate) fn plan_builtin(
    catalog: &Catalog,
    name: &str,
    level: Option<Level>,
    wanted: &[(String, String)],
) -> anyhow::Result<Addition> {
    let mut draft = Draft::default();
    draft.text("name", Some(name));
    draft.text("use", Some(name));
    draft.table("options", wanted);
    let mut addition = plan_addition(catalog, draft, level.unwrap_or(Level::User))?;
    let file = addition.done.file.display();
    addition.done.said = format!("Enabled `{name}`, in {file}.");
    Ok(addition)
}

/// Other options of a built-in; `None` where it has them.
pub(crate) fn plan_options(
    catalog: &Catalog,
    hook: &Definition,
    options: &[(String, String)],
) -> anyhow::Result<Option<Addition>> {
    let (file, after) = with_options(catalog, hook, options)?;
    let done = Done {
        name: hook.name().to_owned(),
        file: hook.file().to_owned(),
        changed: true,
        said: format!("Changed the options of `{}`.", hook.name()),
        notes: Vec::new(),
    };
    Ok(file
        .differs(&after)
        .then_some(Addition { file, after, done }))
}

fn set_options(
    catalog: &Catalog,
    hook: &Definition,
    options: &[(String, String)],
    done: &mut Done,
) -> anyhow::Result<()> {
    let Some(plan) = plan_options(catalog, hook, options)? else {
        return Ok(());
    };
    let written = plan.write()?;
    done.said = if done.changed {
        format!("Enabled `{}` with these options.", hook.name())
    } else {
        written.said
    };
    done.changed = true;
    Ok(())
}

/// The hook's file, and its text with these options.
fn with_options(
    catalog: &Catalog,
    hook: &Definition,
    options: &[(String, String)],
) -> anyhow::Result<(ConfigFile, String)> {
    if !change::is_own(hook.first()) || hook.first().action.kind() != "builtin" {
        bail!(
            "--option: `{}` is no built-in ({})",
            tame(hook.name()),
            tame(&hook.place())
        );
    }
    let file = ConfigFile::open(hook.file(), hook.level(), catalog)?;
    let mut after = file.text().to_owned();
    for (option, value) in options {
        after = edited(
            &file,
            change::set_option(hook.first(), &after, option, value),
        )?;
    }
    let read = config::becket(&File {
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

/// Switches a hook on or off.
pub(crate) fn switch(catalog: &Catalog, hook: &Definition, on: bool) -> anyhow::Result<Done> {
    let word = if on { "enabled" } else { "disabled" };
    let mut done = Done {
        name: hook.name().to_owned(),
        file: hook.file().to_owned(),
        changed: false,
        said: format!("`{}` is {word} already.", hook.name()),
        notes: Vec::new(),
    };
    if on {
        done.notes.extend(resting(catalog));
    }
    if hook.enabled() == on {
        return Ok(done);
    }
    let spec = hook.first();
    let listed = &catalog.configuration.settings.hooks;
    if on && let Some(entry) = switches::entry(listed, spec, &catalog.home) {
        list(catalog, entry, false)?;
        done.said = format!(
            "Enabled `{}` again, in {}.",
            hook.name(),
            catalog.home.config_file().display()
        );
    } else {
        let file = ConfigFile::open(hook.file(), hook.level(), catalog)?;
        match change::switch(spec, file.text(), on).map_err(|error| failed(&file, error))? {
            Switched::Text(after) if file.differs(&after) => {
                file.write(&after)?;
                let verb = if on { "Enabled" } else { "Disabled" };
                done.said = format!("{verb} `{}`, in {}.", hook.name(), hook.file().display());
            }
            Switched::NoWay if !on => {
                list(catalog, &switches::reference(spec, &catalog.home), true)?;
                done.said = format!(
                    "Disabled `{}`, in {}.",
                    hook.name(),
                    catalog.home.config_file().display()
                );
                done.notes.extend(run_elsewhere(spec.dialect));
            }
            _ => bail!(
                "`{}` is switched off by its own file, for all hooks or in a way Becket does not edit; change it there: {}",
                tame(hook.name()),
                tame(&hook.place())
            ),
        }
    }
    done.changed = true;
    Ok(done)
}

/// Who runs the hooks of such a file by itself, whatever Becket's configuration says.
fn run_elsewhere(dialect: Dialect) -> Option<String> {
    let agent = match dialect {
        Dialect::Claude => "Claude Code",
        Dialect::Cursor => "Cursor",
        Dialect::Codex => "Codex",
        Dialect::Copilot => "Copilot",
        Dialect::Autohand => "Autohand",
        _ => return None,
    };
    Some(format!(
        "this file has no switch for a single hook: Becket leaves the hook out from now on, but {agent} runs its own file by itself"
    ))
}

fn resting(catalog: &Catalog) -> Option<String> {
    let note = "all hooks are switched off; `becket hooks on` switches them on again";
    (!catalog.is_on()).then(|| note.to_owned())
}

fn list(catalog: &Catalog, entry: &str, disabled: bool) -> anyhow::Result<()> {
    let file = ConfigFile::open(&catalog.home.config_file(), Level::User, catalog)?;
    let after = edited(&file, change::list_disabled(file.text(), entry, disabled))?;
    file.write(&after)
}

/// Switches all hooks on or off.
pub(crate) fn switch_all(catalog: &Catalog, on: bool) -> anyhow::Result<Done> {
    let path = catalog.home.config_file();
    let file = ConfigFile::open(&path, Level::User, catalog)?;
    let after = edited(&file, change::switch_all(file.text(), on))?;
    let changed = file.differs(&after);
    if changed {
        file.write(&after)?;
    }
    let said = match (on, changed) {
        (true, true) => "Hooks are on.",
        (true, false) => "Hooks are on already.",
        (false, true) => {
            "Hooks are off: Becket runs none, under any agent, until `becket hooks on`."
        }
        (false, false) => "Hooks are off already.",
    };
    Ok(Done {
        name: String::new(),
        file: path,
        changed,
        said: said.to_owned(),
        notes: Vec::new(),
    })
}

/// A removal, to be shown before it is made.
pub(crate) struct Removal {
    name: String,
    file: ConfigFile,
    after: String,
    /// Our own entry about the hook goes with it.
    unlisted: Option<(ConfigFile, String)>,
}

pub(crate) fn plan_removal(hook: &Definition, catalog: &Catalog) -> anyhow::Result<Removal> {
    let file = ConfigFile::open(hook.file(), hook.level(), catalog)?;
    let after = edited(&file, change::remove(hook.first(), file.text()))?;
    let listed = &catalog.configuration.settings.hooks;
    let unlisted = match switches::entry(listed, hook.first(), &catalog.home) {
        Some(entry) => {
            let own = ConfigFile::open(&catalog.home.config_file(), Level::User, catalog)?;
            let text = edited(&own, change::list_disabled(own.text(), entry, false))?;
            Some((own, text))
        }
        None => None,
    };
    Ok(Removal {
        name: hook.name().to_owned(),
        file,
        after,
        unlisted,
    })
}

impl Removal {
    /// What would change, for a person.
    pub(crate) fn shown(&self) -> String {
        let mut shown = self.file.diff(&self.after);
        if let Some((file, after)) = &self.unlisted {
            shown += &file.diff(after);
        }
        shown
    }

    pub(crate) fn write(self) -> anyhow::Result<Done> {
        self.file.write(&self.after)?;
        if let Some((file, after)) = &self.unlisted {
            file.write(after)?;
        }
        Ok(Done {
            said: format!("Removed `{}` from {}.", self.name, self.file.path.display()),
            name: self.name,
            file: self.file.path,
            changed: true,
            notes: Vec::new(),
        })
    }
}

fn edited(
    file: &ConfigFile,
    after: Result<String, becket_agents::edit::EditError>,
) -> anyhow::Result<String> {
    after.map_err(|error| failed(file, error))
}

fn failed(file: &ConfigFile, error: becket_agents::edit::EditError) -> anyhow::Error {
    let place = match error.position() {
        Some(at) => format!("{}:{}", file.path.display(), at.line),
        None => file.path.display().to_string(),
    };
    Err::<(), _>(error)
        .with_context(|| format!("`{}` is left as it is", tame(&place)))
        .expect_err("it was an error")
}
