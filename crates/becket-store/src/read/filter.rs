//! Filters and pagination.

use rusqlite::types::Value;
use schemars::JsonSchema;
use serde::Serialize;

use crate::millis::Millis;

/// A page of results.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "{T}Page")]
pub struct Page<T> {
    /// The results.
    pub items: Vec<T>,
    /// The cursor of the next page; `None` at the end. It stays valid while new rows arrive.
    pub next: Option<String>,
}

/// Limits a query to a time span, a project or an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueryScope<'q> {
    /// From this time on.
    pub since: Option<Millis>,
    /// Before this time.
    pub until: Option<Millis>,
    /// A project's directory.
    pub project: Option<&'q str>,
    /// An agent's name.
    pub agent: Option<&'q str>,
}

/// A `WHERE` clause and its parameters, in order.
#[derive(Debug, Default)]
pub(super) struct WhereClause {
    text: String,
    pub(super) values: Vec<Value>,
}

impl WhereClause {
    /// Adds a condition with one `?`, if there is a value for it.
    pub(super) fn and<V: Into<Value>>(mut self, condition: &str, value: Option<V>) -> Self {
        if let Some(value) = value {
            self = self.and_condition(condition);
            self.values.push(value.into());
        }
        self
    }

    /// Adds a condition without a parameter.
    pub(super) fn and_condition(mut self, condition: &str) -> Self {
        self.text.push_str(if self.text.is_empty() {
            "WHERE "
        } else {
            " AND "
        });
        self.text.push_str(condition);
        self
    }

    /// Adds the conditions of a scope, for a table with `at`, `agent` and `project_pk` under `prefix`.
    pub(super) fn scope(self, scope: &QueryScope<'_>, prefix: &str) -> Self {
        self.span(scope, &format!("{prefix}.at"))
            .and(&format!("{prefix}.agent = ?"), text(scope.agent))
            .and(&format!("{prefix}.{OF_PROJECT}"), text(scope.project))
    }

    /// Adds the time span of a scope.
    pub(super) fn span(self, scope: &QueryScope<'_>, column: &str) -> Self {
        self.and(&format!("{column} >= ?"), scope.since.map(|at| at.0))
            .and(&format!("{column} < ?"), scope.until.map(|at| at.0))
    }

    /// Adds "after this cursor", for lists in descending order of time; ignores an invalid cursor.
    pub(super) fn after(self, columns: (&str, &str), cursor: Option<&str>) -> Self {
        let Some((at, key)) = cursor.and_then(parse_cursor) else {
            return self;
        };
        let (time, id) = columns;
        let mut more = self.and_condition(&format!("({time}, {id}) < (?, ?)"));
        more.values.push(at.into());
        more.values.push(key);
        more
    }

    /// Adds a comma-separated list of verdicts. `rewrite` is not a verdict: it selects the rows for which the
    /// condition `rewritten` holds.
    pub(super) fn verdicts(self, column: &str, rewritten: &str, wanted: Option<&str>) -> Self {
        let Some(wanted) = wanted else {
            return self;
        };
        let words: Vec<&str> = wanted.split(',').map(str::trim).collect();
        let list = serde_json::Value::from(words.clone()).to_string();
        let mut condition = format!("{column} IN (SELECT value FROM json_each(?))");
        if words.contains(&REWRITE) {
            condition = format!("({condition} OR {rewritten})");
        }
        self.and(&condition, Some(list))
    }

    pub(super) fn sql(&self) -> &str {
        &self.text
    }
}

/// Selects rewritten calls in a list of verdicts.
const REWRITE: &str = "rewrite";

/// Whether verdicts are given and `none` is not among them.
pub(super) fn excludes_none(verdicts: Option<&str>) -> bool {
    verdicts.is_some_and(|wanted| wanted.split(',').all(|word| word.trim() != "none"))
}

/// The condition on a `project_pk` column; the table's prefix precedes it.
pub(super) const OF_PROJECT: &str = "project_pk = (SELECT pk FROM projects WHERE path = ?)";

pub(super) fn text(value: Option<&str>) -> Option<String> {
    value.map(str::to_owned)
}

/// Clamps a limit to 1 to 1000.
pub(super) fn clamp_limit(limit: usize) -> usize {
    limit.clamp(1, 1000)
}

/// Makes a page from at most `limit` + 1 rows. The extra row only shows that another page follows.
pub(super) fn page<T>(
    mut items: Vec<T>,
    limit: usize,
    key_of: impl Fn(&T) -> (Millis, String),
) -> Page<T> {
    let more = items.len() > limit;
    items.truncate(limit);
    let last = items.last().filter(|_| more);
    let next = last.map(|last| {
        let (at, key) = key_of(last);
        format!("{}_{key}", at.0)
    });
    Page { items, next }
}

/// Whether a text is a valid cursor. A list with an invalid cursor starts at the beginning.
pub fn is_cursor(cursor: &str) -> bool {
    parse_cursor(cursor).is_some()
}

/// Parses a cursor. A numeric key is compared as a number.
fn parse_cursor(cursor: &str) -> Option<(i64, Value)> {
    let (at, key) = cursor.split_once('_')?;
    let key = match key.strip_prefix('#') {
        Some(number) => Value::Integer(number.parse().ok()?),
        None => Value::Text(key.to_owned()),
    };
    Some((at.parse().ok()?, key))
}
