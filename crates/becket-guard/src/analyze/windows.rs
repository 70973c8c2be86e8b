//! PowerShell and cmd: maps a few commands to Unix equivalents; everything else raises a doubt.

use super::expanded_command::ExpandedCommand;
use super::options::with_text;
use super::scope::ShellScope;
use super::{Analyzer, CommandOutput};
use crate::command::{DoubtKind, ExecutedCode, Launcher, UNKNOWN, Word};

/// Maximum number of statements to analyze.
const MAX_STATEMENTS: usize = 64;

impl Analyzer<'_> {
    /// `powershell -c …`, `cmd /c …`
    pub(super) fn windows(
        &mut self,
        name: &str,
        index: usize,
        call: &ExpandedCommand,
        scope: &mut ShellScope,
    ) -> CommandOutput {
        let args = call.args();
        let start = args.iter().position(|word| {
            let lower = word.text.to_ascii_lowercase();
            if name == "cmd" {
                matches!(lower.as_str(), "/c" | "/k" | "/r" | "//c" | "//k")
            } else {
                lower.len() > 1 && "-command".starts_with(&lower)
            }
        });
        let encoded = args.iter().any(|word| {
            word.text.len() > 1
                && name != "cmd"
                && "-encodedcommand".starts_with(&word.text.to_ascii_lowercase())
                && !"-executionpolicy".starts_with(&word.text.to_ascii_lowercase())
        });
        if encoded {
            self.executes(index, ExecutedCode::Unknown { from: Vec::new() });
            self.doubt(
                DoubtKind::Unclear,
                "an encoded PowerShell command",
                call.span,
            );
            return CommandOutput::unknown(vec![index]);
        }
        let text = match start {
            Some(start) => args[start + 1..]
                .iter()
                .map(|word| word.text.as_str())
                .collect::<Vec<_>>()
                .join(" "),
            None => match call.input() {
                Some(text) => text.to_owned(),
                None => return CommandOutput::unknown(vec![index]),
            },
        };
        self.executes(index, ExecutedCode::Known);
        self.statements(name, &text, call, scope);
        CommandOutput::unknown(vec![index])
    }

    fn statements(
        &mut self,
        name: &str,
        text: &str,
        call: &ExpandedCommand,
        scope: &mut ShellScope,
    ) {
        let mut unclear = false;
        for (at, statement) in text.split([';', '\n', '|', '&']).enumerate() {
            let words: Vec<String> = split(statement);
            if words.is_empty() {
                continue;
            }
            if at >= MAX_STATEMENTS {
                unclear = true;
                break;
            }
            match unix_equivalent(&words) {
                Some(unix_equivalent) if unix_equivalent[0] == "eval" => {
                    self.downloaded_code(&words, name, call, scope);
                }
                Some(unix_equivalent) => {
                    let placed = Word {
                        span: call.span,
                        ..Word::default()
                    };
                    let words = unix_equivalent
                        .iter()
                        .map(|text| {
                            with_text(
                                &placed,
                                &text.replacen(
                                    '~',
                                    &self.location.home,
                                    usize::from(text.starts_with('~')),
                                ),
                            )
                        })
                        .collect();
                    let inner = call.wrapping(words, Launcher::Wrapper(name.to_owned()));
                    self.invoke(inner, scope);
                }
                None => unclear = true,
            }
        }
        if unclear {
            self.doubt(
                DoubtKind::Unclear,
                "unsupported PowerShell or cmd text",
                call.span,
            );
        }
    }
}

/// Whether it is a PowerShell or cmd command that changes something, written directly in the shell.
pub(super) fn is_windows_only(name: &str, args: &[Word]) -> bool {
    let lower = name.to_ascii_lowercase();
    let has = |switch: &str| {
        args.iter()
            .any(|word| word.text.eq_ignore_ascii_case(switch))
    };
    match lower.as_str() {
        "del" | "erase" | "rd" | "rmdir" => has("/s") || has("/q") || has("/f"),
        "reg" | "vssadmin" | "wmic" | "wevtutil" | "schtasks" | "sc" => {
            has("delete") || has("cl") || has("/delete") || has("add")
        }
        "bcdedit" | "diskpart" | "cipher" => !args.is_empty(),
        // Elixir has a program of the same name that takes options.
        "iex" => args.first().is_some_and(|word| !word.text.starts_with('-')),
        _ => match lower.split_once('-') {
            Some((verb, noun)) => {
                let noun_is_word = name.contains(|c: char| c.is_ascii_uppercase())
                    && noun.chars().all(|c| c.is_ascii_alphanumeric());
                let changes = matches!(
                    verb,
                    "remove"
                        | "clear"
                        | "format"
                        | "stop"
                        | "restart"
                        | "set"
                        | "disable"
                        | "reset"
                        | "invoke"
                        | "initialize"
                        | "uninstall"
                );
                noun_is_word && changes
            }
            None => false,
        },
    }
}

impl Analyzer<'_> {
    /// Analyzes such a command as PowerShell.
    pub(super) fn windows_command(&mut self, call: &ExpandedCommand, scope: &mut ShellScope) {
        let words: Vec<&str> = call.words.iter().map(|word| word.text.as_str()).collect();
        self.statements("powershell", &words.join(" "), call, scope);
    }

    /// `iex (iwr url)`, `iwr url | iex`
    fn downloaded_code(
        &mut self,
        words: &[String],
        name: &str,
        call: &ExpandedCommand,
        scope: &mut ShellScope,
    ) {
        let url = words
            .iter()
            .find(|word| word.contains("://"))
            .map(|word| word.trim_matches(['(', ')', '\'', '"']).to_owned());
        let via = || Launcher::Wrapper(name.to_owned());
        if let Some(url) = url {
            let fetch = vec![Word::literal("curl"), Word::literal(url)];
            self.invoke(call.wrapping(fetch, via()), scope);
        }
        let source = self
            .script
            .commands
            .iter()
            .rposition(|command| command.program == "curl");
        let unknown = Word {
            from: source.into_iter().collect(),
            ..Word::literal(UNKNOWN)
        };
        self.invoke(
            call.wrapping(vec![Word::literal("eval"), unknown], via()),
            scope,
        );
    }
}

/// The equivalent Unix command, if there is one.
fn unix_equivalent(words: &[String]) -> Option<Vec<String>> {
    let name = words[0]
        .trim_matches(['(', ')', '&', '@'])
        .to_ascii_lowercase();
    let lower: Vec<String> = words.iter().map(|word| word.to_ascii_lowercase()).collect();
    let has = |flags: &[&str]| {
        lower.iter().any(|word| {
            flags.iter().any(|flag| {
                word == flag
                    || (flag.len() > 3 && word.len() > 2 && flag.starts_with(word.as_str()))
            })
        })
    };
    let operands = || -> Vec<String> {
        words[1..]
            .iter()
            .filter(|word| !is_switch(word))
            .map(|word| word.replace('\\', "/"))
            .map(|word| known_folder(&word))
            .collect()
    };
    let command = |head: &[&str]| -> Option<Vec<String>> {
        let mut all: Vec<String> = head.iter().map(|word| (*word).to_owned()).collect();
        all.extend(operands());
        Some(all)
    };
    match name.as_str() {
        "remove-item" | "ri" | "rm" | "rmdir" | "rd" | "del" | "erase" | "clear-content" => {
            let recursive = has(&["-recurse", "-r", "/s"]) || has(&["-rf", "-fr"]);
            command(if recursive {
                &["rm", "-rf"]
            } else {
                &["rm", "-f"]
            })
        }
        "format-volume" | "clear-disk" | "initialize-disk" | "format" | "diskpart" => {
            command(&["mkfs"])
        }
        "stop-computer" => command(&["shutdown"]),
        "restart-computer" => command(&["reboot"]),
        "iex" | "invoke-expression" => {
            command(&["eval"]).map(|_| vec!["eval".to_owned(), UNKNOWN.to_string()])
        }
        "iwr" | "invoke-webrequest" | "irm" | "invoke-restmethod" | "curl" | "wget" => {
            command(&["curl"])
        }
        "get-content" | "gc" | "type" | "cat" => command(&["cat"]),
        "get-childitem" | "gci" | "dir" | "ls" => command(&["ls"]),
        "write-output" | "write-host" | "echo" => command(&["echo"]),
        "copy-item" | "copy" | "cp" | "xcopy" | "robocopy" => command(&["cp"]),
        "move-item" | "move" | "mv" | "ren" | "rename-item" => command(&["mv"]),
        "get-location" | "pwd" => command(&["pwd"]),
        "set-location" | "cd" | "chdir" => command(&["cd"]),
        "git" | "npm" | "node" | "python" | "cargo" | "docker" | "kubectl" | "dotnet" | "pip"
        | "yarn" | "pnpm" | "go" | "make" => Some(words.to_vec()),
        _ => None,
    }
}

/// `-Recurse`, `/s`; a lone slash is a path.
fn is_switch(word: &str) -> bool {
    word.starts_with('-') || (word.starts_with('/') && matches!(word.len(), 2 | 3))
}

/// Drives and variables for well-known directories.
fn known_folder(word: &str) -> String {
    let lower = word.to_ascii_lowercase();
    match lower.trim_end_matches(['/', '*']) {
        "c:" | "$env:systemdrive" | "%systemdrive%" => "/".to_owned(),
        "$home" | "~" | "$env:userprofile" | "%userprofile%" => "~".to_owned(),
        _ => word.to_owned(),
    }
}

/// Splits into words and removes quotes.
fn split(statement: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    for character in statement.chars() {
        match (quote, character) {
            (Some(open), character) if character == open => quote = None,
            (None, '"' | '\'') => quote = Some(character),
            (None, character) if character.is_whitespace() => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
            }
            (_, character) => word.push(character),
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}
