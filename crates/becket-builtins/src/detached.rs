//! Players and notifiers: started, and not waited for.
//!
//! They end by themselves within a second or so. One that hangs (a sound server that does not
//! answer) is ended by `timeout` where the system has it, and by a thread of ours while this
//! process lives.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::hook::Job;
use crate::programs;

/// No alert takes longer.
const LONGEST: Duration = Duration::from_secs(15);

/// Something to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) file: PathBuf,
    pub(crate) args: Vec<OsString>,
}

/// Starts the program and returns.
pub(crate) fn start(job: &Job, program: &Program) -> Result<(), String> {
    let mut command = match programs::find(job, "timeout") {
        Some(timeout) => {
            let mut command = Command::new(timeout);
            command
                .arg(LONGEST.as_secs().to_string())
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
    // Reaped here while this process lives, so that a long-lived one gathers no zombies.
    let reaper = std::thread::Builder::new().name("becket-alert".into());
    let _ = reaper.spawn(move || reap(child));
    Ok(())
}

fn reap(mut child: std::process::Child) {
    let until = Instant::now() + LONGEST + Duration::from_secs(1);
    while Instant::now() < until {
        if !matches!(child.try_wait(), Ok(None)) {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let _ = child.kill();
    let _ = child.wait();
}
