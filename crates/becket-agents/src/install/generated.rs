//! The installer for agents that read a directory of files, in which Becket has its own files.
//!
//! A file of ours has a comment near its top that says so and names the program it runs. A file without that
//! line belongs to the user and is never overwritten or deleted.

use std::fmt::Write as _;

use crate::edit::{EditError, FileEdit};

use super::plan::check_binary;
use super::strict::passes_verbatim;
use super::{DetectionHints, InstallScope, InstalledEntry, Installer, SettingsFile, StaleReason};

/// Follows the comment sign on the line that marks a file as ours; then comes the program as a JSON string.
const MARK: &str = "Written by `becket init`, removed by `becket uninstall`. Runs";

/// The number of lines that are searched: a script has its interpreter on the first line.
const MARKED_WITHIN: usize = 2;

/// The files and their contents.
pub(super) struct GeneratedInstaller {
    pub(super) agent: &'static str,
    pub(super) detection_hints: DetectionHints,
    pub(super) user: &'static [SettingsFile],
    pub(super) project: &'static [SettingsFile],
    pub(super) events: &'static [&'static str],
    pub(super) content: GeneratedContent,
    pub(super) next_steps: Option<&'static str>,
}

/// The contents of a file of ours.
pub(super) enum GeneratedContent {
    /// One JavaScript or TypeScript module for all events; takes the program's path.
    Plugin(fn(&str) -> String),
    /// One shell script for each event, named after it; takes event and program.
    Script(fn(&str, &str) -> String),
}

impl GeneratedInstaller {
    fn text(&self, file: &SettingsFile, binary: &str) -> String {
        match self.content {
            GeneratedContent::Plugin(source) => {
                format!("// {MARK} {}\n{}", ascii_literal(binary), source(binary))
            }
            GeneratedContent::Script(source) => format!(
                "#!/bin/sh\n# {MARK} {}\n{}",
                ascii_literal(binary),
                source(file.name(), binary)
            ),
        }
    }

    fn events_of(&self, file: &SettingsFile) -> Vec<String> {
        match self.content {
            GeneratedContent::Plugin(_) => self.events.iter().copied().map(str::to_owned).collect(),
            GeneratedContent::Script(_) => vec![file.name().to_owned()],
        }
    }

    fn marked<'t>(&self, text: &'t str) -> Option<OwnershipMark<'t>> {
        let sign = match self.content {
            GeneratedContent::Plugin(_) => "// ",
            GeneratedContent::Script(_) => "# ",
        };
        let mut lines = text.lines().take(MARKED_WITHIN).enumerate();
        lines.find_map(|(index, line)| {
            let rest = line.strip_prefix(sign)?.strip_prefix(MARK)?;
            Some(OwnershipMark {
                line: index + 1,
                text: line,
                binary: serde_json::from_str(rest.trim()).ok(),
            })
        })
    }
}

/// The line that marks a file as ours.
struct OwnershipMark<'t> {
    line: usize,
    text: &'t str,
    binary: Option<String>,
}

impl Installer for GeneratedInstaller {
    fn agent(&self) -> &'static str {
        self.agent
    }

    fn detection_hints(&self) -> DetectionHints {
        self.detection_hints
    }

    fn files(&self, scope: InstallScope) -> &'static [SettingsFile] {
        match scope {
            InstallScope::User => self.user,
            InstallScope::Project => self.project,
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
    ) -> Result<FileEdit, EditError> {
        check_binary(binary, passes_verbatim)?;
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
        Ok(FileEdit {
            text,
            changed,
            added,
            updated,
            ..FileEdit::default()
        })
    }

    /// Deletes a file of ours, even if it was edited: its first lines announce that.
    fn plan_uninstall(&self, file: &SettingsFile, existing: &str) -> Result<FileEdit, EditError> {
        if self.marked(existing).is_none() {
            return Ok(FileEdit {
                text: existing.to_owned(),
                ..FileEdit::default()
            });
        }
        Ok(FileEdit {
            changed: true,
            delete: true,
            removed: self.events_of(file),
            ..FileEdit::default()
        })
    }

    fn installed(&self, file: &SettingsFile, existing: &str) -> Vec<InstalledEntry> {
        let Some(mark) = self.marked(existing) else {
            return Vec::new();
        };
        let ours = mark.binary.as_deref().map(|binary| self.text(file, binary));
        let stale = (ours.as_deref() != Some(existing)).then_some(StaleReason::Edited);
        let entry = |event: String| InstalledEntry {
            event,
            command: mark.text.to_owned(),
            line: mark.line,
            binary: mark.binary.clone(),
            stale,
        };
        self.events_of(file).into_iter().map(entry).collect()
    }

    fn next_steps(&self) -> Option<&'static str> {
        self.next_steps
    }
}

/// A JSON string without any line break: JavaScript ends a comment at more characters than `\n`.
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
