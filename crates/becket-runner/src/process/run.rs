//! Runs one child, from its start to the end of its process group.

use std::io;
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

use super::cancel::WakeFd;
use super::converse::Conversation;
use super::group::{ExitWatch, ProcessGroup};
use super::streams::Streams;
use super::{Cancel, Command, Ending, Finished, StartError};

/// How often to check whether a signalled group has exited.
const GROUP_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Runs `command` to its end, its deadline or its cancellation, whichever comes first.
///
/// On return the child is reaped and no process of its group is left, including background processes. The exception
/// is a process that `SIGKILL` does not end (it hangs in the kernel, or runs as another user); the call waits for
/// it at most two seconds.
///
/// Once the child has exited, its exit code is final, even if the deadline passes or the handle is cancelled while
/// its descendants are being ended.
pub fn run(command: &Command, cancel: &Cancel) -> Finished {
    run_with(command, cancel, &Tuning::default())
}

/// Runs a child in a conversation.
pub(super) fn run_conversation(
    command: &Command,
    cancel: &Cancel,
    conversation: Conversation<'_>,
) -> Finished {
    timed(command, cancel, &Tuning::default(), Some(conversation))
}

/// Grace periods and timeouts. Tests lengthen them to prove that a run does not wait for them needlessly.
#[derive(Debug, Clone)]
struct Tuning {
    /// Between SIGTERM and SIGKILL.
    term_grace: Duration,
    /// After the child's exit: no output for this long counts as the end of its output.
    quiet: Duration,
    /// After the child's exit: the longest time to read the output of its descendants.
    listen: Duration,
    /// For SIGKILL to take effect.
    kill_wait: Duration,
    watch: ExitWatch,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            term_grace: Duration::from_millis(200),
            quiet: Duration::from_millis(100),
            listen: Duration::from_secs(1),
            kill_wait: Duration::from_secs(2),
            watch: ExitWatch::Descriptor,
        }
    }
}

fn run_with(command: &Command, cancel: &Cancel, tuning: &Tuning) -> Finished {
    timed(command, cancel, tuning, None)
}

fn timed(
    command: &Command,
    cancel: &Cancel,
    tuning: &Tuning,
    conversation: Option<Conversation<'_>>,
) -> Finished {
    let started = Instant::now();
    let deadline = Deadline(started.checked_add(command.timeout));
    let mut finished = run_until(command, cancel, tuning, deadline, conversation);
    finished.duration = started.elapsed();
    finished
}

fn run_until(
    command: &Command,
    cancel: &Cancel,
    tuning: &Tuning,
    deadline: Deadline,
    conversation: Option<Conversation<'_>>,
) -> Finished {
    let wake_fd = match cancel.wake_fd() {
        Ok(wake_fd) => wake_fd,
        Err(error) => return not_started(command.unprepared(error)),
    };
    if cancel.is_cancelled() {
        return Finished::without_child(Ending::Cancelled);
    }
    if deadline.has_passed() {
        return Finished::without_child(Ending::TimedOut);
    }
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return not_started(error),
    };
    let streams = Streams::take(&mut child, &command.stdin, conversation.is_some());
    let group = ProcessGroup::new(child, tuning.watch);
    match streams {
        Ok(streams) => RunningChild {
            group,
            streams,
            cancel,
            cancel_fd: wake_fd.as_deref(),
            deadline,
            tuning,
            conversation,
        }
        .finish(),
        Err(error) => Finished::without_child(Ending::Lost(error)),
    }
}

fn not_started(error: StartError) -> Finished {
    Finished::without_child(Ending::NotStarted(error))
}

/// Why the wait for the child ended.
enum StopReason {
    Exited,
    TimedOut,
    Cancelled,
    /// The conversation is over; the child may still be running.
    ConversationOver,
}

struct RunningChild<'a, 't> {
    group: ProcessGroup,
    streams: Streams<'a>,
    cancel: &'a Cancel,
    cancel_fd: Option<&'a WakeFd>,
    deadline: Deadline,
    tuning: &'a Tuning,
    conversation: Option<Conversation<'t>>,
}

impl RunningChild<'_, '_> {
    fn finish(mut self) -> Finished {
        let stop = self.until_stopped();
        self.streams.close_stdin();
        if matches!(stop, Ok(StopReason::ConversationOver)) {
            // The end of its input tells the child to exit.
            self.wait_until_gone(self.tuning.term_grace);
        }
        self.clear_group();
        self.streams.drain();
        let status = self.group.reap();
        let ending = match (stop, status) {
            (Ok(StopReason::TimedOut), _) => Ending::TimedOut,
            (Ok(StopReason::Cancelled), _) => Ending::Cancelled,
            (Err(error), _)
            | (Ok(StopReason::Exited | StopReason::ConversationOver), Some(Err(error))) => {
                Ending::Lost(error)
            }
            (Ok(StopReason::Exited | StopReason::ConversationOver), Some(Ok(status))) => {
                status.into()
            }
            (Ok(StopReason::Exited | StopReason::ConversationOver), None) => Ending::Lost(
                io::Error::other("exit status taken by another part of this process"),
            ),
        };
        let (stdout, stderr) = self.streams.into_captured();
        Finished {
            stdout,
            stderr,
            ..Finished::without_child(ending)
        }
    }

    fn until_stopped(&mut self) -> io::Result<StopReason> {
        let stop = self.until_exit();
        if !matches!(
            stop,
            Ok(StopReason::TimedOut | StopReason::Cancelled | StopReason::ConversationOver)
        ) {
            self.drain_remaining_output()?;
            self.conversation_is_over();
        }
        stop
    }

    fn until_exit(&mut self) -> io::Result<StopReason> {
        loop {
            if self.group.has_exited()? {
                return Ok(StopReason::Exited);
            }
            if self.cancel.is_cancelled() {
                return Ok(StopReason::Cancelled);
            }
            if self.deadline.has_passed() {
                return Ok(StopReason::TimedOut);
            }
            let wait = self.group.poll_timeout(self.deadline.left());
            let wake = [self.group.exit_fd(), self.cancel_fd.map(WakeFd::as_fd)];
            if self.streams.turn(wake, wait)? && self.conversation_is_over() {
                return Ok(StopReason::ConversationOver);
            }
        }
    }

    fn conversation_is_over(&mut self) -> bool {
        let conversation = self.conversation.as_mut();
        conversation.is_some_and(|conversation| conversation.advance(&mut self.streams))
    }

    /// Reads on after the child's exit until both outputs are closed. Descendants that hold them open are read only
    /// while they write, and not for long.
    fn drain_remaining_output(&mut self) -> io::Result<()> {
        self.streams.close_stdin();
        let limit = self.deadline.at_most(self.tuning.listen);
        let mut quiet = limit.at_most(self.tuning.quiet);
        while self.streams.output_is_open() && !quiet.has_passed() && !self.cancel.is_cancelled() {
            let wake = [None, self.cancel_fd.map(WakeFd::as_fd)];
            if self.streams.turn(wake, quiet.left())? {
                quiet = limit.at_most(self.tuning.quiet);
            }
        }
        Ok(())
    }

    /// Ends all processes of the group: immediately if none is left, otherwise with a grace period.
    fn clear_group(&mut self) {
        if self.group.is_gone() {
            return;
        }
        self.group.terminate();
        self.wait_until_gone(self.tuning.term_grace);
        self.group.kill();
        self.wait_until_gone(self.tuning.kill_wait);
    }

    /// Keeps reading output meanwhile: a process that blocks on a full pipe cannot exit cleanly.
    fn wait_until_gone(&mut self, limit: Duration) {
        let limit = Deadline::NEVER.at_most(limit);
        while !limit.has_passed() && !self.group.is_gone() {
            let wait = limit.at_most(GROUP_POLL_INTERVAL).left();
            if self
                .streams
                .turn([self.group.exit_fd(), None], wait)
                .is_err()
            {
                return;
            }
        }
    }
}

/// A point in time, or never.
#[derive(Clone, Copy)]
struct Deadline(Option<Instant>);

impl Deadline {
    const NEVER: Self = Self(None);

    /// The earlier of this and `wait` from now.
    fn at_most(self, wait: Duration) -> Self {
        let other = Instant::now().checked_add(wait);
        Self(match (self.0, other) {
            (Some(own), Some(other)) => Some(own.min(other)),
            (own, other) => own.or(other),
        })
    }

    /// The remaining time; `None` for a deadline that never comes.
    fn left(self) -> Option<Duration> {
        let until = self.0?;
        Some(until.saturating_duration_since(Instant::now()))
    }

    fn has_passed(self) -> bool {
        self.left() == Some(Duration::ZERO)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Far longer than these runs need, far shorter than the grace periods they must not wait for.
    const HUNG: Duration = Duration::from_secs(20);
    const AGES: Duration = Duration::from_secs(60);

    /// Grace periods that are practically endless: a run that returns has not waited for them.
    fn endless() -> Tuning {
        Tuning {
            term_grace: AGES,
            quiet: AGES,
            listen: AGES,
            kill_wait: AGES,
            watch: ExitWatch::Descriptor,
        }
    }

    #[track_caller]
    fn finish(command: &Command, tuning: &Tuning) -> Finished {
        let finished = run_with(command, &Cancel::never(), tuning);
        assert!(finished.duration < HUNG, "waited in vain: {finished:?}");
        finished
    }

    /// Cancels the run once `ready` exists.
    #[track_caller]
    fn cancel_when(ready: &Path, command: &Command, tuning: &Tuning) -> Finished {
        let cancel = Cancel::new();
        let finished = std::thread::scope(|scope| {
            scope.spawn(|| {
                let started = Instant::now();
                while !ready.exists() && started.elapsed() < HUNG {
                    std::thread::sleep(Duration::from_millis(5));
                }
                cancel.cancel();
            });
            run_with(command, &cancel, tuning)
        });
        assert!(finished.duration < HUNG, "waited in vain: {finished:?}");
        finished
    }

    fn shell_in(dir: &tempfile::TempDir, line: &str) -> Command {
        Command {
            cwd: Some(dir.path().into()),
            ..Command::shell(line)
        }
    }

    fn brief(line: &str) -> Command {
        Command {
            timeout: Duration::from_millis(300),
            ..Command::shell(line)
        }
    }

    /// Creates the file `ready`, and `cleaned` when it receives SIGTERM.
    const TIDY: &str = "trap 'sleep 0.2; echo cleaned; touch cleaned; exit 0' TERM; touch ready; \
                        while :; do sleep 0.05; done";

    #[test]
    fn child_without_descendants_pays_no_grace_period() {
        let finished = finish(&Command::shell("echo hi; exit 3"), &endless());
        assert!(matches!(finished.ending, Ending::Exited(3)), "{finished:?}");
        assert_eq!(finished.stdout.bytes, b"hi\n");
    }

    #[test]
    fn child_that_exits_on_sigterm_shortens_the_grace_period() {
        let finished = finish(&brief("sleep 600"), &endless());
        assert!(matches!(finished.ending, Ending::TimedOut), "{finished:?}");
    }

    #[test]
    fn stopped_child_receives_sigterm() {
        let finished = finish(&brief("kill -STOP $$"), &endless());
        assert!(matches!(finished.ending, Ending::TimedOut), "{finished:?}");
    }

    #[test]
    fn a_child_can_clean_up_when_it_is_asked_to_end() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let ready = dir.path().join("ready");
        let finished = cancel_when(&ready, &shell_in(&dir, TIDY), &endless());
        assert!(matches!(finished.ending, Ending::Cancelled), "{finished:?}");
        assert_eq!(finished.stdout.bytes, b"cleaned\n");
    }

    #[test]
    fn a_grandchild_can_clean_up_after_its_parent_has_ended() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let ready = dir.path().join("ready");
        let command = shell_in(&dir, &format!("({TIDY}) & exec sleep 600"));
        let finished = cancel_when(&ready, &command, &endless());
        assert!(matches!(finished.ending, Ending::Cancelled), "{finished:?}");
        assert_eq!(finished.stdout.bytes, b"cleaned\n");
    }

    #[test]
    fn descendants_of_an_exited_child_get_sigterm_first() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let line = format!(
            "({TIDY}) </dev/null >/dev/null 2>&1 & while [ ! -e ready ]; do sleep 0.01; done"
        );
        let finished = finish(&shell_in(&dir, &line), &endless());
        assert!(matches!(finished.ending, Ending::Exited(0)), "{finished:?}");
        assert!(dir.path().join("cleaned").exists());
    }

    #[test]
    fn reading_a_background_child_ends_with_its_output() {
        let command = Command::shell("(sleep 0.3; echo late) & echo early");
        let finished = finish(&command, &endless());
        assert!(matches!(finished.ending, Ending::Exited(0)), "{finished:?}");
        assert_eq!(finished.stdout.bytes, b"early\nlate\n");
    }

    #[test]
    fn reading_a_background_child_ends_with_the_deadline() {
        let command = Command {
            timeout: Duration::from_secs(2),
            ..Command::shell("sleep 600 & exit 4")
        };
        let finished = finish(&command, &endless());
        assert!(matches!(finished.ending, Ending::Exited(4)), "{finished:?}");
    }

    #[test]
    fn polling_notices_exits_and_deadlines() {
        let tuning = Tuning {
            watch: ExitWatch::Poll,
            ..endless()
        };
        let command = Command {
            stdin: vec![b'x'; 300_000],
            ..Command::shell("cat; exec >&- 2>&-; sleep 0.1; exit 5")
        };
        let finished = finish(&command, &tuning);
        assert!(matches!(finished.ending, Ending::Exited(5)), "{finished:?}");
        assert_eq!(finished.stdout.bytes.len(), 300_000);
        let finished = finish(&brief("sleep 600 & sleep 600"), &tuning);
        assert!(matches!(finished.ending, Ending::TimedOut), "{finished:?}");
    }

    #[test]
    fn a_run_that_panics_half_way_leaves_neither_child_nor_zombie() {
        let mut child = Command::shell("sleep 600").spawn().expect("a shell starts");
        let pid = rustix::process::Pid::from_child(&child);
        child.stdin.take();
        drop(ProcessGroup::new(child, ExitWatch::Descriptor));
        let started = Instant::now();
        let wait = || {
            use rustix::process::{WaitId, WaitIdOptions, waitid};
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            waitid(WaitId::Pid(pid), options)
        };
        while wait().is_ok() {
            assert!(started.elapsed() < HUNG, "never reaped");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
