//! Reading: what the command line, the API and the dashboard ask.

mod detail;
mod filter;
mod lists;
mod numbers;
mod search;
mod sessions;
mod shape;
mod stats;
mod stream;

pub use detail::{BatchDetail, Entry, HookRunRow, SubagentDetail, Timeline, What};
pub use filter::{Page, Scope, is_place};
pub use lists::{
    AgentRow, AlarmFilter, AlarmRow, DecisionFilter, DecisionRow, NotificationRow, PlanRow,
    ProjectRow,
};
pub use numbers::{Bucket, FileNumbers, HookLatency, TokenNumbers, ToolNumbers, VerdictNumbers};
pub use search::{ActivityFilter, ActivityRow, Hit, HitKind, SearchFilter};
pub use sessions::{BatchRow, SessionFilter, SessionHead, SessionRow};
pub use stats::Stats;
pub use stream::{EventFilter, StreamedEvent};

use rusqlite::{Params, Row};

use crate::error::Error;
use crate::open::Reader;

impl Reader {
    /// The rows of a query.
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
