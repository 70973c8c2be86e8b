//! Which rule a verb meets at a path.

use super::report::Report;
use super::{Effect, Verb, rules};
use crate::command::{Invocation, UNKNOWN, Via};
use crate::facts::Found;
use crate::paths::{
    Area, Follow, Guarded, Machine, Persistence, Scene, Secret, SecretKind, Spot, name,
};
use crate::rule::Rule;

/// How an action came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A command whose output is seen.
    Shell,
    /// A command whose output becomes another command's argument.
    Captured,
    /// A command whose output becomes variables: `export $(cat .env)`.
    Loaded,
    /// A file tool.
    Tool,
}

/// Adds what is wrong with doing that there.
pub(crate) fn judge(
    effect: &Effect,
    spot: &Spot,
    scene: &Scene<'_>,
    origin: Origin,
    report: &mut Report<'_>,
) {
    let rules = [
        by_guard(effect.verb, spot),
        by_secret(effect, spot, scene, origin),
        by_area(effect, spot, scene),
    ];
    for rule in rules.into_iter().flatten() {
        report.path(rule, &spot.path);
    }
}

fn by_guard(verb: Verb, spot: &Spot) -> Option<&'static Rule> {
    let guarded = spot.guarded?;
    if !verb.changes() && !verb.removes() {
        return None;
    }
    match guarded {
        Guarded::Own => Some(&rules::OWN_CONFIG),
        Guarded::Agent { user: true } => Some(&rules::AGENT_CONFIG_USER),
        Guarded::Agent { user: false } => Some(&rules::AGENT_CONFIG),
        Guarded::Persistence(Persistence::Git) if verb.removes() => Some(&rules::SKIP_HOOKS),
        _ if verb.removes() => None,
        Guarded::Ci => Some(&rules::CI),
        Guarded::Persistence(kind) => Some(match kind {
            Persistence::Start => &rules::AT_START,
            Persistence::Schedule => &rules::SCHEDULED,
            Persistence::Access => &rules::ACCESS,
            Persistence::Git => &rules::GIT_HOOK,
            Persistence::Tracked => &rules::TRACKED_HOOK,
        }),
    }
}

fn by_secret(
    effect: &Effect,
    spot: &Spot,
    scene: &Scene<'_>,
    origin: Origin,
) -> Option<&'static Rule> {
    let Some(secret) = spot.secret else {
        return holds_secrets(effect.verb, spot.area);
    };
    if !secret.is_hidden() {
        return changed_certificate(effect.verb, secret.sure, origin);
    }
    let sure = secret.sure && !spot.possible;
    let pick = |yes, maybe| Some(if sure { yes } else { maybe });
    match effect.verb {
        Verb::Read | Verb::Feed if origin == Origin::Loaded => None,
        Verb::Read if origin == Origin::Captured => sure.then_some(&rules::SECRET_READ_LIKELY),
        Verb::Read => pick(&rules::SECRET_READ, &rules::SECRET_READ_LIKELY),
        Verb::Feed => (sure && origin != Origin::Captured).then_some(&rules::SECRET_READ_LIKELY),
        Verb::Use => {
            let is_store = matches!(secret.kind, SecretKind::Store | SecretKind::System);
            (sure && is_store).then_some(&rules::SECRET_READ_LIKELY)
        }
        Verb::Commit => sure.then_some(&rules::SECRET_COMMIT),
        Verb::Upload => Some(&rules::SECRET_UPLOAD),
        Verb::CopyFrom | Verb::MoveFrom if stays_secret(effect, spot, scene) => None,
        Verb::CopyFrom | Verb::MoveFrom => pick(&rules::SECRET_COPY, &rules::SECRET_COPY_LIKELY),
        Verb::Delete | Verb::DeleteRecursive => Some(deleted_secret(secret, spot, origin)),
        // A key that is made where nothing lasts is nobody's secret yet.
        Verb::Append | Verb::CopyIfMissing if spot.area == Area::Temp => None,
        Verb::Append | Verb::CopyIfMissing => Some(&rules::SECRET_CHANGE),
        Verb::Write | Verb::Truncate | Verb::CopyOnto | Verb::MoveOnto => {
            let is_new = origin != Origin::Tool && scene.found(&spot.path) == Some(Found::Missing);
            let protected = sure || origin == Origin::Tool && is_npmrc(spot);
            Some(if protected && !is_new {
                &rules::SECRET_OVERWRITE
            } else {
                &rules::SECRET_CHANGE
            })
        }
        Verb::Format => None,
    }
}

/// Whole homes and disks hold secrets, too.
fn holds_secrets(verb: Verb, area: Area) -> Option<&'static Rule> {
    match (verb, area) {
        (Verb::Read | Verb::CopyFrom | Verb::Upload, Area::Device) => Some(&rules::READ_DEVICE),
        (Verb::CopyFrom, Area::Home | Area::Root) => Some(&rules::SECRET_COPY_LIKELY),
        (Verb::Upload, Area::Home | Area::Root) => Some(&rules::SECRET_UPLOAD),
        _ => None,
    }
}

/// It often holds no token; a tool that changes one is stopped all the same.
fn is_npmrc(spot: &Spot) -> bool {
    name(&spot.path).eq_ignore_ascii_case(".npmrc")
}

fn deleted_secret(secret: Secret, spot: &Spot, origin: Origin) -> &'static Rule {
    let is_state = secret.kind == SecretKind::State;
    let is_npmrc = origin == Origin::Tool && is_npmrc(spot);
    if (secret.sure || is_state || is_npmrc) && !spot.possible {
        &rules::SECRET_DELETE
    } else {
        &rules::SECRET_CHANGE
    }
}

/// Everybody may see a certificate; a tool that changes or deletes one is stopped like for a key.
fn changed_certificate(verb: Verb, sure: bool, origin: Origin) -> Option<&'static Rule> {
    if origin != Origin::Tool || !(verb.changes() || verb.removes()) {
        return None;
    }
    Some(match (sure, verb.removes()) {
        (true, true) => &rules::SECRET_DELETE,
        (true, false) => &rules::SECRET_OVERWRITE,
        (false, _) => &rules::SECRET_CHANGE,
    })
}

/// `cp .env .env.bak`: the copy is as protected as the original, in the same place.
fn stays_secret(effect: &Effect, spot: &Spot, scene: &Scene<'_>) -> bool {
    let Some(onto) = &effect.onto else {
        return false;
    };
    let directory = |path: &str| {
        path.rsplit_once('/')
            .map(|(directory, _)| directory.to_owned())
    };
    scene.spots(onto, Follow::Links).iter().all(|target| {
        let together = directory(&target.path) == directory(&spot.path)
            || (target.area == Area::InProject && spot.area == Area::InProject);
        target.secret.is_some() && together
    })
}

fn by_area(effect: &Effect, spot: &Spot, scene: &Scene<'_>) -> Option<&'static Rule> {
    if spot.possible || spot.area == Area::Stream {
        return None;
    }
    let rule = match effect.verb {
        Verb::Delete => deleted(spot, scene),
        Verb::DeleteRecursive => deleted_whole(spot, scene),
        Verb::MoveFrom => moved(effect, spot, scene),
        Verb::Format => Some(match spot.area {
            Area::Device => &rules::WIPE_DEVICE,
            Area::InProject | Area::Build | Area::Temp => &rules::FORMAT_IMAGE,
            _ => &rules::FORMAT,
        }),
        verb if verb.changes() => written(spot),
        _ => None,
    }?;
    let lives_on = matches!(scene.machine(), Machine::Remote | Machine::Running);
    let is_data = rule == &rules::DELETE_OUTSIDE
        || scene.machine() == Machine::Running
            && effect.verb == Verb::DeleteRecursive
            && spot.path.starts_with("/var/lib/")
            && !spot.path.starts_with("/var/lib/apt/");
    if lives_on && is_data && !is_output_by_name(&spot.path) {
        return Some(&rules::DELETE_REMOTE);
    }
    counts_on(scene.machine(), rule).then_some(rule)
}

/// Elsewhere there is no project that would say what is output; some names say it by themselves.
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

/// On another machine only what no machine survives counts; a container less than that.
fn counts_on(machine: Machine, rule: &Rule) -> bool {
    use crate::rule::Severity::{Catastrophic, Severe};
    match machine {
        Machine::Local => true,
        Machine::Remote => rule.severity >= Severe,
        Machine::Container => rule.severity == Catastrophic,
        Machine::Running => rule.severity == Catastrophic || rule == &rules::DELETE_REMOTE,
    }
}

/// One file, or the files right in a directory.
fn deleted(spot: &Spot, scene: &Scene<'_>) -> Option<&'static Rule> {
    match spot.area {
        Area::Root | Area::System | Area::InSystem | Area::Device => Some(&rules::DELETE_IN_SYSTEM),
        Area::Home => spot.contents.then_some(&rules::DELETE_PERSONAL),
        Area::ProjectRoot | Area::ProjectParent => spot.contents.then_some(&rules::DELETE_TREE),
        Area::InGit => deleted_in_git(spot),
        Area::InProject => Some(&rules::DELETE_FILE),
        Area::HomeTop | Area::InHome | Area::Outside => {
            (scene.found(&spot.path) != Some(Found::Missing)).then_some(&rules::DELETE_OUTSIDE_FILE)
        }
        Area::TempRoot => spot.contents.then_some(&rules::DELETE_TEMP),
        Area::Unknown => Some(&rules::DELETE_UNKNOWN_FILE),
        Area::Git | Area::OtherGit | Area::Build | Area::Temp | Area::Stream => None,
    }
}

fn deleted_whole(spot: &Spot, scene: &Scene<'_>) -> Option<&'static Rule> {
    if let Some(rule) = vital(spot.area) {
        return Some(rule);
    }
    let found = if spot.contents {
        None
    } else {
        scene.found(&spot.path)
    };
    if found == Some(Found::Missing) {
        return None;
    }
    let is_file = found == Some(Found::File);
    match spot.area {
        Area::InSystem => Some(&rules::DELETE_IN_SYSTEM),
        Area::OtherGit => Some(&rules::DELETE_OTHER_GIT),
        Area::InGit => deleted_in_git(spot),
        Area::HomeTop | Area::InHome | Area::Outside if is_file => {
            Some(&rules::DELETE_OUTSIDE_FILE)
        }
        Area::HomeTop | Area::InHome => Some(&rules::DELETE_PERSONAL),
        Area::Outside => Some(&rules::DELETE_OUTSIDE),
        Area::InProject if name(&spot.path).contains(UNKNOWN) => Some(&rules::DELETE_UNKNOWN),
        Area::InProject
            if is_file || is_file_pattern(spot) || is_named_like_a_file(spot, found) =>
        {
            Some(&rules::DELETE_FILE)
        }
        Area::InProject => Some(&rules::DELETE_TREE),
        Area::TempRoot => Some(&rules::DELETE_TEMP),
        Area::Unknown => Some(&rules::DELETE_UNKNOWN),
        _ => None,
    }
}

fn vital(area: Area) -> Option<&'static Rule> {
    match area {
        Area::Root => Some(&rules::DELETE_ROOT),
        Area::System | Area::Device => Some(&rules::DELETE_SYSTEM),
        Area::Home => Some(&rules::DELETE_HOME),
        Area::ProjectRoot | Area::ProjectParent => Some(&rules::DELETE_PROJECT),
        Area::Git => Some(&rules::DELETE_GIT),
        _ => None,
    }
}

/// `*.log` and its kin name files.
fn is_file_pattern(spot: &Spot) -> bool {
    let name = name(&spot.path);
    name.contains('*')
        && name
            .rsplit_once('.')
            .is_some_and(|(_, end)| !end.contains('*'))
}

/// Nobody gives these endings to a directory.
fn is_named_like_a_file(spot: &Spot, found: Option<Found>) -> bool {
    let ending = name(&spot.path)
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

/// A stale lock is deleted by hand, as git itself advises; what a hook file is, `by_guard` says.
fn deleted_in_git(spot: &Spot) -> Option<&'static Rule> {
    let is_lock = name(&spot.path)
        .rsplit_once('.')
        .is_some_and(|(_, ending)| ending == "lock");
    let is_harmless = is_lock || is_scratch(&spot.path) || spot.guarded.is_some();
    (!is_harmless).then_some(&rules::DELETE_IN_GIT)
}

/// Files in `.git` that people and tools write themselves.
fn is_scratch(path: &str) -> bool {
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

fn moved(effect: &Effect, spot: &Spot, scene: &Scene<'_>) -> Option<&'static Rule> {
    if spot.contents {
        let stays = effect.onto.as_ref().is_some_and(|onto| {
            let within = |target: &Spot| {
                matches!(
                    target.area,
                    Area::InProject | Area::ProjectRoot | Area::Build
                )
            };
            scene.spots(onto, Follow::Links).iter().all(within)
        });
        return match spot.area {
            Area::Home => Some(&rules::DELETE_PERSONAL),
            Area::ProjectRoot if stays => None,
            Area::ProjectRoot => Some(&rules::DELETE_TREE),
            area => vital(area),
        };
    }
    match spot.area {
        Area::InSystem => Some(&rules::DELETE_IN_SYSTEM),
        Area::OtherGit => Some(&rules::DELETE_OTHER_GIT),
        Area::InGit => deleted_in_git(spot),
        area => vital(area),
    }
}

fn written(spot: &Spot) -> Option<&'static Rule> {
    match spot.area {
        Area::Device => Some(&rules::WIPE_DEVICE),
        Area::System if is_shared(&spot.path) => Some(&rules::WRITE_OUTSIDE),
        Area::Root | Area::System | Area::InSystem => Some(&rules::WRITE_SYSTEM),
        Area::InGit if spot.guarded.is_some() || is_scratch(&spot.path) => None,
        Area::Git | Area::InGit => Some(&rules::WRITE_GIT),
        Area::HomeTop | Area::InHome | Area::Outside => Some(&rules::WRITE_OUTSIDE),
        _ => None,
    }
}

/// Directories of the system that are made for adding to.
fn is_shared(path: &str) -> bool {
    matches!(
        path,
        "/usr/local" | "/opt" | "/srv" | "/mnt" | "/media" | "/Volumes" | "/var/www"
    )
}

/// Deleting as root is worth a question of its own, whatever is deleted, unless it is temporary.
pub(super) fn as_root(
    command: &Invocation,
    effects: &[Effect],
    scene: &Scene<'_>,
    report: &mut Report<'_>,
) {
    let is_root = command.via.iter().any(|via| matches!(via, Via::Root(_)));
    if !is_root || scene.machine().is_container() {
        return;
    }
    let harmless = |effect: &Effect| {
        let spots = scene.spots(&effect.target, Follow::Directories);
        spots.iter().all(|spot| spot.area == Area::Temp)
    };
    let deletes = effects
        .iter()
        .filter(|effect| matches!(effect.verb, Verb::Delete | Verb::DeleteRecursive));
    if deletes.into_iter().any(|effect| !harmless(effect)) {
        report.command(&rules::DELETE_AS_ROOT);
    }
}
