//! A client for `codex app-server`: JSON-RPC, one message per line.
//!
//! It declines every request of the server. The server's output goes to a file, as in every other run, and is read from
//! there.

use std::io::{self, Write as _};
use std::process::{ChildStdin, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::driver::ClientJob;
use crate::process::{FinishedProcess, RunningProcess, until};

/// A server that runs until it is closed.
pub(super) struct AppServer {
    running: RunningProcess,
    stdin: ChildStdin,
    deadline: Instant,
    calls: usize,
    /// How many of the server's messages were checked for requests.
    seen: usize,
}

impl AppServer {
    /// Starts the command of `job` and sends the handshake.
    pub(super) fn start(mut job: ClientJob<'_>) -> io::Result<Self> {
        let deadline = Instant::now() + job.limit;
        let mut running = RunningProcess::start(&mut job.command, Stdio::piped(), job.output)?;
        let stdin = running.take_stdin().ok_or(io::ErrorKind::BrokenPipe)?;
        let mut server = Self {
            running,
            stdin,
            deadline,
            calls: 0,
            seen: 0,
        };
        let client = json!({ "name": "lab", "title": "lab", "version": "0" });
        server.call("initialize", json!({ "clientInfo": client }))?;
        server.send(&json!({ "method": "initialized" }))?;
        Ok(server)
    }

    /// Calls a method and waits for its result.
    pub(super) fn call(&mut self, method: &str, params: Value) -> io::Result<Value> {
        self.calls += 1;
        let id = self.calls;
        self.send(&json!({ "id": id, "method": method, "params": params }))?;
        let answer = self.find(method, |it| it["id"] == id && it.get("method").is_none())?;
        match answer.get("error") {
            Some(error) => Err(io::Error::other(format!("{method}: {error}"))),
            None => Ok(answer["result"].clone()),
        }
    }

    /// Waits for a notification.
    pub(super) fn wait_for(&mut self, method: &str) -> io::Result<()> {
        self.find(method, |it| it["method"] == method).map(drop)
    }

    /// Closes the connection and stops the server.
    pub(super) fn close(self) -> io::Result<FinishedProcess> {
        let Self {
            running,
            stdin,
            deadline,
            ..
        } = self;
        drop(stdin);
        running.finish(left(deadline))
    }

    fn send(&mut self, message: &Value) -> io::Result<()> {
        writeln!(self.stdin, "{message}")?;
        self.stdin.flush()
    }

    fn find(&mut self, what: &str, wanted: impl Fn(&Value) -> bool) -> io::Result<Value> {
        let limit = left(self.deadline);
        let found = until(limit, || self.look(&wanted).transpose());
        found.unwrap_or_else(|| {
            let why = format!("codex app-server did not send `{what}` in time");
            Err(io::Error::new(io::ErrorKind::TimedOut, why))
        })
    }

    fn look(&mut self, wanted: &impl Fn(&Value) -> bool) -> io::Result<Option<Value>> {
        // Check this before reading the output: then the output of an ended server is complete.
        let ended = self.running.has_ended()?;
        let said = self.running.stdout()?;
        // The last line may be incomplete.
        let whole = said.rsplit_once('\n').map_or("", |(whole, _)| whole);
        let messages: Vec<Value> = whole
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect();
        for question in messages.iter().skip(self.seen) {
            if question.get("id").is_some() && question.get("method").is_some() {
                let decline = json!({ "decision": "decline" });
                self.send(&json!({ "id": question["id"], "result": decline }))?;
            }
        }
        self.seen = messages.len();
        let found = messages.into_iter().find(wanted);
        if found.is_none() && ended {
            return Err(io::Error::other("codex app-server ended early"));
        }
        Ok(found)
    }
}

fn left(deadline: Instant) -> Duration {
    deadline.saturating_duration_since(Instant::now())
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use super::*;

    /// A server that is a shell script, after the handshake.
    fn server(output: &Path, script: &str) -> AppServer {
        let introductions = r#"read hello; echo '{"id":1,"result":{}}'; read initialized"#;
        let mut command = Command::new("/bin/sh");
        command.args(["-c", &format!("{introductions}; {script}")]);
        let limit = Duration::from_secs(60);
        AppServer::start(ClientJob {
            command,
            output,
            limit,
        })
        .unwrap()
    }

    #[test]
    fn server_requests_are_declined() {
        let dir = tempfile::tempdir().unwrap();
        let script = r#"read call; echo '{"id":7,"method":"mayI"}'; read answer
            printf '{"id":2,"result":%s}\n{"method":"done"}\n' "$answer""#;
        let mut server = server(dir.path(), script);
        let answer = server.call("go", json!({})).unwrap();
        let decline = json!({ "decision": "decline" });
        assert_eq!(answer, json!({ "id": 7, "result": decline }));
        server.wait_for("done").unwrap();
        let finished = server.close().unwrap();
        assert!(finished.exit.is_success());
        assert!(finished.stdout.contains("mayI"));
    }

    #[test]
    fn error_response_and_early_exit_are_errors() {
        let dir = tempfile::tempdir().unwrap();
        let script =
            r#"read call; echo '{"id":2,"error":{"message":"no such method"}}'; read next"#;
        let mut server = server(dir.path(), script);
        let refused = server.call("go", json!({})).unwrap_err().to_string();
        assert!(refused.contains("no such method"), "{refused}");
        let ended = server.call("go", json!({})).unwrap_err().to_string();
        assert!(ended.contains("ended early"), "{ended}");
    }
}
