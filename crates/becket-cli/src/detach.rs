//! Async hooks: started, and never waited for.
//!
//! A helper process (this same program, in a session of its own) keeps the hook's deadline after we
//! have answered and gone. The job reaches it through an unlinked file, so nothing of it shows in
//! the process list and nothing is left behind.

use std::io::{Read, Seek, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::Context;
use becket::env::ProcessEnv;
use becket::respond::Detached;
use becket::runner::process::{self, Cancel, Ending, Program};
use becket::{Home, id};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::exit::Exit;
use crate::{trail, twin};

/// The word on the command line that makes this program the helper.
pub(crate) const WORD: &str = "__run-async-hook";

#[derive(Serialize, Deserialize)]
struct Job {
    hook: String,
    event_id: String,
    command: Option<String>,
    exec: Option<Vec<String>>,
    cwd: Option<PathBuf>,
    env: Vec<(String, String)>,
    stdin: String,
    timeout_ms: u64,
}

/// Starts the helper for a hook and returns.
pub(crate) fn start(detached: &Detached) -> anyhow::Result<()> {
    let mut file = job_file()?;
    serde_json::to_writer(&mut file, &Job::from(detached))?;
    file.flush()?;
    file.rewind()?;
    Command::new(twin::beside(twin::SMALL).context("own path unknown")?)
        .arg(WORD)
        .stdin(file)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .context("helper not started")?;
    Ok(())
}

/// A file without a name, in memory where the system can.
fn job_file() -> anyhow::Result<std::fs::File> {
    #[cfg(target_os = "linux")]
    if let Ok(fd) = rustix::fs::memfd_create("becket-job", rustix::fs::MemfdFlags::CLOEXEC) {
        return Ok(fd.into());
    }
    let path = std::env::temp_dir().join(format!("becket-job-{}", id::new_id()));
    let mut options = std::fs::OpenOptions::new();
    std::os::unix::fs::OpenOptionsExt::mode(options.read(true).write(true).create_new(true), 0o600);
    let file = options.open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

/// The helper itself.
pub(crate) fn main() -> Exit {
    let mut text = String::new();
    let job: Option<Job> = std::io::stdin()
        .lock()
        .read_to_string(&mut text)
        .ok()
        .and_then(|_| serde_json::from_str(&text).ok());
    let Some(job) = job else { return Exit::Usage };
    // Away from the agent's terminal: its hang-up is not meant for us.
    let _ = rustix::process::setsid();
    let finished = process::run(&job.child(), &Cancel::never());
    let ending = match &finished.ending {
        Ending::Exited(code) => format!("exit {code}"),
        Ending::Signaled(signal) => format!("signal {signal}"),
        Ending::TimedOut => "timed out".to_owned(),
        Ending::Cancelled => "cancelled".to_owned(),
        Ending::NotStarted(error) => format!("not started: {error}"),
        Ending::Lost(error) => format!("not seen: {error}"),
    };
    let record = json!({
        "v": 1, "id": id::new_id(), "kind": "async_hook", "event_id": job.event_id, "hook": job.hook,
        "ending": ending, "ms": u64::try_from(finished.duration.as_millis()).unwrap_or(u64::MAX),
    });
    match trail::append(&Home::find(&ProcessEnv), record) {
        Ok(()) => Exit::Success,
        Err(_) => Exit::Failure,
    }
}

impl From<&Detached> for Job {
    fn from(detached: &Detached) -> Self {
        let command = &detached.command;
        let text = |value: &std::ffi::OsStr| value.to_string_lossy().into_owned();
        let (line, exec) = match &command.program {
            Program::Shell(line) => (Some(line.clone()), None),
            Program::Exec { program, args } => (
                None,
                Some(
                    std::iter::once(program)
                        .chain(args)
                        .map(|word| text(word))
                        .collect(),
                ),
            ),
        };
        Self {
            hook: detached.hook.clone(),
            event_id: detached.event_id.clone(),
            command: line,
            exec,
            cwd: command.cwd.clone(),
            env: command
                .env
                .iter()
                .map(|(name, value)| (text(name), text(value)))
                .collect(),
            stdin: String::from_utf8_lossy(&command.stdin).into_owned(),
            timeout_ms: u64::try_from(command.timeout.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

impl Job {
    fn child(&self) -> process::Command {
        let program = match (&self.command, self.exec.as_deref()) {
            (Some(line), _) => Program::Shell(line.clone()),
            (None, Some([program, args @ ..])) => Program::Exec {
                program: program.into(),
                args: args.iter().map(Into::into).collect(),
            },
            (None, _) => Program::Shell(String::new()),
        };
        process::Command {
            cwd: self.cwd.clone(),
            env: self
                .env
                .iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            stdin: self.stdin.clone().into_bytes(),
            timeout: Duration::from_millis(self.timeout_ms),
            ..process::Command::new(program)
        }
    }
}
