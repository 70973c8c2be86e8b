//! Code shared by all dialects: actions, defaults, and warnings about hooks that load but will not do
//! what their author expects.

use std::time::Duration;

use becket_model::subject::{constant, has_subject};
use becket_model::{Action, Dialect, EventKind, HookSpec, MatchStyle, Matcher};
use serde_json::{Map, Value};

use super::keys::FOREIGN_EVENTS;
use super::lint::{did_you_mean, quoted_variable};
use super::reader::{ConfigReader, EntryReader, KeyPath};
use super::tree::ConfigField;
use crate::names;

/// An event that a hook is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BoundEvent {
    pub(super) event: EventKind,
    /// The dialect's name for it, if that is not its usual name.
    pub(super) native: Option<String>,
}

impl BoundEvent {
    pub(super) fn to(event: EventKind) -> Self {
        Self {
            event,
            native: None,
        }
    }
}

/// How a dialect interprets a matcher.
pub(super) fn style(dialect: Dialect, bound: &BoundEvent, pattern: &str) -> MatchStyle {
    match dialect {
        Dialect::Becket | Dialect::Claude => MatchStyle::Names,
        Dialect::Gemini if !bound.event.is_tool() => MatchStyle::Exact,
        // Gemini compares a pattern that is not a valid regular expression as a plain name.
        Dialect::Gemini if Matcher::parse(pattern, MatchStyle::Search).is_err() => {
            MatchStyle::Exact
        }
        Dialect::Codex if is_plain_list(pattern) => MatchStyle::Names,
        Dialect::Copilot if bound.native.is_some() && bound.event.is_guarded() => MatchStyle::Names,
        Dialect::Copilot => MatchStyle::Whole,
        Dialect::CodeAgent
        | Dialect::ClaudeAgent
        | Dialect::Autohand
        | Dialect::Cursor
        | Dialect::Gemini
        | Dialect::Codex => MatchStyle::Search,
    }
}

/// Codex's definition of a name list: no commas, no hyphens.
fn is_plain_list(pattern: &str) -> bool {
    pattern
        .trim()
        .bytes()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'|'))
}

/// The unit of a bare number in a timeout.
pub(super) fn unit(dialect: Dialect) -> Duration {
    match dialect {
        Dialect::Becket
        | Dialect::Claude
        | Dialect::ClaudeAgent
        | Dialect::Cursor
        | Dialect::Codex
        | Dialect::Copilot => Duration::from_secs(1),
        Dialect::CodeAgent | Dialect::Autohand | Dialect::Gemini => Duration::from_millis(1),
    }
}

/// The timeout of a hook that sets none.
pub(super) fn default_timeout(
    dialect: Dialect,
    event: &EventKind,
    action: &Action,
    is_async: bool,
) -> Duration {
    let is = |name: &str| matches!(event, EventKind::Other(other) if &**other == name);
    let seconds = match (dialect, action) {
        (Dialect::Becket | Dialect::CodeAgent, Action::Prompt { .. })
        | (Dialect::CodeAgent, Action::Http { .. }) => 10,
        (Dialect::Becket | Dialect::ClaudeAgent | Dialect::Cursor | Dialect::Gemini, _)
        | (Dialect::Claude | Dialect::CodeAgent, Action::Agent { .. }) => 60,
        (Dialect::Claude, Action::Prompt { .. }) | (Dialect::Copilot, _) => 30,
        (Dialect::Claude, _) if *event == EventKind::UserPromptSubmit => 30,
        (Dialect::Claude, _) if is("PreModelSwitch") => 30,
        (Dialect::Codex, _) if *event == EventKind::SessionEnd || is("Interrupt") => 1,
        // Autohand's documentation recommends `async` for background work, which five seconds would cut off.
        (Dialect::Autohand, _) if is_async => 600,
        (Dialect::Claude | Dialect::Codex, _) => 600,
        (Dialect::CodeAgent | Dialect::Autohand, _) => 5,
    };
    Duration::from_secs(seconds)
}

/// Parses an event name. An unknown name is reported and kept.
pub(super) fn event(reader: &mut ConfigReader, at: &KeyPath, name: &str) -> EventKind {
    let event = EventKind::parse(name);
    let foreign = || {
        FOREIGN_EVENTS
            .iter()
            .any(|known| known.eq_ignore_ascii_case(name))
    };
    if !event.is_known() && !foreign() {
        let hint = EventKind::suggest(name).map(|near| format!("did you mean `{}`?", near.name()));
        reader.warn(at, format!("unknown event `{name}`"), hint);
    }
    event
}

/// Parses an event name in an agent's own file, where only that agent's names are valid. Any other name
/// is reported, and still bound if another dialect knows it.
pub(super) fn bind(
    reader: &mut ConfigReader,
    at: &KeyPath,
    dialect: Dialect,
    name: &str,
) -> Vec<BoundEvent> {
    if let Some(row) = names::find(dialect, name) {
        return bound_to(dialect, row);
    }
    let event = EventKind::parse(name);
    if !names::is_foreign(dialect, name) {
        let near = names::usual(dialect, &event).map(|row| format!("write `{}`", row.name));
        let hint = near.or_else(|| did_you_mean(name, names::all(dialect)));
        let message = format!("`{name}` is not an event of {}", title(dialect));
        reader.warn(at, message, hint);
    }
    vec![BoundEvent::to(event)]
}

/// The events that a name of the dialect stands for.
pub(super) fn bound_to(dialect: Dialect, row: &names::EventNames) -> Vec<BoundEvent> {
    let bound = |event: &EventKind| {
        let usual = names::usual(dialect, event).is_some_and(|usual| usual.name == row.name);
        // In the other dialects, two names for one event are synonyms.
        let differs = matches!(dialect, Dialect::Cursor | Dialect::Copilot) && !usual;
        BoundEvent {
            event: event.clone(),
            native: differs.then(|| row.name.to_owned()),
        }
    };
    row.kinds.iter().map(bound).collect()
}

/// The agent's name in messages.
pub(super) fn title(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Becket => "Becket",
        Dialect::Claude => "Claude Code",
        Dialect::CodeAgent => "Code Agent",
        Dialect::ClaudeAgent => "claude-agent",
        Dialect::Autohand => "Autohand",
        Dialect::Cursor => "Cursor",
        Dialect::Gemini => "Gemini CLI",
        Dialect::Codex => "Codex",
        Dialect::Copilot => "Copilot",
    }
}

/// Reads the action of a hook. `None` means that a fault is already reported.
pub(super) fn action(
    entry: &mut EntryReader,
    kind: &str,
    kinds: &[&str],
    allowed_env: &str,
) -> Option<Action> {
    if !kinds.contains(&kind) {
        let hint = did_you_mean(kind, kinds.iter().copied())
            .unwrap_or_else(|| format!("one of {}", kinds.join(", ")));
        let message = format!("unknown hook type `{kind}`");
        match entry.field("type") {
            Some(field) => entry.fail_with(field, message, Some(hint)),
            None => entry.fail(message, Some(hint)),
        }
        return None;
    }
    match kind {
        "command" => {
            let args = entry.texts("args");
            Some(Action::Command {
                command: entry.required("command")?.to_owned(),
                args,
            })
        }
        "http" => {
            let headers = entry.pairs("headers").unwrap_or_default();
            let allowed_env = entry.texts(allowed_env).unwrap_or_default();
            Some(Action::Http {
                url: entry.required("url")?.to_owned(),
                headers,
                allowed_env,
            })
        }
        "prompt" => {
            let model = entry.owned("model");
            Some(Action::Prompt {
                prompt: entry.required("prompt")?.to_owned(),
                model,
            })
        }
        "agent" => agent(entry),
        "mcp_tool" => {
            let input = object(entry, "input");
            let server = entry.required("server").map(str::to_owned);
            let tool = entry.required("tool").map(str::to_owned);
            Some(Action::McpTool {
                server: server?,
                tool: tool?,
                input,
            })
        }
        _ => {
            let options = object(entry, "options");
            Some(Action::Builtin {
                name: entry.required("use")?.to_owned(),
                options,
            })
        }
    }
}

/// Reads an agent action: a prompt, or a role that is asked to analyse the event.
fn agent(entry: &mut EntryReader) -> Option<Action> {
    let model = entry.owned("model");
    let agent = entry.owned("agent");
    let key = if entry.has("agentPrompt") {
        "agentPrompt"
    } else {
        "prompt"
    };
    let prompt = match &agent {
        Some(role) if !entry.has(key) => format!("As a {role}, analyze this event."),
        _ => entry.required(key)?.to_owned(),
    };
    Some(Action::Agent {
        prompt,
        agent,
        model,
    })
}

fn object(entry: &mut EntryReader, key: &str) -> Value {
    entry
        .object(key)
        .unwrap_or_else(|| Value::Object(Map::new()))
}

/// Compiles a matcher, and reports an invalid one and one that has no effect.
pub(super) fn matcher(
    reader: &mut ConfigReader,
    at: &KeyPath,
    field: &ConfigField,
    dialect: Dialect,
    bound: &BoundEvent,
) -> Result<Matcher, String> {
    let at = at.field(field);
    let Some(pattern) = field.node.text() else {
        let message = format!("expected a string, found {}", field.node.describe());
        reader.error(&at, &*message, None);
        return Err(format!("`{}`: {message}", field.key));
    };
    let style = style(dialect, bound, pattern);
    let matcher = Matcher::parse(pattern, style).map_err(|bad| {
        let message = bad.to_string();
        // The regex engine draws the position over several lines; the first line is enough.
        let message = message.lines().next().unwrap_or_default().to_owned();
        reader.error(&at, &*message, None);
        message
    })?;
    check_matcher(reader, &at, &matcher, bound, dialect);
    Ok(matcher)
}

/// Warns about a matcher that matches everything or nothing on its event.
fn check_matcher(
    reader: &mut ConfigReader,
    at: &KeyPath,
    matcher: &Matcher,
    bound: &BoundEvent,
    dialect: Dialect,
) {
    let event = &bound.event;
    if matcher.is_all() {
        return;
    }
    if !has_subject(dialect, event) {
        let hint = match event {
            EventKind::FileModified => "limit it to files with `filter`",
            _ => "remove the matcher",
        };
        let name = event.name();
        let message =
            format!("has no effect on `{name}`, which has nothing to match: the hook always runs");
        return reader.warn(at, message, Some(hint.to_owned()));
    }
    if let Some(word) = constant(dialect, event)
        && !matcher.matches(word)
    {
        let message = format!(
            "never matches: {} compares it with `{word}`",
            title(dialect)
        );
        return reader.warn(at, message, Some("remove the matcher".to_owned()));
    }
    if matcher.style() == MatchStyle::Exact && !matcher.pattern().bytes().all(is_name_byte) {
        let message = format!(
            "is compared as a whole name in {}, not as a regular expression",
            title(dialect)
        );
        reader.warn(at, message, None);
    }
}

fn is_name_byte(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-' | b':')
}

/// Warns about a hook that loads but will not do what its author expects.
pub(super) fn check(entry: &mut EntryReader, spec: &HookSpec) {
    if let Action::Command {
        command,
        args: None,
    } = &spec.action
        && let Some(variable) = quoted_variable(command)
    {
        let message = format!("`{variable}` is in single quotes, so the shell does not expand it");
        let hint = "use double quotes";
        match entry.field("command") {
            Some(field) => entry.warn_at(field, message, Some(hint)),
            None => entry
                .reader
                .warn(entry.place, message, Some(hint.to_owned())),
        }
    }
    if spec.condition.is_some()
        && !spec.event.is_tool()
        && spec.event.is_known()
        && let Some(field) = entry.field("if")
    {
        let effect = match spec.dialect {
            Dialect::Claude => "the hook never runs",
            _ => "the hook always runs",
        };
        let message = format!("`{}` is not a tool event: {effect}", spec.event.name());
        entry.warn_at(field, message, None);
    }
}
