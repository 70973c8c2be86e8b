//! Becket in the settings of agents, as `becket init` and `becket uninstall` write it.

use becket_agents::install::{Installer, Scope, installer, installers};
use becket_agents::{adapter, adapters};
use becket_daemon::rpc::Failure;
use becket_daemon::setup::{
    Connection, ConnectionChange, ConnectionPlan, FileChange, FilesWritten,
};
use becket_store::Millis;

use super::{changed, diff, digest, invalid, text};
use crate::agents::last_seen;
use crate::doctor;
use crate::init::{self, Direction, Plan};
use crate::machine::Machine;
use crate::rpc::failed;

/// Every agent that Becket can be connected to, in the order in which `becket agents` has them.
pub(super) fn list(machine: &Machine) -> Vec<Connection> {
    let seen = last_seen(machine);
    let known = adapters().iter().filter_map(|one| installer(one.id()));
    let known: Vec<&'static dyn Installer> = known.collect();
    // Agents take their time to say their version, so all are asked at once.
    let versions: Vec<Option<String>> = std::thread::scope(|scope| {
        let asked: Vec<_> = known
            .iter()
            .map(|one| scope.spawn(|| version(*one, machine)))
            .collect();
        let told = asked.into_iter().map(|one| one.join().ok().flatten());
        told.collect()
    });
    known
        .into_iter()
        .zip(versions)
        .map(|(one, version)| {
            let id = one.agent();
            let last = seen.iter().find(|(agent, _)| agent == id);
            Connection {
                agent: id.to_owned(),
                name: adapter(id).map_or(id, |adapter| adapter.title()).to_owned(),
                found: machine.has(one),
                connected: machine.is_connected(one, Scope::User),
                version,
                last_event: last.and_then(|(_, at)| Millis::parse(at)),
                files: files(one, machine),
                problems: problems(one, machine),
            }
        })
        .collect()
}

fn version(installer: &'static dyn Installer, machine: &Machine) -> Option<String> {
    let is_connected = machine.is_connected(installer, Scope::User);
    is_connected.then(|| doctor::version(installer)).flatten()
}

/// The settings that call Becket; where none does, those that would.
fn files(installer: &'static dyn Installer, machine: &Machine) -> Vec<String> {
    let connected = machine.connections(installer, Scope::User);
    if !connected.is_empty() {
        return connected.iter().map(|one| text(&one.path)).collect();
    }
    let declared = installer.files(Scope::User).iter();
    declared
        .map(|file| file.choose(|file| machine.locate(file).exists()))
        .map(|file| text(&machine.locate(&file)))
        .collect()
}

/// That an agent is not connected is told by itself, and no problem to who wants it so.
fn problems(installer: &'static dyn Installer, machine: &Machine) -> Vec<String> {
    if !machine.is_connected(installer, Scope::User) {
        return Vec::new();
    }
    let findings = doctor::agents::of_settings(installer, machine).into_iter();
    findings
        .filter(|finding| finding.state > doctor::State::Good)
        .map(|finding| match finding.fix {
            Some(fix) => format!("{}; fix: {fix}", finding.message),
            None => finding.message,
        })
        .collect()
}

pub(super) fn plan(
    machine: &Machine,
    change: &ConnectionChange,
) -> Result<ConnectionPlan, Failure> {
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
        let afterwards = installer(&change.agent).and_then(Installer::afterwards);
        warnings.extend(afterwards.map(str::to_owned));
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
) -> Result<FilesWritten, Failure> {
    let plans = plans(machine, change)?;
    if digest_of(&plans) != plan {
        return Err(changed("what would be written"));
    }
    let changes: Vec<&Plan> = plans.iter().filter(|plan| plan.edit.changed).collect();
    init::carry_out(&changes, false).map_err(failed)?;
    let files = changes.iter().map(|plan| text(&plan.target.file));
    Ok(FilesWritten {
        files: files.collect(),
    })
}

fn plans(machine: &Machine, change: &ConnectionChange) -> Result<Vec<Plan>, Failure> {
    let Some(installer) = installer(&change.agent) else {
        let known: Vec<&str> = installers().iter().map(|one| one.agent()).collect();
        let known = known.join(", ");
        return Err(invalid(format!(
            "`agent` is none that Becket knows; one of: {known}"
        )));
    };
    let direction = if change.remove {
        Direction::Out
    } else {
        Direction::In
    };
    init::plan(installer, Scope::User, machine, direction).map_err(failed)
}

fn file(plan: &Plan) -> FileChange {
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

fn digest_of(plans: &[Plan]) -> String {
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
