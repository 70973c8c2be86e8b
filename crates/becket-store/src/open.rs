//! Opening a database for writing or reading, and quarantining a damaged one.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use becket_base::fs::{append_to_name, create_private_dir, open_private, private_options};
use rusqlite::{Connection, OpenFlags};

use crate::error::{Error, ErrorKind};
use crate::millis::Millis;
use crate::schema;

/// How durable a committed transaction is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// It survives the end of any process, but not a power failure.
    Process,
    /// It is on the disk; one sync per transaction. The spool deletes records after the commit, and those may have
    /// been on the disk for long, so nothing less is safe.
    #[default]
    Synced,
}

/// Settings of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How durable a committed transaction is.
    pub durability: Durability,
    /// How long to wait for another process's lock.
    pub busy_wait: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            durability: Durability::Synced,
            busy_wait: Duration::from_secs(5),
        }
    }
}

/// The size of a database and its write-ahead log in bytes; 0 if it does not exist.
pub fn bytes_on_disk(database: &Path) -> u64 {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    let size_of = |path: &Path| path.metadata().map_or(0, |meta| meta.len());
    size_of(database) + size_of(Path::new(&log))
}

/// The connection that writes. Use one at a time; further writers are safe, but wait for each other.
#[derive(Debug)]
pub struct StoreWriter {
    pub(crate) reader: StoreReader,
    /// Identifies the opened file even after it was renamed; `None` in memory.
    file: Option<FileId>,
}

/// Device and inode number.
type FileId = (u64, u64);

/// A connection that reads. Any number may be open, in any process.
#[derive(Debug)]
pub struct StoreReader {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
}

/// A writer, and the damaged database that it replaces, if any.
#[derive(Debug)]
pub struct OpenedStore {
    /// The writer.
    pub writer: StoreWriter,
    /// The damaged database that was moved out of the way.
    pub quarantined: Option<QuarantinedDatabase>,
}

/// A damaged database, kept under another name.
#[derive(Debug)]
pub struct QuarantinedDatabase {
    /// Its new path.
    pub path: PathBuf,
    /// The error that showed the damage.
    pub why: Error,
}

impl StoreWriter {
    /// Opens or creates the database at `path` and migrates it to the current version.
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Self, Error> {
        let path = path.as_ref();
        let path = prepare_file(path).map_err(|error| Error::new(path, error))?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(&path, flags | OpenFlags::SQLITE_OPEN_NOFOLLOW)
            .map_err(ErrorKind::from)
            .and_then(|connection| configure(connection, options));
        let connection = opened.map_err(|kind| Error::new(&path, kind))?;
        Ok(Self {
            file: file_id(&path),
            reader: StoreReader { connection, path },
        })
    }

    /// A database in memory, for tests.
    pub fn in_memory() -> Result<Self, Error> {
        let path = PathBuf::from(":memory:");
        let opened = Connection::open_in_memory()
            .map_err(ErrorKind::from)
            .and_then(|connection| configure(connection, Options::default()));
        let connection = opened.map_err(|kind| Error::new(&path, kind))?;
        Ok(Self {
            reader: StoreReader { connection, path },
            file: None,
        })
    }

    /// Like [`StoreWriter::open`]. A damaged database is renamed and a new one created in its place.
    pub fn open_or_quarantine(
        path: impl AsRef<Path>,
        options: Options,
    ) -> Result<OpenedStore, Error> {
        let path = path.as_ref();
        let why = match Self::open(path, options) {
            Err(why) if why.is_damage() => why,
            opened => {
                return opened.map(|writer| OpenedStore {
                    writer,
                    quarantined: None,
                });
            }
        };
        // If two processes find the damage, the second must not move the new file of the first.
        let _alone = lock_sibling(path).map_err(|error| Error::new(path, error))?;
        match Self::open(path, options) {
            Err(again) if again.is_damage() => {}
            opened => {
                return opened.map(|writer| OpenedStore {
                    writer,
                    quarantined: None,
                });
            }
        }
        let aside = quarantine_files(path).map_err(|error| Error::new(path, error))?;
        let writer = Self::open(path, options)?;
        Ok(OpenedStore {
            writer,
            quarantined: Some(QuarantinedDatabase { path: aside, why }),
        })
    }

    /// Replaces a database that turned out to be damaged while in use: renames it and creates a new one. Returns
    /// the new name of the damaged file, or `None` if another process has already replaced it. On failure nothing
    /// changes.
    pub fn replace_damaged(&mut self, options: Options) -> Result<Option<PathBuf>, Error> {
        let path = self.reader.path.clone();
        let failed = |error| Error::new(&path, error);
        let _alone = lock_sibling(&path).map_err(failed)?;
        let is_there = self.file.is_some() && self.file == file_id(&path);
        let aside = is_there.then(|| quarantine_files(&path)).transpose();
        let aside = aside.map_err(failed)?;
        // This closes the old connection. SQLite sees that its file was moved and leaves the log under the old name
        // alone.
        *self = Self::open(&path, options)?;
        Ok(aside)
    }

    /// The writer's connection, for queries.
    pub fn reader(&self) -> &StoreReader {
        &self.reader
    }

    pub(crate) fn failed(&self, kind: impl Into<ErrorKind>) -> Error {
        self.reader.failed(kind)
    }
}

impl StoreReader {
    /// Opens the database at `path` for reading. It must exist and have the current version.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = open_existing(path, flags).map_err(|kind| Error::new(path, kind))?;
        Ok(Self {
            connection,
            path: path.to_owned(),
        })
    }

    /// The path of the database file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn failed(&self, kind: impl Into<ErrorKind>) -> Error {
        Error::new(&self.path, kind)
    }
}

fn open_existing(path: &Path, flags: OpenFlags) -> Result<Connection, ErrorKind> {
    if !path.try_exists()? {
        return Err(ErrorKind::Missing);
    }
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Options::default().busy_wait)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "query_only", true)?;
    match schema::version(&connection)? {
        schema::VERSION => Ok(connection),
        // A writer has created the file and not yet its tables.
        found => Err(ErrorKind::Older {
            found,
            known: schema::VERSION,
        }),
    }
}

fn configure(mut connection: Connection, options: Options) -> Result<Connection, ErrorKind> {
    connection.busy_timeout(options.busy_wait)?;
    connection.set_prepared_statement_cache_capacity(128);
    let synchronous = match options.durability {
        Durability::Process => "NORMAL",
        Durability::Synced => "FULL",
    };
    // Checked before any change: a foreign or later database stays untouched.
    schema::version(&connection)?;
    // Takes effect only before the first table is created.
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    // Returns the resulting mode, which is not `wal` for a database in memory.
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // Doubling it gains no speed, and the daemon holds this memory all day.
    connection.pragma_update(None, "cache_size", -8_000)?;
    connection.pragma_update(None, "wal_autocheckpoint", 4_000)?;
    connection.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)?;
    // Overwrites deleted content where that costs no extra I/O.
    crate::recall::secure_delete(&connection, "FAST")?;
    schema::migrate(&mut connection)?;
    Ok(connection)
}

/// Creates the file with mode 0600 before it has content, and resolves symbolic links in its directory. SQLite
/// refuses a link in place of the file itself.
fn prepare_file(path: &Path) -> Result<PathBuf, ErrorKind> {
    let dir = match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    let name = path
        .file_name()
        .ok_or_else(|| ErrorKind::CannotOpen("the path has no file name".into()))?;
    let real = create_private_dir(dir).and_then(|()| dir.canonicalize());
    let path = real.map_err(|error| refused(dir, &error))?.join(name);
    match private_options().create_new(true).open(&path) {
        Ok(_) => Ok(path),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(path),
        Err(error) => Err(refused(&path, &error)),
    }
}

fn refused(path: &Path, error: &std::io::Error) -> ErrorKind {
    use std::io::ErrorKind as Io;
    let text = format!("`{}`: {error}", path.display());
    match error.kind() {
        Io::PermissionDenied | Io::ReadOnlyFilesystem => ErrorKind::ReadOnly(text),
        Io::StorageFull => ErrorKind::Full,
        _ => ErrorKind::CannotOpen(text),
    }
}

fn file_id(path: &Path) -> Option<FileId> {
    let meta = fs::metadata(path).ok()?;
    Some((meta.dev(), meta.ino()))
}

fn lock_sibling(path: &Path) -> std::io::Result<File> {
    let file = open_private(&append_to_name(path, ".lock"))?;
    file.lock()?;
    Ok(file)
}

/// Renames a database and its write-ahead log, which may hold committed rows.
pub(crate) fn quarantine_files(path: &Path) -> std::io::Result<PathBuf> {
    let mark = format!(".damaged-{}", Millis::now().0);
    for suffix in ["-wal", "-shm"] {
        let log = append_to_name(path, suffix);
        if log.try_exists()? {
            fs::rename(log, append_to_name(path, &format!("{mark}{suffix}")))?;
        }
    }
    let aside = append_to_name(path, &mark);
    fs::rename(path, &aside)?;
    Ok(aside)
}
