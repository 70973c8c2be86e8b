//! The daemon that events start by themselves.

use std::io::Write;
use std::os::unix::net::UnixStream;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::context::Context;

/// A machine on which events may start a daemon. None is left behind.
struct Awake(Context);

impl Awake {
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

    /// Another one soon after a start would be a sign of trouble.
    fn long_after_the_last_start(&self) {
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

impl Drop for Awake {
    fn drop(&mut self) {
        self.0.run(&["daemon", "stop"]);
    }
}

#[test]
fn the_first_event_starts_the_daemon_and_every_event_is_kept_at_once() {
    let awake = Awake::new();
    awake.fire("one");
    awake.until_kept(1);
    awake.fire("two");
    awake.until_kept(2);
    let log = awake.log();
    assert_eq!(log.matches("listening on").count(), 1, "{log}");
}

#[test]
fn many_clients_at_once_start_one_daemon_and_nothing_is_lost() {
    let awake = Awake::new();
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
fn a_daemon_that_was_killed_is_started_again_and_finds_what_it_missed() {
    let awake = Awake::new();
    awake.fire("one");
    awake.until_kept(1);
    let pid = awake.status()["status"]["pid"].as_i64().expect("a pid");
    let pid = i32::try_from(pid)
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    rustix::process::kill_process(pid.expect("a pid"), rustix::process::Signal::KILL)
        .expect("killed");
    awake.until("it is gone", |awake| awake.status()["running"] == false);
    // It was started just now; another one so soon would be a sign of trouble.
    awake.fire("two");
    assert_eq!(awake.status()["running"], false);
    awake.long_after_the_last_start();
    awake.fire("three");
    awake.until_kept(2);
}

/// It asks for no more than a newer version would: to be told that there is something, and by whom.
#[test]
fn a_newer_client_ends_the_daemon_and_the_next_event_starts_another() {
    let awake = Awake::new();
    awake.fire("one");
    awake.until_kept(1);
    let socket = awake.0.path("home/.becket/daemon/socket");
    let mut newer = UnixStream::connect(socket).expect("a socket");
    let ring = json!({ "do": "ring", "version": "999.0.0" });
    writeln!(newer, "{ring}").expect("sent");
    awake.until("it is gone", |awake| awake.status()["running"] == false);
    let log = awake.log();
    assert!(log.contains("a client of version 999.0.0 called"), "{log}");
    awake.0.run(&["daemon", "start"]);
    awake.fire("two");
    awake.until_kept(1);
    assert_eq!(awake.log().matches("listening on").count(), 2);
}

#[test]
fn who_wants_no_daemon_gets_none() {
    let by_setting = Awake::new();
    by_setting.0.config("[settings]\ndaemon = false\n");
    let mut by_variable = Awake::new();
    by_variable.0.set_env("BECKET_DAEMON", "off");
    let mut unrecorded = Awake::new();
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
fn a_daemon_does_not_see_the_environment_of_the_agent_that_started_it() {
    let mut awake = Awake::new();
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
fn what_matches_a_pattern_of_the_persons_own_is_nowhere_on_record() {
    let awake = Awake::new();
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
    // The second is answered from what was remembered of the configuration.
    let remembered = awake.0.path("home/.becket/quick");
    awake.until("the configuration is remembered", |_| {
        fire();
        std::fs::read_dir(&remembered).is_ok_and(|mut files| files.next().is_some())
    });
    fire();
    let status = |awake: &Awake| awake.status()["status"]["records"].as_u64();
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
fn a_pattern_that_is_none_is_a_problem_with_a_place() {
    let awake = Awake::new();
    awake.0.config("[settings]\nredact = ['(']\n");
    let told = awake.0.run(&["doctor"]).stdout;
    assert!(told.contains("config.toml:2"), "{told}");
    assert!(told.contains("settings.redact"), "{told}");
}

/// Programs in a directory of their own, where they can be replaced.
struct Installed(tempfile::TempDir);

impl Installed {
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

    fn fire(&self, awake: &Awake, session: &str) {
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

    /// By another process: what this one writes, a child of another test may hold open, and then it cannot be run.
    fn replace(&self) {
        let (old, new) = (self.0.path().join("becketd"), self.0.path().join("new"));
        let copied = Command::new("cp").args([&old, &new]).status();
        assert!(copied.expect("ended").success());
        std::fs::rename(new, old).expect("renamed");
    }
}

#[test]
fn a_daemon_whose_program_was_replaced_makes_room_for_the_new_one() {
    let (awake, installed) = (Awake::new(), Installed::new());
    installed.fire(&awake, "one");
    awake.until_kept(1);
    let pid = awake.status()["status"]["pid"].clone();
    installed.fire(&awake, "two");
    awake.until_kept(2);
    assert_eq!(awake.status()["status"]["pid"], pid, "nothing has changed");
    installed.replace();
    installed.fire(&awake, "three");
    awake.until("it goes", |awake| awake.status()["running"] == false);
    assert!(awake.log().contains("the program was replaced"));
    awake.long_after_the_last_start();
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
