//! Interpreters (`python -c`, `node -e` …): finds the program text and analyzes its external effects.

use super::code::{self, CodeAction, ScriptLanguage};
use super::expanded_command::ExpandedCommand;
use super::options::{LongOptions, OptionSpec};
use super::scope::{ShellScope, ShellValue};
use super::shells::ScriptSource;
use super::{Analyzer, CommandOutput};
use crate::command::{
    DoubtKind, ExecutedCode, Launcher, Redirect, RedirectKind, Stdin, UNKNOWN, Word,
};

/// The language of an interpreter.
pub(super) fn language(name: &str) -> Option<ScriptLanguage> {
    let stem =
        name.trim_end_matches(|character: char| character.is_ascii_digit() || character == '.');
    Some(match stem {
        "python" | "pypy" | "python-" | "ipython" | "py" => ScriptLanguage::Python,
        "node" | "nodejs" | "deno" | "bun" | "tsx" | "ts-node" => ScriptLanguage::JavaScript,
        "perl" => ScriptLanguage::Perl,
        "ruby" | "jruby" => ScriptLanguage::Ruby,
        "php" => ScriptLanguage::Php,
        "lua" | "luajit" => ScriptLanguage::Lua,
        "awk" | "gawk" | "mawk" | "nawk" => ScriptLanguage::Awk,
        "osascript" => ScriptLanguage::AppleScript,
        "tclsh" | "wish" => ScriptLanguage::Tcl,
        _ => return None,
    })
}

/// Options with values, and options that hold program text.
fn options(language: ScriptLanguage) -> (OptionSpec, &'static [&'static str]) {
    let of = |shorts, longs| OptionSpec {
        shorts,
        longs: LongOptions::Valued(longs),
    };
    match language {
        ScriptLanguage::Python => (of("cmWXQ", &[]), &["c"]),
        ScriptLanguage::JavaScript => (
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
        ScriptLanguage::Perl => (of("eEIMmFC", &[]), &["e", "E"]),
        ScriptLanguage::Ruby => (of("eIrCEFKWT", &[]), &["e"]),
        ScriptLanguage::Php => (of("rcdfBREFzS", &["run"]), &["r", "run", "B", "R", "E"]),
        ScriptLanguage::Lua => (of("el", &[]), &["e"]),
        ScriptLanguage::Awk => (
            of(
                "Fvfie",
                &["field-separator", "assign", "file", "include", "source"],
            ),
            &["e", "source"],
        ),
        ScriptLanguage::AppleScript => (of("els", &[]), &["e"]),
        ScriptLanguage::Tcl => (of("e", &["encoding"]), &[]),
    }
}

impl Analyzer<'_> {
    pub(super) fn interpreter(
        &mut self,
        name: &str,
        index: usize,
        call: &ExpandedCommand,
        scope: &mut ShellScope,
    ) -> Option<CommandOutput> {
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
                    let value = super::simple_command::value_of(text.clone());
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
        // `node -pe` is two options, not `-p` with the text `e`.
        let both: Vec<Word>;
        if language == ScriptLanguage::JavaScript {
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
            let shows = language == ScriptLanguage::JavaScript && given.has(&["p", "print"]);
            let value = ShellValue::new(
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
            .filter(|_| language == ScriptLanguage::Awk)
        {
            return Some(self.program_file(language, name, file, index, call, scope));
        }
        if language == ScriptLanguage::Python && given.has(&["m"]) {
            return None;
        }
        let operands = &args[given.rest..];
        match operands.first() {
            Some(word) if language == ScriptLanguage::Awk && !given.has(&["f", "file"]) => {
                let value = super::simple_command::value_of(word.clone());
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
        language: ScriptLanguage,
        name: &str,
        file: &Word,
        index: usize,
        call: &ExpandedCommand,
        scope: &mut ShellScope,
    ) -> CommandOutput {
        let path = Self::absolute(scope, &file.text).unwrap_or_else(|| file.text.clone());
        if let ScriptSource::OnDisk(_) | ScriptSource::InText(_) | ScriptSource::GeneratedBy(_) =
            self.source_for(&path, file, call)
        {
            return self.file(file, index, call, Some(name), scope);
        }
        if language != ScriptLanguage::Awk {
            self.executes(index, ExecutedCode::File(path));
        }
        CommandOutput::unknown(vec![index])
    }

    fn code_from_stdin(
        &mut self,
        language: ScriptLanguage,
        name: &str,
        index: usize,
        call: &ExpandedCommand,
        scope: &mut ShellScope,
    ) -> Option<CommandOutput> {
        match call.input() {
            Some(text) => {
                let value = ShellValue::new(text.to_owned(), call.sources.clone());
                Some(self.code(language, name, &value, index, call, scope))
            }
            None if self.cat_operand(call).is_some() => {
                let file = self.cat_operand(call)?;
                Some(self.program_file(language, name, &file, index, call, scope))
            }
            None if !call.sources.is_empty() => {
                self.executes(
                    index,
                    ExecutedCode::Unknown {
                        from: call.sources.clone(),
                    },
                );
                Some(CommandOutput::unknown(vec![index]))
            }
            None => {
                let file = call.input_file.clone()?;
                Some(self.program_file(language, name, &file, index, call, scope))
            }
        }
    }

    /// Analyzes a program's text for external effects.
    pub(super) fn code(
        &mut self,
        language: ScriptLanguage,
        name: &str,
        value: &ShellValue,
        index: usize,
        call: &ExpandedCommand,
        scope: &mut ShellScope,
    ) -> CommandOutput {
        let unknown = value
            .text
            .trim_matches(|character: char| character == UNKNOWN || character.is_whitespace())
            .is_empty();
        if unknown && !value.text.trim().is_empty() {
            self.executes(
                index,
                ExecutedCode::Unknown {
                    from: value.from.clone(),
                },
            );
            return CommandOutput::unknown(vec![index]);
        }
        self.executes(index, ExecutedCode::Known);
        if !self.charge(4 * value.text.len(), call.span) {
            return CommandOutput::unknown(vec![index]);
        }
        let on_disk = call.via.iter().any(|via| matches!(via, Launcher::File(_)));
        let mut inner = call.scope(scope, Some(Launcher::Interpreter(name.to_owned())));
        (inner.stdin, inner.sources) = (Stdin::Inherited, Vec::new());
        let found = code::actions(language, &value.text);
        if found.incomplete && !on_disk {
            self.doubt(
                DoubtKind::Bounds,
                "a program's text is too long or nested too deeply to be analyzed",
                call.span,
            );
        }
        for action in found.actions {
            self.act(action, index, call, on_disk, &mut inner);
        }
        CommandOutput::unknown(vec![index])
    }

    fn act(
        &mut self,
        action: CodeAction,
        index: usize,
        call: &ExpandedCommand,
        on_disk: bool,
        scope: &mut ShellScope,
    ) {
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
        let plain = |words: Vec<Word>, scope: &ShellScope| ExpandedCommand {
            words,
            via: scope.via.clone(),
            cwd: scope.cwd.clone(),
            span: call.span,
            ..ExpandedCommand::default()
        };
        match action {
            CodeAction::Shell(text) => {
                if text.trim_matches(UNKNOWN).trim().is_empty() {
                    if !on_disk {
                        self.invoke(plain(words(vec![UNKNOWN.to_string()]), scope), scope);
                    }
                    return;
                }
                self.text(&text, call.span, &mut scope.clone());
            }
            CodeAction::Command(texts) => {
                // A program on disk is responsible for the paths that it computes.
                let unknown = texts.iter().skip(1).any(|text| text.starts_with(UNKNOWN));
                if !(on_disk && unknown) {
                    let mut words = words(texts);
                    // Names that a program deletes usually come from a pattern.
                    let deletes = words.first().is_some_and(|word| word.text == "rm");
                    for word in words.iter_mut().filter(|_| deletes) {
                        word.glob = word.text.contains('*');
                    }
                    self.invoke(plain(words, scope), scope);
                }
            }
            CodeAction::Write { path, append } => {
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
                // The current content is unknown.
                let target = bare
                    .redirects
                    .first()
                    .map(|redirect| redirect.target.text.clone());
                let path = target.and_then(|target| Self::absolute(scope, &target));
                if let Some(path) = path.filter(|path| !on_disk && !path.contains(UNKNOWN)) {
                    self.written(path, CommandOutput::unknown(vec![by, index]));
                }
            }
            CodeAction::RunDownloaded(url) => {
                let before = self.script.commands.len();
                self.invoke(plain(words(vec!["curl".to_owned(), url]), scope), scope);
                if self.script.commands.len() > before {
                    self.executes(index, ExecutedCode::Unknown { from: vec![before] });
                }
            }
            CodeAction::RunUnknown => {
                if !on_disk {
                    self.executes(
                        index,
                        ExecutedCode::Unknown {
                            from: call.sources.clone(),
                        },
                    );
                }
            }
        }
    }
}
