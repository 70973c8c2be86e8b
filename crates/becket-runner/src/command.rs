//! [`CommandHook`]: a hook that runs a program.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use becket_agents::contract::{self, EventMetadata, ProcessOutput};
use becket_base::sync::MutexExt;
use becket_base::text::prefix_chars;
use becket_model::{
    Action, Dialect, Event, EventKind, FailureKind, HookOutcome, HookSource, HookSpec, Level,
    MatchStyle, Matcher, Trace,
};
use futures_lite::FutureExt;
use regex::Regex;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::hook::ConfiguredHook;
use crate::input::{HookContext, HookInput};
use crate::process::{self, Cancel, Ending, Finished, Program};

/// A command hook from configuration, or one made from a shell command.
///
/// It follows the contract of its dialect, whichever agent fires the event. A hook made with [`CommandHook::new`]
/// follows claude-agent's: JSON on stdin, an optional JSON reply on stdout, empty output allows.
///
/// ```
/// use becket_runner::{CommandHook, HookContext, HookEvent, HookInput, HookManager};
///
/// # futures_lite::future::block_on(async {
/// let mut manager = HookManager::new();
/// let reply = r#"echo '{"continue_execution": false, "stop_reason": "no"}'"#;
/// manager.register(CommandHook::new("checker", reply, [HookEvent::PreToolUse]).timeout(5));
/// let input = HookInput::pre_tool_use("s", "Bash", serde_json::json!({"command": "rm -rf /"}));
/// let output = manager.execute(HookEvent::PreToolUse, input, &HookContext::new("s")).await?;
/// assert_eq!(output.stop_reason.as_deref(), Some("no"));
/// # Ok::<(), becket_runner::Error>(()) }).unwrap();
/// ```
pub struct CommandHook {
    spec: HookSpec,
    events: Vec<EventKind>,
    extra_env: Vec<(String, String)>,
    /// Sessions in which a `once` hook has run.
    ran_in: Mutex<HashSet<String>>,
}

impl CommandHook {
    /// A shell command for these events, in claude-agent's dialect.
    pub fn new(
        name: impl Into<String>,
        command: impl Into<String>,
        events: impl IntoIterator<Item = EventKind>,
    ) -> Self {
        let name = name.into();
        let events: Vec<EventKind> = events.into_iter().collect();
        let source = HookSource {
            level: Level::Builtin,
            file: PathBuf::new(),
            line: 0,
            key: name.clone(),
        };
        let first = events.first().cloned().unwrap_or(EventKind::PreToolUse);
        let spec = HookSpec::command(name, Dialect::ClaudeAgent, first, command, source);
        Self {
            events,
            ..Self::from_spec(spec)
        }
    }

    /// A hook as configured.
    pub fn from_spec(spec: HookSpec) -> Self {
        Self {
            events: vec![spec.event.clone()],
            spec,
            extra_env: Vec::new(),
            ran_in: Mutex::default(),
        }
    }

    /// Limits the hook to tools that the pattern matches.
    #[must_use]
    pub fn matcher(mut self, pattern: &Regex) -> Self {
        // The syntax of `regex` is a subset of the matcher's.
        self.spec.matcher =
            Matcher::parse(pattern.as_str(), MatchStyle::Search).unwrap_or_else(|_| Matcher::all());
        self
    }

    /// Sets the deadline.
    #[must_use]
    pub fn timeout(mut self, secs: u64) -> Self {
        self.spec.timeout = Duration::from_secs(secs);
        self
    }

    /// Sets the priority.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.spec.priority = priority;
        self
    }

    /// Adds an environment variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.extra_env.push((name.into(), value.into()));
        self
    }

    fn spec_for(&self, kind: &EventKind) -> HookSpec {
        HookSpec {
            event: kind.clone(),
            ..self.spec.clone()
        }
    }

    /// Whether a `once` hook has already run in the session. Marks it as run.
    fn has_run_once(&self, session: &str) -> bool {
        self.spec.once
            && !self
                .ran_in
                .lock_ignoring_poison()
                .insert(session.to_owned())
    }
}

#[async_trait]
impl ConfiguredHook for CommandHook {
    fn entry(&self) -> &HookSpec {
        &self.spec
    }

    fn entry_events(&self) -> &[EventKind] {
        &self.events
    }

    async fn run_entry(&self, input: HookInput, ctx: &HookContext) -> HookOutcome {
        if self.has_run_once(&input.session_id) {
            return HookOutcome::none();
        }
        let event = input.to_event(ctx);
        let spec = self.spec_for(&event.kind());
        let timestamp = input.rfc3339();
        let project = ctx
            .project_dir
            .as_deref()
            .or(ctx.cwd.as_deref())
            .map(Path::to_string_lossy);
        let around = EventMetadata {
            event_id: input.event_id(),
            timestamp: &timestamp,
            project_dir: project.as_deref().or(event.cwd.as_deref()),
        };
        let Some(mut command) = child_command(&spec, &event, &around) else {
            return unsupported(&spec);
        };
        let more = ctx.env.iter();
        let extra = self.extra_env.iter().map(|(name, value)| (name, value));
        command.env.extend(
            more.chain(extra)
                .map(|(name, value)| (name.into(), value.into())),
        );
        command.cwd = working_dir(&spec, &event, ctx);
        let finished = run_child(command, &ctx.cancellation_token).await;
        HookOutcome {
            trace: Some(trace(&finished)),
            ..interpret(&spec, &event, &finished)
        }
    }
}

/// The child process of a command hook; `None` for other hooks.
pub fn child_command(
    spec: &HookSpec,
    event: &Event,
    around: &EventMetadata<'_>,
) -> Option<process::Command> {
    let Action::Command { command, args } = &spec.action else {
        return None;
    };
    let program = match args {
        None => shell(spec, command),
        Some(args) => Program::Exec {
            program: expand(command, spec, around),
            args: args.iter().map(|arg| expand(arg, spec, around)).collect(),
        },
    };
    Some(process::Command {
        env: contract::env(spec, event, around)
            .into_iter()
            .map(|(k, v)| (k.into(), v.into()))
            .collect(),
        // A hook that runs inside another hook's child must not inherit the outer hook's variables.
        env_remove: contract::reserved(spec.dialect)
            .into_iter()
            .map(Into::into)
            .collect(),
        stdin: contract::stdin(spec, event, around),
        timeout: spec.timeout,
        ..process::Command::new(program)
    })
}

/// Interprets the result of a finished child in its hook's dialect.
pub fn interpret(spec: &HookSpec, event: &Event, finished: &Finished) -> HookOutcome {
    let why_not;
    let ending = match &finished.ending {
        Ending::Exited(code) => contract::ProcessEnd::Exited(*code),
        Ending::Signaled(signal) => contract::ProcessEnd::Signaled(*signal),
        Ending::TimedOut => contract::ProcessEnd::TimedOut,
        Ending::Cancelled => contract::ProcessEnd::Cancelled,
        Ending::NotStarted(error) => {
            why_not = chain(error);
            contract::ProcessEnd::NotStarted(&why_not)
        }
        Ending::Lost(error) => {
            why_not = format!("its exit status is unknown: {error}");
            contract::ProcessEnd::NotStarted(&why_not)
        }
    };
    let truncated = finished.stdout.dropped > 0;
    let ran = ProcessOutput {
        ending,
        stdout: &finished.stdout.bytes,
        stderr: &finished.stderr.bytes,
        truncated,
    };
    contract::interpret(spec, event, &ran)
}

/// The longest output that is kept, in characters.
const MAX_OUTPUT_CHARS: usize = 2_000;

/// The exit code and output of a run, for its record.
fn trace(finished: &Finished) -> Trace {
    let streams = [&finished.stdout, &finished.stderr];
    let texts = streams.map(|stream| first_bytes(&stream.bytes));
    let texts: Vec<&str> = texts.iter().map(|text| text.trim_end()).collect();
    let both: Vec<&str> = texts.into_iter().filter(|text| !text.is_empty()).collect();
    Trace {
        exit: match finished.ending {
            Ending::Exited(code) => Some(code),
            _ => None,
        },
        output: whole_words(&both.join("\n")).to_owned(),
    }
}

/// The first bytes, a little more than are kept: a character has at most four bytes.
fn first_bytes(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(&bytes[..bytes.len().min(4 * (MAX_OUTPUT_CHARS + 1))])
}

/// Truncates a text between words: half of a secret would not be redacted.
fn whole_words(text: &str) -> &str {
    let kept = prefix_chars(text, MAX_OUTPUT_CHARS);
    if kept.len() == text.len() {
        return text;
    }
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';');
    kept.rfind(ends).map_or("", |end| &kept[..end])
}

fn chain(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", chain(source)),
        None => error.to_string(),
    }
}

fn unsupported(spec: &HookSpec) -> HookOutcome {
    let message = format!(
        "hook `{}`: hooks of type `{}` are not commands and cannot run here",
        spec.name,
        spec.action.kind()
    );
    HookOutcome::failed(FailureKind::NotStarted, message, spec.failure_verdict())
}

/// The working directory of a hook. A user's Claude hooks run in the session's directory, all others in the
/// workspace: relative paths in a project's hooks must refer to the trusted files, wherever the agent is. A
/// directory that no longer exists must not fail the hook.
pub fn working_dir(spec: &HookSpec, event: &Event, ctx: &HookContext) -> Option<PathBuf> {
    let session = event.cwd.as_ref().map(PathBuf::from);
    let order = if spec.dialect == Dialect::Claude && !spec.source.level.needs_trust() {
        [session, ctx.cwd.clone()]
    } else {
        [ctx.cwd.clone(), session]
    };
    let from = order.into_iter().flatten().find(|dir| dir.is_dir());
    match (&spec.cwd, from) {
        (Some(cwd), Some(from)) => Some(from.join(cwd)),
        (Some(cwd), None) => Some(cwd.clone()),
        (None, from) => from,
    }
}

/// A command line with the shell that its dialect uses.
fn shell(spec: &HookSpec, line: &str) -> Program {
    match contract::shell(spec.dialect) {
        ["/bin/sh", "-c"] | [] => Program::Shell(line.to_owned()),
        [program, args @ ..] => Program::Exec {
            program: program.into(),
            args: args.iter().copied().chain([line]).map(Into::into).collect(),
        },
    }
}

/// Expands the placeholders of exec-form arguments. Nothing else is substituted, and the result is not expanded
/// again.
fn expand(arg: &str, spec: &HookSpec, around: &EventMetadata<'_>) -> OsString {
    let root = spec.root.as_ref().map(|root| root.to_string_lossy());
    let known = [
        ("${CLAUDE_PROJECT_DIR}", around.project_dir),
        ("${CLAUDE_PLUGIN_ROOT}", root.as_deref()),
        ("${BECKET_PROJECT_DIR}", around.project_dir),
    ];
    let mut out = String::with_capacity(arg.len());
    let mut rest = arg;
    while let Some(at) = rest.find("${") {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        match known
            .iter()
            .find_map(|(name, value)| rest.strip_prefix(name).zip(*value))
        {
            Some((after, value)) => {
                out.push_str(value);
                rest = after;
            }
            None => {
                out.push_str("${");
                rest = &rest[2..];
            }
        }
    }
    out.push_str(rest);
    out.into()
}

/// Cancels the child if the future that waits for it is dropped.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Runs the child on its own thread. Cancelling the token ends the child and its process group before this returns.
async fn run_child(command: process::Command, token: &CancellationToken) -> Finished {
    let cancel = Cancel::new();
    let guard = CancelOnDrop(cancel.clone());
    let (done, waiting) = oneshot::channel();
    let command = Arc::new(command);
    let for_thread = Arc::clone(&command);
    let spawned = std::thread::Builder::new()
        .name("becket-hook".into())
        .spawn(move || {
            let _ = done.send(process::run(&for_thread, &cancel));
        });
    let finished = match spawned {
        Ok(_) => wait(waiting, token, &guard).await,
        Err(_) => None,
    };
    // If the thread cannot be started or has died, run the child here: late is better than never.
    finished.unwrap_or_else(|| process::run(&command, &Cancel::never()))
}

async fn wait(
    mut waiting: oneshot::Receiver<Finished>,
    token: &CancellationToken,
    guard: &CancelOnDrop,
) -> Option<Finished> {
    let cancelled = async {
        token.cancelled().await;
        None
    };
    let finished = async { Some((&mut waiting).await.ok()) }
        .or(cancelled)
        .await;
    match finished {
        Some(finished) => finished,
        None => {
            guard.0.cancel();
            waiting.await.ok()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truncated_output_ends_between_words() {
        assert_eq!(whole_words("short"), "short");
        let fits = "ü".repeat(MAX_OUTPUT_CHARS);
        assert_eq!(whole_words(&fits), fits);
        let long = format!("{} {}", "a".repeat(MAX_OUTPUT_CHARS - 3), "secret");
        assert_eq!(whole_words(&long), "a".repeat(MAX_OUTPUT_CHARS - 3));
        assert_eq!(whole_words(&"s".repeat(MAX_OUTPUT_CHARS + 1)), "");
    }
}
