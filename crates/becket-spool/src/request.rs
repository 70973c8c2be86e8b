//! Sends a request to the daemon and waits for its response, with a deadline.

use std::io::{self, IoSlice};
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

use crate::notify::connect;
use crate::runtime_dir::RuntimeDir;

/// The longest response.
const MAX_RESPONSE_BYTES: usize = 1024 * 1024;

/// Sends one line, given in parts and without its newline, and returns the line of the response. It is an error if
/// this takes longer than `timeout`, if no daemon is listening, or if the socket is not trustworthy.
pub fn request(runtime_dir: &RuntimeDir, line: &[&[u8]], timeout: Duration) -> io::Result<Vec<u8>> {
    let deadline = Instant::now() + timeout;
    let socket = connect(runtime_dir)?;
    send(&socket, line, deadline)?;
    receive(&socket, deadline)
}

fn send(socket: &OwnedFd, line: &[&[u8]], deadline: Instant) -> io::Result<()> {
    let parts = line.iter().copied().chain([&b"\n"[..]]);
    let mut parts: Vec<IoSlice<'_>> = parts.map(IoSlice::new).collect();
    let mut parts = &mut parts[..];
    // Skips empty parts, so that a write of zero bytes means an error.
    IoSlice::advance_slices(&mut parts, 0);
    while !parts.is_empty() {
        match rustix::io::writev(socket, parts) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(sent) => IoSlice::advance_slices(&mut parts, sent),
            Err(Errno::AGAIN) => wait(socket, PollFlags::OUT, deadline)?,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
    Ok(())
}

fn receive(socket: &OwnedFd, deadline: Instant) -> io::Result<Vec<u8>> {
    let mut response = Vec::with_capacity(4096);
    let mut chunk = [0; 4096];
    loop {
        match rustix::io::read(socket, &mut chunk) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => response.extend_from_slice(&chunk[..read]),
            Err(Errno::AGAIN) => wait(socket, PollFlags::IN, deadline)?,
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
        if response.last() == Some(&b'\n') {
            return Ok(response);
        }
        if response.len() > MAX_RESPONSE_BYTES {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
}

fn wait(socket: &OwnedFd, what: PollFlags, deadline: Instant) -> io::Result<()> {
    let left = deadline.saturating_duration_since(Instant::now());
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

    fn runtime_dir() -> (tempfile::TempDir, RuntimeDir, UnixListener) {
        let state = tempfile::tempdir().expect("a directory");
        let runtime_dir = RuntimeDir::in_state_dir(state.path());
        runtime_dir.prepare().expect("private");
        let listener = UnixListener::bind(runtime_dir.socket()).expect("bound");
        (state, runtime_dir, listener)
    }

    #[test]
    fn long_request_and_response_lines_work() {
        let (_state, runtime_dir, listener) = runtime_dir();
        let daemon = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            let mut line = String::new();
            let mut reader = BufReader::new(stream.try_clone().expect("a copy"));
            reader.read_line(&mut line).expect("a line");
            stream.write_all(line.as_bytes()).expect("answered");
        });
        let long = vec![b'x'; 700_000];
        let response = request(&runtime_dir, &[b"", b"{", &long, b"}"], LONG).expect("answered");
        assert_eq!(response.len(), long.len() + 3);
        daemon.join().expect("ended");
    }

    #[test]
    fn request_times_out() {
        let (_state, runtime_dir, listener) = runtime_dir();
        let kind = |timeout| {
            let response = request(&runtime_dir, &[b"{}"], timeout);
            response.expect_err("no response").kind()
        };
        assert_eq!(kind(Duration::from_millis(20)), io::ErrorKind::TimedOut);
        // A request that is never read does not block the client either.
        let flood = vec![b'x'; 16 * 1024 * 1024];
        let response = request(&runtime_dir, &[&flood], Duration::from_millis(20));
        let error = response.expect_err("not read");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        drop(listener);
        assert_eq!(kind(LONG), io::ErrorKind::ConnectionRefused);
    }

    #[test]
    fn unterminated_response_is_an_error() {
        let (_state, runtime_dir, listener) = runtime_dir();
        let daemon = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a client");
            stream.write_all(b"{\"ok\":true").expect("begun");
            drop(stream);
            let (mut stream, _) = listener.accept().expect("a client");
            while stream.write_all(&vec![b'x'; 64 * 1024]).is_ok() {}
        });
        let error = request(&runtime_dir, &[b"{}"], LONG).expect_err("an incomplete response");
        let torn = [io::ErrorKind::UnexpectedEof, io::ErrorKind::ConnectionReset];
        assert!(torn.contains(&error.kind()), "{error}");
        let error = request(&runtime_dir, &[b"{}"], LONG).expect_err("a response that is too long");
        assert_eq!(error.kind(), io::ErrorKind::InvalidData);
        daemon.join().expect("ended");
    }
}
