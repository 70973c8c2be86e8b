//! Explains a judgement to people: each command, the paths it affects, and the classification of those paths.
//!
//! This module decides nothing. Start at [`explain_script`] for commands and at [`tool_call_effects`] for other
//! tools.

use serde_json::Value;

use crate::command::{Invocation, Script};
use crate::effects::{self, Verb};
use crate::facts::{Facts, RunLocation};
use crate::packs;
use crate::paths::{ClassifiedPath, PathArea, PersistenceKind, Protection, SecretKind};
use crate::tools;

/// A command and its effects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandExplanation<'s> {
    /// The command.
    pub command: &'s Invocation,
    /// Effects of the command on paths.
    pub effects: Vec<ClassifiedEffect>,
    /// Shell text that git would run: aliases, `rebase --exec`.
    pub git_runs: Vec<String>,
}

/// An effect on one classified path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClassifiedEffect {
    /// The effect.
    pub verb: Verb,
    /// The path and its classification.
    pub target: ClassifiedPath,
}

impl From<(Verb, ClassifiedPath)> for ClassifiedEffect {
    fn from((verb, target): (Verb, ClassifiedPath)) -> Self {
        Self { verb, target }
    }
}

/// Explains every command of a script, in order.
pub fn explain_script<'s>(
    script: &'s Script,
    location: &RunLocation,
    facts: &dyn Facts,
) -> Vec<CommandExplanation<'s>> {
    let step = |command| CommandExplanation {
        command,
        effects: dedupe_effects(effects::classified_effects(
            command, script, location, facts,
        )),
        git_runs: packs::git_shell_commands(command, location, facts),
    };
    script.commands.iter().map(step).collect()
}

/// Effects of a tool call, other than a shell command, on paths.
pub fn tool_call_effects(
    tool: &str,
    input: &Value,
    location: &RunLocation,
    facts: &dyn Facts,
) -> Vec<ClassifiedEffect> {
    dedupe_effects(tools::classified_effects(tool, input, location, facts))
}

fn dedupe_effects(found: Vec<(Verb, ClassifiedPath)>) -> Vec<ClassifiedEffect> {
    let mut unique: Vec<ClassifiedEffect> = Vec::new();
    for effect in found.into_iter().map(ClassifiedEffect::from) {
        if !unique.contains(&effect) {
            unique.push(effect);
        }
    }
    unique
}

impl Verb {
    /// A verb phrase: `deletes recursively`.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Read => "reads",
            Self::Feed => "passes the content of",
            Self::Use => "uses",
            Self::Write => "changes",
            Self::Truncate => "replaces",
            Self::Append => "adds to",
            Self::Delete => "deletes",
            Self::DeleteRecursive => "deletes recursively",
            Self::MoveFrom => "moves away",
            Self::MoveOnto => "moves something onto",
            Self::CopyFrom => "copies",
            Self::CopyOnto => "copies something onto",
            Self::CopyIfMissing => "copies something to, if missing,",
            Self::Commit => "adds to version control",
            Self::Upload => "uploads",
            Self::Format => "creates a file system on",
        }
    }
}

impl ClassifiedPath {
    /// A description: `in the project, secrets (.env files)`.
    pub fn describe(&self) -> String {
        let mut parts = vec![self.area.describe()];
        parts.extend(self.secret.map(|secret| secret.kind.describe()));
        parts.extend(self.protection.map(Protection::describe));
        let notes = [
            (self.is_contents, "all of its contents"),
            (self.is_possible, "possible match of a pattern"),
            (self.is_linked, "reached through a symlink"),
        ];
        parts.extend(
            notes
                .iter()
                .filter(|(is, _)| *is)
                .map(|(_, describe)| *describe),
        );
        parts.join(", ")
    }
}

impl PathArea {
    /// A noun phrase: `a build directory of the project`.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Root => "the whole file system",
            Self::System => "a system directory",
            Self::InSystem => "part of the system",
            Self::Device => "a disk",
            Self::Stream => "a stream that stores nothing",
            Self::Home => "a home directory",
            Self::HomeTop => "directly in the home directory",
            Self::InHome => "in the home directory, outside the project",
            Self::ProjectParent => "a directory that contains the project",
            Self::ProjectRoot => "the project",
            Self::Git => "the project's repository",
            Self::OtherGit => "another repository",
            Self::InGit => "inside a repository's `.git`",
            Self::Build => "in the project, can be regenerated",
            Self::InProject => "in the project",
            Self::TempRoot => "the directory for temporary files",
            Self::Temp => "a temporary file",
            Self::Outside => "outside the project",
            Self::Unknown => "known only at run time",
        }
    }
}

impl SecretKind {
    /// A noun phrase: `a private key`.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Env => "secrets (.env file)",
            Self::Key => "a private key",
            Self::Credentials => "credentials of a service",
            Self::Store => "a store of passwords or keys",
            Self::System => "secrets of the system or of processes",
            Self::History => "a shell history",
            Self::Certificate => "a certificate",
            Self::State => "a state file, which often holds passwords",
        }
    }
}

impl Protection {
    /// A short clause: `CI runs it`.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Becket => "Becket's own",
            Self::Agent { user: true } => "settings of an agent, for all your projects",
            Self::Agent { user: false } => "settings of an agent, for this project",
            Self::Ci => "CI runs it",
            Self::Persistence(PersistenceKind::Start) => {
                "runs whenever a shell or a session starts"
            }
            Self::Persistence(PersistenceKind::Schedule) => "runs on a schedule or at system start",
            Self::Persistence(PersistenceKind::Access) => "controls who may log in",
            Self::Persistence(PersistenceKind::Git) => "git runs it in this clone",
            Self::Persistence(PersistenceKind::Tracked) => "git runs it for all contributors",
        }
    }
}
