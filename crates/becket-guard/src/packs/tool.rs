//! What a pack knows about a tool: a list of command lines and the rules they meet.

use super::args::{Args, Style};
use crate::command::{Invocation, Script, UNKNOWN, Word};
use crate::facts::{Facts, Place};
use crate::redact::redact_text;
use crate::rule::{Finding, Rule};

/// A command with all that may be asked about it.
#[derive(Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) command: &'a Invocation,
    pub(crate) script: &'a Script,
    pub(crate) place: &'a Place,
    pub(crate) facts: &'a dyn Facts,
}

/// The program that really runs and its arguments: for `npx prisma db push` that is `prisma`.
#[derive(Clone, Copy)]
pub(crate) struct Call<'a> {
    pub(crate) program: &'a str,
    pub(crate) args: &'a [Word],
}

/// A command line (see [`pattern`](super::pattern)) and what it means. The first that fits decides.
pub(crate) struct Case {
    pattern: &'static str,
    rule: Option<&'static Rule>,
}

impl Case {
    /// Whether it describes this command line.
    pub(crate) fn fits(&self, args: &Args<'_>) -> bool {
        match self.rule {
            Some(_) => args.fit(self.pattern),
            None => args.fit_surely(self.pattern),
        }
    }

    /// The rule, unless it is fine.
    pub(crate) fn rule(&self) -> Option<&'static Rule> {
        self.rule
    }
}

/// Meets `rule`.
pub(crate) const fn on(pattern: &'static str, rule: &'static Rule) -> Case {
    Case {
        pattern,
        rule: Some(rule),
    }
}

/// Is fine, whatever later cases say.
pub(crate) const fn fine(pattern: &'static str) -> Case {
    Case {
        pattern,
        rule: None,
    }
}

/// Programs that are driven alike.
pub(crate) struct Tool {
    /// Their names.
    pub(crate) names: &'static [&'static str],
    /// Flags that take the next word.
    pub(crate) values: &'static str,
    /// How flags are spelt.
    pub(crate) style: Style,
    /// Where it does not matter, such as in a test environment.
    pub(crate) unless: fn(&Scene<'_>) -> bool,
    /// What is known.
    pub(crate) cases: &'static [Case],
}

impl Tool {
    /// To be completed with `..Tool::NEW`.
    pub(crate) const NEW: Self = Self {
        names: &[],
        values: "",
        style: Style::Gnu,
        unless: |_| false,
        cases: &[],
    };

    /// The rule that the call meets.
    pub(crate) fn judge(&self, scene: &Scene<'_>, call: Call<'_>) -> Option<&'static Rule> {
        if !self.names.contains(&call.program) {
            return None;
        }
        let more = scene.command.more_operands;
        let args = Args::read(call.args, self.values, self.style).with_more(more);
        let help = args.asks_for_help()
            || (args.operand(0) == Some("help") && !RUNS_EVERY_WORD.contains(&call.program));
        if help || (self.unless)(scene) {
            return None;
        }
        self.cases
            .iter()
            .find(|case| case.fits(&args))
            .and_then(Case::rule)
    }
}

/// Tools for which `help` is one task, and the words after it are more.
const RUNS_EVERY_WORD: &[&str] = &["gradle", "gradlew", "mvn", "mvnw", "mvnd", "rake", "sbt"];

/// Notes that `call` meets `rule`, once.
pub(crate) fn report(
    rule: &'static Rule,
    command: &Invocation,
    call: Call<'_>,
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

/// A subject is for one line of a message.
const LONGEST_SUBJECT: usize = 80;

fn subject(call: Call<'_>) -> String {
    let mut text = call.program.to_owned();
    for word in call.args {
        if text.len() > 4 * LONGEST_SUBJECT {
            break;
        }
        text.push(' ');
        text.extend(word.text.chars().take(4 * LONGEST_SUBJECT));
    }
    let text = redact_text(&text);
    let mut short: String = text.chars().take(LONGEST_SUBJECT).map(printable).collect();
    if text.chars().nth(LONGEST_SUBJECT).is_some() {
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

/// Declares rules and the list of them, so that none can be left out.
macro_rules! rules {
    ($($name:ident = $severity:ident $id:literal: $explanation:literal, $safer:literal;)+) => {
        $(pub(crate) static $name: $crate::rule::Rule = $crate::rule::Rule {
            id: $id,
            severity: $crate::rule::Severity::$severity,
            explanation: $explanation,
            safer: $safer,
        };)+
        /// Every rule of this module.
        pub(crate) static RULES: &[&$crate::rule::Rule] = &[$(&$name),+];
    };
}
pub(crate) use rules;
