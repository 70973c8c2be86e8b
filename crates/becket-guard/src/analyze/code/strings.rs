//! Parses string literals with their interpolated values.

use super::ScriptLanguage;
use super::token::CodeCursor;
use crate::analyze::known_output::unescape;

/// A piece of a string literal.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum StringPiece {
    Literal(String),
    /// An interpolated expression.
    Gap(String),
}

/// Python's `"…"`, `'''…'''`, after any prefix.
pub(super) fn python(cursor: &mut CodeCursor<'_>, raw: bool, formatted: bool) -> Vec<StringPiece> {
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
        return vec![StringPiece::Literal(finish(&inner))];
    }
    holes(&inner, "{", '}', finish)
}

/// JavaScript's `` `…${x}…` ``.
pub(super) fn template(cursor: &mut CodeCursor<'_>) -> Vec<StringPiece> {
    cursor.next();
    let inner = delimited(cursor, '`');
    holes(&inner, "${", '}', unescape)
}

/// Parses a string with `\` escapes and nothing else.
pub(super) fn escaped(cursor: &mut CodeCursor<'_>) -> String {
    let quote = cursor.next().unwrap_or('"');
    let inner = delimited(cursor, quote);
    unescape(&inner)
}

/// Parses text up to the delimiter that closes `open`, keeping escapes; brackets nest.
pub(super) fn delimited(cursor: &mut CodeCursor<'_>, open: char) -> String {
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

/// Single quotes in Perl, Ruby and PHP: only the quote and the backslash are escaped.
pub(super) fn raw_unescape(text: &str) -> String {
    text.replace("\\'", "'").replace("\\\\", "\\")
}

/// Double quotes in Perl, PHP and Ruby.
pub(super) fn interpolated(text: &str, language: ScriptLanguage) -> Vec<StringPiece> {
    if language == ScriptLanguage::Ruby {
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
            pieces.push(StringPiece::Literal(unescape(&std::mem::take(
                &mut literal,
            ))));
            pieces.push(StringPiece::Gap(format!("${name}")));
            rest = &rest[end..];
        } else if matches!(character, '$') && name_len > 0 {
            pieces.push(StringPiece::Literal(unescape(&std::mem::take(
                &mut literal,
            ))));
            pieces.push(StringPiece::Gap(rest[..=name_len].to_owned()));
            rest = &rest[1 + name_len..];
        } else {
            literal.push(character);
            rest = &rest[character.len_utf8()..];
        }
    }
    pieces.push(StringPiece::Literal(unescape(&literal)));
    pieces
}

/// Splits at `open … close`; a doubled `open` is literal.
fn holes(text: &str, open: &str, close: char, finish: impl Fn(&str) -> String) -> Vec<StringPiece> {
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
        pieces.push(StringPiece::Literal(finish(&std::mem::take(&mut literal))));
        let expression = rest[..end].split([':', '!']).next().unwrap_or_default();
        pieces.push(StringPiece::Gap(expression.trim().to_owned()));
        rest = &rest[end + 1..];
    }
    literal.push_str(rest);
    pieces.push(StringPiece::Literal(finish(&literal)));
    pieces
}
