//! Queries of the command line, the HTTP API and the dashboard.

mod aggregates;
mod filter;
mod lists;
mod search;
mod serialize;
mod sessions;
mod stats;
mod stream;
mod timeline;

pub use aggregates::{
    FileNumbers, HookLatency, TimeBucket, TokenNumbers, ToolNumbers, VerdictNumbers,
};
pub use filter::{Page, QueryScope, is_cursor};
pub use lists::{
    AgentRow, AlarmFilter, AlarmRow, DecisionFilter, DecisionRow, NotificationRow, PlanRow,
    ProjectRow,
};
pub use search::{ActivityFilter, ActivityRow, HitKind, SearchFilter, SearchHit};
pub use sessions::{BatchRow, SessionFilter, SessionHead, SessionRow};
pub use stats::ActivityStats;
pub use stream::{EventFilter, StreamedEvent};
pub use timeline::{
    BatchDetail, EntryContent, HookRunRow, SubagentDetail, Timeline, TimelineEntry,
};

use rusqlite::{Params, Row};

use crate::error::Error;
use crate::open::StoreReader;

impl StoreReader {
    /// All rows of a query.
    pub(crate) fn all<T>(
        &self,
        sql: &str,
        values: impl Params,
        row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, Error> {
        let query = self.connection.prepare_cached(sql);
        let rows = query.and_then(|mut query| query.query_map(values, row)?.collect());
        rows.map_err(|error| self.failed(error))
    }

    /// The first row of a query.
    pub(crate) fn first<T>(
        &self,
        sql: &str,
        values: impl Params,
        row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, Error> {
        Ok(self.all(sql, values, row)?.into_iter().next())
    }
}
