//! Derives the title and summary of a session with rules.

use super::command;
use super::failure;
use crate::observation::SessionSummary;
use crate::text::{join_names, plain_line, sentences, truncate};
use crate::turn::{RecordedTurn, changed_files};

const MAX_TITLE_CHARS: usize = 60;
const MAX_PROMPT_CHARS: usize = 120;
const MAX_ANSWER_CHARS: usize = 240;
const MAX_PROMPTS: usize = 3;

/// A title and a summary from prompts, changed files and the last result.
pub fn summarize_session(turns: &[RecordedTurn], project: Option<&str>) -> SessionSummary {
    let mut asked: Vec<String> = turns.iter().filter_map(first_request).collect();
    asked.dedup();
    if asked.is_empty() {
        return SessionSummary::default();
    }
    SessionSummary {
        title: session_title(turns),
        summary: Some(summary(turns, &asked, project)),
    }
}

/// A title from the first meaningful prompt.
pub fn session_title(turns: &[RecordedTurn]) -> Option<String> {
    let first = turns.iter().find_map(first_request)?;
    let bare = strip_politeness(&first).trim_end_matches(['.', '!', '?', ':', ',']);
    let mut chars = bare.chars();
    let upper = chars.next()?.to_uppercase();
    Some(truncate(
        &upper.chain(chars).collect::<String>(),
        MAX_TITLE_CHARS,
    ))
}

fn summary(turns: &[RecordedTurn], asked: &[String], project: Option<&str>) -> String {
    let shown: Vec<String> = asked
        .iter()
        .take(MAX_PROMPTS)
        .map(|prompt| truncate(prompt.trim_end_matches(['.', ':']), MAX_PROMPT_CHARS))
        .collect();
    let more = asked.len() - shown.len();
    let more = if more > 0 {
        format!("; {more} more")
    } else {
        String::new()
    };
    let asked = format!("Asked: {}{more}", shown.join("; "));
    let end = if asked.ends_with(['?', '!', '…']) {
        ""
    } else {
        "."
    };
    let mut parts = vec![format!("{asked}{end}")];
    let files = changed_files(turns.iter().flat_map(|turn| &turn.steps));
    if !files.is_empty() {
        let files: Vec<String> = files.iter().map(|file| plain_line(file)).collect();
        parts.push(format!("Changed {}.", join_names(&files, 5)));
    }
    parts.extend(last_check_result(turns, project));
    if let Some(answer) = last_answer(turns) {
        parts.push(format!("Ended with: {answer}"));
    }
    parts.join(" ")
}

/// The first sentence of a prompt that is more than "go on".
fn first_request(turn: &RecordedTurn) -> Option<String> {
    const IDLE: &[&str] = &[
        "continue",
        "go on",
        "go ahead",
        "yes",
        "ok",
        "okay",
        "no",
        "thanks",
        "thank you",
        "hi",
        "hello",
        "hey",
        "do it",
        "proceed",
        "keep going",
        "next",
        "y",
        "sure",
        "great",
        "good",
        "perfect",
        "try again",
        "retry",
        "please continue",
        "yes please",
        "sounds good",
        "looks good",
        "lgtm",
        "commit",
        "commit it",
        "please proceed",
    ];
    let prompt = turn.prompt.as_deref().filter(|_| turn.by_person)?;
    let is_idle = |sentence: &str| {
        let bare: String = sentence
            .to_lowercase()
            .chars()
            .filter(|c| c.is_alphabetic() || *c == ' ')
            .collect();
        bare.trim().is_empty() || IDLE.contains(&bare.trim())
    };
    let is_said =
        |sentence: &String| !is_idle(sentence) && !sentence.starts_with(['<', '/', '`', '#']);
    sentences(prompt).into_iter().find(is_said)
}

fn strip_politeness(prompt: &str) -> &str {
    const OPENINGS: &[&str] = &[
        "please ",
        "can you please ",
        "could you please ",
        "can you ",
        "could you ",
        "would you ",
        "i want you to ",
        "i need you to ",
        "i'd like you to ",
        "let's ",
        "help me ",
        "hi, ",
        "hello, ",
        "hey, ",
        "ok, ",
        "now ",
    ];
    let mut rest = prompt;
    while let Some(opening) = OPENINGS.iter().find(|one| {
        rest.get(..one.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(one))
            && rest.len() > one.len()
    }) {
        rest = rest[opening.len()..].trim_start();
    }
    rest
}

/// The result of the last test, build or check.
fn last_check_result(turns: &[RecordedTurn], project: Option<&str>) -> Option<String> {
    let steps = turns.iter().flat_map(|turn| &turn.steps).rev();
    steps
        .filter_map(|step| {
            Some((
                step,
                command::classify_command(step.command.as_deref()?, project)?,
            ))
        })
        .find_map(|(step, task)| {
            task.purpose?;
            let ending = match (step.success, failure::parse_failure(step)) {
                (true, _) => "passed",
                (false, Some(_)) => "failed",
                (false, None) => return None,
            };
            Some(format!("`{}` {ending} last.", task.name))
        })
}

fn last_answer(turns: &[RecordedTurn]) -> Option<String> {
    let response = turns
        .iter()
        .rev()
        .find_map(|turn| turn.response.as_deref())?;
    let first = sentences(response)
        .into_iter()
        .find(|one| one.split(' ').count() >= 3 && !one.starts_with(['#', '|', '\'']))?;
    Some(truncate(&first.replace("**", ""), MAX_ANSWER_CHARS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::RecordedStep;

    fn turn(prompt: &str, response: &str, steps: Vec<RecordedStep>) -> RecordedTurn {
        RecordedTurn {
            prompt: Some(prompt.into()),
            by_person: true,
            response: Some(response.into()),
            steps,
            ..RecordedTurn::default()
        }
    }

    #[test]
    fn title_is_the_request_without_politeness() {
        for (prompts, expected) in [
            (
                &["Can you please fix the flaky login test? It fails on CI."][..],
                Some("Fix the flaky login test"),
            ),
            (
                &["hi", "continue", "add dark mode to the settings page"],
                Some("Add dark mode to the settings page"),
            ),
            (&["hello!", "thanks."], None),
            (&["<task-notification>x</task-notification>"], None),
            (
                &[
                    "please rework the whole importer so that it streams rows and never holds a file in memory",
                ],
                Some("Rework the whole importer so that it streams rows and never…"),
            ),
        ] {
            let turns: Vec<RecordedTurn> = prompts
                .iter()
                .map(|prompt| turn(prompt, "", Vec::new()))
                .collect();
            assert_eq!(session_title(&turns).as_deref(), expected, "{prompts:?}");
        }
    }

    #[test]
    fn summary_contains_requests_changes_and_result() {
        let edit = |file: &str| RecordedStep {
            tool: "Edit".into(),
            files: vec![file.into()],
            success: true,
            ..RecordedStep::default()
        };
        let test = RecordedStep {
            tool: "Bash".into(),
            command: Some("cargo test -q".into()),
            success: true,
            ..RecordedStep::default()
        };
        let turns = [
            turn("Fix the parser.", "Looking.", vec![edit("src/parse.rs")]),
            turn("continue", "", vec![]),
            turn(
                "Now the docs",
                "## Done\nThe docs describe the new grammar. More.",
                vec![edit("docs/a.md"), test],
            ),
        ];
        let told = summarize_session(&turns, None);
        assert_eq!(told.title.as_deref(), Some("Fix the parser"));
        assert_eq!(
            told.summary.as_deref(),
            Some(
                "Asked: Fix the parser; Now the docs. Changed src/parse.rs and docs/a.md. `cargo test` passed last. \
                  Ended with: The docs describe the new grammar."
            )
        );
    }

    #[test]
    fn question_mark_is_kept_without_a_full_stop() {
        let turns = [turn("Why is staging stuck?", "Too little memory.", vec![])];
        assert_eq!(
            summarize_session(&turns, None).summary.as_deref(),
            Some("Asked: Why is staging stuck? Ended with: Too little memory.")
        );
    }

    #[test]
    fn repeated_requests_are_listed_once() {
        let ask = || turn("Why does the login fail?", "", vec![]);
        let told = summarize_session(&[ask(), ask()], None);
        assert_eq!(
            told.summary.as_deref(),
            Some("Asked: Why does the login fail?")
        );
    }

    #[test]
    fn session_without_a_request_has_no_summary() {
        assert_eq!(
            summarize_session(&[turn("hi", "Hello, what shall I do?", vec![])], None),
            SessionSummary::default()
        );
    }
}
