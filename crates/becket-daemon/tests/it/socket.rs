//! The Unix socket.

use std::io::{BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::Duration;

use becket_daemon::run::{Config, StartError};
use becket_testkit::PATIENCE;
use becket_testkit::wait_for;
use serde_json::{Value, json};

use crate::disk::skip;
use crate::world::{World, config, prompt};

pub(crate) struct Line {
    write: UnixStream,
    read: BufReader<UnixStream>,
}

impl Line {
    pub(crate) fn to(world: &World) -> Self {
        let write = UnixStream::connect(world.place().socket()).expect("a socket");
        write.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        write.set_write_timeout(Some(PATIENCE)).expect("a timeout");
        let read = BufReader::new(write.try_clone().expect("a copy"));
        Self { write, read }
    }

    fn say(&mut self, bytes: &[u8]) {
        self.write.write_all(bytes).expect("sent");
    }

    /// `None` when the daemon closed the connection.
    fn hear(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = self.read.read_line(&mut line).unwrap_or(0);
        (read > 0).then(|| serde_json::from_str(&line).expect("one JSON answer a line"))
    }

    pub(crate) fn ask(&mut self, request: &Value) -> Value {
        self.say(format!("{request}\n").as_bytes());
        self.hear().expect("an answer")
    }
}

#[test]
fn invalid_request_does_not_close_the_connection() {
    let world = World::new();
    let mut line = Line::to(&world);
    let reply = line.ask(&json!({ "do": "notify", "version": "1" }));
    assert_eq!(reply, json!({ "ok": true, "version": "test" }));
    for bad in [
        &b"\n"[..],
        b"{}\n",
        b"nonsense\n",
        b"\xff\xfe\0\n",
        b"{\"do\":\"dance\"}\n",
    ] {
        line.say(bad);
        let answer = line.hear().expect("an answer");
        assert_eq!(answer["ok"], false, "{answer}");
        assert!(
            answer["error"]
                .as_str()
                .is_some_and(|error| error.contains("invalid request"))
        );
    }
    for number in 0..200 {
        let request = json!({ "do": "record", "record": prompt(&format!("e{number:03}")) });
        assert_eq!(line.ask(&request)["ok"], true);
    }
    let status = line.ask(&json!({ "do": "status" }));
    assert_eq!(status["status"]["records"], 200);
    let database = world.state().join("becket.db");
    let least = std::fs::metadata(database).expect("a database").len();
    assert!(
        status["status"]["database_bytes"].as_u64() >= Some(least),
        "{status}"
    );
    assert_eq!(status["status"]["spool_bytes"], 0, "{status}");
    assert_eq!(world.kinds().len(), 200);
}

#[test]
fn invalid_record_is_kept_for_inspection() {
    let world = World::new();
    let mut line = Line::to(&world);
    for odd in [
        json!(null),
        json!([1]),
        json!({}),
        json!({ "id": 7, "payload": "x" }),
    ] {
        let answer = line.ask(&json!({ "do": "record", "record": odd }));
        assert_eq!(answer["ok"], true, "{odd}: {answer}");
    }
    assert_eq!(
        line.ask(&json!({ "do": "record", "record": prompt("e1") }))["ok"],
        true
    );
    assert!(world.reader().event("e1").expect("a database").is_some());
}

#[test]
fn endless_line_is_cut_off() {
    let world = World::new();
    let mut endless = Line::to(&world);
    let piece = vec![b'x'; 1024 * 1024];
    for _ in 0..17 {
        endless.say(&piece);
    }
    let answer = endless.hear().expect("an answer");
    assert!(
        answer["error"]
            .as_str()
            .is_some_and(|error| error.contains("17 MiB")),
        "{answer}"
    );
    assert_eq!(endless.hear(), None);
    let mut silent: Vec<Line> = (0..20).map(|_| Line::to(&world)).collect();
    silent[0].say(b"{\"do\":");
    assert_eq!(Line::to(&world).ask(&json!({ "do": "notify" }))["ok"], true);
}

#[test]
fn second_daemon_reports_the_first() {
    let mut world = World::new();
    let second = || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        let started = runtime
            .expect("a runtime")
            .block_on(becket_daemon::run::prepare(&config(world.state())));
        started.map(drop)
    };
    let error = second().expect_err("there is one");
    assert!(matches!(error, StartError::AlreadyRunning));
    assert_eq!(error.to_string(), "another daemon is running");
    // The first daemon is not affected.
    assert_eq!(Line::to(&world).ask(&json!({ "do": "notify" }))["ok"], true);
    world.stop();
    assert!(!world.place().socket().exists() && !world.place().address().exists());
    world.start().expect("the place is free");
}

#[test]
fn daemon_stops_on_request() {
    let mut world = World::new();
    assert_eq!(Line::to(&world).ask(&json!({ "do": "stop" }))["ok"], true);
    world.stop();
    assert!(UnixStream::connect(world.place().socket()).is_err());
}

/// Sends one line over a socket and prints the response.
const CLIENT: &str = r#"
import socket, sys
line = socket.socket(socket.AF_UNIX)
line.connect(sys.argv[1])
try:
    line.sendall(b'{"do":"status"}\n')
    print(line.recv(65536).decode())
except OSError:
    pass
"#;

/// Even if the modes of directories and files allow it.
#[test]
fn other_users_are_rejected() {
    if !rustix::process::geteuid().is_root() || Command::new("python3").arg("-V").output().is_err()
    {
        return skip("another user at the socket needs root, and python3");
    }
    let world = World::new();
    let place = world.place();
    for (path, mode) in [
        (world.state().to_owned(), 0o755),
        (place.dir().to_owned(), 0o755),
        (place.socket(), 0o777),
    ] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("changed");
    }
    let ask = |user: u32| {
        let mut client = Command::new("python3");
        let told = client
            .args(["-c", CLIENT])
            .arg(place.socket())
            .uid(user)
            .output();
        let told = told.expect("it runs");
        assert!(
            told.status.success(),
            "{}",
            String::from_utf8_lossy(&told.stderr)
        );
        String::from_utf8(told.stdout).expect("text")
    };
    assert!(ask(0).contains("\"ok\":true"));
    assert_eq!(ask(65534).trim(), "");
}

#[test]
fn newer_client_stops_the_daemon_and_an_older_one_does_not() {
    let mut world = World::asleep();
    let of_version = |version: &'static str| Config {
        version,
        ..config(world.state())
    };
    let (old, new) = (of_version("0.9.0"), of_version("0.10.0"));
    world.start_as(old, None).expect("it starts");
    let mut line = Line::to(&world);
    for version in ["0.8.9", "0.9.0", "", "nonsense"] {
        let reply = line.ask(&json!({ "do": "notify", "version": version }));
        assert_eq!(reply, json!({ "ok": true, "version": "0.9.0" }));
    }
    assert!(!world.stopper().is_cancelled());
    let reply = line.ask(&json!({ "do": "notify", "version": "0.10.0" }));
    assert_eq!(reply["ok"], true);
    world.ends_by_itself();
    assert!(!world.place().socket().exists());
    // The client's own daemon follows, and ingests what arrived meanwhile.
    world.append(&prompt("e1"));
    world.start_as(new, None).expect("the place is free");
    let reply = Line::to(&world).ask(&json!({ "do": "notify", "version": "0.10.0" }));
    assert_eq!(reply["version"], "0.10.0");
    wait_for("what came meanwhile is kept", || {
        world.kinds() == ["UserPromptSubmit"]
    });
}

#[test]
fn idle_daemon_stops() {
    let mut world = World::asleep();
    let config = Config {
        idle_timeout: Duration::from_secs(1),
        ..config(world.state())
    };
    world.start_as(config, None).expect("it starts");
    world.ends_by_itself();
    assert!(!world.place().socket().exists() && !world.place().address().exists());
}

#[test]
fn abandoned_permission_is_removed() {
    let world = World::new();
    let mut editor = Line::to(&world);
    let mut waiting = || {
        let answer = editor.ask(&json!({ "do": "waiting" }));
        answer["waiting"].as_array().expect("a list").len()
    };
    assert_eq!(waiting(), 0, "the poll counts as an editor");
    let mut agent = Line::to(&world);
    let asked = json!({ "id": "p1", "agent": "claude", "session": null, "project": null, "tool": "Bash", "path": null,
        "command": "make", "args": {} });
    let request = json!({ "do": "permission", "asked": asked, "wait_ms": 3_600_000 });
    agent.say(format!("{request}\n").as_bytes());
    wait_for("it waits", || waiting() == 1);
    agent.write.shutdown(Shutdown::Write).expect("shut");
    assert_eq!(waiting(), 1, "who says no more may still listen");
    drop(agent);
    wait_for("it waits no longer", || waiting() == 0);
    let decision =
        json!({ "do": "decide", "id": "p1", "decision": { "word": "allow", "reason": null } });
    assert_eq!(editor.ask(&decision)["ok"], false);
}
