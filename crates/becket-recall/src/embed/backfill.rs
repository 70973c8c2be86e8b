//! Backfill of missing vectors, after a change of model or a failure of an endpoint.

use becket_store::{CorpusKind, NewVector, StoreWriter};

use super::{EmbedError, Embedder, embedding_text};

/// Progress of the backfill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BackfillProgress {
    /// Rows that got a vector.
    pub done: u64,
    /// Rows without a vector at the start.
    pub total: u64,
}

/// Why the backfill stopped. Earlier batches stay.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackfillError {
    /// The model failed.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] becket_store::Error),
}

/// Computes all missing vectors in batches and commits each batch. `go_on` gets the progress; if it returns `false`, the
/// backfill stops and the next call continues there.
pub fn backfill_vectors(
    writer: &mut StoreWriter,
    model: &dyn Embedder,
    mut go_on: impl FnMut(BackfillProgress) -> bool,
) -> Result<BackfillProgress, BackfillError> {
    let mut progress = BackfillProgress::default();
    for &corpus in CorpusKind::ALL {
        progress.total += writer.reader().count_unembedded(corpus, model.id())?;
    }
    for &corpus in CorpusKind::ALL {
        let mut after = 0;
        while go_on(progress) {
            let rows = writer
                .reader()
                .unembedded(corpus, model.id(), after, model.batch())?;
            let Some(last) = rows.last() else { break };
            after = last.pk;
            let texts: Vec<String> = rows
                .iter()
                .map(|row| embedding_text(&row.title, &row.text))
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
                group.put_vector(corpus, row.pk, vector)?;
            }
            group.commit()?;
            progress.done += rows.len() as u64;
        }
    }
    Ok(progress)
}
