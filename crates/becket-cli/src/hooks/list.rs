//! `becket hooks list`: every hook, grouped by event, with source and state.

use becket::load;
use becket::model::{HookSpec, Layer, Problem};
use becket_daemon::setup::{HookEntry, HookList, HookProblem, HookTrust};

use super::builtins::{BUILTINS, EVERY_EVENT, description_of};
use super::catalog::{HookCatalog, HookDefinition, HookState, place};
use crate::args::ProjectArgs;
use crate::exit::Exit;
use crate::records::plural;
use crate::report::{SCHEMA_VERSION, Style, one_line, print, print_json, sanitize};
use crate::table::{hanging_indent, terminal_width};

/// Minimum width of a description next to a command.
const MIN_ABOUT_WIDTH: usize = 20;
const RULE: &str = "──────────────────────────────────────────────────";

pub(super) fn main(here: &ProjectArgs) -> anyhow::Result<Exit> {
    let catalog = load_with_components(here)?;
    if here.json {
        print_json(&serde_json::to_value(overview(&catalog))?)?;
    } else {
        print(&as_text(&catalog));
    }
    Ok(Exit::Success)
}

/// The catalog with the hooks of skills, subagents and plugins.
pub(super) fn load_with_components(here: &ProjectArgs) -> anyhow::Result<HookCatalog> {
    let mut catalog = HookCatalog::find(here)?;
    let (home, root) = (catalog.home.clone(), catalog.root.clone());
    load::load_components(&home, Some(&root), &mut catalog.configuration);
    Ok(catalog)
}

/// A hook and its definition.
type ListedHook<'c> = (&'c HookSpec, &'c HookDefinition);

/// Groups hooks by event, in the order of first occurrence.
pub(super) fn by_event(definitions: &[HookDefinition]) -> Vec<(&str, Vec<ListedHook<'_>>)> {
    let mut groups: Vec<(&str, Vec<ListedHook<'_>>)> = Vec::new();
    for definition in definitions {
        // A hook for every event is listed once; otherwise it would fill the list.
        let everywhere = definition.is_for_every_event();
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
pub(super) fn total(definitions: &[HookDefinition]) -> String {
    let states: Vec<HookState> = by_event(definitions)
        .iter()
        .flat_map(|(_, group)| group.iter().map(|(_, one)| one.state))
        .collect();
    let count = |state: HookState| states.iter().filter(|one| **one == state).count();
    let mut out = format!(
        "{} ({} enabled, {} disabled",
        plural(states.len() as u64, "hook"),
        count(HookState::Enabled),
        count(HookState::Disabled)
    );
    if count(HookState::Untrusted) > 0 {
        out += &format!(", {} untrusted", count(HookState::Untrusted));
    }
    out + ")"
}

/// A hook as an API entry.
pub(super) fn entry(hook: &HookSpec, of: &HookDefinition) -> HookEntry {
    hook_entry(hook, of.state.word(), of.trust)
}

fn hook_entry(hook: &HookSpec, status: &str, trust: HookTrust) -> HookEntry {
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

/// The whole catalog for the API.
pub(super) fn overview(catalog: &HookCatalog) -> HookList {
    let own = catalog.definitions.iter().flat_map(|one| {
        let specs = one.specs.iter();
        specs.map(|hook| entry(hook, one))
    });
    let components = catalog.configuration.components.hooks.iter().map(|hook| {
        let status = if hook.enabled { "enabled" } else { "disabled" };
        // An agent runs the hooks of its components itself, whether or not Becket trusts them.
        let trust = if hook.source.level.needs_trust() {
            HookTrust::Untrusted
        } else {
            HookTrust::Own
        };
        HookEntry {
            component: true,
            ..hook_entry(hook, status, trust)
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

fn problems(catalog: &HookCatalog) -> impl Iterator<Item = &Problem> {
    let configuration = &catalog.configuration;
    let own = configuration.loaded.problems.iter();
    own.chain(&configuration.components.problems)
}

fn as_text(catalog: &HookCatalog) -> String {
    let style = Style::stdout();
    let mode = if catalog.is_on() {
        style.good("enabled")
    } else {
        style.warn("disabled")
    };
    let rule: String = RULE.chars().take(terminal_width()).collect();
    let mut out = format!("{}\n{rule}\nMode: {mode}\n", style.bold("Hooks"));
    let components = &catalog.configuration.components;
    if catalog.definitions.is_empty() && components.hooks.is_empty() {
        let how = "No hooks are configured. Add one with `becket hooks add`, or enable a built-in:";
        out += &hanging_indent("\n", how, 0);
        for builtin in BUILTINS {
            let command = format!("  becket hooks enable {:15} ", builtin.name);
            if terminal_width() > command.len() + MIN_ABOUT_WIDTH {
                out += &hanging_indent(&command, builtin.about, command.len());
            } else {
                out += &hanging_indent("  ", &format!("becket hooks enable {}", builtin.name), 4);
                out += &hanging_indent("    ", builtin.about, 4);
            }
        }
    }
    for (event, group) in by_event(&catalog.definitions) {
        let is_enabled = |(_, one): &&ListedHook<'_>| one.state == HookState::Enabled;
        let enabled = group.iter().filter(is_enabled).count();
        let (name, total) = (style.bold(&sanitize(event)), group.len());
        out += &format!("\n{name} ({enabled}/{total} enabled)\n");
        for (number, (hook, definition)) in group.iter().enumerate() {
            out += &line(number + 1, hook, definition.state, style);
        }
    }
    out += &component_lines(components, style);
    out += &hanging_indent(
        &format!("\n{rule}\n"),
        &format!("Total: {}", total(&catalog.definitions)),
        2,
    );
    let problems: Vec<String> = problems(catalog).map(ToString::to_string).collect();
    if !problems.is_empty() {
        let text = sanitize(&problems.join("\n"));
        let lines = text.lines().map(|line| hanging_indent("", line, 2));
        out += &format!(
            "\n{}\n{}",
            style.warn("Problems"),
            lines.collect::<String>()
        );
    }
    out
}

fn line(number: usize, hook: &HookSpec, state: HookState, style: Style) -> String {
    let word = format!("[{}]", state.word());
    let shown = match state {
        HookState::Enabled => style.good(&word),
        HookState::Untrusted => style.warn(&word),
        HookState::Disabled => style.dim(&word),
    };
    let about = match description_of(hook) {
        Some(about) => format!(" - {}", one_line(about, 60)),
        None => String::new(),
    };
    let summary = one_line(&hook.action.summary(), 60);
    let line = hanging_indent("  ", &format!("{number}. {word} {summary}{about}"), 5);
    let place = hanging_indent("     ", &sanitize(&source_label(hook)), 5);
    // Colored after wrapping, because escape codes have no width.
    let places: Vec<String> = place.lines().map(|line| style.dim(line)).collect();
    format!("{}{}\n", line.replacen(&word, &shown, 1), places.join("\n"))
}

/// `name on Bash (user, becket, FILE:LINE)`
pub(super) fn source_label(hook: &HookSpec) -> String {
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

fn component_lines(layer: &Layer, style: Style) -> String {
    if layer.hooks.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "\n{}\n{}",
        style.bold("Skills, subagents and plugins"),
        hanging_indent("", "(run by their agent while the component is active)", 0)
    );
    for hook in &layer.hooks {
        let summary = one_line(&hook.action.summary(), 60);
        let line = format!(
            "{} {summary} - {}",
            hook.event.name(),
            sanitize(&place(hook))
        );
        out += &hanging_indent("  ", &line, 4);
    }
    out
}
