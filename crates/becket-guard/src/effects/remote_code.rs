//! Rules about executing code that was downloaded, decoded or generated.

use super::flags::{FlagGrammar, ParsedArgs};
use super::report::FindingReport;
use super::transfer::{CURL, WGET};
use super::{PathEffect, Verb, effects as effects_of};
use crate::command::{ExecutedCode, Invocation, RedirectKind, Script, Stdin, UNKNOWN};
use crate::paths::{PathContext, name};
use crate::rule::Rule;
use crate::rules;

/// Checks the code that a command executes.
pub(super) fn check(
    command: &Invocation,
    script: &Script,
    at: Option<usize>,
    context: &PathContext<'_>,
    report: &mut FindingReport<'_>,
) {
    if let ExecutedCode::Unknown { from } = &command.executes {
        executed(&script.origins(from), report);
        if executes_unknown_text(command, from) {
            report.add_command(&rules::CORE_RUN_MADE);
        }
    }
    if let ExecutedCode::File(file) = &command.executes
        && was_written_unseen(file, script, at, context)
    {
        report.add_command(&rules::CORE_RUN_MADE);
    }
    just_downloaded(command, script, at, context, report);
    packages(command, report);
    reverse_shell(command, report);
    if pipes_shell_to_socket(command, script) || is_shell_on_socket(command) {
        report.add_command(&rules::NETWORK_REVERSE_SHELL);
    }
}

/// Reverse shell through a pipe: `sh -i | nc host port`.
fn pipes_shell_to_socket(command: &Invocation, script: &Script) -> bool {
    let connects = matches!(
        command.program.as_str(),
        "nc" | "ncat" | "netcat" | "telnet"
    ) || command.program == "openssl"
        && command.words().any(|word| word == "s_client");
    let answers = |source: &&Invocation| {
        is_shell(&source.program)
            && (source.args.is_empty() || source.words().any(|word| word == "-i"))
    };
    connects && script.origins(&command.sources).iter().any(answers)
}

/// Program text that opens a connection and starts a shell.
fn is_shell_on_socket(command: &Invocation) -> bool {
    const SOCKETS: [&str; 9] = [
        "socket.socket",
        "create_connection",
        "PF_INET",
        "TCPSocket",
        "fsockopen",
        "net.Socket",
        "net.connect",
        "/inet/tcp",
        "IO::Socket",
    ];
    const SHELLS: [&str; 9] = [
        "/bin/sh",
        "/bin/bash",
        "/bin/zsh",
        "sh -i",
        "pty.spawn",
        "dup2(",
        "IO.popen",
        "|&getline",
        "cmd.exe",
    ];
    let interprets = is_interpreter(&command.program) || command.program.ends_with("awk");
    let stdin = match &command.stdin {
        Stdin::Text(text) => Some(text.as_str()),
        _ => None,
    };
    let has = |text: &str, needles: &[&str]| needles.iter().any(|needle| text.contains(needle));
    interprets
        && command
            .words()
            .chain(stdin)
            .any(|text| has(text, &SOCKETS) && has(text, &SHELLS))
}

/// Whether a shell or an interpreter executes unknown text. A file with an unknown name does not count, and neither
/// does the output of a tool that `eval` executes.
fn executes_unknown_text(command: &Invocation, from: &[usize]) -> bool {
    let program = command.program.as_str();
    if program == "eval" || is_interpreter(program) {
        return from.is_empty();
    }
    let first = command.args.iter().find(|word| !word.text.starts_with('-'));
    let takes_text = command.words().any(|word| is_short(word, 'c'));
    let names_file = !takes_text && first.is_some_and(|word| !word.is_known());
    // Encoded PowerShell input already raises a doubt.
    is_shell(program) && !names_file && !matches!(program, "pwsh" | "powershell")
}

/// Whether a program that can write arbitrary content wrote the file earlier in the same text.
fn was_written_unseen(
    file: &str,
    script: &Script,
    at: Option<usize>,
    context: &PathContext<'_>,
) -> bool {
    let before = &script.commands[..at.unwrap_or(0)];
    before.iter().any(|writer| {
        let fills = match writer.program.as_str() {
            "sed" | "gsed" | "sort" | "uniq" | "shuf" | "iconv" | "xxd" => true,
            "cp" | "install" => writer.words().any(|word| word == "/dev/stdin"),
            _ => false,
        };
        let hits = |effect: &PathEffect| {
            matches!(effect.verb, Verb::Truncate | Verb::CopyOnto)
                && context.absolute(&effect.target.text) == file
        };
        fills && effects_of(writer, context).iter().any(hits)
    })
}

fn executed(sources: &[&Invocation], report: &mut FindingReport<'_>) {
    let rule: Option<&'static Rule> = if sources.iter().any(|source| is_download(source)) {
        Some(&rules::NETWORK_RUN_DOWNLOADED)
    } else if sources.iter().any(|source| is_decoder(source)) {
        Some(&rules::NETWORK_RUN_DECODED)
    } else if sources.iter().any(|source| generates_text(source)) {
        Some(&rules::CORE_RUN_MADE)
    } else {
        None
    };
    if let Some(rule) = rule {
        report.add_command(rule);
    }
}

/// Whether the command's output is assembled from files or by the project's own program. Output that tools generate
/// for shells (`ssh-agent -s`, `brew shellenv`) does not count.
fn generates_text(command: &Invocation) -> bool {
    matches!(
        command.program.as_str(),
        "awk"
            | "gawk"
            | "sed"
            | "tr"
            | "cut"
            | "paste"
            | "tac"
            | "head"
            | "tail"
            | "jq"
            | "yq"
            | "gzip"
            | "gunzip"
            | "zcat"
            | "bzcat"
            | "xzcat"
            | "zstdcat"
            | "unzip"
            | "tar"
    ) || is_interpreter(&command.program)
}

/// Whether the command's output comes from another machine.
pub(super) fn is_download(command: &Invocation) -> bool {
    match command.program.as_str() {
        "curl" | "wget" | "wget2" | "aria2c" | "fetch" | "http" | "https" | "xh" | "xhs" | "nc"
        | "ncat" | "netcat" | "GET" | "lwp-request" | "iwr" | "irm" | "Invoke-WebRequest"
        | "Invoke-RestMethod" | "ftp" | "tftp" | "lynx" | "w3m" | "links" | "telnet" | "socat"
        | "axel" | "dig" | "nslookup" | "host" => true,
        "openssl" => command
            .args
            .first()
            .is_some_and(|word| word.text == "s_client"),
        "gh" => command.words().any(|word| word == "api"),
        "aws" | "gsutil" | "gcloud" => command.words().any(|word| matches!(word, "cp" | "cat")),
        _ => false,
    }
}

fn is_decoder(command: &Invocation) -> bool {
    let has = |flags: &[&str]| command.words().any(|word| flags.contains(&word));
    match command.program.as_str() {
        "base64" | "base32" | "basenc" | "gbase64" => {
            has(&["-d", "-D", "--decode", "-di", "-id"])
                || command.words().any(|word| word.starts_with("--d"))
        }
        "xxd" => command
            .words()
            .any(|word| word.starts_with('-') && word.contains('r')),
        "openssl" => has(&["-d", "-decrypt"]),
        "uudecode" | "rev" | "gpg" | "age" => true,
        _ => false,
    }
}

fn is_shell(program: &str) -> bool {
    matches!(
        program,
        "sh" | "bash"
            | "zsh"
            | "dash"
            | "ksh"
            | "mksh"
            | "fish"
            | "ash"
            | "tcsh"
            | "csh"
            | "pwsh"
            | "powershell"
            | "rbash"
    )
}

fn is_interpreter(program: &str) -> bool {
    let base = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    matches!(
        base,
        "python"
            | "pypy"
            | "node"
            | "nodejs"
            | "ruby"
            | "perl"
            | "php"
            | "lua"
            | "luajit"
            | "tclsh"
            | "osascript"
            | "deno"
            | "bun"
            | "Rscript"
            | "julia"
            | "elixir"
            | "guile"
    )
}

/// Whether `word` is a bundle of short flags that contains `flag`.
fn is_short(word: &str, flag: char) -> bool {
    word.starts_with('-') && !word.starts_with("--") && word.contains(flag) && word.len() <= 6
}

/// `curl -o x … && sh x`: executes a file that the same text downloaded.
fn just_downloaded(
    command: &Invocation,
    script: &Script,
    at: Option<usize>,
    context: &PathContext<'_>,
    report: &mut FindingReport<'_>,
) {
    let Some(at) = at.filter(|at| *at > 0) else {
        return;
    };
    let runs_as_code = is_shell(&command.program)
        || is_interpreter(&command.program)
        || matches!(command.program.as_str(), "source" | ".");
    let file = if runs_as_code {
        command
            .args
            .iter()
            .map(|word| word.text.as_str())
            .find(|word| !word.starts_with('-'))
    } else {
        command.path.as_deref().filter(|path| path.contains('/'))
    };
    let Some(file) = file.filter(|file| !file.contains(UNKNOWN)) else {
        return;
    };
    let file = context.absolute(file);
    let downloads = script.commands[..at]
        .iter()
        .filter(|command| is_download(command));
    let is_that = downloads
        .flat_map(outputs)
        .any(|output| context.absolute(&output) == file);
    if is_that {
        report.add_command(if runs_as_code {
            &rules::NETWORK_RUN_DOWNLOADED
        } else {
            &rules::NETWORK_RUN_DOWNLOADED_PROGRAM
        });
    }
}

const ARIA: FlagGrammar = FlagGrammar {
    short: "odxsjn",
    long: &["out=", "dir=", "output="],
    ..FlagGrammar::PLAIN
};

/// The files that a download writes.
fn outputs(command: &Invocation) -> Vec<String> {
    let redirected = command
        .redirects
        .iter()
        .filter(|redirect| redirect.kind != RedirectKind::Read)
        .map(|redirect| redirect.target.text.clone());
    let mut files: Vec<String> = redirected.collect();
    let (grammar, to, by_name) = match command.program.as_str() {
        "curl" => (&CURL, ["o", "output"], true),
        "wget" | "wget2" => (&WGET, ["O", "output-document"], false),
        "aria2c" | "axel" => (&ARIA, ["o", "out"], false),
        _ => return files,
    };
    let line = ParsedArgs::of(command, grammar);
    files.extend(line.values(&to).map(|word| word.text.clone()));
    let named = if by_name {
        line.has(&["O", "remote-name"])
    } else {
        files.is_empty()
    };
    if named {
        let urls = line.operands.iter();
        let directory = line.values(&["P", "directory-prefix", "output-dir"]).next();
        let directory = directory.map_or_else(String::new, |word| format!("{}/", word.text));
        files.extend(urls.map(|url| {
            let plain = url.text.split(['?', '#']).next().unwrap_or("");
            format!("{directory}{}", name(plain))
        }));
    }
    files
}

fn packages(command: &Invocation, report: &mut FindingReport<'_>) {
    let has = |verbs: &[&str]| command.words().any(|word| verbs.contains(&word));
    let is_address = |word: &str| {
        let word = word.strip_prefix("git+").unwrap_or(word);
        word.starts_with("https://")
            || word.starts_with("http://")
            || word.starts_with("ssh://")
            || word.starts_with("git://")
            || word.starts_with("github:")
    };
    let runs_one = matches!(
        command.program.as_str(),
        "npx" | "bunx" | "pnpx" | "uvx" | "pipx"
    );
    // Words after the package name are arguments of the package's program.
    let operands = command
        .args
        .iter()
        .filter(|word| !word.text.starts_with('-'));
    let named = operands.take(if runs_one { 2 } else { usize::MAX });
    let mut named =
        named.take_while(|word| !runs_one || is_address(&word.text) || word.text == "run");
    let from_url = named.any(|word| {
        let text = word.text.as_str();
        let text = text.split_once(" @ ").map_or(text, |(_, url)| url);
        is_address(text)
    });
    if !from_url {
        return;
    }
    match command.program.as_str() {
        "npx" | "bunx" | "pnpx" | "uvx" | "pipx" => {
            report.add_command(&rules::NETWORK_RUN_DOWNLOADED_PROGRAM);
        }
        "deno" | "bun" | "go" if has(&["run"]) => {
            report.add_command(&rules::NETWORK_RUN_DOWNLOADED_PROGRAM);
        }
        "pip" | "pip3" | "uv" | "npm" | "pnpm" | "yarn" | "bun" | "cargo" | "gem" | "go"
        | "poetry" | "pdm"
            if has(&["install", "add", "i"])
                && !has(&["--index-url", "-i", "--registry", "--extra-index-url"]) =>
        {
            report.add_command(&rules::NETWORK_PACKAGE_FROM_URL);
        }
        _ => {}
    }
}

/// Reverse shell: a shell whose input and output are a network connection.
fn reverse_shell(command: &Invocation, report: &mut FindingReport<'_>) {
    let is_connection = |text: &str| text.starts_with("/dev/tcp/") || text.starts_with("/dev/udp/");
    let through_file = command
        .redirects
        .iter()
        .any(|redirect| is_connection(&redirect.target.text));
    let hands_out = match command.program.as_str() {
        "nc" | "ncat" | "netcat" => command.words().any(|word| {
            is_short(word, 'e')
                || is_short(word, 'c') && command.program == "ncat"
                || matches!(word, "--exec" | "--sh-exec")
        }),
        "socat" => command.words().any(|word| {
            let word = word.to_ascii_lowercase();
            word.starts_with("exec:") || word.starts_with("system:") || word.starts_with("shell:")
        }),
        program => through_file && (is_shell(program) || matches!(program, "exec")),
    };
    if hands_out {
        report.add_command(&rules::NETWORK_REVERSE_SHELL);
    } else if through_file {
        report.add_command(&rules::NETWORK_UPLOAD);
    }
}
