//! One command as it would be started: the common tongue of the parser, the rules and the packs.

use std::fmt;

/// Stands, in [`Word::text`], for a part that only running the command would tell.
pub const UNKNOWN: char = '\u{FFFC}';

/// A stretch of the judged text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// A word after quotes, escapes and every expansion that could be followed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Word {
    /// Its text; [`UNKNOWN`] stands for each part that could not be known.
    pub text: String,
    /// Whether `*`, `?` or `[` in it are patterns (they were not quoted).
    pub glob: bool,
    /// Where it was written.
    pub span: Span,
}

impl Word {
    /// A word that is known whole.
    pub fn literal(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// Whether nothing in it depends on running the command.
    pub fn is_known(&self) -> bool {
        !self.text.contains(UNKNOWN)
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// What a redirection does with its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>|`, `&>`
    Truncate,
    /// `>>`, `&>>`
    Append,
    /// `<>`
    ReadWrite,
}

/// A redirection to or from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// What it does.
    pub kind: RedirectKind,
    /// The file.
    pub target: Word,
}

/// What a command reads from standard input.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Stdin {
    /// Whatever the shell has.
    #[default]
    Inherited,
    /// Text that is known (a heredoc, a here-string, `echo …|`), with [`UNKNOWN`] for gaps.
    Text(String),
    /// The output of the command with this index in [`Script::commands`](crate::Script).
    Pipe(usize),
}

/// Who else has a hand in running a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Via {
    /// `sudo`, `doas`, `su -c`: as another user, nearly always root.
    Root(String),
    /// `ssh host`, `docker exec`, `kubectl exec`, `vagrant ssh`: on another machine, so that local
    /// paths mean nothing.
    Elsewhere(String),
    /// `env`, `nice`, `timeout`, `xargs`, `find -exec`, `bash -c`, `eval`, a function, a declared wrapper.
    Wrapper(String),
    /// Text that was made at run time, decoded or downloaded, and that is executed.
    Interpreter(String),
}

/// One simple command with everything known about how it would run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Invocation {
    /// The program's name without its directory and, for Windows' sake, without `.exe`; contains [`UNKNOWN`] when
    /// it could not be followed.
    pub program: String,
    /// The program as written, when that differs.
    pub path: Option<String>,
    /// What follows the program.
    pub args: Vec<Word>,
    /// `NAME=value` in front of it, exported or given through `env`.
    pub env: Vec<(String, Word)>,
    /// Redirections to and from files.
    pub redirects: Vec<Redirect>,
    /// Its input.
    pub stdin: Stdin,
    /// The absolute directory it runs in; `None` when a `cd` could not be followed.
    pub cwd: Option<String>,
    /// Outermost first.
    pub via: Vec<Via>,
    /// More operands come from elsewhere (`xargs`, `find -exec {}`): what `args` shows is not all.
    pub more_operands: bool,
    /// Where it was written (for text inside quotes or heredocs: the word that holds it).
    pub span: Span,
}

impl Invocation {
    /// Whether local paths in it mean files of this machine.
    pub fn is_local(&self) -> bool {
        !self.via.iter().any(|via| matches!(via, Via::Elsewhere(_)))
    }

    /// The arguments as text.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.args.iter().map(|word| word.text.as_str())
    }
}

/// Everything that a text would run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Script {
    /// In the order they are written; a wrapper is followed by what it wraps.
    pub commands: Vec<Invocation>,
    /// What could not be understood. Never empty when something was left out.
    pub doubts: Vec<Doubt>,
}

/// A place where understanding ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// What it is, for a person.
    pub what: String,
    /// Where.
    pub span: Span,
}
