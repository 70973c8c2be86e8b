//! Texts as vectors.
//!
//! The default ([`Builtin`]) is a table inside the program: no download, no network, microseconds for a text. A
//! person may name an endpoint instead ([`Endpoint`]). Vectors carry the id of the model that made them and are
//! never compared with those of another; [`refresh`] makes the missing ones after a change.

mod builtin;
mod endpoint;
mod refresh;
mod wordpiece;

pub use builtin::Builtin;
pub use endpoint::{Endpoint, EndpointConfig, Key, Protocol};
pub use refresh::{Progress, RefreshError, refresh};

use std::time::Duration;

use crate::search::Quantised;

/// Turns texts into vectors of length one.
pub trait Embedder: Send + Sync {
    /// What tells this model's vectors from those of another.
    fn id(&self) -> &str;

    /// How many numbers a vector has.
    fn dimensions(&self) -> usize;

    /// One vector for each text, in order. A text without a word gives zeros.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// The vector of what somebody waits for, within `patience`.
    fn embed_query(&self, text: &str, patience: Duration) -> Result<Vec<f32>, EmbedError> {
        let _ = patience;
        Ok(self.embed(&[text])?.pop().unwrap_or_default())
    }

    /// How many texts are best given at once.
    fn batch(&self) -> usize {
        64
    }

    /// Whether somebody else answers, so that many texts are better gathered for one question.
    fn is_far(&self) -> bool {
        false
    }

    /// Why it gave no answer when it was asked last, if it gave none. Who was just not patient enough is no reason.
    fn trouble(&self) -> Option<String> {
        None
    }

    /// As [`Embedder::embed`], in the form in which vectors are stored.
    fn embed_quantised(&self, texts: &[&str]) -> Result<Vec<Quantised>, EmbedError> {
        let vectors = self.embed(texts)?;
        Ok(vectors.iter().map(|one| Quantised::of(one)).collect())
    }
}

/// Why there are no vectors. No message holds a key or the texts.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EmbedError {
    /// There is nowhere to ask.
    #[error("the embedding endpoint `{0}` is not a URL that begins with `http://` or `https://`")]
    BadUrl(String),
    /// The key could not be had.
    #[error("no key for the embedding endpoint: {0}")]
    NoKey(String),
    /// Nobody answered.
    #[error("the embedding endpoint did not answer: {0}")]
    NoAnswer(String),
    /// It said no.
    #[error("the embedding endpoint answered with status {0}")]
    Status(u16),
    /// It said something else.
    #[error("the embedding endpoint's answer cannot be used: {0}")]
    BadAnswer(String),
}

/// The text of a row as models see it.
pub fn composed(title: &str, text: &str) -> String {
    if title.is_empty() {
        return text.to_owned();
    }
    format!("{title}\n{text}")
}

/// Makes a vector as long as one; zeros stay.
fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length > f32::EPSILON {
        for x in vector {
            *x /= length;
        }
    }
}
