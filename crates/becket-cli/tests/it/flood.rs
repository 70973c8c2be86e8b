//! Load test: eight clients at a daemon's socket, with the daemon's memory, files and children.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use becket_store::Millis;
use serde_json::{Value, json};

pub(crate) const CLIENTS: usize = 8;
/// The load is sent in this many parts. The daemon is measured in between.
const PARTS: usize = 10;

/// A daemon's resources.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct DaemonResources {
    /// Resident memory in MB.
    pub(crate) memory: f64,
    pub(crate) files: usize,
    /// Child processes that are still running.
    pub(crate) children: usize,
}

/// The result of a load test.
pub(crate) struct FloodResult {
    pub(crate) sent: usize,
    pub(crate) took: Duration,
    /// After the first half, when buffers have reached their size.
    pub(crate) first: DaemonResources,
    pub(crate) last: DaemonResources,
}

/// Sends events with at most `window` unanswered per client. All must be stored exactly once.
pub(crate) fn flood(window: usize, events: usize) -> FloodResult {
    let daemon = Daemon::start();
    let (mut first, mut took) = (None, Duration::ZERO);
    let each = events / PARTS / CLIENTS;
    // One turn of all clients per millisecond, the last one now.
    let turns = i64::try_from(PARTS * each).expect("fewer turns");
    let begun = Millis(Millis::now().0 - turns);
    for part in 0..PARTS {
        let requests = |client: usize| {
            let turns = part * each..(part + 1) * each;
            turns.map(|turn| request(client, turn, begun)).collect()
        };
        let requests: Vec<Vec<String>> = (0..CLIENTS).map(requests).collect();
        let started = Instant::now();
        std::thread::scope(|scope| {
            for requests in &requests {
                scope.spawn(|| send(&daemon, requests, window));
            }
        });
        took += started.elapsed();
        if part + 1 == PARTS / 2 {
            first = Some(daemon.resources());
        }
    }
    let sent = each * PARTS * CLIENTS;
    assert_eq!(daemon.kept(), sent as u64, "every event is there, and once");
    FloodResult {
        sent,
        took,
        first: first.unwrap_or_default(),
        last: daemon.resources(),
    }
}

struct Daemon {
    child: Child,
    home: tempfile::TempDir,
}

impl Daemon {
    fn start() -> Self {
        let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
        let child = Command::new(env!("CARGO_BIN_EXE_becketd"))
            .args(["daemon", "run"])
            .env("HOME", home.path())
            .env("BECKET_HOME", home.path())
            .stderr(Stdio::null())
            .spawn()
            .expect("started");
        let daemon = Self { child, home };
        let started = Instant::now();
        while daemon.connect().is_none() {
            assert!(started.elapsed() < Duration::from_secs(20), "no daemon");
            std::thread::sleep(Duration::from_millis(20));
        }
        daemon
    }

    fn connect(&self) -> Option<UnixStream> {
        UnixStream::connect(self.home.path().join("daemon/socket")).ok()
    }

    fn of_process(&self, name: &str) -> PathBuf {
        Path::new("/proc")
            .join(self.child.id().to_string())
            .join(name)
    }

    fn resources(&self) -> DaemonResources {
        DaemonResources {
            memory: self.memory(),
            files: self.open_files(),
            children: self.children(),
        }
    }

    /// Resident memory in MB.
    fn memory(&self) -> f64 {
        let status = fs::read_to_string(self.of_process("status")).unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
        kilobytes.unwrap_or(0.0) / 1000.0
    }

    fn open_files(&self) -> usize {
        fs::read_dir(self.of_process("fd")).map_or(0, Iterator::count)
    }

    fn children(&self) -> usize {
        let own = self.child.id().to_string();
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let stats = processes.filter_map(|one| fs::read_to_string(one.path().join("stat")).ok());
        // The command name is in parentheses and may contain anything; state and parent follow it.
        let parent = |stat: &str| {
            Some(
                stat.rsplit_once(')')?
                    .1
                    .split_whitespace()
                    .nth(1)?
                    .to_owned(),
            )
        };
        stats
            .filter(|stat| parent(stat).as_ref() == Some(&own))
            .count()
    }

    fn kept(&self) -> u64 {
        let mut stream = self.connect().expect("a daemon");
        stream.write_all(b"{\"do\":\"status\"}\n").expect("asked");
        let mut line = String::new();
        BufReader::new(stream)
            .read_line(&mut line)
            .expect("answered");
        let answer: Value = serde_json::from_str(&line).expect("JSON");
        answer["status"]["records"].as_u64().expect("a number")
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends requests, with at most `window` of them unanswered.
fn send(daemon: &Daemon, requests: &[String], window: usize) {
    let mut stream = daemon.connect().expect("a daemon");
    let mut answers = BufReader::new(stream.try_clone().expect("a second handle"));
    let mut line = String::new();
    for requests in requests.chunks(window) {
        stream
            .write_all(requests.concat().as_bytes())
            .expect("sent");
        for _ in requests {
            line.clear();
            answers.read_line(&mut line).expect("answered");
            assert!(line.starts_with("{\"ok\":true"), "{line}");
        }
    }
}

/// A client's request in a turn, with growing ids and times.
pub(crate) fn request(client: usize, turn: usize, begun: Millis) -> String {
    let number = turn * CLIENTS + client;
    let at = Millis(begun.0 + i64::try_from(turn).expect("fewer turns"));
    let (event, more) = match turn % 12 {
        0 => ("UserPromptSubmit", json!({ "prompt": words(number) })),
        11 => ("Stop", json!({ "stop_hook_active": false })),
        odd if odd % 2 == 1 => ("PreToolUse", call(number)),
        _ => {
            let mut after = call(number - CLIENTS);
            after["tool_response"] = json!({ "stdout": words(number), "stderr": "" });
            ("PostToolUse", after)
        }
    };
    let mut payload = json!({ "hook_event_name": event, "cwd": "/home/dev/app" });
    let fields = payload.as_object_mut().expect("an object");
    fields.extend(more.as_object().expect("an object").clone());
    let record = json!({
        "v": 1, "id": format!("{number:026}"), "ts": at.to_text(), "agent": "claude", "event": event,
        "session": format!("session-{client}"), "project": "/home/dev/app", "decision": { "verdict": "none" },
        "payload": payload,
    });
    format!("{}\n", json!({ "do": "record", "record": record }))
}

fn call(number: usize) -> Value {
    json!({
        "tool_name": "Edit", "tool_use_id": format!("toolu_{number}"),
        "tool_input": { "file_path": format!("/home/dev/app/src/part_{}.rs", number % 97), "old_string": words(number), "new_string": "x" },
    })
}

fn words(number: usize) -> String {
    let list = [
        "parse", "header", "token", "socket", "retry", "budget", "schema", "cursor", "window",
        "branch",
    ];
    let pick = |n: usize| list[(number * 7 + n * n) % list.len()];
    (0..40).map(pick).collect::<Vec<_>>().join(" ")
}
