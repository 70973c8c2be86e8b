//! `becket top`: a live view of sessions and events in the terminal.
//!
//! [`state`] holds the data and handles keys, [`session`] tracks one session, [`view`] draws. Only this file reads
//! records, through [`EventFollower`] like `becket tail -f`, so a daemon may start and stop meanwhile.

mod session;
mod state;
#[cfg(test)]
mod tests;
mod view;

use std::time::{Duration, Instant};

use becket::Home;
use becket_daemon::runtime_dir::RuntimeDir;
use becket_daemon::socket::SocketRequest;
use becket_store::StoreReader;
use clap::Args;
use crossterm::event::{Event, KeyEventKind};

use self::state::{Overlay, TopAction, TopState};
use crate::daemon::send_request_within;
use crate::exit::Exit;
use crate::follow::{EventFollower, EventSelection, IdleEvents};
use crate::hooks::is_interactive;
use crate::records::{self, ScopeArgs};
use crate::report::print_message;
use crate::sessions::render_session;
use crate::terminal::TerminalSession;

/// How often to look for new events.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// How often to check for a daemon, and how long to wait for its response.
const DAEMON_CHECK_INTERVAL: Duration = Duration::from_secs(3);
const DAEMON_TIMEOUT: Duration = Duration::from_millis(200);
/// How many earlier events are loaded at the start.
const INITIAL_EVENTS: usize = 1000;

#[derive(Args)]
pub(crate) struct TopArgs {
    #[command(flatten)]
    which: ScopeArgs,
}

pub(crate) fn main(args: &TopArgs) -> anyhow::Result<Exit> {
    if !is_interactive() {
        print_message(
            "becket: `becket top` needs a terminal\nhint: `becket tail -f` prints the same events as lines",
        );
        return Ok(Exit::Usage);
    }
    let home = records::home();
    let selection = EventSelection {
        scope: args.which.resolve(&home),
        kind: None,
        verdict: None,
        idle: IdleEvents::Included,
    };
    let mut follower = EventFollower::new(&home, selection);
    let mut app = TopState::default();
    app.take(follower.latest(INITIAL_EVENTS)?);
    run(&home, &mut follower, app)
}

fn run(home: &Home, follower: &mut EventFollower, mut app: TopState) -> anyhow::Result<Exit> {
    let mut screen = TerminalSession::open()?;
    let mut checked: Option<Instant> = None;
    loop {
        if checked.is_none_or(|at| at.elapsed() > DAEMON_CHECK_INTERVAL) {
            app.has_daemon = is_daemon_running(home);
            checked = Some(Instant::now());
        }
        poll_records(follower, &mut app);
        screen.draw(|frame| view::draw(frame, &mut app))?;
        if !crossterm::event::poll(POLL_INTERVAL)? {
            continue;
        }
        let Event::Key(key) = crossterm::event::read()? else {
            continue;
        };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        match app.press(key) {
            TopAction::None => {}
            TopAction::Quit => return Ok(Exit::Success),
            TopAction::Suspend => screen.suspend()?,
        }
    }
}

fn is_daemon_running(home: &Home) -> bool {
    send_request_within(
        &RuntimeDir::in_state_dir(&home.state),
        &SocketRequest::Status,
        DAEMON_TIMEOUT,
    )
    .is_ok()
}

/// Applies new records. A read error is shown and retried; the screen stays.
fn poll_records(follower: &mut EventFollower, app: &mut TopState) {
    match follower.poll() {
        Ok(records) => {
            app.take(records);
            app.error = None;
        }
        Err(error) => {
            app.error = Some(format!("{error:#}"));
            follower.reopen();
            return;
        }
    }
    let refreshed = follower
        .reader()
        .map_or(Ok(()), |reader| refresh(reader, app));
    if let Err(error) = refreshed {
        app.error = Some(format!("{error:#}"));
        follower.reopen();
    }
}

/// Loads what only the database has: total counts, tokens, and the timeline of the open session.
fn refresh(reader: &StoreReader, app: &mut TopState) -> anyhow::Result<()> {
    for id in app.stale_sessions() {
        let row = reader.session(&id)?;
        let tokens = reader.session_tokens(&id)?;
        app.update_from_store(&id, row.as_ref(), tokens);
    }
    let width = app.width;
    if let Some(Overlay::Session { id, text, fresh }) = &mut app.open
        && !*fresh
    {
        if let Some(refreshed) = render_session(reader, id, width)? {
            *text = refreshed;
        }
        *fresh = true;
    }
    Ok(())
}
