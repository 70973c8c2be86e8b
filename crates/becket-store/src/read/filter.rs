//! Narrowing a question down, and answering it a page at a time.

use rusqlite::types::Value;
use schemars::JsonSchema;
use serde::Serialize;

use crate::millis::Millis;

/// A part of an answer.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[schemars(rename = "{T}Page")]
pub struct Page<T> {
    /// What was found.
    pub items: Vec<T>,
    /// Where to go on; `None` at the end. It stays valid when more is recorded meanwhile.
    pub next: Option<String>,
}

/// Which part of the record is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scope<'q> {
    /// From then on.
    pub since: Option<Millis>,
    /// Before then.
    pub until: Option<Millis>,
    /// The directory of a project.
    pub project: Option<&'q str>,
    /// The name of an agent.
    pub agent: Option<&'q str>,
}

/// Conditions and their values, in the order in which they stand in the text.
#[derive(Debug, Default)]
pub(super) struct Where {
    text: String,
    pub(super) values: Vec<Value>,
}

impl Where {
    /// Adds a condition with one `?`, if there is a value for it.
    pub(super) fn and<V: Into<Value>>(mut self, condition: &str, value: Option<V>) -> Self {
        if let Some(value) = value {
            self = self.plainly(condition);
            self.values.push(value.into());
        }
        self
    }

    /// Adds a condition without a value.
    pub(super) fn plainly(mut self, condition: &str) -> Self {
        self.text.push_str(if self.text.is_empty() {
            "WHERE "
        } else {
            " AND "
        });
        self.text.push_str(condition);
        self
    }

    /// Adds the conditions of a scope, for a table with `at`, `agent` and `project_pk` under `prefix`.
    pub(super) fn scope(self, scope: &Scope<'_>, prefix: &str) -> Self {
        self.span(scope, &format!("{prefix}.at"))
            .and(&format!("{prefix}.agent = ?"), text(scope.agent))
            .and(&format!("{prefix}.{OF_PROJECT}"), text(scope.project))
    }

    /// Adds the times of a scope.
    pub(super) fn span(self, scope: &Scope<'_>, column: &str) -> Self {
        self.and(&format!("{column} >= ?"), scope.since.map(|at| at.0))
            .and(&format!("{column} < ?"), scope.until.map(|at| at.0))
    }

    /// Adds "after this place", for a list that goes back in time; a place that cannot be read is none.
    pub(super) fn after(self, columns: (&str, &str), cursor: Option<&str>) -> Self {
        let Some((at, key)) = cursor.and_then(place) else {
            return self;
        };
        let (time, id) = columns;
        let mut more = self.plainly(&format!("({time}, {id}) < (?, ?)"));
        more.values.push(at.into());
        more.values.push(key);
        more
    }

    /// Adds the verdicts that are wanted, with commas between them. `rewrite` is none that hooks give: it stands for those
    /// that `rewritten` holds for.
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

/// Stands among verdicts for "was given another input".
const REWRITE: &str = "rewrite";

/// Whether verdicts are asked for, and silence is not among them.
pub(super) fn says_something(verdicts: Option<&str>) -> bool {
    verdicts.is_some_and(|wanted| wanted.split(',').all(|word| word.trim() != "none"))
}

/// The condition on a `project_pk`, to go behind a table's name.
pub(super) const OF_PROJECT: &str = "project_pk = (SELECT pk FROM projects WHERE path = ?)";

pub(super) fn text(value: Option<&str>) -> Option<String> {
    value.map(str::to_owned)
}

/// A limit that is sane.
pub(super) fn limited(limit: usize) -> usize {
    limit.clamp(1, 1000)
}

/// Makes a page of one row more than wanted.
pub(super) fn page<T>(
    mut items: Vec<T>,
    limit: usize,
    place: impl Fn(&T) -> (Millis, String),
) -> Page<T> {
    let more = items.len() > limit;
    items.truncate(limit);
    let last = items.last().filter(|_| more);
    let next = last.map(|last| {
        let (at, key) = place(last);
        format!("{}_{key}", at.0)
    });
    Page { items, next }
}

/// Whether a text is the `next` of a page. A list would begin again with any other.
pub fn is_place(cursor: &str) -> bool {
    place(cursor).is_some()
}

/// A key that is a number sorts as one.
fn place(cursor: &str) -> Option<(i64, Value)> {
    let (at, key) = cursor.split_once('_')?;
    let key = match key.strip_prefix('#') {
        Some(number) => Value::Integer(number.parse().ok()?),
        None => Value::Text(key.to_owned()),
    };
    Some((at.parse().ok()?, key))
}
