//! Unwinding wrappers: what do they run, as whom, where?

use super::call::Call;
use super::options::{Given, Longs, Options, with_text};
use super::path::absolute;
use super::scope::{Scope, Value};
use super::wrappers::{Kind, Runs, WRAPPERS, Wrapper};
use super::{Output, Walker};
use crate::command::{Executes, Via, Word};
use crate::shell::ast;
use crate::shell::parse_inside;

const ENV: Options = Options {
    shorts: "uCSa",
    longs: Longs::Valued(&["unset", "chdir", "split-string", "argv0"]),
};

impl Walker<'_> {
    /// What a wrapper runs; `None` when the command is none.
    pub(super) fn wrapper(
        &mut self,
        name: &str,
        index: usize,
        call: &Call,
        scope: &mut Scope,
    ) -> Option<Output> {
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
            "vim" | "vi" | "nvim" | "ex" | "view" => return self.editor(name, index, call, scope),
            "tar" | "gtar" | "bsdtar" | "rsync" => {
                return self.helper_option(name, index, call, scope);
            }
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
        let (wrapper, given, start) = WRAPPERS
            .iter()
            .filter(|wrapper| wrapper.name == name)
            .find_map(|wrapper| begin(wrapper, call.args()))?;
        self.unwrap(wrapper, &given, start, index, call, scope)
    }

    /// A wrapper that the person has declared: `tool` or `tool run`.
    fn declared_wrapper(&mut self, call: &Call, scope: &mut Scope) -> Option<Output> {
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
        let inner = call.wrapping(operands, Via::Wrapper(declared.clone()));
        Some(self.invoke(inner, scope))
    }

    fn unwrap(
        &mut self,
        wrapper: &Wrapper,
        given: &Given,
        start: usize,
        index: usize,
        call: &Call,
        scope: &mut Scope,
    ) -> Option<Output> {
        let args = &call.args()[start..];
        let text = match wrapper.runs {
            Runs::Text(names) | Runs::TextOrWords(names) => given
                .value(names)
                .cloned()
                .or_else(|| trailing_option(args, names)),
            _ => None,
        };
        let mut rest = &args[given.rest..];
        let via = via(wrapper, rest.first());
        if let Some(text) = text {
            return Some(self.wrapped_text(&text, index, call, via, scope));
        }
        self.local_commands(wrapper.name, given, call, scope);
        rest = match wrapper.runs {
            Runs::Text(_) => return None,
            Runs::AfterDashes if !given.dashes => {
                let dashes = rest.iter().position(|word| word.text == "--")?;
                &rest[dashes + 1..]
            }
            Runs::DashesOrWords if !given.dashes => {
                match rest.iter().position(|word| word.text == "--") {
                    Some(dashes) => &rest[dashes + 1..],
                    None => rest.get(wrapper.operands..)?,
                }
            }
            Runs::FromOption(names) => {
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
            .filter(|_| wrapper.kind == Kind::Root)
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
            .filter(|_| wrapper.kind == Kind::Elsewhere)
        {
            words.insert(0, entrypoint.clone());
        }
        if words.is_empty() {
            return self.reads_commands(wrapper, given, index, call, via, scope);
        }
        match wrapper.runs {
            Runs::Joined => Some(self.wrapped_text(&joined(&words), index, call, via, scope)),
            Runs::EachText => {
                for word in &words {
                    self.wrapped_text(word, index, call, via.clone(), scope);
                }
                Some(Output::unknown(vec![index]))
            }
            _ => {
                inner.words = words;
                Some(self.invoke(inner, scope))
            }
        }
    }

    /// `ssh host`, `sudo -s`: a shell that reads what it is given.
    fn reads_commands(
        &mut self,
        wrapper: &Wrapper,
        given: &Given,
        index: usize,
        call: &Call,
        via: Via,
        scope: &Scope,
    ) -> Option<Output> {
        let shell = wrapper.name == "ssh"
            || (wrapper.kind == Kind::Root && given.has(&["s", "i", "shell", "login"]));
        if shell {
            self.stdin_text(index, call, via, scope)
        } else {
            None
        }
    }

    /// Options of `ssh` name commands that run here, before anything runs there.
    fn local_commands(&mut self, name: &str, given: &Given, call: &Call, scope: &mut Scope) {
        if name != "ssh" {
            return;
        }
        for (option, value) in &given.options {
            let Some(value) = value.as_ref().filter(|_| option == "o") else {
                continue;
            };
            let Some((key, command)) = value.text.split_once(['=', ' ']) else {
                continue;
            };
            if ["proxycommand", "localcommand", "knownhostscommand"]
                .contains(&key.to_ascii_lowercase().as_str())
            {
                let mut inner = call.scope(scope, Some(Via::Wrapper("ssh".to_owned())));
                self.text(command, value.span, &mut inner);
            }
        }
    }

    /// A text that a wrapper gives to a shell.
    pub(super) fn wrapped_text(
        &mut self,
        text: &Word,
        index: usize,
        call: &Call,
        via: Via,
        scope: &Scope,
    ) -> Output {
        let mut inner = call.scope(scope, Some(via));
        let value = Value::new(text.text.clone(), text.from.clone());
        self.run_text(&value, text.span, index, &mut inner)
    }

    fn env(&mut self, call: &Call, scope: &mut Scope) -> Output {
        let mut args = call.args().to_vec();
        let given = ENV.read(&args);
        if let Some(text) = given.value(&["S", "split-string"]) {
            // The text takes the place of the option; what follows stays.
            let mut split = self.split_words(text, scope);
            split.extend(args.drain(given.rest..));
            let given = ENV.read(&split);
            split.drain(..given.rest);
            return self.env_command(&given, &split, call, scope);
        }
        self.env_command(&given, &args[given.rest..], call, scope)
    }

    fn env_command(
        &mut self,
        given: &Given,
        rest: &[Word],
        call: &Call,
        scope: &mut Scope,
    ) -> Output {
        let mut inner = call.wrapping(Vec::new(), Via::Wrapper("env".to_owned()));
        if let Some(directory) = given.value(&["C", "chdir"]) {
            inner.cwd = absolute(inner.cwd.as_deref(), &directory.text);
        }
        let lone_dash = rest.first().is_some_and(|word| word.text == "-");
        let rest = take_assignments(&rest[usize::from(lone_dash)..], &mut inner);
        if rest.is_empty() {
            return Output::unknown(vec![self.script.commands.len() - 1]);
        }
        inner.words = rest.to_vec();
        self.invoke(inner, scope)
    }

    /// A text split the way a shell would, without running anything in it.
    fn split_words(&mut self, text: &Word, scope: &mut Scope) -> Vec<Word> {
        let list = parse_inside(&text.text, Some(text.span), 0).list;
        let simple = list
            .items
            .into_iter()
            .next()
            .and_then(|item| item.pipelines.into_iter().next())
            .and_then(|(_, pipeline)| pipeline.stages.into_iter().next());
        match simple.map(|command| command.kind) {
            Some(ast::Kind::Simple(simple)) => {
                let mut words: Vec<Word> = simple
                    .assignments
                    .iter()
                    .map(|assignment| {
                        let value = self.one_word(&assignment.value, scope);
                        with_text(&value, &format!("{}={}", assignment.name, value.text))
                    })
                    .collect();
                words.extend(self.words(&simple.words, scope));
                words
            }
            _ => text
                .text
                .split_whitespace()
                .map(|piece| with_text(text, piece))
                .collect(),
        }
    }

    /// `su [-] [user] -c text`
    fn su(&mut self, name: &str, index: usize, call: &Call, scope: &mut Scope) -> Output {
        let args = call.args();
        let text = trailing_option(args, &["c", "command", "session-command"]);
        let via = Via::Root(name.to_owned());
        if let Some(text) = text {
            return self.wrapped_text(&text, index, call, via, scope);
        }
        let options = Options {
            shorts: "ugGswT",
            longs: Longs::Valued(&[
                "user",
                "group",
                "supp-group",
                "shell",
                "whitelist-environment",
            ]),
        };
        let given = options.read(args);
        if name == "runuser" && given.has(&["u", "user"]) && given.rest < args.len() {
            let inner = call.wrapping(args[given.rest..].to_vec(), via);
            return self.invoke(inner, scope);
        }
        // Without a command it is a shell that reads what it is given.
        self.reads_stdin(name, index, call, scope)
            .unwrap_or_else(|| Output::unknown(vec![index]))
    }

    /// Standard input, read as commands.
    fn reads_stdin(
        &mut self,
        name: &str,
        index: usize,
        call: &Call,
        scope: &Scope,
    ) -> Option<Output> {
        let via = if name == "su" {
            Via::Root(name.to_owned())
        } else {
            Via::Wrapper(name.to_owned())
        };
        self.stdin_text(index, call, via, scope)
    }

    fn stdin_text(&mut self, index: usize, call: &Call, via: Via, scope: &Scope) -> Option<Output> {
        match call.input() {
            Some(text) => {
                let word = Word {
                    span: call.span,
                    from: call.sources.clone(),
                    ..Word::literal(text)
                };
                Some(self.wrapped_text(&word, index, call, via, scope))
            }
            None if call.sources.is_empty() => None,
            None => {
                self.executes(
                    index,
                    Executes::Unknown {
                        from: call.sources.clone(),
                    },
                );
                Some(Output::unknown(vec![index]))
            }
        }
    }

    /// Keys sent to a terminal are commands once they end in Enter.
    fn send_keys(&mut self, index: usize, call: &Call, scope: &Scope) -> Output {
        let options = Options {
            shorts: "tNpSLfcX",
            longs: Longs::Valued(&[]),
        };
        let verb = call
            .args()
            .iter()
            .position(|word| matches!(word.text.as_str(), "send-keys" | "send" | "stuff"))
            .unwrap_or(0);
        let args = &call.args()[verb + 1..];
        let keys: Vec<Word> = args[options.read(args).rest..]
            .iter()
            .filter(|word| {
                !matches!(
                    word.text.as_str(),
                    "Enter" | "C-m" | "KPEnter" | "C-j" | "C-c"
                )
            })
            .map(|word| {
                with_text(
                    word,
                    word.text
                        .trim_end_matches("\\n")
                        .trim_end_matches("^M")
                        .trim_end_matches("\\015"),
                )
            })
            .collect();
        let program = self.script.commands[index].program.clone();
        self.wrapped_text(&joined(&keys), index, call, Via::Wrapper(program), scope)
    }

    /// `vim -c ':!command'`
    fn editor(&mut self, name: &str, index: usize, call: &Call, scope: &Scope) -> Option<Output> {
        let mut any = false;
        for word in call.args() {
            let command = word
                .text
                .trim_start_matches('+')
                .trim_start_matches(':')
                .strip_prefix('!');
            if let Some(command) = command {
                let text = with_text(word, command);
                self.wrapped_text(&text, index, call, Via::Wrapper(name.to_owned()), scope);
                any = true;
            }
        }
        any.then(|| Output::unknown(vec![index]))
    }

    /// Options that name a command: `tar --to-command`, `rsync -e`.
    fn helper_option(
        &mut self,
        name: &str,
        index: usize,
        call: &Call,
        scope: &Scope,
    ) -> Option<Output> {
        let long = [
            "--to-command=",
            "--checkpoint-action=exec=",
            "--use-compress-program=",
            "--rsh=",
        ];
        let attached = call.args().iter().find_map(|word| {
            long.iter()
                .find_map(|option| word.text.strip_prefix(option))
                .map(|text| with_text(word, text))
        });
        let separate: &[&str] = if name == "rsync" {
            &["e", "rsh"]
        } else {
            &["to-command", "use-compress-program"]
        };
        let text = attached.or_else(|| trailing_option(call.args(), separate))?;
        self.wrapped_text(&text, index, call, Via::Wrapper(name.to_owned()), scope);
        Some(Output::unknown(vec![index]))
    }

    /// `expect -c`: `spawn`, `exec` and `system` at the start of a line or a statement.
    fn expect(&mut self, index: usize, call: &Call, scope: &Scope) -> Option<Output> {
        let text = trailing_option(call.args(), &["c"])?;
        for statement in text.text.split(['\n', ';', '{', '}']) {
            let statement = statement.trim();
            let command = ["spawn ", "exec ", "system "]
                .iter()
                .find_map(|word| statement.strip_prefix(word));
            if let Some(command) = command {
                let word = with_text(&text, command);
                self.wrapped_text(&word, index, call, Via::Wrapper("expect".to_owned()), scope);
            }
        }
        Some(Output::unknown(vec![index]))
    }
}

/// Whether the wrapper's subcommand stands here, with its options and where they start.
fn begin<'w>(wrapper: &'w Wrapper, args: &[Word]) -> Option<(&'w Wrapper, Given, usize)> {
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

fn via(wrapper: &Wrapper, target: Option<&Word>) -> Via {
    match (wrapper.kind, target) {
        (Kind::Plain, _) => Via::Wrapper(wrapper.name.to_owned()),
        (Kind::Root, _) => Via::Root(wrapper.name.to_owned()),
        (Kind::Elsewhere, Some(target)) if wrapper.operands == 1 => {
            Via::Elsewhere(format!("{} {}", wrapper.name, target.text))
        }
        (Kind::Elsewhere, _) => Via::Elsewhere(wrapper.name.to_owned()),
    }
}

/// `NAME=value …` in front of a command.
fn take_assignments<'w>(mut rest: &'w [Word], inner: &mut Call) -> &'w [Word] {
    while let Some((first, after)) = rest.split_first() {
        let Some((name, value)) = first.text.split_once('=') else {
            break;
        };
        let plain = !name.is_empty()
            && name
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

/// The value of an option that may also stand after the operands; a letter may end a bundle.
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

/// Words as one text, the way `ssh` and `eval` join them.
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
