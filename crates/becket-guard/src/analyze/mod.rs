//! Static analysis of shell text: resolves the commands that it would run.
//!
//! The analysis tracks values as far as the text determines them (variables, command substitutions, functions,
//! `cd`), unwraps wrappers and analyzes interpreter one-liners. Parts that are only known at run time become
//! [`UNKNOWN`](crate::command::UNKNOWN) in a word; skipped parts become a [`Doubt`]. All file access goes through
//! [`Facts`]. Start at [`analyze`].

mod assignment;
mod brace;
mod builtins;
mod code;
mod control_flow;
mod expand;
mod expanded_command;
mod field_splitting;
mod find;
mod helper_programs;
mod interpreters;
mod known_output;
mod options;
mod parameter;
mod path;
mod programs;
mod recipes;
mod redirects;
mod scope;
mod shells;
mod simple_command;
mod special_wrappers;
mod unwrap;
mod windows;
mod wrappers;
mod xargs;

use crate::command::{Doubt, DoubtKind, Launcher, Script, Span, Word};
use crate::facts::{Facts, RunLocation};
use crate::shell;
use scope::{ShellScope, ShellValue};

/// Maximum length of a text. Longer texts are not analyzed.
pub const MAX_TEXT: usize = 1 << 20;

/// Work limit for one text. A step is a command, a word, or 64 bytes of generated text.
pub const MAX_STEPS: usize = 50_000;

/// Maximum nesting depth of commands, including embedded texts.
const MAX_DEPTH: usize = 48;

/// Maximum number of recorded doubts.
const MAX_DOUBTS: usize = 16;

/// Analyzes all commands that a text would run at `location`. `wrappers` are commands (`tool` or `tool run`) that
/// run the command that follows them.
pub fn analyze(
    text: &str,
    location: &RunLocation,
    facts: &dyn Facts,
    wrappers: &[String],
) -> Script {
    analyze_counting(text, location, facts, wrappers).0
}

/// Like [`analyze`]; also returns the number of steps, which never exceeds [`MAX_STEPS`].
pub fn analyze_counting(
    text: &str,
    location: &RunLocation,
    facts: &dyn Facts,
    wrappers: &[String],
) -> (Script, usize) {
    let mut analyzer = Analyzer::new(location, facts, wrappers);
    if text.len() > MAX_TEXT {
        analyzer.doubt(
            DoubtKind::Bounds,
            "the command is too long to be analyzed",
            Span {
                start: 0,
                end: text.len(),
            },
        );
        return (analyzer.script, 0);
    }
    let parsed = shell::parse(text);
    analyzer.errors(&parsed.errors);
    let mut scope = ShellScope::new(location);
    scope.arguments = Some(Vec::new());
    analyzer.list(&parsed.list, &mut scope);
    for (text, call, index) in std::mem::take(&mut analyzer.traps) {
        analyzer.wrapped_text(
            &text,
            index,
            &call,
            Launcher::Wrapper("trap".to_owned()),
            &scope,
        );
    }
    (analyzer.script, analyzer.steps)
}

/// The absolute path of `path` in `cwd`, without dots; `None` if it depends on an unknown part.
pub(crate) fn absolute_path(cwd: Option<&str>, path: &str) -> Option<String> {
    path::absolute(cwd, path)
}

/// The content of a file that was written earlier in the text.
enum WrittenFile {
    Text(ShellValue),
    GeneratedBy(Vec<usize>),
    /// A copy of a file on disk.
    CopyOf(String),
}

/// The standard output of a command.
#[derive(Debug, Clone, Default)]
struct CommandOutput {
    /// The text; `None` if it is only known at run time.
    text: Option<String>,
    /// The commands that write it.
    from: Vec<usize>,
}

impl CommandOutput {
    fn nothing() -> Self {
        Self {
            text: Some(String::new()),
            from: Vec::new(),
        }
    }

    fn unknown(from: Vec<usize>) -> Self {
        Self { text: None, from }
    }

    fn then(&mut self, next: CommandOutput) {
        match (&mut self.text, next.text) {
            (Some(text), Some(more)) => text.push_str(&more),
            _ => self.text = None,
        }
        self.from.extend(next.from);
    }

    fn value(self) -> ShellValue {
        match self.text {
            Some(text) => ShellValue::new(text, self.from),
            None => ShellValue::unknown(self.from),
        }
    }
}

struct Analyzer<'a> {
    location: &'a RunLocation,
    facts: &'a dyn Facts,
    wrappers: &'a [String],
    script: Script,
    files: Vec<(String, WrittenFile)>,
    steps: usize,
    /// Whether the work limit was exceeded, so that nothing more is analyzed.
    exhausted: bool,
    depth: usize,
    /// Functions being executed, innermost last, with the number of recursive calls of each.
    calls: Vec<(String, usize)>,
    /// Aliases being expanded.
    aliases: Vec<String>,
    /// Number of enclosing pipelines.
    pipeline_depth: usize,
    /// Number of enclosing background jobs.
    background_depth: usize,
    /// Commands in `>( … )` that wait for a command that writes to them.
    consumers: Vec<usize>,
    descriptors: usize,
    /// Trap texts, with the commands that set them.
    traps: Vec<(Word, expanded_command::ExpandedCommand, usize)>,
}

impl<'a> Analyzer<'a> {
    fn new(location: &'a RunLocation, facts: &'a dyn Facts, wrappers: &'a [String]) -> Self {
        Self {
            location,
            facts,
            wrappers,
            script: Script::default(),
            files: Vec::new(),
            steps: 0,
            exhausted: false,
            depth: 0,
            calls: Vec::new(),
            aliases: Vec::new(),
            pipeline_depth: 0,
            background_depth: 0,
            consumers: Vec::new(),
            descriptors: 63,
            traps: Vec::new(),
        }
    }

    fn doubt(&mut self, kind: DoubtKind, what: &str, span: Span) {
        let known = self.script.doubts.iter().any(|doubt| doubt.message == what);
        if !known && self.script.doubts.len() < MAX_DOUBTS {
            self.script.doubts.push(Doubt {
                kind,
                message: what.to_owned(),
                span,
            });
        }
    }

    fn errors(&mut self, errors: &[shell::SyntaxError]) {
        for error in errors {
            let kind = if error.too_deep {
                DoubtKind::Bounds
            } else {
                DoubtKind::Syntax
            };
            self.doubt(kind, error.message, error.span);
        }
    }

    /// Counts work; returns false if the limit is exceeded.
    fn charge(&mut self, bytes: usize, span: Span) -> bool {
        let steps = 1 + bytes / 64;
        if self.exhausted || self.steps + steps > MAX_STEPS {
            self.doubt(
                DoubtKind::Bounds,
                "the command exceeds the analysis limit",
                span,
            );
            self.exhausted = true;
            return false;
        }
        self.steps += steps;
        true
    }

    /// Analyzes one level deeper; `None` at the nesting limit.
    fn deeper<T>(&mut self, span: Span, walk: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            self.doubt(
                DoubtKind::Bounds,
                "the command is nested too deeply to be analyzed",
                span,
            );
            return None;
        }
        self.depth += 1;
        let value = walk(self);
        self.depth -= 1;
        Some(value)
    }

    /// Analyzes an embedded text: an argument, a heredoc, a script.
    fn text(&mut self, text: &str, span: Span, scope: &mut ShellScope) -> CommandOutput {
        if !self.charge(text.len(), span) {
            return CommandOutput::unknown(Vec::new());
        }
        let parsed = shell::parse_nested(text, Some(span), 0);
        self.errors(&parsed.errors);
        self.deeper(span, |analyzer| analyzer.list(&parsed.list, scope))
            .unwrap_or_default()
    }
}
