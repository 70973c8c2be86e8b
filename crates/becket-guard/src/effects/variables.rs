//! Secrets that a command takes out of variables. A word's text shows a gap there; only the text it was
//! written in has the name.

use super::report::Report;
use super::rules;
use crate::command::{Invocation, Word};
use crate::redact;
use crate::rule::Finding;

/// Adds what a command shows of variables that hold secrets: `echo $GITHUB_TOKEN`. `text` is what the spans of
/// `command` point into.
pub(super) fn check(text: &str, command: &Invocation, found: &mut Vec<Finding>) {
    let shows = matches!(
        command.program.as_str(),
        "echo" | "printf" | "print" | "cat" | "logger" | "wall" | "say"
    );
    let goes_to_file = !command.redirects.is_empty();
    if !shows || goes_to_file {
        return;
    }
    let names_one = |word: &Word| {
        !word.is_known()
            && text
                .get(word.span.start..word.span.end)
                .is_some_and(|written| variables(written).any(redact::names_secret))
    };
    if command.args.iter().any(names_one) {
        Report::on(command, found).command(&rules::SECRET_VARIABLE);
    }
}

/// The names in `$NAME`, `${NAME}`, `${!NAME}` and `${NAME:0:4}`; not in `${#NAME}` and `${NAME:+set}`, which tell
/// only that there is something.
fn variables(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('$').filter_map(move |(at, _)| {
        let rest = &text[at + 1..];
        let braced = rest.strip_prefix('{');
        let body = braced.unwrap_or(rest);
        let body = body.strip_prefix('!').unwrap_or(body);
        let end = body
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(body.len());
        let after = &body[end..];
        let only_tells = braced.is_some() && (after.starts_with(":+") || after.starts_with('+'));
        (end > 0 && !only_tells).then(|| &body[..end])
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Span;

    fn found(text: &str) -> bool {
        let (program, rest) = text.split_once(' ').expect("a command with an argument");
        let command = Invocation {
            program: program.into(),
            args: vec![Word {
                span: Span {
                    start: program.len() + 1,
                    end: program.len() + 1 + rest.len(),
                },
                ..Word::literal("\u{FFFC}")
            }],
            ..Invocation::default()
        };
        let mut found = Vec::new();
        check(text, &command, &mut found);
        found
            .iter()
            .any(|finding| finding.rule == &rules::SECRET_VARIABLE)
    }

    #[test]
    fn showing_a_secret_variable_is_found_and_testing_it_is_not() {
        for text in [
            "echo $GITHUB_TOKEN",
            "echo \"key: ${OPENAI_API_KEY}\"",
            "printf $AWS_SECRET_ACCESS_KEY",
            "echo ${DB_PASSWORD:0:4}",
            "echo ${!API_TOKEN}",
        ] {
            assert!(found(text), "{text}");
        }
        for text in [
            "echo $HOME",
            "echo ${#GITHUB_TOKEN}",
            "echo ${GITHUB_TOKEN:+set}",
            "echo $TOKEN_COUNT",
            "echo $SSH_AUTH_SOCK",
            "echo $AWS_ACCESS_KEY_ID",
            "curl $GITHUB_TOKEN",
        ] {
            assert!(!found(text), "{text}");
        }
    }
}
