//! Helper programs that a command names in its options (`tar --to-command`, `rsync -e`) or its environment
//! (`GIT_EDITOR`, `PAGER`). They run as part of the command.

use super::Analyzer;
use super::expanded_command::ExpandedCommand;
use super::options::with_text;
use super::path::base_name;
use super::scope::ShellScope;
use super::simple_command::declares;
use crate::command::{DoubtKind, Launcher, UNKNOWN, Word};

/// Options whose value is a command: programs, short letters, long names.
type CommandOptions = (
    &'static [&'static str],
    &'static str,
    &'static [&'static str],
);

#[rustfmt::skip]
static OPTIONS: &[CommandOptions] = &[
    (&["tar", "gtar", "bsdtar"], "IF", &[
        "to-command", "checkpoint-action", "use-compress-program", "rsh-command", "info-script",
        "new-volume-script",
    ]),
    (&["rsync"], "e", &["rsh", "rsync-path"]),
    (&["scp", "sftp"], "S", &[]),
    (&["zip"], "", &["unzip-command"]),
    (&["rg"], "", &["pre", "hostname-bin"]),
    (&["sort", "gsort"], "", &["compress-program"]),
    (&["split", "gsplit"], "", &["filter"]),
    (&["man"], "P", &["pager"]),
    (&["npm", "pnpm", "npx"], "", &["script-shell"]),
    (&["gdb"], "", &["eval-command", "init-eval-command"]),
    (&["lldb"], "oOk", &["one-line", "one-line-before-file"]),
    (&["ssh", "autossh", "scp", "sftp", "sshfs"], "o", &[]),
    (&["hyperfine"], "spc", &["setup", "prepare", "conclude", "cleanup"]),
    (&["fzf"], "", &["preview", "bind"]),
    (&["cargo"], "", &["config"]),
];

/// Long options with a single dash.
#[rustfmt::skip]
static ONE_DASH: &[(&[&str], &[&str])] = &[
    (&["go"], &["toolexec", "exec"]),
    (&["gcc", "g++", "cc", "c++", "clang", "clang++"], &["wrapper"]),
    (&["zip"], &["TT"]),
    (&["gdb"], &["ex", "iex", "eval-command"]),
];

/// Variables whose value is a command.
fn holds_command(name: &str) -> bool {
    matches!(
        name,
        "EDITOR"
            | "VISUAL"
            | "GIT_EDITOR"
            | "GIT_SEQUENCE_EDITOR"
            | "PAGER"
            | "GIT_PAGER"
            | "MANPAGER"
            | "PSQL_PAGER"
            | "SYSTEMD_PAGER"
            | "AWS_PAGER"
            | "GH_PAGER"
            | "GH_BROWSER"
            | "BROWSER"
            | "GIT_SSH_COMMAND"
            | "GIT_SSH"
            | "GIT_EXTERNAL_DIFF"
            | "GIT_PROXY_COMMAND"
            | "GIT_ASKPASS"
            | "SSH_ASKPASS"
            | "SUDO_ASKPASS"
            | "SUDO_EDITOR"
            | "PROMPT_COMMAND"
            | "RSYNC_RSH"
            | "CVS_RSH"
            | "TAR_OPTIONS"
            | "RUSTC_WRAPPER"
            | "RUSTC_WORKSPACE_WRAPPER"
            | "npm_config_script_shell"
    )
}

impl Analyzer<'_> {
    /// Analyzes the commands that the options and variables of a call name.
    pub(super) fn named_commands(
        &mut self,
        name: &str,
        call: &ExpandedCommand,
        scope: &ShellScope,
    ) {
        for (variable, value) in &call.env {
            if holds_command(variable) {
                self.run_helper(variable, value, call, scope);
            }
        }
        if declares(name) {
            for word in call.args() {
                if let Some((variable, value)) = word.text.split_once('=')
                    && holds_command(variable)
                {
                    self.run_helper(variable, &with_text(word, value), call, scope);
                }
            }
            return;
        }
        for (_, letters, longs) in OPTIONS
            .iter()
            .filter(|(programs, ..)| programs.contains(&name))
        {
            for value in values(call.args(), letters, longs) {
                if let Some(text) = command_in(name, &value.text) {
                    self.run_helper(name, &with_text(&value, text), call, scope);
                }
            }
        }
        for (_, longs) in ONE_DASH
            .iter()
            .filter(|(programs, _)| programs.contains(&name))
        {
            for value in one_dash_values(call.args(), longs) {
                if let Some(text) = command_in(name, &value.text) {
                    let text = text.replace(',', if name == "go" { "," } else { " " });
                    self.run_helper(name, &with_text(&value, &text), call, scope);
                }
            }
        }
        match name {
            "less" | "more" => self.viewer(name, call, scope),
            "emacs" | "emacsclient" => self.lisp(call),
            _ => {}
        }
    }

    fn run_helper(&mut self, by: &str, text: &Word, call: &ExpandedCommand, scope: &ShellScope) {
        if text.text.trim_matches(UNKNOWN).trim().is_empty() {
            return;
        }
        let mut inner = call.scope(scope, Some(Launcher::Wrapper(by.to_owned())));
        self.text(&text.text, text.span, &mut inner);
    }

    /// `less +'!command'`
    fn viewer(&mut self, name: &str, call: &ExpandedCommand, scope: &ShellScope) {
        for word in call.args() {
            let first = word.text.strip_prefix('+');
            if let Some(command) =
                first.and_then(|text| text.trim_start_matches('+').strip_prefix('!'))
            {
                self.run_helper(name, &with_text(word, command), call, scope);
            }
        }
    }

    /// Lisp is not analyzed; calls that start processes or delete files raise a doubt.
    fn lisp(&mut self, call: &ExpandedCommand) {
        let acts = |word: &Word| {
            ["shell-command", "call-process", "start-process", "delete-"]
                .iter()
                .any(|name| word.text.contains(name))
        };
        if call.args().iter().any(acts) {
            self.doubt(
                DoubtKind::Unclear,
                "Lisp that starts programs or deletes files",
                call.span,
            );
        }
    }
}

/// The command in an option's value. For options that take settings, only a few settings are commands.
fn command_in<'v>(program: &str, value: &'v str) -> Option<&'v str> {
    match program {
        "tar" | "gtar" | "bsdtar" => Some(value.strip_prefix("exec=").unwrap_or(value)),
        "ssh" | "autossh" | "sshfs" => ssh_setting(value),
        "scp" | "sftp" => ssh_setting(value).or_else(|| (!value.contains('=')).then_some(value)),
        "gdb" | "lldb" => ["shell ", "!", "platform shell ", "pipe "]
            .iter()
            .find_map(|start| value.trim_start().strip_prefix(start)),
        "fzf" => match value.split_once("execute(") {
            Some((_, rest)) => rest.rsplit_once(')').map(|(command, _)| command),
            None => (!value.contains(':')).then_some(value),
        },
        "cargo" => {
            let (key, value) = value.split_once('=')?;
            let key = key.trim().rsplit('.').next().unwrap_or_default();
            [
                "runner",
                "linker",
                "rustc",
                "rustc-wrapper",
                "rustc-workspace-wrapper",
            ]
            .contains(&key)
            .then(|| value.trim().trim_matches(['"', '\'']))
        }
        _ => Some(value),
    }
}

fn ssh_setting(value: &str) -> Option<&str> {
    let (key, command) = value.split_once(['=', ' '])?;
    ["proxycommand", "localcommand", "knownhostscommand"]
        .contains(&key.trim().to_ascii_lowercase().as_str())
        .then(|| command.trim())
}

/// The values of these options: `--name=v`, `--name v`, `-Lv`, `-L v`, and a letter at the end of a bundle.
fn values(args: &[Word], letters: &str, longs: &[&str]) -> Vec<Word> {
    let mut values = Vec::new();
    for (at, word) in args.iter().enumerate() {
        let text = word.text.as_str();
        let next = || args.get(at + 1).cloned();
        if let Some(long) = text.strip_prefix("--") {
            match long.split_once('=') {
                Some((name, value)) if longs.contains(&name) => {
                    values.push(with_text(word, value));
                }
                None if longs.contains(&long) => values.extend(next()),
                _ => {}
            }
            continue;
        }
        let Some(bundle) = text.strip_prefix('-') else {
            continue;
        };
        let first = bundle.chars().next();
        if let Some(letter) = first.filter(|letter| letters.contains(*letter))
            && bundle.len() > letter.len_utf8()
        {
            values.push(with_text(word, &bundle[letter.len_utf8()..]));
        } else if bundle
            .chars()
            .last()
            .is_some_and(|letter| letters.contains(letter))
        {
            values.extend(next());
        }
    }
    values
}

fn one_dash_values(args: &[Word], longs: &[&str]) -> Vec<Word> {
    let mut values = Vec::new();
    for (at, word) in args.iter().enumerate() {
        let name = word.text.trim_start_matches('-');
        if name.len() == word.text.len() {
            continue;
        }
        match name.split_once('=') {
            Some((name, value)) if longs.contains(&name) => values.push(with_text(word, value)),
            None if longs.contains(&name) => values.extend(args.get(at + 1).cloned()),
            _ => {}
        }
    }
    values
}

/// Removes scope and version: `rimraf@5` becomes `rimraf`, `@scope/tool@1` becomes `tool`.
pub(super) fn without_version(package: &str) -> &str {
    let name = base_name(package);
    match name
        .char_indices()
        .skip(1)
        .find(|(_, character)| *character == '@')
    {
        Some((at, _)) => &name[..at],
        None => name,
    }
}
