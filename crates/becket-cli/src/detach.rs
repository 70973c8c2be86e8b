//! Async hooks: started, and never waited for.
//!
//! A helper process (this same program, in a session of its own) keeps the hook's deadline after we
//! have answered and gone.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use becket::env::ProcessEnv;
use becket::respond::{Detached, HookKey, Work, run_alone};
use becket::runner::process::{self, Cancel, Ending, Program};
use becket::{Home, Maker, Request, id};
use becket_guard::redact::redact_also;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::exit::Exit;
use crate::{handed, trail, twin};

/// The word on the command line that makes this program the helper.
pub(crate) const WORD: &str = "__run-async-hook";

#[derive(Serialize, Deserialize)]
struct Job {
    hook: String,
    event_id: String,
    work: JobWork,
}

#[derive(Serialize, Deserialize)]
enum JobWork {
    Command {
        command: Option<String>,
        exec: Option<Vec<String>>,
        cwd: Option<PathBuf>,
        env: Vec<(String, String)>,
        stdin: String,
        timeout_ms: u64,
    },
    Alone {
        agent: String,
        event: Option<String>,
        payload: String,
        cwd: PathBuf,
        file: PathBuf,
        key: String,
        change: Option<usize>,
    },
}

/// Starts the helper for a hook and returns.
pub(crate) fn start(detached: &Detached, request: &Request<'_>) -> anyhow::Result<()> {
    let job = serde_json::to_vec(&Job::new(detached, request))?;
    let helper = match &detached.work {
        Work::Command(_) => twin::SMALL,
        Work::Alone(_) => twin::LARGE,
    };
    Command::new(twin::beside(helper).context("own path unknown")?)
        .arg(WORD)
        .stdin(handed::file(&job)?)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
        .context("helper not started")?;
    Ok(())
}

/// The helper itself.
pub(crate) fn main(maker: &dyn Maker) -> Exit {
    let mut text = String::new();
    let job: Option<Job> = std::io::stdin()
        .lock()
        .read_to_string(&mut text)
        .ok()
        .and_then(|_| serde_json::from_str(&text).ok());
    let Some(job) = job else { return Exit::Usage };
    // Away from the agent's terminal: its hang-up is not meant for us.
    let _ = rustix::process::setsid();
    let home = Home::find(&ProcessEnv);
    redact_also(&becket::load(&home, None, None).settings.redact);
    let started = Instant::now();
    let ending = job.run(&home, maker);
    let took = started.elapsed().as_millis();
    let record = json!({
        "v": 1, "id": id::new_id(), "kind": "async_hook", "event_id": job.event_id, "hook": job.hook,
        "ending": ending, "ms": u64::try_from(took).unwrap_or(u64::MAX),
    });
    match trail::append(&home, record) {
        Ok(()) => Exit::Success,
        Err(_) => Exit::Failure,
    }
}

fn ending(ending: &Ending) -> String {
    match ending {
        Ending::Exited(code) => format!("exit {code}"),
        Ending::Signaled(signal) => format!("signal {signal}"),
        Ending::TimedOut => "timed out".to_owned(),
        Ending::Cancelled => "cancelled".to_owned(),
        Ending::NotStarted(error) => format!("not started: {error}"),
        Ending::Lost(error) => format!("not seen: {error}"),
    }
}

impl Job {
    fn new(detached: &Detached, request: &Request<'_>) -> Self {
        let work = match &detached.work {
            Work::Command(command) => JobWork::command(command),
            Work::Alone(key) => JobWork::Alone {
                agent: request.adapter.id().to_owned(),
                event: request.event.map(str::to_owned),
                payload: String::from_utf8_lossy(request.payload).into_owned(),
                cwd: request.cwd.to_owned(),
                file: key.file.clone(),
                key: key.key.clone(),
                change: key.change,
            },
        };
        Self {
            hook: detached.hook.clone(),
            event_id: detached.event_id.clone(),
            work,
        }
    }

    /// Runs it to its end and says how that was.
    fn run(&self, home: &Home, maker: &dyn Maker) -> String {
        let JobWork::Alone {
            agent,
            event,
            payload,
            cwd,
            file,
            key,
            change,
        } = &self.work
        else {
            let Some(child) = self.work.child() else {
                return "not started: nothing to run".to_owned();
            };
            return ending(&process::run(&child, &Cancel::never()).ending);
        };
        let Some(adapter) = becket::adapter(agent) else {
            return format!("not started: unknown agent `{agent}`");
        };
        let request = Request {
            adapter,
            event: event.as_deref(),
            payload: payload.as_bytes(),
            home,
            cwd,
            before_hooks: &|_| (),
            maker,
        };
        let key = HookKey {
            file: file.clone(),
            key: key.clone(),
            change: *change,
        };
        match run_alone(&request, &key, &self.event_id) {
            Ok(said) => said
                .outcome
                .failure
                .map_or_else(|| "done".to_owned(), |failure| failure.message),
            Err(error) => format!("not started: {error}"),
        }
    }
}

impl JobWork {
    fn command(command: &process::Command) -> Self {
        let text = |value: &std::ffi::OsStr| value.to_string_lossy().into_owned();
        let (line, exec) = match &command.program {
            Program::Shell(line) => (Some(line.clone()), None),
            Program::Exec { program, args } => {
                let words = std::iter::once(program).chain(args);
                (None, Some(words.map(|word| text(word)).collect()))
            }
        };
        let env = command.env.iter();
        Self::Command {
            command: line,
            exec,
            cwd: command.cwd.clone(),
            env: env.map(|(name, value)| (text(name), text(value))).collect(),
            stdin: String::from_utf8_lossy(&command.stdin).into_owned(),
            timeout_ms: u64::try_from(command.timeout.as_millis()).unwrap_or(u64::MAX),
        }
    }

    fn child(&self) -> Option<process::Command> {
        let Self::Command {
            command,
            exec,
            cwd,
            env,
            stdin,
            timeout_ms,
        } = self
        else {
            return None;
        };
        let program = match (command, exec.as_deref()) {
            (Some(line), _) => Program::Shell(line.clone()),
            (None, Some([program, args @ ..])) => Program::Exec {
                program: program.into(),
                args: args.iter().map(Into::into).collect(),
            },
            (None, _) => return None,
        };
        let env = env.iter();
        Some(process::Command {
            cwd: cwd.clone(),
            env: env
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            stdin: stdin.clone().into_bytes(),
            timeout: Duration::from_millis(*timeout_ms),
            ..process::Command::new(program)
        })
    }
}
