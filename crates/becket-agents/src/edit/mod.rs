//! Minimal edits of other programs' JSON and TOML files: text in, text out.
//!
//! An agent's settings belong to the user: comments, indentation, key order, line endings, a byte order mark
//! and trailing commas are kept, because an edit is a splice at a known byte position and never a reprint.
//! Every splice has an exact inverse, so adding and then removing restores the original bytes (see
//! [`JsonDocument::append_member`] and [`JsonDocument::remove`]).
//!
//! Nothing here opens a file, and nothing here knows what a hook is. Start at [`JsonDocument`], or at
//! [`TomlDocument`] for the few TOML settings. [`FileEdit`] is the result of an install plan, [`diff`] shows
//! it to the user, and [`command`] reads and writes the shell line that marks an entry as ours.

pub mod command;
mod container;
mod diff;
mod document;
mod layout;
#[cfg(test)]
mod tests;
mod toml;
mod toml_set;
mod tree;
mod trivia;

use std::fmt;

pub use diff::diff;
pub use document::JsonDocument;
pub use toml::{TomlDocument, toml_string};
pub use toml_set::TomlStep;
pub use tree::{JsonMember, JsonNode, JsonShape};

/// A planned change of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileEdit {
    /// The complete new text of the file; equal to the old text unless `changed`.
    pub text: String,
    /// Whether there is anything to write.
    pub changed: bool,
    /// The file contains only what we wrote: delete it instead of writing `text`.
    pub delete: bool,
    /// Events that gained an entry.
    pub added: Vec<String>,
    /// Events whose existing entry was corrected in place, or reduced from several to one.
    pub updated: Vec<String>,
    /// Events that lost their entry.
    pub removed: Vec<String>,
    /// Warnings for the user about a valid plan, as lower-case sentences.
    pub warnings: Vec<String>,
}

/// A position in a text, counted from one, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextPosition {
    /// The line.
    pub line: usize,
    /// The character within the line.
    pub column: usize,
}

impl fmt::Display for TextPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a file could not be edited. The file is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The text is not JSON, even with comments and trailing commas allowed.
    #[error("not valid JSON at {at}: {message}")]
    Syntax {
        /// Where parsing stopped.
        at: TextPosition,
        /// The parser's message.
        message: String,
    },
    /// A key that we need has an unexpected type.
    #[error("`{key}` at {at} should be {expected}, but is {found}")]
    Unexpected {
        /// Where the value begins.
        at: TextPosition,
        /// The key path.
        key: String,
        /// The expected type.
        expected: &'static str,
        /// The actual type.
        found: &'static str,
    },
    /// The command could not be recognised as ours later.
    #[error("`{binary}` is not named `becket`, so Becket could not recognise its entries later")]
    Binary {
        /// The given path.
        binary: String,
    },
    /// The agent would not run a program with this path.
    #[error("`{binary}` cannot be installed from this path: {reason}")]
    Path {
        /// The given path.
        binary: String,
        /// What the agent would do with it.
        reason: &'static str,
    },
    /// A file that should be ours alone has other contents.
    #[error("the file already exists and Becket did not write it")]
    NotOurs,
    /// The text is not TOML.
    #[error("not valid TOML at {at}: {message}")]
    Toml {
        /// Where parsing stopped.
        at: TextPosition,
        /// The parser's message.
        message: String,
    },
    /// Becket does not edit files of this format.
    #[error("Becket cannot edit {format}; change it by hand: {hint}")]
    Format {
        /// The name of the format.
        format: &'static str,
        /// The entry to add by hand.
        hint: String,
    },
    /// The value at this key no longer exists.
    #[error("`{key}` is no longer in the file")]
    Gone {
        /// The key.
        key: String,
    },
    /// The caller asked for a position that the document does not have.
    #[error("the document has no {expected} at {path:?}")]
    NoSuchPath {
        /// The child indices that were followed.
        path: Vec<usize>,
        /// What was expected there.
        expected: &'static str,
    },
}

impl EditError {
    /// The position of the problem, if it is in the text.
    pub fn position(&self) -> Option<TextPosition> {
        match self {
            Self::Syntax { at, .. } | Self::Unexpected { at, .. } | Self::Toml { at, .. } => {
                Some(*at)
            }
            Self::Binary { .. }
            | Self::Path { .. }
            | Self::NotOurs
            | Self::Format { .. }
            | Self::Gone { .. }
            | Self::NoSuchPath { .. } => None,
        }
    }
}
