//! Full-text search over activities, prompts, answers and plans.

use becket_base::text::prefix_chars;
use rusqlite::types::Value as Sql;
use rusqlite::{Row, params_from_iter};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::filter::{Page, QueryScope, WhereClause, clamp_limit, page, text};
use super::serialize;
use crate::describe::describe_call;
use crate::error::Error;
use crate::millis::Millis;
use crate::open::StoreReader;
use crate::tokenize;

/// The longest excerpt of a hit, in characters.
const EXCERPT_CHARS: usize = 300;

/// How many characters of context precede the first match, if the match is far from the beginning.
const EXCERPT_LEAD_CHARS: usize = 60;

/// Selects activities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActivityFilter<'q> {
    /// Agent and project are the session's.
    pub scope: QueryScope<'q>,
    /// A session id.
    pub session: Option<&'q str>,
    /// The canonical name of a tool.
    pub tool: Option<&'q str>,
    /// A file path, relative to its project.
    pub path: Option<&'q str>,
    /// Whether the activity succeeded.
    pub success: Option<bool>,
    /// A full-text query, as in [`SearchFilter`].
    pub text: Option<&'q str>,
    /// The page size.
    pub limit: usize,
    /// The cursor from the previous page.
    pub after: Option<&'q str>,
}

impl Default for ActivityFilter<'_> {
    /// The latest fifty.
    fn default() -> Self {
        Self {
            scope: QueryScope::default(),
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

/// A full-text search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchFilter<'q> {
    /// Words that must all match; `"two words"` is a phrase, `pre*` a prefix.
    pub text: &'q str,
    /// Agent and project are the session's.
    pub scope: QueryScope<'q>,
    /// A session id.
    pub session: Option<&'q str>,
    /// The most hits.
    pub limit: usize,
}

/// An activity: a tool call, a thought, an answer, a subagent's start or stop.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(
    missing_docs,
    reason = "the names are self-explanatory; times are milliseconds since 1970"
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
    /// The input as JSON, large texts replaced by their length.
    #[serde(serialize_with = "serialize::optional_json")]
    #[schemars(with = "Option<Value>")]
    pub input: Option<String>,
    pub output: Option<String>,
    pub output_chars: u64,
    pub success: bool,
    pub error: Option<String>,
    pub duration_ms: Option<i64>,
    /// Newline-separated paths; a list in JSON.
    #[serde(serialize_with = "serialize::lines")]
    #[schemars(with = "Vec<String>")]
    pub files: Option<String>,
}

/// The kind of text that matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HitKind {
    /// An activity.
    Activity,
    /// A prompt.
    Prompt,
    /// An agent's answer.
    Response,
    /// A plan.
    Plan,
}

/// A search hit.
#[derive(Debug, Clone, PartialEq, Eq, JsonSchema, Serialize)]
#[expect(
    missing_docs,
    reason = "the names are self-explanatory; times are milliseconds since 1970"
)]
#[schemars(rename = "Hit")]
pub struct SearchHit {
    pub kind: HitKind,
    /// The event that contains the text.
    pub event_id: String,
    pub session: String,
    /// The session's project.
    pub project: Option<String>,
    pub batch: Option<String>,
    pub at: Millis,
    pub tool: Option<String>,
    /// The best matching text (message, call, error or output), beginning shortly before the first match.
    pub text: String,
}

pub(super) const ACTIVITY: &str = "SELECT a.id, s.id, b.id, a.at, a.kind, a.tool, a.native_tool, a.call_id, a.subagent, a.input,
  a.output, a.output_chars, a.success, a.error, a.duration_ms,
  (SELECT group_concat(f.path, char(10)) FROM files AS f WHERE f.activity_pk = a.pk)
  FROM activities AS a JOIN sessions AS s ON s.pk = a.session_pk LEFT JOIN batches AS b ON b.pk = a.batch_pk";

impl StoreReader {
    /// Activities, latest first.
    pub fn activities(&self, filter: &ActivityFilter<'_>) -> Result<Page<ActivityRow>, Error> {
        let limit = clamp_limit(filter.limit);
        let query = filter.text.map(tokenize::fts_query);
        if query == Some(None) {
            // The query contains no word.
            return Ok(page(Vec::new(), limit, |row: &ActivityRow| {
                (row.at, row.id.clone())
            }));
        }
        let of_path = "a.pk IN (SELECT activity_pk FROM files WHERE path = ?)";
        let with_words =
            "a.pk IN (SELECT rowid / 2 FROM search WHERE search MATCH ? AND rowid % 2 = 0)";
        let which = of_session(WhereClause::default(), &filter.scope, filter.session)
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

    /// The activity of an event.
    pub fn activity(&self, event: &str) -> Result<Option<ActivityRow>, Error> {
        self.first(&format!("{ACTIVITY} WHERE a.id = ?1"), [event], activity)
    }

    /// Texts that match all words, latest first.
    pub fn search(&self, filter: &SearchFilter<'_>) -> Result<Vec<SearchHit>, Error> {
        let Some(query) = tokenize::fts_query(filter.text) else {
            return Ok(Vec::new());
        };
        let limit = clamp_limit(filter.limit);
        let mut which = WhereClause::default().and_condition("search MATCH ?");
        which.values.push(Sql::Text(query));
        let which = of_session(which, &filter.scope, filter.session)
            .span(&filter.scope, "coalesce(a.at, m.at)");
        // Row ids grow, so descending row ids are nearly descending time.
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
        let needles = tokenize::highlight_terms(filter.text);
        self.all(&sql, params_from_iter(which.values), |row| {
            hit(row, &needles)
        })
    }
}

fn of_session(which: WhereClause, scope: &QueryScope<'_>, session: Option<&str>) -> WhereClause {
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

fn hit(row: &Row<'_>, needles: &[String]) -> rusqlite::Result<SearchHit> {
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
    Ok(SearchHit {
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

/// Describes a call in one line, which reads better than its JSON.
fn subject(tool: Option<&str>, input: Option<&str>) -> Option<String> {
    let input = serde_json::from_str(input?).ok()?;
    describe_call(tool?, &input)
}

/// An excerpt of the text that contains the most terms, beginning shortly before the first match.
fn excerpt<'t>(texts: impl Iterator<Item = &'t String>, needles: &[String]) -> String {
    let mut best: Option<(usize, usize, &str)> = None;
    for text in texts.filter(|text| !text.trim().is_empty()) {
        // ASCII lower-casing keeps the length, so offsets are valid in both texts.
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
    let lead = text[..first].char_indices().rev().nth(EXCERPT_LEAD_CHARS);
    match lead {
        Some((from, _)) if first > EXCERPT_CHARS / 2 => {
            format!("…{}", prefix_chars(&text[from..], EXCERPT_CHARS))
        }
        _ => prefix_chars(text, EXCERPT_CHARS).to_owned(),
    }
}
