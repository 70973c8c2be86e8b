//! What people and models add to what was recorded.

use becket_guard::redact::redact_text;
use serde::{Deserialize, Serialize};

use super::group::Group;
use crate::error::{Error, ErrorKind};
use crate::millis::Millis;

/// What a batch was about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Looking around.
    Exploration,
    /// Finding out what is wrong, and putting it right.
    Debugging,
    /// Making something new.
    Implementation,
    /// Changing what is there.
    Refactoring,
}

impl Class {
    /// The word that is stored.
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

    /// Reads either vocabulary.
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

/// Who gave a session its title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TitleBy {
    /// A person; nothing but a person changes it then.
    Person,
    /// A model or a rule.
    Program,
}

impl Group<'_> {
    /// Gives a session a title; whether it took it.
    pub fn set_title(&mut self, session: &str, title: &str, by: TitleBy) -> Result<bool, Error> {
        let by = match by {
            TitleBy::Person => "person",
            TitleBy::Program => "program",
        };
        let sql = "UPDATE sessions SET title = ?2, title_by = ?3
                   WHERE id = ?1 AND (?3 = 'person' OR title_by IS NOT 'person')";
        self.change_one(sql, (session, redact_text(title), by))
    }

    /// Gives a session a summary; whether there is such a session.
    pub fn set_summary(&mut self, session: &str, text: &str, at: Millis) -> Result<bool, Error> {
        let sql = "UPDATE sessions SET summary = ?2, summarised_at = ?3 WHERE id = ?1";
        self.change_one(sql, (session, redact_text(text), at))
    }

    /// Says what a batch was about; whether there is such a batch. `by` names a model or a rule.
    pub fn set_class(&mut self, batch: &str, class: Class, by: &str) -> Result<bool, Error> {
        let sql = "UPDATE batches SET class = ?2, class_by = ?3 WHERE id = ?1";
        self.change_one(sql, (batch, class.word(), by))
    }

    /// Notes that nothing more is to be learnt from a batch; whether there is such a batch.
    pub fn mark_processed(&mut self, batch: &str, at: Millis) -> Result<bool, Error> {
        let sql = "UPDATE batches SET processed_at = ?2 WHERE id = ?1";
        self.change_one(sql, (batch, at))
    }

    /// Makes one session the child of another, by a person's word. A session is not its own ancestor.
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

    /// Notes that a person has seen an alarm; whether there was one to see.
    pub fn acknowledge_alarm(&mut self, alarm: &str, at: Millis) -> Result<bool, Error> {
        let sql =
            "UPDATE alarms SET acknowledged_at = ?2 WHERE id = ?1 AND acknowledged_at IS NULL";
        self.change_one(sql, (alarm, at))
    }

    /// The same for all that nobody has seen; how many those were.
    pub fn acknowledge_alarms(&mut self, at: Millis) -> Result<u64, Error> {
        let sql = "UPDATE alarms SET acknowledged_at = ?1 WHERE acknowledged_at IS NULL";
        let seen = self.db().prepare_cached(sql);
        let seen = seen.and_then(|mut sql| sql.execute([at]));
        seen.map(|rows| u64::try_from(rows).unwrap_or(u64::MAX))
            .map_err(|error| self.writer.failed(error))
    }

    /// Keeps a value under a key.
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
