//! The handle for learning requests.

use std::fmt;
use std::sync::Arc;

use becket_learn::WorkerOptions;
use becket_store::Millis;

use super::ended_queue::EndedQueue;
use super::request::{self, LearningError, LearningRequest, LearningResponse};
use crate::recall::MemoryService;
use crate::store_handle::StoreHandle;

/// The user's settings for learning.
pub struct LearningSettings {
    /// Whether learning is enabled.
    pub on: bool,
    /// How the worker learns.
    pub habits: WorkerOptions,
    /// The display name of the language model.
    pub model: Option<String>,
    /// An error in the user's configuration.
    pub problem: Option<String>,
}

impl Default for LearningSettings {
    /// Enabled, without a language model.
    fn default() -> Self {
        Self {
            on: true,
            habits: WorkerOptions::default(),
            model: None,
            problem: None,
        }
    }
}

/// Loads the user's settings; called before each job.
#[derive(Clone)]
pub struct LearningSettingsLoader(pub Arc<dyn Fn() -> LearningSettings + Send + Sync>);

impl fmt::Debug for LearningSettingsLoader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WantedOf")
    }
}

/// A handle for learning requests.
#[derive(Clone)]
pub struct LearningHandle {
    pub(super) store: StoreHandle,
    pub(super) memory: MemoryService,
    pub(super) settings: LearningSettingsLoader,
    pub(super) ended: Arc<EndedQueue>,
}

impl LearningHandle {
    /// Whether learning is enabled.
    pub fn is_on(&self) -> bool {
        (self.settings.0)().on
    }

    /// Creates a handle. It starts no thread.
    pub(crate) fn new(
        store: StoreHandle,
        memory: MemoryService,
        settings: LearningSettingsLoader,
    ) -> Self {
        Self {
            ended: store.ended_queue(),
            store,
            memory,
            settings,
        }
    }

    /// Handles a request.
    pub async fn handle(
        &self,
        request: LearningRequest,
    ) -> Result<LearningResponse, LearningError> {
        let now = Millis::now();
        let mut retried = None;
        if request != LearningRequest::Status {
            let write = self.store.transaction(move |transaction| {
                transaction.atomically(|transaction| request::apply(transaction, request, now))
            });
            let written = write.await;
            retried = written.map_err(|error| LearningError::Unavailable(error.to_string()))?;
            self.ended.wake();
        }
        let settings = self.settings.clone();
        let load = self
            .store
            .query(move |reader| request::load_status(reader, &(settings.0)(), now));
        let mut learning = load.await?;
        learning.embedding = Some(self.memory.embedding());
        request::response(request, retried, learning)
    }
}
