//! Typed getters over a [`ConfigNode`] tree that report problems with their position and continue.
//!
//! [`ConfigReader`] collects the layer, [`KeyPath`] is a position in the file, and [`EntryReader`] reads
//! the fields of one hook. A fault breaks the entry, but the remaining fields are still checked, so the
//! user sees all problems of an entry at once.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use becket_model::spec::parse_duration;
use becket_model::{
    BrokenHook, Condition, Dialect, EventKind, HookSource, HookSpec, Layer, OnFailure, Problem,
    Severity,
};
use serde_json::Value;

use super::ConfigFile;
use super::lint::did_you_mean;
use super::tree::{ConfigField, ConfigNode, ConfigValue, SyntaxError, find};
use crate::contract::is_name;

/// The longest timeout. It also keeps deadlines far from the end of the clock's range.
const MAX_TIMEOUT: Duration = Duration::from_secs(365 * 24 * 3600);

/// A position in a file: a linked list on the stack, formatted only when a message needs it.
#[derive(Clone, Copy)]
pub(crate) struct KeyPath<'p> {
    parent: Option<&'p KeyPath<'p>>,
    step: KeyStep<'p>,
    pub(crate) line: usize,
}

#[derive(Clone, Copy)]
enum KeyStep<'p> {
    Root,
    Key(&'p str),
    Index(usize),
}

impl<'p> KeyPath<'p> {
    /// The root of the file.
    pub(crate) fn root(line: usize) -> Self {
        Self {
            parent: None,
            step: KeyStep::Root,
            line,
        }
    }

    /// A field of the table at this path.
    pub(crate) fn field(&'p self, field: &'p ConfigField<'_>) -> Self {
        self.key(&field.key, field.line)
    }

    /// A key of the table at this path.
    pub(crate) fn key(&'p self, key: &'p str, line: usize) -> Self {
        Self {
            parent: Some(self),
            step: KeyStep::Key(key),
            line,
        }
    }

    /// An element of the array at this path.
    pub(crate) fn index(&'p self, index: usize, line: usize) -> Self {
        Self {
            parent: Some(self),
            step: KeyStep::Index(index),
            line,
        }
    }
}

impl fmt::Display for KeyPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(parent) = self.parent else {
            return Ok(());
        };
        parent.fmt(f)?;
        match self.step {
            KeyStep::Root => Ok(()),
            KeyStep::Index(index) => write!(f, "[{index}]"),
            KeyStep::Key(key) => {
                if parent.parent.is_some() {
                    f.write_str(".")?;
                }
                f.write_str(&key_text(key))
            }
        }
    }
}

/// A key as it is written in a key path.
pub(crate) fn key_text(key: &str) -> Cow<'_, str> {
    let bare = !key.is_empty()
        && key
            .bytes()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-' | b'$'));
    if bare {
        Cow::Borrowed(key)
    } else {
        Cow::Owned(format!("{key:?}"))
    }
}

/// A file being read, and the layer read so far.
pub(crate) struct ConfigReader<'f> {
    pub(crate) file: &'f ConfigFile<'f>,
    pub(crate) layer: Layer,
}

impl<'f> ConfigReader<'f> {
    pub(crate) fn new(file: &'f ConfigFile<'f>) -> Self {
        Self {
            file,
            layer: Layer::default(),
        }
    }

    /// The layer of a file with a syntax error.
    pub(crate) fn syntax_error(mut self, error: SyntaxError) -> Layer {
        self.error(&KeyPath::root(error.line), error.message, None);
        self.layer
    }

    pub(crate) fn error(&mut self, at: &KeyPath, message: impl Into<String>, hint: Option<String>) {
        self.report(at, Severity::Error, message.into(), hint);
    }

    pub(crate) fn warn(&mut self, at: &KeyPath, message: impl Into<String>, hint: Option<String>) {
        self.report(at, Severity::Warning, message.into(), hint);
    }

    /// Warns about an entry that is already read.
    pub(crate) fn warn_about(&mut self, source: HookSource, message: &str) {
        self.layer.problems.push(Problem {
            file: source.file,
            line: source.line,
            key: source.key,
            message: message.to_owned(),
            hint: None,
            severity: Severity::Warning,
        });
    }

    fn report(&mut self, at: &KeyPath, severity: Severity, message: String, hint: Option<String>) {
        self.layer.problems.push(Problem {
            file: self.file.path.to_owned(),
            line: at.line,
            key: at.to_string(),
            message,
            hint,
            severity,
        });
    }

    pub(crate) fn source(&self, at: &KeyPath) -> HookSource {
        HookSource {
            level: self.file.level,
            file: self.file.path.to_owned(),
            line: at.line,
            key: at.to_string(),
        }
    }

    /// Records that a hook for `event` did not load. The problem is already reported.
    pub(crate) fn add_broken(
        &mut self,
        at: &KeyPath,
        name: Option<&str>,
        event: &EventKind,
        on_failure: OnFailure,
        message: impl Into<String>,
    ) {
        let source = self.source(at);
        self.layer.broken.push(BrokenHook {
            name: name.map_or_else(|| name_from(&source.key).to_owned(), str::to_owned),
            source,
            event: event.clone(),
            on_failure,
            message: message.into(),
        });
    }

    /// A mark after everything read so far.
    pub(crate) fn mark(&self) -> LayerMark {
        LayerMark {
            hooks: self.layer.hooks.len(),
            broken: self.layer.broken.len(),
        }
    }

    /// The hooks that were read since the mark.
    pub(crate) fn hooks_since(&mut self, mark: LayerMark) -> &mut [HookSpec] {
        &mut self.layer.hooks[mark.hooks..]
    }

    /// Binds the hooks read since the mark to further events, for dialects in which one native event covers two
    /// canonical events.
    pub(crate) fn bind_also(&mut self, mark: LayerMark, events: &[EventKind]) {
        let hooks = self.layer.hooks[mark.hooks..].to_vec();
        let broken = self.layer.broken[mark.broken..].to_vec();
        for event in events {
            let event = || event.clone();
            let again = hooks.iter().cloned();
            let again = again.map(|hook| HookSpec {
                event: event(),
                ..hook
            });
            self.layer.hooks.extend(again);
            let again = broken.iter().cloned();
            let again = again.map(|broken| BrokenHook {
                event: event(),
                ..broken
            });
            self.layer.broken.extend(again);
        }
    }

    /// Reports duplicate keys as errors.
    pub(crate) fn duplicates(&mut self, fields: &[ConfigField], at: &KeyPath) {
        for field in fields.iter().filter(|field| field.shadowed) {
            self.error(
                &at.field(field),
                "duplicate key; the last one is used",
                None,
            );
        }
    }

    /// The effective fields of a table. Duplicates are reported.
    pub(crate) fn fields<'n>(
        &mut self,
        fields: &'n [ConfigField<'n>],
        at: &KeyPath,
    ) -> impl Iterator<Item = &'n ConfigField<'n>> + use<'n> {
        self.duplicates(fields, at);
        fields.iter().filter(|field| !field.shadowed)
    }

    /// Warns about unknown keys.
    pub(crate) fn unknown_keys<'k>(
        &mut self,
        fields: &[ConfigField],
        at: &KeyPath,
        known: &(impl Iterator<Item = &'k str> + Clone),
    ) {
        for field in fields.iter().filter(|field| !field.shadowed) {
            if !known.clone().any(|key| key == field.key) {
                let hint = did_you_mean(&field.key, known.clone());
                self.warn(&at.field(field), "unknown key", hint);
            }
        }
    }

    /// Reads a `dialect` key.
    pub(crate) fn dialect(&mut self, field: &ConfigField, at: &KeyPath) -> DialectChoice {
        if let Some(dialect) = field.node.text().and_then(Dialect::parse) {
            return DialectChoice::Explicit(dialect);
        }
        let message = match field.node.text() {
            Some(name) => format!("unknown dialect `{name}`"),
            None => format!("expected a string, found {}", field.node.describe()),
        };
        let hint = format!("one of {}", Dialect::ALL.map(Dialect::name).join(", "));
        self.error(&at.field(field), message, Some(hint));
        DialectChoice::Unknown
    }
}

/// A position in the list of hooks and broken hooks.
#[derive(Clone, Copy)]
pub(crate) struct LayerMark {
    hooks: usize,
    broken: usize,
}

/// A name for a hook that has none.
pub(crate) fn name_from(key: &str) -> &str {
    key.strip_prefix("hooks.").unwrap_or(key)
}

/// The `dialect` key, from the innermost level that has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DialectChoice {
    /// No key: the shape of the hook decides.
    ByShape,
    Explicit(Dialect),
    /// An unknown dialect, already reported. No hook below it can run.
    Unknown,
}

impl DialectChoice {
    pub(crate) fn or(self, by_shape: Dialect) -> Option<Dialect> {
        match self {
            Self::ByShape => Some(by_shape),
            Self::Explicit(dialect) => Some(dialect),
            Self::Unknown => None,
        }
    }
}

/// One hook being read.
pub(crate) struct EntryReader<'e, 'f, 'n> {
    pub(crate) reader: &'e mut ConfigReader<'f>,
    pub(crate) place: &'e KeyPath<'e>,
    fields: &'n [ConfigField<'n>],
    /// The first problem found.
    pub(crate) fault: Option<String>,
}

impl<'e, 'f, 'n> EntryReader<'e, 'f, 'n> {
    pub(crate) fn new(
        reader: &'e mut ConfigReader<'f>,
        place: &'e KeyPath<'e>,
        fields: &'n [ConfigField<'n>],
    ) -> Self {
        reader.duplicates(fields, place);
        Self {
            reader,
            place,
            fields,
            fault: None,
        }
    }

    pub(crate) fn field(&self, key: &str) -> Option<&'n ConfigField<'n>> {
        find(self.fields, key)
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.field(key).is_some()
    }

    /// Warns about unknown keys.
    pub(crate) fn check_keys<'k>(&mut self, known: &(impl Iterator<Item = &'k str> + Clone)) {
        self.reader.unknown_keys(self.fields, self.place, known);
    }

    /// Breaks the entry because a key is missing.
    pub(crate) fn fail(&mut self, message: impl Into<String>, hint: Option<String>) {
        let message = message.into();
        self.reader.error(self.place, &*message, hint);
        self.fault.get_or_insert(message);
    }

    /// Breaks the entry because of a field.
    pub(crate) fn fail_at(&mut self, field: &ConfigField, message: impl Into<String>) {
        self.fail_with(field, message, None);
    }

    /// Breaks the entry because of a field, with a hint.
    pub(crate) fn fail_with(
        &mut self,
        field: &ConfigField,
        message: impl Into<String>,
        hint: Option<String>,
    ) {
        let message = message.into();
        self.reader.error(&self.place.field(field), &*message, hint);
        self.fault
            .get_or_insert_with(|| format!("`{}`: {message}", field.key));
    }

    pub(crate) fn warn_at(
        &mut self,
        field: &ConfigField,
        message: impl Into<String>,
        hint: Option<&str>,
    ) {
        let hint = hint.map(str::to_owned);
        self.reader.warn(&self.place.field(field), message, hint);
    }

    fn expected(&mut self, field: &ConfigField, what: &str) {
        self.fail_at(
            field,
            format!("expected {what}, found {}", field.node.describe()),
        );
    }

    pub(crate) fn text(&mut self, key: &str) -> Option<&'n str> {
        let field = self.field(key)?;
        let text = field.node.text();
        if text.is_none() {
            self.expected(field, "a string");
        }
        text
    }

    /// A string that must be present and not empty.
    pub(crate) fn required(&mut self, key: &str) -> Option<&'n str> {
        let Some(field) = self.field(key) else {
            self.fail(format!("missing `{key}`"), None);
            return None;
        };
        let text = self.text(key)?;
        if text.trim().is_empty() {
            self.fail_at(field, "is empty");
            return None;
        }
        Some(text)
    }

    pub(crate) fn owned(&mut self, key: &str) -> Option<String> {
        self.text(key).map(str::to_owned)
    }

    pub(crate) fn flag(&mut self, key: &str) -> Option<bool> {
        let field = self.field(key)?;
        if let ConfigValue::Bool(flag) = field.node.tree {
            return Some(flag);
        }
        self.expected(field, "true or false");
        None
    }

    pub(crate) fn integer(&mut self, key: &str) -> Option<i32> {
        let field = self.field(key)?;
        let whole = match &field.node.tree {
            ConfigValue::Number(number) => number.as_i64(),
            _ => None,
        };
        let whole = whole.and_then(|whole| i32::try_from(whole).ok());
        if whole.is_none() {
            self.expected(field, "a 32-bit integer");
        }
        whole
    }

    pub(crate) fn natural(&mut self, key: &str) -> Option<u32> {
        let field = self.field(key)?;
        let whole = match &field.node.tree {
            ConfigValue::Number(number) => number.as_u64(),
            _ => None,
        };
        let whole = whole.and_then(|whole| u32::try_from(whole).ok());
        if whole.is_none() {
            self.expected(field, "an integer of at least 0");
        }
        whole
    }

    pub(crate) fn port(&mut self, key: &str) -> Option<u16> {
        let field = self.field(key)?;
        let port = match &field.node.tree {
            ConfigValue::Number(number) => number.as_u64(),
            _ => None,
        };
        let port = port.and_then(|port| u16::try_from(port).ok());
        if port.is_none() {
            self.expected(field, "a port number from 0 to 65535");
        }
        port
    }

    pub(crate) fn texts(&mut self, key: &str) -> Option<Vec<String>> {
        let field = self.field(key)?;
        let found = match &field.node.tree {
            ConfigValue::List(nodes) => all_texts(nodes),
            _ => None,
        };
        if found.is_none() {
            self.expected_list(field, "an array of strings");
        }
        found
    }

    pub(crate) fn text_or_texts(&mut self, key: &str) -> Option<Vec<String>> {
        let field = self.field(key)?;
        let found = match &field.node.tree {
            ConfigValue::Text(text) => Some(vec![text.as_ref().to_owned()]),
            ConfigValue::List(nodes) => all_texts(nodes),
            _ => None,
        };
        if found.is_none() {
            self.expected_list(field, "a string or an array of strings");
        }
        found
    }

    fn expected_list(&mut self, field: &ConfigField, what: &str) {
        match &field.node.tree {
            ConfigValue::List(_) => self.fail_at(
                field,
                format!("expected {what}, but one element has another type"),
            ),
            _ => self.expected(field, what),
        }
    }

    /// A table of strings, in file order.
    pub(crate) fn pairs(&mut self, key: &str) -> Option<Vec<(String, String)>> {
        let field = self.field(key)?;
        let ConfigValue::Table(fields) = &field.node.tree else {
            self.expected(field, "an object of strings");
            return None;
        };
        let place = self.place.field(field);
        let mut pairs = Vec::with_capacity(fields.len());
        for pair in self.reader.fields(fields, &place) {
            if let Some(text) = pair.node.text() {
                pairs.push((pair.key.as_ref().to_owned(), text.to_owned()));
                continue;
            }
            let message = format!("expected a string, found {}", pair.node.describe());
            self.reader.error(&place.field(pair), &*message, None);
            self.fault
                .get_or_insert_with(|| format!("`{key}.{}`: {message}", pair.key));
        }
        Some(pairs)
    }

    /// Environment variables. An invalid name is a fault, because no process could be started with it.
    pub(crate) fn env(&mut self, key: &str) -> Vec<(String, String)> {
        let Some(pairs) = self.pairs(key) else {
            return Vec::new();
        };
        if let Some((name, _)) = pairs.iter().find(|(name, _)| !is_name(name))
            && let Some(field) = self.field(key)
        {
            self.fail_at(field, format!("{name:?} is not a valid variable name"));
        }
        pairs
    }

    /// Any object; or the JSON text of one, for values that the notation cannot express.
    pub(crate) fn object(&mut self, key: &str) -> Option<Value> {
        let field = self.field(key)?;
        match &field.node.tree {
            ConfigValue::Table(_) => return Some(field.node.to_json()),
            ConfigValue::Text(text) => {
                let value = serde_json::from_str(text).ok();
                if let Some(value) = value.filter(Value::is_object) {
                    return Some(value);
                }
                self.fail_at(field, "expected an object or the JSON text of one");
            }
            _ => self.expected(field, "an object"),
        }
        None
    }

    /// A timeout: text such as `30s`, or a bare number of `unit`s.
    pub(crate) fn duration(&mut self, key: &str, unit: Duration) -> Option<Duration> {
        let field = self.field(key)?;
        let found = match &field.node.tree {
            ConfigValue::Number(number) => number
                .as_f64()
                .map(|number| number * unit.as_secs_f64())
                .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            ConfigValue::Text(text) => parse_duration(text, unit),
            _ => {
                self.expected(field, "a number or a duration such as \"30s\"");
                return None;
            }
        };
        match found.filter(|duration| !duration.is_zero()) {
            Some(duration) if duration > MAX_TIMEOUT => {
                self.warn_at(field, "is longer than a year; reduced to one year", None);
                Some(MAX_TIMEOUT)
            }
            Some(duration) => Some(duration),
            None => {
                let hint =
                    "use a number greater than 0, or text such as \"500ms\", \"30s\", \"2m\"";
                self.fail_with(
                    field,
                    "is not a duration greater than 0",
                    Some(hint.to_owned()),
                );
                None
            }
        }
    }

    /// `if`
    pub(crate) fn condition(&mut self) -> Option<Condition> {
        let field = self.field("if")?;
        let condition = Condition::parse(self.text("if")?);
        if condition.is_none() {
            let hint = "for example `Bash(git *)`, `Write(*.json)` or `Read`";
            self.fail_with(
                field,
                "is not a tool name or a tool with a pattern",
                Some(hint.to_owned()),
            );
        }
        condition
    }

    /// The failure policy, under any of its spellings.
    pub(crate) fn on_failure(&mut self, keys: &[&str]) -> Option<OnFailure> {
        let field = keys.iter().find_map(|key| self.field(key))?;
        let policy = OnFailure::parse(self.text(&field.key)?);
        if policy.is_none() {
            let hint = Some("one of allow, ask, deny".to_owned());
            self.fail_with(field, "unknown failure policy", hint);
        }
        policy
    }

    /// The failure policy of a broken entry, as far as it can be read. Reports nothing.
    pub(crate) fn on_failure_unchecked(&self, keys: &[&str]) -> OnFailure {
        keys.iter()
            .find_map(|key| OnFailure::parse(self.field(key)?.node.text()?))
            .unwrap_or(OnFailure::Allow)
    }
}

fn all_texts(nodes: &[ConfigNode]) -> Option<Vec<String>> {
    nodes
        .iter()
        .map(|node| node.text().map(str::to_owned))
        .collect()
}
