//! Asking the daemon something whose answer somebody waits for, but not for long.

use std::io::{self, IoSlice};
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::bell::connect;
use crate::place::Place;

/// No answer is longer.
const LONGEST: usize = 1024 * 1024;

/// Sends a line, given in parts and without its end, and gives the line that is answered. Whatever is not done within
/// `patience` is an error, and so is a daemon that is not there or not to be trusted.
pub fn ask(place: &Place, line: &[&[u8]], patience: Duration) -> io::Result<Vec<u8>> {
    let until = Instant::now() + patience;
    let socket = connect(place)?;
    send(&socket, line, until)?;
    receive(&socket, until)
}

fn send(socket: &OwnedFd, line: &[&[u8]], until: Instant) -> io::Result<()> {
    let parts = line.iter().copied().chain([&b"\n"[..]]);
    let mut parts: Vec<IoSlice<'_>> = parts.map(IoSlice::new).collect();
    let mut parts = &mut parts[..];
    // Parts that are empty are no sign of an end.
    IoSlice::advance_slices(&mut parts, 0);
    while !parts.is_empty() {
        match rustix::io::writev(socket, parts) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(sent) => IoSlice::advance_slices(&mut parts, sent),
            Err(Errno::AGAIN) => wait(socket, PollFlags::OUT, until)?,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

fn receive(socket: &OwnedFd, until: Instant) -> io::Result<Vec<u8>> {
    let mut answer = Vec::with_capacity(4096);
    let mut chunk = [0; 4096];
    loop {
        match rustix::io::read(socket, &mut chunk) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => answer.extend_from_slice(&chunk[..read]),
            Err(Errno::AGAIN) => wait(socket, PollFlags::IN, until)?,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        if answer.last() == Some(&b'\n') {
            return Ok(answer);
        }
        if answer.len() > LONGEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
}

fn wait(socket: &OwnedFd, what: PollFlags, until: Instant) -> io::Result<()> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(io::ErrorKind::TimedOut.into());
    }
    let left = Timespec::try_from(left).map_err(io::Error::other)?;
    let mut fds = [PollFd::from_borrowed_fd(socket.as_fd(), what)];
    match poll(&mut fds, Some(&left)) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Write};
    use std::os::unix::net::UnixListener;
    use std::thread;

    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn place() -> (tempfile::TempDir, Place, UnixListener) {
        let state = tempfile::tempdir().expect("a directory");
        let place = Place::below(state.path());
        place.prepare().expect("private");
        let listener = UnixListener::bind(place.socket()).expect("bound");
        (state, place, listener)
    }

    #[test]
    fn a_line_is_answered_with_a_line_however_long_they_are() {
        let (_state, place, listener) = place();
        let daemon = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("somebody");
            let mut line = String::new();
            let mut reader = BufReader::new(stream.try_clone().expect("a copy"));
            reader.read_line(&mut line).expect("a line");
            stream.write_all(line.as_bytes()).expect("answered");
        });
        let long = vec![b'x'; 700_000];
        let answer = ask(&place, &[b"", b"{", &long, b"}"], LONG).expect("answered");
        assert_eq!(answer.len(), long.len() + 3);
        daemon.join().expect("ended");
    }

    #[test]
    fn nobody_is_waited_for_beyond_ones_patience() {
        let (_state, place, listener) = place();
        let kind = |patience| {
            let answer = ask(&place, &[b"{}"], patience);
            answer.expect_err("nobody answers").kind()
        };
        assert_eq!(kind(Duration::from_millis(20)), io::ErrorKind::TimedOut);
        // Much that nobody reads does not hold it up, either.
        let flood = vec![b'x'; 16 * 1024 * 1024];
        let answer = ask(&place, &[&flood], Duration::from_millis(20));
        let error = answer.expect_err("nobody reads");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        drop(listener);
        assert_eq!(kind(LONG), io::ErrorKind::ConnectionRefused);
    }

    #[test]
    fn an_answer_without_an_end_is_none() {
        let (_state, place, listener) = place();
        let daemon = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("somebody");
            stream.write_all(b"{\"ok\":true").expect("begun");
            drop(stream);
            let (mut stream, _) = listener.accept().expect("somebody");
            while stream.write_all(&vec![b'x'; 64 * 1024]).is_ok() {}
        });
        let error = ask(&place, &[b"{}"], LONG).expect_err("half of it");
        let torn = [io::ErrorKind::UnexpectedEof, io::ErrorKind::ConnectionReset];
        assert!(torn.contains(&error.kind()), "{error}");
        let error = ask(&place, &[b"{}"], LONG).expect_err("too much of it");
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        daemon.join().expect("ended");
    }
}
