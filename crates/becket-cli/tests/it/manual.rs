//! `becket --version`, shell completions, manual pages and help.

use std::process::{Command, Stdio};

use crate::context::Context;

#[test]
fn version_includes_the_commit() {
    let said = Context::new().run(&["--version"]);
    let rest = said
        .stdout
        .trim_end()
        .strip_prefix(concat!("becket ", env!("CARGO_PKG_VERSION")));
    let rest = rest.unwrap_or_else(|| panic!("{}", said.stdout));
    // Without a git checkout there is no commit.
    if rest.is_empty() {
        return;
    }
    let told = rest
        .strip_prefix(" (")
        .and_then(|rest| rest.strip_suffix(')'));
    let (commit, day) = told
        .and_then(|told| told.split_once(' '))
        .expect("(commit day)");
    assert!(
        commit.len() >= 7 && commit.chars().all(|c| c.is_ascii_hexdigit()),
        "{rest}"
    );
    assert_eq!(day.len(), "2026-11-16".len(), "{rest}");
}

#[test]
fn completions_are_valid_scripts_with_every_command() {
    let context = Context::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = context.run(&["completions", shell]);
        assert_eq!(script.exit, 0, "{}", script.stderr);
        for word in ["sessions", "uninstall", "purge", "completions"] {
            assert!(script.stdout.contains(word), "{shell} has no {word}");
        }
        // Agent ids, and directories where an argument needs one.
        assert!(script.stdout.contains("windsurf"), "{shell} knows no agent");
        let directories = match shell {
            "zsh" => "DIR:_files -/",
            "fish" => "__fish_complete_directories",
            _ => "-o plusdirs",
        };
        assert!(script.stdout.contains(directories), "{shell}");
        let file = context.path(&format!("script.{shell}"));
        std::fs::write(&file, &script.stdout).expect("written");
        let checked = Command::new(shell)
            .arg("-n")
            .arg(&file)
            .stderr(Stdio::piped())
            .output();
        // A shell that is not installed cannot check the script.
        if let Ok(checked) = checked {
            let why = String::from_utf8_lossy(&checked.stderr).into_owned();
            assert!(checked.status.success(), "{shell}: {why}");
        }
    }
    let odd = context.run(&["completions", "tcsh"]);
    assert_eq!(odd.exit, 64);
    assert!(odd.stderr.contains("bash, zsh, fish"), "{}", odd.stderr);
}

#[test]
fn every_command_has_a_manual_page() {
    let context = Context::new();
    let first = context.run(&["man"]);
    assert!(first.stdout.contains(".TH becket 1"), "{}", first.stdout);
    let dir = context.path("man/man1");
    let said = context.run(&["man", dir.to_str().expect("UTF-8")]);
    assert_eq!(said.exit, 0, "{}", said.stderr);
    for name in ["becket", "becket-session", "becket-hooks-add", "becket-top"] {
        let text = context.read(&format!("man/man1/{name}.1"));
        assert!(text.contains(&format!(".TH {name} 1")), "{name}: {text}");
        assert!(!text.contains("help(1)"), "a page that there is none of");
    }
}

#[test]
fn manual_page_has_the_version_and_keeps_example_lines() {
    let context = Context::new();
    let dir = context.path("man");
    context.run(&["man", dir.to_str().expect("UTF-8")]);
    let page = context.read("man/becket-up.1");
    let version = concat!("becket ", env!("CARGO_PKG_VERSION"));
    assert!(page.contains(version), "{page}");
    assert!(!page.contains("EXTRA"), "{page}");
    let (_, examples) = page.split_once(".SH EXAMPLES\n.nf\n").expect("examples");
    let (examples, _) = examples.split_once("\n.fi\n").expect("their end");
    assert_eq!(examples.lines().count(), 3, "{examples}");
}

#[test]
fn unknown_agent_is_an_error_listing_the_known_ones() {
    let said = Context::new().run(&["init", "--agent", "clippy"]);
    assert_eq!(said.exit, 1, "{}", said.stderr);
    assert!(
        said.stderr
            .contains("unknown agent `clippy` (one of: claude"),
        "{}",
        said.stderr
    );
}

/// Called by programs, or with examples on the subcommands.
const WITHOUT_EXAMPLE: [&str; 6] = ["hook", "notify", "hooks", "rpc", "mcp", "help"];

#[test]
fn help_of_every_user_command_has_an_example() {
    let context = Context::new();
    let help = context.run(&["--help"]).stdout;
    let lines = help
        .lines()
        .skip_while(|line| *line != "Start here:")
        .skip(1);
    let commands = lines.take_while(|line| *line != "Options:");
    // Headings start in the first column, commands in the third.
    let commands = commands.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let commands: Vec<&str> = commands
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(
        commands.contains(&"demo") && commands.contains(&"schema"),
        "{help}"
    );
    for command in commands
        .iter()
        .filter(|name| !WITHOUT_EXAMPLE.contains(name))
    {
        let said = context.run(&[command, "--help"]);
        assert_eq!(said.exit, 0, "{command}: {}", said.stderr);
        assert!(
            said.stdout.contains("Example"),
            "{command}: {}",
            said.stdout
        );
    }
}
