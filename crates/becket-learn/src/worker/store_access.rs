//! Store access of the worker.

use std::sync::Mutex;

use becket_base::sync::MutexExt;
use becket_store::{Error, StoreReader, StoreWriter, WriteTransaction};

/// Why the store could not be used.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct StoreAccessError(pub String);

impl From<Error> for StoreAccessError {
    fn from(error: Error) -> Self {
        Self(error.to_string())
    }
}

/// Read and write access to the store, independent of the owner of the writer.
pub trait StoreAccess: Send + Sync {
    /// Runs a query.
    fn read<T>(
        &self,
        what: impl FnOnce(&StoreReader) -> Result<T, Error>,
    ) -> Result<T, StoreAccessError>;

    /// Runs a transaction and returns after the commit. On an error, nothing is written.
    fn write<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut WriteTransaction<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, StoreAccessError>;
}

/// Store access through an owned writer.
pub struct OwnedStoreAccess(Mutex<StoreWriter>);

impl OwnedStoreAccess {
    /// Wraps a writer.
    pub fn new(writer: StoreWriter) -> Self {
        Self(Mutex::new(writer))
    }
}

impl StoreAccess for OwnedStoreAccess {
    fn read<T>(
        &self,
        what: impl FnOnce(&StoreReader) -> Result<T, Error>,
    ) -> Result<T, StoreAccessError> {
        let writer = self.0.lock_ignoring_poison();
        Ok(what(writer.reader())?)
    }

    fn write<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut WriteTransaction<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, StoreAccessError> {
        let mut writer = self.0.lock_ignoring_poison();
        let mut group = writer.begin()?;
        let done = what(&mut group)?;
        group.commit()?;
        Ok(done)
    }
}
