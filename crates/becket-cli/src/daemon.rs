//! `becket daemon`: starts, stops and asks the one that keeps records.

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
use becket::load::{load, telling};
use becket_daemon::instance::Holder;
use becket_daemon::learn::WantedOf;
use becket_daemon::log::{Level, LogFile};
use becket_daemon::place::Place;
use becket_daemon::run::{Config, StartError, prepare};
use becket_daemon::socket::{Answer, Request};
use becket_recall::inject::Limits;
use becket_spool::Spool;
use serde_json::{Value, json};

use crate::args::DaemonCommand;
use crate::exit::Exit;
use crate::learn;
use crate::records::{in_bytes, in_words, of};
use crate::report::{SCHEMA_VERSION, print, print_json, talk};
use crate::setup::Lent;
use crate::wake;

/// A daemon that nobody needs ends after this.
const IDLE: Duration = Duration::from_secs(30 * 60);
/// How often it looks for sessions and hooks that fell silent.
const CARE: Duration = Duration::from_secs(60);
/// How long to wait for one to come or go.
const PATIENCE: Duration = Duration::from_secs(10);

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
            let idle = if *stay { Duration::MAX } else { IDLE };
            let learn = (!no_learn).then(|| learn::wanted_of(&home));
            if *detached {
                // Away from the agent's terminal: its hang-up is not meant for us.
                let _ = rustix::process::setsid();
            }
            start_log(&home, *detached || *log_file)?;
            run(&home, *port, idle, learn)
        }
        DaemonCommand::Start => start(&home),
        DaemonCommand::Stop => stop(&home),
        DaemonCommand::Restart => restart(&home),
        DaemonCommand::Status { json } => status(&home, *json),
        DaemonCommand::Logs { lines, follow } => logs::show(&home, *lines, *follow),
        DaemonCommand::Unit { launchd } => {
            let service = unit::Service::find(&ProcessEnv)?;
            print(&if *launchd {
                service.launchd()
            } else {
                service.systemd()
            });
            Ok(Exit::Success)
        }
    }
}

/// What a daemon says that was started beside another.
const ANOTHER: &str = "a daemon is running already";

/// Is the daemon, until it ends.
fn run(
    home: &Home,
    port: Option<u16>,
    idle: Duration,
    learn: Option<WantedOf>,
) -> anyhow::Result<Exit> {
    let port = port.or(load(home, None, None).settings.port).unwrap_or(0);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("no runtime")?;
    runtime.block_on(async {
        let config = Config {
            state: home.state.clone(),
            port,
            limits: becket_daemon::http::serve::Limits::default(),
            idle,
            care: CARE,
            transcripts: Some(home.user.clone()),
            version: env!("CARGO_PKG_VERSION"),
            setup: Some(Arc::new(Lent::of(home))),
            learn,
            embedding: learn::endpoint(home),
        };
        let ready = match prepare(&config).await {
            Ok(ready) => ready,
            Err(StartError::AlreadyRunning) => {
                talk(&format!("becket: {ANOTHER}"));
                return Ok(Exit::Success);
            }
            Err(error) => return Err(error.into()),
        };
        wake::has_started();
        let home = home.clone();
        ready.tell_within(Box::new(move |project| limits(&home, project)));
        let stop = ready.stopper();
        tokio::spawn(async move {
            end_on_signal().await;
            stop.cancel();
        });
        ready.run().await;
        Ok(Exit::Success)
    })
}

/// How much agents are told in a project; `None`: nothing.
fn limits(home: &Home, project: &Path) -> Option<Limits> {
    let said = telling(home, Some(project));
    if said.enabled == Some(false) {
        return None;
    }
    let usual = Limits::default();
    let or = |said: Option<u32>, usual: usize| {
        said.map_or(usual, |most| usize::try_from(most).unwrap_or(usize::MAX))
    };
    Some(Limits {
        code_chunks: or(said.code_chunks, usual.code_chunks),
        lines_per_chunk: or(said.lines_per_chunk, usual.lines_per_chunk),
        memories: or(said.memories, usual.memories),
        session_summaries: or(said.session_summaries, usual.session_summaries),
        tokens: or(said.tokens, usual.tokens),
    })
}

/// Where the log goes: to its file, or to whoever watches.
fn start_log(home: &Home, to_file: bool) -> anyhow::Result<()> {
    let level = ProcessEnv.get(EnvVars::BECKET_LOG);
    let level = level.as_deref().map_or(Ok(Level::INFO), |level| {
        level.to_string_lossy().parse().with_context(|| {
            let name = EnvVars::BECKET_LOG;
            format!(
                "{name} is `{}`; it can be error, warn, info, debug or trace",
                level.display()
            )
        })
    })?;
    let place = Place::below(&home.state);
    if to_file {
        place.prepare()?;
    }
    let file = to_file.then(|| LogFile::open(place.log()));
    becket_daemon::log::start(level, file);
    Ok(())
}

async fn end_on_signal() {
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
    print(match ensure(home)? {
        Ensured::Running => "The daemon is running already.\n",
        Ensured::Started => "The daemon is running.\n",
    });
    Ok(Exit::Success)
}

/// Whether a daemon was there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ensured {
    Running,
    Started,
}

/// Starts one in the background unless there is one, and waits until it answers.
pub(crate) fn ensure(home: &Home) -> anyhow::Result<Ensured> {
    let place = Place::below(&home.state);
    if ask(&place, &Request::Status).is_ok() {
        return Ok(Ensured::Running);
    }
    place.prepare()?;
    let log = place.log();
    let before = std::fs::metadata(&log).map_or(0, |log| log.len());
    wake::start_now(&place).context("the daemon cannot be started")?;
    let mut why_not = None;
    let mut answers = false;
    wait_until(|| {
        answers = ask(&place, &Request::Status).is_ok();
        why_not = last_words(&log, before);
        answers || why_not.is_some()
    });
    match why_not {
        _ if answers => Ok(Ensured::Started),
        Some(why) => bail!("the daemon could not start: {why}"),
        None => bail!(
            "the daemon did not answer within {} s; see `{}`",
            PATIENCE.as_secs(),
            log.display()
        ),
    }
}

/// What a daemon that could not start said of it, in what came to the log since it was that long.
fn last_words(log: &Path, before: u64) -> Option<String> {
    let mut file = std::fs::File::open(log).ok()?;
    file.seek(SeekFrom::Start(before)).ok()?;
    let lines = BufReader::new(file).lines().map_while(Result::ok);
    let said = lines.filter_map(|line| Some(line.strip_prefix("becket: ")?.to_owned()));
    // Then the other is about to answer.
    said.filter(|line| line != ANOTHER).last()
}

fn stop(home: &Home) -> anyhow::Result<Exit> {
    print(if end(home)? {
        "The daemon has stopped. The next event starts it again, unless your configuration says `daemon = false` under [settings].\n"
    } else {
        "No daemon is running.\n"
    });
    Ok(Exit::Success)
}

fn restart(home: &Home) -> anyhow::Result<Exit> {
    let ran = end(home)?;
    ensure(home)?;
    print(if ran {
        "The daemon has stopped, and another is running.\n"
    } else {
        "No daemon was running; one is now.\n"
    });
    Ok(Exit::Success)
}

/// Ends the one that runs, and waits until it has; whether there was one.
pub(crate) fn end(home: &Home) -> anyhow::Result<bool> {
    let place = Place::below(&home.state);
    if ask_whoever_runs(&place, &Request::Stop)?.is_none() {
        return Ok(false);
    }
    let gone = || becket_daemon::instance::hold(&place.lock()).is_ok_and(|held| held.is_some());
    if !wait_until(gone) {
        bail!("the daemon did not end within {} s", PATIENCE.as_secs());
    }
    Ok(true)
}

fn wait_until(mut done: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        if done() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

fn status(home: &Home, as_json: bool) -> anyhow::Result<Exit> {
    let place = Place::below(&home.state);
    let answer = ask_whoever_runs(&place, &Request::Status);
    let address = std::fs::read_to_string(place.address()).unwrap_or_default();
    let dropped = Spool::open(home.spool()).dropped().unwrap_or_default();
    if as_json {
        let runs = !matches!(answer, Ok(None));
        let mut told = json!({
            "schema_version": SCHEMA_VERSION, "running": runs, "address": address.trim(), "status": null,
            "dropped_segments": dropped,
        });
        match &answer {
            Ok(answer) => told["status"] = json!(answer.as_ref().and_then(|it| it.status.as_ref())),
            Err(error) => told["error"] = json!(format!("{error:#}")),
        }
        print_json(&told)?;
        let is_well = !told["status"].is_null();
        return Ok(if is_well {
            Exit::Success
        } else {
            Exit::Failure
        });
    }
    let status = answer?.and_then(|answer| answer.status);
    match &status {
        Some(status) => print(&told(status, address.trim())),
        None => print("No daemon is running. Events are kept in the spool until one is.\n"),
    }
    if dropped > 0 {
        let dropped = of(dropped, "segment");
        print(&format!(
            "{dropped} of old events had to go, because the spool was full: `becket doctor` tells more\n"
        ));
    }
    Ok(if status.is_some() {
        Exit::Success
    } else {
        Exit::Failure
    })
}

/// How a daemon is, for people. One of an older version does not tell everything.
fn told(status: &Value, address: &str) -> String {
    let number = |name: &str| status[name].as_u64();
    let uptime = Duration::from_secs(number("uptime_seconds").unwrap_or_default());
    let mut out = format!(
        "running: version {}, pid {}, for {}, at http://{address}\n{} kept since it started\n",
        status["version"].as_str().unwrap_or("?"),
        status["pid"],
        if uptime.is_zero() {
            "0 s".to_owned()
        } else {
            in_words(uptime)
        },
        of(number("records").unwrap_or_default(), "record"),
    );
    if let (Some(database), Some(spool)) = (number("database_bytes"), number("spool_bytes")) {
        let spool = match spool {
            0 => "nothing".to_owned(),
            bytes => in_bytes(bytes),
        };
        out += &format!(
            "the database takes {}, {spool} waits in the spool\n",
            in_bytes(database)
        );
    }
    let failed = |name: &str| number(name).unwrap_or_default();
    let (commits, drains) = (failed("failed_commits"), failed("failed_drains"));
    if commits + drains > 0 {
        out += &format!(
            "{} and {} failed: `becket daemon logs` says why\n",
            of(commits, "commit"),
            of(drains, "drain")
        );
    }
    out
}

/// Lets the daemon take in what is in the spool; it does so on its own time.
pub(crate) fn ring(home: &Home) -> anyhow::Result<Answer> {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    ask(&Place::below(&home.state), &Request::Ring { version })
}

/// Asks the one that runs; `None` if none does. One that runs and cannot be asked is an error.
fn ask_whoever_runs(place: &Place, request: &Request) -> anyhow::Result<Option<Answer>> {
    let error = match ask(place, request) {
        Ok(answer) => return Ok(Some(answer)),
        Err(error) => error,
    };
    let is_absence = |cause: &std::io::Error| {
        use std::io::ErrorKind::{ConnectionRefused, NotFound};
        matches!(cause.kind(), NotFound | ConnectionRefused)
    };
    let mut causes = error.chain().filter_map(|cause| cause.downcast_ref());
    if causes.any(is_absence) {
        return Ok(None);
    }
    match becket_daemon::instance::holder(&place.lock()) {
        None => Ok(None),
        Some(Holder { pid: Some(pid) }) => Err(error.context(format!(
            "a daemon runs, as process {pid}, and cannot be asked"
        ))),
        Some(Holder { pid: None }) => Err(error.context("a daemon runs and cannot be asked")),
    }
}

/// Asks the daemon something over its socket.
pub(crate) fn ask(place: &Place, request: &Request) -> anyhow::Result<Answer> {
    ask_for(place, request, PATIENCE)
}

/// The same, with another patience.
pub(crate) fn ask_for(
    place: &Place,
    request: &Request,
    patience: Duration,
) -> anyhow::Result<Answer> {
    place.check_socket().context("the daemon cannot be asked")?;
    let mut stream = UnixStream::connect(place.door()?).context("no daemon listens")?;
    stream.set_read_timeout(Some(patience))?;
    let mut line = serde_json::to_vec(request)?;
    line.push(b'\n');
    stream.write_all(&line)?;
    let mut answer = String::new();
    BufReader::new(&stream)
        .read_line(&mut answer)
        .map_err(|error| in_time(error, patience))?;
    let answer: Answer = serde_json::from_str(&answer).context("not an answer")?;
    match &answer.error {
        Some(error) => bail!("the daemon says: {error}"),
        None => Ok(answer),
    }
}

/// What the kernel calls "temporarily unavailable" is an answer that did not come.
fn in_time(error: std::io::Error, patience: Duration) -> anyhow::Error {
    use std::io::ErrorKind::{TimedOut, WouldBlock};
    match error.kind() {
        WouldBlock | TimedOut => {
            anyhow::anyhow!("it did not answer within {} s", patience.as_secs())
        }
        _ => error.into(),
    }
}
