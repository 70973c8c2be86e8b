//! Unwraps wrappers: finds the wrapped command, its user and its machine.

use super::expanded_command::ExpandedCommand;
use super::helper_programs::without_version;
use super::options::{ParsedOptions, with_text};
use super::path::absolute;
use super::scope::{ShellScope, ShellValue};
use super::windows::is_windows_only;
use super::wrappers::{WrappedCommand, WrapperKind, WrapperSpec, wrappers_of};
use super::{Analyzer, CommandOutput};
use crate::command::{Launcher, Word};

impl Analyzer<'_> {
    /// Analyzes the command that a wrapper runs; `None` if the command is not a wrapper.
    pub(super) fn wrapper(
        &mut self,
        name: &str,
        index: usize,
        call: &ExpandedCommand,
        scope: &mut ShellScope,
    ) -> Option<CommandOutput> {
        match name {
            "env" | "genv" => return Some(self.env(call, scope)),
            "su" | "runuser" => return Some(self.su(name, index, call, scope)),
            "find" | "gfind" | "fd" | "fdfind" | "bfs" => {
                return Some(self.find(name, index, call, scope));
            }
            "xargs" | "gxargs" => return Some(self.xargs(index, call, scope)),
            "parallel" => return Some(self.parallel(index, call, scope)),
            "at" | "batch" => return self.reads_stdin(name, index, call, scope),
            "expect" => return self.expect(index, call, scope),
            "powershell" | "pwsh" | "cmd" => return Some(self.windows(name, index, call, scope)),
            name if is_windows_only(name, call.args()) => {
                self.windows_command(call, scope);
                return Some(CommandOutput::unknown(vec![index]));
            }
            "sed" | "gsed" => return self.sed(name, index, call, scope),
            "vim" | "vi" | "nvim" | "ex" | "view" => return self.editor(name, index, call, scope),
            "tmux"
                if call
                    .args()
                    .iter()
                    .any(|word| matches!(word.text.as_str(), "send-keys" | "send")) =>
            {
                return Some(self.send_keys(index, call, scope));
            }
            "screen" if call.args().iter().any(|word| word.text == "stuff") => {
                return Some(self.send_keys(index, call, scope));
            }
            _ => {}
        }
        if let Some(output) = self.declared_wrapper(call, scope) {
            return Some(output);
        }
        let (wrapper, given, start) =
            wrappers_of(name).find_map(|wrapper| begin(wrapper, call.args()))?;
        self.unwrap(wrapper, &given, start, index, call, scope)
    }

    /// A wrapper declared in the policy: `tool` or `tool run`.
    fn declared_wrapper(
        &mut self,
        call: &ExpandedCommand,
        scope: &mut ShellScope,
    ) -> Option<CommandOutput> {
        let declared = self.wrappers.iter().find(|declared| {
            let words: Vec<&str> = declared.split_whitespace().collect();
            !words.is_empty()
                && words.len() < call.words.len()
                && words
                    .iter()
                    .zip(&call.words)
                    .enumerate()
                    .all(|(at, (declared, word))| {
                        *declared == word.text
                            || at == 0 && *declared == super::path::base_name(&word.text)
                    })
        })?;
        let len = declared.split_whitespace().count();
        let operands = call.words[len..]
            .iter()
            .skip_while(|word| word.text.starts_with('-'))
            .cloned()
            .collect();
        let inner = call.wrapping(operands, Launcher::Wrapper(declared.clone()));
        Some(self.invoke(inner, scope))
    }

    fn unwrap(
        &mut self,
        wrapper: &WrapperSpec,
        given: &ParsedOptions,
        start: usize,
        index: usize,
        call: &ExpandedCommand,
        scope: &mut ShellScope,
    ) -> Option<CommandOutput> {
        let args = &call.args()[start..];
        let text = match wrapper.runs {
            WrappedCommand::Text(names) => given
                .value(names)
                .cloned()
                .or_else(|| trailing_option(args, names)),
            // The option may also follow the operands. Further right it belongs to the wrapped command.
            WrappedCommand::TextOrWords(names) => given.value(names).cloned().or_else(|| {
                let next = args.get(given.rest + wrapper.operands..)?;
                trailing_option(&next[..next.len().min(2)], names)
                    .filter(|_| next.first().is_some_and(|word| word.text.starts_with('-')))
            }),
            WrappedCommand::AfterDashes => given
                .value(&["c", "command"])
                .filter(|_| wrapper.name == "mise")
                .cloned(),
            _ => None,
        };
        let mut rest = &args[given.rest..];
        let via = via(wrapper, rest.first());
        if let Some(text) = text {
            return Some(self.wrapped_text(&text, index, call, via, scope));
        }
        rest = match wrapper.runs {
            WrappedCommand::Text(_) => return None,
            WrappedCommand::AfterDashes if !given.dashes => {
                let dashes = rest.iter().position(|word| word.text == "--")?;
                &rest[dashes + 1..]
            }
            WrappedCommand::DashesOrWords if !given.dashes => {
                match rest.iter().position(|word| word.text == "--") {
                    Some(dashes) => &rest[dashes + 1..],
                    None => rest.get(wrapper.operands..)?,
                }
            }
            WrappedCommand::FromOption(names) => {
                let at = args
                    .iter()
                    .position(|word| names.iter().any(|name| is_option(&word.text, name)));
                match at {
                    Some(at) => &args[at + 1..],
                    None if wrapper.name == "wsl" => rest,
                    None => return None,
                }
            }
            _ => rest.get(wrapper.operands..)?,
        };
        let mut inner = call.wrapping(Vec::new(), via.clone());
        if let Some(directory) = given
            .value(&["chdir", "D"])
            .filter(|_| wrapper.kind == WrapperKind::Root)
        {
            inner.cwd = absolute(inner.cwd.as_deref(), &directory.text);
        }
        if rest.first().is_some_and(|word| word.text == "--") {
            rest = &rest[1..];
        }
        if wrapper.assignments {
            rest = take_assignments(rest, &mut inner);
        }
        let mut words = rest.to_vec();
        if let Some(entrypoint) = given
            .value(&["entrypoint"])
            .filter(|_| wrapper.kind == WrapperKind::Elsewhere)
        {
            words.insert(0, entrypoint.clone());
        }
        if let Some(first) = words.first_mut().filter(|_| wrapper.packages) {
            first.text = without_version(&first.text).to_owned();
        }
        if words.is_empty() {
            return self.reads_commands(wrapper, given, index, call, via, scope);
        }
        match wrapper.runs {
            WrappedCommand::Joined => {
                Some(self.wrapped_text(&joined(&words), index, call, via, scope))
            }
            WrappedCommand::EachText => {
                for word in &words {
                    self.wrapped_text(word, index, call, via.clone(), scope);
                }
                Some(CommandOutput::unknown(vec![index]))
            }
            _ => {
                inner.words = words;
                Some(self.invoke(inner, scope))
            }
        }
    }

    /// `ssh host`, `sudo -s`: a shell that reads standard input.
    fn reads_commands(
        &mut self,
        wrapper: &WrapperSpec,
        given: &ParsedOptions,
        index: usize,
        call: &ExpandedCommand,
        via: Launcher,
        scope: &ShellScope,
    ) -> Option<CommandOutput> {
        let shell = wrapper.name == "ssh"
            || (wrapper.kind == WrapperKind::Root && given.has(&["s", "i", "shell", "login"]));
        if shell {
            self.stdin_text(index, call, via, scope)
        } else {
            None
        }
    }

    /// Analyzes a text that a wrapper passes to a shell.
    pub(super) fn wrapped_text(
        &mut self,
        text: &Word,
        index: usize,
        call: &ExpandedCommand,
        via: Launcher,
        scope: &ShellScope,
    ) -> CommandOutput {
        let mut inner = call.scope(scope, Some(via));
        let value = ShellValue::new(text.text.clone(), text.from.clone());
        self.run_text(&value, text.span, index, &mut inner)
    }
}

/// Matches the wrapper's subcommand; returns its options and their position.
fn begin<'w>(
    wrapper: &'w WrapperSpec,
    args: &[Word],
) -> Option<(&'w WrapperSpec, ParsedOptions, usize)> {
    if wrapper.verbs.is_empty() {
        return Some((wrapper, wrapper.options.read(args), 0));
    }
    wrapper.verbs.iter().find_map(|verbs| {
        let mut at = 0;
        for verb in verbs.split(' ') {
            at += wrapper.globals.read(&args[at..]).rest;
            if args.get(at)?.text != verb {
                return None;
            }
            at += 1;
        }
        Some((wrapper, wrapper.options.read(&args[at..]), at))
    })
}

fn via(wrapper: &WrapperSpec, target: Option<&Word>) -> Launcher {
    match (wrapper.kind, target) {
        (WrapperKind::Plain, _) => Launcher::Wrapper(wrapper.name.to_owned()),
        (WrapperKind::Root, _) => Launcher::Root(wrapper.name.to_owned()),
        (WrapperKind::Elsewhere, Some(target)) if wrapper.operands == 1 => {
            let verb = wrapper.verbs.first().filter(|verb| **verb == "exec");
            let how = [Some(&wrapper.name), verb, Some(&target.text.as_str())];
            Launcher::Remote(
                how.into_iter()
                    .flatten()
                    .copied()
                    .collect::<Vec<_>>()
                    .join(" "),
            )
        }
        (WrapperKind::Elsewhere, _) => Launcher::Remote(wrapper.name.to_owned()),
    }
}

/// Consumes `NAME=value …` before a command.
pub(super) fn take_assignments<'w>(
    mut rest: &'w [Word],
    inner: &mut ExpandedCommand,
) -> &'w [Word] {
    while let Some((first, after)) = rest.split_first() {
        let Some((name, value)) = first.text.split_once('=') else {
            break;
        };
        // `BASH_FUNC_ls%%=() { …; }` defines a function in the new shell.
        let plain = !name.is_empty()
            && name
                .trim_end_matches("%%")
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !plain {
            break;
        }
        inner.env.push((name.to_owned(), with_text(first, value)));
        rest = after;
    }
    rest
}

fn is_option(text: &str, name: &str) -> bool {
    let dashes = if name.len() == 1 { "-" } else { "--" };
    text.strip_prefix(dashes) == Some(name)
}

/// The value of an option that may also follow the operands; a short letter may end a bundle.
pub(super) fn trailing_option(args: &[Word], names: &[&str]) -> Option<Word> {
    for (at, word) in args.iter().enumerate() {
        for name in names {
            if let Some(value) = word
                .text
                .strip_prefix("--")
                .and_then(|long| long.strip_prefix(name)?.strip_prefix('='))
            {
                return Some(with_text(word, value));
            }
            let bundle = name.len() == 1
                && word.text.starts_with('-')
                && !word.text.starts_with("--")
                && word.text.ends_with(name);
            if bundle || is_option(&word.text, name) {
                return args.get(at + 1).cloned();
            }
        }
    }
    None
}

/// Joins words with spaces, like `ssh` and `eval`.
pub(super) fn joined(words: &[Word]) -> Word {
    let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let mut whole = Word::literal(texts.join(" "));
    whole.from = words
        .iter()
        .flat_map(|word| word.from.iter().copied())
        .collect();
    if let (Some(first), Some(last)) = (words.first(), words.last()) {
        whole.span.start = first.span.start.min(last.span.start);
        whole.span.end = last.span.end.max(first.span.end);
    }
    whole
}
