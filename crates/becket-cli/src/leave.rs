//! `becket uninstall`: out of one agent's settings, out of all of them, or off this machine.
//!
//! What was recorded and configured is a person's own. It stays, unless `--purge` is said, which shows what would go
//! and asks.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use becket::Home;
use becket_agents::install::{Scope, installers};
use clap::Args;
use serde_json::{Value, json};

use crate::args::InitArgs;
use crate::daemon;
use crate::exit::Exit;
use crate::init::{self, Plan};
use crate::machine::Machine;
use crate::records::{self, in_bytes};
use crate::report::{SCHEMA_VERSION, confirm, declined, print, print_json, tame};
use crate::target;

#[derive(Args)]
pub(crate) struct UninstallArgs {
    /// Out of every agent, for you and in every project that is on record; stops the daemon
    #[arg(long, conflicts_with_all = ["agent", "scope"])]
    all: bool,
    /// With --all: remove what was recorded, configured and trusted, too
    #[arg(long, requires = "all")]
    purge: bool,
    #[command(flatten)]
    init: InitArgs,
}

/// Everything that Becket keeps below its directories. Of a directory that a person named with `BECKET_HOME`
/// only these go.
const OURS: [&str; 16] = [
    "config.toml",
    "becket.db",
    "spool",
    "trust.json",
    "trusted-scripts",
    "daemon",
    "recall",
    "told",
    "llm",
    "inside",
    "builtins",
    "logs",
    "sessions",
    "repeats",
    "quick",
    "backups",
];

pub(crate) fn main(args: &UninstallArgs) -> anyhow::Result<Exit> {
    if !args.all {
        return init::uninstall(&args.init);
    }
    let machine = Machine::find(&args.init.here)?;
    let aloud = !args.init.here.json;
    let places = places(&machine);
    let plans = planned(&places)?;
    let doomed = found_to_delete(args, &machine.home);
    if aloud {
        show(&plans, &doomed);
    }
    let at = places.iter();
    let left_out: Vec<String> = at
        .flat_map(|(machine, scope)| init::unreadable(machine, *scope))
        .collect();
    init::warn_of(&left_out, !aloud);
    let files: Vec<Value> = plans.iter().map(Plan::json).collect();
    if args.init.dry_run {
        return report(args, &machine.home, false, &files, &doomed, &left_out);
    }
    let question = if args.purge {
        "Do this, and delete everything that is listed? It cannot be undone.".to_owned()
    } else {
        init::question(&plans.iter().collect::<Vec<_>>(), "Change")
    };
    let is_nothing = plans.is_empty() && doomed.is_empty();
    if !is_nothing && !args.init.yes && !confirm(&question) {
        declined("nothing changed");
        return Ok(Exit::Failure);
    }
    for (machine, scope) in &places {
        // Planned again for each place: two of them can have a share in one file.
        let plans = init::plans_out(machine, *scope)?;
        init::carry_out(&plans.iter().collect::<Vec<_>>(), aloud)?;
    }
    if daemon::end(&machine.home)? && aloud {
        print("The daemon has stopped.\n");
    }
    // Looked for again: a daemon tidies up when it ends, and writes what it knew.
    let doomed = found_to_delete(args, &machine.home);
    for path in &doomed {
        delete(path).with_context(|| format!("`{}` cannot be deleted", path.display()))?;
        if aloud {
            print(&format!("Deleted {}.\n", path.display()));
        }
    }
    if args.purge {
        remove_empty_homes(&machine.home);
    }
    report(args, &machine.home, true, &files, &doomed, &left_out)
}

/// Becket's directories, and those above that only Becket needed. One that holds something is somebody's.
fn remove_empty_homes(home: &Home) {
    for dir in [&home.state, &home.config] {
        let above = dir.ancestors().skip(1);
        let above = above.take_while(|dir| dir.starts_with(&home.user) && **dir != *home.user);
        for dir in std::iter::once(dir.as_path()).chain(above) {
            // Gone already, or refused because it is not empty.
            let _ = fs::remove_dir(dir);
        }
    }
}

fn report(
    args: &UninstallArgs,
    home: &Home,
    written: bool,
    files: &[Value],
    doomed: &[PathBuf],
    left_out: &[String],
) -> anyhow::Result<Exit> {
    let left = left(home);
    let exit = if left_out.is_empty() {
        Exit::Success
    } else {
        Exit::Failure
    };
    if args.init.here.json {
        print_json(&json!({
            "schema_version": SCHEMA_VERSION, "written": written, "files": files, "deleted": doomed, "left": left, "left_out": left_out,
        }))?;
        return Ok(exit);
    }
    if !left.is_empty() {
        print("Left on this machine:\n");
    }
    for (path, what) in &left {
        print(&format!("  {} ({what})\n", path.display()));
    }
    Ok(exit)
}

/// Where Becket may be: with the person, in this project, and in those that were seen.
fn places(machine: &Machine) -> Vec<(Machine, Scope)> {
    let home = &machine.home;
    let mut roots = BTreeSet::from([machine.root.clone()]);
    let reader = records::open_as_it_is(home).ok().flatten();
    let seen = reader.and_then(|reader| reader.projects().ok());
    roots.extend(
        seen.unwrap_or_default()
            .into_iter()
            .map(|row| row.path.into()),
    );
    roots.extend(
        target::touched(home)
            .iter()
            .filter_map(|file| root_of(file)),
    );
    // In a home the project's files are the person's own.
    roots.retain(|root| root.is_dir() && *root != home.user);
    let at = |root: &Path| Machine {
        home: home.clone(),
        root: root.to_owned(),
    };
    let users = [(at(&machine.root), Scope::User)];
    let projects = roots.iter().map(|root| (at(root), Scope::Project));
    users.into_iter().chain(projects).collect()
}

/// The project that a settings file of some agent belongs to.
fn root_of(file: &Path) -> Option<PathBuf> {
    let declared = installers().iter().flat_map(|it| it.files(Scope::Project));
    let names = declared.flat_map(|file| file.candidates().map(|file| file.path));
    let text = file.to_str()?;
    names
        .filter_map(|name| text.strip_suffix(name)?.strip_suffix('/'))
        .min_by_key(|root| root.len())
        .map(PathBuf::from)
}

fn planned(places: &[(Machine, Scope)]) -> anyhow::Result<Vec<Plan>> {
    let mut plans: Vec<Plan> = Vec::new();
    for (machine, scope) in places {
        for plan in init::plans_out(machine, *scope)? {
            if !plans.iter().any(|one| one.target.file == plan.target.file) {
                plans.push(plan);
            }
        }
    }
    Ok(plans)
}

fn show(plans: &[Plan], doomed: &[PathBuf]) {
    if plans.is_empty() {
        print("No agent is connected to Becket.\n");
    }
    for plan in plans {
        plan.show();
    }
    if !doomed.is_empty() {
        print("Will be deleted for good:\n");
    }
    for path in doomed {
        print(&format!(
            "  {} ({})\n",
            tame(&path.display().to_string()),
            in_bytes(size(path))
        ));
    }
}

fn found_to_delete(args: &UninstallArgs, home: &Home) -> Vec<PathBuf> {
    if args.purge { doomed(home) } else { Vec::new() }
}

/// What `--purge` removes.
fn doomed(home: &Home) -> Vec<PathBuf> {
    let is_one = home.config == home.state;
    if !is_one {
        // Both are called `becket`, and nothing else is in them.
        let dirs = [&home.config, &home.state].into_iter();
        return dirs.filter(|dir| dir.exists()).cloned().collect();
    }
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        // A database has files beside it, also those that were set aside.
        name.is_some_and(|name| OURS.contains(&name) || name.starts_with("becket.db"))
    };
    let mut found: Vec<PathBuf> = entries(&home.state).filter(is_ours).collect();
    found.sort();
    found
}

/// What there is of Becket still, and what it is.
fn left(home: &Home) -> Vec<(PathBuf, &'static str)> {
    let unit = home.user.join(".config/systemd/user/becket.service");
    let agent = home.user.join("Library/LaunchAgents/becket.daemon.plist");
    let mut all = vec![(home.config.clone(), "your configuration")];
    if home.state == home.config {
        all = vec![(home.state.clone(), "configuration and what was recorded")];
    } else {
        all.push((home.state.clone(), "what was recorded"));
    }
    all.push((
        unit,
        "a service that you set up: `systemctl --user disable --now becket`",
    ));
    all.push((agent, "a service that you set up: `launchctl bootout` it"));
    let programs = crate::twin::beside(crate::twin::SMALL).ok();
    all.extend(programs.map(|path| (path, "the program, with `becketd` beside it")));
    all.retain(|(path, _)| path.exists());
    all
}

fn entries(dir: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path()))
}

/// The bytes of all files; links are not followed.
fn size(path: &Path) -> u64 {
    match path.symlink_metadata() {
        Ok(meta) if meta.is_dir() => entries(path).map(|path| size(&path)).sum(),
        Ok(meta) => meta.len(),
        Err(_) => 0,
    }
}

fn delete(path: &Path) -> std::io::Result<()> {
    let meta = path.symlink_metadata()?;
    if meta.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    }
}
