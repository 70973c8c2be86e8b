//! Generates the agent capability tables and one page per agent.

use becket_agents::install::{InstallScope, Installer, PathBase, installer};
use serde_json::Value;

use super::{is_fresh, part_is_fresh, read, root, text};
use crate::context::Context;

/// Capabilities: the key in `becket agents --json` and the column title.
const COLUMNS: [(&str, &str); 9] = [
    ("deny", "deny"),
    ("ask", "ask"),
    ("allow", "allow"),
    ("rewrite", "rewrite"),
    ("block_prompt", "block prompt"),
    ("context_at_start", "context at start"),
    ("context_at_prompt", "context at prompt"),
    ("context_after_tool", "context after tool"),
    ("keep_going", "continue at stop"),
];

/// Maximum number of diff lines to show.
const MAX_DIFF_LINES: usize = 12;
/// Maximum number of files of one directory to list by name.
const MAX_LISTED_FILES: usize = 3;

fn listed() -> Vec<Value> {
    let listed = Context::new().run(&["agents", "--json"]).json();
    listed["agents"].as_array().expect("a list").clone()
}

#[test]
fn agent_table_is_up_to_date() {
    is_fresh("docs/reference/agents.md", &table(&listed()));
}

fn table(agents: &[Value]) -> String {
    let mut notes = Vec::new();
    let mut out = String::from(
        "# Agents\n\nWhat the hook protocol of each agent supports. If an agent cannot express a decision, Becket picks a stricter one and records the difference under `lost`.\nGenerated from `becket agents --json`.\n\n| agent | id |",
    );
    for (_, title) in COLUMNS {
        out += &format!(" {title} |");
    }
    out += " tested with |";
    out += &format!("\n|{}\n", " --- |".repeat(COLUMNS.len() + 3));
    for agent in agents {
        let (title, id) = (text(&agent["title"]), text(&agent["id"]));
        out += &format!("| [{title}](../guides/agents/{id}.md) | `{id}` |");
        for (key, column) in COLUMNS {
            let can = &agent["can"][key];
            if let Some(how) = can["partly"].as_str() {
                notes.push(format!("- **{title}**, {column}: {how}"));
            }
            out += match can.as_str() {
                Some("yes") => " yes |",
                Some(_) => " |",
                None => " partly |",
            };
        }
        out += &match proven(id) {
            Some(version) => format!(" client {version} |\n"),
            None => " documentation and sources |\n".to_owned(),
        };
    }
    out + "\n## Partial support\n\n" + &notes.join("\n") + "\n"
}

/// The version of the client that the tests ran.
fn proven(id: &str) -> Option<&'static str> {
    let page = read(&root().join("docs/reference/proven.md"));
    let version = becket::adapter(id)?.checked_against()?;
    page.contains(&format!("| `{id}` | {version} |"))
        .then_some(version)
}

#[test]
fn agent_pages_are_up_to_date() {
    for agent in listed() {
        let id = text(&agent["id"]);
        part_is_fresh(&format!("docs/guides/agents/{id}.md"), &part(&agent));
    }
}

fn part(agent: &Value) -> String {
    let id = text(&agent["id"]);
    let context = Context::new();
    let mut out = connecting(&context, id);
    out += "\n## Capabilities\n\n| capability | supported |\n| --- | --- |\n";
    for (key, column) in COLUMNS {
        let can = &agent["can"][key];
        let word = match can["partly"].as_str() {
            Some(how) => format!("partly: {how}"),
            None if can == "yes" => "yes".to_owned(),
            None => "no".to_owned(),
        };
        out += &format!("| {column} | {word} |\n");
    }
    out += "\nIf the agent cannot express a decision, Becket picks a stricter one ([all agents](../../reference/agents.md)).\n";
    out += &proof(id);
    out + &doctor_output(&context, id)
}

fn connecting(context: &Context, id: &str) -> String {
    let change = context.run(&["init", "--agent", id, "--dry-run"]).stdout;
    let change = shown(context, &change);
    let lines: Vec<&str> = change.lines().collect();
    let mut out = format!("## Connect\n\n```console\n$ becket init --agent {id}\n");
    for line in lines.iter().take(MAX_DIFF_LINES) {
        out += &format!("{line}\n");
    }
    if lines.len() > MAX_DIFF_LINES {
        out += &format!("… {} more lines\n", lines.len() - MAX_DIFF_LINES);
    }
    out += "```\n\nBecket shows this change and asks before it writes it. `becket uninstall` removes it.\n\n";
    out += "| scope | settings file |\n| --- | --- |\n";
    let mut events = Vec::new();
    for (scope, words) in [
        ("user", "all your projects"),
        ("project", "one project (`--scope project`)"),
    ] {
        let planned = context.run(&[
            "init",
            "--agent",
            id,
            "--dry-run",
            "--json",
            "--scope",
            scope,
        ]);
        let planned = planned.json();
        let files = planned["files"].as_array().cloned().unwrap_or_default();
        for event in files
            .iter()
            .flat_map(|file| file["added"].as_array().expect("a list"))
        {
            let event = format!("`{}`", text(event));
            if !events.contains(&event) {
                events.push(event);
            }
        }
        out += &format!("| {words} | {} |\n", places(context, &files));
    }
    out += &variables(id);
    let s = if events.len() == 1 { "" } else { "s" };
    let (count, events) = (events.len(), events.join(", "));
    out += &format!("\nBecket receives {count} event{s}: {events}.\n");
    if let Some(next_steps) = installer(id).and_then(Installer::next_steps) {
        out += &format!("\n{next_steps}\n");
    }
    out
}

fn places(context: &Context, files: &[Value]) -> String {
    let path = |file: &Value| {
        let path = shown(context, text(&file["file"]));
        let path = path.replace("/home/ada/app/", "");
        path.replace("/home/ada/", "~/")
    };
    match files {
        [] => "not supported".to_owned(),
        [first, ..] if files.len() > MAX_LISTED_FILES => {
            let first = path(first);
            let dir = first.rsplit_once('/').map_or("", |(dir, _)| dir);
            format!("`{dir}/`, {} files", files.len())
        }
        _ => {
            let paths: Vec<String> = files
                .iter()
                .map(|file| format!("`{}`", path(file)))
                .collect();
            paths.join(", ")
        }
    }
}

/// Environment variables that relocate the agent's files.
fn variables(id: &str) -> String {
    let files = installer(id).map_or(&[][..], |it| it.files(InstallScope::User));
    let names: Vec<String> = match files.first().map(|file| file.base) {
        Some(PathBase::EnvOr(name, _)) => vec![format!("`{name}`")],
        Some(PathBase::EnvsOr(names, _)) => {
            names.iter().map(|(name, _)| format!("`{name}`")).collect()
        }
        _ => return String::new(),
    };
    let verb = if names.len() == 1 {
        "relocates"
    } else {
        "relocate"
    };
    format!(
        "\n{} {verb} the first file, as for the agent itself.\n",
        names.join(" and ")
    )
}

/// How much was verified with the real client.
fn proof(id: &str) -> String {
    if let Some(version) = proven(id) {
        return format!(
            "\nBecket's tests run version {version} headless against a scripted model; see [the results](../../reference/proven.md).\n"
        );
    }
    let version = becket::adapter(id).and_then(becket::Adapter::checked_against);
    let from = version.map_or_else(
        || "its documentation and sources".to_owned(),
        |version| format!("the code and documentation of version {version}"),
    );
    format!("\nThis is based on {from}; Becket's tests do not run the client.\n")
}

/// The output of `becket doctor` for the connected agent.
fn doctor_output(context: &Context, id: &str) -> String {
    context.run(&["init", "--agent", id, "--yes"]);
    let report = shown(context, &context.run(&["doctor"]).stdout);
    let mut out = String::from("\n## Check the connection\n\n```console\n$ becket doctor\n");
    let mut is_for_agent = false;
    for line in report.lines() {
        let is_fix = line.starts_with(' ');
        is_for_agent = if is_fix {
            is_for_agent
        } else {
            line.split_whitespace().nth(1) == Some(id)
        };
        if is_for_agent {
            out += &format!("{line}\n");
        }
    }
    out + &format!(
        "```\n\nThen start the agent in a new session. `becket tail -f` follows its events, and `becket agents` shows the time of its last event.\nTo see what your hooks would do, without the agent: `becket explain --agent {id} -- 'git push --force'`.\n"
    )
}

/// Program output with a user's paths instead of the test's.
fn shown(context: &Context, text: &str) -> String {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_becket"));
    let programs = program.parent().expect("a directory").display();
    let mut text = text.replace(&programs.to_string(), "/home/ada/.local/bin");
    for (name, place) in [("home", "/home/ada"), ("app", "/home/ada/app")] {
        let path = context.path(name);
        let canonical = path.canonicalize().expect("a path");
        for path in [canonical, path] {
            text = text.replace(&path.display().to_string(), place);
        }
    }
    text
}
