//! What all dialects' hooks have in common: actions, defaults, and warnings about hooks that load
//! but will not do what their author thinks.

use std::time::Duration;

use becket_model::{Action, Dialect, EventKind, HookSpec, MatchStyle, Matcher};
use serde_json::{Map, Value};

use super::keys::FOREIGN_EVENTS;
use super::lint::{did_you_mean, quoted_variable};
use super::reader::{Entry, Place, Reader};
use super::tree::Field;

/// How a dialect reads matchers.
pub(super) fn style(dialect: Dialect) -> MatchStyle {
    match dialect {
        Dialect::Becket | Dialect::Claude => MatchStyle::Names,
        Dialect::CodeAgent | Dialect::ClaudeAgent | Dialect::Autohand => MatchStyle::Search,
    }
}

/// What a bare number means as a timeout.
pub(super) fn unit(dialect: Dialect) -> Duration {
    match dialect {
        Dialect::Becket | Dialect::Claude | Dialect::ClaudeAgent => Duration::from_secs(1),
        Dialect::CodeAgent | Dialect::Autohand => Duration::from_millis(1),
    }
}

/// The deadline of a hook that names none.
pub(super) fn default_timeout(dialect: Dialect, event: &EventKind, action: &Action) -> Duration {
    let seconds = match (dialect, action) {
        (Dialect::Becket | Dialect::ClaudeAgent, _)
        | (Dialect::Claude | Dialect::CodeAgent, Action::Agent { .. }) => 60,
        (Dialect::Claude, Action::Prompt { .. }) => 30,
        (Dialect::Claude, _) => match event {
            EventKind::UserPromptSubmit => 30,
            EventKind::Other(name) if &**name == "PreModelSwitch" => 30,
            _ => 600,
        },
        (Dialect::CodeAgent, Action::Prompt { .. } | Action::Http { .. }) => 10,
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

/// Compiles a matcher, telling about a bad one.
pub(super) fn matcher(
    reader: &mut Reader,
    at: &Place,
    field: &Field,
    style: MatchStyle,
) -> Result<Matcher, String> {
    let at = at.field(field);
    let Some(pattern) = field.node.text() else {
        let message = format!("expected a string, found {}", field.node.what());
        reader.error(&at, &*message, None);
        return Err(format!("`{}`: {message}", field.key));
    };
    Matcher::parse(pattern, style).map_err(|bad| {
        let message = bad.to_string();
        // The regex engine draws a picture of the place; the first line says it.
        let message = message.lines().next().unwrap_or_default().to_owned();
        reader.error(&at, &*message, None);
        message
    })
}

/// Warns about a matcher on an event that has nothing to match.
pub(super) fn check_subject(
    reader: &mut Reader,
    at: &Place,
    matcher: &Matcher,
    event: &EventKind,
    dialect: Dialect,
) {
    if matcher.is_all() || has_subject(event, dialect) {
        return;
    }
    let hint = match event {
        EventKind::FileModified => Some("limit it to files with `filter`".to_owned()),
        _ => Some("leave the matcher out".to_owned()),
    };
    let name = event.name();
    let message =
        format!("has no effect on `{name}`, which has nothing to match: the hook always runs");
    reader.warn(at, message, hint);
}

fn has_subject(event: &EventKind, dialect: Dialect) -> bool {
    use EventKind as E;
    let session = matches!(
        event,
        E::SessionStart
            | E::SessionEnd
            | E::Setup
            | E::PreCompact
            | E::PostCompact
            | E::Notification
            | E::SubagentStart
            | E::SubagentStop
            | E::StopFailure
            | E::Other(_)
    );
    event.is_tool() || (session && dialect != Dialect::ClaudeAgent)
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
