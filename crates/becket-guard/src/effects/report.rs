//! Findings as people read them.

use std::fmt::Write as _;

use crate::command::{Invocation, Span, UNKNOWN};
use crate::redact;
use crate::rule::{Finding, Rule};

/// Longer subjects end in an ellipsis.
const LONGEST: usize = 80;

/// Collects findings about one command or one tool call.
pub(crate) struct Report<'a> {
    about: About<'a>,
    found: &'a mut Vec<Finding>,
}

enum About<'a> {
    Command(&'a Invocation),
    Tool(&'a str),
}

impl<'a> Report<'a> {
    /// About a command.
    pub(crate) fn on(command: &'a Invocation, found: &'a mut Vec<Finding>) -> Self {
        Self {
            about: About::Command(command),
            found,
        }
    }

    /// About a tool's call.
    pub(crate) fn on_tool(tool: &'a str, found: &'a mut Vec<Finding>) -> Self {
        Self {
            about: About::Tool(tool),
            found,
        }
    }

    /// Adds a finding about the path, or about the command that names it.
    pub(crate) fn path(&mut self, rule: &'static Rule, path: &str) {
        match self.about {
            About::Command(_) => self.command(rule),
            About::Tool(tool) => self.push(rule, &format!("{tool} {path}"), Span::default()),
        }
    }

    /// Adds a finding about the whole command or call.
    pub(crate) fn command(&mut self, rule: &'static Rule) {
        match self.about {
            About::Command(command) => self.push(rule, &summary(command), command.span),
            About::Tool(tool) => self.push(rule, tool, Span::default()),
        }
    }

    /// Adds a finding, unless it is there already.
    fn push(&mut self, rule: &'static Rule, subject: &str, span: Span) {
        let subject = plain(subject);
        let is_new = self
            .found
            .iter()
            .all(|known| known.rule != rule || known.span != span || known.subject != subject);
        if is_new {
            self.found.push(Finding {
                rule,
                subject,
                span,
            });
        }
    }
}

/// The command as a person would write it, cut.
fn summary(command: &Invocation) -> String {
    let mut text = command.program.clone();
    for word in &command.args {
        // Four bytes a character at most, and something to spare for what redaction takes away.
        if text.len() > LONGEST * 8 {
            break;
        }
        text.push(' ');
        text.push_str(&word.text);
    }
    for redirect in &command.redirects {
        use crate::command::RedirectKind::{Append, Read, ReadWrite, Truncate};
        let sign = match redirect.kind {
            Read => "<",
            Truncate => ">",
            Append => ">>",
            ReadWrite => "<>",
        };
        let _ = write!(text, " {sign} {}", redirect.target);
    }
    text
}

/// Without secrets, without control characters, not too long.
fn plain(text: &str) -> String {
    let text = redact::redact_text(text);
    let mut out = String::with_capacity(LONGEST);
    for (at, c) in text.chars().enumerate() {
        if at == LONGEST {
            out.push('…');
            break;
        }
        out.push(match c {
            UNKNOWN => '…',
            c if c.is_control() || is_invisible(c) => ' ',
            c => c,
        });
    }
    out
}

/// Characters that change how the rest of a line is shown.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}
