//! Loads Becket's own TOML files: `[[hook]]`, `[settings]`, `[hooks]` and `[recall]`.

use std::path::PathBuf;
use std::time::Duration;

use becket_model::{
    BuiltinDefaults, Dialect, EventKind, Filter, HookSpec, Layer, MatchStyle, Matcher, OnFailure,
    builtin,
};

use super::ConfigFile;
use super::flat::is_own;
use super::hook::{self, BoundEvent};
use super::keys::{self, FILTER, HOOK, KINDS, RECALL, SETTINGS, SWITCHES, TOP};
use super::learn;
use super::lint::did_you_mean;
use super::reader::{ConfigReader, DialectChoice, EntryReader, KeyPath, name_from};
use super::services;
use super::tree::{self, ConfigField, ConfigNode, ConfigValue};
use crate::names;

/// Becket's settings from one file. `None` means that the file does not set the key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BecketSettings {
    /// How many times in a row hooks may keep an agent from stopping.
    pub stop_retries: Option<u32>,
    /// Whether events are recorded.
    pub record: Option<bool>,
    /// Regular expressions for text that must never be recorded.
    pub redact: Vec<String>,
    /// Whether events may start the daemon.
    pub daemon: Option<bool>,
    /// The daemon's HTTP port.
    pub port: Option<u16>,
    /// How long records are kept; without it, for ever.
    pub keep: Option<Duration>,
    /// The verdict for an unreadable payload at a guarded event.
    pub on_bad_payload: Option<OnFailure>,
    /// Which hooks are disabled.
    pub hooks: HookSwitches,
    /// Which context is injected.
    pub recall: RecallSettings,
}

/// The `[recall]` table: whether context is injected, and how much at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecallSettings {
    /// Whether any context is injected.
    pub enabled: Option<bool>,
    /// The maximum number of code chunks.
    pub code_chunks: Option<u32>,
    /// The maximum number of lines per chunk.
    pub lines_per_chunk: Option<u32>,
    /// The maximum number of memories.
    pub memories: Option<u32>,
    /// The maximum number of session summaries.
    pub session_summaries: Option<u32>,
    /// The token limit for all of it together.
    pub tokens: Option<u32>,
}

/// The `[hooks]` table: hooks that are disabled, wherever they are defined. It cannot enable a hook that
/// its own file disables.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HookSwitches {
    /// Whether any hook runs.
    pub enabled: Option<bool>,
    /// Hooks of other files, as `name@file` or `name@file#definition`.
    pub disabled: Vec<String>,
}

/// Reads the hooks of `becket.toml`, `becket.local.toml` or the user's `config.toml`.
pub fn becket(file: &ConfigFile) -> Layer {
    becket_with_settings(file).0
}

/// Reads `[settings]`, `[hooks]` and `[recall]` of the same files. [`becket()`] reports their problems.
pub fn becket_settings(file: &ConfigFile) -> BecketSettings {
    becket_with_settings(file).1
}

/// Reads the hooks and the settings at once.
pub fn becket_with_settings(file: &ConfigFile) -> (Layer, BecketSettings) {
    let mut reader = ConfigReader::new(file);
    let node = match tree::toml(file.text) {
        Ok(node) => node,
        Err(error) => return (reader.syntax_error(error), BecketSettings::default()),
    };
    let at = KeyPath::root(1);
    if let ConfigValue::Table(fields) = &node.tree {
        reader.unknown_keys(fields, &at, &keys::names(TOP));
    }
    if let Some(field) = node.get("hook") {
        hooks(&mut reader, field, &at.field(field));
    }
    let settings = node.get("settings");
    let mut settings = settings.map_or_else(BecketSettings::default, |field| {
        read_settings(&mut reader, field, &at)
    });
    if let Some(field) = node.get("hooks") {
        settings.hooks = read_switches(&mut reader, field, &at);
    }
    if let Some(field) = node.get("recall") {
        settings.recall = read_recall(&mut reader, field, &at);
    }
    // Reads these tables only to report their problems. The values are read again where a hook needs them.
    services::read(&mut reader, &node, &at);
    learn::read(&mut reader, &node, &at);
    (reader.layer, settings)
}

fn read_switches(reader: &mut ConfigReader, field: &ConfigField, at: &KeyPath) -> HookSwitches {
    let at = at.field(field);
    let ConfigValue::Table(fields) = &field.node.tree else {
        let message = format!("expected a table, found {}", field.node.describe());
        let hint = "define hooks as `[[hook]]`";
        reader.error(&at, message, Some(hint.to_owned()));
        return HookSwitches::default();
    };
    let mut entry = EntryReader::new(reader, &at, fields);
    entry.check_keys(&keys::names(SWITCHES));
    HookSwitches {
        enabled: entry.flag("enabled"),
        disabled: entry.texts("disabled").unwrap_or_default(),
    }
}

fn read_recall(reader: &mut ConfigReader, field: &ConfigField, at: &KeyPath) -> RecallSettings {
    let at = at.field(field);
    let ConfigValue::Table(fields) = &field.node.tree else {
        let message = format!("expected a table, found {}", field.node.describe());
        reader.error(&at, message, None);
        return RecallSettings::default();
    };
    let mut entry = EntryReader::new(reader, &at, fields);
    entry.check_keys(&keys::names(RECALL));
    RecallSettings {
        enabled: entry.flag("enabled"),
        code_chunks: entry.natural("code_chunks"),
        lines_per_chunk: entry.natural("lines_per_chunk"),
        memories: entry.natural("memories"),
        session_summaries: entry.natural("session_summaries"),
        tokens: entry.natural("tokens"),
    }
}

fn read_settings(reader: &mut ConfigReader, field: &ConfigField, at: &KeyPath) -> BecketSettings {
    let at = at.field(field);
    let ConfigValue::Table(fields) = &field.node.tree else {
        let message = format!("expected a table, found {}", field.node.describe());
        reader.error(&at, message, None);
        return BecketSettings::default();
    };
    let mut entry = EntryReader::new(reader, &at, fields);
    entry.check_keys(&keys::names(SETTINGS));
    BecketSettings {
        stop_retries: entry.natural("stop_retries"),
        record: entry.flag("record"),
        redact: patterns(&mut entry),
        daemon: entry.flag("daemon"),
        port: entry.port("port"),
        keep: retention(&mut entry),
        on_bad_payload: entry.on_failure(&["on_bad_payload"]),
        hooks: HookSwitches::default(),
        recall: RecallSettings::default(),
    }
}

/// Reads the retention period in days or weeks. Hours are rejected: records would be deleted before anyone
/// reads them.
fn retention(entry: &mut EntryReader<'_, '_, '_>) -> Option<Duration> {
    const DAY: u64 = 24 * 60 * 60;
    const MOST_DAYS: u64 = 100 * 365;
    let field = entry.field("keep")?;
    let text = entry.text("keep")?;
    let days = |digits: &str, each: u64| digits.parse::<u64>().ok()?.checked_mul(each);
    let found = match (text.strip_suffix('d'), text.strip_suffix('w')) {
        (Some(digits), _) => days(digits, 1),
        (_, Some(digits)) => days(digits, 7),
        _ => None,
    };
    let found = found.filter(|days| (1..=MOST_DAYS).contains(days));
    if found.is_none() {
        let hint = "use a number of days or weeks, such as \"90d\" or \"26w\"; remove the key to keep everything";
        entry.fail_with(
            field,
            "is not a duration of at least one day",
            Some(hint.to_owned()),
        );
    }
    found.map(|days| Duration::from_secs(days * DAY))
}

/// The valid regular expressions of `redact`; an invalid one is reported.
fn patterns(entry: &mut EntryReader<'_, '_, '_>) -> Vec<String> {
    let mut patterns = entry.texts("redact").unwrap_or_default();
    let Some(field) = entry.field("redact") else {
        return patterns;
    };
    patterns.retain(
        |pattern| match Matcher::parse(pattern, MatchStyle::Search) {
            Ok(_) => true,
            Err(error) => {
                entry.fail_at(field, error.to_string());
                false
            }
        },
    );
    patterns
}

fn hooks(reader: &mut ConfigReader, field: &ConfigField, at: &KeyPath) {
    let ConfigValue::List(nodes) = &field.node.tree else {
        let message = format!(
            "expected an array of tables, found {}",
            field.node.describe()
        );
        reader.error(at, message, Some("write `[[hook]]`".to_owned()));
        return;
    };
    for (index, node) in nodes.iter().enumerate() {
        read_hook(reader, node, &at.index(index, node.line));
    }
}

fn read_hook(reader: &mut ConfigReader, node: &ConfigNode, at: &KeyPath) {
    let ConfigValue::Table(fields) = &node.tree else {
        let message = format!("expected a table, found {}", node.describe());
        return reader.error(at, message, Some("write `[[hook]]`".to_owned()));
    };
    if is_own(fields) {
        let message = "runs Becket from within Becket, which would never end; ignored";
        return reader.error(at, message, None);
    }
    let mut entry = EntryReader::new(reader, at, fields);
    entry.check_keys(&keys::names(HOOK));
    let dialect = dialect(&mut entry);
    let defaults = defaults(&mut entry);
    let events = events(&mut entry, dialect, defaults);
    let matchers = matchers(&mut entry, dialect, &events, defaults);
    let spec = read(&mut entry, dialect, &events, defaults);
    match spec {
        Some((spec, timeout)) if entry.fault.is_none() => {
            for (bound, matcher) in events.into_iter().zip(matchers) {
                let spec = HookSpec {
                    event: bound.event,
                    native_event: bound.native,
                    matcher,
                    ..spec.clone()
                };
                push(&mut entry, spec, timeout);
            }
        }
        _ => {
            let name = entry.field("name").and_then(|field| field.node.text());
            let on_failure = entry.on_failure_unchecked(&["on_failure"]);
            let message = entry.fault.take().unwrap_or_default();
            for bound in events {
                entry
                    .reader
                    .add_broken(at, name, &bound.event, on_failure, message.as_str());
            }
        }
    }
}

fn push(entry: &mut EntryReader, mut spec: HookSpec, timeout: Option<Duration>) {
    spec.timeout = timeout.unwrap_or_else(|| {
        hook::default_timeout(spec.dialect, &spec.event, &spec.action, spec.is_async)
    });
    hook::check(entry, &spec);
    entry.reader.layer.hooks.push(spec);
}

fn dialect(entry: &mut EntryReader) -> Dialect {
    let choice = match entry.field("dialect") {
        Some(field) => entry.reader.dialect(field, entry.place),
        None => DialectChoice::ByShape,
    };
    if choice == DialectChoice::Unknown {
        entry.fault = Some("unknown dialect".to_owned());
    }
    choice.or(Dialect::Becket).unwrap_or(Dialect::Becket)
}

/// The defaults of a built-in hook for keys that its entry leaves out. An unknown built-in is reported.
fn defaults(entry: &mut EntryReader) -> Option<&'static BuiltinDefaults> {
    let field = entry.field("use")?;
    let name = field.node.text()?;
    let found = builtin::defaults(name);
    if found.is_none() && !name.trim().is_empty() {
        let known = builtin::DEFAULTS.iter().map(|one| one.name);
        let hint = did_you_mean(name, known.clone())
            .unwrap_or_else(|| format!("one of {}", known.collect::<Vec<_>>().join(", ")));
        let message = format!("unknown built-in hook `{name}`");
        entry.warn_at(field, message, Some(&hint));
    }
    found
}

fn events(
    entry: &mut EntryReader,
    dialect: Dialect,
    defaults: Option<&'static BuiltinDefaults>,
) -> Vec<BoundEvent> {
    let Some(field) = entry.field("event") else {
        if let Some(defaults) = defaults {
            return defaults
                .events
                .iter()
                .cloned()
                .map(BoundEvent::to)
                .collect();
        }
        entry.fail("missing `event`", None);
        return Vec::new();
    };
    let names = entry.text_or_texts("event").unwrap_or_default();
    if names.is_empty() && entry.fault.is_none() {
        entry.fail_at(field, "must name at least one event");
    }
    let at = entry.place.field(field);
    let mut events: Vec<BoundEvent> = Vec::with_capacity(names.len());
    for name in names {
        for bound in events_named(entry.reader, &at, dialect, &name) {
            if !events.contains(&bound) {
                events.push(bound);
            }
        }
    }
    set_native_event(entry, dialect, &mut events);
    events
}

/// The events that a name means, in any spelling. A native name of the dialect means every event that it maps to.
fn events_named(
    reader: &mut ConfigReader,
    at: &KeyPath,
    dialect: Dialect,
    name: &str,
) -> Vec<BoundEvent> {
    // Copilot's own files distinguish names by case; Becket's files do not.
    let own = names::find(dialect, name).filter(|_| dialect != Dialect::Copilot);
    match own {
        Some(row) => hook::bound_to(dialect, row),
        None if names::is_foreign(dialect, name) => vec![BoundEvent::to(EventKind::parse(name))],
        None => vec![BoundEvent::to(hook::event(reader, at, name))],
    }
}

/// `native_event` selects one of the dialect's several names for the event.
fn set_native_event(entry: &mut EntryReader, dialect: Dialect, events: &mut [BoundEvent]) {
    let (Some(name), Some(field)) = (entry.text("native_event"), entry.field("native_event"))
    else {
        return;
    };
    let row = names::find(dialect, name);
    for bound in events {
        let meant = row.is_some_and(|row| row.kinds.contains(&bound.event));
        if !meant {
            let (event, title) = (bound.event.name(), hook::title(dialect));
            let message = format!("is not one of {title}'s names for `{event}`");
            return entry.fail_at(field, message);
        }
        bound.native = Some(name.to_owned());
    }
}

/// Reads everything but the events and the matcher. The timeout is returned separately because its
/// default depends on the event.
fn read(
    entry: &mut EntryReader,
    dialect: Dialect,
    events: &[BoundEvent],
    defaults: Option<&'static BuiltinDefaults>,
) -> Option<(HookSpec, Option<Duration>)> {
    let name = entry.text("name");
    let description = entry.owned("description");
    let filter = filter(entry);
    let condition = entry.condition();
    let action = kind(entry).and_then(|kind| {
        warn_idle_keys(entry, kind);
        hook::action(entry, kind, KINDS, "allowed_env")
    });
    let env = entry.env("env");
    let cwd = entry.text("cwd").map(PathBuf::from);
    let timeout = entry
        .duration("timeout", Duration::from_secs(1))
        .or(defaults.map(|one| one.timeout));
    let is_async = entry
        .flag("async")
        .unwrap_or(defaults.is_some_and(|one| one.is_async));
    let once = entry.flag("once").unwrap_or(false);
    let sequential = entry.flag("sequential").unwrap_or(false);
    let priority = entry
        .integer("priority")
        .unwrap_or(defaults.map_or(0, |one| one.priority));
    let on_failure = entry.on_failure(&["on_failure"]);
    let enabled = entry.flag("enabled").unwrap_or(true);
    let action = action?;
    let source = entry.reader.source(entry.place);
    let spec = HookSpec {
        name: name
            .or(defaults.map(|one| one.name))
            .unwrap_or(name_from(&source.key))
            .to_owned(),
        description,
        source,
        dialect,
        event: events.first()?.event.clone(),
        native_event: None,
        matcher: Matcher::all(),
        filter,
        condition,
        action,
        env,
        cwd,
        timeout: Duration::ZERO,
        is_async,
        once,
        sequential,
        priority,
        on_failure,
        enabled,
        root: entry.reader.file.root.map(ToOwned::to_owned),
    };
    Some((spec, timeout))
}

/// One matcher for each event: some dialects interpret a matcher differently on different events.
fn matchers(
    entry: &mut EntryReader,
    dialect: Dialect,
    events: &[BoundEvent],
    defaults: Option<&'static BuiltinDefaults>,
) -> Vec<Matcher> {
    let Some(field) = entry.field("matcher") else {
        let usual = |bound| default_matcher(bound, defaults);
        return events.iter().map(usual).collect();
    };
    // Without `event`, the matcher applies to those default events that have a tool.
    let only_tools = defaults.is_some() && !entry.has("event");
    let mut matchers = Vec::with_capacity(events.len());
    for bound in events {
        if only_tools && !bound.event.is_tool() {
            matchers.push(Matcher::all());
            continue;
        }
        match hook::matcher(entry.reader, entry.place, field, dialect, bound) {
            Ok(matcher) => matchers.push(matcher),
            Err(message) => {
                entry.fault.get_or_insert(message);
                break;
            }
        }
    }
    matchers
}

fn default_matcher(bound: &BoundEvent, defaults: Option<&'static BuiltinDefaults>) -> Matcher {
    let pattern = defaults.map_or("", |one| one.matcher);
    if pattern.is_empty() || !bound.event.is_tool() {
        return Matcher::all();
    }
    Matcher::parse(pattern, MatchStyle::Names).unwrap_or_else(|_| Matcher::all())
}

/// Reads the tools and paths that a hook is limited to.
pub(super) fn filter(entry: &mut EntryReader) -> Filter {
    let Some(field) = entry.field("filter") else {
        return Filter::default();
    };
    let ConfigValue::Table(fields) = &field.node.tree else {
        entry.fail_at(
            field,
            format!("expected a table, found {}", field.node.describe()),
        );
        return Filter::default();
    };
    let at = entry.place.field(field);
    let mut inner = EntryReader::new(entry.reader, &at, fields);
    inner.check_keys(&keys::names(FILTER));
    let filter = Filter {
        tool: inner.text_or_texts("tool").unwrap_or_default(),
        path: inner.text_or_texts("path").unwrap_or_default(),
    };
    if let Some(fault) = inner.fault {
        entry.fault.get_or_insert(fault);
    }
    filter
}

/// The hook type: stated by `type`, or inferred from the other keys.
fn kind<'n>(entry: &mut EntryReader<'_, '_, 'n>) -> Option<&'n str> {
    if entry.has("type") {
        return entry.text("type");
    }
    let candidates = [
        ("use", "builtin"),
        ("command", "command"),
        ("url", "http"),
        ("server", "mcp_tool"),
    ];
    let present: Vec<_> = candidates
        .iter()
        .filter(|(key, _)| entry.has(key))
        .collect();
    match present[..] {
        [(_, kind)] => Some(kind),
        [] if entry.has("agent") => Some("agent"),
        [] if entry.has("prompt") => Some("prompt"),
        [] => {
            let hint = "add `command`, `url`, `prompt` or `use`";
            entry.fail("hook has no action", Some(hint.to_owned()));
            None
        }
        [(first, _), (second, _), ..] => {
            let message = format!("has both `{first}` and `{second}`");
            entry.fail(message, Some("choose one with `type`".to_owned()));
            None
        }
    }
}

/// Warns about keys that belong to another hook type.
fn warn_idle_keys(entry: &mut EntryReader, kind: &str) {
    if !KINDS.contains(&kind) {
        return;
    }
    for key in HOOK {
        if !key.kinds.is_empty()
            && !key.kinds.contains(&kind)
            && let Some(field) = entry.field(key.name)
        {
            let message = format!("has no effect in a hook of type `{kind}`");
            entry.warn_at(field, message, None);
        }
    }
}
