//! What a shell text says, before anything in it is expanded.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::command::Span;

/// Commands one after the other.
#[derive(Debug, Clone, Default)]
pub struct List {
    /// In the order they are written.
    pub items: Vec<AndOr>,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Debug, Clone)]
pub struct AndOr {
    /// The pipelines, each with what stands in front of it.
    pub pipelines: Vec<(Join, Pipeline)>,
    /// Whether it ends in `&`.
    pub background: bool,
}

/// What stands in front of a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// Nothing or `&&`: it runs when all before it went well.
    And,
    /// `||`: it runs when what is before it failed.
    Or,
}

/// Commands joined by `|`.
#[derive(Debug, Clone)]
pub struct Pipeline {
    /// From left to right; empty for a lone `!` or `time`.
    pub stages: Vec<Command>,
}

/// A command with its redirections.
#[derive(Debug, Clone)]
pub struct Command {
    /// What it is.
    pub kind: Kind,
    /// Its redirections, in order.
    pub redirects: Vec<Redirection>,
    /// Where it stands.
    pub span: Span,
}

/// The sorts of commands.
#[derive(Debug, Clone)]
pub enum Kind {
    /// Assignments and words.
    Simple(Simple),
    /// `( … )`
    Subshell(List),
    /// `{ …; }`
    Group(List),
    /// `if`: every condition with its branch, then `else`.
    If {
        /// Conditions and what follows them.
        branches: Vec<(List, List)>,
        /// The `else` branch.
        otherwise: Option<List>,
    },
    /// `while` and `until`.
    While {
        /// What is tested.
        condition: List,
        /// What is repeated.
        body: List,
    },
    /// `for` and `select`.
    For {
        /// The variable.
        name: String,
        /// The words after `in`; `None` stands for `"$@"`.
        words: Option<Vec<Word>>,
        /// What is repeated.
        body: List,
    },
    /// `for (( … ))`
    CountingFor {
        /// The three expressions.
        head: Word,
        /// What is repeated.
        body: List,
    },
    /// `case`
    Case {
        /// What is compared.
        subject: Word,
        /// Patterns and what they lead to.
        arms: Vec<Arm>,
    },
    /// A function is defined.
    Function {
        /// Its name.
        name: String,
        /// Its body.
        body: Rc<Command>,
    },
    /// `[[ … ]]`: its words, operators left out.
    Test(Vec<Word>),
    /// `(( … ))`
    Arithmetic(Word),
    /// `coproc`
    Coprocess(Box<Command>),
}

/// A branch of `case`.
#[derive(Debug, Clone)]
pub struct Arm {
    /// The patterns that lead here.
    pub patterns: Vec<Word>,
    /// What is done.
    pub body: List,
    /// Whether it goes on to the next branch (`;&`, `;;&`).
    pub goes_on: bool,
}

/// Assignments and words, as they stand.
#[derive(Debug, Clone, Default)]
pub struct Simple {
    /// What stands in front.
    pub assignments: Vec<Assignment>,
    /// The program and its arguments.
    pub words: Vec<Word>,
}

/// `name=value`, `name+=value`, `name[index]=value`, `name=( … )`.
#[derive(Debug, Clone)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// What stands in brackets.
    pub index: Option<Word>,
    /// Whether it is `+=`.
    pub append: bool,
    /// The value; a single [`Part::Array`] for a list.
    pub value: Word,
}

/// A word in its parts.
#[derive(Debug, Clone, Default)]
pub struct Word {
    /// Its parts, next to each other.
    pub parts: Vec<Part>,
    /// Where it stands.
    pub span: Span,
}

impl Word {
    /// The text of a word that is written without any quoting or expansion.
    pub fn bare(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [Part::Bare(text)] => Some(text),
            _ => None,
        }
    }
}

/// A part of a word.
#[derive(Debug, Clone)]
pub enum Part {
    /// Written plainly: braces, globs and `~` are still special.
    Bare(String),
    /// Quoted or escaped: only text.
    Quoted(String),
    /// Between double quotes.
    Double(Vec<Part>),
    /// `$x`, `${x…}`
    Parameter(Box<Parameter>),
    /// `$( … )` or backticks.
    Command(List),
    /// `<( … )`, or `>( … )` when `input` is false.
    Process {
        /// What runs.
        list: List,
        /// Whether the word stands for its output.
        input: bool,
    },
    /// `$(( … ))`
    Arithmetic(Vec<Part>),
    /// `( … )` after `name=`.
    Array(Vec<Word>),
}

/// A parameter and what is done to its value.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// Its name, a number or one of `@*#?-$!`.
    pub name: String,
    /// What stands in brackets.
    pub index: Option<Vec<Part>>,
    /// What is done.
    pub operation: Operation,
}

/// What is done to a parameter's value.
#[derive(Debug, Clone)]
pub enum Operation {
    /// Nothing.
    Plain,
    /// `${#x}`
    Length,
    /// `${!x}`
    Indirect,
    /// `${x:-w}`, `${x-w}`, `${x:=w}`, `${x=w}`
    Default {
        /// The word.
        word: Vec<Part>,
        /// Whether it is assigned, too.
        assign: bool,
    },
    /// `${x:?w}`, `${x?w}`
    Require(Vec<Part>),
    /// `${x:+w}`, `${x+w}`
    Alternative(Vec<Part>),
    /// `${x:offset:length}`
    Slice(Vec<Part>),
    /// `${x#p}`, `${x##p}`, `${x%p}`, `${x%%p}`
    Trim {
        /// The pattern.
        pattern: Vec<Part>,
        /// From the end.
        end: bool,
        /// As much as possible.
        longest: bool,
    },
    /// `${x/p/w}`, `${x//p/w}`
    Replace {
        /// The pattern.
        pattern: Vec<Part>,
        /// What it becomes.
        with: Vec<Part>,
        /// Everywhere.
        all: bool,
    },
    /// `${x^}`, `${x^^}`
    Upper {
        /// Every character.
        all: bool,
    },
    /// `${x,}`, `${x,,}`
    Lower {
        /// Every character.
        all: bool,
    },
    /// Anything else (`${x@Q}`, `${!x*}`).
    Other(Vec<Part>),
}

/// A redirection.
#[derive(Debug, Clone)]
pub struct Redirection {
    /// The descriptor in front of it.
    pub descriptor: Option<String>,
    /// What it does.
    pub operator: Operator,
    /// Its target; for a heredoc the delimiter.
    pub target: Word,
    /// A heredoc's text, once the parser has come past it.
    pub body: Option<Rc<OnceCell<Body>>>,
}

/// What a redirection does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `<`
    Read,
    /// `>`, `>|`
    Write,
    /// `>>`
    Append,
    /// `<>`
    ReadWrite,
    /// `<&`
    CopyInput,
    /// `>&`
    CopyOutput,
    /// `&>`
    WriteBoth,
    /// `&>>`
    AppendBoth,
    /// `<<`, `<<-`
    HereDocument,
    /// `<<<`
    HereString,
}

/// The text of a heredoc.
#[derive(Debug, Clone)]
pub struct Body {
    /// Its parts; a single [`Part::Quoted`] when the delimiter was quoted.
    pub parts: Vec<Part>,
    /// Where it stands.
    pub span: Span,
}
