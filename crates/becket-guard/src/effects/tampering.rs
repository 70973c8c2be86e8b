//! Rules against disabling Becket or an agent's safeguards.

use super::flags::{FlagGrammar, ParsedArgs};
use super::report::FindingReport;
use crate::command::{Invocation, Script};
use crate::rules;

/// Checks what a command would do to Becket, or to an agent's safeguards.
pub(super) fn check(command: &Invocation, script: &Script, report: &mut FindingReport<'_>) {
    if points_at_becket(command, script) {
        report.add_command(&rules::GUARD_TURN_OFF);
    }
    match command.program.as_str() {
        "becket" if disables_becket(command) => {
            report.add_command(&rules::GUARD_TURN_OFF);
        }
        "pkill" | "killall" | "taskkill"
            if command
                .words()
                .any(|word| !word.starts_with("--") && word.contains("becket")) =>
        {
            report.add_command(&rules::GUARD_TURN_OFF);
        }
        "pre-commit" | "husky" | "lefthook" | "overcommit"
            if command
                .words()
                .any(|word| matches!(word, "uninstall" | "--uninstall")) =>
        {
            report.add_command(&rules::GUARD_DELETE_HOOKS);
        }
        "systemctl" | "launchctl" | "service" => {
            let stops = command.words().any(|word| {
                matches!(
                    word,
                    "stop" | "disable" | "mask" | "kill" | "unload" | "bootout" | "remove"
                )
            });
            if stops && command.words().any(|word| word.contains("becket")) {
                report.add_command(&rules::GUARD_TURN_OFF);
            }
        }
        "cargo" | "npm" | "brew" | "apt" | "apt-get" | "pip" | "pipx" | "uv" | "dnf" | "pnpm" => {
            let removes = command
                .words()
                .any(|word| matches!(word, "uninstall" | "remove" | "purge" | "rm" | "unlink"));
            if removes
                && command
                    .words()
                    .any(|word| matches!(word, "becket" | "becket-cli"))
            {
                report.add_command(&rules::GUARD_TURN_OFF);
            }
        }
        program if is_agent(program) => child_agent(command, report),
        // Agents are often started through a package runner.
        "npx" | "bunx" | "pnpx" | "uvx" | "node"
            if command
                .words()
                .any(|word| PACKAGES.iter().any(|package| word.contains(package))) =>
        {
            child_agent(command, report);
        }
        _ => {}
    }
}

/// `kill $(pgrep becket)`, `rm $(which becket)`.
fn points_at_becket(command: &Invocation, script: &Script) -> bool {
    let harms = matches!(
        command.program.as_str(),
        "kill" | "rm" | "unlink" | "mv" | "chmod" | "truncate" | "cp" | "ln" | "shred"
    );
    let finds = |source: &Invocation| {
        matches!(
            source.program.as_str(),
            "pgrep" | "pidof" | "which" | "command" | "type" | "whereis"
        ) && source.words().any(|word| word.contains("becket"))
    };
    let words = command.args.iter().filter(|word| !word.from.is_empty());
    harms && words.flat_map(|word| script.origins(&word.from)).any(finds)
}

fn disables_becket(command: &Invocation) -> bool {
    let line = ParsedArgs::of(
        command,
        &FlagGrammar {
            short: "Cn",
            long: &["project=", "agent=", "scope=", "lines="],
            ..FlagGrammar::PLAIN
        },
    );
    let args: Vec<&str> = line
        .operands
        .iter()
        .map(|word| word.text.as_str())
        .collect();
    let is_asking = command
        .words()
        .any(|word| matches!(word, "--help" | "-h" | "--dry-run"));
    if is_asking {
        return false;
    }
    match args.as_slice() {
        // `init` rewrites the user's settings, so only a person may run it. `ui` and `rpc` give access with the
        // person's rights: a dashboard link and an editor connection.
        [
            "uninstall" | "allow" | "maintenance" | "init" | "ui" | "rpc",
            ..,
        ]
        | ["alarms", "ack", ..] => true,
        ["trust", rest @ ..] => !matches!(rest.first(), Some(&("list" | "show"))),
        ["hooks", verb, ..] => matches!(
            *verb,
            "disable" | "off" | "remove" | "add" | "enable" | "edit"
        ),
        ["daemon", verb, ..] => matches!(*verb, "stop"),
        // A reviewed memory becomes active and is injected into sessions.
        ["memories", "review", ..] => command
            .words()
            .any(|word| word == "--release" || word.starts_with("--release=")),
        _ => false,
    }
}

fn is_agent(program: &str) -> bool {
    matches!(
        program,
        "claude"
            | "codex"
            | "gemini"
            | "qwen"
            | "copilot"
            | "cursor-agent"
            | "cursor"
            | "opencode"
            | "droid"
            | "amp"
            | "crush"
            | "goose"
            | "kiro-cli"
            | "kiro"
            | "autohand"
            | "auggie"
            | "aider"
            | "cline"
            | "devin"
            | "windsurf"
            | "grok"
            | "agent"
    )
}

const PACKAGES: [&str; 7] = [
    "claude-code",
    "@openai/codex",
    "gemini-cli",
    "qwen-code",
    "@github/copilot",
    "opencode-ai",
    "autohand-cli",
];

fn child_agent(command: &Invocation, report: &mut FindingReport<'_>) {
    let words: Vec<&str> = command.words().collect();
    let adds = |words: &[&str]| {
        matches!(
            words,
            ["mcp", "add" | "add-json" | "remove", ..] | ["config", "set" | "remove", ..]
        )
    };
    if adds(&words) {
        report.add_command(&rules::GUARD_AGENT_SETTINGS);
    }
    let bare = |word: &str| {
        matches!(
            word,
            "--dangerously-skip-permissions"
                | "--allow-dangerously-skip-permissions"
                | "--dangerously-bypass-approvals-and-sandbox"
                | "--dangerously-allow-all"
                | "--yolo"
                | "--allow-all-tools"
                | "--allow-all"
                | "--yes-always"
                | "--unrestricted"
                | "--skip-permissions-unsafe"
                | "--bare"
                | "--no-hooks"
                | "--disable-hooks"
        )
    };
    let with_value = |flag: &str, value: &str| {
        matches!(
            (flag, value),
            ("--permission-mode", "bypassPermissions" | "dontAsk")
                | ("--approval-mode", "yolo")
                | ("--ask-for-approval" | "-a", "never")
                | ("--sandbox" | "-s", "danger-full-access")
                | ("--auto", "high")
                | ("--setting-sources", "")
        )
    };
    let pairs = words.windows(2).any(|pair| with_value(pair[0], pair[1]));
    let joined = words
        .iter()
        .filter_map(|word| word.split_once('='))
        .any(|(flag, value)| with_value(flag, value));
    let settings = words.iter().any(|word| switches_hooks_off(word));
    let forced = command.program == "cursor-agent"
        && words.iter().any(|word| matches!(*word, "-f" | "--force"));
    let short = matches!(command.program.as_str(), "gemini" | "qwen") && words.contains(&"-y");
    let elsewhere = command.env.iter().any(|(name, _)| {
        matches!(
            name.as_str(),
            "CLAUDE_CONFIG_DIR" | "CODEX_HOME" | "GEMINI_CLI_SYSTEM_SETTINGS_PATH" | "COPILOT_HOME"
        )
    });
    if elsewhere
        || words.iter().any(|word| bare(word))
        || pairs
        || joined
        || settings
        || forced
        || short
    {
        report.add_command(&rules::GUARD_CHILD_AGENT);
    }
}

/// Whether the text is a JSON or TOML setting that disables hooks.
pub(crate) fn switches_hooks_off(text: &str) -> bool {
    let compact: String = text
        .chars()
        .filter(|c| !c.is_whitespace() && *c != '"' && *c != '\'')
        .collect();
    [
        "disableAllHooks:true",
        "features.hooks=false",
        "features.codex_hooks=false",
        "hooks:{enabled:false",
        "bypass_hook_trust=true",
    ]
    .iter()
    .any(|switch| compact.contains(switch))
}
