//! Import of an export.

use std::io::{self, BufRead};

use serde_json::Value;

use super::export::FORMAT;
use crate::error::Error;
use crate::millis::Millis;
use crate::open::StoreWriter;
use crate::recall::{MemoryChange, MemoryRow, NewMemory};
use crate::record::RecordLine;
use crate::write::{BatchClass, TitleAuthor, WriteTransaction};

/// Lines per transaction.
const TRANSACTION_LINES: usize = 500;

/// The result of an import. A second import of the same file changes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImportReport {
    /// Events that were new.
    pub stored: u64,
    /// Events that were already stored.
    pub already_stored: u64,
    /// Annotations by people and models that were applied.
    pub notes: u64,
    /// Memories that were new.
    pub memories: u64,
    /// Lines of unknown types, which later versions may write.
    pub ignored: u64,
}

/// Why an import stopped. The lines before it are stored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The lines could not be read.
    #[error("line {line} cannot be read")]
    Io {
        /// The line number, from 1.
        line: u64,
        /// Why.
        source: io::Error,
    },
    /// The line is not JSON.
    #[error("line {line} is not JSON")]
    Syntax {
        /// The line number, from 1.
        line: u64,
        /// Why.
        source: serde_json::Error,
    },
    /// The first line is not the header of an export.
    #[error("line 1 is not the header of an export: `type` must be `becket_export`")]
    NoExport,
    /// A later version of Becket wrote the export.
    #[error(
        "line 1: export version {found} is not supported; this version of Becket reads versions up to {known}\nhint: update Becket"
    )]
    Newer {
        /// The version of the export.
        found: u64,
        /// The latest version that this program reads.
        known: u64,
    },
    /// The line is not a valid memory.
    #[error("line {line} is not a valid memory")]
    Memory {
        /// The line number, from 1.
        line: u64,
        /// Why.
        source: serde_json::Error,
    },
    /// The database reported an error.
    #[error(transparent)]
    Store(#[from] Error),
}

impl StoreWriter {
    /// Imports an export. Events are redacted like any record, because the file may come from anywhere.
    pub fn import(&mut self, lines: impl BufRead) -> Result<ImportReport, ImportError> {
        let mut state = ImportState::default();
        let read = state.read(self, lines);
        // Lines before the invalid one are kept.
        let imported = state.end(self)?;
        read.map(|()| imported)
    }
}

/// The state of a running import.
#[derive(Default)]
struct ImportState {
    imported: ImportReport,
    records: Vec<String>,
    notes: Vec<Value>,
    memories: Vec<MemoryRow>,
}

impl ImportState {
    fn read(&mut self, writer: &mut StoreWriter, lines: impl BufRead) -> Result<(), ImportError> {
        for (number, line) in (1..).zip(lines.lines()) {
            let line = line.map_err(|source| ImportError::Io {
                line: number,
                source,
            })?;
            if line.trim().is_empty() {
                continue;
            }
            let value: Value =
                serde_json::from_str(&line).map_err(|source| ImportError::Syntax {
                    line: number,
                    source,
                })?;
            if number == 1 {
                check_header(&value)?;
            } else {
                self.take(value, number)?;
            }
            if self.records.len() >= TRANSACTION_LINES {
                self.store_records(writer)?;
            }
        }
        Ok(())
    }

    fn take(&mut self, value: Value, number: u64) -> Result<(), ImportError> {
        match (value["type"].as_str(), record_of(value.clone())) {
            (Some("event"), Some(record)) => self.records.push(record),
            (Some("session" | "batch" | "alarm"), _) => self.notes.push(value),
            (Some("memory"), _) => self.memories.push(memory_of(value, number)?),
            _ => self.imported.ignored += 1,
        }
        Ok(())
    }

    fn store_records(&mut self, writer: &mut StoreWriter) -> Result<(), Error> {
        let lines: Vec<RecordLine<'_>> = self
            .records
            .iter()
            .map(|line| RecordLine { line })
            .collect();
        let report = writer.ingest(&lines)?;
        self.imported.stored += report.stored;
        self.imported.already_stored += report.already_stored;
        self.records.clear();
        Ok(())
    }

    fn end(mut self, writer: &mut StoreWriter) -> Result<ImportReport, Error> {
        self.store_records(writer)?;
        // Annotations come last: they refer to sessions and batches that the events create.
        let mut transaction = writer.begin()?;
        for note in &self.notes {
            self.imported.notes += u64::from(transaction.import_note(note)?);
        }
        self.imported.memories = transaction.import_memories(&self.memories)?;
        transaction.commit()?;
        Ok(self.imported)
    }
}

fn check_header(value: &Value) -> Result<(), ImportError> {
    if value["type"] != "becket_export" {
        return Err(ImportError::NoExport);
    }
    match value["version"].as_u64() {
        Some(found) if found > FORMAT => Err(ImportError::Newer {
            found,
            known: FORMAT,
        }),
        Some(_) => Ok(()),
        None => Err(ImportError::NoExport),
    }
}

fn record_of(mut value: Value) -> Option<String> {
    if let Some(line) = value.get("line").and_then(Value::as_str) {
        return Some(line.to_owned());
    }
    let record = value.get_mut("record")?.take();
    record.is_object().then(|| record.to_string())
}

fn memory_of(mut value: Value, line: u64) -> Result<MemoryRow, ImportError> {
    let memory = value["memory"].take();
    serde_json::from_value(memory).map_err(|source| ImportError::Memory { line, source })
}

impl WriteTransaction<'_> {
    /// Adds the new memories and returns their number. Existing memories keep their local changes.
    fn import_memories(&mut self, memories: &[MemoryRow]) -> Result<u64, Error> {
        let mut replaced = Vec::new();
        let mut added = 0;
        for memory in memories {
            let events: Vec<&str> = memory.events.iter().map(String::as_str).collect();
            let files: Vec<&str> = memory.files.iter().map(String::as_str).collect();
            let new = NewMemory {
                context: memory.context.as_deref(),
                importance: memory.importance,
                status: memory.status,
                trust: memory.trust,
                pinned: memory.pinned,
                expires: memory.expires,
                agent: memory.agent.as_deref(),
                session: memory.session.as_deref(),
                events: &events,
                files: &files,
                commit: memory.commit.as_deref(),
                ..NewMemory::new(
                    &memory.id,
                    &memory.project,
                    memory.kind,
                    &memory.text,
                    memory.created,
                )
            };
            let kept = self.add_memory(&new, None)?;
            if kept.new {
                added += 1;
                replaced.extend(memory.superseded_by.as_deref().map(|by| (&memory.id, by)));
            }
        }
        // Done at the end, because a memory may precede the one that supersedes it.
        for (id, by) in replaced.into_iter().filter(|(id, by)| id.as_str() != *by) {
            let change = MemoryChange {
                superseded_by: Some(by),
                ..MemoryChange::default()
            };
            self.change_memory(id, &change)?;
        }
        Ok(added)
    }

    /// Applies an annotation; `false` if its target does not exist.
    fn import_note(&mut self, note: &Value) -> Result<bool, Error> {
        let text = |key: &str| note[key].as_str();
        let time = |key: &str| note[key].as_i64().map(Millis);
        let Some(id) = text("id") else {
            return Ok(false);
        };
        let mut applied = false;
        if text("type") == Some("alarm") {
            let at = time("acknowledged_at").unwrap_or_default();
            return self.acknowledge_alarm(id, at);
        }
        if let Some(title) = text("title") {
            let by = match text("title_by") {
                Some("person") => TitleAuthor::Person,
                _ => TitleAuthor::Program,
            };
            applied |= self.set_title(id, title, by)?;
        }
        if let Some(summary) = text("summary") {
            let at = time("summarised_at").unwrap_or_default();
            applied |= self.set_summary(id, summary, at)?;
        }
        if note["manual"] == true {
            // A parent that would form a cycle is skipped.
            applied |= self.set_parent(id, text("parent")).unwrap_or(false);
        }
        if let Some(class) = text("class").and_then(BatchClass::parse) {
            applied |= self.set_class(id, class, text("class_by").unwrap_or("import"))?;
        }
        if let Some(at) = time("processed_at") {
            applied |= self.mark_processed(id, at)?;
        }
        Ok(applied)
    }
}
