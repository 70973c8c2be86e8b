//! `becket hooks`: what is configured, and changing it.
//!
//! [`catalog`] says what there is, [`change`] writes, [`draft`] is a hook to be, [`trial`] runs one to see
//! what it says. The commands here and the interactive manager both stand on these four. Files are
//! changed by `becket_agents::config::change`; nothing here knows how a file is written.

pub(crate) mod args;
pub(crate) mod builtins;
pub(crate) mod catalog;
pub(crate) mod change;
mod convert;
mod draft;
pub(crate) mod file;
mod list;
pub(crate) mod offer;
pub(crate) mod remote;
mod sample;
mod show;
mod trial;
mod tui;

pub(crate) use trial::end_on_signal;

use std::io::IsTerminal;

use becket::EnvVars;
use becket::env::{ProcessEnv, Vars};
use becket_daemon::setup::Switched;

use self::args::{HooksCommand, LevelArg};
use self::catalog::Catalog;
use self::change::Done;
use crate::args::Here;
use crate::exit::Exit;
use crate::report::{SCHEMA_VERSION, confirm, declined, print, print_json, talk, tame};

pub(crate) fn main(command: Option<HooksCommand>, here: &Here) -> anyhow::Result<Exit> {
    let Some(command) = command else {
        if is_interactive() && !here.json {
            return tui::main(Catalog::find(here)?);
        }
        return list::main(here);
    };
    match command {
        HooksCommand::List => list::main(here),
        HooksCommand::Show { name, level } => {
            show::main(&Catalog::find(here)?, &name, level, here.json)
        }
        HooksCommand::Add(args) => {
            let catalog = Catalog::find(here)?;
            let done = change::add(&catalog, args.draft()?, args.level.into())?;
            report(&catalog, done, here, args.trust)
        }
        HooksCommand::Remove { name, level, yes } => remove(&name, level, yes, here),
        HooksCommand::Enable(args) => {
            let catalog = Catalog::find(here)?;
            let level = args.level.map(Into::into);
            let done = change::enable(&catalog, &args.name, level, &args.option)?;
            report(&catalog, done, here, args.trust)
        }
        HooksCommand::Disable { name, level } => {
            let catalog = Catalog::find(here)?;
            let hook = catalog.resolve(&name, level.map(Into::into))?;
            let done = change::switch(&catalog, hook, false)?;
            report(&catalog, done, here, false)
        }
        HooksCommand::On => all(here, true),
        HooksCommand::Off => all(here, false),
        HooksCommand::Test(args) => trial::main(&args, here),
        HooksCommand::Convert { to, file } => convert::main(&to, file.as_deref(), here),
    }
}

fn all(here: &Here, on: bool) -> anyhow::Result<Exit> {
    let catalog = Catalog::find(here)?;
    let done = change::switch_all(&catalog, on)?;
    report(&catalog, done, here, false)
}

fn remove(name: &str, level: Option<LevelArg>, yes: bool, here: &Here) -> anyhow::Result<Exit> {
    let catalog = Catalog::find(here)?;
    let hook = catalog.resolve(name, level.map(Into::into))?;
    let removal = change::plan_removal(hook, &catalog)?;
    if !yes {
        if !here.json {
            print(&removal.shown());
        }
        if !confirm(&format!("Remove `{}`?", tame(hook.name()))) {
            declined("nothing removed");
            return Ok(Exit::Failure);
        }
    }
    let done = removal.write()?;
    report(&catalog, done, here, false)
}

/// Says what was done, and whether the project's hooks need trust now.
fn report(before: &Catalog, mut done: Done, here: &Here, trust: bool) -> anyhow::Result<Exit> {
    let again = || Catalog::load(before.home.clone(), before.root.clone());
    let mut after = again();
    let waiting = after.waiting(&done);
    let mut trusted = Vec::new();
    if trust && !waiting.is_empty() {
        trusted = crate::trust::grant(&before.home, &before.root, &waiting, !here.json)?;
        after = again();
    } else if !waiting.is_empty() {
        done.notes.push(format!(
            "`{}` is a project's hook and does not run before you trust it: `becket trust`, or --trust with this command",
            done.name
        ));
    }
    if here.json {
        print_json(&serde_json::to_value(switched(&done, &after, &trusted))?)?;
        return Ok(Exit::Success);
    }
    print(&format!("{}\n", tame(&done.said)));
    if !trusted.is_empty() {
        print(&format!("Trusted `{}`.\n", tame(&done.name)));
    }
    for note in &done.notes {
        talk(&format!("becket: {}", tame(note)));
    }
    Ok(Exit::Success)
}

/// A change, as it is told to programs.
fn switched(done: &Done, after: &Catalog, trusted: &[String]) -> Switched {
    let hook = after.find_again(done);
    Switched {
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

/// Whether a person sits in front of this process.
pub(crate) fn is_interactive() -> bool {
    let dumb = ProcessEnv
        .get(EnvVars::TERM)
        .is_none_or(|term| term == "dumb");
    std::io::stdout().is_terminal() && std::io::stdin().is_terminal() && !dumb
}
