//! Aggregates over many sessions: time series, tool and hook statistics, token use.

use std::time::Duration;

use rusqlite::params_from_iter;
use schemars::JsonSchema;
use serde::Serialize;

use super::filter::{OF_PROJECT, QueryScope, WhereClause, clamp_limit, text};
use crate::error::Error;
use crate::millis::Millis;
use crate::open::StoreReader;

/// Event counts of one time bucket.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
#[schemars(rename = "Bucket")]
pub struct TimeBucket {
    /// The start of the bucket.
    pub at: Millis,
    /// The agent, if counts are split by agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    pub events: u64,
    pub prompts: u64,
    pub tool_calls: u64,
    pub failures: u64,
    pub denied: u64,
}

/// Statistics of a tool, per agent.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct ToolNumbers {
    pub agent: String,
    pub tool: String,
    pub calls: u64,
    pub failures: u64,
    /// The mean duration of calls with a known duration.
    pub mean_ms: Option<u64>,
}

/// How often a hook or one of its rules gave a verdict.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct VerdictNumbers {
    pub hook: String,
    pub rule: Option<String>,
    pub verdict: String,
    pub count: u64,
}

/// The latency percentiles of a hook, in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct HookLatency {
    pub hook: String,
    pub runs: u64,
    pub errors: u64,
    pub p50: i64,
    pub p95: i64,
    pub p99: i64,
    pub max: i64,
}

/// How often a file was read and changed.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct FileNumbers {
    pub path: String,
    pub project: Option<String>,
    pub reads: u64,
    pub changes: u64,
    pub sessions: u64,
}

/// Token use of a model.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(
    missing_docs,
    reason = "the names are self-explanatory; numbers are tokens"
)]
pub struct TokenNumbers {
    pub agent: String,
    pub model: Option<String>,
    pub input: u64,
    pub output: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    pub reasoning: u64,
}

impl StoreReader {
    /// Event counts per time bucket. Empty buckets are omitted.
    pub fn events_over_time(
        &self,
        scope: &QueryScope<'_>,
        step: Duration,
    ) -> Result<Vec<TimeBucket>, Error> {
        self.buckets(scope, step, "NULL")
    }

    /// Event counts per time bucket and agent.
    pub fn events_over_time_by_agent(
        &self,
        scope: &QueryScope<'_>,
        step: Duration,
    ) -> Result<Vec<TimeBucket>, Error> {
        self.buckets(scope, step, "e.agent")
    }

    fn buckets(
        &self,
        scope: &QueryScope<'_>,
        step: Duration,
        of: &str,
    ) -> Result<Vec<TimeBucket>, Error> {
        let step = i64::try_from(step.as_millis()).unwrap_or(i64::MAX).max(1);
        let which = WhereClause::default().scope(scope, "e");
        let sql = format!(
            "SELECT e.at / {step} * {step}, {of}, count(*), sum(e.kind = 'UserPromptSubmit' AND e.duplicate_of IS NULL),
               sum(e.kind IN ('PostToolUse', 'PostToolUseFailure') AND e.duplicate_of IS NULL),
               sum(e.kind = 'PostToolUseFailure' AND e.duplicate_of IS NULL), sum(e.verdict IN ('deny', 'halt'))
             FROM events AS e {} GROUP BY 1, 2 ORDER BY 1, 2",
            which.sql()
        );
        self.all(&sql, params_from_iter(which.values), |row| {
            Ok(TimeBucket {
                at: row.get(0)?,
                agent: row.get(1)?,
                events: row.get(2)?,
                prompts: row.get(3)?,
                tool_calls: row.get(4)?,
                failures: row.get(5)?,
                denied: row.get::<_, Option<u64>>(6)?.unwrap_or(0),
            })
        })
    }

    /// Tool statistics per agent, most used first.
    pub fn tools_by_agent(&self, scope: &QueryScope<'_>) -> Result<Vec<ToolNumbers>, Error> {
        let which = of_sessions(
            WhereClause::default().and_condition("a.kind = 'tool'"),
            scope,
            "a.at",
        );
        let sql = format!(
            "SELECT s.agent, a.tool, count(*), sum(a.success = 0), CAST(avg(a.duration_ms) AS INTEGER)
             FROM activities AS a JOIN sessions AS s ON s.pk = a.session_pk {}
             GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2",
            which.sql()
        );
        self.all(&sql, params_from_iter(which.values), |row| {
            Ok(ToolNumbers {
                agent: row.get(0)?,
                tool: row.get(1)?,
                calls: row.get(2)?,
                failures: row.get(3)?,
                mean_ms: row.get(4)?,
            })
        })
    }

    /// Verdict counts per hook and rule.
    pub fn verdicts_by_hook(&self, scope: &QueryScope<'_>) -> Result<Vec<VerdictNumbers>, Error> {
        let (join, which) = of_runs(WhereClause::default(), scope);
        let sql = format!(
            "SELECT h.hook, h.rule, h.verdict, count(*) FROM hook_runs AS h {join} {}
             GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3",
            which.sql()
        );
        self.all(&sql, params_from_iter(which.values), |row| {
            Ok(VerdictNumbers {
                hook: row.get(0)?,
                rule: row.get(1)?,
                verdict: row.get(2)?,
                count: row.get(3)?,
            })
        })
    }

    /// Latency percentiles per hook, by name.
    pub fn hook_latency(&self, scope: &QueryScope<'_>) -> Result<Vec<HookLatency>, Error> {
        let (join, which) = of_runs(
            WhereClause::default().and_condition("h.ms IS NOT NULL"),
            scope,
        );
        // Runs are grouped by duration first, because there are far fewer durations than runs. A percentile is the
        // first duration whose cumulative count exceeds that share.
        let sql = format!(
            "WITH took AS (
               SELECT h.hook, h.ms, count(*) AS runs, sum(h.error IS NOT NULL) AS failed
               FROM hook_runs AS h {join} {} GROUP BY h.hook, h.ms
             ), run AS (
               SELECT hook, ms, runs, failed, sum(runs) OVER (PARTITION BY hook ORDER BY ms) AS reach,
                 sum(runs) OVER (PARTITION BY hook) - 1 AS last
               FROM took
             )
             SELECT hook, sum(runs), sum(failed), min(CASE WHEN reach > last * 50 / 100 THEN ms END),
               min(CASE WHEN reach > last * 95 / 100 THEN ms END), min(CASE WHEN reach > last * 99 / 100 THEN ms END), max(ms)
             FROM run GROUP BY hook ORDER BY hook",
            which.sql()
        );
        self.all(&sql, params_from_iter(which.values), |row| {
            Ok(HookLatency {
                hook: row.get(0)?,
                runs: row.get(1)?,
                errors: row.get(2)?,
                p50: row.get(3)?,
                p95: row.get(4)?,
                p99: row.get(5)?,
                max: row.get(6)?,
            })
        })
    }

    /// The most used files.
    pub fn busiest_files(
        &self,
        scope: &QueryScope<'_>,
        limit: usize,
    ) -> Result<Vec<FileNumbers>, Error> {
        let which = of_sessions(
            WhereClause::default().and_condition("f.change <> 'named'"),
            scope,
            "a.at",
        );
        let sql = format!(
            "SELECT f.path, p.path, sum(f.change = 'read'), sum(f.change <> 'read'), count(DISTINCT a.session_pk)
             FROM files AS f JOIN activities AS a ON a.pk = f.activity_pk JOIN sessions AS s ON s.pk = a.session_pk
             LEFT JOIN projects AS p ON p.pk = s.project_pk {}
             GROUP BY 1, 2 ORDER BY count(*) DESC, 1, 2 LIMIT {}",
            which.sql(),
            clamp_limit(limit)
        );
        self.all(&sql, params_from_iter(which.values), |row| {
            Ok(FileNumbers {
                path: row.get(0)?,
                project: row.get(1)?,
                reads: row.get(2)?,
                changes: row.get(3)?,
                sessions: row.get(4)?,
            })
        })
    }

    /// Input and output tokens of a batch; `None` if none were reported.
    pub fn batch_tokens(&self, batch: &str) -> Result<Option<u64>, Error> {
        let sql = "SELECT sum(u.input + u.output) FROM usage AS u JOIN batches AS b ON b.session_pk = u.session_pk
                   WHERE b.id = ?1 AND u.at BETWEEN b.started_at AND coalesce(b.ended_at, b.last_at)";
        let sum = self.first(sql, [batch], |row| row.get::<_, Option<u64>>(0))?;
        Ok(sum.flatten())
    }

    /// Input and output tokens of a session; `None` if none were reported.
    pub fn session_tokens(&self, session: &str) -> Result<Option<u64>, Error> {
        let sql = "SELECT sum(u.input + u.output) FROM usage AS u JOIN sessions AS s ON s.pk = u.session_pk WHERE s.id = ?1";
        let sum = self.first(sql, [session], |row| row.get::<_, Option<u64>>(0))?;
        Ok(sum.flatten())
    }

    /// Token use per agent and model, where agents report it.
    pub fn tokens(&self, scope: &QueryScope<'_>) -> Result<Vec<TokenNumbers>, Error> {
        let which = of_sessions(WhereClause::default(), scope, "u.at");
        let sql = format!(
            "SELECT s.agent, u.model, sum(u.input), sum(u.output), sum(u.cache_read), sum(u.cache_write), sum(u.reasoning)
             FROM usage AS u JOIN sessions AS s ON s.pk = u.session_pk {} GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2",
            which.sql()
        );
        self.all(&sql, params_from_iter(which.values), |row| {
            Ok(TokenNumbers {
                agent: row.get(0)?,
                model: row.get(1)?,
                input: row.get(2)?,
                output: row.get(3)?,
                cache_read: row.get(4)?,
                cache_write: row.get(5)?,
                reasoning: row.get(6)?,
            })
        })
    }
}

/// Hook runs have a time, but no agent or project. Their events are joined only if the scope needs them.
fn of_runs(which: WhereClause, scope: &QueryScope<'_>) -> (&'static str, WhereClause) {
    let which = which.span(scope, "h.at");
    if scope.agent.is_none() && scope.project.is_none() {
        return ("", which);
    }
    let which = which
        .and("e.agent = ?", text(scope.agent))
        .and(&format!("e.{OF_PROJECT}"), text(scope.project));
    ("JOIN events AS e ON e.id = h.event_id", which)
}

fn of_sessions(which: WhereClause, scope: &QueryScope<'_>, time: &str) -> WhereClause {
    which
        .span(scope, time)
        .and("s.agent = ?", text(scope.agent))
        .and(&format!("s.{OF_PROJECT}"), text(scope.project))
}
