//! Follows recorded events across spool and database, for `becket tail`, `becket top` and `becket demo`.
//!
//! An event is in the spool until a daemon ingests it. The follower reads both and dedupes by record id, so it works
//! with or without a daemon, and while one starts or stops.

use std::collections::{HashSet, VecDeque};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use becket::Home;
use becket_spool::Spool;
use becket_store::{EventFilter, IDLE_EVENT, StoreReader};
use serde_json::Value;

use crate::records::{self, ResolvedScope};

/// How many record ids to remember for deduplication between spool and database.
const SEEN_CAPACITY: usize = 20_000;
/// Database rows per query.
const PAGE_SIZE: usize = 500;

/// Which events to follow.
pub(crate) struct EventSelection {
    pub(crate) scope: ResolvedScope,
    /// The canonical event name.
    pub(crate) kind: Option<String>,
    pub(crate) verdict: Option<&'static str>,
    pub(crate) idle: IdleEvents,
}

/// Whether the store's idle events are included.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdleEvents {
    Included,
    OnlyByName,
}

/// Reads the spool and the database as one stream.
pub(crate) struct EventFollower {
    home: Home,
    spool: Spool,
    spool_bytes: Option<u64>,
    reader: Option<StoreReader>,
    /// Device and inode of the open database.
    file: Option<(u64, u64)>,
    selection: EventSelection,
    seen: SeenIds,
    /// The last database sequence number that was read.
    cursor: i64,
}

impl EventFollower {
    pub(crate) fn new(home: &Home, selection: EventSelection) -> Self {
        Self {
            home: home.clone(),
            spool: Spool::open(home.spool()),
            spool_bytes: None,
            reader: None,
            file: None,
            selection,
            seen: SeenIds::default(),
            cursor: 0,
        }
    }

    /// The latest `max` records, oldest first.
    pub(crate) fn latest(&mut self, max: usize) -> anyhow::Result<Vec<Value>> {
        // Read the spool first: a record that moves meanwhile is found in the database.
        let spool_lines = self.spool.tail(SEEN_CAPACITY.max(max))?;
        let mut records = Vec::new();
        self.open_database()?;
        if let Some(reader) = &self.reader {
            let cursor = reader.last_seq()?;
            if max > 0 {
                records = self.latest_stored(reader, max)?;
            }
            self.cursor = cursor;
        }
        for record in &records {
            self.seen.insert(record);
        }
        records.extend(self.select_unseen(&spool_lines));
        records.drain(..records.len().saturating_sub(max));
        Ok(records)
    }

    /// The latest `max` matching records of the database.
    fn latest_stored(&self, reader: &StoreReader, max: usize) -> anyhow::Result<Vec<Value>> {
        let mut limit = max;
        loop {
            let kept = reader.latest_events(&self.filter(limit))?;
            let found = kept
                .iter()
                .filter_map(|event| parse_record(event.record.as_bytes()))
                .filter(|record| self.is_visible(record));
            let mut found: Vec<Value> = found.collect();
            if found.len() >= max || kept.len() < limit {
                found.drain(..found.len().saturating_sub(max));
                return Ok(found);
            }
            limit *= 2;
        }
    }

    /// The store's idle events are hidden unless the selection includes or names them.
    fn is_visible(&self, record: &Value) -> bool {
        self.selection.idle == IdleEvents::Included
            || self.selection.kind.as_deref() == Some(IDLE_EVENT)
            || record["event"] != IDLE_EVENT
    }

    /// The records that arrived since the last call.
    pub(crate) fn poll(&mut self) -> anyhow::Result<Vec<Value>> {
        let spool_lines = self.spool_lines()?;
        let mut records = self.read_database()?;
        records.extend(self.select_unseen(&spool_lines));
        Ok(records)
    }

    /// New database records that were not already seen in the spool.
    fn read_database(&mut self) -> anyhow::Result<Vec<Value>> {
        let mut records = Vec::new();
        self.open_database()?;
        loop {
            let from = self.cursor;
            let Some(reader) = &self.reader else {
                return Ok(records);
            };
            let latest = reader.last_seq()?;
            let events = reader.events_after(from, &self.filter(PAGE_SIZE))?;
            let more = events.len() == PAGE_SIZE;
            let last = events.last().map_or(from, |event| event.seq);
            self.cursor = if more { last } else { last.max(latest) };
            let read = events
                .iter()
                .filter_map(|event| parse_record(event.record.as_bytes()));
            let mut new: Vec<Value> = read.collect();
            new.retain(|record| self.seen.insert(record));
            records.extend(new.into_iter().filter(|record| self.is_visible(record)));
            if !more {
                return Ok(records);
            }
        }
    }

    /// The lines of the spool, or none if its size is unchanged.
    fn spool_lines(&mut self) -> anyhow::Result<Vec<Vec<u8>>> {
        let bytes = self.spool.status()?.bytes;
        if self.spool_bytes.replace(bytes) == Some(bytes) {
            return Ok(Vec::new());
        }
        let mut max = 64;
        loop {
            let lines = self.spool.tail(max)?;
            let first = lines.first().and_then(|line| parse_record(line));
            let reaches_back = first.is_none_or(|first| self.seen.contains(&first));
            if reaches_back || lines.len() < max || max >= SEEN_CAPACITY {
                return Ok(lines);
            }
            max *= 4;
        }
    }

    /// The lines that match the selection and were not seen before.
    fn select_unseen(&mut self, lines: &[Vec<u8>]) -> Vec<Value> {
        let all = lines.iter().filter_map(|line| parse_record(line));
        let mut new: Vec<Value> = all.filter(|record| self.seen.insert(record)).collect();
        new.retain(|record| self.matches_selection(record) && self.is_visible(record));
        new
    }

    fn matches_selection(&self, record: &Value) -> bool {
        let is = |value: &Value, wanted: Option<&str>| wanted.is_none_or(|wanted| value == wanted);
        let scope = self.selection.scope.as_query();
        let verdict = record["decision"]["verdict"].as_str().unwrap_or("none");
        let at = record["ts"].as_str().and_then(becket_store::Millis::parse);
        is(&record["agent"], scope.agent)
            && is(&record["project"], scope.project)
            && is(&record["event"], self.selection.kind.as_deref())
            && self
                .selection
                .verdict
                .is_none_or(|wanted| wanted == verdict)
            && scope.since.is_none_or(|since| at >= Some(since))
            && scope.until.is_none_or(|until| at < Some(until))
    }

    fn filter(&self, limit: usize) -> EventFilter<'_> {
        EventFilter {
            scope: self.selection.scope.as_query(),
            session: None,
            kind: self.selection.kind.as_deref(),
            verdict: self.selection.verdict,
            limit,
        }
    }

    /// The database, if one exists.
    pub(crate) fn reader(&self) -> Option<&StoreReader> {
        self.reader.as_ref()
    }

    /// Drops the database connection after a read error. The next call opens it again.
    pub(crate) fn reopen(&mut self) {
        self.reader = None;
    }

    /// Opens the database if one exists, and opens it again if the file was replaced.
    fn open_database(&mut self) -> anyhow::Result<()> {
        let file = file_identity(&self.home.database());
        if self.file.is_some() && file != self.file {
            (self.reader, self.file, self.cursor) = (None, None, 0);
        }
        if self.reader.is_none() {
            self.reader = records::open_without_catch_up(&self.home)?;
            self.file = self.reader.is_some().then_some(file).flatten();
        }
        Ok(())
    }
}

/// Device and inode, which identify a file even if its name is reused.
fn file_identity(path: &Path) -> Option<(u64, u64)> {
    let meta = path.metadata().ok()?;
    Some((meta.dev(), meta.ino()))
}

fn parse_record(line: &[u8]) -> Option<Value> {
    serde_json::from_slice(line).ok()
}

/// The ids of the latest records.
#[derive(Default)]
struct SeenIds {
    ids: HashSet<String>,
    order: VecDeque<String>,
}

impl SeenIds {
    fn contains(&self, record: &Value) -> bool {
        record["id"]
            .as_str()
            .is_some_and(|id| self.ids.contains(id))
    }

    /// Remembers a record. Returns whether it is new; a record without an id always is.
    fn insert(&mut self, record: &Value) -> bool {
        let Some(id) = record["id"].as_str() else {
            return true;
        };
        if !self.ids.insert(id.to_owned()) {
            return false;
        }
        self.order.push_back(id.to_owned());
        if self.order.len() > 2 * SEEN_CAPACITY
            && let Some(oldest) = self.order.pop_front()
        {
            self.ids.remove(&oldest);
        }
        true
    }
}
