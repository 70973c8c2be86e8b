//! What core utilities do to which paths, and whether that is harmless.
//!
//! A program's arguments become [`Effect`]s: a verb and a path. `paths` says what the path is, and
//! `verdict` which rule a verb meets there. What is no matter of paths has modules of its own: code
//! from the network (`remote`), data that leaves (`leaving`), permissions, the environment, and
//! attempts to turn guards off (`guard`).
//!
//! Start at [`check`].

mod copying;
mod disk;
mod environment;
mod flags;
mod guard;
mod leaving;
mod machine;
mod many;
mod operands;
mod permission;
mod programs;
mod readers;
mod remote;
mod report;
pub mod rules;
mod text;
mod transfer;
mod variables;
mod verdict;

pub use variables::check as check_variables;

pub(crate) use report::Report;
pub(crate) use verdict::{Origin, judge};

use crate::command::{Invocation, RedirectKind, Script, Word};
use crate::facts::{Facts, Place};
use crate::paths::{Follow, Scene, Spot};
use crate::rule::{Finding, Rule};

/// What is done to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Its content is shown.
    Read,
    /// Its content goes into a program that does not show it.
    Feed,
    /// A program that is not known is given its name.
    Use,
    /// It is changed in place.
    Write,
    /// It is replaced by something new.
    Truncate,
    /// Something is added at its end, or it is made.
    Append,
    /// It alone goes.
    Delete,
    /// It goes with everything in it.
    DeleteRecursive,
    /// It goes from here to elsewhere.
    MoveFrom,
    /// Something else takes its place.
    MoveOnto,
    /// It is copied, packed, linked to.
    CopyFrom,
    /// A copy takes its place.
    CopyOnto,
    /// A copy takes its place if there is nothing.
    CopyIfMissing,
    /// It is put under version control.
    Commit,
    /// It is sent to another machine.
    Upload,
    /// A file system is made on it.
    Format,
}

impl Verb {
    /// Whether the path's content may be different afterwards.
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

    /// Whether the path is gone afterwards.
    pub fn removes(self) -> bool {
        matches!(self, Self::Delete | Self::DeleteRecursive | Self::MoveFrom)
    }

    pub(crate) fn follow(self) -> Follow {
        match self {
            Self::Use | Self::Commit => Follow::Nothing,
            verb if verb.removes() => Follow::Directories,
            _ => Follow::Links,
        }
    }
}

/// What a command does to one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// What.
    pub verb: Verb,
    /// To which path, or pattern.
    pub target: Word,
    /// Where a copy goes.
    pub onto: Option<Word>,
}

impl Effect {
    pub(crate) fn new(verb: Verb, target: Word) -> Self {
        Self {
            verb,
            target,
            onto: None,
        }
    }
}

/// All rules that [`check`] and [`tools::check`](crate::tools::check) can find.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    rules::ALL.iter().copied()
}

/// Adds to `found` what is wrong with `command`, which is one of `script`.
pub fn check(
    command: &Invocation,
    script: &Script,
    place: &Place,
    facts: &dyn Facts,
    found: &mut Vec<Finding>,
) {
    let at = operands::index_of(command, script);
    let origin = operands::origin(command, script);
    let understood = command;
    let command = &*operands::filled_in(command, script, at);
    let scene = Scene::of(command, place, facts);
    let mut report = Report::on(command, found);
    let effects = effects(command, &scene);
    for effect in &effects {
        for spot in scene.spots(&effect.target, effect.verb.follow()) {
            judge(effect, &spot, &scene, origin, &mut report);
        }
    }
    verdict::as_root(command, &effects, &scene, &mut report);
    many::check(understood, script, at, &effects, &scene, &mut report);
    permission::check(command, &scene, &mut report);
    machine::check(command, &scene, &mut report);
    environment::check(command, script, at, &mut report);
    guard::check(command, script, &mut report);
    remote::check(command, script, at, &scene, &mut report);
    leaving::check(command, script, &effects, &scene, &mut report);
    if scene.is_exhausted() {
        report.command(&rules::TOO_MANY_PATHS);
    }
}

/// What a command, which is one of `script`, does to which paths, and what these are.
pub fn touches(
    command: &Invocation,
    script: &Script,
    place: &Place,
    facts: &dyn Facts,
) -> Vec<(Verb, Spot)> {
    let at = operands::index_of(command, script);
    let command = &*operands::filled_in(command, script, at);
    let scene = Scene::of(command, place, facts);
    touched(&effects(command, &scene), &scene)
}

/// The effects with what their paths are.
pub(crate) fn touched(effects: &[Effect], scene: &Scene<'_>) -> Vec<(Verb, Spot)> {
    let mut touched = Vec::new();
    for effect in effects {
        let spots = scene.spots(&effect.target, effect.verb.follow());
        touched.extend(spots.into_iter().map(|spot| (effect.verb, spot)));
    }
    touched
}

/// What a command does to which paths, its redirections included.
pub fn effects(command: &Invocation, scene: &Scene<'_>) -> Vec<Effect> {
    let mut effects = programs::effects(command, scene);
    let shows = readers::is_reader(&command.program);
    for redirect in &command.redirects {
        let verb = match redirect.kind {
            RedirectKind::Read if shows => Verb::Read,
            RedirectKind::Read if readers::is_blind(&command.program) => continue,
            RedirectKind::Read if transfer::sends_stdin(command) => Verb::Upload,
            RedirectKind::Read => Verb::Feed,
            RedirectKind::Truncate => Verb::Truncate,
            RedirectKind::Append => Verb::Append,
            RedirectKind::ReadWrite => Verb::Write,
        };
        effects.push(Effect::new(verb, redirect.target.clone()));
    }
    effects
}
