//! Becket in the settings of agents, and what the agents make of it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use becket_agents::install::codex::{CONFIG, untrusted};
use becket_agents::install::gates::{Look, gates};
use becket_agents::install::{Installer, Scope, installers};

use super::{Finding, State, versions};
use crate::codex;
use crate::machine::{Connection, Machine, is_reachable};

/// Becket's entries in the settings of every agent that is here, for the person and for the project.
pub(super) fn findings(machine: &Machine) -> Vec<Finding> {
    let all = installers().iter().copied();
    let mut findings: Vec<Finding> = all.flat_map(|one| of_agent(one, machine)).collect();
    if findings.is_empty() {
        findings.push(
            Finding::new(State::Warning, "agents", "no coding agent was found here")
                .fix("becket init --agent ID"),
        );
    }
    findings
}

/// Becket's entries in the settings of one agent.
fn of_agent(installer: &'static dyn Installer, machine: &Machine) -> Vec<Finding> {
    let mut findings = of_settings(installer, machine);
    let scopes = [Scope::User, Scope::Project];
    let connected = scopes.map(|scope| machine.is_connected(installer, scope));
    if connected != [false, false] {
        findings.extend(versions::of_agent(installer));
    }
    findings
}

/// What its settings say, without asking the agent itself.
pub(crate) fn of_settings(installer: &'static dyn Installer, machine: &Machine) -> Vec<Finding> {
    let mut findings = Vec::new();
    let scopes = [Scope::User, Scope::Project];
    let connected = scopes.map(|scope| machine.connections(installer, scope));
    for (scope, connections) in scopes.iter().zip(&connected) {
        for connection in connections {
            findings.extend(entries(installer, *scope, connection));
        }
    }
    let connected = connected.map(|connections| !connections.is_empty());
    findings.extend(wiring(installer, machine, connected));
    findings.extend(shut(installer.agent(), machine, connected));
    if installer.agent() == codex::ID {
        findings.extend(untrusted_by_codex(machine));
    }
    findings
}

fn wiring(
    installer: &'static dyn Installer,
    machine: &Machine,
    connected: [bool; 2],
) -> Option<Finding> {
    let id = installer.agent();
    match connected {
        [false, false] if machine.has(installer) => Some(
            Finding::new(
                State::Warning,
                id,
                "is here but not connected: none of its settings call Becket",
            )
            .fix(format!("becket init --agent {id}")),
        ),
        [true, true] => Some(
            Finding::new(
                State::Warning,
                id,
                "is connected twice, for you and for this project: every event is answered twice",
            )
            .fix(format!("becket uninstall --agent {id} --scope project")),
        ),
        _ => None,
    }
}

/// What the agent itself puts in the way.
fn shut(id: &'static str, machine: &Machine, [for_user, for_project]: [bool; 2]) -> Vec<Finding> {
    let env = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let look = Look {
        places: machine.places(&env),
        read: &|path| std::fs::read_to_string(path).ok(),
        for_user,
        for_project,
    };
    let gates = gates(id, &look).into_iter();
    gates
        .map(|gate| Finding::new(State::Error, id, gate.message).fix(gate.fix))
        .collect()
}

/// Codex skips hooks that nobody has trusted, and `codex exec` does so without a word.
fn untrusted_by_codex(machine: &Machine) -> Vec<Finding> {
    let config = std::fs::read_to_string(machine.locate(&CONFIG)).ok();
    let mut findings = Vec::new();
    for (name, connection) in codex::hook_files(machine) {
        let skipped = untrusted(config.as_deref(), &name, &connection.text);
        let finding = match skipped {
            Ok(events) if events.is_empty() => continue,
            Ok(events) => {
                let message = format!(
                    "{name}: nobody has trusted the hooks for {}, so Codex skips them without a word",
                    events.join(", ")
                );
                Finding::new(State::Error, codex::ID, message)
                    .fix("review them in Codex under /hooks, or `becket init --agent codex --codex-trust`")
            }
            Err(error) => Finding::new(State::Error, codex::ID, format!("config.toml: {error}"))
                .fix("make it a file that Codex reads"),
        };
        findings.push(finding);
    }
    findings
}

fn entries(
    installer: &'static dyn Installer,
    scope: Scope,
    connection: &Connection,
) -> Vec<Finding> {
    let (id, name) = (installer.agent(), connection.path.display());
    let words = if scope == Scope::Project {
        " --scope project"
    } else {
        ""
    };
    let repair = format!("becket init --agent {id}{words}");
    if let Some(why) = installer.unread(&connection.file, &connection.text) {
        return vec![
            Finding::new(State::Error, id, format!("{name}: {why}"))
                .fix("make it a file that the agent reads"),
        ];
    }
    let entries = installer.installed(&connection.file, &connection.text);
    let mut findings = Vec::new();
    let wanted = installer.plan_install(&connection.file, Some(&connection.text), "becket");
    let missing = wanted.map(|edit| edit.added).unwrap_or_default();
    if !missing.is_empty() {
        findings.push(
            Finding::new(
                State::Warning,
                id,
                format!("{name}: no entry for {}", missing.join(", ")),
            )
            .fix(&repair),
        );
    }
    for entry in &entries {
        if let Some(stale) = &entry.stale {
            let message = format!(
                "{name}:{}: the entry for {}: {stale}",
                entry.line, entry.event
            );
            findings.push(Finding::new(State::Warning, id, message).fix(&repair));
        }
    }
    let programs: BTreeSet<&str> = entries
        .iter()
        .filter_map(|entry| entry.binary.as_deref())
        .collect();
    for program in programs {
        if !is_reachable(program) {
            let message = format!("{name}: `{program}` does not exist or cannot be run");
            findings.push(Finding::new(State::Error, id, message).fix(&repair));
        } else if may_be_run(scope, program)
            && let Some(version) = versions::another_becket(program)
        {
            let own = env!("CARGO_PKG_VERSION");
            let message = format!("{name}: `{program}` is Becket {version}, and this is {own}");
            findings.push(Finding::new(State::Warning, id, message).fix(&repair));
        }
    }
    if findings.is_empty() {
        findings.push(Finding::new(
            State::Good,
            id,
            format!("connected for {} events in {name}", entries.len()),
        ));
    }
    findings
}

/// What a project's file names is not run, not even to ask for its version: anybody may have written
/// it. A bare name is looked up in the person's own path.
fn may_be_run(scope: Scope, program: &str) -> bool {
    scope == Scope::User || !program.contains('/')
}
