//! Integrity checks.

use std::path::PathBuf;

use crate::error::Error;
use crate::open::{StoreReader, StoreWriter, quarantine_files};

/// How thorough a check is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CheckDepth {
    /// Checks the pages.
    #[default]
    Quick,
    /// Checks the pages, the indexes against their tables, and all foreign keys.
    Full,
}

/// The result of an integrity check.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IntegrityReport {
    /// The problems; empty if the database is intact.
    pub problems: Vec<String>,
}

impl StoreReader {
    /// Checks the database's integrity. Slow: it reads the whole file.
    pub fn check(&self, depth: CheckDepth) -> Result<IntegrityReport, Error> {
        let sql = match depth {
            CheckDepth::Quick => "PRAGMA quick_check(100)",
            CheckDepth::Full => "PRAGMA integrity_check(100)",
        };
        let mut problems: Vec<String> = self.all(sql, [], |row| row.get(0))?;
        problems.retain(|line| line != "ok");
        if depth == CheckDepth::Full {
            let dangling = self.all("PRAGMA foreign_key_check", [], |row| {
                let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
                Ok(format!(
                    "a row of `{table}` refers to a missing row of `{parent}`"
                ))
            })?;
            problems.extend(dangling);
        }
        Ok(IntegrityReport { problems })
    }
}

impl StoreWriter {
    /// Closes a damaged database and renames it. The next [`StoreWriter::open`] creates a new one.
    pub fn quarantine(self) -> Result<PathBuf, Error> {
        let StoreReader { connection, path } = self.reader;
        // Closing a damaged file may fail; it is renamed in any case.
        drop(connection);
        quarantine_files(&path).map_err(|error| Error::new(&path, error))
    }
}
