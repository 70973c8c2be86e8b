//! The daemon that the first event starts.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::context::Context;

/// A machine on which events may start a daemon. It is stopped at the end.
struct AutostartMachine(Context);

impl AutostartMachine {
    fn new() -> Self {
        let mut context = Context::new();
        context.set_env("BECKET_DAEMON", "");
        Self(context)
    }

    fn fire(&self, session: &str) {
        let payload = json!({
            "session_id": session, "cwd": self.0.project(), "hook_event_name": "UserPromptSubmit", "prompt": "hello",
        });
        let answer = self.0.run_with(
            &["hook", "UserPromptSubmit", "--agent", "claude"],
            payload.to_string().as_bytes(),
        );
        assert_eq!(answer.exit, 0, "{}", answer.stderr);
    }

    fn status(&self) -> Value {
        let answer = self.0.run(&["daemon", "status", "--json"]);
        serde_json::from_str(&answer.stdout).expect("JSON")
    }

    fn log(&self) -> String {
        self.0.read("home/.becket/daemon/daemon.log")
    }

    fn until(&self, what: &str, done: impl Fn(&Self) -> bool) {
        let started = Instant::now();
        while !done(self) {
            let waited = started.elapsed();
            assert!(waited < Duration::from_secs(60), "{what}: {}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Resets the start backoff, as if the last start were long ago.
    fn reset_start_backoff(&self) {
        let long_ago = std::time::SystemTime::now() - Duration::from_secs(60);
        std::fs::File::options()
            .write(true)
            .open(self.0.path("home/.becket/daemon/start.lock"))
            .expect("there")
            .set_modified(long_ago)
            .expect("set");
    }

    fn until_kept(&self, records: u64) {
        self.until("all is kept", |awake| {
            awake.status()["status"]["records"].as_u64() >= Some(records)
        });
        assert_eq!(self.status()["status"]["records"], records);
    }
}

impl Drop for AutostartMachine {
    fn drop(&mut self) {
        self.0.run(&["daemon", "stop"]);
    }
}

#[test]
fn first_event_starts_the_daemon_and_events_are_stored_at_once() {
    let awake = AutostartMachine::new();
    awake.fire("one");
    awake.until_kept(1);
    awake.fire("two");
    awake.until_kept(2);
    let log = awake.log();
    assert_eq!(log.matches("listening on").count(), 1, "{log}");
}

#[test]
fn concurrent_clients_start_one_daemon_and_lose_nothing() {
    let awake = AutostartMachine::new();
    std::thread::scope(|scope| {
        for number in 0..100 {
            let awake = &awake;
            scope.spawn(move || awake.fire(&format!("session-{number}")));
        }
    });
    awake.until_kept(100);
    let log = awake.log();
    assert_eq!(log.matches("listening on").count(), 1, "{log}");
    assert!(!log.contains("already"), "a second one was tried: {log}");
}

#[test]
fn killed_daemon_is_restarted_and_drains_the_spool() {
    let awake = AutostartMachine::new();
    awake.fire("one");
    awake.until_kept(1);
    let pid = awake.status()["status"]["pid"].as_i64().expect("a pid");
    let pid = i32::try_from(pid)
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    rustix::process::kill_process(pid.expect("a pid"), rustix::process::Signal::KILL)
        .expect("killed");
    awake.until("it is gone", |awake| awake.status()["running"] == false);
    // It was started just now, so another start is delayed.
    awake.fire("two");
    assert_eq!(awake.status()["running"], false);
    awake.reset_start_backoff();
    awake.fire("three");
    awake.until_kept(2);
}

/// Sends what a newer client would send: a notification with its version.
#[test]
fn newer_client_replaces_the_daemon() {
    let awake = AutostartMachine::new();
    awake.fire("one");
    awake.until_kept(1);
    let socket = awake.0.path("home/.becket/daemon/socket");
    let mut newer = UnixStream::connect(socket).expect("a socket");
    let notification = json!({ "do": "notify", "version": "999.0.0" });
    writeln!(newer, "{notification}").expect("sent");
    awake.until("it is gone", |awake| awake.status()["running"] == false);
    let log = awake.log();
    assert!(
        log.contains("a client of version 999.0.0 connected"),
        "{log}"
    );
    awake.0.run(&["daemon", "start"]);
    awake.fire("two");
    awake.until_kept(1);
    assert_eq!(awake.log().matches("listening on").count(), 2);
}

#[test]
fn daemon_can_be_disabled() {
    let by_setting = AutostartMachine::new();
    by_setting.0.config("[settings]\ndaemon = false\n");
    let mut by_variable = AutostartMachine::new();
    by_variable.0.set_env("BECKET_DAEMON", "off");
    let mut unrecorded = AutostartMachine::new();
    unrecorded.0.config("[settings]\nrecord = false\n");
    unrecorded.0.set_env("BECKET_DAEMON", "");
    for awake in [by_setting, by_variable, unrecorded] {
        awake.fire("one");
        // The log is opened before a daemon is started.
        assert!(!awake.0.path("home/.becket/daemon/daemon.log").exists());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn daemon_does_not_inherit_the_agents_environment() {
    let mut awake = AutostartMachine::new();
    awake.0.set_env("ANTHROPIC_API_KEY", "not-for-the-daemon");
    awake.0.set_env("LD_LIBRARY_PATH", "/somewhere/else");
    awake.fire("one");
    awake.until_kept(1);
    let pid = awake.status()["status"]["pid"].as_i64().expect("a pid");
    let environ = std::fs::read(format!("/proc/{pid}/environ")).expect("readable");
    let environ = String::from_utf8_lossy(&environ);
    assert!(environ.contains("BECKET_HOME="), "{environ}");
    assert!(
        !environ.contains("ANTHROPIC") && !environ.contains("LD_"),
        "{environ}"
    );
    let cwd = std::fs::read_link(format!("/proc/{pid}/cwd")).expect("readable");
    assert_eq!(cwd.to_str(), Some("/"));
}

#[test]
fn custom_redaction_patterns_apply_everywhere() {
    let awake = AutostartMachine::new();
    let secret = "WIDGET-778899";
    awake.0.config("[settings]\nredact = ['WIDGET-\\d{6}']\n");
    let fire = || {
        let payload = json!({
            "session_id": secret, "cwd": awake.0.project(), "hook_event_name": "PostToolUse", "tool_name": "Bash",
            "tool_input": { "command": format!("echo {secret}") }, "tool_response": { "stdout": secret },
        });
        let words = ["hook", "PostToolUse", "--agent", "claude"];
        let answer = awake.0.run_with(&words, payload.to_string().as_bytes());
        assert_eq!(answer.exit, 0, "{}", answer.stderr);
    };
    fire();
    // The second event is answered from the matcher cache.
    let cache = awake.0.path("home/.becket/matcher-cache");
    awake.until("the configuration is cached", |_| {
        fire();
        std::fs::read_dir(&cache).is_ok_and(|mut files| files.next().is_some())
    });
    fire();
    let status = |awake: &AutostartMachine| awake.status()["status"]["records"].as_u64();
    awake.until("all is kept", |awake| status(awake) >= Some(3));
    let exported = awake.0.run(&["export"]).stdout;
    assert!(exported.contains("[redacted:own:"), "{exported}");
    awake.0.run(&["daemon", "stop"]);
    for file in files_below(&awake.0.path("home/.becket")) {
        let bytes = std::fs::read(&file).expect("readable");
        let found = bytes
            .windows(secret.len())
            .any(|it| it == secret.as_bytes());
        assert!(!found, "{}", file.display());
    }
}

pub(crate) fn files_below(dir: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(dir).expect("a directory");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .flat_map(|path| match path.is_dir() {
            true => files_below(&path),
            false if path.is_file() => vec![path],
            false => Vec::new(),
        })
        .collect()
}

#[test]
fn invalid_redaction_pattern_is_reported_with_location() {
    let awake = AutostartMachine::new();
    awake.0.config("[settings]\nredact = ['(']\n");
    let output = awake.0.run(&["doctor"]).stdout;
    assert!(output.contains("config.toml:2"), "{output}");
    assert!(output.contains("settings.redact"), "{output}");
}

/// Programs in a separate directory, where they can be replaced.
struct InstalledPrograms(tempfile::TempDir);

impl InstalledPrograms {
    fn new() -> Self {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a directory");
        for (name, program) in [
            ("becket", env!("CARGO_BIN_EXE_becket")),
            ("becketd", env!("CARGO_BIN_EXE_becketd")),
        ] {
            std::fs::hard_link(program, dir.path().join(name)).expect("linked");
        }
        Self(dir)
    }

    fn fire(&self, awake: &AutostartMachine, session: &str) {
        let payload = json!({
            "session_id": session, "cwd": awake.0.project(), "hook_event_name": "UserPromptSubmit", "prompt": "hello",
        });
        awake.0.write("payload", payload.to_string());
        let model = awake
            .0
            .command(&["hook", "UserPromptSubmit", "--agent", "claude"]);
        let mut command = Command::new(self.0.path().join("becket"));
        command.env_clear().args(model.get_args());
        command.envs(
            model
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
        let stdin = std::fs::File::open(awake.0.path("payload")).expect("opened");
        let ended = command.stdin(stdin).output().expect("ended");
        assert!(ended.status.success(), "{ended:?}");
    }

    /// Another process copies the file: a file that this process writes may be held open by a child of another test, and
    /// then it cannot be executed.
    fn replace(&self) {
        let (old, new) = (self.0.path().join("becketd"), self.0.path().join("new"));
        let copied = Command::new("cp").args([&old, &new]).status();
        assert!(copied.expect("ended").success());
        std::fs::rename(new, old).expect("renamed");
    }
}

#[test]
fn daemon_exits_when_its_program_is_replaced() {
    let (awake, installed) = (AutostartMachine::new(), InstalledPrograms::new());
    installed.fire(&awake, "one");
    awake.until_kept(1);
    let pid = awake.status()["status"]["pid"].clone();
    installed.fire(&awake, "two");
    awake.until_kept(2);
    assert_eq!(awake.status()["status"]["pid"], pid, "nothing has changed");
    installed.replace();
    installed.fire(&awake, "three");
    awake.until("it goes", |awake| awake.status()["running"] == false);
    assert!(awake.log().contains("the executable was replaced"));
    awake.reset_start_backoff();
    installed.fire(&awake, "four");
    awake.until("another has come", |awake| {
        let status = awake.status();
        status["running"] == true && status["status"]["pid"] != pid
    });
    awake.until("all four are kept", |awake| {
        let sessions = awake.0.run(&["sessions", "--json"]).json();
        sessions["sessions"].as_array().map(Vec::len) == Some(4)
    });
}
