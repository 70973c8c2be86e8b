//! Generates the page of guard rules.

use serde_json::Value;

use super::{is_fresh, text};
use crate::context::Context;

const RULES: &str = "# Rules of the guard

All rule packs and rules. The options `off`, `severity` and `allow` take rule ids; `off` also takes the name of a pack. Each rule has a severity, a description of what the
command or tool would do, and an alternative. Generated from `becket check --rules --json`.

The severity and the preset determine the verdict:

| | `permissive` | `standard` | `strict` |
| --- | --- | --- | --- |
| catastrophic | deny | deny | deny |
| severe | ask | deny | deny |
| doubtful | | ask | deny |
| notice | | | ask |

Two rules have the same verdict under every preset: commands that your policy denies are denied, and commands that the guard cannot parse are asked about.
";

fn rules_page(packs: &[Value]) -> String {
    let mut out = RULES.to_owned();
    for pack in packs {
        out += &format!(
            "\n## {}\n\n{}.\n\n| rule | severity | effect | instead | `permissive` | `standard` | `strict` |\n|{}\n",
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

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

#[test]
fn guard_rules_page_is_up_to_date_and_lists_every_rule_once() {
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
    is_fresh("docs/reference/guard-rules.md", &rules_page(packs));
    let shown = Context::new().run(&["check", "--rules"]).stdout;
    for id in ids {
        assert!(shown.contains(&format!("  {id} (")), "{id}");
    }
}
