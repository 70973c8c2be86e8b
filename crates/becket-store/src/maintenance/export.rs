//! Export as JSON lines.

use std::io::Write;

use serde_json::{Value, json};

use crate::error::Error;
use crate::open::StoreReader;
use crate::read::{EventFilter, StreamedEvent};

/// The version of the export format. An import refuses a later one.
pub(super) const FORMAT: u64 = 1;

/// Rows per query. A long read transaction would keep SQLite from truncating its log.
const PAGE_ROWS: usize = 500;

/// The number of exported lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExportReport {
    /// Raw events, and hook runs that were recorded after their events.
    pub events: u64,
    /// Annotations by people and models.
    pub notes: u64,
    /// Memories.
    pub memories: u64,
}

impl StoreReader {
    /// Writes everything that an import needs to rebuild the database, one JSON object per line: a header, the raw
    /// events in storage order, annotations, memories.
    pub fn export(&self, out: &mut dyn Write) -> Result<ExportReport, Error> {
        let mut lines = ExportWriter::begin(self, out)?;
        lines.events(&EventFilter::default())?;
        lines.late_hook_runs()?;
        lines.notes()?;
        lines.memories()?;
        lines.end()
    }

    /// Writes the raw events of one session in the same format.
    pub fn export_session(&self, id: &str, out: &mut dyn Write) -> Result<ExportReport, Error> {
        let mut lines = ExportWriter::begin(self, out)?;
        lines.events(&EventFilter {
            session: Some(id),
            ..EventFilter::default()
        })?;
        lines.end()
    }
}

struct ExportWriter<'l> {
    reader: &'l StoreReader,
    out: &'l mut dyn Write,
    exported: ExportReport,
}

impl<'l> ExportWriter<'l> {
    /// Writes the header line.
    fn begin(reader: &'l StoreReader, out: &'l mut dyn Write) -> Result<Self, Error> {
        let mut lines = Self {
            reader,
            out,
            exported: ExportReport::default(),
        };
        lines.line(&json!({ "type": "becket_export", "version": FORMAT }))?;
        Ok(lines)
    }

    fn end(self) -> Result<ExportReport, Error> {
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
            limit: PAGE_ROWS,
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

    /// Hook runs that were recorded after their events. They are rebuilt from their rows, as their records are not
    /// stored.
    fn late_hook_runs(&mut self) -> Result<(), Error> {
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

    /// Exports memories of every status, so that superseded and quarantined ones stay so after an import.
    fn memories(&mut self) -> Result<(), Error> {
        let mut after = 0;
        loop {
            let memories = self.reader.memories_after(after, PAGE_ROWS)?;
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

/// A record that contains its id is written as JSON. Any other is identified by its exact text and written as a
/// string.
fn event_line(event: &StreamedEvent) -> Value {
    match serde_json::from_str::<Value>(&event.record) {
        Ok(record) if record["id"] == event.id.as_str() => {
            json!({ "type": "event", "record": record })
        }
        _ => json!({ "type": "event", "line": event.record }),
    }
}
