//! How strict the guard is, and what a person has decided beforehand.
//!
//! A policy is read from a hook's options, whole or not at all: every key that is wrong is an error that names it.

use std::fmt;

use serde_json::{Map, Value};

use crate::command::{Invocation, RedirectKind, UNKNOWN};
use crate::facts::Place;
use crate::paths::absolute;
use crate::rule::{Preset, Rule, Severity};

/// What a person wants of the guard.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy {
    /// How strict it is.
    pub preset: Preset,
    /// Packs (`git`) and rules (`git.push-force`) that are switched off.
    pub off: Vec<String>,
    /// Rules that are taken for more or less severe than they are.
    pub severity: Vec<(String, Severity)>,
    /// What may pass although a rule minds.
    pub allow: Vec<Allow>,
    /// What may not pass although no rule minds.
    pub deny: Vec<Deny>,
    /// Commands that only run what follows them: `tool`, `tool run`.
    pub wrappers: Vec<String>,
    /// Whether commands that provably only read are approved without asking.
    pub auto_approve: bool,
}

/// Something that may pass. All that is given has to fit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Allow {
    /// The whole command: `rm -rf build`, `git push *`.
    pub command: Option<Pattern>,
    /// The rule that minds.
    pub rule: Option<String>,
    /// Where every operand lies.
    pub path: Option<String>,
    /// Why.
    pub reason: String,
}

/// Something that may not pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deny {
    /// How it begins: `pip install`.
    pub command: Pattern,
    /// What may start it all the same: `uv run`.
    pub unless: Option<Pattern>,
    /// What to do instead.
    pub message: String,
}

/// Words of a command; `*` inside a word stands for anything, a last `*` for everything that follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(Vec<String>);

/// A key that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyError {
    /// Which, as it would be written in a query: `allow[0].reason`.
    pub key: String,
    /// What is wrong with it.
    pub what: String,
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.key, self.what)
    }
}

impl std::error::Error for PolicyError {}

/// Every option there is.
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
    /// Reads a hook's options. `null` is the ordinary policy.
    pub fn parse(options: &Value) -> Result<Self, Vec<PolicyError>> {
        let mut reader = Reader { errors: Vec::new() };
        let mut policy = Self::default();
        let empty = Map::new();
        let options = match options {
            Value::Null => &empty,
            Value::Object(options) => options,
            _ => return Err(vec![error("options", "has to be a table")]),
        };
        for (key, value) in options {
            match key.as_str() {
                "preset" => policy.preset = reader.word(key, value, PRESETS),
                "off" => policy.off = reader.texts(key, value),
                "severity" => policy.severity = reader.severities(key, value),
                "allow" => policy.allow = reader.list(key, value, Reader::allow),
                "deny" => policy.deny = reader.list(key, value, Reader::deny),
                "wrappers" => policy.wrappers = reader.texts(key, value),
                "auto_approve" => policy.auto_approve = reader.flag(key, value),
                _ => reader.unknown(key, KEYS),
            }
        }
        if reader.errors.is_empty() {
            Ok(policy)
        } else {
            Err(reader.errors)
        }
    }

    /// The packs and rules that it names, with the keys they stand under, for a check against those that exist.
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

    /// Whether a rule is switched off, alone or with its pack.
    pub fn is_off(&self, rule: &Rule) -> bool {
        self.off
            .iter()
            .any(|name| name == rule.id || name == rule.pack())
    }

    /// How severe a rule is taken to be.
    pub fn severity(&self, rule: &Rule) -> Severity {
        self.severity
            .iter()
            .find(|(name, _)| name == rule.id)
            .map_or(rule.severity, |(_, severity)| *severity)
    }

    /// The entry that lets a tool touch a path although that rule minds.
    pub fn allowed_path(&self, rule: &Rule, path: &str, place: &Place) -> Option<&Allow> {
        let mut entries = self.allow.iter();
        entries.find(|allow| allow.covers_path(rule, path, place))
    }

    /// The entry that lets a command pass although that rule minds.
    pub fn allowed(&self, rule: &Rule, command: &Invocation) -> Option<&Allow> {
        self.allow.iter().find(|allow| allow.covers(rule, command))
    }
}

impl Deny {
    /// Whether it forbids a command. `around` are the commands that start it.
    pub fn forbids<'c>(
        &self,
        command: &Invocation,
        mut around: impl Iterator<Item = &'c Invocation>,
    ) -> bool {
        let unless = self.unless.as_ref();
        self.command.begins(command)
            && !unless.is_some_and(|unless| around.any(|outer| unless.begins(outer)))
    }
}

impl Allow {
    /// What no preset lets pass needs its name called.
    fn means(&self, rule: &Rule) -> bool {
        let named = self.rule.as_deref() == Some(rule.id);
        named || (self.rule.is_none() && rule.severity != Severity::Catastrophic)
    }

    fn covers_path(&self, rule: &Rule, path: &str, place: &Place) -> bool {
        let from = place.project.as_deref().unwrap_or(&place.cwd);
        let within = |directory: &str| {
            let directory = absolute(directory, Some(from), &place.home);
            is_below(&absolute(path, Some(&place.cwd), &place.home), &directory)
        };
        self.means(rule) && self.command.is_none() && self.path.as_deref().is_none_or(within)
    }

    fn covers(&self, rule: &Rule, command: &Invocation) -> bool {
        if !self.means(rule) {
            return false;
        }
        let command_fits = self
            .command
            .as_ref()
            .is_none_or(|pattern| pattern.is_whole(command) && does_nothing_else(command));
        let path_fits = self
            .path
            .as_deref()
            .is_none_or(|path| lies_below(command, path));
        command_fits && path_fits
    }
}

/// Whether the words are all there is: no file written, no variable set.
fn does_nothing_else(command: &Invocation) -> bool {
    let quiet = command
        .redirects
        .iter()
        .all(|redirect| redirect.kind == RedirectKind::Read || redirect.target.text == "/dev/null");
    quiet && command.env.is_empty() && !command.more_operands
}

/// Whether every operand lies in that directory.
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
            let path = crate::understand::absolute_path(command.cwd.as_deref(), &word.text);
            path.is_some_and(|path| is_below(&path, directory))
        })
}

fn is_below(path: &str, directory: &str) -> bool {
    let below = path
        .strip_prefix(directory.trim_end_matches('/'))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    below && !path.contains(UNKNOWN)
}

impl Pattern {
    fn new(text: &str) -> Option<Self> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        (!words.is_empty()).then_some(Self(words))
    }

    /// Whether the command begins with it.
    pub fn begins(&self, command: &Invocation) -> bool {
        let mut words = std::iter::once(command.program.as_str()).chain(command.words());
        self.0.iter().enumerate().all(|(at, pattern)| {
            let open = pattern == "*" && at + 1 == self.0.len();
            open || words.next().is_some_and(|word| fits(pattern, word))
        })
    }

    /// Whether the command is all it says.
    pub fn is_whole(&self, command: &Invocation) -> bool {
        let open = self.0.last().is_some_and(|word| word == "*");
        let known = command.args.iter().all(crate::command::Word::is_known);
        known && self.begins(command) && (open || command.args.len() + 1 == self.0.len())
    }
}

fn fits(pattern: &str, word: &str) -> bool {
    pattern == word
        || pattern.contains(['*', '?']) && crate::understand::glob_matches(pattern, word)
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

fn error(key: &str, what: impl Into<String>) -> PolicyError {
    PolicyError {
        key: key.to_owned(),
        what: what.into(),
    }
}

/// Reads values and keeps every complaint.
struct Reader {
    errors: Vec<PolicyError>,
}

impl Reader {
    fn complain(&mut self, key: &str, what: impl Into<String>) {
        self.errors.push(error(key, what));
    }

    fn unknown(&mut self, key: &str, known: &[&str]) {
        self.complain(
            key,
            format!("is not a key; there are: {}", known.join(", ")),
        );
    }

    fn text(&mut self, key: &str, value: &Value) -> String {
        match value {
            Value::String(text) if !text.trim().is_empty() => text.clone(),
            _ => {
                self.complain(key, "has to be a text that is not empty");
                String::new()
            }
        }
    }

    fn flag(&mut self, key: &str, value: &Value) -> bool {
        value.as_bool().unwrap_or_else(|| {
            self.complain(key, "has to be true or false");
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
            self.complain(key, format!("has to be one of {}", all.join(", ")));
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
            self.complain(key, "has to be a list");
            return Vec::new();
        };
        values
            .iter()
            .enumerate()
            .filter_map(|(at, value)| read(self, &format!("{key}[{at}]"), value))
            .collect()
    }

    fn texts(&mut self, key: &str, value: &Value) -> Vec<String> {
        self.list(key, value, |reader, key, value| {
            Some(reader.text(key, value))
        })
    }

    fn severities(&mut self, key: &str, value: &Value) -> Vec<(String, Severity)> {
        let Value::Object(rules) = value else {
            self.complain(key, "has to be a table of rules");
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
            self.complain(key, "has to be a table");
        }
        table
    }

    fn pattern(&mut self, key: &str, value: &Value) -> Option<Pattern> {
        Pattern::new(&self.text(key, value))
    }

    fn allow(&mut self, at: &str, value: &Value) -> Option<Allow> {
        let mut allow = Allow::default();
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
            self.complain(at, "needs a `command`, a `rule` or a `path`");
        }
        if allow.reason.is_empty() {
            self.complain(&format!("{at}.reason"), "is missing: say why it may pass");
        }
        Some(allow)
    }

    fn path(&mut self, key: &str, value: &Value) -> String {
        let path = self.text(key, value);
        if !path.is_empty() && !path.starts_with('/') {
            self.complain(key, "has to be an absolute path");
        }
        path
    }

    fn deny(&mut self, at: &str, value: &Value) -> Option<Deny> {
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
            self.complain(
                &format!("{at}.message"),
                "is missing: say what to do instead",
            );
        }
        if command.is_none() {
            self.complain(&format!("{at}.command"), "is missing");
        }
        Some(Deny {
            command: command?,
            unless,
            message,
        })
    }
}
