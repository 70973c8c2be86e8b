//! One call that an agent tells of by hooks and by telemetry: recorded once.
//!
//! The two never say the same. Hooks say more of a call, telemetry says how long it took, and either may be heard of
//! first. So what telemetry says stands behind what a hook says of the same call in the same turn, whichever came
//! first. Calls without ids are told apart by their inputs, and then each report of the one side has at most one of
//! the other.

use std::collections::{HashMap, HashSet};

use super::group::{Group, Sql, Work};
use super::silence::TELEMETRY;
use crate::millis::Millis;
use crate::record::{self, Observed, Read};

/// What a report is about. Only reports about the same are of one action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum About {
    Announcement,
    Refusal,
    Outcome,
}

impl About {
    fn of_kind(kind: &str) -> Option<Self> {
        Some(match kind {
            "PreToolUse" => Self::Announcement,
            "PermissionDenied" => Self::Refusal,
            "PostToolUse" | "PostToolUseFailure" => Self::Outcome,
            _ => return None,
        })
    }
}

/// What the reports of a call have in common.
#[derive(Clone, Copy)]
enum Call<'c> {
    Id(&'c str),
    Input(&'c str),
}

/// An event that tells of a call.
struct Report {
    id: String,
    about: About,
    batch: Option<i64>,
    duplicate_of: Option<String>,
}

impl Report {
    fn is_telemetry(&self) -> bool {
        self.id.starts_with(TELEMETRY)
    }
}

impl Group<'_> {
    /// Brings the reports of an event's call together; tells what the event is a duplicate of.
    pub(super) fn join_channels(
        &mut self,
        seen: &Observed,
        work: &mut Work,
    ) -> Sql<Option<String>> {
        if About::of_kind(&seen.kind).is_none() || !self.has_telemetry(seen, work)? {
            return Ok(None);
        }
        let session = work.pk;
        match (&seen.call_id, &seen.call_hash) {
            (Some(id), _) => self.join_call(session, Call::Id(id), Some(&seen.position.id)),
            (None, Some(input)) => {
                self.join_call(session, Call::Input(input), Some(&seen.position.id))
            }
            (None, None) => Ok(None),
        }
    }

    /// Whether telemetry tells of the session at all. Most sessions have none, and are asked once.
    fn has_telemetry(&self, seen: &Observed, work: &mut Work) -> Sql<bool> {
        let known = work.header.has_telemetry;
        let has = match known {
            _ if seen.is_telemetry() => true,
            Some(known) => known,
            None => {
                let sql =
                    "SELECT 1 FROM events WHERE session_pk = ?1 AND substr(id, 1, length(?2)) = ?2";
                let mut query = self.db().prepare_cached(sql)?;
                query.exists((work.pk, TELEMETRY))?
            }
        };
        work.header.has_telemetry = Some(has);
        Ok(has)
    }

    /// The same for all calls of a session that telemetry tells of.
    pub(super) fn join_all_channels(&mut self, session: i64) -> Sql<()> {
        let sql =
            "SELECT DISTINCT call_id, CASE WHEN call_id IS NULL THEN call_hash END FROM events
                   WHERE session_pk = ?1 AND substr(id, 1, length(?2)) = ?2 AND coalesce(call_id, call_hash) IS NOT NULL";
        let mut query = self.db().prepare_cached(sql)?;
        let rows = query.query_map((session, TELEMETRY), |row| Ok((row.get(0)?, row.get(1)?)))?;
        let calls: Vec<(Option<String>, Option<String>)> = rows.collect::<Result<_, _>>()?;
        drop(query);
        for (id, input) in calls {
            let call = match (&id, &input) {
                (Some(id), _) => Call::Id(id),
                (None, Some(input)) => Call::Input(input),
                (None, None) => continue,
            };
            self.join_call(session, call, None)?;
        }
        Ok(())
    }

    /// Revises which reports of a call are duplicates, and how long it took. `new` is an event that was stored just
    /// now; tells what it is a duplicate of.
    fn join_call(
        &mut self,
        session: i64,
        call: Call<'_>,
        new: Option<&str>,
    ) -> Sql<Option<String>> {
        let reports = self.reports(session, call)?;
        if !reports.iter().any(Report::is_telemetry) {
            return Ok(None);
        }
        let firsts = firsts(&reports, matches!(call, Call::Id(_)));
        let is_new = |report: &Report| Some(report.id.as_str()) == new;
        let mut revised: HashSet<&str> = HashSet::new();
        for (report, first) in reports.iter().zip(&firsts) {
            let first = first.map(|first| reports[first].id.as_str());
            if report.is_telemetry() && report.duplicate_of.as_deref() != first {
                self.revise_duplicate(session, &report.id, first, report.batch)?;
                revised.extend(first);
                revised.extend(report.duplicate_of.as_deref());
            } else if is_new(report) {
                revised.extend(first);
            }
        }
        for (place, report) in reports.iter().enumerate() {
            let is_measured = report.about == About::Outcome && !report.is_telemetry();
            if is_measured && (is_new(report) || revised.contains(report.id.as_str())) {
                let others = reports.iter().zip(&firsts);
                let others = others.filter(|(_, first)| **first == Some(place));
                let others: Vec<&str> = others.map(|(other, _)| other.id.as_str()).collect();
                self.measure_with(&report.id, &others)?;
            }
        }
        let place = reports.iter().position(is_new);
        let first = place.and_then(|place| firsts[place]);
        Ok(first.map(|first| reports[first].id.clone()))
    }

    fn reports(&self, session: i64, call: Call<'_>) -> Sql<Vec<Report>> {
        let (which, value) = match call {
            Call::Id(id) => ("call_id = ?2", id),
            Call::Input(input) => ("call_hash = ?2 AND call_id IS NULL", input),
        };
        let sql = format!(
            "SELECT id, kind, batch_pk, duplicate_of FROM events WHERE session_pk = ?1 AND {which} ORDER BY at, id"
        );
        let mut query = self.db().prepare_cached(&sql)?;
        let rows = query.query_map((session, value), |row| {
            let kind: String = row.get(1)?;
            let about = About::of_kind(&kind);
            Ok(match about {
                Some(about) => Some(Report {
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

    /// A call took as long as its hook says, or else telemetry, or else as long as it was since it was announced.
    fn measure_with(&self, hook: &str, telemetry: &[&str]) -> Sql<()> {
        let mut told = None;
        for id in std::iter::once(&hook).chain(telemetry) {
            if told.is_none() {
                told = self.told_duration(id)?;
            }
        }
        let sql = match told {
            Some(_) => "UPDATE activities SET duration_ms = ?2, measured = 0 WHERE id = ?1",
            None => {
                "UPDATE activities AS a SET measured = 1, duration_ms = coalesce(?2, a.at - (
                   SELECT max(e.at) FROM events AS e
                   WHERE e.session_pk = a.session_pk AND e.call_id = a.call_id AND e.kind = 'PreToolUse'
                     AND (e.at, e.id) < (a.at, a.id)))
                 WHERE a.id = ?1"
            }
        };
        self.db().prepare_cached(sql)?.execute((hook, told))?;
        Ok(())
    }

    fn told_duration(&self, id: &str) -> Sql<Option<i64>> {
        let sql = "SELECT record FROM events WHERE id = ?1";
        let mut query = self.db().prepare_cached(sql)?;
        let line: String = query.query_row([id], |row| row.get(0))?;
        let told = match record::read(&line, Millis(0)) {
            Read::Event(seen) => seen.activity.and_then(|activity| activity.duration_ms),
            Read::Hook(_) => None,
        };
        Ok(told.and_then(|ms| i64::try_from(ms).ok()))
    }
}

/// The report that each one stands behind, as a place among them.
fn firsts(reports: &[Report], have_ids: bool) -> Vec<Option<usize>> {
    /// Reports about the same in the same turn.
    #[derive(Default)]
    struct Same {
        hooks: Vec<usize>,
        telemetry: Vec<usize>,
    }
    let mut all: HashMap<(Option<i64>, About), Same> = HashMap::new();
    for (place, report) in reports.iter().enumerate() {
        let same = all.entry((report.batch, report.about)).or_default();
        if report.is_telemetry() {
            same.telemetry.push(place);
        } else if report.duplicate_of.is_none() {
            same.hooks.push(place);
        }
    }
    let mut firsts = vec![None; reports.len()];
    for Same { hooks, telemetry } in all.into_values() {
        let first = hooks.first().or(telemetry.first()).copied();
        for (number, place) in telemetry.into_iter().enumerate() {
            firsts[place] = if have_ids {
                first.filter(|first| *first != place)
            } else {
                hooks.get(number).copied()
            };
        }
    }
    firsts
}
