//! `becket hooks list`: every hook, grouped by event, with its source and whether it may run.

use std::path::Path;

use anyhow::{Context, bail};
use becket::model::{Dialect, HookSpec, Layer};
use becket::respond::untrusted_hooks;
use becket::{Configuration, load};
use becket_agents::config;
use serde_json::{Value, json};

use crate::args::Here;
use crate::exit::Exit;
use crate::report::{SCHEMA_VERSION, Style, one_line, print, print_json, talk, tame};

const RULE: &str = "──────────────────────────────────────────────────";

pub(crate) fn list(here: &Here) -> anyhow::Result<Exit> {
    let (home, root) = here.find()?;
    let mut configuration = load(&home, Some(&root), None);
    load::load_components(&home, Some(&root), &mut configuration);
    let untrusted: Vec<String> = untrusted_hooks(&configuration, &home, &root)
        .iter()
        .map(|hook| place(hook))
        .collect();
    if here.json {
        print_json(&as_json(&configuration, &untrusted))?;
    } else {
        print(&as_text(&configuration, &untrusted));
    }
    Ok(Exit::Success)
}

/// Prints hooks as another dialect's file; what it has no words for goes to stderr.
pub(crate) fn convert(to: &str, file: Option<&Path>, here: &Here) -> anyhow::Result<Exit> {
    let names = || {
        Dialect::ALL
            .iter()
            .map(|dialect| dialect.name())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let dialect = Dialect::parse(to)
        .with_context(|| format!("unknown dialect `{to}` (one of: {})", names()))?;
    let (home, root) = here.find()?;
    let file = match file {
        Some(file) => Some(
            file.canonicalize()
                .with_context(|| format!("cannot read `{}`", file.display()))?,
        ),
        None => None,
    };
    let wanted = |hook: &HookSpec| {
        file.as_ref().is_none_or(|file| {
            hook.source
                .file
                .canonicalize()
                .is_ok_and(|source| source == *file)
        })
    };
    let hooks: Vec<HookSpec> = load(&home, Some(&root), None)
        .loaded
        .hooks
        .into_iter()
        .filter(wanted)
        .collect();
    if hooks.is_empty() {
        bail!("no hooks to convert");
    }
    let converted = config::convert(&hooks, dialect);
    if here.json {
        print_json(
            &json!({ "schema_version": SCHEMA_VERSION, "dialect": to, "text": converted.text, "lost": converted.lost }),
        )?;
        return Ok(Exit::Success);
    }
    print(&converted.text);
    for lost in &converted.lost {
        talk(&format!("lost: {}", tame(lost)));
    }
    Ok(Exit::Success)
}

fn place(hook: &HookSpec) -> String {
    format!("{}:{}", hook.source.file.display(), hook.source.line)
}

fn status(hook: &HookSpec, untrusted: &[String]) -> &'static str {
    match hook.enabled {
        false => "disabled",
        true if untrusted.contains(&place(hook)) => "untrusted",
        true => "enabled",
    }
}

fn as_json(configuration: &Configuration, untrusted: &[String]) -> Value {
    let entry = |hook: &HookSpec, component: bool| {
        json!({
            "name": hook.name,
            "event": hook.event.name(),
            "status": status(hook, untrusted),
            "component": component,
            "dialect": hook.dialect.name(),
            "level": hook.source.level.name(),
            "file": hook.source.file,
            "line": hook.source.line,
            "key": hook.source.key,
            "description": hook.description,
            "definition": hook.definition(),
        })
    };
    let own = configuration
        .loaded
        .hooks
        .iter()
        .map(|hook| entry(hook, false));
    let components = configuration
        .components
        .hooks
        .iter()
        .map(|hook| entry(hook, true));
    let problems: Vec<Value> = problems(configuration)
        .map(|p| json!({ "file": p.file, "line": p.line, "key": p.key, "message": p.message, "severity": format!("{:?}", p.severity).to_lowercase() }))
        .collect();
    json!({ "schema_version": SCHEMA_VERSION, "hooks": own.chain(components).collect::<Vec<_>>(), "problems": problems })
}

fn problems(configuration: &Configuration) -> impl Iterator<Item = &becket::model::Problem> {
    configuration
        .loaded
        .problems
        .iter()
        .chain(&configuration.components.problems)
}

fn as_text(configuration: &Configuration, untrusted: &[String]) -> String {
    let style = Style::stdout();
    let hooks = &configuration.loaded.hooks;
    let mut out = format!("{}\n{RULE}\n", style.bold("Hooks"));
    if hooks.is_empty() && configuration.components.hooks.is_empty() {
        out.push_str(
            "No hooks are configured. Write one into becket.toml, or see `becket --help`.\n",
        );
    }
    let mut events: Vec<&str> = Vec::new();
    for hook in hooks {
        if !events.contains(&hook.event.name()) {
            events.push(hook.event.name());
        }
    }
    for event in events {
        let group: Vec<&HookSpec> = hooks
            .iter()
            .filter(|hook| hook.event.name() == event)
            .collect();
        let enabled = group
            .iter()
            .filter(|hook| status(hook, untrusted) == "enabled")
            .count();
        out += &format!(
            "\n{} ({enabled}/{} enabled)\n",
            style.bold(event),
            group.len()
        );
        for (number, hook) in group.iter().enumerate() {
            out += &line(number + 1, hook, status(hook, untrusted), style);
        }
    }
    out += &components(&configuration.components, style);
    let enabled = hooks
        .iter()
        .filter(|hook| status(hook, untrusted) == "enabled")
        .count();
    out += &format!(
        "\n{RULE}\nTotal: {} hooks ({enabled} enabled, {} not)\n",
        hooks.len(),
        hooks.len() - enabled
    );
    let problems: Vec<String> = problems(configuration).map(ToString::to_string).collect();
    if !problems.is_empty() {
        out += &format!(
            "\n{}\n{}\n",
            style.warn("Problems"),
            tame(&problems.join("\n"))
        );
    }
    out
}

fn line(number: usize, hook: &HookSpec, status: &str, style: Style) -> String {
    let shown = match status {
        "enabled" => style.good("[enabled]"),
        "untrusted" => style.warn("[untrusted]"),
        _ => style.dim("[disabled]"),
    };
    let about = hook.description.as_deref().unwrap_or(&hook.name);
    let matcher = if hook.matcher.is_all() {
        String::new()
    } else {
        format!(" on {}", hook.matcher.pattern())
    };
    let place = format!(
        "{}, {}, {}",
        hook.source.level.name(),
        hook.dialect.name(),
        place(hook)
    );
    format!(
        "  {number}. {shown} {} - {}{}\n     {}\n",
        one_line(&hook.action.summary(), 60),
        one_line(about, 60),
        tame(&matcher),
        style.dim(&tame(&place))
    )
}

fn components(layer: &Layer, style: Style) -> String {
    if layer.hooks.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "\n{} (run by their agent while the component is active)\n",
        style.bold("Skills, subagents and plugins")
    );
    for hook in &layer.hooks {
        out += &format!(
            "  {} {} - {}\n",
            hook.event.name(),
            one_line(&hook.action.summary(), 60),
            style.dim(&tame(&place(hook)))
        );
    }
    out
}
