//! State of the hook manager and its key bindings. This module does not draw, write or block.

use becket::model::Level;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::widgets::ListState;

use super::form::{Form, FormResult};
use super::rows::{self, ListRow, identity};
use crate::hooks::builtins::BUILTINS;
use crate::hooks::catalog::{HookCatalog, HookDefinition, HookState};
use crate::hooks::draft::HookDraft;

/// What the caller has to do after a key press.
pub(super) enum HooksEffect {
    None,
    Quit,
    Suspend,
    Save,
    Remove(usize),
    Add(HookDraft, Level),
    Test(usize),
    /// Stop the running test.
    Cancel,
}

/// Something that can be switched on or off.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum SwitchTarget {
    /// All hooks.
    All,
    /// A definition, by its identity.
    Hook(String),
    /// A built-in that is not set up.
    Builtin(&'static str),
}

/// What receives key presses.
pub(super) enum Focus {
    List,
    Filter,
    Form(Box<Form>),
    Confirm(ConfirmDialog),
    /// A test is running.
    Waiting(String),
    /// A popup with text.
    Text {
        title: String,
        text: String,
        scroll: u16,
    },
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ConfirmDialog {
    Quit,
    Remove(usize),
}

pub(super) struct HooksApp {
    pub(super) catalog: HookCatalog,
    pub(super) rows: Vec<ListRow>,
    pub(super) list: ListState,
    pub(super) filter: String,
    /// Switches that are not saved yet.
    pub(super) pending: Vec<(SwitchTarget, bool)>,
    pub(super) focus: Focus,
    /// The last message, and whether it is an error.
    pub(super) message: Option<(String, bool)>,
}

pub(super) const HELP: &str = "\
up, down, j, k    move; home, end: first, last
space             enable or disable the hook, or all hooks of an event
s                 save the changes that are marked with *
enter             show details of the hook
a                 add a hook, or a built-in with options
d                 remove the hook
t                 test the hook with a sample event
g                 turn all hooks on or off
/                 filter; esc clears the filter
u                 undo the changes that are not saved
?                 show this help
q                 quit

Hooks of a project run only after you trust them with `becket trust`.";

impl HooksApp {
    pub(super) fn new(catalog: HookCatalog) -> Self {
        let mut app = Self {
            catalog,
            rows: Vec::new(),
            list: ListState::default(),
            filter: String::new(),
            pending: Vec::new(),
            focus: Focus::List,
            message: None,
        };
        app.rebuild_rows();
        app.move_to(1);
        app
    }

    /// Reloads the files. Pending switches are kept if their hook still exists.
    pub(super) fn reload(&mut self) {
        let (home, root) = (self.catalog.home.clone(), self.catalog.root.clone());
        self.catalog = HookCatalog::load(home, root);
        let hooks = &self.catalog.definitions;
        self.pending.retain(|(target, _)| match target {
            SwitchTarget::Hook(id) => hooks.iter().any(|hook| identity(hook) == *id),
            SwitchTarget::All | SwitchTarget::Builtin(_) => true,
        });
        self.rebuild_rows();
    }

    pub(super) fn set_message(&mut self, text: String, is_error: bool) {
        self.message = Some((text, is_error));
    }

    /// Selects the hook with this name.
    pub(super) fn select(&mut self, name: &str) {
        let found = self.rows.iter().position(|row| match row {
            ListRow::Hook(index) => self.catalog.definitions[*index].name() == name,
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

    /// Number of untrusted hooks.
    pub(super) fn untrusted(&self) -> usize {
        let hooks = self.catalog.definitions.iter();
        hooks
            .filter(|hook| hook.state == HookState::Untrusted)
            .count()
    }

    /// Whether hooks are on, including pending switches.
    pub(super) fn is_on(&self) -> bool {
        let now = self.catalog.is_on();
        self.switched(&SwitchTarget::All).unwrap_or(now)
    }

    /// The state of a hook, including pending switches.
    pub(super) fn state(&self, hook: &HookDefinition) -> HookState {
        let on = self.switched(&SwitchTarget::Hook(identity(hook)));
        match (on.unwrap_or(hook.enabled()), hook.trusted) {
            (false, _) => HookState::Disabled,
            (true, Some(false)) => HookState::Untrusted,
            (true, _) => HookState::Enabled,
        }
    }

    pub(super) fn is_pending(&self, target: &SwitchTarget) -> bool {
        self.switched(target).is_some()
    }

    fn switched(&self, target: &SwitchTarget) -> Option<bool> {
        let mut pending = self.pending.iter();
        pending.find(|(one, _)| one == target).map(|(_, on)| *on)
    }

    /// Sets a pending switch, or removes it if it equals the saved state.
    fn set(&mut self, target: SwitchTarget, on: bool, now: bool) {
        self.pending.retain(|(one, _)| *one != target);
        if on != now {
            self.pending.push((target, on));
        }
    }

    fn rebuild_rows(&mut self) {
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

    pub(super) fn row(&self) -> Option<&ListRow> {
        self.rows.get(self.list.selected()?)
    }

    /// The selected definition.
    pub(super) fn hook(&self) -> Option<(usize, &HookDefinition)> {
        match self.row()? {
            ListRow::Hook(index) => Some((*index, self.catalog.definitions.get(*index)?)),
            _ => None,
        }
    }

    pub(super) fn press(&mut self, key: KeyEvent) -> HooksEffect {
        // Terminals send Esc followed by a key as Alt+key. Alt has no meaning here, so both are handled.
        if key.modifiers.contains(KeyModifiers::ALT) {
            let effect = self.press(KeyEvent::from(KeyCode::Esc));
            let plain = KeyEvent::new(key.code, key.modifiers - KeyModifiers::ALT);
            return match effect {
                HooksEffect::None => self.press(plain),
                effect => effect,
            };
        }
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            match key.code {
                KeyCode::Char('c') => return self.interrupt(),
                KeyCode::Char('z') => return HooksEffect::Suspend,
                _ => {}
            }
        }
        match &mut self.focus {
            Focus::List => self.in_list(key.code),
            Focus::Filter => self.in_filter(key.code),
            Focus::Confirm(question) => {
                let question = *question;
                self.answer_dialog(question, key.code)
            }
            Focus::Text { scroll, .. } => {
                match key.code {
                    KeyCode::Down | KeyCode::Char('j') => *scroll = scroll.saturating_add(1),
                    KeyCode::Up | KeyCode::Char('k') => *scroll = scroll.saturating_sub(1),
                    KeyCode::PageDown | KeyCode::Char(' ') => *scroll = scroll.saturating_add(10),
                    KeyCode::PageUp => *scroll = scroll.saturating_sub(10),
                    _ => self.focus = Focus::List,
                }
                HooksEffect::None
            }
            Focus::Waiting(_) => match key.code {
                KeyCode::Esc => HooksEffect::Cancel,
                _ => HooksEffect::None,
            },
            Focus::Form(form) => match form.press(key) {
                FormResult::Edited => HooksEffect::None,
                FormResult::Cancelled => {
                    self.focus = Focus::List;
                    HooksEffect::None
                }
                FormResult::Finished => match form.draft() {
                    Ok((draft, level)) => HooksEffect::Add(draft, level),
                    Err(error) => {
                        form.refuse(&format!("{error:#}"));
                        HooksEffect::None
                    }
                },
            },
        }
    }

    /// Ctrl-C stops a test, closes a popup, or quits.
    fn interrupt(&mut self) -> HooksEffect {
        match self.focus {
            Focus::Waiting(_) => HooksEffect::Cancel,
            Focus::List => self.quit(),
            Focus::Confirm(ConfirmDialog::Quit) => HooksEffect::Quit,
            _ => {
                self.focus = Focus::List;
                HooksEffect::None
            }
        }
    }

    fn quit(&mut self) -> HooksEffect {
        if self.pending.is_empty() {
            return HooksEffect::Quit;
        }
        self.focus = Focus::Confirm(ConfirmDialog::Quit);
        HooksEffect::None
    }

    fn in_list(&mut self, code: KeyCode) -> HooksEffect {
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
                self.set(SwitchTarget::All, on, now);
            }
            KeyCode::Char('s') if self.pending.is_empty() => {
                self.set_message("Nothing to save.".to_owned(), false);
            }
            KeyCode::Char('s') => return HooksEffect::Save,
            KeyCode::Char('u') => self.pending.clear(),
            KeyCode::Char('/') => self.focus = Focus::Filter,
            KeyCode::Char('?') => self.show_text("Help", HELP.to_owned()),
            KeyCode::Char('a') => self.open_form(),
            KeyCode::Char('d') => match self.hook() {
                Some((index, _)) => self.focus = Focus::Confirm(ConfirmDialog::Remove(index)),
                None => self.set_message("Select a hook to remove it.".to_owned(), false),
            },
            KeyCode::Char('t') => return self.test(),
            KeyCode::Enter => self.details(),
            KeyCode::Esc if !self.filter.is_empty() => {
                self.filter.clear();
                self.rebuild_rows();
            }
            KeyCode::Char('q') => return self.quit(),
            _ => {}
        }
        HooksEffect::None
    }

    fn test(&mut self) -> HooksEffect {
        let Some((index, name)) = self
            .hook()
            .map(|(index, hook)| (index, hook.name().to_owned()))
        else {
            self.set_message("Select a hook to test it.".to_owned(), false);
            return HooksEffect::None;
        };
        self.focus = Focus::Waiting(name);
        HooksEffect::Test(index)
    }

    fn open_form(&mut self) {
        let builtin = match self.row() {
            Some(ListRow::Builtin(index)) => Some(*index),
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
                ListRow::Event { name, .. } => Some(name.clone()),
                _ => None,
            });
        self.focus = Focus::Form(Box::new(Form::new(builtin, event.as_deref())));
    }

    fn details(&mut self) {
        match self.row() {
            Some(ListRow::Hook(index)) => {
                let hook = &self.catalog.definitions[*index];
                let (title, text) = (hook.name().to_owned(), super::view::details(self, hook));
                self.show_text(&title, text);
            }
            Some(ListRow::Builtin(_)) => self.open_form(),
            _ => {}
        }
    }

    fn show_text(&mut self, title: &str, text: String) {
        self.focus = Focus::Text {
            title: title.to_owned(),
            text,
            scroll: 0,
        };
    }

    fn in_filter(&mut self, code: KeyCode) -> HooksEffect {
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
        self.rebuild_rows();
        HooksEffect::None
    }

    fn answer_dialog(&mut self, question: ConfirmDialog, code: KeyCode) -> HooksEffect {
        let yes = matches!(code, KeyCode::Char('y' | 'Y'));
        let no = matches!(code, KeyCode::Char('n' | 'N') | KeyCode::Esc);
        let save = question == ConfirmDialog::Quit && code == KeyCode::Char('s');
        if !(yes || no || save) {
            return HooksEffect::None;
        }
        self.focus = Focus::List;
        match question {
            ConfirmDialog::Quit if yes => HooksEffect::Quit,
            ConfirmDialog::Quit if save => HooksEffect::Save,
            ConfirmDialog::Remove(index) if yes => HooksEffect::Remove(index),
            _ => HooksEffect::None,
        }
    }

    fn toggle(&mut self) {
        match self.row().cloned() {
            Some(ListRow::Hook(index)) => self.toggle_all(&[index]),
            Some(ListRow::Event { hooks, .. }) => self.toggle_all(&hooks),
            Some(ListRow::Builtin(index)) => {
                let target = SwitchTarget::Builtin(BUILTINS[index].name);
                let on = !self.is_pending(&target);
                self.set(target, on, false);
            }
            Some(ListRow::Builtins) | None => {}
        }
    }

    /// Toggles a single hook; turns several on, unless all of them are on.
    fn toggle_all(&mut self, indices: &[usize]) {
        let is_on = |app: &Self, index: usize| {
            app.state(&app.catalog.definitions[index]) != HookState::Disabled
        };
        let on = !indices.iter().all(|index| is_on(self, *index));
        for index in indices {
            let hook = &self.catalog.definitions[*index];
            let (target, now) = (SwitchTarget::Hook(identity(hook)), hook.enabled());
            self.set(target, on, now);
        }
    }
}
