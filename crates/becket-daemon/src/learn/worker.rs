//! The learning thread.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use becket_learn::{
    JobReport, Observation, RunOutcome, StoreAccess, StoreAccessError, Worker, backfill_queue,
    enqueue_ended,
};
use becket_store::{MemoryStatus, Millis, StoreReader};
use becket_think::Cancel;
use tokio::runtime::Handle;

use super::handle::{LearningHandle, LearningSettings};
use super::similarity::EmbeddingSimilarity;
use super::store_access::WriterStoreAccess;
use crate::counters::Counters;
use crate::recall::quarantine_reason;

/// Ended turns that are queued at a time when catching up.
const CATCH_UP_BATCH: usize = 100;
/// The delay after an error of the database.
const RETRY_DELAY: Duration = Duration::from_secs(10);
/// Above this ingest rate clients wait for the writer thread, so learning pauses.
const BUSY_RECORDS_PER_SECOND: f64 = 500.0;
/// The shortest time over which the ingest rate is measured.
const RATE_WINDOW: Duration = Duration::from_millis(100);
/// How long learning pauses while the daemon is busy.
const BUSY_PAUSE: Duration = Duration::from_millis(250);
/// How long the daemon waits for a running model request when it stops. The request is repeated later.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);

/// A handle to the running thread.
pub(crate) struct LearnWorker {
    cancel: Cancel,
    learner: LearningHandle,
    /// Disconnects when the thread ends.
    finished: Receiver<()>,
}

impl LearnWorker {
    /// Starts the thread. Must be called in the runtime.
    pub(crate) fn start(
        learner: &LearningHandle,
        counters: Arc<Counters>,
    ) -> std::io::Result<Self> {
        let (alive, finished) = mpsc::channel();
        let cancel = Cancel::new();
        let thread = LearnThread {
            store: WriterStoreAccess {
                store: learner.store.clone(),
                runtime: Handle::current(),
            },
            learner: learner.clone(),
            counters,
            cancel: cancel.clone(),
            needs_catch_up: true,
            has_more_backlog: false,
            schema_support: SchemaSupport::default(),
            ingest_rate: IngestRate::default(),
        };
        learner.ended.enable();
        std::thread::Builder::new()
            .name("becket-learn".into())
            .spawn(move || {
                thread.run();
                drop(alive);
            })?;
        Ok(Self {
            cancel,
            learner: learner.clone(),
            finished,
        })
    }

    /// Stops the thread after its current write. Does not wait longer if a model request keeps it busy.
    pub(crate) fn stop(self) {
        self.cancel.cancel();
        self.learner.ended.disable();
        self.learner.ended.wake();
        if self.finished.recv_timeout(STOP_TIMEOUT) == Err(mpsc::RecvTimeoutError::Timeout) {
            tracing::info!(
                "a model request is still running; its job is retried at the next start"
            );
        }
    }
}

struct LearnThread {
    store: WriterStoreAccess,
    learner: LearningHandle,
    counters: Arc<Counters>,
    cancel: Cancel,
    /// The queue may have missed ended turns; look for them in the database.
    needs_catch_up: bool,
    /// More ended turns may be in the database than fit into one batch.
    has_more_backlog: bool,
    schema_support: SchemaSupport,
    ingest_rate: IngestRate,
}

/// Whether the provider of the current model rejects JSON schemas.
#[derive(Default)]
struct SchemaSupport {
    model: Option<String>,
    is_plain: Arc<AtomicBool>,
}

impl SchemaSupport {
    /// The flag for a model; it is reset when the model changes.
    fn for_model(&mut self, model: Option<&String>) -> Arc<AtomicBool> {
        if self.model.as_ref() != model {
            *self = Self {
                model: model.cloned(),
                is_plain: Arc::default(),
            };
        }
        Arc::clone(&self.is_plain)
    }
}

/// Measures how many records are ingested.
struct IngestRate {
    window_start: Instant,
    records: u64,
    is_heavy: bool,
}

impl Default for IngestRate {
    fn default() -> Self {
        Self {
            window_start: Instant::now(),
            records: 0,
            is_heavy: false,
        }
    }
}

impl IngestRate {
    /// Whether more records per second are ingested than agents produce; `records` is the total so far.
    fn is_heavy(&mut self, records: u64) -> bool {
        let passed = self.window_start.elapsed();
        if passed >= RATE_WINDOW {
            let more = u32::try_from(records - self.records).unwrap_or(u32::MAX);
            self.is_heavy = f64::from(more) > BUSY_RECORDS_PER_SECOND * passed.as_secs_f64();
            (self.window_start, self.records) = (Instant::now(), records);
        }
        self.is_heavy
    }
}

/// What to do after a step.
enum NextStep {
    /// Run another step.
    More,
    /// Sleep until this time; `None` sleeps until the next wake-up.
    Wait(Option<Millis>),
}

impl LearnThread {
    fn run(mut self) {
        self.release_stale_jobs();
        while !self.cancel.is_cancelled() {
            if self.ingest_rate.is_heavy(self.counters.records.get()) {
                // The ended turns are in the database; catch up later.
                self.learner.ended.drain();
                self.needs_catch_up = true;
                std::thread::sleep(BUSY_PAUSE);
                continue;
            }
            let next = self.step().unwrap_or_else(|error| {
                tracing::warn!("cannot learn now: {error}");
                NextStep::Wait(Some(Millis::now().plus(RETRY_DELAY)))
            });
            if let NextStep::Wait(until) = next
                && !self.cancel.is_cancelled()
            {
                self.sleep_until(until);
            }
        }
    }

    /// Releases claimed jobs. Only this thread claims jobs, so a claimed one belongs to a daemon that died.
    fn release_stale_jobs(&self) {
        let released = self
            .store
            .write(|transaction| transaction.release_extractions(Millis::now()));
        if let Err(error) = released {
            tracing::warn!(
                "cannot release stale learning jobs; they are released after a timeout: {error}"
            );
        }
    }

    fn step(&mut self) -> Result<NextStep, StoreAccessError> {
        let ended = self.learner.ended.drain();
        let settings = (self.learner.settings.0)();
        if !settings.on {
            self.needs_catch_up = true;
            return Ok(NextStep::Wait(None));
        }
        let now = Millis::now();
        if let Err(error) = enqueue_ended(&self.store, &ended, now) {
            self.needs_catch_up = true;
            return Err(error);
        }
        match self.store.read(StoreReader::next_extraction)? {
            Some(due) if due <= now => {
                let next = self.run_job(settings, now);
                self.needs_catch_up |= self.has_more_backlog;
                next
            }
            due if self.needs_catch_up => {
                let waiting = self
                    .store
                    .read(|reader| reader.unprocessed_batches(CATCH_UP_BATCH))?;
                let added = backfill_queue(&self.store, now, CATCH_UP_BATCH)?;
                self.needs_catch_up = false;
                // After a full batch there may be more, which become visible once this batch is done.
                self.has_more_backlog = waiting.len() == CATCH_UP_BATCH || added >= CATCH_UP_BATCH;
                Ok(if added > 0 {
                    NextStep::More
                } else {
                    NextStep::Wait(due)
                })
            }
            due => Ok(NextStep::Wait(due)),
        }
    }

    fn run_job(
        &mut self,
        mut settings: LearningSettings,
        now: Millis,
    ) -> Result<NextStep, StoreAccessError> {
        settings.habits.cancel = self.cancel.clone();
        settings.habits.rejects_schemas = self.schema_support.for_model(settings.model.as_ref());
        let worker = Worker::new(self.store.clone(), settings.habits)
            .with_similarity(Arc::new(EmbeddingSimilarity))
            .with_review(review_status);
        match worker.run_once(now)? {
            RunOutcome::Idle => {}
            RunOutcome::Paused => return Ok(NextStep::Wait(None)),
            RunOutcome::Done(report) => self.record_report(&report),
            RunOutcome::Failed {
                batch,
                error,
                retry_at: again,
            } => {
                self.counters.learning_failures.add(1);
                match again {
                    Some(_) => tracing::info!(
                        "learning from `{batch}` failed and is retried later: {error}"
                    ),
                    None => tracing::warn!("learning from `{batch}` failed for good: {error}"),
                }
            }
        }
        Ok(NextStep::More)
    }

    fn record_report(&self, report: &JobReport) {
        self.counters.learning_jobs.add(1);
        self.counters
            .memories_learned
            .add(report.added.len() as u64);
        self.counters.learning_tokens.add(report.spent.total());
        if let Some(note) = &report.note {
            tracing::info!("learned from `{}` with rules only: {note}", report.batch);
        }
        let is_changed = !report.added.is_empty() || !report.merged.is_empty();
        if let Some(project) = report.project.as_deref().filter(|_| is_changed) {
            // Makes the memories searchable now, before the next index update.
            let read = self.learner.memory.index_learned(project, &report.added);
            if let Err(error) = read {
                tracing::warn!("cannot index new memories yet: {error}");
            }
        }
    }

    fn sleep_until(&self, until: Option<Millis>) {
        let left = until.map(|until| until.since(Millis::now()));
        self.store.runtime.block_on(async {
            let due = async {
                match left {
                    Some(left) => tokio::time::sleep(left).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = self.learner.ended.woken() => {}
                () = due => {}
            }
        });
    }
}

/// Quarantines memories that look like a prompt injection, unless the user stated them.
fn review_status(observation: &Observation) -> MemoryStatus {
    let context = observation.context.as_deref();
    match quarantine_reason(&observation.text, context, observation.trust) {
        Some(_) => MemoryStatus::Quarantined,
        None => MemoryStatus::Active,
    }
}
