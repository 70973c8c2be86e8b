//! A child and the process group it leads.
//!
//! **Whom we signal.** A process id is free for reuse from the moment its process is reaped, and a
//! group's id is its leader's. So the order is always: notice the leader's exit without reaping it
//! (`waitid` with `WNOWAIT`), signal the group while the unreaped leader holds the number, and
//! reap last. After that, nothing here signals again. [`Group::signal`] is the only place that
//! signals and [`Group::reap`] the only one that reaps; dropping a [`Group`] does both.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::process::{Child, ExitStatus};
use std::time::Duration;

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

use super::members;

/// How often to ask for the exit where nothing announces it.
const ASK_EVERY: Duration = Duration::from_millis(5);

pub(super) struct Group {
    /// `None` once reaped, or once it turned out that somebody else had reaped it.
    child: Option<Child>,
    leader: Pid,
    exited: bool,
    /// Becomes readable when the leader exits.
    exit_bell: Option<OwnedFd>,
}

/// Whether the leader's exit wakes us or has to be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Watch {
    /// By descriptor where the system has them (and lets us), else as below.
    Descriptor,
    /// By asking again and again.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests force the fallback"))]
    Ask,
}

impl Group {
    /// `child` must have been started as the leader of its own group.
    pub(super) fn new(child: Child, watch: Watch) -> Self {
        let leader = Pid::from_child(&child);
        let exit_bell = match watch {
            Watch::Descriptor => open_exit_bell(leader),
            Watch::Ask => None,
        };
        Self {
            child: Some(child),
            leader,
            exited: false,
            exit_bell,
        }
    }

    /// Whether the leader has exited. It stays unreaped. An error means that its status was taken
    /// by somebody else, and that its id must be considered gone.
    pub(super) fn has_exited(&mut self) -> io::Result<bool> {
        if !self.exited && self.child.is_some() {
            self.look()?;
        }
        Ok(self.exited || self.child.is_none())
    }

    /// What to poll for the leader's exit, while that is still to come.
    pub(super) fn exit_bell(&self) -> Option<BorrowedFd<'_>> {
        if self.exited {
            return None;
        }
        self.exit_bell.as_ref().map(|fd| fd.as_fd())
    }

    /// How long to wait before calling [`Group::has_exited`] again, given `limit`.
    pub(super) fn patience(&self, limit: Option<Duration>) -> Option<Duration> {
        match self.exit_bell {
            Some(_) => limit,
            None => Some(limit.map_or(ASK_EVERY, |limit| limit.min(ASK_EVERY))),
        }
    }

    /// Whether nobody of the group is alive any more.
    pub(super) fn is_gone(&mut self) -> bool {
        match self.has_exited() {
            Ok(exited) => exited && (self.child.is_none() || !members::any_alive(self.leader)),
            Err(_) => true,
        }
    }

    /// Asks every process of the group to end.
    pub(super) fn terminate(&mut self) {
        self.signal(Signal::TERM);
        // A stopped process hears nothing but this and SIGKILL.
        self.signal(Signal::CONT);
    }

    /// Ends every process of the group.
    pub(super) fn kill(&mut self) {
        self.signal(Signal::KILL);
    }

    /// Takes the leader's exit status, after killing what is left of the group. `None`: the leader
    /// could not be killed (it sits in an uninterruptible system call, or belongs to another
    /// user); it is then reaped in the background.
    pub(super) fn reap(mut self) -> Option<io::Result<ExitStatus>> {
        self.kill_and_reap()
    }

    /// Signals are refused without complaint: the only reasons are that nobody is left to hear
    /// them, or that all who are belong to another user.
    fn signal(&mut self, signal: Signal) {
        // Not from memory: a careless `wait` elsewhere in this process may have freed the id.
        if self.child.is_none() || self.look().is_err() {
            return;
        }
        let _ = rustix::process::kill_process_group(self.leader, signal);
        if signal == Signal::KILL && !self.exited {
            // The leader may have moved to another group. Its own id is as safe as the group's.
            let _ = rustix::process::kill_process(self.leader, signal);
        }
    }

    fn look(&mut self) -> io::Result<()> {
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
        // Without a thread the zombie stays until this process ends; there is nothing else to try.
        let _ = reaper.spawn(move || child.wait());
        None
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = self.kill_and_reap();
    }
}

#[cfg(target_os = "linux")]
fn open_exit_bell(leader: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(leader, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn open_exit_bell(_leader: Pid) -> Option<OwnedFd> {
    None
}
