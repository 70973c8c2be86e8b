//! What people see below the help of a command: how it is used.

use clap::Command;

/// Commands and how they are used. A command that only programs call needs none.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "up",
        "  becket up                         # asks before each step
  becket up --yes --guard strict    # asks nothing
  becket uninstall --all            # takes it all back",
    ),
    (
        "demo",
        "  becket demo                       # waits at the end, so that you can look around
  becket demo --agent claude,codex
  becket demo --keep < /dev/null    # does not wait; leaves everything for later",
    ),
    (
        "init",
        "  becket init --dry-run             # only shows the changes
  becket init --agent codex --codex-trust --mcp
  becket init --scope project       # in this project's files, for everybody who works on it",
    ),
    (
        "uninstall",
        "  becket uninstall --agent codex    # one agent only
  becket uninstall --all            # all agents; what was recorded stays
  becket uninstall --all --purge    # as if Becket had never been here",
    ),
    ("agents", "  becket agents --json | jq '.agents[] | select(.found)'"),
    (
        "explain",
        "  becket explain -- 'git push --force'
  becket explain PreToolUse --tool Write --input '{\"file_path\": \".env\"}'",
    ),
    (
        "check",
        "  becket check -- 'git status && rm -rf ./.git'
  becket check --preset strict -- curl -s https://example.com
  becket check --rules",
    ),
    (
        "trust",
        "  becket trust show                 # what waits, and how it differs from what you have seen
  becket trust                      # shows it, and asks",
    ),
    (
        "daemon",
        "  becket daemon status
  becket daemon logs -f
  becket daemon unit > ~/.config/systemd/user/becket.service",
    ),
    ("doctor", "  becket doctor -C ~/src/shop"),
    (
        "sessions",
        "  becket sessions --since 7d --agent codex
  becket sessions -C . --status active",
    ),
    (
        "session",
        "  becket session                    # the latest
  becket session 7c1f               # the one whose id begins so",
    ),
    (
        "tail",
        "  becket tail -f                    # what happens now
  becket tail --verdict deny --since 7d
  becket tail -f --json | jq .decision",
    ),
    (
        "top",
        "  becket top                        # everything
  becket top --agent codex -C ~/src/shop
On the screen, ? says what the keys do. Without a terminal there is `becket tail -f`.",
    ),
    (
        "stats",
        "  becket stats --since 30d
  becket stats -C ~/src/shop --json",
    ),
    (
        "replay",
        "  becket replay --preset strict --since 30d
  becket replay --config new-rules.toml",
    ),
    ("export", "  becket export -o record.jsonl"),
    ("import", "  becket import record.jsonl"),
    ("alarms", "  becket alarms list --all"),
    ("prune", "  becket prune --older-than 90d --keep-denied --dry-run"),
    (
        "search",
        "  becket search \"why is the cache off\"
  becket search --type gotcha coupons",
    ),
    (
        "remember",
        "  becket remember --type gotcha \"Coupons are case-insensitive, the database is not\"",
    ),
    ("forget", "  becket forget faac5c"),
    ("memories", "  becket memories list"),
    ("learn", "  becket learn\n  becket learn pause"),
    ("ui", "  becket ui\n  becket ui --print   # where there is no browser"),
    (
        "index",
        "  becket index ~/src/shop && becket search \"where are coupons applied\"",
    ),
    ("schema", "  becket schema > becket.schema.json"),
    (
        "completions",
        "  mkdir -p ~/.local/share/bash-completion/completions
  becket completions bash > ~/.local/share/bash-completion/completions/becket
  mkdir -p ~/.zfunc    # and in .zshrc, before compinit: fpath=(~/.zfunc $fpath)
  becket completions zsh > ~/.zfunc/_becket
  mkdir -p ~/.config/fish/completions
  becket completions fish > ~/.config/fish/completions/becket.fish",
    ),
    (
        "man",
        "  becket man | man -l -
  becket man ~/.local/share/man/man1 && man becket-session",
    ),
];

/// Adds them to the help.
pub(crate) fn added(command: Command) -> Command {
    EXAMPLES.iter().fold(command, |command, (name, lines)| {
        command.mut_subcommand(name, |one| one.after_help(format!("Examples:\n{lines}")))
    })
}
