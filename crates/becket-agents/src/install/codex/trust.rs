//! Codex's record of trusted hooks.
//!
//! Codex runs a hook from a user's or a project's files only if the user's `config.toml` contains the digest
//! of its definition, under a key made of file and position:
//!
//! ```toml
//! [hooks.state."/home/ana/.codex/hooks.json:pre_tool_use:0:0"]
//! trusted_hash = "sha256:…"
//! ```
//!
//! The user can confirm this in Codex itself. [`plan_trust`] writes the same record for Becket's own entries
//! only, so that hooks also run in headless sessions; ask the user before applying it. Digests checked
//! against Codex 0.166.0 (`hooks/list` of its app server, 2026-11).

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use toml_edit::Item;

use super::ID;
use crate::edit::command::OwnCommand;
use crate::edit::{EditError, FileEdit, TextPosition, TomlDocument, toml_string};

/// The maximum number of seconds that Codex waits for a hook when a session ends or is interrupted.
const MAX_END_SECS: u64 = 3;

/// The number of context tokens above which Codex writes the context to a file, unless a hook sets another.
const CONTEXT_LIMIT: u64 = 2500;

/// The names of events in keys and digests, and whether a matcher is part of the digest.
const EVENTS: &[(&str, &str, bool)] = &[
    ("PreModelRequest", "pre_model_request", true),
    ("PostModelRequest", "post_model_request", true),
    ("PreToolUse", "pre_tool_use", true),
    ("PermissionRequest", "permission_request", true),
    ("PostToolUse", "post_tool_use", true),
    ("PreCompact", "pre_compact", true),
    ("PostCompact", "post_compact", true),
    ("SessionStart", "session_start", true),
    ("SessionEnd", "session_end", true),
    ("UserPromptSubmit", "user_prompt_submit", false),
    ("SubagentStart", "subagent_start", true),
    ("SubagentStop", "subagent_stop", true),
    ("Stop", "stop", false),
    ("Interrupt", "interrupt", false),
];

/// A handler of ours. Codex waits ten minutes by default, but only one second for a session's last events.
pub(in crate::install) fn codex_handler(event: &str, command: &str) -> Value {
    let mut handler = json!({ "type": "command", "command": command });
    if is_session_end(event) {
        handler["timeout"] = MAX_END_SECS.into();
    }
    handler
}

/// The user's `config.toml` with Becket's hooks trusted. `hooks_file` is the path of the file with the hooks
/// as Codex names it: absolute, and with symbolic links resolved only where `CODEX_HOME` leads to it.
/// `hooks_text` is the present or future content of that file.
pub fn plan_trust(
    config: Option<&str>,
    hooks_file: &str,
    hooks_text: &str,
) -> Result<FileEdit, EditError> {
    let before = config.unwrap_or_default();
    let mut document = TomlDocument::parse(before)?;
    let hooks = own_hooks(hooks_file, hooks_text)?;
    let mut edit = FileEdit::default();
    remove_moved(&mut document, hooks_file, &hooks)?;
    let mut records = Vec::new();
    for (key, hook) in &hooks {
        let event = hook.event.to_owned();
        match record(&document, key) {
            None => {
                let hash = toml_string(&hook.hash);
                let key = toml_string(key);
                records.push(format!("[hooks.state.{key}]\ntrusted_hash = {hash}"));
                edit.added.push(event);
            }
            Some(state) => {
                if is_off(state) {
                    edit.warnings.push(format!(
                        "the hook for `{event}` is disabled in Codex (`enabled = false`)"
                    ));
                }
                if let Some(splice) = correction(&document, state, &hook.hash) {
                    let (range, new) = splice?;
                    document.replace(range, &new)?;
                    edit.updated.push(event);
                }
            }
        }
    }
    document.append_tables(&records)?;
    edit.text = document.into_text();
    edit.changed = edit.text != before;
    Ok(edit)
}

/// The user's `config.toml` without the records of [`plan_trust`]. `hooks_text` is the file with the hooks
/// before the uninstall.
pub fn plan_distrust(
    config: &str,
    hooks_file: &str,
    hooks_text: &str,
) -> Result<FileEdit, EditError> {
    let mut document = TomlDocument::parse(config)?;
    let mut edit = FileEdit::default();
    let mut records = Vec::new();
    for (key, hook) in &own_hooks(hooks_file, hooks_text)? {
        let trusted = record(&document, key)
            .and_then(|state| state.get("trusted_hash"))
            .and_then(Item::as_str);
        if trusted == Some(&hook.hash)
            && let Some(block) = whole_record(&document, key)
        {
            records.push(block);
            edit.removed.push(hook.event.to_owned());
        }
    }
    document.remove_tables(&records)?;
    edit.text = document.into_text();
    edit.changed = edit.text != config;
    edit.delete = edit.text.is_empty() && !config.is_empty();
    Ok(edit)
}

/// The events whose hooks of ours Codex skips, because the user's `config.toml` does not trust their current
/// definition or disables them.
pub fn untrusted(
    config: Option<&str>,
    hooks_file: &str,
    hooks_text: &str,
) -> Result<Vec<&'static str>, EditError> {
    let document = TomlDocument::parse(config.unwrap_or_default())?;
    let hooks = own_hooks(hooks_file, hooks_text)?;
    let is_skipped = |(key, hook): &(&String, &OwnHook)| match record(&document, key) {
        Some(state) => {
            let trusted = state.get("trusted_hash").and_then(Item::as_str);
            is_off(state) || trusted != Some(&hook.hash)
        }
        None => true,
    };
    let skipped = hooks.iter().filter(is_skipped);
    Ok(skipped.map(|(_, hook)| hook.event).collect())
}

struct OwnHook {
    event: &'static str,
    hash: String,
}

/// Our hooks of a file, by Codex's keys.
fn own_hooks(file: &str, text: &str) -> Result<BTreeMap<String, OwnHook>, EditError> {
    let root: Value = match serde_json::from_str(text) {
        Ok(root) => root,
        Err(_) if text.trim().is_empty() => Value::Null,
        Err(error) => {
            return Err(EditError::Syntax {
                at: TextPosition {
                    line: error.line().max(1),
                    column: error.column().max(1),
                },
                message: "Codex accepts only strict JSON".to_owned(),
            });
        }
    };
    let mut found = BTreeMap::new();
    for (event, label, matched) in EVENTS {
        let groups = root.pointer(&format!("/hooks/{event}"));
        for (g, group) in elements(groups).enumerate() {
            let matcher = group.get("matcher").filter(|_| *matched);
            for (h, handler) in elements(group.get("hooks")).enumerate() {
                if is_own(handler) {
                    let hook = OwnHook {
                        event,
                        hash: digest(event, label, matcher, handler),
                    };
                    found.insert(format!("{file}:{label}:{g}:{h}"), hook);
                }
            }
        }
    }
    Ok(found)
}

fn elements(list: Option<&Value>) -> impl Iterator<Item = &Value> {
    list.and_then(Value::as_array).into_iter().flatten()
}

fn is_own(handler: &Value) -> bool {
    let text = |key: &str| handler.get(key).and_then(Value::as_str);
    text("type") == Some("command")
        && text("command").is_some_and(|line| OwnCommand::parse(line, ID).is_some())
}

/// The digest of a definition: compact JSON with sorted keys and defaults filled in.
fn digest(event: &str, label: &str, matcher: Option<&Value>, handler: &Value) -> String {
    let mut fields = Map::new();
    let limit = handler
        .get("additionalContextLimit")
        .and_then(Value::as_u64)
        .filter(|limit| takes_context(event) && *limit != CONTEXT_LIMIT);
    if let Some(limit) = limit {
        fields.insert("additionalContextLimit".to_owned(), limit.into());
    }
    let flag = handler.get("async").and_then(Value::as_bool);
    fields.insert("async".to_owned(), flag.unwrap_or(false).into());
    let command = handler.get("command").and_then(Value::as_str);
    fields.insert("command".to_owned(), command.unwrap_or_default().into());
    if let Some(message) = handler.get("statusMessage").and_then(Value::as_str) {
        fields.insert("statusMessage".to_owned(), message.into());
    }
    let timeout = handler.get("timeout").and_then(Value::as_u64);
    fields.insert("timeout".to_owned(), seconds(event, timeout).into());
    fields.insert("type".to_owned(), "command".into());

    let mut identity = Map::new();
    identity.insert("event_name".to_owned(), label.into());
    identity.insert("hooks".to_owned(), json!([fields]));
    if let Some(matcher) = matcher.and_then(Value::as_str) {
        identity.insert("matcher".to_owned(), matcher.into());
    }
    let text = Value::Object(identity).to_string();
    let hash = Sha256::digest(text.as_bytes());
    let hex = hash.iter().map(|byte| format!("{byte:02x}"));
    format!("sha256:{}", hex.collect::<String>())
}

fn is_session_end(event: &str) -> bool {
    matches!(event, "SessionEnd" | "Interrupt")
}

fn takes_context(event: &str) -> bool {
    matches!(
        event,
        "PreToolUse" | "PostToolUse" | "SessionStart" | "UserPromptSubmit" | "SubagentStart"
    )
}

/// The timeout that Codex derives from the one in the file.
fn seconds(event: &str, timeout: Option<u64>) -> u64 {
    if is_session_end(event) {
        timeout.unwrap_or(1).clamp(1, MAX_END_SECS)
    } else {
        timeout.unwrap_or(600).max(1)
    }
}

fn record<'d>(document: &'d TomlDocument, key: &str) -> Option<&'d Item> {
    document.item(&["hooks", "state", key])
}

fn is_off(state: &Item) -> bool {
    state.get("enabled").and_then(Item::as_bool) == Some(false)
}

/// The edit that gives a record this digest; `None` if it has it.
fn correction(
    document: &TomlDocument,
    state: &Item,
    hash: &str,
) -> Option<Result<(Range<usize>, String), EditError>> {
    let trusted = state.get("trusted_hash");
    if trusted.and_then(Item::as_str) == Some(hash) {
        return None;
    }
    let quoted = toml_string(hash);
    if let Some(range) = trusted.and_then(Item::span) {
        return Some(Ok((range, quoted)));
    }
    let header = state.as_table().and_then(|table| document.block(table));
    Some(match header {
        Some(block) => {
            let newline = if document.text().contains("\r\n") {
                "\r\n"
            } else {
                "\n"
            };
            let line = format!("{newline}trusted_hash = {quoted}");
            Ok((block.end..block.end, line))
        }
        None => Err(EditError::Unexpected {
            at: document.position(state.span().map_or(0, |span| span.start)),
            key: "hooks.state".to_owned(),
            expected: "a table with its own header",
            found: state.type_name(),
        }),
    })
}

/// The range of a record, unless it contains other keys as well.
fn whole_record(document: &TomlDocument, key: &str) -> Option<Range<usize>> {
    let table = record(document, key)?.as_table()?;
    (table.len() == 1).then(|| document.block(table))?
}

/// Removes our records for positions where the hook no longer is.
fn remove_moved(
    document: &mut TomlDocument,
    file: &str,
    hooks: &BTreeMap<String, OwnHook>,
) -> Result<(), EditError> {
    let prefix = format!("{file}:");
    let Some(states) = document.members(&["hooks", "state"]) else {
        return Ok(());
    };
    let is_ours = |state: &Item| {
        let hash = state.get("trusted_hash").and_then(Item::as_str);
        hooks.values().any(|hook| hash == Some(&hook.hash))
    };
    let moved: Vec<_> = states
        .iter()
        .filter(|(key, state)| {
            key.starts_with(&prefix) && !hooks.contains_key(*key) && is_ours(state)
        })
        .filter_map(|(key, _)| whole_record(document, key))
        .collect();
    document.remove_tables(&moved)
}
