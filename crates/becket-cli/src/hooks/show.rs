//! `becket hooks show`: the definition and state of one hook.

use becket::switches;
use becket_agents::config::to_becket_toml;
use becket_builtins::BuiltinSpec;
use serde_json::{Value, json};

use super::args::LevelArg;
use super::builtins;
use super::catalog::{HookCatalog, HookDefinition, HookState};
use super::list;
use crate::exit::Exit;
use crate::report::{SCHEMA_VERSION, Style, print, print_json, sanitize};

pub(super) fn main(
    catalog: &HookCatalog,
    name: &str,
    level: Option<LevelArg>,
    json: bool,
) -> anyhow::Result<Exit> {
    let level = level.map(Into::into);
    if let Some(builtin) = builtins::find(name)
        && catalog.look_up(name, level)?.is_none()
    {
        return print_builtin(builtin, json);
    }
    let hook = catalog.resolve(name, level)?;
    if json {
        let mut hooks: Vec<Value> = Vec::new();
        for spec in &hook.specs {
            let mut one = serde_json::to_value(list::entry(spec, hook))?;
            one["trusted"] = json!(hook.trusted);
            hooks.push(one);
        }
        let builtin =
            builtins::builtin_of(hook.first()).map(|(builtin, _)| builtins::as_json(builtin));
        print_json(
            &json!({ "schema_version": SCHEMA_VERSION, "mode": catalog.mode(), "hooks": hooks, "builtin": builtin }),
        )?;
        return Ok(Exit::Success);
    }
    let style = Style::stdout();
    let mut out = format!("{}\n", style.bold(&sanitize(hook.name())));
    for (key, value) in facts(catalog, hook) {
        out += &format!("  {key:12} {}\n", sanitize(&value));
    }
    out += &format!("\n{}", sanitize(&to_becket_toml(&hook.specs[..1])));
    if let Some((builtin, given)) = builtins::builtin_of(hook.first()) {
        out += &options(builtin, given);
    }
    print(&out);
    Ok(Exit::Success)
}

/// Properties of a hook that its definition does not contain.
pub(super) fn facts(catalog: &HookCatalog, hook: &HookDefinition) -> Vec<(&'static str, String)> {
    let spec = hook.first();
    let mut facts = Vec::new();
    if let Some(about) = builtins::description_of(spec) {
        facts.push(("description", about.to_owned()));
    }
    facts.push(("status", status(catalog, hook)));
    facts.push(("events", events(hook)));
    facts.push(("source", hook.place()));
    facts.push(("level", spec.source.level.name().to_owned()));
    facts.push(("dialect", spec.dialect.name().to_owned()));
    facts.push((
        "trust",
        match hook.trusted {
            None => "not needed for your own hooks",
            Some(true) => "trusted",
            Some(false) => "not trusted; review it with `becket trust`",
        }
        .to_owned(),
    ));
    facts
}

fn events(hook: &HookDefinition) -> String {
    if hook.is_for_every_event() {
        return builtins::EVERY_EVENT.to_owned();
    }
    let names: Vec<&str> = hook.specs.iter().map(|spec| spec.event.name()).collect();
    names.join(", ")
}

fn status(catalog: &HookCatalog, hook: &HookDefinition) -> String {
    let word = hook.state.word();
    let listed = &catalog.configuration.settings.hooks;
    let why = match hook.state {
        HookState::Enabled | HookState::Untrusted if !catalog.is_on() => {
            " (but all hooks are off; run `becket hooks on`)".to_owned()
        }
        HookState::Disabled if switches::entry(listed, hook.first(), &catalog.home).is_some() => {
            format!(" (in {})", catalog.home.config_file().display())
        }
        HookState::Disabled => " (in its own file)".to_owned(),
        _ => String::new(),
    };
    format!("{word}{why}")
}

/// The options of a built-in with their current or default values.
pub(super) fn options(builtin: &BuiltinSpec, given: &Value) -> String {
    let lines = builtins::option_lines(builtin, given);
    let wide = |column: usize| lines.iter().map(|line| line[column].len()).max();
    let (name_width, value_width) = (wide(0).unwrap_or(0), wide(1).unwrap_or(0).min(32));
    let mut out = "\noptions\n".to_owned();
    for [name, value, about] in &lines {
        let line = format!("  {name:name_width$}  {value:value_width$}  {about}");
        out += &format!("{}\n", sanitize(&line));
    }
    out
}

fn print_builtin(builtin: &BuiltinSpec, json: bool) -> anyhow::Result<Exit> {
    if json {
        let shown = builtins::as_json(builtin);
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "builtin": shown }))?;
        return Ok(Exit::Success);
    }
    let name = builtin.name;
    let facts = [
        ("description", builtin.about.to_owned()),
        (
            "status",
            format!("not set up; enable it with `becket hooks enable {name}`"),
        ),
        ("events", builtins::default_events(builtin)),
    ];
    let mut out = format!("{}\n", Style::stdout().bold(name));
    for (key, value) in facts {
        out += &format!("  {key:12} {value}\n");
    }
    print(&(out + &options(builtin, &Value::Null)));
    Ok(Exit::Success)
}
