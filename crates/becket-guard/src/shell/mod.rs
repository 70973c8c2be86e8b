//! A bash parser with source positions and error recovery.
//!
//! After an error it continues: [`ParsedScript::list`] holds the parsed commands, [`ParsedScript::errors`] the
//! errors. It expands nothing and runs nothing. Start at [`parse`].

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

pub use ast::CommandList;

use crate::command::Span;

/// Maximum nesting depth.
pub const MAX_DEPTH: usize = 64;

/// The result of parsing a text.
#[derive(Debug, Clone, Default)]
pub struct ParsedScript {
    /// The commands that could be parsed.
    pub list: CommandList,
    /// The syntax errors.
    pub errors: Vec<SyntaxError>,
}

/// A syntax error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyntaxError {
    /// Description of the error.
    pub message: &'static str,
    /// Whether the nesting limit was exceeded.
    pub too_deep: bool,
    /// Position in the text.
    pub span: Span,
}

/// Parses a text.
pub fn parse(text: &str) -> ParsedScript {
    parse_nested(text, None, 0)
}

/// Parses a text that is embedded in another one at nesting level `depth`. All positions in it become `fixed_span`.
pub fn parse_nested(text: &str, fixed_span: Option<Span>, depth: usize) -> ParsedScript {
    let mut parser = parser::Parser::new(text, fixed_span, depth);
    let list = parser.program();
    ParsedScript {
        list,
        errors: parser.errors,
    }
}
