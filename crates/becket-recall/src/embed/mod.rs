//! Text embeddings.
//!
//! The default, [`BuiltinModel`], is a table in the program: no download, no network, microseconds per text. The user can
//! configure an endpoint instead ([`EndpointModel`]). Each vector stores the id of its model and is compared only with
//! vectors of that model. After a change of model, [`backfill_vectors`] computes the missing ones.

mod backfill;
mod builtin;
mod endpoint;
mod wordpiece;

pub use backfill::{BackfillError, BackfillProgress, backfill_vectors};
pub use builtin::BuiltinModel;
pub use endpoint::{ApiKey, EndpointConfig, EndpointModel, EndpointProtocol};

use std::time::Duration;

use crate::search::QuantisedVector;

/// Turns texts into unit vectors.
pub trait Embedder: Send + Sync {
    /// The id that distinguishes vectors of this model.
    fn id(&self) -> &str;

    /// The number of dimensions.
    fn dimensions(&self) -> usize;

    /// One vector per text, in order. A text without words gives zeros.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// The vector of an interactive query, within a time limit.
    fn embed_query(&self, text: &str, timeout: Duration) -> Result<Vec<f32>, EmbedError> {
        let _ = timeout;
        Ok(self.embed(&[text])?.pop().unwrap_or_default())
    }

    /// The best number of texts per call.
    fn batch(&self) -> usize {
        64
    }

    /// Whether the model runs elsewhere, so that batching pays off.
    fn is_remote(&self) -> bool {
        false
    }

    /// The error of the last request, if it failed. A query timeout does not count.
    fn last_error(&self) -> Option<String> {
        None
    }

    /// Like [`Embedder::embed`], in the format of the store.
    fn embed_quantised(&self, texts: &[&str]) -> Result<Vec<QuantisedVector>, EmbedError> {
        let vectors = self.embed(texts)?;
        Ok(vectors.iter().map(|one| QuantisedVector::of(one)).collect())
    }
}

/// Why embedding failed. No message contains a key or the texts.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// The URL is invalid.
    #[error(
        "invalid URL of the embedding endpoint `{0}`; it must begin with `http://` or `https://`"
    )]
    BadUrl(String),
    /// The API key could not be read.
    #[error("no key for the embedding endpoint: {0}")]
    NoKey(String),
    /// The endpoint did not answer.
    #[error("the embedding endpoint did not answer: {0}")]
    NoAnswer(String),
    /// The endpoint answered with an error status.
    #[error("the embedding endpoint answered with status {0}")]
    Status(u16),
    /// The response is malformed.
    #[error("invalid response from the embedding endpoint: {0}")]
    BadAnswer(String),
}

/// The text of a row as the model gets it.
pub fn embedding_text(title: &str, text: &str) -> String {
    if title.is_empty() {
        return text.to_owned();
    }
    format!("{title}\n{text}")
}

/// Scales to unit length; zeros stay.
fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > f32::EPSILON {
        for x in vector {
            *x /= length;
        }
    }
}
