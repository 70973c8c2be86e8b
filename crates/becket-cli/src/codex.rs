//! Codex needs more than a hooks file: the user's trust in the hooks, and optionally a `notify` program.
//!
//! Codex skips untrusted hooks, and `codex exec` does so silently. Only the user can grant trust, so Becket writes it to
//! Codex's configuration only after a confirmation or with `--codex-trust`.

use std::path::PathBuf;

use becket_agents::edit::{EditError, FileEdit};
use becket_agents::install::codex::{
    CONFIG, plan_distrust, plan_notify, plan_trust, plan_unnotify,
};
use becket_agents::install::{InstallScope, Installer, installer};

use crate::args::InitArgs;
use crate::init::{FilePlan, hook_program};
use crate::machine::{Connection, Machine};
use crate::report::{confirm, print_message};
use crate::settings_target::SettingsTarget;

/// Codex's agent id.
pub(crate) const ID: &str = "codex";

const WHY_TRUST: &str = "\
Codex runs a hook only after you approve it. Until then `codex exec` skips it silently, and Becket
receives no events. You can approve Becket's hooks in Codex (start `codex` and open /hooks), or record
your approval in Codex's config.toml now.";

/// Shown while the hooks are not approved.
pub(crate) const UNTRUSTED_NOTICE: &str = "\
Codex ignores Becket until you approve its hooks: open /hooks in Codex, or run `becket init --agent codex --codex-trust`.";

/// Whether Codex has hooks of Becket that it does not run yet.
pub(crate) fn needs_trust(machine: &Machine) -> anyhow::Result<bool> {
    Ok(plan(machine, |config| with_trust(config, machine))?
        .edit
        .changed)
}

/// Asks for the trust and the `notify` entry that only the user can grant, and writes what is granted.
pub(crate) fn offer_trust(args: &InitArgs, machine: &Machine) -> anyhow::Result<Vec<FilePlan>> {
    let mut done = Vec::new();
    let prints_progress = !args.here.json;
    let trust = plan(machine, |config| with_trust(config, machine))?;
    if trust.edit.changed {
        if prints_progress && !args.codex.trust {
            print_message(WHY_TRUST);
        }
        let is_confirmed =
            || prints_progress && !args.yes && confirm("Approve Becket's hooks in Codex?");
        if args.codex.trust || is_confirmed() {
            apply(trust, prints_progress, &mut done)?;
        } else if prints_progress {
            print_message(
                "becket: Codex does not run these hooks yet. Approve them with `becket init --agent codex --codex-trust`.",
            );
        }
    }
    let scope = InstallScope::from(args.scope);
    if args.codex.notify {
        let binary = hook_program(InstallScope::User)?;
        let notify = plan(machine, |config| plan_notify(config, &binary))?;
        if notify.edit.changed {
            apply(notify, prints_progress, &mut done)?;
        }
    } else if prints_progress && done.is_empty() && scope == InstallScope::User {
        print_message(
            "becket: with --codex-notify, Codex also reports finished turns through its `notify` program, which needs no approval.",
        );
    }
    Ok(done)
}

fn apply(plan: FilePlan, prints_progress: bool, done: &mut Vec<FilePlan>) -> anyhow::Result<()> {
    if prints_progress {
        plan.show();
    }
    plan.apply(prints_progress)?;
    done.push(plan);
    Ok(())
}

/// Removes Becket's trust records and `notify` entry from Codex's configuration.
pub(crate) fn plan_uninstall(machine: &Machine) -> anyhow::Result<Option<FilePlan>> {
    let target = SettingsTarget::new(machine, &CONFIG);
    let Some(existing) = target.read()? else {
        return Ok(None);
    };
    let edit = match target.original_if_unmodified(&existing) {
        Some(original) => original,
        None => without_becket(&existing, machine)?,
    };
    Ok(edit.changed.then_some(FilePlan {
        agent: ID,
        target,
        existing: Some(existing),
        edit,
    }))
}

fn without_becket(config: &str, machine: &Machine) -> Result<FileEdit, EditError> {
    let mut edit = plan_unnotify(config)?;
    for (file, connection) in hook_files(machine) {
        let next = plan_distrust(&edit.text, &file, &connection.text)?;
        edit = join(edit, next);
    }
    edit.changed = edit.text != config;
    edit.delete = edit.text.is_empty();
    Ok(edit)
}

fn with_trust(config: Option<&str>, machine: &Machine) -> Result<FileEdit, EditError> {
    let mut edit = FileEdit {
        text: config.unwrap_or_default().to_owned(),
        ..FileEdit::default()
    };
    for (file, connection) in hook_files(machine) {
        let next = plan_trust(Some(&edit.text), &file, &connection.text)?;
        edit = join(edit, next);
    }
    edit.changed = edit.text != config.unwrap_or_default();
    Ok(edit)
}

fn plan(
    machine: &Machine,
    edited: impl FnOnce(Option<&str>) -> Result<FileEdit, EditError>,
) -> anyhow::Result<FilePlan> {
    let target = SettingsTarget::new(machine, &CONFIG);
    let existing = target.read()?;
    let edit = edited(existing.as_deref())?;
    Ok(FilePlan {
        agent: ID,
        target,
        existing,
        edit,
    })
}

/// Codex's files with Becket's hooks, each with the key under which Codex stores trust.
pub(crate) fn hook_files(machine: &Machine) -> Vec<(String, Connection)> {
    let Some(codex) = installer(ID) else {
        return Vec::new();
    };
    let scopes = [InstallScope::User, InstallScope::Project];
    let connections = scopes
        .into_iter()
        .flat_map(|scope| machine.connections(codex as &dyn Installer, scope));
    connections
        .map(|connection| (trust_key(&connection), connection))
        .collect()
}

/// The path under which Codex stores trust. Codex resolves symbolic links only in `CODEX_HOME`.
fn trust_key(connection: &Connection) -> String {
    let moved = std::env::var_os("CODEX_HOME").is_some_and(|home| !home.is_empty());
    let path = &connection.path;
    let resolved = || {
        let dir = path.parent()?.canonicalize().ok()?;
        Some::<PathBuf>(dir.join(path.file_name()?))
    };
    let is_users = connection.file.base == CONFIG.base;
    let path = resolved()
        .filter(|_| moved && is_users)
        .unwrap_or_else(|| path.clone());
    path.to_string_lossy().into_owned()
}

fn join(before: FileEdit, next: FileEdit) -> FileEdit {
    FileEdit {
        added: [before.added, next.added].concat(),
        updated: [before.updated, next.updated].concat(),
        removed: [before.removed, next.removed].concat(),
        warnings: [before.warnings, next.warnings].concat(),
        ..next
    }
}
