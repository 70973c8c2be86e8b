//! Becket among an agent's MCP servers, as a part of `becket init` and `becket uninstall`.

use anyhow::Context;
use becket_agents::edit::Edit;
use becket_agents::install::servers::{Servers, servers};
use becket_agents::install::{Scope, SettingsFile};

use crate::init::{Plan, binary};
use crate::machine::{Machine, read_file};
use crate::target::Target;

/// Plans an entry for an agent, on top of what is planned for the same file.
pub(crate) fn plan_in(
    plans: &mut Vec<Plan>,
    agent: &'static str,
    scope: Scope,
    machine: &Machine,
) -> anyhow::Result<()> {
    let Some((servers, declared)) = known(agent, scope) else {
        return Ok(());
    };
    let file = declared.choose(|file| machine.locate(file).exists());
    let binary = binary(scope)?;
    fold(plans, agent, Target::new(machine, &file), |existing| {
        let edit = servers.plan_add(existing, &binary)?;
        Ok(Some(edit))
    })
}

/// Plans to take it out again, wherever it is.
pub(crate) fn plan_out(
    plans: &mut Vec<Plan>,
    agent: &'static str,
    scope: Scope,
    machine: &Machine,
) -> anyhow::Result<()> {
    let Some((servers, declared)) = known(agent, scope) else {
        return Ok(());
    };
    for file in declared.candidates() {
        let target = Target::new(machine, &file);
        let existing = target.read()?;
        let original = existing
            .as_deref()
            .and_then(|text| target.untouched_original(text))
            .filter(|edit| !servers.has(&edit.text));
        fold(plans, agent, target, |existing| match existing {
            Some(text) if servers.has(text) => match original {
                Some(original) => Ok(Some(original)),
                None => servers.plan_remove(text).map(Some).map_err(Into::into),
            },
            _ => Ok(None),
        })?;
    }
    Ok(())
}

/// Whether an agent has Becket among its servers.
pub(crate) fn is_registered(machine: &Machine, agent: &str, scope: Scope) -> bool {
    known(agent, scope).is_some_and(|(servers, declared)| {
        declared.candidates().any(|file| {
            let text = read_file(&machine.locate(&file));
            text.is_some_and(|text| servers.has(&text))
        })
    })
}

fn known(agent: &str, scope: Scope) -> Option<(&'static Servers, SettingsFile)> {
    let servers = servers(agent)?;
    Some((servers, servers.file(scope)?))
}

fn fold(
    plans: &mut Vec<Plan>,
    agent: &'static str,
    target: Target,
    change: impl FnOnce(Option<&str>) -> anyhow::Result<Option<Edit>>,
) -> anyhow::Result<()> {
    let failed = || format!("`{}` is left as it is", target.file.display());
    let planned = plans
        .iter_mut()
        .find(|plan| plan.target.file == target.file);
    let Some(plan) = planned else {
        let existing = target.read()?;
        if let Some(edit) = change(existing.as_deref()).with_context(failed)? {
            plans.push(Plan {
                agent,
                target,
                existing,
                edit,
            });
        }
        return Ok(());
    };
    let before = (!plan.edit.delete).then_some(plan.edit.text.as_str());
    if let Some(more) = change(before).with_context(failed)? {
        plan.edit = both(&plan.edit, more, plan.existing.as_deref());
    }
    Ok(())
}

/// Two changes as one.
fn both(first: &Edit, then: Edit, existing: Option<&str>) -> Edit {
    let joined = |a: &[String], b: Vec<String>| a.iter().cloned().chain(b).collect();
    Edit {
        changed: then.delete || Some(then.text.as_str()) != existing,
        delete: then.delete,
        text: then.text,
        added: joined(&first.added, then.added),
        updated: joined(&first.updated, then.updated),
        removed: joined(&first.removed, then.removed),
        warnings: joined(&first.warnings, then.warnings),
    }
}
