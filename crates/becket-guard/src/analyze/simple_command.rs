//! Evaluates simple commands: from words to the command that runs.

use super::expanded_command::ExpandedCommand;
use super::scope::{ShellScope, ShellValue};
use super::{Analyzer, CommandOutput, known_output, programs};
use crate::command::{ExecutedCode, Launcher, RedirectKind, Span, UNKNOWN, Word};
use crate::shell::ast::{
    self, CommandKind, ParameterOperation, Redirection, SimpleCommand, WordPart,
};
use crate::shell::parse_nested;

/// Cost of a command in bytes of generated text, because every rule checks it.
const COMMAND_COST: usize = 256;

/// Builtins that set variables from their arguments.
pub(super) fn declares(name: &str) -> bool {
    matches!(
        name,
        "export" | "declare" | "typeset" | "local" | "readonly"
    )
}

impl Analyzer<'_> {
    pub(super) fn simple(
        &mut self,
        simple: &SimpleCommand,
        redirects: &[Redirection],
        span: Span,
        scope: &mut ShellScope,
    ) -> CommandOutput {
        if !self.charge(COMMAND_COST, span) {
            return CommandOutput::default();
        }
        if let Some(output) = self.each_alternative(simple, redirects, span, scope) {
            return output;
        }
        if let Some(output) = self.alias(simple, redirects, span, scope) {
            return output;
        }
        let first = simple.words.first().and_then(ast::WordNode::bare);
        let words = match first {
            Some(name) if declares(name) => self.declaration(&simple.words, scope),
            _ => self.words(&simple.words, scope),
        };
        let redirected = self.redirects(redirects, scope);
        if words.is_empty() {
            for assignment in &simple.assignments {
                self.assign(assignment, span, scope);
            }
            if redirected.files.is_empty() {
                return CommandOutput::nothing();
            }
            let index = self.emit_bare(&redirected, scope, span);
            let reads = redirected
                .files
                .iter()
                .any(|file| file.kind == RedirectKind::Read);
            let output = match (&redirected.input, reads) {
                (Some((crate::command::Stdin::Text(text), _)), true) => CommandOutput {
                    text: Some(text.clone()),
                    from: vec![index],
                },
                (_, true) => CommandOutput::unknown(vec![index]),
                (_, false) => CommandOutput::nothing(),
            };
            return self.store(&redirected, output, scope);
        }
        let env = simple
            .assignments
            .iter()
            .map(|assignment| {
                (
                    assignment.name.clone(),
                    self.one_word(&assignment.value, scope),
                )
            })
            .collect();
        let (stdin, sources, input_file) = match &redirected.input {
            Some((stdin, sources)) => (
                stdin.clone(),
                sources.clone(),
                redirected.input_file.clone(),
            ),
            None => (
                scope.stdin.clone(),
                scope.sources.clone(),
                scope.input_file.clone(),
            ),
        };
        let call = ExpandedCommand {
            words,
            env,
            redirects: redirected.files.clone(),
            stdin,
            sources,
            input_file,
            via: scope.via.clone(),
            cwd: scope.cwd.clone(),
            more_operands: false,
            span,
        };
        let output = self.invoke(call, scope);
        self.store(&redirected, output, scope)
    }

    /// Runs the command once for each value of a variable that may hold several.
    fn each_alternative(
        &mut self,
        simple: &SimpleCommand,
        redirects: &[Redirection],
        span: Span,
        scope: &mut ShellScope,
    ) -> Option<CommandOutput> {
        let mut name = None;
        for word in simple
            .words
            .iter()
            .chain(
                simple
                    .assignments
                    .iter()
                    .map(|assignment| &assignment.value),
            )
            .chain(redirects.iter().map(|redirect| &redirect.target))
        {
            name = name.or_else(|| ambiguous(&word.parts, scope));
        }
        let name = name?;
        let all = scope.alternatives(&name)?;
        let mut output = CommandOutput::nothing();
        for content in &all {
            scope.set(&name, content.clone());
            output.then(self.simple(simple, redirects, span, scope));
        }
        let assigned_here = simple.words.is_empty()
            && simple
                .assignments
                .iter()
                .any(|assignment| assignment.name == name);
        if !assigned_here {
            scope.restore(&name, all);
        }
        Some(CommandOutput::unknown(output.from))
    }

    /// Expands an alias that the text defines.
    fn alias(
        &mut self,
        simple: &SimpleCommand,
        redirects: &[Redirection],
        span: Span,
        scope: &mut ShellScope,
    ) -> Option<CommandOutput> {
        let name = simple.words.first()?.bare()?;
        let (_, text) = scope.aliases.iter().find(|(known, _)| known == name)?;
        if self.aliases.iter().any(|active| active == name) || !self.charge(text.len(), span) {
            return None;
        }
        let mut meaning = parse_nested(text, Some(span), 0).list;
        let last = meaning
            .items
            .last_mut()
            .and_then(|item| item.pipelines.last_mut())
            .and_then(|(_, pipeline)| pipeline.stages.last_mut())?;
        if let CommandKind::Simple(inner) = &mut last.kind {
            inner.words.extend(simple.words[1..].iter().cloned());
            let mut assignments = simple.assignments.clone();
            assignments.append(&mut inner.assignments);
            inner.assignments = assignments;
        }
        last.redirects.extend(redirects.iter().cloned());
        self.aliases.push(name.to_owned());
        let output = self.deeper(span, |analyzer| analyzer.list(&meaning, scope));
        self.aliases.pop();
        Some(output.unwrap_or_default())
    }

    /// Runs a command whose words are known: a function, a builtin, a wrapper or a program.
    pub(super) fn invoke(
        &mut self,
        call: ExpandedCommand,
        scope: &mut ShellScope,
    ) -> CommandOutput {
        let span = call.span;
        self.deeper(span, |analyzer| analyzer.invoke_here(call, scope))
            .unwrap_or_default()
    }

    fn invoke_here(&mut self, call: ExpandedCommand, scope: &mut ShellScope) -> CommandOutput {
        let Some(first) = call.words.first() else {
            return CommandOutput::nothing();
        };
        let size = call.words.iter().map(|word| word.text.len()).sum();
        if !self.charge(size, call.span) {
            return CommandOutput::default();
        }
        if let Some((name, body)) = scope
            .functions
            .iter()
            .find(|(name, _)| *name == first.text)
            .cloned()
        {
            let arguments = call.args().iter().cloned().map(value_of).collect();
            let (stdin, sources) = (scope.stdin.clone(), scope.sources.clone());
            (scope.stdin, scope.sources) = (call.stdin.clone(), call.sources.clone());
            let output = self.function(&name, &body, arguments, call.span, scope);
            (scope.stdin, scope.sources) = (stdin, sources);
            return output;
        }
        self.program_call(call, scope)
    }

    /// Like [`invoke`](Self::invoke), bypassing functions.
    pub(super) fn program_call(
        &mut self,
        mut call: ExpandedCommand,
        scope: &mut ShellScope,
    ) -> CommandOutput {
        if let Some(original) = self.copied_program(&call, scope) {
            call.words[0].text = original;
        }
        self.fed_by_file(&mut call, scope);
        let index = self.emit(&call, scope);
        let name = self.script.commands[index].program.clone();
        self.named_commands(&name, &call, scope);
        if name.contains(UNKNOWN) {
            return self.unknown_program(index, call, scope);
        }
        self.recipes(&name, &call, scope);
        if let Some(output) = self.builtin(&name, index, &call, scope) {
            return output;
        }
        let output = if programs::is_shell(&name) {
            Some(self.shell(&name, index, &call, scope))
        } else {
            self.interpreter(&name, index, &call, scope)
        };
        if let Some(output) = output.or_else(|| self.wrapper(&name, index, &call, scope)) {
            return output;
        }
        if let Some(output) = self.script_file(index, &call, scope) {
            return output;
        }
        self.downloads(&name, index, &call, scope);
        let written = self.known_output(&name, &call, scope);
        match written {
            Some(text) => CommandOutput {
                text: Some(text),
                from: vec![index],
            },
            None => CommandOutput::unknown(vec![index]),
        }
    }

    /// The original name of a program that was copied or linked under another name.
    fn copied_program(&self, call: &ExpandedCommand, scope: &ShellScope) -> Option<String> {
        let written = call.words.first()?.text.as_str();
        if !written.contains('/') || self.files.is_empty() {
            return None;
        }
        let path = Self::absolute(scope, written)?;
        self.files
            .iter()
            .find_map(|(known, written)| match written {
                super::WrittenFile::CopyOf(original) if *known == path => Some(original.clone()),
                _ => None,
            })
    }

    /// `$SUDO rm …`: the unknown word may be empty or a wrapper.
    fn unknown_program(
        &mut self,
        index: usize,
        call: ExpandedCommand,
        scope: &mut ShellScope,
    ) -> CommandOutput {
        let first = &call.words[0];
        if !first.from.is_empty() {
            self.executes(
                index,
                ExecutedCode::Unknown {
                    from: first.from.clone(),
                },
            );
        }
        let whole = first.text.chars().all(|character| character == UNKNOWN);
        let next = call
            .words
            .get(1)
            .filter(|word| word.is_known() && !word.text.starts_with('-'));
        if whole && next.is_some() {
            let inner = call.wrapping(
                call.words[1..].to_vec(),
                Launcher::Wrapper(UNKNOWN.to_string()),
            );
            self.invoke(inner, scope);
        }
        CommandOutput::unknown(vec![index])
    }

    /// The output of a program that only transforms known text.
    fn known_output(
        &mut self,
        name: &str,
        call: &ExpandedCommand,
        scope: &ShellScope,
    ) -> Option<String> {
        if name == "cat" || name == "tee" {
            return self.copied(name, call, scope);
        }
        let cwd = call.cwd.as_deref();
        known_output::known(name, call.args(), call.input(), cwd, self.location)
    }

    /// `cat` and `tee` copy their input.
    fn copied(&mut self, name: &str, call: &ExpandedCommand, scope: &ShellScope) -> Option<String> {
        let operands: Vec<&Word> = call
            .args()
            .iter()
            .filter(|word| !word.text.starts_with('-') || word.text == "-")
            .collect();
        let input = call.input().map(str::to_owned);
        if name == "tee" {
            for operand in &operands {
                let append = call
                    .args()
                    .iter()
                    .any(|word| word.text == "-a" || word.text == "--append");
                if let Some(path) = Self::absolute(scope, &operand.text) {
                    let output = CommandOutput {
                        text: input.clone(),
                        from: call.sources.clone(),
                    };
                    self.write_file(path, output, append);
                }
            }
            return input;
        }
        if operands.is_empty() {
            return input;
        }
        let mut all = String::new();
        for operand in operands {
            if operand.text == "-" {
                all.push_str(input.as_deref()?);
                continue;
            }
            let path = Self::absolute(scope, &operand.text)?;
            match self.files.iter().find(|(known, _)| *known == path) {
                Some((_, super::WrittenFile::Text(value))) => all.push_str(&value.text),
                _ => return None,
            }
        }
        Some(all)
    }
}

pub(super) fn value_of(word: Word) -> ShellValue {
    ShellValue {
        text: word.text,
        from: word.from,
        glob: word.glob,
    }
}

/// The first variable in the parts that may hold several values.
pub(super) fn ambiguous(parts: &[WordPart], scope: &ShellScope) -> Option<String> {
    parts.iter().find_map(|part| match part {
        WordPart::Double(inner) | WordPart::Arithmetic(inner) => ambiguous(inner, scope),
        WordPart::Array(words) => words.iter().find_map(|word| ambiguous(&word.parts, scope)),
        WordPart::Parameter(parameter) => {
            let inner = match &parameter.operation {
                ParameterOperation::Default { word, .. }
                | ParameterOperation::Alternative(word) => ambiguous(word, scope),
                _ => None,
            };
            inner.or_else(|| {
                scope
                    .is_ambiguous(&parameter.name)
                    .then(|| parameter.name.clone())
            })
        }
        _ => None,
    })
}
