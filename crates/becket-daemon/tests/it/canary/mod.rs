//! Secrets of every kind are sent to every interface in every text field; none may appear in any file.

mod otlp;
#[path = "../../../../becket-guard/tests/it/samples.rs"]
mod samples;
mod secrets;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use becket_guard::redact::{RedactionKind, set_custom_patterns};
use becket_spool::Spool;
use becket_testkit::wait_for;
use serde_json::{Value, json};

use crate::client::send;
use crate::log;
use crate::login::as_person;
use crate::rpc::notifications::payloads;
use crate::rpc::sockets::Client;
use crate::socket::Line;
use crate::world::{World, record};
use secrets::{Canary, OWN, canaries};

/// Puts `words` into every string of a value, except into the `spared` fields: replacing it or appended to it. They also
/// become a field name.
fn say(value: &mut Value, words: &str, spared: &[&str]) {
    match value {
        Value::String(text) if text.len().is_multiple_of(2) => *text = format!("{text} {words}"),
        Value::String(text) => words.clone_into(text),
        Value::Array(items) => items.iter_mut().for_each(|item| say(item, words, spared)),
        Value::Object(fields) => {
            for (_, value) in fields
                .iter_mut()
                .filter(|(key, _)| !spared.contains(&key.as_str()))
            {
                say(value, words, spared);
            }
            if fields.contains_key("command") {
                fields.insert(words.to_owned(), json!(words));
            }
        }
        _ => {}
    }
}

const EVENTS: [&str; 12] = [
    "session-start",
    "prompt-submit",
    "pre-tool-use",
    "post-tool-use",
    "post-tool-use-failure",
    "agent-thought",
    "subagent-start",
    "subagent-stop",
    "pre-compact",
    "notify",
    "stop",
    "session-end",
];

/// Every field that some endpoint reads.
fn everything() -> Value {
    let texts = [
        "session_id",
        "conversation_id",
        "parent_session_id",
        "generation_id",
        "agent",
        "project_root",
        "transcript_path",
        "source",
        "prompt",
        "tool_name",
        "tool_use_id",
        "tool_output",
        "error_message",
        "stderr",
        "response_summary",
        "reason",
        "trigger",
        "text",
        "agent_id",
        "agent_type",
        "description",
        "agent_transcript_path",
        "notification_type",
        "title",
        "message",
        "last-assistant-message",
        "thread-id",
    ];
    let mut body: BTreeMap<&str, Value> = texts.map(|key| (key, json!(key))).into();
    body.insert("workspace_roots", json!(["/home/ana/shop"]));
    body.insert(
        "tool_input",
        json!({
            "command": "ls", "file_path": "/a.rs", "content": "x", "nested": [{ "deep": "text" }],
        }),
    );
    json!(body)
}

/// The hooks API, with valid ids, so that everything is stored, and with invalid ones.
fn over_http(world: &World, number: usize, canary: &Canary) {
    for spared in [&["session_id", "agent", "tool_name"][..], &[]] {
        for event in EVENTS {
            let mut body = everything();
            say(&mut body, &canary.text, spared);
            if !spared.is_empty() {
                body["session_id"] = json!(format!("oak-{number}"));
            }
            let encoded = STANDARD.encode(&canary.text);
            if event == "post-tool-use" && number.is_multiple_of(2) {
                body["tool_output_b64"] = json!(encoded);
            }
            let path = format!("/api/oak/ci/{event}");
            let sent = world.post(&path, "application/json", body.to_string().as_bytes());
            assert_eq!(sent.status, 200, "{}", sent.body);
        }
    }
}

/// Unexpected places: a path, a header, invalid JSON.
fn at_the_door(world: &World, canary: &Canary) {
    let mut in_path = String::new();
    for byte in canary.text.bytes() {
        let _ = write!(in_path, "%{byte:02x}");
    }
    world.post(&format!("/api/oak/ci/{in_path}"), "application/json", b"{}");
    world.get(&format!("/{in_path}"));
    let cut_off = format!("{{\"prompt\": {}", json!(canary.text));
    for path in ["/api/oak/ci/stop", "/v1/logs"] {
        world.post(path, "application/json", cut_off.as_bytes());
    }
    let line = canary.text.replace('\n', " ");
    let (host, bearer) = (world.host(), format!("Bearer {line}"));
    let headers = [("host", host.as_str()), ("authorization", bearer.as_str())];
    send(world.port(), "GET", "/metrics", &headers, b"");
}

/// Memories: stored and edited over HTTP, stored over MCP.
fn remembered(world: &World, canary: &Canary) {
    let secret = &canary.text;
    let note = json!({
        "project": "/home/ana/shop", "text": secret, "context": secret, "files": [secret], "agent": secret,
        "session": secret, "events": [secret], "commit": secret,
    });
    let path = "/api/v1/memories";
    let told = world.post(path, "application/json", note.to_string().as_bytes());
    if told.status == 200 {
        let path = format!("{path}/{}", told.json()["id"].as_str().expect("an id"));
        let change = json!({ "text": format!("also {secret}"), "context": secret });
        let changed = as_person(world, "PATCH", &path, &change);
        assert_eq!(changed.status, 200, "{}", changed.body);
    }
    let mut elsewhere = note;
    elsewhere["project"] = json!(format!("/home/ana/{secret}"));
    world.post(path, "application/json", elsewhere.to_string().as_bytes());
    let arguments = json!({ "project": "/home/ana/shop", "text": format!("over MCP {secret}"), "context": secret, "files": [secret] });
    world.tool("remember", &arguments);
}

/// OpenTelemetry: in one encoding the secret alone, in the other with a prefix.
fn exported(world: &World, number: usize, canary: &Canary) {
    let folder = ["claude-json", "codex-json"][number % 2];
    for recording in otlp::recorded(folder) {
        let mut body = recording.clone();
        otlp::say(&mut body, &canary.text);
        let sent = world.post("/v1/logs", "application/json", body.to_string().as_bytes());
        assert_eq!(sent.status, 200, "{}", sent.body);
        let mut body = recording;
        otlp::say(&mut body, &format!("also {}", canary.text));
        let body = otlp::protobuf(&body);
        let sent = world.post("/v1/logs", "application/x-protobuf", &body);
        assert_eq!(sent.status, 200, "{}", sent.body);
        let grpc = "/opentelemetry.proto.collector.logs.v1.LogsService/Export";
        let sent = world.post(grpc, "application/grpc", &otlp::frame(&body));
        assert_eq!(sent.status, 200, "{}", sent.body);
    }
}

/// JSON-RPC: every string of a call, and invalid calls.
fn over_rpc(world: &World, canaries: &[Canary]) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let headers = format!("Authorization: {}\r\n", world.bearer());
    runtime.block_on(async {
        let mut client = Client::connect(world.port(), &headers).await;
        for canary in canaries {
            let secret = &canary.text;
            for (method, params) in [
                (
                    "becket.search",
                    json!({ "query": secret, "project": secret }),
                ),
                (
                    "becket.subscribe",
                    json!({ "events": [secret], "session": secret }),
                ),
                ("becket.session", json!({ "id": secret })),
                (
                    "becket.permissions.decide",
                    json!({ "id": secret, "decision": "deny", "reason": secret }),
                ),
                (secret, json!({ secret: secret })),
            ] {
                let call =
                    json!({ "jsonrpc": "2.0", "id": secret, "method": method, "params": params });
                client.send(&call.to_string()).await;
                client.message().await;
            }
            client.send(&format!("{{ {secret}")).await;
            client.message().await;
        }
    });
}

/// The content of a file that only holds a secret has neither a name nor a format.
fn of_credential_files() -> (Vec<Value>, Canary) {
    let secret = "4 plain words without a name 9731";
    let call = |id: &str, tool: &str, input: Value, response: Value| {
        let payload = json!({ "tool_name": tool, "tool_input": input, "tool_response": response });
        record(id, "PostToolUse", "files", payload)
    };
    let records = vec![
        call(
            "f1",
            "Read",
            json!({ "file_path": "/home/ana/.pgpass" }),
            json!({ "file": { "content": secret } }),
        ),
        call(
            "f2",
            "Bash",
            json!({ "command": "cat ~/.netrc" }),
            json!({ "stdout": secret }),
        ),
        call(
            "f3",
            "Bash",
            json!({ "command": "head ~/.ssh/id_work | tee x" }),
            json!(secret),
        ),
        call(
            "f4",
            "Write",
            json!({ "file_path": "/home/ana/.vault-token", "content": secret }),
            json!({}),
        ),
    ];
    (records, Canary::new(String::new(), secret))
}

/// Records of a client that redacts nothing: payloads of every agent.
fn records(canaries: &[Canary]) -> Vec<Value> {
    let mut records = Vec::new();
    for (number, (agent, event, payload)) in payloads().into_iter().enumerate() {
        for (round, spared) in [&["hook_event_name", "session_id"][..], &[]]
            .into_iter()
            .enumerate()
        {
            let canary = &canaries[(number + round) % canaries.len()];
            let mut record = json!({
                "v": 1, "id": format!("{round}-{number}"), "ts": "2026-11-16T01:02:03.456Z",
                "agent": agent, "event": event, "session": "s", "project": "/p",
                "decision": { "verdict": "deny", "reason": "because", "hooks": [{ "name": "a", "reason": "b" }] },
                "payload": payload, "error": "what went wrong",
            });
            let mut envelope = vec!["v", "ts", "verdict"];
            if round == 0 {
                envelope.extend(["agent", "event", "session"]);
            }
            envelope.extend(spared);
            say(&mut record, &canary.text, &envelope);
            records.push(record);
        }
    }
    records
}

fn on_the_socket(world: &World, records: &[Value]) {
    let mut line = Line::to(world);
    for record in records {
        let answer = line.ask(&json!({ "do": "record", "record": record }));
        assert_eq!(answer["ok"], true, "{answer}");
    }
}

/// Records, and lines that are not records.
fn in_the_spool(world: &World, records: &[Value], canaries: &[Canary]) {
    let spool = Spool::open(world.state().join("spool"));
    let append = |line: &str| spool.append(line.as_bytes()).expect("appended");
    for record in records {
        let mut record = record.clone();
        record["id"] = json!(format!("spool {}", record["id"]));
        append(&record.to_string());
    }
    for canary in canaries {
        let text = canary.text.replace('\n', "\\n");
        append(&text);
        append(&format!("{{\"payload\": {{\"prompt\": \"{text}"));
        append(&json!(canary.text).to_string());
    }
    assert_eq!(Line::to(world).ask(&json!({ "do": "notify" }))["ok"], true);
}

/// All regular files below a directory.
fn files(dir: &std::path::Path, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.is_file()
            && let Ok(bytes) = std::fs::read(&path)
        {
            found.push((path.display().to_string(), bytes));
        }
    }
}

fn leaks(places: &[(String, Vec<u8>)], canaries: &[Canary]) -> Vec<String> {
    let mut found = Vec::new();
    for (name, bytes) in places {
        let text = String::from_utf8_lossy(bytes);
        for canary in canaries {
            for needle in &canary.needles {
                if let Some((before, _)) = text.split_once(needle.as_str()) {
                    let mut before: Vec<char> = before.chars().rev().take(120).collect();
                    before.reverse();
                    let before = String::from_iter(before);
                    found.push(format!("{name}: {before:?} {needle:?}"));
                }
            }
        }
    }
    found
}

#[test]
fn secrets_from_any_interface_never_reach_files_log_or_exports() {
    log::listen();
    // Global to the process; nothing else here matches it.
    set_custom_patterns(&[OWN.to_owned()]);
    let mut canaries = canaries();
    let mut world = World::new();
    let (files, canary) = of_credential_files();
    on_the_socket(&world, &files);
    std::thread::scope(|scope| {
        let (world, canaries) = (&world, &canaries);
        for part in 0..4 {
            scope.spawn(move || {
                for (number, canary) in canaries.iter().enumerate().skip(part).step_by(4) {
                    over_http(world, number, canary);
                    at_the_door(world, canary);
                    exported(world, number, canary);
                    remembered(world, canary);
                }
            });
        }
        scope.spawn(move || {
            let records = records(canaries);
            on_the_socket(world, &records);
            in_the_spool(world, &records, canaries);
        });
        scope.spawn(move || over_rpc(world, canaries));
    });
    wait_for("the spool is emptied", || {
        world.metric("becket_bad_lines_total ") >= canaries.len() as u64
    });
    // The write-ahead log is deleted when the last writer closes.
    let mut places = Vec::new();
    self::files(world.state(), &mut places);
    assert!(
        places
            .iter()
            .any(|(name, _)| name.ends_with("becket.db-wal"))
    );
    world.stop();
    self::files(world.state(), &mut places);
    assert!(places.iter().any(|(name, _)| name.contains("/spool/")));
    let mut export = Vec::new();
    world.reader().export(&mut export).expect("an export");
    export.flush().expect("all of it");
    let text = String::from_utf8_lossy(&export).into_owned();
    places.push(("the export".into(), export));
    places.push(("the log".into(), log::so_far().into_bytes()));
    canaries.push(canary);
    let leaks = leaks(&places, &canaries);
    assert!(
        leaks.is_empty(),
        "{} leaks:\n{}",
        leaks.len(),
        leaks.join("\n")
    );
    let labels = RedactionKind::ALL.iter().map(|kind| kind.label());
    for label in labels.chain(["own", "credential-file"]) {
        let placeholder = format!("[redacted:{label}:");
        assert!(text.contains(&placeholder), "{placeholder} is nowhere");
    }
}
