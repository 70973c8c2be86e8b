//! Opening a database: for the one writer, for readers, and when it is damaged.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::error::{Error, ErrorKind};
use crate::millis::Millis;
use crate::schema;

/// How sure a committed group is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// It survives the end of any process, not the end of power.
    Process,
    /// It is on the disk. The spool deletes what has been committed here, and what it deletes may
    /// have been on the disk for long: nothing less than this keeps the promise. One sync a group.
    #[default]
    Synced,
}

/// Habits of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How sure a committed group is.
    pub durability: Durability,
    /// How long the lock of another process is waited for.
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

/// How many bytes a database takes, with the log beside it in which stands what was written last; 0 where there is none.
pub fn bytes_on_disk(database: &Path) -> u64 {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    let size_of = |path: &Path| path.metadata().map_or(0, |meta| meta.len());
    size_of(database) + size_of(Path::new(&log))
}

/// The connection that writes. There should be one at a time; several do no harm, they wait for
/// each other.
#[derive(Debug)]
pub struct Writer {
    pub(crate) reader: Reader,
    /// Which file was opened, whatever its name is now; `None` in memory.
    file: Option<FileId>,
}

/// A device, and the number of a file on it.
type FileId = (u64, u64);

/// A connection that reads. Any number, in any process, at any time.
#[derive(Debug)]
pub struct Reader {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
}

/// A writer, and the damaged file that had to make way for a new one.
#[derive(Debug)]
pub struct Opened {
    /// The writer.
    pub writer: Writer,
    /// Set when the old file was damaged.
    pub set_aside: Option<SetAside>,
}

/// A damaged database that was kept.
#[derive(Debug)]
pub struct SetAside {
    /// Where it is now.
    pub path: PathBuf,
    /// What was wrong with it.
    pub why: Error,
}

impl Writer {
    /// Opens or creates the database at `path` and brings it up to date.
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<Self, Error> {
        let path = path.as_ref();
        let path = prepared(path).map_err(|error| Error::new(path, error))?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = Connection::open_with_flags(&path, flags | OpenFlags::SQLITE_OPEN_NOFOLLOW)
            .map_err(ErrorKind::from)
            .and_then(|connection| set_up(connection, options));
        let connection = opened.map_err(|kind| Error::new(&path, kind))?;
        Ok(Self {
            file: file_id(&path),
            reader: Reader { connection, path },
        })
    }

    /// A database that is gone with the writer, for tests and trials.
    pub fn in_memory() -> Result<Self, Error> {
        let path = PathBuf::from(":memory:");
        let opened = Connection::open_in_memory()
            .map_err(ErrorKind::from)
            .and_then(|connection| set_up(connection, Options::default()));
        let connection = opened.map_err(|kind| Error::new(&path, kind))?;
        Ok(Self {
            reader: Reader { connection, path },
            file: None,
        })
    }

    /// As [`Writer::open`]; a damaged file is kept under another name and a new one begun.
    pub fn open_or_set_aside(path: impl AsRef<Path>, options: Options) -> Result<Opened, Error> {
        let path = path.as_ref();
        let why = match Self::open(path, options) {
            Err(why) if why.is_damage() => why,
            opened => {
                return opened.map(|writer| Opened {
                    writer,
                    set_aside: None,
                });
            }
        };
        // Of two processes that find the damage, the second must not move the first one's new file.
        let _alone = lock_beside(path).map_err(|error| Error::new(path, error))?;
        match Self::open(path, options) {
            Err(again) if again.is_damage() => {}
            opened => {
                return opened.map(|writer| Opened {
                    writer,
                    set_aside: None,
                });
            }
        }
        let aside = move_aside(path).map_err(|error| Error::new(path, error))?;
        let writer = Self::open(path, options)?;
        Ok(Opened {
            writer,
            set_aside: Some(SetAside { path: aside, why }),
        })
    }

    /// For a writer that meets damage on its way: the file is kept under another name, which is returned,
    /// and a new one begun. On failure the writer is as it was. `None` if another process was faster.
    pub fn begin_anew(&mut self, options: Options) -> Result<Option<PathBuf>, Error> {
        let path = self.reader.path.clone();
        let failed = |error| Error::new(&path, error);
        let _alone = lock_beside(&path).map_err(failed)?;
        let is_there = self.file.is_some() && self.file == file_id(&path);
        let aside = is_there.then(|| move_aside(&path)).transpose();
        let aside = aside.map_err(failed)?;
        // The old connection is closed after this. SQLite sees that its file was moved, and leaves the log
        // that stands under its old name alone.
        *self = Self::open(&path, options)?;
        Ok(aside)
    }

    /// What the writer can read, which is everything.
    pub fn reader(&self) -> &Reader {
        &self.reader
    }

    pub(crate) fn failed(&self, kind: impl Into<ErrorKind>) -> Error {
        self.reader.failed(kind)
    }
}

impl Reader {
    /// Opens the database at `path` for reading; it has to exist and to be up to date.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = open_existing(path, flags).map_err(|kind| Error::new(path, kind))?;
        Ok(Self {
            connection,
            path: path.to_owned(),
        })
    }

    /// Where the database is.
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
        // A writer has made the file and not yet its tables.
        found => Err(ErrorKind::Older {
            found,
            known: schema::VERSION,
        }),
    }
}

fn set_up(mut connection: Connection, options: Options) -> Result<Connection, ErrorKind> {
    connection.busy_timeout(options.busy_wait)?;
    connection.set_prepared_statement_cache_capacity(128);
    let synchronous = match options.durability {
        Durability::Process => "NORMAL",
        Durability::Synced => "FULL",
    };
    // Before anything is changed: what is not ours, or of a later version, is left as it was.
    schema::version(&connection)?;
    // Counts only before the first table is made.
    connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    // The answer is the mode that was set; a database in memory has another one.
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // Twice as much makes nothing quicker, and a daemon is there all day.
    connection.pragma_update(None, "cache_size", -8_000)?;
    connection.pragma_update(None, "wal_autocheckpoint", 4_000)?;
    connection.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)?;
    // What is deleted is overwritten where that costs nothing.
    crate::recall::secure_delete(&connection, "FAST")?;
    schema::migrate(&mut connection)?;
    Ok(connection)
}

/// The file, for this user only before anything is in it, and its path with the directory's links
/// resolved; a link in place of the file itself is refused.
fn prepared(path: &Path) -> Result<PathBuf, ErrorKind> {
    let dir = match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    let name = path
        .file_name()
        .ok_or_else(|| ErrorKind::CannotOpen("the path names no file".into()))?;
    let mut builder = fs::DirBuilder::new();
    let made = builder.recursive(true).mode(0o700).create(dir);
    let real = made.and_then(|()| dir.canonicalize());
    let path = real.map_err(|error| refused(dir, &error))?.join(name);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    match options.open(&path) {
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

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    path.with_file_name(name)
}

fn lock_beside(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600);
    let file = options.open(beside(path, ".lock"))?;
    file.lock()?;
    Ok(file)
}

/// The log goes with its database: it may hold what the file does not.
pub(crate) fn move_aside(path: &Path) -> std::io::Result<PathBuf> {
    let mark = format!(".damaged-{}", Millis::now().0);
    for suffix in ["-wal", "-shm"] {
        let log = beside(path, suffix);
        if log.try_exists()? {
            fs::rename(log, beside(path, &format!("{mark}{suffix}")))?;
        }
    }
    let aside = beside(path, &mark);
    fs::rename(path, &aside)?;
    Ok(aside)
}
