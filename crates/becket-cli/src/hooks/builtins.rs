//! Descriptions of the built-in hooks.

use becket::guard;
use becket::model::{Action, EventKind, HookSpec};
use becket_builtins::BuiltinSpec;
use serde_json::{Value, json};

pub(crate) use becket_builtins::{BUILTINS, find};

pub(crate) fn names() -> String {
    let names: Vec<&str> = BUILTINS.iter().map(|builtin| builtin.name).collect();
    names.join(", ")
}

/// The built-in that a hook uses, with its configured options.
pub(crate) fn builtin_of(hook: &HookSpec) -> Option<(&'static BuiltinSpec, &Value)> {
    match &hook.action {
        Action::Builtin { name, options } => Some((find(name)?, options)),
        _ => None,
    }
}

/// The description of a hook: the configured one, or the built-in's own.
pub(crate) fn description_of(hook: &HookSpec) -> Option<&str> {
    let own = || builtin_of(hook).map(|(builtin, _)| builtin.about);
    hook.description.as_deref().or_else(own)
}

/// The events that a built-in runs for by default.
pub(crate) fn default_events(builtin: &BuiltinSpec) -> String {
    let events = builtin.defaults().events;
    if events == EventKind::ALL {
        return EVERY_EVENT.to_owned();
    }
    let names: Vec<&str> = events.iter().map(EventKind::name).collect();
    names.join(", ")
}

/// Shown instead of the names of all events.
pub(crate) const EVERY_EVENT: &str = "every event";

/// Validates the options of a hook that uses a built-in.
pub(crate) fn check(hook: &HookSpec) -> Result<(), String> {
    let Action::Builtin { name, options } = &hook.action else {
        return Ok(());
    };
    becket_builtins::check(name, options)?;
    if guard::is_guard(hook) {
        guard::policy(options)?;
    }
    Ok(())
}

/// One row per option: name, value, description.
pub(crate) fn option_lines(builtin: &BuiltinSpec, given: &Value) -> Vec<[String; 3]> {
    let line = |doc: &becket_builtins::OptionDoc| {
        let value = match (given.get(doc.name), doc.default) {
            (Some(value), "") => value.to_string(),
            (Some(value), default) => format!("{value} (default {default})"),
            (None, "") => "-".to_owned(),
            (None, default) => default.to_owned(),
        };
        [doc.name.to_owned(), value, doc.about.to_owned()]
    };
    builtin.options.iter().map(line).collect()
}

pub(crate) fn as_json(builtin: &BuiltinSpec) -> Value {
    let defaults = builtin.defaults();
    let events: Vec<&str> = defaults.events.iter().map(EventKind::name).collect();
    let options: Vec<Value> = builtin
        .options
        .iter()
        .map(|doc| {
            let default: Value = serde_json::from_str(doc.default).unwrap_or_default();
            json!({ "name": doc.name, "holds": doc.value_type, "default": default, "description": doc.about })
        })
        .collect();
    json!({
        "name": builtin.name,
        "description": builtin.about,
        "events": events,
        "matcher": defaults.matcher,
        "async": defaults.is_async,
        "timeout_ms": u64::try_from(defaults.timeout.as_millis()).unwrap_or(u64::MAX),
        "options": options,
    })
}
