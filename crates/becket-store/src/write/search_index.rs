//! The full-text search index.

use rusqlite::Connection;

use super::activities::stored_tokens;
use super::transaction::{SqlResult, WriteTransaction};
use crate::tokenize::IndexTokens;

/// Index entries of activities have even row ids, those of messages odd ones.
pub(super) fn activity_entry(pk: i64, words: IndexTokens) -> (i64, IndexTokens) {
    (2 * pk, words)
}

pub(super) fn message_entry(pk: i64, words: IndexTokens) -> (i64, IndexTokens) {
    (2 * pk + 1, words)
}

impl WriteTransaction<'_> {
    /// Writes pending index entries. Each statement that may fail half-way makes SQLite flush its pending FTS data
    /// to the file, so entries are collected and written together. Call this before deleting an indexed row.
    pub(super) fn flush_tokens(&mut self) -> SqlResult<()> {
        let db = &self.writer.reader.connection;
        for (row, words) in self.pending_tokens.drain(..) {
            insert_entry(db, row, &words)?;
        }
        Ok(())
    }
}

fn insert_entry(db: &Connection, row: i64, words: &IndexTokens) -> rusqlite::Result<()> {
    let sql = "INSERT INTO search (rowid, body, whole) VALUES (?1, ?2, ?3)";
    let values = (row, &words.body, &words.whole);
    db.prepare_cached(sql)?.execute(values)?;
    Ok(())
}

/// Indexes all rows, for a database that was created before there was an index.
pub(crate) fn backfill_search_index(db: &Connection) -> rusqlite::Result<()> {
    let activities = "SELECT pk, tool, native_tool, error, input, output,
                        (SELECT group_concat(path, ' ') FROM files WHERE activity_pk = pk)
                      FROM activities";
    let mut query = db.prepare(activities)?;
    for row in query.query_map([], stored_tokens)? {
        let (pk, words) = row?;
        let (row, words) = activity_entry(pk, words);
        insert_entry(db, row, &words)?;
    }
    let mut query = db.prepare("SELECT pk, text FROM messages")?;
    let rows = query.query_map([], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
    })?;
    for row in rows {
        let (pk, text) = row?;
        let (row, words) = message_entry(pk, IndexTokens::of([text.as_str()]));
        insert_entry(db, row, &words)?;
    }
    Ok(())
}
