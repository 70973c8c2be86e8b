//! `becket daemon`: runs, starts, stops and queries the background daemon.

mod logs;
mod unit;

use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use becket::Home;
use becket::env::{EnvVars, ProcessEnv, Vars};
use becket::load::{load, recall_settings};
use becket_base::time::format_span;
use becket_daemon::instance::LockHolder;
use becket_daemon::learn::LearningSettingsLoader;
use becket_daemon::log::{Level, LogFile};
use becket_daemon::run::{Config, StartError, prepare};
use becket_daemon::runtime_dir::RuntimeDir;
use becket_daemon::socket::{SocketRequest, SocketResponse};
use becket_recall::inject::InjectionLimits;
use becket_spool::Spool;
use serde_json::{Value, json};

use crate::args::DaemonCommand;
use crate::autostart;
use crate::exit::Exit;
use crate::learn;
use crate::records::{format_bytes, plural};
use crate::report::{SCHEMA_VERSION, print, print_json, print_message};
use crate::setup::SharedSetup;

/// The daemon exits after this time without events or clients.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30 * 60);
/// How often the daemon looks for idle sessions and missing hooks.
const MAINTENANCE_INTERVAL: Duration = Duration::from_secs(60);
/// How long to wait for a response, a start or a stop.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) fn main(command: &DaemonCommand) -> anyhow::Result<Exit> {
    let home = Home::find(&ProcessEnv);
    match command {
        DaemonCommand::Run {
            port,
            stay,
            no_learn,
            log_file,
            detached,
        } => {
            let idle = if *stay { Duration::MAX } else { IDLE_TIMEOUT };
            let learn = (!no_learn).then(|| learn::learn_settings_source(&home));
            if *detached {
                // Leave the agent's terminal session, so that its SIGHUP does not reach the daemon.
                let _ = rustix::process::setsid();
            }
            init_log(&home, *detached || *log_file)?;
            run(&home, *port, idle, learn)
        }
        DaemonCommand::Start => start(&home),
        DaemonCommand::Stop => stop(&home),
        DaemonCommand::Restart => restart(&home),
        DaemonCommand::Status { json } => status(&home, *json),
        DaemonCommand::Logs { lines, follow } => logs::show(&home, *lines, *follow),
        DaemonCommand::Unit { launchd } => {
            let service = unit::ServiceFile::find(&ProcessEnv)?;
            print(&if *launchd {
                service.launchd()
            } else {
                service.systemd()
            });
            Ok(Exit::Success)
        }
    }
}

/// The message of a daemon that finds another one running.
const ALREADY_RUNNING: &str = "a daemon is already running";

/// Runs the daemon in this process until it stops.
fn run(
    home: &Home,
    port: Option<u16>,
    idle: Duration,
    learn: Option<LearningSettingsLoader>,
) -> anyhow::Result<Exit> {
    let port = port.or(load(home, None, None).settings.port).unwrap_or(0);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("cannot start the async runtime")?;
    runtime.block_on(async {
        let config = Config {
            state: home.state.clone(),
            port,
            limits: becket_daemon::http::serve::ConnectionLimits::default(),
            idle_timeout: idle,
            check_interval: MAINTENANCE_INTERVAL,
            transcripts: Some(home.user.clone()),
            version: env!("CARGO_PKG_VERSION"),
            setup: Some(Arc::new(SharedSetup::new(home))),
            learn,
            embedding: learn::embedding_endpoint(home),
        };
        let ready = match prepare(&config).await {
            Ok(ready) => ready,
            Err(StartError::AlreadyRunning) => {
                print_message(&format!("becket: {ALREADY_RUNNING}"));
                return Ok(Exit::Success);
            }
            Err(error) => return Err(error.into()),
        };
        autostart::release_start_lock();
        let home = home.clone();
        ready.enable_injection(Box::new(move |project| injection_limits(&home, project)));
        let stop = ready.stop_token();
        tokio::spawn(async move {
            wait_for_signal().await;
            stop.cancel();
        });
        ready.run().await;
        Ok(Exit::Success)
    })
}

/// The limits for injected context in a project; `None` if injection is off there.
fn injection_limits(home: &Home, project: &Path) -> Option<InjectionLimits> {
    let settings = recall_settings(home, Some(project));
    if settings.enabled == Some(false) {
        return None;
    }
    let usual = InjectionLimits::default();
    let or = |settings: Option<u32>, usual: usize| {
        settings.map_or(usual, |most| usize::try_from(most).unwrap_or(usize::MAX))
    };
    Some(InjectionLimits {
        code_chunks: or(settings.code_chunks, usual.code_chunks),
        lines_per_chunk: or(settings.lines_per_chunk, usual.lines_per_chunk),
        memories: or(settings.memories, usual.memories),
        session_summaries: or(settings.session_summaries, usual.session_summaries),
        tokens: or(settings.tokens, usual.tokens),
    })
}

/// Starts logging to the log file or to standard error.
fn init_log(home: &Home, to_file: bool) -> anyhow::Result<()> {
    let level = ProcessEnv.get(EnvVars::BECKET_LOG);
    let level = level.as_deref().map_or(Ok(Level::INFO), |level| {
        level.to_string_lossy().parse().with_context(|| {
            let name = EnvVars::BECKET_LOG;
            format!(
                "{name} is `{}`; use error, warn, info, debug or trace",
                level.display()
            )
        })
    })?;
    let runtime_dir = RuntimeDir::in_state_dir(&home.state);
    if to_file {
        runtime_dir.prepare()?;
    }
    let file = to_file.then(|| LogFile::open(runtime_dir.log()));
    becket_daemon::log::init(level, file);
    Ok(())
}

async fn wait_for_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut term), Ok(mut int)) = (
        signal(SignalKind::terminate()),
        signal(SignalKind::interrupt()),
    ) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = term.recv() => {}
        _ = int.recv() => {}
    }
}

fn start(home: &Home) -> anyhow::Result<Exit> {
    print(match ensure_running(home)? {
        StartOutcome::AlreadyRunning => "The daemon is already running.\n",
        StartOutcome::Started => "The daemon is running.\n",
    });
    Ok(Exit::Success)
}

/// Whether a daemon was already running.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum StartOutcome {
    AlreadyRunning,
    Started,
}

/// Starts the daemon in the background unless one is running, and waits until it responds.
pub(crate) fn ensure_running(home: &Home) -> anyhow::Result<StartOutcome> {
    let runtime_dir = RuntimeDir::in_state_dir(&home.state);
    if send_request(&runtime_dir, &SocketRequest::Status).is_ok() {
        return Ok(StartOutcome::AlreadyRunning);
    }
    runtime_dir.prepare()?;
    let log = runtime_dir.log();
    let before = std::fs::metadata(&log).map_or(0, |log| log.len());
    autostart::start_with_full_env(&runtime_dir).context("cannot start the daemon")?;
    let mut failure = None;
    let mut is_answering = false;
    wait_until(|| {
        is_answering = send_request(&runtime_dir, &SocketRequest::Status).is_ok();
        failure = startup_error(&log, before);
        is_answering || failure.is_some()
    });
    match failure {
        _ if is_answering => Ok(StartOutcome::Started),
        Some(why) => bail!("the daemon failed to start: {why}"),
        None => bail!(
            "the daemon did not respond within {} s; see `{}`",
            REQUEST_TIMEOUT.as_secs(),
            log.display()
        ),
    }
}

/// The error that a daemon wrote to its log after the first `before` bytes.
fn startup_error(log: &Path, before: u64) -> Option<String> {
    let mut file = std::fs::File::open(log).ok()?;
    file.seek(SeekFrom::Start(before)).ok()?;
    let lines = BufReader::new(file).lines().map_while(Result::ok);
    let settings = lines.filter_map(|line| Some(line.strip_prefix("becket: ")?.to_owned()));
    // Another daemon holds the lock and will respond soon.
    settings.filter(|line| line != ALREADY_RUNNING).last()
}

fn stop(home: &Home) -> anyhow::Result<Exit> {
    print(if shut_down(home)? {
        "The daemon has stopped. The next event starts it again, unless `daemon = false` is set under [settings].\n"
    } else {
        "No daemon is running.\n"
    });
    Ok(Exit::Success)
}

fn restart(home: &Home) -> anyhow::Result<Exit> {
    let ran = shut_down(home)?;
    ensure_running(home)?;
    print(if ran {
        "The daemon has restarted.\n"
    } else {
        "No daemon was running; started one.\n"
    });
    Ok(Exit::Success)
}

/// Stops the running daemon and waits for its exit. Returns whether one was running.
pub(crate) fn shut_down(home: &Home) -> anyhow::Result<bool> {
    let runtime_dir = RuntimeDir::in_state_dir(&home.state);
    if send_request_if_running(&runtime_dir, &SocketRequest::Stop)?.is_none() {
        return Ok(false);
    }
    let has_stopped =
        || becket_daemon::instance::try_lock(&runtime_dir.lock()).is_ok_and(|held| held.is_some());
    if !wait_until(has_stopped) {
        bail!(
            "the daemon did not stop within {} s",
            REQUEST_TIMEOUT.as_secs()
        );
    }
    Ok(true)
}

fn wait_until(mut done: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    while started.elapsed() < REQUEST_TIMEOUT {
        if done() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

fn status(home: &Home, as_json: bool) -> anyhow::Result<Exit> {
    let runtime_dir = RuntimeDir::in_state_dir(&home.state);
    let response = send_request_if_running(&runtime_dir, &SocketRequest::Status);
    let address = std::fs::read_to_string(runtime_dir.address()).unwrap_or_default();
    let dropped = Spool::open(home.spool()).dropped().unwrap_or_default();
    if as_json {
        let runs = !matches!(response, Ok(None));
        let mut report = json!({
            "schema_version": SCHEMA_VERSION, "running": runs, "address": address.trim(), "status": null,
            "dropped_segments": dropped,
        });
        match &response {
            Ok(response) => {
                report["status"] = json!(response.as_ref().and_then(|it| it.status.as_ref()));
            }
            Err(error) => report["error"] = json!(format!("{error:#}")),
        }
        print_json(&report)?;
        let is_healthy = !report["status"].is_null();
        return Ok(if is_healthy {
            Exit::Success
        } else {
            Exit::Failure
        });
    }
    let status = response?.and_then(|response| response.status);
    match &status {
        Some(status) => print(&status_text(status, address.trim())),
        None => print("No daemon is running. Events stay in the spool until one starts.\n"),
    }
    if dropped > 0 {
        let dropped = plural(dropped, "segment");
        print(&format!(
            "{dropped} of old events deleted because the spool was full; see `becket doctor`\n"
        ));
    }
    Ok(if status.is_some() {
        Exit::Success
    } else {
        Exit::Failure
    })
}

/// The daemon's status as text. A daemon of an older version may leave out fields.
fn status_text(status: &Value, address: &str) -> String {
    let number = |name: &str| status[name].as_u64();
    let uptime = Duration::from_secs(number("uptime_seconds").unwrap_or_default());
    let mut out = format!(
        "running: version {}, pid {}, up {}, http://{address}\n{} stored since it started\n",
        status["version"].as_str().unwrap_or("?"),
        status["pid"],
        if uptime.is_zero() {
            "0 s".to_owned()
        } else {
            format_span(uptime)
        },
        plural(number("records").unwrap_or_default(), "record"),
    );
    if let (Some(database), Some(spool)) = (number("database_bytes"), number("spool_bytes")) {
        let spool = match spool {
            0 => "empty".to_owned(),
            bytes => format_bytes(bytes),
        };
        out += &format!("database: {}, spool: {spool}\n", format_bytes(database));
    }
    let failed = |name: &str| number(name).unwrap_or_default();
    let (commits, drains) = (failed("failed_commits"), failed("failed_drains"));
    if commits + drains > 0 {
        out += &format!(
            "{} and {} failed; see `becket daemon logs`\n",
            plural(commits, "commit"),
            plural(drains, "drain")
        );
    }
    out
}

/// Notifies the daemon of new records in the spool. It drains the spool later.
pub(crate) fn notify(home: &Home) -> anyhow::Result<SocketResponse> {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    send_request(
        &RuntimeDir::in_state_dir(&home.state),
        &SocketRequest::Notify { version },
    )
}

/// Sends a request; `None` if no daemon runs. A daemon that runs and does not respond is an error.
fn send_request_if_running(
    runtime_dir: &RuntimeDir,
    request: &SocketRequest,
) -> anyhow::Result<Option<SocketResponse>> {
    let error = match send_request(runtime_dir, request) {
        Ok(response) => return Ok(Some(response)),
        Err(error) => error,
    };
    let is_absent = |cause: &std::io::Error| {
        use std::io::ErrorKind::{ConnectionRefused, NotFound};
        matches!(cause.kind(), NotFound | ConnectionRefused)
    };
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref());
    if causes.any(is_absent) {
        return Ok(None);
    }
    match becket_daemon::instance::lock_holder(&runtime_dir.lock()) {
        None => Ok(None),
        Some(LockHolder { pid: Some(pid) }) => Err(error.context(format!(
            "the daemon (pid {pid}) is running but does not respond"
        ))),
        Some(LockHolder { pid: None }) => {
            Err(error.context("the daemon is running but does not respond"))
        }
    }
}

/// Sends a request to the daemon over its socket and waits for the response.
pub(crate) fn send_request(
    runtime_dir: &RuntimeDir,
    request: &SocketRequest,
) -> anyhow::Result<SocketResponse> {
    send_request_within(runtime_dir, request, REQUEST_TIMEOUT)
}

/// Like [`send_request`], with another timeout.
pub(crate) fn send_request_within(
    runtime_dir: &RuntimeDir,
    request: &SocketRequest,
    timeout: Duration,
) -> anyhow::Result<SocketResponse> {
    runtime_dir
        .check_socket()
        .context("cannot connect to the daemon")?;
    let mut stream =
        UnixStream::connect(runtime_dir.short_socket_path()?).context("no daemon is listening")?;
    stream.set_read_timeout(Some(timeout))?;
    let mut line = serde_json::to_vec(request)?;
    line.push(b'\n');
    stream.write_all(&line)?;
    let mut response = String::new();
    BufReader::new(&stream)
        .read_line(&mut response)
        .map_err(|error| timeout_error(error, timeout))?;
    let response: SocketResponse =
        serde_json::from_str(&response).context("unexpected response from the daemon")?;
    match &response.error {
        Some(error) => bail!("the daemon reports: {error}"),
        None => Ok(response),
    }
}

/// Turns the kernel's "resource temporarily unavailable" into a timeout message.
fn timeout_error(error: std::io::Error, timeout: Duration) -> anyhow::Error {
    use std::io::ErrorKind::{TimedOut, WouldBlock};
    match error.kind() {
        WouldBlock | TimedOut => {
            anyhow::anyhow!("no response within {} s", timeout.as_secs())
        }
        _ => error.into(),
    }
}
