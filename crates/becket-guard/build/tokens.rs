//! The tokens of providers: the table of `token_rules.rs`.

use std::fmt::Write;

use serde::Deserialize;
use toml::Spanned;

use crate::data_file::{DataError, DataFile};
use crate::packs::is_identifier;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenFile {
    token: Vec<Token>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Token {
    prefix: Spanned<String>,
    kind: Spanned<String>,
    bytes: Option<Spanned<String>>,
    least: Option<usize>,
    most: Option<usize>,
    #[serde(default)]
    start: Start,
    #[serde(default)]
    look: Look,
    matcher: Option<Spanned<String>>,
    before: Option<usize>,
    after: Option<usize>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Start {
    #[default]
    Word,
    Anywhere,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Look {
    #[default]
    Any,
    Mixed,
    Random,
}

/// The code of `tokens.rs`.
pub(crate) fn code() -> Result<String, DataError> {
    let file = DataFile::read("tokens.toml")?;
    let tokens = file.parse::<TokenFile>()?.token;
    let mut code = "pub(super) static RULES: &[TokenRule] = &[\n".to_owned();
    let mut last = 0;
    for token in &tokens {
        let first = token.prefix.get_ref().bytes().next().unwrap_or(0);
        if first < last {
            return Err(file.bad("prefix", &token.prefix, "prefixes are sorted by first byte"));
        }
        last = first;
        let _ = writeln!(
            code,
            "TokenRule {{ prefix: {:?}.as_bytes(), kind: RedactionKind::{}, shape: {} }},",
            token.prefix.get_ref(),
            camel_case(&file, &token.kind)?,
            token.shape(&file)?
        );
    }
    Ok(code + "];\n")
}

impl Token {
    fn shape(&self, file: &DataFile) -> Result<String, DataError> {
        match (
            &self.matcher,
            &self.bytes,
            self.least,
            self.before,
            self.after,
        ) {
            (Some(matcher), None, None, None, None) if is_identifier(matcher.get_ref()) => {
                Ok(format!("TokenShape::Custom(tokens::{})", matcher.get_ref()))
            }
            (None, Some(bytes), Some(least), None, None) => {
                let most = self
                    .most
                    .map_or("NO_LIMIT".to_owned(), |most| most.to_string());
                Ok(format!(
                    "TokenShape::Run(RunShape {{ set: {}, least: {least}, most: {most}, boundary: \
                     TokenBoundary::{:?}, randomness: Randomness::{:?} }})",
                    byte_set(file, bytes)?,
                    self.start,
                    self.look
                ))
            }
            (None, Some(bytes), None, Some(before), Some(after)) => Ok(format!(
                "TokenShape::Infix(InfixShape {{ set: {}, before: {before}, after: {after} }})",
                byte_set(file, bytes)?
            )),
            _ => Err(file.bad(
                "prefix",
                &self.prefix,
                "give `bytes` and `least`, or `bytes`, `before` and `after`, or `matcher`",
            )),
        }
    }
}

/// `alnum dash` is `ALNUM | DASH`.
fn byte_set(file: &DataFile, bytes: &Spanned<String>) -> Result<String, DataError> {
    let sets = file.words("bytes", bytes)?;
    if !sets.iter().all(|set| is_identifier(set)) {
        return Err(file.bad("bytes", bytes, "name sets of src/redact/bytes.rs"));
    }
    Ok(sets.join(" | ").to_ascii_uppercase())
}

/// `github-token` is `GithubToken`.
fn camel_case(file: &DataFile, kind: &Spanned<String>) -> Result<String, DataError> {
    let mut name = String::new();
    for word in kind.get_ref().split('-') {
        let (first, rest) = word
            .split_at_checked(1)
            .filter(|_| {
                word.bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
            })
            .ok_or_else(|| file.bad("kind", kind, "write it as `github-token`"))?;
        name += &first.to_ascii_uppercase();
        name += rest;
    }
    Ok(name)
}
