//! Collects findings and renders their subjects for people.

use std::fmt::Write as _;

use becket_base::text::is_invisible;

use crate::command::{Invocation, Span, UNKNOWN};
use crate::redact;
use crate::rule::{Finding, Rule};

/// Maximum length of a subject; longer ones end in an ellipsis.
const MAX_SUBJECT: usize = 80;

/// Collects findings about one command or one tool call.
pub(crate) struct FindingReport<'a> {
    about: ReportSubject<'a>,
    found: &'a mut Vec<Finding>,
}

enum ReportSubject<'a> {
    Command(&'a Invocation),
    Tool(&'a str),
}

impl<'a> FindingReport<'a> {
    /// Collects findings about a command.
    pub(crate) fn for_command(command: &'a Invocation, found: &'a mut Vec<Finding>) -> Self {
        Self {
            about: ReportSubject::Command(command),
            found,
        }
    }

    /// Collects findings about a tool call.
    pub(crate) fn for_tool(tool: &'a str, found: &'a mut Vec<Finding>) -> Self {
        Self {
            about: ReportSubject::Tool(tool),
            found,
        }
    }

    /// Adds a finding about a path, or about the command that names it.
    pub(crate) fn add_path(&mut self, rule: &'static Rule, path: &str) {
        match self.about {
            ReportSubject::Command(_) => self.add_command(rule),
            ReportSubject::Tool(tool) => {
                self.push(rule, &format!("{tool} {path}"), Span::default());
            }
        }
    }

    /// Adds a finding about the whole command or call.
    pub(crate) fn add_command(&mut self, rule: &'static Rule) {
        match self.about {
            ReportSubject::Command(command) => self.push(rule, &summary(command), command.span),
            ReportSubject::Tool(tool) => self.push(rule, tool, Span::default()),
        }
    }

    /// Adds a finding, unless it exists already.
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

/// The command as a person would write it, truncated.
fn summary(command: &Invocation) -> String {
    let mut text = command.program.clone();
    for word in &command.args {
        // At most four bytes per character, and a margin for text that redaction removes.
        if text.len() > MAX_SUBJECT * 8 {
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

/// Removes secrets and control characters and limits the length.
fn plain(text: &str) -> String {
    let text = redact::redact_text(text);
    let mut out = String::with_capacity(MAX_SUBJECT);
    for (at, c) in text.chars().enumerate() {
        if at == MAX_SUBJECT {
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
