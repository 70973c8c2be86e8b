//! `python -c`, `node -e` and their kin: which text they run, and what it does to the world outside.

use super::call::Call;
use super::code::{self, Action, Language};
use super::options::{Longs, Options};
use super::scope::{Scope, Value};
use super::shells::Source;
use super::{Output, Walker};
use crate::command::{DoubtKind, Executes, Redirect, RedirectKind, Stdin, UNKNOWN, Via, Word};

/// The language that a program runs.
pub(super) fn language(name: &str) -> Option<Language> {
    let stem =
        name.trim_end_matches(|character: char| character.is_ascii_digit() || character == '.');
    Some(match stem {
        "python" | "pypy" | "python-" | "ipython" | "py" => Language::Python,
        "node" | "nodejs" | "deno" | "bun" | "tsx" | "ts-node" => Language::JavaScript,
        "perl" => Language::Perl,
        "ruby" | "jruby" => Language::Ruby,
        "php" => Language::Php,
        "lua" | "luajit" => Language::Lua,
        "awk" | "gawk" | "mawk" | "nawk" => Language::Awk,
        "osascript" => Language::AppleScript,
        "tclsh" | "wish" => Language::Tcl,
        _ => return None,
    })
}

/// Options with values, and those that hold program text.
fn options(language: Language) -> (Options, &'static [&'static str]) {
    let of = |shorts, longs| Options {
        shorts,
        longs: Longs::Valued(longs),
    };
    match language {
        Language::Python => (of("cmWXQ", &[]), &["c"]),
        Language::JavaScript => (
            of(
                "eprC",
                &[
                    "eval",
                    "print",
                    "require",
                    "import",
                    "loader",
                    "env-file",
                    "conditions",
                    "input-type",
                ],
            ),
            &["e", "p", "eval", "print"],
        ),
        Language::Perl => (of("eEIMmFC", &[]), &["e", "E"]),
        Language::Ruby => (of("eIrCEFKWT", &[]), &["e"]),
        Language::Php => (of("rcdfBREFzS", &["run"]), &["r", "run", "B", "R", "E"]),
        Language::Lua => (of("el", &[]), &["e"]),
        Language::Awk => (
            of(
                "Fvfie",
                &["field-separator", "assign", "file", "include", "source"],
            ),
            &["e", "source"],
        ),
        Language::AppleScript => (of("els", &[]), &["e"]),
        Language::Tcl => (of("e", &["encoding"]), &[]),
    }
}

impl Walker<'_> {
    pub(super) fn interpreter(
        &mut self,
        name: &str,
        index: usize,
        call: &Call,
        scope: &mut Scope,
    ) -> Option<Output> {
        let language = language(name)?;
        let (options, code_options) = options(language);
        let mut args = call.args();
        if matches!(name, "deno" | "bun") {
            match args.first().map(|word| word.text.as_str()) {
                Some("eval") => {
                    let text = args
                        .iter()
                        .skip(1)
                        .find(|word| !word.text.starts_with('-'))?;
                    let value = super::run::value_of(text.clone());
                    return Some(self.code(language, name, &value, index, call, scope));
                }
                Some("run")
                    if args
                        .iter()
                        .skip(1)
                        .any(|word| word.text.contains(['.', '/', UNKNOWN])) =>
                {
                    args = &args[1..];
                }
                Some("-e" | "--eval" | "-p" | "--print" | "-") | None => {}
                Some(file) if file.contains('.') || file.contains('/') => {}
                _ => return None,
            }
        }
        // `node -pe` is both, not `-p` with the text `e`.
        let both: Vec<Word>;
        if language == Language::JavaScript {
            both = args
                .iter()
                .map(|word| match word.text.as_str() {
                    "-pe" | "-ep" => super::options::with_text(word, "-p"),
                    _ => word.clone(),
                })
                .collect();
            args = &both;
        }
        let given = options.read(args);
        let texts: Vec<&Word> = given
            .options
            .iter()
            .filter(|(option, _)| code_options.contains(&option.as_str()))
            .filter_map(|(_, value)| value.as_ref())
            .collect();
        if !texts.is_empty() {
            let shows = language == Language::JavaScript && given.has(&["p", "print"]);
            let value = Value::new(
                texts
                    .iter()
                    .map(|word| word.text.as_str())
                    .map(|text| {
                        if shows {
                            format!("console.log({text})")
                        } else {
                            text.to_owned()
                        }
                    })
                    .collect::<Vec<_>>()
                    .join("\n"),
                texts
                    .iter()
                    .flat_map(|word| word.from.iter().copied())
                    .collect(),
            );
            return Some(self.code(language, name, &value, index, call, scope));
        }
        if let Some(file) = given
            .value(&["f", "file"])
            .filter(|_| language == Language::Awk)
        {
            return Some(self.program_file(language, name, file, index, call, scope));
        }
        if language == Language::Python && given.has(&["m"]) {
            return None;
        }
        let operands = &args[given.rest..];
        match operands.first() {
            Some(word) if language == Language::Awk && !given.has(&["f", "file"]) => {
                let value = super::run::value_of(word.clone());
                Some(self.code(language, name, &value, index, call, scope))
            }
            Some(word) if word.text != "-" => {
                Some(self.program_file(language, name, word, index, call, scope))
            }
            _ => self.code_from_stdin(language, name, index, call, scope),
        }
    }

    fn program_file(
        &mut self,
        language: Language,
        name: &str,
        file: &Word,
        index: usize,
        call: &Call,
        scope: &mut Scope,
    ) -> Output {
        let path = Self::absolute(scope, &file.text).unwrap_or_else(|| file.text.clone());
        if let Source::Disk(_) | Source::Here(_) | Source::By(_) =
            self.source_for(&path, file, call)
        {
            return self.file(file, index, call, Some(name), scope);
        }
        if language != Language::Awk {
            self.executes(index, Executes::File(path));
        }
        Output::unknown(vec![index])
    }

    fn code_from_stdin(
        &mut self,
        language: Language,
        name: &str,
        index: usize,
        call: &Call,
        scope: &mut Scope,
    ) -> Option<Output> {
        match call.input() {
            Some(text) => {
                let value = Value::new(text.to_owned(), call.sources.clone());
                Some(self.code(language, name, &value, index, call, scope))
            }
            None if self.only_copied(call).is_some() => {
                let file = self.only_copied(call)?;
                Some(self.program_file(language, name, &file, index, call, scope))
            }
            None if !call.sources.is_empty() => {
                self.executes(
                    index,
                    Executes::Unknown {
                        from: call.sources.clone(),
                    },
                );
                Some(Output::unknown(vec![index]))
            }
            None => {
                let file = call.input_file.clone()?;
                Some(self.program_file(language, name, &file, index, call, scope))
            }
        }
    }

    /// Looks through a program's text for what it does outside itself.
    pub(super) fn code(
        &mut self,
        language: Language,
        name: &str,
        value: &Value,
        index: usize,
        call: &Call,
        scope: &mut Scope,
    ) -> Output {
        let unknown = value
            .text
            .trim_matches(|character: char| character == UNKNOWN || character.is_whitespace())
            .is_empty();
        if unknown && !value.text.trim().is_empty() {
            self.executes(
                index,
                Executes::Unknown {
                    from: value.from.clone(),
                },
            );
            return Output::unknown(vec![index]);
        }
        self.executes(index, Executes::Known);
        if !self.charge(4 * value.text.len(), call.span) {
            return Output::unknown(vec![index]);
        }
        let on_disk = call.via.iter().any(|via| matches!(via, Via::File(_)));
        let mut inner = call.scope(scope, Some(Via::Interpreter(name.to_owned())));
        (inner.stdin, inner.sources) = (Stdin::Inherited, Vec::new());
        let found = code::actions(language, &value.text);
        if found.incomplete && !on_disk {
            self.doubt(
                DoubtKind::Bounds,
                "a program's text is too long or too deep to be looked through",
                call.span,
            );
        }
        for action in found.actions {
            self.act(action, index, call, on_disk, &mut inner);
        }
        Output::unknown(vec![index])
    }

    fn act(&mut self, action: Action, index: usize, call: &Call, on_disk: bool, scope: &mut Scope) {
        let by = index;
        let words = |texts: Vec<String>| -> Vec<Word> {
            texts
                .into_iter()
                .map(|text| Word {
                    span: call.span,
                    ..Word::literal(text)
                })
                .collect()
        };
        let plain = |words: Vec<Word>, scope: &Scope| Call {
            words,
            via: scope.via.clone(),
            cwd: scope.cwd.clone(),
            span: call.span,
            ..Call::default()
        };
        match action {
            Action::Shell(text) => {
                if text.trim_matches(UNKNOWN).trim().is_empty() {
                    if !on_disk {
                        self.invoke(plain(words(vec![UNKNOWN.to_string()]), scope), scope);
                    }
                    return;
                }
                self.text(&text, call.span, &mut scope.clone());
            }
            Action::Command(texts) => {
                // What a program on disk does to paths it computes is its author's business.
                let unknown = texts.iter().skip(1).any(|text| text.starts_with(UNKNOWN));
                if !(on_disk && unknown) {
                    let mut words = words(texts);
                    // Names that a program deletes most often come out of a pattern.
                    let deletes = words.first().is_some_and(|word| word.text == "rm");
                    for word in words.iter_mut().filter(|_| deletes) {
                        word.glob = word.text.contains('*');
                    }
                    self.invoke(plain(words, scope), scope);
                }
            }
            Action::Write { path, append } => {
                if on_disk && path.contains(UNKNOWN) {
                    return;
                }
                let kind = if append {
                    RedirectKind::Append
                } else {
                    RedirectKind::Truncate
                };
                let mut bare = plain(Vec::new(), scope);
                bare.redirects.push(Redirect {
                    kind,
                    target: Word {
                        span: call.span,
                        ..Word::literal(path)
                    },
                });
                let index = self.emit(&bare, scope);
                // What it holds now, only running would tell.
                let target = bare
                    .redirects
                    .first()
                    .map(|redirect| redirect.target.text.clone());
                let path = target.and_then(|target| Self::absolute(scope, &target));
                if let Some(path) = path.filter(|path| !on_disk && !path.contains(UNKNOWN)) {
                    self.written(path, Output::unknown(vec![by, index]));
                }
            }
            Action::RunDownloaded(url) => {
                let before = self.script.commands.len();
                self.invoke(plain(words(vec!["curl".to_owned(), url]), scope), scope);
                if self.script.commands.len() > before {
                    self.executes(index, Executes::Unknown { from: vec![before] });
                }
            }
            Action::RunUnknown => {
                if !on_disk {
                    self.executes(
                        index,
                        Executes::Unknown {
                            from: call.sources.clone(),
                        },
                    );
                }
            }
        }
    }
}
