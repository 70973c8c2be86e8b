//! A new hook: the lines of its `[[hook]]` table, validated by the configuration parser.

use std::path::Path;

use anyhow::bail;
use becket::model::{Action, HookSpec, Level, Severity};
use becket_agents::config::{self, ConfigFile};
use becket_agents::edit::{TomlDocument, toml_string};

use super::builtins;

/// Keys and TOML values of a hook, in file order.
#[derive(Default, Clone)]
pub(crate) struct HookDraft {
    lines: Vec<(&'static str, String)>,
}

/// A draft that the parser accepts.
pub(crate) struct CheckedDraft {
    pub(crate) spec: HookSpec,
    pub(crate) block: String,
    /// Warnings that do not prevent loading.
    pub(crate) warnings: Vec<String>,
}

impl HookDraft {
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

    /// A table whose values are already TOML.
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

    /// Rejects an unknown built-in, whatever the other keys say.
    fn check_use(&self) -> anyhow::Result<()> {
        let Some((_, used)) = self.lines.iter().find(|(key, _)| *key == "use") else {
            return Ok(());
        };
        let mut known = builtins::BUILTINS.iter();
        if known.any(|builtin| toml_string(builtin.name) == *used) {
            return Ok(());
        }
        bail!(
            "`use`: unknown built-in {used} (one of: {})",
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

    /// Validates the draft, names it if necessary, and returns the lines to add. `taken` tells whether a name is already
    /// used in the file.
    pub(crate) fn check(
        mut self,
        level: Level,
        taken: &dyn Fn(&str) -> bool,
    ) -> anyhow::Result<CheckedDraft> {
        self.check_use()?;
        let (spec, warnings) = read(&self.block(), level)?;
        if let Err(why) = builtins::check(&spec) {
            bail!("`options`: {why}");
        }
        if self.has("name") {
            if spec.name.trim().is_empty() || spec.name.chars().any(char::is_control) {
                bail!("`name`: must be a non-empty line of text");
            }
            if taken(&spec.name) {
                bail!("`name`: a hook `{}` already exists in this file", spec.name);
            }
        } else {
            let name = unused_name(&name_for(&spec.action), taken);
            self.text("name", Some(&name));
        }
        let block = self.block();
        let (spec, _) = read(&block, level)?;
        Ok(CheckedDraft {
            spec,
            block,
            warnings,
        })
    }
}

/// Parses a block like the configuration file and reports problems by key.
fn read(block: &str, level: Level) -> anyhow::Result<(HookSpec, Vec<String>)> {
    let file = ConfigFile {
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
        // An unknown event in a new hook is most likely a typo.
        if problem.severity == Severity::Error || key == "event" {
            bail!("{message}");
        }
        warnings.push(message);
    }
    match layer.hooks.into_iter().next() {
        Some(spec) => Ok((spec, warnings)),
        None => bail!("the entry defines no hook"),
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

fn unused_name(name: &str, taken: &dyn Fn(&str) -> bool) -> String {
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

/// Text with quotes or backslashes goes into single quotes if TOML allows that.
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

/// A value as TOML: valid TOML stays as it is, anything else becomes a string.
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
    fn toml_values_stay_and_others_become_strings() {
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
    fn unnamed_hook_is_named_after_its_action() {
        let named = |key: &'static str, text: &str| {
            let mut draft = HookDraft::default();
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
