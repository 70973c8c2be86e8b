//! Reads a payload from an agent that may send too much or never close the pipe.

use std::io::IsTerminal;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use becket_agents::payload::MAX_PAYLOAD;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// How long to wait for the payload.
const PAYLOAD_TIMEOUT: Duration = Duration::from_secs(10);
/// How long to wait for trailing bytes after a complete JSON object.
const TRAILING_BYTES_TIMEOUT: Duration = Duration::from_millis(20);
/// How much beyond the limit is read and discarded, so that the agent's write does not fail.
const MAX_DRAINED_BYTES: usize = 256 * 1024 * 1024;

/// Reads the payload, up to one byte past the limit, so that the parser can detect a payload that is too large.
pub(crate) fn read() -> Vec<u8> {
    // Read the descriptor directly: a buffered reader would only add a copy.
    let stdin = rustix::stdio::stdin();
    if stdin.is_terminal() {
        return Vec::new();
    }
    let mut bytes = Vec::new();
    let mut chunk = [0u8; 8 * 1024];
    let started = Instant::now();
    let mut dropped = 0;
    loop {
        // Some agents leave the pipe open: a complete object followed by nothing is a complete payload. Others write the
        // last newline separately and would get SIGPIPE if we had exited.
        if is_idle(stdin, Duration::ZERO) {
            let left = PAYLOAD_TIMEOUT.saturating_sub(started.elapsed());
            let left = if is_complete(&bytes) {
                left.min(TRAILING_BYTES_TIMEOUT)
            } else {
                left
            };
            if left.is_zero() || is_idle(stdin, left) {
                return bytes;
            }
        }
        match rustix::io::read(stdin, &mut chunk) {
            Ok(0) => return bytes,
            Ok(n) => {
                let room = (MAX_PAYLOAD + 1).saturating_sub(bytes.len()).min(n);
                bytes.extend_from_slice(&chunk[..room]);
                dropped += n - room;
                if dropped > MAX_DRAINED_BYTES {
                    return bytes;
                }
            }
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return bytes,
        }
    }
}

/// Whether nothing arrives for this long while the pipe stays open.
fn is_idle(stdin: impl AsFd, wait: Duration) -> bool {
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    let wait = Timespec {
        tv_sec: wait.as_secs().cast_signed(),
        tv_nsec: wait.subsec_nanos().into(),
    };
    matches!(poll(&mut fds, Some(&wait)), Ok(0))
}

fn is_complete(bytes: &[u8]) -> bool {
    bytes.trim_ascii_end().ends_with(b"}") && becket_agents::payload::read(bytes).is_ok()
}
