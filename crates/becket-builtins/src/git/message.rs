//! Commit messages by somebody who can write.

use std::time::Duration;

use becket_guard::redact::redact_text;

use super::change::Change;
use crate::words;

/// Writes commit messages, as a language model can.
pub trait Writer: Send + Sync {
    /// A message for the change; the error is for people.
    fn write(&self, request: &MessageRequest, timeout: Duration) -> Result<String, String>;
}

/// What a writer is told. All of it is data from the project, and secrets are redacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRequest {
    /// The branch that the commit goes to.
    pub branch: String,
    /// The lines that are added and removed, by file; cut where the change is large.
    pub diff: String,
    /// The message that is used if the writer has none.
    pub fallback: String,
}

/// How much of a change a writer is shown.
const SHOWN: usize = 24 * 1024;
const SUBJECT: usize = 100;
const BODY_LINES: usize = 30;
/// Who made and who vouched for a commit is not for a model to say.
const TRAILERS: [&str; 5] = [
    "co-authored-by:",
    "signed-off-by:",
    "reviewed-by:",
    "acked-by:",
    "tested-by:",
];

/// The change for a writer: redacted whole, then cut.
pub(super) fn shown(changes: &[Change]) -> String {
    let mut text = String::new();
    for change in changes {
        text.push_str(&format!("--- {}\n", change.path));
        for (mark, lines) in [('-', &change.removed), ('+', &change.added)] {
            for line in lines {
                text.push_str(&format!("{mark}{line}\n"));
            }
        }
    }
    let mut text = redact_text(&text).into_owned();
    text.truncate(words::boundary(&text, SHOWN));
    text
}

/// What an answer is worth as a commit message: nothing, or a subject and perhaps a body.
pub(super) fn tidy(answer: &str) -> Option<String> {
    let answer = redact_text(answer);
    let lines = answer
        .lines()
        .map(|line| line.chars().filter(|c| !c.is_control()).collect::<String>())
        .map(|line| line.trim_end().to_owned())
        .filter(|line| !line.trim_start().starts_with("```"))
        .filter(|line| {
            let lower = line.trim_start().to_lowercase();
            !TRAILERS.iter().any(|trailer| lower.starts_with(trailer))
        });
    let mut lines = lines.skip_while(|line| line.trim().is_empty());
    let first = lines.next()?;
    let subject = first.trim().trim_matches(['"', '\'', '`', '*']).trim();
    let subject = subject.strip_suffix('.').unwrap_or(subject);
    if subject.is_empty() {
        return None;
    }
    let mut message: String = subject.chars().take(SUBJECT).collect();
    let body: Vec<String> = lines
        .skip_while(|line| line.trim().is_empty())
        .take(BODY_LINES)
        .map(|line| line.chars().take(200).collect())
        .collect();
    let body = body.join("\n");
    if !body.trim().is_empty() {
        message.push_str("\n\n");
        message.push_str(body.trim_end());
    }
    message.push('\n');
    Some(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_becomes_a_subject_and_a_body() {
        for (answer, expected) in [
            ("fix: close the file", Some("fix: close the file\n")),
            ("```\n\"fix: close it.\"\n```", Some("fix: close it\n")),
            ("\n\nfeat: x\n\n- a\n- b\n", Some("feat: x\n\n- a\n- b\n")),
            (
                "feat: x\nCo-Authored-By: Eve <e@x>\n  Signed-off-by: Eve",
                Some("feat: x\n"),
            ),
            ("feat: \u{1b}[31mred", Some("feat: [31mred\n")),
            ("", None),
            ("```\n```", None),
            ("\"\"", None),
        ] {
            assert_eq!(tidy(answer).as_deref(), expected, "{answer:?}");
        }
        let long = tidy(&"x".repeat(5000)).expect("a message");
        assert_eq!(long.len(), SUBJECT + 1);
    }
}
