//! The index of words.

use rusqlite::Connection;

use super::activities::stored_words;
use super::group::{Group, Sql};
use crate::words::Words;

/// Rows of activities have even numbers in the index, rows of messages odd ones.
pub(super) fn of_activity(pk: i64, words: Words) -> (i64, Words) {
    (2 * pk, words)
}

pub(super) fn of_message(pk: i64, words: Words) -> (i64, Words) {
    (2 * pk + 1, words)
}

impl Group<'_> {
    /// Indexes the words that wait. Each statement that can fail half-way makes SQLite write what it holds of the index
    /// to the file: words that are indexed together are written once. Before a row is deleted its words have to be in.
    pub(super) fn flush_words(&mut self) -> Sql<()> {
        let db = &self.writer.reader.connection;
        for (row, words) in self.words.drain(..) {
            index(db, row, &words)?;
        }
        Ok(())
    }
}

fn index(db: &Connection, row: i64, words: &Words) -> rusqlite::Result<()> {
    let sql = "INSERT INTO search (rowid, body, whole) VALUES (?1, ?2, ?3)";
    let values = (row, &words.body, &words.whole);
    db.prepare_cached(sql)?.execute(values)?;
    Ok(())
}

/// Indexes what was stored before there was an index.
pub(crate) fn index_everything(db: &Connection) -> rusqlite::Result<()> {
    let activities = "SELECT pk, tool, native_tool, error, input, output,
                        (SELECT group_concat(path, ' ') FROM files WHERE activity_pk = pk)
                      FROM activities";
    let mut query = db.prepare(activities)?;
    for row in query.query_map([], stored_words)? {
        let (pk, words) = row?;
        let (row, words) = of_activity(pk, words);
        index(db, row, &words)?;
    }
    let mut query = db.prepare("SELECT pk, text FROM messages")?;
    let rows = query.query_map([], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
    })?;
    for row in rows {
        let (pk, text) = row?;
        let (row, words) = of_message(pk, Words::of([text.as_str()]));
        index(db, row, &words)?;
    }
    Ok(())
}
