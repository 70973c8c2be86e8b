//! Generates the page of environment variables from the list in the sources.

use super::{cell, part_is_fresh, read, root};

#[test]
fn environment_page_is_up_to_date() {
    let source = read(&root().join("crates/becket/src/env.rs"));
    let mut out = String::from("| variable | effect |\n| --- | --- |\n");
    let mut about = String::new();
    let mut count = 0;
    for line in source.lines().map(str::trim) {
        if let Some(words) = line.strip_prefix("///") {
            about += words;
        } else if let Some(rest) = line.strip_prefix("pub const ") {
            let (name, value) = rest.split_once(": &str = ").expect("a name and a value");
            assert_eq!(value, format!("\"{name}\";"), "a variable has its own name");
            out += &format!("| `{name}` | {} |\n", cell(&about));
            count += 1;
            about.clear();
        } else {
            about.clear();
        }
    }
    assert!(count > 5, "{count}");
    part_is_fresh("docs/reference/environment.md", &out);
}
