//! Commands in files that are not scripts: makefile recipes and package scripts. Only files that the same text
//! writes or passes on standard input are analyzed.

use super::expanded_command::ExpandedCommand;
use super::scope::ShellScope;
use super::{Analyzer, WrittenFile};
use crate::command::{Launcher, Span, Stdin, UNKNOWN, Word};

/// Maximum number of recipes to analyze.
const MAX_RECIPES: usize = 64;

impl Analyzer<'_> {
    /// Analyzes the commands that `make` and package managers read from such files.
    pub(super) fn recipes(&mut self, name: &str, call: &ExpandedCommand, scope: &ShellScope) {
        match name {
            "make" | "gmake" => self.make(name, call, scope),
            "npm" | "pnpm" | "yarn" | "bun" => self.package_scripts(name, call, scope),
            "just" => self.just(call, scope),
            _ => {}
        }
    }

    fn make(&mut self, name: &str, call: &ExpandedCommand, scope: &ShellScope) {
        let mut texts = Vec::new();
        let mut named = false;
        let mut args = call.args().iter().peekable();
        while let Some(word) = args.next() {
            let text = word.text.as_str();
            let (flag, attached) = match text.split_once('=') {
                Some((flag, value)) if flag.starts_with("--") => (flag, Some(value.to_owned())),
                _ => match text.get(..2) {
                    Some(flag @ ("-f" | "-E")) if text.len() > 2 => {
                        (flag, Some(text[2..].to_owned()))
                    }
                    _ => (text, None),
                },
            };
            let mut value = || {
                attached
                    .clone()
                    .or_else(|| args.next().map(|word| word.text.clone()))
            };
            match flag {
                "--eval" | "-E" => texts.extend(value()),
                "-f" | "--file" | "--makefile" => {
                    named = true;
                    match value().as_deref() {
                        Some("-" | "/dev/stdin") => texts.extend(call.input().map(str::to_owned)),
                        Some(file) => texts.extend(self.file_text(file, scope)),
                        None => {}
                    }
                }
                _ => {
                    if let Some(shell) = text.strip_prefix("SHELL=") {
                        self.recipe(shell, name, call.span, call, scope);
                    }
                }
            }
        }
        if !named {
            let files = ["GNUmakefile", "makefile", "Makefile"];
            texts.extend(files.iter().find_map(|file| self.file_text(file, scope)));
        }
        for text in texts {
            for recipe in make_recipes(&text).into_iter().take(MAX_RECIPES) {
                self.recipe(&recipe, name, call.span, call, scope);
            }
        }
    }

    fn package_scripts(&mut self, name: &str, call: &ExpandedCommand, scope: &ShellScope) {
        let Some(text) = self.file_text("package.json", scope) else {
            return;
        };
        let package: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let scripts = package
            .get("scripts")
            .and_then(serde_json::Value::as_object);
        let texts = scripts.into_iter().flat_map(serde_json::Map::values);
        let texts: Vec<&str> = texts.filter_map(serde_json::Value::as_str).collect();
        for text in texts.into_iter().take(MAX_RECIPES) {
            self.recipe(text, name, call.span, call, scope);
        }
    }

    /// `just --command words …`
    fn just(&mut self, call: &ExpandedCommand, scope: &ShellScope) {
        let args = call.args();
        let at = args
            .iter()
            .position(|word| matches!(word.text.as_str(), "-c" | "--command"));
        if let Some(words) = at.map(|at| args[at + 1..].to_vec()) {
            let inner = call.wrapping(words, Launcher::Wrapper("just".to_owned()));
            self.invoke(inner, &mut scope.clone());
        }
    }

    fn recipe(
        &mut self,
        text: &str,
        by: &str,
        span: Span,
        call: &ExpandedCommand,
        scope: &ShellScope,
    ) {
        let mut inner = call.scope(scope, Some(Launcher::Wrapper(by.to_owned())));
        (inner.stdin, inner.sources, inner.input_file) = (Stdin::Inherited, Vec::new(), None);
        self.text(text, span, &mut inner);
    }

    /// The content of a file that was written earlier in the text.
    pub(super) fn file_text(&self, file: &str, scope: &ShellScope) -> Option<String> {
        let path = Self::absolute(scope, file)?;
        self.files
            .iter()
            .find_map(|(known, written)| match written {
                WrittenFile::Text(value) if *known == path => Some(value.text.clone()),
                _ => None,
            })
    }

    /// `psql -f file` reads a file like standard input.
    pub(super) fn fed_by_file(&self, call: &mut ExpandedCommand, scope: &ShellScope) {
        let Some(first) = call.words.first() else {
            return;
        };
        let reads = matches!(
            super::path::base_name(&first.text),
            "psql" | "sqlcmd" | "cockroach" | "duckdb" | "clickhouse-client" | "cqlsh" | "mongosh"
        );
        if !reads || call.stdin != Stdin::Inherited || self.files.is_empty() {
            return;
        }
        let file = call.args().iter().enumerate().find_map(|(at, word)| {
            let text = word.text.as_str();
            let next = || call.args().get(at + 1).map(|word: &Word| word.text.clone());
            match text {
                "-f" | "--file" | "-i" => next(),
                _ => text
                    .strip_prefix("--file=")
                    .or_else(|| text.strip_prefix("-f"))
                    .map(str::to_owned),
            }
        });
        let last = call.args().last().map(|word| word.text.clone());
        let text = file.or(last).and_then(|file| self.file_text(&file, scope));
        if let Some(text) = text {
            call.stdin = Stdin::Text(text);
        }
    }
}

/// The commands of a makefile: lines that start with a tab, and text after `target: ;`.
fn make_recipes(text: &str) -> Vec<String> {
    let mut recipes = Vec::new();
    for line in text.lines() {
        let recipe = match line.strip_prefix('\t') {
            Some(recipe) => Some(recipe),
            None => line
                .split_once(':')
                .and_then(|(_, rest)| rest.split_once(';'))
                .map(|(_, recipe)| recipe),
        };
        let mut called = Vec::new();
        let source = recipe.unwrap_or(line);
        let expanded = without_make_variables(source, &mut called);
        recipes.extend(called);
        if recipe.is_some() {
            recipes.push(expanded.trim_start_matches(['@', '-', '+', ' ']).to_owned());
        }
    }
    recipes
}

/// `$(NAME)` is a make variable and becomes unknown, `$$` is a dollar; `$(shell …)` is a command.
fn without_make_variables(text: &str, called: &mut Vec<String>) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        if let Some(more) = after.strip_prefix('$') {
            out.push('$');
            rest = more;
        } else if let Some(inner) = after.strip_prefix(['(', '{']) {
            let end = inner.find([')', '}']).unwrap_or(inner.len());
            if let Some(command) = inner[..end].strip_prefix("shell ") {
                called.push(command.to_owned());
            }
            out.push(UNKNOWN);
            rest = inner.get(end + 1..).unwrap_or_default();
        } else {
            out.push(UNKNOWN);
            let mut characters = after.chars();
            characters.next();
            rest = characters.as_str();
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makefile_recipes_are_extracted() {
        let text =
            "X = $(shell id)\nall: dep ; @echo a\n\t@rm -rf $(OUT)/x $$HOME\nother:\n\t-ls $@\n";
        let expected = ["id", "echo a", "rm -rf \u{FFFC}/x $HOME", "ls \u{FFFC}"];
        assert_eq!(make_recipes(text), expected);
    }
}
