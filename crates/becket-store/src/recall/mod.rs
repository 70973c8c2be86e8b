//! Memories, indexed code and their vectors: the source of truth for the search indexes.
//!
//! A change log ([`StoreReader::corpus_changes`](crate::StoreReader::corpus_changes)) gives each changed row a new
//! sequence number in the same transaction. An index remembers the last number it has read and catches up from
//! there, even after a crash.

mod code;
mod corpus;
mod edit;
mod extraction;
mod memory;
mod vector;

pub use code::{ChunkRow, CodeFile, CodeFileRow, NewChunk};
pub use corpus::{CorpusChange, CorpusKind, CorpusRow, RecallCounts};
pub(crate) use edit::secure_delete;
pub use edit::{EditResult, MemoryEdit};
pub use extraction::{ExtractionCounts, ExtractionJob, FailedExtraction, SESSION_END_PREFIX};
pub use memory::{
    AddedMemory, CONTRADICTS, MemoryChange, MemoryFilter, MemoryKind, MemoryRow, MemoryStatus,
    NewMemory, Trust,
};
pub use vector::{NewVector, UnembeddedRow};

use rusqlite::Connection;

use crate::millis::Millis;
use crate::write::WriteTransaction;

/// Defines an enum that is stored as text.
macro_rules! stored_enum {
    ($(#[$doc:meta])* $name:ident { $($(#[$what:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, schemars::JsonSchema, serde::Serialize, serde::Deserialize)]
        #[schemars(inline)]
        #[serde(rename_all = "snake_case")]
        pub enum $name { $($(#[$what])* $variant,)+ }

        impl $name {
            /// All variants.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The stored word.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            /// Parses the stored word.
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
pub(crate) use stored_enum;

/// The row id of a project, which is created if it does not exist.
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

impl WriteTransaction<'_> {
    /// Runs statements in a savepoint of the transaction.
    fn with_connection<T>(
        &mut self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, crate::Error> {
        let done = self.in_savepoint(|transaction| Ok(work(transaction.db())?));
        done.map_err(|error| self.writer.failed(error))
    }
}
