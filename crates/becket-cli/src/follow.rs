//! What is recorded, as it comes: for `becket tail`, `becket top` and `becket demo`.
//!
//! An event is in the spool until a daemon takes it into the database. Both are looked at, so that it makes no
//! difference whether one runs, comes or goes.

use std::collections::{HashSet, VecDeque};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use becket::Home;
use becket_spool::Spool;
use becket_store::{EventFilter, IDLE, Reader};
use serde_json::Value;

use crate::records::{self, Chosen};

/// Events that are remembered, so that none is shown twice on its way from the spool to the database.
const REMEMBERED: usize = 20_000;
/// Rows that are read from the database at once.
const AT_ONCE: usize = 500;

/// What of it is asked for.
pub(crate) struct Wanted {
    pub(crate) chosen: Chosen,
    /// The canonical name of an event.
    pub(crate) kind: Option<String>,
    pub(crate) verdict: Option<&'static str>,
    pub(crate) idle: Idle,
}

/// Whether those events are among the others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Idle {
    Told,
    OnlyByName,
}

/// The spool and the database as one.
pub(crate) struct Trail {
    home: Home,
    spool: Spool,
    spool_bytes: Option<u64>,
    reader: Option<Reader>,
    /// The file that is read.
    file: Option<(u64, u64)>,
    wanted: Wanted,
    seen: Seen,
    /// How far the database was read.
    cursor: i64,
}

impl Trail {
    pub(crate) fn new(home: &Home, wanted: Wanted) -> Self {
        Self {
            home: home.clone(),
            spool: Spool::open(home.spool()),
            spool_bytes: None,
            reader: None,
            file: None,
            wanted,
            seen: Seen::default(),
            cursor: 0,
        }
    }

    /// The latest, oldest first.
    pub(crate) fn latest(&mut self, most: usize) -> anyhow::Result<Vec<Value>> {
        // The spool first: what moves meanwhile is found in the database.
        let waiting = self.spool.tail(REMEMBERED.max(most))?;
        let mut records = Vec::new();
        self.find_database()?;
        if let Some(reader) = &self.reader {
            let cursor = reader.last_seq()?;
            if most > 0 {
                records = self.latest_kept(reader, most)?;
            }
            self.cursor = cursor;
        }
        for record in &records {
            self.seen.is_new(record);
        }
        records.extend(self.fresh(&waiting));
        records.drain(..records.len().saturating_sub(most));
        Ok(records)
    }

    /// The latest in the database: as many as are asked for, whatever else is between them.
    fn latest_kept(&self, reader: &Reader, most: usize) -> anyhow::Result<Vec<Value>> {
        let mut limit = most;
        loop {
            let kept = reader.latest_events(&self.filter(limit))?;
            let found = kept
                .iter()
                .filter_map(|event| read(event.record.as_bytes()))
                .filter(|record| self.is_told(record));
            let mut found: Vec<Value> = found.collect();
            if found.len() >= most || kept.len() < limit {
                found.drain(..found.len().saturating_sub(most));
                return Ok(found);
            }
            limit *= 2;
        }
    }

    /// Events of the store's own are told only to those who asked for them.
    fn is_told(&self, record: &Value) -> bool {
        self.wanted.idle == Idle::Told
            || self.wanted.kind.as_deref() == Some(IDLE)
            || record["event"] != IDLE
    }

    /// What has come since.
    pub(crate) fn new_ones(&mut self) -> anyhow::Result<Vec<Value>> {
        let waiting = self.waiting()?;
        let mut records = self.kept()?;
        records.extend(self.fresh(&waiting));
        Ok(records)
    }

    /// What was taken into the database, and not seen in the spool before.
    fn kept(&mut self) -> anyhow::Result<Vec<Value>> {
        let mut records = Vec::new();
        self.find_database()?;
        loop {
            let from = self.cursor;
            let Some(reader) = &self.reader else {
                return Ok(records);
            };
            let latest = reader.last_seq()?;
            let events = reader.events_after(from, &self.filter(AT_ONCE))?;
            let more = events.len() == AT_ONCE;
            let last = events.last().map_or(from, |event| event.seq);
            self.cursor = if more { last } else { last.max(latest) };
            let read = events
                .iter()
                .filter_map(|event| read(event.record.as_bytes()));
            let mut new: Vec<Value> = read.collect();
            new.retain(|record| self.seen.is_new(record));
            records.extend(new.into_iter().filter(|record| self.is_told(record)));
            if !more {
                return Ok(records);
            }
        }
    }

    /// The lines of the spool, if there may be new ones.
    fn waiting(&mut self) -> anyhow::Result<Vec<Vec<u8>>> {
        let bytes = self.spool.status()?.bytes;
        if self.spool_bytes.replace(bytes) == Some(bytes) {
            return Ok(Vec::new());
        }
        let mut most = 64;
        loop {
            let lines = self.spool.tail(most)?;
            let first = lines.first().and_then(|line| read(line));
            let reaches_back = first.is_none_or(|first| self.seen.knows(&first));
            if reaches_back || lines.len() < most || most >= REMEMBERED {
                return Ok(lines);
            }
            most *= 4;
        }
    }

    /// Those of these lines that are asked for and were not seen.
    fn fresh(&mut self, lines: &[Vec<u8>]) -> Vec<Value> {
        let all = lines.iter().filter_map(|line| read(line));
        let mut new: Vec<Value> = all.filter(|record| self.seen.is_new(record)).collect();
        new.retain(|record| self.wants(record) && self.is_told(record));
        new
    }

    fn wants(&self, record: &Value) -> bool {
        let is = |value: &Value, wanted: Option<&str>| wanted.is_none_or(|wanted| value == wanted);
        let scope = self.wanted.chosen.scope();
        let verdict = record["decision"]["verdict"].as_str().unwrap_or("none");
        let at = record["ts"].as_str().and_then(becket_store::Millis::parse);
        is(&record["agent"], scope.agent)
            && is(&record["project"], scope.project)
            && is(&record["event"], self.wanted.kind.as_deref())
            && self.wanted.verdict.is_none_or(|wanted| wanted == verdict)
            && scope.since.is_none_or(|since| at >= Some(since))
            && scope.until.is_none_or(|until| at < Some(until))
    }

    fn filter(&self, limit: usize) -> EventFilter<'_> {
        EventFilter {
            scope: self.wanted.chosen.scope(),
            session: None,
            kind: self.wanted.kind.as_deref(),
            verdict: self.wanted.verdict,
            limit,
        }
    }

    /// The database, once there is one.
    pub(crate) fn reader(&self) -> Option<&Reader> {
        self.reader.as_ref()
    }

    /// Opens the database anew when it is looked at next: it could not be read.
    pub(crate) fn reopen(&mut self) {
        self.reader = None;
    }

    /// Opens the database as soon as there is one, and anew where another file has taken its place.
    fn find_database(&mut self) -> anyhow::Result<()> {
        let file = identity(&self.home.database());
        if self.file.is_some() && file != self.file {
            (self.reader, self.file, self.cursor) = (None, None, 0);
        }
        if self.reader.is_none() {
            self.reader = records::open_as_it_is(&self.home)?;
            self.file = self.reader.is_some().then_some(file).flatten();
        }
        Ok(())
    }
}

/// What tells a file from another one of the same name.
fn identity(path: &Path) -> Option<(u64, u64)> {
    let meta = path.metadata().ok()?;
    Some((meta.dev(), meta.ino()))
}

fn read(line: &[u8]) -> Option<Value> {
    serde_json::from_slice(line).ok()
}

/// The ids of the latest records.
#[derive(Default)]
struct Seen {
    ids: HashSet<String>,
    order: VecDeque<String>,
}

impl Seen {
    fn knows(&self, record: &Value) -> bool {
        record["id"]
            .as_str()
            .is_some_and(|id| self.ids.contains(id))
    }

    /// Remembers a record; whether it was unknown. One without an id cannot be known.
    fn is_new(&mut self, record: &Value) -> bool {
        let Some(id) = record["id"].as_str() else {
            return true;
        };
        if !self.ids.insert(id.to_owned()) {
            return false;
        }
        self.order.push_back(id.to_owned());
        if self.order.len() > 2 * REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.ids.remove(&oldest);
        }
        true
    }
}
