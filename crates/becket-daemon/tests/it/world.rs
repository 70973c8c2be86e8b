//! A daemon in this process, with its own state directory.

use std::path::Path;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use becket_daemon::run::{Config, StartError, prepare};
use becket_daemon::runtime_dir::RuntimeDir;
use becket_recall::inject::InjectionLimits;
use becket_spool::Spool;
use becket_spool::notify::{NotifyResult, notify_daemon};
use becket_store::StoreReader;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::client::{self, Response};

/// A state directory, and optionally a daemon on it.
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
        limits: becket_daemon::http::serve::ConnectionLimits::default(),
        idle_timeout: Duration::from_secs(3600),
        // The records have fixed dates; the periodic checks would end their sessions.
        check_interval: Duration::MAX,
        transcripts: None,
        version: "test",
        setup: None,
        learn: None,
        embedding: None,
    }
}

/// Starts a daemon in a thread; returns its port and its stop token.
fn start(
    config: Config,
    limits: Option<InjectionLimits>,
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
                        ready.enable_injection(Box::new(move |at| {
                            (!is_quiet(at)).then_some(limits)
                        }));
                    }
                    let _ = tell.send(Ok((ready.port(), ready.stop_token())));
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
    /// A state directory without a daemon.
    pub(crate) fn asleep() -> Self {
        Self {
            dir: tempfile::tempdir().expect("a directory"),
            running: None,
        }
    }

    /// A state directory without a daemon, inside another directory.
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

    /// With limits, context is injected, except in projects named `quiet`.
    pub(crate) fn start_within(
        &mut self,
        limits: Option<InjectionLimits>,
    ) -> Result<(), StartError> {
        self.start_as(config(self.state()), limits)
    }

    /// With another configuration.
    pub(crate) fn start_as(
        &mut self,
        config: Config,
        limits: Option<InjectionLimits>,
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

    /// Stops the daemon and waits for its end.
    pub(crate) fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop.cancel();
            running.thread.join().expect("it ends well");
        }
    }

    /// Waits until the daemon stops on its own.
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

    pub(crate) fn place(&self) -> RuntimeDir {
        RuntimeDir::in_state_dir(self.state())
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

    /// The `Host` header of a regular client.
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

    /// Sends a request to the hooks API; returns the body as text.
    pub(crate) fn oak_text(&self, event: &str, body: &Value) -> String {
        let path = format!("/api/oak/ci/{event}");
        let response = self.post(&path, "application/json", body.to_string().as_bytes());
        assert_eq!(response.status, 200, "{event} {body}: {}", response.body);
        response.body
    }

    /// Sends a request to the hooks API, by default for session `s1` of Claude.
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

    /// Appends to the spool, without a notification.
    pub(crate) fn append(&self, record: &Value) {
        self.try_append(record).expect("appended");
    }

    /// Appends to the spool and notifies the daemon, as a client does.
    pub(crate) fn deliver(&self, records: &[Value]) {
        for record in records {
            self.append(record);
        }
        let notified = notify_daemon(&self.place(), "test");
        assert!(matches!(notified, NotifyResult::Delivered), "{notified:?}");
    }

    pub(crate) fn try_append(&self, record: &Value) -> Result<(), becket_spool::Error> {
        Spool::open(self.state().join("spool")).append(record.to_string().as_bytes())
    }

    pub(crate) fn reader(&self) -> StoreReader {
        StoreReader::open(self.state().join("becket.db")).expect("a database")
    }

    /// The kinds of all events, in order of arrival.
    pub(crate) fn kinds(&self) -> Vec<String> {
        let events = self.reader().events_since(0, 1000).expect("events");
        events.into_iter().map(|event| event.kind).collect()
    }

    /// A value of `/metrics`.
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

/// A record of a Claude Code event.
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
