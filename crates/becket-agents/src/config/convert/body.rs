//! Converts the action and the conditions of a hook to the keys of another dialect.

use std::time::Duration;

use becket_model::tool::{canonical_name, names_in};
use becket_model::{Action, Dialect, EventKind, HookSpec, OnFailure, Verdict};
use serde_json::{Map, Value, json};

use super::super::hook::title;

/// Marks a hook as disabled. It is not a key of the file: Gemini lists disabled hooks in another place.
pub(super) const OFF: &str = "\0off";

/// Whether the file format can disable a hook.
pub(super) fn can_be_off(to: Dialect) -> bool {
    matches!(
        to,
        Dialect::CodeAgent | Dialect::ClaudeAgent | Dialect::Autohand | Dialect::Gemini
    )
}

/// The action; `None` if the other agent has no such hooks.
pub(super) fn action(hook: &HookSpec, to: Dialect) -> Option<Map<String, Value>> {
    use Dialect as D;
    let body = match (&hook.action, to) {
        (Action::Command { command, args }, _) => {
            return Some(command_body(hook, command, args.as_deref(), to));
        }
        (
            Action::Http {
                url,
                headers,
                allowed_env,
            },
            D::Claude | D::CodeAgent | D::Copilot,
        ) => {
            let headers: Map<_, _> = headers
                .iter()
                .map(|(name, value)| (name.clone(), json!(value)))
                .collect();
            json!({ "type": "http", "url": url, "headers": headers, "allowedEnvVars": allowed_env })
        }
        (Action::Prompt { prompt, model }, D::Claude | D::Cursor) => {
            json!({ "type": "prompt", "prompt": prompt, "model": model })
        }
        (Action::Prompt { prompt, .. }, D::CodeAgent) => {
            json!({ "type": "prompt", "prompt": prompt })
        }
        // Copilot has prompt hooks only at the start of a session.
        (Action::Prompt { prompt, .. }, D::Copilot) if hook.event == EventKind::SessionStart => {
            json!({ "type": "prompt", "prompt": prompt })
        }
        (Action::Agent { prompt, model, .. }, D::Claude) => {
            json!({ "type": "agent", "prompt": prompt, "model": model })
        }
        (Action::Agent { prompt, agent, .. }, D::CodeAgent) => {
            json!({ "type": "agent", "agent": agent, "agentPrompt": prompt })
        }
        (
            Action::McpTool {
                server,
                tool,
                input,
            },
            D::Claude | D::Codex,
        ) => json!({ "type": "mcp_tool", "server": server, "tool": tool, "input": input }),
        _ => return None,
    };
    let Value::Object(mut body) = body else {
        return None;
    };
    body.retain(|_, value| !value.is_null());
    Some(body)
}

fn command_body(
    hook: &HookSpec,
    command: &str,
    args: Option<&[String]>,
    to: Dialect,
) -> Map<String, Value> {
    let mut body = Map::new();
    let mut put = |key: &str, value: Value| {
        body.insert(key.to_owned(), value);
    };
    if !matches!(to, Dialect::Autohand | Dialect::ClaudeAgent) {
        put("type", json!("command"));
    }
    match (args, to) {
        (Some(args), Dialect::Copilot) => {
            put("exec", json!(command));
            put("args", json!(args));
        }
        (Some(args), Dialect::Claude) => {
            put("command", json!(command));
            put("args", json!(args));
        }
        (Some(args), _) => {
            let words = std::iter::once(command).chain(args.iter().map(String::as_str));
            let line: Vec<String> = words.map(quoted).collect();
            put(
                "command",
                json!(with_env_and_dir(hook, &line.join(" "), to)),
            );
        }
        (None, Dialect::Copilot) => put("bash", json!(command)),
        (None, _) => put("command", json!(with_env_and_dir(hook, command, to))),
    }
    if to == Dialect::Copilot
        && let Some(cwd) = &hook.cwd
    {
        put("cwd", json!(cwd.to_string_lossy()));
    }
    if matches!(to, Dialect::Copilot | Dialect::Gemini) && !hook.env.is_empty() {
        let env: Map<_, _> = hook
            .env
            .iter()
            .map(|(name, value)| (name.clone(), json!(value)))
            .collect();
        put("env", Value::Object(env));
    }
    body
}

/// A command line that sets its own variables and directory, for formats without keys for them.
fn with_env_and_dir(hook: &HookSpec, line: &str, to: Dialect) -> String {
    let mut out = String::new();
    if to != Dialect::Gemini {
        for (name, value) in &hook.env {
            out.push_str(&format!("export {name}={}; ", quoted(value)));
        }
    }
    if let Some(cwd) = &hook.cwd {
        out.push_str(&format!("cd {} && ", quoted(&cwd.to_string_lossy())));
    }
    out + line
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Adds every other property that the format has a key for, and returns notes about the rest.
pub(super) fn add_options(
    hook: &HookSpec,
    to: Dialect,
    body: &mut Map<String, Value>,
) -> Vec<String> {
    let mut notes = Vec::new();
    texts(hook, to, body);
    timeout(hook, to, body, &mut notes);
    conditions(hook, to, body, &mut notes);
    failure(hook, to, body, &mut notes);
    let title = title(to);
    if hook.priority != 0 && to != Dialect::ClaudeAgent {
        notes.push(format!("its priority of {}", hook.priority));
    }
    if hook.priority != 0 && to == Dialect::ClaudeAgent {
        body.insert("priority".into(), json!(hook.priority));
    }
    if let Some(root) = &hook.root {
        let root = root.display();
        notes.push(format!(
            "it is part of {root}, whose files it would not find"
        ));
    }
    if hook.sequential && to != Dialect::Gemini && to.runs_concurrently() {
        notes.push(format!("{title} runs it in parallel with other hooks"));
    }
    if !hook.enabled {
        let (key, value) = match to {
            Dialect::CodeAgent => ("disabled", true),
            Dialect::Gemini => (OFF, true),
            _ => ("enabled", false),
        };
        body.insert(key.into(), json!(value));
    }
    notes
}

fn texts(hook: &HookSpec, to: Dialect, body: &mut Map<String, Value>) {
    let given = !hook.source.key.ends_with(&hook.name);
    if given && matches!(to, Dialect::Gemini | Dialect::CodeAgent) {
        body.insert("name".into(), json!(hook.name));
    }
    if let Some(description) = &hook.description
        && matches!(
            to,
            Dialect::Gemini | Dialect::Autohand | Dialect::ClaudeAgent
        )
    {
        body.insert("description".into(), json!(description));
    }
}

fn timeout(hook: &HookSpec, to: Dialect, body: &mut Map<String, Value>, notes: &mut Vec<String>) {
    let wanted = hook.timeout;
    let last = to == Dialect::Codex && hook.event == EventKind::SessionEnd;
    let (key, value, given) = match to {
        Dialect::CodeAgent | Dialect::Gemini | Dialect::Autohand => {
            let ms = ceil(wanted, Duration::from_millis(1));
            ("timeout", json!(ms), Duration::from_millis(ms))
        }
        Dialect::Codex => {
            let seconds = ceil(wanted, Duration::from_secs(1));
            let seconds = if last { seconds.min(3) } else { seconds };
            ("timeout", json!(seconds), Duration::from_secs(seconds))
        }
        Dialect::Copilot => {
            let seconds = ceil(wanted, Duration::from_secs(1));
            ("timeoutSec", json!(seconds), Duration::from_secs(seconds))
        }
        Dialect::ClaudeAgent => ("timeout_secs", number(wanted), wanted),
        _ => ("timeout", number(wanted), wanted),
    };
    body.insert(key.into(), value);
    if given != wanted {
        notes.push(format!("its timeout of {wanted:?} becomes {given:?}"));
    }
}

fn ceil(duration: Duration, unit: Duration) -> u64 {
    let whole = duration.as_nanos().div_ceil(unit.as_nanos());
    u64::try_from(whole).unwrap_or(u64::MAX).max(1)
}

fn number(duration: Duration) -> Value {
    if duration.subsec_nanos() == 0 {
        json!(duration.as_secs())
    } else {
        json!(duration.as_secs_f64())
    }
}

fn conditions(
    hook: &HookSpec,
    to: Dialect,
    body: &mut Map<String, Value>,
    notes: &mut Vec<String>,
) {
    use Dialect as D;
    let title = title(to);
    if let Some(condition) = &hook.condition {
        if matches!(to, D::Claude | D::CodeAgent | D::ClaudeAgent) {
            body.insert("if".into(), json!(condition.to_string()));
        } else {
            notes.push(format!(
                "its `if` ({condition}): it would run for more calls"
            ));
        }
    }
    let filter = &hook.filter;
    if to == D::Autohand && !filter.is_empty() {
        let mut out = Map::new();
        if !filter.tool.is_empty() {
            let tools: Vec<String> = filter.tool.iter().map(|name| in_autohand(name)).collect();
            out.insert("tool".into(), json!(tools));
        }
        if !filter.path.is_empty() {
            out.insert("path".into(), json!(filter.path));
        }
        body.insert("filter".into(), Value::Object(out));
    } else if !filter.path.is_empty() {
        let paths = filter.path.join(", ");
        notes.push(format!(
            "its path filter ({paths}): it would run for all files"
        ));
    }
    if hook.is_async {
        if matches!(
            to,
            D::Claude | D::CodeAgent | D::ClaudeAgent | D::Codex | D::Autohand
        ) {
            body.insert("async".into(), json!(true));
        } else {
            notes.push(format!(
                "`async`: {title} would wait for it and apply its decision"
            ));
        }
    }
    if hook.once {
        if matches!(to, D::Claude | D::CodeAgent | D::ClaudeAgent) {
            body.insert("once".into(), json!(true));
        } else {
            notes.push("`once`: it would run every time".to_owned());
        }
    }
}

fn in_autohand(name: &str) -> String {
    let native = names_in(Dialect::Autohand, canonical_name(name));
    // A native name is kept, even if it is not the usual one.
    if native.iter().any(|native| native == name) {
        return name.to_owned();
    }
    let usual = native.into_iter().next();
    usual.map_or_else(|| name.to_owned(), String::from)
}

fn failure(hook: &HookSpec, to: Dialect, body: &mut Map<String, Value>, notes: &mut Vec<String>) {
    let strict = match hook.on_failure {
        Some(policy) => policy,
        None if hook.failure_verdict() >= Verdict::Deny => OnFailure::Deny,
        None => OnFailure::Allow,
    };
    let is_set = hook.on_failure.is_some();
    let closed = to.failure_verdict(&hook.event) >= Verdict::Deny;
    match (to, strict) {
        (Dialect::Claude, OnFailure::Deny | OnFailure::Ask) => {
            body.insert("onFailure".into(), json!("block"));
        }
        (Dialect::Claude, OnFailure::Allow) if is_set => {
            body.insert("onFailure".into(), json!("continue"));
        }
        (Dialect::Cursor, OnFailure::Deny | OnFailure::Ask) => {
            body.insert("failClosed".into(), json!(true));
        }
        (_, OnFailure::Deny | OnFailure::Ask) if !closed => {
            notes.push("its failure would no longer block the action".to_owned());
        }
        (_, OnFailure::Allow) if closed => {
            let title = title(to);
            notes.push(format!("{title} blocks the call when the hook fails"));
        }
        _ => {}
    }
    let asks = strict == OnFailure::Ask;
    if asks && (closed || matches!(to, Dialect::Claude | Dialect::Cursor)) {
        notes.push("its failure would block instead of asking".to_owned());
    }
}
