//! What Codex wants beside its file of hooks: that a person trusts them, and a program to notify.
//!
//! Codex skips a hook that nobody has trusted, in `codex exec` without a word. The record of trust is a
//! person's to make: Becket writes it only when the person says so, in an answer or by a flag of its
//! own.

use std::path::PathBuf;

use becket_agents::edit::{Edit, EditError};
use becket_agents::install::codex::{
    CONFIG, plan_distrust, plan_notify, plan_trust, plan_unnotify,
};
use becket_agents::install::{Installer, Scope, installer};

use crate::args::InitArgs;
use crate::init::{Plan, binary};
use crate::machine::{Connection, Machine};
use crate::report::{confirm, talk};
use crate::target::Target;

/// The agent's id.
pub(crate) const ID: &str = "codex";

const WHY_TRUST: &str = "\
Codex runs a hook only once a person has trusted it as it is; until then `codex exec` skips it without
a word, and Becket hears of nothing. You can trust Becket's hooks in Codex itself (start `codex` and
review them under /hooks), or have it recorded in Codex's config.toml now.";

/// What a person should know who has not trusted the hooks.
pub(crate) const UNTRUSTED: &str = "\
Codex skips Becket's hooks until you trust them: under /hooks in Codex, or with `becket init --agent codex --codex-trust`.
";

/// Whether Codex has hooks of ours that it does not run yet.
pub(crate) fn is_waiting_for_trust(machine: &Machine) -> anyhow::Result<bool> {
    Ok(plan(machine, |config| trusted(config, machine))?
        .edit
        .changed)
}

/// Offers what only a person can grant, once the hooks are in place, and does what is granted.
pub(crate) fn offer(args: &InitArgs, machine: &Machine) -> anyhow::Result<Vec<Plan>> {
    let mut done = Vec::new();
    let aloud = !args.here.json;
    let trust = plan(machine, |config| trusted(config, machine))?;
    if trust.edit.changed {
        if aloud && !args.codex.trust {
            talk(WHY_TRUST);
        }
        let asked = || aloud && !args.yes && confirm("Trust Becket's hooks in Codex?");
        if args.codex.trust || asked() {
            carry_out(trust, aloud, &mut done)?;
        } else if aloud {
            talk(
                "becket: Codex does not run these hooks yet. `becket init --agent codex --codex-trust` records your trust.",
            );
        }
    }
    let scope = Scope::from(args.scope);
    if args.codex.notify {
        let binary = binary(Scope::User)?;
        let notify = plan(machine, |config| plan_notify(config, &binary))?;
        if notify.edit.changed {
            carry_out(notify, aloud, &mut done)?;
        }
    } else if aloud && done.is_empty() && scope == Scope::User {
        talk(
            "becket: with --codex-notify Codex also tells Becket of finished turns through its `notify` program, which needs no trust.",
        );
    }
    Ok(done)
}

fn carry_out(plan: Plan, aloud: bool, done: &mut Vec<Plan>) -> anyhow::Result<()> {
    if aloud {
        plan.show();
    }
    plan.carry_out(aloud)?;
    done.push(plan);
    Ok(())
}

/// What to take out of Codex's configuration along with the hooks.
pub(crate) fn plan_out(machine: &Machine) -> anyhow::Result<Option<Plan>> {
    let target = Target::new(machine, &CONFIG);
    let Some(existing) = target.read()? else {
        return Ok(None);
    };
    let edit = match target.untouched_original(&existing) {
        Some(original) => original,
        None => taken_out(&existing, machine)?,
    };
    Ok(edit.changed.then_some(Plan {
        agent: ID,
        target,
        existing: Some(existing),
        edit,
    }))
}

fn taken_out(config: &str, machine: &Machine) -> Result<Edit, EditError> {
    let mut edit = plan_unnotify(config)?;
    for (file, connection) in hook_files(machine) {
        let next = plan_distrust(&edit.text, &file, &connection.text)?;
        edit = join(edit, next);
    }
    edit.changed = edit.text != config;
    edit.delete = edit.text.is_empty();
    Ok(edit)
}

fn trusted(config: Option<&str>, machine: &Machine) -> Result<Edit, EditError> {
    let mut edit = Edit {
        text: config.unwrap_or_default().to_owned(),
        ..Edit::default()
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
    edited: impl FnOnce(Option<&str>) -> Result<Edit, EditError>,
) -> anyhow::Result<Plan> {
    let target = Target::new(machine, &CONFIG);
    let existing = target.read()?;
    let edit = edited(existing.as_deref())?;
    Ok(Plan {
        agent: ID,
        target,
        existing,
        edit,
    })
}

/// Codex's files with hooks of ours, by the names under which Codex remembers them.
pub(crate) fn hook_files(machine: &Machine) -> Vec<(String, Connection)> {
    let Some(codex) = installer(ID) else {
        return Vec::new();
    };
    let scopes = [Scope::User, Scope::Project];
    let connections = scopes
        .into_iter()
        .flat_map(|scope| machine.connections(codex as &dyn Installer, scope));
    connections
        .map(|connection| (name(&connection), connection))
        .collect()
}

/// Codex resolves links in `CODEX_HOME` and nowhere else.
fn name(connection: &Connection) -> String {
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

fn join(before: Edit, next: Edit) -> Edit {
    Edit {
        added: [before.added, next.added].concat(),
        updated: [before.updated, next.updated].concat(),
        removed: [before.removed, next.removed].concat(),
        warnings: [before.warnings, next.warnings].concat(),
        ..next
    }
}
