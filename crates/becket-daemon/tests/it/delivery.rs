//! Acknowledged records are stored exactly once, also after failures.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use becket_store::ActivityFilter;
use becket_testkit::wait_for;
use serde_json::{Value, json};

use crate::client::{connect, head};
use crate::world::{World, prompt, record};

pub(crate) fn recordings(folder: &str) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/otlp")
        .join(folder);
    let entries = std::fs::read_dir(dir).expect("recordings");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    files
}

fn export(world: &World, folder: &str) {
    let kind = if folder.ends_with("json") {
        "application/json"
    } else {
        "application/x-protobuf"
    };
    for file in recordings(folder) {
        let body = std::fs::read(&file).expect("readable");
        let response = world.post("/v1/logs", kind, &body);
        assert_eq!(
            response.status,
            200,
            "{}: {}",
            file.display(),
            response.body
        );
    }
}

/// All activities: session, tool and call id.
fn activities(world: &World) -> Vec<(String, String, Option<String>)> {
    let rows = world.reader().activities(&ActivityFilter::default());
    let rows = rows.expect("activities").items.into_iter().rev();
    rows.map(|row| (row.session, row.tool, row.call_id))
        .collect()
}

#[test]
fn repeated_otlp_batch_is_stored_once() {
    for folder in [
        "codex-json",
        "codex-protobuf",
        "claude-json",
        "claude-protobuf",
    ] {
        let world = World::new();
        export(&world, folder);
        let (events, done) = (world.kinds(), activities(&world));
        assert!(!done.is_empty(), "{folder}");
        export(&world, folder);
        assert_eq!(world.kinds(), events, "{folder}");
        assert_eq!(activities(&world), done, "{folder}");
    }
}

#[test]
fn call_reported_by_hooks_and_otlp_is_stored_once() {
    let alone = World::new();
    export(&alone, "claude-json");
    let told = activities(&alone);
    let (session, _, call) = told[0].clone();
    let world = World::new();
    let payload = json!({
        "tool_name": "Bash", "tool_use_id": call,
        "tool_input": { "command": "echo hello > out.txt", "description": "run a command" },
        "tool_response": { "stdout": "", "stderr": "", "interrupted": false },
    });
    world.deliver(&[record("e1", "PostToolUse", &session, payload)]);
    wait_for("the spool is emptied", || {
        world.reader().event("e1").expect("a database").is_some()
    });
    export(&world, "claude-json");
    export(&world, "claude-json");
    let mut calls: Vec<_> = activities(&world).into_iter().map(|row| row.2).collect();
    let mut expected: Vec<_> = told.into_iter().map(|row| row.2).collect();
    calls.sort();
    expected.sort();
    assert_eq!(calls, expected);
}

#[test]
fn stream_continues_from_its_cursor() {
    let world = World::new();
    for number in 1..=3 {
        world.oak("prompt-submit", json!({ "prompt": number.to_string() }));
    }
    let page = world.get("/api/v1/events?since=0&limit=2").json();
    assert_eq!(
        (
            page["cursor"].clone(),
            page["events"].as_array().map(Vec::len)
        ),
        (json!(2), Some(2))
    );
    let (host, bearer) = (world.host(), world.bearer());
    let headers = [("host", host.as_str()), ("authorization", bearer.as_str())];
    let mut stream = connect(world.port());
    let asked = head("GET", "/api/v1/events/stream?since=2", &headers);
    stream.write_all(asked.as_bytes()).expect("sent");
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let mut next = || {
        let data = lines.find_map(|line| line.strip_prefix("data: ").map(str::to_owned));
        let event: Value = serde_json::from_str(&data.expect("an event")).expect("JSON");
        event["seq"].clone()
    };
    assert_eq!(next(), 3);
    world.oak("prompt-submit", json!({ "prompt": "4" }));
    assert_eq!(next(), 4);
    world.deliver(&[prompt("e5")]);
    assert_eq!(next(), 5);
}

#[test]
fn spool_is_drained_without_a_notification() {
    let world = World::new();
    world.append(&prompt("e1"));
    wait_for("the spool is drained", || !world.kinds().is_empty());
}

#[test]
fn acknowledged_records_survive_a_stop() {
    let mut world = World::new();
    world.append(&prompt("spooled"));
    let (port, bearer, host) = (world.port(), world.bearer(), world.host());
    let stop = world.stopper();
    let kept: Vec<String> = std::thread::scope(|scope| {
        let clients: Vec<_> = (0..4)
            .map(|client| {
                let (bearer, host, stop) = (&bearer, &host, stop.clone());
                scope.spawn(move || {
                    let mut batches = Vec::new();
                    for number in 0..50 {
                        if client == 0 && number == 10 {
                            stop.cancel();
                        }
                        let body = json!({ "session_id": format!("s{client}"), "prompt": number.to_string() });
                        match try_post(port, host, bearer, &body) {
                            Some(batch) => batches.push(batch),
                            None => break,
                        }
                    }
                    batches
                })
            })
            .collect();
        clients
            .into_iter()
            .flat_map(|client| client.join().expect("it ends"))
            .collect()
    });
    world.stop();
    assert!(kept.len() >= 10);
    for batch in kept {
        assert!(
            world.reader().batch(&batch).expect("a database").is_some(),
            "{batch}"
        );
    }
    assert!(
        world
            .reader()
            .event("spooled")
            .expect("a database")
            .is_some()
    );
}

/// The turn id of a prompt; `None` if no daemon answers or it cannot store.
fn try_post(port: u16, host: &str, bearer: &str, body: &Value) -> Option<String> {
    use std::io::Read;
    let mut stream = std::net::TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream
        .set_read_timeout(Some(becket_testkit::PATIENCE))
        .ok()?;
    let body = body.to_string();
    let length = body.len().to_string();
    let headers = [
        ("host", host),
        ("authorization", bearer),
        ("content-length", &length),
        ("connection", "close"),
    ];
    let request = head("POST", "/api/oak/ci/prompt-submit", &headers) + &body;
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let json: Value = serde_json::from_str(answer.split_once("\r\n\r\n")?.1).ok()?;
    json["prompt_batch_id"].as_str().map(str::to_owned)
}
