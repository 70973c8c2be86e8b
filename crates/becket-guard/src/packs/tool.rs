//! A pack's table for one tool: command-line patterns and their rules.

use super::args::{Args, FlagStyle};
use crate::command::{Invocation, Script, UNKNOWN, Word};
use crate::facts::{Facts, RunLocation};
use crate::redact::redact_text;
use crate::rule::{Finding, Rule};

/// A command and everything a rule may need to judge it.
#[derive(Clone, Copy)]
pub(crate) struct CommandContext<'a> {
    pub(crate) command: &'a Invocation,
    pub(crate) script: &'a Script,
    pub(crate) location: &'a RunLocation,
    pub(crate) facts: &'a dyn Facts,
}

/// The program that actually runs, with its arguments: `prisma` for `npx prisma db push`.
#[derive(Clone, Copy)]
pub(crate) struct ProgramCall<'a> {
    pub(crate) program: &'a str,
    pub(crate) args: &'a [Word],
}

/// A command-line pattern (see [`pattern`](super::pattern)) and its rule. The first match decides.
pub(crate) struct PatternRule {
    pattern: &'static str,
    rule: Option<&'static Rule>,
}

impl PatternRule {
    /// Whether the pattern matches this command line.
    pub(crate) fn matches(&self, args: &Args<'_>) -> bool {
        match self.rule {
            Some(_) => args.matches_pattern(self.pattern),
            None => args.surely_matches(self.pattern),
        }
    }

    /// The rule; `None` if the command line is harmless.
    pub(crate) fn rule(&self) -> Option<&'static Rule> {
        self.rule
    }
}

/// A pattern that matches `rule`.
pub(crate) const fn on(pattern: &'static str, rule: &'static Rule) -> PatternRule {
    PatternRule {
        pattern,
        rule: Some(rule),
    }
}

/// A pattern for a harmless command line; later patterns are not tried.
pub(crate) const fn fine(pattern: &'static str) -> PatternRule {
    PatternRule {
        pattern,
        rule: None,
    }
}

/// The patterns for a group of programs with the same command line.
pub(crate) struct ToolRules {
    /// Flags that take the next word.
    pub(crate) values: &'static str,
    /// Flag convention.
    pub(crate) style: FlagStyle,
    /// Conditions under which the rules do not apply, such as a test environment.
    pub(crate) unless: fn(&CommandContext<'_>) -> bool,
    /// The patterns, in order.
    pub(crate) cases: &'static [PatternRule],
}

impl ToolRules {
    /// The rule that the call matches.
    pub(crate) fn judge(
        &self,
        context: &CommandContext<'_>,
        call: ProgramCall<'_>,
    ) -> Option<&'static Rule> {
        let more = context.command.more_operands;
        let args = Args::read(call.args, self.values, self.style).with_unknown_operands(more);
        let help = args.is_help_request()
            || (args.operand(0) == Some("help") && !RUNS_EVERY_WORD.contains(&call.program));
        if help || (self.unless)(context) {
            return None;
        }
        self.cases
            .iter()
            .find(|case| case.matches(&args))
            .and_then(PatternRule::rule)
    }
}

/// Tools for which `help` is a task and the words after it are more tasks.
const RUNS_EVERY_WORD: &[&str] = &["gradle", "gradlew", "mvn", "mvnw", "mvnd", "rake", "sbt"];

/// Adds a finding that `call` matches `rule`, once.
pub(crate) fn report(
    rule: &'static Rule,
    command: &Invocation,
    call: ProgramCall<'_>,
    found: &mut Vec<Finding>,
) {
    let known = |finding: &Finding| finding.rule.id == rule.id && finding.span == command.span;
    if !found.iter().any(known) {
        found.push(Finding {
            rule,
            subject: subject(call),
            span: command.span,
        });
    }
}

/// Maximum length of a subject, so that it fits on one line of a message.
const MAX_SUBJECT: usize = 80;

fn subject(call: ProgramCall<'_>) -> String {
    let mut text = call.program.to_owned();
    for word in call.args {
        if text.len() > 4 * MAX_SUBJECT {
            break;
        }
        text.push(' ');
        text.extend(word.text.chars().take(4 * MAX_SUBJECT));
    }
    let text = redact_text(&text);
    let mut short: String = text.chars().take(MAX_SUBJECT).map(printable).collect();
    if text.chars().nth(MAX_SUBJECT).is_some() {
        short.push('…');
    }
    short
}

fn printable(character: char) -> char {
    match character {
        UNKNOWN => '…',
        character if character.is_control() => ' ',
        character => character,
    }
}
