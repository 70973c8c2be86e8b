//! A daemon in this process, on a state directory of its own.

use std::path::Path;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use becket_daemon::place::Place;
use becket_daemon::run::{Config, StartError, prepare};
use becket_recall::inject::Limits;
use becket_spool::Spool;
use becket_store::Reader;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::client::{self, PATIENCE, Response};

/// A state directory, and perhaps a daemon on it.
pub(crate) struct World {
    dir: TempDir,
    running: Option<Running>,
}

struct Running {
    port: u16,
    token: String,
    stop: CancellationToken,
    thread: JoinHandle<()>,
}

pub(crate) fn config(state: &Path) -> Config {
    Config {
        state: state.to_owned(),
        port: 0,
        limits: becket_daemon::http::serve::Limits::default(),
        idle: Duration::from_secs(3600),
        // Records are of some day or other, and stay as they are.
        care: Duration::MAX,
        transcripts: None,
        version: "test",
        setup: None,
        learn: None,
        embedding: None,
    }
}

/// Starts a daemon in a thread; gives its port and what stops it.
fn start(
    config: Config,
    limits: Option<Limits>,
) -> Result<(u16, CancellationToken, JoinHandle<()>), StartError> {
    let (tell, told) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async move {
            match prepare(&config).await {
                Ok(ready) => {
                    if let Some(limits) = limits {
                        let is_quiet = |project: &Path| project.ends_with("quiet");
                        ready.tell_within(Box::new(move |at| (!is_quiet(at)).then_some(limits)));
                    }
                    let _ = tell.send(Ok((ready.port(), ready.stopper())));
                    ready.run().await;
                }
                Err(error) => {
                    let _ = tell.send(Err(error));
                }
            }
        });
    });
    let (port, stop) = told.recv().expect("it starts or says why not")?;
    Ok((port, stop, thread))
}

impl World {
    /// Nothing runs yet.
    pub(crate) fn asleep() -> Self {
        Self {
            dir: tempfile::tempdir().expect("a directory"),
            running: None,
        }
    }

    /// Nothing runs yet, in a directory that is in another.
    pub(crate) fn asleep_in(dir: &Path) -> Self {
        Self {
            dir: TempDir::new_in(dir).expect("a directory"),
            running: None,
        }
    }

    pub(crate) fn new() -> Self {
        let mut world = Self::asleep();
        world.start().expect("a daemon starts");
        world
    }

    pub(crate) fn start(&mut self) -> Result<(), StartError> {
        self.start_within(None)
    }

    /// With limits, agents are told what is known, but for those in projects that are called `quiet`.
    pub(crate) fn start_within(&mut self, limits: Option<Limits>) -> Result<(), StartError> {
        self.start_as(config(self.state()), limits)
    }

    /// With habits of its own.
    pub(crate) fn start_as(
        &mut self,
        config: Config,
        limits: Option<Limits>,
    ) -> Result<(), StartError> {
        let (port, stop, thread) = start(config, limits)?;
        let token = std::fs::read_to_string(self.place().token()).expect("a token");
        self.running = Some(Running {
            port,
            token,
            stop,
            thread,
        });
        Ok(())
    }

    /// Stops it as a person would, and waits until it is gone.
    pub(crate) fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop.cancel();
            running.thread.join().expect("it ends well");
        }
    }

    /// Waits until it has gone without being told to.
    pub(crate) fn ends_by_itself(&mut self) {
        let running = self.running.take().expect("a daemon runs");
        running.thread.join().expect("it ends well");
    }

    fn running(&self) -> &Running {
        self.running.as_ref().expect("a daemon runs")
    }

    pub(crate) fn state(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn place(&self) -> Place {
        Place::below(self.state())
    }

    pub(crate) fn port(&self) -> u16 {
        self.running().port
    }

    pub(crate) fn token(&self) -> &str {
        &self.running().token
    }

    pub(crate) fn stopper(&self) -> CancellationToken {
        self.running().stop.clone()
    }

    /// The headers of an honest client.
    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port())
    }

    pub(crate) fn bearer(&self) -> String {
        format!("Bearer {}", self.token())
    }

    pub(crate) fn post(&self, path: &str, kind: &str, body: &[u8]) -> Response {
        self.send("POST", path, kind, body)
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        self.send("GET", path, "application/json", b"")
    }

    pub(crate) fn send(&self, method: &str, path: &str, kind: &str, body: &[u8]) -> Response {
        let (host, bearer) = (self.host(), self.bearer());
        let headers = [
            ("host", host.as_str()),
            ("authorization", bearer.as_str()),
            ("content-type", kind),
        ];
        client::send(self.port(), method, path, &headers, body)
    }

    /// Tells the hooks API something, as text.
    pub(crate) fn oak_text(&self, event: &str, body: &Value) -> String {
        let path = format!("/api/oak/ci/{event}");
        let response = self.post(&path, "application/json", body.to_string().as_bytes());
        assert_eq!(response.status, 200, "{event} {body}: {}", response.body);
        response.body
    }

    /// Tells the hooks API something of session `s1`, as Claude.
    pub(crate) fn oak(&self, event: &str, mut body: Value) -> Value {
        for (key, value) in [("session_id", "s1"), ("agent", "claude")] {
            if body.get(key).is_none() {
                body[key] = json!(value);
            }
        }
        let answer = serde_json::from_str::<Value>(&self.oak_text(event, &body)).expect("JSON");
        assert_eq!(answer["status"], "ok", "{event} {body}");
        answer
    }

    /// Appends to the spool as a client would.
    pub(crate) fn append(&self, record: &Value) {
        self.try_append(record).expect("appended");
    }

    pub(crate) fn try_append(&self, record: &Value) -> Result<(), becket_spool::Error> {
        Spool::open(self.state().join("spool")).append(record.to_string().as_bytes())
    }

    pub(crate) fn reader(&self) -> Reader {
        Reader::open(self.state().join("becket.db")).expect("a database")
    }

    /// The kinds of all events, in order of arrival.
    pub(crate) fn kinds(&self) -> Vec<String> {
        let events = self.reader().events_since(0, 1000).expect("events");
        events.into_iter().map(|event| event.kind).collect()
    }

    /// A number of `/metrics`.
    pub(crate) fn metric(&self, name: &str) -> u64 {
        let text = self.get("/metrics").body;
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        let value = line.and_then(|rest| rest.trim().parse().ok());
        value.unwrap_or_else(|| panic!("{name} in {text}"))
    }
}

impl Drop for World {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Looks again and again until it is so; what never comes fails the test.
pub(crate) fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// What a client records of an event of Claude Code's.
pub(crate) fn record(id: &str, event: &str, session: &str, payload: Value) -> Value {
    let mut record = json!({
        "v": 1, "id": id, "ts": "2026-11-16T01:02:03.456Z", "agent": "claude", "event": event,
        "session": session, "payload": payload,
    });
    record["payload"]["hook_event_name"] = json!(event);
    record["payload"]["session_id"] = json!(session);
    record
}

pub(crate) fn prompt(id: &str) -> Value {
    record(id, "UserPromptSubmit", "s1", json!({ "prompt": id }))
}
