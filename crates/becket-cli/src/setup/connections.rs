//! Agent connections for the dashboard, with the same plans as `becket init` and `becket uninstall`.

use becket_agents::install::{InstallScope, Installer, installer, installers};
use becket_agents::{adapter, adapters};
use becket_daemon::rpc::ServiceError;
use becket_daemon::setup::{
    AgentConnection, ConnectionChange, ConnectionPlan, FileChange, FilesWritten,
};
use becket_store::Millis;

use super::{diff, digest, invalid, stale_plan, text};
use crate::agents::last_seen;
use crate::doctor;
use crate::init::{self, FilePlan, InstallDirection};
use crate::machine::Machine;
use crate::rpc::service_error;

/// Every supported agent, in the order of `becket agents`.
pub(super) fn list(machine: &Machine) -> Vec<AgentConnection> {
    let seen = last_seen(machine);
    let known = adapters().iter().filter_map(|one| installer(one.id()));
    let known: Vec<&'static dyn Installer> = known.collect();
    // `--version` can be slow, so all agents are queried in parallel.
    let versions: Vec<Option<String>> = std::thread::scope(|scope| {
        let queries: Vec<_> = known
            .iter()
            .map(|one| scope.spawn(|| version(*one, machine)))
            .collect();
        let versions = queries.into_iter().map(|one| one.join().ok().flatten());
        versions.collect()
    });
    known
        .into_iter()
        .zip(versions)
        .map(|(one, version)| {
            let id = one.agent();
            let last = seen.iter().find(|(agent, _)| agent == id);
            AgentConnection {
                agent: id.to_owned(),
                name: adapter(id).map_or(id, |adapter| adapter.title()).to_owned(),
                found: machine.has_agent(one),
                connected: machine.is_connected(one, InstallScope::User),
                version,
                last_event: last.and_then(|(_, at)| Millis::parse(at)),
                files: files(one, machine),
                problems: problems(one, machine),
            }
        })
        .collect()
}

fn version(installer: &'static dyn Installer, machine: &Machine) -> Option<String> {
    let is_connected = machine.is_connected(installer, InstallScope::User);
    is_connected.then(|| doctor::version(installer)).flatten()
}

/// The settings files that call Becket, or else those that would.
fn files(installer: &'static dyn Installer, machine: &Machine) -> Vec<String> {
    let connected = machine.connections(installer, InstallScope::User);
    if !connected.is_empty() {
        return connected.iter().map(|one| text(&one.path)).collect();
    }
    let declared = installer.files(InstallScope::User).iter();
    declared
        .map(|file| file.choose(|file| machine.locate(file).exists()))
        .map(|file| text(&machine.locate(&file)))
        .collect()
}

/// The problems of a connected agent. "Not connected" is a state of its own, not a problem.
fn problems(installer: &'static dyn Installer, machine: &Machine) -> Vec<String> {
    if !machine.is_connected(installer, InstallScope::User) {
        return Vec::new();
    }
    let findings = doctor::agents::check_settings(installer, machine).into_iter();
    findings
        .filter(|finding| finding.state > doctor::CheckStatus::Ok)
        .map(|finding| match finding.fix {
            Some(fix) => format!("{}; fix: {fix}", finding.message),
            None => finding.message,
        })
        .collect()
}

pub(super) fn plan(
    machine: &Machine,
    change: &ConnectionChange,
) -> Result<ConnectionPlan, ServiceError> {
    let plans = plans(machine, change)?;
    let mut warnings: Vec<String> = plans
        .iter()
        .flat_map(|plan| {
            let name = plan.target.file.display();
            let warnings = plan.edit.warnings.iter();
            warnings.map(move |warning| format!("{name}: {warning}"))
        })
        .collect();
    if !change.remove {
        let next_steps = installer(&change.agent).and_then(Installer::next_steps);
        warnings.extend(next_steps.map(str::to_owned));
    }
    let files = plans.iter().filter(|plan| plan.edit.changed);
    Ok(ConnectionPlan {
        files: files.map(file).collect(),
        warnings,
        plan: digest_of(&plans),
    })
}

pub(super) fn apply(
    machine: &Machine,
    change: &ConnectionChange,
    plan: &str,
) -> Result<FilesWritten, ServiceError> {
    let plans = plans(machine, change)?;
    if digest_of(&plans) != plan {
        return Err(stale_plan("the settings"));
    }
    let changes: Vec<&FilePlan> = plans.iter().filter(|plan| plan.edit.changed).collect();
    init::apply(&changes, false).map_err(service_error)?;
    let files = changes.iter().map(|plan| text(&plan.target.file));
    Ok(FilesWritten {
        files: files.collect(),
    })
}

fn plans(machine: &Machine, change: &ConnectionChange) -> Result<Vec<FilePlan>, ServiceError> {
    let Some(installer) = installer(&change.agent) else {
        let known: Vec<&str> = installers().iter().map(|one| one.agent()).collect();
        let known = known.join(", ");
        return Err(invalid(format!("unknown `agent` (one of: {known})")));
    };
    let direction = if change.remove {
        InstallDirection::Uninstall
    } else {
        InstallDirection::Install
    };
    init::plan(installer, InstallScope::User, machine, direction).map_err(service_error)
}

fn file(plan: &FilePlan) -> FileChange {
    let new = if plan.edit.delete {
        ""
    } else {
        &plan.edit.text
    };
    FileChange {
        path: text(&plan.target.file),
        diff: diff(plan.existing.as_deref().unwrap_or_default(), new),
        created: plan.existing.is_none(),
        deleted: plan.edit.delete,
    }
}

fn digest_of(plans: &[FilePlan]) -> String {
    let parts: Vec<String> = plans
        .iter()
        .flat_map(|plan| {
            let existing = plan.existing.as_deref();
            [
                text(&plan.target.file),
                existing.map_or_else(String::new, |text| format!("={text}")),
                format!("{}{}", plan.edit.delete, plan.edit.text),
            ]
        })
        .collect();
    digest(parts.iter().map(String::as_str))
}
