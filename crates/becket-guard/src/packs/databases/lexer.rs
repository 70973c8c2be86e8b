//! A SQL lexer: distinguishes code from strings, names and comments.

/// SQL dialect. Dialects differ in the syntax of comments and strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SqlDialect {
    /// PostgreSQL and most others.
    Standard,
    /// `#` comments, backslash escapes, `"strings"`, `/*! code */`.
    MySql,
    /// `[names]`.
    SqlServer,
}

/// A SQL token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SqlToken<'a> {
    /// A keyword, a bare name or a number.
    Word(&'a str),
    /// A quoted name.
    Name(&'a str),
    /// Content of a string, which may itself be code.
    Text(&'a str),
    /// Any other character.
    Sign(char),
}

impl SqlToken<'_> {
    /// Whether the token is this keyword.
    pub(super) fn is(&self, keyword: &str) -> bool {
        matches!(self, SqlToken::Word(word) if word.eq_ignore_ascii_case(keyword))
    }

    /// Whether the token is one of these keywords.
    pub(super) fn is_one_of(&self, keywords: &[&str]) -> bool {
        keywords.iter().any(|keyword| self.is(keyword))
    }
}

/// Iterates over the tokens of a text and skips comments.
pub(super) struct SqlLexer<'a> {
    text: &'a str,
    at: usize,
    dialect: SqlDialect,
}

impl<'a> SqlLexer<'a> {
    /// Starts at the beginning of `text`.
    pub(super) fn new(text: &'a str, dialect: SqlDialect) -> Self {
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

    /// Comments nest in PostgreSQL; MySQL executes the content of `/*! … */`.
    fn skip_comment(&mut self) {
        if self.dialect == SqlDialect::MySql && self.rest().starts_with("/*!") {
            self.at += 3;
            let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
            self.at += digits;
            return;
        }
        let nests = self.dialect == SqlDialect::Standard;
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

    /// The content between two `quote` characters; doubled quotes and escapes do not end it.
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

impl<'a> Iterator for SqlLexer<'a> {
    type Item = SqlToken<'a>;

    fn next(&mut self) -> Option<SqlToken<'a>> {
        loop {
            let rest = self.rest();
            let first = rest.chars().next()?;
            let my = self.dialect == SqlDialect::MySql;
            match first {
                _ if first.is_whitespace() => self.step(),
                '-' if rest.starts_with("--") => self.skip_line(),
                '#' if my => self.skip_line(),
                '/' if rest.starts_with("/*") => self.skip_comment(),
                '*' if my && rest.starts_with("*/") => self.at += 2,
                '\'' => return Some(SqlToken::Text(self.quoted('\'', my))),
                'e' | 'E' if rest[1..].starts_with('\'') => {
                    self.at += 1;
                    return Some(SqlToken::Text(self.quoted('\'', true)));
                }
                '"' if my => return Some(SqlToken::Text(self.quoted('"', true))),
                '"' => return Some(SqlToken::Name(self.quoted('"', false))),
                '`' => return Some(SqlToken::Name(self.quoted('`', false))),
                '[' if self.dialect == SqlDialect::SqlServer => {
                    self.at += 1;
                    let end = self.rest().find(']').unwrap_or(self.rest().len());
                    let name = &self.rest()[..end];
                    self.at = (self.at + end + 1).min(self.text.len());
                    return Some(SqlToken::Name(name));
                }
                '$' => {
                    if let Some(body) = self.dollar_quoted() {
                        return Some(SqlToken::Text(body));
                    }
                    self.at += 1;
                    return Some(SqlToken::Sign('$'));
                }
                _ if first.is_alphanumeric() || first == '_' || first == '@' => {
                    return Some(SqlToken::Word(self.word()));
                }
                _ => {
                    self.step();
                    return Some(SqlToken::Sign(first));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, dialect: SqlDialect) -> String {
        let tokens = SqlLexer::new(text, dialect).map(|token| match token {
            SqlToken::Word(word) => word.to_owned(),
            SqlToken::Name(name) => format!("«{name}»"),
            SqlToken::Text(text) => format!("‹{text}›"),
            SqlToken::Sign(sign) => sign.to_string(),
        });
        tokens.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lexer_separates_strings_names_and_comments_from_code() {
        for (dialect, text, expected) in [
            (
                SqlDialect::Standard,
                "select 'it''s' -- drop\n, \"a b\"",
                "select ‹it''s› , «a b»",
            ),
            (SqlDialect::Standard, "a /* b /* c */ d */ e", "a e"),
            (SqlDialect::MySql, "a /* b /* c */ d", "a d"),
            (
                SqlDialect::MySql,
                "/*!50000 drop */ x # y\n'a\\'b' \"c\"",
                "drop x ‹a\\'b› ‹c›",
            ),
            (
                SqlDialect::Standard,
                "do $$ drop $$; $x$ a $y$ b $x$ $1",
                "do ‹ drop › ; ‹ a $y$ b › $ 1",
            ),
            (SqlDialect::Standard, "E'a\\'b' c", "‹a\\'b› c"),
            (SqlDialect::SqlServer, "[drop table] x", "«drop table» x"),
            (SqlDialect::Standard, "x[1] 'open", "x [ 1 ] ‹open›"),
            (SqlDialect::Standard, "$", "$"),
            (SqlDialect::MySql, "'a\\", "‹a\\›"),
            (SqlDialect::Standard, "/* é", ""),
        ] {
            assert_eq!(shown(text, dialect), expected, "{text}");
        }
    }
}
