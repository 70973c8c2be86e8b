//! Errors of hooks and of the engine.

use std::time::Duration;

/// An error of the engine or of a hook.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A hook returned an error or panicked.
    #[error("hook `{hook}` failed: {message}")]
    HookFailed {
        /// The hook's name.
        hook: String,
        /// The error message.
        message: String,
    },
    /// A hook did not finish in time.
    #[error("hook `{hook}` did not finish within {after:?}")]
    HookTimeout {
        /// The hook's name.
        hook: String,
        /// Its deadline.
        after: Duration,
    },
    /// The caller's cancellation token was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// Anything else a hook wants to report.
    #[error("{0}")]
    Other(String),
}

impl Error {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self::Other(message.into())
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::Other(error.to_string())
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::Other(error.to_string())
    }
}

/// A result with [`Error`] as the default error type.
pub type Result<T, E = Error> = std::result::Result<T, E>;
