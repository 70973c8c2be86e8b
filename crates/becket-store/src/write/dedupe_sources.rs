//! Dedupes tool calls that an agent reports twice: by hooks and by telemetry.
//!
//! The two reports are never equal: hooks send more details, telemetry the duration, and either may arrive first.
//! The hook's report is the primary one, in whichever order they arrive; the telemetry report of the same call in
//! the same turn becomes its duplicate. Calls without ids are matched by input, one report of each side at a time.

use std::collections::{HashMap, HashSet};

use super::missing_hooks::TELEMETRY_ID_PREFIX;
use super::transaction::{CachedSession, SqlResult, WriteTransaction};
use crate::millis::Millis;
use crate::record::{self, ParsedEvent, ParsedRecord};

/// What a report is about. Only reports of the same kind can be duplicates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum ReportKind {
    Announcement,
    Refusal,
    Outcome,
}

impl ReportKind {
    fn of_kind(kind: &str) -> Option<Self> {
        Some(match kind {
            "PreToolUse" => Self::Announcement,
            "PermissionDenied" => Self::Refusal,
            "PostToolUse" | "PostToolUseFailure" => Self::Outcome,
            _ => return None,
        })
    }
}

/// What identifies a call.
#[derive(Clone, Copy)]
enum CallKey<'c> {
    Id(&'c str),
    Input(&'c str),
}

/// An event that reports a call.
struct CallReport {
    id: String,
    about: ReportKind,
    batch: Option<i64>,
    duplicate_of: Option<String>,
}

impl CallReport {
    fn is_telemetry(&self) -> bool {
        self.id.starts_with(TELEMETRY_ID_PREFIX)
    }
}

impl WriteTransaction<'_> {
    /// Dedupes the reports of an event's call; returns the event it is a duplicate of.
    pub(super) fn dedupe_sources(
        &mut self,
        parsed: &ParsedEvent,
        cached: &mut CachedSession,
    ) -> SqlResult<Option<String>> {
        if ReportKind::of_kind(&parsed.kind).is_none() || !self.has_telemetry(parsed, cached)? {
            return Ok(None);
        }
        let session = cached.pk;
        match (&parsed.call_id, &parsed.call_hash) {
            (Some(id), _) => self.dedupe_call(session, CallKey::Id(id), Some(&parsed.position.id)),
            (None, Some(input)) => {
                self.dedupe_call(session, CallKey::Input(input), Some(&parsed.position.id))
            }
            (None, None) => Ok(None),
        }
    }

    /// Whether telemetry reports the session at all. Most sessions have none; the answer is cached in the header.
    fn has_telemetry(&self, parsed: &ParsedEvent, cached: &mut CachedSession) -> SqlResult<bool> {
        let known = cached.header.has_telemetry;
        let has = match known {
            _ if parsed.is_telemetry() => true,
            Some(known) => known,
            None => {
                let sql =
                    "SELECT 1 FROM events WHERE session_pk = ?1 AND substr(id, 1, length(?2)) = ?2";
                let mut query = self.db().prepare_cached(sql)?;
                query.exists((cached.pk, TELEMETRY_ID_PREFIX))?
            }
        };
        cached.header.has_telemetry = Some(has);
        Ok(has)
    }

    /// Dedupes all calls of a session that telemetry reports.
    pub(super) fn dedupe_session_sources(&mut self, session: i64) -> SqlResult<()> {
        let sql =
            "SELECT DISTINCT call_id, CASE WHEN call_id IS NULL THEN call_hash END FROM events
                   WHERE session_pk = ?1 AND substr(id, 1, length(?2)) = ?2 AND coalesce(call_id, call_hash) IS NOT NULL";
        let mut query = self.db().prepare_cached(sql)?;
        let rows = query.query_map((session, TELEMETRY_ID_PREFIX), |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        let calls: Vec<(Option<String>, Option<String>)> = rows.collect::<Result<_, _>>()?;
        drop(query);
        for (id, input) in calls {
            let call = match (&id, &input) {
                (Some(id), _) => CallKey::Id(id),
                (None, Some(input)) => CallKey::Input(input),
                (None, None) => continue,
            };
            self.dedupe_call(session, call, None)?;
        }
        Ok(())
    }

    /// Updates which reports of a call are duplicates, and its duration. `new` is the event that was stored last;
    /// returns the event it is a duplicate of.
    fn dedupe_call(
        &mut self,
        session: i64,
        call: CallKey<'_>,
        new: Option<&str>,
    ) -> SqlResult<Option<String>> {
        let reports = self.reports(session, call)?;
        if !reports.iter().any(CallReport::is_telemetry) {
            return Ok(None);
        }
        let primaries = primary_reports(&reports, matches!(call, CallKey::Id(_)));
        let is_new = |report: &CallReport| Some(report.id.as_str()) == new;
        let mut revised: HashSet<&str> = HashSet::new();
        for (report, primary) in reports.iter().zip(&primaries) {
            let primary = primary.map(|primary| reports[primary].id.as_str());
            if report.is_telemetry() && report.duplicate_of.as_deref() != primary {
                self.revise_duplicate(session, &report.id, primary, report.batch)?;
                revised.extend(primary);
                revised.extend(report.duplicate_of.as_deref());
            } else if is_new(report) {
                revised.extend(primary);
            }
        }
        for (index, report) in reports.iter().enumerate() {
            let is_measured = report.about == ReportKind::Outcome && !report.is_telemetry();
            if is_measured && (is_new(report) || revised.contains(report.id.as_str())) {
                let others = reports.iter().zip(&primaries);
                let others = others.filter(|(_, primary)| **primary == Some(index));
                let others: Vec<&str> = others.map(|(other, _)| other.id.as_str()).collect();
                self.set_duration(&report.id, &others)?;
            }
        }
        let index = reports.iter().position(is_new);
        let primary = index.and_then(|index| primaries[index]);
        Ok(primary.map(|primary| reports[primary].id.clone()))
    }

    fn reports(&self, session: i64, call: CallKey<'_>) -> SqlResult<Vec<CallReport>> {
        let (which, value) = match call {
            CallKey::Id(id) => ("call_id = ?2", id),
            CallKey::Input(input) => ("call_hash = ?2 AND call_id IS NULL", input),
        };
        let sql = format!(
            "SELECT id, kind, batch_pk, duplicate_of FROM events WHERE session_pk = ?1 AND {which} ORDER BY at, id"
        );
        let mut query = self.db().prepare_cached(&sql)?;
        let rows = query.query_map((session, value), |row| {
            let kind: String = row.get(1)?;
            let about = ReportKind::of_kind(&kind);
            Ok(match about {
                Some(about) => Some(CallReport {
                    id: row.get(0)?,
                    about,
                    batch: row.get(2)?,
                    duplicate_of: row.get(3)?,
                }),
                None => None,
            })
        })?;
        let reports: Result<Vec<_>, _> = rows.filter_map(Result::transpose).collect();
        Ok(reports?)
    }

    /// The duration of a call: as reported by the hook, else by telemetry, else the time since its announcement.
    fn set_duration(&self, hook: &str, telemetry: &[&str]) -> SqlResult<()> {
        let mut reported = None;
        for id in std::iter::once(&hook).chain(telemetry) {
            if reported.is_none() {
                reported = self.reported_duration(id)?;
            }
        }
        let sql = match reported {
            Some(_) => "UPDATE activities SET duration_ms = ?2, measured = 0 WHERE id = ?1",
            None => {
                "UPDATE activities AS a SET measured = 1, duration_ms = coalesce(?2, a.at - (
                   SELECT max(e.at) FROM events AS e
                   WHERE e.session_pk = a.session_pk AND e.call_id = a.call_id AND e.kind = 'PreToolUse'
                     AND (e.at, e.id) < (a.at, a.id)))
                 WHERE a.id = ?1"
            }
        };
        self.db().prepare_cached(sql)?.execute((hook, reported))?;
        Ok(())
    }

    fn reported_duration(&self, id: &str) -> SqlResult<Option<i64>> {
        let sql = "SELECT record FROM events WHERE id = ?1";
        let mut query = self.db().prepare_cached(sql)?;
        let line: String = query.query_row([id], |row| row.get(0))?;
        let reported = match record::parse(&line, Millis(0)) {
            ParsedRecord::Event(parsed) => {
                parsed.activity.and_then(|activity| activity.duration_ms)
            }
            ParsedRecord::HookRun(_) => None,
        };
        Ok(reported.and_then(|ms| i64::try_from(ms).ok()))
    }
}

/// For each report, the index of its primary report.
fn primary_reports(reports: &[CallReport], have_ids: bool) -> Vec<Option<usize>> {
    /// Reports of one kind in one turn.
    #[derive(Default)]
    struct TurnReports {
        hooks: Vec<usize>,
        telemetry: Vec<usize>,
    }
    let mut all: HashMap<(Option<i64>, ReportKind), TurnReports> = HashMap::new();
    for (index, report) in reports.iter().enumerate() {
        let turn = all.entry((report.batch, report.about)).or_default();
        if report.is_telemetry() {
            turn.telemetry.push(index);
        } else if report.duplicate_of.is_none() {
            turn.hooks.push(index);
        }
    }
    let mut primaries = vec![None; reports.len()];
    for TurnReports { hooks, telemetry } in all.into_values() {
        let primary = hooks.first().or(telemetry.first()).copied();
        for (number, index) in telemetry.into_iter().enumerate() {
            primaries[index] = if have_ids {
                primary.filter(|primary| *primary != index)
            } else {
                hooks.get(number).copied()
            };
        }
    }
    primaries
}
