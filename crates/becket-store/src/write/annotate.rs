//! Annotations by people and models: titles, summaries, classes, parents, acknowledged alarms.

use becket_guard::redact::redact_text;
use serde::{Deserialize, Serialize};

use super::transaction::WriteTransaction;
use crate::error::{Error, ErrorKind};
use crate::millis::Millis;

/// The kind of work in a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchClass {
    /// Reading and searching.
    Exploration,
    /// Finding and fixing a fault.
    Debugging,
    /// Adding a feature.
    Implementation,
    /// Changing existing code.
    Refactoring,
}

impl BatchClass {
    /// The stored word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Exploration => "exploration",
            Self::Debugging => "debugging",
            Self::Implementation => "implementation",
            Self::Refactoring => "refactoring",
        }
    }

    /// The word of the codebase-intelligence API.
    pub fn documented(self) -> &'static str {
        match self {
            Self::Debugging => "bug_fix",
            Self::Implementation => "feature",
            other => other.word(),
        }
    }

    /// Parses a word of either vocabulary.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "exploration" => Self::Exploration,
            "debugging" | "bug_fix" => Self::Debugging,
            "implementation" | "feature" => Self::Implementation,
            "refactoring" => Self::Refactoring,
            _ => return None,
        })
    }
}

/// The author of a session's title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TitleAuthor {
    /// A person. Programs do not change such a title.
    Person,
    /// A model or a rule.
    Program,
}

impl WriteTransaction<'_> {
    /// Sets a session's title; `false` if a person's title takes precedence or the session does not exist.
    pub fn set_title(
        &mut self,
        session: &str,
        title: &str,
        by: TitleAuthor,
    ) -> Result<bool, Error> {
        let by = match by {
            TitleAuthor::Person => "person",
            TitleAuthor::Program => "program",
        };
        let sql = "UPDATE sessions SET title = ?2, title_by = ?3
                   WHERE id = ?1 AND (?3 = 'person' OR title_by IS NOT 'person')";
        self.change_one(sql, (session, redact_text(title), by))
    }

    /// Sets a session's summary; `false` if there is no such session.
    pub fn set_summary(&mut self, session: &str, text: &str, at: Millis) -> Result<bool, Error> {
        let sql = "UPDATE sessions SET summary = ?2, summarised_at = ?3 WHERE id = ?1";
        self.change_one(sql, (session, redact_text(text), at))
    }

    /// Sets the class of a batch; `false` if there is no such batch. `by` names the model or rule.
    pub fn set_class(&mut self, batch: &str, class: BatchClass, by: &str) -> Result<bool, Error> {
        let sql = "UPDATE batches SET class = ?2, class_by = ?3 WHERE id = ?1";
        self.change_one(sql, (batch, class.word(), by))
    }

    /// Marks a batch as processed by memory extraction; `false` if there is no such batch.
    pub fn mark_processed(&mut self, batch: &str, at: Millis) -> Result<bool, Error> {
        let sql = "UPDATE batches SET processed_at = ?2 WHERE id = ?1";
        self.change_one(sql, (batch, at))
    }

    /// Sets a session's parent on behalf of a person. Refuses a cycle.
    pub fn set_parent(&mut self, session: &str, parent: Option<&str>) -> Result<bool, Error> {
        let sql = "WITH RECURSIVE up (id) AS (
                     SELECT ?1 UNION SELECT s.parent FROM up JOIN sessions AS s ON s.id = up.id WHERE s.parent IS NOT NULL
                   ) SELECT 1 FROM up WHERE id = ?2";
        if let Some(parent) = parent {
            let query = self.db().prepare_cached(sql);
            let circle = query.and_then(|mut query| query.exists((parent, session)));
            if circle.map_err(|error| self.writer.failed(error))? {
                let why = format!("session `{session}` would be its own ancestor");
                return Err(self.writer.failed(ErrorKind::Refused(why)));
            }
        }
        let sql = "UPDATE sessions SET parent = ?2, parent_reason = 'manual' WHERE id = ?1";
        self.change_one(sql, (session, parent))
    }

    /// Acknowledges an alarm; `false` if there is no such unacknowledged alarm.
    pub fn acknowledge_alarm(&mut self, alarm: &str, at: Millis) -> Result<bool, Error> {
        let sql =
            "UPDATE alarms SET acknowledged_at = ?2 WHERE id = ?1 AND acknowledged_at IS NULL";
        self.change_one(sql, (alarm, at))
    }

    /// Acknowledges all alarms and returns their number.
    pub fn acknowledge_alarms(&mut self, at: Millis) -> Result<u64, Error> {
        let sql = "UPDATE alarms SET acknowledged_at = ?1 WHERE acknowledged_at IS NULL";
        let seen = self.db().prepare_cached(sql);
        let seen = seen.and_then(|mut sql| sql.execute([at]));
        seen.map(|rows| u64::try_from(rows).unwrap_or(u64::MAX))
            .map_err(|error| self.writer.failed(error))
    }

    /// Sets a key in the `meta` table.
    pub fn set_meta(&mut self, key: &str, value: &str) -> Result<(), Error> {
        let sql = "INSERT INTO meta (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2";
        self.change_one(sql, (key, value)).map(|_| ())
    }

    fn change_one(&mut self, sql: &str, values: impl rusqlite::Params) -> Result<bool, Error> {
        let flushed = self.flush();
        flushed.map_err(|error| self.writer.failed(error))?;
        let changed = self
            .db()
            .prepare_cached(sql)
            .and_then(|mut sql| sql.execute(values));
        changed
            .map(|rows| rows > 0)
            .map_err(|error| self.writer.failed(error))
    }
}
