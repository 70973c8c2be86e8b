//! Making the vectors that are missing, after another model was chosen or an endpoint was away.

use becket_store::{NewVector, Shelf, Writer};

use super::{EmbedError, Embedder, composed};

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Rows that have a vector now and had none.
    pub done: u64,
    /// Rows that had none at the beginning.
    pub total: u64,
}

/// Why vectors are still missing. What was made before is kept.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RefreshError {
    /// The model did not make them.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The store did not take them.
    #[error(transparent)]
    Store(#[from] becket_store::Error),
}

/// Makes every vector that is missing, a batch at a time, each batch kept before the next begins. `go_on` hears
/// how far it is and may end it by answering `false`; the next call continues there.
pub fn refresh(
    writer: &mut Writer,
    model: &dyn Embedder,
    mut go_on: impl FnMut(Progress) -> bool,
) -> Result<Progress, RefreshError> {
    let mut progress = Progress::default();
    for &shelf in Shelf::ALL {
        progress.total += writer.reader().count_unembedded(shelf, model.id())?;
    }
    for &shelf in Shelf::ALL {
        let mut after = 0;
        while go_on(progress) {
            let rows = writer
                .reader()
                .unembedded(shelf, model.id(), after, model.batch())?;
            let Some(last) = rows.last() else { break };
            after = last.pk;
            let texts: Vec<String> = rows
                .iter()
                .map(|row| composed(&row.title, &row.text))
                .collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let vectors = model.embed_quantised(&texts)?;
            let mut group = writer.begin()?;
            for (row, vector) in rows.iter().zip(&vectors) {
                let bytes = vector.to_bytes();
                let vector = NewVector {
                    model: model.id(),
                    bytes: &bytes,
                };
                group.put_vector(shelf, row.pk, vector)?;
            }
            group.commit()?;
            progress.done += rows.len() as u64;
        }
    }
    Ok(progress)
}
