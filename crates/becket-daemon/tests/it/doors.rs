//! Who gets in over HTTP, and how much of it.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use becket_daemon::http::serve::Limits;
use becket_daemon::run::Config;
use serde_json::json;

use crate::client::{connect, head, receive, send};
use crate::log;
use crate::world::{World, config};

const LIMIT: usize = 10 * 1024 * 1024;
const PATHS: [&str; 4] = [
    "/api/oak/ci/prompt-submit",
    "/v1/logs",
    "/api/v1/status",
    "/metrics",
];

fn body() -> Vec<u8> {
    json!({ "session_id": "s1", "prompt": "hello" })
        .to_string()
        .into_bytes()
}

fn nothing_was_told(world: &World) {
    assert_eq!(world.reader().last_seq().expect("a database"), 0);
}

#[test]
fn without_the_token_nobody_gets_in() {
    let world = World::new();
    let host = world.host();
    let token = world.token().to_owned();
    let wrong = [
        String::new(),
        "Bearer".into(),
        "Bearer ".into(),
        format!("Bearer {}", "0".repeat(64)),
        format!("Bearer {}", &token[1..]),
        format!("Bearer {token}0"),
        format!("Basic {token}"),
        token,
    ];
    for path in PATHS {
        for authorization in &wrong {
            let mut headers = vec![("host", host.as_str())];
            if !authorization.is_empty() {
                headers.push(("authorization", authorization));
            }
            let response = send(world.port(), "POST", path, &headers, &body());
            assert_eq!(response.status, 401, "{path} {authorization}");
        }
    }
    nothing_was_told(&world);
    let health = send(world.port(), "GET", "/api/health", &[("host", &host)], b"");
    assert_eq!(
        (health.status, health.body.as_str()),
        (200, r#"{"status":"ok"}"#)
    );
}

#[test]
fn neither_another_name_nor_another_page_gets_in_even_with_the_token() {
    let world = World::new();
    let (host, bearer) = (world.host(), world.bearer());
    let port = world.port();
    let foreign = format!("evil.example:{port}");
    let other_port = "127.0.0.1:1".to_owned();
    let origins = [
        "http://evil.example",
        "null",
        "https://localhost",
        "http://127.0.0.1:1",
    ];
    for path in PATHS {
        for host in [foreign.as_str(), &other_port, "localhost", ""] {
            let headers = [("host", host), ("authorization", bearer.as_str())];
            let response = send(port, "POST", path, &headers, &body());
            assert_eq!(response.status, 403, "{path} {host}");
        }
        for origin in origins {
            let headers = [
                ("host", host.as_str()),
                ("authorization", bearer.as_str()),
                ("origin", origin),
            ];
            let response = send(port, "POST", path, &headers, &body());
            assert_eq!(response.status, 403, "{path} {origin}");
        }
    }
    nothing_was_told(&world);
}

#[test]
fn no_browser_is_told_that_it_may() {
    let world = World::new();
    let (host, bearer) = (world.host(), world.bearer());
    let own = format!("http://{host}");
    for origin in [own.as_str(), "http://evil.example"] {
        for method in ["OPTIONS", "GET", "POST"] {
            for path in PATHS {
                let headers = [
                    ("host", host.as_str()),
                    ("authorization", bearer.as_str()),
                    ("origin", origin),
                    ("access-control-request-method", "POST"),
                ];
                let response = send(world.port(), method, path, &headers, b"");
                let cors = |(name, _): &&(String, String)| name.starts_with("access-control-");
                assert_eq!(response.headers.iter().find(cors), None, "{method} {path}");
            }
        }
    }
}

#[test]
fn looking_changes_nothing() {
    let world = World::new();
    for event in ["session-start", "prompt-submit", "stop", "notify"] {
        for method in ["GET", "PUT", "DELETE", "PATCH"] {
            let path = format!("/api/oak/ci/{event}");
            let response = world.send(method, &path, "application/json", &body());
            assert_eq!(response.status, 405, "{method} {path}");
        }
    }
    assert_eq!(world.get("/v1/logs").status, 405);
    for path in [
        "/api/v1/status",
        "/api/v1/events",
        "/metrics",
        "/api/health",
    ] {
        assert_eq!(world.get(path).status, 200, "{path}");
    }
    nothing_was_told(&world);
}

/// Nothing but the head is sent: the length alone is reason enough.
#[test]
fn a_body_over_the_limit_is_refused_by_its_length() {
    let world = World::new();
    let (host, bearer) = (world.host(), world.bearer());
    let length = (LIMIT + 1).to_string();
    for path in ["/api/oak/ci/prompt-submit", "/v1/logs"] {
        let headers = [
            ("host", host.as_str()),
            ("authorization", bearer.as_str()),
            ("content-length", length.as_str()),
            ("content-type", "application/json"),
        ];
        let mut stream = connect(world.port());
        let head = head("POST", path, &headers);
        stream.write_all(head.as_bytes()).expect("sent");
        assert_eq!(receive(stream).status, 413, "{path}");
    }
    let mut exact = body();
    exact.resize(LIMIT, b' ');
    let response = world.post("/api/oak/ci/prompt-submit", "application/json", &exact);
    assert_eq!(response.status, 200, "{}", response.body);
    assert_eq!(world.kinds(), ["UserPromptSubmit"]);
}

#[test]
fn a_body_over_the_limit_is_refused_in_pieces_too() {
    let world = World::new();
    let (host, bearer) = (world.host(), world.bearer());
    for path in ["/api/oak/ci/prompt-submit", "/v1/logs"] {
        let headers = [
            ("host", host.as_str()),
            ("authorization", bearer.as_str()),
            ("transfer-encoding", "chunked"),
            ("content-type", "application/json"),
        ];
        let mut stream = connect(world.port());
        let head = head("POST", path, &headers);
        stream.write_all(head.as_bytes()).expect("sent");
        let piece = vec![b' '; 1024 * 1024];
        for _ in 0..LIMIT / piece.len() {
            write!(stream, "{:x}\r\n", piece.len()).expect("sent");
            stream.write_all(&piece).expect("sent");
            stream.write_all(b"\r\n").expect("sent");
        }
        // One byte too many, and never an end.
        stream.write_all(b"1\r\n ").expect("sent");
        assert_eq!(receive(stream).status, 413, "{path}");
    }
    nothing_was_told(&world);
}

const FOR_EVER: Duration = Duration::from_secs(24 * 3600);

/// All that HTTP has, and more, is held by those who say nothing or too little; none of them is given up by itself.
#[test]
fn those_who_dawdle_do_not_stop_the_others() {
    let mut world = World::asleep();
    let limits = Limits {
        connections: 24,
        first: FOR_EVER,
        stillness: FOR_EVER,
    };
    let config = Config {
        limits,
        ..config(world.state())
    };
    world.start_as(config, None).expect("a daemon starts");
    let host = world.host();
    let health = head("GET", "/api/health", &[("host", &host)]);
    let wrong = head("GET", "/api/v1/status", &[("host", &host)]);
    let mut dawdlers: Vec<TcpStream> = Vec::new();
    for said in [
        "",
        "P",
        "POST /api/oak",
        &health[..health.len() - 2],
        &health,
        &wrong,
    ] {
        for is_half_open in [false, true] {
            for _ in 0..limits.connections {
                let mut stream = connect(world.port());
                // The first of them may have been sent away again.
                let _ = stream.write_all(said.as_bytes());
                if is_half_open {
                    let _ = stream.shutdown(Shutdown::Write);
                }
                dawdlers.push(stream);
            }
            let prompt = format!("{said} {is_half_open}");
            world.oak("prompt-submit", json!({ "prompt": prompt }));
        }
    }
    for number in 0..20 {
        world.oak("prompt-submit", json!({ "prompt": number.to_string() }));
    }
    assert_eq!(world.kinds().len(), 32);
}

/// Whoever has shown the token is not sent away for somebody who has not, however many of those come.
#[test]
fn who_belongs_here_stays_when_others_crowd_in() {
    let mut world = World::asleep();
    let limits = Limits {
        connections: 3,
        first: FOR_EVER,
        stillness: FOR_EVER,
    };
    let config = Config {
        limits,
        ..config(world.state())
    };
    world.start_as(config, None).expect("a daemon starts");
    let (host, bearer) = (world.host(), world.bearer());
    let headers = [("host", host.as_str()), ("authorization", bearer.as_str())];
    let mut stream = connect(world.port());
    let asked = head("GET", "/api/v1/events/stream", &headers);
    stream.write_all(asked.as_bytes()).expect("sent");
    let mut listener = BufReader::new(stream);
    let mut line = String::new();
    listener.read_line(&mut line).expect("an answer");
    assert!(line.contains("200"), "{line}");
    let crowd: Vec<_> = (0..20).map(|_| connect(world.port())).collect();
    world.oak("prompt-submit", json!({ "prompt": "still there?" }));
    while !line.contains("UserPromptSubmit") {
        line.clear();
        let read = listener.read_line(&mut line).expect("the stream goes on");
        assert_ne!(read, 0, "the stream has ended");
    }
    drop(crowd);
}

#[test]
fn whoever_asks_nothing_in_time_is_left() {
    let mut world = World::asleep();
    let limits = Limits {
        first: Duration::from_millis(20),
        stillness: FOR_EVER,
        ..Limits::default()
    };
    let config = Config {
        limits,
        ..config(world.state())
    };
    world.start_as(config, None).expect("a daemon starts");
    for said in ["", "P", "PRI * HTTP/2.0\r\n"] {
        let mut stream = connect(world.port());
        stream.write_all(said.as_bytes()).expect("sent");
        // What is still open when the client's patience ends is an error of another kind.
        match stream.read_to_end(&mut Vec::new()) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{said:?}"),
        }
    }
}

/// A browser always names the host that it thinks it talks to.
#[test]
fn a_request_that_names_no_host_is_refused() {
    let world = World::new();
    let bearer = world.bearer();
    for version in ["1.0", "1.1"] {
        for path in ["/api/health", "/api/v1/status"] {
            let mut stream = connect(world.port());
            let asked = format!(
                "GET {path} HTTP/{version}\r\nauthorization: {bearer}\r\nconnection: close\r\n\r\n"
            );
            stream.write_all(asked.as_bytes()).expect("sent");
            assert_eq!(receive(stream).status, 403, "{version} {path}");
        }
    }
}

#[test]
fn neither_the_token_nor_a_forged_line_is_in_the_log() {
    log::listen();
    let world = World::new();
    let (host, token) = (world.host(), world.token().to_owned());
    let almost = format!("Bearer {}", &token[..63]);
    let headers = [("host", host.as_str()), ("authorization", almost.as_str())];
    send(world.port(), "POST", "/api/oak/ci/stop", &headers, b"{}");
    world.oak(
        "stop",
        json!({ "session_id": "s\n[STOP] forged", "agent": "a\nb" }),
    );
    world.post(
        "/api/oak/ci/new%0Aline",
        "application/json",
        b"{\"a\nb\": 1, \"a\nb\": 2}",
    );
    let mut raw = connect(world.port());
    let nonsense = format!("GET / HTTP/9.9\r\nauthorization: Bearer {token}\r\n\r\n");
    raw.write_all(nonsense.as_bytes()).expect("sent");
    let _ = raw.read_to_end(&mut Vec::new());
    let logged = log::so_far();
    assert!(
        logged.contains("[STOP] session=\"s\\n[STOP] forged\""),
        "{logged}"
    );
    assert!(!logged.contains("\n[STOP] forged"), "{logged}");
    assert!(!logged.contains("\nline\""), "{logged}");
    assert!(!logged.contains(&token[..63]), "the token is in the log");
}
