//! Hooks of type `http`.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use becket_model::{EventData, FailureKind, Outcome, Verdict};
use becket_runner::CancellationToken;
use becket_think::Names;
use serde_json::json;

use crate::server::{Server, Turn};
use crate::support::{World, bash, event, failure};

const LOCAL: &str = "[http]\nallow_private = true\n";

fn hook(url: &str, more: &str) -> String {
    format!("[[hook]]\nname = 'post'\nevent = 'PreToolUse'\nurl = '{url}'\n{more}\n")
}

fn world(url: &str, more: &str) -> World {
    World::new(&format!("{LOCAL}{}", hook(url, more)))
}

fn answer(turn: Turn, more: &str) -> Outcome {
    let server = Server::start([turn]);
    world(&server.url("/hook"), more).fire(bash("ls"))
}

#[test]
fn the_event_is_posted_as_a_program_would_read_it_and_the_reply_decides() {
    let server = Server::start([Turn::ok(r#"{"decision": "deny", "reason": "not today"}"#)]);
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
fn a_dialect_is_kept_in_what_is_sent_and_in_what_the_reply_means() {
    let server = Server::start([Turn::ok(r#"{"action": "block", "message": "no"}"#)]);
    let outcome = world(&server.url("/"), "dialect = 'code-agent'").fire(bash("ls"));
    assert_eq!(
        (outcome.verdict, outcome.reason.as_deref()),
        (Verdict::Deny, Some("no"))
    );
    let server = Server::start([Turn::ok("plain words")]);
    let outcome = world(&server.url("/"), "dialect = 'cursor'").fire(bash("ls"));
    assert_eq!(
        outcome.failure.map(|it| it.kind),
        Some(FailureKind::BadReply)
    );
    let server = Server::start([Turn::ok("{}")]);
    world(&server.url("/"), "dialect = 'claude'").fire(bash("ls"));
    assert_eq!(server.requests()[0].json()["hook_event_name"], "PreToolUse");
}

#[test]
fn silence_is_silence() {
    for turn in [
        Turn::status(200),
        Turn::status(204),
        Turn::ok(" \n"),
        Turn::ok("{}"),
    ] {
        assert_eq!(answer(turn, ""), Outcome::none());
    }
}

#[test]
fn claude_takes_no_plain_words_from_http_and_posts_nothing_when_a_session_starts() {
    let server = Server::start([Turn::ok("remember this")]);
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
    assert_eq!(claude, Outcome::none());
    let own = World::new(&text("becket", "UserPromptSubmit")).fire(prompt());
    assert_eq!(own.context.as_deref(), Some("remember this"));
    let asked = server.requests().len();
    assert_eq!(
        World::new(&text("claude", "SessionStart")).fire(start()),
        Outcome::none()
    );
    assert_eq!(server.requests().len(), asked);
}

#[test]
fn a_failure_gets_the_verdict_of_the_failure_policy_whatever_the_body_says() {
    let deny = r#"{"decision": "deny", "reason": "from the body"}"#;
    let turns = [
        (
            Turn::Reply(500, &[], deny.into()),
            "answered with status 500",
        ),
        (
            Turn::Reply(404, &[], deny.into()),
            "answered with status 404",
        ),
        (Turn::HangUp, "broke off"),
        (Turn::Raw(b"SSH-2.0-OpenSSH_9.9\r\n".to_vec()), "broke off"),
        (
            Turn::Raw(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{}".to_vec()),
            "broke off",
        ),
        (
            Turn::Raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n".to_vec()),
            "broke off",
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
fn a_reply_that_starts_like_json_and_is_none_is_a_failure() {
    let outcome = answer(Turn::ok("{\"decision\": "), "on_failure = 'ask'");
    assert_eq!(outcome.verdict, Verdict::Ask);
    assert_eq!(
        outcome.failure.map(|it| it.kind),
        Some(FailureKind::BadReply)
    );
}

#[test]
fn a_reply_may_come_in_chunks() {
    let parts = [
        "{\"decision\"",
        ": \"deny\", \"reason\"",
        ": \"bit by bit\"}",
    ];
    let outcome = answer(Turn::Chunked(parts.map(str::to_owned).to_vec()), "");
    assert_eq!(outcome.reason.as_deref(), Some("bit by bit"));
}

#[test]
fn a_flood_is_cut_and_not_believed() {
    let outcome = answer(Turn::Flood, "on_failure = 'deny'");
    assert_eq!(outcome.verdict, Verdict::Deny);
    assert!(
        failure(&outcome).contains("cut at the limit"),
        "{outcome:?}"
    );
}

#[test]
fn a_redirect_is_not_followed() {
    let inner = Server::start([Turn::ok(r#"{"decision": "allow"}"#)]);
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
                Turn::Reply(status, headers, String::new()),
                "on_failure = 'ask'",
            );
            assert!(failure(&outcome).contains("redirect"), "{outcome:?}");
            assert_eq!(outcome.verdict, Verdict::Ask);
        }
    }
    assert!(inner.requests().is_empty());
}

#[test]
fn a_deadline_covers_a_server_that_is_silent_and_one_that_drips() {
    for turn in [Turn::Silence, Turn::Drip] {
        let outcome = answer(turn, "timeout = '300ms'\non_failure = 'deny'");
        assert_eq!(outcome.verdict, Verdict::Deny);
        let kind = outcome.failure.map(|it| it.kind);
        assert_eq!(kind, Some(FailureKind::TimedOut));
    }
}

#[test]
fn a_deadline_covers_a_connection_that_nobody_takes_up() {
    // The system completes the connection; no program ever reads from it.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", listener.local_addr().expect("an address"));
    let outcome = world(&url, "timeout = '300ms'").fire(bash("ls"));
    assert_eq!(
        outcome.failure.map(|it| it.kind),
        Some(FailureKind::TimedOut)
    );
}

#[test]
fn a_cancelled_hook_returns_at_once() {
    let server = Server::start([Turn::Silence]);
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
fn nobody_listening_is_a_failure_that_does_not_show_the_path() {
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
fn this_machine_and_private_networks_are_not_reached_unless_the_person_says_so() {
    let server = Server::start([Turn::ok(r#"{"decision": "allow"}"#)]);
    let port = server.addr.port();
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

/// One name that a test gives out, and how often it was asked for any.
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

impl Names for Book {
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
fn a_public_name_for_a_private_address_gains_nothing() {
    let server = Server::start([Turn::ok("{}")]);
    // The loopback address comes first, so that nothing else is tried even if it were let through.
    let public: SocketAddr = "93.184.216.34:80".parse().expect("an address");
    for addresses in [&[server.addr][..], &[server.addr, public]] {
        let mut world = World::new(&hook("http://collector.example/", "on_failure = 'ask'"));
        world.settings = world
            .settings
            .with_names(Book::with("collector.example", addresses));
        let outcome = world.fire(bash("ls"));
        assert_eq!(outcome.verdict, Verdict::Ask, "{addresses:?}: {outcome:?}");
    }
    assert!(server.requests().is_empty());
}

#[test]
fn a_name_is_looked_up_once_and_the_address_that_was_checked_is_the_one_that_is_used() {
    let server = Server::start([Turn::ok(r#"{"decision": "deny"}"#)]);
    let url = format!("http://collector.example:{}/", server.addr.port());
    let book = Book::with("collector.example", &[server.addr]);
    let asked = Arc::clone(&book.asked);
    let mut world = world(&url, "");
    world.settings = world.settings.with_names(book);
    assert_eq!(world.fire(bash("ls")).verdict, Verdict::Deny);
    assert_eq!(asked.load(Ordering::Acquire), 1);
    let host = format!("collector.example:{}", server.addr.port());
    assert_eq!(server.requests()[0].header("host"), Some(&*host));
}

#[test]
fn hosts_outside_the_persons_lists_are_not_even_looked_up() {
    let book = Book::default();
    let asked = Arc::clone(&book.asked);
    for (policy, expected) in [
        ("allow_hosts = ['*.example.com']", "not among `allow_hosts`"),
        ("deny_hosts = ['collector.example']", "among `deny_hosts`"),
    ] {
        let text = format!(
            "[http]\n{policy}\n{}",
            hook("http://collector.example/", "")
        );
        let mut world = World::new(&text);
        world.settings = world.settings.with_names(book.clone());
        let outcome = world.fire(bash("ls"));
        assert!(failure(&outcome).contains(expected), "{outcome:?}");
    }
    assert_eq!(asked.load(Ordering::Acquire), 0);
}

#[test]
fn a_policy_that_cannot_be_read_lets_nothing_out() {
    let server = Server::start([Turn::ok("{}")]);
    let mut world = world(&server.url("/"), "");
    world.settings.asking.http.broken = true;
    assert!(failure(&world.fire(bash("ls"))).contains("has errors"));
    assert!(server.requests().is_empty());
}

#[test]
fn headers_that_cannot_or_must_not_be_sent_are_told_by_name_alone() {
    let server = Server::start([Turn::ok("{}")]);
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
fn urls_that_are_none_or_hold_a_password_are_refused_without_repeating_it() {
    for url in [
        "ftp://h/",
        "not a url",
        "/only/a/path",
        "http://",
        "https://user:s3cret@h.example/",
    ] {
        let outcome = world(url, "").fire(bash("ls"));
        let message = failure(&outcome);
        assert!(
            message.contains("the URL cannot be used"),
            "{url}: {message}"
        );
        assert!(!message.contains("s3cret"), "{message}");
    }
}

#[test]
fn a_proxy_counts_only_where_the_person_asks_for_it_and_never_for_excepted_hosts() {
    let proxy = Server::start([Turn::status(502)]);
    let address = proxy.url("");
    let fire = |policy: &str, except: &str| {
        let book = Book::with("collector.example", &[proxy.addr]);
        let asked = Arc::clone(&book.asked);
        let text = format!(
            "[http]\n{policy}\n{}",
            hook("http://collector.example/", "")
        );
        let mut world = World::new(&text).env([("HTTP_PROXY", &*address), ("NO_PROXY", except)]);
        world.settings = world.settings.with_names(book);
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
