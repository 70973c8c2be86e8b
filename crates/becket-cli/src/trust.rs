//! `becket trust`: reviews a project's hooks, with a diff against the trusted version, and records trust.

use std::path::Path;

use becket::model::HookSpec;
use becket::pipeline::untrusted_hooks;
use becket::trust::{Fingerprint, TrustStore, TrustedHook, definition_json, fingerprint};
use becket::{Home, load};
use becket_agents::edit::diff;
use chrono::{SecondsFormat, Utc};
use serde_json::{Value, json};

use crate::args::{ProjectArgs, TrustCommand};
use crate::exit::Exit;
use crate::records::plural;
use crate::report::{SCHEMA_VERSION, Style, confirm, print, print_declined, print_json, sanitize};

pub(crate) fn main(
    command: Option<&TrustCommand>,
    here: &ProjectArgs,
    yes: bool,
) -> anyhow::Result<Exit> {
    let (home, root) = here.find()?;
    let store = TrustStore::open(&home.trust_file())?;
    match command {
        Some(TrustCommand::List) => list(&store, here),
        Some(TrustCommand::Show) => show(&store, &home, &root, here),
        Some(TrustCommand::Revoke) => revoke(store, &root, here),
        // With `--json` but without `--yes`, show what would be trusted.
        None | Some(TrustCommand::Add) if here.json && !yes => show(&store, &home, &root, here),
        None | Some(TrustCommand::Add) => add(store, &home, &root, here, yes),
    }
}

fn list(store: &TrustStore, here: &ProjectArgs) -> anyhow::Result<Exit> {
    let projects: Vec<(&str, Vec<&TrustedHook>)> = store
        .all()
        .map(|(root, hooks)| (root, hooks.collect()))
        .collect();
    if here.json {
        let projects: Vec<Value> = projects
            .iter()
            .map(|(root, hooks)| json!({ "project": root, "hooks": hooks }))
            .collect();
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "projects": projects }))?;
        return Ok(Exit::Success);
    }
    if projects.is_empty() {
        print("No hooks are trusted.\n");
    }
    for (root, hooks) in projects {
        print(&format!("{}\n", sanitize(root)));
        for hook in hooks {
            print(&format!(
                "  {} ({}), since {}\n",
                sanitize(&hook.name),
                sanitize(&hook.place),
                hook.since
            ));
        }
    }
    Ok(Exit::Success)
}

/// A hook of a project that is not trusted.
pub(crate) struct UntrustedHook<'h> {
    pub(crate) hook: &'h HookSpec,
    pub(crate) fingerprint: Fingerprint,
}

/// All untrusted hooks of a project.
pub(crate) fn find_untrusted<'c>(
    configuration: &'c becket::Configuration,
    home: &Home,
    root: &Path,
) -> Vec<UntrustedHook<'c>> {
    let hooks = untrusted_hooks(configuration, home, root);
    hooks
        .into_iter()
        .map(|hook| UntrustedHook {
            hook,
            fingerprint: fingerprint(hook, root),
        })
        .collect()
}

fn show(store: &TrustStore, home: &Home, root: &Path, here: &ProjectArgs) -> anyhow::Result<Exit> {
    let configuration = load(home, Some(root), None);
    let untrusted = find_untrusted(&configuration, home, root);
    if here.json {
        let hooks: Vec<Value> = untrusted
            .iter()
            .map(|w| {
                json!({
                    "name": w.hook.name, "file": w.hook.source.file, "line": w.hook.source.line, "digest": w.fingerprint.digest,
                    "definition": definition_json(&w.fingerprint), "scripts": w.fingerprint.scripts,
                    "changed": store.previous(root, w.hook).is_some(),
                })
            })
            .collect();
        print_json(
            &json!({ "schema_version": SCHEMA_VERSION, "project": root, "untrusted": hooks }),
        )?;
    } else if untrusted.is_empty() {
        print("This project has no untrusted hooks.\n");
    } else {
        for one in &untrusted {
            print(&describe(store, root, one));
        }
    }
    Ok(if untrusted.is_empty() {
        Exit::Success
    } else {
        Exit::Failure
    })
}

fn add(
    mut store: TrustStore,
    home: &Home,
    root: &Path,
    here: &ProjectArgs,
    yes: bool,
) -> anyhow::Result<Exit> {
    let configuration = load(home, Some(root), None);
    let untrusted = find_untrusted(&configuration, home, root);
    if here.json {
        let names: Vec<String> = untrusted.iter().map(|one| one.hook.name.clone()).collect();
        trust_with_siblings(&mut store, &configuration, root, untrusted)?;
        print_json(
            &json!({ "schema_version": SCHEMA_VERSION, "project": root, "trusted": names }),
        )?;
        return Ok(Exit::Success);
    }
    if untrusted.is_empty() {
        print("Nothing to do: this project has no untrusted hooks.\n");
        return Ok(Exit::Success);
    }
    for one in &untrusted {
        print(&describe(&store, root, one));
    }
    let question = match untrusted.len() {
        1 => "This hook runs a program on your machine whenever an agent works here. Trust it?"
            .to_owned(),
        many => format!(
            "These {many} hooks run programs on your machine whenever an agent works here. Trust them?"
        ),
    };
    if !yes && !confirm(&question) {
        print_declined("nothing trusted; the hooks do not run");
        return Ok(Exit::Failure);
    }
    // Trust applies to the version that was shown, even if the files changed meanwhile.
    let count = plural(untrusted.len() as u64, "hook");
    trust_with_siblings(&mut store, &configuration, root, untrusted)?;
    print(&format!(
        "Trusted {count} of {}.\n",
        sanitize(&root.display().to_string())
    ));
    Ok(Exit::Success)
}

/// Trusts hooks and keeps the trust of the other hooks in the same entries.
pub(crate) fn trust_with_siblings<'c>(
    store: &mut TrustStore,
    configuration: &'c becket::Configuration,
    root: &Path,
    mut hooks: Vec<UntrustedHook<'c>>,
) -> anyhow::Result<()> {
    let siblings = siblings(configuration, store, root, &hooks);
    hooks.extend(siblings);
    save_trust(store, root, &hooks)
}

/// Hooks of the same entries for other events that are already trusted.
fn siblings<'c>(
    configuration: &'c becket::Configuration,
    store: &TrustStore,
    root: &Path,
    untrusted: &[UntrustedHook<'c>],
) -> Vec<UntrustedHook<'c>> {
    let is_beside = |hook: &&HookSpec| {
        let mut untrusted = untrusted.iter().map(|one| &one.hook.source);
        untrusted.any(|source| source.file == hook.source.file && source.key == hook.source.key)
    };
    let hooks = configuration.loaded.hooks.iter().filter(is_beside);
    let with_print = |hook| UntrustedHook {
        hook,
        fingerprint: fingerprint(hook, root),
    };
    hooks
        .map(with_print)
        .filter(|one| store.trusts(root, &one.fingerprint))
        .collect()
}

fn save_trust(
    store: &mut TrustStore,
    root: &Path,
    hooks: &[UntrustedHook<'_>],
) -> anyhow::Result<()> {
    let now = Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true);
    let both: Vec<_> = hooks
        .iter()
        .map(|one| (one.hook, &one.fingerprint))
        .collect();
    store.add(root, &both, &now);
    Ok(store.save()?)
}

/// Trusts hooks that the user named explicitly; returns their names.
pub(crate) fn grant(
    home: &Home,
    root: &Path,
    hooks: &[HookSpec],
    show: bool,
) -> anyhow::Result<Vec<String>> {
    let mut store = TrustStore::open(&home.trust_file())?;
    let untrusted: Vec<UntrustedHook<'_>> = hooks
        .iter()
        .map(|hook| UntrustedHook {
            hook,
            fingerprint: fingerprint(hook, root),
        })
        .collect();
    if show {
        for one in &untrusted {
            print(&describe(&store, root, one));
        }
    }
    save_trust(&mut store, root, &untrusted)?;
    Ok(hooks.iter().map(|hook| hook.name.clone()).collect())
}

fn revoke(mut store: TrustStore, root: &Path, here: &ProjectArgs) -> anyhow::Result<Exit> {
    let count = store.revoke(root);
    store.save()?;
    if here.json {
        print_json(
            &json!({ "schema_version": SCHEMA_VERSION, "project": root, "revoked": count }),
        )?;
        return Ok(Exit::Success);
    }
    print(&format!(
        "Revoked trust in {} of {}.\n",
        plural(count as u64, "hook"),
        sanitize(&root.display().to_string())
    ));
    Ok(Exit::Success)
}

fn describe(store: &TrustStore, root: &Path, one: &UntrustedHook<'_>) -> String {
    let style = Style::stdout();
    let hook = one.hook;
    let source = format!("{}:{}", hook.source.file.display(), hook.source.line);
    let previous = store.previous(root, hook);
    let state = if previous.is_some() {
        style.warn("changed since it was trusted")
    } else {
        style.warn("new")
    };
    let mut out = format!(
        "{} ({state})\n  {}\n",
        style.bold(&sanitize(&hook.name)),
        style.dim(&sanitize(&source))
    );
    out += &format!(
        "  on {}: {}\n",
        hook.event.name(),
        sanitize(&hook.action.summary())
    );
    for path in one.fingerprint.scripts.keys() {
        out += &format!("  uses {}\n", sanitize(&path.display().to_string()));
    }
    if let Some(previous) = previous {
        out += &style.diff(&sanitize(&changes(store, root, previous, &one.fingerprint)));
    }
    out.push('\n');
    out
}

/// The diff between the trusted and the current version, including scripts.
fn changes(store: &TrustStore, root: &Path, previous: &TrustedHook, now: &Fingerprint) -> String {
    let mut out = String::new();
    if previous.definition != now.definition {
        out += &diff(&previous.definition, &now.definition);
    }
    let paths: std::collections::BTreeSet<_> =
        previous.scripts.keys().chain(now.scripts.keys()).collect();
    for path in paths {
        if previous.scripts.get(path) == now.scripts.get(path) {
            continue;
        }
        out += &format!("{}:\n", path.display());
        out += &script_changes(store, root, path, previous.scripts.get(path));
    }
    out
}

/// The diff between the trusted version of a script, if any, and the current one.
pub(crate) fn script_changes(
    store: &TrustStore,
    root: &Path,
    path: &Path,
    trusted: Option<&String>,
) -> String {
    let old = trusted
        .and_then(|digest| store.previous_script(digest))
        .unwrap_or_default();
    let new = std::fs::read(root.join(path))
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .unwrap_or_default();
    diff(&old, &new)
}
