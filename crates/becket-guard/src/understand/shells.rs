//! Shells, scripts and texts: whatever reads commands from somewhere.

use super::call::Call;
use super::options::{Longs, Options};
use super::run::value_of;
use super::scope::{Scope, Value};
use super::{Output, Walker, Written, interpreters};
use crate::command::{DoubtKind, Executes, Span, Stdin, UNKNOWN, Via, Word};
use crate::facts::Found;

const SHELL: Options = Options {
    shorts: "oO",
    longs: Longs::Valued(&["rcfile", "init-file", "command"]),
};

/// Where the text of a script is.
pub(super) enum Source {
    /// Written in the same text.
    Here(Value),
    /// On disk.
    Disk(String),
    /// Made by these commands.
    By(Vec<usize>),
    /// Nobody has told.
    Untold,
}

impl Walker<'_> {
    /// `bash`, `sh` …: with `-c`, a file, or standard input.
    pub(super) fn shell(
        &mut self,
        name: &str,
        index: usize,
        call: &Call,
        scope: &mut Scope,
    ) -> Output {
        // `+x` takes an option back and stands where options stand.
        let args: Vec<Word> = call
            .args()
            .iter()
            .filter(|word| word.text.len() != 2 || !word.text.starts_with('+'))
            .cloned()
            .collect();
        let given = SHELL.read(&args);
        let operands = &args[given.rest..];
        if let Some(file) = given.value(&["rcfile", "init-file"]).cloned() {
            self.file(&file, index, call, Some(name), scope);
        }
        let via = Via::Wrapper(name.to_owned());
        let long = given.value(&["command"]).cloned();
        if given.has(&["c"]) || long.is_some() {
            let (text, rest) = match (long, operands.split_first()) {
                (Some(text), _) => (text, operands),
                (None, Some((text, rest))) => (text.clone(), rest),
                (None, None) => return Output::unknown(vec![index]),
            };
            let mut inner = call.scope(scope, Some(via));
            let mut arguments: Vec<Value> = rest.iter().skip(1).cloned().map(value_of).collect();
            if call.more_operands {
                arguments.push(Value::unknown(call.sources.clone()));
            }
            inner.arguments = Some(arguments);
            inner.zero = rest.first().cloned().map(value_of);
            inner.only_exported_functions();
            return self.run_text(&value_of(text.clone()), text.span, index, &mut inner);
        }
        match operands.split_first() {
            Some((file, rest)) if !given.has(&["s"]) && file.text != "-" => {
                let mut call = call.clone();
                call.words.truncate(1);
                call.words.extend(rest.iter().cloned());
                self.file(file, index, &call, Some(name), scope)
            }
            _ => self.shell_input(name, index, call, operands, scope),
        }
    }

    /// A shell that reads its commands from standard input.
    fn shell_input(
        &mut self,
        name: &str,
        index: usize,
        call: &Call,
        operands: &[Word],
        scope: &Scope,
    ) -> Output {
        let redirected = call
            .input_file
            .clone()
            .filter(|_| call.stdin == Stdin::Inherited);
        let from_file = redirected.or_else(|| self.only_copied(call));
        if let Some(file) = from_file {
            let mut call = call.clone();
            call.words.truncate(1);
            return self.file(&file, index, &call, Some(name), &mut scope.clone());
        }
        let Some(text) = call.input() else {
            if !call.sources.is_empty() {
                self.executes(
                    index,
                    Executes::Unknown {
                        from: call.sources.clone(),
                    },
                );
            }
            return Output::unknown(vec![index]);
        };
        let value = Value::new(text.to_owned(), call.sources.clone());
        let via = if call.sources.is_empty() {
            Via::Wrapper(name.to_owned())
        } else {
            Via::Interpreter(name.to_owned())
        };
        let mut inner = call.scope(scope, Some(via));
        (inner.stdin, inner.sources, inner.input_file) = (Stdin::Inherited, Vec::new(), None);
        inner.arguments = Some(operands.iter().cloned().map(value_of).collect());
        inner.only_exported_functions();
        self.run_text(&value, call.span, index, &mut inner)
    }

    /// `cat file | sh` is `sh file`.
    pub(super) fn only_copied(&self, call: &Call) -> Option<Word> {
        let [source] = call.sources.as_slice() else {
            return None;
        };
        let cat = self
            .script
            .commands
            .get(*source)
            .filter(|command| command.program == "cat" && command.is_local())?;
        match (cat.args.as_slice(), &call.stdin) {
            ([file], Stdin::Pipe(_))
                if !file.text.starts_with('-') && file.from.is_empty() && !file.glob =>
            {
                Some(file.clone())
            }
            _ => None,
        }
    }

    /// Runs text in a scope that is ready for it.
    pub(super) fn run_text(
        &mut self,
        value: &Value,
        span: Span,
        index: usize,
        scope: &mut Scope,
    ) -> Output {
        let nothing_known = value
            .text
            .chars()
            .all(|character| character == UNKNOWN || character.is_whitespace());
        if nothing_known {
            if !value.text.trim().is_empty() {
                self.executes(
                    index,
                    Executes::Unknown {
                        from: value.from.clone(),
                    },
                );
            }
            return Output::unknown(vec![index]);
        }
        self.executes(index, Executes::Known);
        let before = self.script.commands.len();
        let mut output = self.text(&value.text, span, scope);
        let unknown_program = self.script.commands[before..]
            .iter()
            .any(|command| command.program.starts_with(UNKNOWN));
        if unknown_program && !value.from.is_empty() {
            self.executes(
                index,
                Executes::Unknown {
                    from: value.from.clone(),
                },
            );
        }
        if output.from.is_empty() {
            output.from.push(index);
        }
        output
    }

    /// `source file`
    pub(super) fn source(&mut self, index: usize, call: &Call, scope: &mut Scope) -> Output {
        let Some(file) = call.args().iter().find(|word| word.text != "--").cloned() else {
            return Output::nothing();
        };
        let path = Self::absolute(scope, &file.text).unwrap_or_else(|| file.text.clone());
        match self.source_for(&path, &file, call) {
            Source::Here(value) => {
                scope.via.push(Via::Wrapper("source".to_owned()));
                let output = self.run_text(&value, call.span, index, scope);
                scope.via.pop();
                output
            }
            Source::Disk(text) => {
                scope.via.push(Via::File(path));
                let output = self.run_text(&Value::known(text), call.span, index, scope);
                scope.via.pop();
                output
            }
            source => {
                self.unread(&source, &path, call);
                self.unseen(source, path, &file, index)
            }
        }
    }

    /// A script that is run by a shell or an interpreter, or by its first line when `runner` is `None`.
    pub(super) fn file(
        &mut self,
        file: &Word,
        index: usize,
        call: &Call,
        runner: Option<&str>,
        scope: &mut Scope,
    ) -> Output {
        let path = Self::absolute(scope, &file.text).unwrap_or_else(|| file.text.clone());
        let (value, via) = match self.source_for(&path, file, call) {
            Source::Here(value) => (value, None),
            Source::Disk(text) => (Value::known(text), Some(Via::File(path.clone()))),
            source => {
                if runner.is_none_or(super::programs::is_shell) {
                    self.unread(&source, &path, call);
                }
                return self.unseen(source, path, file, index);
            }
        };
        let running = call
            .via
            .iter()
            .any(|other| matches!(other, Via::File(known) if *known == path));
        if running {
            return Output::unknown(vec![index]);
        }
        let runner = runner.or_else(|| shebang(&value.text)).unwrap_or("sh");
        if let Some(language) = interpreters::language(runner) {
            let mut call = call.clone();
            call.via.extend(via);
            return self.code(language, runner, &value, index, &call, scope);
        }
        let via = via.unwrap_or_else(|| Via::Interpreter(runner.to_owned()));
        let mut inner = call.scope(scope, Some(via));
        inner.arguments = Some(call.args().iter().cloned().map(value_of).collect());
        inner.only_exported_functions();
        self.run_text(&value, call.span, index, &mut inner)
    }

    /// A script for a shell that is there and yet gives no text is too large, or written to be overlooked.
    fn unread(&mut self, source: &Source, path: &str, call: &Call) {
        let local = call.via.iter().all(|via| !matches!(via, Via::Elsewhere(_)));
        let untold = matches!(source, Source::Untold) && path.starts_with('/') && local;
        if untold && !path.contains(UNKNOWN) && self.facts.found(path) == Some(Found::File) {
            let what = "a script that is too large to be looked through, or is no text";
            self.doubt(DoubtKind::Bounds, what, call.span);
        }
    }

    fn unseen(&mut self, source: Source, path: String, file: &Word, index: usize) -> Output {
        let other_descriptor = file.from.is_empty()
            && (path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/"));
        if other_descriptor || matches!(&source, Source::By(from) if from.is_empty()) {
            self.doubt(
                DoubtKind::Unclear,
                "a script whose text comes in a way that is not followed",
                file.span,
            );
        }
        let executes = match source {
            Source::By(from) => Executes::Unknown { from },
            _ if !file.is_known() => Executes::Unknown {
                from: file.from.clone(),
            },
            _ => Executes::File(path),
        };
        self.executes(index, executes);
        Output::unknown(vec![index])
    }

    /// The same, where the script may be standard input.
    pub(super) fn source_for(&self, path: &str, file: &Word, call: &Call) -> Source {
        let standard_input = matches!(path, "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0");
        let elsewhere = call.via.iter().any(|via| matches!(via, Via::Elsewhere(_)));
        if elsewhere && !standard_input && call.input_file.as_ref() != Some(file) {
            return Source::Untold;
        }
        if !standard_input {
            return self.source_of(path, file);
        }
        match (call.input(), call.sources.is_empty()) {
            (Some(text), _) => Source::Here(Value {
                text: text.to_owned(),
                from: call.sources.clone(),
                glob: false,
            }),
            (None, false) => Source::By(call.sources.clone()),
            (None, true) => Source::Untold,
        }
    }

    /// What is known about a script's text.
    pub(super) fn source_of(&self, path: &str, file: &Word) -> Source {
        match self.files.iter().find(|(known, _)| known == path) {
            Some((_, Written::Text(value))) => return Source::Here(value.clone()),
            Some((_, Written::By(from))) => return Source::By(from.clone()),
            Some((_, Written::CopyOf(original))) => {
                return self
                    .facts
                    .script(original)
                    .map_or(Source::Untold, Source::Disk);
            }
            None => {}
        }
        if !file.is_known() || path.starts_with("/dev/") {
            return if file.from.is_empty() {
                Source::Untold
            } else {
                Source::By(file.from.clone())
            };
        }
        let here = path
            .starts_with('/')
            .then(|| self.facts.script(path))
            .flatten();
        here.map_or(Source::Untold, Source::Disk)
    }

    /// `./script`, `/path/to/script`: a program that may be a script. One without a first line that names its
    /// interpreter is run by the shell itself.
    pub(super) fn script_file(
        &mut self,
        index: usize,
        call: &Call,
        scope: &mut Scope,
    ) -> Option<Output> {
        let word = call.words.first()?.clone();
        let local = call.via.iter().all(|via| !matches!(via, Via::Elsewhere(_)));
        if !word.text.contains('/') || !local || in_system(&word.text) {
            return None;
        }
        let path = Self::absolute(scope, &word.text)?;
        match self.source_of(&path, &word) {
            Source::Untold => None,
            _ => Some(self.file(&word, index, call, None, scope)),
        }
    }

    /// Files that a command brings onto the machine: running them later is running what was brought.
    pub(super) fn downloads(&mut self, name: &str, index: usize, call: &Call, scope: &Scope) {
        let options = match name {
            "curl" => Options {
                shorts: "oHdXuAebFTxmKECcDQrtYyzPUw",
                longs: Longs::Valued(&["output"]),
            },
            "wget" => Options {
                shorts: "OoaePUitTwQlABDIXn",
                longs: Longs::Valued(&["output-document"]),
            },
            "cp" | "mv" | "install" | "ln" => return self.copies(index, call, scope),
            "dd" => {
                let output = call
                    .args()
                    .iter()
                    .find_map(|word| word.text.strip_prefix("of="));
                if let Some(path) = output.and_then(|output| Self::absolute(scope, output)) {
                    let output = Output {
                        text: call.input().map(str::to_owned),
                        from: vec![index],
                    };
                    self.written(path, output);
                }
                return;
            }
            "base64" | "openssl" | "xxd" | "gpg" | "aria2c" | "http" | "xh" | "fetch" => Options {
                shorts: "o",
                longs: Longs::Valued(&["out", "output"]),
            },
            _ => return,
        };
        let args = call.args();
        let (given, _) = options.read_all(args);
        let target = given
            .value(&["o", "O", "output", "output-document", "out"])
            .cloned();
        let named_after_url = (name == "curl"
            && given.has(&["O", "remote-name", "remote-name-all"]))
            || (name == "wget" && target.is_none());
        let targets = match target.filter(|_| !named_after_url) {
            Some(word) => vec![word.text],
            None if named_after_url => args
                .iter()
                .filter(|word| word.text.contains("://"))
                .map(|word| {
                    super::path::base_name(word.text.split(['?', '#']).next().unwrap_or_default())
                        .to_owned()
                })
                .collect(),
            None => Vec::new(),
        };
        for target in targets {
            if let Some(path) = Self::absolute(scope, &target) {
                self.written(path, Output::unknown(vec![index]));
            }
        }
    }

    /// A file that is copied or renamed keeps its text.
    fn copies(&mut self, index: usize, call: &Call, scope: &Scope) {
        let operands: Vec<&Word> = call
            .args()
            .iter()
            .filter(|word| !word.text.starts_with('-'))
            .collect();
        let [from, to] = operands.as_slice() else {
            return;
        };
        let (Some(from), Some(to)) = (
            Self::absolute(scope, &from.text),
            Self::absolute(scope, &to.text),
        ) else {
            return;
        };
        let copy = match self.files.iter().find(|(known, _)| *known == from) {
            Some((_, Written::Text(value))) => Output {
                text: Some(value.text.clone()),
                from: value.from.clone(),
            },
            Some((_, Written::By(by))) => {
                let mut by = by.clone();
                by.push(index);
                Output::unknown(by)
            }
            Some((_, Written::CopyOf(original))) => {
                let original = original.clone();
                self.files.push((to, Written::CopyOf(original)));
                return;
            }
            None => {
                self.files.retain(|(known, _)| *known != to);
                self.files.push((to, Written::CopyOf(from)));
                return;
            }
        };
        self.written(to, copy);
    }
}

/// The program that a script's first line names.
fn shebang(text: &str) -> Option<&str> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let mut words = line.split_whitespace();
    let first = super::path::base_name(words.next()?);
    if first == "env" {
        return words
            .find(|word| !word.starts_with('-') && !word.contains('='))
            .map(super::path::base_name);
    }
    Some(first)
}

fn in_system(path: &str) -> bool {
    [
        "/bin/",
        "/sbin/",
        "/usr/bin/",
        "/usr/sbin/",
        "/usr/local/bin/",
        "/opt/homebrew/bin/",
    ]
    .iter()
    .any(|prefix| path.starts_with(prefix))
}
