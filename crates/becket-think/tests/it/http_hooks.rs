//! Hooks of type `http`.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use becket_model::{EventData, FailureKind, HookOutcome, Verdict};
use becket_runner::CancellationToken;
use becket_testkit::{HttpStub, StubReply};
use becket_think::HostResolver;
use serde_json::json;

use crate::support::{World, bash, event, failure};

const LOCAL: &str = "[http]\nallow_private = true\n";

fn hook(url: &str, more: &str) -> String {
    format!("[[hook]]\nname = 'post'\nevent = 'PreToolUse'\nurl = '{url}'\n{more}\n")
}

fn world(url: &str, more: &str) -> World {
    World::new(&format!("{LOCAL}{}", hook(url, more)))
}

fn answer(turn: StubReply, more: &str) -> HookOutcome {
    let server = HttpStub::start([turn]);
    world(&server.url("/hook"), more).fire(bash("ls"))
}

#[test]
fn event_is_posted_as_command_input_and_the_reply_decides() {
    let server = HttpStub::start([StubReply::ok(
        r#"{"decision": "deny", "reason": "not today"}"#,
    )]);
    let more = "headers = { Authorization = 'Bearer ${TOKEN}', X-Other = '$HOME.' }\nallowed_env = ['TOKEN']";
    let world = world(&server.url("/hook?x=1"), more).env([("TOKEN", "t0"), ("HOME", "/root")]);
    let outcome = world.fire(bash("ls"));
    assert_eq!(outcome.verdict, Verdict::Deny);
    assert_eq!(outcome.reason.as_deref(), Some("not today"));
    let [request] = &server.requests()[..] else {
        panic!("one request");
    };
    assert!(
        request.head.starts_with("POST /hook?x=1 HTTP/1.1"),
        "{request:?}"
    );
    assert_eq!(request.header("authorization"), Some("Bearer t0"));
    assert_eq!(request.header("x-other"), Some("."), "not listed, not sent");
    assert_eq!(request.header("content-type"), Some("application/json"));
    let agent = format!("becket/{}", env!("CARGO_PKG_VERSION"));
    assert_eq!(request.header("user-agent"), Some(&*agent));
    let body = request.json();
    assert_eq!(body["tool_input"], json!({ "command": "ls" }));
    assert_eq!(body["event"], "PreToolUse");
}

#[test]
fn dialect_applies_to_request_and_reply() {
    let server = HttpStub::start([StubReply::ok(r#"{"action": "block", "message": "no"}"#)]);
    let outcome = world(&server.url("/"), "dialect = 'code-agent'").fire(bash("ls"));
    assert_eq!(
        (outcome.verdict, outcome.reason.as_deref()),
        (Verdict::Deny, Some("no"))
    );
    let server = HttpStub::start([StubReply::ok("plain words")]);
    let outcome = world(&server.url("/"), "dialect = 'cursor'").fire(bash("ls"));
    assert_eq!(
        outcome.failure.map(|it| it.kind),
        Some(FailureKind::BadReply)
    );
    let server = HttpStub::start([StubReply::ok("{}")]);
    world(&server.url("/"), "dialect = 'claude'").fire(bash("ls"));
    assert_eq!(server.requests()[0].json()["hook_event_name"], "PreToolUse");
}

#[test]
fn empty_reply_has_no_effect() {
    for turn in [
        StubReply::status(200),
        StubReply::status(204),
        StubReply::ok(" \n"),
        StubReply::ok("{}"),
    ] {
        assert_eq!(answer(turn, ""), HookOutcome::none());
    }
}

#[test]
fn claude_dialect_ignores_plain_text_and_skips_session_start() {
    let server = HttpStub::start([StubReply::ok("remember this")]);
    let text = |dialect: &str, event: &str| {
        format!(
            "{LOCAL}[[hook]]\nevent = '{event}'\nurl = '{}'\ndialect = '{dialect}'\n",
            server.url("/")
        )
    };
    let prompt = || {
        event(EventData::UserPromptSubmit {
            prompt: "hi".into(),
        })
    };
    let start = || event(EventData::SessionStart { source: None });
    let claude = World::new(&text("claude", "UserPromptSubmit")).fire(prompt());
    assert_eq!(claude, HookOutcome::none());
    let own = World::new(&text("becket", "UserPromptSubmit")).fire(prompt());
    assert_eq!(own.context.as_deref(), Some("remember this"));
    let asked = server.requests().len();
    assert_eq!(
        World::new(&text("claude", "SessionStart")).fire(start()),
        HookOutcome::none()
    );
    assert_eq!(server.requests().len(), asked);
}

#[test]
fn error_status_follows_the_failure_policy_despite_the_body() {
    let deny = r#"{"decision": "deny", "reason": "from the body"}"#;
    let turns = [
        (
            StubReply::Response(500, &[], deny.into()),
            "answered with status 500",
        ),
        (
            StubReply::Response(404, &[], deny.into()),
            "answered with status 404",
        ),
        (StubReply::HangUp, "broke"),
        (StubReply::Raw(b"SSH-2.0-OpenSSH_9.9\r\n".to_vec()), "broke"),
        (
            StubReply::Raw(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{}".to_vec()),
            "broke",
        ),
        (
            StubReply::Raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n".to_vec()),
            "broke",
        ),
    ];
    for (turn, expected) in turns {
        for (policy, verdict) in [
            ("allow", Verdict::NoOpinion),
            ("ask", Verdict::Ask),
            ("deny", Verdict::Deny),
        ] {
            let outcome = answer(turn.clone(), &format!("on_failure = '{policy}'"));
            assert!(failure(&outcome).contains(expected), "{outcome:?}");
            assert_eq!(outcome.verdict, verdict, "{outcome:?}");
        }
    }
}

#[test]
fn malformed_json_reply_is_a_failure() {
    let outcome = answer(StubReply::ok("{\"decision\": "), "on_failure = 'ask'");
    assert_eq!(outcome.verdict, Verdict::Ask);
    assert_eq!(
        outcome.failure.map(|it| it.kind),
        Some(FailureKind::BadReply)
    );
}

#[test]
fn chunked_reply_is_read() {
    let parts = [
        "{\"decision\"",
        ": \"deny\", \"reason\"",
        ": \"bit by bit\"}",
    ];
    let outcome = answer(StubReply::Chunked(parts.map(str::to_owned).to_vec()), "");
    assert_eq!(outcome.reason.as_deref(), Some("bit by bit"));
}

#[test]
fn oversized_reply_is_truncated_and_rejected() {
    let outcome = answer(StubReply::Flood, "on_failure = 'deny'");
    assert_eq!(outcome.verdict, Verdict::Deny);
    assert!(
        failure(&outcome).contains("truncated at the limit"),
        "{outcome:?}"
    );
}

#[test]
fn redirect_is_a_failure() {
    let inner = HttpStub::start([StubReply::ok(r#"{"decision": "allow"}"#)]);
    let targets: [&'static [(&str, &str)]; 2] = [
        &[("Location", "http://169.254.169.254/latest/meta-data/")],
        Box::leak(Box::new([(
            "Location",
            Box::leak(inner.url("/").into_boxed_str()) as &str,
        )])),
    ];
    for headers in targets {
        for status in [301, 302, 303, 307, 308] {
            let outcome = answer(
                StubReply::Response(status, headers, String::new()),
                "on_failure = 'ask'",
            );
            assert!(failure(&outcome).contains("redirect"), "{outcome:?}");
            assert_eq!(outcome.verdict, Verdict::Ask);
        }
    }
    assert!(inner.requests().is_empty());
}

#[test]
fn deadline_covers_silent_and_slow_servers() {
    for turn in [StubReply::Silence, StubReply::Drip] {
        let outcome = answer(turn, "timeout = '300ms'\non_failure = 'deny'");
        assert_eq!(outcome.verdict, Verdict::Deny);
        let kind = outcome.failure.map(|it| it.kind);
        assert_eq!(kind, Some(FailureKind::TimedOut));
    }
}

#[test]
fn deadline_covers_an_unaccepted_connection() {
    // The kernel completes the connection, but no program reads from it.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let outcome = world(&url, "timeout = '300ms'").fire(bash("ls"));
    assert_eq!(
        outcome.failure.map(|it| it.kind),
        Some(FailureKind::TimedOut)
    );
}

#[test]
fn cancelled_hook_returns_at_once() {
    let server = HttpStub::start([StubReply::Silence]);
    let world = world(&server.url("/"), "timeout = '10m'");
    let token = CancellationToken::new();
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            server.await_request();
            token.cancel();
        });
        world.fire_under(bash("ls"), &token)
    });
    assert_eq!(
        outcome.failure.map(|it| it.kind),
        Some(FailureKind::Cancelled)
    );
}

#[test]
fn refused_connection_error_omits_the_path() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!(
        "http://{}/services/T0/s3cret",
        listener.local_addr().expect("an address")
    );
    drop(listener);
    let outcome = world(&url, "").fire(bash("ls"));
    let message = failure(&outcome);
    assert!(
        message.contains("no connection to `127.0.0.1`"),
        "{message}"
    );
    assert!(!message.contains("s3cret"), "{message}");
}

#[test]
fn private_addresses_are_blocked_unless_allowed() {
    let server = HttpStub::start([StubReply::ok(r#"{"decision": "allow"}"#)]);
    let port = server.address().port();
    for host in [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "0.0.0.0",
        "2130706433",
        "0x7f.1",
    ] {
        let text = hook(&format!("http://{host}:{port}/"), "on_failure = 'deny'");
        let outcome = World::new(&text).fire(bash("ls"));
        assert_eq!(outcome.verdict, Verdict::Deny, "{host}");
        let message = failure(&outcome);
        assert!(
            message.contains("private network") || message.contains("not found"),
            "{message}"
        );
    }
    assert!(server.requests().is_empty());
}

/// A resolver that knows one name and counts lookups.
#[derive(Debug, Clone, Default)]
struct Book {
    name: String,
    addresses: Vec<SocketAddr>,
    asked: Arc<AtomicUsize>,
}

impl Book {
    fn with(name: &str, addresses: &[SocketAddr]) -> Self {
        Self {
            name: name.to_owned(),
            addresses: addresses.to_vec(),
            asked: Arc::default(),
        }
    }
}

impl HostResolver for Book {
    fn look_up(&self, host: &str, _port: u16) -> io::Result<Vec<SocketAddr>> {
        self.asked.fetch_add(1, Ordering::AcqRel);
        if host == self.name {
            Ok(self.addresses.clone())
        } else {
            Err(io::ErrorKind::NotFound.into())
        }
    }
}

#[test]
fn public_name_with_a_private_address_is_blocked() {
    let server = HttpStub::start([StubReply::ok("{}")]);
    // The loopback address comes first; if it were allowed, the client would connect to it.
    let public: SocketAddr = "93.184.216.34:80".parse().expect("an address");
    for addresses in [&[server.address()][..], &[server.address(), public]] {
        let mut world = World::new(&hook("http://collector.example/", "on_failure = 'ask'"));
        world.settings = world
            .settings
            .with_resolver(Book::with("collector.example", addresses));
        let outcome = world.fire(bash("ls"));
        assert_eq!(outcome.verdict, Verdict::Ask, "{addresses:?}: {outcome:?}");
    }
    assert!(server.requests().is_empty());
}

#[test]
fn dns_rebinding_is_prevented_by_a_single_lookup() {
    let server = HttpStub::start([StubReply::ok(r#"{"decision": "deny"}"#)]);
    let url = format!("http://collector.example:{}/", server.address().port());
    let book = Book::with("collector.example", &[server.address()]);
    let asked = Arc::clone(&book.asked);
    let mut world = world(&url, "");
    world.settings = world.settings.with_resolver(book);
    assert_eq!(world.fire(bash("ls")).verdict, Verdict::Deny);
    assert_eq!(asked.load(Ordering::Acquire), 1);
    let host = format!("collector.example:{}", server.address().port());
    assert_eq!(server.requests()[0].header("host"), Some(&*host));
}

#[test]
fn blocked_hosts_are_not_resolved() {
    let book = Book::default();
    let asked = Arc::clone(&book.asked);
    for (policy, expected) in [
        ("allow_hosts = ['*.example.com']", "not in `allow_hosts`"),
        ("deny_hosts = ['collector.example']", "in `deny_hosts`"),
    ] {
        let text = format!(
            "[http]\n{policy}\n{}",
            hook("http://collector.example/", "")
        );
        let mut world = World::new(&text);
        world.settings = world.settings.with_resolver(book.clone());
        let outcome = world.fire(bash("ls"));
        assert!(failure(&outcome).contains(expected), "{outcome:?}");
    }
    assert_eq!(asked.load(Ordering::Acquire), 0);
}

#[test]
fn broken_policy_blocks_every_request() {
    let server = HttpStub::start([StubReply::ok("{}")]);
    let mut world = world(&server.url("/"), "");
    world.settings.config.http.broken = true;
    assert!(failure(&world.fire(bash("ls"))).contains("has errors"));
    assert!(server.requests().is_empty());
}

#[test]
fn invalid_header_error_omits_the_value() {
    let server = HttpStub::start([StubReply::ok("{}")]);
    for (headers, name) in [
        ("{ Authorization = 'Bearer $TOKEN' }", "Authorization"),
        ("{ Host = 'other.example' }", "Host"),
        ("{ Transfer-Encoding = 'chunked' }", "Transfer-Encoding"),
        ("{ 'X Y' = 'z' }", "X Y"),
    ] {
        let more = format!("headers = {headers}\nallowed_env = ['TOKEN']");
        let world = world(&server.url("/"), &more).env([("TOKEN", "s3cret\r\nX-Evil: 1")]);
        let outcome = world.fire(bash("ls"));
        let message = failure(&outcome);
        assert!(message.contains(&format!("header `{name}`")), "{message}");
        assert!(!message.contains("s3cret"), "{message}");
    }
    assert!(server.requests().is_empty());
}

#[test]
fn invalid_url_error_omits_the_url() {
    for url in [
        "ftp://h/",
        "not a url",
        "/only/a/path",
        "http://",
        "https://user:s3cret@h.example/",
    ] {
        let outcome = world(url, "").fire(bash("ls"));
        let message = failure(&outcome);
        assert!(message.contains("invalid URL"), "{url}: {message}");
        assert!(!message.contains("s3cret"), "{message}");
    }
}

#[test]
fn proxy_is_opt_in_and_respects_no_proxy() {
    let proxy = HttpStub::start([StubReply::status(502)]);
    let address = proxy.url("");
    let fire = |policy: &str, except: &str| {
        let book = Book::with("collector.example", &[proxy.address()]);
        let asked = Arc::clone(&book.asked);
        let text = format!(
            "[http]\n{policy}\n{}",
            hook("http://collector.example/", "")
        );
        let mut world = World::new(&text).env([("HTTP_PROXY", &*address), ("NO_PROXY", except)]);
        world.settings = world.settings.with_resolver(book);
        let outcome = world.fire(bash("ls"));
        (failure(&outcome).to_owned(), asked.load(Ordering::Acquire))
    };
    let (_, asked) = fire("proxy = true", "");
    assert_eq!(
        (asked, proxy.requests().len()),
        (0, 1),
        "the proxy looks names up"
    );
    let head = &proxy.requests()[0].head;
    assert!(head.contains("collector.example"), "{head}");
    for (policy, except) in [("proxy = false", ""), ("proxy = true", "collector.example")] {
        let (message, asked) = fire(policy, except);
        assert!(message.contains("private network"), "{message}");
        assert_eq!((asked, proxy.requests().len()), (1, 1), "{policy}");
    }
}
