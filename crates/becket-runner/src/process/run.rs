//! The life of one child, from start to the last of its group.

use std::io;
use std::os::fd::AsFd as _;
use std::time::{Duration, Instant};

use super::cancel::Bell;
use super::converse::Talk;
use super::group::{Group, Watch};
use super::streams::Streams;
use super::{Cancel, Command, Ending, Finished, StartError};

/// How often to look whether a group that was told to end has ended.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Runs `command` to its end, its deadline or its cancellation, whichever comes first.
///
/// On return the child is reaped and nobody of its process group is left, background processes
/// included. The exception is a process that even `SIGKILL` does not end (it hangs in the kernel,
/// or runs as another user); the call does not wait for it for more than two seconds.
///
/// Once the child has exited, its own exit code stands, even if the deadline passes or the handle
/// is cancelled while what it left behind is being cleared away.
pub fn run(command: &Command, cancel: &Cancel) -> Finished {
    run_with(command, cancel, &Tuning::default())
}

/// The same for a child that is answered.
pub(super) fn run_talking(command: &Command, cancel: &Cancel, talk: Talk<'_>) -> Finished {
    timed(command, cancel, &Tuning::default(), Some(talk))
}

/// How long to wait for what. Tests stretch these to prove that they are not waited for in vain.
#[derive(Debug, Clone)]
struct Tuning {
    /// Between SIGTERM and SIGKILL.
    term_grace: Duration,
    /// Silence on the pipes, after the child's exit, that counts as the end of its output.
    quiet: Duration,
    /// The longest we listen to what the child left behind, silence or not.
    listen: Duration,
    /// For SIGKILL to take effect.
    kill_wait: Duration,
    watch: Watch,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            term_grace: Duration::from_millis(200),
            quiet: Duration::from_millis(100),
            listen: Duration::from_secs(1),
            kill_wait: Duration::from_secs(2),
            watch: Watch::Descriptor,
        }
    }
}

fn run_with(command: &Command, cancel: &Cancel, tuning: &Tuning) -> Finished {
    timed(command, cancel, tuning, None)
}

fn timed(command: &Command, cancel: &Cancel, tuning: &Tuning, talk: Option<Talk<'_>>) -> Finished {
    let started = Instant::now();
    let deadline = Deadline(started.checked_add(command.timeout));
    let mut finished = run_until(command, cancel, tuning, deadline, talk);
    finished.duration = started.elapsed();
    finished
}

fn run_until(
    command: &Command,
    cancel: &Cancel,
    tuning: &Tuning,
    deadline: Deadline,
    talk: Option<Talk<'_>>,
) -> Finished {
    let bell = match cancel.bell() {
        Ok(bell) => bell,
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
    let streams = Streams::take(&mut child, &command.stdin, talk.is_some());
    let group = Group::new(child, tuning.watch);
    match streams {
        Ok(streams) => Running {
            group,
            streams,
            cancel,
            cancel_bell: bell.as_deref(),
            deadline,
            tuning,
            talk,
        }
        .finish(),
        Err(error) => Finished::without_child(Ending::Lost(error)),
    }
}

fn not_started(error: StartError) -> Finished {
    Finished::without_child(Ending::NotStarted(error))
}

/// Why we stopped waiting for the child.
enum Stop {
    Exited,
    TimedOut,
    Cancelled,
    /// Everything was heard; it may still be running.
    Heard,
}

struct Running<'a, 't> {
    group: Group,
    streams: Streams<'a>,
    cancel: &'a Cancel,
    cancel_bell: Option<&'a Bell>,
    deadline: Deadline,
    tuning: &'a Tuning,
    talk: Option<Talk<'t>>,
}

impl Running<'_, '_> {
    fn finish(mut self) -> Finished {
        let stop = self.until_stopped();
        self.streams.close_stdin();
        if matches!(stop, Ok(Stop::Heard)) {
            // The end of its input is how it learns that it may leave.
            self.await_gone(self.tuning.term_grace);
        }
        self.clear_group();
        self.streams.drain();
        let status = self.group.reap();
        let ending = match (stop, status) {
            (Ok(Stop::TimedOut), _) => Ending::TimedOut,
            (Ok(Stop::Cancelled), _) => Ending::Cancelled,
            (Err(error), _) | (Ok(Stop::Exited | Stop::Heard), Some(Err(error))) => {
                Ending::Lost(error)
            }
            (Ok(Stop::Exited | Stop::Heard), Some(Ok(status))) => status.into(),
            (Ok(Stop::Exited | Stop::Heard), None) => {
                Ending::Lost(io::Error::other("exit status taken by somebody else"))
            }
        };
        let (stdout, stderr) = self.streams.into_captured();
        Finished {
            stdout,
            stderr,
            ..Finished::without_child(ending)
        }
    }

    fn until_stopped(&mut self) -> io::Result<Stop> {
        let stop = self.until_exit();
        if !matches!(stop, Ok(Stop::TimedOut | Stop::Cancelled | Stop::Heard)) {
            self.hear_out()?;
            self.all_heard();
        }
        stop
    }

    fn until_exit(&mut self) -> io::Result<Stop> {
        loop {
            if self.group.has_exited()? {
                return Ok(Stop::Exited);
            }
            if self.cancel.is_cancelled() {
                return Ok(Stop::Cancelled);
            }
            if self.deadline.has_passed() {
                return Ok(Stop::TimedOut);
            }
            let wait = self.group.patience(self.deadline.left());
            let wake = [self.group.exit_bell(), self.cancel_bell.map(Bell::as_fd)];
            if self.streams.turn(wake, wait)? && self.all_heard() {
                return Ok(Stop::Heard);
            }
        }
    }

    fn all_heard(&mut self) -> bool {
        let talk = self.talk.as_mut();
        talk.is_some_and(|talk| talk.go_on(&mut self.streams))
    }

    /// Reads on after the child's exit until both outputs end. Whoever else holds them open is
    /// listened to only while they have something to say, and not for long.
    fn hear_out(&mut self) -> io::Result<()> {
        self.streams.close_stdin();
        let limit = self.deadline.at_most(self.tuning.listen);
        let mut quiet = limit.at_most(self.tuning.quiet);
        while self.streams.output_is_open() && !quiet.has_passed() && !self.cancel.is_cancelled() {
            let wake = [None, self.cancel_bell.map(Bell::as_fd)];
            if self.streams.turn(wake, quiet.left())? {
                quiet = limit.at_most(self.tuning.quiet);
            }
        }
        Ok(())
    }

    /// Ends everybody in the group: at once if nobody is left, politely otherwise.
    fn clear_group(&mut self) {
        if self.group.is_gone() {
            return;
        }
        self.group.terminate();
        self.await_gone(self.tuning.term_grace);
        self.group.kill();
        self.await_gone(self.tuning.kill_wait);
    }

    /// Output is still read meanwhile: a process that blocks on a full pipe cannot end in order.
    fn await_gone(&mut self, limit: Duration) {
        let limit = Deadline::NEVER.at_most(limit);
        while !limit.has_passed() && !self.group.is_gone() {
            let wait = limit.at_most(LOOK_EVERY).left();
            if self
                .streams
                .turn([self.group.exit_bell(), None], wait)
                .is_err()
            {
                return;
            }
        }
    }
}

/// A point in time; none is never.
#[derive(Clone, Copy)]
struct Deadline(Option<Instant>);

impl Deadline {
    const NEVER: Self = Self(None);

    /// Whichever is earlier: this, or `wait` from now.
    fn at_most(self, wait: Duration) -> Self {
        let other = Instant::now().checked_add(wait);
        Self(match (self.0, other) {
            (Some(own), Some(other)) => Some(own.min(other)),
            (own, other) => own.or(other),
        })
    }

    /// `None` for a deadline that never comes.
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

    /// Far more than these runs need, far less than the graces they must not wait out.
    const HUNG: Duration = Duration::from_secs(20);
    const AGES: Duration = Duration::from_secs(60);

    /// Graces that are as good as endless: a run that returns has not waited for them.
    fn endless() -> Tuning {
        Tuning {
            term_grace: AGES,
            quiet: AGES,
            listen: AGES,
            kill_wait: AGES,
            watch: Watch::Descriptor,
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

    /// Says `ready` by making that file, and `cleaned` when it is asked to end.
    const TIDY: &str = "trap 'sleep 0.2; echo cleaned; touch cleaned; exit 0' TERM; touch ready; \
                        while :; do sleep 0.05; done";

    #[test]
    fn a_child_that_leaves_nothing_behind_pays_no_grace() {
        let finished = finish(&Command::shell("echo hi; exit 3"), &endless());
        assert!(matches!(finished.ending, Ending::Exited(3)), "{finished:?}");
        assert_eq!(finished.stdout.bytes, b"hi\n");
    }

    #[test]
    fn a_child_that_ends_when_asked_cuts_the_grace_short() {
        let finished = finish(&brief("sleep 600"), &endless());
        assert!(matches!(finished.ending, Ending::TimedOut), "{finished:?}");
    }

    #[test]
    fn a_stopped_child_hears_the_request_too() {
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
    fn what_an_exited_child_left_behind_is_asked_before_it_is_killed() {
        let dir = tempfile::tempdir().expect("temporary directory");
        let line = format!(
            "({TIDY}) </dev/null >/dev/null 2>&1 & while [ ! -e ready ]; do sleep 0.01; done"
        );
        let finished = finish(&shell_in(&dir, &line), &endless());
        assert!(matches!(finished.ending, Ending::Exited(0)), "{finished:?}");
        assert!(dir.path().join("cleaned").exists());
    }

    #[test]
    fn listening_to_a_background_child_ends_with_its_output() {
        let command = Command::shell("(sleep 0.3; echo late) & echo early");
        let finished = finish(&command, &endless());
        assert!(matches!(finished.ending, Ending::Exited(0)), "{finished:?}");
        assert_eq!(finished.stdout.bytes, b"early\nlate\n");
    }

    #[test]
    fn listening_to_a_background_child_ends_with_the_deadline() {
        let command = Command {
            timeout: Duration::from_secs(2),
            ..Command::shell("sleep 600 & exit 4")
        };
        let finished = finish(&command, &endless());
        assert!(matches!(finished.ending, Ending::Exited(4)), "{finished:?}");
    }

    #[test]
    fn exits_and_deadlines_are_noticed_by_asking_as_well() {
        let tuning = Tuning {
            watch: Watch::Ask,
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
        drop(Group::new(child, Watch::Descriptor));
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
