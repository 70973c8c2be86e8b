//! Syntax tree of a shell text, before any expansion.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::command::Span;

/// A sequence of commands.
#[derive(Debug, Clone, Default)]
pub struct CommandList {
    /// The items in source order.
    pub items: Vec<AndOr>,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Debug, Clone)]
pub struct AndOr {
    /// The pipelines, each with the operator before it.
    pub pipelines: Vec<(PipelineJoin, Pipeline)>,
    /// Whether it ends in `&`.
    pub background: bool,
}

/// The operator before a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipelineJoin {
    /// None or `&&`: runs if everything before it succeeded.
    And,
    /// `||`: runs if the previous pipeline failed.
    Or,
}

/// Commands joined by `|`.
#[derive(Debug, Clone)]
pub struct Pipeline {
    /// Stages from left to right; empty for a lone `!` or `time`.
    pub stages: Vec<Command>,
}

/// A command with its redirections.
#[derive(Debug, Clone)]
pub struct Command {
    /// The command's syntax.
    pub kind: CommandKind,
    /// Redirections, in order.
    pub redirects: Vec<Redirection>,
    /// Position in the text.
    pub span: Span,
}

/// The syntactic forms of a command.
#[derive(Debug, Clone)]
pub enum CommandKind {
    /// Assignments and words.
    Simple(SimpleCommand),
    /// `( … )`
    Subshell(CommandList),
    /// `{ …; }`
    Group(CommandList),
    /// `if`: each condition with its branch, and the `else` branch.
    If {
        /// Conditions and their branches.
        branches: Vec<(CommandList, CommandList)>,
        /// The `else` branch.
        otherwise: Option<CommandList>,
    },
    /// `while` and `until`.
    While {
        /// The condition.
        condition: CommandList,
        /// The loop body.
        body: CommandList,
    },
    /// `for` and `select`.
    For {
        /// The variable.
        name: String,
        /// The words after `in`; `None` stands for `"$@"`.
        words: Option<Vec<WordNode>>,
        /// The loop body.
        body: CommandList,
    },
    /// `for (( … ))`
    CountingFor {
        /// The three expressions.
        head: WordNode,
        /// The loop body.
        body: CommandList,
    },
    /// `case`
    Case {
        /// The word to match.
        subject: WordNode,
        /// The branches.
        arms: Vec<CaseArm>,
    },
    /// A function definition.
    Function {
        /// Its name.
        name: String,
        /// Its body.
        body: Rc<Command>,
    },
    /// `[[ … ]]`: its words without operators.
    Test(Vec<WordNode>),
    /// `(( … ))`
    Arithmetic(WordNode),
    /// `coproc`
    Coprocess(Box<Command>),
}

/// A branch of `case`.
#[derive(Debug, Clone)]
pub struct CaseArm {
    /// The patterns of the branch.
    pub patterns: Vec<WordNode>,
    /// The commands of the branch.
    pub body: CommandList,
    /// Whether execution continues with the next branch (`;&`, `;;&`).
    pub goes_on: bool,
}

/// A simple command: assignments and words, unexpanded.
#[derive(Debug, Clone, Default)]
pub struct SimpleCommand {
    /// The leading assignments.
    pub assignments: Vec<Assignment>,
    /// The program and its arguments.
    pub words: Vec<WordNode>,
}

/// `name=value`, `name+=value`, `name[index]=value`, `name=( … )`.
#[derive(Debug, Clone)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// The subscript.
    pub index: Option<WordNode>,
    /// Whether the operator is `+=`.
    pub append: bool,
    /// The value; a single [`WordPart::Array`] for a list.
    pub value: WordNode,
}

/// An unexpanded word.
#[derive(Debug, Clone, Default)]
pub struct WordNode {
    /// The adjacent parts.
    pub parts: Vec<WordPart>,
    /// Position in the text.
    pub span: Span,
}

impl WordNode {
    /// The text of a word without quoting or expansion.
    pub fn bare(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [WordPart::Bare(text)] => Some(text),
            _ => None,
        }
    }
}

/// A part of a word.
#[derive(Debug, Clone)]
pub enum WordPart {
    /// Unquoted text: braces, globs and `~` are special.
    Bare(String),
    /// Quoted or escaped literal text.
    Quoted(String),
    /// Double-quoted parts.
    Double(Vec<WordPart>),
    /// `$x`, `${x…}`
    Parameter(Box<Parameter>),
    /// `$( … )` or backticks.
    Command(CommandList),
    /// `<( … )`, or `>( … )` when `input` is false.
    Process {
        /// The commands.
        list: CommandList,
        /// Whether the word stands for the output of the commands.
        input: bool,
    },
    /// `$(( … ))`
    Arithmetic(Vec<WordPart>),
    /// `( … )` after `name=`.
    Array(Vec<WordNode>),
}

/// A parameter expansion.
#[derive(Debug, Clone)]
pub struct Parameter {
    /// A name, a number or one of `@*#?-$!`.
    pub name: String,
    /// The subscript.
    pub index: Option<Vec<WordPart>>,
    /// The operation on the value.
    pub operation: ParameterOperation,
}

/// The operation on a parameter's value.
#[derive(Debug, Clone)]
pub enum ParameterOperation {
    /// Nothing.
    Plain,
    /// `${#x}`
    Length,
    /// `${!x}`
    Indirect,
    /// `${x:-w}`, `${x-w}`, `${x:=w}`, `${x=w}`
    Default {
        /// The word.
        word: Vec<WordPart>,
        /// Whether the word is also assigned.
        assign: bool,
    },
    /// `${x:?w}`, `${x?w}`
    Require(Vec<WordPart>),
    /// `${x:+w}`, `${x+w}`
    Alternative(Vec<WordPart>),
    /// `${x:offset:length}`
    Slice(Vec<WordPart>),
    /// `${x#p}`, `${x##p}`, `${x%p}`, `${x%%p}`
    Trim {
        /// The pattern.
        pattern: Vec<WordPart>,
        /// Whether to trim at the end.
        end: bool,
        /// Whether to trim the longest match.
        longest: bool,
    },
    /// `${x/p/w}`, `${x//p/w}`
    Replace {
        /// The pattern.
        pattern: Vec<WordPart>,
        /// The replacement.
        with: Vec<WordPart>,
        /// Whether to replace all matches.
        all: bool,
    },
    /// `${x^}`, `${x^^}`
    Upper {
        /// Whether to change every character.
        all: bool,
    },
    /// `${x,}`, `${x,,}`
    Lower {
        /// Whether to change every character.
        all: bool,
    },
    /// Anything else (`${x@Q}`, `${!x*}`).
    Other(Vec<WordPart>),
}

/// A redirection.
#[derive(Debug, Clone)]
pub struct Redirection {
    /// The file descriptor before the operator.
    pub descriptor: Option<String>,
    /// The operator.
    pub operator: RedirectOperator,
    /// The target; for a heredoc, the delimiter.
    pub target: WordNode,
    /// The heredoc body, set when the parser reaches it.
    pub body: Option<Rc<OnceCell<HeredocBody>>>,
}

/// The redirection operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectOperator {
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
pub struct HeredocBody {
    /// The parts; a single [`WordPart::Quoted`] if the delimiter is quoted.
    pub parts: Vec<WordPart>,
    /// Position in the text.
    pub span: Span,
}
