//! The guard's configuration: preset, exceptions and prohibitions.
//!
//! A policy is parsed from a hook's options, completely or not at all. Every invalid key is an error that names it.

use std::fmt;

use serde_json::{Map, Value};

use crate::command::{Invocation, RedirectKind, UNKNOWN};
use crate::facts::RunLocation;
use crate::paths::absolute;
use crate::rule::{Preset, Rule, Severity};

/// The guard's configuration.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy {
    /// Strictness.
    pub preset: Preset,
    /// Packs (`git`) and rules (`git.push-force`) that are switched off.
    pub off: Vec<String>,
    /// Rules with a changed severity.
    pub severity: Vec<(String, Severity)>,
    /// Exceptions: commands and paths that pass despite a rule.
    pub allow: Vec<AllowEntry>,
    /// Additional commands to deny.
    pub deny: Vec<DenyEntry>,
    /// Commands that only run the command that follows them: `tool`, `tool run`.
    pub wrappers: Vec<String>,
    /// Whether provably read-only commands are allowed without a prompt.
    pub auto_approve: bool,
}

/// An exception. All given fields have to match.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AllowEntry {
    /// Pattern for the whole command: `rm -rf build`, `git push *`.
    pub command: Option<CommandPattern>,
    /// The rule to suppress.
    pub rule: Option<String>,
    /// Directory that has to contain every operand.
    pub path: Option<String>,
    /// The reason for the exception.
    pub reason: String,
}

/// A command to deny.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DenyEntry {
    /// Pattern for the start of the command: `pip install`.
    pub command: CommandPattern,
    /// Wrapper that makes the command acceptable: `uv run`.
    pub unless: Option<CommandPattern>,
    /// What to do instead.
    pub message: String,
}

/// A pattern for the words of a command. `*` inside a word matches any characters; a final `*` matches all
/// remaining words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandPattern(Vec<String>);

/// An invalid key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyError {
    /// Path of the key: `allow[0].reason`.
    pub key: String,
    /// The problem.
    pub message: String,
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.key, self.message)
    }
}

impl std::error::Error for PolicyError {}

/// All option keys.
pub const KEYS: &[&str] = &[
    "preset",
    "off",
    "severity",
    "allow",
    "deny",
    "wrappers",
    "auto_approve",
];

impl Policy {
    /// Parses a hook's options. `null` is the default policy.
    pub fn parse(options: &Value) -> Result<Self, Vec<PolicyError>> {
        let mut parser = PolicyParser { errors: Vec::new() };
        let mut policy = Self::default();
        let empty = Map::new();
        let options = match options {
            Value::Null => &empty,
            Value::Object(options) => options,
            _ => return Err(vec![error("options", "must be a table")]),
        };
        for (key, value) in options {
            match key.as_str() {
                "preset" => policy.preset = parser.word(key, value, PRESETS),
                "off" => policy.off = parser.texts(key, value),
                "severity" => policy.severity = parser.severities(key, value),
                "allow" => policy.allow = parser.list(key, value, PolicyParser::allow),
                "deny" => policy.deny = parser.list(key, value, PolicyParser::deny),
                "wrappers" => policy.wrappers = parser.texts(key, value),
                "auto_approve" => policy.auto_approve = parser.flag(key, value),
                _ => parser.unknown(key, KEYS),
            }
        }
        if parser.errors.is_empty() {
            Ok(policy)
        } else {
            Err(parser.errors)
        }
    }

    /// The packs and rules that the policy names, each with its key, for a check that they exist.
    pub fn names(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let off = self.off.iter().map(|name| ("off", name.as_str()));
        let severity = self
            .severity
            .iter()
            .map(|(name, _)| ("severity", name.as_str()));
        let allow = self
            .allow
            .iter()
            .filter_map(|allow| Some(("allow", allow.rule.as_deref()?)));
        off.chain(severity).chain(allow)
    }

    /// Whether a rule, or its pack, is switched off.
    pub fn is_off(&self, rule: &Rule) -> bool {
        self.off
            .iter()
            .any(|name| name == rule.id || name == rule.pack())
    }

    /// The effective severity of a rule.
    pub fn severity(&self, rule: &Rule) -> Severity {
        self.severity
            .iter()
            .find(|(name, _)| name == rule.id)
            .map_or(rule.severity, |(_, severity)| *severity)
    }

    /// The `allow` entry that permits a tool to touch `path` despite `rule`.
    pub fn allowed_path(
        &self,
        rule: &Rule,
        path: &str,
        location: &RunLocation,
    ) -> Option<&AllowEntry> {
        let mut entries = self.allow.iter();
        entries.find(|allow| allow.covers_path(rule, path, location))
    }

    /// The `allow` entry that permits `command` despite `rule`.
    pub fn allowed(&self, rule: &Rule, command: &Invocation) -> Option<&AllowEntry> {
        self.allow.iter().find(|allow| allow.covers(rule, command))
    }
}

impl DenyEntry {
    /// Whether the entry denies a command. `around` yields the commands that start it.
    pub fn forbids<'c>(
        &self,
        command: &Invocation,
        mut around: impl Iterator<Item = &'c Invocation>,
    ) -> bool {
        let unless = self.unless.as_ref();
        self.command.matches_prefix(command)
            && !unless.is_some_and(|unless| around.any(|outer| unless.matches_prefix(outer)))
    }
}

impl AllowEntry {
    /// An entry without a `rule` does not cover catastrophic rules; those have to be named.
    fn applies_to(&self, rule: &Rule) -> bool {
        let named = self.rule.as_deref() == Some(rule.id);
        named || (self.rule.is_none() && rule.severity != Severity::Catastrophic)
    }

    fn covers_path(&self, rule: &Rule, path: &str, location: &RunLocation) -> bool {
        let from = location.project.as_deref().unwrap_or(&location.cwd);
        let within = |directory: &str| {
            let directory = absolute(directory, Some(from), &location.home);
            is_below(
                &absolute(path, Some(&location.cwd), &location.home),
                &directory,
            )
        };
        self.applies_to(rule) && self.command.is_none() && self.path.as_deref().is_none_or(within)
    }

    fn covers(&self, rule: &Rule, command: &Invocation) -> bool {
        if !self.applies_to(rule) {
            return false;
        }
        let command_fits = self
            .command
            .as_ref()
            .is_none_or(|pattern| pattern.matches_whole(command) && has_no_side_effects(command));
        let path_fits = self
            .path
            .as_deref()
            .is_none_or(|path| lies_below(command, path));
        command_fits && path_fits
    }
}

/// Whether the command has no effects apart from its words: it writes no file and sets no variable.
fn has_no_side_effects(command: &Invocation) -> bool {
    let quiet = command
        .redirects
        .iter()
        .all(|redirect| redirect.kind == RedirectKind::Read || redirect.target.text == "/dev/null");
    quiet && command.env.is_empty() && !command.more_operands
}

/// Whether all operands are in `directory`.
fn lies_below(command: &Invocation, directory: &str) -> bool {
    let directory = directory.trim_end_matches('/');
    let mut operands = command
        .args
        .iter()
        .filter(|word| !word.text.starts_with('-'))
        .chain(command.redirects.iter().map(|redirect| &redirect.target))
        .peekable();
    operands.peek().is_some()
        && !command.more_operands
        && operands.all(|word| {
            let path = crate::analyze::absolute_path(command.cwd.as_deref(), &word.text);
            path.is_some_and(|path| is_below(&path, directory))
        })
}

fn is_below(path: &str, directory: &str) -> bool {
    let below = path
        .strip_prefix(directory.trim_end_matches('/'))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    below && !path.contains(UNKNOWN)
}

impl CommandPattern {
    fn new(text: &str) -> Option<Self> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        (!words.is_empty()).then_some(Self(words))
    }

    /// Whether the command starts with the pattern.
    pub fn matches_prefix(&self, command: &Invocation) -> bool {
        let mut words = std::iter::once(command.program.as_str()).chain(command.words());
        self.0.iter().enumerate().all(|(at, pattern)| {
            let open = pattern == "*" && at + 1 == self.0.len();
            open || words.next().is_some_and(|word| word_matches(pattern, word))
        })
    }

    /// Whether the pattern covers the whole command.
    pub fn matches_whole(&self, command: &Invocation) -> bool {
        let open = self.0.last().is_some_and(|word| word == "*");
        let known = command.args.iter().all(crate::command::Word::is_known);
        known && self.matches_prefix(command) && (open || command.args.len() + 1 == self.0.len())
    }
}

fn word_matches(pattern: &str, word: &str) -> bool {
    pattern == word || pattern.contains(['*', '?']) && crate::glob::matches(pattern, word)
}

const PRESETS: &[(&str, Preset)] = &[
    ("permissive", Preset::Permissive),
    ("standard", Preset::Standard),
    ("strict", Preset::Strict),
];

const SEVERITIES: &[(&str, Severity)] = &[
    ("notice", Severity::Notice),
    ("doubtful", Severity::Doubtful),
    ("severe", Severity::Severe),
    ("catastrophic", Severity::Catastrophic),
];

fn error(key: &str, message: impl Into<String>) -> PolicyError {
    PolicyError {
        key: key.to_owned(),
        message: message.into(),
    }
}

/// Parses values and collects all errors.
struct PolicyParser {
    errors: Vec<PolicyError>,
}

impl PolicyParser {
    fn push_error(&mut self, key: &str, message: impl Into<String>) {
        self.errors.push(error(key, message));
    }

    fn unknown(&mut self, key: &str, known: &[&str]) {
        self.push_error(
            key,
            format!("is not a known key; known keys: {}", known.join(", ")),
        );
    }

    fn text(&mut self, key: &str, value: &Value) -> String {
        match value {
            Value::String(text) if !text.trim().is_empty() => text.clone(),
            _ => {
                self.push_error(key, "must be a non-empty string");
                String::new()
            }
        }
    }

    fn flag(&mut self, key: &str, value: &Value) -> bool {
        value.as_bool().unwrap_or_else(|| {
            self.push_error(key, "must be true or false");
            false
        })
    }

    fn word<T: Copy + Default>(&mut self, key: &str, value: &Value, words: &[(&str, T)]) -> T {
        self.choice(key, value, words).unwrap_or_default()
    }

    fn choice<T: Copy>(&mut self, key: &str, value: &Value, words: &[(&str, T)]) -> Option<T> {
        let found = words
            .iter()
            .find(|(word, _)| value.as_str() == Some(word))
            .map(|(_, choice)| *choice);
        if found.is_none() {
            let all: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            self.push_error(key, format!("must be one of {}", all.join(", ")));
        }
        found
    }

    fn list<T>(
        &mut self,
        key: &str,
        value: &Value,
        read: fn(&mut Self, &str, &Value) -> Option<T>,
    ) -> Vec<T> {
        let Value::Array(values) = value else {
            self.push_error(key, "must be a list");
            return Vec::new();
        };
        values
            .iter()
            .enumerate()
            .filter_map(|(at, value)| read(self, &format!("{key}[{at}]"), value))
            .collect()
    }

    fn texts(&mut self, key: &str, value: &Value) -> Vec<String> {
        self.list(key, value, |parser, key, value| {
            Some(parser.text(key, value))
        })
    }

    fn severities(&mut self, key: &str, value: &Value) -> Vec<(String, Severity)> {
        let Value::Object(rules) = value else {
            self.push_error(key, "must be a table of rules");
            return Vec::new();
        };
        rules
            .iter()
            .filter_map(|(rule, value)| {
                let severity = self.choice(&format!("{key}.{rule}"), value, SEVERITIES)?;
                Some((rule.clone(), severity))
            })
            .collect()
    }

    fn table<'v>(&mut self, key: &str, value: &'v Value) -> Option<&'v Map<String, Value>> {
        let table = value.as_object();
        if table.is_none() {
            self.push_error(key, "must be a table");
        }
        table
    }

    fn pattern(&mut self, key: &str, value: &Value) -> Option<CommandPattern> {
        CommandPattern::new(&self.text(key, value))
    }

    fn allow(&mut self, at: &str, value: &Value) -> Option<AllowEntry> {
        let mut allow = AllowEntry::default();
        for (name, value) in self.table(at, value)? {
            let key = format!("{at}.{name}");
            match name.as_str() {
                "command" => allow.command = self.pattern(&key, value),
                "rule" => allow.rule = Some(self.text(&key, value)),
                "path" => allow.path = Some(self.path(&key, value)),
                "reason" => allow.reason = self.text(&key, value),
                _ => self.unknown(&key, &["command", "rule", "path", "reason"]),
            }
        }
        if allow.command.is_none() && allow.rule.is_none() && allow.path.is_none() {
            self.push_error(at, "needs a `command`, a `rule` or a `path`");
        }
        if allow.reason.is_empty() {
            self.push_error(
                &format!("{at}.reason"),
                "is missing; give the reason for the exception",
            );
        }
        Some(allow)
    }

    fn path(&mut self, key: &str, value: &Value) -> String {
        let path = self.text(key, value);
        if !path.is_empty() && !path.starts_with('/') {
            self.push_error(key, "must be an absolute path");
        }
        path
    }

    fn deny(&mut self, at: &str, value: &Value) -> Option<DenyEntry> {
        let (mut command, mut unless, mut message) = (None, None, String::new());
        for (name, value) in self.table(at, value)? {
            let key = format!("{at}.{name}");
            match name.as_str() {
                "command" => command = self.pattern(&key, value),
                "unless" => unless = self.pattern(&key, value),
                "message" => message = self.text(&key, value),
                _ => self.unknown(&key, &["command", "unless", "message"]),
            }
        }
        if message.is_empty() {
            self.push_error(
                &format!("{at}.message"),
                "is missing; say what to do instead",
            );
        }
        if command.is_none() {
            self.push_error(&format!("{at}.command"), "is missing");
        }
        Some(DenyEntry {
            command: command?,
            unless,
            message,
        })
    }
}
