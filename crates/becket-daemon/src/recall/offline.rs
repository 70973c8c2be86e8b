//! Handles memory requests without a daemon. The caller holds the daemon's lock.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use becket_recall::code::{self, IndexProgress};
use becket_recall::embed::Embedder;
use becket_recall::search::Recall;
use becket_spool::Spool;
use becket_store::{Millis, Options, RecordLine, StoreWriter};

use super::request::{
    ForgetResult, IndexingStatus, MemoryError, MemoryInput, MemoryPatch, MemoryRequest,
    MemoryResponse, RememberResult,
};
use super::{edit, index_dir, operations, remove_partial_indexes};
use crate::store_handle::redact_line;

/// Creates the embedding model at first use.
pub type EmbedderFactory = Box<dyn Fn() -> Arc<dyn Embedder>>;

/// A database and its indexes, for one command.
pub struct OfflineMemory {
    writer: StoreWriter,
    spool: Spool,
    indexes: PathBuf,
    embedder_factory: EmbedderFactory,
    model: OnceCell<Arc<dyn Embedder>>,
    /// Created at first use.
    recall: Option<Recall>,
}

impl OfflineMemory {
    /// Opens the database, or creates it.
    pub fn open(
        database: &Path,
        state: &Path,
        embedder_factory: EmbedderFactory,
    ) -> Result<Self, MemoryError> {
        Ok(Self {
            writer: StoreWriter::open(database, Options::default())?,
            spool: Spool::open(state.join("spool")),
            indexes: index_dir(state),
            embedder_factory,
            model: OnceCell::new(),
            recall: None,
        })
    }

    /// Handles a request. `progress` reports on indexing, which is complete when this returns.
    pub fn handle(
        &mut self,
        request: MemoryRequest,
        progress: &mut dyn FnMut(IndexProgress),
    ) -> Result<MemoryResponse, MemoryError> {
        match request {
            MemoryRequest::Search(query) => {
                self.recall()?;
                let recall = self.recall.as_ref().expect("created above");
                let found = operations::search(recall, self.writer.reader(), &query)?;
                // Best effort: the next command then need not rebuild the index.
                let _ = recall.save();
                Ok(MemoryResponse::Found(found))
            }
            MemoryRequest::List(query) => {
                operations::list(self.writer.reader(), &query).map(MemoryResponse::Memories)
            }
            MemoryRequest::Show { project, id } => self.show(project.as_deref(), &id),
            MemoryRequest::Remember(input) => self.remember(input).map(MemoryResponse::Remembered),
            MemoryRequest::Change {
                project,
                id,
                change,
            } => self.edit(project.as_deref(), &id, change),
            MemoryRequest::Forget { project, id } => self
                .forget(project.as_deref(), &id)
                .map(|result| MemoryResponse::Forgotten(Box::new(result))),
            MemoryRequest::Index { project, begin } => self
                .index(&project, begin, progress)
                .map(|done| MemoryResponse::Indexing(Box::new(done))),
        }
    }

    fn model(&self) -> Arc<dyn Embedder> {
        Arc::clone(self.model.get_or_init(|| (self.embedder_factory)()))
    }

    fn recall(&mut self) -> Result<&Recall, MemoryError> {
        if self.recall.is_none() {
            let recall = Recall::new(Some(&self.indexes), self.model())?;
            self.recall = Some(recall);
        }
        Ok(self.recall.as_ref().expect("created above"))
    }

    fn show(&self, project: Option<&str>, id: &str) -> Result<MemoryResponse, MemoryError> {
        let detail = operations::detail(self.writer.reader(), project, id)?;
        Ok(MemoryResponse::Memory(Box::new(detail)))
    }

    fn remember(&mut self, input: MemoryInput) -> Result<RememberResult, MemoryError> {
        let model = self.model();
        let checked = operations::check(input, model.as_ref(), Millis::now())?;
        let mut transaction = self.writer.begin()?;
        let result = operations::remember(&mut transaction, &checked, model.id())?;
        transaction.commit()?;
        operations::with_stored_status(self.writer.reader(), result)
    }

    fn edit(
        &mut self,
        project: Option<&str>,
        id: &str,
        edit: MemoryPatch,
    ) -> Result<MemoryResponse, MemoryError> {
        let (reader, model) = (self.writer.reader(), self.model());
        let checked = edit::check(reader, model.as_ref(), project, id, edit)?;
        if checked.erases_text() {
            self.drain_spool()?;
        }
        let mut transaction = self.writer.begin()?;
        let outcome = edit::apply(&mut transaction, &checked, model.id())?;
        transaction.commit()?;
        let memory = &checked.memory;
        outcome.into_result(&memory.id)?;
        if checked.erases_text() {
            self.erase_traces(&memory.project)?;
        }
        self.show(Some(&memory.project), &memory.id)
    }

    fn forget(&mut self, project: Option<&str>, id: &str) -> Result<ForgetResult, MemoryError> {
        let mut result = operations::prepare_forget(self.writer.reader(), project, id)?;
        self.drain_spool()?;
        let mut transaction = self.writer.begin()?;
        operations::forget(&mut transaction, &result.memory)?;
        transaction.commit()?;
        result.traceless = self.erase_traces(&result.memory.project)?;
        Ok(result)
    }

    /// Ingests the spool: it may hold records of injected context.
    fn drain_spool(&mut self) -> Result<(), MemoryError> {
        let spool_error = |error: becket_spool::Error| MemoryError::Unavailable(error.to_string());
        let mut spool = self.spool.reader().map_err(spool_error)?;
        while let Some(segment) = spool.next_segment().map_err(spool_error)? {
            let records = segment.records();
            let records: Vec<RecordLine<'_>> =
                records.map(|one| RecordLine { line: one.line }).collect();
            self.writer.ingest(&records)?;
            segment.commit_cleaned(redact_line).map_err(spool_error)?;
        }
        Ok(())
    }

    /// Removes deleted text from the index and the database files.
    fn erase_traces(&mut self, project: &str) -> Result<bool, MemoryError> {
        self.recall()?;
        let recall = self.recall.as_ref().expect("created above");
        recall.sync(self.writer.reader(), project)?;
        recall.save()?;
        remove_partial_indexes(&self.indexes);
        Ok(self.writer.purge_deleted()?)
    }

    fn index(
        &mut self,
        project: &str,
        begin: bool,
        progress: &mut dyn FnMut(IndexProgress),
    ) -> Result<IndexingStatus, MemoryError> {
        if !begin {
            return Ok(IndexingStatus::default());
        }
        let project = operations::project_directory(project)?;
        let mut last = IndexProgress::default();
        let (root, model) = (Path::new(&project), self.model());
        let indexed = code::index(&mut self.writer, root, model.as_ref(), |now| {
            last = now;
            progress(now);
        })?;
        self.recall()?;
        let recall = self.recall.as_ref().expect("created above");
        recall.sync(self.writer.reader(), &project)?;
        recall.save()?;
        Ok(IndexingStatus {
            running: false,
            done: last.done,
            total: last.total,
            indexed: Some(indexed),
            error: None,
        })
    }
}
