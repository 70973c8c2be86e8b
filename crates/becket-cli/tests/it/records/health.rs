//! `becket doctor` on storage and the daemon; `becket daemon logs` and `unit`.

use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::process::Stdio;

use becket_testkit::poll_until;
use serde_json::{Value, json};

use super::support::{Daemon, fire, ignored_denials};
use crate::context::Context;

/// Status and fix of the finding with this text.
fn finding(context: &Context, check: &str, words: &str) -> Option<(String, String)> {
    let output = context.run(&["doctor", "--json"]).json();
    let findings = output["findings"].as_array().expect("a list");
    let is_it = |it: &&Value| {
        it["check"] == check
            && it["message"]
                .as_str()
                .is_some_and(|text| text.contains(words))
    };
    let found = findings.iter().find(is_it)?;
    let text = |key: &str| found[key].as_str().unwrap_or_default().to_owned();
    Some((text("state"), text("fix")))
}

fn assert_good(context: &Context, check: &str, words: &str) {
    let found = finding(context, check, words);
    assert_eq!(found, Some(("ok".into(), String::new())), "{words}");
}

fn assert_warning(context: &Context, check: &str, words: &str, fix: &str) {
    let found = finding(context, check, words);
    assert_eq!(found, Some(("warning".into(), fix.into())), "{words}");
}

fn prompted() -> Context {
    let context = Context::new();
    fire(&context, "UserPromptSubmit/recorded", |_| {});
    context
}

#[test]
fn doctor_lists_the_newest_alarms_and_counts_the_rest() {
    let context = ignored_denials(5);
    Daemon::start(&context).stop();
    let (state, fix) = finding(&context, "alarms", "claude ran Write at").expect("reported");
    assert_eq!(state, "warning");
    assert!(fix.contains("becket alarms ack denied-call-ran:"), "{fix}");
    let (_, fix) = finding(&context, "alarms", "3 shown, 2 more").expect("reported");
    assert!(fix.contains("becket alarms ack --all"), "{fix}");
    context.run(&["alarms", "ack", "--all"]);
    assert_good(&context, "alarms", "no unacknowledged alarms");
}

#[test]
fn doctor_reports_the_version_of_a_running_daemon() {
    let context = prompted();
    let _daemon = Daemon::start(&context);
    let version = concat!("running, version ", env!("CARGO_PKG_VERSION"));
    assert_good(&context, "daemon", version);
    assert_good(&context, "database", "integrity OK");
    poll_until("everything is taken in", || {
        finding(&context, "spool", "").is_none().then_some(())
    });
}

#[test]
fn doctor_suggests_restarting_a_daemon_of_another_version() {
    let context = prompted();
    // It leaves the directory behind, with the required mode.
    Daemon::start(&context).stop();
    let socket = UnixListener::bind(context.path("home/.becket/daemon/socket")).expect("bound");
    std::thread::spawn(move || {
        for stream in socket.incoming().map_while(Result::ok) {
            let mut line = String::new();
            let _ = BufReader::new(&stream).read_line(&mut line);
            let _ = writeln!(
                &stream,
                "{{\"ok\":true,\"version\":\"9.9.9\",\"status\":{{}}}}"
            );
        }
    });
    assert_warning(
        &context,
        "daemon",
        "running version 9.9.9",
        "becket daemon restart",
    );
}

#[test]
fn doctor_accepts_a_disabled_daemon_and_warns_about_a_missing_one() {
    let mut context = prompted();
    assert_good(&context, "daemon", "BECKET_DAEMON=off");
    assert_good(&context, "spool", "of events are pending");
    context.set_env("BECKET_DAEMON", "");
    assert_good(&context, "daemon", "the next event starts it");
    assert_warning(
        &context,
        "spool",
        "because no daemon is running",
        "becket daemon start",
    );
    context.config("[settings]\ndaemon = false\n");
    assert_good(&context, "daemon", "`daemon = false`");
}

#[test]
fn doctor_quotes_the_log_of_a_daemon_that_failed_to_start() {
    let mut context = Context::new();
    context.set_env("BECKET_DAEMON", "");
    std::fs::create_dir_all(context.path("home/.becket/becket.db")).expect("created");
    fire(&context, "UserPromptSubmit/recorded", |_| {});
    let log = || context.read("home/.becket/daemon/daemon.log");
    poll_until("an error in the log", || {
        log().contains("becket:").then_some(())
    });
    let output = poll_until("the daemon has ended", || {
        finding(&context, "daemon", "failed when it last ran")
    });
    assert_eq!(output.0, "error");
    assert!(output.1.contains("becket daemon start"), "{}", output.1);
    assert_eq!(context.run(&["doctor"]).exit, 1);
}

#[test]
fn doctor_reports_a_damaged_database_before_and_after_quarantine() {
    let context = prompted();
    context.write("home/.becket/becket.db", [b'x'; 8192]);
    let (state, fix) = finding(&context, "database", "is damaged").expect("reported");
    assert_eq!(state, "error");
    assert!(fix.contains("becket daemon restart"), "{fix}");
    let _daemon = Daemon::start(&context);
    let (state, fix) = finding(
        &context,
        "database",
        "1 database was damaged and quarantined",
    )
    .expect("reported");
    assert_eq!(state, "warning");
    assert!(fix.contains("becket.db.damaged-"), "{fix}");
    assert_good(&context, "database", "integrity OK");
}

#[test]
fn doctor_reports_lost_and_quarantined_spool_records() {
    let context = prompted();
    context.write("home/.becket/spool/dropped", "1\n2\n");
    let (state, fix) = finding(&context, "spool", "2 segments of old events").expect("reported");
    assert_eq!(state, "warning");
    assert!(fix.contains("becket daemon start"), "{fix}");
    let spool = OpenOptions::new()
        .append(true)
        .open(context.path("home/.becket/spool/events.jsonl"));
    spool
        .and_then(|mut spool| spool.write_all(b"torn {\n"))
        .expect("written");
    Daemon::start(&context).stop();
    let (state, fix) = finding(&context, "spool", "1 line was not valid JSON").expect("reported");
    assert_eq!(state, "warning");
    assert!(fix.contains("set-aside"), "{fix}");
}

#[test]
fn log_is_followed_across_rotation() {
    let context = Context::new();
    context.write("home/.becket/daemon/daemon.log", "one\ntwo\n");
    let mut child = context
        .command(&["daemon", "logs", "-n", "1", "-f"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("started");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut next = || lines.next().expect("a line").expect("text");
    assert_eq!(next(), "two");
    let log = context.path("home/.becket/daemon/daemon.log");
    std::fs::rename(&log, context.path("home/.becket/daemon/daemon.log.1")).expect("renamed");
    context.write("home/.becket/daemon/daemon.log", "three \u{1b}[2J\n");
    assert_eq!(next(), "three \\u{1b}[2J");
    child.kill().expect("ended");
    child.wait().expect("ended");
    assert_eq!(
        context.run(&["daemon", "logs"]).stdout,
        "three \\u{1b}[2J\n"
    );
}

#[test]
fn service_file_names_this_program_and_its_home() {
    let context = Context::new();
    let home = context.path("home/.becket").display().to_string();
    let unit = context.run(&["daemon", "unit"]).stdout;
    let program = env!("CARGO_BIN_EXE_becketd");
    for expected in [
        format!("ExecStart=\"{program}\" daemon run --stay --log-file\n"),
        format!("Environment=\"BECKET_HOME={home}\"\n"),
        "#   systemctl --user enable --now becket\n".to_owned(),
    ] {
        assert!(unit.contains(&expected), "{expected}: {unit}");
    }
    let list = context.run(&["daemon", "unit", "--launchd"]).stdout;
    for expected in [
        format!("<string>{program}</string>"),
        format!("<key>BECKET_HOME</key>\n    <string>{home}</string>"),
        "launchctl bootstrap".to_owned(),
        "<string>--log-file</string>".to_owned(),
    ] {
        assert!(list.contains(&expected), "{expected}: {list}");
    }
}

/// An empty database of a future version: one page with the version in its header.
fn database_of_version(version: u32) -> Vec<u8> {
    let mut page = vec![0; 4096];
    let mut put = |at: usize, bytes: &[u8]| page[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, b"SQLite format 3\0");
    put(16, &[0x10, 0, 1, 1, 0, 64, 32, 32, 0, 0, 0, 1, 0, 0, 0, 1]);
    put(44, &4_u32.to_be_bytes());
    put(56, &1_u32.to_be_bytes());
    put(60, &version.to_be_bytes());
    put(68, b"BCKT");
    put(92, &1_u32.to_be_bytes());
    put(100, &[13, 0, 0, 0, 0, 0x10, 0, 0]);
    page
}

#[test]
fn failed_daemon_start_reports_the_reason() {
    let context = Context::new();
    context.write("home/.becket/becket.db", database_of_version(99));
    let started = context.run(&["daemon", "start"]);
    context.run(&["daemon", "stop"]);
    assert_eq!(started.exit, 1);
    let stderr = started.stderr;
    assert!(
        stderr.contains("failed to start") && stderr.contains("99"),
        "{stderr}"
    );
}

#[test]
fn dropped_spool_segments_are_reported_in_status_and_log() {
    let context = prompted();
    context.write("home/.becket/spool/dropped", "segment-1\nsegment-2\n");
    let words = "2 segments of old events deleted";
    let output = context.run(&["daemon", "status"]);
    assert!(output.stdout.contains(words), "{}", output.stdout);
    assert_eq!(context.run(&["daemon", "start"]).exit, 0);
    let output = context.run(&["daemon", "status"]);
    assert!(output.stdout.contains(words), "{}", output.stdout);
    let json = context.run(&["daemon", "status", "--json"]).json();
    assert_eq!(json["dropped_segments"], 2);
    poll_until("it is in the log", || {
        let log = context.run(&["daemon", "logs"]).stdout;
        log.contains("dropped 2 segments of old events")
            .then_some(())
    });
    context.run(&["daemon", "stop"]);
}

/// Posts JSON to the daemon.
fn post(context: &Context, path: &str, body: &Value) {
    let address = context.read("home/.becket/daemon/address");
    let token = context.read("home/.becket/daemon/token");
    let mut stream = TcpStream::connect(address.trim()).expect("it listens");
    let body = body.to_string();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Connection: close\r\nContent-Length: {}\r\n\r\n",
        address.trim(),
        token.trim(),
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

/// Sends the same text to a running daemon over both of its interfaces.
fn send_text(context: &Context, words: &str) {
    let output = json!({ "session_id": "s1", "agent": "claude", "prompt": words });
    post(context, "/api/oak/ci/prompt-submit", &output);
    let field = |key: &str, text: &str| json!({ "key": key, "value": { "stringValue": text } });
    let fields = [
        field("event.name", "codex.user_prompt"),
        field("conversation.id", "s2"),
        field("prompt", words),
    ];
    let records = json!([{ "timeUnixNano": "1700000000000000000", "attributes": fields }]);
    let logs = json!({ "resourceLogs": [{ "scopeLogs": [{ "logRecords": records }] }] });
    post(context, "/v1/logs", &logs);
}

/// Whether the text is in any file that the daemon wrote.
fn is_on_disk(context: &Context, words: &str) -> bool {
    let files = std::fs::read_dir(context.path("home/.becket")).expect("a directory");
    let files = files.flatten().filter(|file| file.path().is_file());
    let mut files = files.filter(|file| file.file_name() != "config.toml");
    files.any(|file| {
        let bytes = std::fs::read(file.path()).unwrap_or_default();
        String::from_utf8_lossy(&bytes).contains(words)
    })
}

#[test]
fn added_redaction_patterns_apply_to_a_running_daemon() {
    let context = Context::new();
    context.config("[settings]\nredact = [\"first-\\\\d+\"]\n");
    let _daemon = Daemon::start(&context);
    send_text(&context, "see first-1111 and second-1111");
    assert!(!is_on_disk(&context, "first-1111"));
    assert!(is_on_disk(&context, "second-1111"), "not redacted yet");
    context.config("[settings]\nredact = [\"first-\\\\d+\", \"second-\\\\d+\"]\n");
    send_text(&context, "see first-2222 and second-2222");
    assert!(!is_on_disk(&context, "-2222"));
    // A file with errors removes no pattern.
    context.config("[settings]\nredact = [\n");
    send_text(&context, "see first-3333 and second-3333");
    std::fs::remove_file(context.path("home/.becket/config.toml")).expect("removed");
    send_text(&context, "see first-3334 and second-3334");
    assert!(!is_on_disk(&context, "-333"));
    // A valid file does.
    context.config("[settings]\nredact = [\"second-\\\\d+\"]\n");
    send_text(&context, "see first-4444 and second-4444");
    assert!(is_on_disk(&context, "first-4444") && !is_on_disk(&context, "second-4444"));
}

#[test]
fn daemon_run_as_a_service_writes_its_log_file() {
    let context = Context::new();
    let missing = context.run(&["daemon", "logs"]);
    assert_eq!(missing.exit, 1);
    assert!(
        missing.stderr.contains("hint: run `becket daemon start`"),
        "{}",
        missing.stderr
    );
    let mut service = context
        .command(&["daemon", "run", "--stay", "--no-learn", "--log-file"])
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    poll_until("it is at work", || {
        let output = context.run(&["daemon", "logs"]).stdout;
        output.contains("listening on 127.0.0.1:").then_some(())
    });
    poll_until("it answers", || {
        (context.run(&["daemon", "status"]).exit == 0).then_some(())
    });
    assert_eq!(context.run(&["daemon", "stop"]).exit, 0);
    assert!(service.wait().expect("ended").success());
}

/// Stops the daemon, however the test ends.
struct Started<'c>(&'c Context);

impl<'c> Started<'c> {
    fn new(context: &'c Context) -> Self {
        assert_eq!(
            context.run(&["daemon", "start"]).stdout,
            "The daemon is running.\n"
        );
        Self(context)
    }

    fn pid(&self) -> rustix::process::Pid {
        let pid = self.0.read("home/.becket/daemon/lock");
        let pid = pid.trim().parse().ok();
        pid.and_then(rustix::process::Pid::from_raw).expect("a pid")
    }
}

impl Drop for Started<'_> {
    fn drop(&mut self) {
        let _ = rustix::process::kill_process(self.pid(), rustix::process::Signal::KILL);
    }
}

#[test]
fn unresponsive_daemon_is_not_reported_as_absent() {
    let context = Context::new();
    for (words, exit) in [("stop", 0), ("status", 1)] {
        let answer = context.run(&["daemon", words]);
        assert_eq!(answer.exit, exit, "{words}");
        assert!(
            answer.stdout.starts_with("No daemon is running."),
            "{}",
            answer.stdout
        );
    }
    let daemon = Started::new(&context);
    let pid = daemon.pid();
    let refused = |reason: &str| {
        std::thread::scope(|scope| {
            let asked = ["stop", "status"].map(|words| {
                let context = &context;
                scope.spawn(move || context.run(&["daemon", words]))
            });
            for answer in asked {
                let answer = answer.join().expect("an answer");
                assert_eq!((answer.exit, answer.stdout.as_str()), (1, ""));
                let output = format!("pid {}", pid.as_raw_nonzero());
                assert!(answer.stderr.contains(&output), "{}", answer.stderr);
                assert!(answer.stderr.contains(reason), "{}", answer.stderr);
            }
        });
    };
    let dir = context.path("home/.becket/daemon");
    let mode = |mode| std::fs::set_permissions(&dir, std::fs::Permissions::from_mode(mode));
    mode(0o755).expect("changed");
    refused("mode 755");
    mode(0o700).expect("changed");
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).expect("stopped");
    refused("no response");
}

#[test]
fn restart_prints_one_message() {
    let context = Context::new();
    let restart = || context.run(&["daemon", "restart"]).stdout;
    assert_eq!(restart(), "No daemon was running; started one.\n");
    let daemon = Started(&context);
    let before = daemon.pid();
    assert_eq!(restart(), "The daemon has restarted.\n");
    assert_ne!(daemon.pid(), before);
}
