//! Tokens of several languages, told apart as far as strings and calls need it.

use super::Language;
use super::strings::{self, Piece};

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// A name; `$x` and `@x` keep their sigil.
    Name(String),
    /// A string in its pieces.
    Text(Vec<Piece>),
    /// Backticks, `qx( )`, `%x( )` where they run a shell.
    Shell(Vec<Piece>),
    /// `qw( )`, `%w( )`
    Words(Vec<String>),
    Number(String),
    /// An operator or a bracket.
    Sign(char),
    /// The end of a line.
    Line,
}

/// A position in the text.
pub(super) struct Cursor<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
}

impl Cursor<'_> {
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

pub(super) fn tokens(language: Language, text: &str) -> Vec<Token> {
    let mut cursor = Cursor { text, at: 0 };
    let mut tokens: Vec<Token> = Vec::new();
    while let Some(character) = cursor.peek() {
        if skip_comment(language, &mut cursor) {
            continue;
        }
        match character {
            '\n' => {
                cursor.at += 1;
                tokens.push(Token::Line);
            }
            '\\' if cursor.rest().starts_with("\\\n") => cursor.at += 2,
            _ if character.is_whitespace() => cursor.at += character.len_utf8(),
            '"' | '\'' | '`' => tokens.push(quoted(language, &mut cursor)),
            '/' if regex_here(language, tokens.last()) => {
                skip_regex(&mut cursor);
                tokens.push(Token::Text(vec![Piece::Gap(String::new())]));
            }
            '%' if language == Language::Ruby && percent_here(&cursor, tokens.last()) => {
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
                tokens.push(Token::Number(text[start..cursor.at].to_owned()));
            }
            _ if name_start(language, character) => word(language, &mut cursor, &mut tokens),
            _ => {
                cursor.next();
                tokens.push(Token::Sign(character));
            }
        }
    }
    tokens
}

fn name_start(language: Language, character: char) -> bool {
    let sigil = match language {
        Language::Perl | Language::Php => matches!(character, '$' | '@'),
        Language::JavaScript | Language::Ruby => matches!(character, '$' | '@'),
        _ => false,
    };
    character.is_alphabetic() || character == '_' || sigil
}

/// A name, or a string that starts with letters: `f"…"`, `q(…)`.
fn word(language: Language, cursor: &mut Cursor<'_>, tokens: &mut Vec<Token>) {
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
    if language == Language::Python && prefix {
        let raw = name.contains(['r', 'R']);
        let formatted = name.contains(['f', 'F']);
        tokens.push(Token::Text(strings::python(cursor, raw, formatted)));
        return;
    }
    if language == Language::Perl
        && matches!(
            name,
            "q" | "qq" | "qw" | "qx" | "m" | "s" | "tr" | "y" | "qr"
        )
        && let Some(token) = perl_quote(name, cursor)
    {
        tokens.push(token);
        return;
    }
    tokens.push(Token::Name(name.to_owned()));
}

fn perl_quote(name: &str, cursor: &mut Cursor<'_>) -> Option<Token> {
    let open = cursor.peek().filter(|c| {
        !c.is_alphanumeric() && !c.is_whitespace() && !matches!(c, ',' | ';' | ')' | '=')
    })?;
    if open == '=' && cursor.rest().starts_with("=>") {
        return None;
    }
    cursor.next();
    let inner = strings::delimited(cursor, open);
    Some(match name {
        "q" => Token::Text(vec![Piece::Literal(inner)]),
        "qw" => Token::Words(inner.split_whitespace().map(str::to_owned).collect()),
        "qx" => Token::Shell(strings::interpolated(&inner, Language::Perl)),
        "qq" => Token::Text(strings::interpolated(&inner, Language::Perl)),
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
            Token::Text(vec![Piece::Gap(String::new())])
        }
        _ => Token::Text(vec![Piece::Gap(String::new())]),
    })
}

fn quoted(language: Language, cursor: &mut Cursor<'_>) -> Token {
    let quote = cursor.peek().unwrap_or('"');
    match (language, quote) {
        (Language::Python, '"' | '\'') => Token::Text(strings::python(cursor, false, false)),
        (Language::Python, _) => {
            cursor.next();
            Token::Sign('`')
        }
        (Language::JavaScript, '`') => Token::Text(strings::template(cursor)),
        (Language::Perl | Language::Ruby | Language::Php, '`') => {
            cursor.next();
            let inner = strings::delimited(cursor, '`');
            Token::Shell(strings::interpolated(&inner, language))
        }
        (Language::Perl | Language::Ruby | Language::Php, '"') => {
            cursor.next();
            let inner = strings::delimited(cursor, '"');
            Token::Text(strings::interpolated(&inner, language))
        }
        (Language::Awk | Language::Tcl, '\'') => {
            cursor.next();
            Token::Sign('\'')
        }
        (Language::Perl | Language::Ruby | Language::Php, _) => {
            cursor.next();
            let inner = strings::delimited(cursor, quote);
            Token::Text(vec![Piece::Literal(strings::raw_unescape(&inner))])
        }
        _ => Token::Text(vec![Piece::Literal(strings::escaped(cursor))]),
    }
}

fn skip_comment(language: Language, cursor: &mut Cursor<'_>) -> bool {
    let rest = cursor.rest();
    let line = match language {
        Language::JavaScript => rest.starts_with("//"),
        Language::Php => rest.starts_with("//") || rest.starts_with('#'),
        Language::Lua | Language::AppleScript => rest.starts_with("--"),
        Language::Perl => rest.starts_with('#') && !cursor.text[..cursor.at].ends_with('$'),
        _ => rest.starts_with('#') && !rest.starts_with("#{"),
    };
    if line {
        let end = rest.find('\n').unwrap_or(rest.len());
        cursor.at += end;
        return true;
    }
    if matches!(language, Language::JavaScript | Language::Php) && rest.starts_with("/*") {
        cursor.skip_past("*/");
        return true;
    }
    false
}

/// Whether a slash starts a pattern: where a value may stand.
fn regex_here(language: Language, last: Option<&Token>) -> bool {
    if !matches!(
        language,
        Language::JavaScript | Language::Perl | Language::Ruby | Language::Awk
    ) {
        return false;
    }
    match last {
        None | Some(Token::Line) => true,
        Some(Token::Sign(sign)) => !matches!(sign, ')' | ']' | '}'),
        Some(Token::Name(name)) => matches!(
            name.as_str(),
            "return" | "if" | "and" | "or" | "not" | "split" | "grep"
        ),
        _ => false,
    }
}

fn skip_regex(cursor: &mut Cursor<'_>) {
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
    // It was a division after all.
    cursor.at = start + 1;
}

fn percent_here(cursor: &Cursor<'_>, last: Option<&Token>) -> bool {
    let mut next = cursor.rest().chars().skip(1);
    let kind = next.next();
    let open = if matches!(kind, Some('q' | 'Q' | 'w' | 'W' | 'x' | 'i')) {
        next.next()
    } else {
        kind
    };
    let value_before = matches!(
        last,
        Some(Token::Name(_) | Token::Number(_) | Token::Text(_) | Token::Sign(')' | ']'))
    );
    matches!(open, Some('(' | '[' | '{' | '<' | '|' | '!'))
        && (!value_before || matches!(kind, Some('x' | 'w')))
}

/// Ruby's `%w( )`, `%x( )`, `%q( )`.
fn percent(cursor: &mut Cursor<'_>) -> Token {
    cursor.next();
    let kind = cursor.peek().filter(char::is_ascii_alphabetic);
    if kind.is_some() {
        cursor.next();
    }
    let open = cursor.next().unwrap_or('(');
    let inner = strings::delimited(cursor, open);
    match kind {
        Some('w' | 'W' | 'i') => {
            Token::Words(inner.split_whitespace().map(str::to_owned).collect())
        }
        Some('x') => Token::Shell(strings::interpolated(&inner, Language::Ruby)),
        Some('q') => Token::Text(vec![Piece::Literal(inner)]),
        _ => Token::Text(strings::interpolated(&inner, Language::Ruby)),
    }
}
