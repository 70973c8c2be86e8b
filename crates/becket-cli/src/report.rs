//! Printing for people and for programs: data to stdout, talk to stderr, colours only on a terminal.

use std::io::{IsTerminal, Write};

use becket::EnvVars;
use becket::env::{ProcessEnv, Vars};
use serde_json::Value;

use crate::table::fit;

/// Every JSON document Becket prints carries this.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// Prints a document for a program.
pub(crate) fn print_json(value: &Value) -> anyhow::Result<()> {
    print(&format!("{}\n", serde_json::to_string_pretty(value)?));
    Ok(())
}

/// Prints data. A reader that has gone (`| head`) is no error.
pub(crate) fn print(text: &str) {
    try_print(text);
}

/// Prints data; whether somebody still reads.
pub(crate) fn try_print(text: &str) -> bool {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.is_ok()
}

/// Tells the person something beside the data.
pub(crate) fn talk(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Asks a yes-or-no question; without a terminal the answer is no.
pub(crate) fn confirm(question: &str) -> bool {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        return false;
    }
    let _ = write!(std::io::stderr().lock(), "{question} [y/N] ");
    let mut answer = String::new();
    stdin.read_line(&mut answer).is_ok()
        && matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

/// Says that something was not done because nobody said yes, and how to say so where nobody can be asked.
pub(crate) fn declined(what: &str) {
    let hint = if std::io::stdin().is_terminal() {
        ""
    } else {
        " (Use --yes where there is no terminal.)"
    };
    talk(&format!("becket: {what}.{hint}"));
}

/// Colours for stdout.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    on: bool,
}

impl Style {
    pub(crate) fn stdout() -> Self {
        Self {
            on: std::io::stdout().is_terminal() && ProcessEnv.get(EnvVars::NO_COLOR).is_none(),
        }
    }

    /// Without any.
    pub(crate) fn plain() -> Self {
        Self { on: false }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.on {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }

    pub(crate) fn good(self, text: &str) -> String {
        self.paint("32", text)
    }

    pub(crate) fn bad(self, text: &str) -> String {
        self.paint("31", text)
    }

    pub(crate) fn warn(self, text: &str) -> String {
        self.paint("33", text)
    }

    pub(crate) fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    pub(crate) fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    /// A unified diff, coloured line by line.
    pub(crate) fn diff(self, diff: &str) -> String {
        diff.lines()
            .map(|line| match line.as_bytes().first() {
                Some(b'+') => self.good(line),
                Some(b'-') => self.bad(line),
                Some(b'@') => self.dim(line),
                _ => line.to_owned(),
            })
            .fold(String::new(), |all, line| all + &line + "\n")
    }
}

/// Text that came from outside, safe to show: control characters are made visible, and so are those that
/// turn the direction of writing and would show a command other than the one that runs.
pub(crate) fn tame(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            if (c.is_control() && c != '\n' && c != '\t') || turns_direction(c) {
                c.escape_default().collect::<Vec<_>>()
            } else {
                vec![c]
            }
        })
        .collect()
}

fn turns_direction(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The first line, cut to fit so many columns.
pub(crate) fn one_line(text: &str, width: usize) -> String {
    let line = tame(
        text.lines()
            .find(|line| !line.trim().is_empty())
            .unwrap_or_default()
            .trim(),
    );
    fit(&line, width)
}

#[cfg(test)]
mod tests {
    use super::tame;

    #[test]
    fn what_would_move_the_cursor_or_turn_the_text_is_made_visible() {
        for (text, expected) in [
            ("plain é\n\tline", "plain é\n\tline"),
            ("a\x1b[2Jb\r", "a\\u{1b}[2Jb\\r"),
            ("rm \u{202e}cba", "rm \\u{202e}cba"),
            ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"),
        ] {
            assert_eq!(tame(text), expected);
        }
    }
}
