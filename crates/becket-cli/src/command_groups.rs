//! The groups of commands in `becket --help`.
//!
//! clap has no headings for subcommands, so the help template lists them itself. [`GROUPS`] is the only list;
//! `docs/reference/cli.md` is generated from the help.

use std::fmt::Write;

use clap::Command;

/// Headings of `becket --help` with their commands, in display order. Every command is in exactly one group.
const GROUPS: [(&str, &[&str]); 8] = [
    ("Start here", &["up", "demo", "doctor", "ui"]),
    ("Hooks", &["hooks", "explain", "trust"]),
    ("Safety", &["check", "alarms", "replay"]),
    (
        "History",
        &[
            "sessions", "session", "tail", "top", "stats", "export", "import", "prune",
        ],
    ),
    (
        "Memory",
        &["search", "remember", "memories", "forget", "index", "learn"],
    ),
    ("Agents", &["agents", "init", "uninstall"]),
    ("Daemon", &["daemon"]),
    (
        "Plumbing",
        &[
            "hook",
            "notify",
            "mcp",
            "rpc",
            "schema",
            "completions",
            "man",
        ],
    ),
];

/// Replaces clap's flat list of commands with the groups.
pub(crate) fn with_groups(command: Command) -> Command {
    let list = render_groups(&command);
    let header = command.get_styles().get_header();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}{header}Options:{header:#}\n{{options}}\n\n\
         `becket help COMMAND` shows the options and examples of a command.{{after-help}}"
    );
    command.help_template(template)
}

fn render_groups(command: &Command) -> String {
    let styles = command.get_styles();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let names = GROUPS.iter().flat_map(|(_, names)| *names);
    let width = names.map(|name| name.len()).max().unwrap_or_default();
    let mut out = String::new();
    for (heading, names) in GROUPS {
        let _ = writeln!(out, "{header}{heading}:{header:#}");
        for name in names {
            let found = command.find_subcommand(name);
            let about = found.and_then(Command::get_about);
            let about = about.map_or_else(String::new, ToString::to_string);
            let _ = writeln!(out, "  {literal}{name:width$}{literal:#}  {about}");
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::args::command_tree;

    #[test]
    fn every_command_is_in_exactly_one_group() {
        let listed: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        let unique: BTreeSet<&str> = listed.iter().copied().collect();
        assert_eq!(listed.len(), unique.len(), "a command is listed twice");
        let command = command_tree();
        let all: BTreeSet<&str> = command.get_subcommands().map(Command::get_name).collect();
        assert_eq!(unique, all);
    }

    #[test]
    fn help_lines_fit_a_narrow_terminal() {
        for line in render_groups(&command_tree().styles(clap::builder::Styles::plain())).lines() {
            assert!(line.chars().count() <= 90, "{line}");
        }
    }
}
