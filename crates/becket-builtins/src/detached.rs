//! Starts sound players and notifiers without waiting for them.
//!
//! They usually end within a second. A program that hangs (for example because the sound server does not answer) is
//! killed by `timeout`, if the system has it, and by a thread while this process lives.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::hook::HookJob;
use crate::programs;

/// Maximum run time.
const MAX_RUNTIME: Duration = Duration::from_secs(15);

/// A program with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DetachedProgram {
    pub(crate) file: PathBuf,
    pub(crate) args: Vec<OsString>,
}

/// Starts the program and returns.
pub(crate) fn start(job: &HookJob, program: &DetachedProgram) -> Result<(), String> {
    let mut command = match programs::find(job, "timeout") {
        Some(timeout) => {
            let mut command = Command::new(timeout);
            command
                .arg(MAX_RUNTIME.as_secs().to_string())
                .arg(&program.file);
            command
        }
        None => Command::new(&program.file),
    };
    if let Some(path) = job.var("PATH") {
        command.env("PATH", path);
    }
    let child = command
        .args(&program.args)
        .current_dir("/")
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| format!("cannot start `{}`: {error}", program.file.display()))?;
    // Reap the child, so that a long-running process collects no zombies.
    let reaper = std::thread::Builder::new().name("becket-alert".into());
    let _ = reaper.spawn(move || reap(child));
    Ok(())
}

fn reap(mut child: std::process::Child) {
    let until = Instant::now() + MAX_RUNTIME + Duration::from_secs(1);
    while Instant::now() < until {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let _ = child.kill();
    let _ = child.wait();
}
