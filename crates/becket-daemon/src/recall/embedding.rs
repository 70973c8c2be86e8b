//! Uses the configured embedding endpoint. Until it answers, and while it fails, the built-in model is used.

use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use becket_base::sync::MutexExt;
use becket_recall::embed::{
    BackfillError, BackfillProgress, Embedder, EndpointConfig, EndpointModel, backfill_vectors,
};
use becket_recall::search::{BUILTIN_MODEL, Recall};
use becket_store::{CorpusKind, NewVector};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operations;
use super::request::MemoryError;
use super::service::{ActiveModel, MemoryService, ServiceState};

/// How often an endpoint that failed is tried again, and missing vectors are backfilled.
const RETRY_INTERVAL: Duration = Duration::from_secs(300);

/// The embedding model used for search
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct EmbeddingStatus {
    /// The model in use
    pub model: String,
    /// The configured model, if it is not in use yet
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wanted: Option<String>,
    /// Texts embedded with the configured model
    pub done: u64,
    /// Texts to embed with the configured model
    pub total: u64,
    /// Why the configured model is not in use
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// The progress of switching to the configured model.
#[derive(Default)]
pub(super) struct EmbeddingProgress(Mutex<EmbeddingStatus>);

impl EmbeddingProgress {
    pub(super) fn update(&self, change: impl FnOnce(&mut EmbeddingStatus)) {
        change(&mut self.0.lock_ignoring_poison());
    }

    pub(super) fn snapshot(&self) -> EmbeddingStatus {
        let now = self.0.lock_ignoring_poison();
        now.clone()
    }
}

impl MemoryService {
    /// Embeds and indexes new memories of a project. Blocks.
    pub(crate) fn index_learned(&self, project: &str, new: &[String]) -> Result<(), MemoryError> {
        let (reader, model) = (self.inner.reader()?, self.inner.model());
        let mut vectors = Vec::new();
        for id in new {
            if let Some(memory) = reader.memory(id)? {
                let vector =
                    operations::embed_text(model.as_ref(), memory.context.as_deref(), &memory.text);
                vectors.extend(vector.map(|vector| (memory.pk, vector)));
            }
        }
        if !vectors.is_empty() {
            let mut writer = self.inner.writer()?;
            let mut transaction = writer.begin()?;
            for (pk, bytes) in &vectors {
                let model = model.id();
                transaction.put_vector(CorpusKind::Memory, *pk, NewVector { model, bytes })?;
            }
            transaction.commit()?;
        }
        self.inner.sync_index(project)
    }

    /// Embeds every text that has no vector of the active model, until `should_continue` returns false.
    fn backfill(
        &self,
        should_continue: impl FnMut(BackfillProgress) -> bool,
    ) -> Result<(), MemoryError> {
        let mut writer = self.inner.writer()?;
        let done = backfill_vectors(&mut writer, self.inner.model().as_ref(), should_continue);
        done.map_err(backfill_error)?;
        Ok(())
    }

    /// Embeds every text with a model, and then makes it the active one. `should_continue` gets the progress; if it
    /// returns false, the model does not become active.
    fn switch_model(
        &self,
        model: &Arc<dyn Embedder>,
        mut should_continue: impl FnMut(BackfillProgress) -> bool,
    ) -> Result<(), MemoryError> {
        let mut writer = self.inner.writer()?;
        let mut is_complete = true;
        backfill_vectors(&mut writer, model.as_ref(), |progress| {
            is_complete = should_continue(progress);
            is_complete
        })
        .map_err(backfill_error)?;
        if !is_complete || self.inner.model().id() == model.id() {
            return Ok(());
        }
        let recall = Arc::new(Recall::new(Some(&self.inner.indexes), Arc::clone(model))?);
        *self.inner.active_model() = ActiveModel {
            model: Arc::clone(model),
            recall: Some(recall),
        };
        // Texts stored meanwhile have vectors of the old model.
        backfill_vectors(&mut writer, model.as_ref(), should_continue).map_err(backfill_error)?;
        // Vectors of other models are deleted. Those of the built-in model stay, because it is the fallback.
        let mut transaction = writer.begin()?;
        transaction.drop_other_vectors(&[BUILTIN_MODEL, model.id()])?;
        transaction.commit()?;
        Ok(())
    }

    /// The active embedding model, and the progress of switching to another.
    pub fn embedding(&self) -> EmbeddingStatus {
        EmbeddingStatus {
            model: self.inner.model().id().to_owned(),
            ..self.inner.embedding_progress.snapshot()
        }
    }
}

/// Logs that the built-in model replaces a failing one, and backfills its vectors. The receiver disconnects when they
/// are complete.
pub(super) fn fall_back_to_builtin(
    inner: &ServiceState,
    id: String,
    problem: String,
) -> Receiver<()> {
    let (working, done) = mpsc::channel();
    tracing::warn!("the embedding model `{id}` failed; using the built-in model: {problem}");
    inner.embedding_progress.update(|now| {
        now.wanted = Some(id);
        now.problem = Some(problem);
    });
    let (writer, builtin) = (inner.writer(), Arc::clone(&inner.builtin));
    let thread = std::thread::Builder::new().name("becket-step-in".into());
    let started = thread.spawn(move || {
        let _making: Sender<()> = working;
        let done = writer.and_then(|mut writer| {
            backfill_vectors(&mut writer, builtin.as_ref(), |_| true).map_err(backfill_error)
        });
        if let Err(error) = done {
            tracing::warn!("cannot backfill embeddings: {error}");
        }
    });
    if let Err(error) = started {
        tracing::warn!("cannot backfill embeddings: {error}");
    }
    done
}

fn backfill_error(error: BackfillError) -> MemoryError {
    MemoryError::Unavailable(error.to_string())
}

/// The thread that backfills vectors and switches to the configured model. It stops soon after this is dropped.
#[must_use]
pub(crate) struct EmbeddingBackfill {
    _alive: Sender<()>,
}

/// Starts to backfill missing vectors, and to switch to the configured model, if any.
pub(crate) fn start_backfill(
    memory: &MemoryService,
    config: Option<EndpointConfig>,
) -> std::io::Result<EmbeddingBackfill> {
    let (alive, stopped) = mpsc::channel();
    let service = memory.clone();
    // Not a runtime thread: a request to the endpoint may be slow, and the daemon does not wait for it.
    std::thread::Builder::new()
        .name("becket-embed".into())
        .spawn(move || {
            // Texts stored without a vector, or with one of another model.
            if let Err(error) = service.backfill(|_| is_running(&stopped)) {
                tracing::debug!("cannot backfill embeddings: {error}");
            }
            if let Some(config) = config {
                retry_loop(&service, &config, &stopped);
            }
        })?;
    Ok(EmbeddingBackfill { _alive: alive })
}

fn is_running(stopped: &Receiver<()>) -> bool {
    stopped.try_recv() == Err(mpsc::TryRecvError::Empty)
}

fn retry_loop(service: &MemoryService, config: &EndpointConfig, stopped: &Receiver<()>) {
    let mut warned = false;
    let mut model: Option<Arc<dyn Embedder>> = None;
    loop {
        let done = connect_and_backfill(service, config, &mut model, stopped);
        let embedding_progress = &service.inner.embedding_progress;
        embedding_progress.update(|now| now.problem = done.as_ref().err().map(ToString::to_string));
        match done {
            Err(error) if !warned => {
                tracing::warn!(
                    "cannot use the embedding model `{}`; using the built-in model: {error}",
                    config.model
                );
                warned = true;
            }
            Err(error) => tracing::debug!("{error}"),
            Ok(()) => warned = false,
        }
        if stopped.recv_timeout(RETRY_INTERVAL) != Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
}

/// Connects to the endpoint if needed, and backfills missing vectors.
fn connect_and_backfill(
    service: &MemoryService,
    config: &EndpointConfig,
    model: &mut Option<Arc<dyn Embedder>>,
    stopped: &Receiver<()>,
) -> Result<(), MemoryError> {
    let embedding_progress = &service.inner.embedding_progress;
    let known = if let Some(known) = model {
        Arc::clone(known)
    } else {
        embedding_progress.update(|now| now.wanted = Some(config.model.clone()));
        let endpoint = EndpointModel::connect(config.clone());
        let endpoint = endpoint.map_err(|error| MemoryError::Unavailable(error.to_string()))?;
        Arc::new(endpoint)
    };
    let was_used = service.inner.model().id() == known.id();
    if model.is_some() && !was_used {
        let probe = known.embed(&["becket"]);
        probe.map_err(|error| MemoryError::Unavailable(error.to_string()))?;
    }
    service.switch_model(&known, |progress| {
        embedding_progress.update(|now| (now.done, now.total) = (progress.done, progress.total));
        is_running(stopped)
    })?;
    if !was_used && is_running(stopped) {
        tracing::info!("using the embedding model `{}`", known.id());
        embedding_progress.update(|now| now.wanted = None);
        *model = Some(known);
    }
    Ok(())
}
