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
    /// The commands, by index in [`Script::commands`], whose output is part of it: `$(…)`, `<(…)`, a variable that
    /// was set from one.
    pub from: Vec<usize>,
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
    /// Text that was made at run time, decoded or downloaded, and that is executed; a call inside the program text of
    /// an interpreter (`python`, `node` …), which is named.
    Interpreter(String),
    /// A script on disk that is about to run, by its absolute path.
    File(String),
}

/// What a shell, an interpreter, `eval` or `source` would execute.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Executes {
    /// It is not of that kind, or it is given nothing.
    #[default]
    Nothing,
    /// Text that is known: its commands follow.
    Known,
    /// A file whose text is not known.
    File(String),
    /// Text that only running would tell, made by these commands (see [`Script::origins`]); none are known when
    /// it comes from a variable that nobody here has set.
    Unknown {
        /// Indices in [`Script::commands`].
        from: Vec<usize>,
    },
}

/// One simple command with everything known about how it would run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Invocation {
    /// The program's name without its directory and, for Windows' sake, without `.exe`; contains [`UNKNOWN`] when
    /// it could not be followed. Empty when only the shell itself acts: `> file`, or `{ …; } > file`.
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
    /// Every command, by index, whose output reaches its standard input; [`Stdin::Pipe`] names the last one.
    pub sources: Vec<usize>,
    /// What it would execute, for shells and interpreters.
    pub executes: Executes,
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

impl Script {
    /// The commands whose output the command at `index` reads from its standard input, the nearest first, through
    /// every pipe.
    pub fn origin_of_stdin(&self, index: usize) -> Vec<&Invocation> {
        self.commands
            .get(index)
            .map_or_else(Vec::new, |command| self.origins(&command.sources))
    }

    /// The commands that made what the command at `index` would execute; empty unless that is unknown.
    pub fn origin_of_code(&self, index: usize) -> Vec<&Invocation> {
        match self.commands.get(index).map(|command| &command.executes) {
            Some(Executes::Unknown { from }) => self.origins(from),
            _ => Vec::new(),
        }
    }

    /// These commands and all that feed them, through pipes and substitutions.
    pub fn origins(&self, from: &[usize]) -> Vec<&Invocation> {
        let mut seen = Vec::new();
        let mut next: Vec<usize> = from.iter().rev().copied().collect();
        while let Some(index) = next.pop() {
            let Some(command) = self.commands.get(index) else {
                continue;
            };
            if seen.contains(&index) {
                continue;
            }
            seen.push(index);
            next.extend(command.sources.iter().rev());
            next.extend(command.args.iter().flat_map(|word| &word.from));
        }
        seen.iter().map(|&index| &self.commands[index]).collect()
    }
}

/// What sort of doubt it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DoubtKind {
    /// The text is not the language.
    Syntax,
    /// It is too large, too deep or does too much to be followed.
    Bounds,
    /// A part is written in a way, or a language, that is not understood.
    Unclear,
    /// A function starts itself again and again.
    ForkBomb,
}

/// A place where understanding ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Doubt {
    /// What sort it is.
    pub kind: DoubtKind,
    /// What it is, for a person.
    pub what: String,
    /// Where.
    pub span: Span,
}
