//! Editing memories, finding them by id prefix, and purging deleted content from the file.

use becket_guard::redact::redact_text;
use rusqlite::{Connection, OptionalExtension, params};

use super::memory::{MEMORY, content_hash, memory};
use super::vector::{NewVector, insert_vector};
use super::{CorpusKind, MemoryKind, MemoryRow};
use crate::error::{Error, ErrorKind};
use crate::open::{StoreReader, StoreWriter};
use crate::write::WriteTransaction;

/// Changes of a memory's content; `None` leaves a field unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MemoryEdit<'m> {
    /// The type.
    pub kind: Option<MemoryKind>,
    /// The text.
    pub text: Option<&'m str>,
    /// What it applies to; `Some(None)` removes it.
    pub context: Option<Option<&'m str>>,
    /// The files it is about.
    pub files: Option<&'m [&'m str]>,
}

/// The result of an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditResult {
    /// The memory was changed.
    Done,
    /// There is no such memory.
    Missing,
    /// The memory with this id has the same content; nothing was changed.
    Duplicate(String),
}

/// The number of free pages that are returned to the file system at a time.
const RECLAIM_PAGES: u32 = 10_000;

impl WriteTransaction<'_> {
    /// Edits a memory. Its old vectors are deleted; `vector` belongs to the new content.
    pub fn edit_memory(
        &mut self,
        id: &str,
        edit: &MemoryEdit<'_>,
        vector: Option<NewVector<'_>>,
    ) -> Result<EditResult, Error> {
        self.with_connection(|db| edit_row(db, id, edit, vector))
    }

    /// Rewrites the recorded output of a hook's runs where `reword` returns a replacement.
    pub fn edit_hook_outputs(
        &mut self,
        hook: &str,
        reword: impl Fn(&str) -> Option<String>,
    ) -> Result<(), Error> {
        self.with_connection(|db| {
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

    /// From now on, SQLite overwrites deleted content at once. Use it for content that a person wants erased.
    pub fn enable_secure_delete(&mut self) -> Result<(), Error> {
        self.with_connection(|db| secure_delete(db, "ON"))
    }
}

pub(crate) fn secure_delete(db: &Connection, how: &str) -> rusqlite::Result<()> {
    db.pragma_update_and_check(None, "secure_delete", how, |_| Ok(()))
}

fn edit_row(
    db: &Connection,
    id: &str,
    edit: &MemoryEdit<'_>,
    vector: Option<NewVector<'_>>,
) -> rusqlite::Result<EditResult> {
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
        return Ok(EditResult::Missing);
    };
    let (pk, project, kind, text, context, files, session): (i64, i64, _, _, _, _, _) = row;
    let kind = edit.kind.unwrap_or(kind);
    let text = edit.text.map_or(text, |text| redact_text(text).into());
    let context = match edit.context {
        Some(context) => context.map(|context| redact_text(context).into()),
        None => context,
    };
    let files = match edit.files {
        Some(files) => serde_json::Value::from(files).to_string(),
        None => files,
    };
    let hash = content_hash(kind, &text, context.as_deref(), session.as_deref());
    let known = "SELECT id FROM memories WHERE project_pk = ?1 AND content_hash = ?2 AND pk <> ?3";
    let known = db
        .prepare_cached(known)?
        .query_row((project, &hash, pk), |row| row.get(0));
    if let Some(known) = known.optional()? {
        return Ok(EditResult::Duplicate(known));
    }
    db.prepare_cached("DELETE FROM vectors WHERE shelf = 'memory' AND pk = ?1")?
        .execute([pk])?;
    let sql = "UPDATE memories SET type = ?2, text = ?3, context = ?4, files = ?5, content_hash = ?6 WHERE pk = ?1";
    db.prepare_cached(sql)?
        .execute(params![pk, kind.word(), text, context, files, hash])?;
    if let Some(vector) = vector {
        insert_vector(db, CorpusKind::Memory, pk, vector)?;
    }
    Ok(EditResult::Done)
}

impl StoreReader {
    /// Memories whose id begins with `id`, of one project or of all: the exact match alone, or up to ten.
    pub fn memories_by_id_prefix(
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

    /// The ids of the memories that this one supersedes.
    pub fn superseded_by(&self, id: &str) -> Result<Vec<String>, Error> {
        let sql = "SELECT id FROM memories WHERE superseded_by = ?1 ORDER BY created, pk";
        self.all(sql, [id], |row| row.get(0))
    }
}

impl StoreWriter {
    /// Removes deleted content from the file and its log; `false` if a reader still uses the log, so that a part of
    /// it remains until the next call.
    pub fn purge_deleted(&mut self) -> Result<bool, Error> {
        let mut left = u64::MAX;
        // Without incremental vacuum a file returns nothing, so the loop ends when there is no progress.
        loop {
            let now = self.reclaim(RECLAIM_PAGES)?;
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
