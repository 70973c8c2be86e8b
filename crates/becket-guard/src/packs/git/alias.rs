//! `git NAME` where NAME is an alias.

use super::super::tool::Scene;
use super::Globals;
use crate::command::{Invocation, Word};
use crate::facts::{Facts, Place};

/// What an alias stands for.
pub(super) enum Expansion {
    /// Other words of git.
    Words(Vec<Word>),
    /// A shell command that this very command line brings along, so that nobody has seen it.
    Shell,
}

/// What `name` stands for. Git lets no alias hide a command of its own, so those are not looked up.
pub(super) fn expansion(scene: &Scene<'_>, globals: &Globals<'_>, name: &str) -> Option<Expansion> {
    if is_builtin(name) {
        return None;
    }
    if let Some(value) = given_on_the_command_line(globals, name) {
        return Some(expand(value).unwrap_or(Expansion::Shell));
    }
    // A shell alias that the person configured is understood as shell, not here: see `nested`.
    configured(scene.command, scene.place, scene.facts, name).and_then(|value| expand(&value))
}

/// The shell text behind an alias, given here or configured, if it is one.
pub(super) fn shell_text(
    command: &Invocation,
    place: &Place,
    facts: &dyn Facts,
    globals: &Globals<'_>,
    name: &str,
) -> Option<String> {
    if is_builtin(name) {
        return None;
    }
    let value = given_on_the_command_line(globals, name)
        .map(str::to_owned)
        .or_else(|| configured(command, place, facts, name))?;
    Some(value.trim_start().strip_prefix('!')?.to_owned())
}

fn configured(
    command: &Invocation,
    place: &Place,
    facts: &dyn Facts,
    name: &str,
) -> Option<String> {
    let plausible = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if !command.is_local() || !name.chars().all(plausible) {
        return None;
    }
    facts.git_alias(name, command.cwd.as_deref().unwrap_or(&place.cwd))
}

fn given_on_the_command_line<'a>(globals: &Globals<'a>, name: &str) -> Option<&'a str> {
    globals.settings.iter().rev().find_map(|(key, value)| {
        let (section, alias) = key.split_once('.')?;
        (section.eq_ignore_ascii_case("alias") && alias.eq_ignore_ascii_case(name))
            .then_some(*value)
    })
}

fn expand(value: &str) -> Option<Expansion> {
    let value = value.trim();
    (!value.starts_with('!')).then(|| Expansion::Words(split(value)))
}

/// Git's own splitting: blanks, quotes, backslashes.
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

/// Commands of git itself that anyone would use; sorted.
static BUILTINS: &[&str] = &[
    "add",
    "am",
    "apply",
    "archive",
    "bisect",
    "blame",
    "branch",
    "bundle",
    "cat-file",
    "check-ignore",
    "checkout",
    "checkout-index",
    "cherry",
    "cherry-pick",
    "clean",
    "clone",
    "commit",
    "commit-tree",
    "config",
    "count-objects",
    "credential",
    "describe",
    "diff",
    "diff-files",
    "diff-index",
    "diff-tree",
    "difftool",
    "fetch",
    "filter-branch",
    "for-each-ref",
    "format-patch",
    "fsck",
    "gc",
    "grep",
    "hash-object",
    "help",
    "hook",
    "init",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "maintenance",
    "merge",
    "merge-base",
    "mergetool",
    "mv",
    "name-rev",
    "notes",
    "prune",
    "pull",
    "push",
    "range-diff",
    "read-tree",
    "rebase",
    "reflog",
    "remote",
    "repack",
    "replace",
    "reset",
    "restore",
    "rev-list",
    "rev-parse",
    "revert",
    "rm",
    "send-email",
    "shortlog",
    "show",
    "show-branch",
    "show-ref",
    "sparse-checkout",
    "stash",
    "status",
    "submodule",
    "switch",
    "symbolic-ref",
    "tag",
    "update-index",
    "update-ref",
    "var",
    "version",
    "whatchanged",
    "worktree",
    "write-tree",
];

fn is_builtin(name: &str) -> bool {
    BUILTINS.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_commands_is_sorted() {
        assert!(BUILTINS.is_sorted());
    }

    #[test]
    fn words_are_split_as_git_splits_them() {
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
