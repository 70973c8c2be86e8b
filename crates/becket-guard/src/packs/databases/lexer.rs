//! SQL cut into tokens: enough to tell code from strings, names and comments.

/// Where the text would run; dialects differ in what is a comment and what is a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// PostgreSQL and most others.
    Standard,
    /// `#` comments, backslash escapes, `"strings"`, `/*! code */`.
    MySql,
    /// `[names]`.
    SqlServer,
}

/// A piece of SQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A keyword, a bare name or a number.
    Word(&'a str),
    /// A quoted name.
    Name(&'a str),
    /// A string; its content, for those that hold code.
    Text(&'a str),
    /// Anything else.
    Sign(char),
}

impl Token<'_> {
    /// Whether it is this keyword.
    pub(super) fn is(&self, keyword: &str) -> bool {
        matches!(self, Token::Word(word) if word.eq_ignore_ascii_case(keyword))
    }

    /// Whether it is one of these keywords.
    pub(super) fn is_one_of(&self, keywords: &[&str]) -> bool {
        keywords.iter().any(|keyword| self.is(keyword))
    }
}

/// The tokens of a text, comments left out.
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    dialect: Dialect,
}

impl<'a> Lexer<'a> {
    /// Starts at the beginning of `text`.
    pub(super) fn new(text: &'a str, dialect: Dialect) -> Self {
        Self {
            text,
            at: 0,
            dialect,
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_line(&mut self) {
        self.at += self
            .rest()
            .find('\n')
            .map_or(self.rest().len(), |end| end + 1);
    }

    /// Comments nest in PostgreSQL; what MySQL marks with `/*!` is code.
    fn skip_comment(&mut self) {
        if self.dialect == Dialect::MySql && self.rest().starts_with("/*!") {
            self.at += 3;
            let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
            self.at += digits;
            return;
        }
        let nests = self.dialect == Dialect::Standard;
        self.at += 2;
        let mut depth = 1;
        while depth > 0 && !self.rest().is_empty() {
            if self.rest().starts_with("*/") {
                depth -= 1;
                self.at += 2;
            } else if nests && self.rest().starts_with("/*") {
                depth += 1;
                self.at += 2;
            } else {
                self.step();
            }
        }
    }

    fn step(&mut self) {
        self.at += self.rest().chars().next().map_or(0, char::len_utf8);
    }

    /// What stands between two `quote`s, doubled ones and escapes passed over.
    fn quoted(&mut self, quote: char, escapes: bool) -> &'a str {
        self.at += quote.len_utf8();
        let start = self.at;
        while let Some(character) = self.rest().chars().next() {
            self.at += character.len_utf8();
            if escapes && character == '\\' {
                self.step();
            } else if character == quote {
                if !self.rest().starts_with(quote) {
                    return &self.text[start..self.at - quote.len_utf8()];
                }
                self.at += quote.len_utf8();
            }
        }
        &self.text[start..]
    }

    /// `$tag$ … $tag$`, if one starts here.
    fn dollar_quoted(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let close = rest[1..].find('$')? + 2;
        let tag = &rest[..close];
        let plain = |c: char| c.is_alphanumeric() || c == '_';
        let inner = &tag[1..tag.len() - 1];
        if !inner.chars().all(plain) || inner.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let body = &rest[close..];
        let end = body.find(tag).unwrap_or(body.len());
        self.at += (close + end + tag.len()).min(rest.len());
        Some(&body[..end])
    }

    fn word(&mut self) -> &'a str {
        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '@');
        let rest = self.rest();
        let end = rest.find(|c| !part(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let rest = self.rest();
            let first = rest.chars().next()?;
            let my = self.dialect == Dialect::MySql;
            match first {
                _ if first.is_whitespace() => self.step(),
                '-' if rest.starts_with("--") => self.skip_line(),
                '#' if my => self.skip_line(),
                '/' if rest.starts_with("/*") => self.skip_comment(),
                '*' if my && rest.starts_with("*/") => self.at += 2,
                '\'' => return Some(Token::Text(self.quoted('\'', my))),
                'e' | 'E' if rest[1..].starts_with('\'') => {
                    self.at += 1;
                    return Some(Token::Text(self.quoted('\'', true)));
                }
                '"' if my => return Some(Token::Text(self.quoted('"', true))),
                '"' => return Some(Token::Name(self.quoted('"', false))),
                '`' => return Some(Token::Name(self.quoted('`', false))),
                '[' if self.dialect == Dialect::SqlServer => {
                    self.at += 1;
                    let end = self.rest().find(']').unwrap_or(self.rest().len());
                    let name = &self.rest()[..end];
                    self.at = (self.at + end + 1).min(self.text.len());
                    return Some(Token::Name(name));
                }
                '$' => {
                    if let Some(body) = self.dollar_quoted() {
                        return Some(Token::Text(body));
                    }
                    self.at += 1;
                    return Some(Token::Sign('$'));
                }
                _ if first.is_alphanumeric() || first == '_' || first == '@' => {
                    return Some(Token::Word(self.word()));
                }
                _ => {
                    self.step();
                    return Some(Token::Sign(first));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, dialect: Dialect) -> String {
        let tokens = Lexer::new(text, dialect).map(|token| match token {
            Token::Word(word) => word.to_owned(),
            Token::Name(name) => format!("«{name}»"),
            Token::Text(text) => format!("‹{text}›"),
            Token::Sign(sign) => sign.to_string(),
        });
        tokens.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn strings_names_and_comments_are_told_from_code() {
        for (dialect, text, expected) in [
            (
                Dialect::Standard,
                "select 'it''s' -- drop\n, \"a b\"",
                "select ‹it''s› , «a b»",
            ),
            (Dialect::Standard, "a /* b /* c */ d */ e", "a e"),
            (Dialect::MySql, "a /* b /* c */ d", "a d"),
            (
                Dialect::MySql,
                "/*!50000 drop */ x # y\n'a\\'b' \"c\"",
                "drop x ‹a\\'b› ‹c›",
            ),
            (
                Dialect::Standard,
                "do $$ drop $$; $x$ a $y$ b $x$ $1",
                "do ‹ drop › ; ‹ a $y$ b › $ 1",
            ),
            (Dialect::Standard, "E'a\\'b' c", "‹a\\'b› c"),
            (Dialect::SqlServer, "[drop table] x", "«drop table» x"),
            (Dialect::Standard, "x[1] 'open", "x [ 1 ] ‹open›"),
            (Dialect::Standard, "$", "$"),
            (Dialect::MySql, "'a\\", "‹a\\›"),
            (Dialect::Standard, "/* é", ""),
        ] {
            assert_eq!(shown(text, dialect), expected, "{text}");
        }
    }
}
