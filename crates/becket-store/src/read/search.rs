//! Finding what was done and said.

use rusqlite::types::Value as Sql;
use rusqlite::{Row, params_from_iter};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::filter::{Page, Scope, Where, limited, page, text};
use super::shape;
use crate::about::about_tool;
use crate::error::Error;
use crate::millis::Millis;
use crate::open::Reader;
use crate::sanitise::cut;
use crate::words;

/// How much of a text is shown of a hit.
const SHOWN: usize = 300;

/// How much of a text stands before the words that were asked for, where its beginning is too far away.
const LEAD: usize = 60;

/// Which activities are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActivityFilter<'q> {
    /// Agent and project are the session's.
    pub scope: Scope<'q>,
    /// The id of a session.
    pub session: Option<&'q str>,
    /// The canonical name of a tool.
    pub tool: Option<&'q str>,
    /// A file, as its project sees it.
    pub path: Option<&'q str>,
    /// Whether it succeeded.
    pub success: Option<bool>,
    /// Words, of which all have to be found, as in a [`SearchFilter`].
    pub text: Option<&'q str>,
    /// How many.
    pub limit: usize,
    /// Where the page before ended.
    pub after: Option<&'q str>,
}

impl Default for ActivityFilter<'_> {
    /// The latest fifty of all.
    fn default() -> Self {
        Self {
            scope: Scope::default(),
            session: None,
            tool: None,
            path: None,
            success: None,
            text: None,
            limit: 50,
            after: None,
        }
    }
}

/// What is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchFilter<'q> {
    /// Words, of which all have to be found; `"two words"` is a phrase, `pre*` a beginning.
    pub text: &'q str,
    /// Agent and project are the session's.
    pub scope: Scope<'q>,
    /// The id of a session.
    pub session: Option<&'q str>,
    /// How many.
    pub limit: usize,
}

/// What an agent did.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(
    missing_docs,
    reason = "the names say it; times are milliseconds since 1970"
)]
pub struct ActivityRow {
    pub id: String,
    pub session: String,
    pub batch: Option<String>,
    pub at: Millis,
    /// `tool`, `subagent_start`, `subagent_stop`, `compact`, `thought`, `response` or `file`.
    pub kind: String,
    pub tool: String,
    pub native_tool: Option<String>,
    pub call_id: Option<String>,
    pub subagent: Option<String>,
    /// JSON, large texts replaced by their length.
    #[serde(serialize_with = "shape::optional_json")]
    #[schemars(with = "Option<Value>")]
    pub input: Option<String>,
    pub output: Option<String>,
    pub output_chars: u64,
    pub success: bool,
    pub error: Option<String>,
    pub duration_ms: Option<i64>,
    /// Separated by newlines; in JSON, a list.
    #[serde(serialize_with = "shape::lines")]
    #[schemars(with = "Vec<String>")]
    pub files: Option<String>,
}

/// What kind of text was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HitKind {
    /// What an agent did.
    Activity,
    /// What a person said.
    Prompt,
    /// What an agent said.
    Response,
    /// A plan.
    Plan,
}

/// A text that was found.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(
    missing_docs,
    reason = "the names say it; times are milliseconds since 1970"
)]
pub struct Hit {
    pub kind: HitKind,
    /// The event that it came with.
    pub event_id: String,
    pub session: String,
    /// Where it was.
    pub project: Option<String>,
    pub batch: Option<String>,
    pub at: Millis,
    pub tool: Option<String>,
    /// What was said, or of a call its subject, its error or its output: the one that has the words, from where they stand.
    pub text: String,
}

pub(super) const ACTIVITY: &str = "SELECT a.id, s.id, b.id, a.at, a.kind, a.tool, a.native_tool, a.call_id, a.subagent, a.input,
  a.output, a.output_chars, a.success, a.error, a.duration_ms,
  (SELECT group_concat(f.path, char(10)) FROM files AS f WHERE f.activity_pk = a.pk)
  FROM activities AS a JOIN sessions AS s ON s.pk = a.session_pk LEFT JOIN batches AS b ON b.pk = a.batch_pk";

impl Reader {
    /// What agents did, the latest first.
    pub fn activities(&self, filter: &ActivityFilter<'_>) -> Result<Page<ActivityRow>, Error> {
        let limit = limited(filter.limit);
        let query = filter.text.map(words::query);
        if query == Some(None) {
            // Something was asked for, but no word is in it.
            return Ok(page(Vec::new(), limit, |row: &ActivityRow| {
                (row.at, row.id.clone())
            }));
        }
        let of_path = "a.pk IN (SELECT activity_pk FROM files WHERE path = ?)";
        let with_words =
            "a.pk IN (SELECT rowid / 2 FROM search WHERE search MATCH ? AND rowid % 2 = 0)";
        let which = of_session(Where::default(), &filter.scope, filter.session)
            .span(&filter.scope, "a.at")
            .and("a.tool = ?", text(filter.tool))
            .and(of_path, text(filter.path))
            .and("a.success = ?", filter.success.map(i64::from))
            .and(with_words, query.flatten())
            .after(("a.at", "a.id"), filter.after);
        let sql = format!(
            "{ACTIVITY} {} ORDER BY a.at DESC, a.id DESC LIMIT {}",
            which.sql(),
            limit + 1
        );
        let rows = self.all(&sql, params_from_iter(which.values), activity)?;
        Ok(page(rows, limit, |row| (row.at, row.id.clone())))
    }

    /// What an agent did, by the event that told of it.
    pub fn activity(&self, event: &str) -> Result<Option<ActivityRow>, Error> {
        self.first(&format!("{ACTIVITY} WHERE a.id = ?1"), [event], activity)
    }

    /// What was done and said that has all of these words, the latest first.
    pub fn search(&self, filter: &SearchFilter<'_>) -> Result<Vec<Hit>, Error> {
        let Some(query) = words::query(filter.text) else {
            return Ok(Vec::new());
        };
        let limit = limited(filter.limit);
        let mut which = Where::default().plainly("search MATCH ?");
        which.values.push(Sql::Text(query));
        let which = of_session(which, &filter.scope, filter.session)
            .span(&filter.scope, "coalesce(a.at, m.at)");
        // Later rows have higher numbers, so going down by them is going back in time, nearly.
        let sql = format!(
            "SELECT m.role, coalesce(a.id, m.event_id), s.id, b.id, coalesce(a.at, m.at), a.tool,
               m.text, a.input, a.error, a.output, (SELECT path FROM projects WHERE pk = s.project_pk)
             FROM search
             LEFT JOIN activities AS a ON search.rowid % 2 = 0 AND a.pk = search.rowid / 2
             LEFT JOIN messages AS m ON search.rowid % 2 = 1 AND m.pk = search.rowid / 2
             JOIN sessions AS s ON s.pk = coalesce(a.session_pk, m.session_pk)
             LEFT JOIN batches AS b ON b.pk = coalesce(a.batch_pk, (SELECT e.batch_pk FROM events AS e WHERE e.id = m.event_id))
             {} ORDER BY 5 DESC, 2 DESC LIMIT {limit}",
            which.sql(),
        );
        let needles = words::needles(filter.text);
        self.all(&sql, params_from_iter(which.values), |row| {
            hit(row, &needles)
        })
    }
}

fn of_session(which: Where, scope: &Scope<'_>, session: Option<&str>) -> Where {
    let of_project = format!("s.{}", super::filter::OF_PROJECT);
    which
        .and("s.id = ?", text(session))
        .and("s.agent = ?", text(scope.agent))
        .and(&of_project, text(scope.project))
}

pub(super) fn activity(row: &Row<'_>) -> rusqlite::Result<ActivityRow> {
    Ok(ActivityRow {
        id: row.get(0)?,
        session: row.get(1)?,
        batch: row.get(2)?,
        at: row.get(3)?,
        kind: row.get(4)?,
        tool: row.get(5)?,
        native_tool: row.get(6)?,
        call_id: row.get(7)?,
        subagent: row.get(8)?,
        input: row.get(9)?,
        output: row.get(10)?,
        output_chars: row.get(11)?,
        success: row.get(12)?,
        error: row.get(13)?,
        duration_ms: row.get(14)?,
        files: row.get(15)?,
    })
}

fn hit(row: &Row<'_>, needles: &[String]) -> rusqlite::Result<Hit> {
    let role: Option<String> = row.get(0)?;
    let tool: Option<String> = row.get(5)?;
    let input: Option<String> = row.get(7)?;
    let texts = [
        row.get(6)?,
        subject(tool.as_deref(), input.as_deref()),
        row.get(8)?,
        row.get(9)?,
        input,
    ];
    Ok(Hit {
        kind: match role.as_deref() {
            None => HitKind::Activity,
            Some("prompt") => HitKind::Prompt,
            Some("plan") => HitKind::Plan,
            Some(_) => HitKind::Response,
        },
        event_id: row.get(1)?,
        session: row.get(2)?,
        project: row.get(10)?,
        batch: row.get(3)?,
        at: row.get(4)?,
        tool,
        text: excerpt(texts.iter().flatten(), needles),
    })
}

/// What a call was about, in its own words rather than as JSON.
fn subject(tool: Option<&str>, input: Option<&str>) -> Option<String> {
    let input = serde_json::from_str(input?).ok()?;
    about_tool(tool?, &input)
}

/// Of several texts the one that has most of the words, from shortly before the first of them.
fn excerpt<'t>(texts: impl Iterator<Item = &'t String>, needles: &[String]) -> String {
    let mut best: Option<(usize, usize, &str)> = None;
    for text in texts.filter(|text| !text.trim().is_empty()) {
        // Of the same length as the text, so that places in one are places in the other.
        let folded = text.to_ascii_lowercase();
        let places: Vec<usize> = needles.iter().filter_map(|one| folded.find(one)).collect();
        let first = places.iter().min().copied().unwrap_or(0);
        if best.is_none_or(|(most, ..)| places.len() > most) {
            best = Some((places.len(), first, text));
        }
    }
    let Some((_, first, text)) = best else {
        return String::new();
    };
    let lead = text[..first].char_indices().rev().nth(LEAD);
    match lead {
        Some((from, _)) if first > SHOWN / 2 => format!("…{}", cut(&text[from..], SHOWN)),
        _ => cut(text, SHOWN).to_owned(),
    }
}
