//! The interactive hook manager: `becket hooks` on a terminal.
//!
//! [`state`] holds the state and maps keys to [`HooksEffect`]s, [`rows`] builds the list, [`form`] edits a new hook, [`view`]
//! draws. Only this file performs effects, with the same functions as the plain commands; [`crate::terminal`] enters and
//! restores the terminal.

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
use becket::trial::StopHandle;
use crossterm::event::{Event, KeyEventKind};

use self::state::{HooksApp, HooksEffect, SwitchTarget};
use super::catalog::HookCatalog;
use super::change::{self, HookChange};
use super::draft::HookDraft;
use super::test_run::HookTestRun;
use crate::exit::Exit;
use crate::report::Style;
use crate::terminal::{self, TerminalSession};

/// How often the result of a running test is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

pub(super) fn main(catalog: HookCatalog) -> anyhow::Result<Exit> {
    let mut screen = TerminalSession::open()?;
    let mut app = HooksApp::new(catalog);
    let mut job: Option<TestJob> = None;
    loop {
        screen.draw(|frame| view::draw(frame, &mut app))?;
        if let Some(running) = &job {
            if let Some(result) = running.result() {
                app.show_result(result);
                job = None;
                continue;
            }
            if !crossterm::event::poll(POLL_INTERVAL)? {
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
            HooksEffect::None => {}
            HooksEffect::Quit => return Ok(Exit::Success),
            HooksEffect::Suspend => screen.suspend()?,
            HooksEffect::Save => save(&mut app),
            HooksEffect::Remove(index) => remove(&mut app, index),
            HooksEffect::Add(draft, level) => add(&mut app, draft, level),
            HooksEffect::Test(index) => job = Some(TestJob::start(&app, index)),
            HooksEffect::Cancel => {
                if let Some(running) = &job {
                    running.stop.stop();
                }
            }
        }
    }
}

/// A running test. Dropping the job stops the test.
struct TestJob {
    stop: StopHandle,
    result: Receiver<Result<String, String>>,
    thread: Option<JoinHandle<()>>,
}

impl TestJob {
    fn start(app: &HooksApp, index: usize) -> Self {
        let stop = StopHandle::new();
        let (done, result) = channel();
        let (home, root) = (app.catalog.home.clone(), app.catalog.root.clone());
        let id = app.catalog.definitions.get(index).map(rows::identity);
        let guard = terminal::stop_on_signal(stop.clone());
        let for_thread = stop.clone();
        let thread = thread::spawn(move || {
            let test = run_test(home, root, id, &for_thread);
            drop(guard);
            // The receiver may be gone.
            let _ = done.send(test);
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
            Err(TryRecvError::Disconnected) => {
                Some(Err("the test ended without a result".to_owned()))
            }
        }
    }
}

impl Drop for TestJob {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run_test(
    home: Home,
    root: PathBuf,
    id: Option<String>,
    stop: &StopHandle,
) -> Result<String, String> {
    let catalog = HookCatalog::load(home, root);
    let mut hooks = catalog.definitions.iter();
    match hooks.find(|hook| Some(rows::identity(hook)) == id) {
        Some(hook) => HookTestRun::run_sample(&catalog, hook, stop)
            .map(|test| test_report(&test))
            .map_err(|error| format!("{error:#}")),
        None => Err("the hook no longer exists".to_owned()),
    }
}

fn test_report(run: &HookTestRun) -> String {
    let mut text = run.text(Style::plain());
    for note in &run.notes {
        text += &format!("\nnote: {note}\n");
    }
    text
}

/// Writes all pending switches.
fn save(app: &mut HooksApp) {
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
        notes.push(format!("{waiting} untrusted: run `becket trust`"));
    }
    notes.dedup();
    let mut text = format!("Saved {}.", view::changes(saved));
    for note in notes {
        text += &format!(" {}", note.replace('\n', " "));
    }
    app.set_message(text, failed);
}

fn switch(catalog: &HookCatalog, target: &SwitchTarget, on: bool) -> anyhow::Result<HookChange> {
    match target {
        SwitchTarget::All => change::switch_all(catalog, on),
        SwitchTarget::Builtin(name) => change::enable(catalog, name, None, &[]),
        SwitchTarget::Hook(id) => {
            let mut hooks = catalog.definitions.iter();
            match hooks.find(|hook| rows::identity(hook) == *id) {
                Some(hook) => change::switch(catalog, hook, on),
                None => anyhow::bail!("a hook no longer exists"),
            }
        }
    }
}

fn remove(app: &mut HooksApp, index: usize) {
    let Some(hook) = app.catalog.definitions.get(index) else {
        return;
    };
    let removed = change::plan_removal(hook, &app.catalog).and_then(change::PlannedRemoval::write);
    finish(app, removed);
}

fn add(app: &mut HooksApp, draft: HookDraft, level: Level) {
    match change::add(&app.catalog, draft, level) {
        Ok(done) => {
            app.close_form();
            finish(app, Ok(done));
        }
        Err(error) => app.refuse_form(&format!("{error:#}")),
    }
}

fn finish(app: &mut HooksApp, done: anyhow::Result<HookChange>) {
    app.reload();
    match done {
        Ok(done) => {
            let waits = !app.catalog.untrusted_specs(&done).is_empty();
            app.select(&done.name);
            let trust = if waits {
                " It is not trusted yet; run `becket trust`."
            } else {
                ""
            };
            let notes = done.notes.join(" ").replace('\n', " ");
            app.set_message(format!("{} {notes}{trust}", done.message), false);
        }
        Err(error) => app.set_message(format!("{error:#}").replace('\n', " "), true),
    }
}
