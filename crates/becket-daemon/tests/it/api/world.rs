//! A daemon in this process with a day of records, and a plain HTTP client.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use becket_daemon::learn::{LearningSettings, LearningSettingsLoader};
use becket_daemon::run::{Config, prepare};
use becket_daemon::runtime_dir::RuntimeDir;
use becket_spool::Spool;
use becket_testkit::{PATIENCE, wait_for};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use super::machine::Machine;

pub(super) struct World {
    state: Arc<tempfile::TempDir>,
    runtime: Option<Runtime>,
    stop: CancellationToken,
    port: u16,
    token: String,
}

pub(super) struct Reply {
    pub(super) status: u16,
    head: String,
    pub(super) body: String,
}

impl Reply {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines
            .find(|(key, _)| key.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub(super) fn error(&self) -> String {
        let body = self.json();
        body["error"].as_str().expect("an error").to_owned()
    }
}

impl World {
    /// A daemon that has stored these records.
    pub(super) fn with(records: &[Value]) -> Self {
        let state = tempfile::tempdir().expect("a directory");
        let world = Self::at(Arc::new(state), Duration::MAX);
        world.record(records);
        world
    }

    /// Restarts the daemon with constant checks for silent sessions and hooks.
    pub(super) fn watched(self) -> Self {
        let state = Arc::clone(&self.state);
        drop(self);
        let free = || {
            let lock =
                becket_daemon::instance::try_lock(&RuntimeDir::in_state_dir(state.path()).lock());
            lock.expect("a file").is_some()
        };
        wait_for("the end of the daemon", free);
        Self::at(state, Duration::ZERO)
    }

    fn at(state: Arc<tempfile::TempDir>, check_interval: Duration) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let config = Config {
            state: state.path().to_owned(),
            port: 0,
            limits: becket_daemon::http::serve::ConnectionLimits::default(),
            idle_timeout: Duration::from_secs(3600),
            check_interval,
            // A home directory for tests with transcripts.
            transcripts: Some(state.path().join("home")),
            version: "test",
            setup: Some(Arc::new(Machine)),
            // It responds, and does not change the record.
            learn: Some(LearningSettingsLoader(Arc::new(|| LearningSettings {
                on: false,
                ..LearningSettings::default()
            }))),
            embedding: None,
        };
        let ready = runtime.block_on(prepare(&config)).expect("a daemon");
        let (port, stop) = (ready.port(), ready.stop_token());
        runtime.spawn(ready.run());
        let place = RuntimeDir::in_state_dir(state.path());
        let token = becket_daemon::token::Token::load_or_create(&place.token()).expect("a token");
        Self {
            state,
            runtime: Some(runtime),
            stop,
            port,
            token: token.expose().to_owned(),
        }
    }

    /// Appends records to the spool, notifies the daemon, and waits until they are stored.
    pub(super) fn record(&self, records: &[Value]) {
        let before = self.get("/api/v1/status").json()["records"].as_u64();
        let spool = Spool::open(self.state.path().join("spool"));
        for record in records {
            let line = record.to_string();
            spool.append(line.as_bytes()).expect("appended");
        }
        self.ring();
        let wanted = before.expect("a number") + records.len() as u64;
        let started = Instant::now();
        while self.get("/api/v1/status").json()["records"].as_u64() < Some(wanted) {
            assert!(started.elapsed() < PATIENCE, "the records were not kept");
            std::thread::yield_now();
        }
    }

    pub(super) fn ask_socket(&self, request: &Value) -> Value {
        let path = RuntimeDir::in_state_dir(self.state.path()).socket();
        let mut socket = UnixStream::connect(path).expect("a daemon listens");
        writeln!(socket, "{request}").expect("written");
        let mut answer = String::new();
        BufReader::new(socket).read_line(&mut answer).expect("read");
        serde_json::from_str(&answer).expect("an answer")
    }

    fn ring(&self) {
        assert_eq!(self.ask_socket(&json!({ "do": "notify" }))["ok"], true);
    }

    pub(super) fn get(&self, target: &str) -> Reply {
        self.send("GET", target)
    }

    pub(super) fn send(&self, method: &str, target: &str) -> Reply {
        reply(self.open(method, target, "Connection: close\r\n"))
    }

    /// Sends JSON with additional header lines.
    pub(super) fn post(&self, target: &str, headers: &str, body: &str) -> Reply {
        let length = body.len();
        let headers = format!(
            "Connection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{headers}"
        );
        let mut reader = self.open("POST", target, &headers);
        reader.get_mut().write_all(body.as_bytes()).expect("sent");
        reply(reader)
    }

    /// The status for a raw request, without token or host.
    pub(super) fn raw_status(&self, request: &str) -> u16 {
        status(&mut self.exchange(request))
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    pub(super) fn token(&self) -> &str {
        &self.token
    }

    pub(super) fn stop(&self) {
        self.stop.cancel();
    }

    pub(super) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        let runtime = self.runtime.as_ref().expect("it runs");
        runtime.block_on(future)
    }

    /// The status of a response that may be endless.
    pub(super) fn status_of(&self, method: &str, target: &str) -> u16 {
        status(&mut self.open(method, target, ""))
    }

    /// The home directory that holds the agents' transcripts.
    pub(super) fn home(&self) -> std::path::PathBuf {
        self.state.path().join("home")
    }

    pub(super) fn stream(&self, target: &str, headers: &str) -> Events {
        let mut reader = self.open("GET", target, headers);
        assert_eq!(status(&mut reader), 200);
        Events(reader)
    }

    fn open(&self, method: &str, target: &str, headers: &str) -> BufReader<TcpStream> {
        let (port, token) = (self.port, &self.token);
        self.exchange(&format!(
            "{method} {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\n{headers}\r\n"
        ))
    }

    fn exchange(&self, request: &str) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        stream.set_read_timeout(Some(PATIENCE)).expect("set");
        stream.write_all(request.as_bytes()).expect("sent");
        BufReader::new(stream)
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(PATIENCE);
        }
    }
}

fn reply(mut reader: BufReader<TcpStream>) -> Reply {
    let status = status(&mut reader);
    let mut rest = String::new();
    reader.read_to_string(&mut rest).expect("an answer");
    let (head, body) = rest.split_once("\r\n\r\n").unwrap_or((&rest, ""));
    Reply {
        status,
        head: head.to_owned(),
        body: body.to_owned(),
    }
}

fn status(reader: &mut BufReader<TcpStream>) -> u16 {
    let mut line = String::new();
    reader.read_line(&mut line).expect("an answer");
    let code = line.split(' ').nth(1).and_then(|code| code.parse().ok());
    code.unwrap_or_else(|| panic!("no status in {line:?}"))
}

/// Server-sent events.
pub(super) struct Events(BufReader<TcpStream>);

impl Events {
    /// The data of the next event with this name.
    pub(super) fn named(&mut self, name: &str) -> Value {
        let found = std::iter::from_fn(|| self.told()).find(|(told, _)| told == name);
        found.expect("the stream goes on").1
    }

    /// The name and the data of the next event; most have no name.
    pub(super) fn told(&mut self) -> Option<(String, Value)> {
        let mut name = String::new();
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).expect("a line") == 0 {
                return None;
            }
            if let Some(told) = line.strip_prefix("event: ") {
                told.trim_end().clone_into(&mut name);
            }
            if let Some(data) = line.strip_prefix("data: ") {
                return Some((name, serde_json::from_str(data).ok()?));
            }
        }
    }
}

impl Iterator for Events {
    type Item = Value;

    /// The data of the next unnamed event; blocks.
    fn next(&mut self) -> Option<Value> {
        std::iter::from_fn(|| self.told())
            .find(|(name, _)| name.is_empty())
            .map(|(_, data)| data)
    }
}

/// A record as a client would write it.
pub(super) fn record(id: &str, second: u32, event: &str, payload: Value) -> Value {
    let mut record = json!({
        "v": 1, "id": id, "ts": format!("2026-11-16T08:00:{second:02}.000Z"), "agent": "claude", "event": event,
        "session": "s1", "project": "/home/ana/shop", "decision": { "verdict": "none" }, "payload": payload,
    });
    record["payload"]["hook_event_name"] = json!(event);
    record["payload"]["session_id"] = json!("s1");
    record
}

fn tool(id: &str, second: u32, event: &str, call: &str, command: &str) -> Value {
    let payload = json!({
        "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": call,
        "tool_response": { "stdout": "done", "stderr": "" },
    });
    record(id, second, event, payload)
}

pub(super) fn denied(mut record: Value) -> Value {
    record["decision"] = json!({
        "verdict": "deny", "reason": "touches .env",
        "hooks": [{ "hook": "guard", "verdict": "deny", "ms": 5, "reason": "touches .env", "rule": "env-files" }],
    });
    record
}

/// A session with everything that the API returns, and a short one of another agent.
pub(super) fn a_day() -> Vec<Value> {
    let plan = json!({
        "tool_name": "Write", "tool_input": { "file_path": "/home/ana/.claude/plans/otter.md", "content": "# Plan" },
        "tool_use_id": "t0", "tool_response": { "success": true },
    });
    let codex = |mut record: Value| {
        record["agent"] = json!("codex");
        record["session"] = json!("c1");
        record["project"] = json!("/home/ana/site");
        record["payload"]["session_id"] = json!("c1");
        record
    };
    vec![
        record("e01", 0, "SessionStart", json!({ "source": "startup" })),
        record(
            "e02",
            1,
            "UserPromptSubmit",
            json!({ "prompt": "Fix the parser" }),
        ),
        record("e03", 2, "PostToolUse", plan),
        denied(tool("e04", 3, "PreToolUse", "t1", "cat .env")),
        // It ran although it was denied.
        tool("e05", 4, "PostToolUse", "t1", "cat .env"),
        tool("e06", 5, "PostToolUse", "t2", "cargo test parserModule"),
        record(
            "e07",
            6,
            "Notification",
            json!({ "message": "Claude waits for you", "notification_type": "idle_prompt" }),
        ),
        record(
            "e08",
            7,
            "Stop",
            json!({ "stop_hook_active": false, "last_assistant_message": "Fixed." }),
        ),
        record("e09", 8, "SessionEnd", json!({ "reason": "exit" })),
        codex(record(
            "e10",
            9,
            "UserPromptSubmit",
            json!({ "prompt": "Build the site" }),
        )),
        codex(tool("e11", 10, "PostToolUse", "t3", "make site")),
    ]
}
