//! A command with its words expanded, on its way to being written down.

use super::Walker;
use super::path::base_name;
use super::programs;
use super::redirects::Redirected;
use super::scope::Scope;
use crate::command::{Executes, Invocation, Redirect, Span, Stdin, UNKNOWN, Via, Word};

/// A command that is about to run.
#[derive(Debug, Clone, Default)]
pub(super) struct Call {
    pub(super) words: Vec<Word>,
    pub(super) env: Vec<(String, Word)>,
    pub(super) redirects: Vec<Redirect>,
    pub(super) stdin: Stdin,
    pub(super) sources: Vec<usize>,
    /// The file that standard input is redirected from.
    pub(super) input_file: Option<Word>,
    pub(super) via: Vec<Via>,
    pub(super) cwd: Option<String>,
    pub(super) more_operands: bool,
    pub(super) span: Span,
}

impl Call {
    pub(super) fn args(&self) -> &[Word] {
        self.words.get(1..).unwrap_or_default()
    }

    /// The same, running other words through a wrapper. Redirections stay with the wrapper.
    pub(super) fn wrapping(&self, words: Vec<Word>, via: Via) -> Self {
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
        if matches!(via, Via::Elsewhere(_)) {
            inner.cwd = None;
        }
        inner.via.push(via);
        inner
    }

    /// What reaches standard input, if it is known.
    pub(super) fn input(&self) -> Option<&str> {
        match &self.stdin {
            Stdin::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The scope of a shell that this command starts.
    pub(super) fn scope(&self, outer: &Scope, via: Option<Via>) -> Scope {
        let mut scope = outer.clone();
        scope.via.clone_from(&self.via);
        scope.cwd.clone_from(&self.cwd);
        if let Some(via) = via {
            if matches!(via, Via::Elsewhere(_)) {
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
                super::scope::Value::new(word.text.clone(), word.from.clone()),
            );
            scope.export(name);
        }
        scope
    }
}

impl Walker<'_> {
    /// Writes a command down.
    pub(super) fn emit(&mut self, call: &Call, scope: &Scope) -> usize {
        let index = self.script.commands.len();
        let (program, path) = match call.words.first() {
            Some(word) => self.program(word),
            None => (String::new(), None),
        };
        let mut env: Vec<(String, Word)> = scope
            .exported()
            .filter(|variable| !call.env.iter().any(|(name, _)| *name == variable.name))
            .map(|variable| {
                let value = variable.held.first();
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
            executes: Executes::Nothing,
        });
        for consumer in std::mem::take(&mut self.consumers) {
            self.feed_consumer(consumer, index);
        }
        index
    }

    /// A command in `>( … )` reads what this one writes.
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
            && command.executes == Executes::Nothing
        {
            command.executes = Executes::Unknown { from: vec![index] };
        }
    }

    /// Redirections that the shell itself carries out.
    pub(super) fn emit_bare(
        &mut self,
        redirected: &Redirected,
        scope: &Scope,
        span: Span,
    ) -> usize {
        let call = Call {
            redirects: redirected.files.clone(),
            stdin: scope.stdin.clone(),
            sources: scope.sources.clone(),
            via: scope.via.clone(),
            cwd: scope.cwd.clone(),
            span,
            ..Call::default()
        };
        self.emit(&call, scope)
    }

    pub(super) fn executes(&mut self, index: usize, executes: Executes) {
        if let Some(command) = self.script.commands.get_mut(index) {
            command.executes = executes;
        }
    }

    /// A program's plain name, and how it was written when that differs.
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
        // Nothing is the likeliest thing that a variable nobody has set holds.
        let without_gaps = plain.replace(UNKNOWN, "");
        if without_gaps.len() < plain.len() && programs::is_core(&without_gaps) {
            return without_gaps;
        }
        // File systems that take `RM` for `rm` are common; a name in capitals is rarely anything else.
        let lower = plain.to_ascii_lowercase();
        if lower != plain && programs::is_core(&lower) {
            return lower;
        }
        plain.to_owned()
    }

    /// What a pattern in place of a program would start.
    fn matching_program(&self, written: &str, base: &str) -> Option<String> {
        if base.len() > 64 {
            return None;
        }
        let core = programs::CORE
            .iter()
            .find(|name| super::pattern::matches(base, name))
            .map(|name| (*name).to_owned());
        core.or_else(|| {
            let (directory, _) = written.rsplit_once('/')?;
            let mut names = self.facts.names(directory);
            names.sort();
            names
                .into_iter()
                .find(|name| super::pattern::matches(base, name))
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
