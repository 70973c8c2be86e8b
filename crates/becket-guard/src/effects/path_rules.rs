//! Selects the rules for an effect on a classified path.

use super::report::FindingReport;
use super::{PathEffect, Verb};
use crate::command::{Invocation, Launcher, UNKNOWN};
use crate::facts::PathKind;
use crate::paths::{
    ClassifiedPath, FollowLinks, PathArea, PathContext, PersistenceKind, Protection, SecretFile,
    SecretKind, TargetMachine, name,
};
use crate::rule::Rule;
use crate::rules;

/// How an effect comes about, which decides who sees the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ActionOrigin {
    /// A command whose output is displayed.
    Shell,
    /// A command whose output becomes an argument of another command.
    Captured,
    /// A command whose output becomes variables: `export $(cat .env)`.
    Loaded,
    /// A file tool of the agent.
    Tool,
}

pub(crate) fn check_path_effect(
    effect: &PathEffect,
    classified: &ClassifiedPath,
    context: &PathContext<'_>,
    origin: ActionOrigin,
    report: &mut FindingReport<'_>,
) {
    let rules = [
        protection_rule(effect.verb, classified),
        secret_rule(effect, classified, context, origin),
        area_rule(effect, classified, context),
    ];
    for rule in rules.into_iter().flatten() {
        report.add_path(rule, &classified.path);
    }
}

fn protection_rule(verb: Verb, classified: &ClassifiedPath) -> Option<&'static Rule> {
    let protection = classified.protection?;
    if !verb.changes() && !verb.removes() {
        return None;
    }
    match protection {
        Protection::Becket => Some(&rules::GUARD_OWN),
        Protection::Agent { user: true } => Some(&rules::GUARD_AGENT_SETTINGS_USER),
        Protection::Agent { user: false } => Some(&rules::GUARD_AGENT_SETTINGS),
        Protection::Persistence(PersistenceKind::Git) if verb.removes() => {
            Some(&rules::GUARD_DELETE_HOOKS)
        }
        _ if verb.removes() => None,
        Protection::Ci => Some(&rules::PERSISTENCE_CI),
        Protection::Persistence(kind) => Some(match kind {
            PersistenceKind::Start => &rules::PERSISTENCE_START,
            PersistenceKind::Schedule => &rules::PERSISTENCE_SCHEDULE,
            PersistenceKind::Access => &rules::PERSISTENCE_ACCESS,
            PersistenceKind::Git => &rules::PERSISTENCE_GIT,
            PersistenceKind::Tracked => &rules::PERSISTENCE_TRACKED_HOOK,
        }),
    }
}

fn secret_rule(
    effect: &PathEffect,
    classified: &ClassifiedPath,
    context: &PathContext<'_>,
    origin: ActionOrigin,
) -> Option<&'static Rule> {
    let Some(secret) = classified.secret else {
        return secret_area_rule(effect.verb, classified.area);
    };
    if !secret.is_confidential() {
        return certificate_rule(effect.verb, secret.sure, origin);
    }
    let sure = secret.sure && !classified.is_possible;
    let pick = |yes, maybe| Some(if sure { yes } else { maybe });
    match effect.verb {
        Verb::Read | Verb::Feed if origin == ActionOrigin::Loaded => None,
        Verb::Read if origin == ActionOrigin::Captured => {
            sure.then_some(&rules::SECRETS_READ_LIKELY)
        }
        Verb::Read => pick(&rules::SECRETS_READ, &rules::SECRETS_READ_LIKELY),
        Verb::Feed => {
            (sure && origin != ActionOrigin::Captured).then_some(&rules::SECRETS_READ_LIKELY)
        }
        Verb::Use => {
            let is_store = matches!(secret.kind, SecretKind::Store | SecretKind::System);
            (sure && is_store).then_some(&rules::SECRETS_READ_LIKELY)
        }
        Verb::Commit => sure.then_some(&rules::SECRETS_COMMIT),
        Verb::Upload => Some(&rules::SECRETS_UPLOAD),
        Verb::CopyFrom | Verb::MoveFrom if copy_stays_protected(effect, classified, context) => {
            None
        }
        Verb::CopyFrom | Verb::MoveFrom => pick(&rules::SECRETS_COPY, &rules::SECRETS_COPY_LIKELY),
        Verb::Delete | Verb::DeleteRecursive => {
            Some(secret_delete_rule(secret, classified, origin))
        }
        // A key created in a temporary directory protects nothing yet.
        Verb::Append | Verb::CopyIfMissing if classified.area == PathArea::Temp => None,
        Verb::Append | Verb::CopyIfMissing => Some(&rules::SECRETS_CHANGE),
        Verb::Write | Verb::Truncate | Verb::CopyOnto | Verb::MoveOnto => {
            let is_new = origin != ActionOrigin::Tool
                && context.path_kind(&classified.path) == Some(PathKind::Missing);
            let protected = sure || origin == ActionOrigin::Tool && is_npmrc(classified);
            Some(if protected && !is_new {
                &rules::SECRETS_OVERWRITE
            } else {
                &rules::SECRETS_CHANGE
            })
        }
        Verb::Format => None,
    }
}

/// Whole home directories and disks contain secrets, too.
fn secret_area_rule(verb: Verb, area: PathArea) -> Option<&'static Rule> {
    match (verb, area) {
        (Verb::Read | Verb::CopyFrom | Verb::Upload, PathArea::Device) => {
            Some(&rules::CORE_READ_DEVICE)
        }
        (Verb::CopyFrom, PathArea::Home | PathArea::Root) => Some(&rules::SECRETS_COPY_LIKELY),
        (Verb::Upload, PathArea::Home | PathArea::Root) => Some(&rules::SECRETS_UPLOAD),
        _ => None,
    }
}

/// `.npmrc` often holds no token. The guard still stops a file tool that changes it.
fn is_npmrc(classified: &ClassifiedPath) -> bool {
    name(&classified.path).eq_ignore_ascii_case(".npmrc")
}

fn secret_delete_rule(
    secret: SecretFile,
    classified: &ClassifiedPath,
    origin: ActionOrigin,
) -> &'static Rule {
    let is_state = secret.kind == SecretKind::State;
    let is_npmrc = origin == ActionOrigin::Tool && is_npmrc(classified);
    if (secret.sure || is_state || is_npmrc) && !classified.is_possible {
        &rules::SECRETS_DELETE
    } else {
        &rules::SECRETS_CHANGE
    }
}

/// A certificate is public. The guard still stops a file tool that changes or deletes one, as for a key.
fn certificate_rule(verb: Verb, sure: bool, origin: ActionOrigin) -> Option<&'static Rule> {
    if origin != ActionOrigin::Tool || !(verb.changes() || verb.removes()) {
        return None;
    }
    Some(match (sure, verb.removes()) {
        (true, true) => &rules::SECRETS_DELETE,
        (true, false) => &rules::SECRETS_OVERWRITE,
        (false, _) => &rules::SECRETS_CHANGE,
    })
}

/// `cp .env .env.bak`: the copy in the same directory is protected like the original.
fn copy_stays_protected(
    effect: &PathEffect,
    classified: &ClassifiedPath,
    context: &PathContext<'_>,
) -> bool {
    let Some(onto) = &effect.onto else {
        return false;
    };
    let directory = |path: &str| {
        path.rsplit_once('/')
            .map(|(directory, _)| directory.to_owned())
    };
    context
        .classify_word(onto, FollowLinks::Always)
        .iter()
        .all(|target| {
            let together = directory(&target.path) == directory(&classified.path)
                || (target.area == PathArea::InProject && classified.area == PathArea::InProject);
            target.secret.is_some() && together
        })
}

fn area_rule(
    effect: &PathEffect,
    classified: &ClassifiedPath,
    context: &PathContext<'_>,
) -> Option<&'static Rule> {
    if classified.is_possible || classified.area == PathArea::Stream {
        return None;
    }
    let rule = match effect.verb {
        Verb::Delete => delete_rule(classified, context),
        Verb::DeleteRecursive => recursive_delete_rule(classified, context),
        Verb::MoveFrom => move_rule(effect, classified, context),
        Verb::Format => Some(match classified.area {
            PathArea::Device => &rules::CORE_WIPE_DEVICE,
            PathArea::InProject | PathArea::Build | PathArea::Temp => &rules::CORE_FORMAT_IMAGE,
            _ => &rules::CORE_FORMAT,
        }),
        verb if verb.changes() => write_rule(classified),
        _ => None,
    }?;
    let lives_on = matches!(
        context.machine(),
        TargetMachine::Remote | TargetMachine::RunningContainer
    );
    let is_data = rule == &rules::CORE_DELETE_OUTSIDE
        || context.machine() == TargetMachine::RunningContainer
            && effect.verb == Verb::DeleteRecursive
            && classified.path.starts_with("/var/lib/")
            && !classified.path.starts_with("/var/lib/apt/");
    if lives_on && is_data && !is_output_by_name(&classified.path) {
        return Some(&rules::CORE_DELETE_REMOTE);
    }
    applies_on(context.machine(), rule).then_some(rule)
}

/// Outside a project nothing marks build output, but some names identify it.
fn is_output_by_name(path: &str) -> bool {
    matches!(
        name(path),
        "dist"
            | "build"
            | "target"
            | "out"
            | "node_modules"
            | "__pycache__"
            | "coverage"
            | "tmp"
            | "cache"
            | ".cache"
            | "logs"
            | ".next"
    )
}

/// On another machine only severe rules apply; in a container only catastrophic ones.
fn applies_on(machine: TargetMachine, rule: &Rule) -> bool {
    use crate::rule::Severity::{Catastrophic, Severe};
    match machine {
        TargetMachine::Local => true,
        TargetMachine::Remote => rule.severity >= Severe,
        TargetMachine::Container => rule.severity == Catastrophic,
        TargetMachine::RunningContainer => {
            rule.severity == Catastrophic || rule == &rules::CORE_DELETE_REMOTE
        }
    }
}

/// Deletion of one file, or of the files directly in a directory.
fn delete_rule(classified: &ClassifiedPath, context: &PathContext<'_>) -> Option<&'static Rule> {
    match classified.area {
        PathArea::Root | PathArea::System | PathArea::InSystem | PathArea::Device => {
            Some(&rules::CORE_DELETE_IN_SYSTEM)
        }
        PathArea::Home => classified
            .is_contents
            .then_some(&rules::CORE_DELETE_PERSONAL),
        PathArea::ProjectRoot | PathArea::ProjectParent => {
            classified.is_contents.then_some(&rules::CORE_DELETE_TREE)
        }
        PathArea::InGit => git_delete_rule(classified),
        PathArea::InProject => Some(&rules::CORE_DELETE_FILE),
        PathArea::HomeTop | PathArea::InHome | PathArea::Outside => {
            (context.path_kind(&classified.path) != Some(PathKind::Missing))
                .then_some(&rules::CORE_DELETE_OUTSIDE_FILE)
        }
        PathArea::TempRoot => classified.is_contents.then_some(&rules::CORE_DELETE_TEMP),
        PathArea::Unknown => Some(&rules::CORE_DELETE_UNKNOWN_FILE),
        PathArea::Git
        | PathArea::OtherGit
        | PathArea::Build
        | PathArea::Temp
        | PathArea::Stream => None,
    }
}

fn recursive_delete_rule(
    classified: &ClassifiedPath,
    context: &PathContext<'_>,
) -> Option<&'static Rule> {
    if let Some(rule) = vital_area_rule(classified.area) {
        return Some(rule);
    }
    let found = if classified.is_contents {
        None
    } else {
        context.path_kind(&classified.path)
    };
    if found == Some(PathKind::Missing) {
        return None;
    }
    let is_file = found == Some(PathKind::File);
    match classified.area {
        PathArea::InSystem => Some(&rules::CORE_DELETE_IN_SYSTEM),
        PathArea::OtherGit => Some(&rules::CORE_DELETE_OTHER_GIT),
        PathArea::InGit => git_delete_rule(classified),
        PathArea::HomeTop | PathArea::InHome | PathArea::Outside if is_file => {
            Some(&rules::CORE_DELETE_OUTSIDE_FILE)
        }
        PathArea::HomeTop | PathArea::InHome => Some(&rules::CORE_DELETE_PERSONAL),
        PathArea::Outside => Some(&rules::CORE_DELETE_OUTSIDE),
        PathArea::InProject if name(&classified.path).contains(UNKNOWN) => {
            Some(&rules::CORE_DELETE_UNKNOWN)
        }
        PathArea::InProject
            if is_file
                || is_file_pattern(classified)
                || is_named_like_a_file(classified, found) =>
        {
            Some(&rules::CORE_DELETE_FILE)
        }
        PathArea::InProject => Some(&rules::CORE_DELETE_TREE),
        PathArea::TempRoot => Some(&rules::CORE_DELETE_TEMP),
        PathArea::Unknown => Some(&rules::CORE_DELETE_UNKNOWN),
        _ => None,
    }
}

fn vital_area_rule(area: PathArea) -> Option<&'static Rule> {
    match area {
        PathArea::Root => Some(&rules::CORE_DELETE_ROOT),
        PathArea::System | PathArea::Device => Some(&rules::CORE_DELETE_SYSTEM),
        PathArea::Home => Some(&rules::CORE_DELETE_HOME),
        PathArea::ProjectRoot | PathArea::ProjectParent => Some(&rules::CORE_DELETE_PROJECT),
        PathArea::Git => Some(&rules::CORE_DELETE_GIT),
        _ => None,
    }
}

/// Globs that match files by extension, such as `*.log`.
fn is_file_pattern(classified: &ClassifiedPath) -> bool {
    let name = name(&classified.path);
    name.contains('*')
        && name
            .rsplit_once('.')
            .is_some_and(|(_, end)| !end.contains('*'))
}

/// Whether the name has an extension that directories do not have.
fn is_named_like_a_file(classified: &ClassifiedPath, found: Option<PathKind>) -> bool {
    let ending = name(&classified.path)
        .rsplit_once('.')
        .map_or("", |(_, ending)| ending);
    found.is_none()
        && matches!(
            ending,
            "hcl"
                | "json"
                | "lock"
                | "yaml"
                | "yml"
                | "toml"
                | "txt"
                | "xml"
                | "csv"
                | "log"
                | "html"
        )
}

/// Git itself advises deleting a stale lock. `protection_rule` covers hook files.
fn git_delete_rule(classified: &ClassifiedPath) -> Option<&'static Rule> {
    let is_lock = name(&classified.path)
        .rsplit_once('.')
        .is_some_and(|(_, ending)| ending == "lock");
    let is_harmless =
        is_lock || is_git_scratch_file(&classified.path) || classified.protection.is_some();
    (!is_harmless).then_some(&rules::CORE_DELETE_IN_GIT)
}

/// Files in `.git` that people and tools write directly.
fn is_git_scratch_file(path: &str) -> bool {
    matches!(
        name(path),
        "COMMIT_EDITMSG"
            | "MERGE_MSG"
            | "TAG_EDITMSG"
            | "PULLREQ_EDITMSG"
            | "SQUASH_MSG"
            | "exclude"
            | "attributes"
            | "sparse-checkout"
            | "description"
            | "gc.log"
    ) || path.ends_with(".sample")
}

fn move_rule(
    effect: &PathEffect,
    classified: &ClassifiedPath,
    context: &PathContext<'_>,
) -> Option<&'static Rule> {
    if classified.is_contents {
        let stays = effect.onto.as_ref().is_some_and(|onto| {
            let within = |target: &ClassifiedPath| {
                matches!(
                    target.area,
                    PathArea::InProject | PathArea::ProjectRoot | PathArea::Build
                )
            };
            context
                .classify_word(onto, FollowLinks::Always)
                .iter()
                .all(within)
        });
        return match classified.area {
            PathArea::Home => Some(&rules::CORE_DELETE_PERSONAL),
            PathArea::ProjectRoot if stays => None,
            PathArea::ProjectRoot => Some(&rules::CORE_DELETE_TREE),
            area => vital_area_rule(area),
        };
    }
    match classified.area {
        PathArea::InSystem => Some(&rules::CORE_DELETE_IN_SYSTEM),
        PathArea::OtherGit => Some(&rules::CORE_DELETE_OTHER_GIT),
        PathArea::InGit => git_delete_rule(classified),
        area => vital_area_rule(area),
    }
}

fn write_rule(classified: &ClassifiedPath) -> Option<&'static Rule> {
    match classified.area {
        PathArea::Device => Some(&rules::CORE_WIPE_DEVICE),
        PathArea::System if is_shared_directory(&classified.path) => {
            Some(&rules::CORE_WRITE_OUTSIDE)
        }
        PathArea::Root | PathArea::System | PathArea::InSystem => Some(&rules::CORE_WRITE_SYSTEM),
        PathArea::InGit
            if classified.protection.is_some() || is_git_scratch_file(&classified.path) =>
        {
            None
        }
        PathArea::Git | PathArea::InGit => Some(&rules::CORE_WRITE_GIT),
        PathArea::HomeTop | PathArea::InHome | PathArea::Outside => {
            Some(&rules::CORE_WRITE_OUTSIDE)
        }
        _ => None,
    }
}

/// System directories that are meant for additions.
fn is_shared_directory(path: &str) -> bool {
    matches!(
        path,
        "/usr/local" | "/opt" | "/srv" | "/mnt" | "/media" | "/Volumes" | "/var/www"
    )
}

/// Deleting as root needs confirmation for every target that is not temporary.
pub(super) fn check_delete_as_root(
    command: &Invocation,
    effects: &[PathEffect],
    context: &PathContext<'_>,
    report: &mut FindingReport<'_>,
) {
    let is_root = command
        .via
        .iter()
        .any(|via| matches!(via, Launcher::Root(_)));
    if !is_root || context.machine().is_container() {
        return;
    }
    let harmless = |effect: &PathEffect| {
        let candidates = context.classify_word(&effect.target, FollowLinks::InDirectories);
        candidates
            .iter()
            .all(|classified| classified.area == PathArea::Temp)
    };
    let deletes = effects
        .iter()
        .filter(|effect| matches!(effect.verb, Verb::Delete | Verb::DeleteRecursive));
    if deletes.into_iter().any(|effect| !harmless(effect)) {
        report.add_command(&rules::CORE_DELETE_AS_ROOT);
    }
}
