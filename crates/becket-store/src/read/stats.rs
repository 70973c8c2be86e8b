//! Statistics of one batch or session.

use std::collections::BTreeMap;
use std::time::Duration;

use rusqlite::Params;
use schemars::JsonSchema;
use serde::Serialize;

use super::serialize;
use crate::error::Error;
use crate::millis::Millis;
use crate::open::StoreReader;
use crate::write::BatchClass;

/// Statistics of a batch or a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, JsonSchema, Serialize)]
#[schemars(rename = "Stats")]
pub struct ActivityStats {
    /// The number of activities.
    pub activity_count: u64,
    /// Of these, tool calls.
    pub tool_calls: u64,
    /// Of these, failures.
    pub failures: u64,
    /// The number of files that were read or changed.
    pub files_touched: u64,
    /// The number of files that were created.
    pub files_created: u64,
    /// The number of files that were modified.
    pub files_modified: u64,
    /// The number of calls per tool.
    pub tool_counts: BTreeMap<String, u64>,
    /// From the first event to the last, or to the end.
    #[serde(rename = "duration_ms", serialize_with = "serialize::millis")]
    #[schemars(with = "u64")]
    pub duration: Duration,
}

impl ActivityStats {
    /// Classifies a batch by a simple heuristic.
    pub fn class(&self) -> BatchClass {
        let edits: u64 = ["Edit", "MultiEdit", "Write", "NotebookEdit", "ApplyPatch"]
            .iter()
            .filter_map(|tool| self.tool_counts.get(*tool))
            .sum();
        if self.failures > 0 {
            BatchClass::Debugging
        } else if self.files_created > 0 {
            BatchClass::Implementation
        } else if edits * 10 > self.tool_calls * 3 {
            BatchClass::Refactoring
        } else {
            BatchClass::Exploration
        }
    }
}

impl StoreReader {
    /// Statistics of a batch.
    pub fn batch_stats(&self, batch: &str) -> Result<ActivityStats, Error> {
        let span = "SELECT started_at, coalesce(ended_at, last_at) FROM batches WHERE id = ?1";
        self.stats(
            "a.batch_pk = (SELECT pk FROM batches WHERE id = ?1)",
            span,
            [batch],
        )
    }

    /// Statistics of a session.
    pub fn session_stats(&self, session: &str) -> Result<ActivityStats, Error> {
        let span = "SELECT started_at, coalesce(ended_at, last_at) FROM sessions WHERE id = ?1";
        let of = "a.session_pk = (SELECT pk FROM sessions WHERE id = ?1)";
        self.stats(of, span, [session])
    }

    fn stats(&self, of: &str, span: &str, key: impl Params + Copy) -> Result<ActivityStats, Error> {
        let mut stats = ActivityStats::default();
        let sql = format!(
            "SELECT a.kind, a.tool, count(*), sum(a.success = 0) FROM activities AS a WHERE {of} GROUP BY a.kind, a.tool"
        );
        let rows = self.all(&sql, key, |row| {
            let kind: String = row.get(0)?;
            Ok((
                kind,
                row.get::<_, String>(1)?,
                row.get::<_, u64>(2)?,
                row.get::<_, u64>(3)?,
            ))
        })?;
        for (kind, tool, count, failed) in rows {
            stats.activity_count += count;
            stats.failures += failed;
            if kind == "tool" {
                stats.tool_calls += count;
                stats.tool_counts.insert(tool, count);
            }
        }
        let sql = format!(
            "SELECT count(DISTINCT f.path),
               count(DISTINCT CASE f.change WHEN 'created' THEN f.path END),
               count(DISTINCT CASE f.change WHEN 'modified' THEN f.path END)
             FROM files AS f JOIN activities AS a ON a.pk = f.activity_pk WHERE {of}"
        );
        let files = self.first(&sql, key, |row| {
            Ok((
                row.get::<_, u64>(0)?,
                row.get::<_, u64>(1)?,
                row.get::<_, u64>(2)?,
            ))
        })?;
        let files = files.unwrap_or_default();
        (
            stats.files_touched,
            stats.files_created,
            stats.files_modified,
        ) = files;
        let span = self.first(span, key, |row| Ok((row.get(0)?, row.get(1)?)))?;
        let (from, to) = span.unwrap_or((Millis(0), Millis(0)));
        stats.duration = to.since(from);
        Ok(stats)
    }
}
