//! The change log from which search indexes are built and updated.

use rusqlite::Row;
use serde::Serialize;

use super::memory::parse_list;
use super::{MemoryKind, MemoryStatus, stored_enum};
use crate::error::Error;
use crate::millis::Millis;
use crate::open::StoreReader;

stored_enum! {
    /// A searchable set of rows.
    CorpusKind {
        /// Memories, session summaries and plans.
        Memory = "memory",
        /// Chunks of code files.
        Code = "code",
    }
}

/// A changed row.
#[derive(Debug, Clone, PartialEq)]
pub struct CorpusChange {
    /// The sequence number of the change.
    pub seq: i64,
    /// The row id.
    pub pk: i64,
    /// The current content; `None` if the row was deleted.
    pub row: Option<CorpusRow>,
}

/// The fields that an index needs.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    missing_docs,
    reason = "the names are self-explanatory; see `MemoryRow` and `ChunkRow`"
)]
pub struct CorpusRow {
    /// `None` for code.
    pub kind: Option<MemoryKind>,
    /// `Active` for code.
    pub status: MemoryStatus,
    /// The name of a chunk, the context of a memory.
    pub title: Option<String>,
    pub text: String,
    /// The path of a chunk's file, or the files of a memory.
    pub files: Vec<String>,
    pub agent: Option<String>,
    pub created: Millis,
    pub expires: Option<Millis>,
    pub importance: u8,
    pub pinned: bool,
    pub vector: Option<Vec<u8>>,
}

/// The size of a project's corpora.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct RecallCounts {
    /// Active memories.
    pub memories: u64,
    /// Indexed files.
    pub files: u64,
    /// Their chunks.
    pub chunks: u64,
    /// Their lines.
    pub lines: u64,
}

impl StoreReader {
    /// Changes of a project's corpus after a sequence number, in order, with the vectors of `model`.
    pub fn corpus_changes(
        &self,
        project: &str,
        corpus: CorpusKind,
        model: &str,
        after: i64,
        most: usize,
    ) -> Result<Vec<CorpusChange>, Error> {
        let rows = match corpus {
            CorpusKind::Memory => {
                "r.pk, r.type, r.status, r.context, r.text, r.files, r.agent, r.created, r.expires, r.importance, r.pinned, v.vector
                 FROM recall_log AS l LEFT JOIN memories AS r ON r.pk = l.pk"
            }
            CorpusKind::Code => {
                "r.pk, NULL, 'active', r.name, r.text, json_array(f.path), NULL, f.indexed, NULL, 5, 0, v.vector
                 FROM recall_log AS l LEFT JOIN chunks AS r ON r.pk = l.pk LEFT JOIN code_files AS f ON f.pk = r.file_pk"
            }
        };
        let word = corpus.word();
        let sql = format!(
            "SELECT l.seq, l.pk, {rows}
             LEFT JOIN vectors AS v ON v.shelf = '{word}' AND v.pk = r.pk
               AND v.model_pk = (SELECT pk FROM embedding_models WHERE id = ?2)
             WHERE l.project_pk = (SELECT pk FROM projects WHERE path = ?1) AND l.shelf = '{word}' AND l.seq > ?3
             ORDER BY l.seq LIMIT ?4"
        );
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.all(&sql, (project, model, after, most), corpus_change)
    }

    /// A random id of this database.
    pub fn database_id(&self) -> Result<String, Error> {
        Ok(self.meta("database")?.unwrap_or_default())
    }

    /// The latest sequence number of a project's corpus; zero if it is empty.
    pub fn corpus_seq(&self, project: &str, corpus: CorpusKind) -> Result<i64, Error> {
        let sql = "SELECT coalesce(max(seq), 0) FROM recall_log
                   WHERE project_pk = (SELECT pk FROM projects WHERE path = ?1) AND shelf = ?2";
        let seq = self.first(sql, [project, corpus.word()], |row| row.get(0))?;
        Ok(seq.unwrap_or_default())
    }

    /// The size of a project's corpora.
    pub fn recall_counts(&self, project: &str) -> Result<RecallCounts, Error> {
        let sql = "SELECT (SELECT count(*) FROM memories WHERE project_pk = p.pk AND status = 'active'),
                     (SELECT count(*) FROM code_files WHERE project_pk = p.pk),
                     (SELECT count(*) FROM code_files AS f JOIN chunks AS c ON c.file_pk = f.pk WHERE f.project_pk = p.pk),
                     (SELECT coalesce(sum(lines), 0) FROM code_files WHERE project_pk = p.pk)
                   FROM projects AS p WHERE p.path = ?1";
        let numbers = self.first(sql, [project], |row| {
            Ok(RecallCounts {
                memories: count(row, 0)?,
                files: count(row, 1)?,
                chunks: count(row, 2)?,
                lines: count(row, 3)?,
            })
        })?;
        Ok(numbers.unwrap_or_default())
    }
}

fn count(row: &Row<'_>, at: usize) -> rusqlite::Result<u64> {
    Ok(row.get::<_, i64>(at)?.try_into().unwrap_or_default())
}

fn corpus_change(row: &Row<'_>) -> rusqlite::Result<CorpusChange> {
    let there: Option<i64> = row.get(2)?;
    Ok(CorpusChange {
        seq: row.get(0)?,
        pk: row.get(1)?,
        row: there.map(|_| corpus_row(row)).transpose()?,
    })
}

fn corpus_row(row: &Row<'_>) -> rusqlite::Result<CorpusRow> {
    Ok(CorpusRow {
        kind: row.get(3)?,
        status: row.get(4)?,
        title: row.get(5)?,
        text: row.get(6)?,
        files: parse_list(&row.get::<_, String>(7)?),
        agent: row.get(8)?,
        created: row.get(9)?,
        expires: row.get(10)?,
        importance: row.get(11)?,
        pinned: row.get(12)?,
        vector: row.get(13)?,
    })
}
