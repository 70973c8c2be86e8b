//! Failures, what made them go away, and what worked instead.

use becket_store::MemoryKind;

use super::command::{self, Task};
use super::failure::{self, Cause, Failure};
use crate::observation::Observation;
use crate::text::{cut, listed, sentences};
use crate::turn::{Material, Step, changed_files};

/// A change of more files than this is no mend of one thing.
const MOST_FILES: usize = 6;

/// So often is repeatedly.
const REPEATEDLY: usize = 3;

/// So many turns back may what is mended now have failed.
const TURNS_BACK: usize = 2;

const MOST_CAUSE: usize = 240;

/// A step in the course of a session.
struct Seen<'m> {
    step: &'m Step,
    /// Zero is the turn at hand, one the turn before.
    back: usize,
    task: Option<Task>,
    failure: Option<Failure>,
}

/// What was mended, what works instead, and what keeps failing.
pub(super) fn mended_and_works(material: &Material) -> Vec<Observation> {
    let course = course(material);
    let mut found = Vec::new();
    let mut told: Vec<String> = Vec::new();
    for at in 0..course.len() {
        let (Some(task), 0) = (&course[at].task, course[at].back) else {
            continue;
        };
        if !course[at].step.success || !is_last_of(&course, at, task) {
            continue;
        }
        let one = works_instead(&course, at, task).or_else(|| mended(material, &course, at, task));
        if let Some((observation, signature)) = one {
            told.push(signature);
            found.push(observation);
        }
    }
    found.extend(keeps_failing(&course, &told));
    found
}

fn course(material: &Material) -> Vec<Seen<'_>> {
    let count = material.earlier.len();
    let earlier = material
        .earlier
        .iter()
        .enumerate()
        .map(|(number, turn)| (count - number, turn));
    let turns = earlier.chain([(0, &material.turn)]);
    let steps = turns.flat_map(|(back, turn)| turn.steps.iter().map(move |step| (back, step)));
    steps
        .map(|(back, step)| Seen {
            step,
            back,
            task: step
                .command
                .as_deref()
                .and_then(|line| command::task(line, material.project.as_deref())),
            failure: failure::failure(step),
        })
        .collect()
}

/// Of several successes of one task the last is looked at.
fn is_last_of(course: &[Seen<'_>], at: usize, task: &Task) -> bool {
    let later = course[at + 1..].iter().filter(|seen| {
        seen.task
            .as_ref()
            .is_some_and(|other| other.name == task.name)
    });
    !later.clone().any(|seen| seen.step.success)
}

/// The same was wanted in another way, which is not how it is done here; nothing was changed in between.
fn works_instead(course: &[Seen<'_>], at: usize, task: &Task) -> Option<(Observation, String)> {
    let works = task.shown.as_ref()?;
    for seen in course[..at].iter().rev() {
        if seen.step.is_change() || seen.back > TURNS_BACK {
            return None;
        }
        let (Some(other), Some(failure)) = (&seen.task, &seen.failure) else {
            // It worked before in this session: nothing was found out.
            if seen.step.success
                && seen
                    .task
                    .as_ref()
                    .is_some_and(|other| other.shown == task.shown)
            {
                return None;
            }
            continue;
        };
        let fails = other.shown.as_ref().filter(|shown| *shown != works);
        if let (Cause::Usage, true, Some(fails)) = (failure.cause, task.wants_what(other), fails) {
            let text = format!(
                "`{works}` works here; `{fails}` does not: “{}”",
                failure.line
            );
            let observation = Observation {
                importance: 6,
                events: vec![seen.step.event.clone(), course[at].step.event.clone()],
                ..Observation::new(MemoryKind::Discovery, text)
            };
            return Some((observation, failure.signature.clone()));
        }
    }
    None
}

/// It failed, files were changed, and it works.
fn mended(
    material: &Material,
    course: &[Seen<'_>],
    at: usize,
    task: &Task,
) -> Option<(Observation, String)> {
    let same = |seen: &Seen<'_>| {
        seen.task
            .as_ref()
            .is_some_and(|other| other.name == task.name)
    };
    let from = course[..at]
        .iter()
        .rposition(|seen| seen.step.success && same(seen))
        .map_or(0, |last| last + 1);
    let is_failure =
        |seen: &Seen<'_>| same(seen) && seen.back <= TURNS_BACK && seen.failure.is_some();
    let first = from + course[from..at].iter().position(is_failure)?;
    let files = changed_files(course[first..at].iter().map(|seen| seen.step));
    if files.is_empty() || files.len() > MOST_FILES {
        return None;
    }
    // What the agent itself broke a moment ago, and then mended, is how work goes.
    let was_broken = !course[..first].iter().any(|seen| seen.step.is_change());
    if !was_broken && !is_complaint(material, course[first].back) {
        return None;
    }
    let failure = course[first].failure.clone()?;
    let cause = cause(material.turn.response.as_deref().unwrap_or_default());
    let mut text = format!(
        "`{}` failed with “{}”; fixed in {}.",
        task.name,
        failure.line,
        listed(&files, 3)
    );
    if let Some(cause) = &cause {
        text.push_str(&format!(" {cause}"));
    }
    let tries = course[first..at]
        .iter()
        .filter(|seen| is_failure(seen))
        .count();
    let observation = Observation {
        importance: 5 + u8::from(cause.is_some()) + u8::from(tries >= REPEATEDLY),
        context: files.first().cloned(),
        files,
        events: events(&course[first..=at], |seen| {
            same(seen) || seen.step.is_change()
        }),
        ..Observation::new(MemoryKind::BugFix, text)
    };
    Some((observation, failure.signature))
}

/// Whether the person spoke of something broken, now or when it failed.
fn is_complaint(material: &Material, back: usize) -> bool {
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
    let then = material
        .earlier
        .len()
        .checked_sub(back)
        .and_then(|at| material.earlier.get(at));
    let prompts = [Some(&material.turn), then.filter(|_| back > 0)];
    prompts
        .into_iter()
        .flatten()
        .filter(|turn| turn.by_person)
        .any(|turn| {
            let prompt = turn.prompt.as_deref().unwrap_or_default().to_lowercase();
            BROKEN.iter().any(|word| prompt.contains(word))
        })
}

/// The sentence of an answer that says why.
fn cause(response: &str) -> Option<String> {
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
    Some(cut(&bare, MOST_CAUSE))
}

/// The same failure again and again, of which nothing else was learnt.
fn keeps_failing(course: &[Seen<'_>], told: &[String]) -> Vec<Observation> {
    let mut found = Vec::new();
    let mut looked: Vec<(&str, &str)> = Vec::new();
    for seen in course.iter().filter(|seen| seen.back == 0) {
        let (Some(task), Some(failure)) = (&seen.task, &seen.failure) else {
            continue;
        };
        let key = (task.name.as_str(), failure.signature.as_str());
        if looked.contains(&key) || told.contains(&failure.signature) {
            continue;
        }
        looked.push(key);
        found.extend(repeated(course, task, failure));
    }
    found
}

fn repeated(course: &[Seen<'_>], task: &Task, failure: &Failure) -> Option<Observation> {
    let is_same = |seen: &Seen<'_>| {
        let is_task = seen
            .task
            .as_ref()
            .is_some_and(|other| other.name == task.name);
        is_task
            && seen
                .failure
                .as_ref()
                .is_some_and(|other| other.signature == failure.signature)
    };
    let times = course.iter().filter(|seen| is_same(seen)).count();
    if times < REPEATEDLY {
        return None;
    }
    let last = course.iter().rposition(is_same)?;
    let worked = course[last..].iter().position(|seen| {
        seen.step.success
            && seen
                .task
                .as_ref()
                .is_some_and(|other| other.name == task.name)
    });
    let files = worked
        .map(|worked| changed_files(course[last..last + worked].iter().map(|seen| seen.step)));
    let (end, files) = match files {
        Some(files) if (1..=MOST_FILES).contains(&files.len()) => (
            format!("it worked after {} changed", listed(&files, 3)),
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
        events: events(course, is_same),
        ..Observation::new(MemoryKind::Gotcha, text)
    })
}

/// The latest events of steps, few of them.
fn events(course: &[Seen<'_>], which: impl Fn(&Seen<'_>) -> bool) -> Vec<String> {
    const MOST: usize = 12;
    let all: Vec<String> = course
        .iter()
        .filter(|seen| which(seen))
        .map(|seen| seen.step.event.clone())
        .collect();
    all[all.len().saturating_sub(MOST)..].to_vec()
}
