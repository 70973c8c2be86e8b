//! Small edits of other people's JSON and TOML files, as text in and text out.
//!
//! An agent's settings belong to the person: comments, indentation, key order, line endings, a byte
//! order mark and trailing commas are all kept, because a change is a splice at a known byte position
//! and never a reprint. Every splice has an exact inverse, so that adding and then removing gives
//! back the original bytes (see [`Document::append_member`] and [`Document::remove`]).
//!
//! Nothing here opens a file, and nothing here knows what a hook is. Start at [`Document`], or at
//! [`TomlDocument`] for the few settings that are TOML; [`Edit`] is the answer that an agent's install
//! plan gives, [`diff`] shows it to a person, and [`command`] reads and writes the one shell line that
//! marks an entry as ours.

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
pub use document::Document;
pub use toml::{TomlDocument, toml_string};
pub use toml_set::Step;
pub use tree::{Member, Node, Shape};

/// What a plan wants a file to become.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edit {
    /// The whole new text of the file; equal to the old text unless `changed`.
    pub text: String,
    /// Whether there is anything to write at all.
    pub changed: bool,
    /// The file holds nothing but what we put there: remove it instead of writing `text`.
    pub delete: bool,
    /// Events that gained an entry.
    pub added: Vec<String>,
    /// Events whose entry was there and was corrected in place, or reduced from several to one.
    pub updated: Vec<String>,
    /// Events that lost their entry.
    pub removed: Vec<String>,
    /// What the person should know although the plan is sound, as lower-case sentences.
    pub warnings: Vec<String>,
}

/// A place in a text, both numbers counted from one, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character within the line.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a file could not be edited. It is left as it was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The text is not JSON, even with comments and trailing commas allowed.
    #[error("not valid JSON at {at}: {message}")]
    Syntax {
        /// Where reading stopped.
        at: Position,
        /// What was wrong there.
        message: String,
    },
    /// A key that we need holds something we do not understand.
    #[error("`{key}` at {at} should be {expected}, but is {found}")]
    Unexpected {
        /// Where the value begins.
        at: Position,
        /// The key, with the keys above it.
        key: String,
        /// The type that would have been understood.
        expected: &'static str,
        /// The type that is there.
        found: &'static str,
    },
    /// The command to install would not be recognised as ours afterwards.
    #[error("`{binary}` is not called `becket`, so its entries could not be found again")]
    Binary {
        /// The path that was given.
        binary: String,
    },
    /// The agent would not run a program with this path.
    #[error("`{binary}` cannot be installed from where it is: {reason}")]
    Path {
        /// The path that was given.
        binary: String,
        /// What would happen to it.
        reason: &'static str,
    },
    /// A file that would have to be ours alone holds something else.
    #[error("the file is there already and Becket did not write it")]
    NotOurs,
    /// The text is not TOML.
    #[error("not valid TOML at {at}: {message}")]
    Toml {
        /// Where reading stopped.
        at: Position,
        /// What was wrong there.
        message: String,
    },
    /// Becket does not edit files of this format.
    #[error("{format} is not edited by Becket; change it by hand: {hint}")]
    Format {
        /// The name of the format.
        format: &'static str,
        /// What an entry has to look like.
        hint: String,
    },
    /// What was read at this key is not there any more.
    #[error("`{key}` is not in the file any more")]
    Gone {
        /// The key.
        key: String,
    },
    /// The caller asked for a place that the document does not have.
    #[error("the document has no {expected} at {path:?}")]
    NoSuchPlace {
        /// The child indices that were followed.
        path: Vec<usize>,
        /// What was looked for there.
        expected: &'static str,
    },
}

impl EditError {
    /// Where in the text the trouble is, if it is in the text.
    pub fn position(&self) -> Option<Position> {
        match self {
            Self::Syntax { at, .. } | Self::Unexpected { at, .. } | Self::Toml { at, .. } => {
                Some(*at)
            }
            Self::Binary { .. }
            | Self::Path { .. }
            | Self::NotOurs
            | Self::Format { .. }
            | Self::Gone { .. }
            | Self::NoSuchPlace { .. } => None,
        }
    }
}
