//! A lexer for several languages, as precise as strings and calls require.

use super::ScriptLanguage;
use super::strings::{self, StringPiece};

#[derive(Debug, Clone, PartialEq)]
pub(super) enum CodeToken {
    /// A name; `$x` and `@x` keep their sigil.
    Name(String),
    /// A string in its pieces.
    Text(Vec<StringPiece>),
    /// Backticks, `qx( )`, `%x( )` where they run a shell.
    Shell(Vec<StringPiece>),
    /// `qw( )`, `%w( )`
    Words(Vec<String>),
    Number(String),
    /// An operator or a bracket.
    Sign(char),
    /// The end of a line.
    Line,
}

/// A position in the text.
pub(super) struct CodeCursor<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl CodeCursor<'_> {
    pub(super) fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += character.len_utf8();
        Some(character)
    }

    fn skip_past(&mut self, end: &str) {
        let rest = self.rest();
        self.at += rest.find(end).map_or(rest.len(), |at| at + end.len());
    }
}

pub(super) fn tokens(language: ScriptLanguage, text: &str) -> Vec<CodeToken> {
    let mut cursor = CodeCursor { text, at: 0 };
    let mut tokens: Vec<CodeToken> = Vec::new();
    while let Some(character) = cursor.peek() {
        if skip_comment(language, &mut cursor) {
            continue;
        }
        match character {
            '\n' => {
                cursor.at += 1;
                tokens.push(CodeToken::Line);
            }
            '\\' if cursor.rest().starts_with("\\\n") => cursor.at += 2,
            _ if character.is_whitespace() => cursor.at += character.len_utf8(),
            '"' | '\'' | '`' => tokens.push(quoted(language, &mut cursor)),
            '/' if regex_here(language, tokens.last()) => {
                skip_regex(&mut cursor);
                tokens.push(CodeToken::Text(vec![StringPiece::Gap(String::new())]));
            }
            '%' if language == ScriptLanguage::Ruby && percent_here(&cursor, tokens.last()) => {
                tokens.push(percent(&mut cursor));
            }
            _ if character.is_ascii_digit() => {
                let start = cursor.at;
                while cursor
                    .peek()
                    .is_some_and(|c| c.is_ascii_alphanumeric() || c == '.' || c == '_')
                {
                    cursor.at += 1;
                }
                tokens.push(CodeToken::Number(text[start..cursor.at].to_owned()));
            }
            _ if name_start(language, character) => word(language, &mut cursor, &mut tokens),
            _ => {
                cursor.next();
                tokens.push(CodeToken::Sign(character));
            }
        }
    }
    tokens
}

fn name_start(language: ScriptLanguage, character: char) -> bool {
    let sigil = match language {
        ScriptLanguage::Perl | ScriptLanguage::Php => matches!(character, '$' | '@'),
        ScriptLanguage::JavaScript | ScriptLanguage::Ruby => matches!(character, '$' | '@'),
        _ => false,
    };
    character.is_alphabetic() || character == '_' || sigil
}

/// Lexes a name, or a string that starts with letters: `f"…"`, `q(…)`.
fn word(language: ScriptLanguage, cursor: &mut CodeCursor<'_>, tokens: &mut Vec<CodeToken>) {
    let start = cursor.at;
    cursor.next();
    while cursor
        .peek()
        .is_some_and(|c| c.is_alphanumeric() || c == '_')
    {
        cursor.next();
    }
    let name = &cursor.text[start..cursor.at];
    let next = cursor.peek();
    let prefix = matches!(next, Some('"' | '\''))
        && name.len() <= 2
        && name.chars().all(|c| "rRbBfFuU".contains(c));
    if language == ScriptLanguage::Python && prefix {
        let raw = name.contains(['r', 'R']);
        let formatted = name.contains(['f', 'F']);
        tokens.push(CodeToken::Text(strings::python(cursor, raw, formatted)));
        return;
    }
    if language == ScriptLanguage::Perl
        && matches!(
            name,
            "q" | "qq" | "qw" | "qx" | "m" | "s" | "tr" | "y" | "qr"
        )
        && let Some(token) = perl_quote(name, cursor)
    {
        tokens.push(token);
        return;
    }
    tokens.push(CodeToken::Name(name.to_owned()));
}

fn perl_quote(name: &str, cursor: &mut CodeCursor<'_>) -> Option<CodeToken> {
    let open = cursor.peek().filter(|c| {
        !c.is_alphanumeric() && !c.is_whitespace() && !matches!(c, ',' | ';' | ')' | '=')
    })?;
    if open == '=' && cursor.rest().starts_with("=>") {
        return None;
    }
    cursor.next();
    let inner = strings::delimited(cursor, open);
    Some(match name {
        "q" => CodeToken::Text(vec![StringPiece::Literal(inner)]),
        "qw" => CodeToken::Words(inner.split_whitespace().map(str::to_owned).collect()),
        "qx" => CodeToken::Shell(strings::interpolated(&inner, ScriptLanguage::Perl)),
        "qq" => CodeToken::Text(strings::interpolated(&inner, ScriptLanguage::Perl)),
        "s" | "tr" | "y" => {
            if matches!(open, '{' | '(' | '[' | '<') {
                while cursor.peek().is_some_and(char::is_whitespace) {
                    cursor.next();
                }
                if let Some(open) = cursor.next() {
                    strings::delimited(cursor, open);
                }
            } else {
                strings::delimited(cursor, open);
            }
            CodeToken::Text(vec![StringPiece::Gap(String::new())])
        }
        _ => CodeToken::Text(vec![StringPiece::Gap(String::new())]),
    })
}

fn quoted(language: ScriptLanguage, cursor: &mut CodeCursor<'_>) -> CodeToken {
    let quote = cursor.peek().unwrap_or('"');
    match (language, quote) {
        (ScriptLanguage::Python, '"' | '\'') => {
            CodeToken::Text(strings::python(cursor, false, false))
        }
        (ScriptLanguage::Python, _) => {
            cursor.next();
            CodeToken::Sign('`')
        }
        (ScriptLanguage::JavaScript, '`') => CodeToken::Text(strings::template(cursor)),
        (ScriptLanguage::Perl | ScriptLanguage::Ruby | ScriptLanguage::Php, '`') => {
            cursor.next();
            let inner = strings::delimited(cursor, '`');
            CodeToken::Shell(strings::interpolated(&inner, language))
        }
        (ScriptLanguage::Perl | ScriptLanguage::Ruby | ScriptLanguage::Php, '"') => {
            cursor.next();
            let inner = strings::delimited(cursor, '"');
            CodeToken::Text(strings::interpolated(&inner, language))
        }
        (ScriptLanguage::Awk | ScriptLanguage::Tcl, '\'') => {
            cursor.next();
            CodeToken::Sign('\'')
        }
        (ScriptLanguage::Perl | ScriptLanguage::Ruby | ScriptLanguage::Php, _) => {
            cursor.next();
            let inner = strings::delimited(cursor, quote);
            CodeToken::Text(vec![StringPiece::Literal(strings::raw_unescape(&inner))])
        }
        _ => CodeToken::Text(vec![StringPiece::Literal(strings::escaped(cursor))]),
    }
}

fn skip_comment(language: ScriptLanguage, cursor: &mut CodeCursor<'_>) -> bool {
    let rest = cursor.rest();
    let line = match language {
        ScriptLanguage::JavaScript => rest.starts_with("//"),
        ScriptLanguage::Php => rest.starts_with("//") || rest.starts_with('#'),
        ScriptLanguage::Lua | ScriptLanguage::AppleScript => rest.starts_with("--"),
        ScriptLanguage::Perl => rest.starts_with('#') && !cursor.text[..cursor.at].ends_with('$'),
        _ => rest.starts_with('#') && !rest.starts_with("#{"),
    };
    if line {
        let end = rest.find('\n').unwrap_or(rest.len());
        cursor.at += end;
        return true;
    }
    if matches!(language, ScriptLanguage::JavaScript | ScriptLanguage::Php)
        && rest.starts_with("/*")
    {
        cursor.skip_past("*/");
        return true;
    }
    false
}

/// Whether a slash starts a regular expression: in the position of a value.
fn regex_here(language: ScriptLanguage, last: Option<&CodeToken>) -> bool {
    if !matches!(
        language,
        ScriptLanguage::JavaScript
            | ScriptLanguage::Perl
            | ScriptLanguage::Ruby
            | ScriptLanguage::Awk
    ) {
        return false;
    }
    match last {
        None | Some(CodeToken::Line) => true,
        Some(CodeToken::Sign(sign)) => !matches!(sign, ')' | ']' | '}'),
        Some(CodeToken::Name(name)) => matches!(
            name.as_str(),
            "return" | "if" | "and" | "or" | "not" | "split" | "grep"
        ),
        _ => false,
    }
}

fn skip_regex(cursor: &mut CodeCursor<'_>) {
    let start = cursor.at;
    cursor.next();
    while let Some(character) = cursor.next() {
        match character {
            '\\' => {
                cursor.next();
            }
            '/' => return,
            '\n' => break,
            _ => {}
        }
    }
    // It was a division.
    cursor.at = start + 1;
}

fn percent_here(cursor: &CodeCursor<'_>, last: Option<&CodeToken>) -> bool {
    let mut next = cursor.rest().chars().skip(1);
    let kind = next.next();
    let open = if matches!(kind, Some('q' | 'Q' | 'w' | 'W' | 'x' | 'i')) {
        next.next()
    } else {
        kind
    };
    let value_before = matches!(
        last,
        Some(
            CodeToken::Name(_)
                | CodeToken::Number(_)
                | CodeToken::Text(_)
                | CodeToken::Sign(')' | ']')
        )
    );
    matches!(open, Some('(' | '[' | '{' | '<' | '|' | '!'))
        && (!value_before || matches!(kind, Some('x' | 'w')))
}

/// Ruby's `%w( )`, `%x( )`, `%q( )`.
fn percent(cursor: &mut CodeCursor<'_>) -> CodeToken {
    cursor.next();
    let kind = cursor.peek().filter(char::is_ascii_alphabetic);
    if kind.is_some() {
        cursor.next();
    }
    let open = cursor.next().unwrap_or('(');
    let inner = strings::delimited(cursor, open);
    match kind {
        Some('w' | 'W' | 'i') => {
            CodeToken::Words(inner.split_whitespace().map(str::to_owned).collect())
        }
        Some('x') => CodeToken::Shell(strings::interpolated(&inner, ScriptLanguage::Ruby)),
        Some('q') => CodeToken::Text(vec![StringPiece::Literal(inner)]),
        _ => CodeToken::Text(strings::interpolated(&inner, ScriptLanguage::Ruby)),
    }
}
