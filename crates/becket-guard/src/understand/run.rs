//! Simple commands: from words to what runs.

use super::call::Call;
use super::scope::{Scope, Value};
use super::{Output, Walker, output, programs};
use crate::command::{Executes, RedirectKind, Span, UNKNOWN, Via, Word};
use crate::shell::ast::{self, Kind, Operation, Part, Redirection, Simple};
use crate::shell::parse_inside;

/// What a command costs, in bytes of made text: every rule will look at it.
const COMMAND_COST: usize = 256;

/// Commands that set variables from their arguments.
pub(super) fn declares(name: &str) -> bool {
    matches!(
        name,
        "export" | "declare" | "typeset" | "local" | "readonly"
    )
}

impl Walker<'_> {
    pub(super) fn simple(
        &mut self,
        simple: &Simple,
        redirects: &[Redirection],
        span: Span,
        scope: &mut Scope,
    ) -> Output {
        if !self.charge(COMMAND_COST, span) {
            return Output::default();
        }
        if let Some(output) = self.each_alternative(simple, redirects, span, scope) {
            return output;
        }
        if let Some(output) = self.alias(simple, redirects, span, scope) {
            return output;
        }
        let first = simple.words.first().and_then(ast::Word::bare);
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
                return Output::nothing();
            }
            let index = self.emit_bare(&redirected, scope, span);
            let reads = redirected
                .files
                .iter()
                .any(|file| file.kind == RedirectKind::Read);
            let output = match (&redirected.input, reads) {
                (Some((crate::command::Stdin::Text(text), _)), true) => Output {
                    text: Some(text.clone()),
                    from: vec![index],
                },
                (_, true) => Output::unknown(vec![index]),
                (_, false) => Output::nothing(),
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
        let call = Call {
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

    /// A variable that may hold several values stands for each of them in turn.
    fn each_alternative(
        &mut self,
        simple: &Simple,
        redirects: &[Redirection],
        span: Span,
        scope: &mut Scope,
    ) -> Option<Output> {
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
        let mut output = Output::nothing();
        for held in &all {
            scope.set(&name, held.clone());
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
        Some(Output::unknown(output.from))
    }

    /// An alias that was defined in the text.
    fn alias(
        &mut self,
        simple: &Simple,
        redirects: &[Redirection],
        span: Span,
        scope: &mut Scope,
    ) -> Option<Output> {
        let name = simple.words.first()?.bare()?;
        let (_, text) = scope.aliases.iter().find(|(known, _)| known == name)?;
        if self.aliases.iter().any(|active| active == name) || !self.charge(text.len(), span) {
            return None;
        }
        let mut meaning = parse_inside(text, Some(span), 0).list;
        let last = meaning
            .items
            .last_mut()
            .and_then(|item| item.pipelines.last_mut())
            .and_then(|(_, pipeline)| pipeline.stages.last_mut())?;
        if let Kind::Simple(inner) = &mut last.kind {
            inner.words.extend(simple.words[1..].iter().cloned());
            let mut assignments = simple.assignments.clone();
            assignments.append(&mut inner.assignments);
            inner.assignments = assignments;
        }
        last.redirects.extend(redirects.iter().cloned());
        self.aliases.push(name.to_owned());
        let output = self.deeper(span, |walker| walker.list(&meaning, scope));
        self.aliases.pop();
        Some(output.unwrap_or_default())
    }

    /// Runs a command whose words are known: a function, a builtin, a wrapper, or a program.
    pub(super) fn invoke(&mut self, call: Call, scope: &mut Scope) -> Output {
        let span = call.span;
        self.deeper(span, |walker| walker.invoke_here(call, scope))
            .unwrap_or_default()
    }

    fn invoke_here(&mut self, call: Call, scope: &mut Scope) -> Output {
        let Some(first) = call.words.first() else {
            return Output::nothing();
        };
        let size = call.words.iter().map(|word| word.text.len()).sum();
        if !self.charge(size, call.span) {
            return Output::default();
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

    /// The same for a command that no function can stand in for.
    pub(super) fn program_call(&mut self, mut call: Call, scope: &mut Scope) -> Output {
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
            Some(text) => Output {
                text: Some(text),
                from: vec![index],
            },
            None => Output::unknown(vec![index]),
        }
    }

    /// A program that was copied or linked under another name still is that program.
    fn copied_program(&self, call: &Call, scope: &Scope) -> Option<String> {
        let written = call.words.first()?.text.as_str();
        if !written.contains('/') || self.files.is_empty() {
            return None;
        }
        let path = Self::absolute(scope, written)?;
        self.files
            .iter()
            .find_map(|(known, written)| match written {
                super::Written::CopyOf(original) if *known == path => Some(original.clone()),
                _ => None,
            })
    }

    /// `$SUDO rm …`: the unknown may be nothing, or a wrapper.
    fn unknown_program(&mut self, index: usize, call: Call, scope: &mut Scope) -> Output {
        let first = &call.words[0];
        if !first.from.is_empty() {
            self.executes(
                index,
                Executes::Unknown {
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
            let inner = call.wrapping(call.words[1..].to_vec(), Via::Wrapper(UNKNOWN.to_string()));
            self.invoke(inner, scope);
        }
        Output::unknown(vec![index])
    }

    /// What the program would print, if it only rearranges what is known.
    fn known_output(&mut self, name: &str, call: &Call, scope: &Scope) -> Option<String> {
        if name == "cat" || name == "tee" {
            return self.copied(name, call, scope);
        }
        let cwd = call.cwd.as_deref();
        output::known(name, call.args(), call.input(), cwd, self.place)
    }

    /// `cat` and `tee` hand on what they are given.
    fn copied(&mut self, name: &str, call: &Call, scope: &Scope) -> Option<String> {
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
                    let output = Output {
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
                Some((_, super::Written::Text(value))) => all.push_str(&value.text),
                _ => return None,
            }
        }
        Some(all)
    }
}

pub(super) fn value_of(word: Word) -> Value {
    Value {
        text: word.text,
        from: word.from,
        glob: word.glob,
    }
}

/// The first variable in the parts that may hold several values.
pub(super) fn ambiguous(parts: &[Part], scope: &Scope) -> Option<String> {
    parts.iter().find_map(|part| match part {
        Part::Double(inner) | Part::Arithmetic(inner) => ambiguous(inner, scope),
        Part::Array(words) => words.iter().find_map(|word| ambiguous(&word.parts, scope)),
        Part::Parameter(parameter) => {
            let inner = match &parameter.operation {
                Operation::Default { word, .. } | Operation::Alternative(word) => {
                    ambiguous(word, scope)
                }
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
