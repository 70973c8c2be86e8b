//! A simple executor: a command line, some variables, and a result with four fields.

use std::path::PathBuf;
use std::time::Duration;

use super::{Cancel, Command, Ending, StartError, run};

/// Runs shell commands with extra environment variables and a time limit.
///
/// ```
/// use becket_runner::process::ScriptExecutor;
///
/// let result = ScriptExecutor::new().execute("echo $TOOL_NAME", &[("TOOL_NAME".into(), "Bash".into())]);
/// assert_eq!(result.exit_code, 0);
/// assert_eq!(result.stdout, "Bash\n");
/// ```
#[derive(Debug, Clone)]
pub struct ScriptExecutor {
    timeout: Duration,
    cwd: Option<PathBuf>,
}

/// The result of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutionResult {
    /// The script's exit code, or what a shell would show instead: 128 + n for death by signal n, 127 for a missing
    /// program, 126 for one that could not be run, 124 for a timeout.
    pub exit_code: i32,
    /// Standard output; invalid UTF-8 becomes U+FFFD.
    pub stdout: String,
    /// Standard error likewise; the reason, if the script could not be started.
    pub stderr: String,
    /// Whether the timeout ended it.
    pub timed_out: bool,
}

impl ScriptExecutor {
    /// A timeout of five seconds, in the directory of this process.
    pub fn new() -> Self {
        Self {
            timeout: Duration::from_secs(5),
            cwd: None,
        }
    }

    /// Sets the timeout.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sets the working directory of the scripts.
    #[must_use]
    pub fn cwd(mut self, cwd: impl Into<PathBuf>) -> Self {
        self.cwd = Some(cwd.into());
        self
    }

    /// Runs `command` with `/bin/sh -c`, with `env` on top of the inherited environment.
    pub fn execute(&self, command: &str, env: &[(String, String)]) -> ExecutionResult {
        let command = Command {
            cwd: self.cwd.clone(),
            env: env
                .iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            timeout: self.timeout,
            ..Command::shell(command)
        };
        let finished = run(&command, &Cancel::never());
        let mut stderr = finished.stderr.text().into_owned();
        if let Some(reason) = reason(&finished.ending) {
            stderr.push_str(&reason);
        }
        ExecutionResult {
            exit_code: exit_code(&finished.ending),
            stdout: finished.stdout.text().into_owned(),
            stderr,
            timed_out: matches!(finished.ending, Ending::TimedOut),
        }
    }
}

impl Default for ScriptExecutor {
    fn default() -> Self {
        Self::new()
    }
}

fn exit_code(ending: &Ending) -> i32 {
    match ending {
        Ending::Exited(code) => *code,
        Ending::Signaled(signal) => 128_i32.saturating_add(*signal),
        Ending::TimedOut => 124,
        Ending::NotStarted(StartError::NotFound { .. }) => 127,
        Ending::NotStarted(_) | Ending::Cancelled | Ending::Lost(_) => 126,
    }
}

/// The error and its causes as one line.
fn reason(ending: &Ending) -> Option<String> {
    let error: &dyn std::error::Error = match ending {
        Ending::NotStarted(error) => error,
        Ending::Lost(error) => error,
        _ => return None,
    };
    let chain = std::iter::successors(Some(error), |error| error.source());
    let words: Vec<String> = chain.map(ToString::to_string).collect();
    Some(words.join(": "))
}
