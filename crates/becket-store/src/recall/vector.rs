//! Vectors, each under the model that made it.

use rusqlite::Connection;

use super::Shelf;
use crate::error::Error;
use crate::open::Reader;
use crate::write::Group;

/// A vector to keep.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewVector<'v> {
    /// The id of the model that made it.
    pub model: &'v str,
    /// Its bytes, whose meaning is the model's.
    pub bytes: &'v [u8],
}

/// A row without a vector of some model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unembedded {
    /// The row.
    pub pk: i64,
    /// What gives it a name: a chunk's path and what it defines; a memory's context.
    pub title: String,
    /// Its text.
    pub text: String,
}

impl Group<'_> {
    /// Keeps a vector of a row that is there; whether it is.
    pub fn put_vector(&mut self, on: Shelf, pk: i64, vector: NewVector<'_>) -> Result<bool, Error> {
        // Changing the row to what it is puts it into the log again.
        let touch = match on {
            Shelf::Memory => "UPDATE memories SET pk = pk WHERE pk = ?1",
            Shelf::Code => "UPDATE chunks SET pk = pk WHERE pk = ?1",
        };
        self.recall(|db| {
            if db.prepare_cached(touch)?.execute([pk])? == 0 {
                return Ok(false);
            }
            insert_vector(db, on, pk, vector)?;
            Ok(true)
        })
    }

    /// Drops the vectors of every model but these, and tells how many there were.
    pub fn drop_other_vectors(&mut self, models: &[&str]) -> Result<usize, Error> {
        let sql = "DELETE FROM vectors WHERE model_pk IN
                     (SELECT pk FROM embedding_models WHERE id NOT IN (SELECT value FROM json_each(?1)))";
        let models = serde_json::json!(models).to_string();
        self.recall(|db| db.prepare_cached(sql)?.execute([models]))
    }
}

pub(super) fn insert_vector(
    db: &Connection,
    on: Shelf,
    pk: i64,
    vector: NewVector<'_>,
) -> rusqlite::Result<()> {
    let model = "INSERT INTO embedding_models (id) VALUES (?1) ON CONFLICT (id) DO NOTHING";
    db.prepare_cached(model)?.execute([vector.model])?;
    let sql = "INSERT INTO vectors (shelf, pk, model_pk, vector)
               VALUES (?1, ?2, (SELECT pk FROM embedding_models WHERE id = ?3), ?4)
               ON CONFLICT (shelf, pk, model_pk) DO UPDATE SET vector = ?4";
    db.prepare_cached(sql)?
        .execute((on.word(), pk, vector.model, vector.bytes))?;
    Ok(())
}

impl Reader {
    /// Rows after `after` that have no vector of this model, in order of their numbers.
    pub fn unembedded(
        &self,
        on: Shelf,
        model: &str,
        after: i64,
        most: usize,
    ) -> Result<Vec<Unembedded>, Error> {
        let rows = match on {
            Shelf::Memory => "SELECT r.pk, coalesce(r.context, ''), r.text FROM memories AS r",
            Shelf::Code => {
                "SELECT r.pk, f.path || ' ' || coalesce(r.name, ''), r.text FROM chunks AS r JOIN code_files AS f ON f.pk = r.file_pk"
            }
        };
        let sql = format!(
            "{rows} WHERE r.pk > ?1 AND NOT EXISTS (
               SELECT 1 FROM vectors AS v JOIN embedding_models AS e ON e.pk = v.model_pk
               WHERE v.shelf = '{}' AND v.pk = r.pk AND e.id = ?2)
             ORDER BY r.pk LIMIT ?3",
            on.word()
        );
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        self.all(&sql, (after, model, most), |row| {
            Ok(Unembedded {
                pk: row.get(0)?,
                title: row.get(1)?,
                text: row.get(2)?,
            })
        })
    }

    /// How many rows have no vector of this model.
    pub fn count_unembedded(&self, on: Shelf, model: &str) -> Result<u64, Error> {
        let table = match on {
            Shelf::Memory => "memories",
            Shelf::Code => "chunks",
        };
        let sql = format!(
            "SELECT (SELECT count(*) FROM {table}) - (SELECT count(*) FROM vectors
               WHERE shelf = '{}' AND model_pk = (SELECT pk FROM embedding_models WHERE id = ?1))",
            on.word()
        );
        let count: Option<i64> = self.first(&sql, [model], |row| row.get(0))?;
        Ok(count.and_then(|n| n.try_into().ok()).unwrap_or_default())
    }
}
