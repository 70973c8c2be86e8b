//! What each agent can express, and a page for each.

use becket_agents::install::{Base, Installer, Scope, installer};
use serde_json::Value;

use super::{is_fresh, part_is_fresh, read, root, text};
use crate::context::Context;

/// What an agent may be able to do: its key in `becket agents --json`, and its words.
const COLUMNS: [(&str, &str); 9] = [
    ("deny", "deny"),
    ("ask", "ask"),
    ("allow", "allow"),
    ("rewrite", "rewrite"),
    ("block_prompt", "block a prompt"),
    ("context_at_start", "context at start"),
    ("context_at_prompt", "context with a prompt"),
    ("context_after_tool", "context after a tool"),
    ("keep_going", "go on at stop"),
];

/// How much of a change is shown.
const SHOWN: usize = 12;
/// Files of one directory that are named one by one.
const NAMED: usize = 3;

fn listed() -> Vec<Value> {
    let listed = Context::new().run(&["agents", "--json"]).json();
    listed["agents"].as_array().expect("a list").clone()
}

#[test]
fn the_table_of_agents_is_fresh() {
    is_fresh("docs/reference/agents.md", &table(&listed()));
}

fn table(agents: &[Value]) -> String {
    let mut notes = Vec::new();
    let mut out = String::from(
        "# Agents\n\nWhat each agent can express. What it cannot becomes stricter, never looser, and is in the record under `lost`.\nMade from `becket agents --json`.\n\n| agent | id |",
    );
    for (_, title) in COLUMNS {
        out += &format!(" {title} |");
    }
    out += &format!("\n|{}\n", " --- |".repeat(COLUMNS.len() + 2));
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
        out.push('\n');
    }
    out + "\n## In part\n\n" + &notes.join("\n") + "\n"
}

/// What a first look should tell: columns of the table in the README.
const AT_A_GLANCE: [(&str, &str); 5] = [
    ("deny", "deny"),
    ("ask", "ask"),
    ("rewrite", "rewrite"),
    ("context_at_prompt", "add context"),
    ("keep_going", "keep going"),
];

#[test]
fn the_table_in_the_readme_is_fresh() {
    let titles = AT_A_GLANCE.map(|(_, title)| title).join(" | ");
    let mut out = format!(
        "| agent | {titles} | tested with |\n|{}\n",
        " --- |".repeat(7)
    );
    for agent in listed() {
        let (title, id) = (text(&agent["title"]), text(&agent["id"]));
        out += &format!("| [{title}](docs/guides/agents/{id}.md) |");
        for (key, _) in AT_A_GLANCE {
            out += match agent["can"][key].as_str() {
                Some("yes") => " yes |",
                Some(_) => " no |",
                None => " in part |",
            };
        }
        out += &match proven(id) {
            Some(version) => format!(" the client, {version} |\n"),
            None => " its documents and sources |\n".to_owned(),
        };
    }
    part_is_fresh("README.md", &out);
}

/// The version of the client that was run in the tests.
fn proven(id: &str) -> Option<&'static str> {
    let page = read(&root().join("docs/reference/proven.md"));
    let version = becket::adapter(id)?.checked_against()?;
    page.contains(&format!("| `{id}` | {version} |"))
        .then_some(version)
}

#[test]
fn the_page_of_each_agent_is_fresh() {
    for agent in listed() {
        let id = text(&agent["id"]);
        part_is_fresh(&format!("docs/guides/agents/{id}.md"), &part(&agent));
    }
}

fn part(agent: &Value) -> String {
    let id = text(&agent["id"]);
    let context = Context::new();
    let mut out = connecting(&context, id);
    out += "\n## What hooks can do there\n\n| what | |\n| --- | --- |\n";
    for (key, column) in COLUMNS {
        let can = &agent["can"][key];
        let word = match can["partly"].as_str() {
            Some(how) => format!("in part: {how}"),
            None if can == "yes" => "yes".to_owned(),
            None => "no".to_owned(),
        };
        out += &format!("| {column} | {word} |\n");
    }
    out += "\nWhat it cannot express becomes stricter, never looser ([agents](../../reference/agents.md)).\n";
    out += &proof(id);
    out + &checking(&context, id)
}

fn connecting(context: &Context, id: &str) -> String {
    let change = context.run(&["init", "--agent", id, "--dry-run"]).stdout;
    let change = shown(context, &change);
    let lines: Vec<&str> = change.lines().collect();
    let mut out = format!("## Connect it\n\n```console\n$ becket init --agent {id}\n");
    for line in lines.iter().take(SHOWN) {
        out += &format!("{line}\n");
    }
    if lines.len() > SHOWN {
        out += &format!("… {} more lines\n", lines.len() - SHOWN);
    }
    out += "```\n\nThis is shown first, and written when you say so. `becket uninstall` takes it out again.\n\n";
    out += "| for | in |\n| --- | --- |\n";
    let mut events = Vec::new();
    for (scope, words) in [
        ("user", "all your projects"),
        ("project", "one project: `--scope project`"),
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
    out += &format!("\nIt listens to {count} event{s}: {events}.\n");
    if let Some(afterwards) = installer(id).and_then(Installer::afterwards) {
        out += &format!("\n{afterwards}\n");
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
        [] => "not possible".to_owned(),
        [first, ..] if files.len() > NAMED => {
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

/// The variables that move the files of an agent.
fn variables(id: &str) -> String {
    let files = installer(id).map_or(&[][..], |it| it.files(Scope::User));
    let names: Vec<String> = match files.first().map(|file| file.base) {
        Some(Base::EnvOr(name, _)) => vec![format!("`{name}`")],
        Some(Base::EnvsOr(names, _)) => names.iter().map(|(name, _)| format!("`{name}`")).collect(),
        _ => return String::new(),
    };
    let verb = if names.len() == 1 { "moves" } else { "move" };
    format!(
        "\n{} {verb} the first, as the agent itself has it.\n",
        names.join(" and ")
    )
}

/// How much of this was seen with the real client.
fn proof(id: &str) -> String {
    if let Some(version) = proven(id) {
        return format!(
            "\nVersion {version} runs in Becket's tests, headless, against a model that plays a script: [what was seen](../../reference/proven.md).\n"
        );
    }
    let version = becket::adapter(id).and_then(becket::Adapter::checked_against);
    let from = version.map_or_else(
        || "its documents and sources".to_owned(),
        |version| format!("the code and the documents of version {version}"),
    );
    format!("\nThis is from {from}; the client itself does not run in Becket's tests.\n")
}

/// What `becket doctor` says of the agent once it is connected.
fn checking(context: &Context, id: &str) -> String {
    context.run(&["init", "--agent", id, "--yes"]);
    let report = shown(context, &context.run(&["doctor"]).stdout);
    let mut out = String::from("\n## See that it works\n\n```console\n$ becket doctor\n");
    let mut is_its = false;
    for line in report.lines() {
        let is_fix = line.starts_with(' ');
        is_its = if is_fix {
            is_its
        } else {
            line.split_whitespace().nth(1) == Some(id)
        };
        if is_its {
            out += &format!("{line}\n");
        }
    }
    out + &format!(
        "```\n\nThen start the agent in a new session. `becket tail -f` shows its events as they come, `becket agents` when it last spoke.\nWithout the agent: `becket explain --agent {id} -- 'git push --force'` says what your hooks would do.\n"
    )
}

/// Text of the program, with a person's paths instead of the test's.
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
