//! Commands that work in a project, however often it was tried.

use std::collections::{BTreeMap, BTreeSet};

use becket_store::MemoryKind;

use super::command::{self, Purpose};
use crate::observation::Observation;
use crate::turn::{Material, Turn};

/// So many turns, this one included, have to show it,
const FEWEST_TURNS: usize = 3;
/// in so many sessions.
const FEWEST_SESSIONS: usize = 2;

/// A command that worked, and what it was for.
struct Known {
    purpose: Purpose,
    command: String,
}

/// Whether a turn ran anything of which it might be told that it works.
pub(crate) fn may_tell(turn: &Turn, project: Option<&str>) -> bool {
    let mut ran = turn.steps.iter().filter(|step| step.success);
    ran.any(|step| known(step.command.as_deref(), project).is_some())
}

/// The command that is used most for each purpose, if this turn used it and there is enough evidence.
pub(super) fn works_here(material: &Material) -> Vec<Observation> {
    let project = material.project.as_deref();
    let used = used(material, project);
    let mut told: Vec<Observation> = Vec::new();
    for step in material.turn.steps.iter().filter(|step| step.success) {
        let Some(ran) = known(step.command.as_deref(), project) else {
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
type Evidence<'m> = BTreeSet<(&'m str, &'m str)>;

/// By purpose and command.
fn used<'m>(
    material: &'m Material,
    project: Option<&str>,
) -> BTreeMap<(Purpose, String), Evidence<'m>> {
    let turn = &material.turn;
    let now = turn.steps.iter().filter(|step| step.success);
    // This session has no name here, and needs none but to be told from the others.
    let now = now.map(|step| ("", turn.id.as_str(), step.command.as_deref()));
    let past = material.worked.iter().filter(|past| past.batch != turn.id);
    let past = past.map(|past| {
        let is_own = material.earlier.iter().any(|own| own.id == past.batch);
        let session = if is_own { "" } else { past.session.as_str() };
        (session, past.batch.as_str(), Some(past.command.as_str()))
    });
    let mut used: BTreeMap<_, Evidence<'m>> = BTreeMap::new();
    for (session, batch, command) in now.chain(past) {
        if let Some(Known { purpose, command }) = known(command, project) {
            let evidence = used.entry((purpose, command)).or_default();
            evidence.insert((session, batch));
        }
    }
    used
}

fn most_used<'u>(
    used: &'u BTreeMap<(Purpose, String), Evidence<'_>>,
    purpose: Purpose,
) -> Option<&'u str> {
    let same = used.iter().filter(|((of, _), _)| *of == purpose);
    // The last of equals, so that the answer is always the same.
    let ((_, command), evidence) = same.max_by_key(|(_, evidence)| evidence.len())?;
    let sessions: BTreeSet<&str> = evidence.iter().map(|(session, _)| *session).collect();
    let is_enough = evidence.len() >= FEWEST_TURNS && sessions.len() >= FEWEST_SESSIONS;
    is_enough.then_some(command.as_str())
}

/// A test, a build or a check, as advice. What hides its own failure shows nothing, and what held a secret is no advice.
fn known(command: Option<&str>, project: Option<&str>) -> Option<Known> {
    let line = command.filter(|line| tells_how_it_went(line) && !line.contains("[redacted"))?;
    let task = command::task(line, project)?;
    let purpose = task
        .purpose
        .filter(|purpose| matches!(purpose, Purpose::Test | Purpose::Build | Purpose::Lint))?;
    Some(Known {
        purpose,
        command: task.shown?,
    })
}

/// `cd backend && make test 2>&1` does, `make test | tail` and `make test || true` do not.
fn tells_how_it_went(line: &str) -> bool {
    let rest = line.replace("&&", "").replace("2>&1", "");
    !rest.contains(['|', ';', '`', '&'])
}

fn text(ran: &Known) -> String {
    let command = &ran.command;
    match ran.purpose {
        Purpose::Test => format!("`{command}` runs the tests here."),
        Purpose::Build => format!("`{command}` is how it is built here."),
        _ => format!("`{command}` checks the code here."),
    }
}
