//! Indexed source code: files and their chunks.

use std::collections::HashMap;

use becket_guard::redact::redact_text;
use rusqlite::{Connection, OptionalExtension, Row, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::vector::{NewVector, insert_vector};
use super::{CorpusKind, project_key};
use crate::error::Error;
use crate::millis::Millis;
use crate::open::StoreReader;
use crate::write::WriteTransaction;

/// The current state of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeFile<'c> {
    /// The path relative to the project, with `/`.
    pub path: &'c str,
    /// The hash of its content.
    pub content_hash: &'c str,
    /// Its language.
    pub language: &'c str,
    /// The number of lines.
    pub lines: u32,
    /// The size in bytes.
    pub size: u64,
    /// The modification time, in nanoseconds since 1970.
    pub changed: i64,
}

/// A chunk of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewChunk<'c> {
    /// The first line, from 1.
    pub start: u32,
    /// The last line.
    pub end: u32,
    /// The symbol that it defines.
    pub name: Option<&'c str>,
    /// The kind of chunk, such as a function.
    pub kind: &'c str,
    /// Its text.
    pub text: &'c str,
    /// Its embedding, if already computed.
    pub vector: Option<NewVector<'c>>,
}

/// An indexed file.
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

/// An indexed chunk.
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

impl WriteTransaction<'_> {
    /// Replaces a file and its chunks. Unchanged chunks keep their rows and vectors, so a small edit of a long file
    /// is a small change of the database and of the search index.
    pub fn put_code_file(
        &mut self,
        project: &str,
        file: &CodeFile<'_>,
        chunks: &[NewChunk<'_>],
        at: Millis,
    ) -> Result<(), Error> {
        self.with_connection(|db| {
            let project = project_key(db, project, at)?;
            let pk = put_file(db, project, file, at)?;
            let mut stored = stored_chunks(db, pk)?;
            for chunk in chunks {
                let content = ChunkContent::of(chunk);
                match stored.get_mut(&content).and_then(Vec::pop) {
                    Some(place) => update_chunk(db, place, chunk)?,
                    None => insert_chunk(db, project, pk, chunk, &content)?,
                }
            }
            let mut delete = db.prepare_cached("DELETE FROM chunks WHERE pk = ?1")?;
            let mut left = stored.values().flatten();
            left.try_for_each(|place| delete.execute([place.pk]).map(drop))
        })
    }

    /// Moves a file; `false` unless the old path exists and the new one does not. Its chunks lose their vectors,
    /// which depend on the path.
    pub fn move_code_file(&mut self, project: &str, from: &str, to: &str) -> Result<bool, Error> {
        let sql = "UPDATE OR IGNORE code_files SET path = ?3
                   WHERE path = ?2 AND project_pk = (SELECT pk FROM projects WHERE path = ?1) RETURNING pk";
        let vectors = "DELETE FROM vectors WHERE shelf = 'code' AND pk IN (SELECT pk FROM chunks WHERE file_pk = ?1)";
        self.with_connection(|db| {
            let moved = db
                .prepare_cached(sql)?
                .query_row((project, from, to), |row| row.get::<_, i64>(0));
            let Some(file) = moved.optional()? else {
                return Ok(false);
            };
            db.prepare_cached(vectors)?.execute([file])?;
            Ok(true)
        })
    }

    /// Updates size and modification time of a file whose content is unchanged; `false` if it is not indexed.
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
        self.with_connection(|db| {
            let values = (project, path, size, changed);
            Ok(db.prepare_cached(sql)?.execute(values)? > 0)
        })
    }

    /// Removes a file; `false` if it was not indexed.
    pub fn remove_code_file(&mut self, project: &str, path: &str) -> Result<bool, Error> {
        let sql = "DELETE FROM code_files
                   WHERE path = ?2 AND project_pk = (SELECT pk FROM projects WHERE path = ?1)";
        self.with_connection(|db| Ok(db.prepare_cached(sql)?.execute((project, path))? > 0))
    }

    /// Removes all files of a project and returns their number.
    pub fn remove_code(&mut self, project: &str) -> Result<usize, Error> {
        let sql =
            "DELETE FROM code_files WHERE project_pk = (SELECT pk FROM projects WHERE path = ?1)";
        self.with_connection(|db| db.prepare_cached(sql)?.execute([project]))
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

/// The redacted content of a chunk, to recognise unchanged chunks.
#[derive(PartialEq, Eq, Hash)]
struct ChunkContent {
    name: Option<String>,
    kind: String,
    text: String,
}

impl ChunkContent {
    fn of(chunk: &NewChunk<'_>) -> Self {
        Self {
            name: chunk.name.map(|name| redact_text(name).into_owned()),
            kind: chunk.kind.to_owned(),
            text: redact_text(chunk.text).into_owned(),
        }
    }
}

/// The row and the lines of a chunk.
struct ChunkPlace {
    pk: i64,
    start: u32,
    end: u32,
}

/// The stored chunks of a file. Chunks with equal content are in reverse order, to be popped from the end.
fn stored_chunks(
    db: &Connection,
    file: i64,
) -> rusqlite::Result<HashMap<ChunkContent, Vec<ChunkPlace>>> {
    let sql = "SELECT pk, start_line, end_line, name, kind, text FROM chunks WHERE file_pk = ?1
               ORDER BY start_line DESC, pk DESC";
    let mut stored: HashMap<ChunkContent, Vec<ChunkPlace>> = HashMap::new();
    let mut query = db.prepare_cached(sql)?;
    let mut rows = query.query([file])?;
    while let Some(row) = rows.next()? {
        let content = ChunkContent {
            name: row.get(3)?,
            kind: row.get(4)?,
            text: row.get(5)?,
        };
        let place = ChunkPlace {
            pk: row.get(0)?,
            start: row.get(1)?,
            end: row.get(2)?,
        };
        stored.entry(content).or_default().push(place);
    }
    Ok(stored)
}

/// Updates the lines of an unchanged chunk and adds its vector if it has none.
fn update_chunk(db: &Connection, place: ChunkPlace, chunk: &NewChunk<'_>) -> rusqlite::Result<()> {
    let vector = "SELECT 1 FROM vectors WHERE shelf = ?1 AND pk = ?2
                  AND model_pk = (SELECT pk FROM embedding_models WHERE id = ?3)";
    let missing = match chunk.vector {
        Some(new) => {
            let mut query = db.prepare_cached(vector)?;
            let is_stored = query.exists((CorpusKind::Code.word(), place.pk, new.model))?;
            chunk.vector.filter(|_| !is_stored)
        }
        None => None,
    };
    if let Some(missing) = missing {
        insert_vector(db, CorpusKind::Code, place.pk, missing)?;
    }
    if missing.is_some() || (place.start, place.end) != (chunk.start, chunk.end) {
        let sql = "UPDATE chunks SET start_line = ?2, end_line = ?3 WHERE pk = ?1";
        let values = (place.pk, chunk.start, chunk.end);
        db.prepare_cached(sql)?.execute(values)?;
    }
    Ok(())
}

fn insert_chunk(
    db: &Connection,
    project: i64,
    file: i64,
    chunk: &NewChunk<'_>,
    content: &ChunkContent,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO chunks (file_pk, project_pk, start_line, end_line, name, kind, text)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    db.prepare_cached(sql)?.execute(params![
        file,
        project,
        chunk.start,
        chunk.end,
        content.name,
        content.kind,
        content.text,
    ])?;
    if let Some(vector) = chunk.vector {
        insert_vector(db, CorpusKind::Code, db.last_insert_rowid(), vector)?;
    }
    Ok(())
}

impl StoreReader {
    /// All files of a project, by path.
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

    /// Chunks by row id, in no particular order. Deleted rows are omitted.
    pub fn chunks_by_pk(&self, pks: &[i64]) -> Result<Vec<ChunkRow>, Error> {
        let sql = format!("{CHUNK} WHERE c.pk IN (SELECT value FROM json_each(?1))");
        self.all(&sql, [serde_json::Value::from(pks).to_string()], chunk)
    }

    /// The chunks of a file, in order.
    pub fn chunks_of(&self, project: &str, path: &str) -> Result<Vec<ChunkRow>, Error> {
        let sql = format!("{CHUNK} WHERE p.path = ?1 AND f.path = ?2 ORDER BY c.start_line, c.pk");
        self.all(&sql, [project, path], chunk)
    }

    /// The path of the first file with this content hash in a project.
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
