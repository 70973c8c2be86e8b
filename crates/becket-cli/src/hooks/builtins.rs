//! The hooks that come with Becket, in words for people.

use becket::guard;
use becket::model::{Action, EventKind, HookSpec};
use becket_builtins::Builtin;
use serde_json::{Value, json};

pub(crate) use becket_builtins::{BUILTINS, find};

pub(crate) fn names() -> String {
    let names: Vec<&str> = BUILTINS.iter().map(|builtin| builtin.name).collect();
    names.join(", ")
}

/// The built-in that a hook uses, with the options it was given.
pub(crate) fn of(hook: &HookSpec) -> Option<(&'static Builtin, &Value)> {
    match &hook.action {
        Action::Builtin { name, options } => Some((find(name)?, options)),
        _ => None,
    }
}

/// What a hook is good for: in the person's words, or in its own.
pub(crate) fn about(hook: &HookSpec) -> Option<&str> {
    let own = || of(hook).map(|(builtin, _)| builtin.about);
    hook.description.as_deref().or_else(own)
}

/// When a built-in runs if nobody says otherwise.
pub(crate) fn when(builtin: &Builtin) -> String {
    let events = builtin.defaults().events;
    if events == EventKind::ALL {
        return EVERY_EVENT.to_owned();
    }
    let names: Vec<&str> = events.iter().map(EventKind::name).collect();
    names.join(", ")
}

/// What stands in place of all their names.
pub(crate) const EVERY_EVENT: &str = "every event";

/// Says what is wrong with the options of a hook, and which there are.
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

/// One line for each option: its name, its value, what it does.
pub(crate) fn option_lines(builtin: &Builtin, given: &Value) -> Vec<[String; 3]> {
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

pub(crate) fn as_json(builtin: &Builtin) -> Value {
    let defaults = builtin.defaults();
    let events: Vec<&str> = defaults.events.iter().map(EventKind::name).collect();
    let options: Vec<Value> = builtin
        .options
        .iter()
        .map(|doc| {
            let default: Value = serde_json::from_str(doc.default).unwrap_or_default();
            json!({ "name": doc.name, "holds": doc.holds, "default": default, "description": doc.about })
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
