//! Authentication and limits of HTTP.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use becket_daemon::http::serve::ConnectionLimits;
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
fn requests_without_the_token_are_rejected() {
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
fn foreign_host_and_origin_are_rejected_even_with_the_token() {
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
fn no_cors_headers_are_sent() {
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
fn rejected_requests_are_counted() {
    let world = World::new();
    let (host, bearer) = (world.host(), world.bearer());
    let status = |host: &str, bearer: &str| {
        let headers = [("host", host), ("authorization", bearer)];
        send(world.port(), "GET", "/api/v1/status", &headers, b"").status
    };
    assert_eq!(status(&host, &bearer), 200);
    assert_eq!(status(&host, "Bearer wrong"), 401);
    assert_eq!(status("evil.example", &bearer), 403);
    assert_eq!(world.metric("becket_refused_total"), 2);
}

#[test]
fn get_requests_change_nothing() {
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

/// Only the head is sent: the declared length is sufficient to reject it.
#[test]
fn oversized_body_is_rejected_by_content_length() {
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
fn oversized_chunked_body_is_rejected() {
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
        // One byte too many, without an end.
        stream.write_all(b"1\r\n ").expect("sent");
        assert_eq!(receive(stream).status, 413, "{path}");
    }
    nothing_was_told(&world);
}

const FOR_EVER: Duration = Duration::from_secs(24 * 3600);

/// More than all connections are held by silent or slow clients, none of which gives up.
#[test]
fn slow_clients_do_not_block_others() {
    let mut world = World::asleep();
    let limits = ConnectionLimits {
        connections: 24,
        first_request: FOR_EVER,
        idle: FOR_EVER,
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
                // The first of them may have been evicted.
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

/// A connection with the token is not evicted, however many others connect.
#[test]
fn authenticated_connections_are_not_evicted() {
    let mut world = World::asleep();
    let limits = ConnectionLimits {
        connections: 3,
        first_request: FOR_EVER,
        idle: FOR_EVER,
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
fn connection_without_a_request_is_closed() {
    let mut world = World::asleep();
    let limits = ConnectionLimits {
        first_request: Duration::from_millis(20),
        idle: FOR_EVER,
        ..ConnectionLimits::default()
    };
    let config = Config {
        limits,
        ..config(world.state())
    };
    world.start_as(config, None).expect("a daemon starts");
    for said in ["", "P", "PRI * HTTP/2.0\r\n"] {
        let mut stream = connect(world.port());
        stream.write_all(said.as_bytes()).expect("sent");
        // A connection that is still open gives another error when the client's timeout expires.
        match stream.read_to_end(&mut Vec::new()) {
            Ok(_) => {}
            Err(error) => assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{said:?}"),
        }
    }
}

/// A browser always sends the host that it believes to talk to.
#[test]
fn request_without_a_host_is_rejected() {
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
fn log_contains_neither_the_token_nor_forged_lines() {
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
