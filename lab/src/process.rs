//! Runs one child process, with all its descendants, under a time limit.
//!
//! The child has no stdin, and its output goes to files instead of pipes. A grandchild that outlives it and keeps the
//! descriptors open therefore cannot block a test. Start at [`run`].

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessExit {
    /// It exited with this code.
    Code(i32),
    /// Something else killed it with this signal.
    Signal(i32),
    /// The time limit killed it.
    TimedOut,
}

impl ProcessExit {
    /// Whether it exited with code 0.
    pub fn is_success(self) -> bool {
        self == Self::Code(0)
    }
}

impl From<ExitStatus> for ProcessExit {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Code(code),
            (None, Some(signal)) => Self::Signal(signal),
            (None, None) => Self::Code(-1),
        }
    }
}

/// A finished process and its output.
#[derive(Debug, Clone)]
pub struct FinishedProcess {
    /// How it ended.
    pub exit: ProcessExit,
    /// Its standard output; bytes that are not UTF-8 are replaced.
    pub stdout: String,
    /// Its standard error; bytes that are not UTF-8 are replaced.
    pub stderr: String,
}

/// How much output is read, so that a runaway client cannot exhaust memory. Only the end of longer output is kept.
const MAX_OUTPUT: u64 = 32 << 20;

/// How often a child is polled. The kernel keeps a dead child as a zombie until it is reaped, so its process id cannot be
/// reused between two polls.
const POLL: Duration = Duration::from_millis(10);

/// Runs `command` to its end or until `limit`, and writes its output to `stdout` and `stderr` in the new directory
/// `output`.
///
/// At the limit it kills the whole process group and all descendants that left the group.
pub fn run(command: &mut Command, output: &Path, limit: Duration) -> io::Result<FinishedProcess> {
    RunningProcess::start(command, Stdio::null(), output)?.finish(limit)
}

/// Polls `probe` until it returns a value, for at most `limit`.
///
/// Use it for background work of a client: a test names the condition it waits for instead of sleeping.
pub fn until<T>(limit: Duration, mut probe: impl FnMut() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    loop {
        if let Some(found) = probe() {
            return Some(found);
        }
        if start.elapsed() >= limit {
            return None;
        }
        thread::sleep(POLL);
    }
}

/// The command lines of all running processes with this environment variable. Fails without `/proc`.
pub fn with_variable(name: &str, value: &OsStr) -> io::Result<Vec<String>> {
    let wanted = [name.as_bytes(), b"=", value.as_bytes()].concat();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc")?.flatten() {
        // The process has ended, belongs to another user, or is a zombie with an empty environment.
        let Ok(environment) = fs::read(entry.path().join("environ")) else {
            continue;
        };
        if environment.split(|byte| *byte == 0).any(|it| it == wanted) {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            found.push(line.trim_end().to_owned());
        }
    }
    Ok(found)
}

/// A running child. Dropping it kills the child and its descendants.
pub(crate) struct RunningProcess {
    child: Child,
    status: Option<ExitStatus>,
    stdout: PathBuf,
    stderr: PathBuf,
}

impl RunningProcess {
    /// Starts `command`, with its output in `output`.
    pub(crate) fn start(command: &mut Command, stdin: Stdio, output: &Path) -> io::Result<Self> {
        fs::create_dir_all(output)?;
        let (stdout, stderr) = (output.join("stdout"), output.join("stderr"));
        let child = command
            .stdin(stdin)
            .stdout(File::create(&stdout)?)
            .stderr(File::create(&stderr)?)
            .process_group(0)
            .spawn()?;
        Ok(Self {
            child,
            status: None,
            stdout,
            stderr,
        })
    }

    /// The write end of the child's stdin, once, if it is a pipe.
    pub(crate) fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    /// What the child has written to stdout so far.
    pub(crate) fn stdout(&self) -> io::Result<String> {
        read_end(&self.stdout)
    }

    /// Whether the child has ended.
    pub(crate) fn has_ended(&mut self) -> io::Result<bool> {
        Ok(self.wait(Duration::ZERO)?.is_some())
    }

    /// Waits for the end, and kills the child at the limit.
    pub(crate) fn finish(mut self, limit: Duration) -> io::Result<FinishedProcess> {
        let ended = self.wait(limit)?;
        if ended.is_none() {
            self.kill_tree();
        }
        Ok(FinishedProcess {
            exit: ended.map_or(ProcessExit::TimedOut, ProcessExit::from),
            stdout: read_end(&self.stdout)?,
            stderr: read_end(&self.stderr)?,
        })
    }

    fn wait(&mut self, limit: Duration) -> io::Result<Option<ExitStatus>> {
        let start = Instant::now();
        while self.status.is_none() {
            self.status = self.child.try_wait()?;
            if self.status.is_some() || start.elapsed() >= limit {
                break;
            }
            thread::sleep(POLL);
        }
        Ok(self.status)
    }

    /// Clients start hooks in their own sessions, which a signal to the client's group does not reach. So this walks the
    /// descendants before their parents are gone.
    fn kill_tree(&mut self) {
        let Some(root) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) else {
            return;
        };
        let below = descendants(root);
        // A failed kill means that the process has already ended.
        let _ = kill_process_group(root, Signal::KILL);
        for pid in below {
            let _ = kill_process(pid, Signal::KILL);
        }
        self.status = self.child.wait().ok();
    }
}

impl Drop for RunningProcess {
    fn drop(&mut self) {
        if self.status.is_none() {
            self.kill_tree();
        }
    }
}

/// All descendants of `root`, by parent links. Empty without `/proc`.
fn descendants(root: Pid) -> Vec<Pid> {
    let links = parent_links();
    let mut found = vec![root];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        next += 1;
        for &(pid, its_parent) in &links {
            if its_parent == parent && !found.contains(&pid) {
                found.push(pid);
            }
        }
    }
    found.split_off(1)
}

fn parent_links() -> Vec<(Pid, Pid)> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .flatten()
        .filter_map(|entry| {
            let pid = Pid::from_raw(entry.file_name().to_str()?.parse().ok()?)?;
            let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
            Some((pid, parent_of(&stat)?))
        })
        .collect()
}

/// The parent in a line of `/proc/<pid>/stat`: the second field after the command name, which is in parentheses and may
/// itself contain spaces and parentheses.
fn parent_of(stat: &str) -> Option<Pid> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let parent = after_name.split_whitespace().nth(1)?;
    Pid::from_raw(parent.parse().ok()?)
}

fn read_end(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(MAX_OUTPUT)))?;
    let mut bytes = Vec::new();
    file.take(MAX_OUTPUT).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const GENEROUS: Duration = Duration::from_secs(60);

    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn output_and_exit_code_are_returned() {
        let dir = tempfile::tempdir().unwrap();
        let mut command = shell("echo out; echo err >&2; exit 3");
        let finished = run(&mut command, dir.path(), GENEROUS).unwrap();
        assert_eq!(finished.exit, ProcessExit::Code(3));
        assert_eq!(finished.stdout, "out\n");
        assert_eq!(finished.stderr, "err\n");
    }

    #[test]
    fn signal_is_distinguished_from_an_exit_code() {
        let dir = tempfile::tempdir().unwrap();
        let finished = run(&mut shell("kill -TERM $$"), dir.path(), GENEROUS).unwrap();
        assert_eq!(finished.exit, ProcessExit::Signal(15));
    }

    #[test]
    fn timed_out_process_is_killed_and_its_output_kept() {
        let dir = tempfile::tempdir().unwrap();
        let started = dir.path().join("started");
        let mut command = shell(&format!("echo early; : > {}; sleep 600", started.display()));
        let start = Instant::now();
        let finished = run(&mut command, dir.path(), Duration::from_secs(2)).unwrap();
        assert_eq!(finished.exit, ProcessExit::TimedOut);
        assert!(start.elapsed() < GENEROUS);
        if started.exists() {
            assert_eq!(finished.stdout, "early\n");
        }
    }

    #[test]
    fn grandchild_with_open_output_is_not_waited_for() {
        let dir = tempfile::tempdir().unwrap();
        let start = Instant::now();
        let finished = run(&mut shell("sleep 120 & echo $!"), dir.path(), GENEROUS).unwrap();
        assert!(finished.exit.is_success());
        assert!(start.elapsed() < GENEROUS);
        let left: i32 = finished.stdout.trim().parse().unwrap();
        kill_process(Pid::from_raw(left).unwrap(), Signal::KILL).unwrap();
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn kill_reaches_descendants_outside_the_process_group() {
        let dir = tempfile::tempdir().unwrap();
        let pid_file = dir.path().join("pid");
        let script = format!("setsid sh -c 'echo $$ > {}; sleep 600'", pid_file.display());
        let mut command = shell(&format!("{script} & wait"));
        let mut running = RunningProcess::start(&mut command, Stdio::null(), dir.path()).unwrap();
        let escaped = until(GENEROUS, || {
            let text = fs::read_to_string(&pid_file).ok()?;
            text.trim().parse::<i32>().ok()
        });
        let escaped = escaped.expect("the descendant started");
        assert!(is_alive(escaped));
        running.kill_tree();
        assert!(until(GENEROUS, || (!is_alive(escaped)).then_some(())).is_some());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn running_processes_are_found_by_environment() {
        let dir = tempfile::tempdir().unwrap();
        let mark = dir.path().as_os_str();
        let found = || with_variable("LAB_PROCESS_MARK", mark).unwrap();
        assert_eq!(found(), [""; 0]);
        let mut command = shell("setsid sleep 600");
        command.env("LAB_PROCESS_MARK", mark);
        let mut running = RunningProcess::start(&mut command, Stdio::null(), dir.path()).unwrap();
        let sleeps = || found().iter().any(|line| line == "sleep 600").then_some(());
        assert!(until(GENEROUS, sleeps).is_some());
        running.kill_tree();
        let gone = || found().is_empty().then_some(());
        assert!(until(GENEROUS, gone).is_some(), "{:?}", found());
    }

    /// A killed orphan stays a zombie until its new parent reaps it.
    fn is_alive(pid: i32) -> bool {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat"));
        stat.is_ok_and(|text| {
            let state = text.rsplit_once(')').map(|(_, rest)| rest.trim_start());
            !state.is_some_and(|rest| rest.starts_with(['Z', 'X']))
        })
    }

    #[test]
    fn parent_is_parsed_after_a_command_name_with_parentheses() {
        let parent = parent_of("42 (a) b (c)) S 7 42 42 0");
        assert_eq!(parent, Pid::from_raw(7));
        assert_eq!(parent_of("42 (cut"), None);
        assert_eq!(parent_of(""), None);
    }

    #[test]
    fn until_returns_none_at_the_limit() {
        let limit = Duration::from_millis(20);
        assert_eq!(until(limit, || None::<()>), None);
        assert_eq!(until(limit, || Some(5)), Some(5));
    }
}
