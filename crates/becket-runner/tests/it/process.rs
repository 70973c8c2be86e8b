//! Child processes, with real shells.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use becket_runner::process::{Cancel, Command, Ending, Finished, run};

mod alone;
mod endings;
mod executor;
mod leftovers;
mod pipes;
mod start;

/// Far longer than these runs need and far shorter than their children would live: exceeding it means that a run
/// waited for a process that it should not have waited for.
const HUNG: Duration = Duration::from_secs(20);

/// Runs without cancellation and checks that it returned.
#[track_caller]
fn finish(command: &Command) -> Finished {
    let finished = run(command, &Cancel::never());
    assert!(finished.duration < HUNG, "hung: {finished:?}");
    finished
}

/// Like [`finish`], for a command line with the default timeout.
#[track_caller]
fn sh(line: impl Into<String>) -> Finished {
    finish(&Command::shell(line))
}

/// A command line with a short timeout that is long enough for some output.
fn brief(line: impl Into<String>) -> Command {
    Command {
        timeout: Duration::from_millis(1500),
        ..Command::shell(line)
    }
}

#[track_caller]
fn assert_exited(finished: &Finished, code: i32) {
    assert!(
        matches!(finished.ending, Ending::Exited(actual) if actual == code),
        "expected exit code {code}: {finished:?}"
    );
}

#[track_caller]
fn assert_timed_out(finished: &Finished) {
    assert!(matches!(finished.ending, Ending::TimedOut), "{finished:?}");
}

/// A number that no other process sleeps for, so that `sleep <number>` can be found among all processes. Dropping
/// it kills remaining sleepers.
struct Sleeper(String);

impl Sleeper {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let own = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(format!("9{:07}{own:03}", std::process::id()))
    }

    /// The shell command that sleeps.
    fn command(&self) -> String {
        format!("sleep {}", self.0)
    }

    /// Processes with the number among their arguments. Exited processes have no arguments.
    #[cfg(target_os = "linux")]
    fn alive(&self) -> Vec<rustix::process::Pid> {
        let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        entries
            .filter_map(|entry| {
                let pid = entry.file_name().to_str()?.parse().ok()?;
                let arguments = std::fs::read(entry.path().join("cmdline")).ok()?;
                let mut words = arguments.split(|byte| *byte == 0);
                let found = words.any(|word| word == self.0.as_bytes());
                found.then(|| rustix::process::Pid::from_raw(pid))?
            })
            .collect()
    }

    /// Other systems use `ps`.
    #[cfg(not(target_os = "linux"))]
    fn alive(&self) -> Vec<rustix::process::Pid> {
        let mut ps = std::process::Command::new("ps");
        let listed = ps.args(["-axo", "pid=,args="]).output().expect("ps runs");
        let text = String::from_utf8_lossy(&listed.stdout).into_owned();
        text.lines()
            .filter(|line| line.split_whitespace().any(|word| word == self.0))
            .filter_map(|line| line.split_whitespace().next()?.parse().ok())
            .filter_map(rustix::process::Pid::from_raw)
            .collect()
    }

    #[track_caller]
    fn assert_gone(&self) {
        assert_eq!(self.alive(), Vec::new(), "`{}` lives on", self.command());
    }
}

impl Drop for Sleeper {
    fn drop(&mut self) {
        for pid in self.alive() {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    }
}
