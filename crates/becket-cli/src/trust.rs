//! `becket trust`: shows what a project wants to run, and how it changed since it was trusted.

use std::path::Path;

use becket::model::HookSpec;
use becket::respond::untrusted_hooks;
use becket::trust::{Fingerprint, TrustStore, Trusted, definition_json, fingerprint};
use becket::{Home, load};
use becket_agents::edit::diff;
use chrono::{SecondsFormat, Utc};
use serde_json::{Value, json};

use crate::args::{Here, TrustCommand};
use crate::exit::Exit;
use crate::records::of;
use crate::report::{SCHEMA_VERSION, Style, confirm, declined, print, print_json, tame};

pub(crate) fn main(command: Option<&TrustCommand>, here: &Here, yes: bool) -> anyhow::Result<Exit> {
    let (home, root) = here.find()?;
    let store = TrustStore::open(&home.trust_file())?;
    match command {
        Some(TrustCommand::List) => list(&store, here),
        Some(TrustCommand::Show) => show(&store, &home, &root, here),
        Some(TrustCommand::Revoke) => revoke(store, &root, here),
        // A program that does not say yes is told what it would say it to.
        None | Some(TrustCommand::Add) if here.json && !yes => show(&store, &home, &root, here),
        None | Some(TrustCommand::Add) => add(store, &home, &root, here, yes),
    }
}

fn list(store: &TrustStore, here: &Here) -> anyhow::Result<Exit> {
    let projects: Vec<(&str, Vec<&Trusted>)> = store
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
        print("Nothing is trusted.\n");
    }
    for (root, hooks) in projects {
        print(&format!("{}\n", tame(root)));
        for hook in hooks {
            print(&format!(
                "  {} ({}), since {}\n",
                tame(&hook.name),
                tame(&hook.place),
                hook.since
            ));
        }
    }
    Ok(Exit::Success)
}

/// A hook that waits for trust.
pub(crate) struct Waiting<'h> {
    pub(crate) hook: &'h HookSpec,
    pub(crate) print: Fingerprint,
}

/// Every hook of a project that waits for trust.
pub(crate) fn waiting<'c>(
    configuration: &'c becket::Configuration,
    home: &Home,
    root: &Path,
) -> Vec<Waiting<'c>> {
    let hooks = untrusted_hooks(configuration, home, root);
    hooks
        .into_iter()
        .map(|hook| Waiting {
            hook,
            print: fingerprint(hook, root),
        })
        .collect()
}

fn show(store: &TrustStore, home: &Home, root: &Path, here: &Here) -> anyhow::Result<Exit> {
    let configuration = load(home, Some(root), None);
    let waiting = waiting(&configuration, home, root);
    if here.json {
        let hooks: Vec<Value> = waiting
            .iter()
            .map(|w| {
                json!({
                    "name": w.hook.name, "file": w.hook.source.file, "line": w.hook.source.line, "digest": w.print.digest,
                    "definition": definition_json(&w.print), "scripts": w.print.scripts,
                    "changed": store.previous(root, w.hook).is_some(),
                })
            })
            .collect();
        print_json(
            &json!({ "schema_version": SCHEMA_VERSION, "project": root, "untrusted": hooks }),
        )?;
    } else if waiting.is_empty() {
        print("Every hook of this project is trusted, or it has none.\n");
    } else {
        for one in &waiting {
            print(&describe(store, root, one));
        }
    }
    Ok(if waiting.is_empty() {
        Exit::Success
    } else {
        Exit::Failure
    })
}

fn add(
    mut store: TrustStore,
    home: &Home,
    root: &Path,
    here: &Here,
    yes: bool,
) -> anyhow::Result<Exit> {
    let configuration = load(home, Some(root), None);
    let waiting = waiting(&configuration, home, root);
    if here.json {
        let names: Vec<String> = waiting.iter().map(|one| one.hook.name.clone()).collect();
        keep_with_siblings(&mut store, &configuration, root, waiting)?;
        print_json(
            &json!({ "schema_version": SCHEMA_VERSION, "project": root, "trusted": names }),
        )?;
        return Ok(Exit::Success);
    }
    if waiting.is_empty() {
        print("Nothing to trust: every hook of this project is trusted, or it has none.\n");
        return Ok(Exit::Success);
    }
    for one in &waiting {
        print(&describe(&store, root, one));
    }
    let question = match waiting.len() {
        1 => "This hook runs a program on your machine whenever an agent works here. Trust it?"
            .to_owned(),
        many => format!(
            "These {many} hooks run programs on your machine whenever an agent works here. Trust them?"
        ),
    };
    if !yes && !confirm(&question) {
        declined("nothing trusted, so nothing of it runs");
        return Ok(Exit::Failure);
    }
    // What is trusted is what was shown, whatever has become of the files meanwhile.
    let count = of(waiting.len() as u64, "hook");
    keep_with_siblings(&mut store, &configuration, root, waiting)?;
    print(&format!(
        "Trusted {count} of {}.\n",
        tame(&root.display().to_string())
    ));
    Ok(Exit::Success)
}

/// Trusts hooks, and leaves those beside them as they are.
pub(crate) fn keep_with_siblings<'c>(
    store: &mut TrustStore,
    configuration: &'c becket::Configuration,
    root: &Path,
    mut hooks: Vec<Waiting<'c>>,
) -> anyhow::Result<()> {
    let siblings = siblings(configuration, store, root, &hooks);
    hooks.extend(siblings);
    keep(store, root, &hooks)
}

/// Hooks of the same entries for other events, which are trusted already and stay so.
fn siblings<'c>(
    configuration: &'c becket::Configuration,
    store: &TrustStore,
    root: &Path,
    waiting: &[Waiting<'c>],
) -> Vec<Waiting<'c>> {
    let is_beside = |hook: &&HookSpec| {
        let mut waiting = waiting.iter().map(|one| &one.hook.source);
        waiting.any(|source| source.file == hook.source.file && source.key == hook.source.key)
    };
    let hooks = configuration.loaded.hooks.iter().filter(is_beside);
    let with_print = |hook| Waiting {
        hook,
        print: fingerprint(hook, root),
    };
    hooks
        .map(with_print)
        .filter(|one| store.trusts(root, &one.print))
        .collect()
}

fn keep(store: &mut TrustStore, root: &Path, hooks: &[Waiting<'_>]) -> anyhow::Result<()> {
    let now = Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true);
    let both: Vec<_> = hooks.iter().map(|one| (one.hook, &one.print)).collect();
    store.add(root, &both, &now);
    Ok(store.save()?)
}

/// Trusts these hooks of a project, which the person has asked for by name; says what they are.
pub(crate) fn grant(
    home: &Home,
    root: &Path,
    hooks: &[HookSpec],
    show: bool,
) -> anyhow::Result<Vec<String>> {
    let mut store = TrustStore::open(&home.trust_file())?;
    let waiting: Vec<Waiting<'_>> = hooks
        .iter()
        .map(|hook| Waiting {
            hook,
            print: fingerprint(hook, root),
        })
        .collect();
    if show {
        for one in &waiting {
            print(&describe(&store, root, one));
        }
    }
    keep(&mut store, root, &waiting)?;
    Ok(hooks.iter().map(|hook| hook.name.clone()).collect())
}

fn revoke(mut store: TrustStore, root: &Path, here: &Here) -> anyhow::Result<Exit> {
    let count = store.revoke(root);
    store.save()?;
    if here.json {
        print_json(
            &json!({ "schema_version": SCHEMA_VERSION, "project": root, "revoked": count }),
        )?;
        return Ok(Exit::Success);
    }
    print(&format!(
        "Took trust back from {} of {}.\n",
        of(count as u64, "hook"),
        tame(&root.display().to_string())
    ));
    Ok(Exit::Success)
}

fn describe(store: &TrustStore, root: &Path, one: &Waiting<'_>) -> String {
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
        style.bold(&tame(&hook.name)),
        style.dim(&tame(&source))
    );
    out += &format!(
        "  on {}: {}\n",
        hook.event.name(),
        tame(&hook.action.summary())
    );
    for path in one.print.scripts.keys() {
        out += &format!("  uses {}\n", tame(&path.display().to_string()));
    }
    if let Some(previous) = previous {
        out += &style.diff(&tame(&changes(store, root, previous, &one.print)));
    }
    out.push('\n');
    out
}

/// The difference between what was trusted and what is there now, scripts included.
fn changes(store: &TrustStore, root: &Path, previous: &Trusted, now: &Fingerprint) -> String {
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

/// The difference between a script as it was trusted, if it was, and as it is.
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
