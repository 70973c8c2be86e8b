//! The spool's directory, opened and checked once per operation.
//!
//! All files are opened relative to the open directory, so it cannot be swapped between the check and the use.

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use becket_base::fs::create_private_dir;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use crate::error::{Error, ErrorKind};
use crate::names::SealedFile;

/// Readable and writable by this user only.
pub(crate) const PRIVATE_FILE: Mode = Mode::from_raw_mode(0o600);
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// An open directory that belongs to this user and that others cannot write to.
pub(crate) struct SpoolDir {
    pub(crate) fd: OwnedFd,
    path: PathBuf,
    user: u32,
}

impl SpoolDir {
    /// Opens `path`; `None` if it does not exist.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>, Error> {
        // NOFOLLOW: a symbolic link in place of the spool is refused.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match rustix::fs::open(path, flags, Mode::empty()) {
            Ok(fd) => Self::checked(fd, path).map(Some),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(not_a_directory(path, errno)),
        }
    }

    /// Opens `path`, and creates it if it does not exist.
    pub(crate) fn create(path: &Path) -> Result<Self, Error> {
        if let Some(dir) = Self::open(path)? {
            return Ok(dir);
        }
        create_private_dir(path).map_err(|error| match Errno::from_io_error(&error) {
            Some(errno) => Error::call(path, errno),
            None => Error::new(path, ErrorKind::Io(error)),
        })?;
        Self::open(path)?.ok_or_else(|| Error::call(path, Errno::NOENT))
    }

    fn checked(fd: OwnedFd, path: &Path) -> Result<Self, Error> {
        let stat = rustix::fs::fstat(&fd).map_err(|errno| Error::call(path, errno))?;
        let user = rustix::process::geteuid().as_raw();
        if stat.st_uid != user {
            return Err(Error::new(
                path,
                ErrorKind::ForeignOwner {
                    owner: stat.st_uid,
                    user,
                },
            ));
        }
        let mode = permissions(&stat);
        if mode & WRITABLE_BY_OTHERS != 0 {
            return Err(Error::new(path, ErrorKind::WritableByOthers { mode }));
        }
        Ok(Self {
            fd,
            path: path.to_owned(),
            user,
        })
    }

    /// The path of `name`, for messages.
    pub(crate) fn path_of(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// The error for a failed system call on `name`.
    pub(crate) fn failed(&self, name: &str, errno: Errno) -> Error {
        Error::call(&self.path_of(name), errno)
    }

    /// Opens `name` without following symbolic links and without blocking on a FIFO.
    pub(crate) fn open_file(&self, name: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        rustix::fs::openat(&self.fd, name, flags, PRIVATE_FILE)
    }

    /// The status of `file`, which was opened as `name`. An error unless it is a regular file of this user.
    pub(crate) fn stat_file(&self, name: &str, file: &OwnedFd) -> Result<Stat, Error> {
        let stat = rustix::fs::fstat(file).map_err(|errno| self.failed(name, errno))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(Error::new(self.path_of(name), ErrorKind::NotAFile));
        }
        if stat.st_uid != self.user {
            let kind = ErrorKind::ForeignOwner {
                owner: stat.st_uid,
                user: self.user,
            };
            return Err(Error::new(self.path_of(name), kind));
        }
        if permissions(&stat) & 0o077 != 0 {
            // The permissions were loosened; records are private.
            let _ = rustix::fs::fchmod(file, PRIVATE_FILE);
        }
        Ok(stat)
    }

    /// Whether `name` is still the file with this `stat`.
    pub(crate) fn is_still(&self, name: &str, stat: &Stat) -> Result<bool, Error> {
        match rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(now) => Ok(same_file(&now, stat)),
            Err(Errno::NOENT) => Ok(false),
            Err(errno) => Err(self.failed(name, errno)),
        }
    }

    pub(crate) fn rename(&self, from: &str, to: &str) -> Result<(), Error> {
        rustix::fs::renameat(&self.fd, from, &self.fd, to).map_err(|errno| self.failed(from, errno))
    }

    /// Removes `name`; `false` if it did not exist.
    pub(crate) fn remove(&self, name: &str) -> Result<bool, Error> {
        match rustix::fs::unlinkat(&self.fd, name, AtFlags::empty()) {
            Ok(()) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(errno) => Err(self.failed(name, errno)),
        }
    }

    /// Calls `each` with the name of every regular file in the directory, if it is UTF-8. Directories and links are
    /// skipped.
    pub(crate) fn each_name(&self, mut each: impl FnMut(&str)) -> Result<(), Error> {
        let failed = |errno| Error::call(&self.path, errno);
        for entry in rustix::fs::Dir::read_from(&self.fd).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if let Ok(name) = entry.file_name().to_str()
                && self.is_file(name, entry.file_type())
            {
                each(name);
            }
        }
        Ok(())
    }

    /// Whether an entry is a regular file. Not every file system lists the type.
    fn is_file(&self, name: &str, listed: FileType) -> bool {
        if listed != FileType::Unknown {
            return listed == FileType::RegularFile;
        }
        let stat = rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW);
        stat.is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile)
    }

    /// The files that are no longer written to, oldest first. Unknown files are skipped.
    pub(crate) fn sealed(&self) -> Result<Vec<SealedFile>, Error> {
        let mut found = Vec::new();
        self.each_name(|name| found.extend(SealedFile::parse(name)))?;
        found.sort();
        Ok(found)
    }

    /// A subdirectory; `None` if it does not exist.
    pub(crate) fn inner(&self, name: &str) -> Result<Option<Self>, Error> {
        let path = self.path_of(name);
        match self.open_file(name, OFlags::RDONLY | OFlags::DIRECTORY) {
            Ok(fd) => Self::checked(fd, &path).map(Some),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(not_a_directory(&path, errno)),
        }
    }

    /// A subdirectory, created if it does not exist.
    pub(crate) fn inner_created(&self, name: &str) -> Result<Self, Error> {
        match rustix::fs::mkdirat(&self.fd, name, Mode::RWXU) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(self.failed(name, errno)),
        }
        self.inner(name)?
            .ok_or_else(|| self.failed(name, Errno::NOENT))
    }
}

/// Whether two results of `stat` are of the same file.
fn same_file(a: &Stat, b: &Stat) -> bool {
    a.st_ino == b.st_ino && a.st_dev == b.st_dev
}

#[allow(clippy::useless_conversion, reason = "a mode has 16 bits on macOS")]
fn permissions(stat: &Stat) -> u32 {
    u32::from(Mode::from_raw_mode(stat.st_mode).as_raw_mode()) & 0o7777
}

/// Linux reports ENOTDIR for a symbolic link to a directory as well; this reports the link.
fn not_a_directory(path: &Path, errno: Errno) -> Error {
    let link = errno == Errno::NOTDIR
        && path
            .symlink_metadata()
            .is_ok_and(|found| found.is_symlink());
    Error::call(path, if link { Errno::LOOP } else { errno })
}
