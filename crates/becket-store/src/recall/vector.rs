//! Embedding vectors, stored per model.

use rusqlite::Connection;

use super::CorpusKind;
use crate::error::Error;
use crate::open::StoreReader;
use crate::write::WriteTransaction;

/// A vector to store.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewVector<'v> {
    /// The id of the model that made it.
    pub model: &'v str,
    /// The vector, in the model's own encoding.
    pub bytes: &'v [u8],
}

/// A row without a vector of the given model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnembeddedRow {
    /// The row id.
    pub pk: i64,
    /// A chunk's path and symbol, or a memory's context.
    pub title: String,
    /// Its text.
    pub text: String,
}

impl WriteTransaction<'_> {
    /// Stores the vector of a row; `false` if the row does not exist.
    pub fn put_vector(
        &mut self,
        corpus: CorpusKind,
        pk: i64,
        vector: NewVector<'_>,
    ) -> Result<bool, Error> {
        // A no-op update, which adds the row to the change log again.
        let touch = match corpus {
            CorpusKind::Memory => "UPDATE memories SET pk = pk WHERE pk = ?1",
            CorpusKind::Code => "UPDATE chunks SET pk = pk WHERE pk = ?1",
        };
        self.with_connection(|db| {
            if db.prepare_cached(touch)?.execute([pk])? == 0 {
                return Ok(false);
            }
            insert_vector(db, corpus, pk, vector)?;
            Ok(true)
        })
    }

    /// Deletes the vectors of all other models and returns their number.
    pub fn drop_other_vectors(&mut self, models: &[&str]) -> Result<usize, Error> {
        let sql = "DELETE FROM vectors WHERE model_pk IN
                     (SELECT pk FROM embedding_models WHERE id NOT IN (SELECT value FROM json_each(?1)))";
        let models = serde_json::json!(models).to_string();
        self.with_connection(|db| db.prepare_cached(sql)?.execute([models]))
    }
}

pub(super) fn insert_vector(
    db: &Connection,
    corpus: CorpusKind,
    pk: i64,
    vector: NewVector<'_>,
) -> rusqlite::Result<()> {
    let model = "INSERT INTO embedding_models (id) VALUES (?1) ON CONFLICT (id) DO NOTHING";
    db.prepare_cached(model)?.execute([vector.model])?;
    let sql = "INSERT INTO vectors (shelf, pk, model_pk, vector)
               VALUES (?1, ?2, (SELECT pk FROM embedding_models WHERE id = ?3), ?4)
               ON CONFLICT (shelf, pk, model_pk) DO UPDATE SET vector = ?4";
    db.prepare_cached(sql)?
        .execute((corpus.word(), pk, vector.model, vector.bytes))?;
    Ok(())
}

impl StoreReader {
    /// Rows after row id `after` without a vector of this model, in row order.
    pub fn unembedded(
        &self,
        corpus: CorpusKind,
        model: &str,
        after: i64,
        most: usize,
    ) -> Result<Vec<UnembeddedRow>, Error> {
        let rows = match corpus {
            CorpusKind::Memory => "SELECT r.pk, coalesce(r.context, ''), r.text FROM memories AS r",
            CorpusKind::Code => {
                "SELECT r.pk, f.path || ' ' || coalesce(r.name, ''), r.text FROM chunks AS r JOIN code_files AS f ON f.pk = r.file_pk"
            }
        };
        let sql = format!(
            "{rows} WHERE r.pk > ?1 AND NOT EXISTS (
               SELECT 1 FROM vectors AS v JOIN embedding_models AS e ON e.pk = v.model_pk
               WHERE v.shelf = '{}' AND v.pk = r.pk AND e.id = ?2)
             ORDER BY r.pk LIMIT ?3",
            corpus.word()
        );
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.all(&sql, (after, model, most), |row| {
            Ok(UnembeddedRow {
                pk: row.get(0)?,
                title: row.get(1)?,
                text: row.get(2)?,
            })
        })
    }

    /// The number of rows without a vector of this model.
    pub fn count_unembedded(&self, corpus: CorpusKind, model: &str) -> Result<u64, Error> {
        let table = match corpus {
            CorpusKind::Memory => "memories",
            CorpusKind::Code => "chunks",
        };
        let sql = format!(
            "SELECT (SELECT count(*) FROM {table}) - (SELECT count(*) FROM vectors
               WHERE shelf = '{}' AND model_pk = (SELECT pk FROM embedding_models WHERE id = ?1))",
            corpus.word()
        );
        let count: Option<i64> = self.first(&sql, [model], |row| row.get(0))?;
        Ok(count.and_then(|n| n.try_into().ok()).unwrap_or_default())
    }
}
