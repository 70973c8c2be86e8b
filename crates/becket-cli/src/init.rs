//! `becket init` and `becket uninstall`: adds Becket's hooks to agent settings and removes them.
//!
//! Every change is shown first, touches only Becket's own entries, is written atomically, and can be undone: the first
//! change saves a backup, and uninstalling an unmodified file restores it byte for byte.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context, bail};
use becket_agents::edit::{FileEdit, diff};
use becket_agents::install::{InstallScope, Installer, SettingsFile, installer, installers};
use serde_json::{Value, json};

use crate::args::InitArgs;
use crate::codex;
use crate::exit::Exit;
use crate::full_binary;
use crate::machine::{Machine, read_file};
use crate::mcp_servers;
use crate::report::{
    SCHEMA_VERSION, Style, confirm, print, print_declined, print_json, print_message, sanitize,
};
use crate::settings_target::{SettingsTarget, remove_empty_dirs};

pub(crate) fn install(args: &InitArgs) -> anyhow::Result<Exit> {
    let machine = Machine::find(&args.here)?;
    let chosen = select_installers(args, &machine, InstallDirection::Install)?;
    change(args, &machine, &chosen, InstallDirection::Install)?.report(args, |changed| {
        if !changed.written {
            return;
        }
        for text in chosen.iter().filter_map(|installer| installer.next_steps()) {
            print(&format!("{text}\n"));
        }
        if !args.mcp {
            print("With --mcp, these agents can also search earlier work through `becket mcp`.\n");
        }
    })
}

pub(crate) fn uninstall(args: &InitArgs) -> anyhow::Result<Exit> {
    let machine = Machine::find(&args.here)?;
    let chosen = select_installers(args, &machine, InstallDirection::Uninstall)?;
    let mut changed = change(args, &machine, &chosen, InstallDirection::Uninstall)?;
    if args.agent.is_empty() {
        let unreadable = unreadable_settings(&machine, args.scope.into());
        print_warnings(&unreadable, args.here.json);
        changed.skipped.extend(unreadable);
    }
    changed.report(args, |_| {})
}

/// Settings files that mention Becket but cannot be parsed, each as a warning.
pub(crate) fn unreadable_settings(machine: &Machine, scope: InstallScope) -> Vec<String> {
    let mut found = Vec::new();
    for installer in installers() {
        let files = installer.files(scope).iter();
        for file in files.flat_map(SettingsFile::candidates) {
            let path = machine.locate(&file);
            let text = read_file(&path).filter(|text| text.contains("becket"));
            let problem = text.and_then(|text| installer.plan_uninstall(&file, &text).err());
            let name = sanitize(&path.display().to_string());
            found.extend(problem.map(|problem| {
                format!("`{name}` mentions Becket but was not changed: {problem}; correct the file, then run the command again")
            }));
        }
    }
    found
}

/// Prints warnings; with `--json` they are part of the output instead.
pub(crate) fn print_warnings(skipped: &[String], is_json: bool) {
    for problem in skipped.iter().filter(|_| !is_json) {
        print_message(&format!("becket: warning: {problem}"));
    }
}

/// Connects the agents on this machine, for `becket up`.
pub(crate) fn connect(args: &InitArgs, machine: &Machine) -> anyhow::Result<InstallOutcome> {
    let chosen = select_installers(args, machine, InstallDirection::Install)?;
    change(args, machine, &chosen, InstallDirection::Install)
}

/// Plans the removal from the settings of all agents in this scope, for `becket uninstall --all`.
pub(crate) fn plan_uninstall(
    machine: &Machine,
    scope: InstallScope,
) -> anyhow::Result<Vec<FilePlan>> {
    let connected = installers()
        .iter()
        .copied()
        .filter(|installer| is_installed(*installer, machine, scope));
    let chosen: Vec<_> = connected.collect();
    let mut plans = Vec::new();
    for installer in chosen {
        plans.extend(plan(
            installer,
            scope,
            machine,
            InstallDirection::Uninstall,
        )?);
    }
    plans.retain(|plan| plan.edit.changed);
    Ok(plans)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum InstallDirection {
    Install,
    Uninstall,
}

/// The result of an install or uninstall.
pub(crate) struct InstallOutcome {
    plans: Vec<FilePlan>,
    pub(crate) written: bool,
    /// The user did not confirm.
    pub(crate) declined: bool,
    /// What could not be changed, and why.
    pub(crate) skipped: Vec<String>,
}

impl InstallOutcome {
    pub(crate) fn json(&self) -> Vec<Value> {
        self.plans.iter().map(FilePlan::json).collect()
    }

    fn report(&self, args: &InitArgs, prints_progress: impl FnOnce(&Self)) -> anyhow::Result<Exit> {
        if self.declined {
            return Ok(Exit::Failure);
        }
        if args.here.json {
            print_json(&json!({
                "schema_version": SCHEMA_VERSION, "written": self.written, "files": self.json(), "left_out": self.skipped,
            }))?;
        } else {
            prints_progress(self);
        }
        Ok(if self.skipped.is_empty() {
            Exit::Success
        } else {
            Exit::Failure
        })
    }
}

fn change(
    args: &InitArgs,
    machine: &Machine,
    chosen: &[&'static dyn Installer],
    direction: InstallDirection,
) -> anyhow::Result<InstallOutcome> {
    let (mut plans, skipped) = plan_all(args, chosen, machine, direction)?;
    let changes: Vec<&FilePlan> = plans.iter().filter(|plan| plan.edit.changed).collect();
    if !args.here.json {
        show(&plans, direction);
    }
    print_warnings(&skipped, args.here.json);
    let mut written = false;
    if !changes.is_empty() && !args.dry_run {
        if !args.yes && !confirm(&confirmation_text(&changes, "Write")) {
            print_declined("nothing written");
            return Ok(InstallOutcome {
                plans,
                written,
                declined: true,
                skipped,
            });
        }
        apply(&changes, !args.here.json)?;
        written = true;
    }
    let connects = direction == InstallDirection::Install && !args.dry_run;
    if connects && chosen.iter().any(|it| it.agent() == codex::ID) {
        let granted = codex::offer_trust(args, machine)?;
        written |= !granted.is_empty();
        plans.extend(granted);
    }
    Ok(InstallOutcome {
        plans,
        written,
        declined: false,
        skipped,
    })
}

/// The question that confirms these changes.
pub(crate) fn confirmation_text(changes: &[&FilePlan], verb: &str) -> String {
    let agents: BTreeSet<&str> = changes.iter().map(|plan| plan.agent).collect();
    match (changes.len(), agents.len()) {
        (0 | 1, _) => format!("{verb} this?"),
        (files, 1) => format!("{verb} these {files} files?"),
        (files, agents) => format!("{verb} these {files} files of {agents} agents?"),
    }
}

/// Applies these changes and removes directories that become empty.
pub(crate) fn apply(changes: &[&FilePlan], prints_progress: bool) -> anyhow::Result<()> {
    let mut emptied = Vec::new();
    for plan in changes {
        emptied.extend(plan.apply(prints_progress)?);
    }
    remove_empty_dirs(emptied);
    Ok(())
}

/// Plans the changes of all agents. A failure is an error for an agent that the user named; an agent that was only found is
/// skipped.
fn plan_all(
    args: &InitArgs,
    chosen: &[&'static dyn Installer],
    machine: &Machine,
    direction: InstallDirection,
) -> anyhow::Result<(Vec<FilePlan>, Vec<String>)> {
    let scope = args.scope.into();
    let (mut plans, mut skipped) = (Vec::new(), Vec::new());
    for installer in chosen {
        let planned = plan(*installer, scope, machine, direction).and_then(|mut plans| {
            if direction == InstallDirection::Install && args.mcp {
                mcp_servers::plan_register(&mut plans, installer.agent(), scope, machine)?;
            }
            Ok(plans)
        });
        match planned {
            Ok(planned) => plans.extend(planned),
            Err(problem) if args.agent.is_empty() && chosen.len() > 1 => {
                let agent = installer.agent();
                skipped.push(sanitize(&format!("{agent} was skipped: {problem:#}")));
            }
            Err(problem) => return Err(problem),
        }
    }
    if plans.is_empty() && !skipped.is_empty() {
        bail!("{}", skipped.join("\n"));
    }
    Ok((plans, skipped))
}

/// Whether the agent's files contain entries of Becket.
fn is_installed(installer: &'static dyn Installer, machine: &Machine, scope: InstallScope) -> bool {
    machine.is_connected(installer, scope)
        || mcp_servers::is_registered(machine, installer.agent(), scope)
}

/// The named agents, or else those on this machine or in this project.
fn select_installers(
    args: &InitArgs,
    machine: &Machine,
    direction: InstallDirection,
) -> anyhow::Result<Vec<&'static dyn Installer>> {
    if !args.agent.is_empty() {
        let known = || {
            installers()
                .iter()
                .map(|installer| installer.agent())
                .collect::<Vec<_>>()
                .join(", ")
        };
        let find = |id: &String| {
            installer(id).with_context(|| format!("unknown agent `{id}` (one of: {})", known()))
        };
        return args.agent.iter().map(find).collect();
    }
    let scope = args.scope.into();
    let wanted = |installer: &&'static dyn Installer| match direction {
        InstallDirection::Install => {
            machine.has_agent(*installer) && !installer.files(scope).is_empty()
        }
        InstallDirection::Uninstall => is_installed(*installer, machine, scope),
    };
    let found: Vec<_> = installers().iter().copied().filter(wanted).collect();
    if found.is_empty() && direction == InstallDirection::Install {
        bail!("no coding agent was found on this machine; select one with --agent");
    }
    Ok(found)
}

/// The planned change of one file.
pub(crate) struct FilePlan {
    pub(crate) agent: &'static str,
    pub(crate) target: SettingsTarget,
    pub(crate) existing: Option<String>,
    pub(crate) edit: FileEdit,
}

impl FilePlan {
    /// Writes the change. Returns directories that may be empty now.
    pub(crate) fn apply(&self, prints_progress: bool) -> anyhow::Result<Vec<PathBuf>> {
        let emptied = self.target.write(self.existing.as_deref(), &self.edit)?;
        if prints_progress {
            let word = if self.edit.delete { "Deleted" } else { "Wrote" };
            print(&format!("{word} {}.\n", self.name()));
        }
        Ok(emptied)
    }

    /// Prints the change as a diff.
    pub(crate) fn show(&self) {
        let style = Style::stdout();
        let name = self.name();
        for warning in &self.edit.warnings {
            print_message(&format!("becket: warning: {name}: {warning}"));
        }
        let new = if self.edit.delete {
            ""
        } else {
            &self.edit.text
        };
        let old = self.existing.as_deref().unwrap_or_default();
        print(&format!(
            "{} {name}\n{}",
            style.bold(self.agent),
            style.diff(&diff(old, new))
        ));
    }

    /// The file name, sanitized, because a project directory can have any name.
    fn name(&self) -> String {
        sanitize(&self.target.file.display().to_string())
    }

    pub(crate) fn json(&self) -> Value {
        let edit = &self.edit;
        json!({
            "agent": self.agent, "file": self.target.file, "changed": edit.changed, "added": edit.added,
            "updated": edit.updated, "removed": edit.removed, "warnings": edit.warnings,
        })
    }
}

/// Plans all changes of an agent's files for an install or uninstall.
pub(crate) fn plan(
    installer: &'static dyn Installer,
    scope: InstallScope,
    machine: &Machine,
    direction: InstallDirection,
) -> anyhow::Result<Vec<FilePlan>> {
    let mut plans = plan_hooks(installer, scope, machine, direction)?;
    if direction == InstallDirection::Uninstall {
        if installer.agent() == codex::ID {
            plans.extend(codex::plan_uninstall(machine)?);
        }
        mcp_servers::plan_unregister(&mut plans, installer.agent(), scope, machine)?;
    }
    Ok(plans)
}

fn plan_hooks(
    installer: &'static dyn Installer,
    scope: InstallScope,
    machine: &Machine,
    direction: InstallDirection,
) -> anyhow::Result<Vec<FilePlan>> {
    let mut plans = Vec::new();
    for declared in installer.files(scope) {
        let files: Vec<SettingsFile> = match direction {
            InstallDirection::Install => {
                vec![declared.choose(|file| machine.locate(file).exists())]
            }
            InstallDirection::Uninstall => declared
                .candidates()
                .filter(|file| machine.locate(file).exists())
                .collect(),
        };
        for file in files {
            let target = SettingsTarget::new(machine, &file);
            let existing = target.read()?;
            let edit = match (direction, &existing) {
                (InstallDirection::Install, existing) => {
                    installer.plan_install(&file, existing.as_deref(), &hook_program(scope)?)
                }
                (InstallDirection::Uninstall, Some(existing)) => {
                    match target.original_if_unmodified(existing) {
                        Some(original) => Ok(original),
                        None => installer.plan_uninstall(&file, existing),
                    }
                }
                (InstallDirection::Uninstall, None) => continue,
            };
            let edit =
                edit.with_context(|| format!("`{}` was not changed", target.file.display()))?;
            plans.push(FilePlan {
                agent: installer.agent(),
                target,
                existing,
                edit,
            });
        }
    }
    Ok(plans)
}

/// The program that the settings call: the absolute path next to this binary for the user; the plain name in a project,
/// because other machines have it elsewhere.
pub(crate) fn hook_program(scope: InstallScope) -> anyhow::Result<String> {
    if scope == InstallScope::Project {
        return Ok("becket".into());
    }
    let path = full_binary::sibling_path(full_binary::HOOK_CLIENT)
        .context("cannot determine the path of this program")?;
    path.into_os_string().into_string().map_err(|path| {
        anyhow::anyhow!(
            "the path of this program is not valid UTF-8: {}",
            path.to_string_lossy()
        )
    })
}

fn show(plans: &[FilePlan], direction: InstallDirection) {
    if plans.is_empty() {
        print("Nothing to do: no agent is connected to Becket.\n");
    }
    for plan in plans {
        if plan.edit.changed {
            plan.show();
            continue;
        }
        let name = plan.target.file.display();
        for warning in &plan.edit.warnings {
            print_message(&format!("becket: warning: {name}: {warning}"));
        }
        let state = if direction == InstallDirection::Install {
            "already connected to Becket"
        } else {
            "not connected to Becket"
        };
        print(&format!("{name} is {state}; nothing to do.\n"));
    }
}
