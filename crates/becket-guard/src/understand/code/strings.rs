//! String literals, with the places where values are put into them.

use super::Language;
use super::token::Cursor;
use crate::understand::output::unescape;

/// A piece of a string.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    Literal(String),
    /// A value, as the expression that makes it.
    Gap(String),
}

/// Python's `"…"`, `'''…'''`, after any prefix.
pub(super) fn python(cursor: &mut Cursor<'_>, raw: bool, formatted: bool) -> Vec<Piece> {
    let quote = cursor.next().unwrap_or('"');
    let triple: String = std::iter::repeat_n(quote, 3).collect();
    let long = {
        let rest = cursor.rest();
        rest.starts_with(&triple[1..])
    };
    let inner = if long {
        cursor.at += 2;
        let rest = cursor.rest();
        let end = rest.find(&triple).unwrap_or(rest.len());
        let inner = rest[..end].to_owned();
        cursor.at = (cursor.at + end + 3).min(cursor.text.len());
        inner
    } else {
        delimited(cursor, quote)
    };
    let finish = |text: &str| if raw { text.to_owned() } else { unescape(text) };
    if !formatted {
        return vec![Piece::Literal(finish(&inner))];
    }
    holes(&inner, "{", '}', finish)
}

/// JavaScript's `` `…${x}…` ``.
pub(super) fn template(cursor: &mut Cursor<'_>) -> Vec<Piece> {
    cursor.next();
    let inner = delimited(cursor, '`');
    holes(&inner, "${", '}', unescape)
}

/// Strings with `\` escapes and nothing else.
pub(super) fn escaped(cursor: &mut Cursor<'_>) -> String {
    let quote = cursor.next().unwrap_or('"');
    let inner = delimited(cursor, quote);
    unescape(&inner)
}

/// Text up to the delimiter that closes `open`, escapes kept; brackets nest.
pub(super) fn delimited(cursor: &mut Cursor<'_>, open: char) -> String {
    let close = match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    };
    let mut depth = 0_usize;
    let mut inner = String::new();
    while let Some(character) = cursor.next() {
        if character == '\\' {
            inner.push('\\');
            inner.extend(cursor.next());
            continue;
        }
        if character == close {
            if depth == 0 {
                break;
            }
            depth -= 1;
        } else if character == open {
            depth += 1;
        }
        inner.push(character);
    }
    inner
}

/// Single quotes of Perl, Ruby and PHP: only the quote and the backslash are escaped.
pub(super) fn raw_unescape(text: &str) -> String {
    text.replace("\\'", "'").replace("\\\\", "\\")
}

/// Double quotes of Perl, PHP and Ruby.
pub(super) fn interpolated(text: &str, language: Language) -> Vec<Piece> {
    if language == Language::Ruby {
        return holes(text, "#{", '}', unescape);
    }
    let mut pieces = Vec::new();
    let mut literal = String::new();
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let name_len = rest[character.len_utf8()..]
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(rest.len() - character.len_utf8());
        let braced = rest.starts_with("${") || rest.starts_with("{$");
        if character == '\\' {
            literal.push(character);
            rest = &rest[1..];
            if let Some(next) = rest.chars().next() {
                literal.push(next);
                rest = &rest[next.len_utf8()..];
            }
        } else if braced {
            let end = rest.find('}').map_or(rest.len(), |at| at + 1);
            let name = rest[..end].trim_matches(['$', '{', '}']);
            pieces.push(Piece::Literal(unescape(&std::mem::take(&mut literal))));
            pieces.push(Piece::Gap(format!("${name}")));
            rest = &rest[end..];
        } else if matches!(character, '$') && name_len > 0 {
            pieces.push(Piece::Literal(unescape(&std::mem::take(&mut literal))));
            pieces.push(Piece::Gap(rest[..=name_len].to_owned()));
            rest = &rest[1 + name_len..];
        } else {
            literal.push(character);
            rest = &rest[character.len_utf8()..];
        }
    }
    pieces.push(Piece::Literal(unescape(&literal)));
    pieces
}

/// Splits at `open … close`; `open` twice is itself.
fn holes(text: &str, open: &str, close: char, finish: impl Fn(&str) -> String) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let mut literal = String::new();
    while let Some(at) = rest.find(open) {
        literal.push_str(&rest[..at]);
        rest = &rest[at + open.len()..];
        if open == "{" && rest.starts_with('{') {
            literal.push('{');
            rest = &rest[1..];
            continue;
        }
        let Some(end) = rest.find(close) else {
            literal.push_str(open);
            break;
        };
        pieces.push(Piece::Literal(finish(&std::mem::take(&mut literal))));
        let expression = rest[..end].split([':', '!']).next().unwrap_or_default();
        pieces.push(Piece::Gap(expression.trim().to_owned()));
        rest = &rest[end + 1..];
    }
    literal.push_str(rest);
    pieces.push(Piece::Literal(finish(&literal)));
    pieces
}
