//! Documents that are made from the program stay as the program is.

use std::path::Path;

use serde_json::Value;

use crate::context::Context;

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

fn cell(can: &Value, notes: &mut Vec<String>, agent: &str, column: &str) -> String {
    match can["partly"].as_str() {
        Some(how) => {
            notes.push(format!("- **{agent}**, {column}: {how}"));
            "partly".to_owned()
        }
        None if can == "yes" => "yes".to_owned(),
        None => String::new(),
    }
}

fn page(agents: &[Value]) -> String {
    let mut notes = Vec::new();
    let mut out = String::from(
        "# Agents\n\nWhat each agent can express. What it cannot becomes stricter, never looser, and is in the record under `lost`.\nMade from `becket agents --json`.\n\n| agent | id |",
    );
    for (_, title) in COLUMNS {
        out += &format!(" {title} |");
    }
    out += &format!("\n|{}\n", " --- |".repeat(COLUMNS.len() + 2));
    for agent in agents {
        let (title, id) = (
            agent["title"].as_str().expect("a title"),
            agent["id"].as_str().expect("an id"),
        );
        out += &format!("| {title} | `{id}` |");
        for (key, column) in COLUMNS {
            let cell = cell(&agent["can"][key], &mut notes, title, column);
            out += &if cell.is_empty() {
                " |".to_owned()
            } else {
                format!(" {cell} |")
            };
        }
        out.push('\n');
    }
    out + "\n## In part\n\n" + &notes.join("\n") + "\n"
}

#[test]
fn the_table_of_agents_is_fresh() {
    let listed = Context::new().run(&["agents", "--json"]).json();
    let made = page(listed["agents"].as_array().expect("a list"));
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/agents.md");
    if std::env::var_os("BECKET_BLESS").is_some() {
        std::fs::write(&file, &made).expect("written");
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        kept == made,
        "docs/reference/agents.md is out of date; BECKET_BLESS=1 makes it anew"
    );
}

#[test]
fn what_was_proven_was_proven_with_the_pinned_clients() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |name: &str| std::fs::read_to_string(root.join(name)).expect("text");
    let pins: Value = serde_json::from_str(&read("lab/clients.json")).expect("JSON");
    let page = read("docs/reference/proven.md");
    let pins = pins.as_object().expect("an object").iter();
    for (client, pin) in pins.filter(|(client, _)| *client != "node") {
        let version = pin["version"].as_str().expect("a version");
        assert!(
            page.contains(&format!("| `{client}` | {version} |")),
            "docs/reference/proven.md has no row for {client} {version}; `BECKET_BLESS=1 make agents` makes it anew"
        );
    }
}
