//! A command with its words expanded, ready to be recorded as an [`Invocation`].

use super::Analyzer;
use super::path::base_name;
use super::programs;
use super::redirects::AppliedRedirects;
use super::scope::ShellScope;
use crate::command::{ExecutedCode, Invocation, Launcher, Redirect, Span, Stdin, UNKNOWN, Word};

/// A command with expanded words.
#[derive(Debug, Clone, Default)]
pub(super) struct ExpandedCommand {
    pub(super) words: Vec<Word>,
    pub(super) env: Vec<(String, Word)>,
    pub(super) redirects: Vec<Redirect>,
    pub(super) stdin: Stdin,
    pub(super) sources: Vec<usize>,
    /// The file that standard input is redirected from.
    pub(super) input_file: Option<Word>,
    pub(super) via: Vec<Launcher>,
    pub(super) cwd: Option<String>,
    pub(super) more_operands: bool,
    pub(super) span: Span,
}

impl ExpandedCommand {
    pub(super) fn args(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// The same context, running other words through a wrapper. Redirections stay with the wrapper.
    pub(super) fn wrapping(&self, words: Vec<Word>, via: Launcher) -> Self {
        let mut inner = Self {
            words,
            env: self.env.clone(),
            redirects: Vec::new(),
            stdin: self.stdin.clone(),
            sources: self.sources.clone(),
            input_file: self.input_file.clone(),
            via: self.via.clone(),
            cwd: self.cwd.clone(),
            more_operands: self.more_operands,
            span: self.span,
        };
        if matches!(via, Launcher::Remote(_)) {
            inner.cwd = None;
        }
        inner.via.push(via);
        inner
    }

    /// Standard input, if it is known.
    pub(super) fn input(&self) -> Option<&str> {
        match &self.stdin {
            Stdin::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The scope of a shell that this command starts.
    pub(super) fn scope(&self, outer: &ShellScope, via: Option<Launcher>) -> ShellScope {
        let mut scope = outer.clone();
        scope.via.clone_from(&self.via);
        scope.cwd.clone_from(&self.cwd);
        if let Some(via) = via {
            if matches!(via, Launcher::Remote(_)) {
                scope.cwd = None;
            }
            scope.via.push(via);
        }
        scope.stdin = self.stdin.clone();
        scope.sources.clone_from(&self.sources);
        scope.input_file.clone_from(&self.input_file);
        for (name, word) in &self.env {
            scope.set_one(
                name,
                super::scope::ShellValue::new(word.text.clone(), word.from.clone()),
            );
            scope.export(name);
        }
        scope
    }
}

impl Analyzer<'_> {
    /// Records a command and returns its index.
    pub(super) fn emit(&mut self, call: &ExpandedCommand, scope: &ShellScope) -> usize {
        let index = self.script.commands.len();
        let (program, path) = match call.words.first() {
            Some(word) => self.program(word),
            None => (String::new(), None),
        };
        let mut env: Vec<(String, Word)> = scope
            .exported()
            .filter(|variable| !call.env.iter().any(|(name, _)| *name == variable.name))
            .map(|variable| {
                let value = variable.content.first();
                let word = Word {
                    from: value.from,
                    ..Word::literal(value.text)
                };
                (variable.name.clone(), word)
            })
            .collect();
        env.extend(call.env.iter().cloned());
        self.script.commands.push(Invocation {
            program,
            path,
            args: call.args().to_vec(),
            env,
            redirects: call.redirects.clone(),
            stdin: call.stdin.clone(),
            cwd: call.cwd.clone(),
            via: call.via.clone(),
            more_operands: call.more_operands,
            span: call.span,
            sources: call.sources.clone(),
            executes: ExecutedCode::Nothing,
        });
        for consumer in std::mem::take(&mut self.consumers) {
            self.feed_consumer(consumer, index);
        }
        index
    }

    /// Connects a command in `>( … )` to the command that writes to it.
    fn feed_consumer(&mut self, consumer: usize, index: usize) {
        let Some(command) = self.script.commands.get_mut(consumer) else {
            return;
        };
        if command.stdin != Stdin::Inherited {
            return;
        }
        command.stdin = Stdin::Pipe(index);
        command.sources.push(index);
        let reads_code =
            programs::is_shell(&command.program) || programs::is_interpreter(&command.program);
        if reads_code
            && command.args.iter().all(|word| word.text.starts_with('-'))
            && command.executes == ExecutedCode::Nothing
        {
            command.executes = ExecutedCode::Unknown { from: vec![index] };
        }
    }

    /// Records redirections that the shell itself performs.
    pub(super) fn emit_bare(
        &mut self,
        redirected: &AppliedRedirects,
        scope: &ShellScope,
        span: Span,
    ) -> usize {
        let call = ExpandedCommand {
            redirects: redirected.files.clone(),
            stdin: scope.stdin.clone(),
            sources: scope.sources.clone(),
            via: scope.via.clone(),
            cwd: scope.cwd.clone(),
            span,
            ..ExpandedCommand::default()
        };
        self.emit(&call, scope)
    }

    pub(super) fn executes(&mut self, index: usize, executes: ExecutedCode) {
        if let Some(command) = self.script.commands.get_mut(index) {
            command.executes = executes;
        }
    }

    /// A program's normalized name, and the name as written if it differs.
    fn program(&self, word: &Word) -> (String, Option<String>) {
        let written = word.text.as_str();
        let name = self.program_name(word);
        let path = (name != written).then(|| written.to_owned());
        (name, path)
    }

    pub(super) fn program_name(&self, word: &Word) -> String {
        let base = base_name(&word.text);
        if word.glob
            && !word.text.contains(UNKNOWN)
            && base != "["
            && let Some(name) = self.matching_program(&word.text, base)
        {
            return name;
        }
        let plain = strip_exe(base);
        // A variable that the text does not set is most likely empty.
        let without_gaps = plain.replace(UNKNOWN, "");
        if without_gaps.len() < plain.len() && programs::is_core(&without_gaps) {
            return without_gaps;
        }
        // Case-insensitive file systems, which accept `RM` for `rm`, are common; a name in capitals is rarely
        // anything else.
        let lower = plain.to_ascii_lowercase();
        if lower != plain && programs::is_core(&lower) {
            return lower;
        }
        plain.to_owned()
    }

    /// The program that a glob in place of a program name matches.
    fn matching_program(&self, written: &str, base: &str) -> Option<String> {
        if base.len() > 64 {
            return None;
        }
        let core = crate::programs::CORE
            .iter()
            .find(|name| crate::glob::matches(base, name))
            .map(|name| (*name).to_owned());
        core.or_else(|| {
            let (directory, _) = written.rsplit_once('/')?;
            let mut names = self.facts.list_names(directory);
            names.sort();
            names
                .into_iter()
                .find(|name| crate::glob::matches(base, name))
        })
    }
}

fn strip_exe(name: &str) -> &str {
    let stem = name.len().saturating_sub(4);
    match name.get(stem..) {
        Some(end) if stem > 0 && end.eq_ignore_ascii_case(".exe") => &name[..stem],
        _ => name,
    }
}
