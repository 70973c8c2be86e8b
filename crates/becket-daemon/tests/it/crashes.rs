//! Clients write while the daemon is killed repeatedly: every record is stored exactly once.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use becket_daemon::run::prepare;
use becket_daemon::runtime_dir::RuntimeDir;
use becket_spool::{Spool, notify};
use becket_store::{CheckDepth, Millis, StoreReader};
use becket_testkit::Dice;
use becket_testkit::PATIENCE;
use becket_testkit::wait_for;
use serde_json::json;

use crate::world::config;

/// Set for the process to be killed: its state directory.
const STATE: &str = "BECKET_DAEMON_TEST_STATE";
/// Another seed, to reproduce a failure.
const SEED: &str = "BECKET_DAEMON_TEST_SEED";
/// More kills, for a longer run.
const KILLS: &str = "BECKET_DAEMON_TEST_KILLS";

const CLIENTS: usize = 50;
const EACH: usize = 200;
/// One in this many clients talks to the daemon directly.
const DIRECT: usize = 5;

/// Not a test: a daemon that runs until it is killed.
#[test]
fn child() {
    let Some(state) = std::env::var_os(STATE) else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let ready = prepare(&config(Path::new(&state)))
            .await
            .expect("it starts");
        writeln!(std::io::stderr(), "ready").expect("stderr is open");
        ready.run().await;
    });
}

fn daemon(state: &Path) -> Child {
    let mut child = Command::new(std::env::current_exe().expect("this test has a binary"))
        .args(["--exact", "crashes::child", "--nocapture"])
        .env(STATE, state)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a child starts");
    let stderr = BufReader::new(child.stderr.take().expect("piped"));
    let ready = stderr
        .lines()
        .map_while(Result::ok)
        .any(|line| line == "ready");
    assert!(ready, "the daemon did not start");
    child
}

fn number(name: &str, usual: u64) -> u64 {
    let given = std::env::var(name).ok().and_then(|text| text.parse().ok());
    given.unwrap_or(usual)
}

fn record(client: usize, number: usize, padding: usize) -> String {
    // Recent sessions: the daemon ends those without activity.
    static BEGINNING: LazyLock<Millis> = LazyLock::new(Millis::now);
    let command = format!("echo {}", "x".repeat(padding));
    let after = i64::try_from(client * EACH + number).expect("small");
    let at = Millis(BEGINNING.0 + after).to_text();
    json!({
        "v": 1, "id": format!("c{client}-{number}"), "ts": at, "agent": "claude", "event": "PostToolUse",
        "session": format!("s{client}"),
        "payload": {
            "hook_event_name": "PostToolUse", "session_id": format!("s{client}"), "tool_name": "Bash",
            "tool_use_id": format!("t{client}-{number}"), "tool_input": { "command": command },
            "tool_response": { "stdout": "done", "stderr": "" },
        },
    })
    .to_string()
}

/// The progress of the clients; they write in every life of the daemon.
#[derive(Default)]
struct Progress {
    allowed: AtomicUsize,
    promised: AtomicUsize,
    /// The records that the daemon itself acknowledged.
    direct: AtomicUsize,
}

/// Writes all records of a client; counts the acknowledged ones.
fn client(state: &Path, client: usize, seed: u64, progress: &Progress) {
    let spool = Spool::open(state.join("spool"));
    let mut chance = Dice::new(seed.wrapping_add(client as u64 + 1));
    for number in 0..EACH {
        while number >= progress.allowed.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(1));
        }
        let padding = chance.roll(400);
        let record = record(client, number, padding);
        if client.is_multiple_of(DIRECT) && tell(state, &record) {
            progress.direct.fetch_add(1, Ordering::Relaxed);
        } else {
            // The daemon may have died after storing the record and before the response; it then gets
            // the record a second time.
            spool.append(record.as_bytes()).expect("the spool takes it");
        }
        progress.promised.fetch_add(1, Ordering::Relaxed);
        if chance.below(50) == 0 {
            ring(state);
        }
    }
}

/// Whether the daemon acknowledged the record.
fn tell(state: &Path, record: &str) -> bool {
    let request = format!("{{\"do\":\"record\",\"record\":{record}}}\n");
    let mut answer = String::new();
    let told = connect(state).and_then(|mut stream| {
        stream.write_all(request.as_bytes())?;
        BufReader::new(stream).read_line(&mut answer)
    });
    told.is_ok() && answer.starts_with("{\"ok\":true")
}

fn connect(state: &Path) -> std::io::Result<UnixStream> {
    let stream = UnixStream::connect(RuntimeDir::in_state_dir(state).socket())?;
    stream.set_read_timeout(Some(PATIENCE))?;
    Ok(stream)
}

/// A missing daemon is not an error.
fn ring(state: &Path) {
    let _ = notify::notify_daemon(&RuntimeDir::in_state_dir(state), "");
}

fn database(state: &Path) -> PathBuf {
    state.join("becket.db")
}

#[test]
fn acknowledged_records_are_stored_exactly_once_despite_kills() {
    let seed = number(SEED, 20_261_116);
    let kills = number(KILLS, 12);
    #[expect(clippy::print_stdout, reason = "shown when the test fails")]
    let say = |text: String| println!("{text}");
    say(format!("seed {seed} ({SEED}), {kills} kills ({KILLS})"));
    let dir = tempfile::tempdir().expect("a directory");
    let state = dir.path();
    let progress = Progress::default();
    let promised = || progress.promised.load(Ordering::Relaxed);
    let mut last = std::thread::scope(|scope| {
        for number in 0..CLIENTS {
            let progress = &progress;
            scope.spawn(move || client(state, number, seed, progress));
        }
        let mut chance = Dice::new(seed);
        for round in 1..=kills {
            let mut child = daemon(state);
            let allowed = EACH as u64 * round / (kills + 1);
            let allowed = usize::try_from(allowed).expect("small");
            progress.allowed.store(allowed, Ordering::Relaxed);
            // Some die while they store their first records, some between two segments.
            let longest = [100, 1500][usize::from(chance.below(2) == 0)];
            std::thread::sleep(Duration::from_millis(chance.below(longest)));
            child.kill().expect("SIGKILL");
            child.wait().expect("it is gone");
            let (promised, stored) = (promised(), stored(state));
            say(format!(
                "kill {round}: {promised} promised, {stored} stored"
            ));
        }
        // The last daemon listens before the clients go on, so that it answers some of them however slow the machine is.
        let last = daemon(state);
        progress.allowed.store(EACH, Ordering::Relaxed);
        last
    });
    assert_eq!(promised(), CLIENTS * EACH);
    assert!(
        progress.direct.load(Ordering::Relaxed) > 0,
        "the daemon never answered"
    );
    ring(state);
    wait_for("all is stored", || stored(state) >= CLIENTS * EACH);
    last.kill().expect("SIGKILL");
    last.wait().expect("it is gone");
    check(state);
}

fn stored(state: &Path) -> usize {
    let reader = StoreReader::open(database(state)).expect("a database");
    usize::try_from(reader.last_seq().expect("a number")).expect("small")
}

fn check(state: &Path) {
    let reader = StoreReader::open(database(state)).expect("a database");
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut cursor = 0;
    loop {
        let events = reader.events_since(cursor, 1000).expect("events");
        let Some(last) = events.last() else { break };
        cursor = last.seq;
        for event in events {
            assert_eq!(event.problem, None, "{}", event.record);
            assert_eq!(event.duplicate_of, None, "{}", event.record);
            *seen.entry(event.id).or_default() += 1;
        }
    }
    for client in 0..CLIENTS {
        for number in 0..EACH {
            let id = format!("c{client}-{number}");
            assert_eq!(seen.remove(&id), Some(1), "{id}");
        }
        let numbers = reader
            .session_stats(&format!("s{client}"))
            .expect("numbers");
        assert_eq!(numbers.tool_calls, EACH as u64);
    }
    assert!(seen.is_empty(), "records that no client wrote: {seen:?}");
    let problems = reader.check(CheckDepth::Full).expect("a check").problems;
    assert_eq!(problems, [""; 0]);
}
