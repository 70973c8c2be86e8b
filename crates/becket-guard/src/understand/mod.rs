//! From a parsed text to the commands that it would run.
//!
//! Values are followed as far as the text tells them (variables, substitutions of simple commands, functions,
//! `cd`), wrappers are unwound, one-liners of interpreters are looked through. What only running would
//! tell is [`UNKNOWN`](crate::command::UNKNOWN) in a word; what was left out is a [`Doubt`]. Nothing here touches the
//! machine. Start at [`understand`].

mod assign;
mod brace;
mod builtins;
mod call;
mod code;
mod expand;
mod fields;
mod find;
mod helpers;
mod interpreters;
mod options;
mod output;
mod parameter;
mod path;
mod pattern;
mod programs;
mod recipes;
mod redirects;
mod run;
mod scope;
mod shells;
mod special;
mod unwrap;
mod walk;
mod windows;
mod wrappers;
mod xargs;

use crate::command::{Doubt, DoubtKind, Script, Span, Via, Word};
use crate::facts::{Facts, Place};
use crate::shell;
use scope::{Scope, Value};

/// Texts longer than this are not looked at.
pub const MAX_TEXT: usize = 1 << 20;

/// How much work one text may cause. A step is a command, a word, or 64 bytes of made text.
pub const MAX_STEPS: usize = 50_000;

/// How deep commands may stand inside each other, texts inside texts included.
const MAX_DEPTH: usize = 48;

/// More doubts than this say nothing new.
const MAX_DOUBTS: usize = 16;

/// Everything that a text would run at that place. `wrappers` are commands (`tool` or `tool run`) that run what
/// follows them.
pub fn understand(text: &str, place: &Place, facts: &dyn Facts, wrappers: &[String]) -> Script {
    understand_counting(text, place, facts, wrappers).0
}

/// The same, with the number of steps it took: never more than [`MAX_STEPS`].
pub fn understand_counting(
    text: &str,
    place: &Place,
    facts: &dyn Facts,
    wrappers: &[String],
) -> (Script, usize) {
    let mut walker = Walker::new(place, facts, wrappers);
    if text.len() > MAX_TEXT {
        walker.doubt(
            DoubtKind::Bounds,
            "the command is too long to be looked through",
            Span {
                start: 0,
                end: text.len(),
            },
        );
        return (walker.script, 0);
    }
    let parsed = shell::parse(text);
    walker.problems(&parsed.problems);
    let mut scope = Scope::new(place);
    scope.arguments = Some(Vec::new());
    walker.list(&parsed.list, &mut scope);
    for (text, call, index) in std::mem::take(&mut walker.traps) {
        walker.wrapped_text(&text, index, &call, Via::Wrapper("trap".to_owned()), &scope);
    }
    (walker.script, walker.steps)
}

/// The absolute path that `path` means in `cwd`, dots taken out; `None` when that depends on something unknown.
pub(crate) fn absolute_path(cwd: Option<&str>, path: &str) -> Option<String> {
    path::absolute(cwd, path)
}

/// Whether a pattern matches the whole text.
pub(crate) fn glob_matches(pattern: &str, text: &str) -> bool {
    pattern::matches(pattern, text)
}

/// What a file holds that was written earlier in the text.
enum Written {
    Text(Value),
    By(Vec<usize>),
    /// The same as a file on disk.
    CopyOf(String),
}

/// What a command writes to standard output.
#[derive(Debug, Clone, Default)]
struct Output {
    /// `None` when only running would tell.
    text: Option<String>,
    /// The commands that write it.
    from: Vec<usize>,
}

impl Output {
    fn nothing() -> Self {
        Self {
            text: Some(String::new()),
            from: Vec::new(),
        }
    }

    fn unknown(from: Vec<usize>) -> Self {
        Self { text: None, from }
    }

    fn then(&mut self, next: Output) {
        match (&mut self.text, next.text) {
            (Some(text), Some(more)) => text.push_str(&more),
            _ => self.text = None,
        }
        self.from.extend(next.from);
    }

    fn value(self) -> Value {
        match self.text {
            Some(text) => Value::new(text, self.from),
            None => Value::unknown(self.from),
        }
    }
}

struct Walker<'a> {
    place: &'a Place,
    facts: &'a dyn Facts,
    wrappers: &'a [String],
    script: Script,
    files: Vec<(String, Written)>,
    steps: usize,
    /// Whether there has been too much work, so that nothing more is followed.
    exhausted: bool,
    depth: usize,
    /// Functions that are being run, innermost last, and how often each has met itself.
    calls: Vec<(String, usize)>,
    /// Aliases that are being expanded.
    aliases: Vec<String>,
    /// How many pipelines stand around.
    beside: usize,
    /// How many background jobs stand around.
    background: usize,
    /// Commands in `>( … )`, waiting for the command that feeds them.
    consumers: Vec<usize>,
    descriptors: usize,
    /// Texts of traps, with the commands that set them.
    traps: Vec<(Word, call::Call, usize)>,
}

impl<'a> Walker<'a> {
    fn new(place: &'a Place, facts: &'a dyn Facts, wrappers: &'a [String]) -> Self {
        Self {
            place,
            facts,
            wrappers,
            script: Script::default(),
            files: Vec::new(),
            steps: 0,
            exhausted: false,
            depth: 0,
            calls: Vec::new(),
            aliases: Vec::new(),
            beside: 0,
            background: 0,
            consumers: Vec::new(),
            descriptors: 63,
            traps: Vec::new(),
        }
    }

    fn doubt(&mut self, kind: DoubtKind, what: &str, span: Span) {
        let known = self.script.doubts.iter().any(|doubt| doubt.what == what);
        if !known && self.script.doubts.len() < MAX_DOUBTS {
            self.script.doubts.push(Doubt {
                kind,
                what: what.to_owned(),
                span,
            });
        }
    }

    fn problems(&mut self, problems: &[shell::Problem]) {
        for problem in problems {
            let kind = if problem.too_deep {
                DoubtKind::Bounds
            } else {
                DoubtKind::Syntax
            };
            self.doubt(kind, problem.what, problem.span);
        }
    }

    /// Counts work; false when there has been too much.
    fn charge(&mut self, bytes: usize, span: Span) -> bool {
        let steps = 1 + bytes / 64;
        if self.exhausted || self.steps + steps > MAX_STEPS {
            self.doubt(
                DoubtKind::Bounds,
                "the command does too much to be followed",
                span,
            );
            self.exhausted = true;
            return false;
        }
        self.steps += steps;
        true
    }

    /// One level deeper; `None` when it is too deep.
    fn deeper<T>(&mut self, span: Span, walk: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            self.doubt(
                DoubtKind::Bounds,
                "the command is nested too deeply to be followed",
                span,
            );
            return None;
        }
        self.depth += 1;
        let value = walk(self);
        self.depth -= 1;
        Some(value)
    }

    /// Understands text inside the text: an argument, a heredoc, a script.
    fn text(&mut self, text: &str, place: Span, scope: &mut Scope) -> Output {
        if !self.charge(text.len(), place) {
            return Output::unknown(Vec::new());
        }
        let parsed = shell::parse_inside(text, Some(place), 0);
        self.problems(&parsed.problems);
        self.deeper(place, |walker| walker.list(&parsed.list, scope))
            .unwrap_or_default()
    }
}
