//! The interactive manager: bare `becket hooks` on a terminal.
//!
//! [`state`] is what there is and what a key does to it, [`rows`] its lines, [`form`] a hook being written, [`view`] how both
//! look; [`crate::screen`] is the terminal and giving it back. Only this file does anything: what a key asks for
//! comes out of the state as an [`Effect`] and is done here, with the same functions as the plain commands.

mod form;
mod rows;
mod state;
mod view;

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use becket::Home;
use becket::model::Level;
use becket::trial::Stop;
use crossterm::event::{Event, KeyEventKind};

use self::state::{App, Effect, Target};
use super::catalog::Catalog;
use super::change::{self, Done};
use super::draft::Draft;
use super::trial::Tried;
use crate::exit::Exit;
use crate::report::Style;
use crate::screen::{self, Screen};

/// How often a running test is looked at.
const GLANCE: Duration = Duration::from_millis(50);

pub(super) fn main(catalog: Catalog) -> anyhow::Result<Exit> {
    let mut screen = Screen::open()?;
    let mut app = App::new(catalog);
    let mut job: Option<Job> = None;
    loop {
        screen.draw(|frame| view::draw(frame, &mut app))?;
        if let Some(running) = &job {
            if let Some(result) = running.result() {
                app.show_result(result);
                job = None;
                continue;
            }
            if !crossterm::event::poll(GLANCE)? {
                continue;
            }
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
            Effect::Save => save(&mut app),
            Effect::Remove(index) => remove(&mut app, index),
            Effect::Add(draft, level) => add(&mut app, draft, level),
            Effect::Test(index) => job = Some(Job::start(&app, index)),
            Effect::Cancel => {
                if let Some(running) = &job {
                    running.stop.stop();
                }
            }
        }
    }
}

/// A test under way. It ends with its job, and the job with the screen.
struct Job {
    stop: Stop,
    result: Receiver<Result<String, String>>,
    thread: Option<JoinHandle<()>>,
}

impl Job {
    fn start(app: &App, index: usize) -> Self {
        let stop = Stop::new();
        let (done, result) = channel();
        let (home, root) = (app.catalog.home.clone(), app.catalog.root.clone());
        let id = app.catalog.definitions.get(index).map(rows::identity);
        let guard = screen::end_on_signal(stop.clone());
        let for_thread = stop.clone();
        let thread = thread::spawn(move || {
            let tried = try_out(home, root, id, &for_thread);
            drop(guard);
            // Nobody may be there to hear it any more.
            let _ = done.send(tried);
        });
        Self {
            stop,
            result,
            thread: Some(thread),
        }
    }

    fn result(&self) -> Option<Result<String, String>> {
        match self.result.try_recv() {
            Ok(result) => Some(result),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err("the test came to nothing".to_owned())),
        }
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn try_out(home: Home, root: PathBuf, id: Option<String>, stop: &Stop) -> Result<String, String> {
    let catalog = Catalog::load(home, root);
    let mut hooks = catalog.definitions.iter();
    match hooks.find(|hook| Some(rows::identity(hook)) == id) {
        Some(hook) => Tried::run_sample(&catalog, hook, stop)
            .map(|tried| told(&tried))
            .map_err(|error| format!("{error:#}")),
        None => Err("the hook is not there any more".to_owned()),
    }
}

fn told(tried: &Tried) -> String {
    let mut text = tried.text(Style::plain());
    for note in &tried.notes {
        text += &format!("\nnote: {note}\n");
    }
    text
}

/// Writes every change that was made on the screen.
fn save(app: &mut App) {
    let mut saved = 0;
    let mut notes = Vec::new();
    let mut left = Vec::new();
    for (target, on) in std::mem::take(&mut app.pending) {
        match switch(&app.catalog, &target, on) {
            Ok(done) => {
                saved += 1;
                notes.extend(done.notes);
            }
            Err(error) => {
                notes.insert(0, format!("{error:#}"));
                left.push((target, on));
            }
        }
    }
    app.pending = left;
    let failed = !app.pending.is_empty();
    app.reload();
    let waiting = app.untrusted();
    if waiting > 0 {
        notes.push(format!("{waiting} wait for trust: `becket trust`"));
    }
    notes.dedup();
    let mut text = format!("Saved {}.", view::changes(saved));
    for note in notes {
        text += &format!(" {}", note.replace('\n', " "));
    }
    app.say(text, failed);
}

fn switch(catalog: &Catalog, target: &Target, on: bool) -> anyhow::Result<Done> {
    match target {
        Target::All => change::switch_all(catalog, on),
        Target::Builtin(name) => change::enable(catalog, name, None, &[]),
        Target::Hook(id) => {
            let mut hooks = catalog.definitions.iter();
            match hooks.find(|hook| rows::identity(hook) == *id) {
                Some(hook) => change::switch(catalog, hook, on),
                None => anyhow::bail!("a hook is not there any more"),
            }
        }
    }
}

fn remove(app: &mut App, index: usize) {
    let Some(hook) = app.catalog.definitions.get(index) else {
        return;
    };
    let removed = change::plan_removal(hook, &app.catalog).and_then(change::Removal::write);
    finish(app, removed);
}

fn add(app: &mut App, draft: Draft, level: Level) {
    match change::add(&app.catalog, draft, level) {
        Ok(done) => {
            app.close_form();
            finish(app, Ok(done));
        }
        Err(error) => app.refuse_form(&format!("{error:#}")),
    }
}

fn finish(app: &mut App, done: anyhow::Result<Done>) {
    app.reload();
    match done {
        Ok(done) => {
            let waits = !app.catalog.waiting(&done).is_empty();
            app.select(&done.name);
            let trust = if waits {
                " It waits for trust: `becket trust`."
            } else {
                ""
            };
            let notes = done.notes.join(" ").replace('\n', " ");
            app.say(format!("{} {notes}{trust}", done.said), false);
        }
        Err(error) => app.say(format!("{error:#}").replace('\n', " "), true),
    }
}
