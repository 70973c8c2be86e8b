//! Becket's own TOML files: `[[hook]]` tables and `[settings]`.

use std::path::PathBuf;
use std::time::Duration;

use becket_model::{
    BuiltinDefaults, Dialect, EventKind, Filter, HookSpec, Layer, MatchStyle, Matcher, OnFailure,
    builtin,
};

use super::File;
use super::flat::is_own;
use super::hook::{self, Bound};
use super::keys::{self, FILTER, HOOK, KINDS, SETTINGS, SWITCHES, TOP};
use super::lint::did_you_mean;
use super::reader::{Choice, Entry, Place, Reader, name_from};
use super::think;
use super::tree::{self, Field, Node, Tree};
use crate::names;

/// How Becket itself behaves, as far as a file says so.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// How often in a row hooks may keep an agent from stopping.
    pub stop_retries: Option<u32>,
    /// Whether events are recorded.
    pub record: Option<bool>,
    /// Regular expressions for what is secret to this person.
    pub redact: Vec<String>,
    /// Whether events may start the daemon.
    pub daemon: Option<bool>,
    /// The daemon's port for HTTP.
    pub port: Option<u16>,
    /// For how long records are kept; for ever unless said.
    pub keep: Option<Duration>,
    /// What an unreadable payload means where guards stand.
    pub on_bad_payload: Option<OnFailure>,
    /// Which hooks rest.
    pub hooks: Switches,
}

/// What `[hooks]` says: which hooks rest, wherever they are defined. It can wake none that its own file
/// has switched off.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Switches {
    /// Whether any hook runs at all.
    pub enabled: Option<bool>,
    /// Hooks of other files, as `name@file` or `name@file#definition`.
    pub disabled: Vec<String>,
}

/// Reads the hooks of `becket.toml`, `becket.local.toml` or the user's `config.toml`.
pub fn becket(file: &File) -> Layer {
    becket_with_settings(file).0
}

/// Reads the `[settings]` and `[hooks]` of the same files. Problems come with [`becket`].
pub fn becket_settings(file: &File) -> Settings {
    becket_with_settings(file).1
}

/// Reads both at once.
pub fn becket_with_settings(file: &File) -> (Layer, Settings) {
    let mut reader = Reader::new(file);
    let node = match tree::toml(file.text) {
        Ok(node) => node,
        Err(error) => return (reader.refuse(error), Settings::default()),
    };
    let at = Place::root(1);
    if let Tree::Table(fields) = &node.tree {
        reader.unknown_keys(fields, &at, &keys::names(TOP));
    }
    if let Some(field) = node.get("hook") {
        hooks(&mut reader, field, &at.field(field));
    }
    let settings = node.get("settings");
    let mut settings = settings.map_or_else(Settings::default, |field| {
        read_settings(&mut reader, field, &at)
    });
    if let Some(field) = node.get("hooks") {
        settings.hooks = read_switches(&mut reader, field, &at);
    }
    // For its problems: what it says is asked for only where a hook needs it.
    think::read(&mut reader, &node, &at);
    (reader.layer, settings)
}

fn read_switches(reader: &mut Reader, field: &Field, at: &Place) -> Switches {
    let at = at.field(field);
    let Tree::Table(fields) = &field.node.tree else {
        let message = format!("expected a table, found {}", field.node.what());
        let hint = "hooks are written as `[[hook]]`";
        reader.error(&at, message, Some(hint.to_owned()));
        return Switches::default();
    };
    let mut entry = Entry::new(reader, &at, fields);
    entry.check_keys(&keys::names(SWITCHES));
    Switches {
        enabled: entry.flag("enabled"),
        disabled: entry.texts("disabled").unwrap_or_default(),
    }
}

fn read_settings(reader: &mut Reader, field: &Field, at: &Place) -> Settings {
    let at = at.field(field);
    let Tree::Table(fields) = &field.node.tree else {
        let message = format!("expected a table, found {}", field.node.what());
        reader.error(&at, message, None);
        return Settings::default();
    };
    let mut entry = Entry::new(reader, &at, fields);
    entry.check_keys(&keys::names(SETTINGS));
    Settings {
        stop_retries: entry.natural("stop_retries"),
        record: entry.flag("record"),
        redact: patterns(&mut entry),
        daemon: entry.flag("daemon"),
        port: entry.port("port"),
        keep: keep(&mut entry),
        on_bad_payload: entry.on_failure(&["on_bad_payload"]),
        hooks: Switches::default(),
    }
}

/// Days or weeks. Hours would be gone before anybody looked.
fn keep(entry: &mut Entry<'_, '_, '_>) -> Option<Duration> {
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
        let hint = "a number of days or weeks, such as \"90d\" or \"26w\"; leave it out to keep everything";
        entry.fail_with(
            field,
            "is not a span of at least a day",
            Some(hint.to_owned()),
        );
    }
    found.map(|days| Duration::from_secs(days * DAY))
}

/// Those that are regular expressions; the others are problems.
fn patterns(entry: &mut Entry<'_, '_, '_>) -> Vec<String> {
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

fn hooks(reader: &mut Reader, field: &Field, at: &Place) {
    let Tree::List(nodes) = &field.node.tree else {
        let message = format!("expected an array of tables, found {}", field.node.what());
        reader.error(at, message, Some("write `[[hook]]`".to_owned()));
        return;
    };
    for (index, node) in nodes.iter().enumerate() {
        one(reader, node, &at.index(index, node.line));
    }
}

fn one(reader: &mut Reader, node: &Node, at: &Place) {
    let Tree::Table(fields) = &node.tree else {
        let message = format!("expected a table, found {}", node.what());
        return reader.error(at, message, Some("write `[[hook]]`".to_owned()));
    };
    if is_own(fields) {
        let message = "calls Becket from within Becket without end; left out";
        return reader.error(at, message, None);
    }
    let mut entry = Entry::new(reader, at, fields);
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
            let on_failure = entry.on_failure_quietly(&["on_failure"]);
            let message = entry.fault.take().unwrap_or_default();
            for bound in events {
                entry
                    .reader
                    .broken(at, name, &bound.event, on_failure, message.as_str());
            }
        }
    }
}

fn push(entry: &mut Entry, mut spec: HookSpec, timeout: Option<Duration>) {
    spec.timeout = timeout.unwrap_or_else(|| {
        hook::default_timeout(spec.dialect, &spec.event, &spec.action, spec.is_async)
    });
    hook::check(entry, &spec);
    entry.reader.layer.hooks.push(spec);
}

fn dialect(entry: &mut Entry) -> Dialect {
    let choice = match entry.field("dialect") {
        Some(field) => entry.reader.dialect(field, entry.place),
        None => Choice::ByShape,
    };
    if choice == Choice::Unknown {
        entry.fault = Some("unknown dialect".to_owned());
    }
    choice.or(Dialect::Becket).unwrap_or(Dialect::Becket)
}

/// What a hook that comes with Becket does where its entry leaves keys out; tells about one that
/// does not come with it.
fn defaults(entry: &mut Entry) -> Option<&'static BuiltinDefaults> {
    let field = entry.field("use")?;
    let name = field.node.text()?;
    let found = builtin::defaults(name);
    if found.is_none() && !name.trim().is_empty() {
        let known = builtin::DEFAULTS.iter().map(|one| one.name);
        let hint = did_you_mean(name, known.clone())
            .unwrap_or_else(|| format!("one of {}", known.collect::<Vec<_>>().join(", ")));
        let message = format!("no hook called `{name}` comes with Becket");
        entry.warn_at(field, message, Some(&hint));
    }
    found
}

fn events(
    entry: &mut Entry,
    dialect: Dialect,
    defaults: Option<&'static BuiltinDefaults>,
) -> Vec<Bound> {
    let Some(field) = entry.field("event") else {
        if let Some(defaults) = defaults {
            return defaults.events.iter().cloned().map(Bound::to).collect();
        }
        entry.fail("missing `event`", None);
        return Vec::new();
    };
    let names = entry.text_or_texts("event").unwrap_or_default();
    if names.is_empty() && entry.fault.is_none() {
        entry.fail_at(field, "names no event");
    }
    let at = entry.place.field(field);
    let mut events: Vec<Bound> = Vec::with_capacity(names.len());
    for name in names {
        for bound in named(entry.reader, &at, dialect, &name) {
            if !events.contains(&bound) {
                events.push(bound);
            }
        }
    }
    native(entry, dialect, &mut events);
    events
}

/// The events of a name: in any spelling, and in a dialect's own with all that it means there.
fn named(reader: &mut Reader, at: &Place, dialect: Dialect, name: &str) -> Vec<Bound> {
    // The case of a name says something in Copilot's files; here all names are spelled as one likes.
    let own = names::find(dialect, name).filter(|_| dialect != Dialect::Copilot);
    match own {
        Some(row) => hook::bound_to(dialect, row),
        None if names::is_foreign(dialect, name) => vec![Bound::to(EventKind::parse(name))],
        None => vec![Bound::to(hook::event(reader, at, name))],
    }
}

/// `native_event` says which of its dialect's names for the event is meant.
fn native(entry: &mut Entry, dialect: Dialect, events: &mut [Bound]) {
    let (Some(name), Some(field)) = (entry.text("native_event"), entry.field("native_event"))
    else {
        return;
    };
    let row = names::find(dialect, name);
    for bound in events {
        let meant = row.is_some_and(|row| row.kinds.contains(&bound.event));
        if !meant {
            let (event, title) = (bound.event.name(), hook::title(dialect));
            let message = format!("is not a name of `{event}` in {title}");
            return entry.fail_at(field, message);
        }
        bound.native = Some(name.to_owned());
    }
}

/// Reads everything but the events and the matcher. The timeout comes apart, since its default depends
/// on the event.
fn read(
    entry: &mut Entry,
    dialect: Dialect,
    events: &[Bound],
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

/// One for each event: some dialects read a matcher differently on different events.
fn matchers(
    entry: &mut Entry,
    dialect: Dialect,
    events: &[Bound],
    defaults: Option<&'static BuiltinDefaults>,
) -> Vec<Matcher> {
    let Some(field) = entry.field("matcher") else {
        let usual = |bound| default_matcher(bound, defaults);
        return events.iter().map(usual).collect();
    };
    // Where the events were not chosen either, the matcher is meant for those that have tools.
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

fn default_matcher(bound: &Bound, defaults: Option<&'static BuiltinDefaults>) -> Matcher {
    let pattern = defaults.map_or("", |one| one.matcher);
    if pattern.is_empty() || !bound.event.is_tool() {
        return Matcher::all();
    }
    Matcher::parse(pattern, MatchStyle::Names).unwrap_or_else(|_| Matcher::all())
}

/// Tools and paths that a hook is limited to.
pub(super) fn filter(entry: &mut Entry) -> Filter {
    let Some(field) = entry.field("filter") else {
        return Filter::default();
    };
    let Tree::Table(fields) = &field.node.tree else {
        entry.fail_at(
            field,
            format!("expected a table, found {}", field.node.what()),
        );
        return Filter::default();
    };
    let at = entry.place.field(field);
    let mut inner = Entry::new(entry.reader, &at, fields);
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

/// The type, said or told by the other keys.
fn kind<'n>(entry: &mut Entry<'_, '_, 'n>) -> Option<&'n str> {
    if entry.has("type") {
        return entry.text("type");
    }
    let telling = [
        ("use", "builtin"),
        ("command", "command"),
        ("url", "http"),
        ("server", "mcp_tool"),
    ];
    let told: Vec<_> = telling.iter().filter(|(key, _)| entry.has(key)).collect();
    match told[..] {
        [(_, kind)] => Some(kind),
        [] if entry.has("agent") => Some("agent"),
        [] if entry.has("prompt") => Some("prompt"),
        [] => {
            let hint = "give it a `command`, a `url`, a `prompt` or a `use`";
            entry.fail("does nothing", Some(hint.to_owned()));
            None
        }
        [(first, _), (second, _), ..] => {
            let message = format!("has both `{first}` and `{second}`");
            entry.fail(message, Some("say which with `type`".to_owned()));
            None
        }
    }
}

/// Tells about keys that belong to another type of hook.
fn warn_idle_keys(entry: &mut Entry, kind: &str) {
    if !KINDS.contains(&kind) {
        return;
    }
    for key in HOOK {
        if !key.kinds.is_empty()
            && !key.kinds.contains(&kind)
            && let Some(field) = entry.field(key.name)
        {
            let message = format!("means nothing in a hook of type `{kind}`");
            entry.warn_at(field, message, None);
        }
    }
}
