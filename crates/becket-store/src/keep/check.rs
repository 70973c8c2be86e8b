//! Whether the database is whole.

use std::path::PathBuf;

use crate::error::Error;
use crate::open::{Reader, Writer, move_aside};

/// How closely is looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Depth {
    /// The pages.
    #[default]
    Quick,
    /// The pages, the indexes against their tables, and every reference.
    Full,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// What is wrong; nothing, if all is well.
    pub problems: Vec<String>,
}

impl Reader {
    /// Looks whether the database is whole. Takes a while: it reads all of it.
    pub fn check(&self, depth: Depth) -> Result<Found, Error> {
        let sql = match depth {
            Depth::Quick => "PRAGMA quick_check(100)",
            Depth::Full => "PRAGMA integrity_check(100)",
        };
        let mut problems: Vec<String> = self.all(sql, [], |row| row.get(0))?;
        problems.retain(|line| line != "ok");
        if depth == Depth::Full {
            let dangling = self.all("PRAGMA foreign_key_check", [], |row| {
                let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
                Ok(format!(
                    "a row of {table} refers to a row of {parent} that is not there"
                ))
            })?;
            problems.extend(dangling);
        }
        Ok(Found { problems })
    }
}

impl Writer {
    /// Closes a database that was found damaged, and keeps it under another name. The next
    /// [`Writer::open`] begins a new one.
    pub fn set_aside(self) -> Result<PathBuf, Error> {
        let Reader { connection, path } = self.reader;
        // A damaged file may refuse to close well; it is moved all the same.
        drop(connection);
        move_aside(&path).map_err(|error| Error::new(&path, error))
    }
}
