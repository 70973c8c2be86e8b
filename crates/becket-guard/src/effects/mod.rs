//! Core rules: the effects of core utilities on paths, and rules that go beyond paths.
//!
//! A program's arguments become [`PathEffect`]s: a verb and a path. [`paths`](crate::paths) classifies the path,
//! and `path_rules` selects the rule for a verb on that class. Rules that do not concern paths have their own
//! modules: code from the network (`remote_code`), data exfiltration (`exfiltration`), `permissions`, the
//! `environment`, and attempts to disable the guard (`tampering`).
//!
//! Start at [`check`].

mod bulk_delete;
mod copying;
mod dataflow;
mod disk;
mod environment;
mod exfiltration;
mod flags;
mod path_rules;
mod permissions;
mod programs;
mod readers;
mod remote_code;
mod report;
mod secret_variables;
mod system;
mod tampering;
mod text_tools;
mod transfer;

pub use secret_variables::check as check_variables;

pub(crate) use path_rules::{ActionOrigin, check_path_effect};
pub(crate) use report::FindingReport;

use crate::command::{Invocation, RedirectKind, Script, Word};
use crate::facts::{Facts, RunLocation};
use crate::paths::{ClassifiedPath, FollowLinks, PathContext};
use crate::rule::{Finding, Rule};
use crate::rules;

/// The effect of a command on a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Prints the content.
    Read,
    /// Passes the content to a program that does not print it.
    Feed,
    /// Passes the name to an unknown program.
    Use,
    /// Changes the file in place.
    Write,
    /// Replaces the content.
    Truncate,
    /// Appends to the file, or creates it.
    Append,
    /// Deletes the file only.
    Delete,
    /// Deletes the path and everything below it.
    DeleteRecursive,
    /// Moves the path elsewhere.
    MoveFrom,
    /// Moves another file onto the path.
    MoveOnto,
    /// Copies, packs or links to the path.
    CopyFrom,
    /// Copies another file onto the path.
    CopyOnto,
    /// Copies another file to the path if nothing exists there.
    CopyIfMissing,
    /// Puts the path under version control.
    Commit,
    /// Sends the content to another machine.
    Upload,
    /// Creates a file system on it.
    Format,
}

impl Verb {
    /// Whether the content may differ afterwards.
    pub fn changes(self) -> bool {
        matches!(
            self,
            Self::Write
                | Self::Truncate
                | Self::Append
                | Self::MoveOnto
                | Self::CopyOnto
                | Self::CopyIfMissing
        )
    }

    /// Whether the path no longer exists afterwards.
    pub fn removes(self) -> bool {
        matches!(self, Self::Delete | Self::DeleteRecursive | Self::MoveFrom)
    }

    pub(crate) fn follow_links(self) -> FollowLinks {
        match self {
            Self::Use | Self::Commit => FollowLinks::Never,
            verb if verb.removes() => FollowLinks::InDirectories,
            _ => FollowLinks::Always,
        }
    }
}

/// The effect of a command on one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathEffect {
    /// The effect.
    pub verb: Verb,
    /// The affected path or glob.
    pub target: Word,
    /// Destination of a copy or move.
    pub onto: Option<Word>,
}

impl PathEffect {
    pub(crate) fn new(verb: Verb, target: Word) -> Self {
        Self {
            verb,
            target,
            onto: None,
        }
    }
}

/// All rules of [`check`] and [`tools::check`](crate::tools::check).
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    rules::EFFECTS.iter().copied()
}

/// Checks `command`, which belongs to `script`, and adds the findings to `found`.
pub fn check(
    command: &Invocation,
    script: &Script,
    location: &RunLocation,
    facts: &dyn Facts,
    found: &mut Vec<Finding>,
) {
    let at = dataflow::index_of(command, script);
    let origin = dataflow::action_origin(command, script);
    let analyzed = command;
    let command = &*dataflow::with_known_operands(command, script, at);
    let context = PathContext::of(command, location, facts);
    let mut report = FindingReport::for_command(command, found);
    let effects = effects(command, &context);
    for effect in &effects {
        for classified in context.classify_word(&effect.target, effect.verb.follow_links()) {
            check_path_effect(effect, &classified, &context, origin, &mut report);
        }
    }
    path_rules::check_delete_as_root(command, &effects, &context, &mut report);
    bulk_delete::check(analyzed, script, at, &effects, &context, &mut report);
    permissions::check(command, &context, &mut report);
    system::check(command, &context, &mut report);
    environment::check(command, script, at, &mut report);
    tampering::check(command, script, &mut report);
    remote_code::check(command, script, at, &context, &mut report);
    exfiltration::check(command, script, &effects, &context, &mut report);
    if context.is_exhausted() {
        report.add_command(&rules::CORE_TOO_MANY_PATHS);
    }
}

/// The effects of `command`, which belongs to `script`, on classified paths.
pub fn classified_effects(
    command: &Invocation,
    script: &Script,
    location: &RunLocation,
    facts: &dyn Facts,
) -> Vec<(Verb, ClassifiedPath)> {
    let at = dataflow::index_of(command, script);
    let command = &*dataflow::with_known_operands(command, script, at);
    let context = PathContext::of(command, location, facts);
    classify_effects(&effects(command, &context), &context)
}

/// Classifies the target of each effect.
pub(crate) fn classify_effects(
    effects: &[PathEffect],
    context: &PathContext<'_>,
) -> Vec<(Verb, ClassifiedPath)> {
    let mut classify_effects = Vec::new();
    for effect in effects {
        let candidates = context.classify_word(&effect.target, effect.verb.follow_links());
        classify_effects.extend(
            candidates
                .into_iter()
                .map(|classified| (effect.verb, classified)),
        );
    }
    classify_effects
}

/// The effects of a command on paths, including its redirections.
pub fn effects(command: &Invocation, context: &PathContext<'_>) -> Vec<PathEffect> {
    let mut effects = programs::effects(command, context);
    let shows = readers::is_reader(&command.program);
    for redirect in &command.redirects {
        let verb = match redirect.kind {
            RedirectKind::Read if shows => Verb::Read,
            RedirectKind::Read if readers::hides_content(&command.program) => continue,
            RedirectKind::Read if transfer::sends_stdin(command) => Verb::Upload,
            RedirectKind::Read => Verb::Feed,
            RedirectKind::Truncate => Verb::Truncate,
            RedirectKind::Append => Verb::Append,
            RedirectKind::ReadWrite => Verb::Write,
        };
        effects.push(PathEffect::new(verb, redirect.target.clone()));
    }
    effects
}
