//! `xargs` and `parallel`: commands with operands from standard input.

use super::expanded_command::ExpandedCommand;
use super::options::{LongOptions, OptionSpec, with_text};
use super::scope::ShellScope;
use super::unwrap::joined;
use super::{Analyzer, CommandOutput};
use crate::command::{ExecutedCode, Launcher, UNKNOWN, Word};

/// Maximum number of items to analyze separately.
const MAX_ITEMS: usize = 64;

const XARGS: OptionSpec = OptionSpec {
    shorts: "ILnPsdEaRSJ",
    longs: LongOptions::Valued(&[
        "max-args",
        "max-procs",
        "max-chars",
        "delimiter",
        "arg-file",
        "max-lines",
        "process-slot-var",
    ]),
};

const PARALLEL: OptionSpec = OptionSpec {
    shorts: "jSaICdnNLs",
    longs: LongOptions::Valued(&[
        "jobs",
        "sshlogin",
        "arg-file",
        "colsep",
        "delimiter",
        "max-args",
        "max-procs",
        "results",
        "joblog",
        "delay",
        "timeout",
        "workdir",
        "retries",
        "tmpdir",
        "load",
        "memfree",
        "halt",
        "basefile",
        "return",
    ]),
};

impl Analyzer<'_> {
    pub(super) fn xargs(
        &mut self,
        index: usize,
        call: &ExpandedCommand,
        scope: &mut ShellScope,
    ) -> CommandOutput {
        let given = XARGS.read(call.args());
        let mut words = call.args()[given.rest..].to_vec();
        if words.is_empty() {
            words.push(Word::literal("echo"));
        }
        let replaced = given
            .value(&["I", "J"])
            .map(|word| word.text.clone())
            .or_else(|| given.value(&["replace"]).map(|word| word.text.clone()))
            .or_else(|| given.has(&["i", "replace"]).then(|| "{}".to_owned()));
        let file = given.value(&["a", "arg-file"]);
        let text = file.and_then(|file| self.file_text(&file.text, scope));
        let input = if file.is_some() {
            text.as_deref()
        } else {
            call.input()
        };
        let known = input
            .filter(|text| !text.contains(UNKNOWN))
            .map(str::to_owned);
        let items: Vec<Word> = match &known {
            Some(text) => split(
                text,
                given.value(&["d", "delimiter"]),
                given.has(&["0", "null"]),
                replaced.is_some(),
            ),
            None => Vec::new(),
        };
        let mut inner = call.wrapping(words, Launcher::Wrapper("xargs".to_owned()));
        inner.stdin = crate::command::Stdin::Inherited;
        inner.sources.clear();
        match (&known, replaced) {
            (Some(_), Some(mark)) => {
                for item in items.iter().take(MAX_ITEMS) {
                    let mut one = inner.clone();
                    replace(&mut one.words, &mark, item);
                    self.invoke(one, scope);
                }
                if items.len() > MAX_ITEMS {
                    self.too_many_items("`xargs` receives too many items to be analyzed", call);
                }
            }
            (Some(_), None) => {
                inner.words.extend(items);
                self.invoke(inner, scope);
            }
            (None, replaced) => {
                inner.more_operands = true;
                let unknown = Word {
                    from: call.sources.clone(),
                    ..Word::literal(UNKNOWN)
                };
                match replaced {
                    Some(mark) => replace(&mut inner.words, &mark, &unknown),
                    None => Self::trailing_code(&mut inner, &unknown),
                }
                self.invoke(inner, scope);
            }
        }
        CommandOutput::unknown(vec![index])
    }

    fn too_many_items(&mut self, what: &str, call: &ExpandedCommand) {
        self.doubt(crate::command::DoubtKind::Bounds, what, call.span);
    }

    /// `… | xargs sh -c`: the input is the shell text itself.
    fn trailing_code(inner: &mut ExpandedCommand, unknown: &Word) {
        let ends_in_option = inner
            .words
            .last()
            .is_some_and(|word| word.text.starts_with('-') && word.text.ends_with('c'));
        let shell = inner
            .words
            .iter()
            .any(|word| super::programs::is_shell(super::path::base_name(&word.text)));
        if shell && ends_in_option {
            inner.words.push(unknown.clone());
        }
    }

    pub(super) fn parallel(
        &mut self,
        index: usize,
        call: &ExpandedCommand,
        scope: &mut ShellScope,
    ) -> CommandOutput {
        let given = PARALLEL.read(call.args());
        let rest = &call.args()[given.rest..];
        let end = rest
            .iter()
            .position(|word| matches!(word.text.as_str(), ":::" | ":::+" | "::::" | "::::+"))
            .unwrap_or(rest.len());
        let (command, operands) = rest.split_at(end);
        let via = || Launcher::Wrapper("parallel".to_owned());
        let literal = operands.first().is_some_and(|word| word.text == ":::");
        let items: Vec<Word> = operands
            .iter()
            .filter(|word| !matches!(word.text.as_str(), ":::" | ":::+" | "::::" | "::::+"))
            .take(MAX_ITEMS)
            .cloned()
            .collect();
        if operands.len() > MAX_ITEMS {
            self.too_many_items("`parallel` receives too many items to be analyzed", call);
        }
        if command.is_empty() {
            // Every item is a separate command.
            for item in items.iter().filter(|_| literal) {
                self.wrapped_text(item, index, call, via(), scope);
            }
            if !literal && !call.sources.is_empty() {
                match call.input().map(Word::literal) {
                    Some(text) => drop(self.wrapped_text(&text, index, call, via(), scope)),
                    None => self.executes(
                        index,
                        ExecutedCode::Unknown {
                            from: call.sources.clone(),
                        },
                    ),
                }
            }
            return CommandOutput::unknown(vec![index]);
        }
        let text = joined(command);
        let unknown = vec![Word::literal(UNKNOWN)];
        let before = self.script.commands.len();
        for item in if literal { &items } else { &unknown } {
            let line = if text.text.contains("{}") {
                text.text.replace("{}", &item.text)
            } else {
                format!("{} {}", text.text, item.text)
            };
            self.wrapped_text(&with_text(&text, &line), index, call, via(), scope);
        }
        if !literal {
            for command in &mut self.script.commands[before..] {
                command.more_operands = true;
            }
        }
        CommandOutput::unknown(vec![index])
    }
}

fn replace(words: &mut [Word], mark: &str, item: &Word) {
    if mark.is_empty() {
        return;
    }
    for word in words {
        if word.text.contains(mark) {
            word.text = word.text.replace(mark, &item.text);
            word.from.extend(&item.from);
        }
    }
}

/// Splits input like `xargs`.
fn split(text: &str, delimiter: Option<&Word>, null: bool, lines: bool) -> Vec<Word> {
    let pieces: Vec<&str> = match delimiter.and_then(|word| word.text.chars().next()) {
        Some('\\') => text.split('\n').collect(),
        Some(delimiter) => text.split(delimiter).collect(),
        None if null => text.split('\0').collect(),
        None if lines => text.lines().map(str::trim).collect(),
        None => text.split_whitespace().collect(),
    };
    pieces
        .into_iter()
        .map(|piece| piece.trim_end_matches('\n').trim_matches(['"', '\'']))
        .filter(|piece| !piece.is_empty())
        .map(Word::literal)
        .collect()
}
