//! Output for people and programs: data to standard output, messages to standard error, colors only on a terminal.

use std::io::{IsTerminal, Write};

use becket::EnvVars;
use becket::env::{ProcessEnv, Vars};
use becket_base::text::columns::ellipsize;
pub(crate) use becket_base::text::escape_controls as sanitize;
use serde_json::Value;

/// Version field of every JSON document that Becket prints.
pub(crate) const SCHEMA_VERSION: u32 = 1;

/// Prints a JSON document to standard output.
pub(crate) fn print_json(value: &Value) -> anyhow::Result<()> {
    print(&format!("{}\n", serde_json::to_string_pretty(value)?));
    Ok(())
}

/// Prints data. A closed pipe (`| head`) is not an error.
pub(crate) fn print(text: &str) {
    try_print(text);
}

/// Prints data; returns false once the reader has closed the pipe.
pub(crate) fn try_print(text: &str) -> bool {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.is_ok()
}

/// Prints a message to standard error, so that it does not mix with data.
pub(crate) fn print_message(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// Asks a yes-or-no question. Without a terminal the answer is no.
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

/// Reports that the user did not confirm. Without a terminal it also points to `--yes`.
pub(crate) fn print_declined(what: &str) {
    let hint = if std::io::stdin().is_terminal() {
        ""
    } else {
        " (Pass --yes to confirm without a terminal.)"
    };
    print_message(&format!("becket: {what}.{hint}"));
}

/// ANSI colors for standard output.
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

    /// No colors.
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

    /// Colors a unified diff line by line.
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

/// The first non-empty line, sanitized and truncated to `width` columns.
pub(crate) fn one_line(text: &str, width: usize) -> String {
    let line = sanitize(
        text.lines()
            .find(|line| !line.trim().is_empty())
            .unwrap_or_default()
            .trim(),
    );
    ellipsize(&line, width).into_owned()
}
