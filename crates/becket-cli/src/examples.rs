//! Examples below the help of each command.

use clap::Command;

/// Commands with their examples. Commands that only programs call have none.
const EXAMPLES: &[(&str, &str)] = &[
    (
        "up",
        "  becket up                         # ask before each step
  becket up --yes --guard strict    # do everything without asking
  becket uninstall --all            # undo everything",
    ),
    (
        "demo",
        "  becket demo                       # play all agents, then wait for Enter
  becket demo --agent claude,codex  # play two agents
  becket demo --keep < /dev/null    # do not wait; keep the scratch directory",
    ),
    (
        "init",
        "  becket init --dry-run             # show the changes without writing them
  becket init --agent codex --codex-trust --mcp
  becket init --scope project       # write to this project's settings",
    ),
    (
        "uninstall",
        "  becket uninstall --agent codex    # disconnect one agent
  becket uninstall --all            # disconnect all agents; keep the records
  becket uninstall --all --purge    # also delete all data",
    ),
    (
        "agents",
        "  becket agents
  becket agents --json | jq '.agents[] | select(.found)'",
    ),
    (
        "explain",
        "  becket explain -- 'git push --force'      # why would this be blocked?
  becket explain PreToolUse --tool Write --input '{\"file_path\": \".env\"}'",
    ),
    (
        "check",
        "  becket check -- 'git status && rm -rf ./.git'
  becket check --preset strict -- curl -s https://example.com
  becket check --rules              # list all rules",
    ),
    (
        "trust",
        "  becket trust show                 # show untrusted hooks and what changed
  becket trust                      # show them, then ask for trust
  becket trust revoke",
    ),
    (
        "daemon",
        "  becket daemon status
  becket daemon logs -f
  becket daemon unit > ~/.config/systemd/user/becket.service",
    ),
    ("doctor", "  becket doctor\n  becket doctor -C ~/src/shop"),
    (
        "sessions",
        "  becket sessions --since 7d --agent codex
  becket sessions -C . --status active",
    ),
    (
        "session",
        "  becket session                    # the latest session
  becket session 7c1f               # by id, or the start of an id",
    ),
    (
        "tail",
        "  becket tail -f                    # follow new events
  becket tail --verdict deny --since 7d
  becket tail -f --json | jq .decision",
    ),
    (
        "top",
        "  becket top
  becket top --agent codex -C ~/src/shop
Press ? for the keys. Without a terminal, use `becket tail -f`.",
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
    ("export", "  becket export -o records.jsonl"),
    ("import", "  becket import records.jsonl"),
    (
        "alarms",
        "  becket alarms\n  becket alarms list --all\n  becket alarms ack --all",
    ),
    (
        "prune",
        "  becket prune --older-than 90d --keep-denied --dry-run",
    ),
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
    (
        "memories",
        "  becket memories\n  becket memories edit faac5c\n  becket memories review",
    ),
    ("learn", "  becket learn\n  becket learn pause"),
    (
        "ui",
        "  becket ui\n  becket ui --print   # print the link, for use without a desktop",
    ),
    (
        "index",
        "  becket index ~/src/shop && becket search \"where are coupons applied\"",
    ),
    ("schema", "  becket schema > becket.schema.json"),
    (
        "completions",
        "  mkdir -p ~/.local/share/bash-completion/completions
  becket completions bash > ~/.local/share/bash-completion/completions/becket
  mkdir -p ~/.zfunc    # in .zshrc, before compinit: fpath=(~/.zfunc $fpath)
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

/// Adds the examples to the help texts.
pub(crate) fn with_examples(command: Command) -> Command {
    EXAMPLES.iter().fold(command, |command, (name, lines)| {
        command.mut_subcommand(name, |one| one.after_help(format!("Examples:\n{lines}")))
    })
}
