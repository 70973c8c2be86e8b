//! The same answers where no daemon runs. Whoever uses this holds the daemon's lock.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use becket_recall::code::{self, IndexProgress};
use becket_recall::embed::Embedder;
use becket_recall::search::Recall;
use becket_spool::Spool;
use becket_store::{Millis, Options, Record, Writer};

use super::ask::{Ask, Change, Forgotten, Indexing, Note, Remembered, Told, Unanswered};
use super::{change, directory, sweep, work};
use crate::keeper::without_secrets;

/// Gives the model to find by, when it is needed first.
pub type ModelOf = Box<dyn Fn() -> Arc<dyn Embedder>>;

/// A database and its indexes, for one command.
pub struct Alone {
    writer: Writer,
    spool: Spool,
    indexes: PathBuf,
    model_of: ModelOf,
    model: OnceCell<Arc<dyn Embedder>>,
    /// Made when it is needed first.
    recall: Option<Recall>,
}

impl Alone {
    /// Opens the database, or makes one.
    pub fn open(database: &Path, state: &Path, model_of: ModelOf) -> Result<Self, Unanswered> {
        Ok(Self {
            writer: Writer::open(database, Options::default())?,
            spool: Spool::open(state.join("spool")),
            indexes: directory(state),
            model_of,
            model: OnceCell::new(),
            recall: None,
        })
    }

    /// Answers. `progress` hears how far the indexing of code is, which is over when this returns.
    pub fn answer(
        &mut self,
        ask: Ask,
        progress: &mut dyn FnMut(IndexProgress),
    ) -> Result<Told, Unanswered> {
        match ask {
            Ask::Search(question) => {
                self.recall()?;
                let recall = self.recall.as_ref().expect("made just now");
                let found = work::search(recall, self.writer.reader(), &question)?;
                // The next command need not make it again.
                let _ = recall.save();
                Ok(Told::Found(found))
            }
            Ask::List(which) => work::list(self.writer.reader(), &which).map(Told::Memories),
            Ask::Show { project, id } => self.show(project.as_deref(), &id),
            Ask::Remember(note) => self.remember(note).map(Told::Remembered),
            Ask::Change {
                project,
                id,
                change,
            } => self.change(project.as_deref(), &id, change),
            Ask::Forget { project, id } => self
                .forget(project.as_deref(), &id)
                .map(|gone| Told::Forgotten(Box::new(gone))),
            Ask::Index { project, begin } => self
                .index(&project, begin, progress)
                .map(|done| Told::Indexing(Box::new(done))),
        }
    }

    fn model(&self) -> Arc<dyn Embedder> {
        Arc::clone(self.model.get_or_init(|| (self.model_of)()))
    }

    fn recall(&mut self) -> Result<&Recall, Unanswered> {
        if self.recall.is_none() {
            let recall = Recall::new(Some(&self.indexes), self.model())?;
            self.recall = Some(recall);
        }
        Ok(self.recall.as_ref().expect("made just now"))
    }

    fn show(&self, project: Option<&str>, id: &str) -> Result<Told, Unanswered> {
        let detail = work::detail(self.writer.reader(), project, id)?;
        Ok(Told::Memory(Box::new(detail)))
    }

    fn remember(&mut self, note: Note) -> Result<Remembered, Unanswered> {
        let model = self.model();
        let checked = work::check(note, model.as_ref(), Millis::now())?;
        let mut group = self.writer.begin()?;
        let kept = work::remember(&mut group, &checked, model.id())?;
        group.commit()?;
        work::as_known(self.writer.reader(), kept)
    }

    fn change(
        &mut self,
        project: Option<&str>,
        id: &str,
        wanted: Change,
    ) -> Result<Told, Unanswered> {
        let (reader, model) = (self.writer.reader(), self.model());
        let changing = change::check(reader, model.as_ref(), project, id, wanted)?;
        if changing.erases() {
            self.take_in()?;
        }
        let mut group = self.writer.begin()?;
        let changed = change::change(&mut group, &changing, model.id())?;
        group.commit()?;
        let memory = &changing.memory;
        changed.checked(&memory.id)?;
        if changing.erases() {
            self.erase(&memory.project)?;
        }
        self.show(Some(&memory.project), &memory.id)
    }

    fn forget(&mut self, project: Option<&str>, id: &str) -> Result<Forgotten, Unanswered> {
        let mut gone = work::forgotten(self.writer.reader(), project, id)?;
        self.take_in()?;
        let mut group = self.writer.begin()?;
        work::forget(&mut group, &gone.memory)?;
        group.commit()?;
        gone.traceless = self.erase(&gone.memory.project)?;
        Ok(gone)
    }

    /// Takes in what waits in the spool: what agents were told may be among it.
    fn take_in(&mut self) -> Result<(), Unanswered> {
        let waiting = |error: becket_spool::Error| Unanswered::Unavailable(error.to_string());
        let mut spool = self.spool.reader().map_err(waiting)?;
        while let Some(segment) = spool.next_segment().map_err(waiting)? {
            let records = segment.records();
            let records: Vec<Record<'_>> = records.map(|one| Record { line: one.line }).collect();
            self.writer.ingest(&records)?;
            segment.commit_cleaned(without_secrets).map_err(waiting)?;
        }
        Ok(())
    }

    /// Takes what is gone out of the index and the files.
    fn erase(&mut self, project: &str) -> Result<bool, Unanswered> {
        self.recall()?;
        let recall = self.recall.as_ref().expect("made just now");
        recall.sync(self.writer.reader(), project)?;
        recall.save()?;
        sweep(&self.indexes);
        Ok(self.writer.leave_no_trace()?)
    }

    fn index(
        &mut self,
        project: &str,
        begin: bool,
        progress: &mut dyn FnMut(IndexProgress),
    ) -> Result<Indexing, Unanswered> {
        if !begin {
            return Ok(Indexing::default());
        }
        let project = work::directory_of(project)?;
        let mut last = IndexProgress::default();
        let (root, model) = (Path::new(&project), self.model());
        let indexed = code::index(&mut self.writer, root, model.as_ref(), |now| {
            last = now;
            progress(now);
        })?;
        self.recall()?;
        let recall = self.recall.as_ref().expect("made just now");
        recall.sync(self.writer.reader(), &project)?;
        recall.save()?;
        Ok(Indexing {
            running: false,
            done: last.done,
            total: last.total,
            indexed: Some(indexed),
            error: None,
        })
    }
}
