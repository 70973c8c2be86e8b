//! A small process that starts the measured programs.
//!
//! The benchmark itself loads a model and fills a database. If such a parent forked, copying its page tables would add
//! the same cost to every candidate, `/bin/true` included, and flatter the ratio. The launcher starts first, stays
//! small, and measures from `posix_spawn` to the exit of the child.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const ARGUMENT: &str = "--launcher";

/// One start of a program.
pub(crate) struct Launch<'a> {
    pub(crate) program: &'a Path,
    pub(crate) args: &'a [&'a str],
    pub(crate) home: &'a Path,
    pub(crate) project: &'a Path,
    /// One line of JSON.
    pub(crate) payload: &'a str,
}

impl Launch<'_> {
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(self.program);
        command
            .args(self.args)
            .env("HOME", self.home)
            .env("BECKET_HOME", self.home.join(".becket"))
            .env("BECKET_DAEMON", "off")
            .current_dir(self.project)
            .stdin(Stdio::piped());
        command
    }

    fn run(&self) -> Duration {
        let mut command = self.command();
        command.stdout(Stdio::null());
        let started = Instant::now();
        let mut child = command.spawn().expect("the program starts");
        let mut stdin = child.stdin.take().expect("stdin is a pipe");
        let _ = stdin.write_all(self.payload.as_bytes());
        drop(stdin);
        let status = child.wait().expect("the program exits");
        let took = started.elapsed();
        assert!(status.success(), "{} failed", self.program.display());
        took
    }
}

/// The handle to the launcher process.
pub(crate) struct Launcher {
    child: Child,
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
}

impl Launcher {
    pub(crate) fn start() -> Self {
        let program = std::env::current_exe().expect("the benchmark has a path");
        let mut child = Command::new(program)
            .arg(ARGUMENT)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the launcher starts");
        Self {
            requests: child.stdin.take().expect("stdin is a pipe"),
            replies: BufReader::new(child.stdout.take().expect("stdout is a pipe")),
            child,
        }
    }

    /// Runs a program to its end.
    pub(crate) fn run(&mut self, launch: &Launch<'_>) -> Duration {
        let fields = [
            launch.program.to_str().expect("the path is UTF-8"),
            &launch.args.join(" "),
            launch.home.to_str().expect("the path is UTF-8"),
            launch.project.to_str().expect("the path is UTF-8"),
            launch.payload.trim_end(),
        ];
        writeln!(self.requests, "{}", fields.join("\t")).expect("the launcher reads");
        let mut reply = String::new();
        self.replies
            .read_line(&mut reply)
            .expect("the launcher replies");
        let nanos = reply.trim().parse().expect("the reply is a number");
        Duration::from_nanos(nanos)
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Serves as the launcher if this process was started as one; returns whether it did.
pub(crate) fn serve() -> bool {
    if !std::env::args().any(|argument| argument == ARGUMENT) {
        return false;
    }
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("the request is text");
        let mut fields = line.split('\t');
        let mut field = || fields.next().expect("the request has five fields");
        let (program, args, home, project, payload) = (field(), field(), field(), field(), field());
        let args: Vec<&str> = args.split_whitespace().collect();
        let launch = Launch {
            program: Path::new(program),
            args: &args,
            home: Path::new(home),
            project: Path::new(project),
            payload: &format!("{payload}\n"),
        };
        println!("{}", launch.run().as_nanos());
    }
    true
}
