//! What a judgement rests on, for people: each command, what it touches, and what that is.
//!
//! Nothing is decided here. Start at [`steps`] for commands and at [`touches`] for other tools.

use serde_json::Value;

use crate::command::{Invocation, Script};
use crate::effects::{self, Verb};
use crate::facts::{Facts, Place};
use crate::packs;
use crate::paths::{Area, Guarded, Persistence, SecretKind, Spot};
use crate::tools;

/// A command and what it would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step<'s> {
    /// The command.
    pub command: &'s Invocation,
    /// What it would do to which paths.
    pub touches: Vec<Touch>,
    /// What git would give to a shell: aliases, `rebase --exec`.
    pub git_runs: Vec<String>,
}

/// Something that is done to a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    /// What is done.
    pub verb: Verb,
    /// The path, looked at.
    pub spot: Spot,
}

impl From<(Verb, Spot)> for Touch {
    fn from((verb, spot): (Verb, Spot)) -> Self {
        Self { verb, spot }
    }
}

/// Every command of a script, in its order.
pub fn steps<'s>(script: &'s Script, place: &Place, facts: &dyn Facts) -> Vec<Step<'s>> {
    let step = |command| Step {
        command,
        touches: gathered(effects::touches(command, script, place, facts)),
        git_runs: packs::shell_of_git(command, place, facts),
    };
    script.commands.iter().map(step).collect()
}

/// What a call of another tool would do to which paths.
pub fn touches(tool: &str, input: &Value, place: &Place, facts: &dyn Facts) -> Vec<Touch> {
    gathered(tools::touches(tool, input, place, facts))
}

fn gathered(found: Vec<(Verb, Spot)>) -> Vec<Touch> {
    let mut touches: Vec<Touch> = Vec::new();
    for touch in found.into_iter().map(Touch::from) {
        if !touches.contains(&touch) {
            touches.push(touch);
        }
    }
    touches
}

impl Verb {
    /// For a sentence: `deletes with everything in it`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Read => "reads",
            Self::Feed => "feeds to a program",
            Self::Use => "is given",
            Self::Write => "changes",
            Self::Truncate => "replaces",
            Self::Append => "adds to",
            Self::Delete => "deletes",
            Self::DeleteRecursive => "deletes with everything in it",
            Self::MoveFrom => "moves away",
            Self::MoveOnto => "moves something onto",
            Self::CopyFrom => "copies",
            Self::CopyOnto => "copies something onto",
            Self::CopyIfMissing => "copies something to, if nothing is there,",
            Self::Commit => "puts under version control",
            Self::Upload => "sends to another machine",
            Self::Format => "makes a file system on",
        }
    }
}

impl Spot {
    /// What the path is, for a person: `in the project, holds secrets (.env and its kin)`.
    pub fn what(&self) -> String {
        let mut parts = vec![self.area.words()];
        parts.extend(self.secret.map(|secret| secret.kind.words()));
        parts.extend(self.guarded.map(Guarded::words));
        let notes = [
            (self.contents, "all that is in it is meant"),
            (self.possible, "a pattern may mean it"),
            (self.linked, "a link leads there"),
        ];
        parts.extend(notes.iter().filter(|(is, _)| *is).map(|(_, words)| *words));
        parts.join(", ")
    }
}

impl Area {
    /// For a sentence: `a build directory of the project`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Root => "the whole file system",
            Self::System => "a directory of the system",
            Self::InSystem => "part of the system",
            Self::Device => "a disk",
            Self::Stream => "nothing that is kept",
            Self::Home => "a home directory",
            Self::HomeTop => "right in the home directory",
            Self::InHome => "in the home directory, outside the project",
            Self::ProjectParent => "a directory that holds the project",
            Self::ProjectRoot => "the project",
            Self::Git => "the project's repository",
            Self::OtherGit => "another repository",
            Self::InGit => "inside a repository's `.git`",
            Self::Build => "in the project, can be made again",
            Self::InProject => "in the project",
            Self::TempRoot => "the directory of temporary files",
            Self::Temp => "a temporary file",
            Self::Outside => "outside the project",
            Self::Unknown => "known only when it runs",
        }
    }
}

impl SecretKind {
    /// For a sentence: `a private key`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Env => "secrets (.env and its kin)",
            Self::Key => "a private key",
            Self::Credentials => "credentials of a service",
            Self::Store => "a store of passwords or keys",
            Self::System => "secrets of the system or of processes",
            Self::History => "a history of what was typed",
            Self::Certificate => "a certificate",
            Self::State => "a state file, which tends to hold passwords",
        }
    }
}

impl Guarded {
    /// For a sentence: `CI runs it`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Own => "Becket's own",
            Self::Agent { user: true } => "settings of an agent, for all your projects",
            Self::Agent { user: false } => "settings of an agent, for this project",
            Self::Ci => "CI runs it",
            Self::Persistence(Persistence::Start) => "runs whenever a shell or a session starts",
            Self::Persistence(Persistence::Schedule) => "runs by a clock or with the system",
            Self::Persistence(Persistence::Access) => "says who may come in",
            Self::Persistence(Persistence::Git) => "git runs it in this clone",
            Self::Persistence(Persistence::Tracked) => "git runs it for everybody",
        }
    }
}
