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

/// Compares a document with what it should be; `BECKET_BLESS` makes it so first.
fn is_fresh(name: &str, made: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/reference")
        .join(name);
    if std::env::var_os("BECKET_BLESS").is_some() {
        std::fs::write(&file, made).expect("written");
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        kept == made,
        "docs/reference/{name} is out of date; BECKET_BLESS=1 makes it anew"
    );
}

#[test]
fn what_was_proven_was_proven_with_the_pinned_clients() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |name: &str| std::fs::read_to_string(root.join(name)).expect("text");
    let pins: Value = serde_json::from_str(&read("lab/clients.json")).expect("JSON");
    let page = read("docs/reference/proven.md");
    // Formatters and libraries are pinned there, too.
    let is_agent = |client: &str| becket::adapter(client).is_some();
    let pins = pins.as_object().expect("an object").iter();
    for (client, pin) in pins.filter(|(client, _)| is_agent(client)) {
        let version = pin["version"].as_str().expect("a version");
        assert!(
            page.contains(&format!("| `{client}` | {version} |")),
            "docs/reference/proven.md has no row for {client} {version}; `BECKET_BLESS=1 make agents` makes it anew"
        );
    }
}

#[test]
fn the_table_of_agents_is_fresh() {
    let listed = Context::new().run(&["agents", "--json"]).json();
    let made = page(listed["agents"].as_array().expect("a list"));
    is_fresh("agents.md", &made);
}

const RULES: &str = "# Rules of the guard

Every pack and every rule. A rule has an id (`off`, `severity` and `allow` take it, and a pack's name where that makes sense), says how bad
it would be, what the command or the tool would do, and what to do instead. Made from `becket check --rules --json`.

How bad it is decides what a preset says:

| | `permissive` | `standard` | `strict` |
| --- | --- | --- | --- |
| catastrophic | deny | deny | deny |
| severe | ask | deny | deny |
| doubtful | | ask | deny |
| notice | | | ask |

Two rules are outside of this and cannot be changed: what your own policy forbids is denied, and what could not be understood is asked about,
under every preset.
";

fn rules_page(packs: &[Value]) -> String {
    let mut out = RULES.to_owned();
    for pack in packs {
        out += &format!(
            "\n## {}\n\n{}.\n\n| rule | severity | it … | instead | `permissive` | `standard` | `strict` |\n|{}\n",
            text(&pack["name"]),
            capitalised(text(&pack["about"])),
            " --- |".repeat(7)
        );
        for rule in pack["rules"].as_array().expect("a list") {
            let says = |preset: &str| match text(&rule["presets"][preset]) {
                "none" => " |".to_owned(),
                word => format!(" {word} |"),
            };
            out += &format!(
                "| `{}` | {} | {} | {} |{}{}{}\n",
                text(&rule["id"]),
                text(&rule["severity"]),
                text(&rule["explanation"]).replace('|', "\\|"),
                text(&rule["safer"]).replace('|', "\\|"),
                says("permissive"),
                says("standard"),
                says("strict"),
            );
        }
    }
    out
}

fn text(value: &Value) -> &str {
    value
        .as_str()
        .filter(|text| !text.trim().is_empty())
        .expect("a text")
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

#[test]
fn the_list_of_rules_is_fresh_and_every_rule_is_there_once() {
    let listed = Context::new().run(&["check", "--rules", "--json"]).json();
    let packs = listed["packs"].as_array().expect("a list");
    let rules = packs
        .iter()
        .flat_map(|pack| pack["rules"].as_array().expect("a list"));
    let mut ids: Vec<&str> = rules.map(|rule| text(&rule["id"])).collect();
    assert!(ids.len() > 150, "{}", ids.len());
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "an id is there twice");
    is_fresh("guard-rules.md", &rules_page(packs));
    let shown = Context::new().run(&["check", "--rules"]).stdout;
    for id in ids {
        assert!(shown.contains(&format!("  {id} (")), "{id}");
    }
}
