//! A parser for the language of bash, with places and without surprises.
//!
//! It keeps going after an error: what could be read is in [`Parsed::list`], what could not is in
//! [`Parsed::problems`]. It expands nothing and runs nothing. Start at [`parse`].

pub mod ast;

mod command;
mod compound;
mod conditional;
mod dollar;
mod heredoc;
mod parser;
mod quote;
mod redirect;
mod word;

pub use ast::List;

use crate::command::Span;

/// How deep constructs may stand inside each other.
pub const MAX_DEPTH: usize = 64;

/// What came of a text.
#[derive(Debug, Clone, Default)]
pub struct Parsed {
    /// The commands that could be read.
    pub list: List,
    /// What is wrong with the text.
    pub problems: Vec<Problem>,
}

/// Something that is not the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Problem {
    /// What it is.
    pub what: &'static str,
    /// Whether the text is merely nested too deeply.
    pub too_deep: bool,
    /// Where.
    pub span: Span,
}

/// Reads a text.
pub fn parse(text: &str) -> Parsed {
    parse_inside(text, None, 0)
}

/// Reads a text that stands inside another one: every place in it is `place`, and it already is `depth`
/// levels deep.
pub fn parse_inside(text: &str, place: Option<Span>, depth: usize) -> Parsed {
    let mut parser = parser::Parser::new(text, place, depth);
    let list = parser.program();
    Parsed {
        list,
        problems: parser.problems,
    }
}
