//! Generates `docs/reference/cli.md` from the help texts of the program.

use super::is_fresh;
use crate::context::Context;

const HEAD: &str = "# Commands

All commands and options, as `becket help` prints them. Data goes to standard output, messages go to standard error. `--json` prints an object with a
`schema_version`. See [exit codes](exit-codes.md) for the meaning of exit codes.
";

#[test]
fn cli_reference_is_up_to_date() {
    let context = Context::new();
    let mut out = HEAD.to_owned();
    describe(&context, &mut Vec::new(), &mut out);
    is_fresh("docs/reference/cli.md", &out);
}

fn describe(context: &Context, path: &mut Vec<String>, out: &mut String) {
    let words: Vec<&str> = ["help"]
        .into_iter()
        .chain(path.iter().map(String::as_str))
        .collect();
    let help = context.run(&words);
    assert_eq!(help.exit, 0, "{words:?}: {}", help.stderr);
    let name = [&["becket".to_owned()], path.as_slice()].concat().join(" ");
    let level = "#".repeat(path.len().max(1) + 1);
    *out += &format!("\n{level} {name}\n\n```text\n");
    for line in help.stdout.trim_end().lines() {
        *out += &format!("{}\n", line.trim_end());
    }
    *out += "```\n";
    for command in commands(&help.stdout) {
        path.push(command);
        describe(context, path, out);
        path.pop();
    }
}

/// The commands that a help text lists: below `Commands:`, or below the group headings of `becket --help`.
fn commands(help: &str) -> Vec<String> {
    let is_grouped = help.contains("\nStart here:\n");
    let heading = if is_grouped {
        "Start here:"
    } else {
        "Commands:"
    };
    let lines = help.lines().skip_while(|line| *line != heading).skip(1);
    lines
        .take_while(|line| *line != "Options:" && (is_grouped || !line.is_empty()))
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}
