//! Lists, pipelines and compound commands: which commands run, knowing what.

use std::rc::Rc;

use super::scope::{Held, Scope, Value};
use super::{Output, Walker, pattern};
use crate::command::{DoubtKind, Span, Stdin, UNKNOWN, Via};
use crate::shell::ast::{AndOr, Arm, Command, Join, Kind, List, Pipeline, Redirection, Word};

/// Loops over more words than this are judged by some of them.
const MAX_ROUNDS: usize = 256;
/// Numbers beyond this many are like each other.
const MAX_NUMBERS: usize = 4;

impl Walker<'_> {
    pub(super) fn list(&mut self, list: &List, scope: &mut Scope) -> Output {
        let mut output = Output::nothing();
        for item in &list.items {
            if self.exhausted {
                return Output::default();
            }
            output.then(self.and_or(item, scope));
        }
        output
    }

    fn and_or(&mut self, item: &AndOr, scope: &mut Scope) -> Output {
        if item.background {
            let mut inner = scope.clone();
            self.background += 1;
            let output = self.joined(&item.pipelines, &mut inner);
            self.background -= 1;
            return output;
        }
        self.joined(&item.pipelines, scope)
    }

    fn joined(&mut self, pipelines: &[(Join, Pipeline)], scope: &mut Scope) -> Output {
        let mut output = Output::nothing();
        let mut earlier = Vec::new();
        for (at, (join, pipeline)) in pipelines.iter().enumerate() {
            if at > 0 {
                earlier.push(scope.variables());
            }
            let cwd = scope.cwd.clone();
            output.then(self.pipeline(pipeline, scope));
            if *join == Join::Or {
                // Where a second try would lead to is not where things went well.
                scope.cwd = cwd;
                if let Some(variables) = earlier.last() {
                    scope.may_hold(Vec::clone(variables));
                }
            }
        }
        // Each but the first may not have run.
        for variables in earlier {
            scope.may_hold(variables);
        }
        output
    }

    fn pipeline(&mut self, pipeline: &Pipeline, scope: &mut Scope) -> Output {
        if let [only] = pipeline.stages.as_slice() {
            return self.command(only, scope);
        }
        self.beside += 1;
        let mut output = Output::nothing();
        for (at, stage) in pipeline.stages.iter().enumerate() {
            let mut inner = scope.clone();
            if at > 0 {
                feed(&mut inner, std::mem::take(&mut output));
            }
            output = self.command(stage, &mut inner);
            // Assignments in a pipeline are lost, but `cmd | read x` is meant to be seen by zsh and `lastpipe`.
        }
        self.beside -= 1;
        output
    }

    fn command(&mut self, command: &Command, scope: &mut Scope) -> Output {
        self.deeper(command.span, |walker| {
            if let Kind::Simple(simple) = &command.kind {
                return walker.simple(simple, &command.redirects, command.span, scope);
            }
            if command.redirects.is_empty() {
                return walker.compound(&command.kind, command.span, scope);
            }
            walker.redirected(&command.kind, &command.redirects, command.span, scope)
        })
        .unwrap_or_default()
    }

    /// A compound command with redirections: they are the shell's own doing, and everything inside reads from them.
    fn redirected(
        &mut self,
        kind: &Kind,
        redirects: &[Redirection],
        span: Span,
        scope: &mut Scope,
    ) -> Output {
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

    fn compound(&mut self, kind: &Kind, span: Span, scope: &mut Scope) -> Output {
        match kind {
            Kind::Simple(simple) => self.simple(simple, &[], span, scope),
            Kind::Subshell(list) => self.list(list, &mut scope.clone()),
            Kind::Group(list) => self.list(list, scope),
            Kind::If {
                branches,
                otherwise,
            } => self.branches(branches, otherwise.as_ref(), scope),
            Kind::While { condition, body } => self.repeat(&[condition, body], scope),
            Kind::CountingFor { head, body } => {
                self.one_word(head, scope);
                self.repeat(&[body], scope)
            }
            Kind::For { name, words, body } => {
                self.for_each(name, words.as_deref(), body, span, scope)
            }
            Kind::Case { subject, arms } => self.case(subject, arms, scope),
            Kind::Function { name, body } => {
                scope.define(name, Rc::clone(body));
                Output::nothing()
            }
            Kind::Test(words) => {
                self.words(words, scope);
                Output::nothing()
            }
            Kind::Arithmetic(word) => {
                self.one_word(word, scope);
                Output::nothing()
            }
            Kind::Coprocess(command) => self.command(command, &mut scope.clone()),
        }
    }

    fn branches(
        &mut self,
        branches: &[(List, List)],
        otherwise: Option<&List>,
        scope: &mut Scope,
    ) -> Output {
        let mut output = Output::nothing();
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

    /// Once, and once more when the first round has changed something the second would see.
    fn repeat(&mut self, lists: &[&List], scope: &mut Scope) -> Output {
        let mut output = Output::nothing();
        let before = scope.clone();
        for list in lists {
            output.then(self.list(list, scope));
        }
        if scope.gained_over(&before) {
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
        words: Option<&[Word]>,
        body: &List,
        span: Span,
        scope: &mut Scope,
    ) -> Output {
        let values: Vec<Value> = match words {
            Some(words) => self.any_words(words, scope),
            None => scope
                .arguments
                .clone()
                .unwrap_or_else(|| vec![Value::unknown(Vec::new())]),
        };
        let numbers = values.iter().all(|value| {
            !value.text.is_empty() && value.text.bytes().all(|byte| byte.is_ascii_digit())
        });
        let rounds = if numbers { MAX_NUMBERS } else { MAX_ROUNDS };
        if values.len() > rounds && !numbers {
            self.doubt(DoubtKind::Bounds, "a loop over too many words", span);
        }
        let before = scope.clone();
        let mut output = Output::nothing();
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
    fn any_words(&mut self, words: &[Word], scope: &mut Scope) -> Vec<Value> {
        let name = words
            .iter()
            .find_map(|word| super::run::ambiguous(&word.parts, scope));
        let all = name.as_deref().and_then(|name| scope.alternatives(name));
        let (Some(name), Some(all)) = (name, all) else {
            return self
                .words(words, scope)
                .into_iter()
                .map(super::run::value_of)
                .collect();
        };
        let mut values: Vec<Value> = Vec::new();
        for held in &all {
            scope.set(&name, held.clone());
            for value in self.any_words(words, scope) {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
        }
        scope.restore(&name, all);
        values
    }

    fn case(&mut self, subject: &Word, arms: &[Arm], scope: &mut Scope) -> Output {
        let several = super::run::ambiguous(&subject.parts, scope).is_some();
        let mut subject = self.one_word(subject, scope);
        if several {
            subject.text = UNKNOWN.to_string();
        }
        let mut output = Output::nothing();
        let before = scope.clone();
        let mut ends = Vec::new();
        let mut goes_on = false;
        for arm in arms {
            let mut may = std::mem::take(&mut goes_on);
            let mut must = false;
            for word in &arm.patterns {
                let word = self.one_word(word, scope);
                let known = subject.is_known() && word.is_known() && subject.text.len() < 256;
                may |= !known || pattern::matches(&word.text, &subject.text);
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

    /// Runs a function's body with arguments of its own.
    pub(super) fn function(
        &mut self,
        name: &str,
        body: &Rc<Command>,
        arguments: Vec<Value>,
        span: Span,
        scope: &mut Scope,
    ) -> Output {
        if let Some((_, again)) = self.calls.iter_mut().find(|(call, _)| call == name) {
            *again += usize::from(self.beside > 0);
            // One call of itself in a pipeline is how trees are walked; two, or one in the background, multiply.
            if *again > 1 || self.background > 0 {
                self.doubt(
                    DoubtKind::ForkBomb,
                    "a function starts itself again and again beside itself (fork bomb)",
                    span,
                );
            }
            return Output::unknown(Vec::new());
        }
        self.calls.push((name.to_owned(), 0));
        scope.via.push(Via::Wrapper(name.to_owned()));
        let outer = scope.arguments.replace(arguments);
        let outside = (
            std::mem::take(&mut self.beside),
            std::mem::take(&mut self.background),
        );
        let body = Rc::clone(body);
        let output = self.command(&body, scope);
        (self.beside, self.background) = outside;
        scope.arguments = outer;
        scope.via.pop();
        self.calls.pop();
        output
    }

    /// Sets a variable to something only running would tell.
    pub(super) fn set_unknown(name: &str, from: &[usize], scope: &mut Scope) {
        scope.set(name, Held::One(Value::unknown(from.to_vec())));
    }
}

/// Lets everything in the scope read that output.
pub(super) fn feed(scope: &mut Scope, output: Output) {
    scope.stdin = match (output.text, output.from.last()) {
        (Some(text), _) => Stdin::Text(text),
        (None, Some(index)) => Stdin::Pipe(*index),
        (None, None) => Stdin::Text(UNKNOWN.to_string()),
    };
    scope.sources = output.from;
    scope.input_file = None;
}

impl Output {
    /// What may or may not have been written.
    fn uncertain(self) -> Self {
        match self.text.as_deref() {
            Some("") => self,
            _ => Self::unknown(self.from),
        }
    }
}
