//! Checks Becket's entries in agent settings, and whether the agents run them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use becket_agents::install::codex::{CONFIG, untrusted};
use becket_agents::install::obstacles::{MachineView, obstacles};
use becket_agents::install::{InstallScope, Installer, installers};

use super::{CheckStatus, Finding, versions};
use crate::codex;
use crate::machine::{Connection, Machine, is_reachable};
use crate::records::plural;

/// Checks every agent on this machine, for the user and for the project.
pub(super) fn findings(machine: &Machine) -> Vec<Finding> {
    let all = installers().iter().copied();
    let mut findings: Vec<Finding> = all.flat_map(|one| check_agent(one, machine)).collect();
    if findings.is_empty() {
        findings.push(
            Finding::new(
                CheckStatus::Warning,
                "agents",
                "no coding agent was found on this machine",
            )
            .fix("becket init --agent ID"),
        );
    }
    findings
}

/// Checks the settings and the version of one agent.
fn check_agent(installer: &'static dyn Installer, machine: &Machine) -> Vec<Finding> {
    let mut findings = check_settings(installer, machine);
    let scopes = [InstallScope::User, InstallScope::Project];
    let connected = scopes.map(|scope| machine.is_connected(installer, scope));
    if connected != [false, false] {
        findings.extend(versions::check_agent(installer));
    }
    findings
}

/// Checks the settings without starting the agent.
pub(crate) fn check_settings(installer: &'static dyn Installer, machine: &Machine) -> Vec<Finding> {
    let mut findings = Vec::new();
    let scopes = [InstallScope::User, InstallScope::Project];
    let connected = scopes.map(|scope| machine.connections(installer, scope));
    for (scope, connections) in scopes.iter().zip(&connected) {
        for connection in connections {
            findings.extend(entries(installer, *scope, connection));
        }
    }
    let connected = connected.map(|connections| !connections.is_empty());
    findings.extend(connection_finding(installer, machine, connected));
    findings.extend(agent_obstacles(installer.agent(), machine, connected));
    if installer.agent() == codex::ID {
        findings.extend(untrusted_by_codex(machine));
    }
    findings
}

fn connection_finding(
    installer: &'static dyn Installer,
    machine: &Machine,
    connected: [bool; 2],
) -> Option<Finding> {
    let id = installer.agent();
    match connected {
        [false, false] if machine.has_agent(installer) => Some(
            Finding::new(
                CheckStatus::Warning,
                id,
                "installed but not connected: its settings do not call Becket",
            )
            .fix(format!("becket init --agent {id}")),
        ),
        [true, true] => Some(
            Finding::new(
                CheckStatus::Warning,
                id,
                "connected twice, for you and for this project: every event is handled twice",
            )
            .fix(format!("becket uninstall --agent {id} --scope project")),
        ),
        _ => None,
    }
}

/// Settings of the agent itself that keep hooks from running.
fn agent_obstacles(
    id: &'static str,
    machine: &Machine,
    [for_user, for_project]: [bool; 2],
) -> Vec<Finding> {
    let env = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let view = MachineView {
        dirs: machine.base_dirs(&env),
        read: &|path| std::fs::read_to_string(path).ok(),
        for_user,
        for_project,
    };
    let found = obstacles(id, &view).into_iter();
    found
        .map(|obstacle| Finding::new(CheckStatus::Error, id, obstacle.message).fix(obstacle.fix))
        .collect()
}

/// Finds hooks that Codex skips because they are not approved.
fn untrusted_by_codex(machine: &Machine) -> Vec<Finding> {
    let config = std::fs::read_to_string(machine.locate(&CONFIG)).ok();
    let mut findings = Vec::new();
    for (name, connection) in codex::hook_files(machine) {
        let skipped = untrusted(config.as_deref(), &name, &connection.text);
        let finding = match skipped {
            Ok(events) if events.is_empty() => continue,
            Ok(events) => {
                let message = format!(
                    "Codex ignores Becket until you approve its {} in {name}",
                    plural(events.len() as u64, "hook")
                );
                Finding::new(CheckStatus::Error, codex::ID, message)
                    .fix("open /hooks in Codex, or run `becket init --agent codex --codex-trust`")
            }
            Err(error) => Finding::new(
                CheckStatus::Error,
                codex::ID,
                format!("config.toml: {error}"),
            )
            .fix("correct the file so that Codex can read it"),
        };
        findings.push(finding);
    }
    findings
}

fn entries(
    installer: &'static dyn Installer,
    scope: InstallScope,
    connection: &Connection,
) -> Vec<Finding> {
    let (id, name) = (installer.agent(), connection.path.display());
    let words = if scope == InstallScope::Project {
        " --scope project"
    } else {
        ""
    };
    let repair = format!("becket init --agent {id}{words}");
    if let Some(why) = installer.rejection_reason(&connection.file, &connection.text) {
        return vec![
            Finding::new(CheckStatus::Error, id, format!("{name}: {why}"))
                .fix("correct the file so that the agent can read it"),
        ];
    }
    let entries = installer.installed(&connection.file, &connection.text);
    let mut findings = Vec::new();
    let wanted = installer.plan_install(&connection.file, Some(&connection.text), "becket");
    let missing = wanted.map(|edit| edit.added).unwrap_or_default();
    if !missing.is_empty() {
        findings.push(
            Finding::new(
                CheckStatus::Warning,
                id,
                format!("{name}: missing hooks: {}", missing.join(", ")),
            )
            .fix(&repair),
        );
    }
    for entry in &entries {
        if let Some(stale) = &entry.stale {
            let message = format!(
                "{name}:{}: outdated hook {}: {stale}",
                entry.line, entry.event
            );
            findings.push(Finding::new(CheckStatus::Warning, id, message).fix(&repair));
        }
    }
    let programs: BTreeSet<&str> = entries
        .iter()
        .filter_map(|entry| entry.binary.as_deref())
        .collect();
    for program in programs {
        if !is_reachable(program) {
            let message = format!("{name}: `{program}` does not exist or is not executable");
            findings.push(Finding::new(CheckStatus::Error, id, message).fix(&repair));
        } else if may_be_run(scope, program)
            && let Some(version) = versions::other_becket_version(program)
        {
            let own = env!("CARGO_PKG_VERSION");
            let message =
                format!("{name}: `{program}` is Becket {version}, but this is Becket {own}");
            findings.push(Finding::new(CheckStatus::Warning, id, message).fix(&repair));
        }
    }
    if findings.is_empty() {
        findings.push(Finding::new(
            CheckStatus::Ok,
            id,
            format!(
                "connected, {} in {name}",
                plural(entries.len() as u64, "event")
            ),
        ));
    }
    findings
}

/// Whether a program may be started to read its version. A path from a project's file is never run, because anyone may
/// have written it; a bare name is looked up in the user's `PATH`.
fn may_be_run(scope: InstallScope, program: &str) -> bool {
    scope == InstallScope::User || !program.contains('/')
}
