//! Tests the server from outside, over a plain socket.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::*;
use crate::fake_model::record::marker_sightings;
use crate::scenario::{Scenario, ScriptedCall, Step, When};
use crate::tools::ToolTable;

mod protocols;

fn start(scenario: &Scenario) -> FakeModel {
    let tools = ToolTable::of("claude").unwrap();
    FakeModel::start(scenario, &tools, Path::new("/scratch/work")).unwrap()
}

/// A connection that a test keeps open, with a timeout.
struct Connection(BufReader<TcpStream>);

struct HttpAnswer {
    status: u16,
    head: String,
    body: String,
}

impl Connection {
    fn open(model: &FakeModel) -> Self {
        let stream = TcpStream::connect(model.address()).unwrap();
        let patience = Some(Duration::from_secs(60));
        stream.set_read_timeout(patience).unwrap();
        Self(BufReader::new(stream))
    }

    fn send(&mut self, raw: &[u8]) {
        self.0.get_mut().write_all(raw).unwrap();
    }

    fn post(&mut self, path: &str, body: &str) -> HttpAnswer {
        let length = body.len();
        let raw =
            format!("POST {path} HTTP/1.1\r\nhost: lab\r\ncontent-length: {length}\r\n\r\n{body}");
        self.send(raw.as_bytes());
        self.answer()
    }

    fn get(&mut self, path: &str) -> HttpAnswer {
        self.send(format!("GET {path} HTTP/1.1\r\nhost: lab\r\n\r\n").as_bytes());
        self.answer()
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line.trim_end_matches("\r\n").to_owned()
    }

    fn answer(&mut self) -> HttpAnswer {
        let status = self.line();
        let status = status.split(' ').nth(1).unwrap().parse().unwrap();
        let mut head = String::new();
        loop {
            match self.line() {
                line if line.is_empty() => break,
                line => head.push_str(&(line + "\n")),
            }
        }
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        let body = match length {
            Some(length) => self.exactly(length.parse().unwrap()),
            None => self.chunks(),
        };
        HttpAnswer { status, head, body }
    }

    fn exactly(&mut self, length: usize) -> String {
        let mut bytes = vec![0; length];
        self.0.read_exact(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    fn chunks(&mut self) -> String {
        let mut body = String::new();
        loop {
            let size = usize::from_str_radix(&self.line(), 16).unwrap();
            body.push_str(&self.exactly(size));
            assert_eq!(self.line(), "");
            if size == 0 {
                return body;
            }
        }
    }

    fn is_closed(&mut self) -> bool {
        self.0.read(&mut [0]).unwrap() == 0
    }
}

impl HttpAnswer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }

    /// The data of each event, checked against its name.
    fn events(&self) -> Vec<Value> {
        let events = self.body.split_terminator("\n\n");
        events
            .map(|event| {
                let (name, data) = event.split_once('\n').unwrap();
                let data: Value =
                    serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
                assert_eq!(name.strip_prefix("event: ").unwrap(), data["type"]);
                data
            })
            .collect()
    }
}

/// A request with tools and these messages.
fn request(messages: &Value) -> String {
    json!({"model": "m", "tools": [{"name": "Bash"}], "messages": messages}).to_string()
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn assistant(text: &str) -> Value {
    json!({"role": "assistant", "content": [{"type": "text", "text": text}]})
}

fn ask(model: &FakeModel, messages: &Value) -> HttpAnswer {
    Connection::open(model).post("/v1/messages?beta=true", &request(messages))
}

fn said(answer: &HttpAnswer) -> String {
    answer.json()["content"][0]["text"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn step_follows_from_the_conversation_not_the_request_count() {
    let model = start(&Scenario::new([Step::say("one"), Step::say("two")]).after("none left"));
    let first = json!([user("hi")]);
    let second = json!([user("hi"), assistant("one"), user("go on")]);
    let third = json!([
        user("hi"),
        assistant("one"),
        user("on"),
        assistant("two"),
        user("on")
    ]);
    assert_eq!(said(&ask(&model, &second)), "two");
    assert_eq!(said(&ask(&model, &first)), "one");
    assert_eq!(said(&ask(&model, &first)), "one");
    assert_eq!(said(&ask(&model, &third)), "none left");
    let positions: Vec<_> = model
        .requests()
        .iter()
        .map(|request| request.exchange().unwrap().position)
        .collect();
    let expected = [
        ScriptPosition::Step(1),
        ScriptPosition::Step(0),
        ScriptPosition::Step(0),
        ScriptPosition::After(2),
    ];
    assert_eq!(positions, expected);
}

#[test]
fn answer_returned_as_several_messages_counts_once() {
    let model = start(&Scenario::new([Step::say("one"), Step::say("two")]));
    let split = json!([user("hi"), assistant("o"), assistant("ne"), user("go on")]);
    assert_eq!(said(&ask(&model, &split)), "two");
}

#[test]
fn generic_calls_use_native_tools_and_the_work_directory() {
    let model = start(&Scenario::new([Step::calls([
        ScriptedCall::write("${WORK}/a.txt", "in ${WORK}"),
        ScriptedCall::native("Odd", json!({"deep": [{"path": "${WORK}"}], "n": 1})),
    ])]));
    let message = ask(&model, &json!([user("hi")])).json();
    assert_eq!(message["stop_reason"], "tool_use");
    let [write, odd] = message["content"].as_array().unwrap().as_slice() else {
        panic!("{message}");
    };
    assert_eq!(write["name"], "Write");
    let input = json!({"file_path": "/scratch/work/a.txt", "content": "in /scratch/work"});
    assert_eq!(write["input"], input);
    assert_eq!(
        odd["input"],
        json!({"deep": [{"path": "/scratch/work"}], "n": 1})
    );
    assert_ne!(write["id"], odd["id"]);
}

#[test]
fn streamed_answer_equals_the_complete_answer() {
    let step = Step::Call {
        lead_in: "Looking.".to_owned(),
        calls: vec![ScriptedCall::shell("echo \"quoted\"\nls")],
    };
    let model = start(&Scenario::new([step]));
    let mut body: Value = serde_json::from_str(&request(&json!([user("hi")]))).unwrap();
    let mut connection = Connection::open(&model);
    let whole = connection.post("/v1/messages", &body.to_string()).json();
    body["stream"] = json!(true);
    let streamed = connection.post("/v1/messages", &body.to_string());
    assert!(streamed.head.contains("content-type: text/event-stream"));

    let events = streamed.events();
    let types: Vec<_> = events
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect();
    let block = [
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
    ];
    let expected = [
        &["message_start"][..],
        &block,
        &block,
        &["message_delta", "message_stop"],
    ];
    assert_eq!(types, expected.concat());
    assert_eq!(events[2]["delta"]["text"], whole["content"][0]["text"]);
    let input = events[5]["delta"]["partial_json"].as_str().unwrap();
    let input: Value = serde_json::from_str(input).unwrap();
    assert_eq!(input, whole["content"][1]["input"]);
    assert_eq!(events[7]["delta"]["stop_reason"], whole["stop_reason"]);
}

#[test]
fn scripted_error_has_its_status_and_repeats_on_retry() {
    let model = start(&Scenario::new([Step::fail(
        529,
        "overloaded_error",
        "busy",
    )]));
    for _ in 0..2 {
        let answer = ask(&model, &json!([user("hi")]));
        assert_eq!(answer.status, 529);
        let expected =
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}});
        assert_eq!(answer.json(), expected);
    }
}

#[test]
fn subagent_steps_are_selected_by_the_opening_text() {
    let scenario = Scenario::new([Step::say("main one"), Step::say("main two")])
        .conversation(When::contains("SUBTASK"), [Step::say("sub one")])
        .conversation(When::matches("^Sum.*up$").unwrap(), [Step::say("summary")]);
    let model = start(&scenario);
    assert_eq!(said(&ask(&model, &json!([user("hi")]))), "main one");
    let sub = json!([user("context"), user("do the SUBTASK")]);
    assert_eq!(said(&ask(&model, &sub)), "sub one");
    assert_eq!(
        said(&ask(&model, &json!([user("Sum it\nall up")]))),
        "summary"
    );
    // A subagent's report in the main conversation must not make it the subagent's.
    let main = json!([user("hi"), assistant("main one"), user("SUBTASK is done")]);
    assert_eq!(said(&ask(&model, &main)), "main two");
}

#[test]
fn request_without_tools_gets_a_harmless_reply_and_uses_no_step() {
    let model = start(&Scenario::new([Step::shell("ls")]));
    let mut body = json!({"model": "m", "messages": [user("a title, please")]});
    let mut connection = Connection::open(&model);
    let plain = connection.post("/v1/messages", &body.to_string());
    assert_eq!(said(&plain), "ok");
    body["output_config"] = json!({"format": {"type": "json_schema"}});
    let structured = connection.post("/v1/messages", &body.to_string());
    let title: Value = serde_json::from_str(&said(&structured)).unwrap();
    assert!(title["title"].is_string());
    for request in model.requests() {
        assert_eq!(request.exchange().unwrap().position, ScriptPosition::Side);
    }
}

#[test]
fn side_requests_can_be_scripted() {
    let model = start(&Scenario::new([Step::say("a summary")]).script_side_requests());
    let body = json!({"model": "m", "messages": [user("compact")]}).to_string();
    let answer = Connection::open(&model).post("/v1/messages", &body);
    assert_eq!(said(&answer), "a summary");
}

#[test]
fn marker_sightings_are_recorded_by_part() {
    let model = start(&Scenario::new([Step::shell("ls"), Step::say("done")]));
    let body = json!({
        "model": "m",
        "tools": [{"name": "Bash"}, {"name": "Read"}],
        "system": [{"type": "text", "text": "SYS_MARK"}],
        "messages": [
            user("PROMPT_MARK"),
            {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "CALL_MARK"}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "is_error": true, "content": [{"type": "text", "text": "DENIED_MARK"}]},
                {"type": "tool_result", "tool_use_id": "t2", "content": "FINE_MARK"},
                {"type": "text", "text": "REMINDER_MARK"},
            ]},
            {"role": "system", "content": "INJECTED_MARK"},
        ],
    });
    let mut connection = Connection::open(&model);
    connection.post("/v1/messages", &body.to_string());
    let requests = model.requests();
    let conversation = &requests[0].exchange().unwrap().conversation;
    assert_eq!(conversation.tools, ["Bash", "Read"]);
    assert_eq!(conversation.user, ["PROMPT_MARK", "REMINDER_MARK"]);
    assert_eq!(conversation.opening, "PROMPT_MARK");
    assert_eq!(conversation.results[0].id, "t1");
    let told = |marker| {
        let places = marker_sightings(&requests, marker).into_iter();
        places.map(|told| told.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(told("PROMPT_MARK"), ["step 1: user"]);
    assert_eq!(told("REMINDER_MARK"), ["step 1: user"]);
    assert_eq!(told("DENIED_MARK"), ["step 1: tool result (error)"]);
    assert_eq!(told("FINE_MARK"), ["step 1: tool result"]);
    assert_eq!(told("SYS_MARK"), ["step 1: system"]);
    assert_eq!(told("INJECTED_MARK"), ["step 1: system"]);
    assert_eq!(told("CALL_MARK"), [""; 0]);
}

#[test]
fn one_connection_carries_many_requests_of_every_framing() {
    let model = start(&Scenario::new([Step::say("one")]));
    let mut connection = Connection::open(&model);
    let body = request(&json!([user("hi")]));
    assert_eq!(said(&connection.post("/v1/messages", &body)), "one");

    let (left, right) = body.split_at(10);
    let head = "POST /v1/messages HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunks = format!(
        "{:x};ext=1\r\n{left}\r\n{:X}\r\n{right}\r\n0\r\ntrailer: x\r\n\r\n",
        left.len(),
        right.len()
    );
    connection.send(head.as_bytes());
    connection.send(chunks.as_bytes());
    assert_eq!(said(&connection.answer()), "one");

    connection.send(b"HEAD / HTTP/1.1\r\n\r\n");
    let head = connection.answer();
    assert_eq!((head.status, head.body.as_str()), (200, ""));

    let models = connection.get("/v1/models?limit=1").json();
    assert_eq!(models["data"][0]["id"], "claude-sonnet-4-5");
    let count = connection
        .post("/v1/messages/count_tokens?beta=true", &body)
        .json();
    assert!(count["input_tokens"].is_u64());
    assert_eq!(
        connection
            .get("/.well-known/oauth-protected-resource")
            .status,
        404
    );
    assert_eq!(connection.get("/anything").status, 200);
    assert_eq!(connection.post("/api/event_logging", "[1]").status, 200);
    assert_eq!(model.requests().len(), 8);
}

#[test]
fn expect_continue_gets_an_interim_response() {
    let model = start(&Scenario::new([Step::say("one")]));
    let mut connection = Connection::open(&model);
    let body = request(&json!([user("hi")]));
    let length = body.len();
    let head = format!(
        "POST /v1/messages HTTP/1.1\r\nexpect: 100-continue\r\ncontent-length: {length}\r\n\r\n"
    );
    connection.send(head.as_bytes());
    assert_eq!(connection.line(), "HTTP/1.1 100 Continue");
    assert_eq!(connection.line(), "");
    connection.send(body.as_bytes());
    assert_eq!(said(&connection.answer()), "one");
}

#[test]
fn connection_close_is_honoured() {
    let model = start(&Scenario::new([]));
    let mut connection = Connection::open(&model);
    connection.send(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert_eq!(connection.answer().status, 200);
    assert!(connection.is_closed());
}

#[test]
fn invalid_http_is_rejected_and_the_connection_closed() {
    let model = start(&Scenario::new([]));
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(100_000));
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "a: b\r\n".repeat(300));
    for (raw, status) in [
        ("nonsense\r\n\r\n", 400),
        ("GET / HTTP/1.0\r\n\r\n", 505),
        ("GET / HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (
            "GET / HTTP/1.1\r\nx: \u{e9}\r\ncontent-length: two\r\n\r\n",
            400,
        ),
        ("POST / HTTP/1.1\r\ncontent-length: -1\r\n\r\n", 400),
        (
            "POST / HTTP/1.1\r\ncontent-length: 99999999999\r\n\r\n",
            413,
        ),
        (
            "POST / HTTP/1.1\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n",
            400,
        ),
        ("POST / HTTP/1.1\r\ntransfer-encoding: gzip\r\n\r\n", 501),
        (
            "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
            400,
        ),
        (
            "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n",
            413,
        ),
        (
            "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n",
            400,
        ),
        (&long, 431),
        (&many, 431),
    ] {
        let mut connection = Connection::open(&model);
        connection.send(raw.as_bytes());
        let start: String = raw.chars().take(70).collect();
        assert_eq!(connection.answer().status, status, "{start:?}");
    }
    assert!(model.requests().is_empty());
}

#[test]
fn non_object_body_is_rejected_and_recorded() {
    let model = start(&Scenario::new([Step::say("one")]));
    let mut connection = Connection::open(&model);
    for body in ["", "{", "[]", "\u{0}"] {
        assert_eq!(connection.post("/v1/messages", body).status, 400);
    }
    let requests = model.requests();
    assert_eq!(requests.len(), 4);
    assert!(requests.iter().all(|it| it.kind == RequestKind::Malformed));
}

#[test]
fn malformed_conversations_are_answered() {
    let model = start(&Scenario::new([Step::say("one")]));
    let mut connection = Connection::open(&model);
    for body in [
        json!({}),
        json!({"messages": "text"}),
        json!({"messages": [null, 1, {}, {"role": 5}, {"role": "user"}, {"role": "user", "content": [null, {"type": "tool_result"}, 7]}]}),
        json!({"tools": [1, {}, {"name": null}], "system": {"a": 1}, "messages": [{"role": "user", "content": {"text": {"text": "deep"}}}]}),
    ] {
        let answer = connection.post("/v1/messages", &body.to_string());
        assert_eq!(answer.status, 200, "{body}");
    }
}

#[test]
fn proxy_request_is_refused_and_recorded() {
    let model = start(&Scenario::new([]));
    for raw in [
        "CONNECT example.org:443 HTTP/1.1\r\n\r\n",
        "GET http://example.org/v1/models HTTP/1.1\r\n\r\n",
    ] {
        let mut connection = Connection::open(&model);
        connection.send(raw.as_bytes());
        assert_eq!(connection.answer().status, 403);
    }
    let requests = model.requests();
    assert!(requests.iter().all(|it| it.kind == RequestKind::Stray));
    assert_eq!(requests[0].target, "example.org:443");
}

#[test]
fn credentials_are_not_recorded() {
    let model = start(&Scenario::new([]));
    let mut connection = Connection::open(&model);
    connection.send(
        b"GET / HTTP/1.1\r\nAuthorization: Bearer abc\r\nX-Api-Key: abc\r\nX-App: cli\r\n\r\n",
    );
    connection.answer();
    let requests = model.requests();
    assert!(!format!("{requests:?}").contains("abc"));
    let app = ("x-app".to_owned(), "cli".to_owned());
    assert!(requests[0].headers.contains(&app));
}

#[test]
fn concurrent_connections_are_served_up_to_the_limit() {
    let model = start(&Scenario::new([]));
    let mut open: Vec<Connection> = Vec::new();
    // Each connection sends a request, so that it is counted before the next one opens.
    let refused = (0..200).find(|_| {
        let mut connection = Connection::open(&model);
        let status = connection.get("/").status;
        open.push(connection);
        status == 503
    });
    assert!(refused.is_some_and(|count| count >= 16), "{refused:?}");
    assert_eq!(open[0].get("/").status, 200);
}

#[test]
fn stop_does_not_wait_for_idle_connections() {
    let model = start(&Scenario::new([]));
    let mut resting = Connection::open(&model);
    resting.get("/");
    let mut half_sent = Connection::open(&model);
    half_sent.send(b"POST /v1/messages HTTP/1.1\r\ncontent-length: 10\r\n\r\nhalf");
    let start = Instant::now();
    let address = model.address();
    drop(model);
    assert!(start.elapsed() < Duration::from_secs(20));
    assert!(resting.is_closed());
    assert!(TcpStream::connect(address).is_err());
}

#[test]
fn unsupported_scenario_does_not_start() {
    let tools = ToolTable::of("claude").unwrap();
    let scenario: Scenario = r#"{"steps": [{"tool": "shell", "args": {"cmd": "ls"}}]}"#
        .parse()
        .unwrap();
    let error = FakeModel::start(&scenario, &tools, Path::new("/w")).unwrap_err();
    assert!(matches!(error, StartError::Scenario(_)));
}
