//! `becket hooks list`: every hook, grouped by event, with its source and whether it may run.

use becket::load;
use becket::model::{HookSpec, Layer, Problem};
use becket_daemon::setup::{HookEntry, HookList, HookProblem, HookTrust};

use super::builtins::{BUILTINS, EVERY_EVENT, about};
use super::catalog::{Catalog, Definition, State, place};
use crate::args::Here;
use crate::exit::Exit;
use crate::records::of;
use crate::report::{SCHEMA_VERSION, Style, one_line, print, print_json, tame};
use crate::table::{hanging, width};

/// Columns that a text needs beside a command.
const LEGIBLE: usize = 20;
const RULE: &str = "──────────────────────────────────────────────────";

pub(super) fn main(here: &Here) -> anyhow::Result<Exit> {
    let catalog = everything(here)?;
    if here.json {
        print_json(&serde_json::to_value(overview(&catalog))?)?;
    } else {
        print(&as_text(&catalog));
    }
    Ok(Exit::Success)
}

/// The catalog, with the hooks of skills, subagents and plugins.
pub(super) fn everything(here: &Here) -> anyhow::Result<Catalog> {
    let mut catalog = Catalog::find(here)?;
    let (home, root) = (catalog.home.clone(), catalog.root.clone());
    load::load_components(&home, Some(&root), &mut catalog.configuration);
    Ok(catalog)
}

/// A hook with the definition that it belongs to.
type Listed<'c> = (&'c HookSpec, &'c Definition);

/// Hooks by event, events in the order in which they first occur.
pub(super) fn by_event(definitions: &[Definition]) -> Vec<(&str, Vec<Listed<'_>>)> {
    let mut groups: Vec<(&str, Vec<Listed<'_>>)> = Vec::new();
    for definition in definitions {
        // One that hears of everything would be all there is to see.
        let everywhere = definition.is_everywhere();
        let shown = if everywhere {
            1
        } else {
            definition.specs.len()
        };
        for hook in &definition.specs[..shown] {
            let event = if everywhere {
                EVERY_EVENT
            } else {
                hook.event.name()
            };
            match groups.iter_mut().find(|(name, _)| *name == event) {
                Some((_, group)) => group.push((hook, definition)),
                None => groups.push((event, vec![(hook, definition)])),
            }
        }
    }
    groups
}

/// `5 hooks (3 enabled, 1 disabled, 1 untrusted)`
pub(super) fn total(definitions: &[Definition]) -> String {
    let states: Vec<State> = by_event(definitions)
        .iter()
        .flat_map(|(_, group)| group.iter().map(|(_, one)| one.state))
        .collect();
    let count = |state: State| states.iter().filter(|one| **one == state).count();
    let mut out = format!(
        "{} ({} enabled, {} disabled",
        of(states.len() as u64, "hook"),
        count(State::Enabled),
        count(State::Disabled)
    );
    if count(State::Untrusted) > 0 {
        out += &format!(", {} untrusted", count(State::Untrusted));
    }
    out + ")"
}

/// A hook of a definition, as it is told to programs.
pub(super) fn entry(hook: &HookSpec, of: &Definition) -> HookEntry {
    told(hook, of.state.word(), of.trust)
}

fn told(hook: &HookSpec, status: &str, trust: HookTrust) -> HookEntry {
    HookEntry {
        name: hook.name.clone(),
        event: hook.event.name().to_owned(),
        status: status.to_owned(),
        component: false,
        trust,
        dialect: hook.dialect.name().to_owned(),
        level: hook.source.level.name().to_owned(),
        file: hook.source.file.to_string_lossy().into_owned(),
        line: hook.source.line,
        key: hook.source.key.clone(),
        description: hook.description.clone(),
        definition: hook.definition(),
    }
}

/// Everything, as it is told to programs.
pub(super) fn overview(catalog: &Catalog) -> HookList {
    let own = catalog.definitions.iter().flat_map(|one| {
        let specs = one.specs.iter();
        specs.map(|hook| entry(hook, one))
    });
    let components = catalog.configuration.components.hooks.iter().map(|hook| {
        let status = if hook.enabled { "enabled" } else { "disabled" };
        // Their agent runs them, whatever Becket makes of them.
        let trust = if hook.source.level.needs_trust() {
            HookTrust::Untrusted
        } else {
            HookTrust::Own
        };
        HookEntry {
            component: true,
            ..told(hook, status, trust)
        }
    });
    HookList {
        schema_version: SCHEMA_VERSION,
        mode: catalog.mode().to_owned(),
        hooks: own.chain(components).collect(),
        problems: problems(catalog).map(problem).collect(),
    }
}

fn problem(problem: &Problem) -> HookProblem {
    HookProblem {
        file: problem.file.to_string_lossy().into_owned(),
        line: problem.line,
        key: problem.key.clone(),
        message: problem.message.clone(),
        severity: format!("{:?}", problem.severity).to_lowercase(),
    }
}

fn problems(catalog: &Catalog) -> impl Iterator<Item = &Problem> {
    let configuration = &catalog.configuration;
    let own = configuration.loaded.problems.iter();
    own.chain(&configuration.components.problems)
}

fn as_text(catalog: &Catalog) -> String {
    let style = Style::stdout();
    let mode = if catalog.is_on() {
        style.good("enabled")
    } else {
        style.warn("disabled")
    };
    let rule: String = RULE.chars().take(width()).collect();
    let mut out = format!("{}\n{rule}\nMode: {mode}\n", style.bold("Hooks"));
    let components = &catalog.configuration.components;
    if catalog.definitions.is_empty() && components.hooks.is_empty() {
        let how =
            "No hooks are configured. Add one with `becket hooks add`, or switch on a built-in:";
        out += &hanging("\n", how, 0);
        for builtin in BUILTINS {
            let command = format!("  becket hooks enable {:15} ", builtin.name);
            if width() > command.len() + LEGIBLE {
                out += &hanging(&command, builtin.about, command.len());
            } else {
                out += &hanging("  ", &format!("becket hooks enable {}", builtin.name), 4);
                out += &hanging("    ", builtin.about, 4);
            }
        }
    }
    for (event, group) in by_event(&catalog.definitions) {
        let is_enabled = |(_, one): &&Listed<'_>| one.state == State::Enabled;
        let enabled = group.iter().filter(is_enabled).count();
        let (name, total) = (style.bold(&tame(event)), group.len());
        out += &format!("\n{name} ({enabled}/{total} enabled)\n");
        for (number, (hook, definition)) in group.iter().enumerate() {
            out += &line(number + 1, hook, definition.state, style);
        }
    }
    out += &of_components(components, style);
    out += &hanging(
        &format!("\n{rule}\n"),
        &format!("Total: {}", total(&catalog.definitions)),
        2,
    );
    let problems: Vec<String> = problems(catalog).map(ToString::to_string).collect();
    if !problems.is_empty() {
        let text = tame(&problems.join("\n"));
        let lines = text.lines().map(|line| hanging("", line, 2));
        out += &format!(
            "\n{}\n{}",
            style.warn("Problems"),
            lines.collect::<String>()
        );
    }
    out
}

fn line(number: usize, hook: &HookSpec, state: State, style: Style) -> String {
    let word = format!("[{}]", state.word());
    let shown = match state {
        State::Enabled => style.good(&word),
        State::Untrusted => style.warn(&word),
        State::Disabled => style.dim(&word),
    };
    let about = match about(hook) {
        Some(about) => format!(" - {}", one_line(about, 60)),
        None => String::new(),
    };
    let summary = one_line(&hook.action.summary(), 60);
    let line = hanging("  ", &format!("{number}. {word} {summary}{about}"), 5);
    let place = hanging("     ", &tame(&whereabouts(hook)), 5);
    // Painted once it is known where lines end.
    let places: Vec<String> = place.lines().map(|line| style.dim(line)).collect();
    format!("{}{}\n", line.replacen(&word, &shown, 1), places.join("\n"))
}

/// `name on Bash (user, becket, FILE:LINE)`
pub(super) fn whereabouts(hook: &HookSpec) -> String {
    let matcher = if hook.matcher.is_all() {
        String::new()
    } else {
        format!(" on {}", hook.matcher.pattern())
    };
    format!(
        "{}{matcher} ({}, {}, {})",
        hook.name,
        hook.source.level.name(),
        hook.dialect.name(),
        place(hook)
    )
}

fn of_components(layer: &Layer, style: Style) -> String {
    if layer.hooks.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "\n{}\n{}",
        style.bold("Skills, subagents and plugins"),
        hanging("", "(run by their agent while the component is active)", 0)
    );
    for hook in &layer.hooks {
        let summary = one_line(&hook.action.summary(), 60);
        let line = format!("{} {summary} - {}", hook.event.name(), tame(&place(hook)));
        out += &hanging("  ", &line, 4);
    }
    out
}
