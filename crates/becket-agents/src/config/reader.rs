//! Reading a [`Node`] tree with typed getters that report what is wrong, where, and go on.
//!
//! [`Reader`] gathers the layer, [`Place`] says where one is, and [`Entry`] reads the fields of one
//! hook: any fault makes the entry broken, and the remaining fields are still checked, so that a
//! person sees everything wrong with an entry at once.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use becket_model::spec::parse_duration;
use becket_model::{
    Broken, Condition, Dialect, EventKind, HookSpec, Layer, OnFailure, Problem, Severity, Source,
};
use serde_json::Value;

use super::File;
use super::lint::did_you_mean;
use super::tree::{Field, Node, SyntaxError, Tree, find};
use crate::contract::is_name;

/// Nobody waits longer for a hook; also keeps deadlines far from the end of the clock.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// Where one is in a file. A chain on the stack: the text is made only when it is needed.
#[derive(Clone, Copy)]
pub(crate) struct Place<'p> {
    up: Option<&'p Place<'p>>,
    step: Step<'p>,
    pub(crate) line: usize,
}

#[derive(Clone, Copy)]
enum Step<'p> {
    Root,
    Key(&'p str),
    Index(usize),
}

impl<'p> Place<'p> {
    /// The file as a whole.
    pub(crate) fn root(line: usize) -> Self {
        Self {
            up: None,
            step: Step::Root,
            line,
        }
    }

    /// A field of the table here.
    pub(crate) fn field(&'p self, field: &'p Field<'_>) -> Self {
        self.key(&field.key, field.line)
    }

    /// A key of the table here.
    pub(crate) fn key(&'p self, key: &'p str, line: usize) -> Self {
        Self {
            up: Some(self),
            step: Step::Key(key),
            line,
        }
    }

    /// An element of the array here.
    pub(crate) fn index(&'p self, index: usize, line: usize) -> Self {
        Self {
            up: Some(self),
            step: Step::Index(index),
            line,
        }
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(up) = self.up else { return Ok(()) };
        up.fmt(f)?;
        match self.step {
            Step::Root => Ok(()),
            Step::Index(index) => write!(f, "[{index}]"),
            Step::Key(key) => {
                if up.up.is_some() {
                    f.write_str(".")?;
                }
                f.write_str(&key_text(key))
            }
        }
    }
}

/// A key as it is written in a place.
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

/// A file being read, and what it has given so far.
pub(crate) struct Reader<'f> {
    pub(crate) file: &'f File<'f>,
    pub(crate) layer: Layer,
}

impl<'f> Reader<'f> {
    pub(crate) fn new(file: &'f File<'f>) -> Self {
        Self {
            file,
            layer: Layer::default(),
        }
    }

    /// The layer of a file that cannot be read at all.
    pub(crate) fn refuse(mut self, error: SyntaxError) -> Layer {
        self.error(&Place::root(error.line), error.message, None);
        self.layer
    }

    pub(crate) fn error(&mut self, at: &Place, message: impl Into<String>, hint: Option<String>) {
        self.tell(at, Severity::Error, message.into(), hint);
    }

    pub(crate) fn warn(&mut self, at: &Place, message: impl Into<String>, hint: Option<String>) {
        self.tell(at, Severity::Warning, message.into(), hint);
    }

    /// Warns about an entry that has been read.
    pub(crate) fn warn_about(&mut self, source: Source, message: &str) {
        self.layer.problems.push(Problem {
            file: source.file,
            line: source.line,
            key: source.key,
            message: message.to_owned(),
            hint: None,
            severity: Severity::Warning,
        });
    }

    fn tell(&mut self, at: &Place, severity: Severity, message: String, hint: Option<String>) {
        self.layer.problems.push(Problem {
            file: self.file.path.to_owned(),
            line: at.line,
            key: at.to_string(),
            message,
            hint,
            severity,
        });
    }

    pub(crate) fn source(&self, at: &Place) -> Source {
        Source {
            level: self.file.level,
            file: self.file.path.to_owned(),
            line: at.line,
            key: at.to_string(),
        }
    }

    /// Records that a hook for `event` did not load. The problem has been told already.
    pub(crate) fn broken(
        &mut self,
        at: &Place,
        name: Option<&str>,
        event: &EventKind,
        on_failure: OnFailure,
        message: impl Into<String>,
    ) {
        let source = self.source(at);
        self.layer.broken.push(Broken {
            name: name.map_or_else(|| name_from(&source.key).to_owned(), str::to_owned),
            source,
            event: event.clone(),
            on_failure,
            message: message.into(),
        });
    }

    /// What has been read so far; the beginning of what is read next.
    pub(crate) fn mark(&self) -> Mark {
        Mark {
            hooks: self.layer.hooks.len(),
            broken: self.layer.broken.len(),
        }
    }

    /// The hooks that were read since.
    pub(crate) fn hooks_since(&mut self, mark: Mark) -> &mut [HookSpec] {
        &mut self.layer.hooks[mark.hooks..]
    }

    /// Binds what was read since to another event as well, for dialects that have one where we have two.
    pub(crate) fn also_for(&mut self, mark: Mark, events: &[EventKind]) {
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
            let again = again.map(|broken| Broken {
                event: event(),
                ..broken
            });
            self.layer.broken.extend(again);
        }
    }

    /// Tells about keys that come more than once.
    pub(crate) fn duplicates(&mut self, fields: &[Field], at: &Place) {
        for field in fields.iter().filter(|field| field.shadowed) {
            self.error(
                &at.field(field),
                "duplicate key; only the last one counts",
                None,
            );
        }
    }

    /// The fields of a table that count, after telling about those that do not.
    pub(crate) fn fields<'n>(
        &mut self,
        fields: &'n [Field<'n>],
        at: &Place,
    ) -> impl Iterator<Item = &'n Field<'n>> + use<'n> {
        self.duplicates(fields, at);
        fields.iter().filter(|field| !field.shadowed)
    }

    /// Tells about keys that mean nothing here.
    pub(crate) fn unknown_keys<'k>(
        &mut self,
        fields: &[Field],
        at: &Place,
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
    pub(crate) fn dialect(&mut self, field: &Field, at: &Place) -> Choice {
        if let Some(dialect) = field.node.text().and_then(Dialect::parse) {
            return Choice::Said(dialect);
        }
        let message = match field.node.text() {
            Some(name) => format!("unknown dialect `{name}`"),
            None => format!("expected a string, found {}", field.node.what()),
        };
        let hint = format!("one of {}", Dialect::ALL.map(Dialect::name).join(", "));
        self.error(&at.field(field), message, Some(hint));
        Choice::Unknown
    }
}

/// A moment of reading.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    hooks: usize,
    broken: usize,
}

/// The name of a hook that has none.
pub(crate) fn name_from(key: &str) -> &str {
    key.strip_prefix("hooks.").unwrap_or(key)
}

/// What was said about the dialect, at the innermost place that said anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Choice {
    /// Nothing: the shape decides.
    ByShape,
    Said(Dialect),
    /// Something nobody understands; told already. No hook below it can run.
    Unknown,
}

impl Choice {
    pub(crate) fn or(self, by_shape: Dialect) -> Option<Dialect> {
        match self {
            Self::ByShape => Some(by_shape),
            Self::Said(dialect) => Some(dialect),
            Self::Unknown => None,
        }
    }
}

/// One hook being read.
pub(crate) struct Entry<'e, 'f, 'n> {
    pub(crate) reader: &'e mut Reader<'f>,
    pub(crate) place: &'e Place<'e>,
    fields: &'n [Field<'n>],
    /// The first thing wrong with it.
    pub(crate) fault: Option<String>,
}

impl<'e, 'f, 'n> Entry<'e, 'f, 'n> {
    pub(crate) fn new(
        reader: &'e mut Reader<'f>,
        place: &'e Place<'e>,
        fields: &'n [Field<'n>],
    ) -> Self {
        reader.duplicates(fields, place);
        Self {
            reader,
            place,
            fields,
            fault: None,
        }
    }

    pub(crate) fn field(&self, key: &str) -> Option<&'n Field<'n>> {
        find(self.fields, key)
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.field(key).is_some()
    }

    /// Tells about keys that mean nothing here.
    pub(crate) fn check_keys<'k>(&mut self, known: &(impl Iterator<Item = &'k str> + Clone)) {
        self.reader.unknown_keys(self.fields, self.place, known);
    }

    /// Breaks the entry because of something that is not there.
    pub(crate) fn fail(&mut self, message: impl Into<String>, hint: Option<String>) {
        let message = message.into();
        self.reader.error(self.place, &*message, hint);
        self.fault.get_or_insert(message);
    }

    /// Breaks the entry because of a field.
    pub(crate) fn fail_at(&mut self, field: &Field, message: impl Into<String>) {
        self.fail_with(field, message, None);
    }

    /// Breaks the entry because of a field, saying what to do.
    pub(crate) fn fail_with(
        &mut self,
        field: &Field,
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
        field: &Field,
        message: impl Into<String>,
        hint: Option<&str>,
    ) {
        let hint = hint.map(str::to_owned);
        self.reader.warn(&self.place.field(field), message, hint);
    }

    fn expected(&mut self, field: &Field, what: &str) {
        self.fail_at(
            field,
            format!("expected {what}, found {}", field.node.what()),
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

    /// Text that must be there and say something.
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
        if let Tree::Bool(flag) = field.node.tree {
            return Some(flag);
        }
        self.expected(field, "true or false");
        None
    }

    pub(crate) fn integer(&mut self, key: &str) -> Option<i32> {
        let field = self.field(key)?;
        let whole = match &field.node.tree {
            Tree::Number(number) => number.as_i64(),
            _ => None,
        };
        let whole = whole.and_then(|whole| i32::try_from(whole).ok());
        if whole.is_none() {
            self.expected(field, "a whole number of 32 bits");
        }
        whole
    }

    pub(crate) fn natural(&mut self, key: &str) -> Option<u32> {
        let field = self.field(key)?;
        let whole = match &field.node.tree {
            Tree::Number(number) => number.as_u64(),
            _ => None,
        };
        let whole = whole.and_then(|whole| u32::try_from(whole).ok());
        if whole.is_none() {
            self.expected(field, "a whole number from 0 on");
        }
        whole
    }

    pub(crate) fn port(&mut self, key: &str) -> Option<u16> {
        let field = self.field(key)?;
        let port = match &field.node.tree {
            Tree::Number(number) => number.as_u64(),
            _ => None,
        };
        let port = port.and_then(|port| u16::try_from(port).ok());
        if port.is_none() {
            self.expected(field, "a port, from 0 to 65535");
        }
        port
    }

    pub(crate) fn texts(&mut self, key: &str) -> Option<Vec<String>> {
        let field = self.field(key)?;
        let found = match &field.node.tree {
            Tree::List(nodes) => all_texts(nodes),
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
            Tree::Text(text) => Some(vec![text.as_ref().to_owned()]),
            Tree::List(nodes) => all_texts(nodes),
            _ => None,
        };
        if found.is_none() {
            self.expected_list(field, "a string or an array of strings");
        }
        found
    }

    fn expected_list(&mut self, field: &Field, what: &str) {
        match &field.node.tree {
            Tree::List(_) => self.fail_at(field, format!("expected {what}, found another element")),
            _ => self.expected(field, what),
        }
    }

    /// A table from text to text, in the order of the file.
    pub(crate) fn pairs(&mut self, key: &str) -> Option<Vec<(String, String)>> {
        let field = self.field(key)?;
        let Tree::Table(fields) = &field.node.tree else {
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
            let message = format!("expected a string, found {}", pair.node.what());
            self.reader.error(&place.field(pair), &*message, None);
            self.fault
                .get_or_insert_with(|| format!("`{key}.{}`: {message}", pair.key));
        }
        Some(pairs)
    }

    /// Variables for the environment. A name that cannot be one is a fault: nothing could be started with it.
    pub(crate) fn env(&mut self, key: &str) -> Vec<(String, String)> {
        let Some(pairs) = self.pairs(key) else {
            return Vec::new();
        };
        if let Some((name, _)) = pairs.iter().find(|(name, _)| !is_name(name))
            && let Some(field) = self.field(key)
        {
            self.fail_at(field, format!("{name:?} cannot be the name of a variable"));
        }
        pairs
    }

    /// An object of anything; or, for what the notation cannot say, the text of one in JSON.
    pub(crate) fn object(&mut self, key: &str) -> Option<Value> {
        let field = self.field(key)?;
        match &field.node.tree {
            Tree::Table(_) => return Some(field.node.to_json()),
            Tree::Text(text) => {
                let value = serde_json::from_str(text).ok();
                if let Some(value) = value.filter(Value::is_object) {
                    return Some(value);
                }
                self.fail_at(field, "expected an object, or the text of one in JSON");
            }
            _ => self.expected(field, "an object"),
        }
        None
    }

    /// A deadline: text such as `30s`, or a bare number of `unit`s.
    pub(crate) fn duration(&mut self, key: &str, unit: Duration) -> Option<Duration> {
        let field = self.field(key)?;
        let found = match &field.node.tree {
            Tree::Number(number) => number
                .as_f64()
                .map(|number| number * unit.as_secs_f64())
                .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
            Tree::Text(text) => parse_duration(text, unit),
            _ => {
                self.expected(field, "a number or a duration such as \"30s\"");
                return None;
            }
        };
        match found.filter(|duration| !duration.is_zero()) {
            Some(duration) if duration > LONGEST => {
                self.warn_at(field, "is longer than a year; a year it is", None);
                Some(LONGEST)
            }
            Some(duration) => Some(duration),
            None => {
                let hint = "a number greater than 0, or text such as \"500ms\", \"30s\", \"2m\"";
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
                "is not a tool or a tool with a pattern",
                Some(hint.to_owned()),
            );
        }
        condition
    }

    /// What a failure means, under any of its spellings.
    pub(crate) fn on_failure(&mut self, keys: &[&str]) -> Option<OnFailure> {
        let field = keys.iter().find_map(|key| self.field(key))?;
        let policy = OnFailure::parse(self.text(&field.key)?);
        if policy.is_none() {
            let hint = Some("one of allow, ask, deny".to_owned());
            self.fail_with(field, "unknown failure policy", hint);
        }
        policy
    }

    /// What a failure means as far as it can be read, for an entry that is broken.
    pub(crate) fn on_failure_quietly(&self, keys: &[&str]) -> OnFailure {
        keys.iter()
            .find_map(|key| OnFailure::parse(self.field(key)?.node.text()?))
            .unwrap_or(OnFailure::Allow)
    }
}

fn all_texts(nodes: &[Node]) -> Option<Vec<String>> {
    nodes
        .iter()
        .map(|node| node.text().map(str::to_owned))
        .collect()
}
