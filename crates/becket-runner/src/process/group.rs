//! A child and the process group it leads.
//!
//! **Safe signalling.** A process id can be reused as soon as its process is reaped, and a group's id is its
//! leader's. So the order is always: notice the leader's exit without reaping it (`waitid` with `WNOWAIT`), signal
//! the group while the unreaped leader still holds the id, reap last. After that, nothing here sends a signal. Only
//! [`ProcessGroup::signal`] signals and only [`ProcessGroup::reap`] reaps; dropping a [`ProcessGroup`] does both.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::process::{Child, ExitStatus};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

use super::members;

/// The poll interval where no descriptor announces the exit.
const EXIT_POLL_INTERVAL: Duration = Duration::from_millis(5);

pub(super) struct ProcessGroup {
    /// `None` once it was reaped, here or elsewhere.
    child: Option<Child>,
    leader: Pid,
    exited: bool,
    /// Becomes readable when the leader exits.
    exit_fd: Option<OwnedFd>,
}

/// How the leader's exit is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExitWatch {
    /// By a process descriptor, if the system has them; otherwise by polling.
    Descriptor,
    /// By polling.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests force the fallback"))]
    Poll,
}

impl ProcessGroup {
    /// `child` must have been started as the leader of its own process group.
    pub(super) fn new(child: Child, watch: ExitWatch) -> Self {
        let leader = Pid::from_child(&child);
        let exit_fd = match watch {
            ExitWatch::Descriptor => open_exit_fd(leader),
            ExitWatch::Poll => None,
        };
        Self {
            child: Some(child),
            leader,
            exited: false,
            exit_fd,
        }
    }

    /// Whether the leader has exited. It stays unreaped. An error means that its status was taken elsewhere, so its
    /// id must be considered reused.
    pub(super) fn has_exited(&mut self) -> io::Result<bool> {
        if !self.exited && self.child.is_some() {
            self.check_exit()?;
        }
        Ok(self.exited || self.child.is_none())
    }

    /// The descriptor to poll for the leader's exit, until it has exited.
    pub(super) fn exit_fd(&self) -> Option<BorrowedFd<'_>> {
        if self.exited {
            return None;
        }
        self.exit_fd.as_ref().map(|fd| fd.as_fd())
    }

    /// How long to wait before calling [`ProcessGroup::has_exited`] again, at most `limit`.
    pub(super) fn poll_timeout(&self, limit: Option<Duration>) -> Option<Duration> {
        match self.exit_fd {
            Some(_) => limit,
            None => Some(limit.map_or(EXIT_POLL_INTERVAL, |limit| limit.min(EXIT_POLL_INTERVAL))),
        }
    }

    /// Whether no process of the group is alive.
    pub(super) fn is_gone(&mut self) -> bool {
        match self.has_exited() {
            Ok(exited) => exited && (self.child.is_none() || !members::any_alive(self.leader)),
            Err(_) => true,
        }
    }

    /// Asks all processes of the group to exit (SIGTERM).
    pub(super) fn terminate(&mut self) {
        self.signal(Signal::TERM);
        // A stopped process receives nothing but this and SIGKILL.
        self.signal(Signal::CONT);
    }

    /// Kills all processes of the group.
    pub(super) fn kill(&mut self) {
        self.signal(Signal::KILL);
    }

    /// Takes the leader's exit status, after killing the rest of the group. `None`: the leader could not be killed
    /// (it is in an uninterruptible system call, or belongs to another user); it is then reaped in the background.
    pub(super) fn reap(mut self) -> Option<io::Result<ExitStatus>> {
        self.kill_and_reap()
    }

    /// Ignores errors: either no process is left, or all remaining ones belong to another user.
    fn signal(&mut self, signal: Signal) {
        // Checks again: a careless `wait` elsewhere in this process may have freed the id.
        if self.child.is_none() || self.check_exit().is_err() {
            return;
        }
        let _ = rustix::process::kill_process_group(self.leader, signal);
        if signal == Signal::KILL && !self.exited {
            // The leader may have moved to another group. Its own id is as safe as the group's.
            let _ = rustix::process::kill_process(self.leader, signal);
        }
    }

    fn check_exit(&mut self) -> io::Result<()> {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match rustix::process::waitid(WaitId::Pid(self.leader), options) {
            Ok(status) => self.exited = status.is_some(),
            Err(Errno::INTR) => {}
            Err(error) => {
                self.child = None;
                return Err(error.into());
            }
        }
        Ok(())
    }

    fn kill_and_reap(&mut self) -> Option<io::Result<ExitStatus>> {
        self.kill();
        let exited = self.has_exited().unwrap_or(true);
        let mut child = self.child.take()?;
        if exited {
            return Some(child.wait());
        }
        let reaper = std::thread::Builder::new().name("becket-reaper".into());
        // Without a thread, the zombie stays until this process exits; there is no alternative.
        let _ = reaper.spawn(move || child.wait());
        None
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        let _ = self.kill_and_reap();
    }
}

#[cfg(target_os = "linux")]
fn open_exit_fd(leader: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(leader, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn open_exit_fd(_leader: Pid) -> Option<OwnedFd> {
    None
}
