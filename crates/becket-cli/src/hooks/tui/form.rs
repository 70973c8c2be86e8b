//! A hook being written: a field for every key that a hook can have.

use anyhow::Context;
use becket::model::{Dialect, EventKind, Level};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::hooks::args::{options, pairs};
use crate::hooks::builtins::{BUILTINS, find};
use crate::hooks::draft::Draft;

/// What a key did.
pub(super) enum Outcome {
    Edited,
    /// The person went away.
    Left,
    /// The person wants the hook.
    Finished,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Flag,
    Choice(&'static [&'static str]),
}

pub(super) struct Field {
    /// The key in the file; what an error names.
    pub(super) key: &'static str,
    pub(super) label: &'static str,
    about: &'static str,
    kind: Kind,
    /// What a hook must do to have this field; none means all.
    only: &'static [&'static str],
    pub(super) value: String,
    /// In characters.
    pub(super) cursor: usize,
}

pub(super) struct Form {
    fields: Vec<Field>,
    pub(super) focus: usize,
    pub(super) error: Option<String>,
}

const DOES: &[&str] = &["built-in", "command", "http", "prompt", "agent", "mcp tool"];
const LEVELS: &[&str] = &["user", "project", "local"];
const FAILURES: &[&str] = &["", "allow", "ask", "deny"];
const NAMES: [&str; BUILTINS.len()] = {
    let mut names = [""; BUILTINS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = BUILTINS[at].name;
        at += 1;
    }
    names
};
const DIALECTS: [&str; Dialect::ALL.len()] = {
    let mut names = [""; Dialect::ALL.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = Dialect::ALL[at].name();
        at += 1;
    }
    names
};

const fn field(
    key: &'static str,
    label: &'static str,
    kind: Kind,
    only: &'static [&'static str],
    about: &'static str,
) -> Field {
    Field {
        key,
        label,
        about,
        kind,
        only,
        value: String::new(),
        cursor: 0,
    }
}

#[rustfmt::skip]
fn fields() -> Vec<Field> {
    use Kind::{Choice, Flag, Text};
    vec![
        field("does", "Does", Choice(DOES), &[], "what the hook does"),
        field("use", "Built-in", Choice(&NAMES), &["built-in"], ""),
        field("options", "Options", Text, &["built-in"], "name=value; name=value"),
        field("command", "Command", Text, &["command"], "a line for the shell; with arguments below, a program without any shell"),
        field("args", "Arguments", Text, &["command"], "of a program without any shell, separated by blanks"),
        field("url", "Address", Text, &["http"], "where the event is posted to"),
        field("headers", "Headers", Text, &["http"], "name=value; name=value"),
        field("allowed_env", "Variables", Text, &["http"], "that headers may use as $NAME, separated by commas"),
        field("prompt", "Prompt", Text, &["prompt", "agent"], "what is asked"),
        field("agent", "Agent", Text, &["agent"], "which agent is asked"),
        field("model", "Model", Text, &["prompt", "agent"], "which language model is asked"),
        field("server", "Server", Text, &["mcp tool"], "the MCP server"),
        field("tool", "Its tool", Text, &["mcp tool"], "the tool of the MCP server"),
        field("input", "Its input", Text, &["mcp tool"], "JSON that the tool is called with"),
        field("event", "Events", Text, &[], ""),
        field("matcher", "Matcher", Text, &[], "a name, a list such as Write|Edit, or a regular expression; empty: all"),
        field("filter.tool", "Tools", Text, &[], "only these tools, separated by commas"),
        field("filter.path", "Paths", Text, &[], "only files that these globs match, separated by commas"),
        field("if", "If", Text, &[], "only calls such as Bash(git *)"),
        field("name", "Name", Text, &[], "made from what the hook does if left empty"),
        field("description", "About", Text, &[], "what it is good for"),
        field("level", "Level", Choice(LEVELS), &[], "user: all your projects; project: becket.toml; local: becket.local.toml"),
        field("timeout", "Timeout", Text, &[], "500ms, 30s, 2m; 60 s if left empty"),
        field("async", "Async", Flag, &[], "started and not waited for; it then decides nothing"),
        field("once", "Once", Flag, &[], "at most once a session"),
        field("sequential", "Sequential", Flag, &[], "after the hooks before it, with the input as they rewrote it"),
        field("priority", "Priority", Text, &[], "a number; higher runs first"),
        field("on_failure", "On failure", Choice(FAILURES), &[], "what becomes of the action when the hook goes wrong"),
        field("env", "Environment", Text, &["command"], "NAME=value; NAME=value"),
        field("cwd", "Directory", Text, &["command"], "where it runs; the project if left empty"),
        field("dialect", "Dialect", Choice(&DIALECTS), &[], "whose contract it keeps: exit codes, input, environment"),
        field("enabled", "Enabled", Flag, &[], "switched on"),
    ]
}

impl Form {
    pub(super) fn new(builtin: Option<usize>, event: Option<&str>) -> Self {
        let mut form = Self {
            fields: fields(),
            focus: 0,
            error: None,
        };
        for field in &mut form.fields {
            if let Kind::Choice(words) = field.kind {
                words[0].clone_into(&mut field.value);
            }
        }
        form.set("enabled", "yes");
        match builtin {
            Some(index) => form.set("use", BUILTINS[index].name),
            None => {
                form.set("does", "command");
                form.set("event", event.unwrap_or("PreToolUse"));
            }
        }
        form
    }

    fn set(&mut self, key: &str, value: &str) {
        for field in self.fields.iter_mut().filter(|field| field.key == key) {
            value.clone_into(&mut field.value);
            field.cursor = value.chars().count();
        }
    }

    fn get(&self, key: &str) -> &str {
        let mut fields = self.fields.iter();
        fields
            .find(|field| field.key == key)
            .map_or("", |field| field.value.trim())
    }

    /// The fields that such a hook has.
    pub(super) fn visible(&self) -> Vec<&Field> {
        let does = self.get("does");
        let has = |field: &&Field| field.only.is_empty() || field.only.contains(&does);
        self.fields.iter().filter(has).collect()
    }

    fn focused(&mut self) -> Option<&mut Field> {
        let key = self.visible().get(self.focus).map(|field| field.key)?;
        self.fields.iter_mut().find(|field| field.key == key)
    }

    /// What to say about the field that has the keyboard.
    pub(super) fn about(&self) -> String {
        let visible = self.visible();
        let Some(field) = visible.get(self.focus) else {
            return String::new();
        };
        match field.key {
            "use" => find(&field.value)
                .map_or("", |builtin| builtin.about)
                .to_owned(),
            "options" => {
                let options = find(self.get("use")).map_or(&[][..], |builtin| builtin.options);
                let names: Vec<&str> = options.iter().map(|option| option.name).collect();
                format!("{}, of {}", field.about, names.join(", "))
            }
            "event" => {
                let found = completions(&field.value);
                let known = match found[..] {
                    [] => "nobody knows this one".to_owned(),
                    _ => found.join(" "),
                };
                let used = self.get("does") == "built-in";
                let empty = if used {
                    "empty: the built-in's own; "
                } else {
                    ""
                };
                format!("{empty}several with commas; right arrow completes: {known}")
            }
            _ => field.about.to_owned(),
        }
    }

    /// Shows what is wrong, at the field that is wrong.
    pub(super) fn refuse(&mut self, why: &str) {
        self.error = Some(why.replace('\n', " "));
        let named = why.strip_prefix("missing ").unwrap_or(why);
        let key = named
            .strip_prefix('`')
            .and_then(|rest| rest.split_once('`'));
        if let Some((key, _)) = key {
            let visible = self.visible();
            let at = visible.iter().position(|field| field.key == key);
            self.focus = at.unwrap_or(self.focus);
        }
    }

    pub(super) fn press(&mut self, key: KeyEvent) -> Outcome {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let last = self.visible().len().saturating_sub(1);
        self.error = None;
        match key.code {
            KeyCode::Esc => return Outcome::Left,
            KeyCode::Char('s') if control => return Outcome::Finished,
            KeyCode::Enter if self.focus >= last => return Outcome::Finished,
            KeyCode::Enter | KeyCode::Down | KeyCode::Tab => {
                self.focus = if self.focus >= last {
                    0
                } else {
                    self.focus + 1
                };
            }
            KeyCode::Up | KeyCode::BackTab => {
                self.focus = if self.focus == 0 {
                    last
                } else {
                    self.focus - 1
                };
            }
            KeyCode::PageDown => self.focus = last,
            KeyCode::PageUp => self.focus = 0,
            code => {
                if let Some(field) = self.focused() {
                    field.edit(code, control);
                }
            }
        }
        Outcome::Edited
    }

    /// The hook as it is written now.
    pub(super) fn draft(&self) -> anyhow::Result<(Draft, Level)> {
        let visible = self.visible();
        let get = |key: &str| {
            let mut fields = visible.iter();
            let field = fields.find(|field| field.key == key);
            field.map_or("", |field| field.value.trim())
        };
        let some = |key: &str| Some(get(key)).filter(|text| !text.is_empty());
        let many = |key: &str, by: &[char]| -> Vec<String> {
            let parts = get(key).split(by).map(str::trim);
            parts
                .filter(|part| !part.is_empty())
                .map(str::to_owned)
                .collect()
        };
        let mut draft = Draft::default();
        for key in ["name", "description"] {
            draft.text(key, some(key));
        }
        draft.text_or_texts("event", &many("event", &[',']));
        draft.text("matcher", some("matcher"));
        draft.filter(&many("filter.tool", &[',']), &many("filter.path", &[',']));
        draft.text("if", some("if"));
        draft.text("command", some("command"));
        draft.texts("args", &many("args", &[' ']));
        draft.text("url", some("url"));
        draft.pairs("headers", &pairs("`headers`", &many("headers", &[';']))?);
        draft.texts("allowed_env", &many("allowed_env", &[',']));
        for key in ["agent", "model", "prompt", "server", "tool", "input", "use"] {
            draft.text(key, some(key));
        }
        if get("does") == "agent" {
            draft.text("type", Some("agent"));
        }
        draft.table("options", &options(&many("options", &[';']))?);
        draft.pairs("env", &pairs("`env`", &many("env", &[';']))?);
        draft.text("cwd", some("cwd"));
        draft.text("timeout", some("timeout"));
        for key in ["async", "once", "sequential"] {
            draft.flag(key, get(key) == "yes");
        }
        if let Some(priority) = some("priority") {
            let number: i32 = priority
                .parse()
                .with_context(|| format!("`priority`: `{priority}` is not a whole number"))?;
            draft.raw("priority", number.to_string());
        }
        draft.text("on_failure", some("on_failure"));
        draft.text("dialect", some("dialect").filter(|name| *name != "becket"));
        if get("enabled") != "yes" {
            draft.raw("enabled", "false".to_owned());
        }
        let level = match get("level") {
            "project" => Level::Project,
            "local" => Level::Local,
            _ => Level::User,
        };
        Ok((draft, level))
    }
}

impl Field {
    pub(super) fn is_text(&self) -> bool {
        self.kind == Kind::Text
    }

    fn edit(&mut self, code: KeyCode, control: bool) {
        match self.kind {
            Kind::Text => self.edit_text(code, control),
            Kind::Flag => {
                if matches!(code, KeyCode::Left | KeyCode::Right | KeyCode::Char(' ')) {
                    let other = if self.value == "yes" { "" } else { "yes" };
                    other.clone_into(&mut self.value);
                }
            }
            Kind::Choice(words) => {
                let at = words
                    .iter()
                    .position(|word| *word == self.value)
                    .unwrap_or(0);
                let next = match code {
                    KeyCode::Right | KeyCode::Char(' ') => (at + 1) % words.len(),
                    KeyCode::Left => (at + words.len() - 1) % words.len(),
                    _ => return,
                };
                words[next].clone_into(&mut self.value);
            }
        }
    }

    fn edit_text(&mut self, code: KeyCode, control: bool) {
        let mut chars: Vec<char> = self.value.chars().collect();
        let at = self.cursor.min(chars.len());
        self.cursor = match code {
            KeyCode::Char('u') if control => {
                chars.drain(..at);
                0
            }
            KeyCode::Char('a') if control => 0,
            KeyCode::Char('e') if control => chars.len(),
            KeyCode::Char(_) if control => at,
            KeyCode::Char(c) => {
                chars.insert(at, c);
                at + 1
            }
            KeyCode::Backspace if at > 0 => {
                chars.remove(at - 1);
                at - 1
            }
            KeyCode::Delete if at < chars.len() => {
                chars.remove(at);
                at
            }
            KeyCode::Left => at.saturating_sub(1),
            KeyCode::Right if at < chars.len() => at + 1,
            KeyCode::Right if self.key == "event" => {
                let text: String = chars.iter().collect();
                if let Some(full) = completions(&text).first() {
                    let kept = text.rfind(',').map_or(0, |comma| comma + 1);
                    chars = format!("{}{full}", &text[..kept]).chars().collect();
                }
                chars.len()
            }
            KeyCode::Home => 0,
            KeyCode::End => chars.len(),
            _ => at,
        };
        self.value = chars.into_iter().collect();
    }
}

/// The events that begin like the last word.
fn completions(text: &str) -> Vec<&'static str> {
    let word = text
        .rsplit(',')
        .next()
        .unwrap_or_default()
        .trim()
        .to_lowercase();
    let parsed = EventKind::parse(&word);
    let known = EventKind::ALL.iter();
    known
        .filter(|kind| kind.name().to_lowercase().starts_with(&word) || **kind == parsed)
        .map(EventKind::name)
        .collect()
}
