//! Sessions: lists, one whole, and what happened in it.

use becket_store::{Error, Reader, SessionFilter, SessionRow, Stats, Timeline};
use schemars::JsonSchema;
use serde::Serialize;

use super::query::{Nothing, Part};

/// A session, what was done in it, and where it stands among others.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SessionDetail {
    #[serde(flatten)]
    session: SessionRow,
    /// What was done, in numbers
    stats: Stats,
    /// Its ancestors, the parent first
    lineage: Vec<SessionRow>,
    /// The sessions that it began
    children: Vec<SessionRow>,
}

pub(super) fn detail(
    reader: &Reader,
    id: &str,
    _: Nothing,
) -> Result<Option<SessionDetail>, Error> {
    let Some(session) = reader.session(id)? else {
        return Ok(None);
    };
    let children = SessionFilter {
        parent: Some(id),
        ..SessionFilter::default()
    };
    Ok(Some(SessionDetail {
        stats: reader.session_stats(id)?,
        lineage: reader.lineage(id)?,
        children: reader.sessions(&children)?.items,
        session,
    }))
}

pub(super) fn timeline(reader: &Reader, id: &str, part: Part) -> Result<Option<Timeline>, Error> {
    reader.timeline(id, part.from.unwrap_or(1), part.limit.rows())
}
