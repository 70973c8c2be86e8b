//! Queries for decisions, alarms, notifications, plans, projects and agents.

use rusqlite::{Row, params_from_iter};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::filter::{Page, QueryScope, WhereClause, clamp_limit, excludes_none, page, text};
use super::serialize;
use crate::describe::describe_record;
use crate::error::Error;
use crate::millis::Millis;
use crate::open::StoreReader;

/// Selects decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecisionFilter<'q> {
    /// Time span, project and agent.
    pub scope: QueryScope<'q>,
    /// A session id.
    pub session: Option<&'q str>,
    /// `allow`, `ask`, `deny`, `halt`, `none`, or `rewrite` for rewritten inputs; comma-separated.
    pub verdict: Option<&'q str>,
    /// The rule or hook that decided.
    pub rule: Option<&'q str>,
    /// `open`, `ran`, `failed` or `refused`.
    pub outcome: Option<&'q str>,
    /// The page size.
    pub limit: usize,
    /// The cursor from the previous page.
    pub after: Option<&'q str>,
}

impl Default for DecisionFilter<'_> {
    /// The latest fifty.
    fn default() -> Self {
        Self {
            scope: QueryScope::default(),
            session: None,
            verdict: None,
            rule: None,
            outcome: None,
            limit: 50,
            after: None,
        }
    }
}

/// A decision and the outcome of its call.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(
    missing_docs,
    reason = "the names are self-explanatory; times are milliseconds since 1970"
)]
pub struct DecisionRow {
    pub event_id: String,
    pub at: Millis,
    pub kind: String,
    pub agent: String,
    pub session: Option<String>,
    pub project: Option<String>,
    pub tool: Option<String>,
    /// What it was about: a command, a file, a prompt. `None` once the event is pruned.
    pub subject: Option<String>,
    pub call_id: Option<String>,
    pub subagent: Option<String>,
    pub verdict: String,
    pub reason: Option<String>,
    /// The first hook that gave the verdict; for a mere rewrite, the hook that rewrote the input.
    pub hook: Option<String>,
    pub rewritten: bool,
    /// What the agent's protocol could not express, as JSON.
    #[serde(serialize_with = "serialize::optional_json")]
    #[schemars(with = "Option<Value>")]
    pub lost: Option<String>,
    /// `open` until the agent reports the call; then `ran`, `failed` or `refused`.
    pub outcome: String,
    pub outcome_at: Option<Millis>,
}

/// Selects alarms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AlarmFilter {
    /// Unacknowledged alarms.
    #[default]
    Open,
    /// All alarms.
    All,
}

/// An alarm.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(
    missing_docs,
    reason = "the names are self-explanatory; times are milliseconds since 1970"
)]
pub struct AlarmRow {
    pub id: String,
    pub at: Millis,
    pub kind: String,
    pub session: Option<String>,
    /// The session's agent.
    pub agent: Option<String>,
    /// The session's project.
    pub project: Option<String>,
    pub event_id: Option<String>,
    pub message: String,
    /// What its event was about, such as the denied command. `None` once the event is pruned.
    pub about: Option<String>,
    pub acknowledged_at: Option<Millis>,
}

const ALARM: &str = "SELECT a.id, a.at, a.kind, s.id, a.event_id, a.message, a.acknowledged_at, e.record, s.agent, p.path
  FROM alarms AS a LEFT JOIN sessions AS s ON s.pk = a.session_pk LEFT JOIN events AS e ON e.id = a.event_id
  LEFT JOIN projects AS p ON p.pk = s.project_pk";

fn alarm(row: &Row<'_>) -> rusqlite::Result<AlarmRow> {
    Ok(AlarmRow {
        id: row.get(0)?,
        at: row.get(1)?,
        kind: row.get(2)?,
        session: row.get(3)?,
        agent: row.get(8)?,
        project: row.get(9)?,
        event_id: row.get(4)?,
        message: row.get(5)?,
        about: describe_stored(row.get(7)?),
        acknowledged_at: row.get(6)?,
    })
}

/// An agent's notification.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(
    missing_docs,
    reason = "the names are self-explanatory; times are milliseconds since 1970"
)]
pub struct NotificationRow {
    pub event_id: String,
    pub at: Millis,
    pub session: Option<String>,
    pub kind: Option<String>,
    pub message: String,
}

/// The latest version of a plan.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(
    missing_docs,
    reason = "the names are self-explanatory; times are milliseconds since 1970"
)]
pub struct PlanRow {
    pub event_id: String,
    pub session: String,
    pub at: Millis,
    pub path: Option<String>,
    pub text: String,
}

/// A project.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(
    missing_docs,
    reason = "the names are self-explanatory; times are milliseconds since 1970"
)]
pub struct ProjectRow {
    pub path: String,
    pub first_seen: Millis,
    pub last_seen: Millis,
    pub sessions: u64,
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(
    missing_docs,
    reason = "the names are self-explanatory; times are milliseconds since 1970"
)]
pub struct AgentRow {
    pub name: String,
    pub first_seen: Millis,
    pub last_seen: Millis,
    pub sessions: u64,
}

pub(super) const DECISION: &str = "SELECT d.event_id, d.at, d.kind, d.agent, s.id, p.path, d.tool, d.call_id, d.subagent,
  d.verdict, d.reason, d.hook, d.rewritten, d.lost, d.outcome, d.outcome_at, e.record
  FROM decisions AS d LEFT JOIN sessions AS s ON s.pk = d.session_pk LEFT JOIN projects AS p ON p.pk = d.project_pk
  LEFT JOIN events AS e ON e.id = d.event_id";

/// Decisions with a verdict or a rewrite. The partial index `decisions_telling` has the same condition.
const HAS_EFFECT: &str = "(d.verdict <> 'none' OR d.rewritten <> 0)";

/// Decisions of a rule or a hook, by name.
const BY_RULE: &str = "d.event_id IN (
  SELECT h.event_id FROM hook_runs AS h WHERE h.rule = ?1 AND h.verdict <> 'none'
  UNION ALL SELECT o.event_id FROM decisions AS o WHERE o.hook = ?1)";

impl StoreReader {
    /// Decisions, latest first.
    pub fn decisions(&self, filter: &DecisionFilter<'_>) -> Result<Page<DecisionRow>, Error> {
        let limit = clamp_limit(filter.limit);
        let mut which = WhereClause::default();
        // Must come first, because it uses its parameter `?1` twice.
        which = which.and(BY_RULE, text(filter.rule));
        if excludes_none(filter.verdict) {
            which = which.and_condition(HAS_EFFECT);
        }
        let which = which
            .scope(&filter.scope, "d")
            .and("s.id = ?", text(filter.session))
            .verdicts("d.verdict", "d.rewritten", filter.verdict)
            .and("d.outcome = ?", text(filter.outcome))
            .after(("d.at", "d.event_id"), filter.after);
        let sql = format!(
            "{DECISION} {} ORDER BY d.at DESC, d.event_id DESC LIMIT {}",
            which.sql(),
            limit + 1
        );
        let rows = self.all(&sql, params_from_iter(which.values), decision)?;
        Ok(page(rows, limit, |row| (row.at, row.event_id.clone())))
    }

    /// The decision on one event.
    pub fn decision(&self, event_id: &str) -> Result<Option<DecisionRow>, Error> {
        let sql = format!("{DECISION} WHERE d.event_id = ?1");
        self.first(&sql, [event_id], decision)
    }

    /// The outcome of the call that an event announced: `open`, `ran`, `failed` or `refused`. Works for calls
    /// without a decision as well; `None` if the call was never reported.
    pub fn outcome(&self, event_id: &str) -> Result<Option<String>, Error> {
        let sql = "SELECT outcome FROM decisions WHERE event_id = ?1 UNION ALL SELECT * FROM (
             SELECT CASE a.success WHEN 1 THEN 'ran' ELSE 'failed' END FROM events AS e
             JOIN events AS o ON o.session_pk = e.session_pk AND o.call_id = e.call_id
             JOIN activities AS a ON a.id = o.id AND a.at >= e.at
             WHERE e.id = ?1 ORDER BY a.at LIMIT 1)";
        self.first(sql, [event_id], |row| row.get(0))
    }

    /// Alarms, latest first.
    pub fn alarms(&self, filter: AlarmFilter, limit: usize) -> Result<Vec<AlarmRow>, Error> {
        let which = match filter {
            AlarmFilter::Open => "WHERE a.acknowledged_at IS NULL",
            AlarmFilter::All => "",
        };
        let sql = format!(
            "{ALARM} {which} ORDER BY a.at DESC, a.id LIMIT {}",
            clamp_limit(limit)
        );
        self.all(&sql, [], alarm)
    }

    /// One alarm, acknowledged or not.
    pub fn alarm(&self, id: &str) -> Result<Option<AlarmRow>, Error> {
        self.first(&format!("{ALARM} WHERE a.id = ?1"), [id], alarm)
    }

    /// The number of unacknowledged alarms.
    pub fn open_alarms(&self) -> Result<u64, Error> {
        let sql = "SELECT count(*) FROM alarms WHERE acknowledged_at IS NULL";
        Ok(self.first(sql, [], |row| row.get(0))?.unwrap_or(0))
    }

    /// Whether an alarm exists, acknowledged or not.
    pub fn has_alarm(&self, id: &str) -> Result<bool, Error> {
        let found = self.first("SELECT 1 FROM alarms WHERE id = ?1", [id], |_| Ok(()))?;
        Ok(found.is_some())
    }

    /// Notifications of agents, latest first.
    pub fn notifications(
        &self,
        session: Option<&str>,
        limit: usize,
    ) -> Result<Vec<NotificationRow>, Error> {
        let which = WhereClause::default().and("s.id = ?", text(session));
        let sql = format!(
            "SELECT n.event_id, n.at, s.id, n.kind, n.message
             FROM notifications AS n LEFT JOIN sessions AS s ON s.pk = n.session_pk {}
             ORDER BY n.at DESC, n.event_id DESC LIMIT {}",
            which.sql(),
            clamp_limit(limit)
        );
        self.all(&sql, params_from_iter(which.values), |row| {
            Ok(NotificationRow {
                event_id: row.get(0)?,
                at: row.get(1)?,
                session: row.get(2)?,
                kind: row.get(3)?,
                message: row.get(4)?,
            })
        })
    }

    /// The latest version of each plan file of a session, latest first.
    pub fn plans(&self, scope: &QueryScope<'_>, limit: usize) -> Result<Vec<PlanRow>, Error> {
        let of_project = format!("s.{}", super::filter::OF_PROJECT);
        let which = WhereClause::default()
            .and_condition("m.role = 'plan'")
            .span(scope, "m.at")
            .and("s.agent = ?", text(scope.agent))
            .and(&of_project, text(scope.project));
        let sql = format!(
            "SELECT event_id, session, at, path, text FROM (
               SELECT m.event_id, s.id AS session, m.at, m.path, m.text, row_number() OVER (
                 PARTITION BY m.session_pk, coalesce(m.path, m.event_id) ORDER BY m.at DESC, m.event_id DESC) AS place
               FROM messages AS m JOIN sessions AS s ON s.pk = m.session_pk {}
             ) WHERE place = 1 ORDER BY at DESC, event_id DESC LIMIT {}",
            which.sql(),
            clamp_limit(limit)
        );
        self.all(&sql, params_from_iter(which.values), |row| {
            Ok(PlanRow {
                event_id: row.get(0)?,
                session: row.get(1)?,
                at: row.get(2)?,
                path: row.get(3)?,
                text: row.get(4)?,
            })
        })
    }

    /// All projects, latest first.
    pub fn projects(&self) -> Result<Vec<ProjectRow>, Error> {
        let sql = "SELECT path, first_seen, last_seen, (SELECT count(*) FROM sessions AS s WHERE s.project_pk = p.pk)
                   FROM projects AS p ORDER BY last_seen DESC, path";
        self.all(sql, [], |row| {
            Ok(ProjectRow {
                path: row.get(0)?,
                first_seen: row.get(1)?,
                last_seen: row.get(2)?,
                sessions: row.get(3)?,
            })
        })
    }

    /// Whether a project exists.
    pub fn has_project(&self, path: &str) -> Result<bool, Error> {
        let found = self.first("SELECT 1 FROM projects WHERE path = ?1", [path], |_| Ok(()))?;
        Ok(found.is_some())
    }

    /// All agents, latest first.
    pub fn agents(&self) -> Result<Vec<AgentRow>, Error> {
        let sql = "SELECT name, first_seen, last_seen, (SELECT count(*) FROM sessions AS s WHERE s.agent = a.name)
                   FROM agents AS a ORDER BY last_seen DESC, name";
        self.all(sql, [], |row| {
            Ok(AgentRow {
                name: row.get(0)?,
                first_seen: row.get(1)?,
                last_seen: row.get(2)?,
                sessions: row.get(3)?,
            })
        })
    }

    /// The value of a key in the `meta` table.
    pub fn meta(&self, key: &str) -> Result<Option<String>, Error> {
        self.first("SELECT value FROM meta WHERE key = ?1", [key], |row| {
            row.get(0)
        })
    }
}

fn describe_stored(record: Option<String>) -> Option<String> {
    describe_record(&serde_json::from_str(&record?).ok()?)
}

pub(super) fn decision(row: &Row<'_>) -> rusqlite::Result<DecisionRow> {
    Ok(DecisionRow {
        subject: describe_stored(row.get(16)?),
        event_id: row.get(0)?,
        at: row.get(1)?,
        kind: row.get(2)?,
        agent: row.get(3)?,
        session: row.get(4)?,
        project: row.get(5)?,
        tool: row.get(6)?,
        call_id: row.get(7)?,
        subagent: row.get(8)?,
        verdict: row.get(9)?,
        reason: row.get(10)?,
        hook: row.get(11)?,
        rewritten: row.get(12)?,
        lost: row.get(13)?,
        outcome: row.get(14)?,
        outcome_at: row.get(15)?,
    })
}
