//! Trust reviews for the dashboard.

use std::path::Path;

use becket::Configuration;
use becket::model::HookSpec;
use becket::trust::{Fingerprint, TrustStore, TrustedHook, fingerprint};
use becket::{Home, load};
use becket_daemon::rpc::ServiceError;
use becket_daemon::setup::{
    ReviewItem, ReviewScript, ReviewState, TrustGranted, TrustReview, TrustRevoked,
};
use becket_guard::redact::redact_text;

use super::{diff, digest, stale_plan, text};
use crate::rpc::service_error;
use crate::trust::{UntrustedHook, find_untrusted, script_changes, trust_with_siblings};

pub(super) fn review(home: &Home, root: &Path) -> Result<TrustReview, ServiceError> {
    let store = open(home)?;
    let configuration = load(home, Some(root), None);
    let untrusted = find_untrusted(&configuration, home, root);
    let mut items: Vec<ReviewItem> = untrusted
        .iter()
        .map(|one| item(&store, root, one.hook, &one.fingerprint))
        .collect();
    items.extend(trusted(&configuration, &store, root));
    Ok(TrustReview {
        project: text(root),
        items,
        digest: digest_of(root, &untrusted),
    })
}

pub(super) fn grant(home: &Home, root: &Path, digest: &str) -> Result<TrustGranted, ServiceError> {
    let mut store = open(home)?;
    let configuration = load(home, Some(root), None);
    let untrusted = find_untrusted(&configuration, home, root);
    if digest_of(root, &untrusted) != digest {
        return Err(stale_plan("the project's hooks"));
    }
    let trusted = untrusted.len();
    trust_with_siblings(&mut store, &configuration, root, untrusted).map_err(service_error)?;
    Ok(TrustGranted {
        project: text(root),
        trusted,
    })
}

pub(super) fn revoke(home: &Home, root: &Path) -> Result<TrustRevoked, ServiceError> {
    let mut store = open(home)?;
    let revoked = store.revoke(root);
    store.save().map_err(|error| service_error(error.into()))?;
    Ok(TrustRevoked {
        project: text(root),
        revoked,
    })
}

fn open(home: &Home) -> Result<TrustStore, ServiceError> {
    TrustStore::open(&home.trust_file()).map_err(|error| service_error(error.into()))
}

/// The digest of a review. It depends on every byte of the definitions and scripts, through their fingerprints.
fn digest_of(root: &Path, untrusted: &[UntrustedHook<'_>]) -> String {
    let root = text(root);
    let fingerprints = untrusted.iter().map(|one| one.fingerprint.digest.as_str());
    digest(std::iter::once(root.as_str()).chain(fingerprints))
}

/// The project's hooks that are already trusted.
fn trusted(configuration: &Configuration, store: &TrustStore, root: &Path) -> Vec<ReviewItem> {
    let hooks = configuration.loaded.hooks.iter();
    let hooks = hooks.filter(|hook| hook.source.level.needs_trust());
    hooks
        .filter_map(|hook| {
            let fingerprint = fingerprint(hook, root);
            let is_trusted = store.trusts(root, &fingerprint);
            is_trusted.then(|| shown(hook, &fingerprint, ReviewState::Trusted))
        })
        .collect()
}

fn shown(hook: &HookSpec, fingerprint: &Fingerprint, state: ReviewState) -> ReviewItem {
    let scripts = fingerprint.scripts.keys().map(|path| ReviewScript {
        path: text(path),
        state,
        diff: None,
    });
    ReviewItem {
        id: fingerprint.digest.clone(),
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

/// An untrusted hook with a diff against the trusted version.
fn item(store: &TrustStore, root: &Path, hook: &HookSpec, fingerprint: &Fingerprint) -> ReviewItem {
    let previous = store.previous(root, hook);
    let state = match previous {
        Some(_) => ReviewState::Changed,
        None => ReviewState::New,
    };
    let mut item = shown(hook, fingerprint, state);
    item.diff = previous
        .filter(|previous| previous.definition != fingerprint.definition)
        .map(|previous| diff(&previous.definition, &fingerprint.definition));
    item.scripts = fingerprint
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
    previous: Option<&TrustedHook>,
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
