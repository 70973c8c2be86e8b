//! Converts hooks of any dialect to the file of another, and lists what is lost.
//!
//! The command line stays the same. In the new file the command reads the other agent's input and has to answer in
//! that agent's format; the list of losses says so. A hook that the other agent cannot express is left out
//! and reported. A hook that was disabled, limited or strict never silently becomes enabled, wider or
//! weaker. Names and descriptions are dropped without a note where the format has no key for them. Start
//! at [`convert`].

mod body;
mod matcher;
mod notes;

use becket_model::{Dialect, EventKind, HookSpec};
use serde_json::{Map, Value, json};

use super::hook::title;
use super::print::to_becket_toml;
use crate::names;

/// A file in another dialect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConvertedFile {
    /// The text of the file.
    pub text: String,
    /// What the hooks lose or do differently.
    pub lost: Vec<String>,
}

/// Prints hooks as a file of another dialect. Becket's own dialect loses nothing. For the others the text
/// is the file their agents read: Claude's `settings.json`, Cursor's, Codex's and Copilot's hook files,
/// Gemini's `settings.json`, Autohand's `config.json`.
pub fn convert(hooks: &[HookSpec], to: Dialect) -> ConvertedFile {
    if to == Dialect::Becket {
        let rooted = hooks.iter().filter_map(|hook| {
            let (name, root) = (&hook.name, hook.root.as_ref()?.display());
            Some(format!(
                "hook `{name}`: it is part of {root}, whose files it would not find"
            ))
        });
        return ConvertedFile {
            text: to_becket_toml(hooks),
            lost: rooted.collect(),
        };
    }
    let mut converter = Converter {
        to,
        entries: Vec::new(),
        lost: Vec::new(),
        hooks,
    };
    for (at, hook) in hooks.iter().enumerate() {
        if !converter.comes_with_another(at) {
            converter.add(hook);
        }
    }
    let mut lost = converter.lost;
    lost.extend(notes::between(hooks, to));
    ConvertedFile {
        text: layout(to, converter.entries),
        lost,
    }
}

/// One hook of the new file.
struct ConvertedHook {
    event: String,
    matcher: Option<String>,
    sequential: bool,
    name: String,
    body: Map<String, Value>,
}

struct Converter<'h> {
    to: Dialect,
    hooks: &'h [HookSpec],
    entries: Vec<ConvertedHook>,
    lost: Vec<String>,
}

impl Converter<'_> {
    fn note(&mut self, hook: &HookSpec, what: impl AsRef<str>) {
        let line = format!("hook `{}`: {}", hook.name, what.as_ref());
        if !self.lost.contains(&line) {
            self.lost.push(line);
        }
    }

    fn leave_out(&mut self, hook: &HookSpec, why: impl AsRef<str>) {
        self.note(hook, format!("left out: {}", why.as_ref()));
    }

    /// Whether the other dialect has one event for this hook's event and an earlier hook's, and the two hooks
    /// are otherwise equal.
    fn comes_with_another(&self, at: usize) -> bool {
        let hook = &self.hooks[at];
        let same = |other: &HookSpec| {
            let twin = HookSpec {
                event: hook.event.clone(),
                source: hook.source.clone(),
                ..other.clone()
            };
            twin == *hook
        };
        let mut before = self.hooks[..at].iter();
        before.any(|other| {
            other.event != hook.event && self.share_an_event(other, hook) && same(other)
        })
    }

    fn share_an_event(&self, one: &HookSpec, other: &HookSpec) -> bool {
        match (self.row(one), self.row(other)) {
            (Some(one), Some(other)) => one.name == other.name,
            _ => false,
        }
    }

    fn row(&self, hook: &HookSpec) -> Option<&'static names::EventNames> {
        let own = hook
            .native_event
            .as_deref()
            .filter(|_| hook.dialect == self.to);
        match own {
            Some(name) => names::find(self.to, name),
            None => names::usual(self.to, &hook.event),
        }
    }

    fn add(&mut self, hook: &HookSpec) {
        let Some(event) = self.event(hook) else {
            let why = format!("{} has no `{}`", title(self.to), hook.event.name());
            return self.leave_out(hook, why);
        };
        if !hook.enabled && !body::can_be_off(self.to) {
            let why = "it is disabled, and the file format cannot express that";
            return self.leave_out(hook, why);
        }
        let Some(mut body) = body::action(hook, self.to) else {
            let (kind, title) = (hook.action.kind(), title(self.to));
            return self.leave_out(hook, format!("{title} has no hooks of type `{kind}`"));
        };
        let matchers = match matcher::convert(hook, self.to) {
            Ok(found) => {
                for note in &found.notes {
                    self.note(hook, note);
                }
                found.patterns
            }
            Err(why) => return self.leave_out(hook, why),
        };
        for note in body::add_options(hook, self.to, &mut body) {
            self.note(hook, note);
        }
        self.note_extra_events(hook);
        for matcher in matchers {
            self.entries.push(ConvertedHook {
                event: event.clone(),
                matcher,
                sequential: hook.sequential,
                name: hook.name.clone(),
                body: body.clone(),
            });
        }
    }

    /// The other dialect's name for the hook's event.
    fn event(&self, hook: &HookSpec) -> Option<String> {
        if let Some(row) = self.row(hook) {
            return Some(row.name.to_owned());
        }
        let name = hook.event.name();
        match &hook.event {
            EventKind::Other(_) => {
                let known = hook.dialect == self.to || names::is_foreign(self.to, name);
                known.then(|| name.to_owned())
            }
            kind if has_event(self.to, kind) => Some(match self.to {
                Dialect::ClaudeAgent => lower_first(name),
                _ => name.to_owned(),
            }),
            _ => None,
        }
    }

    /// Notes events that the hook did not run for before and would run for now.
    fn note_extra_events(&mut self, hook: &HookSpec) {
        let Some(row) = self.row(hook) else { return };
        for kind in row.kinds.iter().filter(|kind| **kind != hook.event) {
            let twin = self.hooks.iter().any(|other| {
                other.event == *kind
                    && other.action == hook.action
                    && other.matcher == hook.matcher
                    && other.dialect == hook.dialect
            });
            if !twin {
                let (name, also) = (row.name, kind.name());
                self.note(hook, format!("`{name}` also covers `{also}`"));
            }
        }
    }
}

fn lower_first(name: &str) -> String {
    let (first, rest) = name.split_at(name.len().min(1));
    first.to_ascii_lowercase() + rest
}

/// Whether an agent that uses the canonical names has the event.
fn has_event(to: Dialect, kind: &EventKind) -> bool {
    use EventKind as E;
    match to {
        Dialect::Claude => !matches!(
            kind,
            E::SessionError
                | E::FileModified
                | E::AgentThought
                | E::AgentResponse
                | E::PreModelRequest
                | E::PostModelRequest
        ),
        Dialect::CodeAgent => matches!(
            kind,
            E::PreToolUse
                | E::PostToolUse
                | E::PostToolUseFailure
                | E::PermissionRequest
                | E::UserPromptSubmit
                | E::Stop
                | E::StopFailure
                | E::SubagentStart
                | E::SubagentStop
                | E::PreCompact
                | E::Setup
                | E::SessionStart
                | E::SessionEnd
                | E::Notification
        ),
        Dialect::ClaudeAgent => matches!(
            kind,
            E::PreToolUse
                | E::PostToolUse
                | E::PostToolUseFailure
                | E::UserPromptSubmit
                | E::Stop
                | E::SubagentStart
                | E::SubagentStop
                | E::PreCompact
                | E::SessionStart
                | E::SessionEnd
        ),
        _ => false,
    }
}

fn layout(to: Dialect, entries: Vec<ConvertedHook>) -> String {
    let file = match to {
        Dialect::Autohand => {
            let hooks: Vec<Value> = entries.into_iter().map(listed).collect();
            json!({ "hooks": { "enabled": true, "hooks": hooks } })
        }
        Dialect::ClaudeAgent => json!({ "hooks": named(entries) }),
        Dialect::Cursor | Dialect::Copilot => json!({ "version": 1, "hooks": flat(entries) }),
        Dialect::Gemini => {
            let off: Vec<Value> = entries.iter().filter_map(switched_off).collect();
            let mut file = json!({ "hooks": grouped(entries) });
            if !off.is_empty() {
                file["hooksConfig"] = json!({ "disabled": off });
            }
            file
        }
        _ => json!({ "hooks": grouped(entries) }),
    };
    let mut text = serde_json::to_string_pretty(&file).unwrap_or_default();
    if to == Dialect::Cursor {
        // Cursor takes these for comments wherever they occur; JSON allows another spelling.
        text = text.replace("//", "\\/\\/").replace("/*", "/\\u002a");
    }
    text.push('\n');
    text
}

/// The entry in Gemini's list of disabled hooks: by name, or by command.
fn switched_off(entry: &ConvertedHook) -> Option<Value> {
    let off = entry.body.get(body::OFF) == Some(&Value::Bool(true));
    let name = entry.body.get("name").or_else(|| entry.body.get("command"));
    name.filter(|_| off).cloned()
}

fn listed(entry: ConvertedHook) -> Value {
    let mut out = Map::new();
    out.insert("event".into(), json!(entry.event));
    if let Some(matcher) = entry.matcher {
        out.insert("matcher".into(), json!(matcher));
    }
    out.extend(entry.body);
    Value::Object(out)
}

fn flat(entries: Vec<ConvertedHook>) -> Map<String, Value> {
    let mut out = Map::new();
    for entry in entries {
        let mut hook = Map::new();
        if let Some(matcher) = entry.matcher {
            hook.insert("matcher".into(), json!(matcher));
        }
        hook.extend(entry.body);
        push(&mut out, &entry.event, Value::Object(hook));
    }
    out
}

fn named(entries: Vec<ConvertedHook>) -> Map<String, Value> {
    let mut out = Map::new();
    for entry in entries {
        let mut hook = entry.body;
        if let Some(matcher) = entry.matcher {
            hook.insert("matcher".into(), json!(matcher));
        }
        let of_event = out
            .entry(entry.event)
            .or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(of_event) = of_event {
            let free = free_name(of_event, entry.name);
            of_event.insert(free, Value::Object(hook));
        }
    }
    out
}

/// The name, with a number appended if it is taken.
fn free_name(taken: &Map<String, Value>, name: String) -> String {
    let is_free = |name: &str| !taken.contains_key(name) && !matches!(name, "dialect" | "hooks");
    if is_free(&name) {
        return name;
    }
    // One more number than there are names, so one of them is free.
    (2..taken.len() + 4)
        .map(|number| format!("{name}-{number}"))
        .find(|name| is_free(name))
        .unwrap_or(name)
}

/// Puts adjacent hooks of one event with the same matcher into one group.
fn grouped(entries: Vec<ConvertedHook>) -> Map<String, Value> {
    let mut out: Map<String, Value> = Map::new();
    for mut entry in entries {
        entry.body.shift_remove(body::OFF);
        let mut group = Map::new();
        if let Some(matcher) = &entry.matcher {
            group.insert("matcher".into(), json!(matcher));
        }
        if entry.sequential {
            group.insert("sequential".into(), json!(true));
        }
        let hook = Value::Object(entry.body);
        let last = out
            .get_mut(&entry.event)
            .and_then(Value::as_array_mut)
            .and_then(|groups| groups.last_mut())
            .filter(|last| {
                last.get("matcher") == group.get("matcher")
                    && last.get("sequential") == group.get("sequential")
            })
            .and_then(|last| last.get_mut("hooks"))
            .and_then(Value::as_array_mut);
        match last {
            Some(hooks) => hooks.push(hook),
            None => {
                group.insert("hooks".into(), json!([hook]));
                push(&mut out, &entry.event, Value::Object(group));
            }
        }
    }
    out
}

fn push(out: &mut Map<String, Value>, event: &str, value: Value) {
    let list = out.entry(event).or_insert_with(|| json!([]));
    if let Value::Array(list) = list {
        list.push(value);
    }
}
