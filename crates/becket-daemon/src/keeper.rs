//! The one who writes: a thread with the database's writer, and the handle that everybody else has.
//!
//! What arrives together is committed together, and told to have been kept only after that. The spool is
//! emptied segment by segment; a segment goes when its records are in the database.

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
    AlarmRow, Group, IngestReport, Millis, Options, Patience, Prepared, Reader, Record, Writer,
};
use tokio::sync::{broadcast, oneshot, watch};

use crate::counters::Counters;
use crate::learn::Ended;
use crate::transcripts;

/// Jobs that wait; beyond, whoever asks waits.
const QUEUE: usize = 4096;
/// Jobs that are committed together.
const MOST_TOGETHER: usize = 1024;
/// Records of this size together are read at once; larger ones elsewhere, so that nobody waits for them.
const QUICKLY_READ: usize = 512 * 1024;
/// How long after somebody rang the spool is emptied. Who rang is an agent's hook, which should not have to share
/// the machine with what it rang for; and others may ring meanwhile.
const AFTER_RING: Duration = Duration::from_millis(10);
/// How often the spool is looked at though nobody rang.
const LOOK: Duration = Duration::from_secs(5);
/// Alarms that wait for whoever listens slowly; beyond, the oldest are only in the database.
const ALARMS: usize = 64;
/// How long to wait after the database could not be written.
const RECOVERY: Duration = Duration::from_secs(1);

/// Runs in a group, and gives what to do once it is known whether the group was kept.
type Tell = Box<dyn FnOnce(&mut Group<'_>) -> (After, Health) + Send>;
type After = Box<dyn FnOnce(Result<(), String>) + Send>;

/// Who is told whether something was kept.
type Waiting = oneshot::Sender<Result<(), String>>;

/// Runs between groups, with the writer itself.
type Upkeep = Box<dyn FnOnce(&mut Writer) + Send>;

/// How the database is, going by what it answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Health {
    Sound,
    Damaged,
}

impl Health {
    fn after<T>(result: &Result<T, becket_store::Error>) -> Self {
        match result {
            Err(error) if error.is_damage() => Self::Damaged,
            _ => Self::Sound,
        }
    }
}

enum Job {
    /// There is something in the spool.
    Drain,
    /// The same, for somebody who waits until it is done.
    TakeIn(oneshot::Sender<()>),
    Tell(Tell),
    /// Records of a client that waits until they are kept.
    Record(Prepared<'static>, Waiting),
    Upkeep(Upkeep),
    Stop,
}

/// Where things are.
#[derive(Debug, Clone)]
pub struct Paths {
    /// The database.
    pub database: PathBuf,
    /// The spool.
    pub spool: PathBuf,
    /// The home directory in which agents keep their transcripts; `None`: nobody looks there.
    pub transcripts: Option<PathBuf>,
}

/// The handle.
#[derive(Clone)]
pub struct Keeper {
    jobs: SyncSender<Job>,
    latest: watch::Receiver<i64>,
    alarms: broadcast::Sender<AlarmRow>,
    ended: Arc<Ended>,
    paths: Arc<Paths>,
}

/// Why something was not kept.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NotKept(String);

impl Keeper {
    /// Opens the database and starts the thread, which looks for what fell silent every `care`. A damaged file is set aside; the caller is told of it in
    /// the log.
    pub fn start(
        paths: Paths,
        counters: Arc<Counters>,
        care: Duration,
    ) -> Result<(Self, JoinHandle<()>), becket_store::Error> {
        let opened = Writer::open_or_set_aside(&paths.database, Options::default())?;
        if let Some(aside) = &opened.set_aside {
            tracing::error!(
                "the database was damaged ({}); it is kept as {} and a new one begun",
                aside.why,
                aside.path.display()
            );
            counters.databases_set_aside.add(1);
        }
        let (jobs, receiver) = mpsc::sync_channel(QUEUE);
        let (announce, latest) = watch::channel(0);
        let (alarms, _) = broadcast::channel(ALARMS);
        let ended = Arc::<Ended>::default();
        let mut work = Work {
            writer: opened.writer,
            spool: Spool::open(&paths.spool),
            transcripts: paths.transcripts.clone(),
            announce,
            alarms: alarms.clone(),
            ended: Arc::clone(&ended),
            counters,
            care,
            last_care: Instant::now(),
            dropped: 0,
            rung: None,
            arriving: BTreeSet::new(),
        };
        let last = work.writer.reader().last_seq();
        if Health::after(&last) == Health::Damaged {
            work.begin_anew();
        } else {
            work.announce.send_replace(last?);
        }
        let thread = std::thread::Builder::new()
            .name("becket-keeper".into())
            .spawn(move || work.run(&receiver))
            .expect("a thread can be started");
        let keeper = Self {
            jobs,
            latest,
            alarms,
            ended,
            paths: Arc::new(paths),
        };
        Ok((keeper, thread))
    }

    /// Says that there is something in the spool. A full queue means that somebody said so already.
    pub fn ring(&self) {
        let _ = self.jobs.try_send(Job::Drain);
    }

    /// Takes in what is in the spool by now, and returns when that is done.
    pub async fn take_in(&self) -> Result<(), NotKept> {
        let (answer, answered) = oneshot::channel();
        let jobs = self.jobs.clone();
        let sent = tokio::task::spawn_blocking(move || jobs.send(Job::TakeIn(answer)));
        sent.await.map_err(|_| gone())?.map_err(|_| gone())?;
        answered.await.map_err(|_| gone())
    }

    /// Lets the thread finish what it has and end.
    pub fn stop(&self) {
        let _ = self.jobs.send(Job::Stop);
    }

    /// Does something in a group, and returns when the group is on disk.
    pub async fn tell<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut Group<'_>) -> Result<T, becket_store::Error> + Send + 'static,
    ) -> Result<T, NotKept> {
        let (answer, answered) = oneshot::channel();
        let tell: Tell = Box::new(move |group| {
            let done = what(group);
            let health = Health::after(&done);
            let done = done.map_err(|error| error.to_string());
            let after: After = Box::new(move |kept| {
                let _ = answer.send(kept.and(done));
            });
            (after, health)
        });
        self.hand_over(Job::Tell(tell)).await?;
        answered.await.map_err(|_| gone())?.map_err(NotKept)
    }

    async fn hand_over(&self, job: Job) -> Result<(), NotKept> {
        match self.jobs.try_send(job) {
            Ok(()) => Ok(()),
            Err(TrySendError::Disconnected(_)) => Err(gone()),
            // Whoever asks more than can be done waits, and nobody else.
            Err(TrySendError::Full(job)) => {
                let jobs = self.jobs.clone();
                let sent = tokio::task::spawn_blocking(move || jobs.send(job));
                sent.await.map_err(|_| gone())?.map_err(|_| gone())
            }
        }
    }

    /// Does something with the database between groups. Others wait meanwhile, so it should be short.
    pub async fn upkeep<T: Send + 'static>(
        &self,
        what: impl FnOnce(&mut Writer) -> Result<T, becket_store::Error> + Send + 'static,
    ) -> Result<T, NotKept> {
        let (answer, answered) = oneshot::channel();
        let upkeep: Upkeep = Box::new(move |writer| {
            let _ = answer.send(what(writer).map_err(|error| NotKept(error.to_string())));
        });
        let jobs = self.jobs.clone();
        let sent = tokio::task::spawn_blocking(move || jobs.send(Job::Upkeep(upkeep)));
        sent.await.map_err(|_| gone())?.map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }

    /// Takes a client's records; they are kept after all that were taken before.
    pub async fn take(&self, lines: Vec<String>) -> Result<Taken, NotKept> {
        // Done here, and not by the one who writes, for whom all others wait.
        let size: usize = lines.iter().map(String::len).sum();
        let prepare = move || {
            let records: Vec<Record<'_>> = lines.iter().map(|line| Record { line }).collect();
            Prepared::read(&records).into_owned()
        };
        let prepared = if size <= QUICKLY_READ {
            prepare()
        } else {
            let prepared = tokio::task::spawn_blocking(prepare).await;
            prepared.map_err(|_| NotKept("the records cannot be read".into()))?
        };
        let (waiting, answered) = oneshot::channel();
        self.hand_over(Job::Record(prepared, waiting)).await?;
        Ok(Taken(answered))
    }

    /// The place of the latest event in the stream of all; changes when there are more.
    pub fn latest(&self) -> watch::Receiver<i64> {
        self.latest.clone()
    }

    /// Where the database is, for who reads it for longer.
    pub fn database(&self) -> PathBuf {
        self.paths.database.clone()
    }

    /// Alarms, from now on, as they are raised.
    pub fn alarms(&self) -> broadcast::Receiver<AlarmRow> {
        self.alarms.subscribe()
    }

    /// What is over since somebody last looked.
    pub(crate) fn ended(&self) -> Arc<Ended> {
        Arc::clone(&self.ended)
    }

    /// Asks the database something.
    pub async fn ask<T: Send + 'static>(
        &self,
        what: impl FnOnce(&Reader) -> Result<T, becket_store::Error> + Send + 'static,
    ) -> Result<T, becket_store::Error> {
        let paths = Arc::clone(&self.paths);
        tokio::task::spawn_blocking(move || what(&Reader::open(&paths.database)?))
            .await
            .expect("questions do not panic")
    }
}

/// Records that were taken and are being kept.
pub struct Taken(oneshot::Receiver<Result<(), String>>);

impl Taken {
    /// Returns when they are on disk.
    pub async fn kept(self) -> Result<(), NotKept> {
        self.0.await.map_err(|_| gone())?.map_err(NotKept)
    }
}

fn gone() -> NotKept {
    NotKept("the daemon is stopping".into())
}

/// Keeps what several clients sent.
fn keep_all(records: Vec<(Prepared<'static>, Waiting)>) -> Tell {
    let (prepared, waiting): (Vec<_>, Vec<_>) = records.into_iter().unzip();
    Box::new(move |group| {
        let done = group.ingest_prepared(&Prepared::together(prepared));
        let health = Health::after(&done);
        let done = done.map_err(|error| error.to_string());
        let after: After = Box::new(move |kept| {
            let done = kept.and(done);
            for one in waiting {
                let _ = one.send(done.clone());
            }
        });
        (after, health)
    })
}

struct Work {
    writer: Writer,
    spool: Spool,
    transcripts: Option<PathBuf>,
    announce: watch::Sender<i64>,
    alarms: broadcast::Sender<AlarmRow>,
    ended: Arc<Ended>,
    counters: Arc<Counters>,
    /// How often what fell silent is looked for.
    care: Duration,
    last_care: Instant,
    /// When somebody rang, unless the spool was emptied since.
    rung: Option<Instant>,
    /// Sessions of which records came since then.
    arriving: BTreeSet<String>,
    /// Segments that the spool had given up, when last looked.
    dropped: u64,
}

impl Work {
    fn run(mut self, jobs: &Receiver<Job>) {
        self.drain();
        self.care();
        loop {
            match jobs.recv_timeout(self.until_drain()) {
                Ok(job) => {
                    if !self.together(job, jobs) {
                        break;
                    }
                }
                Err(RecvTimeoutError::Timeout) => self.drain(),
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.care();
        }
        self.drain();
    }

    /// How long to wait for jobs before the spool is emptied.
    fn until_drain(&self) -> Duration {
        self.rung
            .map_or(LOOK, |rung| AFTER_RING.saturating_sub(rung.elapsed()))
    }

    /// Does a job and all that wait behind it, in one group. Says whether to go on.
    fn together(&mut self, first: Job, jobs: &Receiver<Job>) -> bool {
        let (mut tells, mut upkeep, mut stop) = (Vec::new(), Vec::new(), false);
        let (mut waiting, mut records) = (Vec::new(), Vec::new());
        let rest = std::iter::from_fn(|| jobs.try_recv().ok());
        for job in std::iter::once(first).chain(rest).take(MOST_TOGETHER) {
            match job {
                Job::Drain => {
                    self.rung.get_or_insert_with(Instant::now);
                }
                Job::TakeIn(answer) => waiting.push(answer),
                Job::Tell(tell) => tells.push(tell),
                Job::Record(prepared, waiting) => records.push((prepared, waiting)),
                Job::Upkeep(work) => upkeep.push(work),
                Job::Stop => stop = true,
            }
        }
        if !records.is_empty() {
            tells.push(keep_all(records));
        }
        if !tells.is_empty() {
            self.commit(tells);
        }
        if !waiting.is_empty() {
            self.drain();
        }
        for answer in waiting {
            let _ = answer.send(());
        }
        for work in upkeep {
            work(&mut self.writer);
        }
        // With a queue that is never empty there is no pause in which to do it.
        if self.rung.is_some() && self.until_drain().is_zero() {
            self.drain();
        }
        !stop
    }

    fn commit(&mut self, tells: Vec<Tell>) {
        let count = tells.len();
        let mut told = Vec::with_capacity(count);
        let kept = match self.writer.begin() {
            Ok(mut group) => {
                told.extend(tells.into_iter().map(|tell| tell(&mut group)));
                group.commit()
            }
            Err(error) => Err(error),
        };
        let is_damaged = Health::after(&kept) == Health::Damaged
            || told.iter().any(|(_, health)| *health == Health::Damaged);
        let kept = kept.map_err(|error| {
            tracing::error!("{count} requests could not be kept: {error}");
            self.counters.failed_commits.add(1);
            error.to_string()
        });
        let kept = kept.map(|report| self.tell_report(report));
        for (after, _) in told {
            after(kept.clone());
        }
        if is_damaged {
            self.begin_anew();
        }
    }

    /// Takes everything out of the spool. What cannot be kept stays there, for another time.
    fn drain(&mut self) {
        self.rung = None;
        if let Err(error) = self.try_drain() {
            tracing::warn!("the spool could not be emptied: {error}");
            self.counters.failed_drains.add(1);
            std::thread::sleep(RECOVERY);
        }
    }

    fn try_drain(&mut self) -> Result<(), String> {
        self.tell_dropped();
        let mut reader = self.spool.reader().map_err(|error| error.to_string())?;
        while let Some(segment) = reader.next_segment().map_err(|error| error.to_string())? {
            let records: Vec<Record<'_>> = segment
                .records()
                .map(|record| Record { line: record.line })
                .collect();
            let mut report = self.writer.ingest(&records);
            if Health::after(&report) == Health::Damaged {
                self.begin_anew();
                report = self.writer.ingest(&records);
            }
            let report = report.map_err(|error| error.to_string())?;
            self.counters.bad_lines.add(segment.bad_lines() as u64);
            segment
                .commit_cleaned(without_secrets)
                .map_err(|error| error.to_string())?;
            self.tell_report(report);
        }
        // Another process may have brought something (`becket import`), and rings then, too.
        self.tell_latest();
        Ok(())
    }

    /// What the spool had to give up while nobody emptied it is said once.
    fn tell_dropped(&mut self) {
        let dropped = self.spool.dropped().unwrap_or_default();
        if dropped > self.dropped {
            let more = dropped - self.dropped;
            tracing::warn!("{more} segments of old events are lost: the spool was full");
        }
        self.dropped = dropped;
    }

    /// A damaged database takes nothing more and would keep the spool from being emptied, for ever.
    fn begin_anew(&mut self) {
        match self.writer.begin_anew(Options::default()) {
            Ok(Some(aside)) => {
                tracing::error!(
                    "the database is damaged; it is kept as {} and a new one begun",
                    aside.display()
                );
                self.counters.databases_set_aside.add(1);
            }
            Ok(None) => tracing::warn!("another process has begun a new database"),
            Err(error) => tracing::error!("no new database can be begun: {error}"),
        }
        self.tell_latest();
    }

    /// Looks after what nothing was heard of for long, now and then.
    fn care(&mut self) {
        if self.last_care.elapsed() < self.care {
            return;
        }
        self.last_care = Instant::now();
        let now = Millis::now();
        let arriving = std::mem::take(&mut self.arriving);
        let recovered = self
            .writer
            .recover_except(now, Patience::default(), &arriving);
        match recovered {
            Ok(recovered) => {
                if !recovered.sessions.is_empty() {
                    tracing::info!("{} sessions fell silent", recovered.sessions.len());
                    self.tell_latest();
                }
                self.ended.note(recovered.batches, recovered.sessions);
            }
            Err(error) => tracing::warn!("silent sessions could not be ended: {error}"),
        }
        let home = self.transcripts.as_deref();
        let grown = home.map(|home| transcripts::grown(home, SystemTime::now()));
        match self.writer.watch_hooks(now, &grown.unwrap_or_default()) {
            Ok(watched) => self.tell_alarms(&watched.raised),
            Err(error) => tracing::warn!("silent hooks could not be looked for: {error}"),
        }
    }

    /// Tells everybody of what was kept.
    fn tell_report(&mut self, report: IngestReport) {
        self.counters.records.add(report.stored);
        self.arriving.extend(report.sessions);
        self.tell_latest();
        self.tell_alarms(&report.alarms);
        self.ended.note(report.ended_batches, report.ended_sessions);
    }

    /// Tells whoever listens, and the log.
    fn tell_alarms<'a>(&self, raised: impl IntoIterator<Item = &'a String>) {
        for id in raised {
            // It may have been taken back by what came after it in the same group.
            if let Ok(Some(alarm)) = self.writer.reader().alarm(id) {
                tracing::warn!("alarm {id}: {}", alarm.message);
                let _ = self.alarms.send(alarm);
            }
        }
    }

    fn tell_latest(&self) {
        if let Ok(latest) = self.writer.reader().last_seq() {
            self.announce.send_if_modified(|old| {
                let is_new = *old != latest;
                *old = latest;
                is_new
            });
        }
    }
}

/// A line that is no record was perhaps cut off, or written by somebody who knows no better.
pub(crate) fn without_secrets(line: &[u8]) -> Cow<'_, [u8]> {
    let text = String::from_utf8_lossy(line);
    Cow::Owned(redact_text(&text).into_owned().into_bytes())
}
