//! One child process under one deadline, with everything that it started.
//!
//! The child gets no stdin, and its output goes to files rather than pipes, so a grandchild that
//! outlives it and keeps the descriptors open cannot make a test wait. Start at [`run`].

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
pub enum Exit {
    /// It exited with this code.
    Code(i32),
    /// Something else killed it with this signal.
    Signal(i32),
    /// It was killed here, because its time was up.
    TimedOut,
}

impl Exit {
    /// Whether it exited with code 0.
    pub fn is_success(self) -> bool {
        self == Self::Code(0)
    }
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Code(code),
            (None, Some(signal)) => Self::Signal(signal),
            (None, None) => Self::Code(-1),
        }
    }
}

/// A process that has ended, and what it wrote.
#[derive(Debug, Clone)]
pub struct Finished {
    /// How it ended.
    pub exit: Exit,
    /// Its standard output; bytes that are not UTF-8 are replaced.
    pub stdout: String,
    /// Its standard error; bytes that are not UTF-8 are replaced.
    pub stderr: String,
}

/// A runaway client must not fill the memory of the test process: of longer output the end is kept.
const MAX_OUTPUT: u64 = 32 << 20;

/// The kernel keeps an ended child as a zombie until it is waited for, so its process id cannot be
/// another's between two looks.
const POLL: Duration = Duration::from_millis(10);

/// Runs `command` to its end or for `limit`, whichever comes first, and keeps its output as
/// `stdout` and `stderr` in `output`, which is created.
///
/// Past the limit the whole process group is killed, and so are descendants that left the group.
pub fn run(command: &mut Command, output: &Path, limit: Duration) -> io::Result<Finished> {
    Running::start(command, Stdio::null(), output)?.finish(limit)
}

/// Asks `probe` again and again until it gives something, for at most `limit`.
///
/// For what a client leaves running in the background: a test states what it waits for instead of
/// sleeping.
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

/// The command lines of all processes that were started with this environment variable and still
/// run. An error where there is no `/proc`.
pub fn with_variable(name: &str, value: &OsStr) -> io::Result<Vec<String>> {
    let wanted = [name.as_bytes(), b"=", value.as_bytes()].concat();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc")?.flatten() {
        // Gone by now, another user's, or a zombie, whose environment is empty.
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

/// A child that is killed, with everything below it, unless it ends first.
pub(crate) struct Running {
    child: Child,
    status: Option<ExitStatus>,
    stdout: PathBuf,
    stderr: PathBuf,
}

impl Running {
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

    /// The other end of the child's stdin, once, if it was given a pipe.
    pub(crate) fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    /// What the child has written to its stdout so far.
    pub(crate) fn stdout(&self) -> io::Result<String> {
        read_end(&self.stdout)
    }

    /// Whether the child has ended by itself.
    pub(crate) fn has_ended(&mut self) -> io::Result<bool> {
        Ok(self.wait(Duration::ZERO)?.is_some())
    }

    /// Waits for the end, and brings it about past the limit.
    pub(crate) fn finish(mut self, limit: Duration) -> io::Result<Finished> {
        let ended = self.wait(limit)?;
        if ended.is_none() {
            self.kill_tree();
        }
        Ok(Finished {
            exit: ended.map_or(Exit::TimedOut, Exit::from),
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

    /// Clients start hooks in sessions of their own, where a signal to the client's group does not
    /// reach them; hence the walk over the descendants before their parents are gone.
    fn kill_tree(&mut self) {
        let Some(root) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) else {
            return;
        };
        let below = descendants(root);
        // Failing to kill means that the process is gone already, which is what was wanted.
        let _ = kill_process_group(root, Signal::KILL);
        for pid in below {
            let _ = kill_process(pid, Signal::KILL);
        }
        self.status = self.child.wait().ok();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.status.is_none() {
            self.kill_tree();
        }
    }
}

/// Every process below `root`, by parent links. Empty where there is no `/proc`.
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

/// The parent in a line of `/proc/<pid>/stat`: the second field after the command name, which is in
/// parentheses and may hold spaces and parentheses itself.
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
    fn output_and_exit_code_come_back() {
        let dir = tempfile::tempdir().unwrap();
        let mut command = shell("echo out; echo err >&2; exit 3");
        let finished = run(&mut command, dir.path(), GENEROUS).unwrap();
        assert_eq!(finished.exit, Exit::Code(3));
        assert_eq!(finished.stdout, "out\n");
        assert_eq!(finished.stderr, "err\n");
    }

    #[test]
    fn death_by_a_signal_is_told_from_an_exit_code() {
        let dir = tempfile::tempdir().unwrap();
        let finished = run(&mut shell("kill -TERM $$"), dir.path(), GENEROUS).unwrap();
        assert_eq!(finished.exit, Exit::Signal(15));
    }

    #[test]
    fn a_process_past_its_limit_is_killed_and_what_it_wrote_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let started = dir.path().join("started");
        let mut command = shell(&format!("echo early; : > {}; sleep 600", started.display()));
        let start = Instant::now();
        let finished = run(&mut command, dir.path(), Duration::from_secs(2)).unwrap();
        assert_eq!(finished.exit, Exit::TimedOut);
        assert!(start.elapsed() < GENEROUS);
        if started.exists() {
            assert_eq!(finished.stdout, "early\n");
        }
    }

    #[test]
    fn a_grandchild_that_holds_the_output_open_is_not_waited_for() {
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
    fn killing_reaches_descendants_that_left_the_process_group() {
        let dir = tempfile::tempdir().unwrap();
        let pid_file = dir.path().join("pid");
        let script = format!("setsid sh -c 'echo $$ > {}; sleep 600'", pid_file.display());
        let mut command = shell(&format!("{script} & wait"));
        let mut running = Running::start(&mut command, Stdio::null(), dir.path()).unwrap();
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
    fn what_still_runs_is_found_by_its_environment() {
        let dir = tempfile::tempdir().unwrap();
        let mark = dir.path().as_os_str();
        let found = || with_variable("LAB_PROCESS_MARK", mark).unwrap();
        assert_eq!(found(), [""; 0]);
        let mut command = shell("setsid sleep 600");
        command.env("LAB_PROCESS_MARK", mark);
        let mut running = Running::start(&mut command, Stdio::null(), dir.path()).unwrap();
        let sleeps = || found().iter().any(|line| line == "sleep 600").then_some(());
        assert!(until(GENEROUS, sleeps).is_some());
        running.kill_tree();
        let gone = || found().is_empty().then_some(());
        assert!(until(GENEROUS, gone).is_some(), "{:?}", found());
    }

    /// A killed orphan may stay a zombie for as long as nobody above it cares.
    fn is_alive(pid: i32) -> bool {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat"));
        stat.is_ok_and(|text| {
            let state = text.rsplit_once(')').map(|(_, rest)| rest.trim_start());
            !state.is_some_and(|rest| rest.starts_with(['Z', 'X']))
        })
    }

    #[test]
    fn the_parent_is_found_behind_a_command_name_with_parentheses() {
        let parent = parent_of("42 (a) b (c)) S 7 42 42 0");
        assert_eq!(parent, Pid::from_raw(7));
        assert_eq!(parent_of("42 (cut"), None);
        assert_eq!(parent_of(""), None);
    }

    #[test]
    fn until_gives_up_when_nothing_comes() {
        let limit = Duration::from_millis(20);
        assert_eq!(until(limit, || None::<()>), None);
        assert_eq!(until(limit, || Some(5)), Some(5));
    }
}
