//! The thread that learns.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use becket_learn::{Desk, DeskError, Observation, Ran, Report, Worker, catch_up, enqueue_ended};
use becket_store::{MemoryStatus, Millis, Reader};
use becket_think::Cancel;
use tokio::runtime::Handle;

use super::desk::KeeperDesk;
use super::learner::{Learner, Wanted};
use super::meaning::ByMeaning;
use crate::counters::Counters;
use crate::recall::suspected;

/// So many that are over and were never in the queue are put into it at a time.
const CAUGHT_AT_ONCE: usize = 100;
/// How long to wait after the database could not be used.
const RECOVERY: Duration = Duration::from_secs(10);
/// With more records a second than agents make, somebody waits for the one who writes, and learning has time.
const BUSY: f64 = 500.0;
/// For at least this long records are counted before it is known whether it is busy.
const COUNTED: Duration = Duration::from_millis(100);
/// How long learning waits then.
const BREATH: Duration = Duration::from_millis(250);
/// How long a model that is being asked may keep the daemon from ending. What it would have answered is asked for again.
const PATIENCE: Duration = Duration::from_secs(3);

/// The thread, while it runs.
pub(crate) struct Running {
    cancel: Cancel,
    learner: Learner,
    /// Says nothing, and ends with the thread.
    gone: Receiver<()>,
}

impl Running {
    /// Starts the thread, in the runtime of whoever calls this.
    pub(crate) fn start(learner: &Learner, counters: Arc<Counters>) -> std::io::Result<Self> {
        let (alive, gone) = mpsc::channel();
        let cancel = Cancel::new();
        let thread = Thread {
            desk: KeeperDesk {
                keeper: learner.keeper.clone(),
                runtime: Handle::current(),
            },
            learner: learner.clone(),
            counters,
            cancel: cancel.clone(),
            may_have_missed: true,
            has_more: false,
            plain: Plain::default(),
            load: Load::default(),
        };
        learner.ended.begin();
        std::thread::Builder::new()
            .name("becket-learn".into())
            .spawn(move || {
                thread.run();
                drop(alive);
            })?;
        Ok(Self {
            cancel,
            learner: learner.clone(),
            gone,
        })
    }

    /// Lets the thread finish what it writes, and goes on without it if a model keeps it waiting.
    pub(crate) fn end(self) {
        self.cancel.cancel();
        self.learner.ended.end();
        self.learner.ended.ring();
        if self.gone.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
            tracing::info!("a model is still being asked; what it was asked is put off");
        }
    }
}

struct Thread {
    desk: KeeperDesk,
    learner: Learner,
    counters: Arc<Counters>,
    cancel: Cancel,
    /// Something may be over that nobody told of.
    may_have_missed: bool,
    /// More of that is to be looked for when what was found of it is done.
    has_more: bool,
    plain: Plain,
    load: Load,
}

/// Whether the provider of the model that was asked last refuses schemas.
#[derive(Default)]
struct Plain {
    model: Option<String>,
    is_plain: Arc<AtomicBool>,
}

impl Plain {
    /// What is known of this model; of another one, nothing.
    fn of(&mut self, model: Option<&String>) -> Arc<AtomicBool> {
        if self.model.as_ref() != model {
            *self = Self {
                model: model.cloned(),
                is_plain: Arc::default(),
            };
        }
        Arc::clone(&self.is_plain)
    }
}

/// How much is being recorded.
struct Load {
    counted: Instant,
    records: u64,
    is_heavy: bool,
}

impl Default for Load {
    fn default() -> Self {
        Self {
            counted: Instant::now(),
            records: 0,
            is_heavy: false,
        }
    }
}

impl Load {
    /// Whether more is recorded than agents do, given how much there is so far.
    fn is_heavy(&mut self, records: u64) -> bool {
        let passed = self.counted.elapsed();
        if passed >= COUNTED {
            let more = u32::try_from(records - self.records).unwrap_or(u32::MAX);
            self.is_heavy = f64::from(more) > BUSY * passed.as_secs_f64();
            (self.counted, self.records) = (Instant::now(), records);
        }
        self.is_heavy
    }
}

/// What comes after a look at the queue.
enum Next {
    /// Look again.
    More,
    /// Nothing is due before then; `None`: nothing at all.
    Wait(Option<Millis>),
}

impl Thread {
    fn run(mut self) {
        self.release();
        while !self.cancel.is_cancelled() {
            if self.load.is_heavy(self.counters.records.get()) {
                // It is all in the database, and found there when there is time.
                self.learner.ended.take();
                self.may_have_missed = true;
                std::thread::sleep(BREATH);
                continue;
            }
            let next = self.look().unwrap_or_else(|error| {
                tracing::warn!("nothing can be learnt now: {error}");
                Next::Wait(Some(Millis::now().plus(RECOVERY)))
            });
            if let Next::Wait(until) = next
                && !self.cancel.is_cancelled()
            {
                self.wait(until);
            }
        }
    }

    /// Nobody but this thread takes jobs, so that one which is taken was taken by a daemon that died.
    fn release(&self) {
        let released = self
            .desk
            .write(|group| group.release_extractions(Millis::now()));
        if let Err(error) = released {
            tracing::warn!("what was begun waits until it counts as lost: {error}");
        }
    }

    fn look(&mut self) -> Result<Next, DeskError> {
        let over = self.learner.ended.take();
        let wanted = (self.learner.wanted.0)();
        if !wanted.on {
            self.may_have_missed = true;
            return Ok(Next::Wait(None));
        }
        let now = Millis::now();
        if let Err(error) = enqueue_ended(&self.desk, &over, now) {
            self.may_have_missed = true;
            return Err(error);
        }
        match self.desk.read(Reader::next_extraction)? {
            Some(due) if due <= now => {
                let next = self.work(wanted, now);
                self.may_have_missed |= self.has_more;
                next
            }
            due if self.may_have_missed => {
                let waiting = self
                    .desk
                    .read(|reader| reader.unprocessed_batches(CAUGHT_AT_ONCE))?;
                let added = catch_up(&self.desk, now, CAUGHT_AT_ONCE)?;
                self.may_have_missed = false;
                // Behind a full page there may be another, which comes into sight when this one is learnt from.
                self.has_more = waiting.len() == CAUGHT_AT_ONCE || added >= CAUGHT_AT_ONCE;
                Ok(if added > 0 {
                    Next::More
                } else {
                    Next::Wait(due)
                })
            }
            due => Ok(Next::Wait(due)),
        }
    }

    fn work(&mut self, mut wanted: Wanted, now: Millis) -> Result<Next, DeskError> {
        wanted.habits.cancel = self.cancel.clone();
        wanted.habits.is_plain = self.plain.of(wanted.model.as_ref());
        let worker = Worker::new(self.desk.clone(), wanted.habits)
            .with_similar(Arc::new(ByMeaning))
            .with_review(review);
        match worker.run_once(now)? {
            Ran::Idle => {}
            Ran::Paused => return Ok(Next::Wait(None)),
            Ran::Done(report) => self.done(&report),
            Ran::Failed {
                batch,
                error,
                again,
            } => {
                self.counters.learning_failures.add(1);
                match again {
                    Some(_) => tracing::info!("`{batch}` is learnt from later: {error}"),
                    None => tracing::warn!("`{batch}` was given up: {error}"),
                }
            }
        }
        Ok(Next::More)
    }

    fn done(&self, report: &Report) {
        self.counters.learning_jobs.add(1);
        self.counters.learnt.add(report.learnt.len() as u64);
        self.counters.learning_tokens.add(report.spent.tokens());
        if let Some(note) = &report.note {
            tracing::info!("`{}` was learnt from by rule: {note}", report.batch);
        }
        let is_changed = !report.learnt.is_empty() || !report.merged.is_empty();
        if let Some(project) = report.project.as_deref().filter(|_| is_changed) {
            // At once for whoever searches next, not only when the index has time.
            let read = self.learner.remembering.learnt(project, &report.learnt);
            if let Err(error) = read {
                tracing::warn!("what was learnt could not be indexed yet: {error}");
            }
        }
    }

    fn wait(&self, until: Option<Millis>) {
        let left = until.map(|until| until.since(Millis::now()));
        self.desk.runtime.block_on(async {
            let due = async {
                match left {
                    Some(left) => tokio::time::sleep(left).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.learner.ended.rung() => {}
                () = due => {}
            }
        });
    }
}

/// What wants to be obeyed and is not the person's own waits for a person.
fn review(observation: &Observation) -> MemoryStatus {
    let context = observation.context.as_deref();
    match suspected(&observation.text, context, observation.trust) {
        Some(_) => MemoryStatus::Quarantined,
        None => MemoryStatus::Active,
    }
}
