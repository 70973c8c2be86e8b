//! `becket uninstall`: removes Becket from agent settings, or from this machine.
//!
//! Records and configuration belong to the user and stay, unless `--purge` deletes them after a confirmation.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use becket::Home;
use becket_agents::install::{InstallScope, installers};
use clap::Args;
use serde_json::{Value, json};

use crate::args::{CodexArgs, InitArgs, ProjectArgs, ScopeArg};
use crate::daemon;
use crate::exit::Exit;
use crate::init::{self, FilePlan};
use crate::machine::Machine;
use crate::records::{self, format_bytes};
use crate::report::{SCHEMA_VERSION, confirm, print, print_declined, print_json, sanitize};
use crate::settings_target;

#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "one per flag")]
pub(crate) struct UninstallArgs {
    /// Remove Becket from all agents, in your settings and in every recorded project; stop the daemon
    #[arg(long, conflicts_with_all = ["agent", "scope"])]
    all: bool,
    /// With --all: also delete records, configuration and trust
    #[arg(long, requires = "all")]
    purge: bool,
    /// Agents to disconnect, comma-separated [default: all connected agents]
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    agent: Vec<String>,
    /// Which settings to remove Becket from
    #[arg(long, value_enum, default_value = "user")]
    scope: ScopeArg,
    /// Write without asking for confirmation
    #[arg(long, short)]
    yes: bool,
    /// Show the changes without writing them
    #[arg(long)]
    dry_run: bool,
    // Accepted like the flags of `becket init`. MCP server, Codex trust and `notify` entry are always removed.
    #[arg(long, hide = true)]
    mcp: bool,
    #[arg(long, hide = true)]
    codex_trust: bool,
    #[arg(long, hide = true)]
    codex_notify: bool,
    #[command(flatten)]
    here: ProjectArgs,
}

impl UninstallArgs {
    fn as_init_args(&self) -> InitArgs {
        InitArgs {
            agent: self.agent.clone(),
            scope: self.scope,
            yes: self.yes,
            dry_run: self.dry_run,
            mcp: self.mcp,
            codex: CodexArgs {
                trust: self.codex_trust,
                notify: self.codex_notify,
            },
            here: self.here.clone(),
        }
    }
}

/// Everything that Becket stores in its directories. If `BECKET_HOME` names the directory, only these are deleted.
const OWNED_NAMES: [&str; 16] = [
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
    "matcher-cache",
    "backups",
];

pub(crate) fn main(args: &UninstallArgs) -> anyhow::Result<Exit> {
    if !args.all {
        return init::uninstall(&args.as_init_args());
    }
    let machine = Machine::find(&args.here)?;
    let prints_progress = !args.here.json;
    let locations = install_locations(&machine);
    let plans = plan_all(&locations)?;
    let to_delete = purge_targets(args, &machine.home);
    if prints_progress {
        show(&plans, &to_delete);
    }
    let at = locations.iter();
    let skipped: Vec<String> = at
        .flat_map(|(machine, scope)| init::unreadable_settings(machine, *scope))
        .collect();
    init::print_warnings(&skipped, !prints_progress);
    let files: Vec<Value> = plans.iter().map(FilePlan::json).collect();
    if args.dry_run {
        return report(args, &machine.home, false, &files, &to_delete, &skipped);
    }
    let question = if args.purge {
        "Continue, and delete everything listed above? This cannot be undone.".to_owned()
    } else {
        init::confirmation_text(&plans.iter().collect::<Vec<_>>(), "Change")
    };
    let has_nothing_to_do = plans.is_empty() && to_delete.is_empty();
    if !has_nothing_to_do && !args.yes && !confirm(&question) {
        print_declined("nothing changed");
        return Ok(Exit::Failure);
    }
    for (machine, scope) in &locations {
        // Planned again per location, because two of them can change the same file.
        let plans = init::plan_uninstall(machine, *scope)?;
        init::apply(&plans.iter().collect::<Vec<_>>(), prints_progress)?;
    }
    if daemon::shut_down(&machine.home)? && prints_progress {
        print("Stopped the daemon.\n");
    }
    // Listed again, because the daemon writes and deletes files when it stops.
    let to_delete = purge_targets(args, &machine.home);
    for path in &to_delete {
        delete(path).with_context(|| format!("cannot delete `{}`", path.display()))?;
        if prints_progress {
            print(&format!("Deleted {}.\n", path.display()));
        }
    }
    if args.purge {
        remove_empty_homes(&machine.home);
    }
    report(args, &machine.home, true, &files, &to_delete, &skipped)
}

/// Removes Becket's directories and empty parents. A directory with other files stays.
fn remove_empty_homes(home: &Home) {
    for dir in [&home.state, &home.config] {
        let above = dir.ancestors().skip(1);
        let above = above.take_while(|dir| dir.starts_with(&home.user) && **dir != *home.user);
        for dir in std::iter::once(dir.as_path()).chain(above) {
            // Already gone, or not empty.
            let _ = fs::remove_dir(dir);
        }
    }
}

fn report(
    args: &UninstallArgs,
    home: &Home,
    written: bool,
    files: &[Value],
    to_delete: &[PathBuf],
    skipped: &[String],
) -> anyhow::Result<Exit> {
    let remaining = remaining_files(home);
    let exit = if skipped.is_empty() {
        Exit::Success
    } else {
        Exit::Failure
    };
    if args.here.json {
        print_json(&json!({
            "schema_version": SCHEMA_VERSION, "written": written, "files": files, "deleted": to_delete, "left": remaining, "left_out": skipped,
        }))?;
        return Ok(exit);
    }
    if !remaining.is_empty() {
        print("Remaining on this machine:\n");
    }
    for (path, what) in &remaining {
        print(&format!("  {} ({what})\n", path.display()));
    }
    Ok(exit)
}

/// Where Becket may be installed: the user's settings, this project, and all recorded projects.
fn install_locations(machine: &Machine) -> Vec<(Machine, InstallScope)> {
    let home = &machine.home;
    let mut roots = BTreeSet::from([machine.root.clone()]);
    let reader = records::open_without_catch_up(home).ok().flatten();
    let seen = reader.and_then(|reader| reader.projects().ok());
    roots.extend(
        seen.unwrap_or_default()
            .into_iter()
            .map(|row| row.path.into()),
    );
    roots.extend(
        settings_target::backed_up_files(home)
            .iter()
            .filter_map(|file| project_of(file)),
    );
    // In the home directory the project's files are the user's own.
    roots.retain(|root| root.is_dir() && *root != home.user);
    let at = |root: &Path| Machine {
        home: home.clone(),
        root: root.to_owned(),
    };
    let users = [(at(&machine.root), InstallScope::User)];
    let projects = roots.iter().map(|root| (at(root), InstallScope::Project));
    users.into_iter().chain(projects).collect()
}

/// The project that an agent's settings file belongs to.
fn project_of(file: &Path) -> Option<PathBuf> {
    let declared = installers()
        .iter()
        .flat_map(|it| it.files(InstallScope::Project));
    let names = declared.flat_map(|file| file.candidates().map(|file| file.path));
    let text = file.to_str()?;
    names
        .filter_map(|name| text.strip_suffix(name)?.strip_suffix('/'))
        .min_by_key(|root| root.len())
        .map(PathBuf::from)
}

fn plan_all(locations: &[(Machine, InstallScope)]) -> anyhow::Result<Vec<FilePlan>> {
    let mut plans: Vec<FilePlan> = Vec::new();
    for (machine, scope) in locations {
        for plan in init::plan_uninstall(machine, *scope)? {
            if !plans.iter().any(|one| one.target.file == plan.target.file) {
                plans.push(plan);
            }
        }
    }
    Ok(plans)
}

fn show(plans: &[FilePlan], to_delete: &[PathBuf]) {
    if plans.is_empty() {
        print("No agent is connected to Becket.\n");
    }
    for plan in plans {
        plan.show();
    }
    if !to_delete.is_empty() {
        print("These will be deleted permanently:\n");
    }
    for path in to_delete {
        print(&format!(
            "  {} ({})\n",
            sanitize(&path.display().to_string()),
            format_bytes(size(path))
        ));
    }
}

fn purge_targets(args: &UninstallArgs, home: &Home) -> Vec<PathBuf> {
    if args.purge {
        paths_to_purge(home)
    } else {
        Vec::new()
    }
}

/// The paths that `--purge` deletes.
fn paths_to_purge(home: &Home) -> Vec<PathBuf> {
    let is_one = home.config == home.state;
    if !is_one {
        // Both directories are named `becket` and contain nothing else.
        let dirs = [&home.config, &home.state].into_iter();
        return dirs.filter(|dir| dir.exists()).cloned().collect();
    }
    let is_ours = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        // Includes the database's companion files and quarantined databases.
        name.is_some_and(|name| OWNED_NAMES.contains(&name) || name.starts_with("becket.db"))
    };
    let mut found: Vec<PathBuf> = entries(&home.state).filter(is_ours).collect();
    found.sort();
    found
}

/// What remains of Becket, with a description of each path.
fn remaining_files(home: &Home) -> Vec<(PathBuf, &'static str)> {
    let unit = home.user.join(".config/systemd/user/becket.service");
    let agent = home.user.join("Library/LaunchAgents/becket.daemon.plist");
    let mut all = vec![(home.config.clone(), "your configuration")];
    if home.state == home.config {
        all = vec![(home.state.clone(), "your configuration and records")];
    } else {
        all.push((home.state.clone(), "your records"));
    }
    all.push((
        unit,
        "service that you set up; remove it with `systemctl --user disable --now becket`",
    ));
    all.push((
        agent,
        "service that you set up; remove it with `launchctl bootout`",
    ));
    let programs = crate::full_binary::sibling_path(crate::full_binary::HOOK_CLIENT).ok();
    all.extend(programs.map(|path| (path, "the program, with `becketd` next to it")));
    all.retain(|(path, _)| path.exists());
    all
}

fn entries(dir: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path()))
}

/// Total size of all files; symbolic links are not followed.
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
