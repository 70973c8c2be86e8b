//! Registers and unregisters `becket mcp` as an agent's MCP server, for `becket init` and `becket uninstall`.

use anyhow::Context;
use becket_agents::edit::FileEdit;
use becket_agents::install::mcp_servers::{McpServersFile, mcp_servers};
use becket_agents::install::{InstallScope, SettingsFile};

use crate::init::{FilePlan, hook_program};
use crate::machine::{Machine, read_file};
use crate::settings_target::SettingsTarget;

/// Plans to register the server, on top of changes already planned for the same file.
pub(crate) fn plan_register(
    plans: &mut Vec<FilePlan>,
    agent: &'static str,
    scope: InstallScope,
    machine: &Machine,
) -> anyhow::Result<()> {
    let Some((servers, declared)) = server_settings(agent, scope) else {
        return Ok(());
    };
    let file = declared.choose(|file| machine.locate(file).exists());
    let binary = hook_program(scope)?;
    plan_change(
        plans,
        agent,
        SettingsTarget::new(machine, &file),
        |existing| {
            let edit = servers.plan_add(existing, &binary)?;
            Ok(Some(edit))
        },
    )
}

/// Plans to unregister the server from every settings file that has it.
pub(crate) fn plan_unregister(
    plans: &mut Vec<FilePlan>,
    agent: &'static str,
    scope: InstallScope,
    machine: &Machine,
) -> anyhow::Result<()> {
    let Some((servers, declared)) = server_settings(agent, scope) else {
        return Ok(());
    };
    for file in declared.candidates() {
        let target = SettingsTarget::new(machine, &file);
        let existing = target.read()?;
        let original = existing
            .as_deref()
            .and_then(|text| target.original_if_unmodified(text))
            .filter(|edit| !servers.has(&edit.text));
        plan_change(plans, agent, target, |existing| match existing {
            Some(text) if servers.has(text) => match original {
                Some(original) => Ok(Some(original)),
                None => servers.plan_remove(text).map(Some).map_err(Into::into),
            },
            _ => Ok(None),
        })?;
    }
    Ok(())
}

/// Whether an agent has Becket registered as an MCP server.
pub(crate) fn is_registered(machine: &Machine, agent: &str, scope: InstallScope) -> bool {
    server_settings(agent, scope).is_some_and(|(servers, declared)| {
        declared.candidates().any(|file| {
            let text = read_file(&machine.locate(&file));
            text.is_some_and(|text| servers.has(&text))
        })
    })
}

fn server_settings(
    agent: &str,
    scope: InstallScope,
) -> Option<(&'static McpServersFile, SettingsFile)> {
    let servers = mcp_servers(agent)?;
    Some((servers, servers.file(scope)?))
}

fn plan_change(
    plans: &mut Vec<FilePlan>,
    agent: &'static str,
    target: SettingsTarget,
    change: impl FnOnce(Option<&str>) -> anyhow::Result<Option<FileEdit>>,
) -> anyhow::Result<()> {
    let failed = || format!("`{}` was not changed", target.file.display());
    let planned = plans
        .iter_mut()
        .find(|plan| plan.target.file == target.file);
    let Some(plan) = planned else {
        let existing = target.read()?;
        if let Some(edit) = change(existing.as_deref()).with_context(failed)? {
            plans.push(FilePlan {
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
        plan.edit = merge_edits(&plan.edit, more, plan.existing.as_deref());
    }
    Ok(())
}

/// Merges two edits of one file.
fn merge_edits(first: &FileEdit, then: FileEdit, existing: Option<&str>) -> FileEdit {
    let joined = |a: &[String], b: Vec<String>| a.iter().cloned().chain(b).collect();
    FileEdit {
        changed: then.delete || Some(then.text.as_str()) != existing,
        delete: then.delete,
        text: then.text,
        added: joined(&first.added, then.added),
        updated: joined(&first.updated, then.updated),
        removed: joined(&first.removed, then.removed),
        warnings: joined(&first.warnings, then.warnings),
    }
}
