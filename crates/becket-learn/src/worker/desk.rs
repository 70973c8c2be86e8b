//! How the worker reaches the store.

use std::sync::{Mutex, PoisonError};

use becket_store::{Error, Group, Reader, Writer};

/// Why the store could not be used.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct DeskError(pub String);

impl From<Error> for DeskError {
    fn from(error: Error) -> Self {
        Self(error.to_string())
    }
}

/// Reading and writing, whoever holds the writer.
pub trait Desk: Send + Sync {
    /// Asks the store.
    fn read<T>(&self, what: impl FnOnce(&Reader) -> Result<T, Error>) -> Result<T, DeskError>;

    /// Writes in a group, and returns when it is kept. If the work fails, nothing of it is to be kept.
    fn write<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut Group<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, DeskError>;
}

/// A desk with a writer of its own.
pub struct OwnDesk(Mutex<Writer>);

impl OwnDesk {
    /// Around a writer.
    pub fn new(writer: Writer) -> Self {
        Self(Mutex::new(writer))
    }
}

impl Desk for OwnDesk {
    fn read<T>(&self, what: impl FnOnce(&Reader) -> Result<T, Error>) -> Result<T, DeskError> {
        let writer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(what(writer.reader())?)
    }

    fn write<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut Group<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, DeskError> {
        let mut writer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut group = writer.begin()?;
        let done = what(&mut group)?;
        group.commit()?;
        Ok(done)
    }
}
