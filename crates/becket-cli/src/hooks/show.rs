//! `becket hooks show`: everything about one hook.

use becket::switches;
use becket_agents::config::to_becket_toml;
use becket_builtins::Builtin;
use serde_json::{Value, json};

use super::args::LevelArg;
use super::builtins;
use super::catalog::{Catalog, Definition, State};
use super::list;
use crate::exit::Exit;
use crate::report::{SCHEMA_VERSION, Style, print, print_json, tame};

pub(super) fn main(
    catalog: &Catalog,
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
        let builtin = builtins::of(hook.first()).map(|(builtin, _)| builtins::as_json(builtin));
        print_json(
            &json!({ "schema_version": SCHEMA_VERSION, "mode": catalog.mode(), "hooks": hooks, "builtin": builtin }),
        )?;
        return Ok(Exit::Success);
    }
    let style = Style::stdout();
    let mut out = format!("{}\n", style.bold(&tame(hook.name())));
    for (key, value) in facts(catalog, hook) {
        out += &format!("  {key:12} {}\n", tame(&value));
    }
    out += &format!("\n{}", tame(&to_becket_toml(&hook.specs[..1])));
    if let Some((builtin, given)) = builtins::of(hook.first()) {
        out += &options(builtin, given);
    }
    print(&out);
    Ok(Exit::Success)
}

/// What there is to say about a hook beside its definition.
pub(super) fn facts(catalog: &Catalog, hook: &Definition) -> Vec<(&'static str, String)> {
    let spec = hook.first();
    let mut facts = Vec::new();
    if let Some(about) = builtins::about(spec) {
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
            None => "not needed, it is your own",
            Some(true) => "trusted",
            Some(false) => "not trusted: see `becket trust`",
        }
        .to_owned(),
    ));
    facts
}

fn events(hook: &Definition) -> String {
    if hook.is_everywhere() {
        return builtins::EVERY_EVENT.to_owned();
    }
    let names: Vec<&str> = hook.specs.iter().map(|spec| spec.event.name()).collect();
    names.join(", ")
}

fn status(catalog: &Catalog, hook: &Definition) -> String {
    let word = hook.state.word();
    let listed = &catalog.configuration.settings.hooks;
    let why = match hook.state {
        State::Enabled | State::Untrusted if !catalog.is_on() => {
            " (but all hooks are switched off: `becket hooks on`)".to_owned()
        }
        State::Disabled if switches::entry(listed, hook.first(), &catalog.home).is_some() => {
            format!(" (in {})", catalog.home.config_file().display())
        }
        State::Disabled => " (in its own file)".to_owned(),
        _ => String::new(),
    };
    format!("{word}{why}")
}

/// The options of a built-in: what they are, or would be.
pub(super) fn options(builtin: &Builtin, given: &Value) -> String {
    let lines = builtins::option_lines(builtin, given);
    let wide = |column: usize| lines.iter().map(|line| line[column].len()).max();
    let (name_width, value_width) = (wide(0).unwrap_or(0), wide(1).unwrap_or(0).min(32));
    let mut out = "\noptions\n".to_owned();
    for [name, value, about] in &lines {
        let line = format!("  {name:name_width$}  {value:value_width$}  {about}");
        out += &format!("{}\n", tame(&line));
    }
    out
}

fn print_builtin(builtin: &Builtin, json: bool) -> anyhow::Result<Exit> {
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
            format!("a built-in that is not set up: `becket hooks enable {name}`"),
        ),
        ("events", builtins::when(builtin)),
    ];
    let mut out = format!("{}\n", Style::stdout().bold(name));
    for (key, value) in facts {
        out += &format!("  {key:12} {value}\n");
    }
    print(&(out + &options(builtin, &Value::Null)));
    Ok(Exit::Success)
}
