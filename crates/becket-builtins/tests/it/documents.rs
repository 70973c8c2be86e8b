//! The guide describes every hook and every option with the texts of the program.

use becket_builtins::{BUILTINS, BuiltinSpec};

const GUIDE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/guides/built-in-hooks.md"
);

fn table(one: &BuiltinSpec) -> String {
    if one.options.is_empty() {
        return String::new();
    }
    let mut out = String::from("| option | type | default | |\n| --- | --- | --- | --- |\n");
    for doc in one.options {
        let default = match doc.default {
            "" => String::new(),
            default => format!("`{default}`"),
        };
        out += &format!(
            "| `{}` | {} | {default} | {} |\n",
            doc.name, doc.value_type, doc.about
        );
    }
    out
}

#[test]
fn every_hook_has_a_section_and_every_option_a_row() {
    let guide = std::fs::read_to_string(GUIDE).expect("the guide");
    let sections: Vec<&str> = guide.split("\n## ").collect();
    for one in BUILTINS {
        let heading = format!("{}\n", one.name);
        let section = sections
            .iter()
            .find(|section| section.starts_with(&heading));
        let section = section.unwrap_or_else(|| panic!("no section `## {}`", one.name));
        assert!(section.contains(one.about), "{}: {}", one.name, one.about);
        let table = table(one);
        assert!(
            section.contains(&table),
            "{} should have\n{table}",
            one.name
        );
    }
}

#[test]
fn documented_guard_options_match_the_policy() {
    let guard = becket_builtins::find("security-guard").expect("the guard");
    let documented: Vec<&str> = guard.options.iter().map(|doc| doc.name).collect();
    assert_eq!(documented, becket_guard::policy::KEYS);
    becket_guard::Policy::parse(&guard.default_options()).expect("the defaults are a policy");
}
