//! Resolves git aliases.

use super::super::tool::CommandContext;
use super::GitGlobals;
use crate::command::{Invocation, Word};
use crate::facts::{Facts, RunLocation};
use crate::programs;

pub(super) enum AliasExpansion {
    /// Arguments for git.
    Words(Vec<Word>),
    /// A shell command that is defined on the same command line, so no person has reviewed it.
    Shell,
}

/// The expansion of `name`. An alias cannot replace a git builtin, so builtins are not looked up.
pub(super) fn expansion(
    context: &CommandContext<'_>,
    globals: &GitGlobals<'_>,
    name: &str,
) -> Option<AliasExpansion> {
    if is_builtin(name) {
        return None;
    }
    if let Some(value) = given_on_the_command_line(globals, name) {
        return Some(expand(value).unwrap_or(AliasExpansion::Shell));
    }
    // A configured shell alias is analyzed as shell text; see `shell_commands`.
    configured(context.command, context.location, context.facts, name)
        .and_then(|value| expand(&value))
}

/// The shell text of an alias that is configured or defined on the command line.
pub(super) fn shell_text(
    command: &Invocation,
    location: &RunLocation,
    facts: &dyn Facts,
    globals: &GitGlobals<'_>,
    name: &str,
) -> Option<String> {
    if is_builtin(name) {
        return None;
    }
    let value = given_on_the_command_line(globals, name)
        .map(str::to_owned)
        .or_else(|| configured(command, location, facts, name))?;
    Some(value.trim_start().strip_prefix('!')?.to_owned())
}

fn configured(
    command: &Invocation,
    location: &RunLocation,
    facts: &dyn Facts,
    name: &str,
) -> Option<String> {
    let plausible = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if !command.is_local() || !name.chars().all(plausible) {
        return None;
    }
    facts.git_alias(name, command.cwd.as_deref().unwrap_or(&location.cwd))
}

fn given_on_the_command_line<'a>(globals: &GitGlobals<'a>, name: &str) -> Option<&'a str> {
    globals.settings.iter().rev().find_map(|(key, value)| {
        let (section, alias) = key.split_once('.')?;
        (section.eq_ignore_ascii_case("alias") && alias.eq_ignore_ascii_case(name))
            .then_some(*value)
    })
}

fn expand(value: &str) -> Option<AliasExpansion> {
    let value = value.trim();
    (!value.starts_with('!')).then(|| AliasExpansion::Words(split(value)))
}

/// Splits like git: blanks, quotes, backslashes.
fn split(value: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut open = false;
    let mut quote = None;
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        match (quote, character) {
            (Some(end), character) if character == end => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                open = true;
            }
            (None | Some('"'), '\\') => word.extend(characters.next()),
            (None, character) if character.is_whitespace() => {
                if open || !word.is_empty() {
                    words.push(Word::literal(std::mem::take(&mut word)));
                }
                open = false;
            }
            (_, character) => word.push(character),
        }
    }
    if open || !word.is_empty() {
        words.push(Word::literal(word));
    }
    words
}

fn is_builtin(name: &str) -> bool {
    programs::contains(programs::GIT_BUILTINS, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alias_words_are_split_like_git() {
        let texts = |value| {
            split(value)
                .into_iter()
                .map(|word| word.text)
                .collect::<Vec<_>>()
        };
        assert_eq!(texts("push --force origin"), ["push", "--force", "origin"]);
        assert_eq!(
            texts("commit -m 'a b' \"c d\" e\\ f ''"),
            ["commit", "-m", "a b", "c d", "e f", ""]
        );
    }
}
