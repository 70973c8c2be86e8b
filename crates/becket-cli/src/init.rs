//! `becket init` and `becket uninstall`: Becket's entries in an agent's own settings.
//!
//! The change is shown before it is made, touches only Becket's own entries, is written whole or not
//! at all, and can be undone: the first touch keeps a copy, and uninstalling an untouched file gives
//! back exactly the bytes that were there.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context, bail};
use becket_agents::edit::{Edit, diff};
use becket_agents::install::{Installer, Scope, SettingsFile, installer, installers};
use serde_json::{Value, json};

use crate::args::InitArgs;
use crate::codex;
use crate::exit::Exit;
use crate::machine::{Machine, read_file};
use crate::report::{SCHEMA_VERSION, Style, confirm, declined, print, print_json, talk, tame};
use crate::servers;
use crate::target::{Target, remove_empty};
use crate::twin;

pub(crate) fn install(args: &InitArgs) -> anyhow::Result<Exit> {
    let machine = Machine::find(&args.here)?;
    let chosen = choose(args, &machine, Direction::In)?;
    change(args, &machine, &chosen, Direction::In)?.report(args, |changed| {
        if !changed.written {
            return;
        }
        for text in chosen.iter().filter_map(|installer| installer.afterwards()) {
            print(&format!("{text}\n"));
        }
        if !args.mcp {
            print(
                "With --mcp these agents can also ask about earlier work, through `becket mcp`.\n",
            );
        }
    })
}

pub(crate) fn uninstall(args: &InitArgs) -> anyhow::Result<Exit> {
    let machine = Machine::find(&args.here)?;
    let chosen = choose(args, &machine, Direction::Out)?;
    let mut changed = change(args, &machine, &chosen, Direction::Out)?;
    if args.agent.is_empty() {
        let unreadable = unreadable(&machine, args.scope.into());
        warn_of(&unreadable, args.here.json);
        changed.left_out.extend(unreadable);
    }
    changed.report(args, |_| {})
}

/// Files of agents that name Becket and cannot be changed, and why.
pub(crate) fn unreadable(machine: &Machine, scope: Scope) -> Vec<String> {
    let mut found = Vec::new();
    for installer in installers() {
        let files = installer.files(scope).iter();
        for file in files.flat_map(SettingsFile::candidates) {
            let path = machine.locate(&file);
            let text = read_file(&path).filter(|text| text.contains("becket"));
            let problem = text.and_then(|text| installer.plan_uninstall(&file, &text).err());
            let name = tame(&path.display().to_string());
            found.extend(problem.map(|problem| {
                format!("`{name}` names Becket and is left as it is: {problem}; put it right, then do this again")
            }));
        }
    }
    found
}

/// Says what was left out to a person; a program finds it in the answer.
pub(crate) fn warn_of(left_out: &[String], is_json: bool) {
    for problem in left_out.iter().filter(|_| !is_json) {
        talk(&format!("becket: warning: {problem}"));
    }
}

/// Connects the agents that are on this machine, for `becket up`.
pub(crate) fn connect(args: &InitArgs, machine: &Machine) -> anyhow::Result<Changed> {
    let chosen = choose(args, machine, Direction::In)?;
    change(args, machine, &chosen, Direction::In)
}

/// What has to go from the files of all agents in this scope, for `becket uninstall --all`.
pub(crate) fn plans_out(machine: &Machine, scope: Scope) -> anyhow::Result<Vec<Plan>> {
    let connected = installers()
        .iter()
        .copied()
        .filter(|installer| is_there(*installer, machine, scope));
    let chosen: Vec<_> = connected.collect();
    let mut plans = Vec::new();
    for installer in chosen {
        plans.extend(plan(installer, scope, machine, Direction::Out)?);
    }
    plans.retain(|plan| plan.edit.changed);
    Ok(plans)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    In,
    Out,
}

/// What became of the files.
pub(crate) struct Changed {
    plans: Vec<Plan>,
    pub(crate) written: bool,
    /// The person said no.
    pub(crate) declined: bool,
    /// What could not be done, and why; the rest was.
    pub(crate) left_out: Vec<String>,
}

impl Changed {
    pub(crate) fn json(&self) -> Vec<Value> {
        self.plans.iter().map(Plan::json).collect()
    }

    fn report(&self, args: &InitArgs, aloud: impl FnOnce(&Self)) -> anyhow::Result<Exit> {
        if self.declined {
            return Ok(Exit::Failure);
        }
        if args.here.json {
            print_json(&json!({
                "schema_version": SCHEMA_VERSION, "written": self.written, "files": self.json(), "left_out": self.left_out,
            }))?;
        } else {
            aloud(self);
        }
        Ok(if self.left_out.is_empty() {
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
    direction: Direction,
) -> anyhow::Result<Changed> {
    let (mut plans, left_out) = plan_all(args, chosen, machine, direction)?;
    let changes: Vec<&Plan> = plans.iter().filter(|plan| plan.edit.changed).collect();
    if !args.here.json {
        show(&plans, direction);
    }
    warn_of(&left_out, args.here.json);
    let mut written = false;
    if !changes.is_empty() && !args.dry_run {
        if !args.yes && !confirm(&question(&changes, "Write")) {
            declined("nothing written");
            return Ok(Changed {
                plans,
                written,
                declined: true,
                left_out,
            });
        }
        carry_out(&changes, !args.here.json)?;
        written = true;
    }
    let connects = direction == Direction::In && !args.dry_run;
    if connects && chosen.iter().any(|it| it.agent() == codex::ID) {
        let granted = codex::offer(args, machine)?;
        written |= !granted.is_empty();
        plans.extend(granted);
    }
    Ok(Changed {
        plans,
        written,
        declined: false,
        left_out,
    })
}

/// What a person is asked who has seen these changes.
pub(crate) fn question(changes: &[&Plan], verb: &str) -> String {
    let agents: BTreeSet<&str> = changes.iter().map(|plan| plan.agent).collect();
    match (changes.len(), agents.len()) {
        (0 | 1, _) => format!("{verb} this?"),
        (files, 1) => format!("{verb} these {files} files?"),
        (files, agents) => format!("{verb} these {files} files of {agents} agents?"),
    }
}

/// Makes these changes, and removes the directories that they leave empty.
pub(crate) fn carry_out(changes: &[&Plan], aloud: bool) -> anyhow::Result<()> {
    let mut emptied = Vec::new();
    for plan in changes {
        emptied.extend(plan.carry_out(aloud)?);
    }
    remove_empty(emptied);
    Ok(())
}

/// What changes, and why nothing does for some. An agent that was named has to be one for whom it can be done; one
/// that was found does not keep the others waiting.
fn plan_all(
    args: &InitArgs,
    chosen: &[&'static dyn Installer],
    machine: &Machine,
    direction: Direction,
) -> anyhow::Result<(Vec<Plan>, Vec<String>)> {
    let scope = args.scope.into();
    let (mut plans, mut left_out) = (Vec::new(), Vec::new());
    for installer in chosen {
        let planned = plan(*installer, scope, machine, direction).and_then(|mut plans| {
            if direction == Direction::In && args.mcp {
                servers::plan_in(&mut plans, installer.agent(), scope, machine)?;
            }
            Ok(plans)
        });
        match planned {
            Ok(planned) => plans.extend(planned),
            Err(problem) if args.agent.is_empty() && chosen.len() > 1 => {
                let agent = installer.agent();
                left_out.push(tame(&format!("{agent} is left out: {problem:#}")));
            }
            Err(problem) => return Err(problem),
        }
    }
    if plans.is_empty() && !left_out.is_empty() {
        bail!("{}", left_out.join("\n"));
    }
    Ok((plans, left_out))
}

/// Whether anything of ours is in an agent's files.
fn is_there(installer: &'static dyn Installer, machine: &Machine, scope: Scope) -> bool {
    machine.is_connected(installer, scope)
        || servers::is_registered(machine, installer.agent(), scope)
}

/// The agents that were named, else those that are on this machine or in this project.
fn choose(
    args: &InitArgs,
    machine: &Machine,
    direction: Direction,
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
        Direction::In => machine.has(*installer) && !installer.files(scope).is_empty(),
        Direction::Out => is_there(*installer, machine, scope),
    };
    let found: Vec<_> = installers().iter().copied().filter(wanted).collect();
    if found.is_empty() && direction == Direction::In {
        bail!("no coding agent was found on this machine; name one with --agent");
    }
    Ok(found)
}

/// A change of one file.
pub(crate) struct Plan {
    pub(crate) agent: &'static str,
    pub(crate) target: Target,
    pub(crate) existing: Option<String>,
    pub(crate) edit: Edit,
}

impl Plan {
    /// Makes the change. Says which directories may be empty now.
    pub(crate) fn carry_out(&self, aloud: bool) -> anyhow::Result<Vec<PathBuf>> {
        let emptied = self.target.write(self.existing.as_deref(), &self.edit)?;
        if aloud {
            let word = if self.edit.delete { "Deleted" } else { "Wrote" };
            print(&format!("{word} {}.\n", self.name()));
        }
        Ok(emptied)
    }

    /// Shows the change to a person.
    pub(crate) fn show(&self) {
        let style = Style::stdout();
        let name = self.name();
        for warning in &self.edit.warnings {
            talk(&format!("becket: warning: {name}: {warning}"));
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

    /// The file, fit to be shown: a project can be called anything.
    fn name(&self) -> String {
        tame(&self.target.file.display().to_string())
    }

    pub(crate) fn json(&self) -> Value {
        let edit = &self.edit;
        json!({
            "agent": self.agent, "file": self.target.file, "changed": edit.changed, "added": edit.added,
            "updated": edit.updated, "removed": edit.removed, "warnings": edit.warnings,
        })
    }
}

/// Everything that changes for an agent when Becket comes, or goes.
pub(crate) fn plan(
    installer: &'static dyn Installer,
    scope: Scope,
    machine: &Machine,
    direction: Direction,
) -> anyhow::Result<Vec<Plan>> {
    let mut plans = plan_hooks(installer, scope, machine, direction)?;
    if direction == Direction::Out {
        if installer.agent() == codex::ID {
            plans.extend(codex::plan_out(machine)?);
        }
        servers::plan_out(&mut plans, installer.agent(), scope, machine)?;
    }
    Ok(plans)
}

fn plan_hooks(
    installer: &'static dyn Installer,
    scope: Scope,
    machine: &Machine,
    direction: Direction,
) -> anyhow::Result<Vec<Plan>> {
    let mut plans = Vec::new();
    for declared in installer.files(scope) {
        let files: Vec<SettingsFile> = match direction {
            Direction::In => vec![declared.choose(|file| machine.locate(file).exists())],
            Direction::Out => declared
                .candidates()
                .filter(|file| machine.locate(file).exists())
                .collect(),
        };
        for file in files {
            let target = Target::new(machine, &file);
            let existing = target.read()?;
            let edit = match (direction, &existing) {
                (Direction::In, existing) => {
                    installer.plan_install(&file, existing.as_deref(), &binary(scope)?)
                }
                (Direction::Out, Some(existing)) => match target.untouched_original(existing) {
                    Some(original) => Ok(original),
                    None => installer.plan_uninstall(&file, existing),
                },
                (Direction::Out, None) => continue,
            };
            let edit =
                edit.with_context(|| format!("`{}` is left as it is", target.file.display()))?;
            plans.push(Plan {
                agent: installer.agent(),
                target,
                existing,
                edit,
            });
        }
    }
    Ok(plans)
}

/// The program to put into the settings: the one beside this for the person, its plain name in a project,
/// where other people's machines must find their own.
pub(crate) fn binary(scope: Scope) -> anyhow::Result<String> {
    if scope == Scope::Project {
        return Ok("becket".into());
    }
    let path = twin::beside(twin::SMALL).context("own path unknown")?;
    path.into_os_string()
        .into_string()
        .map_err(|path| anyhow::anyhow!("own path is not UTF-8: {}", path.to_string_lossy()))
}

fn show(plans: &[Plan], direction: Direction) {
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
            talk(&format!("becket: warning: {name}: {warning}"));
        }
        let state = if direction == Direction::In {
            "connected to Becket already"
        } else {
            "not connected to Becket"
        };
        print(&format!("{name} is {state}; nothing to do.\n"));
    }
}
