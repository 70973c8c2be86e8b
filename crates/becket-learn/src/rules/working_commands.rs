//! Finds commands that work in a project.

use std::collections::{BTreeMap, BTreeSet};

use becket_store::MemoryKind;

use super::command::{self, CommandPurpose};
use crate::observation::Observation;
use crate::turn::{LearningInput, RecordedTurn};

/// Minimum number of turns, including this one.
const MIN_TURNS: usize = 3;
/// Minimum number of sessions.
const MIN_SESSIONS: usize = 2;

/// A successful command and its purpose.
struct WorkingCommand {
    purpose: CommandPurpose,
    command: String,
}

/// Whether a turn ran a command that could be reported as working.
pub(crate) fn has_working_command(turn: &RecordedTurn, project: Option<&str>) -> bool {
    let mut ran = turn.steps.iter().filter(|step| step.success);
    ran.any(|step| working_command(step.command.as_deref(), project).is_some())
}

/// The most used command of each purpose, if this turn used it and there is enough evidence.
pub(super) fn working_commands(input: &LearningInput) -> Vec<Observation> {
    let project = input.project.as_deref();
    let used = count_uses(input, project);
    let mut told: Vec<Observation> = Vec::new();
    for step in input.turn.steps.iter().filter(|step| step.success) {
        let Some(ran) = working_command(step.command.as_deref(), project) else {
            continue;
        };
        let text = text(&ran);
        let is_told = told.iter().any(|one| one.text == text);
        if is_told || most_used(&used, ran.purpose) != Some(ran.command.as_str()) {
            continue;
        }
        told.push(Observation {
            importance: 4,
            events: vec![step.event.clone()],
            ..Observation::new(MemoryKind::Discovery, text)
        });
    }
    told
}

/// The sessions and turns in which a command worked.
type CommandEvidence<'m> = BTreeSet<(&'m str, &'m str)>;

/// The evidence by purpose and command.
fn count_uses<'m>(
    input: &'m LearningInput,
    project: Option<&str>,
) -> BTreeMap<(CommandPurpose, String), CommandEvidence<'m>> {
    let turn = &input.turn;
    let now = turn.steps.iter().filter(|step| step.success);
    // The current session is represented by an empty name.
    let now = now.map(|step| ("", turn.id.as_str(), step.command.as_deref()));
    let past = input
        .succeeded_commands
        .iter()
        .filter(|past| past.batch != turn.id);
    let past = past.map(|past| {
        let is_own = input.earlier.iter().any(|own| own.id == past.batch);
        let session = if is_own { "" } else { past.session.as_str() };
        (session, past.batch.as_str(), Some(past.command.as_str()))
    });
    let mut used: BTreeMap<_, CommandEvidence<'m>> = BTreeMap::new();
    for (session, batch, command) in now.chain(past) {
        if let Some(WorkingCommand { purpose, command }) = working_command(command, project) {
            let evidence = used.entry((purpose, command)).or_default();
            evidence.insert((session, batch));
        }
    }
    used
}

fn most_used<'u>(
    used: &'u BTreeMap<(CommandPurpose, String), CommandEvidence<'_>>,
    purpose: CommandPurpose,
) -> Option<&'u str> {
    let same = used.iter().filter(|((of, _), _)| *of == purpose);
    // Of equal commands the last, so that the result is deterministic.
    let ((_, command), evidence) = same.max_by_key(|(_, evidence)| evidence.len())?;
    let sessions: BTreeSet<&str> = evidence.iter().map(|(session, _)| *session).collect();
    let is_enough = evidence.len() >= MIN_TURNS && sessions.len() >= MIN_SESSIONS;
    is_enough.then_some(command.as_str())
}

/// A test, build or lint command as advice. Commands that hide their exit status prove nothing, and commands with secrets
/// are not advice.
fn working_command(command: Option<&str>, project: Option<&str>) -> Option<WorkingCommand> {
    let line = command.filter(|line| reports_exit_status(line) && !line.contains("[redacted"))?;
    let task = command::classify_command(line, project)?;
    let purpose = task.purpose.filter(|purpose| {
        matches!(
            purpose,
            CommandPurpose::Test | CommandPurpose::Build | CommandPurpose::Lint
        )
    })?;
    Some(WorkingCommand {
        purpose,
        command: task.shown?,
    })
}

/// `cd backend && make test 2>&1` does; `make test | tail` and `make test || true` do not.
fn reports_exit_status(line: &str) -> bool {
    let rest = line.replace("&&", "").replace("2>&1", "");
    !rest.contains(['|', ';', '`', '&'])
}

fn text(ran: &WorkingCommand) -> String {
    let command = &ran.command;
    match ran.purpose {
        CommandPurpose::Test => format!("`{command}` runs the tests here."),
        CommandPurpose::Build => format!("`{command}` is how it is built here."),
        _ => format!("`{command}` checks the code here."),
    }
}
