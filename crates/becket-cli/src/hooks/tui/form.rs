//! The form for a new hook: one field per configuration key.

use anyhow::Context;
use becket::model::{Dialect, EventKind, Level};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::hooks::args::{options, pairs};
use crate::hooks::builtins::{BUILTINS, find};
use crate::hooks::draft::HookDraft;

/// What a key press did to the form.
pub(super) enum FormResult {
    Edited,
    /// The user left the form.
    Cancelled,
    /// The user wants to add the hook.
    Finished,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FieldKind {
    Text,
    Flag,
    Choice(&'static [&'static str]),
}

pub(super) struct Field {
    /// The configuration key, which errors refer to.
    pub(super) key: &'static str,
    pub(super) label: &'static str,
    about: &'static str,
    kind: FieldKind,
    /// The actions that have this field; empty means all.
    actions: &'static [&'static str],
    pub(super) value: String,
    /// Position in characters.
    pub(super) cursor: usize,
}

pub(super) struct Form {
    fields: Vec<Field>,
    pub(super) focus: usize,
    pub(super) error: Option<String>,
}

const ACTIONS: &[&str] = &["built-in", "command", "http", "prompt", "agent", "mcp tool"];
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
    kind: FieldKind,
    actions: &'static [&'static str],
    about: &'static str,
) -> Field {
    Field {
        key,
        label,
        about,
        kind,
        actions,
        value: String::new(),
        cursor: 0,
    }
}

#[rustfmt::skip]
fn fields() -> Vec<Field> {
    use FieldKind::{Choice, Flag, Text};
    vec![
        field("does", "Does", Choice(ACTIONS), &[], "the action of the hook"),
        field("use", "Built-in", Choice(&NAMES), &["built-in"], ""),
        field("options", "Options", Text, &["built-in"], "name=value; name=value"),
        field("command", "Command", Text, &["command"], "a shell command; with arguments below, a program without a shell"),
        field("args", "Arguments", Text, &["command"], "arguments of a program without a shell, separated by spaces"),
        field("url", "Address", Text, &["http"], "where the event is posted to"),
        field("headers", "Headers", Text, &["http"], "name=value; name=value"),
        field("allowed_env", "Variables", Text, &["http"], "environment variables that headers may use as $NAME, separated by commas"),
        field("prompt", "Prompt", Text, &["prompt", "agent"], "the question to the model or agent"),
        field("agent", "Agent", Text, &["agent"], "the agent to ask"),
        field("model", "Model", Text, &["prompt", "agent"], "the language model to ask"),
        field("server", "Server", Text, &["mcp tool"], "the MCP server"),
        field("tool", "Tool", Text, &["mcp tool"], "the tool of the MCP server"),
        field("input", "Tool input", Text, &["mcp tool"], "JSON input of the tool"),
        field("event", "Events", Text, &[], ""),
        field("matcher", "Matcher", Text, &[], "a name, a list such as Write|Edit, or a regular expression; empty: all"),
        field("filter.tool", "Tools", Text, &[], "only these tools, separated by commas"),
        field("filter.path", "Paths", Text, &[], "only files that these globs match, separated by commas"),
        field("if", "If", Text, &[], "only tool calls such as Bash(git *)"),
        field("name", "Name", Text, &[], "derived from the action if left empty"),
        field("description", "About", Text, &[], "a description"),
        field("level", "Level", Choice(LEVELS), &[], "user: all your projects; project: becket.toml; local: becket.local.toml"),
        field("timeout", "Timeout", Text, &[], "500ms, 30s, 2m; 60 s if left empty"),
        field("async", "Async", Flag, &[], "start without waiting; the hook cannot decide anything"),
        field("once", "Once", Flag, &[], "at most once per session"),
        field("sequential", "Sequential", Flag, &[], "run after the preceding hooks, with the input as they rewrote it"),
        field("priority", "Priority", Text, &[], "a number; higher runs first"),
        field("on_failure", "On failure", Choice(FAILURES), &[], "the verdict if the hook fails"),
        field("env", "Environment", Text, &["command"], "NAME=value; NAME=value"),
        field("cwd", "Directory", Text, &["command"], "working directory; the project if left empty"),
        field("dialect", "Dialect", Choice(&DIALECTS), &[], "protocol: exit codes, input and environment as that agent defines them"),
        field("enabled", "Enabled", Flag, &[], "whether the hook runs"),
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
            if let FieldKind::Choice(words) = field.kind {
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

    /// The fields of the selected action.
    pub(super) fn visible(&self) -> Vec<&Field> {
        let does = self.get("does");
        let has = |field: &&Field| field.actions.is_empty() || field.actions.contains(&does);
        self.fields.iter().filter(has).collect()
    }

    fn focused(&mut self) -> Option<&mut Field> {
        let key = self.visible().get(self.focus).map(|field| field.key)?;
        self.fields.iter_mut().find(|field| field.key == key)
    }

    /// Help for the focused field.
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
                format!("{}; options: {}", field.about, names.join(", "))
            }
            "event" => {
                let found = completions(&field.value);
                let known = match found[..] {
                    [] => "unknown event".to_owned(),
                    _ => found.join(" "),
                };
                let used = self.get("does") == "built-in";
                let empty = if used {
                    "empty: the built-in's default; "
                } else {
                    ""
                };
                format!("{empty}separate several with commas; right arrow completes: {known}")
            }
            _ => field.about.to_owned(),
        }
    }

    /// Shows an error and focuses the field that it names.
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

    pub(super) fn press(&mut self, key: KeyEvent) -> FormResult {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let last = self.visible().len().saturating_sub(1);
        self.error = None;
        match key.code {
            KeyCode::Esc => return FormResult::Cancelled,
            KeyCode::Char('s') if control => return FormResult::Finished,
            KeyCode::Enter if self.focus >= last => return FormResult::Finished,
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
        FormResult::Edited
    }

    /// The draft of the hook as entered so far.
    pub(super) fn draft(&self) -> anyhow::Result<(HookDraft, Level)> {
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
        let mut draft = HookDraft::default();
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
        self.kind == FieldKind::Text
    }

    fn edit(&mut self, code: KeyCode, control: bool) {
        match self.kind {
            FieldKind::Text => self.edit_text(code, control),
            FieldKind::Flag => {
                if matches!(code, KeyCode::Left | KeyCode::Right | KeyCode::Char(' ')) {
                    let other = if self.value == "yes" { "" } else { "yes" };
                    other.clone_into(&mut self.value);
                }
            }
            FieldKind::Choice(words) => {
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

/// Known events that start with the last word.
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
