//! Documents and packages: generated pages are up to date, hand-written pages have valid links and real output, and
//! packages install.

mod agents;
mod book;
mod commands;
mod configuration;
mod dialects;
mod environment;
mod guard_rules;
mod markdown;
mod packaging;
mod protocols;
mod threats;
mod transcripts;
mod troubleshooting;

use std::path::{Path, PathBuf};

use serde_json::Value;

/// How to regenerate the documents.
const REFRESH: &str =
    "`BECKET_BLESS=1 cargo test -p becket-cli --test it documents` regenerates it";

/// The root of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Compares a generated page with the file; `BECKET_BLESS` writes the file first.
fn is_fresh(name: &str, made: &str) {
    let file = root().join(name);
    if std::env::var_os("BECKET_BLESS").is_some() {
        std::fs::write(&file, made).expect("written");
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(kept == made, "{name} is out of date; {REFRESH}");
}

const BEGIN: &str = "<!-- made from the program -->\n";
const END: &str = "<!-- written by hand again -->\n";

/// The same for the generated part of a page; the rest is written by hand.
fn part_is_fresh(name: &str, made: &str) {
    let page = read(&root().join(name));
    let parts = page
        .split_once(BEGIN)
        .and_then(|(before, rest)| Some((before, rest.split_once(END)?.1)));
    let (before, after) = parts.unwrap_or_else(|| panic!("{name} has no {BEGIN}and {END}"));
    is_fresh(name, &format!("{before}{BEGIN}\n{made}\n{END}{after}"));
}

/// Formats the text of a table cell.
fn cell(text: &str) -> String {
    let escaped = text.replace('|', "\\|");
    escaped.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn text(value: &Value) -> &str {
    value
        .as_str()
        .filter(|text| !text.trim().is_empty())
        .expect("a text")
}

#[test]
fn proven_page_names_the_pinned_client_versions() {
    let pins = read(&root().join("lab/clients.json"));
    let pins: Value = serde_json::from_str(&pins).expect("JSON");
    let page = read(&root().join("docs/reference/proven.md"));
    // The file also pins formatters and libraries.
    let is_agent = |client: &str| becket::adapter(client).is_some();
    let pins = pins.as_object().expect("an object").iter();
    for (client, pin) in pins.filter(|(client, _)| is_agent(client)) {
        let version = pin["version"].as_str().expect("a version");
        assert!(
            page.contains(&format!("| `{client}` | {version} |")),
            "docs/reference/proven.md has no row for {client} {version}; `BECKET_BLESS=1 make agents` regenerates it"
        );
    }
}
