//! What was learnt, the code, and their vectors: the truth from which indexes are made.
//!
//! Each row that changes gets a new number in a log ([`Reader::shelf_changes`]), in the same transaction. An
//! index that knows up to which number it has read is brought up to date by reading on, after whatever
//! interruption.

mod code;
mod extraction;
mod memory;
mod reword;
mod shelf;
mod vector;

pub use code::{ChunkRow, CodeFile, CodeFileRow, NewChunk};
pub use extraction::{END_OF_SESSION, Extraction, Extractions, FailedExtraction};
pub use memory::{
    AddedMemory, CONTRADICTS, MemoryChange, MemoryFilter, MemoryKind, MemoryRow, MemoryStatus,
    NewMemory, Trust,
};
pub(crate) use reword::secure_delete;
pub use reword::{Reworded, Rewording};
pub use shelf::{RecallNumbers, Shelf, ShelfChange, ShelfRow};
pub use vector::{NewVector, Unembedded};

use rusqlite::Connection;

use crate::millis::Millis;
use crate::write::Group;

/// An enumeration that is stored as a word.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$what:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, schemars::JsonSchema, serde::Serialize, serde::Deserialize)]
        #[schemars(inline)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$what])* $variant,)+ }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The word that is stored.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// Reads the word.
            pub fn parse(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.word() == word)
            }
        }

        impl rusqlite::types::FromSql for $name {
            fn column_result(value: rusqlite::types::ValueRef<'_>) -> rusqlite::types::FromSqlResult<Self> {
                Self::parse(value.as_str()?).ok_or(rusqlite::types::FromSqlError::InvalidType)
            }
        }
    };
}
pub(crate) use words;

/// The key of a project, which is made known if it is not.
fn project_key(db: &Connection, path: &str, at: Millis) -> rusqlite::Result<i64> {
    let known = "SELECT pk FROM projects WHERE path = ?1";
    let mut known = db.prepare_cached(known)?;
    let mut rows = known.query([path])?;
    if let Some(row) = rows.next()? {
        return row.get(0);
    }
    let sql = "INSERT INTO projects (path, first_seen, last_seen) VALUES (?1, ?2, ?2) RETURNING pk";
    db.prepare_cached(sql)?
        .query_row((path, at), |row| row.get(0))
}

impl Group<'_> {
    /// Runs a statement of recall inside the group.
    fn recall<T>(
        &mut self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, crate::Error> {
        let done = self.atomically(|group| Ok(work(group.db())?));
        done.map_err(|error| self.writer.failed(error))
    }
}
