//! Git settings that run programs, and settings that disable the project's hooks.

use super::super::args::Args;
use super::pair;
use crate::command::Invocation;
use crate::rule::Rule;
use crate::rules;

/// `git config`.
pub(super) fn judge(args: &Args<'_>) -> Option<&'static Rule> {
    let reads = [
        "get",
        "get-all",
        "get-regexp",
        "get-urlmatch",
        "list",
        "l",
        "get-color",
        "get-colorbool",
        "show-origin",
    ]
    .iter()
    .any(|flag| args.flags.iter().any(|given| given.name == *flag));
    if reads {
        return None;
    }
    let mut words = args.texts();
    let first = words.next()?;
    let (key, value) = match first {
        "get" | "list" | "edit" => return None,
        "set" => (words.next()?, words.next()?),
        "unset" | "remove-section" | "rename-section" => (words.next()?, ""),
        key => {
            let removes = ["unset", "unset-all", "remove-section"]
                .iter()
                .any(|flag| args.has(flag));
            match words.next() {
                Some(value) => (key, value),
                None if removes => (key, ""),
                None => return None,
            }
        }
    };
    if value.is_empty() && !is(key, "core.hookspath") {
        return None;
    }
    judge_setting(key, value)
}

/// `-c key=value` on any subcommand.
pub(super) fn judge_pair(setting: &str) -> Option<&'static Rule> {
    let (key, value) = pair(setting);
    judge_setting(key, value)
}

/// The rule that a setting matches.
pub(super) fn judge_setting(key: &str, value: &str) -> Option<&'static Rule> {
    if is(key, "core.hookspath") {
        return Some(&rules::GUARD_GIT_HOOKS_OFF);
    }
    if disables_force_check(key, value) {
        return Some(&rules::GIT_CLEAN_UNFORCED);
    }
    let (section, rest) = key.split_once('.')?;
    if section.eq_ignore_ascii_case("alias") {
        return Some(&rules::GIT_ALIAS);
    }
    let name = rest.rsplit('.').next().unwrap_or(rest);
    executes(section, rest, name, value).then_some(&rules::GIT_CONFIG_EXECUTES)
}

/// Whether the setting lets `git clean` delete without `-f`.
pub(super) fn disables_force_check(key: &str, value: &str) -> bool {
    is(key, "clean.requireforce") && matches!(value, "false" | "0" | "no" | "off")
}

fn executes(section: &str, rest: &str, name: &str, value: &str) -> bool {
    let section = section.to_ascii_lowercase();
    let name = name.to_ascii_lowercase();
    match (section.as_str(), name.as_str()) {
        ("core", "pager" | "editor" | "askpass") | ("sequence", "editor") | ("pager", _) => {
            !is_plain_viewer(value)
        }
        ("core", "fsmonitor") => !matches!(value, "true" | "false" | ""),
        ("core", "sshcommand" | "gitproxy" | "alternaterefscommand" | "worktree")
        | ("gpg", "program")
        | ("diff", "external" | "textconv" | "command")
        | ("filter", "clean" | "smudge" | "process")
        | ("merge", "driver")
        | ("difftool" | "mergetool" | "browser" | "man", "cmd" | "path")
        | ("include" | "includeif", "path")
        | ("init", "templatedir")
        | ("url", "insteadof" | "pushinsteadof")
        | (
            "remote",
            "url" | "pushurl" | "uploadpack" | "receivepack" | "vcs" | "push" | "mirror",
        )
        | ("uploadpack", "packobjectshook")
        | ("protocol", "allow")
        | ("sendemail", "smtpserver" | "sendmailcmd")
        | ("submodule", "update") => true,
        ("credential", "helper") => !matches!(
            value,
            "" | "cache" | "osxkeychain" | "manager" | "libsecret" | "wincred"
        ),
        ("http", "sslverify") => matches!(value, "false" | "0" | "no" | "off"),
        ("http", "proxy") => !value.is_empty(),
        _ => rest.eq_ignore_ascii_case("trailer.command"),
    }
}

/// Pagers and editors that agents configure to avoid interactive prompts.
fn is_plain_viewer(value: &str) -> bool {
    let first = value.split_whitespace().next().unwrap_or_default();
    matches!(
        first,
        "" | "cat"
            | "less"
            | "more"
            | "delta"
            | "bat"
            | "true"
            | ":"
            | "false"
            | "vim"
            | "vi"
            | "nvim"
            | "nano"
            | "code"
            | "emacs"
            | "hx"
            | "micro"
            | "subl"
            | "zed"
    ) && !value.contains([';', '|', '&', '$', '`', '<', '>', '\n'])
}

fn is(key: &str, known: &str) -> bool {
    key.eq_ignore_ascii_case(known)
}

/// Settings from `GIT_CONFIG_KEY_0=… GIT_CONFIG_VALUE_0=…`, which are equivalent to `-c`.
pub(super) fn from_environment(command: &Invocation) -> impl Iterator<Item = (&str, &str)> {
    let keys = command.env.iter().filter_map(|(name, key)| {
        let number = name.strip_prefix("GIT_CONFIG_KEY_")?;
        let value = command
            .env
            .iter()
            .find(|(name, _)| name.strip_prefix("GIT_CONFIG_VALUE_") == Some(number))
            .map_or("true", |(_, value)| value.text.as_str());
        Some((key.text.as_str(), value))
    });
    // `GIT_CONFIG_PARAMETERS` is internal to git; parsing its quoting is not worthwhile.
    let parameters = command
        .env
        .iter()
        .filter(|(name, _)| name == "GIT_CONFIG_PARAMETERS")
        .map(|_| ("include.path", "GIT_CONFIG_PARAMETERS"));
    let files = command
        .env
        .iter()
        .filter(|(name, value)| {
            matches!(name.as_str(), "GIT_CONFIG_GLOBAL" | "GIT_CONFIG_SYSTEM")
                && !matches!(value.text.as_str(), "" | "/dev/null")
        })
        .map(|(_, value)| ("include.path", value.text.as_str()));
    keys.chain(parameters).chain(files)
}

/// Variables that disable hook managers.
pub(super) fn hooks_switched_off(command: &Invocation) -> bool {
    let commits = command.words().any(|word| {
        matches!(
            word,
            "commit" | "push" | "merge" | "rebase" | "am" | "cherry-pick"
        )
    });
    commits
        && command.env.iter().any(|(name, value)| match name.as_str() {
            "HUSKY" | "LEFTHOOK" | "OVERCOMMIT_DISABLE_ALL" => {
                (value.text == "0" || value.text == "false") != (name == "OVERCOMMIT_DISABLE_ALL")
            }
            "HUSKY_SKIP_HOOKS" | "OVERCOMMIT_DISABLE" | "OVERCOMMIT_SKIP" => value.text != "0",
            "SKIP" => !value.text.is_empty(),
            _ => false,
        })
}
