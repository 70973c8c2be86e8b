//! `becket hooks show`: everything about one hook.

use becket::switches;
use becket_agents::config::to_becket_toml;
use serde_json::{Value, json};

use super::args::LevelArg;
use super::builtins;
use super::catalog::{Catalog, Definition, State};
use super::list::hook_json;
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
            let mut one = hook_json(spec, hook.state.word());
            one["trusted"] = json!(hook.trusted);
            hooks.push(one);
        }
        print_json(
            &json!({ "schema_version": SCHEMA_VERSION, "mode": catalog.mode(), "hooks": hooks }),
        )?;
        return Ok(Exit::Success);
    }
    let style = Style::stdout();
    let mut out = format!("{}\n", style.bold(&tame(hook.name())));
    for (key, value) in facts(catalog, hook) {
        out += &format!("  {key:12} {}\n", tame(&value));
    }
    out += &format!("\n{}", tame(&to_becket_toml(&hook.specs[..1])));
    print(&out);
    Ok(Exit::Success)
}

/// What there is to say about a hook beside its definition.
pub(super) fn facts(catalog: &Catalog, hook: &Definition) -> Vec<(&'static str, String)> {
    let spec = hook.first();
    let mut facts = Vec::new();
    if let Some(about) = &spec.description {
        facts.push(("description", about.clone()));
    }
    facts.push(("status", status(catalog, hook)));
    let events: Vec<&str> = hook.specs.iter().map(|spec| spec.event.name()).collect();
    facts.push(("events", events.join(", ")));
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

fn print_builtin(builtin: &builtins::Builtin, json: bool) -> anyhow::Result<Exit> {
    let (name, about) = (builtin.name, builtin.about);
    if json {
        print_json(&json!({
            "schema_version": SCHEMA_VERSION,
            "builtin": { "name": name, "description": about, "events": builtin.events, "matcher": builtin.matcher },
        }))?;
        return Ok(Exit::Success);
    }
    let events = builtin.events.join(", ");
    print(&format!(
        "{}\n  {:12} {about}\n  {:12} a built-in that is not set up: `becket hooks enable {name}`\n  {:12} {events}\n",
        Style::stdout().bold(name),
        "description",
        "status",
        "events"
    ));
    Ok(Exit::Success)
}
