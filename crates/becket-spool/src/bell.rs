//! Telling the daemon that there is something in the spool, without waiting for it.

use std::io;
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};

use crate::place::Place;

/// What became of a ring.
#[derive(Debug)]
pub enum Rung {
    /// A daemon listens, or is too busy to: it looks by itself before long.
    Heard,
    /// Nobody listens.
    Nobody,
    /// What is there is not to be trusted, or cannot be spoken to.
    Refused(io::Error),
}

/// Rings. `version` is the caller's: a daemon that is older makes room for a newer one.
pub fn ring(place: &Place, version: &str) -> Rung {
    match try_ring(place, version) {
        Ok(()) => Rung::Heard,
        Err(error) => match Errno::from_io_error(&error) {
            Some(Errno::AGAIN) => Rung::Heard,
            Some(Errno::NOENT | Errno::CONNREFUSED) => Rung::Nobody,
            _ => Rung::Refused(error),
        },
    }
}

/// A connection to whoever listens in a place that only this user can have a hand in. Nothing on it waits.
pub(crate) fn connect(place: &Place) -> io::Result<OwnedFd> {
    place.check_socket()?;
    let door = place.door()?;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    rustix::net::connect(&socket, &SocketAddrUnix::new(door.as_ref())?)?;
    Ok(socket)
}

fn try_ring(place: &Place, version: &str) -> io::Result<()> {
    let socket = connect(place)?;
    let line = format!("{{\"do\":\"ring\",\"version\":\"{version}\"}}\n");
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

    fn place() -> (tempfile::TempDir, Place) {
        let state = tempfile::tempdir().expect("a directory");
        let place = Place::below(state.path());
        place.prepare().expect("private");
        (state, place)
    }

    #[test]
    fn whoever_listens_hears_one_request() {
        let (_state, place) = place();
        let listener = UnixListener::bind(place.socket()).expect("bound");
        assert!(matches!(ring(&place, "1.2.3"), Rung::Heard));
        let (stream, _) = listener.accept().expect("somebody");
        let mut line = String::new();
        BufReader::new(stream).read_line(&mut line).expect("a line");
        assert_eq!(line, "{\"do\":\"ring\",\"version\":\"1.2.3\"}\n");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_path_that_is_too_long_for_a_socket_is_none_for_a_daemon() {
        let state = tempfile::tempdir().expect("a directory");
        let place = Place::below(&state.path().join("a-long-name/".repeat(12)));
        place.prepare().expect("private");
        let listener = UnixListener::bind(place.door().expect("a way")).expect("bound");
        assert!(place.socket().exists());
        assert!(matches!(ring(&place, "1.2.3"), Rung::Heard));
        assert!(listener.accept().is_ok());
    }

    #[test]
    fn nobody_is_there_before_the_first_daemon_and_after_one_that_died() {
        let state = tempfile::tempdir().expect("a directory");
        assert!(matches!(
            ring(&Place::below(state.path()), "1"),
            Rung::Nobody
        ));
        let (_state, place) = place();
        assert!(matches!(ring(&place, "1"), Rung::Nobody));
        drop(UnixListener::bind(place.socket()).expect("bound"));
        assert!(matches!(ring(&place, "1"), Rung::Nobody));
    }

    #[test]
    fn what_others_could_have_put_there_is_not_spoken_to() {
        let (_state, place) = place();
        let listener = UnixListener::bind(place.socket()).expect("bound");
        fs::set_permissions(place.dir(), fs::Permissions::from_mode(0o777)).expect("changed");
        assert!(matches!(ring(&place, "1"), Rung::Refused(_)));
        fs::set_permissions(place.dir(), fs::Permissions::from_mode(0o700)).expect("changed");
        // Only root can give a file away; elsewhere this half is not tried.
        if std::os::unix::fs::chown(place.socket(), Some(65534), None).is_ok() {
            assert!(matches!(ring(&place, "1"), Rung::Refused(_)));
        }
        listener.set_nonblocking(true).expect("set");
        assert!(listener.accept().is_err(), "nobody may have connected");
    }

    #[test]
    fn a_file_in_the_place_of_the_socket_is_not_written_to() {
        let (_state, place) = place();
        fs::write(place.socket(), "").expect("written");
        assert!(matches!(ring(&place, "1"), Rung::Refused(_)));
    }
}
