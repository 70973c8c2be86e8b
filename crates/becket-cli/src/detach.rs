//! Runs async hooks in a detached helper process.
//!
//! The helper is this same program in its own session. It enforces the hook's timeout after the client has
//! answered the agent and exited.

use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use becket::env::ProcessEnv;
use becket::pipeline::{DetachedHook, DetachedWork, HookKey, run_in_process};
use becket::runner::process::{self, Cancel, Ending, Program};
use becket::{Home, HookFactory, Request, id};
use becket_guard::redact::set_custom_patterns;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::exit::Exit;
use crate::{full_binary, memfd, recorder};

/// The hidden subcommand that runs the helper.
pub(crate) const SUBCOMMAND: &str = "__run-async-hook";

#[derive(Serialize, Deserialize)]
struct AsyncJob {
    hook: String,
    event_id: String,
    work: AsyncWork,
}

#[derive(Serialize, Deserialize)]
enum AsyncWork {
    Command {
        command: Option<String>,
        exec: Option<Vec<String>>,
        cwd: Option<PathBuf>,
        env: Vec<(String, String)>,
        stdin: String,
        timeout_ms: u64,
    },
    #[serde(rename = "Alone")]
    InProcess {
        agent: String,
        event: Option<String>,
        payload: String,
        cwd: PathBuf,
        file: PathBuf,
        key: String,
        change: Option<usize>,
    },
}

/// Starts the helper for a hook and returns at once.
pub(crate) fn spawn_helper(detached: &DetachedHook, request: &Request<'_>) -> anyhow::Result<()> {
    let job = serde_json::to_vec(&AsyncJob::new(detached, request))?;
    let helper = match &detached.work {
        DetachedWork::Command(_) => full_binary::HOOK_CLIENT,
        DetachedWork::InProcess(_) => full_binary::FULL_BINARY,
    };
    Command::new(
        full_binary::sibling_path(helper).context("cannot find the path of this program")?,
    )
    .arg(SUBCOMMAND)
    .stdin(memfd::file_with(&job)?)
    .stdout(Stdio::null())
    .stderr(Stdio::null())
    .process_group(0)
    .spawn()
    .context("cannot start the helper process")?;
    Ok(())
}

/// The helper process: reads a job from standard input, runs it and records how it ended.
pub(crate) fn main(factory: &dyn HookFactory) -> Exit {
    let mut text = String::new();
    let job: Option<AsyncJob> = std::io::stdin()
        .lock()
        .read_to_string(&mut text)
        .ok()
        .and_then(|_| serde_json::from_str(&text).ok());
    let Some(job) = job else { return Exit::Usage };
    // Leave the agent's terminal session, so that its SIGHUP does not reach the hook.
    let _ = rustix::process::setsid();
    let home = Home::find(&ProcessEnv);
    set_custom_patterns(&becket::load(&home, None, None).settings.redact);
    let started = Instant::now();
    let ending = job.run(&home, factory);
    let took = started.elapsed().as_millis();
    let record = json!({
        "v": 1, "id": id::new_id(), "kind": "async_hook", "event_id": job.event_id, "hook": job.hook,
        "ending": ending, "ms": u64::try_from(took).unwrap_or(u64::MAX),
    });
    match recorder::append(&home, record) {
        Ok(()) => Exit::Success,
        Err(_) => Exit::Failure,
    }
}

fn ending_text(ending: &Ending) -> String {
    match ending {
        Ending::Exited(code) => format!("exit {code}"),
        Ending::Signaled(signal) => format!("signal {signal}"),
        Ending::TimedOut => "timed out".to_owned(),
        Ending::Cancelled => "cancelled".to_owned(),
        Ending::NotStarted(error) => format!("not started: {error}"),
        Ending::Lost(error) => format!("not seen: {error}"),
    }
}

impl AsyncJob {
    fn new(detached: &DetachedHook, request: &Request<'_>) -> Self {
        let work = match &detached.work {
            DetachedWork::Command(command) => AsyncWork::from_command(command),
            DetachedWork::InProcess(key) => AsyncWork::InProcess {
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

    /// Runs the job to its end and describes the result.
    fn run(&self, home: &Home, factory: &dyn HookFactory) -> String {
        let AsyncWork::InProcess {
            agent,
            event,
            payload,
            cwd,
            file,
            key,
            change,
        } = &self.work
        else {
            let Some(child) = self.work.to_command() else {
                return "not started: nothing to run".to_owned();
            };
            return ending_text(&process::run(&child, &Cancel::never()).ending);
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
            factory,
        };
        let key = HookKey {
            file: file.clone(),
            key: key.clone(),
            change: *change,
        };
        match run_in_process(&request, &key, &self.event_id) {
            Ok(run) => run
                .outcome
                .failure
                .map_or_else(|| "done".to_owned(), |failure| failure.message),
            Err(error) => format!("not started: {error}"),
        }
    }
}

impl AsyncWork {
    fn from_command(command: &process::Command) -> Self {
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

    fn to_command(&self) -> Option<process::Command> {
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
