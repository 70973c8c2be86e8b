//! Notifies the daemon that the spool has new records, without waiting for it.
//!
//! The usual way is the [`wake_fifo`]. Without a reader there, the client connects to the daemon's
//! socket: that reaches a daemon without a FIFO, and shows whether a daemon runs at all.

use std::io;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

use crate::runtime_dir::RuntimeDir;
use crate::wake_fifo;

/// The result of a notification.
#[derive(Debug)]
pub enum NotifyResult {
    /// A daemon is listening. If its queue is full, it drains the spool on its own soon.
    Delivered,
    /// No daemon is listening.
    NoDaemon,
    /// The socket is not trustworthy, or connecting to it failed.
    Refused(io::Error),
}

/// Notifies the daemon. `version` is the caller's: an older daemon exits to let a newer one start.
pub fn notify_daemon(runtime_dir: &RuntimeDir, version: &str) -> NotifyResult {
    if wake_fifo::write(runtime_dir, version).is_ok() {
        return NotifyResult::Delivered;
    }
    match notify_socket(runtime_dir, version) {
        Ok(()) => NotifyResult::Delivered,
        Err(error) => match Errno::from_io_error(&error) {
            Some(Errno::AGAIN) => NotifyResult::Delivered,
            Some(Errno::NOENT | Errno::CONNREFUSED) => NotifyResult::NoDaemon,
            _ => NotifyResult::Refused(error),
        },
    }
}

/// A non-blocking connection to the daemon, after checking that only this user can have created the socket.
pub(crate) fn connect(runtime_dir: &RuntimeDir) -> io::Result<OwnedFd> {
    runtime_dir.check_socket()?;
    let door = runtime_dir.short_socket_path()?;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    rustix::net::connect(&socket, &SocketAddrUnix::new(door.as_ref())?)?;
    Ok(socket)
}

fn notify_socket(runtime_dir: &RuntimeDir, version: &str) -> io::Result<()> {
    let socket = connect(runtime_dir)?;
    let line = format!("{{\"do\":\"notify\",\"version\":\"{version}\"}}\n");
    rustix::io::write(&socket, line.as_bytes())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{BufRead, BufReader};
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::net::UnixListener;

    use super::*;

    fn runtime_dir() -> (tempfile::TempDir, RuntimeDir) {
        let state = tempfile::tempdir().expect("a directory");
        let runtime_dir = RuntimeDir::in_state_dir(state.path());
        runtime_dir.prepare().expect("private");
        (state, runtime_dir)
    }

    #[test]
    fn listener_receives_one_notification() {
        let (_state, runtime_dir) = runtime_dir();
        let listener = UnixListener::bind(runtime_dir.socket()).expect("bound");
        assert!(matches!(
            notify_daemon(&runtime_dir, "1.2.3"),
            NotifyResult::Delivered
        ));
        let (stream, _) = listener.accept().expect("a client");
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).expect("a line");
        assert_eq!(line, "{\"do\":\"notify\",\"version\":\"1.2.3\"}\n");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn long_socket_path_works() {
        let state = tempfile::tempdir().expect("a directory");
        let runtime_dir = RuntimeDir::in_state_dir(&state.path().join("a-long-name/".repeat(12)));
        runtime_dir.prepare().expect("private");
        let listener =
            UnixListener::bind(runtime_dir.short_socket_path().expect("a way")).expect("bound");
        assert!(runtime_dir.socket().exists());
        assert!(matches!(
            notify_daemon(&runtime_dir, "1.2.3"),
            NotifyResult::Delivered
        ));
        assert!(listener.accept().is_ok());
    }

    #[test]
    fn no_daemon_before_the_first_start_and_after_a_crash() {
        let state = tempfile::tempdir().expect("a directory");
        assert!(matches!(
            notify_daemon(&RuntimeDir::in_state_dir(state.path()), "1"),
            NotifyResult::NoDaemon
        ));
        let (_state, runtime_dir) = runtime_dir();
        assert!(matches!(
            notify_daemon(&runtime_dir, "1"),
            NotifyResult::NoDaemon
        ));
        drop(UnixListener::bind(runtime_dir.socket()).expect("bound"));
        assert!(matches!(
            notify_daemon(&runtime_dir, "1"),
            NotifyResult::NoDaemon
        ));
    }

    #[test]
    fn untrusted_socket_is_refused() {
        let (_state, runtime_dir) = runtime_dir();
        let listener = UnixListener::bind(runtime_dir.socket()).expect("bound");
        fs::set_permissions(runtime_dir.dir(), fs::Permissions::from_mode(0o777)).expect("changed");
        assert!(matches!(
            notify_daemon(&runtime_dir, "1"),
            NotifyResult::Refused(_)
        ));
        fs::set_permissions(runtime_dir.dir(), fs::Permissions::from_mode(0o700)).expect("changed");
        // Only root can change a file's owner; other users skip this part.
        if std::os::unix::fs::chown(runtime_dir.socket(), Some(65534), None).is_ok() {
            assert!(matches!(
                notify_daemon(&runtime_dir, "1"),
                NotifyResult::Refused(_)
            ));
        }
        listener.set_nonblocking(true).expect("set");
        assert!(listener.accept().is_err(), "no client may connect");
    }

    #[test]
    fn regular_file_in_place_of_the_socket_is_refused() {
        let (_state, runtime_dir) = runtime_dir();
        fs::write(runtime_dir.socket(), "").expect("written");
        assert!(matches!(
            notify_daemon(&runtime_dir, "1"),
            NotifyResult::Refused(_)
        ));
    }
}
