//! Shorter lists: decisions, alarms, notifications, plans, projects, agents.

use rusqlite::{Row, params_from_iter};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::filter::{Page, Scope, Where, limited, page, says_something, text};
use super::shape;
use crate::about::about;
use crate::error::Error;
use crate::millis::Millis;
use crate::open::Reader;

/// Which decisions are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DecisionFilter<'q> {
    /// When, where, by whom.
    pub scope: Scope<'q>,
    /// The id of a session.
    pub session: Option<&'q str>,
    /// `allow`, `ask`, `deny`, `halt`, `none`, and `rewrite` for those with another input; several with commas between.
    pub verdict: Option<&'q str>,
    /// The rule or the hook that had something to say.
    pub rule: Option<&'q str>,
    /// `open`, `ran`, `failed` or `refused`.
    pub outcome: Option<&'q str>,
    /// How many.
    pub limit: usize,
    /// Where the page before ended.
    pub after: Option<&'q str>,
}

impl Default for DecisionFilter<'_> {
    /// The latest fifty of all.
    fn default() -> Self {
        Self {
            scope: Scope::default(),
            session: None,
            verdict: None,
            rule: None,
            outcome: None,
            limit: 50,
            after: None,
        }
    }
}

/// What was decided, and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(
    missing_docs,
    reason = "the names say it; times are milliseconds since 1970"
)]
pub struct DecisionRow {
    pub event_id: String,
    pub at: Millis,
    pub kind: String,
    pub agent: String,
    pub session: Option<String>,
    pub project: Option<String>,
    pub tool: Option<String>,
    /// What it was about: a command, a file, a prompt; as long as its event is on record.
    pub subject: Option<String>,
    pub call_id: Option<String>,
    pub subagent: Option<String>,
    pub verdict: String,
    pub reason: Option<String>,
    /// The first hook that gave the verdict; where it only gave another input, that hook.
    pub hook: Option<String>,
    pub rewritten: bool,
    /// What could not be said to the agent, as JSON.
    #[serde(serialize_with = "shape::optional_json")]
    #[schemars(with = "Option<Value>")]
    pub lost: Option<String>,
    /// `open` until something is heard of the call; then `ran`, `failed` or `refused`.
    pub outcome: String,
    pub outcome_at: Option<Millis>,
}

/// Which alarms are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AlarmFilter {
    /// Those that nobody has seen yet.
    #[default]
    Open,
    /// All.
    All,
}

/// Something that a person should know.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(
    missing_docs,
    reason = "the names say it; times are milliseconds since 1970"
)]
pub struct AlarmRow {
    pub id: String,
    pub at: Millis,
    pub kind: String,
    pub session: Option<String>,
    /// Whose session it is.
    pub agent: Option<String>,
    /// Where that agent works.
    pub project: Option<String>,
    pub event_id: Option<String>,
    pub message: String,
    /// What its event was about, such as the command that was denied; as long as it is on record.
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
        about: about_record(row.get(7)?),
        acknowledged_at: row.get(6)?,
    })
}

/// An agent wanted to be noticed.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(
    missing_docs,
    reason = "the names say it; times are milliseconds since 1970"
)]
pub struct NotificationRow {
    pub event_id: String,
    pub at: Millis,
    pub session: Option<String>,
    pub kind: Option<String>,
    pub message: String,
}

/// A plan, as it was last written.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(
    missing_docs,
    reason = "the names say it; times are milliseconds since 1970"
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
    reason = "the names say it; times are milliseconds since 1970"
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
    reason = "the names say it; times are milliseconds since 1970"
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

/// What is worth a look: the index of the same name holds nothing else.
const TELLING: &str = "(d.verdict <> 'none' OR d.rewritten <> 0)";

/// By whom it was decided, by the name of a rule or of a hook.
const BY_RULE: &str = "d.event_id IN (
  SELECT h.event_id FROM hook_runs AS h WHERE h.rule = ?1 AND h.verdict <> 'none'
  UNION ALL SELECT o.event_id FROM decisions AS o WHERE o.hook = ?1)";

impl Reader {
    /// What was decided, the latest first.
    pub fn decisions(&self, filter: &DecisionFilter<'_>) -> Result<Page<DecisionRow>, Error> {
        let limit = limited(filter.limit);
        let mut which = Where::default();
        // The first, because its value stands in it twice.
        which = which.and(BY_RULE, text(filter.rule));
        if says_something(filter.verdict) {
            which = which.plainly(TELLING);
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

    /// What was decided on one event.
    pub fn decision(&self, event_id: &str) -> Result<Option<DecisionRow>, Error> {
        let sql = format!("{DECISION} WHERE d.event_id = ?1");
        self.first(&sql, [event_id], decision)
    }

    /// What came of the call that an event announced: `open`, `ran`, `failed` or `refused`. Known also where nobody
    /// had anything to say about it; `None` if nothing was heard of it.
    pub fn outcome(&self, event_id: &str) -> Result<Option<String>, Error> {
        let sql = "SELECT outcome FROM decisions WHERE event_id = ?1 UNION ALL SELECT * FROM (
             SELECT CASE a.success WHEN 1 THEN 'ran' ELSE 'failed' END FROM events AS e
             JOIN events AS o ON o.session_pk = e.session_pk AND o.call_id = e.call_id
             JOIN activities AS a ON a.id = o.id AND a.at >= e.at
             WHERE e.id = ?1 ORDER BY a.at LIMIT 1)";
        self.first(sql, [event_id], |row| row.get(0))
    }

    /// What a person should know, the latest first.
    pub fn alarms(&self, filter: AlarmFilter, limit: usize) -> Result<Vec<AlarmRow>, Error> {
        let which = match filter {
            AlarmFilter::Open => "WHERE a.acknowledged_at IS NULL",
            AlarmFilter::All => "",
        };
        let sql = format!(
            "{ALARM} {which} ORDER BY a.at DESC, a.id LIMIT {}",
            limited(limit)
        );
        self.all(&sql, [], alarm)
    }

    /// One alarm, seen or not.
    pub fn alarm(&self, id: &str) -> Result<Option<AlarmRow>, Error> {
        self.first(&format!("{ALARM} WHERE a.id = ?1"), [id], alarm)
    }

    /// How many alarms nobody has seen yet.
    pub fn open_alarms(&self) -> Result<u64, Error> {
        let sql = "SELECT count(*) FROM alarms WHERE acknowledged_at IS NULL";
        Ok(self.first(sql, [], |row| row.get(0))?.unwrap_or(0))
    }

    /// Whether there is such an alarm, seen or not.
    pub fn has_alarm(&self, id: &str) -> Result<bool, Error> {
        let found = self.first("SELECT 1 FROM alarms WHERE id = ?1", [id], |_| Ok(()))?;
        Ok(found.is_some())
    }

    /// What agents wanted to be noticed, the latest first.
    pub fn notifications(
        &self,
        session: Option<&str>,
        limit: usize,
    ) -> Result<Vec<NotificationRow>, Error> {
        let which = Where::default().and("s.id = ?", text(session));
        let sql = format!(
            "SELECT n.event_id, n.at, s.id, n.kind, n.message
             FROM notifications AS n LEFT JOIN sessions AS s ON s.pk = n.session_pk {}
             ORDER BY n.at DESC, n.event_id DESC LIMIT {}",
            which.sql(),
            limited(limit)
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

    /// Plans as they were last written, each file of a session once, the latest first.
    pub fn plans(&self, scope: &Scope<'_>, limit: usize) -> Result<Vec<PlanRow>, Error> {
        let of_project = format!("s.{}", super::filter::OF_PROJECT);
        let which = Where::default()
            .plainly("m.role = 'plan'")
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
            limited(limit)
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

    /// Every project, the latest first.
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

    /// Whether there is such a project.
    pub fn has_project(&self, path: &str) -> Result<bool, Error> {
        let found = self.first("SELECT 1 FROM projects WHERE path = ?1", [path], |_| Ok(()))?;
        Ok(found.is_some())
    }

    /// Every agent, the latest first.
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

    /// The value under a key.
    pub fn meta(&self, key: &str) -> Result<Option<String>, Error> {
        self.first("SELECT value FROM meta WHERE key = ?1", [key], |row| {
            row.get(0)
        })
    }
}

fn about_record(record: Option<String>) -> Option<String> {
    about(&serde_json::from_str(&record?).ok()?)
}

pub(super) fn decision(row: &Row<'_>) -> rusqlite::Result<DecisionRow> {
    Ok(DecisionRow {
        subject: about_record(row.get(16)?),
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
