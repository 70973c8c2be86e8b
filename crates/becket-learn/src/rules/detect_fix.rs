//! Detects failures, their fixes, and working alternatives.

use becket_store::MemoryKind;

use super::command::{self, CommandTask};
use super::failure::{self, CommandFailure, FailureCause};
use crate::observation::Observation;
use crate::text::{join_names, sentences, truncate};
use crate::turn::{LearningInput, RecordedStep, changed_files};

/// A fix that changes more files is not attributed to one failure.
const MAX_FILES: usize = 6;

/// Number of failures that count as repeated.
const MIN_REPEATS: usize = 3;

/// How many turns back a failure may be.
const MAX_TURNS_BACK: usize = 2;

const MAX_CAUSE_CHARS: usize = 240;

struct SessionStep<'m> {
    step: &'m RecordedStep,
    /// 0 is the current turn, 1 the one before.
    turns_back: usize,
    task: Option<CommandTask>,
    failure: Option<CommandFailure>,
}

/// Fixes, working alternatives and repeated failures.
pub(super) fn detect_fixes(input: &LearningInput) -> Vec<Observation> {
    let session = session_steps(input);
    let mut found = Vec::new();
    let mut explained: Vec<String> = Vec::new();
    for at in 0..session.len() {
        let (Some(task), 0) = (&session[at].task, session[at].turns_back) else {
            continue;
        };
        if !session[at].step.success || !is_last_of(&session, at, task) {
            continue;
        }
        let one = alternative_command(&session, at, task)
            .or_else(|| detect_fix(input, &session, at, task));
        if let Some((observation, signature)) = one {
            explained.push(signature);
            found.push(observation);
        }
    }
    found.extend(repeated_failures(&session, &explained));
    found
}

fn session_steps(input: &LearningInput) -> Vec<SessionStep<'_>> {
    let count = input.earlier.len();
    let earlier = input
        .earlier
        .iter()
        .enumerate()
        .map(|(number, turn)| (count - number, turn));
    let turns = earlier.chain([(0, &input.turn)]);
    let steps = turns.flat_map(|(back, turn)| turn.steps.iter().map(move |step| (back, step)));
    steps
        .map(|(back, step)| SessionStep {
            step,
            turns_back: back,
            task: step
                .command
                .as_deref()
                .and_then(|line| command::classify_command(line, input.project.as_deref())),
            failure: failure::parse_failure(step),
        })
        .collect()
}

/// Whether it is the last success of its task.
fn is_last_of(session: &[SessionStep<'_>], at: usize, task: &CommandTask) -> bool {
    let later = session[at + 1..].iter().filter(|entry| {
        entry
            .task
            .as_ref()
            .is_some_and(|other| other.name == task.name)
    });
    !later.clone().any(|entry| entry.step.success)
}

/// Another command with the same goal failed because of wrong usage, and no file changed in between.
fn alternative_command(
    session: &[SessionStep<'_>],
    at: usize,
    task: &CommandTask,
) -> Option<(Observation, String)> {
    let works = task.shown.as_ref()?;
    for entry in session[..at].iter().rev() {
        if entry.step.is_change() || entry.turns_back > MAX_TURNS_BACK {
            return None;
        }
        let (Some(other), Some(failure)) = (&entry.task, &entry.failure) else {
            // The command already succeeded in this session, so there is nothing new to learn.
            if entry.step.success
                && entry
                    .task
                    .as_ref()
                    .is_some_and(|other| other.shown == task.shown)
            {
                return None;
            }
            continue;
        };
        let fails = other.shown.as_ref().filter(|shown| *shown != works);
        if let (FailureCause::Usage, true, Some(fails)) =
            (failure.cause, task.has_same_goal(other), fails)
        {
            let text = format!(
                "`{works}` works here; `{fails}` does not: “{}”",
                failure.line
            );
            let observation = Observation {
                importance: 6,
                events: vec![entry.step.event.clone(), session[at].step.event.clone()],
                ..Observation::new(MemoryKind::Discovery, text)
            };
            return Some((observation, failure.signature.clone()));
        }
    }
    None
}

/// The command failed, files changed, and now it succeeds.
fn detect_fix(
    input: &LearningInput,
    session: &[SessionStep<'_>],
    at: usize,
    task: &CommandTask,
) -> Option<(Observation, String)> {
    let same = |entry: &SessionStep<'_>| {
        entry
            .task
            .as_ref()
            .is_some_and(|other| other.name == task.name)
    };
    let from = session[..at]
        .iter()
        .rposition(|entry| entry.step.success && same(entry))
        .map_or(0, |last| last + 1);
    let is_failure = |entry: &SessionStep<'_>| {
        same(entry) && entry.turns_back <= MAX_TURNS_BACK && entry.failure.is_some()
    };
    let first = from + session[from..at].iter().position(is_failure)?;
    let files = changed_files(session[first..at].iter().map(|entry| entry.step));
    if files.is_empty() || files.len() > MAX_FILES {
        return None;
    }
    // An error that the agent itself just introduced and fixed is normal work.
    let was_broken = !session[..first].iter().any(|entry| entry.step.is_change());
    if !was_broken && !is_complaint(input, session[first].turns_back) {
        return None;
    }
    let failure = session[first].failure.clone()?;
    let cause = cause_sentence(input.turn.response.as_deref().unwrap_or_default());
    let mut text = format!(
        "`{}` failed with “{}”; fixed in {}.",
        task.name,
        failure.line,
        join_names(&files, 3)
    );
    if let Some(cause) = &cause {
        text.push_str(&format!(" {cause}"));
    }
    let tries = session[first..at]
        .iter()
        .filter(|entry| is_failure(entry))
        .count();
    let observation = Observation {
        importance: 5 + u8::from(cause.is_some()) + u8::from(tries >= MIN_REPEATS),
        context: files.first().cloned(),
        files,
        events: recent_events(&session[first..=at], |entry| {
            same(entry) || entry.step.is_change()
        }),
        ..Observation::new(MemoryKind::BugFix, text)
    };
    Some((observation, failure.signature))
}

/// Whether the user reported a problem, now or when it failed.
fn is_complaint(input: &LearningInput, back: usize) -> bool {
    const BROKEN: &[&str] = &[
        "fix",
        "bug",
        "broken",
        "break",
        "fails",
        "failing",
        "failed",
        "error",
        "crash",
        "regression",
        "wrong",
        "panic",
        "doesn't work",
        "does not work",
        "not working",
        "exception",
        "flaky",
    ];
    let then = input
        .earlier
        .len()
        .checked_sub(back)
        .and_then(|at| input.earlier.get(at));
    let prompts = [Some(&input.turn), then.filter(|_| back > 0)];
    prompts
        .into_iter()
        .flatten()
        .filter(|turn| turn.by_person)
        .any(|turn| {
            let prompt = turn.prompt.as_deref().unwrap_or_default().to_lowercase();
            BROKEN.iter().any(|word| prompt.contains(word))
        })
}

/// The sentence of an answer that gives the cause.
fn cause_sentence(response: &str) -> Option<String> {
    const WHY: &[&str] = &[
        "because",
        "due to",
        "caused by",
        "root cause",
        "the cause",
        "the problem was",
        "the bug was",
        "the issue was",
        "the reason",
        "turned out",
        "the failure was",
        "the error was",
        "stemmed from",
        "came from",
    ];
    let sentences = sentences(response);
    let telling = sentences.iter().find(|one| {
        let lower = one.to_lowercase();
        WHY.iter().any(|word| lower.contains(word)) && one.split(' ').count() >= 5
    })?;
    let bare = telling
        .trim_start_matches(['#', '*', '-', ' '])
        .replace("**", "");
    Some(truncate(&bare, MAX_CAUSE_CHARS))
}

/// Failures that repeat and that no other rule explains.
fn repeated_failures(session: &[SessionStep<'_>], explained: &[String]) -> Vec<Observation> {
    let mut found = Vec::new();
    let mut looked: Vec<(&str, &str)> = Vec::new();
    for entry in session.iter().filter(|entry| entry.turns_back == 0) {
        let (Some(task), Some(failure)) = (&entry.task, &entry.failure) else {
            continue;
        };
        let key = (task.name.as_str(), failure.signature.as_str());
        if looked.contains(&key) || explained.contains(&failure.signature) {
            continue;
        }
        looked.push(key);
        found.extend(repeated_failure(session, task, failure));
    }
    found
}

fn repeated_failure(
    session: &[SessionStep<'_>],
    task: &CommandTask,
    failure: &CommandFailure,
) -> Option<Observation> {
    let is_same = |entry: &SessionStep<'_>| {
        let is_task = entry
            .task
            .as_ref()
            .is_some_and(|other| other.name == task.name);
        is_task
            && entry
                .failure
                .as_ref()
                .is_some_and(|other| other.signature == failure.signature)
    };
    let times = session.iter().filter(|entry| is_same(entry)).count();
    if times < MIN_REPEATS {
        return None;
    }
    let last = session.iter().rposition(is_same)?;
    let worked = session[last..].iter().position(|entry| {
        entry.step.success
            && entry
                .task
                .as_ref()
                .is_some_and(|other| other.name == task.name)
    });
    let files = worked
        .map(|worked| changed_files(session[last..last + worked].iter().map(|entry| entry.step)));
    let (end, files) = match files {
        Some(files) if (1..=MAX_FILES).contains(&files.len()) => (
            format!("it worked after {} changed", join_names(&files, 3)),
            files,
        ),
        Some(_) => return None,
        None => ("it was not solved then".to_owned(), Vec::new()),
    };
    let text = format!(
        "`{}` failed again and again with “{}”; {end}.",
        task.name, failure.line
    );
    Some(Observation {
        importance: 6,
        context: files.first().cloned(),
        files,
        events: recent_events(session, is_same),
        ..Observation::new(MemoryKind::Gotcha, text)
    })
}

/// The latest events of matching steps, limited in number.
fn recent_events(
    session: &[SessionStep<'_>],
    which: impl Fn(&SessionStep<'_>) -> bool,
) -> Vec<String> {
    const MOST: usize = 12;
    let all: Vec<String> = session
        .iter()
        .filter(|entry| which(entry))
        .map(|entry| entry.step.event.clone())
        .collect();
    all[all.len().saturating_sub(MOST)..].to_vec()
}
