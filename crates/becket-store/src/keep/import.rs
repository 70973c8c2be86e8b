//! Taking in what another database wrote out.

use std::io::{self, BufRead};

use serde_json::Value;

use super::export::FORMAT;
use crate::error::Error;
use crate::millis::Millis;
use crate::open::Writer;
use crate::recall::{MemoryChange, MemoryRow, NewMemory};
use crate::record::Record;
use crate::write::{Class, Group, TitleBy};

/// How many lines make a group.
const AT_A_TIME: usize = 500;

/// What was taken in. Doing it twice brings nothing new the second time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Imported {
    /// Events that were not there.
    pub stored: u64,
    /// Events that were.
    pub known: u64,
    /// Notes of people and models that were applied.
    pub notes: u64,
    /// Memories that were not there.
    pub memories: u64,
    /// Lines that nobody understands, of kinds that may come later.
    pub ignored: u64,
}

/// Why an import ended early. What came before it is stored.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The lines could not be read.
    #[error("line {line} cannot be read")]
    Io {
        /// Counted from 1.
        line: u64,
        /// Why.
        source: io::Error,
    },
    /// Not a line of an export.
    #[error("line {line} is not JSON")]
    Syntax {
        /// Counted from 1.
        line: u64,
        /// Why.
        source: serde_json::Error,
    },
    /// The first line does not say what the others are.
    #[error("line 1 is not the beginning of an export: `type` is not `becket_export`")]
    NoExport,
    /// A later Becket wrote it.
    #[error(
        "line 1: `version` is {found}, and this Becket reads exports up to version {known}\nhint: update Becket"
    )]
    Newer {
        /// What it says.
        found: u64,
        /// What is read.
        known: u64,
    },
    /// A memory that is none.
    #[error("line {line} is not a memory")]
    Memory {
        /// Counted from 1.
        line: u64,
        /// Why.
        source: serde_json::Error,
    },
    /// The database could not take it.
    #[error(transparent)]
    Store(#[from] Error),
}

impl Writer {
    /// Takes in an export. Events are redacted like any record: who knows where the file has been.
    pub fn import(&mut self, lines: impl BufRead) -> Result<Imported, ImportError> {
        let mut taking = Taking::default();
        let read = taking.read(self, lines);
        // What stood before a line that is none is kept.
        let imported = taking.end(self)?;
        read.map(|()| imported)
    }
}

/// An import under way.
#[derive(Default)]
struct Taking {
    imported: Imported,
    records: Vec<String>,
    notes: Vec<Value>,
    memories: Vec<MemoryRow>,
}

impl Taking {
    fn read(&mut self, writer: &mut Writer, lines: impl BufRead) -> Result<(), ImportError> {
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
                check_first(&value)?;
            } else {
                self.take(value, number)?;
            }
            if self.records.len() >= AT_A_TIME {
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

    fn store_records(&mut self, writer: &mut Writer) -> Result<(), Error> {
        let lines: Vec<Record<'_>> = self.records.iter().map(|line| Record { line }).collect();
        let report = writer.ingest(&lines)?;
        self.imported.stored += report.stored;
        self.imported.known += report.known;
        self.records.clear();
        Ok(())
    }

    fn end(mut self, writer: &mut Writer) -> Result<Imported, Error> {
        self.store_records(writer)?;
        // Last, because they belong to what the events bring about.
        let mut group = writer.begin()?;
        for note in &self.notes {
            self.imported.notes += u64::from(group.import_note(note)?);
        }
        self.imported.memories = group.import_memories(&self.memories)?;
        group.commit()?;
        Ok(self.imported)
    }
}

fn check_first(value: &Value) -> Result<(), ImportError> {
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

impl Group<'_> {
    /// Keeps those that are new, and tells how many there were. What is known stays as people left it here.
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
        // Last, because who takes a place may come after whose place it takes.
        for (id, by) in replaced.into_iter().filter(|(id, by)| id.as_str() != *by) {
            let change = MemoryChange {
                superseded_by: Some(by),
                ..MemoryChange::default()
            };
            self.change_memory(id, &change)?;
        }
        Ok(added)
    }

    /// Applies a note; whether there was something that it belongs to.
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
                Some("person") => TitleBy::Person,
                _ => TitleBy::Program,
            };
            applied |= self.set_title(id, title, by)?;
        }
        if let Some(summary) = text("summary") {
            let at = time("summarised_at").unwrap_or_default();
            applied |= self.set_summary(id, summary, at)?;
        }
        if note["manual"] == true {
            // A circle that somebody made over there is not made here.
            applied |= self.set_parent(id, text("parent")).unwrap_or(false);
        }
        if let Some(class) = text("class").and_then(Class::parse) {
            applied |= self.set_class(id, class, text("class_by").unwrap_or("import"))?;
        }
        if let Some(at) = time("processed_at") {
            applied |= self.mark_processed(id, at)?;
        }
        Ok(applied)
    }
}
