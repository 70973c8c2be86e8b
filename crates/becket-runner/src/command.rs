//! [`CommandHook`]: a hook that is a program.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use becket_agents::contract::{self, Ran, Surroundings};
use becket_model::{
    Action, Dialect, Event, EventKind, FailureKind, HookSpec, Level, MatchStyle, Matcher, Outcome,
    Source, Trace,
};
use futures_lite::FutureExt;
use regex::Regex;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

use crate::error::{Error, Result};
use crate::hook::Hook;
use crate::input::{HookContext, HookInput};
use crate::output::HookOutput;
use crate::process::{self, Cancel, Ending, Finished, Program};

/// A hook from configuration, or a shell command made into one.
///
/// It keeps the contract of its dialect whichever agent fires the event. A hook made with
/// [`CommandHook::new`] keeps claude-agent's: JSON on stdin, an optional JSON reply on stdout,
/// empty output allows.
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
        let source = Source {
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

    /// Only for tools that the pattern finds.
    #[must_use]
    pub fn matcher(mut self, pattern: &Regex) -> Self {
        // Every pattern of `regex` is one of the matcher's own engine as well.
        self.spec.matcher =
            Matcher::parse(pattern.as_str(), MatchStyle::Search).unwrap_or_else(|_| Matcher::all());
        self
    }

    /// With another deadline.
    #[must_use]
    pub fn timeout(mut self, secs: u64) -> Self {
        self.spec.timeout = Duration::from_secs(secs);
        self
    }

    /// With a priority.
    #[must_use]
    pub fn priority(mut self, priority: i32) -> Self {
        self.spec.priority = priority;
        self
    }

    /// With one more environment variable.
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

    fn is_spent(&self, session: &str) -> bool {
        self.spec.once
            && !self
                .ran_in
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(session.to_owned())
    }
}

#[async_trait]
impl Hook for CommandHook {
    fn name(&self) -> &str {
        &self.spec.name
    }

    fn events(&self) -> &[EventKind] {
        &self.events
    }

    fn timeout_secs(&self) -> u64 {
        self.spec.timeout.as_secs()
    }

    fn priority(&self) -> i32 {
        self.spec.priority
    }

    fn spec(&self) -> Option<&HookSpec> {
        Some(&self.spec)
    }

    /// The child has a deadline of its own, enforced on its whole process group.
    fn deadline(&self) -> Option<Duration> {
        None
    }

    async fn execute(&self, input: HookInput, ctx: &HookContext) -> Result<HookOutput> {
        let outcome = self.run(input, ctx).await;
        match outcome.failure {
            Some(failure) => Err(Error::HookFailed {
                hook: self.spec.name.clone(),
                message: failure.message,
            }),
            None => Ok(becket_model::merge(vec![becket_model::Said {
                hook: self.spec.name.clone(),
                outcome,
                took: Duration::ZERO,
            }])
            .into()),
        }
    }

    async fn run(&self, input: HookInput, ctx: &HookContext) -> Outcome {
        if self.is_spent(&input.session_id) {
            return Outcome::none();
        }
        let event = input.to_event(ctx);
        let spec = self.spec_for(&event.kind());
        let timestamp = input.rfc3339();
        let project = ctx
            .project_dir
            .as_deref()
            .or(ctx.cwd.as_deref())
            .map(Path::to_string_lossy);
        let around = Surroundings {
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
        Outcome {
            trace: Some(trace(&finished)),
            ..interpret(&spec, &event, &finished)
        }
    }
}

/// The child that a command hook is; `None` for hooks that are not commands.
pub fn child_command(
    spec: &HookSpec,
    event: &Event,
    around: &Surroundings<'_>,
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
        // A hook that runs inside another hook's child must not see the outer one's variables.
        env_remove: contract::reserved(spec.dialect)
            .into_iter()
            .map(Into::into)
            .collect(),
        stdin: contract::stdin(spec, event, around),
        timeout: spec.timeout,
        ..process::Command::new(program)
    })
}

/// What a finished child said, in its dialect.
pub fn interpret(spec: &HookSpec, event: &Event, finished: &Finished) -> Outcome {
    let why_not;
    let ending = match &finished.ending {
        Ending::Exited(code) => contract::Ending::Exited(*code),
        Ending::Signaled(signal) => contract::Ending::Signaled(*signal),
        Ending::TimedOut => contract::Ending::TimedOut,
        Ending::Cancelled => contract::Ending::Cancelled,
        Ending::NotStarted(error) => {
            why_not = chain(error);
            contract::Ending::NotStarted(&why_not)
        }
        Ending::Lost(error) => {
            why_not = format!("its end was not seen: {error}");
            contract::Ending::NotStarted(&why_not)
        }
    };
    let truncated = finished.stdout.dropped > 0;
    let ran = Ran {
        ending,
        stdout: &finished.stdout.bytes,
        stderr: &finished.stderr.bytes,
        truncated,
    };
    contract::interpret(spec, event, &ran)
}

/// How much of what a program wrote is kept.
const MOST_OUTPUT: usize = 2_000;

/// What is left of a run, for whoever reads the record of it.
fn trace(finished: &Finished) -> Trace {
    let streams = [&finished.stdout, &finished.stderr];
    let texts = streams.map(|stream| beginning(&stream.bytes));
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

/// Somewhat more than is kept: a character has four bytes at most.
fn beginning(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(&bytes[..bytes.len().min(4 * (MOST_OUTPUT + 1))])
}

/// A text that is not too long, cut between words: half a secret would not be known as one.
fn whole_words(text: &str) -> &str {
    let Some((end, _)) = text.char_indices().nth(MOST_OUTPUT) else {
        return text;
    };
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';');
    text[..end].rfind(ends).map_or("", |end| &text[..end])
}

fn chain(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {}", chain(source)),
        None => error.to_string(),
    }
}

fn unsupported(spec: &HookSpec) -> Outcome {
    let message = format!(
        "hook `{}`: a hook of type `{}` is no command, and nothing here runs it",
        spec.name,
        spec.action.kind()
    );
    Outcome::failed(FailureKind::NotStarted, message, spec.failure_verdict())
}

/// A person's Claude hooks run where the session is, all others in the workspace: the relative paths of
/// a project's hooks must mean the files that were trusted, whatever directory the agent is in. A
/// directory that is gone must not fail a hook.
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

/// A command line under the shell that its dialect writes for.
fn shell(spec: &HookSpec, line: &str) -> Program {
    match contract::shell(spec.dialect) {
        ["/bin/sh", "-c"] | [] => Program::Shell(line.to_owned()),
        [program, args @ ..] => Program::Exec {
            program: program.into(),
            args: args.iter().copied().chain([line]).map(Into::into).collect(),
        },
    }
}

/// The placeholders of exec-form arguments. Nothing else is substituted, and what is substituted is
/// not read again.
fn expand(arg: &str, spec: &HookSpec, around: &Surroundings<'_>) -> OsString {
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

/// Ends the child when the future that waits for it is dropped.
struct CancelOnDrop(Cancel);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Runs the child on a thread of its own. A cancelled token ends it, and its whole group with it,
/// before this returns.
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
    // Without a thread (none to be had, or it died) the child is run right here: late beats never.
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
    fn what_is_kept_of_an_output_ends_between_words() {
        assert_eq!(whole_words("short"), "short");
        let fits = "ü".repeat(MOST_OUTPUT);
        assert_eq!(whole_words(&fits), fits);
        let long = format!("{} {}", "a".repeat(MOST_OUTPUT - 3), "secret");
        assert_eq!(whole_words(&long), "a".repeat(MOST_OUTPUT - 3));
        assert_eq!(whole_words(&"s".repeat(MOST_OUTPUT + 1)), "");
    }
}
