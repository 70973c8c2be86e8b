//! Programs that communicate with other machines, and their effects on local files.

use super::flags::{FlagGrammar, ParsedArgs, ParsedFlag, part};
use super::programs::all;
use super::{PathEffect, Verb};
use crate::command::{Invocation, Stdin, Word};

/// The effects on local files.
pub(super) fn effects(command: &Invocation) -> Vec<PathEffect> {
    match command.program.as_str() {
        "curl" => curl(command),
        "wget" | "wget2" => wget(command),
        "http" | "https" | "xh" | "xhs" => httpie(command),
        "aria2c" => Vec::new(),
        "openssl" => openssl(command),
        "gpg" | "gpg2" => gpg(command),
        "ssh-keygen" => ssh_keygen(command),
        _ => socat(command),
    }
}

/// curl's flags.
pub(super) const CURL: FlagGrammar = FlagGrammar {
    short: "AbcCdDeEFhHKmoPQrTtuUwxXyYz",
    attached: "",
    long: &[
        "data=",
        "data-ascii=",
        "data-binary=",
        "data-raw=",
        "data-urlencode=",
        "json=",
        "form=",
        "form-string=",
        "upload-file=",
        "output=",
        "output-dir=",
        "config=",
        "url=",
        "header=",
        "user=",
        "user-agent=",
        "request=",
        "cookie=",
        "cookie-jar=",
        "proxy=",
        "max-time=",
        "connect-timeout=",
        "retry=",
        "referer=",
        "cert=",
        "key=",
        "cacert=",
        "write-out=",
        "dump-header=",
        "netrc-file=",
        "url-query=",
        "resolve=",
        "interface=",
        "range=",
        "retry-delay=",
        "limit-rate=",
        "trace=",
        "trace-ascii=",
        "stderr=",
        "unix-socket=",
        "oauth2-bearer=",
        "location",
        "silent",
        "show-error",
        "fail",
        "insecure",
        "compressed",
        "include",
        "head",
        "remote-name",
        "get",
    ],
    stops: false,
};

fn curl(command: &Invocation) -> Vec<PathEffect> {
    let line = ParsedArgs::of(command, &CURL);
    let mut effects = Vec::new();
    for ParsedFlag { name, value } in &line.flags {
        let Some(value) = value else { continue };
        effects.extend(curl_flag(name, value));
    }
    let urls = line.operands.iter().chain(line.values(&["url"]));
    effects.extend(urls.filter_map(local_url));
    effects
}

fn curl_flag(name: &str, value: &Word) -> Option<PathEffect> {
    let text = value.text.as_str();
    let upload =
        |path: &str| (path != "-").then(|| PathEffect::new(Verb::Upload, part(value, path)));
    match name {
        "d" | "data" | "data-ascii" | "data-binary" | "json" | "H" | "header" => {
            upload(text.strip_prefix('@')?)
        }
        "data-urlencode" => {
            let at = text.find('@').filter(|at| !text[..*at].contains('='))?;
            upload(&text[at + 1..])
        }
        "F" | "form" => {
            let field = text.split_once('=')?.1;
            let path = field.strip_prefix(['@', '<'])?;
            upload(path.split(';').next().unwrap_or(path))
        }
        "T" | "upload-file" => upload(text),
        "K" | "config" => Some(PathEffect::new(Verb::Feed, value.clone())),
        "b" | "cookie" if !text.contains('=') => Some(PathEffect::new(Verb::Feed, value.clone())),
        "o" | "output" | "c" | "cookie-jar" | "D" | "dump-header" | "trace" | "trace-ascii"
        | "stderr" => (text != "-").then(|| PathEffect::new(Verb::Truncate, value.clone())),
        _ => None,
    }
}

/// `file:///etc/shadow` reads a local file.
fn local_url(word: &Word) -> Option<PathEffect> {
    let path = word.text.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    Some(PathEffect::new(Verb::Read, part(word, path)))
}

/// wget's flags.
pub(super) const WGET: FlagGrammar = FlagGrammar {
    short: "aBDeIiloOPQRStTUwX",
    attached: "",
    long: &[
        "post-file=",
        "body-file=",
        "post-data=",
        "body-data=",
        "output-document=",
        "output-file=",
        "input-file=",
        "directory-prefix=",
        "header=",
        "user=",
        "password=",
        "method=",
        "timeout=",
        "tries=",
        "user-agent=",
        "save-cookies=",
        "load-cookies=",
        "config=",
    ],
    stops: false,
};

fn wget(command: &Invocation) -> Vec<PathEffect> {
    let line = ParsedArgs::of(command, &WGET);
    let mut effects = Vec::new();
    for ParsedFlag { name, value } in &line.flags {
        let Some(value) = value.as_ref().filter(|value| value.text != "-") else {
            continue;
        };
        let verb = match *name {
            "post-file" | "body-file" => Verb::Upload,
            "O" | "output-document" | "o" | "output-file" | "save-cookies" => Verb::Truncate,
            "a" => Verb::Append,
            "P" | "directory-prefix" => Verb::CopyOnto,
            "i" | "input-file" | "load-cookies" | "config" => Verb::Feed,
            _ => continue,
        };
        effects.push(PathEffect::new(verb, value.clone()));
    }
    effects.extend(line.operands.iter().filter_map(local_url));
    effects
}

fn httpie(command: &Invocation) -> Vec<PathEffect> {
    let items = command
        .args
        .iter()
        .filter(|word| !word.text.starts_with('-'));
    let paths = items.filter_map(|word| {
        let text = word.text.as_str();
        let path = ["=@", ":=@", "@"].iter().find_map(|sign| {
            let (field, path) = text.split_once(sign)?;
            let is_field = !field.is_empty()
                && field
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-_.[]".contains(c));
            is_field.then_some(path)
        })?;
        Some(PathEffect::new(Verb::Upload, part(word, path)))
    });
    paths.collect()
}

fn openssl(command: &Invocation) -> Vec<PathEffect> {
    let verb = command.args.first().map_or("", |word| word.text.as_str());
    let has = |flag: &str| command.words().any(|word| word == flag);
    let value = |flag: &str| {
        let at = command.words().position(|word| word == flag)?;
        command.args.get(at + 1).cloned()
    };
    let mut effects = Vec::new();
    let prints = match verb {
        "rsa" | "pkey" | "ec" | "dsa" | "pkcs8" | "pkcs12" => {
            !has("-noout") && !has("-pubout") || has("-text")
        }
        "enc" | "base64" | "asn1parse" => true,
        _ => false,
    };
    if let Some(input) = value("-in").filter(|_| prints) {
        let out = value("-out");
        let verb = if out.is_some() {
            Verb::CopyFrom
        } else {
            Verb::Read
        };
        effects.push(PathEffect {
            verb,
            target: input,
            onto: out,
        });
    }
    effects.extend(value("-out").map(|word| PathEffect::new(Verb::Truncate, word)));
    effects.extend(value("-keyout").map(|word| PathEffect::new(Verb::Append, word)));
    effects
}

fn gpg(command: &Invocation) -> Vec<PathEffect> {
    let exports = command
        .words()
        .any(|word| word.starts_with("--export-secret"));
    let mut effects = Vec::new();
    if exports {
        effects.push(PathEffect::new(
            Verb::Read,
            Word::literal("~/.gnupg/secring.gpg"),
        ));
    }
    effects
}

/// Generating a key writes it; most other uses only read.
fn ssh_keygen(command: &Invocation) -> Vec<PathEffect> {
    let line = ParsedArgs::of(
        command,
        &FlagGrammar {
            short: "abCEfFGIJjKmMNnOPRrsSTtVwYzZD",
            ..FlagGrammar::PLAIN
        },
    );
    if line.has(&[
        "y", "l", "F", "R", "e", "B", "H", "Y", "A", "Q", "L", "p", "c",
    ]) {
        return Vec::new();
    }
    let file = line.values(&["f"]).next().cloned();
    let file = file.unwrap_or_else(|| Word::literal("~/.ssh/id_ed25519"));
    all(&[file], Verb::CopyIfMissing)
}

/// `FILE:x`, `OPEN:x`, `CREATE:x` among socat's addresses.
fn socat(command: &Invocation) -> Vec<PathEffect> {
    let files = command.args.iter().filter_map(|word| {
        let (kind, rest) = word.text.split_once(':')?;
        let path = rest.split(',').next()?;
        let verb = match kind.to_ascii_uppercase().as_str() {
            "FILE" | "OPEN" | "GOPEN" => Verb::Upload,
            "CREATE" | "CREAT" => Verb::Truncate,
            _ => return None,
        };
        Some(PathEffect::new(verb, part(word, path)))
    });
    files.collect()
}

/// `croc send file`, and files that `sftp` and `ftp` upload.
pub(super) fn sent_files(command: &Invocation) -> Vec<PathEffect> {
    if let Stdin::Text(text) = &command.stdin {
        let puts = text.lines().filter_map(|line| {
            let mut words = line.split_whitespace();
            matches!(words.next(), Some("put" | "mput" | "send" | "mirror")).then_some(words)
        });
        let files = puts.flat_map(|words| words.filter(|word| !word.starts_with('-')));
        return files
            .map(|file| PathEffect::new(Verb::Upload, Word::literal(file)))
            .collect();
    }
    if matches!(command.program.as_str(), "sftp" | "ftp" | "lftp") {
        return Vec::new();
    }
    let words = command.args.iter().filter(|word| {
        !word.text.starts_with('-') && !matches!(word.text.as_str(), "send" | "upload" | "receive")
    });
    words
        .map(|word| PathEffect::new(Verb::Upload, word.clone()))
        .collect()
}

/// `scp` and `rsync`: determines which side is local.
pub(super) fn copied_between_hosts(command: &Invocation) -> Vec<PathEffect> {
    const RSYNC: FlagGrammar = FlagGrammar {
        short: "efBTM",
        attached: "",
        long: &[
            "rsh=",
            "filter=",
            "exclude=",
            "include=",
            "exclude-from=",
            "include-from=",
            "files-from=",
            "bwlimit=",
            "temp-dir=",
            "compare-dest=",
            "copy-dest=",
            "link-dest=",
            "log-file=",
            "password-file=",
            "port=",
            "chmod=",
            "chown=",
            "backup-dir=",
            "suffix=",
            "max-size=",
            "min-size=",
            "delete",
            "delete-after",
            "delete-before",
            "delete-during",
            "delete-excluded",
            "remove-source-files",
            "dry-run",
            "archive",
            "recursive",
        ],
        stops: false,
    };
    const SCP: FlagGrammar = FlagGrammar {
        short: "cDFiJloPSX",
        ..FlagGrammar::PLAIN
    };
    let is_rsync = command.program == "rsync";
    let line = ParsedArgs::of(command, if is_rsync { &RSYNC } else { &SCP });
    if is_rsync && line.has(&["n", "dry-run"]) {
        return Vec::new();
    }
    let Some((target, sources)) = line.operands.split_last() else {
        return Vec::new();
    };
    let here = sources.iter().filter(|word| !is_remote(&word.text));
    if is_remote(&target.text) {
        return here
            .map(|word| PathEffect::new(Verb::Upload, word.clone()))
            .collect();
    }
    let mut effects: Vec<PathEffect> = here
        .map(|word| PathEffect {
            verb: if line.has(&["remove-source-files"]) {
                Verb::MoveFrom
            } else {
                Verb::CopyFrom
            },
            target: word.clone(),
            onto: Some(target.clone()),
        })
        .collect();
    if line.flags.iter().any(|flag| flag.name.starts_with("del")) && is_rsync {
        effects.push(PathEffect::new(Verb::DeleteRecursive, target.clone()));
    }
    effects.push(PathEffect::new(Verb::CopyOnto, target.clone()));
    effects
}

/// Recognizes `host:path`, `user@host:path`, `rsync://host/path` and `scp://host/path`.
pub(super) fn is_remote(text: &str) -> bool {
    match text.split_once(':') {
        // A single letter is a Windows drive.
        Some((host, _)) => host.len() > 1 && !host.contains('/'),
        None => false,
    }
}

/// Whether the program sends what it reads from standard input to another machine.
pub(super) fn sends_stdin(command: &Invocation) -> bool {
    match command.program.as_str() {
        "nc" | "ncat" | "netcat" | "telnet" | "socat" => !command.words().any(|word| {
            word.starts_with('-') && !word.starts_with("--") && word.contains(['l', 'z'])
        }),
        "openssl" => command
            .args
            .first()
            .is_some_and(|word| word.text == "s_client"),
        "http" | "https" | "xh" | "xhs" | "ssh" | "mail" | "mailx" | "sendmail" | "mutt"
        | "msmtp" | "swaks" | "transfer" | "croc" | "wormhole" => true,
        "curl" => {
            let line = ParsedArgs::of(command, &CURL);
            line.flags.iter().any(|flag| {
                let text = flag.value.as_ref().map_or("", |value| value.text.as_str());
                match flag.name {
                    "d" | "data" | "data-binary" | "data-ascii" | "json" | "data-urlencode" => {
                        text.ends_with("@-") || text.ends_with("@/dev/stdin")
                    }
                    "F" | "form" => {
                        text.contains("=@-") || text.contains("=<-") || text.contains("@/dev/stdin")
                    }
                    "T" | "upload-file" => matches!(text, "-" | "." | "/dev/stdin"),
                    _ => false,
                }
            })
        }
        "wget" => command
            .words()
            .any(|word| word.ends_with("-file=-") || word.ends_with("-file=/dev/stdin")),
        "gh" => command.args.first().is_some_and(|word| word.text == "gist"),
        _ => false,
    }
}
