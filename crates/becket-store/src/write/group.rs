//! Groups: many records, one commit, one sync.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use rusqlite::Connection;

use crate::error::{Error, ErrorKind};
use crate::millis::Millis;
use crate::open::Writer;
use crate::record::{self, HookRun, Observed, Read, Record};
use crate::session::{Course, Header, Position};
use crate::words::Words;

/// What became of records.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IngestReport {
    /// Records that are new.
    pub stored: u64,
    /// Records that had been stored before.
    pub known: u64,
    /// Of the new ones, those that report an action that another record reports, too.
    pub duplicates: u64,
    /// Of the new ones, those that could not be understood; they are kept whole.
    pub problems: u64,
    /// The sessions that the new ones belong to.
    pub sessions: BTreeSet<String>,
    /// Batches that are over since.
    pub ended_batches: BTreeSet<String>,
    /// Sessions of the new ones that are over.
    pub ended_sessions: BTreeSet<String>,
    /// Alarms that were raised.
    pub alarms: BTreeSet<String>,
}

/// A transaction. Nothing of it is there until [`Group::commit`]; dropped, it is undone.
///
/// What was read of sessions is kept for as long as it lasts: nobody else writes meanwhile.
pub struct Group<'w> {
    pub(crate) writer: &'w Writer,
    pub(crate) sessions: HashMap<String, Work>,
    pub(super) projects: HashMap<String, Seen<i64>>,
    pub(super) agents: HashMap<String, Seen<()>>,
    /// Words that are yet to be indexed, by their row in the index.
    pub(super) words: Vec<(i64, Words)>,
    /// The earliest new event that could be the parent of another session, or its child.
    pub(super) earliest: Option<Millis>,
    pub(crate) report: IngestReport,
    open: bool,
}

/// A session that is being written.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    pub(crate) pk: i64,
    pub(crate) header: Header,
    pub(crate) course: Course,
    /// Set when events before this time are gone, so that nothing can be concluded again.
    pub(crate) pruned_to: Option<Millis>,
    pub(crate) latest_pk: Option<(String, i64)>,
    pub(crate) dirty: bool,
}

/// When something was seen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen<K> {
    pub(super) key: K,
    pub(super) first: Millis,
    pub(super) last: Millis,
}

pub(crate) type Sql<T> = Result<T, ErrorKind>;

impl Writer {
    /// Begins a group. Waits for other writers, for as long as the options say.
    pub fn begin(&mut self) -> Result<Group<'_>, Error> {
        let begun = self.reader.connection.execute_batch("BEGIN IMMEDIATE");
        begun.map_err(|error| self.failed(error))?;
        Ok(Group {
            writer: self,
            sessions: HashMap::new(),
            projects: HashMap::new(),
            agents: HashMap::new(),
            words: Vec::new(),
            earliest: None,
            report: IngestReport::default(),
            open: true,
        })
    }

    /// Stores records in a group of their own. When this returns, they may be deleted elsewhere.
    pub fn ingest(&mut self, records: &[Record<'_>]) -> Result<IngestReport, Error> {
        let mut group = self.begin()?;
        group.ingest(records)?;
        group.commit()
    }
}

/// Records that were taken apart and redacted. That is half of the work, needs no database, and can be done by
/// others than the one who writes.
pub struct Prepared<'l>(Vec<(Read, Cow<'l, str>)>);

impl<'l> Prepared<'l> {
    /// Takes records apart.
    pub fn read(records: &[Record<'l>]) -> Self {
        let now = Millis::now();
        let mut read: Vec<_> = records
            .iter()
            .map(|record| record::read_foreign(record.line, now))
            .collect();
        by_time(&mut read);
        Self(read)
    }

    /// All of these as if they had come together. That is quicker than one after the other, as what is all or nothing
    /// costs the same for many.
    pub fn together(parts: Vec<Self>) -> Self {
        let mut read: Vec<_> = parts.into_iter().flat_map(|part| part.0).collect();
        by_time(&mut read);
        Self(read)
    }

    /// Lets go of the lines that they were read from.
    pub fn into_owned(self) -> Prepared<'static> {
        let owned = |(read, line): (Read, Cow<'_, str>)| (read, Cow::Owned(line.into_owned()));
        Prepared(self.0.into_iter().map(owned).collect())
    }
}

impl Group<'_> {
    /// Stores records, each exactly once, whatever order they come in. One that cannot be digested
    /// does not hold up the others: it is kept whole, with the reason. Whatever their writers did, they are
    /// redacted.
    pub fn ingest(&mut self, records: &[Record<'_>]) -> Result<(), Error> {
        self.ingest_prepared(&Prepared::read(records))
    }

    /// The same, with records that were taken apart before.
    pub fn ingest_prepared(&mut self, Prepared(read): &Prepared<'_>) -> Result<(), Error> {
        let whole = self.atomically(|group| {
            read.iter()
                .try_for_each(|(read, line)| group.take(read, line))
        });
        match whole {
            Err(error) if !error.is_from_outside() => {}
            done => return done.map_err(|error| self.writer.failed(error)),
        }
        for (read, line) in read {
            self.ingest_alone(read, line)
                .map_err(|error| self.writer.failed(error))?;
        }
        Ok(())
    }

    fn ingest_alone(&mut self, read: &Read, line: &str) -> Sql<()> {
        let why = match self.atomically(|group| group.take(read, line)) {
            Err(error) if !error.is_from_outside() => error.to_string(),
            done => return done,
        };
        match read {
            Read::Hook(_) => Ok(()),
            Read::Event(seen) => self.atomically(|group| group.keep_whole(seen, line, &why)),
        }
    }

    pub(crate) fn take(&mut self, read: &Read, line: &str) -> Sql<()> {
        match read {
            Read::Event(seen) => self.observe(seen, line),
            Read::Hook(run) => self.observe_hook(run),
        }
    }

    fn observe_hook(&mut self, run: &HookRun) -> Sql<()> {
        if self.insert_hook_run(run)? {
            self.report.stored += 1;
        } else {
            self.report.known += 1;
        }
        Ok(())
    }

    /// An event that could not be digested, for a person to look at.
    fn keep_whole(&mut self, seen: &Observed, line: &str, why: &str) -> Sql<()> {
        let sql = "INSERT INTO events (id, at, kind, agent, problem, record) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                   ON CONFLICT (id) DO NOTHING";
        let Position { at, id } = &seen.position;
        let values = (id, at, &seen.kind, &seen.agent, why, line);
        let stored = self.db().prepare_cached(sql)?.execute(values)?;
        self.report.stored += u64::try_from(stored).unwrap_or_default();
        self.report.problems += 1;
        Ok(())
    }

    /// Does all of it, or nothing if it fails: what others do in this group is kept all the same.
    pub fn whole<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let done = self.atomically(|group| work(group).map_err(|error| error.kind));
        done.map_err(|kind| self.writer.failed(kind))
    }

    /// Does all of it or nothing.
    pub(crate) fn atomically<T>(&mut self, work: impl FnOnce(&mut Self) -> Sql<T>) -> Sql<T> {
        // What is remembered has to be in the database first: after a failure it is read again.
        self.flush()?;
        let report = self.report.clone();
        self.db().execute_batch("SAVEPOINT part")?;
        let done = work(self).and_then(|done| self.flush().map(|()| done));
        if done.is_err() {
            self.report = report;
            self.forget();
            // After some errors SQLite has rolled back everything by itself.
            if self.db().is_autocommit() {
                return done;
            }
            self.db().execute_batch("ROLLBACK TO part")?;
        }
        self.db().execute_batch("RELEASE part")?;
        done
    }

    fn forget(&mut self) {
        self.sessions.clear();
        self.projects.clear();
        self.agents.clear();
        self.words.clear();
    }

    pub(crate) fn flush(&mut self) -> Sql<()> {
        self.flush_sessions()?;
        self.flush_seen()?;
        self.flush_words()
    }

    /// Makes the group durable, and tells what it brought.
    pub fn commit(mut self) -> Result<IngestReport, Error> {
        let flushed = self.flush().and_then(|()| self.relink());
        let done = flushed.and_then(|()| Ok(self.db().execute_batch("COMMIT")?));
        done.map_err(|error| self.writer.failed(error))?;
        self.open = false;
        Ok(std::mem::take(&mut self.report))
    }

    pub(crate) fn db(&self) -> &Connection {
        &self.writer.reader.connection
    }
}

impl Drop for Group<'_> {
    fn drop(&mut self) {
        if self.open {
            // After some errors SQLite has rolled back by itself.
            let _ = self.db().execute_batch("ROLLBACK");
        }
    }
}

/// In order of time, so that little has to be concluded twice.
fn by_time(read: &mut [(Read, Cow<'_, str>)]) {
    read.sort_by(|(one, _), (other, _)| place(one).cmp(place(other)));
}

fn place(read: &Read) -> &Position {
    match read {
        Read::Event(seen) => &seen.position,
        Read::Hook(run) => &run.position,
    }
}
