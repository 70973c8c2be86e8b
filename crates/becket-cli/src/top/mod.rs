//! `becket top`: what agents do, on a screen, as it happens.
//!
//! [`state`] is what there is and what a key does to it, [`session`] what is known of one, [`view`] how it looks. Only this
//! file reads records: through [`Trail`], as `becket tail -f` does, so that a daemon may come and go.

mod session;
mod state;
#[cfg(test)]
mod tests;
mod view;

use std::time::{Duration, Instant};

use becket::Home;
use becket_daemon::place::Place;
use becket_daemon::socket::Request;
use becket_store::Reader;
use clap::Args;
use crossterm::event::{Event, KeyEventKind};

use self::state::{App, Effect, Open};
use crate::daemon::ask_for;
use crate::exit::Exit;
use crate::follow::{Idle, Trail, Wanted};
use crate::hooks::is_interactive;
use crate::records::{self, Which};
use crate::report::talk;
use crate::screen::Screen;
use crate::sessions::story;

/// How often it is looked whether there is more.
const LOOK: Duration = Duration::from_millis(200);
/// How often it is looked whether a daemon runs, and how long it may take to say so.
const CHECK: Duration = Duration::from_secs(3);
const PATIENCE: Duration = Duration::from_millis(200);
/// Events from before that are shown at once.
const BEFORE: usize = 1000;

#[derive(Args)]
pub(crate) struct TopArgs {
    #[command(flatten)]
    which: Which,
}

pub(crate) fn main(args: &TopArgs) -> anyhow::Result<Exit> {
    if !is_interactive() {
        talk(
            "becket: `becket top` needs a terminal\nhint: `becket tail -f` prints the same as lines",
        );
        return Ok(Exit::Usage);
    }
    let home = records::home();
    let wanted = Wanted {
        chosen: args.which.find(&home),
        kind: None,
        verdict: None,
        idle: Idle::Told,
    };
    let mut trail = Trail::new(&home, wanted);
    let mut app = App::default();
    app.take(trail.latest(BEFORE)?);
    watch(&home, &mut trail, app)
}

fn watch(home: &Home, trail: &mut Trail, mut app: App) -> anyhow::Result<Exit> {
    let mut screen = Screen::open()?;
    let mut checked: Option<Instant> = None;
    loop {
        if checked.is_none_or(|at| at.elapsed() > CHECK) {
            app.has_daemon = has_daemon(home);
            checked = Some(Instant::now());
        }
        look(trail, &mut app);
        screen.draw(|frame| view::draw(frame, &mut app))?;
        if !crossterm::event::poll(LOOK)? {
            continue;
        }
        let Event::Key(key) = crossterm::event::read()? else {
            continue;
        };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        match app.press(key) {
            Effect::None => {}
            Effect::Quit => return Ok(Exit::Success),
            Effect::Suspend => screen.suspend()?,
        }
    }
}

fn has_daemon(home: &Home) -> bool {
    ask_for(&Place::below(&home.state), &Request::Status, PATIENCE).is_ok()
}

/// Takes in what has come. What cannot be read now is read when it can be: the screen stays.
fn look(trail: &mut Trail, app: &mut App) {
    match trail.new_ones() {
        Ok(records) => {
            app.take(records);
            app.trouble = None;
        }
        Err(error) => {
            app.trouble = Some(format!("{error:#}"));
            trail.reopen();
            return;
        }
    }
    let told = trail.reader().map_or(Ok(()), |reader| refresh(reader, app));
    if let Err(error) = told {
        app.trouble = Some(format!("{error:#}"));
        trail.reopen();
    }
}

/// What only the database knows: whole counts, tokens, the story of the session that is open.
fn refresh(reader: &Reader, app: &mut App) -> anyhow::Result<()> {
    for id in app.stale() {
        let row = reader.session(&id)?;
        let tokens = reader.session_tokens(&id)?;
        app.learn(&id, row.as_ref(), tokens);
    }
    let width = app.width;
    if let Some(Open::Session { id, text, fresh }) = &mut app.open
        && !*fresh
    {
        if let Some(told) = story(reader, id, width)? {
            *text = told;
        }
        *fresh = true;
    }
    Ok(())
}
