//! Prints hooks of any dialect as Becket's own TOML. Reading the result gives the same hooks.

use std::fmt::Write as _;
use std::time::Duration;

use becket_model::{Action, BuiltinDefaults, Dialect, HookSpec, OnFailure, builtin};
use serde_json::Value;

/// Prints hooks as `[[hook]]` tables. Reading the text gives equal hooks, except for the properties of
/// the file: the source, and the plugin's directory.
pub fn to_becket_toml(hooks: &[HookSpec]) -> String {
    let mut out = String::new();
    for hook in hooks {
        if !out.is_empty() {
            out.push('\n');
        }
        print(&mut out, hook);
    }
    out
}

fn print(out: &mut String, hook: &HookSpec) {
    out.push_str("[[hook]]\n");
    put(out, "name", &text(&hook.name));
    if let Some(description) = &hook.description {
        put(out, "description", &text(description));
    }
    put(out, "event", &text(hook.event.name()));
    if let Some(native) = &hook.native_event {
        put(out, "native_event", &text(native));
    }
    let usual = defaults(hook);
    if !hook.matcher.is_all() {
        put(out, "matcher", &text(hook.matcher.pattern()));
    } else if hook.event.is_tool() && usual.is_some_and(|one| !one.matcher.is_empty()) {
        put(out, "matcher", &text("*"));
    }
    put_filter(out, hook);
    if let Some(condition) = &hook.condition {
        put(out, "if", &text(&condition.to_string()));
    }
    put_action(out, &hook.action);
    if !hook.env.is_empty() {
        put(out, "env", &pairs(&hook.env));
    }
    if let Some(cwd) = &hook.cwd {
        put(out, "cwd", &text(&cwd.to_string_lossy()));
    }
    put(out, "timeout", &text(&duration(hook.timeout)));
    let usually_async = usual.is_some_and(|one| one.is_async);
    for (key, flag, usually) in [
        ("async", hook.is_async, usually_async),
        ("once", hook.once, false),
        ("sequential", hook.sequential, false),
    ] {
        if flag != usually {
            put(out, key, &flag.to_string());
        }
    }
    if hook.priority != usual.map_or(0, |one| one.priority) {
        put(out, "priority", &hook.priority.to_string());
    }
    if let Some(policy) = hook.on_failure.map(OnFailure::word) {
        put(out, "on_failure", &text(policy));
    }
    if !hook.enabled {
        put(out, "enabled", "false");
    }
    if hook.dialect != Dialect::Becket {
        put(out, "dialect", &text(hook.dialect.name()));
    }
}

/// The defaults that the reader would apply to this hook.
fn defaults(hook: &HookSpec) -> Option<&'static BuiltinDefaults> {
    match &hook.action {
        Action::Builtin { name, .. } => builtin::defaults(name),
        _ => None,
    }
}

fn put(out: &mut String, key: &str, value: &str) {
    let _ = writeln!(out, "{key} = {value}");
}

fn put_filter(out: &mut String, hook: &HookSpec) {
    let mut parts = Vec::new();
    for (key, list) in [("tool", &hook.filter.tool), ("path", &hook.filter.path)] {
        if !list.is_empty() {
            parts.push(format!("{key} = {}", texts(list)));
        }
    }
    if !parts.is_empty() {
        put(out, "filter", &format!("{{ {} }}", parts.join(", ")));
    }
}

fn put_action(out: &mut String, action: &Action) {
    put(out, "type", &text(action.kind()));
    let mut put_some = |key: &str, value: &Option<String>| {
        if let Some(value) = value {
            put(out, key, &text(value));
        }
    };
    match action {
        Action::Command { command, args } => {
            put(out, "command", &text(command));
            if let Some(args) = args {
                put(out, "args", &texts(args));
            }
        }
        Action::Http {
            url,
            headers,
            allowed_env,
        } => {
            put(out, "url", &text(url));
            if !headers.is_empty() {
                put(out, "headers", &pairs(headers));
            }
            if !allowed_env.is_empty() {
                put(out, "allowed_env", &texts(allowed_env));
            }
        }
        Action::Prompt { prompt, model } => {
            put_some("model", model);
            put(out, "prompt", &text(prompt));
        }
        Action::Agent {
            prompt,
            agent,
            model,
        } => {
            put_some("agent", agent);
            put_some("model", model);
            put(out, "prompt", &text(prompt));
        }
        Action::McpTool {
            server,
            tool,
            input,
        } => {
            put(out, "server", &text(server));
            put(out, "tool", &text(tool));
            put_object(out, "input", input);
        }
        Action::Builtin { name, options } => {
            put(out, "use", &text(name));
            put_object(out, "options", options);
        }
    }
}

/// TOML has no null and no integer beyond signed 64 bits; an object with such a value is written as JSON text.
fn put_object(out: &mut String, key: &str, object: &Value) {
    match object {
        Value::Object(map) if map.is_empty() => {}
        Value::Null => {}
        _ => {
            let printed = value(object, 0).unwrap_or_else(|| text(&object.to_string()));
            put(out, key, &printed);
        }
    }
}

fn text(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

fn texts(list: &[String]) -> String {
    let items: Vec<String> = list.iter().map(|item| text(item)).collect();
    format!("[{}]", items.join(", "))
}

fn pairs(pairs: &[(String, String)]) -> String {
    let items: Vec<String> = pairs
        .iter()
        .map(|(key, value)| format!("{} = {}", key_text(key), text(value)))
        .collect();
    format!("{{ {} }}", items.join(", "))
}

fn key_text(key: &str) -> String {
    let bare = !key.is_empty()
        && key
            .bytes()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-'));
    // JSON's escapes are all valid in TOML; a key must not span several lines.
    if bare {
        key.to_owned()
    } else {
        Value::from(key).to_string().replace('\u{7f}', "\\u007f")
    }
}

/// `None` for a value that TOML cannot express. The reader limits nesting, so deep values are written as text too.
fn value(json: &Value, depth: usize) -> Option<String> {
    if depth > 32 {
        return None;
    }
    Some(match json {
        Value::Null => return None,
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => whole.to_string(),
            None if number.is_f64() => toml::Value::Float(number.as_f64()?).to_string(),
            None => return None,
        },
        Value::String(string) => text(string),
        Value::Array(items) => {
            let items: Option<Vec<String>> =
                items.iter().map(|item| value(item, depth + 1)).collect();
            format!("[{}]", items?.join(", "))
        }
        Value::Object(map) => {
            let items: Option<Vec<String>> = map
                .iter()
                .map(|(key, item)| Some(format!("{} = {}", key_text(key), value(item, depth + 1)?)))
                .collect();
            format!("{{ {} }}", items?.join(", "))
        }
    })
}

fn duration(duration: Duration) -> String {
    if duration.subsec_nanos() == 0 {
        format!("{}s", duration.as_secs())
    } else if duration.subsec_nanos().is_multiple_of(1_000_000) {
        format!("{}ms", duration.as_millis())
    } else {
        format!("{}s", duration.as_secs_f64())
    }
}
