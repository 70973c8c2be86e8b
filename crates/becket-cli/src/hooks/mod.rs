//! `becket hooks`: lists, tests and changes the configured hooks.
//!
//! [`catalog`] loads the definitions, [`change`] edits files, [`draft`] validates a new hook, [`test_run`] runs a hook with
//! a sample event. The commands and the interactive manager share these modules. `becket_agents::config::change` knows
//! the file formats.

pub(crate) mod api;
pub(crate) mod args;
pub(crate) mod builtins;
pub(crate) mod catalog;
pub(crate) mod change;
mod convert;
mod draft;
pub(crate) mod file;
pub(crate) mod guard_offer;
mod list;
mod sample;
mod show;
mod test_run;
mod tui;

pub(crate) use test_run::stop_on_signal;

use std::io::IsTerminal;

use becket::EnvVars;
use becket::env::{ProcessEnv, Vars};
use becket_daemon::setup::HookSwitchResult;

use self::args::{HooksCommand, LevelArg};
use self::catalog::HookCatalog;
use self::change::HookChange;
use crate::args::ProjectArgs;
use crate::exit::Exit;
use crate::report::{
    SCHEMA_VERSION, confirm, print, print_declined, print_json, print_message, sanitize,
};

pub(crate) fn main(command: Option<HooksCommand>, here: &ProjectArgs) -> anyhow::Result<Exit> {
    let Some(command) = command else {
        if is_interactive() && !here.json {
            return tui::main(HookCatalog::find(here)?);
        }
        return list::main(here);
    };
    match command {
        HooksCommand::List => list::main(here),
        HooksCommand::Show { name, level } => {
            show::main(&HookCatalog::find(here)?, &name, level, here.json)
        }
        HooksCommand::Add(args) => {
            let catalog = HookCatalog::find(here)?;
            let done = change::add(&catalog, args.draft()?, args.level.into())?;
            report(&catalog, done, here, args.trust)
        }
        HooksCommand::Remove { name, level, yes } => remove(&name, level, yes, here),
        HooksCommand::Enable(args) => {
            let catalog = HookCatalog::find(here)?;
            let level = args.level.map(Into::into);
            let done = change::enable(&catalog, &args.name, level, &args.option)?;
            report(&catalog, done, here, args.trust)
        }
        HooksCommand::Disable { name, level } => {
            let catalog = HookCatalog::find(here)?;
            let hook = catalog.resolve(&name, level.map(Into::into))?;
            let done = change::switch(&catalog, hook, false)?;
            report(&catalog, done, here, false)
        }
        HooksCommand::On => all(here, true),
        HooksCommand::Off => all(here, false),
        HooksCommand::Test(args) => test_run::main(&args, here),
        HooksCommand::Convert { to, file } => convert::main(&to, file.as_deref(), here),
    }
}

fn all(here: &ProjectArgs, on: bool) -> anyhow::Result<Exit> {
    let catalog = HookCatalog::find(here)?;
    let done = change::switch_all(&catalog, on)?;
    report(&catalog, done, here, false)
}

fn remove(
    name: &str,
    level: Option<LevelArg>,
    yes: bool,
    here: &ProjectArgs,
) -> anyhow::Result<Exit> {
    let catalog = HookCatalog::find(here)?;
    let hook = catalog.resolve(name, level.map(Into::into))?;
    let removal = change::plan_removal(hook, &catalog)?;
    if !yes {
        if !here.json {
            print(&removal.shown());
        }
        if !confirm(&format!("Remove `{}`?", sanitize(hook.name()))) {
            print_declined("nothing removed");
            return Ok(Exit::Failure);
        }
    }
    let done = removal.write()?;
    report(&catalog, done, here, false)
}

/// Reports a change, and whether the hook now needs trust.
fn report(
    before: &HookCatalog,
    mut done: HookChange,
    here: &ProjectArgs,
    trust: bool,
) -> anyhow::Result<Exit> {
    let again = || HookCatalog::load(before.home.clone(), before.root.clone());
    let mut after = again();
    let waiting = after.untrusted_specs(&done);
    let mut trusted = Vec::new();
    if trust && !waiting.is_empty() {
        trusted = crate::trust::grant(&before.home, &before.root, &waiting, !here.json)?;
        after = again();
    } else if !waiting.is_empty() {
        done.notes.push(format!(
            "`{}` belongs to a project and does not run until you trust it; run `becket trust`, or pass --trust to this command",
            done.name
        ));
    }
    if here.json {
        print_json(&serde_json::to_value(switched(&done, &after, &trusted))?)?;
        return Ok(Exit::Success);
    }
    print(&format!("{}\n", sanitize(&done.message)));
    if !trusted.is_empty() {
        print(&format!("Trusted `{}`.\n", sanitize(&done.name)));
    }
    for note in &done.notes {
        print_message(&format!("becket: {}", sanitize(note)));
    }
    Ok(Exit::Success)
}

/// A change as an API result.
fn switched(done: &HookChange, after: &HookCatalog, trusted: &[String]) -> HookSwitchResult {
    let hook = after.find_changed(done);
    HookSwitchResult {
        schema_version: SCHEMA_VERSION,
        changed: done.changed,
        name: done.name.clone(),
        file: done.file.to_string_lossy().into_owned(),
        status: hook.map(|hook| hook.state.word().to_owned()),
        line: hook.map(|hook| hook.first().source.line),
        mode: after.mode().to_owned(),
        trusted: trusted.to_vec(),
        notes: done.notes.clone(),
    }
}

/// Whether a user is at the terminal.
pub(crate) fn is_interactive() -> bool {
    let dumb = ProcessEnv
        .get(EnvVars::TERM)
        .is_none_or(|term| term == "dumb");
    std::io::stdout().is_terminal() && std::io::stdin().is_terminal() && !dumb
}
