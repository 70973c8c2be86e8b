//! Rules about environment variables: those that make programs load code, and those that hold secrets.

use super::dataflow;
use super::report::FindingReport;
use crate::command::{Invocation, Launcher, Script, Word};
use crate::redact;
use crate::rules;

/// Checks the environment that a command sets or prints.
pub(super) fn check(
    command: &Invocation,
    script: &Script,
    at: Option<usize>,
    report: &mut FindingReport<'_>,
) {
    for (name, value) in &command.env {
        assignment(name, value, report);
    }
    if matches!(
        command.program.as_str(),
        "export" | "declare" | "typeset" | "setenv" | "set"
    ) {
        for word in &command.args {
            if let Some((name, value)) = word.text.split_once('=') {
                assignment(name, &super::flags::part(word, value), report);
            }
        }
    }
    if prints_environment(command) && !is_filtered(at, script) && !is_new_container(command, script)
    {
        report.add_command(&rules::SECRETS_ENVIRONMENT);
    }
    if command.program == "printenv" && command.words().any(redact::names_secret) {
        report.add_command(&rules::SECRETS_VARIABLE);
    }
    if matches!(command.program.as_str(), "jq" | "gojq" | "jaq") {
        filter(command, report);
    }
    tokens(command, report);
}

/// `jq -n env`, `jq -n '$ENV.NAME'`
fn filter(command: &Invocation, report: &mut FindingReport<'_>) {
    for word in command.words().filter(|word| !word.starts_with('-')) {
        let named = word
            .match_indices("$ENV.")
            .chain(word.match_indices("env."))
            .map(|(at, start)| &word[at + start.len()..]);
        let mut keys = named.map(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            &rest[..end.unwrap_or(rest.len())]
        });
        if keys.any(redact::names_secret) {
            report.add_command(&rules::SECRETS_VARIABLE);
        } else if matches!(word.trim(), "env" | "$ENV") {
            report.add_command(&rules::SECRETS_ENVIRONMENT);
        }
    }
}

/// A container created for this command contains only the variables that it was given.
fn is_new_container(command: &Invocation, script: &Script) -> bool {
    let mut elsewhere = command.via.iter().filter_map(|via| match via {
        Launcher::Remote(how) => Some(how.as_str()),
        _ => None,
    });
    let in_container = elsewhere.next().is_some_and(|how| {
        let mut words = how.split(' ');
        matches!(words.next(), Some("docker" | "podman" | "nerdctl"))
            && words.next() != Some("exec")
    });
    let given = |word: &str| {
        word.starts_with("--env-file")
            || word.starts_with("-e") && redact::names_secret(&word[2..])
            || redact::names_secret(word)
    };
    in_container
        && !script
            .commands
            .iter()
            .any(|command| command.words().any(given))
}

fn assignment(name: &str, value: &Word, report: &mut FindingReport<'_>) {
    if name.starts_with("BECKET_") {
        report.add_command(&rules::GUARD_TURN_OFF);
    } else if loads_code(name, &value.text) {
        report.add_command(&rules::CORE_ENVIRONMENT);
    }
}

fn loads_code(name: &str, value: &str) -> bool {
    match name {
        "LD_PRELOAD"
        | "LD_AUDIT"
        | "DYLD_INSERT_LIBRARIES"
        | "BASH_ENV"
        | "PROMPT_COMMAND"
        | "PYTHONSTARTUP"
        | "GIT_SSH"
        | "GIT_EXTERNAL_DIFF"
        | "GIT_PROXY_COMMAND"
        | "GIT_ASKPASS"
        | "SSH_ASKPASS"
        | "GIT_EXEC_PATH"
        | "GIT_TEMPLATE_DIR"
        | "PERL5OPT"
        | "PERL5DB"
        | "RUBYOPT"
        | "LESSOPEN"
        | "LESSCLOSE"
        | "PYTHONHOME"
        | "ZDOTDIR" => !value.is_empty(),
        "GIT_SSH_COMMAND" => !is_plain_ssh(value),
        "ENV" => value.contains('/'),
        "PATH" => starts_untrusted(value),
        "NODE_OPTIONS" => [
            "-r",
            "--require",
            "--import",
            "--loader",
            "--experimental-loader",
        ]
        .iter()
        .any(|flag| {
            value
                .split_whitespace()
                .any(|word| word == *flag || word.starts_with(&format!("{flag}=")))
        }),
        "JAVA_TOOL_OPTIONS" | "_JAVA_OPTIONS" | "JDK_JAVA_OPTIONS" => {
            value.contains("-javaagent") || value.contains("-agent")
        }
        _ if name.starts_with("BASH_FUNC_") => true,
        "SHELLOPTS" | "PS4" => {
            value.contains("$(") || value.contains('`') || value.contains("xtrace")
        }
        _ => false,
    }
}

/// `ssh` with options. Commands in the options are checked separately.
fn is_plain_ssh(value: &str) -> bool {
    value.split_whitespace().next() == Some("ssh")
        && !value.contains([';', '|', '&', '$', '`', '<', '>', '\n'])
        && !value.to_ascii_lowercase().contains("command")
}

/// Whether a directory that the project or any user can write to precedes the system directories in `PATH`.
fn starts_untrusted(path: &str) -> bool {
    let first = path.split(':').next().unwrap_or("");
    first.is_empty()
        || matches!(first, "." | "..")
        || first.starts_with("/tmp")
        || first.starts_with("/var/tmp")
        || first.starts_with("/dev/shm")
}

fn prints_environment(command: &Invocation) -> bool {
    let args: Vec<&str> = command.words().collect();
    match command.program.as_str() {
        "env" | "printenv" => args.iter().all(|arg| matches!(*arg, "-0" | "--null")),
        // `set -x` only traces.
        "set" => args.is_empty(),
        "export" | "declare" | "typeset" => match args.as_slice() {
            [] => command.program != "typeset",
            [flag] => matches!(*flag, "-p" | "-x" | "-px" | "-xp"),
            _ => false,
        },
        "compgen" => args.contains(&"-e") && args.contains(&"-v"),
        _ => false,
    }
}

/// `env | grep PATH` is harmless; `env | grep TOKEN` is not.
fn is_filtered(at: Option<usize>, script: &Script) -> bool {
    let Some(reader) = at.and_then(|at| dataflow::reader_of(at, script)) else {
        return false;
    };
    match reader.program.as_str() {
        "wc" => true,
        "sort" | "uniq" => {
            let next = dataflow::index_of(reader, script);
            next.is_some_and(|next| Some(next) != at) && is_filtered(next, script)
        }
        "cut" => {
            let text: String = reader.words().collect();
            text.contains("d=") && (text.ends_with("f1") || text.contains("f1-"))
                || text.contains("f1-d=")
        }
        "grep" | "egrep" | "rg" | "fgrep" => {
            let asks_for_secrets = reader
                .words()
                .filter(|word| !word.starts_with('-'))
                .any(is_about_secrets);
            let inverts = reader.words().any(|word| {
                word == "--invert-match"
                    || word.starts_with('-') && !word.starts_with("--") && word.contains('v')
            });
            let is_quiet = reader
                .words()
                .any(|word| matches!(word, "-q" | "-c" | "--quiet" | "--count"));
            is_quiet || !asks_for_secrets && !inverts
        }
        _ => false,
    }
}

fn is_about_secrets(pattern: &str) -> bool {
    let pattern = pattern.to_ascii_lowercase();
    ["token", "secret", "key", "pass", "cred", "auth", "pwd"]
        .iter()
        .any(|word| pattern.contains(word))
        || matches!(pattern.as_str(), "." | ".*" | "" | "=" | "aws")
}

/// Finds tokens in the command's own text.
fn tokens(command: &Invocation, report: &mut FindingReport<'_>) {
    let has_token = |text: &str| {
        text.len() >= 16
            && redact::find(text)
                .iter()
                .any(|found| found.kind.is_unmistakable())
    };
    let texts = command
        .args
        .iter()
        .chain(command.env.iter().map(|(_, value)| value))
        .map(|word| word.text.as_str());
    if texts.into_iter().any(has_token) {
        report.add_command(&rules::SECRETS_IN_COMMAND);
    }
}
