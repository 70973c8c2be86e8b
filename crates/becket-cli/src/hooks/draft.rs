//! A hook to be: the lines of its `[[hook]]` table, checked by the reader that will read them.

use std::path::Path;

use anyhow::bail;
use becket::model::{Action, HookSpec, Level, Severity};
use becket_agents::config::{self, File};
use becket_agents::edit::{TomlDocument, toml_string};

use super::builtins;

/// The keys of a hook and their values, as TOML, in the order they will stand in the file.
#[derive(Default, Clone)]
pub(crate) struct Draft {
    lines: Vec<(&'static str, String)>,
}

/// A draft that the reader accepts.
pub(crate) struct Checked {
    pub(crate) spec: HookSpec,
    pub(crate) block: String,
    /// What the person should know although it loads.
    pub(crate) warnings: Vec<String>,
}

impl Draft {
    pub(crate) fn raw(&mut self, key: &'static str, value: String) {
        self.lines.push((key, value));
    }

    pub(crate) fn text(&mut self, key: &'static str, text: Option<&str>) {
        if let Some(text) = text {
            self.raw(key, text_value(text));
        }
    }

    pub(crate) fn flag(&mut self, key: &'static str, flag: bool) {
        if flag {
            self.raw(key, "true".to_owned());
        }
    }

    pub(crate) fn texts(&mut self, key: &'static str, texts: &[String]) {
        if !texts.is_empty() {
            self.raw(key, list(texts));
        }
    }

    pub(crate) fn text_or_texts(&mut self, key: &'static str, texts: &[String]) {
        match texts {
            [] => {}
            [one] => self.text(key, Some(one)),
            many => self.texts(key, many),
        }
    }

    pub(crate) fn filter(&mut self, tools: &[String], paths: &[String]) {
        let parts: Vec<String> = [("tool", tools), ("path", paths)]
            .into_iter()
            .filter(|(_, texts)| !texts.is_empty())
            .map(|(key, texts)| format!("{key} = {}", list(texts)))
            .collect();
        if !parts.is_empty() {
            self.raw("filter", format!("{{ {} }}", parts.join(", ")));
        }
    }

    pub(crate) fn pairs(&mut self, key: &'static str, pairs: &[(String, String)]) {
        let pairs: Vec<(String, String)> = pairs
            .iter()
            .map(|(name, value)| (name.clone(), toml_string(value)))
            .collect();
        self.table(key, &pairs);
    }

    /// A table whose values are TOML already.
    pub(crate) fn table(&mut self, key: &'static str, pairs: &[(String, String)]) {
        if pairs.is_empty() {
            return;
        }
        let members: Vec<String> = pairs
            .iter()
            .map(|(name, value)| format!("{} = {value}", key_text(name)))
            .collect();
        self.raw(key, format!("{{ {} }}", members.join(", ")));
    }

    fn has(&self, key: &str) -> bool {
        self.lines.iter().any(|(name, _)| *name == key)
    }

    /// A name that no built-in has is an error here, whatever else the entry says.
    fn check_use(&self) -> anyhow::Result<()> {
        let Some((_, used)) = self.lines.iter().find(|(key, _)| *key == "use") else {
            return Ok(());
        };
        let mut known = builtins::BUILTINS.iter();
        if known.any(|builtin| toml_string(builtin.name) == *used) {
            return Ok(());
        }
        bail!(
            "`use`: {used} is no built-in (one of: {})",
            builtins::names()
        );
    }

    fn block(&self) -> String {
        const ORDER: [&str; 11] = [
            "name",
            "description",
            "event",
            "matcher",
            "filter",
            "if",
            "use",
            "options",
            "command",
            "url",
            "prompt",
        ];
        let rank = |key: &str| ORDER.iter().position(|k| *k == key).unwrap_or(ORDER.len());
        let mut lines = self.lines.clone();
        lines.sort_by_key(|(key, _)| rank(key));
        lines
            .iter()
            .fold("[[hook]]".to_owned(), |all, (key, value)| {
                format!("{all}\n{key} = {value}")
            })
    }

    /// Checks the draft, names it if it has no name, and gives the lines to add. `taken` says which
    /// names there are in its file.
    pub(crate) fn check(
        mut self,
        level: Level,
        taken: &dyn Fn(&str) -> bool,
    ) -> anyhow::Result<Checked> {
        self.check_use()?;
        let (spec, warnings) = read(&self.block(), level)?;
        if let Err(why) = builtins::check(&spec) {
            bail!("`options`: {why}");
        }
        if self.has("name") {
            if spec.name.trim().is_empty() || spec.name.chars().any(char::is_control) {
                bail!("`name`: must be one line that says something");
            }
            if taken(&spec.name) {
                bail!(
                    "`name`: there is a hook called `{}` in this file already",
                    spec.name
                );
            }
        } else {
            let name = unused(&name_for(&spec.action), taken);
            self.text("name", Some(&name));
        }
        let block = self.block();
        let (spec, _) = read(&block, level)?;
        Ok(Checked {
            spec,
            block,
            warnings,
        })
    }
}

/// Reads a block as the file's reader will, and says what is wrong by the keys of a hook.
fn read(block: &str, level: Level) -> anyhow::Result<(HookSpec, Vec<String>)> {
    let file = File {
        path: Path::new("becket.toml"),
        level,
        text: block,
        root: None,
    };
    let layer = config::becket(&file);
    let mut warnings = Vec::new();
    for problem in &layer.problems {
        let key = problem.key.strip_prefix("hook[0]").unwrap_or(&problem.key);
        let key = key.strip_prefix('.').unwrap_or(key);
        let mut message = problem.message.clone();
        if !key.is_empty() {
            message = format!("`{key}`: {message}");
        }
        if let Some(hint) = &problem.hint {
            message += &format!("\n  hint: {hint}");
        }
        // A new hook for an event that nobody has is a slip of the pen.
        if problem.severity == Severity::Error || key == "event" {
            bail!("{message}");
        }
        warnings.push(message);
    }
    match layer.hooks.into_iter().next() {
        Some(spec) => Ok((spec, warnings)),
        None => bail!("this makes no hook"),
    }
}

fn name_for(action: &Action) -> String {
    let text = match action {
        Action::Command { command, .. } => {
            let word = command.split_whitespace().next().unwrap_or_default();
            let file = word.rsplit('/').next().unwrap_or_default();
            file.split('.')
                .find(|part| !part.is_empty())
                .unwrap_or_default()
        }
        Action::Http { url, .. } => {
            let rest = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
            rest.split(['/', ':', '?']).next().unwrap_or_default()
        }
        Action::Builtin { name, .. } => name,
        Action::McpTool { tool, .. } => tool,
        Action::Prompt { .. } => "prompt",
        Action::Agent { .. } => "agent",
    };
    let plain: String = text
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
        .collect();
    if plain.is_empty() {
        "hook".to_owned()
    } else {
        plain
    }
}

fn unused(name: &str, taken: &dyn Fn(&str) -> bool) -> String {
    let mut found = name.to_owned();
    let mut number = 2;
    while taken(&found) {
        found = format!("{name}-{number}");
        number += 1;
    }
    found
}

fn list(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| toml_string(text)).collect();
    format!("[{}]", texts.join(", "))
}

/// Text with quotes and backslashes reads better in single quotes, where TOML allows them.
fn text_value(text: &str) -> String {
    let plain = text.chars().all(|c| c != '\'' && !c.is_control());
    if plain && text.contains(['"', '\\']) {
        format!("'{text}'")
    } else {
        toml_string(text)
    }
}

fn key_text(key: &str) -> String {
    let bare = !key.is_empty()
        && key
            .bytes()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-'));
    if bare {
        key.to_owned()
    } else {
        toml_string(key)
    }
}

/// A value as TOML: what is TOML stays as it is, anything else is text.
pub(crate) fn toml_of(given: &str) -> String {
    let text = given.trim();
    let parsed = TomlDocument::parse(format!("value = {text}"));
    let one_value = |document: &TomlDocument| {
        let dated = document
            .item(&["value"])
            .is_some_and(|item| item.as_datetime().is_some());
        !dated && document.members(&[]).is_some_and(|table| table.len() == 1)
    };
    match parsed {
        Ok(document) if !text.contains(['\n', '#']) && one_value(&document) => text.to_owned(),
        _ => toml_string(given),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_are_toml_stay_and_others_become_text() {
        for (text, expected) in [
            ("strict", "\"strict\""),
            ("wip: ", "\"wip: \""),
            ("true", "true"),
            ("12", "12"),
            ("\"12\"", "\"12\""),
            ("[\"a\", \"b\"]", "[\"a\", \"b\"]"),
            ("{ a = 1 }", "{ a = 1 }"),
            ("1\nb = 2", "\"1\\nb = 2\""),
            ("1 # one", "\"1 # one\""),
            ("2026-01-01", "\"2026-01-01\""),
            ("", "\"\""),
        ] {
            assert_eq!(toml_of(text), expected, "{text}");
        }
    }

    #[test]
    fn a_hook_without_a_name_is_called_after_what_it_does() {
        let named = |key: &'static str, text: &str| {
            let mut draft = Draft::default();
            draft.text("event", Some("Stop"));
            draft.text(key, Some(text));
            let taken = |name: &str| name == "check";
            draft.check(Level::User, &taken).expect(text).spec.name
        };
        assert_eq!(named("command", "./scripts/check.sh --all"), "check-2");
        assert_eq!(named("command", "'/opt/my tool'"), "my");
        assert_eq!(named("command", "{ true; }"), "hook");
        assert_eq!(named("url", "https://example.com:80/a"), "example.com");
        assert_eq!(named("use", "log"), "log");
    }
}
