//! The index of words.

use rusqlite::Connection;

use super::activities::stored_words;
use crate::words::Words;

/// Rows of activities have even numbers in the index, rows of messages odd ones.
pub(crate) fn index_activity(db: &Connection, pk: i64, words: &Words) -> rusqlite::Result<()> {
    index(db, 2 * pk, words)
}

pub(crate) fn index_message(db: &Connection, pk: i64, words: &Words) -> rusqlite::Result<()> {
    index(db, 2 * pk + 1, words)
}

fn index(db: &Connection, rowid: i64, words: &Words) -> rusqlite::Result<()> {
    let sql = "INSERT INTO search (rowid, body, whole) VALUES (?1, ?2, ?3)";
    let values = (rowid, &words.body, &words.whole);
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
        index_activity(db, pk, &words)?;
    }
    let mut query = db.prepare("SELECT pk, text FROM messages")?;
    let rows = query.query_map([], |row| {
        Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?))
    })?;
    for row in rows {
        let (pk, text) = row?;
        index_message(db, pk, &Words::of([text.as_str()]))?;
    }
    Ok(())
}
