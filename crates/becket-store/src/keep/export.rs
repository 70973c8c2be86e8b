//! Everything, as lines of JSON.

use std::io::Write;

use serde_json::{Value, json};

use crate::error::Error;
use crate::open::Reader;
use crate::read::{EventFilter, StreamedEvent};

/// The version of the format. Readers refuse what is newer.
pub(super) const FORMAT: u64 = 1;

/// How many rows are read at a time: a long look would keep the log from being cleared.
const AT_A_TIME: usize = 500;

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Exported {
    /// Raw events, and runs of hooks that were recorded after them.
    pub events: u64,
    /// What people and models added to them.
    pub notes: u64,
    /// What is remembered.
    pub memories: u64,
}

impl Reader {
    /// Writes everything that is needed to make the same database again, a line at a time: first what the
    /// lines are, then raw events in the order in which they were stored, then what was added to them, then what is remembered.
    pub fn export(&self, out: &mut dyn Write) -> Result<Exported, Error> {
        let mut lines = Lines::begin(self, out)?;
        lines.events(&EventFilter::default())?;
        lines.later_hooks()?;
        lines.notes()?;
        lines.memories()?;
        lines.end()
    }

    /// Writes the raw events of one session in the same way.
    pub fn export_session(&self, id: &str, out: &mut dyn Write) -> Result<Exported, Error> {
        let mut lines = Lines::begin(self, out)?;
        lines.events(&EventFilter {
            session: Some(id),
            ..EventFilter::default()
        })?;
        lines.end()
    }
}

struct Lines<'l> {
    reader: &'l Reader,
    out: &'l mut dyn Write,
    exported: Exported,
}

impl<'l> Lines<'l> {
    /// Says what the lines are.
    fn begin(reader: &'l Reader, out: &'l mut dyn Write) -> Result<Self, Error> {
        let mut lines = Self {
            reader,
            out,
            exported: Exported::default(),
        };
        lines.line(&json!({ "type": "becket_export", "version": FORMAT }))?;
        Ok(lines)
    }

    fn end(self) -> Result<Exported, Error> {
        let flushed = self.out.flush();
        flushed.map_err(|error| self.reader.failed(error))?;
        Ok(self.exported)
    }

    fn line(&mut self, value: &Value) -> Result<(), Error> {
        self.text(&value.to_string())
    }

    fn text(&mut self, line: &str) -> Result<(), Error> {
        let written = writeln!(self.out, "{line}");
        written.map_err(|error| self.reader.failed(error))
    }

    fn events(&mut self, of: &EventFilter<'_>) -> Result<(), Error> {
        let some = EventFilter {
            limit: AT_A_TIME,
            ..*of
        };
        let mut seq = 0;
        loop {
            let events = self.reader.events_after(seq, &some)?;
            let Some(last) = events.last() else {
                return Ok(());
            };
            seq = last.seq;
            for event in &events {
                self.line(&event_line(event))?;
                self.exported.events += 1;
            }
        }
    }

    /// Runs that were recorded after their events. Their records are not kept whole: they are in the rows.
    fn later_hooks(&mut self) -> Result<(), Error> {
        let sql = "SELECT id, event_id, at, hook, verdict, ms, ending, error, reason, output,
                     iif(detached, 'async_hook', 'told') FROM hook_runs
                   WHERE (detached = 1 OR substr(id, 1, length(event_id) + 1) <> event_id || '#') AND id > ?1 ORDER BY id LIMIT 500";
        let mut after = String::new();
        loop {
            let runs: Vec<(String, Value)> = self.reader.all(sql, [&after], |row| {
                let id: String = row.get(0)?;
                let at: crate::Millis = row.get(2)?;
                let text = |column| row.get::<_, Option<String>>(column);
                let record = json!({
                    "v": 1, "id": id, "kind": text(10)?, "ts": at.to_text(), "event_id": text(1)?,
                    "hook": text(3)?, "verdict": text(4)?, "ms": row.get::<_, Option<i64>>(5)?,
                    "ending": text(6)?, "error": text(7)?, "reason": text(8)?, "output": text(9)?,
                });
                Ok((id, json!({ "type": "event", "record": record })))
            })?;
            let Some((last, _)) = runs.last() else {
                return Ok(());
            };
            after.clone_from(last);
            for (_, line) in &runs {
                self.line(line)?;
                self.exported.events += 1;
            }
        }
    }

    fn notes(&mut self) -> Result<(), Error> {
        let sessions = "SELECT json_object('type', 'session', 'id', id, 'title', title, 'title_by', title_by,
                          'summary', summary, 'summarised_at', summarised_at,
                          'parent', CASE parent_reason WHEN 'manual' THEN parent END,
                          'manual', json(CASE parent_reason WHEN 'manual' THEN 'true' ELSE 'false' END))
                        FROM sessions WHERE title IS NOT NULL OR summary IS NOT NULL OR parent_reason = 'manual'";
        let batches =
            "SELECT json_object('type', 'batch', 'id', id, 'class', class, 'class_by', class_by,
                         'processed_at', processed_at)
                       FROM batches WHERE class IS NOT NULL OR processed_at IS NOT NULL";
        let alarms =
            "SELECT json_object('type', 'alarm', 'id', id, 'acknowledged_at', acknowledged_at)
                      FROM alarms WHERE acknowledged_at IS NOT NULL";
        for sql in [sessions, batches, alarms] {
            let lines: Vec<String> = self.reader.all(sql, [], |row| row.get(0))?;
            for line in lines {
                self.text(&line)?;
                self.exported.notes += 1;
            }
        }
        Ok(())
    }

    /// Whether they hold or not: what was superseded or set aside stays so elsewhere.
    fn memories(&mut self) -> Result<(), Error> {
        let mut after = 0;
        loop {
            let memories = self.reader.memories_after(after, AT_A_TIME)?;
            let Some(last) = memories.last() else {
                return Ok(());
            };
            after = last.pk;
            for memory in &memories {
                self.line(&json!({ "type": "memory", "memory": memory }))?;
                self.exported.memories += 1;
            }
        }
    }
}

/// A record that says its id stands as JSON. Any other is known by its exact text, which stands as a string.
fn event_line(event: &StreamedEvent) -> Value {
    match serde_json::from_str::<Value>(&event.record) {
        Ok(record) if record["id"] == event.id.as_str() => {
            json!({ "type": "event", "record": record })
        }
        _ => json!({ "type": "event", "line": event.record }),
    }
}
