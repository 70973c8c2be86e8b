//! The daemon's memory service.

use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use becket_base::sync::MutexExt;
use becket_recall::code::{self, FileOutcome, IndexReport};
use becket_recall::embed::Embedder;
use becket_recall::search::{Recall, RecallError};
use becket_store::{Millis, Options, StoreReader, StoreWriter};
use tokio::runtime::Handle;

use super::embedding::{self, EmbeddingProgress};
use super::indexing_runs::IndexingRuns;
use super::request::{
    ForgetResult, IndexingStatus, MemoryDetail, MemoryError, MemoryInput, MemoryListQuery,
    MemoryPatch, MemoryRequest, MemoryResponse, RecallHit, RecallQuery, RememberResult,
};
use super::{edit, operations, remove_partial_indexes};
use crate::store_handle::{StoreHandle, WriteError};
use crate::watch::WatchHandle;

/// How long a search waits for vectors of the fallback model.
const FALLBACK_WAIT: Duration = Duration::from_secs(2);

/// Sends a request and blocks. Must not be called on a runtime thread.
pub type BlockingMemoryClient =
    Arc<dyn Fn(MemoryRequest) -> Result<MemoryResponse, MemoryError> + Send + Sync>;

/// A handle to the memory service. Clones share the indexes.
#[derive(Clone)]
pub struct MemoryService {
    pub(super) inner: Arc<ServiceState>,
}

pub(super) struct ServiceState {
    store: StoreHandle,
    pub(super) indexes: PathBuf,
    /// The built-in model, used as the fallback.
    pub(super) builtin: Arc<dyn Embedder>,
    /// The active embedding model with its indexes.
    active_model: Mutex<ActiveModel>,
    indexing: IndexingRuns,
    pub(super) embedding_progress: EmbeddingProgress,
    /// The file watcher, if it runs.
    watch_handle: OnceLock<WatchHandle>,
}

/// An embedding model and the search indexes with its vectors.
pub(super) struct ActiveModel {
    pub(super) model: Arc<dyn Embedder>,
    /// Created at first use: a daemon without memories has none.
    pub(super) recall: Option<Arc<Recall>>,
}

impl From<WriteError> for MemoryError {
    fn from(error: WriteError) -> Self {
        Self::Unavailable(error.to_string())
    }
}

impl MemoryService {
    /// A service on a store, with index files in `indexes`. It reads nothing yet.
    pub fn new(store: StoreHandle, indexes: PathBuf, model: Arc<dyn Embedder>) -> Self {
        Self {
            inner: Arc::new(ServiceState {
                store,
                indexes,
                builtin: Arc::clone(&model),
                active_model: Mutex::new(ActiveModel {
                    model,
                    recall: None,
                }),
                indexing: IndexingRuns::default(),
                embedding_progress: EmbeddingProgress::default(),
                watch_handle: OnceLock::new(),
            }),
        }
    }

    /// Handles any request.
    pub async fn handle(&self, request: MemoryRequest) -> Result<MemoryResponse, MemoryError> {
        match request {
            MemoryRequest::Search(query) => self.search(query).await.map(MemoryResponse::Found),
            MemoryRequest::List(query) => self.list(query).await.map(MemoryResponse::Memories),
            MemoryRequest::Show { project, id } => {
                let detail = self.show(project, id).await?;
                Ok(MemoryResponse::Memory(Box::new(detail)))
            }
            MemoryRequest::Remember(input) => {
                self.remember(input).await.map(MemoryResponse::Remembered)
            }
            MemoryRequest::Change {
                project,
                id,
                change,
            } => {
                let detail = self.edit(project, id, change).await?;
                Ok(MemoryResponse::Memory(Box::new(detail)))
            }
            MemoryRequest::Forget { project, id } => {
                let result = self.forget(project, id).await?;
                Ok(MemoryResponse::Forgotten(Box::new(result)))
            }
            MemoryRequest::Index { project, begin } => {
                let now = if begin {
                    self.start_indexing(&project)?
                } else {
                    self.indexing_status(&project)
                };
                Ok(MemoryResponse::Indexing(Box::new(now)))
            }
        }
    }

    /// A client for blocking threads. Must be called in the runtime.
    pub fn blocking_client(&self) -> BlockingMemoryClient {
        let (service, runtime) = (self.clone(), Handle::current());
        Arc::new(move |request| runtime.block_on(service.handle(request)))
    }

    /// Searches a project; the most relevant hits first.
    pub async fn search(&self, query: RecallQuery) -> Result<Vec<RecallHit>, MemoryError> {
        let work = self.with_reader(move |inner, reader| {
            let found = operations::search(inner.recall()?.as_ref(), reader, &query)?;
            let Some(vectors) = inner.check_model() else {
                return Ok(found);
            };
            // Without vectors only words match; the backfill is usually quick.
            let _ = vectors.recv_timeout(FALLBACK_WAIT);
            operations::search(inner.recall()?.as_ref(), reader, &query)
        });
        work.await
    }

    /// Lists memories: pinned ones first, then the newest.
    pub async fn list(
        &self,
        query: MemoryListQuery,
    ) -> Result<Vec<becket_store::MemoryRow>, MemoryError> {
        self.with_reader(move |_, reader| operations::list(reader, &query))
            .await
    }

    /// One memory with its sources. If `project` is given, the memory must belong to it.
    pub async fn show(
        &self,
        project: Option<String>,
        id: String,
    ) -> Result<MemoryDetail, MemoryError> {
        let work =
            self.with_reader(move |_, reader| operations::detail(reader, project.as_deref(), &id));
        work.await
    }

    /// Stores a memory, or quarantines it if it looks like a prompt injection.
    pub async fn remember(&self, input: MemoryInput) -> Result<RememberResult, MemoryError> {
        let project = input.project.clone();
        let model = self.inner.model();
        let name = model.id().to_owned();
        let checked =
            blocking(move || operations::check(input, model.as_ref(), Millis::now())).await?;
        let write = self
            .inner
            .store
            .transaction(move |transaction| operations::remember(transaction, &checked, &name));
        let result = write.await?;
        self.project_changed(&project);
        self.with_reader(move |_, reader| operations::with_stored_status(reader, result))
            .await
    }

    /// Edits a memory: text, pin, status, replacement, expiry.
    pub async fn edit(
        &self,
        project: Option<String>,
        id: String,
        edit: MemoryPatch,
    ) -> Result<MemoryDetail, MemoryError> {
        let model = self.inner.model();
        let name = model.id().to_owned();
        let check = self.with_reader(move |_, reader| {
            edit::check(reader, model.as_ref(), project.as_deref(), &id, edit)
        });
        let checked = check.await?;
        let (id, project) = (checked.memory.id.clone(), checked.memory.project.clone());
        let erases = checked.erases_text();
        if erases {
            self.inner.store.drain_spool().await?;
        }
        let write = self
            .inner
            .store
            .transaction(move |transaction| edit::apply(transaction, &checked, &name));
        write.await?.into_result(&id)?;
        if erases {
            self.erase_traces(project.clone()).await?;
        } else {
            self.project_changed(&project);
        }
        self.show(Some(project), id).await
    }

    /// Deletes a memory and everything derived from it.
    pub async fn forget(
        &self,
        project: Option<String>,
        id: String,
    ) -> Result<ForgetResult, MemoryError> {
        let look = self.with_reader(move |_, reader| {
            operations::prepare_forget(reader, project.as_deref(), &id)
        });
        let mut result = look.await?;
        let memory = result.memory.clone();
        // The records of its injections may still be in the spool.
        self.inner.store.drain_spool().await?;
        self.inner
            .store
            .transaction(move |transaction| operations::forget(transaction, &memory))
            .await?;
        result.traceless = self.erase_traces(result.memory.project.clone()).await?;
        Ok(result)
    }

    /// Removes deleted text from the index and the database files.
    async fn erase_traces(&self, project: String) -> Result<bool, MemoryError> {
        let sync = self.with_reader(move |inner, reader| {
            let recall = inner.recall()?;
            recall.sync(reader, &project)?;
            recall.save()?;
            remove_partial_indexes(&inner.indexes);
            Ok(())
        });
        sync.await?;
        let maintenance = self.inner.store.maintain(StoreWriter::purge_deleted);
        Ok(maintenance.await?)
    }

    /// Starts to index a project's code, unless that is in progress.
    pub fn start_indexing(&self, project: &str) -> Result<IndexingStatus, MemoryError> {
        let real = operations::project_directory(project)?;
        let real = real.as_str();
        if self.inner.indexing.begin(real) {
            let (service, project) = (self.clone(), real.to_owned());
            let thread = std::thread::Builder::new().name("becket-index".into());
            // Not a runtime thread: the daemon may stop meanwhile, and committed work stays.
            let started = thread.spawn(move || service.inner.index(&project));
            if let Err(error) = started {
                let ended = |run: &mut IndexingStatus| *run = IndexingStatus::default();
                self.inner.indexing.update(real, ended);
                return Err(MemoryError::Unavailable(error.to_string()));
            }
        }
        Ok(self.inner.indexing.get(real))
    }

    /// The progress of indexing a project's code.
    pub fn indexing_status(&self, project: &str) -> IndexingStatus {
        let real = Path::new(project).canonicalize().ok();
        let real = real.as_deref().and_then(Path::to_str);
        self.inner.indexing.get(real.unwrap_or(project))
    }

    /// Runs `work` with the index as it is, without updating it first.
    pub async fn with_index<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Recall, &StoreReader) -> Result<T, RecallError> + Send + 'static,
    ) -> Result<T, MemoryError> {
        let read =
            self.with_reader(move |inner, reader| Ok(work(inner.recall()?.as_ref(), reader)?));
        read.await
    }

    /// Updates a project's index in the background, after others wrote to the store.
    pub fn project_changed(&self, project: &str) {
        let (inner, project) = (Arc::clone(&self.inner), project.to_owned());
        tokio::task::spawn_blocking(move || {
            if let Err(error) = inner.sync_index(&project) {
                tracing::warn!("cannot update the memory index: {error}");
            }
        });
    }

    /// Saves the indexes, so that the next daemon need not rebuild them.
    pub(crate) fn save(&self) {
        let recall = self.inner.active_model().recall.clone();
        if let Some(Err(error)) = recall.map(|recall| recall.save()) {
            tracing::warn!("{error}");
        }
    }

    pub(crate) fn reader(&self) -> Result<StoreReader, MemoryError> {
        self.inner.reader()
    }

    pub(crate) fn recall(&self) -> Result<Arc<Recall>, MemoryError> {
        self.inner.recall()
    }

    pub(crate) fn set_watch_handle(&self, handle: WatchHandle) {
        let _ = self.inner.watch_handle.set(handle);
    }

    /// Reports activity in an indexed project to the file watcher.
    pub(super) fn project_used(&self, project: &str) {
        self.inner.project_used(project);
    }

    pub(crate) fn store(&self) -> &StoreHandle {
        &self.inner.store
    }

    /// Indexes some files, or all of them. Returns the outcome for each of `files`.
    pub(crate) fn update_files(
        &self,
        project: &str,
        files: &[String],
        all: bool,
    ) -> Result<Vec<FileOutcome>, MemoryError> {
        let mut outcomes = Vec::new();
        if all {
            self.inner.reindex(project, |_| {})?;
        } else {
            let _exclusive = self.inner.indexing.exclusive.lock_ignoring_poison();
            let mut writer = self.inner.writer()?;
            let model = self.inner.model();
            for file in files {
                let (root, file) = (Path::new(project), Path::new(file));
                let outcome = code::index_file(&mut writer, root, file, model.as_ref())?;
                outcomes.push(outcome);
            }
        }
        self.inner.sync_index(project)?;
        Ok(outcomes)
    }

    /// Runs `work` with a reader, on a blocking thread.
    async fn with_reader<T: Send + 'static>(
        &self,
        work: impl FnOnce(&ServiceState, &StoreReader) -> Result<T, MemoryError> + Send + 'static,
    ) -> Result<T, MemoryError> {
        let inner = Arc::clone(&self.inner);
        blocking(move || work(&inner, &inner.reader()?)).await
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, MemoryError> + Send + 'static,
) -> Result<T, MemoryError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err(MemoryError::Unavailable("the request failed".into())))
}

impl ServiceState {
    pub(super) fn reader(&self) -> Result<StoreReader, MemoryError> {
        Ok(StoreReader::open(self.store.database_path())?)
    }

    /// A second writer next to the writer thread; it waits for at most one commit.
    pub(super) fn writer(&self) -> Result<StoreWriter, MemoryError> {
        Ok(StoreWriter::open(
            self.store.database_path(),
            Options::default(),
        )?)
    }

    fn project_used(&self, project: &str) {
        if let Some(handle) = self.watch_handle.get() {
            handle.project_used(project);
        }
    }

    pub(super) fn active_model(&self) -> MutexGuard<'_, ActiveModel> {
        self.active_model.lock_ignoring_poison()
    }

    pub(super) fn model(&self) -> Arc<dyn Embedder> {
        self.check_model();
        Arc::clone(&self.active_model().model)
    }

    /// Switches to the built-in model if the active one fails. The receiver, if there is one, disconnects when its vectors
    /// are complete.
    fn check_model(&self) -> Option<Receiver<()>> {
        let mut active = self.active_model();
        let problem = active.model.last_error()?;
        let id = active.model.id().to_owned();
        *active = ActiveModel {
            model: Arc::clone(&self.builtin),
            recall: None,
        };
        drop(active);
        Some(embedding::fall_back_to_builtin(self, id, problem))
    }

    fn recall(&self) -> Result<Arc<Recall>, MemoryError> {
        self.check_model();
        let mut active = self.active_model();
        if let Some(recall) = &active.recall {
            return Ok(Arc::clone(recall));
        }
        let new = Arc::new(Recall::new(Some(&self.indexes), Arc::clone(&active.model))?);
        active.recall = Some(Arc::clone(&new));
        Ok(new)
    }

    pub(super) fn sync_index(&self, project: &str) -> Result<(), MemoryError> {
        self.recall()?.sync(&self.reader()?, project)?;
        Ok(())
    }

    /// Runs an indexing run and records its progress.
    fn index(&self, project: &str) {
        let done = self.reindex(project, |now| {
            self.indexing
                .update(project, |run| (run.done, run.total) = (now.done, now.total));
        });
        let done = done.and_then(|done| {
            self.sync_index(project)?;
            self.recall()?.save()?;
            Ok(done)
        });
        self.project_used(project);
        self.indexing.update(project, |run| {
            run.running = false;
            match done {
                Ok(done) => run.indexed = Some(done),
                Err(error) => run.error = Some(error.to_string()),
            }
        });
    }

    fn reindex(
        &self,
        project: &str,
        progress: impl FnMut(code::IndexProgress),
    ) -> Result<IndexReport, MemoryError> {
        let _exclusive = self.indexing.exclusive.lock_ignoring_poison();
        let mut writer = self.writer()?;
        let model = self.model();
        let root = Path::new(project);
        Ok(code::index(&mut writer, root, model.as_ref(), progress)?)
    }
}
