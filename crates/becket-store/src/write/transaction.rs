//! Write transactions: many records, one commit, one sync (group commit).

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use rusqlite::Connection;

use crate::error::{Error, ErrorKind};
use crate::millis::Millis;
use crate::open::StoreWriter;
use crate::record::{self, HookRun, ParsedEvent, ParsedRecord, RecordLine};
use crate::session::{EventPosition, SessionHeader, TurnState};
use crate::tokenize::IndexTokens;

/// The result of ingesting records.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IngestReport {
    /// New records.
    pub stored: u64,
    /// Records that were already stored.
    pub already_stored: u64,
    /// New records that report an action that another record reports as well.
    pub duplicates: u64,
    /// New records that could not be parsed; they are stored as they are.
    pub problems: u64,
    /// The sessions of the new records.
    pub sessions: BTreeSet<String>,
    /// Batches that ended.
    pub ended_batches: BTreeSet<String>,
    /// Sessions of the new records that have ended.
    pub ended_sessions: BTreeSet<String>,
    /// The ids of raised alarms.
    pub alarms: BTreeSet<String>,
}

/// A write transaction. Nothing is visible before [`WriteTransaction::commit`]; dropping it rolls back.
///
/// It caches session rows, which is safe because the transaction holds SQLite's write lock.
pub struct WriteTransaction<'w> {
    pub(crate) writer: &'w StoreWriter,
    pub(crate) sessions: HashMap<String, CachedSession>,
    pub(super) projects: HashMap<String, SeenRange<i64>>,
    pub(super) agents: HashMap<String, SeenRange<()>>,
    /// Entries to be added to the search index, by index row id.
    pub(super) pending_tokens: Vec<(i64, IndexTokens)>,
    /// The time of the earliest new event. Parents of sessions from then on are linked again.
    pub(super) earliest_event: Option<Millis>,
    pub(crate) report: IngestReport,
    is_open: bool,
}

/// The cached state of a session row. [`WriteTransaction::flush`] writes it back if it is dirty.
#[derive(Debug, Clone)]
pub(crate) struct CachedSession {
    pub(crate) pk: i64,
    pub(crate) header: SessionHeader,
    pub(crate) turn_state: TurnState,
    /// Events before this time were pruned, so the session's events can no longer be replayed.
    pub(crate) pruned_to: Option<Millis>,
    pub(crate) latest_pk: Option<(String, i64)>,
    pub(crate) dirty: bool,
}

/// The first and last time a project or an agent was seen.
#[derive(Debug, Clone, Copy)]
pub(super) struct SeenRange<K> {
    pub(super) key: K,
    pub(super) first: Millis,
    pub(super) last: Millis,
}

pub(crate) type SqlResult<T> = Result<T, ErrorKind>;

impl StoreWriter {
    /// Begins a transaction. Waits for other writers up to [`Options::busy_wait`](crate::Options::busy_wait).
    pub fn begin(&mut self) -> Result<WriteTransaction<'_>, Error> {
        let begun = self.reader.connection.execute_batch("BEGIN IMMEDIATE");
        begun.map_err(|error| self.failed(error))?;
        Ok(WriteTransaction {
            writer: self,
            sessions: HashMap::new(),
            projects: HashMap::new(),
            agents: HashMap::new(),
            pending_tokens: Vec::new(),
            earliest_event: None,
            report: IngestReport::default(),
            is_open: true,
        })
    }

    /// Ingests records in their own transaction. When it returns, the caller may delete them elsewhere.
    pub fn ingest(&mut self, records: &[RecordLine<'_>]) -> Result<IngestReport, Error> {
        let mut transaction = self.begin()?;
        transaction.ingest(records)?;
        transaction.commit()
    }
}

/// Parsed and redacted records. Parsing is half of the work of ingesting and needs no database, so other threads
/// can do it.
pub struct ParsedRecords<'l>(Vec<(ParsedRecord, Cow<'l, str>)>);

impl<'l> ParsedRecords<'l> {
    /// Parses records.
    pub fn parse(records: &[RecordLine<'l>]) -> Self {
        let now = Millis::now();
        let mut parsed: Vec<_> = records
            .iter()
            .map(|record| record::parse_redacted(record.line, now))
            .collect();
        sort_by_time(&mut parsed);
        Self(parsed)
    }

    /// Merges several sets. One large set is ingested faster than many small ones, because each needs a savepoint.
    pub fn concat(parts: Vec<Self>) -> Self {
        let mut parsed: Vec<_> = parts.into_iter().flat_map(|part| part.0).collect();
        sort_by_time(&mut parsed);
        Self(parsed)
    }

    /// Copies the lines, to drop the borrow.
    pub fn into_owned(self) -> ParsedRecords<'static> {
        let owned =
            |(record, line): (ParsedRecord, Cow<'_, str>)| (record, Cow::Owned(line.into_owned()));
        ParsedRecords(self.0.into_iter().map(owned).collect())
    }
}

impl WriteTransaction<'_> {
    /// Ingests records, each exactly once, in any order. A record that fails does not affect the others: it is
    /// stored as it is, with the error. All records are redacted, whether or not their clients did so.
    pub fn ingest(&mut self, records: &[RecordLine<'_>]) -> Result<(), Error> {
        self.ingest_parsed(&ParsedRecords::parse(records))
    }

    /// Ingests records that are already parsed.
    pub fn ingest_parsed(
        &mut self,
        ParsedRecords(records): &ParsedRecords<'_>,
    ) -> Result<(), Error> {
        let ingested = self.in_savepoint(|transaction| {
            records
                .iter()
                .try_for_each(|(record, line)| transaction.store_record(record, line))
        });
        match ingested {
            Err(error) if !error.is_retryable() => {}
            done => return done.map_err(|error| self.writer.failed(error)),
        }
        for (record, line) in records {
            self.ingest_one(record, line)
                .map_err(|error| self.writer.failed(error))?;
        }
        Ok(())
    }

    fn ingest_one(&mut self, record: &ParsedRecord, line: &str) -> SqlResult<()> {
        let why = match self.in_savepoint(|transaction| transaction.store_record(record, line)) {
            Err(error) if !error.is_retryable() => error.to_string(),
            done => return done,
        };
        match record {
            ParsedRecord::HookRun(_) => Ok(()),
            ParsedRecord::Event(parsed) => {
                self.in_savepoint(|transaction| transaction.store_failed_event(parsed, line, &why))
            }
        }
    }

    pub(crate) fn store_record(&mut self, record: &ParsedRecord, line: &str) -> SqlResult<()> {
        match record {
            ParsedRecord::Event(parsed) => self.store_event(parsed, line),
            ParsedRecord::HookRun(run) => self.store_hook_run(run),
        }
    }

    fn store_hook_run(&mut self, run: &HookRun) -> SqlResult<()> {
        if self.insert_hook_run(run)? {
            self.report.stored += 1;
        } else {
            self.report.already_stored += 1;
        }
        Ok(())
    }

    /// Stores an event that could not be processed, for a person to inspect.
    fn store_failed_event(&mut self, parsed: &ParsedEvent, line: &str, why: &str) -> SqlResult<()> {
        let sql = "INSERT INTO events (id, at, kind, agent, problem, record) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
                   ON CONFLICT (id) DO NOTHING";
        let EventPosition { at, id } = &parsed.position;
        let values = (id, at, &parsed.kind, &parsed.agent, why, line);
        let stored = self.db().prepare_cached(sql)?.execute(values)?;
        self.report.stored += u64::try_from(stored).unwrap_or_default();
        self.report.problems += 1;
        Ok(())
    }

    /// Runs `work` in a savepoint: if it fails, only its own changes are rolled back.
    pub fn atomically<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let done = self.in_savepoint(|transaction| work(transaction).map_err(|error| error.kind));
        done.map_err(|kind| self.writer.failed(kind))
    }

    /// Runs `work` in a savepoint.
    pub(crate) fn in_savepoint<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> SqlResult<T>,
    ) -> SqlResult<T> {
        // Cached state must be in the database first, because after a failure it is read again.
        self.flush()?;
        let report = self.report.clone();
        self.db().execute_batch("SAVEPOINT part")?;
        let done = work(self).and_then(|done| self.flush().map(|()| done));
        if done.is_err() {
            self.report = report;
            self.clear_caches();
            // After some errors SQLite has already rolled back the whole transaction.
            if self.db().is_autocommit() {
                return done;
            }
            self.db().execute_batch("ROLLBACK TO part")?;
        }
        self.db().execute_batch("RELEASE part")?;
        done
    }

    fn clear_caches(&mut self) {
        self.sessions.clear();
        self.projects.clear();
        self.agents.clear();
        self.pending_tokens.clear();
    }

    pub(crate) fn flush(&mut self) -> SqlResult<()> {
        self.flush_sessions()?;
        self.flush_seen_ranges()?;
        self.flush_tokens()
    }

    /// Commits, and returns what the transaction changed.
    pub fn commit(mut self) -> Result<IngestReport, Error> {
        let flushed = self.flush().and_then(|()| self.link_parents());
        let done = flushed.and_then(|()| Ok(self.db().execute_batch("COMMIT")?));
        done.map_err(|error| self.writer.failed(error))?;
        self.is_open = false;
        Ok(std::mem::take(&mut self.report))
    }

    pub(crate) fn db(&self) -> &Connection {
        &self.writer.reader.connection
    }
}

impl Drop for WriteTransaction<'_> {
    fn drop(&mut self) {
        if self.is_open {
            // After some errors SQLite has already rolled back.
            let _ = self.db().execute_batch("ROLLBACK");
        }
    }
}

/// Sorts by time, so that fewer sessions have to be replayed.
fn sort_by_time(records: &mut [(ParsedRecord, Cow<'_, str>)]) {
    records.sort_by(|(one, _), (other, _)| position_of(one).cmp(position_of(other)));
}

fn position_of(record: &ParsedRecord) -> &EventPosition {
    match record {
        ParsedRecord::Event(parsed) => &parsed.position,
        ParsedRecord::HookRun(run) => &run.position,
    }
}
