//! Commit messages written by a language model.

use becket_base::text::prefix_bytes;
use std::time::Duration;

use becket_guard::redact::redact_text;

use super::change::FileChange;

/// Writes commit messages, for example with a language model.
pub trait MessageWriter: Send + Sync {
    /// Writes a message for the change. The error is a text for the user.
    fn write(&self, request: &MessageRequest, timeout: Duration) -> Result<String, String>;
}

/// The input of a writer. All of it is untrusted data of the project, with secrets redacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRequest {
    /// The branch of the commit.
    pub branch: String,
    /// Added and removed lines by file, truncated if the change is large.
    pub diff: String,
    /// The message to use if the writer fails.
    pub fallback: String,
}

/// Maximum length of the diff that a writer gets.
const MAX_DIFF_SHOWN: usize = 24 * 1024;
const MAX_SUBJECT: usize = 100;
const MAX_BODY_LINES: usize = 30;
/// A model must not add trailers about authorship and approval.
const TRAILERS: [&str; 5] = [
    "co-authored-by:",
    "signed-off-by:",
    "reviewed-by:",
    "acked-by:",
    "tested-by:",
];

/// The diff for a writer: redacted first, then truncated.
pub(super) fn diff_for_writer(changes: &[FileChange]) -> String {
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
    text.truncate(prefix_bytes(&text, MAX_DIFF_SHOWN).len());
    text
}

/// Turns an answer into a commit message: a subject and an optional body, or `None`.
pub(super) fn clean_message(answer: &str) -> Option<String> {
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
    let mut message: String = subject.chars().take(MAX_SUBJECT).collect();
    let body: Vec<String> = lines
        .skip_while(|line| line.trim().is_empty())
        .take(MAX_BODY_LINES)
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
    fn answer_becomes_subject_and_body() {
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
            assert_eq!(clean_message(answer).as_deref(), expected, "{answer:?}");
        }
        let long = clean_message(&"x".repeat(5000)).expect("a message");
        assert_eq!(long.len(), MAX_SUBJECT + 1);
    }
}
