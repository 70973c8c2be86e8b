//! Secrets that a command prints from variables. The analyzed word has a gap where the value would be; only the
//! original text contains the variable's name.

use super::report::FindingReport;
use super::{dataflow, readers, transfer};
use crate::command::{Invocation, Script, Stdin, UNKNOWN, Word};
use crate::redact;
use crate::rule::Finding;
use crate::rules;

/// Checks whether a command of `script` prints variables that hold secrets: `echo $GITHUB_TOKEN`. The spans of
/// `command` refer to `text`.
pub fn check(text: &str, command: &Invocation, script: &Script, found: &mut Vec<Finding>) {
    let shows = matches!(
        command.program.as_str(),
        "echo" | "printf" | "print" | "cat" | "logger" | "wall" | "say"
    );
    if !shows || !command.redirects.is_empty() || is_piped_to_login(command, script) {
        return;
    }
    let names_one = |word: &Word| {
        !word.is_known()
            && text
                .get(word.span.start..word.span.end)
                .is_some_and(|written| variables(written).any(redact::names_secret))
    };
    // `cat <<< "$TOKEN"`
    let fed = matches!(&command.stdin, Stdin::Text(fed) if fed.contains(UNKNOWN))
        && text
            .get(command.span.start..command.span.end)
            .is_some_and(|written| {
                written.contains("<<") && variables(written).any(redact::names_secret)
            });
    if fed || command.args.iter().any(names_one) {
        FindingReport::for_command(command, found).add_command(&rules::SECRETS_VARIABLE);
    }
}

/// `echo $TOKEN | docker login --password-stdin` is the recommended way to log in.
fn is_piped_to_login(command: &Invocation, script: &Script) -> bool {
    let reader = dataflow::index_of(command, script).and_then(|at| dataflow::reader_of(at, script));
    reader.is_some_and(|reader| {
        !readers::is_reader(&reader.program) && !transfer::sends_stdin(reader)
    })
}

/// The names in `$NAME`, `${NAME}`, `${!NAME}` and `${NAME:0:4}`. `${#NAME}` and `${NAME:+set}` reveal only whether
/// a value exists and do not count.
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
        found_before(text, "")
    }

    fn found_before(text: &str, reader: &str) -> bool {
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
        let reader = Invocation {
            program: reader.into(),
            sources: if reader.is_empty() {
                Vec::new()
            } else {
                vec![0]
            },
            ..Invocation::default()
        };
        let mut found = Vec::new();
        let script = Script {
            commands: vec![command, reader],
            doubts: Vec::new(),
        };
        check(text, &script.commands[0], &script, &mut found);
        found
            .iter()
            .any(|finding| finding.rule == &rules::SECRETS_VARIABLE)
    }

    #[test]
    fn secret_variables_are_found_when_printed_but_not_when_tested() {
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

    #[test]
    fn secret_piped_to_a_login_is_not_printed() {
        assert!(!found_before("echo $API_TOKEN", "docker"));
        for reader in ["base64", "cat", "nc"] {
            assert!(found_before("echo $API_TOKEN", reader), "{reader}");
        }
    }
}
