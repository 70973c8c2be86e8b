//! Control flow: lists, pipelines and compound commands.

use std::rc::Rc;

use super::scope::{ShellScope, ShellValue, VariableContent};
use super::{Analyzer, CommandOutput};
use crate::command::{DoubtKind, Launcher, Span, Stdin, UNKNOWN};
use crate::shell::ast::{
    AndOr, CaseArm, Command, CommandKind, CommandList, Pipeline, PipelineJoin, Redirection,
    WordNode,
};

/// Maximum number of loop iterations; further words are skipped with a doubt.
const MAX_ROUNDS: usize = 256;
/// Maximum number of iterations over numbers. Further numbers are skipped without a doubt, because they are assumed
/// to behave like the first ones.
const MAX_NUMBERS: usize = 4;

impl Analyzer<'_> {
    pub(super) fn list(&mut self, list: &CommandList, scope: &mut ShellScope) -> CommandOutput {
        let mut output = CommandOutput::nothing();
        for item in &list.items {
            if self.exhausted {
                return CommandOutput::default();
            }
            output.then(self.and_or(item, scope));
        }
        output
    }

    fn and_or(&mut self, item: &AndOr, scope: &mut ShellScope) -> CommandOutput {
        if item.background {
            let mut inner = scope.clone();
            self.background_depth += 1;
            let output = self.joined(&item.pipelines, &mut inner);
            self.background_depth -= 1;
            return output;
        }
        self.joined(&item.pipelines, scope)
    }

    fn joined(
        &mut self,
        pipelines: &[(PipelineJoin, Pipeline)],
        scope: &mut ShellScope,
    ) -> CommandOutput {
        let mut output = CommandOutput::nothing();
        let mut earlier = Vec::new();
        for (at, (join, pipeline)) in pipelines.iter().enumerate() {
            if at > 0 {
                earlier.push(scope.variables());
            }
            let cwd = scope.cwd.clone();
            output.then(self.pipeline(pipeline, scope));
            if *join == PipelineJoin::Or {
                // After `||`, the working directory is that of the successful branch.
                scope.cwd = cwd;
                if let Some(variables) = earlier.last() {
                    scope.merge_earlier(Vec::clone(variables));
                }
            }
        }
        // Every pipeline except the first may not have run.
        for variables in earlier {
            scope.merge_earlier(variables);
        }
        output
    }

    fn pipeline(&mut self, pipeline: &Pipeline, scope: &mut ShellScope) -> CommandOutput {
        if let [only] = pipeline.stages.as_slice() {
            return self.command(only, scope);
        }
        self.pipeline_depth += 1;
        let mut output = CommandOutput::nothing();
        for (at, stage) in pipeline.stages.iter().enumerate() {
            let mut inner = scope.clone();
            if at > 0 {
                feed(&mut inner, std::mem::take(&mut output));
            }
            output = self.command(stage, &mut inner);
            // A pipeline discards assignments, but zsh and `lastpipe` keep those of `cmd | read x`.
        }
        self.pipeline_depth -= 1;
        output
    }

    fn command(&mut self, command: &Command, scope: &mut ShellScope) -> CommandOutput {
        self.deeper(command.span, |analyzer| {
            if let CommandKind::Simple(simple) = &command.kind {
                return analyzer.simple(simple, &command.redirects, command.span, scope);
            }
            if command.redirects.is_empty() {
                return analyzer.compound(&command.kind, command.span, scope);
            }
            analyzer.redirected(&command.kind, &command.redirects, command.span, scope)
        })
        .unwrap_or_default()
    }

    /// A compound command with redirections: the shell performs them, and every command inside inherits them.
    fn redirected(
        &mut self,
        kind: &CommandKind,
        redirects: &[Redirection],
        span: Span,
        scope: &mut ShellScope,
    ) -> CommandOutput {
        let redirected = self.redirects(redirects, scope);
        let before = (
            scope.stdin.clone(),
            scope.sources.clone(),
            scope.input_file.clone(),
        );
        redirected.apply_input(scope);
        let mut output = self.compound(kind, span, scope);
        (scope.stdin, scope.sources, scope.input_file) = before;
        if !redirected.files.is_empty() {
            let index = self.emit_bare(&redirected, scope, span);
            output.from.push(index);
        }
        self.store(&redirected, output, scope)
    }

    fn compound(
        &mut self,
        kind: &CommandKind,
        span: Span,
        scope: &mut ShellScope,
    ) -> CommandOutput {
        match kind {
            CommandKind::Simple(simple) => self.simple(simple, &[], span, scope),
            CommandKind::Subshell(list) => self.list(list, &mut scope.clone()),
            CommandKind::Group(list) => self.list(list, scope),
            CommandKind::If {
                branches,
                otherwise,
            } => self.branches(branches, otherwise.as_ref(), scope),
            CommandKind::While { condition, body } => self.repeat(&[condition, body], scope),
            CommandKind::CountingFor { head, body } => {
                self.one_word(head, scope);
                self.repeat(&[body], scope)
            }
            CommandKind::For { name, words, body } => {
                self.for_each(name, words.as_deref(), body, span, scope)
            }
            CommandKind::Case { subject, arms } => self.case(subject, arms, scope),
            CommandKind::Function { name, body } => {
                scope.define(name, Rc::clone(body));
                CommandOutput::nothing()
            }
            CommandKind::Test(words) => {
                self.words(words, scope);
                CommandOutput::nothing()
            }
            CommandKind::Arithmetic(word) => {
                self.one_word(word, scope);
                CommandOutput::nothing()
            }
            CommandKind::Coprocess(command) => self.command(command, &mut scope.clone()),
        }
    }

    fn branches(
        &mut self,
        branches: &[(CommandList, CommandList)],
        otherwise: Option<&CommandList>,
        scope: &mut ShellScope,
    ) -> CommandOutput {
        let mut output = CommandOutput::nothing();
        let mut ends = Vec::new();
        for (condition, body) in branches {
            output.then(self.list(condition, scope));
            let mut inner = scope.clone();
            output.then(self.list(body, &mut inner));
            ends.push(inner);
        }
        if let Some(body) = otherwise {
            output.then(self.list(body, scope));
        }
        for end in ends {
            scope.join(end);
        }
        output.uncertain()
    }

    /// Runs a loop body once, and again if the first iteration changed a variable that the second would read.
    fn repeat(&mut self, lists: &[&CommandList], scope: &mut ShellScope) -> CommandOutput {
        let mut output = CommandOutput::nothing();
        let before = scope.clone();
        for list in lists {
            output.then(self.list(list, scope));
        }
        if scope.has_changed_since(&before) {
            for list in lists {
                output.then(self.list(list, scope));
            }
        }
        scope.join(before);
        output.uncertain()
    }

    fn for_each(
        &mut self,
        name: &str,
        words: Option<&[WordNode]>,
        body: &CommandList,
        span: Span,
        scope: &mut ShellScope,
    ) -> CommandOutput {
        let values: Vec<ShellValue> = match words {
            Some(words) => self.any_words(words, scope),
            None => scope
                .arguments
                .clone()
                .unwrap_or_else(|| vec![ShellValue::unknown(Vec::new())]),
        };
        let numbers = values.iter().all(|value| {
            !value.text.is_empty() && value.text.bytes().all(|byte| byte.is_ascii_digit())
        });
        let rounds = if numbers { MAX_NUMBERS } else { MAX_ROUNDS };
        if values.len() > rounds && !numbers {
            self.doubt(DoubtKind::Bounds, "a loop over too many words", span);
        }
        let before = scope.clone();
        let mut output = CommandOutput::nothing();
        for value in values.into_iter().take(rounds) {
            if !self.charge(value.text.len(), span) {
                break;
            }
            scope.set_one(name, value);
            output.then(self.list(body, scope));
        }
        if scope.cwd != before.cwd {
            scope.cwd = None;
        }
        output
    }

    /// The values of words in which a variable may hold several.
    fn any_words(&mut self, words: &[WordNode], scope: &mut ShellScope) -> Vec<ShellValue> {
        let name = words
            .iter()
            .find_map(|word| super::simple_command::ambiguous(&word.parts, scope));
        let all = name.as_deref().and_then(|name| scope.alternatives(name));
        let (Some(name), Some(all)) = (name, all) else {
            return self
                .words(words, scope)
                .into_iter()
                .map(super::simple_command::value_of)
                .collect();
        };
        let mut values: Vec<ShellValue> = Vec::new();
        for content in &all {
            scope.set(&name, content.clone());
            for value in self.any_words(words, scope) {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
        }
        scope.restore(&name, all);
        values
    }

    fn case(
        &mut self,
        subject: &WordNode,
        arms: &[CaseArm],
        scope: &mut ShellScope,
    ) -> CommandOutput {
        let several = super::simple_command::ambiguous(&subject.parts, scope).is_some();
        let mut subject = self.one_word(subject, scope);
        if several {
            subject.text = UNKNOWN.to_string();
        }
        let mut output = CommandOutput::nothing();
        let before = scope.clone();
        let mut ends = Vec::new();
        let mut goes_on = false;
        for arm in arms {
            let mut may = std::mem::take(&mut goes_on);
            let mut must = false;
            for word in &arm.patterns {
                let word = self.one_word(word, scope);
                let known = subject.is_known() && word.is_known() && subject.text.len() < 256;
                may |= !known || crate::glob::matches(&word.text, &subject.text);
                must |= known && word.text == subject.text;
            }
            if !may {
                continue;
            }
            let mut inner = before.clone();
            output.then(self.list(&arm.body, &mut inner));
            ends.push(inner);
            goes_on = arm.goes_on;
            if must && !goes_on {
                break;
            }
        }
        let mut ends = ends.into_iter();
        if let Some(first) = ends.next() {
            *scope = first;
            scope.join(before);
        }
        for end in ends {
            scope.join(end);
        }
        output.uncertain()
    }

    /// Runs a function's body with its arguments.
    pub(super) fn function(
        &mut self,
        name: &str,
        body: &Rc<Command>,
        arguments: Vec<ShellValue>,
        span: Span,
        scope: &mut ShellScope,
    ) -> CommandOutput {
        if let Some((_, again)) = self.calls.iter_mut().find(|(call, _)| call == name) {
            *again += usize::from(self.pipeline_depth > 0);
            // One recursive call in a pipeline is a normal tree walk; two, or one in the background, multiply.
            if *again > 1 || self.background_depth > 0 {
                self.doubt(
                    DoubtKind::ForkBomb,
                    "a function starts itself repeatedly (fork bomb)",
                    span,
                );
            }
            return CommandOutput::unknown(Vec::new());
        }
        self.calls.push((name.to_owned(), 0));
        scope.via.push(Launcher::Wrapper(name.to_owned()));
        let outer = scope.arguments.replace(arguments);
        let outside = (
            std::mem::take(&mut self.pipeline_depth),
            std::mem::take(&mut self.background_depth),
        );
        let body = Rc::clone(body);
        let output = self.command(&body, scope);
        (self.pipeline_depth, self.background_depth) = outside;
        scope.arguments = outer;
        scope.via.pop();
        self.calls.pop();
        output
    }

    /// Sets a variable to an unknown value.
    pub(super) fn set_unknown(name: &str, from: &[usize], scope: &mut ShellScope) {
        scope.set(
            name,
            VariableContent::One(ShellValue::unknown(from.to_vec())),
        );
    }
}

/// Makes `output` the standard input of everything in the scope.
pub(super) fn feed(scope: &mut ShellScope, output: CommandOutput) {
    scope.stdin = match (output.text, output.from.last()) {
        (Some(text), _) => Stdin::Text(text),
        (None, Some(index)) => Stdin::Pipe(*index),
        (None, None) => Stdin::Text(UNKNOWN.to_string()),
    };
    scope.sources = output.from;
    scope.input_file = None;
}

impl CommandOutput {
    /// Marks output that may not have been written as unknown.
    fn uncertain(self) -> Self {
        match self.text.as_deref() {
            Some("") => self,
            _ => Self::unknown(self.from),
        }
    }
}
