//! GitHub Copilot's hook files: `.github/hooks/*.json`, `~/.copilot/hooks/*.json`, and the `hooks` of
//! its settings. Under PascalCase keys it also accepts Claude's matcher groups.

use std::path::PathBuf;

use becket_model::{Action, Dialect, HookSpec, Layer, Matcher, OnFailure};

use super::cursor::{base, matcher};
use super::hook::{self, BoundEvent};
use super::keys::COPILOT_HOOK;
use super::lint::{is_own_entry, is_own_program};
use super::reader::{ConfigReader, EntryReader, KeyPath};
use super::tree::{ConfigField, ConfigNode, ConfigValue, find};
use super::{ConfigFile, all_disabled, read_json};

const KINDS: &[&str] = &["command", "http", "prompt"];

/// Reads a hook file, or the `hooks` of a settings file.
pub fn copilot(file: &ConfigFile) -> Layer {
    let wanted = |key: &str| matches!(key, "version" | "disableAllHooks" | "hooks");
    read_json(file, wanted, |reader, node, at| {
        let enabled = !all_disabled(reader, node, at);
        let Some(field) = node.get("hooks") else {
            return;
        };
        let at = at.field(field);
        let ConfigValue::Table(fields) = &field.node.tree else {
            let message = format!(
                "expected an object of events, found {}",
                field.node.describe()
            );
            let hint = "write {\"preToolUse\": [{\"bash\": …}]}";
            return reader.error(&at, message, Some(hint.to_owned()));
        };
        let mark = reader.mark();
        for field in reader.fields(fields, &at) {
            for bound in hook::bind(reader, &at.field(field), Dialect::Copilot, &field.key) {
                event(reader, field, &at.field(field), &bound);
            }
        }
        for hook in reader.hooks_since(mark) {
            hook.enabled &= enabled;
        }
    })
}

fn event(reader: &mut ConfigReader, field: &ConfigField, at: &KeyPath, bound: &BoundEvent) {
    let nodes = match &field.node.tree {
        ConfigValue::Null => return,
        ConfigValue::List(nodes) => nodes,
        _ => return report_mismatch(reader, &field.node, at, bound, "an array of hooks"),
    };
    for (index, node) in nodes.iter().enumerate() {
        let at = at.index(index, node.line);
        match &node.tree {
            ConfigValue::Table(fields) if node.get("hooks").is_some() => {
                group(reader, fields, &at, bound);
            }
            ConfigValue::Table(fields) => read_hook(reader, fields, &at, bound, None),
            _ => report_mismatch(reader, node, &at, bound, "a hook"),
        }
    }
}

fn report_mismatch(
    reader: &mut ConfigReader,
    node: &ConfigNode,
    at: &KeyPath,
    bound: &BoundEvent,
    expected: &str,
) {
    let message = format!("expected {expected}, found {}", node.describe());
    let hint = "write [{\"type\": \"command\", \"bash\": …}]".to_owned();
    reader.error(at, &*message, Some(hint));
    reader.add_broken(at, None, &bound.event, OnFailure::Allow, message);
}

/// Claude's nesting. A problem with the group breaks all its hooks.
fn group(reader: &mut ConfigReader, fields: &[ConfigField], at: &KeyPath, bound: &BoundEvent) {
    if bound.native.is_none() {
        let message = "matcher groups are only allowed under PascalCase keys";
        let hint = "write `PreToolUse` instead of `preToolUse`, or remove the group";
        reader.error(at, message, Some(hint.to_owned()));
        return reader.add_broken(at, None, &bound.event, OnFailure::Allow, message);
    }
    let mut entry = EntryReader::new(reader, at, fields);
    entry.check_keys(&["matcher", "hooks"].into_iter());
    let matcher = group_matcher(&mut entry, bound);
    let Some(field) = find(fields, "hooks") else {
        return;
    };
    let at = at.field(field);
    let ConfigValue::List(nodes) = &field.node.tree else {
        return report_mismatch(reader, &field.node, &at, bound, "an array of hooks");
    };
    for (index, node) in nodes.iter().enumerate() {
        let at = at.index(index, node.line);
        match &node.tree {
            ConfigValue::Table(fields) => read_hook(reader, fields, &at, bound, Some(&matcher)),
            _ => report_mismatch(reader, node, &at, bound, "a hook"),
        }
    }
}

fn group_matcher(entry: &mut EntryReader, bound: &BoundEvent) -> Result<Matcher, String> {
    check_matcher(entry, bound);
    let matcher = matcher(entry, Dialect::Copilot, bound);
    match entry.fault.take() {
        Some(fault) => Err(fault),
        None => Ok(matcher),
    }
}

/// Copilot skips a hook whose matcher is empty, or `*` where it expects a regular expression.
fn check_matcher(entry: &mut EntryReader, bound: &BoundEvent) {
    let Some((field, text)) = entry
        .field("matcher")
        .and_then(|field| Some((field, field.node.text()?.trim())))
    else {
        return;
    };
    let claude_rules = bound.native.is_some() && bound.event.is_guarded();
    if text.is_empty() || (text == "*" && !claude_rules) {
        let message = format!("Copilot does not accept `{text}` as a matcher and skips the hook");
        let hint = Some("remove the matcher".to_owned());
        entry.fail_with(field, message, hint);
    }
}

fn read_hook(
    reader: &mut ConfigReader,
    fields: &[ConfigField],
    at: &KeyPath,
    bound: &BoundEvent,
    group: Option<&Result<Matcher, String>>,
) {
    if is_own(fields) {
        return;
    }
    let mut entry = EntryReader::new(reader, at, fields);
    if is_for_other_system(&mut entry) {
        return;
    }
    let spec = read(&mut entry, bound, group);
    match spec {
        Some(spec) if entry.fault.is_none() => {
            hook::check(&mut entry, &spec);
            entry.reader.layer.hooks.push(spec);
        }
        _ => {
            let message = entry.fault.take().unwrap_or_default();
            let event = &bound.event;
            entry
                .reader
                .add_broken(at, None, event, OnFailure::Allow, message);
        }
    }
}

/// Whether the hook only has a command for another operating system.
fn is_for_other_system(entry: &mut EntryReader) -> bool {
    let has_other = ["bash", "command", "exec", "url", "prompt"]
        .iter()
        .any(|key| entry.has(key));
    match entry.field("powershell") {
        Some(field) if !has_other => {
            let message = "has only a Windows command and does not run here";
            entry.warn_at(field, message, Some("add `bash`"));
            true
        }
        _ => false,
    }
}

fn read(
    entry: &mut EntryReader,
    bound: &BoundEvent,
    group: Option<&Result<Matcher, String>>,
) -> Option<HookSpec> {
    entry.check_keys(&COPILOT_HOOK.iter().copied());
    let kind = entry.text("type").unwrap_or("command");
    let action = match kind {
        "command" => command(entry),
        _ => hook::action(entry, kind, KINDS, "allowedEnvVars"),
    };
    let matcher = match group {
        Some(Ok(matcher)) => matcher.clone(),
        Some(Err(fault)) => {
            entry.fault.get_or_insert_with(|| fault.clone());
            Matcher::all()
        }
        None => {
            check_matcher(entry, bound);
            matcher(entry, Dialect::Copilot, bound)
        }
    };
    let key = if entry.has("timeoutSec") {
        "timeoutSec"
    } else {
        "timeout"
    };
    let timeout = entry.duration(key, hook::unit(Dialect::Copilot));
    let env = entry.env("env");
    let cwd = entry.text("cwd").map(PathBuf::from);
    let action = action?;
    let default = hook::default_timeout(Dialect::Copilot, &bound.event, &action, false);
    Some(HookSpec {
        matcher,
        action,
        env,
        cwd,
        timeout: timeout.unwrap_or(default),
        ..base(entry, Dialect::Copilot, bound)
    })
}

/// `bash`, or `command` for every system; or a program started without a shell.
fn command(entry: &mut EntryReader) -> Option<Action> {
    if let Some(field) = entry.field("exec") {
        if entry.has("bash") || entry.has("command") {
            entry.fail_at(field, "cannot be combined with a shell command");
        }
        let args = entry.texts("args").unwrap_or_default();
        return Some(Action::Command {
            command: entry.required("exec")?.to_owned(),
            args: Some(args),
        });
    }
    let key = if entry.has("bash") { "bash" } else { "command" };
    if !entry.has(key) {
        entry.fail("missing `bash`", None);
        return None;
    }
    Some(Action::Command {
        command: entry.required(key)?.to_owned(),
        args: None,
    })
}

/// Whether a hook is Becket's own entry.
fn is_own(fields: &[ConfigField]) -> bool {
    let text = |key: &str| find(fields, key).and_then(|field| field.node.text());
    if let Some(program) = text("exec") {
        let args = match find(fields, "args").map(|field| &field.node.tree) {
            Some(ConfigValue::List(args)) => args
                .iter()
                .filter_map(|arg| arg.text().map(str::to_owned))
                .collect(),
            _ => Vec::new(),
        };
        return is_own_program(program, &args);
    }
    ["bash", "command"]
        .iter()
        .any(|key| text(key).is_some_and(is_own_entry))
}
