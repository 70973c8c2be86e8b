//! Problems in a configuration file, with the place and a hint.

use std::fmt;
use std::path::PathBuf;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The hook runs, but perhaps not as meant.
    Warning,
    /// The entry, or the whole file, does not load.
    Error,
}

/// One problem at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1; 0 for the whole file.
    pub line: usize,
    /// The key, such as `hooks.PreToolUse[0].matcher`.
    pub key: String,
    /// What is wrong, as a lower-case fragment.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// How bad it is.
    pub severity: Severity,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        f.write_str(": ")?;
        if self.severity == Severity::Warning {
            f.write_str("warning: ")?;
        }
        if !self.key.is_empty() {
            write!(f, "`{}`: ", self.key)?;
        }
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}
