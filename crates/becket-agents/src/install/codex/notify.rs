//! Registers Becket as Codex's `notify` program, which Codex runs at the end of a turn.
//!
//! It needs no trust, so it also reports turns in which hooks do not run. Codex allows only one such program:
//! an existing one is kept behind ours, which forwards every notification to it.
//!
//! ```toml
//! notify = ["/usr/local/bin/becket", "notify", "--then", "notify-send", "Codex"]
//! ```

use toml_edit::{Item, Value};

use crate::edit::command::is_becket;
use crate::edit::{EditError, FileEdit, TomlDocument, toml_string};
use crate::install::plan::check_binary;
use crate::install::strict::passes_verbatim;

const KEY: &str = "notify";

/// Precedes the program that was configured before.
const THEN: &str = "--then";

/// The user's `config.toml` with Becket as the `notify` program.
pub fn plan_notify(config: Option<&str>, binary: &str) -> Result<FileEdit, EditError> {
    check_binary(binary, passes_verbatim)?;
    let before = config.unwrap_or_default();
    let mut document = TomlDocument::parse(before)?;
    let there = words(&document)?;
    let mut line = vec![binary.to_owned(), KEY.to_owned()];
    match there.as_deref().map(program_behind_ours) {
        Some(Ok(behind)) => line.extend(chained(behind)),
        Some(Err(theirs)) => line.extend(chained(theirs)),
        None => {}
    }
    let mut edit = FileEdit::default();
    let report = vec![KEY.to_owned()];
    match document.item(&[KEY]).and_then(Item::span) {
        Some(_) if there.as_ref() == Some(&line) => {}
        Some(span) => {
            document.replace(span, &array(&line))?;
            edit.updated = report;
        }
        None => {
            // A key after the first table header would belong to that table.
            let newline = if before.contains("\r\n") {
                "\r\n"
            } else {
                "\n"
            };
            let text = format!("{KEY} = {}{newline}", array(&line));
            document.replace(0..0, &text)?;
            edit.added = report;
        }
    }
    edit.text = document.into_text();
    edit.changed = edit.text != before;
    Ok(edit)
}

/// The user's `config.toml` as it was before [`plan_notify`].
pub fn plan_unnotify(config: &str) -> Result<FileEdit, EditError> {
    let mut document = TomlDocument::parse(config)?;
    let mut edit = FileEdit::default();
    if let Some(there) = words(&document)?
        && let Ok(behind) = program_behind_ours(&there)
        && let Some(span) = document.item(&[KEY]).and_then(Item::span)
    {
        if behind.is_empty() {
            let start = config[..span.start].rfind('\n').map_or(0, |at| at + 1);
            let rest = &config[span.end..];
            let end = rest.find('\n').map_or(config.len(), |at| span.end + at + 1);
            document.replace(start..end, "")?;
        } else {
            document.replace(span, &array(behind))?;
        }
        edit.removed = vec![KEY.to_owned()];
    }
    edit.text = document.into_text();
    edit.changed = edit.text != config;
    edit.delete = edit.text.is_empty() && !config.is_empty();
    Ok(edit)
}

/// The configured program and its arguments.
fn words(document: &TomlDocument) -> Result<Option<Vec<String>>, EditError> {
    let Some(item) = document.item(&[KEY]) else {
        return Ok(None);
    };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let words = item
        .as_array()
        .and_then(|array| array.iter().map(text).collect());
    match words {
        Some(words) => Ok(Some(words)),
        None => Err(EditError::Unexpected {
            at: document.position(item.span().map_or(0, |span| span.start)),
            key: KEY.to_owned(),
            expected: "an array of strings",
            found: item.type_name(),
        }),
    }
}

/// The program behind ours; as an error, the whole line if it is not ours.
fn program_behind_ours(line: &[String]) -> Result<&[String], &[String]> {
    match line {
        [program, word, then, rest @ ..] if is_becket(program) && word == KEY && then == THEN => {
            Ok(rest)
        }
        [program, word] if is_becket(program) && word == KEY => Ok(&[]),
        all => Err(all),
    }
}

fn chained(program: &[String]) -> Vec<String> {
    if program.is_empty() {
        return Vec::new();
    }
    let then = std::iter::once(THEN.to_owned());
    then.chain(program.iter().cloned()).collect()
}

fn array(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| toml_string(word)).collect();
    format!("[{}]", words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BINARY: &str = "/opt/becket";

    fn notified(config: &str) -> String {
        plan_notify(Some(config), BINARY).unwrap().text
    }

    #[test]
    fn existing_notify_program_is_kept_behind_ours() {
        for (config, expected) in [
            ("", "notify = [\"/opt/becket\", \"notify\"]\n"),
            (
                "model = \"x\" # mine\n\n[tui]\na = 1\n",
                "notify = [\"/opt/becket\", \"notify\"]\nmodel = \"x\" # mine\n\n[tui]\na = 1\n",
            ),
            (
                "notify = ['notify-send', \"Codex\"] # mine\n",
                "notify = [\"/opt/becket\", \"notify\", \"--then\", \"notify-send\", \"Codex\"] # mine\n",
            ),
            (
                "notify = [\"/old/becket\", \"notify\", \"--then\", \"x\"]\n",
                "notify = [\"/opt/becket\", \"notify\", \"--then\", \"x\"]\n",
            ),
        ] {
            assert_eq!(notified(config), expected);
            assert_eq!(notified(expected), expected, "twice is once");
        }
    }

    #[test]
    fn removal_restores_the_previous_program() {
        for config in [
            "model = \"x\"\n\n[tui]\na = 1\n",
            "\r\n[tui]\r\na = 1\r\n",
            "notify = [\"notify-send\", \"Codex\"] # mine\nmodel = \"x\"\n",
            "# only a comment",
        ] {
            assert_eq!(plan_unnotify(&notified(config)).unwrap().text, config);
        }
        assert!(plan_unnotify(&notified("")).unwrap().delete);
        let theirs = "notify = [\"notify-send\"]\n";
        assert!(!plan_unnotify(theirs).unwrap().changed);
    }

    #[test]
    fn invalid_notify_value_is_reported() {
        let error = plan_notify(Some("notify = \"say\"\n"), BINARY).unwrap_err();
        assert!(error.to_string().contains("notify"), "{error}");
        assert!(plan_notify(None, "/bin/sh").is_err());
    }
}
