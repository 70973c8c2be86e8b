//! What a session was, in few words.

use super::command;
use super::failure;
use crate::observation::Told;
use crate::text::{cut, listed, plain, sentences};
use crate::turn::{Turn, changed_files};

const MOST_TITLE: usize = 60;
const MOST_PROMPT: usize = 120;
const MOST_ANSWER: usize = 240;
const MOST_PROMPTS: usize = 3;

/// A title and a summary from prompts, files and how it ended.
pub fn tell(turns: &[Turn], project: Option<&str>) -> Told {
    let mut asked: Vec<String> = turns.iter().filter_map(asked).collect();
    asked.dedup();
    if asked.is_empty() {
        return Told::default();
    }
    Told {
        title: title(turns),
        summary: Some(summary(turns, &asked, project)),
    }
}

/// A title from the first prompt that says something.
pub fn title(turns: &[Turn]) -> Option<String> {
    let first = turns.iter().find_map(asked)?;
    let bare = without_please(&first).trim_end_matches(['.', '!', '?', ':', ',']);
    let mut chars = bare.chars();
    let upper = chars.next()?.to_uppercase();
    Some(cut(&upper.chain(chars).collect::<String>(), MOST_TITLE))
}

fn summary(turns: &[Turn], asked: &[String], project: Option<&str>) -> String {
    let shown: Vec<String> = asked
        .iter()
        .take(MOST_PROMPTS)
        .map(|prompt| cut(prompt.trim_end_matches(['.', ':']), MOST_PROMPT))
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
        let files: Vec<String> = files.iter().map(|file| plain(file)).collect();
        parts.push(format!("Changed {}.", listed(&files, 5)));
    }
    parts.extend(outcome(turns, project));
    if let Some(answer) = last_answer(turns) {
        parts.push(format!("Ended with: {answer}"));
    }
    parts.join(" ")
}

/// The first sentence of a prompt that says more than "go on".
fn asked(turn: &Turn) -> Option<String> {
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

fn without_please(prompt: &str) -> &str {
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

/// How the last check of a kind went.
fn outcome(turns: &[Turn], project: Option<&str>) -> Option<String> {
    let steps = turns.iter().flat_map(|turn| &turn.steps).rev();
    steps
        .filter_map(|step| Some((step, command::task(step.command.as_deref()?, project)?)))
        .find_map(|(step, task)| {
            task.purpose?;
            let ending = match (step.success, failure::failure(step)) {
                (true, _) => "passed",
                (false, Some(_)) => "failed",
                (false, None) => return None,
            };
            Some(format!("`{}` {ending} last.", task.name))
        })
}

fn last_answer(turns: &[Turn]) -> Option<String> {
    let response = turns
        .iter()
        .rev()
        .find_map(|turn| turn.response.as_deref())?;
    let first = sentences(response)
        .into_iter()
        .find(|one| one.split(' ').count() >= 3 && !one.starts_with(['#', '|', '\'']))?;
    Some(cut(&first.replace("**", ""), MOST_ANSWER))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::turn::Step;

    fn turn(prompt: &str, response: &str, steps: Vec<Step>) -> Turn {
        Turn {
            prompt: Some(prompt.into()),
            by_person: true,
            response: Some(response.into()),
            steps,
            ..Turn::default()
        }
    }

    #[test]
    fn a_title_is_what_was_asked_without_the_manners() {
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
            let turns: Vec<Turn> = prompts
                .iter()
                .map(|prompt| turn(prompt, "", Vec::new()))
                .collect();
            assert_eq!(title(&turns).as_deref(), expected, "{prompts:?}");
        }
    }

    #[test]
    fn a_summary_tells_what_was_asked_done_and_how_it_ended() {
        let edit = |file: &str| Step {
            tool: "Edit".into(),
            files: vec![file.into()],
            success: true,
            ..Step::default()
        };
        let test = Step {
            tool: "Bash".into(),
            command: Some("cargo test -q".into()),
            success: true,
            ..Step::default()
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
        let told = tell(&turns, None);
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
    fn a_question_keeps_its_mark_and_gets_no_stop() {
        let turns = [turn("Why is staging stuck?", "Too little memory.", vec![])];
        assert_eq!(
            tell(&turns, None).summary.as_deref(),
            Some("Asked: Why is staging stuck? Ended with: Too little memory.")
        );
    }

    #[test]
    fn what_was_asked_twice_is_told_once_and_a_question_keeps_its_mark() {
        let ask = || turn("Why does the login fail?", "", vec![]);
        let told = tell(&[ask(), ask()], None);
        assert_eq!(
            told.summary.as_deref(),
            Some("Asked: Why does the login fail?")
        );
    }

    #[test]
    fn nothing_asked_is_nothing_told() {
        assert_eq!(
            tell(&[turn("hi", "Hello, what shall I do?", vec![])], None),
            Told::default()
        );
    }
}
