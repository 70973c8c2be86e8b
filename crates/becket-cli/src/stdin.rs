//! Reading a payload from an agent that may send too much, or never close the pipe.

use std::io::IsTerminal;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use becket_agents::payload::MAX_PAYLOAD;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// An agent that sends nothing for this long will not.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long something may still follow a whole object.
const AFTERTHOUGHT: Duration = Duration::from_millis(20);
/// How much beyond the limit is read and dropped, so that the agent's write does not fail.
const DRAINED: usize = 256 * 1024 * 1024;

/// Everything the agent sends, cut one byte past the limit so that the reader of it can tell.
pub(crate) fn read() -> Vec<u8> {
    // The descriptor itself: a buffered reader in between would only copy.
    let stdin = rustix::stdio::stdin();
    if stdin.is_terminal() {
        return Vec::new();
    }
    let mut bytes = Vec::new();
    let mut chunk = [0u8; 8 * 1024];
    let started = Instant::now();
    let mut dropped = 0;
    loop {
        // Some agents leave the pipe open: a whole object with nothing behind it is a whole payload. Others
        // write the last newline by itself, and would find the pipe broken if we were gone.
        if is_quiet(stdin, Duration::ZERO) {
            let left = PATIENCE.saturating_sub(started.elapsed());
            let left = if is_whole(&bytes) {
                left.min(AFTERTHOUGHT)
            } else {
                left
            };
            if left.is_zero() || is_quiet(stdin, left) {
                return bytes;
            }
        }
        match rustix::io::read(stdin, &mut chunk) {
            Ok(0) => return bytes,
            Ok(n) => {
                let room = (MAX_PAYLOAD + 1).saturating_sub(bytes.len()).min(n);
                bytes.extend_from_slice(&chunk[..room]);
                dropped += n - room;
                if dropped > DRAINED {
                    return bytes;
                }
            }
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return bytes,
        }
    }
}

/// Whether nothing arrives (and the pipe stays open) for this long.
fn is_quiet(stdin: impl AsFd, wait: Duration) -> bool {
    let mut fds = [PollFd::new(&stdin, PollFlags::IN)];
    let wait = Timespec {
        tv_sec: wait.as_secs().cast_signed(),
        tv_nsec: wait.subsec_nanos().into(),
    };
    matches!(poll(&mut fds, Some(&wait)), Ok(0))
}

fn is_whole(bytes: &[u8]) -> bool {
    bytes.trim_ascii_end().ends_with(b"}") && becket_agents::payload::read(bytes).is_ok()
}
