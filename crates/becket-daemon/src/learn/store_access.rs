//! Gives the learning thread access to the store, through the writer thread.

use becket_learn::{StoreAccess, StoreAccessError};
use becket_store::{Error, StoreReader, WriteTransaction};
use tokio::runtime::Handle;

use crate::store_handle::StoreHandle;

/// Must not be used on a runtime thread: it blocks.
#[derive(Clone)]
pub(super) struct WriterStoreAccess {
    pub(super) store: StoreHandle,
    pub(super) runtime: Handle,
}

impl StoreAccess for WriterStoreAccess {
    fn read<T>(
        &self,
        work: impl FnOnce(&StoreReader) -> Result<T, Error>,
    ) -> Result<T, StoreAccessError> {
        Ok(work(&StoreReader::open(self.store.database_path())?)?)
    }

    fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut WriteTransaction<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, StoreAccessError> {
        // Other jobs share the transaction, so a failure must only roll back this one.
        let write = self
            .store
            .transaction(move |transaction| transaction.atomically(work));
        let written = self.runtime.block_on(write);
        written.map_err(|error| StoreAccessError(error.to_string()))
    }
}
