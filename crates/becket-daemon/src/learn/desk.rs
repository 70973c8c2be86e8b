//! The learner's way to the store: through the one who writes.

use becket_learn::{Desk, DeskError};
use becket_store::{Error, Group, Reader};
use tokio::runtime::Handle;

use crate::keeper::Keeper;

/// Never used on a thread of the runtime, which would wait for itself.
#[derive(Clone)]
pub(super) struct KeeperDesk {
    pub(super) keeper: Keeper,
    pub(super) runtime: Handle,
}

impl Desk for KeeperDesk {
    fn read<T>(&self, what: impl FnOnce(&Reader) -> Result<T, Error>) -> Result<T, DeskError> {
        Ok(what(&Reader::open(self.keeper.database())?)?)
    }

    fn write<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut Group<'_>) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, DeskError> {
        // Others write in the same group, so that what fails has to be undone by itself.
        let tell = self.keeper.tell(move |group| group.whole(what));
        let told = self.runtime.block_on(tell);
        told.map_err(|error| DeskError(error.to_string()))
    }
}
