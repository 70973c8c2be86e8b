//! The files of a project and their pieces.

use becket_guard::redact::redact_text;
use rusqlite::{Connection, OptionalExtension, Row, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::vector::{NewVector, insert_vector};
use super::{Shelf, project_key};
use crate::error::Error;
use crate::millis::Millis;
use crate::open::Reader;
use crate::write::Group;

/// A file, as it is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeFile<'c> {
    /// Its path inside the project, with `/`.
    pub path: &'c str,
    /// The hash of its bytes.
    pub content_hash: &'c str,
    /// The name of its language.
    pub language: &'c str,
    /// How many lines it has.
    pub lines: u32,
    /// How many bytes it has.
    pub size: u64,
    /// When it was last changed, in nanoseconds since 1970.
    pub changed: i64,
}

/// A piece of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewChunk<'c> {
    /// Its first line, counted from 1.
    pub start: u32,
    /// Its last line.
    pub end: u32,
    /// What it defines.
    pub name: Option<&'c str>,
    /// What sort of piece it is.
    pub kind: &'c str,
    /// Its text.
    pub text: &'c str,
    /// Its vector, if there is one already.
    pub vector: Option<NewVector<'c>>,
}

/// A file that is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[expect(missing_docs, reason = "see `CodeFile`")]
pub struct CodeFileRow {
    pub path: String,
    pub content_hash: String,
    pub language: String,
    pub lines: u32,
    pub size: u64,
    pub changed: i64,
}

/// A piece of a file that is known.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[expect(missing_docs, reason = "see `NewChunk`")]
pub struct ChunkRow {
    #[serde(skip)]
    pub pk: i64,
    pub project: String,
    pub path: String,
    pub content_hash: String,
    pub start: u32,
    pub end: u32,
    pub name: Option<String>,
    pub kind: String,
    pub language: String,
    pub text: String,
}

impl Group<'_> {
    /// Puts a file and its pieces in place of what was known of it.
    pub fn put_code_file(
        &mut self,
        project: &str,
        file: &CodeFile<'_>,
        chunks: &[NewChunk<'_>],
        at: Millis,
    ) -> Result<(), Error> {
        self.recall(|db| {
            let project = project_key(db, project, at)?;
            let pk = put_file(db, project, file, at)?;
            db.prepare_cached("DELETE FROM chunks WHERE file_pk = ?1")?
                .execute([pk])?;
            chunks
                .iter()
                .try_for_each(|chunk| insert_chunk(db, project, pk, chunk))
        })
    }

    /// Notes that a file has another path now; whether there was one at the old and none at the new.
    pub fn move_code_file(&mut self, project: &str, from: &str, to: &str) -> Result<bool, Error> {
        let sql = "UPDATE OR IGNORE code_files SET path = ?3
                   WHERE path = ?2 AND project_pk = (SELECT pk FROM projects WHERE path = ?1)";
        self.recall(|db| Ok(db.prepare_cached(sql)?.execute((project, from, to))? > 0))
    }

    /// Notes size and time of a file that has not changed otherwise.
    pub fn touch_code_file(
        &mut self,
        project: &str,
        path: &str,
        size: u64,
        changed: i64,
    ) -> Result<bool, Error> {
        let sql = "UPDATE code_files SET size = ?3, changed = ?4
                   WHERE path = ?2 AND project_pk = (SELECT pk FROM projects WHERE path = ?1)";
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        self.recall(|db| {
            let values = (project, path, size, changed);
            Ok(db.prepare_cached(sql)?.execute(values)? > 0)
        })
    }

    /// Forgets a file; whether it was known.
    pub fn remove_code_file(&mut self, project: &str, path: &str) -> Result<bool, Error> {
        let sql = "DELETE FROM code_files
                   WHERE path = ?2 AND project_pk = (SELECT pk FROM projects WHERE path = ?1)";
        self.recall(|db| Ok(db.prepare_cached(sql)?.execute((project, path))? > 0))
    }

    /// Forgets all files of a project, and tells how many there were.
    pub fn remove_code(&mut self, project: &str) -> Result<usize, Error> {
        let sql =
            "DELETE FROM code_files WHERE project_pk = (SELECT pk FROM projects WHERE path = ?1)";
        self.recall(|db| db.prepare_cached(sql)?.execute([project]))
    }
}

fn put_file(
    db: &Connection,
    project: i64,
    file: &CodeFile<'_>,
    at: Millis,
) -> rusqlite::Result<i64> {
    let sql = "INSERT INTO code_files (project_pk, path, content_hash, language, lines, size, changed, indexed)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
               ON CONFLICT (project_pk, path) DO UPDATE SET content_hash = ?3, language = ?4, lines = ?5, size = ?6,
                 changed = ?7, indexed = ?8
               RETURNING pk";
    let values = params![
        project,
        file.path,
        file.content_hash,
        file.language,
        file.lines,
        i64::try_from(file.size).unwrap_or(i64::MAX),
        file.changed,
        at,
    ];
    db.prepare_cached(sql)?.query_row(values, |row| row.get(0))
}

fn insert_chunk(
    db: &Connection,
    project: i64,
    file: i64,
    chunk: &NewChunk<'_>,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO chunks (file_pk, project_pk, start_line, end_line, name, kind, text)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    db.prepare_cached(sql)?.execute(params![
        file,
        project,
        chunk.start,
        chunk.end,
        chunk.name.map(redact_text),
        chunk.kind,
        redact_text(chunk.text),
    ])?;
    if let Some(vector) = chunk.vector {
        insert_vector(db, Shelf::Code, db.last_insert_rowid(), vector)?;
    }
    Ok(())
}

impl Reader {
    /// Every file of a project, by path.
    pub fn code_files(&self, project: &str) -> Result<Vec<CodeFileRow>, Error> {
        let sql = "SELECT f.path, f.content_hash, f.language, f.lines, f.size, f.changed FROM code_files AS f
                   JOIN projects AS p ON p.pk = f.project_pk WHERE p.path = ?1 ORDER BY f.path";
        self.all(sql, [project], code_file)
    }

    /// One file of a project.
    pub fn code_file(&self, project: &str, path: &str) -> Result<Option<CodeFileRow>, Error> {
        let sql = "SELECT f.path, f.content_hash, f.language, f.lines, f.size, f.changed FROM code_files AS f
                   JOIN projects AS p ON p.pk = f.project_pk WHERE p.path = ?1 AND f.path = ?2";
        self.first(sql, [project, path], code_file)
    }

    /// Pieces of files by their rows, in no particular order. Rows that are gone are left out.
    pub fn chunks_by_pk(&self, pks: &[i64]) -> Result<Vec<ChunkRow>, Error> {
        let sql = format!("{CHUNK} WHERE c.pk IN (SELECT value FROM json_each(?1))");
        self.all(&sql, [serde_json::Value::from(pks).to_string()], chunk)
    }

    /// The pieces of a file, in order.
    pub fn chunks_of(&self, project: &str, path: &str) -> Result<Vec<ChunkRow>, Error> {
        let sql = format!("{CHUNK} WHERE p.path = ?1 AND f.path = ?2 ORDER BY c.start_line, c.pk");
        self.all(&sql, [project, path], chunk)
    }

    /// The first row of a file with this hash in a project.
    pub fn code_file_with(
        &self,
        project: &str,
        content_hash: &str,
    ) -> Result<Option<String>, Error> {
        let sql = "SELECT f.path FROM code_files AS f JOIN projects AS p ON p.pk = f.project_pk
                   WHERE p.path = ?1 AND f.content_hash = ?2 ORDER BY f.path LIMIT 1";
        let found = self.connection.prepare_cached(sql).and_then(|mut query| {
            query
                .query_row([project, content_hash], |row| row.get(0))
                .optional()
        });
        found.map_err(|error| self.failed(error))
    }
}

const CHUNK: &str = "SELECT c.pk, p.path, f.path, f.content_hash, c.start_line, c.end_line, c.name, c.kind, f.language, c.text
  FROM chunks AS c JOIN code_files AS f ON f.pk = c.file_pk JOIN projects AS p ON p.pk = f.project_pk";

fn code_file(row: &Row<'_>) -> rusqlite::Result<CodeFileRow> {
    Ok(CodeFileRow {
        path: row.get(0)?,
        content_hash: row.get(1)?,
        language: row.get(2)?,
        lines: row.get(3)?,
        size: row.get::<_, i64>(4)?.try_into().unwrap_or_default(),
        changed: row.get(5)?,
    })
}

fn chunk(row: &Row<'_>) -> rusqlite::Result<ChunkRow> {
    Ok(ChunkRow {
        pk: row.get(0)?,
        project: row.get(1)?,
        path: row.get(2)?,
        content_hash: row.get(3)?,
        start: row.get(4)?,
        end: row.get(5)?,
        name: row.get(6)?,
        kind: row.get(7)?,
        language: row.get(8)?,
        text: row.get(9)?,
    })
}
