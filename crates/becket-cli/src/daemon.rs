//! `becket daemon`: starts, stops and asks the one that keeps records.

mod logs;
mod unit;

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use becket::Home;
use becket::env::{EnvVars, ProcessEnv, Vars};
use becket::load::load;
use becket_daemon::log::{Level, LogFile};
use becket_daemon::place::Place;
use becket_daemon::run::{Config, StartError, prepare};
use becket_daemon::socket::{Answer, Request};
use serde_json::json;

use crate::args::DaemonCommand;
use crate::exit::Exit;
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
            detached,
        } => {
            let idle = if *stay { Duration::MAX } else { IDLE };
            run(&home, *port, idle, *detached)
        }
        DaemonCommand::Start => start(&home),
        DaemonCommand::Stop => stop(&home),
        DaemonCommand::Restart => {
            stop(&home)?;
            start(&home)
        }
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

/// Is the daemon, until it ends.
fn run(home: &Home, port: Option<u16>, idle: Duration, detached: bool) -> anyhow::Result<Exit> {
    if detached {
        // Away from the agent's terminal: its hang-up is not meant for us.
        let _ = rustix::process::setsid();
    }
    start_log(home, detached)?;
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
            idle,
            care: CARE,
            version: env!("CARGO_PKG_VERSION"),
            setup: Some(Arc::new(Lent::of(home))),
        };
        let ready = match prepare(&config).await {
            Ok(ready) => ready,
            Err(StartError::AlreadyRunning) => {
                talk("becket: a daemon is running already");
                return Ok(Exit::Success);
            }
            Err(error) => return Err(error.into()),
        };
        let stop = ready.stopper();
        tokio::spawn(async move {
            end_on_signal().await;
            stop.cancel();
        });
        ready.run().await;
        Ok(Exit::Success)
    })
}

/// Where the log goes: to its file, or to whoever watches.
fn start_log(home: &Home, detached: bool) -> anyhow::Result<()> {
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
    let file = detached.then(|| LogFile::open(Place::below(&home.state).log()));
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
    wake::start_now(&place).context("the daemon cannot be started")?;
    if !wait_until(|| ask(&place, &Request::Status).is_ok()) {
        bail!(
            "the daemon did not answer within {} s; see `{}`",
            PATIENCE.as_secs(),
            place.log().display()
        );
    }
    Ok(Ensured::Started)
}

fn stop(home: &Home) -> anyhow::Result<Exit> {
    let place = Place::below(&home.state);
    if ask(&place, &Request::Stop).is_err() {
        print("No daemon is running.\n");
        return Ok(Exit::Success);
    }
    let gone = || becket_daemon::instance::hold(&place.lock()).is_ok_and(|held| held.is_some());
    if !wait_until(gone) {
        bail!("the daemon did not end within {} s", PATIENCE.as_secs());
    }
    print(
        "The daemon has stopped. The next event starts it again, unless your configuration says `daemon = false` under [settings].\n",
    );
    Ok(Exit::Success)
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
    let answer = ask(&place, &Request::Status);
    let status = answer
        .as_ref()
        .ok()
        .and_then(|answer| answer.status.clone());
    let address = std::fs::read_to_string(place.address()).unwrap_or_default();
    if as_json {
        print_json(&json!({
            "schema_version": SCHEMA_VERSION, "running": status.is_some(), "address": address.trim(), "status": status,
        }))?;
    } else if let Some(status) = &status {
        print(&format!(
            "running: version {}, pid {}, for {} s, at http://{}\n{} records kept, {} commits and {} drains failed\n",
            status["version"].as_str().unwrap_or("?"),
            status["pid"],
            status["uptime_seconds"],
            address.trim(),
            status["records"],
            status["failed_commits"],
            status["failed_drains"],
        ));
    } else {
        print("No daemon is running. Events are kept in the spool until one is.\n");
    }
    Ok(if status.is_some() {
        Exit::Success
    } else {
        Exit::Failure
    })
}

/// Lets the daemon take in what is in the spool; it does so on its own time.
pub(crate) fn ring(home: &Home) -> anyhow::Result<Answer> {
    let version = env!("CARGO_PKG_VERSION").to_owned();
    ask(&Place::below(&home.state), &Request::Ring { version })
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
    BufReader::new(&stream).read_line(&mut answer)?;
    let answer: Answer = serde_json::from_str(&answer).context("not an answer")?;
    match &answer.error {
        Some(error) => bail!("the daemon says: {error}"),
        None => Ok(answer),
    }
}
