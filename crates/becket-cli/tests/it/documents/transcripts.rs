//! Runs the console blocks of guides in a scratch home and compares the output with the page.

use std::path::Path;
use std::process::Command;

use super::{read, root};
use crate::context::Context;

struct Page {
    name: &'static str,
    /// Where to write the first file that the page shows, below the home.
    file: &'static str,
    /// Commands to run before a block, by the index of the block.
    before: &'static [(usize, &'static str)],
}

const PAGES: [Page; 5] = [
    Page {
        name: "docs/guides/first-hook.md",
        file: ".config/becket/config.toml",
        before: &[],
    },
    Page {
        name: "docs/guides/migrating-claude.md",
        file: ".claude/settings.json",
        before: &[(1, "becket init --agent claude --yes")],
    },
    Page {
        name: "docs/guides/migrating-autohand.md",
        file: ".autohand/config.json",
        before: &[],
    },
    Page {
        name: "docs/README.md",
        file: ".config/becket/config.toml",
        before: &[],
    },
    Page {
        name: "docs/concepts/trust.md",
        file: "app/becket.toml",
        before: &[(
            0,
            "mkdir scripts; echo exit 0 > scripts/protect.sh; printf '%s\\n' '[[hook]]' 'name = \"protect-migrations\"' 'event = \"PreToolUse\"' 'command = \"./scripts/protect.sh\"' > becket.toml",
        )],
    },
];

#[test]
fn guides_show_real_program_output() {
    let wrong: Vec<String> = PAGES.iter().flat_map(play).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// Runs a page; returns the differences.
fn play(page: &Page) -> Vec<String> {
    let mut wrong = Vec::new();
    let text = read(&root().join(page.name));
    let home = Context::new();
    if let Some(file) = shown_file(&text) {
        home.write(&format!("home/{}", page.file), file);
    }
    for (number, block) in blocks(&text, "console").iter().enumerate() {
        let first = page.before.iter().filter(|(at, _)| *at == number);
        first.for_each(|(_, line)| drop(run(&home, line)));
        for (command, shown) in commands(block) {
            let printed = timeless(&run(&home, &command));
            let shown = timeless(&shown);
            // The rest is omitted, or needs an answer on a terminal.
            let last = shown.lines().last().unwrap_or_default();
            let is_right = if last == "…" || last.ends_with("[y/N]") {
                printed.starts_with(shown.trim_end().trim_end_matches(last))
            } else {
                printed.trim_end() == shown.trim_end()
            };
            if !is_right {
                wrong.push(format!(
                    "{}: `{command}` prints\n{printed}\nand not\n{shown}",
                    page.name
                ));
            }
        }
    }
    wrong
}

/// The first file of a page: a block of its own, or the output of `cat`.
fn shown_file(text: &str) -> Option<String> {
    let own = ["toml", "json"].map(|language| blocks(text, language).into_iter().next());
    let cat = || {
        let console = blocks(text, "console").into_iter().next()?;
        let (command, shown) = commands(&console).into_iter().next()?;
        command.starts_with("cat ").then_some(shown)
    };
    own.into_iter().flatten().next().or_else(cat)
}

/// The fenced blocks of a language, including those in lists.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}");
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim_start() != fence {
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let inside = lines.by_ref().take_while(|line| line.trim() != "```");
        let block = inside.map(|line| format!("{}\n", line.get(indent..).unwrap_or_default()));
        found.push(block.collect());
    }
    found
}

/// The commands of a block with their output.
fn commands(block: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), found.last_mut()) {
            (Some(command), _) => found.push((command.to_owned(), String::new())),
            (None, Some((command, shown))) if shown.is_empty() && command.ends_with('|') => {
                command.push_str(line);
            }
            (None, Some((_, shown))) => *shown += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    found
}

/// Shell output with the paths of an example user.
fn run(context: &Context, line: &str) -> String {
    let programs = Path::new(env!("CARGO_BIN_EXE_becket")).parent();
    let programs = programs.expect("a directory").display();
    let output = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {line}")])
        .env_clear()
        .env("PATH", format!("{programs}:/usr/bin:/bin"))
        .env("HOME", context.path("home"))
        .env("BECKET_DAEMON", "off")
        .current_dir(context.project())
        .output()
        .expect("started");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let home = context.path("home").display().to_string();
    let project = context.project().display().to_string();
    text.replace(&home, "/home/ada")
        .replace(&project, "/home/ada/shop")
}

/// Replaces all times of day with the same one.
fn timeless(text: &str) -> String {
    let mut out = text.to_owned();
    let is_time = |bytes: &[u8]| {
        let digits = [0, 1, 3, 4, 6, 7]
            .iter()
            .all(|at| bytes[*at].is_ascii_digit());
        digits && bytes[2] == b':' && bytes[5] == b':'
    };
    for at in 0..out.len().saturating_sub(7) {
        if is_time(&out.as_bytes()[at..at + 8]) {
            out.replace_range(at..at + 8, "00:00:00");
        }
    }
    out
}
