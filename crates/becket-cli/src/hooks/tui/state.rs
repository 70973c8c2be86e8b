//! What is on the screen, and what a key does to it. Nothing here draws, writes or waits.

use becket::model::Level;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::widgets::ListState;

use super::form::{Form, Outcome};
use super::rows::{self, Row, identity};
use crate::hooks::builtins::BUILTINS;
use crate::hooks::catalog::{Catalog, Definition, State};
use crate::hooks::draft::Draft;

/// What has to be done about a key.
pub(super) enum Effect {
    None,
    Quit,
    Suspend,
    Save,
    Remove(usize),
    Add(Draft, Level),
    Test(usize),
    /// Stop the test that is running.
    Cancel,
}

/// What can be switched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Target {
    /// Hooks as such.
    All,
    /// A definition, by its identity.
    Hook(String),
    /// A built-in that is not set up.
    Builtin(&'static str),
}

/// What has the keyboard.
pub(super) enum Focus {
    List,
    Filter,
    Form(Box<Form>),
    Question(Question),
    /// A test is running.
    Waiting(String),
    /// Something to read.
    Text {
        title: String,
        text: String,
        scroll: u16,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Question {
    Quit,
    Remove(usize),
}

pub(super) struct App {
    pub(super) catalog: Catalog,
    pub(super) rows: Vec<Row>,
    pub(super) list: ListState,
    pub(super) filter: String,
    /// Switches that are not written yet.
    pub(super) pending: Vec<(Target, bool)>,
    pub(super) focus: Focus,
    /// The last thing that was said, and whether it is an error.
    pub(super) message: Option<(String, bool)>,
}

pub(super) const HELP: &str = "\
up, down, j, k    move; home, end: to the first, to the last
space             switch the hook, or all hooks of an event
s                 save the switches that are marked with *
enter             everything about the hook
a                 add a hook, or a built-in with options
d                 remove the hook
t                 test the hook with a sample event
g                 hooks on or off, all of them
/                 filter; esc shows everything again
u                 forget the switches that are not saved
?                 this help
q                 quit

Hooks of a project run only after `becket trust` has shown them to you.";

impl App {
    pub(super) fn new(catalog: Catalog) -> Self {
        let mut app = Self {
            catalog,
            rows: Vec::new(),
            list: ListState::default(),
            filter: String::new(),
            pending: Vec::new(),
            focus: Focus::List,
            message: None,
        };
        app.arrange();
        app.move_to(1);
        app
    }

    /// Reads the files again. Switches that are not saved stay, if their hook is still there.
    pub(super) fn reload(&mut self) {
        let (home, root) = (self.catalog.home.clone(), self.catalog.root.clone());
        self.catalog = Catalog::load(home, root);
        let hooks = &self.catalog.definitions;
        self.pending.retain(|(target, _)| match target {
            Target::Hook(id) => hooks.iter().any(|hook| identity(hook) == *id),
            Target::All | Target::Builtin(_) => true,
        });
        self.arrange();
    }

    pub(super) fn say(&mut self, text: String, is_error: bool) {
        self.message = Some((text, is_error));
    }

    /// Moves to the hook of this name.
    pub(super) fn select(&mut self, name: &str) {
        let found = self.rows.iter().position(|row| match row {
            Row::Hook(index) => self.catalog.definitions[*index].name() == name,
            _ => false,
        });
        if let Some(row) = found {
            self.list.select(Some(row));
        }
    }

    pub(super) fn show_result(&mut self, result: Result<String, String>) {
        let title = match &self.focus {
            Focus::Waiting(name) => format!("Test of {name}"),
            _ => "Test".to_owned(),
        };
        self.focus = Focus::Text {
            title,
            text: result.unwrap_or_else(|error| error),
            scroll: 0,
        };
    }

    pub(super) fn close_form(&mut self) {
        self.focus = Focus::List;
    }

    pub(super) fn refuse_form(&mut self, why: &str) {
        if let Focus::Form(form) = &mut self.focus {
            form.refuse(why);
        }
    }

    /// How many hooks wait for trust.
    pub(super) fn untrusted(&self) -> usize {
        let hooks = self.catalog.definitions.iter();
        hooks.filter(|hook| hook.state == State::Untrusted).count()
    }

    /// Whether hooks run at all, as the screen has it.
    pub(super) fn is_on(&self) -> bool {
        let now = self.catalog.is_on();
        self.switched(&Target::All).unwrap_or(now)
    }

    /// The state of a hook as the screen has it.
    pub(super) fn state(&self, hook: &Definition) -> State {
        let on = self.switched(&Target::Hook(identity(hook)));
        match (on.unwrap_or(hook.enabled()), hook.trusted) {
            (false, _) => State::Disabled,
            (true, Some(false)) => State::Untrusted,
            (true, _) => State::Enabled,
        }
    }

    pub(super) fn is_pending(&self, target: &Target) -> bool {
        self.switched(target).is_some()
    }

    fn switched(&self, target: &Target) -> Option<bool> {
        let mut pending = self.pending.iter();
        pending.find(|(one, _)| one == target).map(|(_, on)| *on)
    }

    /// Sets a switch; one that is as the files have it needs no saving.
    fn set(&mut self, target: Target, on: bool, now: bool) {
        self.pending.retain(|(one, _)| *one != target);
        if on != now {
            self.pending.push((target, on));
        }
    }

    fn arrange(&mut self) {
        self.rows = rows::rows(&self.catalog.definitions, &self.filter);
        let last = self.rows.len().saturating_sub(1);
        let at = self.list.selected().unwrap_or(0).min(last);
        self.list.select((!self.rows.is_empty()).then_some(at));
    }

    fn move_to(&mut self, row: usize) {
        let last = self.rows.len().saturating_sub(1);
        if !self.rows.is_empty() {
            self.list.select(Some(row.min(last)));
        }
    }

    fn step(&mut self, by: isize) {
        let at = self.list.selected().unwrap_or(0);
        self.move_to(at.saturating_add_signed(by));
    }

    pub(super) fn row(&self) -> Option<&Row> {
        self.rows.get(self.list.selected()?)
    }

    /// The definition under the cursor.
    pub(super) fn hook(&self) -> Option<(usize, &Definition)> {
        match self.row()? {
            Row::Hook(index) => Some((*index, self.catalog.definitions.get(*index)?)),
            _ => None,
        }
    }

    pub(super) fn press(&mut self, key: KeyEvent) -> Effect {
        // Escape and a key right behind it look like that key with Alt, which means nothing here.
        if key.modifiers.contains(KeyModifiers::ALT) {
            let effect = self.press(KeyEvent::from(KeyCode::Esc));
            let plain = KeyEvent::new(key.code, key.modifiers - KeyModifiers::ALT);
            return match effect {
                Effect::None => self.press(plain),
                effect => effect,
            };
        }
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            match key.code {
                KeyCode::Char('c') => return self.interrupt(),
                KeyCode::Char('z') => return Effect::Suspend,
                _ => {}
            }
        }
        match &mut self.focus {
            Focus::List => self.in_list(key.code),
            Focus::Filter => self.in_filter(key.code),
            Focus::Question(question) => {
                let question = *question;
                self.answer(question, key.code)
            }
            Focus::Text { scroll, .. } => {
                match key.code {
                    KeyCode::Down | KeyCode::Char('j') => *scroll = scroll.saturating_add(1),
                    KeyCode::Up | KeyCode::Char('k') => *scroll = scroll.saturating_sub(1),
                    KeyCode::PageDown | KeyCode::Char(' ') => *scroll = scroll.saturating_add(10),
                    KeyCode::PageUp => *scroll = scroll.saturating_sub(10),
                    _ => self.focus = Focus::List,
                }
                Effect::None
            }
            Focus::Waiting(_) => match key.code {
                KeyCode::Esc => Effect::Cancel,
                _ => Effect::None,
            },
            Focus::Form(form) => match form.press(key) {
                Outcome::Edited => Effect::None,
                Outcome::Left => {
                    self.focus = Focus::List;
                    Effect::None
                }
                Outcome::Finished => match form.draft() {
                    Ok((draft, level)) => Effect::Add(draft, level),
                    Err(error) => {
                        form.refuse(&format!("{error:#}"));
                        Effect::None
                    }
                },
            },
        }
    }

    /// Ctrl-C stops a test, leaves what is open, and quits the list.
    fn interrupt(&mut self) -> Effect {
        match self.focus {
            Focus::Waiting(_) => Effect::Cancel,
            Focus::List => self.quit(),
            Focus::Question(Question::Quit) => Effect::Quit,
            _ => {
                self.focus = Focus::List;
                Effect::None
            }
        }
    }

    fn quit(&mut self) -> Effect {
        if self.pending.is_empty() {
            return Effect::Quit;
        }
        self.focus = Focus::Question(Question::Quit);
        Effect::None
    }

    fn in_list(&mut self, code: KeyCode) -> Effect {
        self.message = None;
        match code {
            KeyCode::Down | KeyCode::Char('j') => self.step(1),
            KeyCode::Up | KeyCode::Char('k') => self.step(-1),
            KeyCode::PageDown => self.step(10),
            KeyCode::PageUp => self.step(-10),
            KeyCode::Home => self.move_to(0),
            KeyCode::End | KeyCode::Char('G') => self.move_to(usize::MAX),
            KeyCode::Char(' ') => self.toggle(),
            KeyCode::Char('g') => {
                let (on, now) = (!self.is_on(), self.catalog.is_on());
                self.set(Target::All, on, now);
            }
            KeyCode::Char('s') if self.pending.is_empty() => {
                self.say("Nothing to save.".to_owned(), false);
            }
            KeyCode::Char('s') => return Effect::Save,
            KeyCode::Char('u') => self.pending.clear(),
            KeyCode::Char('/') => self.focus = Focus::Filter,
            KeyCode::Char('?') => self.read("Help", HELP.to_owned()),
            KeyCode::Char('a') => self.open_form(),
            KeyCode::Char('d') => match self.hook() {
                Some((index, _)) => self.focus = Focus::Question(Question::Remove(index)),
                None => self.say("Move to a hook to remove it.".to_owned(), false),
            },
            KeyCode::Char('t') => return self.test(),
            KeyCode::Enter => self.details(),
            KeyCode::Esc if !self.filter.is_empty() => {
                self.filter.clear();
                self.arrange();
            }
            KeyCode::Char('q') => return self.quit(),
            _ => {}
        }
        Effect::None
    }

    fn test(&mut self) -> Effect {
        let Some((index, name)) = self
            .hook()
            .map(|(index, hook)| (index, hook.name().to_owned()))
        else {
            self.say("Move to a hook to test it.".to_owned(), false);
            return Effect::None;
        };
        self.focus = Focus::Waiting(name);
        Effect::Test(index)
    }

    fn open_form(&mut self) {
        let builtin = match self.row() {
            Some(Row::Builtin(index)) => Some(*index),
            _ => None,
        };
        let event = self.rows[..self
            .list
            .selected()
            .map_or(0, |at| at + 1)
            .min(self.rows.len())]
            .iter()
            .rev()
            .find_map(|row| match row {
                Row::Event { name, .. } => Some(name.clone()),
                _ => None,
            });
        self.focus = Focus::Form(Box::new(Form::new(builtin, event.as_deref())));
    }

    fn details(&mut self) {
        match self.row() {
            Some(Row::Hook(index)) => {
                let hook = &self.catalog.definitions[*index];
                let (title, text) = (hook.name().to_owned(), super::view::details(self, hook));
                self.read(&title, text);
            }
            Some(Row::Builtin(_)) => self.open_form(),
            _ => {}
        }
    }

    fn read(&mut self, title: &str, text: String) {
        self.focus = Focus::Text {
            title: title.to_owned(),
            text,
            scroll: 0,
        };
    }

    fn in_filter(&mut self, code: KeyCode) -> Effect {
        match code {
            KeyCode::Esc => {
                self.filter.clear();
                self.focus = Focus::List;
            }
            KeyCode::Enter => self.focus = Focus::List,
            KeyCode::Backspace => {
                self.filter.pop();
            }
            KeyCode::Char(c) => self.filter.push(c),
            KeyCode::Down => self.step(1),
            KeyCode::Up => self.step(-1),
            _ => {}
        }
        self.arrange();
        Effect::None
    }

    fn answer(&mut self, question: Question, code: KeyCode) -> Effect {
        let yes = matches!(code, KeyCode::Char('y' | 'Y'));
        let no = matches!(code, KeyCode::Char('n' | 'N') | KeyCode::Esc);
        let save = question == Question::Quit && code == KeyCode::Char('s');
        if !(yes || no || save) {
            return Effect::None;
        }
        self.focus = Focus::List;
        match question {
            Question::Quit if yes => Effect::Quit,
            Question::Quit if save => Effect::Save,
            Question::Remove(index) if yes => Effect::Remove(index),
            _ => Effect::None,
        }
    }

    fn toggle(&mut self) {
        match self.row().cloned() {
            Some(Row::Hook(index)) => self.toggle_all(&[index]),
            Some(Row::Event { hooks, .. }) => self.toggle_all(&hooks),
            Some(Row::Builtin(index)) => {
                let target = Target::Builtin(BUILTINS[index].name);
                let on = !self.is_pending(&target);
                self.set(target, on, false);
            }
            Some(Row::Builtins) | None => {}
        }
    }

    /// One goes to its other state; several go on, unless all are.
    fn toggle_all(&mut self, indices: &[usize]) {
        let is_on = |app: &Self, index: usize| {
            app.state(&app.catalog.definitions[index]) != State::Disabled
        };
        let on = !indices.iter().all(|index| is_on(self, *index));
        for index in indices {
            let hook = &self.catalog.definitions[*index];
            let (target, now) = (Target::Hook(identity(hook)), hook.enabled());
            self.set(target, on, now);
        }
    }
}
