//! Evaluates shell builtins that change the shell's state.

use super::expanded_command::ExpandedCommand;
use super::options::{LongOptions, OptionSpec};
use super::scope::{ShellScope, ShellValue, VariableContent};
use super::simple_command::value_of;
use super::unwrap::joined;
use super::{Analyzer, CommandOutput, known_output};
use crate::command::{DoubtKind, Launcher, UNKNOWN, Word};

/// Maximum number of lines to distinguish.
const MAX_LINES: usize = 256;

impl Analyzer<'_> {
    /// Evaluates a builtin; `None` if the command is not a builtin that needs evaluation.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        index: usize,
        call: &ExpandedCommand,
        scope: &mut ShellScope,
    ) -> Option<CommandOutput> {
        let nothing = Some(CommandOutput::nothing());
        if matches!(
            name,
            "let" | "unset" | "test" | "[" | "[[" | "printf" | "read" | "declare"
        ) {
            for word in call.args().iter().filter(|_| !names_format(name, call)) {
                self.subscript(&word.text, call.span);
            }
        }
        match name {
            "cd" | "chdir" => self.cd(call.args(), scope),
            "pushd" => {
                let here = scope.cwd.clone();
                scope.stack.push(here);
                self.cd(call.args(), scope);
            }
            "popd" => {
                scope.old_cwd.clone_from(&scope.cwd);
                scope.cwd = scope.stack.pop().flatten();
            }
            "unset" => {
                for word in call
                    .args()
                    .iter()
                    .filter(|word| !word.text.starts_with('-'))
                {
                    scope.unset(&word.text);
                    scope.functions.retain(|(name, _)| *name != word.text);
                }
            }
            "unalias" => scope.aliases.retain(|(name, _)| {
                !call
                    .args()
                    .iter()
                    .any(|word| word.text == *name || word.text == "-a")
            }),
            "alias" => {
                for word in call.args() {
                    if let Some((alias, text)) = word.text.split_once('=') {
                        scope.aliases.retain(|(known, _)| known != alias);
                        scope.aliases.push((alias.to_owned(), text.to_owned()));
                    }
                }
            }
            "read" => Self::read(call, scope),
            "mapfile" | "readarray" => {
                let name = call
                    .args()
                    .last()
                    .filter(|word| !word.text.starts_with('-'))
                    .map_or("MAPFILE", |word| word.text.as_str());
                let values = match call.input() {
                    Some(text) => lines_of(text),
                    None => vec![ShellValue::unknown(call.sources.clone())],
                };
                scope.set(name, VariableContent::Many(values));
            }
            "getopts" => {
                if let Some(name) = call.args().get(1) {
                    Self::set_unknown(&name.text, &[], scope);
                }
                Self::set_unknown("OPTARG", &[], scope);
            }
            "set" => set_arguments(call.args(), scope),
            "shift" => shift(call.args(), scope),
            "eval" => return Some(self.eval(index, call, scope)),
            "source" | "." => return Some(self.source(index, call, scope)),
            "trap" => self.trap(index, call),
            "exec" => return Some(self.wrapped_words(name, call, "a", scope)),
            "command" => return Some(self.command_builtin(index, call, scope)),
            "builtin" | "noglob" | "nocorrect" | "-" | "--" => {
                return Some(self.wrapped_words(name, call, "", scope));
            }
            "printf" if call.args().first().is_some_and(|word| word.text == "-v") => {
                let text = known_output::known(
                    "printf",
                    call.args().get(2..).unwrap_or_default(),
                    None,
                    None,
                    self.location,
                );
                let name = call
                    .args()
                    .get(1)
                    .map(|word| word.text.clone())
                    .unwrap_or_default();
                match text {
                    Some(text) => scope.set_one(&name, ShellValue::known(text)),
                    None => Self::set_unknown(&name, &[], scope),
                }
            }
            "export" if call.args().first().is_some_and(|word| word.text == "-f") => {
                let names = call.args()[1..].iter().map(|word| word.text.clone());
                scope.exported_functions.extend(names);
            }
            "hash" if call.args().first().is_some_and(|word| word.text == "-p") => {
                if let [_, path, name, ..] = call.args() {
                    scope.aliases.push((name.text.clone(), path.text.clone()));
                }
            }
            "enable" if call.args().iter().any(|word| word.text == "-f") => self.doubt(
                DoubtKind::Unclear,
                "a builtin that is loaded from a file",
                call.span,
            ),
            "export" | "declare" | "typeset" | "local" | "readonly" | ":" | "true" | "false"
            | "test" | "[" | "exit" | "return" | "shopt" | "wait" | "break" | "continue"
            | "hash" | "umask" | "setopt" | "unsetopt" => {}
            _ => return None,
        }
        nothing
    }

    fn cd(&mut self, args: &[Word], scope: &mut ShellScope) {
        let operand = args
            .iter()
            .find(|word| word.text == "-" || !word.text.starts_with('-'));
        let before = scope.cwd.clone();
        scope.cwd = match operand {
            None => Some(self.home(scope))
                .filter(ShellValue::is_known)
                .map(|value| value.text),
            Some(word) if word.text == "-" => scope.old_cwd.clone(),
            Some(word) if word.text.contains(UNKNOWN) || word.glob => None,
            Some(word) => Self::absolute(scope, &word.text),
        };
        scope.old_cwd = before;
    }

    /// `read name …`: reads known text line by line; the variables are unknown otherwise.
    fn read(call: &ExpandedCommand, scope: &mut ShellScope) {
        let options = OptionSpec {
            shorts: "adinNptu",
            longs: LongOptions::Valued(&[]),
        };
        let given = options.read(call.args());
        let mut names: Vec<String> = call.args()[given.rest..]
            .iter()
            .map(|word| word.text.clone())
            .collect();
        if let Some(array) = given.value(&["a"]) {
            names.push(array.text.clone());
        }
        if names.is_empty() {
            names.push("REPLY".to_owned());
        }
        let Some(text) = call.input().filter(|text| !text.contains(UNKNOWN)) else {
            for name in &names {
                Self::set_unknown(name, &call.sources, scope);
            }
            return;
        };
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .take(16)
            .collect();
        let [name] = names.as_slice() else {
            let given = call.env.iter().find(|(name, _)| name == "IFS");
            let separators: Vec<char> = given.map_or_else(
                || vec![' ', '\t'],
                |(_, value)| value.text.chars().collect(),
            );
            read_fields(&names, &lines, &separators, scope);
            return;
        };
        let values = lines
            .iter()
            .map(|line| VariableContent::One(ShellValue::known(line.trim())))
            .collect::<Vec<_>>();
        if values.is_empty() {
            scope.set_one(name, ShellValue::default());
        } else {
            scope.set_any(name, values);
        }
    }

    fn eval(
        &mut self,
        index: usize,
        call: &ExpandedCommand,
        scope: &mut ShellScope,
    ) -> CommandOutput {
        if call.args().is_empty() {
            return CommandOutput::nothing();
        }
        let word = joined(call.args());
        scope.via.push(Launcher::Wrapper("eval".to_owned()));
        let output = self.run_text(&value_of(word.clone()), word.span, index, scope);
        scope.via.pop();
        output
    }

    /// Defers a trap to the end of the text, when every function is known.
    fn trap(&mut self, index: usize, call: &ExpandedCommand) {
        let text = call
            .args()
            .iter()
            .find(|word| word.text != "--")
            .filter(|word| !word.text.starts_with('-'));
        if let (Some(text), true) = (text, call.args().len() > 1) {
            self.traps.push((text.clone(), call.clone(), index));
        }
    }

    fn command_builtin(
        &mut self,
        index: usize,
        call: &ExpandedCommand,
        scope: &mut ShellScope,
    ) -> CommandOutput {
        let asks = call
            .args()
            .first()
            .is_some_and(|word| matches!(word.text.as_str(), "-v" | "-V" | "-pv" | "-pV"));
        if asks {
            return CommandOutput {
                text: call.args().get(1).map(|word| format!("{}\n", word.text)),
                from: vec![index],
            };
        }
        self.wrapped_words("command", call, "", scope)
    }

    /// Evaluates a builtin that runs the words after its options, bypassing functions.
    fn wrapped_words(
        &mut self,
        name: &str,
        call: &ExpandedCommand,
        shorts: &'static str,
        scope: &mut ShellScope,
    ) -> CommandOutput {
        let options = OptionSpec {
            shorts,
            longs: LongOptions::Valued(&[]),
        };
        let rest = options.read(call.args()).rest;
        let words = call.args()[rest..].to_vec();
        if words.is_empty() {
            return CommandOutput::nothing();
        }
        let inner = call.wrapping(words, Launcher::Wrapper(name.to_owned()));
        let span = call.span;
        self.deeper(span, |analyzer| analyzer.program_call(inner, scope))
            .unwrap_or_default()
    }
}

/// `printf` formats often contain brackets; only `printf -v` takes a name.
fn names_format(name: &str, call: &ExpandedCommand) -> bool {
    name == "printf" && call.args().first().is_none_or(|word| word.text != "-v")
}

/// A loop reads every line, so a variable may hold the field of any line.
fn read_fields(names: &[String], lines: &[&str], separators: &[char], scope: &mut ShellScope) {
    let mut rests: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    if rests.is_empty() {
        rests.push("");
    }
    for (at, name) in names.iter().enumerate() {
        let last = at + 1 == names.len();
        let mut all = Vec::new();
        for rest in &mut rests {
            let (field, after) = match rest.split_once(separators) {
                Some((field, after)) if !last => (field, after.trim_start()),
                _ => (*rest, ""),
            };
            let content = VariableContent::One(ShellValue::known(field));
            if !all.contains(&content) {
                all.push(content);
            }
            *rest = after;
        }
        scope.set_any(name, all);
    }
}

/// All lines; lines beyond the limit are unknown.
fn lines_of(text: &str) -> Vec<ShellValue> {
    let mut lines = text.lines();
    let mut values: Vec<ShellValue> = lines
        .by_ref()
        .take(MAX_LINES)
        .map(ShellValue::known)
        .collect();
    values.extend(lines.next().map(|_| ShellValue::unknown(Vec::new())));
    values
}

fn set_arguments(args: &[Word], scope: &mut ShellScope) {
    let start = match args.iter().position(|word| word.text == "--") {
        Some(at) => at + 1,
        None => match args
            .iter()
            .position(|word| !word.text.starts_with(['-', '+']))
        {
            Some(0) => 0,
            _ => return,
        },
    };
    scope.arguments = Some(args[start..].iter().cloned().map(value_of).collect());
}

fn shift(args: &[Word], scope: &mut ShellScope) {
    let count = args
        .first()
        .map_or(Some(1), |word| word.text.parse::<usize>().ok());
    match (count, &mut scope.arguments) {
        (Some(count), Some(arguments)) => {
            arguments.drain(..count.min(arguments.len()));
        }
        _ => scope.arguments = None,
    }
}
