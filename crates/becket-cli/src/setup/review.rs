//! Trust in a project's hooks, for a person in front of a browser.

use std::path::Path;

use becket::Configuration;
use becket::model::HookSpec;
use becket::trust::{Fingerprint, TrustStore, Trusted, fingerprint};
use becket::{Home, load};
use becket_daemon::rpc::Failure;
use becket_daemon::setup::{Granted, Review, ReviewItem, ReviewScript, ReviewState, Revoked};
use becket_guard::redact::redact_text;

use super::{changed, diff, digest, text};
use crate::rpc::failed;
use crate::trust::{Waiting, keep_with_siblings, script_changes, waiting};

pub(super) fn review(home: &Home, root: &Path) -> Result<Review, Failure> {
    let store = open(home)?;
    let configuration = load(home, Some(root), None);
    let waiting = waiting(&configuration, home, root);
    let mut items: Vec<ReviewItem> = waiting
        .iter()
        .map(|one| item(&store, root, one.hook, &one.print))
        .collect();
    items.extend(trusted(&configuration, &store, root));
    Ok(Review {
        project: text(root),
        items,
        digest: digest_of(root, &waiting),
    })
}

pub(super) fn grant(home: &Home, root: &Path, digest: &str) -> Result<Granted, Failure> {
    let mut store = open(home)?;
    let configuration = load(home, Some(root), None);
    let waiting = waiting(&configuration, home, root);
    if digest_of(root, &waiting) != digest {
        return Err(changed("what this project wants to run"));
    }
    let trusted = waiting.len();
    keep_with_siblings(&mut store, &configuration, root, waiting).map_err(failed)?;
    Ok(Granted {
        project: text(root),
        trusted,
    })
}

pub(super) fn revoke(home: &Home, root: &Path) -> Result<Revoked, Failure> {
    let mut store = open(home)?;
    let revoked = store.revoke(root);
    store.save().map_err(|error| failed(error.into()))?;
    Ok(Revoked {
        project: text(root),
        revoked,
    })
}

fn open(home: &Home) -> Result<TrustStore, Failure> {
    TrustStore::open(&home.trust_file()).map_err(|error| failed(error.into()))
}

/// Fingerprints are over every byte of definitions and scripts.
fn digest_of(root: &Path, waiting: &[Waiting<'_>]) -> String {
    let root = text(root);
    let prints = waiting.iter().map(|one| one.print.digest.as_str());
    digest(std::iter::once(root.as_str()).chain(prints))
}

/// Hooks of the project that run already.
fn trusted(configuration: &Configuration, store: &TrustStore, root: &Path) -> Vec<ReviewItem> {
    let hooks = configuration.loaded.hooks.iter();
    let hooks = hooks.filter(|hook| hook.source.level.needs_trust());
    hooks
        .filter_map(|hook| {
            let print = fingerprint(hook, root);
            let is_trusted = store.trusts(root, &print);
            is_trusted.then(|| shown(hook, &print, ReviewState::Trusted))
        })
        .collect()
}

fn shown(hook: &HookSpec, print: &Fingerprint, state: ReviewState) -> ReviewItem {
    let scripts = print.scripts.keys().map(|path| ReviewScript {
        path: text(path),
        state,
        diff: None,
    });
    ReviewItem {
        id: print.digest.clone(),
        hook: hook.name.clone(),
        event: hook.event.name().to_owned(),
        command: redact_text(&hook.action.summary()).into_owned(),
        file: text(&hook.source.file),
        line: hook.source.line,
        state,
        diff: None,
        scripts: scripts.collect(),
    }
}

/// A hook that waits, with how it differs from what was trusted.
fn item(store: &TrustStore, root: &Path, hook: &HookSpec, print: &Fingerprint) -> ReviewItem {
    let previous = store.previous(root, hook);
    let state = match previous {
        Some(_) => ReviewState::Changed,
        None => ReviewState::New,
    };
    let mut item = shown(hook, print, state);
    item.diff = previous
        .filter(|previous| previous.definition != print.definition)
        .map(|previous| diff(&previous.definition, &print.definition));
    item.scripts = print
        .scripts
        .iter()
        .map(|(path, now)| script(store, root, path, now, previous))
        .collect();
    item
}

fn script(
    store: &TrustStore,
    root: &Path,
    path: &Path,
    now: &str,
    previous: Option<&Trusted>,
) -> ReviewScript {
    let before = previous.and_then(|previous| previous.scripts.get(path));
    let state = match before {
        Some(before) if before == now => ReviewState::Trusted,
        Some(_) => ReviewState::Changed,
        None => ReviewState::New,
    };
    let difference = || {
        let difference = script_changes(store, root, path, before);
        redact_text(&difference).into_owned()
    };
    ReviewScript {
        path: text(path),
        state,
        diff: (state != ReviewState::Trusted).then(difference),
    }
}
