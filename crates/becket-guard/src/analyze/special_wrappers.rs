//! Wrappers that the table cannot describe.

use super::expanded_command::ExpandedCommand;
use super::options::{LongOptions, OptionSpec, ParsedOptions, with_text};
use super::path::absolute;
use super::scope::ShellScope;
use super::unwrap::{joined, take_assignments, trailing_option};
use super::{Analyzer, CommandOutput};
use crate::command::{ExecutedCode, Launcher, Word};
use crate::shell::ast;
use crate::shell::parse_nested;

const ENV: OptionSpec = OptionSpec {
    shorts: "uCSa",
    longs: LongOptions::Valued(&["unset", "chdir", "split-string", "argv0"]),
};

impl Analyzer<'_> {
    pub(super) fn env(&mut self, call: &ExpandedCommand, scope: &mut ShellScope) -> CommandOutput {
        let mut args = call.args().to_vec();
        let given = ENV.read(&args);
        if let Some(text) = given.value(&["S", "split-string"]) {
            // The text replaces the option; the following words stay.
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
        given: &ParsedOptions,
        rest: &[Word],
        call: &ExpandedCommand,
        scope: &mut ShellScope,
    ) -> CommandOutput {
        let mut inner = call.wrapping(Vec::new(), Launcher::Wrapper("env".to_owned()));
        if let Some(directory) = given.value(&["C", "chdir"]) {
            inner.cwd = absolute(inner.cwd.as_deref(), &directory.text);
        }
        let lone_dash = rest.first().is_some_and(|word| word.text == "-");
        let rest = take_assignments(&rest[usize::from(lone_dash)..], &mut inner);
        if rest.is_empty() {
            return CommandOutput::unknown(vec![self.script.commands.len() - 1]);
        }
        inner.words = rest.to_vec();
        self.invoke(inner, scope)
    }

    /// Splits a text like a shell, without running anything in it.
    fn split_words(&mut self, text: &Word, scope: &mut ShellScope) -> Vec<Word> {
        let list = parse_nested(&text.text, Some(text.span), 0).list;
        let simple = list
            .items
            .into_iter()
            .next()
            .and_then(|item| item.pipelines.into_iter().next())
            .and_then(|(_, pipeline)| pipeline.stages.into_iter().next());
        match simple.map(|command| command.kind) {
            Some(ast::CommandKind::Simple(simple)) => {
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
    pub(super) fn su(
        &mut self,
        name: &str,
        index: usize,
        call: &ExpandedCommand,
        scope: &mut ShellScope,
    ) -> CommandOutput {
        let args = call.args();
        let text = trailing_option(args, &["c", "command", "session-command"]);
        let via = Launcher::Root(name.to_owned());
        if let Some(text) = text {
            return self.wrapped_text(&text, index, call, via, scope);
        }
        let options = OptionSpec {
            shorts: "ugGswT",
            longs: LongOptions::Valued(&[
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
        // Without a command it is a shell that reads standard input.
        self.reads_stdin(name, index, call, scope)
            .unwrap_or_else(|| CommandOutput::unknown(vec![index]))
    }

    /// Analyzes standard input as commands.
    pub(super) fn reads_stdin(
        &mut self,
        name: &str,
        index: usize,
        call: &ExpandedCommand,
        scope: &ShellScope,
    ) -> Option<CommandOutput> {
        let via = if name == "su" {
            Launcher::Root(name.to_owned())
        } else {
            Launcher::Wrapper(name.to_owned())
        };
        self.stdin_text(index, call, via, scope)
    }

    pub(super) fn stdin_text(
        &mut self,
        index: usize,
        call: &ExpandedCommand,
        via: Launcher,
        scope: &ShellScope,
    ) -> Option<CommandOutput> {
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
                    ExecutedCode::Unknown {
                        from: call.sources.clone(),
                    },
                );
                Some(CommandOutput::unknown(vec![index]))
            }
        }
    }

    /// Keys sent to a terminal are commands if they end in Enter.
    pub(super) fn send_keys(
        &mut self,
        index: usize,
        call: &ExpandedCommand,
        scope: &ShellScope,
    ) -> CommandOutput {
        let options = OptionSpec {
            shorts: "tNpSLfcX",
            longs: LongOptions::Valued(&[]),
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
        self.wrapped_text(
            &joined(&keys),
            index,
            call,
            Launcher::Wrapper(program),
            scope,
        )
    }

    /// `sed '1e command'`, `sed 's/x/command/e'`
    pub(super) fn sed(
        &mut self,
        name: &str,
        index: usize,
        call: &ExpandedCommand,
        scope: &ShellScope,
    ) -> Option<CommandOutput> {
        let mut any = false;
        for word in call.args() {
            let mut commands: Vec<&str> = executed_replacement(&word.text).into_iter().collect();
            for statement in word.text.split([';', '\n', '{']) {
                let statement = statement.trim_start_matches(|c: char| {
                    c.is_ascii_digit() || c == '$' || c == ',' || c == ' '
                });
                commands.extend(statement.strip_prefix("e "));
            }
            for command in commands {
                let text = with_text(word, command);
                self.wrapped_text(
                    &text,
                    index,
                    call,
                    Launcher::Wrapper(name.to_owned()),
                    scope,
                );
                any = true;
            }
        }
        any.then(|| CommandOutput::unknown(vec![index]))
    }

    /// `vim -c ':!command'`
    pub(super) fn editor(
        &mut self,
        name: &str,
        index: usize,
        call: &ExpandedCommand,
        scope: &ShellScope,
    ) -> Option<CommandOutput> {
        let mut any = false;
        for word in call.args() {
            let text = word.text.trim_start_matches('+').trim_start_matches(':');
            let command = text.strip_prefix('!').or_else(|| called_shell(text));
            if let Some(command) = command {
                let text = with_text(word, command);
                self.wrapped_text(
                    &text,
                    index,
                    call,
                    Launcher::Wrapper(name.to_owned()),
                    scope,
                );
                any = true;
            }
        }
        any.then(|| CommandOutput::unknown(vec![index]))
    }

    /// `expect -c`: `spawn`, `exec` and `system` at the start of a line or a statement.
    pub(super) fn expect(
        &mut self,
        index: usize,
        call: &ExpandedCommand,
        scope: &ShellScope,
    ) -> Option<CommandOutput> {
        let text = trailing_option(call.args(), &["c"])?;
        for statement in text.text.split(['\n', ';', '{', '}']) {
            let statement = statement.trim();
            let command = ["spawn ", "exec ", "system "]
                .iter()
                .find_map(|word| statement.strip_prefix(word));
            if let Some(command) = command {
                let word = with_text(&text, command);
                self.wrapped_text(
                    &word,
                    index,
                    call,
                    Launcher::Wrapper("expect".to_owned()),
                    scope,
                );
            }
        }
        Some(CommandOutput::unknown(vec![index]))
    }
}

/// The replacement that `s/…/…/e` executes.
fn executed_replacement(script: &str) -> Option<&str> {
    let start = script.find('s')?;
    let rest = &script[start + 1..];
    let separator = rest.chars().next().filter(char::is_ascii_punctuation)?;
    let mut parts = rest[1..].splitn(3, separator);
    let (_, replacement, flags) = (parts.next()?, parts.next()?, parts.next()?);
    let flags = flags.split([';', '\n', '}', ' ']).next()?;
    let is_flags = flags.chars().all(|flag| flag.is_ascii_alphanumeric());
    (is_flags && flags.contains('e') && !replacement.is_empty()).then_some(replacement)
}

/// `call system("command")`, `lua os.execute("command")`
fn called_shell(text: &str) -> Option<&str> {
    let (_, rest) = ["system(", "os.execute(", "systemlist(", "jobstart("]
        .iter()
        .find_map(|call| text.split_once(call))?;
    let quote = rest
        .chars()
        .next()
        .filter(|quote| matches!(quote, '"' | '\''))?;
    rest[1..].split(quote).next()
}
