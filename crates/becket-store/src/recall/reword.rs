//! Saying a memory anew, finding it by the beginning of its id, and leaving no trace of one that is gone.

use becket_guard::redact::redact_text;
use rusqlite::{Connection, OptionalExtension, params};

use super::memory::{MEMORY, content_hash, memory};
use super::vector::{NewVector, insert_vector};
use super::{MemoryKind, MemoryRow, Shelf};
use crate::error::{Error, ErrorKind};
use crate::open::{Reader, Writer};
use crate::write::Group;

/// What a memory is to say; `None` leaves it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rewording<'m> {
    /// What sort it is.
    pub kind: Option<MemoryKind>,
    /// What was learnt.
    pub text: Option<&'m str>,
    /// Where it belongs; `Some(None)`: nowhere in particular.
    pub context: Option<Option<&'m str>>,
    /// The files that it is about.
    pub files: Option<&'m [&'m str]>,
}

/// What became of a rewording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reworded {
    /// It says so now.
    Done,
    /// There is no such memory.
    Missing,
    /// The memory with this id says the same; nothing was changed.
    Known(String),
}

/// As many free pages are given back at a time.
const PAGES: u32 = 10_000;

impl Group<'_> {
    /// Lets a memory say something else. Vectors of what it said before go; `vector` is of what it says now.
    pub fn reword_memory(
        &mut self,
        id: &str,
        wording: &Rewording<'_>,
        vector: Option<NewVector<'_>>,
    ) -> Result<Reworded, Error> {
        self.recall(|db| reword(db, id, wording, vector))
    }

    /// Lets the output that is recorded of runs of a hook say something else, where `reword` has other words for it.
    pub fn reword_outputs(
        &mut self,
        hook: &str,
        reword: impl Fn(&str) -> Option<String>,
    ) -> Result<(), Error> {
        self.recall(|db| {
            let sql = "SELECT pk, output FROM hook_runs WHERE hook = ?1 AND output IS NOT NULL";
            let mut query = db.prepare_cached(sql)?;
            let mut rows = query.query([hook])?;
            let mut changed: Vec<(i64, String)> = Vec::new();
            while let Some(row) = rows.next()? {
                let output = reword(row.get_ref(1)?.as_str()?);
                changed.extend(
                    output
                        .map(|output| Ok::<_, rusqlite::Error>((row.get(0)?, output)))
                        .transpose()?,
                );
            }
            let mut update = db.prepare_cached("UPDATE hook_runs SET output = ?2 WHERE pk = ?1")?;
            for one in changed {
                update.execute(one)?;
            }
            Ok(())
        })
    }

    /// From here on, what is deleted is overwritten at once. For what a person wants gone.
    pub fn delete_thoroughly(&mut self) -> Result<(), Error> {
        self.recall(|db| secure_delete(db, "ON"))
    }
}

pub(crate) fn secure_delete(db: &Connection, how: &str) -> rusqlite::Result<()> {
    db.pragma_update_and_check(None, "secure_delete", how, |_| Ok(()))
}

fn reword(
    db: &Connection,
    id: &str,
    wording: &Rewording<'_>,
    vector: Option<NewVector<'_>>,
) -> rusqlite::Result<Reworded> {
    let sql =
        "SELECT pk, project_pk, type, text, context, files, session FROM memories WHERE id = ?1";
    let row = db.prepare_cached(sql)?.query_row([id], |row| {
        let kind: MemoryKind = row.get(2)?;
        let text: String = row.get(3)?;
        let context: Option<String> = row.get(4)?;
        let files: String = row.get(5)?;
        let session: Option<String> = row.get(6)?;
        Ok((
            row.get(0)?,
            row.get(1)?,
            kind,
            text,
            context,
            files,
            session,
        ))
    });
    let Some(row) = row.optional()? else {
        return Ok(Reworded::Missing);
    };
    let (pk, project, kind, text, context, files, session): (i64, i64, _, _, _, _, _) = row;
    let kind = wording.kind.unwrap_or(kind);
    let text = wording.text.map_or(text, |text| redact_text(text).into());
    let context = match wording.context {
        Some(context) => context.map(|context| redact_text(context).into()),
        None => context,
    };
    let files = match wording.files {
        Some(files) => serde_json::Value::from(files).to_string(),
        None => files,
    };
    let hash = content_hash(kind, &text, context.as_deref(), session.as_deref());
    let known = "SELECT id FROM memories WHERE project_pk = ?1 AND content_hash = ?2 AND pk <> ?3";
    let known = db
        .prepare_cached(known)?
        .query_row((project, &hash, pk), |row| row.get(0));
    if let Some(known) = known.optional()? {
        return Ok(Reworded::Known(known));
    }
    db.prepare_cached("DELETE FROM vectors WHERE shelf = 'memory' AND pk = ?1")?
        .execute([pk])?;
    let sql = "UPDATE memories SET type = ?2, text = ?3, context = ?4, files = ?5, content_hash = ?6 WHERE pk = ?1";
    db.prepare_cached(sql)?
        .execute(params![pk, kind.word(), text, context, files, hash])?;
    if let Some(vector) = vector {
        insert_vector(db, Shelf::Memory, pk, vector)?;
    }
    Ok(Reworded::Done)
}

impl Reader {
    /// Memories whose ids begin so, of one project or of all: one, if the id is whole; at most a few otherwise.
    pub fn memories_beginning(
        &self,
        project: Option<&str>,
        id: &str,
    ) -> Result<Vec<MemoryRow>, Error> {
        let sql = format!(
            "{MEMORY} WHERE substr(m.id, 1, length(?2)) = ?2 AND (?1 IS NULL OR p.path = ?1)
             ORDER BY m.id <> ?2, m.id LIMIT 10"
        );
        let mut found = self.all(&sql, (project, id), memory)?;
        if found.first().is_some_and(|first| first.id == id) {
            found.truncate(1);
        }
        Ok(found)
    }

    /// The ids of the memories whose place this one has taken.
    pub fn superseded_by(&self, id: &str) -> Result<Vec<String>, Error> {
        let sql = "SELECT id FROM memories WHERE superseded_by = ?1 ORDER BY created, pk";
        self.all(sql, [id], |row| row.get(0))
    }
}

impl Writer {
    /// Leaves nothing of what was deleted in the file or its log; `false` if somebody was still reading the log,
    /// so that a part of it is there until the next time.
    pub fn leave_no_trace(&mut self) -> Result<bool, Error> {
        let mut left = u64::MAX;
        // A file of other habits gives nothing back, however often it is asked.
        loop {
            let now = self.reclaim(PAGES)?;
            if now == 0 || now >= left {
                break;
            }
            left = now;
        }
        let db = &self.reader.connection;
        let done = || -> Result<bool, ErrorKind> {
            secure_delete(db, "FAST")?;
            let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
            let busy: i64 = db.query_row(sql, [], |row| row.get(0))?;
            Ok(busy == 0)
        };
        done().map_err(|error| self.failed(error))
    }
}
