//! The FIFO through which clients notify the daemon: the cheapest notification for both sides.
//!
//! A client writes its version and a newline. It needs no response: a FIFO opens for writing only while a process
//! reads it, so a successful write also proves that a daemon runs. The kernel creates no socket, the daemon accepts no
//! connection, and all notifications that arrive before the daemon reads wake it only once.
//!
//! A notification is not lost. The client appends its record before it writes, and the daemon reads the FIFO before it
//! drains the spool. A full FIFO holds notifications that the daemon has yet to read. A daemon that exits removes the
//! FIFO before it drains the spool for the last time.

use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{CWD, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::dir::PRIVATE_FILE;
use crate::runtime_dir::{RuntimeDir, effective_uid};

/// How much is taken at once; a client that never stops writing must not fill the memory.
const MAX_TAKEN_BYTES: u64 = 1024 * 1024;

/// The daemon's end of the FIFO.
#[derive(Debug)]
pub struct WakeReader {
    read: fs::File,
    // Keeps the FIFO open for writing, so that the end of a client is not the end of the input.
    stop: WakeStopper,
}

/// Ends the wait of a [`WakeReader`].
#[derive(Debug)]
pub struct WakeStopper(fs::File);

impl WakeReader {
    /// Creates the FIFO. Only the holder of the daemon's lock may call this; an existing FIFO is left over from a
    /// daemon that died.
    pub fn create(runtime_dir: &RuntimeDir) -> io::Result<Self> {
        remove(runtime_dir)?;
        make_fifo(runtime_dir)?;
        let open = |access| open_fifo(runtime_dir, access);
        Ok(Self {
            read: open(OFlags::RDONLY)?.into(),
            stop: WakeStopper(open(OFlags::WRONLY)?.into()),
        })
    }

    /// What ends a [`WakeReader::wait`] of another thread.
    pub fn stopper(&self) -> io::Result<WakeStopper> {
        self.stop.0.try_clone().map(WakeStopper)
    }

    /// Waits for a notification and leaves it in the FIFO. Further ones cause no wake-up until [`WakeReader::take`].
    pub fn wait(&self) -> io::Result<()> {
        loop {
            match poll(&mut [PollFd::new(&self.read, PollFlags::IN)], None) {
                Ok(_) => return Ok(()),
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
    }

    /// Takes all notifications: one line for each, with the client's version. Does not wait.
    pub fn take(&self) -> io::Result<String> {
        let mut bytes = Vec::new();
        match (&self.read).take(MAX_TAKEN_BYTES).read_to_end(&mut bytes) {
            // The FIFO stays open for writing, so its end is never reached.
            Err(error) if error.kind() != ErrorKind::WouldBlock => Err(error),
            _ => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        }
    }
}

impl WakeStopper {
    /// Wakes the reader. A full FIFO wakes it, too.
    pub fn wake(&self) {
        let _ = (&self.0).write(b"\n");
    }
}

/// Removes the FIFO: from now on clients use the socket.
pub fn remove(runtime_dir: &RuntimeDir) -> io::Result<()> {
    match fs::remove_file(runtime_dir.wake_fifo()) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Writes a notification; an error if no daemon reads the FIFO, or if another user can have created it.
pub(crate) fn write(runtime_dir: &RuntimeDir, version: &str) -> io::Result<()> {
    let fifo = open_fifo(runtime_dir, OFlags::WRONLY)?;
    check(runtime_dir, &fifo)?;
    match rustix::io::write(&fifo, format!("{version}\n").as_bytes()) {
        // A full FIFO wakes the daemon as well.
        Ok(_) | Err(Errno::AGAIN) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

/// Refuses a file that is not a FIFO of this user in a private directory. Opening it changed nothing yet.
fn check(runtime_dir: &RuntimeDir, fifo: &OwnedFd) -> io::Result<()> {
    let me = effective_uid();
    runtime_dir.check_for(me).map_err(io::Error::other)?;
    let stat = rustix::fs::fstat(fifo)?;
    if FileType::from_raw_mode(stat.st_mode) == FileType::Fifo && stat.st_uid == me {
        Ok(())
    } else {
        Err(ErrorKind::PermissionDenied.into())
    }
}

fn open_fifo(runtime_dir: &RuntimeDir, access: OFlags) -> io::Result<OwnedFd> {
    // NONBLOCK: without it, opening a FIFO waits for the other end.
    let flags = access | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NOCTTY;
    let opened = rustix::fs::open(runtime_dir.wake_fifo(), flags, Mode::empty());
    Ok(opened?)
}

#[cfg(not(target_vendor = "apple"))]
fn make_fifo(runtime_dir: &RuntimeDir) -> io::Result<()> {
    Ok(rustix::fs::mkfifoat(
        CWD,
        runtime_dir.wake_fifo(),
        PRIVATE_FILE,
    )?)
}

/// The safe wrappers offer no way to make a FIFO there. Clients use the socket.
#[cfg(target_vendor = "apple")]
fn make_fifo(_: &RuntimeDir) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

#[cfg(all(test, not(target_vendor = "apple")))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::notify::{NotifyResult, notify_daemon};

    fn runtime_dir() -> (tempfile::TempDir, RuntimeDir) {
        let state = tempfile::tempdir().expect("a directory");
        let runtime_dir = RuntimeDir::in_state_dir(state.path());
        runtime_dir.prepare().expect("private");
        (state, runtime_dir)
    }

    fn is_delivered(runtime_dir: &RuntimeDir, version: &str) -> bool {
        matches!(notify_daemon(runtime_dir, version), NotifyResult::Delivered)
    }

    #[test]
    fn reader_takes_all_notifications_at_once() {
        let (_state, runtime_dir) = runtime_dir();
        let reader = WakeReader::create(&runtime_dir).expect("created");
        assert_eq!(reader.take().expect("taken"), "");
        for version in ["0.1.0", "0.2.0"] {
            assert!(is_delivered(&runtime_dir, version));
        }
        reader.wait().expect("notified");
        assert_eq!(reader.take().expect("taken"), "0.1.0\n0.2.0\n");
        assert_eq!(reader.take().expect("taken"), "");
    }

    #[test]
    fn fifo_is_private() {
        let (_state, runtime_dir) = runtime_dir();
        let _reader = WakeReader::create(&runtime_dir).expect("created");
        let fifo = fs::symlink_metadata(runtime_dir.wake_fifo()).expect("there");
        assert_eq!(fifo.permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn stopper_ends_the_wait() {
        let (_state, runtime_dir) = runtime_dir();
        let reader = WakeReader::create(&runtime_dir).expect("created");
        let stopper = reader.stopper().expect("a copy");
        let waiting = std::thread::spawn(move || reader.wait().and_then(|()| reader.take()));
        stopper.wake();
        assert_eq!(waiting.join().expect("ended").expect("taken"), "\n");
    }

    #[test]
    fn full_fifo_counts_as_delivered() {
        let (_state, runtime_dir) = runtime_dir();
        let reader = WakeReader::create(&runtime_dir).expect("created");
        while (&reader.stop.0).write(&[b'\n'; 512]).is_ok() {}
        assert!(is_delivered(&runtime_dir, "1"));
        assert!(!reader.take().expect("taken").contains('1'));
        assert!(is_delivered(&runtime_dir, "1"));
        assert_eq!(reader.take().expect("taken"), "1\n");
    }

    #[test]
    fn fifo_without_a_reader_is_replaced_by_the_next_daemon() {
        let (_state, runtime_dir) = runtime_dir();
        drop(WakeReader::create(&runtime_dir).expect("created"));
        assert!(write(&runtime_dir, "1").is_err());
        assert!(matches!(
            notify_daemon(&runtime_dir, "1"),
            NotifyResult::NoDaemon
        ));
        let reader = WakeReader::create(&runtime_dir).expect("created again");
        assert!(is_delivered(&runtime_dir, "1"));
        assert_eq!(reader.take().expect("taken"), "1\n");
    }

    #[test]
    fn open_directory_is_refused() {
        let (_state, runtime_dir) = runtime_dir();
        let reader = WakeReader::create(&runtime_dir).expect("created");
        for mode in [0o750, 0o705, 0o777] {
            let permissions = fs::Permissions::from_mode(mode);
            fs::set_permissions(runtime_dir.dir(), permissions).expect("changed");
            assert!(write(&runtime_dir, "1").is_err(), "{mode:o}");
        }
        assert_eq!(reader.take().expect("taken"), "");
    }

    #[test]
    fn other_file_in_place_of_the_fifo_is_left_alone() {
        let (_state, runtime_dir) = runtime_dir();
        let target = runtime_dir.dir().join("notes");
        fs::write(&target, "mine").expect("written");
        std::os::unix::fs::symlink(&target, runtime_dir.wake_fifo()).expect("linked");
        assert!(write(&runtime_dir, "1").is_err());
        remove(&runtime_dir).expect("removed");
        fs::rename(&target, runtime_dir.wake_fifo()).expect("renamed");
        assert!(write(&runtime_dir, "1").is_err());
        let text = fs::read_to_string(runtime_dir.wake_fifo()).expect("readable");
        assert_eq!(text, "mine");
    }

    /// Only root can change a file's owner.
    #[test]
    fn fifo_of_another_user_is_refused() {
        let (_state, runtime_dir) = runtime_dir();
        let reader = WakeReader::create(&runtime_dir).expect("created");
        if std::os::unix::fs::chown(runtime_dir.wake_fifo(), Some(65534), None).is_ok() {
            assert!(write(&runtime_dir, "1").is_err());
            assert_eq!(reader.take().expect("taken"), "");
        }
    }
}
