//! What all dialects' hooks have in common: actions, defaults, and warnings about hooks that load
//! but will not do what their author thinks.

use std::time::Duration;

use becket_model::subject::{constant, has_subject};
use becket_model::{Action, Dialect, EventKind, HookSpec, MatchStyle, Matcher};
use serde_json::{Map, Value};

use super::keys::FOREIGN_EVENTS;
use super::lint::{did_you_mean, quoted_variable};
use super::reader::{Entry, Place, Reader};
use super::tree::Field;
use crate::names;

/// An event that a hook is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bound {
    pub(super) event: EventKind,
    /// What its dialect calls it, if that is not its usual name.
    pub(super) native: Option<String>,
}

impl Bound {
    pub(super) fn to(event: EventKind) -> Self {
        Self {
            event,
            native: None,
        }
    }
}

/// How a dialect reads a matcher.
pub(super) fn style(dialect: Dialect, bound: &Bound, pattern: &str) -> MatchStyle {
    match dialect {
        Dialect::Becket | Dialect::Claude => MatchStyle::Names,
        Dialect::Gemini if !bound.event.is_tool() => MatchStyle::Exact,
        // What is no regular expression is a name there.
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

/// Codex's idea of a list of names: no commas, no hyphens.
fn is_plain_list(pattern: &str) -> bool {
    pattern
        .trim()
        .bytes()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'|'))
}

/// What a bare number means as a timeout.
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

/// The deadline of a hook that names none.
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
        // Background work is what its document recommends `async` for, and five seconds would end it.
        (Dialect::Autohand, _) if is_async => 600,
        (Dialect::Claude | Dialect::Codex, _) => 600,
        (Dialect::CodeAgent | Dialect::Autohand, _) => 5,
    };
    Duration::from_secs(seconds)
}

/// Reads the name of an event; one that nobody knows is told and kept.
pub(super) fn event(reader: &mut Reader, at: &Place, name: &str) -> EventKind {
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

/// Reads the name of an event in an agent's own file, where only its own names count for that agent.
/// Another one is told, and kept if anybody knows it.
pub(super) fn bind(reader: &mut Reader, at: &Place, dialect: Dialect, name: &str) -> Vec<Bound> {
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
    vec![Bound::to(event)]
}

/// The events of a name.
pub(super) fn bound_to(dialect: Dialect, row: &names::Row) -> Vec<Bound> {
    let bound = |event: &EventKind| {
        let usual = names::usual(dialect, event).is_some_and(|usual| usual.name == row.name);
        // Elsewhere two names for one event mean the same.
        let differs = matches!(dialect, Dialect::Cursor | Dialect::Copilot) && !usual;
        Bound {
            event: event.clone(),
            native: differs.then(|| row.name.to_owned()),
        }
    };
    row.kinds.iter().map(bound).collect()
}

/// What an agent is called in messages.
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

/// Reads what a hook of a type does. `None` means that a fault has been told.
pub(super) fn action(
    entry: &mut Entry,
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

/// An agent is asked something, or a role is asked what it makes of the event.
fn agent(entry: &mut Entry) -> Option<Action> {
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

fn object(entry: &mut Entry, key: &str) -> Value {
    entry
        .object(key)
        .unwrap_or_else(|| Value::Object(Map::new()))
}

/// Compiles a matcher, telling about a bad one and about one that has no effect.
pub(super) fn matcher(
    reader: &mut Reader,
    at: &Place,
    field: &Field,
    dialect: Dialect,
    bound: &Bound,
) -> Result<Matcher, String> {
    let at = at.field(field);
    let Some(pattern) = field.node.text() else {
        let message = format!("expected a string, found {}", field.node.what());
        reader.error(&at, &*message, None);
        return Err(format!("`{}`: {message}", field.key));
    };
    let style = style(dialect, bound, pattern);
    let matcher = Matcher::parse(pattern, style).map_err(|bad| {
        let message = bad.to_string();
        // The regex engine draws a picture of the place; the first line says it.
        let message = message.lines().next().unwrap_or_default().to_owned();
        reader.error(&at, &*message, None);
        message
    })?;
    check_matcher(reader, &at, &matcher, bound, dialect);
    Ok(matcher)
}

/// Warns about a matcher that matches everything or nothing on its event.
fn check_matcher(
    reader: &mut Reader,
    at: &Place,
    matcher: &Matcher,
    bound: &Bound,
    dialect: Dialect,
) {
    let event = &bound.event;
    if matcher.is_all() {
        return;
    }
    if !has_subject(dialect, event) {
        let hint = match event {
            EventKind::FileModified => "limit it to files with `filter`",
            _ => "leave the matcher out",
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
        return reader.warn(at, message, Some("leave the matcher out".to_owned()));
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

/// Warns about a hook that loads but will not do what its author thinks.
pub(super) fn check(entry: &mut Entry, spec: &HookSpec) {
    if let Action::Command {
        command,
        args: None,
    } = &spec.action
        && let Some(variable) = quoted_variable(command)
    {
        let message =
            format!("`{variable}` stands in single quotes, where the shell does not expand it");
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
        let message = format!("`{}` is not about a tool: {effect}", spec.event.name());
        entry.warn_at(field, message, None);
    }
}
