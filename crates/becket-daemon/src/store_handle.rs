//! The database writer thread and its cloneable handle.
//!
//! Group commit: jobs that arrive while a transaction is open are committed together, and each caller is
//! acknowledged after the commit. The spool is drained segment by segment; a segment is deleted once its
//! records are in the database.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use becket_guard::redact::redact_text;
use becket_spool::Spool;
use becket_store::{
    AlarmRow, IdleTimeouts, IngestReport, Millis, Options, ParsedRecords, RecordLine, StoreReader,
    StoreWriter, WriteTransaction,
};
use tokio::sync::{broadcast, oneshot, watch};

use crate::counters::Counters;
use crate::learn::EndedQueue;
use crate::transcripts;

/// Queue capacity. When it is full, callers block (backpressure).
const QUEUE_CAPACITY: usize = 4096;
/// The most jobs in one group commit.
const MAX_GROUP_COMMIT: usize = 1024;
/// Records up to this total size are parsed on the async thread; larger ones on a blocking thread.
const INLINE_PARSE_BYTES: usize = 512 * 1024;
/// Debounce between a client's notification and draining the spool. The notifying hook is still running and
/// should not compete with the drain for the CPU; more notifications may arrive meanwhile.
pub(crate) const DRAIN_DEBOUNCE: Duration = Duration::from_millis(10);
/// How often the spool is drained without a notification.
const DRAIN_INTERVAL: Duration = Duration::from_secs(5);
/// Alarms buffered for a slow subscriber. Older ones are then only in the database.
const ALARM_CAPACITY: usize = 64;
/// The delay after a failed write to the database.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Runs inside a write transaction. The callback runs after the commit, with its result.
type TransactionJob =
    Box<dyn FnOnce(&mut WriteTransaction<'_>) -> (CommitCallback, DatabaseHealth) + Send>;
type CommitCallback = Box<dyn FnOnce(Result<(), String>) + Send>;

/// Receives the result of a commit.
type CommitAck = oneshot::Sender<Result<(), String>>;

/// Runs between transactions, with exclusive access to the writer.
type MaintenanceJob = Box<dyn FnOnce(&mut StoreWriter) + Send>;

/// The state of the database, judged by its last result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DatabaseHealth {
    Healthy,
    Corrupt,
}

impl DatabaseHealth {
    fn of<T>(result: &Result<T, becket_store::Error>) -> Self {
        match result {
            Err(error) if error.is_damage() => Self::Corrupt,
            _ => Self::Healthy,
        }
    }
}

enum WriterJob {
    /// Drain the spool after the debounce, which starts with the client's notification.
    Drain {
        notified_at: Instant,
    },
    /// Drain the spool now, and acknowledge.
    DrainAndAck(oneshot::Sender<()>),
    Transaction(TransactionJob),
    /// Ingest a client's records, and acknowledge after the commit.
    Ingest(ParsedRecords<'static>, CommitAck),
    Maintain(MaintenanceJob),
    Stop,
}

/// The files that the store works with.
#[derive(Debug, Clone)]
pub struct StorePaths {
    /// The database.
    pub database: PathBuf,
    /// The spool directory.
    pub spool: PathBuf,
    /// The home directory that holds the agents' transcripts; `None` disables the check of transcripts.
    pub transcripts: Option<PathBuf>,
}

/// A handle to the writer thread. Clones share the thread.
#[derive(Clone)]
pub struct StoreHandle {
    jobs: SyncSender<WriterJob>,
    last_seq: watch::Receiver<i64>,
    alarms: broadcast::Sender<AlarmRow>,
    ended: Arc<EndedQueue>,
    paths: Arc<StorePaths>,
}

/// A write that failed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct WriteError(String);

impl StoreHandle {
    /// Opens the database and starts the writer thread, which checks for silent sessions and hooks every
    /// `check_interval`. A corrupt database file is renamed and replaced by an empty one; the log says so.
    pub fn start(
        paths: StorePaths,
        counters: Arc<Counters>,
        check_interval: Duration,
    ) -> Result<(Self, JoinHandle<()>), becket_store::Error> {
        let opened = StoreWriter::open_or_quarantine(&paths.database, Options::default())?;
        if let Some(aside) = &opened.quarantined {
            tracing::error!(
                "the database is corrupt ({}); renamed it to {} and created a new one",
                aside.why,
                aside.path.display()
            );
            counters.databases_replaced.add(1);
        }
        let (jobs, receiver) = mpsc::sync_channel(QUEUE_CAPACITY);
        let (last_seq_sender, last_seq) = watch::channel(0);
        let (alarms, _) = broadcast::channel(ALARM_CAPACITY);
        let ended = Arc::<EndedQueue>::default();
        let mut writer_thread = WriterThread {
            writer: opened.writer,
            spool: Spool::open(&paths.spool),
            transcripts: paths.transcripts.clone(),
            last_seq: last_seq_sender,
            alarms: alarms.clone(),
            ended: Arc::clone(&ended),
            counters,
            check_interval,
            last_check: Instant::now(),
            dropped_segments: 0,
            notified_at: None,
            active_sessions: BTreeSet::new(),
        };
        let last = writer_thread.writer.reader().last_seq();
        if DatabaseHealth::of(&last) == DatabaseHealth::Corrupt {
            writer_thread.replace_database();
        } else {
            writer_thread.last_seq.send_replace(last?);
        }
        let thread = std::thread::Builder::new()
            .name("becket-writer".into())
            .spawn(move || writer_thread.run(&receiver))
            .expect("the system can start a thread");
        let store = Self {
            jobs,
            last_seq,
            alarms,
            ended,
            paths: Arc::new(paths),
        };
        Ok((store, thread))
    }

    /// Notifies the thread that the spool has records, as a client did at `notified_at`. If the queue is full, a drain
    /// is pending already.
    pub fn notify(&self, notified_at: Instant) {
        let _ = self.jobs.try_send(WriterJob::Drain { notified_at });
    }

    /// Drains the spool, and returns when all records that it has now are ingested.
    pub async fn drain_spool(&self) -> Result<(), WriteError> {
        let (answer, answered) = oneshot::channel();
        let jobs = self.jobs.clone();
        let sent = tokio::task::spawn_blocking(move || jobs.send(WriterJob::DrainAndAck(answer)));
        sent.await
            .map_err(|_| stopping())?
            .map_err(|_| stopping())?;
        answered.await.map_err(|_| stopping())
    }

    /// Stops the thread after the jobs that are queued.
    pub fn stop(&self) {
        let _ = self.jobs.send(WriterJob::Stop);
    }

    /// Runs `work` in a write transaction, and returns after the commit.
    pub async fn transaction<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut WriteTransaction<'_>) -> Result<T, becket_store::Error> + Send + 'static,
    ) -> Result<T, WriteError> {
        let (answer, answered) = oneshot::channel();
        let job: TransactionJob = Box::new(move |transaction| {
            let done = work(transaction);
            let health = DatabaseHealth::of(&done);
            let done = done.map_err(|error| error.to_string());
            let callback: CommitCallback = Box::new(move |committed| {
                let _ = answer.send(committed.and(done));
            });
            (callback, health)
        });
        self.send_job(WriterJob::Transaction(job)).await?;
        answered.await.map_err(|_| stopping())?.map_err(WriteError)
    }

    async fn send_job(&self, job: WriterJob) -> Result<(), WriteError> {
        match self.jobs.try_send(job) {
            Ok(()) => Ok(()),
            Err(TrySendError::Disconnected(_)) => Err(stopping()),
            // Backpressure: only this caller waits for room in the queue.
            Err(TrySendError::Full(job)) => {
                let jobs = self.jobs.clone();
                let sent = tokio::task::spawn_blocking(move || jobs.send(job));
                sent.await.map_err(|_| stopping())?.map_err(|_| stopping())
            }
        }
    }

    /// Runs `work` with the writer, between transactions. All other writes wait, so it should be short.
    pub async fn maintain<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut StoreWriter) -> Result<T, becket_store::Error> + Send + 'static,
    ) -> Result<T, WriteError> {
        let (answer, answered) = oneshot::channel();
        let job: MaintenanceJob = Box::new(move |writer| {
            let _ = answer.send(work(writer).map_err(|error| WriteError(error.to_string())));
        });
        let jobs = self.jobs.clone();
        let sent = tokio::task::spawn_blocking(move || jobs.send(WriterJob::Maintain(job)));
        sent.await
            .map_err(|_| stopping())?
            .map_err(|_| stopping())?;
        answered.await.map_err(|_| stopping())?
    }

    /// Queues a client's records, behind all that were queued before.
    pub async fn ingest(&self, lines: Vec<String>) -> Result<PendingCommit, WriteError> {
        // Parsing happens here, because the writer thread is the bottleneck.
        let size: usize = lines.iter().map(String::len).sum();
        let prepare = move || {
            let records: Vec<RecordLine<'_>> =
                lines.iter().map(|line| RecordLine { line }).collect();
            ParsedRecords::parse(&records).into_owned()
        };
        let prepared = if size <= INLINE_PARSE_BYTES {
            prepare()
        } else {
            let prepared = tokio::task::spawn_blocking(prepare).await;
            prepared.map_err(|_| WriteError("cannot parse the records".into()))?
        };
        let (ack, answered) = oneshot::channel();
        self.send_job(WriterJob::Ingest(prepared, ack)).await?;
        Ok(PendingCommit(answered))
    }

    /// The sequence number of the newest event; the channel changes when events are added.
    pub fn last_seq(&self) -> watch::Receiver<i64> {
        self.last_seq.clone()
    }

    /// The path of the database, for long reads with a separate connection.
    pub fn database_path(&self) -> PathBuf {
        self.paths.database.clone()
    }

    /// Subscribes to alarms that are raised from now on.
    pub fn subscribe_alarms(&self) -> broadcast::Receiver<AlarmRow> {
        self.alarms.subscribe()
    }

    /// The turns and sessions that ended and wait to be learned from.
    pub(crate) fn ended_queue(&self) -> Arc<EndedQueue> {
        Arc::clone(&self.ended)
    }

    /// Runs a query on a read connection, on a blocking thread.
    pub async fn query<T: Send + 'static>(
        &self,
        work: impl FnOnce(&StoreReader) -> Result<T, becket_store::Error> + Send + 'static,
    ) -> Result<T, becket_store::Error> {
        let paths = Arc::clone(&self.paths);
        tokio::task::spawn_blocking(move || work(&StoreReader::open(&paths.database)?))
            .await
            .expect("the query does not panic")
    }
}

/// Records that are queued and not committed yet.
pub struct PendingCommit(oneshot::Receiver<Result<(), String>>);

impl PendingCommit {
    /// Returns after the commit.
    pub async fn committed(self) -> Result<(), WriteError> {
        self.0.await.map_err(|_| stopping())?.map_err(WriteError)
    }
}

fn stopping() -> WriteError {
    WriteError("the daemon is stopping".into())
}

/// One transaction for the records of several clients.
fn ingest_all(records: Vec<(ParsedRecords<'static>, CommitAck)>) -> TransactionJob {
    let (prepared, acks): (Vec<_>, Vec<_>) = records.into_iter().unzip();
    Box::new(move |transaction| {
        let done = transaction.ingest_parsed(&ParsedRecords::concat(prepared));
        let health = DatabaseHealth::of(&done);
        let done = done.map_err(|error| error.to_string());
        let callback: CommitCallback = Box::new(move |committed| {
            let done = committed.and(done);
            for ack in acks {
                let _ = ack.send(done.clone());
            }
        });
        (callback, health)
    })
}

struct WriterThread {
    writer: StoreWriter,
    spool: Spool,
    transcripts: Option<PathBuf>,
    last_seq: watch::Sender<i64>,
    alarms: broadcast::Sender<AlarmRow>,
    ended: Arc<EndedQueue>,
    counters: Arc<Counters>,
    /// The interval between two checks for silent sessions and missing hooks.
    check_interval: Duration,
    last_check: Instant,
    /// When the first notification since the last drain arrived.
    notified_at: Option<Instant>,
    /// Sessions that sent records since the last check.
    active_sessions: BTreeSet<String>,
    /// The number of dropped segments that was logged last.
    dropped_segments: u64,
}

impl WriterThread {
    fn run(mut self, jobs: &Receiver<WriterJob>) {
        self.drain();
        self.run_periodic_checks();
        loop {
            match jobs.recv_timeout(self.time_until_drain()) {
                Ok(job) => {
                    if !self.run_batch(job, jobs) {
                        break;
                    }
                }
                Err(RecvTimeoutError::Timeout) => self.drain(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.run_periodic_checks();
        }
        self.drain();
    }

    /// How long to wait for jobs before the next drain.
    fn time_until_drain(&self) -> Duration {
        self.notified_at.map_or(DRAIN_INTERVAL, |notified_at| {
            DRAIN_DEBOUNCE.saturating_sub(notified_at.elapsed())
        })
    }

    /// Runs a job and all that are queued behind it as one group commit. Returns false when the thread should stop.
    fn run_batch(&mut self, first: WriterJob, jobs: &Receiver<WriterJob>) -> bool {
        let (mut jobs_to_commit, mut maintenance, mut stop) = (Vec::new(), Vec::new(), false);
        let (mut drain_acks, mut records) = (Vec::new(), Vec::new());
        let rest = std::iter::from_fn(|| jobs.try_recv().ok());
        for job in std::iter::once(first).chain(rest).take(MAX_GROUP_COMMIT) {
            match job {
                WriterJob::Drain { notified_at } => {
                    self.notified_at.get_or_insert(notified_at);
                }
                WriterJob::DrainAndAck(ack) => drain_acks.push(ack),
                WriterJob::Transaction(job) => jobs_to_commit.push(job),
                WriterJob::Ingest(prepared, ack) => records.push((prepared, ack)),
                WriterJob::Maintain(job) => maintenance.push(job),
                WriterJob::Stop => stop = true,
            }
        }
        if !records.is_empty() {
            jobs_to_commit.push(ingest_all(records));
        }
        if !jobs_to_commit.is_empty() {
            self.commit(jobs_to_commit);
        }
        if !drain_acks.is_empty() {
            self.drain();
        }
        for ack in drain_acks {
            let _ = ack.send(());
        }
        for job in maintenance {
            job(&mut self.writer);
        }
        // A queue that is never empty never times out, so check here as well.
        if self.notified_at.is_some() && self.time_until_drain().is_zero() {
            self.drain();
        }
        !stop
    }

    fn commit(&mut self, jobs_to_commit: Vec<TransactionJob>) {
        let count = jobs_to_commit.len();
        let mut callbacks = Vec::with_capacity(count);
        let committed = match self.writer.begin() {
            Ok(mut transaction) => {
                callbacks.extend(jobs_to_commit.into_iter().map(|job| job(&mut transaction)));
                transaction.commit()
            }
            Err(error) => Err(error),
        };
        let is_corrupt = DatabaseHealth::of(&committed) == DatabaseHealth::Corrupt
            || callbacks
                .iter()
                .any(|(_, health)| *health == DatabaseHealth::Corrupt);
        let committed = committed.map_err(|error| {
            tracing::error!("cannot commit {count} requests: {error}");
            self.counters.failed_commits.add(1);
            error.to_string()
        });
        let committed = committed.map(|report| self.publish_report(report));
        for (callback, _) in callbacks {
            callback(committed.clone());
        }
        if is_corrupt {
            self.replace_database();
        }
    }

    /// Ingests all records in the spool. On failure they stay there for the next attempt.
    fn drain(&mut self) {
        self.notified_at = None;
        if let Err(error) = self.try_drain() {
            tracing::warn!("cannot drain the spool: {error}");
            self.counters.failed_drains.add(1);
            std::thread::sleep(RETRY_DELAY);
        }
    }

    fn try_drain(&mut self) -> Result<(), String> {
        self.log_dropped_segments();
        let mut reader = self.spool.reader().map_err(|error| error.to_string())?;
        while let Some(segment) = reader.next_segment().map_err(|error| error.to_string())? {
            let records: Vec<RecordLine<'_>> = segment
                .records()
                .map(|record| RecordLine { line: record.line })
                .collect();
            let mut report = self.writer.ingest(&records);
            if DatabaseHealth::of(&report) == DatabaseHealth::Corrupt {
                self.replace_database();
                report = self.writer.ingest(&records);
            }
            let report = report.map_err(|error| error.to_string())?;
            self.counters.bad_lines.add(segment.bad_lines() as u64);
            segment
                .commit_cleaned(redact_line)
                .map_err(|error| error.to_string())?;
            self.publish_report(report);
        }
        // Another process (`becket import`) may have written to the database; it notifies as well.
        self.publish_last_seq();
        Ok(())
    }

    /// Logs once how many segments the spool dropped because it was full.
    fn log_dropped_segments(&mut self) {
        let dropped = self.spool.dropped().unwrap_or_default();
        if dropped > self.dropped_segments {
            let more = dropped - self.dropped_segments;
            tracing::warn!("the spool was full and dropped {more} segments of old events");
        }
        self.dropped_segments = dropped;
    }

    /// Replaces a corrupt database. It accepts no writes, so the spool could never be drained.
    fn replace_database(&mut self) {
        match self.writer.replace_damaged(Options::default()) {
            Ok(Some(aside)) => {
                tracing::error!(
                    "the database is corrupt; renamed it to {} and created a new one",
                    aside.display()
                );
                self.counters.databases_replaced.add(1);
            }
            Ok(None) => tracing::warn!("another process replaced the database"),
            Err(error) => tracing::error!("cannot create a new database: {error}"),
        }
        self.publish_last_seq();
    }

    /// Ends silent sessions and raises missing-hook alarms, once per check interval.
    fn run_periodic_checks(&mut self) {
        if self.last_check.elapsed() < self.check_interval {
            return;
        }
        self.last_check = Instant::now();
        let now = Millis::now();
        let active_sessions = std::mem::take(&mut self.active_sessions);
        let recovered = self
            .writer
            .recover_except(now, IdleTimeouts::default(), &active_sessions);
        match recovered {
            Ok(recovered) => {
                if !recovered.sessions.is_empty() {
                    tracing::info!(
                        "ended {} sessions without activity",
                        recovered.sessions.len()
                    );
                    self.publish_last_seq();
                }
                self.ended.push(recovered.batches, recovered.sessions);
            }
            Err(error) => tracing::warn!("cannot end sessions without activity: {error}"),
        }
        let home = self.transcripts.as_deref();
        let grown = home.map(|home| transcripts::recently_grown(home, SystemTime::now()));
        match self
            .writer
            .check_missing_hooks(now, &grown.unwrap_or_default())
        {
            Ok(watched) => self.publish_alarms(&watched.raised),
            Err(error) => tracing::warn!("cannot check for missing hooks: {error}"),
        }
    }

    /// Updates counters and subscribers after a commit.
    fn publish_report(&mut self, report: IngestReport) {
        self.counters.records.add(report.stored);
        self.active_sessions.extend(report.sessions);
        self.publish_last_seq();
        self.publish_alarms(&report.alarms);
        self.ended.push(report.ended_batches, report.ended_sessions);
    }

    /// Sends alarms to the subscribers and the log.
    fn publish_alarms<'a>(&self, raised: impl IntoIterator<Item = &'a String>) {
        for id in raised {
            // A later record of the same transaction may have withdrawn it.
            if let Ok(Some(alarm)) = self.writer.reader().alarm(id) {
                tracing::warn!("alarm {id}: {}", alarm.message);
                let _ = self.alarms.send(alarm);
            }
        }
    }

    fn publish_last_seq(&self) {
        if let Ok(latest) = self.writer.reader().last_seq() {
            self.last_seq.send_if_modified(|old| {
                let is_new = *old != latest;
                *old = latest;
                is_new
            });
        }
    }
}

/// Redacts a spool line that is not a record. It may be truncated, or written by another program.
pub(crate) fn redact_line(line: &[u8]) -> Cow<'_, [u8]> {
    let text = String::from_utf8_lossy(line);
    Cow::Owned(redact_text(&text).into_owned().into_bytes())
}
