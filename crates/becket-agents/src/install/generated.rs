//! The installer of an agent that reads a directory of files, where Becket has files of its own.
//!
//! A file of ours says so in a comment near its top, with the program that it runs. A file without
//! that line is somebody else's and is never overwritten or deleted.

use std::fmt::Write as _;

use crate::edit::{Edit, EditError};

use super::plan::check_binary;
use super::strict::passes;
use super::{InstalledEntry, Installer, Scope, SettingsFile, Stale, Traces};

/// Follows the comment sign on the line that makes a file ours; the program as a JSON string is next.
const MARK: &str = "Written by `becket init`, removed by `becket uninstall`. Runs";

/// A script has its interpreter on the first line.
const MARKED_WITHIN: usize = 2;

/// Which files, and what is in them.
pub(super) struct GeneratedInstaller {
    pub(super) agent: &'static str,
    pub(super) traces: Traces,
    pub(super) user: &'static [SettingsFile],
    pub(super) project: &'static [SettingsFile],
    pub(super) events: &'static [&'static str],
    pub(super) content: Content,
    pub(super) afterwards: Option<&'static str>,
}

/// What a file of ours contains.
pub(super) enum Content {
    /// One JavaScript or TypeScript module for all events, given the program's path.
    Plugin(fn(&str) -> String),
    /// One shell script for each event, named after it; given event and program.
    Script(fn(&str, &str) -> String),
}

impl GeneratedInstaller {
    fn text(&self, file: &SettingsFile, binary: &str) -> String {
        match self.content {
            Content::Plugin(source) => {
                format!("// {MARK} {}\n{}", ascii_literal(binary), source(binary))
            }
            Content::Script(source) => format!(
                "#!/bin/sh\n# {MARK} {}\n{}",
                ascii_literal(binary),
                source(file.name(), binary)
            ),
        }
    }

    fn events_of(&self, file: &SettingsFile) -> Vec<String> {
        match self.content {
            Content::Plugin(_) => self.events.iter().copied().map(str::to_owned).collect(),
            Content::Script(_) => vec![file.name().to_owned()],
        }
    }

    fn marked<'t>(&self, text: &'t str) -> Option<Mark<'t>> {
        let sign = match self.content {
            Content::Plugin(_) => "// ",
            Content::Script(_) => "# ",
        };
        let mut lines = text.lines().take(MARKED_WITHIN).enumerate();
        lines.find_map(|(index, line)| {
            let rest = line.strip_prefix(sign)?.strip_prefix(MARK)?;
            Some(Mark {
                line: index + 1,
                text: line,
                binary: serde_json::from_str(rest.trim()).ok(),
            })
        })
    }
}

/// The line that makes a file ours.
struct Mark<'t> {
    line: usize,
    text: &'t str,
    binary: Option<String>,
}

impl Installer for GeneratedInstaller {
    fn agent(&self) -> &'static str {
        self.agent
    }

    fn traces(&self) -> Traces {
        self.traces
    }

    fn files(&self, scope: Scope) -> &'static [SettingsFile] {
        match scope {
            Scope::User => self.user,
            Scope::Project => self.project,
        }
    }

    fn events(&self) -> &'static [&'static str] {
        self.events
    }

    fn plan_install(
        &self,
        file: &SettingsFile,
        existing: Option<&str>,
        binary: &str,
    ) -> Result<Edit, EditError> {
        check_binary(binary, passes)?;
        let before = existing.unwrap_or_default();
        if !before.is_empty() && self.marked(before).is_none() {
            return Err(EditError::NotOurs);
        }
        let text = self.text(file, binary);
        let changed = text != before;
        let events = if changed {
            self.events_of(file)
        } else {
            Vec::new()
        };
        let (added, updated) = if before.is_empty() {
            (events, Vec::new())
        } else {
            (Vec::new(), events)
        };
        Ok(Edit {
            text,
            changed,
            added,
            updated,
            ..Edit::default()
        })
    }

    /// Deletes a file of ours, also one that was edited: its first lines say that this will happen.
    fn plan_uninstall(&self, file: &SettingsFile, existing: &str) -> Result<Edit, EditError> {
        if self.marked(existing).is_none() {
            return Ok(Edit {
                text: existing.to_owned(),
                ..Edit::default()
            });
        }
        Ok(Edit {
            changed: true,
            delete: true,
            removed: self.events_of(file),
            ..Edit::default()
        })
    }

    fn installed(&self, file: &SettingsFile, existing: &str) -> Vec<InstalledEntry> {
        let Some(mark) = self.marked(existing) else {
            return Vec::new();
        };
        let ours = mark.binary.as_deref().map(|binary| self.text(file, binary));
        let stale = (ours.as_deref() != Some(existing)).then_some(Stale::Edited);
        let entry = |event: String| InstalledEntry {
            event,
            command: mark.text.to_owned(),
            line: mark.line,
            binary: mark.binary.clone(),
            stale,
        };
        self.events_of(file).into_iter().map(entry).collect()
    }

    fn afterwards(&self) -> Option<&'static str> {
        self.afterwards
    }
}

/// A JSON string without line breaks of any kind: JavaScript ends a comment at more than `\n`.
fn ascii_literal(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    let mut out = String::with_capacity(quoted.len());
    for c in quoted.chars() {
        if c.is_ascii() && !c.is_ascii_control() {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::ascii_literal;

    #[test]
    fn a_literal_has_one_line_and_means_the_same() {
        for text in ["/a b/becket", "é\u{2028}\n\u{7f}\"\\", "🦀"] {
            let literal = ascii_literal(text);
            assert!(literal.is_ascii() && !literal.contains(char::is_control));
            assert_eq!(serde_json::from_str::<String>(&literal).unwrap(), text);
        }
    }
}
