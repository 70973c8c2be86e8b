//! Matcher groups with hooks inside, as Claude Code, Code Agent, Gemini CLI and Codex write them.

use std::borrow::Cow;
use std::time::Duration;

use becket_model::{Dialect, EventKind, HookSpec, Matcher, OnFailure};

use super::flat::is_own;
use super::hook::{self, BoundEvent};
use super::keys::{
    CLAUDE_HOOK, CODE_AGENT_GROUP, CODE_AGENT_HOOK, CODEX_HOOK, FLAT_HOOK, GEMINI_GROUP,
    GEMINI_HOOK, GROUP, ON_FAILURE,
};
use super::reader::{ConfigReader, DialectChoice, EntryReader, KeyPath, name_from};
use super::shapes::FileScope;
use super::tree::{ConfigField, ConfigNode, ConfigValue, find};

/// From this value on, a bare number of seconds in Claude's files is certainly meant as milliseconds.
const MILLISECONDS_FROM: f64 = 1000.0;

/// The keys of a group that apply to all its hooks.
struct MatcherGroup<'g> {
    bound: BoundEvent,
    scope: FileScope,
    place: &'g KeyPath<'g>,
    matcher_field: Option<&'g ConfigField<'g>>,
    server: Option<&'g str>,
    /// The matcher, compiled for the group's dialect. An error breaks every hook of the group.
    matcher: Result<Matcher, String>,
    dialect: Option<Dialect>,
    /// The hooks only observe; their decisions are ignored.
    observer: bool,
}

/// Reads one group.
pub(super) fn group(
    reader: &mut ConfigReader,
    fields: &[ConfigField],
    at: &KeyPath,
    event: &EventKind,
    mut scope: FileScope,
) {
    let mut entry = EntryReader::new(reader, at, fields);
    if let Some(field) = entry.field("dialect") {
        scope.choice = entry.reader.dialect(field, at);
    }
    let dialect = scope.choice.or(scope.nested);
    let code_agent = dialect == Some(Dialect::CodeAgent);
    let known = match dialect {
        Some(Dialect::CodeAgent) => CODE_AGENT_GROUP,
        Some(Dialect::Gemini) => GEMINI_GROUP,
        _ => GROUP,
    };
    entry.check_keys(&known.iter().copied());
    if dialect == Some(Dialect::Gemini) {
        entry.flag("sequential");
    }
    let mut group = MatcherGroup {
        bound: BoundEvent::to(event.clone()),
        scope,
        place: at,
        matcher_field: entry.field("matcher"),
        server: None,
        matcher: Ok(Matcher::all()),
        dialect,
        observer: false,
    };
    if code_agent {
        code_agent_keys(&mut entry, &mut group);
    }
    let fault = entry.fault;
    group.matcher = match (fault, dialect) {
        (Some(fault), _) => Err(fault),
        (None, Some(dialect)) => group.compile(reader, dialect),
        (None, None) => Err("unknown dialect".to_owned()),
    };
    hooks(reader, fields, &group);
}

fn hooks(reader: &mut ConfigReader, fields: &[ConfigField], group: &MatcherGroup) {
    let Some(field) = find(fields, "hooks") else {
        return;
    };
    let at = group.place.field(field);
    let ConfigValue::List(nodes) = &field.node.tree else {
        let message = format!(
            "expected an array of hooks, found {}",
            field.node.describe()
        );
        reader.error(&at, &*message, None);
        reader.add_broken(&at, None, &group.bound.event, OnFailure::Allow, message);
        return;
    };
    for (index, node) in nodes.iter().enumerate() {
        read_hook(reader, node, &at.index(index, node.line), group);
    }
}

/// `parallel` changes nothing here: each hook of Code Agent is a stage by itself.
fn code_agent_keys<'g>(entry: &mut EntryReader<'_, '_, 'g>, group: &mut MatcherGroup<'g>) {
    entry.flag("parallel");
    if let (Some(kind), Some(field)) = (entry.text("hookType"), entry.field("hookType")) {
        group.observer = kind == "observer";
        if !matches!(kind, "observer" | "decision") {
            let hint = Some("one of decision, observer".to_owned());
            entry.fail_with(field, format!("unknown kind `{kind}`"), hint);
        }
    }
    if let (Some(server), Some(field)) = (entry.text("mcpServer"), entry.field("mcpServer")) {
        if group.bound.event.is_tool() {
            group.server = Some(server);
        } else {
            let name = group.bound.event.name();
            let message = format!("has no effect on `{name}`, which is not a tool event");
            entry.warn_at(field, message, None);
        }
    }
}

impl MatcherGroup<'_> {
    /// Compiles the matcher for a dialect.
    fn compile(&self, reader: &mut ConfigReader, dialect: Dialect) -> Result<Matcher, String> {
        let matcher = match self.matcher_field {
            Some(field) => hook::matcher(reader, self.place, field, dialect, &self.bound)?,
            None => Matcher::all(),
        };
        match self.server {
            Some(server) => {
                let pattern = of_server(server, &matcher);
                let style = hook::style(dialect, &self.bound, &pattern);
                Matcher::parse(&pattern, style).map_err(|bad| bad.to_string())
            }
            None => Ok(matcher),
        }
    }

    fn reads_alike(&self, one: Dialect, other: Dialect) -> bool {
        let field = self.matcher_field;
        let pattern = field.and_then(|field| field.node.text()).unwrap_or("");
        hook::style(one, &self.bound, pattern) == hook::style(other, &self.bound, pattern)
    }

    /// The matcher of a hook, which may select another dialect than its group.
    fn matcher_for(&self, reader: &mut ConfigReader, dialect: Dialect) -> Result<Matcher, String> {
        match self.dialect {
            Some(own) if own == dialect || self.reads_alike(own, dialect) => self.matcher.clone(),
            None => self.compile(reader, dialect),
            Some(_) => {
                // An error of the group itself applies to the hook as well and is already reported.
                self.matcher.as_ref().map_err(Clone::clone)?;
                self.compile(reader, dialect)
            }
        }
    }
}

/// A pattern that matches the same tools, limited to those of one MCP server.
fn of_server(server: &str, matcher: &Matcher) -> String {
    let mut name = String::with_capacity(server.len());
    for c in server.chars() {
        if !c.is_alphanumeric() && !matches!(c, '_' | '-') {
            name.push('\\');
        }
        name.push(c);
    }
    if matcher.is_all() {
        format!("^mcp__{name}__")
    } else {
        format!("^(?=mcp__{name}__)(?=(?s:.*)(?:{}))", matcher.pattern())
    }
}

fn read_hook(reader: &mut ConfigReader, node: &ConfigNode, at: &KeyPath, group: &MatcherGroup) {
    let ConfigValue::Table(fields) = &node.tree else {
        let message = format!("expected a hook, found {}", node.describe());
        let hint = "write {\"type\": \"command\", \"command\": …}".to_owned();
        reader.error(at, &*message, Some(hint));
        reader.add_broken(at, None, &group.bound.event, OnFailure::Allow, message);
        return;
    };
    if is_own(fields) {
        return;
    }
    let mut entry = EntryReader::new(reader, at, fields);
    let spec = read(&mut entry, group);
    match spec {
        Some(spec) if entry.fault.is_none() => {
            hook::check(&mut entry, &spec);
            entry.reader.layer.hooks.push(spec);
        }
        _ => {
            let name = entry.field("name").and_then(|field| field.node.text());
            let on_failure = entry.on_failure_unchecked(ON_FAILURE);
            let message = entry.fault.take().unwrap_or_default();
            entry
                .reader
                .add_broken(at, name, &group.bound.event, on_failure, message);
        }
    }
}

/// Reads a hook; `None` or a fault means that it is broken.
fn read(entry: &mut EntryReader, group: &MatcherGroup) -> Option<HookSpec> {
    let choice = match entry.field("dialect") {
        Some(field) => entry.reader.dialect(field, entry.place),
        None => group.scope.choice,
    };
    if choice == DialectChoice::Unknown {
        entry.fault = Some("unknown dialect".to_owned());
    }
    let dialect = choice.or(group.scope.nested)?;
    check_keys(entry, dialect);
    let matcher = group.matcher_for(entry.reader, dialect);
    let name = match dialect {
        Dialect::Claude | Dialect::Codex => None,
        _ => entry.text("name"),
    };
    let (description, env) = match dialect {
        Dialect::Gemini => (entry.owned("description"), entry.env("env")),
        _ => (None, Vec::new()),
    };
    let kind = kind(entry);
    let action = kind.and_then(|kind| hook::action(entry, &kind, kinds(dialect), "allowedEnvVars"));
    let timeout = timeout(entry, dialect);
    let condition = entry.condition();
    let rewake = entry.flag("asyncRewake").unwrap_or(false);
    let is_async = entry.flag("async").unwrap_or(false) || rewake || group.observer;
    let once = entry.flag("once").unwrap_or(false);
    let on_failure = entry.on_failure(ON_FAILURE);
    let off = dialect == Dialect::CodeAgent && entry.flag("disabled").unwrap_or(false);
    check_shell(entry);
    let matcher = matcher
        .map_err(|fault| entry.fault.get_or_insert(fault).clone())
        .ok()?;
    let action = action?;
    let source = entry.reader.source(entry.place);
    Some(HookSpec {
        name: name.unwrap_or(name_from(&source.key)).to_owned(),
        description,
        source,
        dialect,
        event: group.bound.event.clone(),
        native_event: None,
        matcher,
        filter: becket_model::Filter::default(),
        condition,
        timeout: timeout.unwrap_or_else(|| {
            hook::default_timeout(dialect, &group.bound.event, &action, is_async)
        }),
        action,
        env,
        cwd: None,
        is_async,
        once,
        sequential: false,
        priority: 0,
        on_failure,
        enabled: group.scope.enabled && !off,
        root: entry.reader.file.root.map(ToOwned::to_owned),
    })
}

fn check_keys(entry: &mut EntryReader, dialect: Dialect) {
    match dialect {
        Dialect::Claude => entry.check_keys(&CLAUDE_HOOK.iter().copied()),
        Dialect::CodeAgent => entry.check_keys(&CODE_AGENT_HOOK.iter().copied()),
        Dialect::Gemini => entry.check_keys(&GEMINI_HOOK.iter().copied()),
        Dialect::Codex => entry.check_keys(&CODEX_HOOK.iter().copied()),
        _ => {
            let flat = FLAT_HOOK.iter().filter(|key| **key != "matcher");
            entry.check_keys(&CLAUDE_HOOK.iter().chain(flat).copied());
        }
    }
}

fn kinds(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::CodeAgent => &["command", "prompt", "agent", "http"],
        Dialect::Gemini => &["command"],
        Dialect::Codex => &["command", "mcp_tool"],
        _ => &["command", "http", "prompt", "agent", "mcp_tool"],
    }
}

fn kind<'n>(entry: &mut EntryReader<'_, '_, 'n>) -> Option<Cow<'n, str>> {
    if entry.has("type") {
        return entry.text("type").map(Cow::Borrowed);
    }
    if entry.has("command") {
        let hint = Some("add \"type\": \"command\"".to_owned());
        entry
            .reader
            .warn(entry.place, "missing `type`; treated as `command`", hint);
        return Some(Cow::Borrowed("command"));
    }
    entry.fail("missing `type`", None);
    None
}

fn timeout(entry: &mut EntryReader, dialect: Dialect) -> Option<Duration> {
    let flat = !matches!(
        dialect,
        Dialect::Claude | Dialect::CodeAgent | Dialect::Gemini | Dialect::Codex
    );
    if flat
        && let Some(key) = ["timeout_secs", "timeoutSecs"]
            .into_iter()
            .find(|key| entry.has(key))
    {
        return entry.duration(key, Duration::from_secs(1));
    }
    let field = entry.field("timeout")?;
    let large = match &field.node.tree {
        ConfigValue::Number(number) => number.as_f64().is_some_and(|n| n >= MILLISECONDS_FROM),
        _ => false,
    };
    if dialect == Dialect::Claude && large {
        let hint = "write seconds, or a duration such as \"5s\"";
        entry.warn_at(
            field,
            "is too large for seconds and is treated as milliseconds",
            Some(hint),
        );
        return entry.duration("timeout", Duration::from_millis(1));
    }
    entry.duration("timeout", hook::unit(dialect))
}

fn check_shell(entry: &mut EntryReader) {
    let (Some(shell), Some(field)) = (entry.text("shell"), entry.field("shell")) else {
        return;
    };
    if !matches!(shell, "bash" | "sh") {
        let message = format!("the shell `{shell}` is not supported here");
        entry.warn_at(field, message, Some("the command runs in `sh`"));
    }
}
