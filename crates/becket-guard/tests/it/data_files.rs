//! A mistake in a data file stops the build with its file, line and key.

#[expect(dead_code, reason = "the build script uses the rest")]
#[path = "../../build/data_file.rs"]
mod data_file;

use data_file::DataFile;
use serde::Deserialize;
use toml::Spanned;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    program: Vec<Program>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    name: Spanned<String>,
    #[expect(dead_code, reason = "only its type matters")]
    operands: Option<usize>,
}

fn parsed(text: &str) -> Result<Vec<Program>, String> {
    let file = DataFile::from_text("data/programs.toml", text);
    file.parse::<Table>().map(|table| table.program)
}

#[test]
fn wrong_keys_values_and_syntax_are_reported_with_file_and_line() {
    for (text, line, key) in [
        (
            "program = [\n  { nam = \"ls\" },\n]",
            2,
            "unknown field `nam`",
        ),
        (
            "program = [\n\n  { operands = 1 },\n]",
            3,
            "missing field `name`",
        ),
        (
            "program = [\n  { name = \"ls\" },\n  { name = \"rm\", operands = \"x\" },\n]",
            3,
            "expected usize",
        ),
        ("program = [\n  { name = ls },\n]", 2, "string"),
    ] {
        let error = parsed(text).expect_err(text);
        assert!(
            error.starts_with(&format!("data/programs.toml:{line}: ")),
            "{error}"
        );
        assert!(error.contains(key), "{error}");
    }
}

#[test]
fn values_out_of_order_and_empty_lists_are_reported_with_their_key() {
    let text = "program = [\n  { name = \"rm\" },\n  { name = \"ls\" },\n  { name = \" \" },\n]";
    let file = DataFile::from_text("data/programs.toml", text);
    let programs = parsed(text).expect("the syntax is right");
    let names = programs.iter().map(|program| &program.name);
    assert_eq!(
        file.require_order("name", names),
        Err("data/programs.toml:3: `name` is `ls`: it belongs before `rm`".to_owned())
    );
    assert_eq!(file.words("name", &programs[0].name), Ok(vec!["rm"]));
    assert_eq!(
        file.words("name", &programs[2].name),
        Err("data/programs.toml:4: `name` is ` `: it needs at least one word".to_owned())
    );
}
