//! The daemon's service.

use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use becket_recall::code::{self, FileOutcome, Indexed};
use becket_recall::embed::Embedder;
use becket_recall::search::{Recall, RecallError};
use becket_store::{Millis, Options, Reader, Writer};
use tokio::runtime::Handle;

use super::ask::{
    Ask, Change, Detail, Forgotten, Indexing, Item, Note, Question, Remembered, Told, Unanswered,
    Which,
};
use super::embedding::{self, Adopting};
use super::indexing::Board;
use super::{change, sweep, work};
use crate::keeper::{Keeper, NotKept};
use crate::watch::Ear;

/// As long is a question held up for vectors of the model that steps in.
const STEPPING_IN: Duration = Duration::from_secs(2);

/// Asks and waits. Never from a thread of the runtime: it would wait for itself.
pub type Asking = Arc<dyn Fn(Ask) -> Result<Told, Unanswered> + Send + Sync>;

/// The handle; clones share what is remembered.
#[derive(Clone)]
pub struct Remembering {
    pub(super) inner: Arc<Inner>,
}

pub(super) struct Inner {
    keeper: Keeper,
    pub(super) indexes: PathBuf,
    /// The model inside the program, which steps in for another.
    pub(super) own: Arc<dyn Embedder>,
    /// The model, and the indexes of its vectors.
    using: Mutex<Using>,
    board: Board,
    pub(super) adopting: Adopting,
    /// Who watches the files of projects, if anybody does.
    ear: OnceLock<Ear>,
}

/// What texts are found by.
pub(super) struct Using {
    pub(super) model: Arc<dyn Embedder>,
    /// Made when it is needed first: a daemon without memories has none.
    pub(super) recall: Option<Arc<Recall>>,
}

impl From<NotKept> for Unanswered {
    fn from(error: NotKept) -> Self {
        Self::Unavailable(error.to_string())
    }
}

impl Remembering {
    /// Answers from the keeper's database; indexes are kept in `indexes`. Touches nothing yet.
    pub fn new(keeper: Keeper, indexes: PathBuf, model: Arc<dyn Embedder>) -> Self {
        Self {
            inner: Arc::new(Inner {
                keeper,
                indexes,
                own: Arc::clone(&model),
                using: Mutex::new(Using {
                    model,
                    recall: None,
                }),
                board: Board::default(),
                adopting: Adopting::default(),
                ear: OnceLock::new(),
            }),
        }
    }

    /// Answers anything that can be asked.
    pub async fn answer(&self, ask: Ask) -> Result<Told, Unanswered> {
        match ask {
            Ask::Search(question) => self.search(question).await.map(Told::Found),
            Ask::List(which) => self.memories(which).await.map(Told::Memories),
            Ask::Show { project, id } => {
                let detail = self.show(project, id).await?;
                Ok(Told::Memory(Box::new(detail)))
            }
            Ask::Remember(note) => self.remember(note).await.map(Told::Remembered),
            Ask::Change {
                project,
                id,
                change,
            } => {
                let detail = self.change(project, id, change).await?;
                Ok(Told::Memory(Box::new(detail)))
            }
            Ask::Forget { project, id } => {
                let gone = self.forget(project, id).await?;
                Ok(Told::Forgotten(Box::new(gone)))
            }
            Ask::Index { project, begin } => {
                let now = if begin {
                    self.index(&project)?
                } else {
                    self.indexing(&project)
                };
                Ok(Told::Indexing(Box::new(now)))
            }
        }
    }

    /// The same for threads that may wait, in the runtime of whoever calls this.
    pub fn asking(&self) -> Asking {
        let (service, runtime) = (self.clone(), Handle::current());
        Arc::new(move |ask| runtime.block_on(service.answer(ask)))
    }

    /// What is relevant, the likeliest first.
    pub async fn search(&self, question: Question) -> Result<Vec<Item>, Unanswered> {
        let work = self.reading(move |inner, reader| {
            let found = work::search(inner.recall()?.as_ref(), reader, &question)?;
            let Some(vectors) = inner.step_in() else {
                return Ok(found);
            };
            // By words alone little is found; those that are missing are made soon.
            let _ = vectors.recv_timeout(STEPPING_IN);
            work::search(inner.recall()?.as_ref(), reader, &question)
        });
        work.await
    }

    /// What is remembered, pinned ones first, then the latest.
    pub async fn memories(&self, which: Which) -> Result<Vec<becket_store::MemoryRow>, Unanswered> {
        self.reading(move |_, reader| work::list(reader, &which))
            .await
    }

    /// One memory and where it comes from. `project`, if given, is the one that it has to be of.
    pub async fn show(&self, project: Option<String>, id: String) -> Result<Detail, Unanswered> {
        let work = self.reading(move |_, reader| work::detail(reader, project.as_deref(), &id));
        work.await
    }

    /// Keeps a memory, or sets it aside if it wants to be obeyed.
    pub async fn remember(&self, note: Note) -> Result<Remembered, Unanswered> {
        let project = note.project.clone();
        let model = self.inner.model();
        let name = model.id().to_owned();
        let checked = blocking(move || work::check(note, model.as_ref(), Millis::now())).await?;
        let tell = self
            .inner
            .keeper
            .tell(move |group| work::remember(group, &checked, &name));
        let kept = tell.await?;
        self.changed(&project);
        self.reading(move |_, reader| work::as_known(reader, kept))
            .await
    }

    /// Changes what is said to be different: edits, pins, resolves, supersedes, lets expire, releases.
    pub async fn change(
        &self,
        project: Option<String>,
        id: String,
        wanted: Change,
    ) -> Result<Detail, Unanswered> {
        let model = self.inner.model();
        let name = model.id().to_owned();
        let check = self.reading(move |_, reader| {
            change::check(reader, model.as_ref(), project.as_deref(), &id, wanted)
        });
        let changing = check.await?;
        let (id, of) = (changing.memory.id.clone(), changing.memory.project.clone());
        let erases = changing.erases();
        if erases {
            self.inner.keeper.take_in().await?;
        }
        let tell = self
            .inner
            .keeper
            .tell(move |group| change::change(group, &changing, &name));
        tell.await?.checked(&id)?;
        if erases {
            self.erase(of.clone()).await?;
        } else {
            self.changed(&of);
        }
        self.show(Some(of), id).await
    }

    /// Removes a memory and everything that was made from it.
    pub async fn forget(
        &self,
        project: Option<String>,
        id: String,
    ) -> Result<Forgotten, Unanswered> {
        let look = self.reading(move |_, reader| work::forgotten(reader, project.as_deref(), &id));
        let mut gone = look.await?;
        let memory = gone.memory.clone();
        // What agents were told of it may not be on record yet.
        self.inner.keeper.take_in().await?;
        self.inner
            .keeper
            .tell(move |group| work::forget(group, &memory))
            .await?;
        gone.traceless = self.erase(gone.memory.project.clone()).await?;
        Ok(gone)
    }

    /// Takes what is gone out of the index and the files.
    async fn erase(&self, project: String) -> Result<bool, Unanswered> {
        let sync = self.reading(move |inner, reader| {
            let recall = inner.recall()?;
            recall.sync(reader, &project)?;
            recall.save()?;
            sweep(&inner.indexes);
            Ok(())
        });
        sync.await?;
        let upkeep = self.inner.keeper.upkeep(Writer::leave_no_trace);
        Ok(upkeep.await?)
    }

    /// Begins to bring the code of a project up to date, unless that is under way.
    pub fn index(&self, project: &str) -> Result<Indexing, Unanswered> {
        let real = work::directory_of(project)?;
        let real = real.as_str();
        if self.inner.board.begin(real) {
            let (service, project) = (self.clone(), real.to_owned());
            let thread = std::thread::Builder::new().name("becket-index".into());
            // Not one of the runtime's: the daemon may end meanwhile, and what is committed stays.
            let started = thread.spawn(move || service.inner.index(&project));
            if let Err(error) = started {
                let ended = |run: &mut Indexing| *run = Indexing::default();
                self.inner.board.change(real, ended);
                return Err(Unanswered::Unavailable(error.to_string()));
            }
        }
        Ok(self.inner.board.of(real))
    }

    /// How far it is with the code of a project.
    pub fn indexing(&self, project: &str) -> Indexing {
        let real = Path::new(project).canonicalize().ok();
        let real = real.as_deref().and_then(Path::to_str);
        self.inner.board.of(real.unwrap_or(project))
    }

    /// Looks at the indexes and the store in one's own way, such as without waiting for what is new.
    pub async fn look<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Recall, &Reader) -> Result<T, RecallError> + Send + 'static,
    ) -> Result<T, Unanswered> {
        let look = self.reading(move |inner, reader| Ok(work(inner.recall()?.as_ref(), reader)?));
        look.await
    }

    /// Says that something of a project was kept by others; the index reads on when it has time.
    pub fn changed(&self, project: &str) {
        let (inner, project) = (Arc::clone(&self.inner), project.to_owned());
        tokio::task::spawn_blocking(move || {
            if let Err(error) = inner.read_on(&project) {
                tracing::warn!("what is remembered could not be read: {error}");
            }
        });
    }

    /// Writes the indexes to their files, so that the next daemon need not make them.
    pub(crate) fn save(&self) {
        let recall = self.inner.using().recall.clone();
        if let Some(Err(error)) = recall.map(|recall| recall.save()) {
            tracing::warn!("{error}");
        }
    }

    pub(crate) fn reader(&self) -> Result<Reader, Unanswered> {
        self.inner.reader()
    }

    pub(crate) fn recall(&self) -> Result<Arc<Recall>, Unanswered> {
        self.inner.recall()
    }

    pub(crate) fn watch_with(&self, ear: Ear) {
        let _ = self.inner.ear.set(ear);
    }

    /// Says that a project that is indexed is used, to whoever watches its files.
    pub(super) fn used(&self, project: &str) {
        self.inner.used(project);
    }

    pub(crate) fn keeper(&self) -> &Keeper {
        &self.inner.keeper
    }

    /// Brings some files up to date, or all of them, and the index with them. What became of each of `files`.
    pub(crate) fn update(
        &self,
        project: &str,
        files: &[String],
        all: bool,
    ) -> Result<Vec<FileOutcome>, Unanswered> {
        let mut outcomes = Vec::new();
        if all {
            self.inner.update_all(project, |_| {})?;
        } else {
            let _alone = self
                .inner
                .board
                .alone
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            let mut writer = self.inner.writer()?;
            let model = self.inner.model();
            for file in files {
                let (root, file) = (Path::new(project), Path::new(file));
                let outcome = code::index_file(&mut writer, root, file, model.as_ref())?;
                outcomes.push(outcome);
            }
        }
        self.inner.read_on(project)?;
        Ok(outcomes)
    }

    /// Asks with a reader, where waiting hurts nobody.
    async fn reading<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Inner, &Reader) -> Result<T, Unanswered> + Send + 'static,
    ) -> Result<T, Unanswered> {
        let inner = Arc::clone(&self.inner);
        blocking(move || work(&inner, &inner.reader()?)).await
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Unanswered> + Send + 'static,
) -> Result<T, Unanswered> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err(Unanswered::Unavailable("the question failed".into())))
}

impl Inner {
    pub(super) fn reader(&self) -> Result<Reader, Unanswered> {
        Ok(Reader::open(self.keeper.database())?)
    }

    /// Another writer than the keeper's, which waits a commit at most.
    pub(super) fn writer(&self) -> Result<Writer, Unanswered> {
        Ok(Writer::open(self.keeper.database(), Options::default())?)
    }

    fn used(&self, project: &str) {
        if let Some(ear) = self.ear.get() {
            ear.used(project);
        }
    }

    pub(super) fn using(&self) -> MutexGuard<'_, Using> {
        self.using.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn model(&self) -> Arc<dyn Embedder> {
        self.step_in();
        Arc::clone(&self.using().model)
    }

    /// Lets the model inside the program step in for one that does not answer any more. Who is given the receiver, if
    /// that was so, hears when all its vectors are made.
    fn step_in(&self) -> Option<Receiver<()>> {
        let mut using = self.using();
        let trouble = using.model.trouble()?;
        let id = using.model.id().to_owned();
        *using = Using {
            model: Arc::clone(&self.own),
            recall: None,
        };
        drop(using);
        Some(embedding::step_in(self, id, trouble))
    }

    fn recall(&self) -> Result<Arc<Recall>, Unanswered> {
        self.step_in();
        let mut using = self.using();
        if let Some(recall) = &using.recall {
            return Ok(Arc::clone(recall));
        }
        let new = Arc::new(Recall::new(Some(&self.indexes), Arc::clone(&using.model))?);
        using.recall = Some(Arc::clone(&new));
        Ok(new)
    }

    pub(super) fn read_on(&self, project: &str) -> Result<(), Unanswered> {
        self.recall()?.sync(&self.reader()?, project)?;
        Ok(())
    }

    /// Indexes a project for somebody who watches.
    fn index(&self, project: &str) {
        let done = self.update_all(project, |now| {
            self.board
                .change(project, |run| (run.done, run.total) = (now.done, now.total));
        });
        let done = done.and_then(|done| {
            self.read_on(project)?;
            self.recall()?.save()?;
            Ok(done)
        });
        self.used(project);
        self.board.change(project, |run| {
            run.running = false;
            match done {
                Ok(done) => run.indexed = Some(done),
                Err(error) => run.error = Some(error.to_string()),
            }
        });
    }

    fn update_all(
        &self,
        project: &str,
        progress: impl FnMut(code::IndexProgress),
    ) -> Result<Indexed, Unanswered> {
        let _alone = self
            .board
            .alone
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let mut writer = self.writer()?;
        let model = self.model();
        let root = Path::new(project);
        Ok(code::index(&mut writer, root, model.as_ref(), progress)?)
    }
}
