//! Edits files that contain hooks: add, remove, enable and disable a hook, set options and settings.
//!
//! Text in, text out. Every change is a splice (see [`crate::edit`]), so comments and formatting stay.
//! Becket's own files support every change. In an agent's file a hook can be [`remove`]d, and it can be
//! switched only where that agent's format has a switch ([`switch`]).

use std::path::Path;

use becket_model::{Dialect, HookSpec};

use super::gemini;
use super::reader::key_text;
use crate::edit::{EditError, JsonDocument, JsonNode, TomlDocument, TomlStep, toml_string};

/// The result of [`switch`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SwitchResult {
    /// The new text of the file; unchanged if the hook was already in that state.
    Text(String),
    /// The dialect cannot switch a single hook.
    Unsupported,
}

/// Whether a hook is defined in one of Becket's own files, in whatever dialect.
pub fn is_own(hook: &HookSpec) -> bool {
    is_toml(&hook.source.file) && own_index(&hook.source.key).is_some()
}

/// Adds a hook, given as the lines of its `[[hook]]` table, to one of Becket's own files.
pub fn add(text: &str, block: &str) -> Result<String, EditError> {
    let mut document = TomlDocument::parse(text)?;
    if let Some(list) = document.item(&["hook"])
        && list.as_array_of_tables().is_none()
    {
        return Err(EditError::Unexpected {
            at: document.position(list.span().map_or(0, |span| span.start)),
            key: "hook".to_owned(),
            expected: "tables headed `[[hook]]`",
            found: list.type_name(),
        });
    }
    document.append_tables(&[block.to_owned()])?;
    Ok(document.into_text())
}

/// Removes a hook from its file.
pub fn remove(hook: &HookSpec, text: &str) -> Result<String, EditError> {
    let (file, key) = (&hook.source.file, hook.source.key.as_str());
    if is_yaml(file) {
        return Err(by_hand(hook, "remove it from the list"));
    }
    if !is_toml(file) {
        let mut document = JsonDocument::parse(text)?;
        let path = json_path(&document, key).ok_or_else(|| gone(key))?;
        document.remove(&path)?;
        return Ok(document.into_text());
    }
    let mut document = TomlDocument::parse(text)?;
    let steps = steps(key).ok_or_else(|| gone(key))?;
    let Some((TomlStep::Index(index), list)) = steps.split_last() else {
        return Err(gone(key));
    };
    match document.element_blocks(list, *index) {
        Some(blocks) => document.remove_tables(&blocks)?,
        None => return Err(by_hand(hook, "remove it from the array")),
    }
    Ok(document.into_text())
}

/// Enables or disables a hook in its own file, in the way its dialect supports.
pub fn switch(hook: &HookSpec, text: &str, on: bool) -> Result<SwitchResult, EditError> {
    let key = hook.source.key.as_str();
    if is_own(hook) {
        return switch_toml(key, text, on).map(SwitchResult::Text);
    }
    match hook.dialect {
        Dialect::Autohand if is_toml(&hook.source.file) => {
            switch_toml(key, text, on).map(SwitchResult::Text)
        }
        Dialect::Autohand if is_yaml(&hook.source.file) => Ok(SwitchResult::Unsupported),
        Dialect::Autohand | Dialect::ClaudeAgent => switch_json(key, text, "enabled", on, true),
        Dialect::CodeAgent => switch_json(key, text, "disabled", !on, false),
        Dialect::Gemini => switch_gemini(hook, text, on),
        Dialect::Becket | Dialect::Claude | Dialect::Cursor | Dialect::Codex | Dialect::Copilot => {
            Ok(SwitchResult::Unsupported)
        }
    }
}

/// Sets an option of a built-in hook in one of Becket's own files; `value` is TOML source.
pub fn set_option(
    hook: &HookSpec,
    text: &str,
    option: &str,
    value: &str,
) -> Result<String, EditError> {
    in_options(hook, text, |document, options| {
        document.set(options, option, value)
    })
}

/// Appends a value, given as TOML source, to a list option of a built-in hook.
pub fn add_to_option(
    hook: &HookSpec,
    text: &str,
    option: &str,
    value: &str,
) -> Result<String, EditError> {
    in_options(hook, text, |document, options| {
        document.add_item(options, option, value)
    })
}

/// Edits the `options` of a built-in hook, creating the table if it is missing.
fn in_options(
    hook: &HookSpec,
    text: &str,
    change: impl FnOnce(&mut TomlDocument, &[TomlStep<'_>]) -> Result<(), EditError>,
) -> Result<String, EditError> {
    let index = own_index(&hook.source.key).ok_or_else(|| gone(&hook.source.key))?;
    let mut document = TomlDocument::parse(text)?;
    let entry = [TomlStep::Key("hook"), TomlStep::Index(index)];
    let options = [entry[0], entry[1], TomlStep::Key("options")];
    if document.is_missing(&options) {
        document.set(&entry, "options", "{}")?;
    }
    change(&mut document, &options)?;
    Ok(document.into_text())
}

const SETTINGS: [TomlStep<'static>; 1] = [TomlStep::Key("settings")];

/// Sets a key of `[settings]` to a value given as TOML source, or removes the key.
pub fn setting(text: &str, key: &str, value: Option<&str>) -> Result<String, EditError> {
    let mut document = TomlDocument::parse(text)?;
    let missing = document.is_missing(&SETTINGS);
    match value {
        Some(value) if missing => {
            document.append_tables(&[format!("[settings]\n{key} = {value}")])?;
        }
        Some(value) => document.set(&SETTINGS, key, value)?,
        None if missing || !document.has_key(&SETTINGS, key) => {}
        None => {
            let table = document
                .item(&["settings"])
                .and_then(toml_edit::Item::as_table);
            if table.and_then(|table| document.block(table)).is_none() {
                return Err(EditError::Format {
                    format: "an inline table",
                    hint: format!("`settings`: remove `{key}` by hand"),
                });
            }
            document.unset(&SETTINGS, key)?;
        }
    }
    Ok(document.into_text())
}

/// Makes a list of strings in `[settings]` equal to `wanted`. Items that stay keep their position and comments.
pub fn list_setting(text: &str, key: &str, wanted: &[String]) -> Result<String, EditError> {
    let mut document = TomlDocument::parse(text)?;
    if document.is_missing(&SETTINGS) {
        if wanted.is_empty() {
            return Ok(document.into_text());
        }
        document.append_tables(&[format!("[settings]\n{key} = []")])?;
    }
    let listed = document.item(&["settings", key]);
    let listed = listed.and_then(toml_edit::Item::as_array);
    let listed: Vec<String> = listed
        .into_iter()
        .flatten()
        .filter_map(|item| item.as_str().map(str::to_owned))
        .collect();
    for gone in listed.iter().filter(|one| !wanted.contains(one)) {
        document.remove_text(&SETTINGS, key, gone)?;
    }
    for one in wanted {
        document.add_text(&SETTINGS, key, one)?;
    }
    Ok(document.into_text())
}

const SWITCHES: [TomlStep<'static>; 1] = [TomlStep::Key("hooks")];

/// Enables or disables all hooks, in the user's own file.
pub fn switch_all(text: &str, on: bool) -> Result<String, EditError> {
    let mut document = TomlDocument::parse(text)?;
    if document.is_missing(&SWITCHES) {
        if !on {
            document.append_tables(&["[hooks]\nenabled = false".to_owned()])?;
        }
        return Ok(document.into_text());
    }
    if !on {
        document.set(&SWITCHES, "enabled", "false")?;
    } else if document.item(&["hooks", "enabled"]).is_some() {
        drop_or_set(&mut document, "enabled", "true")?;
    }
    Ok(document.into_text())
}

/// Adds or removes a hook of another file in the `disabled` list of the user's own file.
pub fn list_disabled(text: &str, reference: &str, disabled: bool) -> Result<String, EditError> {
    let mut document = TomlDocument::parse(text)?;
    let missing = document.is_missing(&SWITCHES);
    match (disabled, missing) {
        (true, true) => {
            let entry = toml_string(reference);
            document.append_tables(&[format!("[hooks]\ndisabled = [{entry}]")])?;
        }
        (true, false) => document.add_text(&SWITCHES, "disabled", reference)?,
        (false, true) => {}
        (false, false) => {
            document.remove_text(&SWITCHES, "disabled", reference)?;
            let list = document.item(&["hooks", "disabled"]);
            if list
                .and_then(toml_edit::Item::as_array)
                .is_some_and(|list| {
                    list.is_empty() && list.trailing().as_str().is_none_or(str::is_empty)
                })
            {
                drop_or_set(&mut document, "disabled", "[]")?;
            }
        }
    }
    Ok(document.into_text())
}

/// Removes a switch that no longer has an effect, and its table if that is then empty. If comments show
/// that the user maintains it by hand, sets it to `value` instead.
fn drop_or_set(document: &mut TomlDocument, key: &str, value: &str) -> Result<(), EditError> {
    let table = document
        .item(&["hooks"])
        .and_then(toml_edit::Item::as_table);
    let block = table.and_then(|table| document.block(table));
    let Some(block) = block else {
        return document.set(&SWITCHES, key, value);
    };
    let lines = &document.text()[block.clone()];
    if lines.contains('#') {
        return document.set(&SWITCHES, key, value);
    }
    if table.is_some_and(|table| table.len() == 1) {
        return document.remove_tables(&[block]);
    }
    document.unset(&SWITCHES, key)
}

fn switch_toml(key: &str, text: &str, on: bool) -> Result<String, EditError> {
    let steps = steps(key).ok_or_else(|| gone(key))?;
    let mut document = TomlDocument::parse(text)?;
    if on && !document.has_key(&steps, "enabled") {
        return Ok(document.into_text());
    }
    document.set(&steps, "enabled", if on { "true" } else { "false" })?;
    Ok(document.into_text())
}

/// `by_default` is the state of a hook without the key.
fn switch_json(
    key: &str,
    text: &str,
    name: &str,
    flag: bool,
    by_default: bool,
) -> Result<SwitchResult, EditError> {
    let mut document = JsonDocument::parse(text)?;
    let path = json_path(&document, key).ok_or_else(|| gone(key))?;
    let Some(node) = document.node(&path).filter(|node| node.members().is_some()) else {
        return Ok(SwitchResult::Unsupported);
    };
    if flag != by_default || node.get(name).is_some() {
        document.set_flag(&path, name, flag)?;
    }
    Ok(SwitchResult::Text(document.into_text()))
}

/// Gemini has one list of disabled hooks, by name, or by command for hooks without a name.
fn switch_gemini(hook: &HookSpec, text: &str, on: bool) -> Result<SwitchResult, EditError> {
    let id = gemini::id(hook);
    let mut document = JsonDocument::parse(text)?;
    let root = document.root();
    let config = root.and_then(|root| root.member("hooksConfig"));
    let list = config.and_then(|(at, config)| Some((at, config.value.member("disabled")?)));
    let listed = list.and_then(|(at, (list, member))| {
        let elements = member.value.elements()?;
        let index = elements.iter().position(|e| e.as_str() == Some(id))?;
        Some([at, list, index])
    });
    let entry = serde_json::json!([id]);
    match (on, listed, config, list) {
        (true, Some(path), ..) => document.remove(&path)?,
        (true, None, ..) | (false, Some(_), ..) => {}
        (false, None, _, Some((at, (list, _)))) => {
            document.append_element(&[at, list], &id.into(), 0)?;
        }
        (false, None, Some((at, _)), None) => {
            document.append_member(&[at], "disabled", &entry, 0)?;
        }
        (false, None, None, None) => {
            let config = serde_json::json!({ "disabled": entry });
            document.append_member(&[], "hooksConfig", &config, 1)?;
        }
    }
    Ok(SwitchResult::Text(document.into_text()))
}

/// The child indices of a value, from the key path at which its hook was read.
fn json_path(document: &JsonDocument, key: &str) -> Option<Vec<usize>> {
    let mut path = Vec::new();
    walk(document.root()?, "", key, &mut path).then_some(path)
}

fn walk(node: &JsonNode, here: &str, wanted: &str, path: &mut Vec<usize>) -> bool {
    if here == wanted {
        return true;
    }
    let leads = |place: &str| {
        let rest = wanted.strip_prefix(place);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let mut try_child = |index: usize, child: &JsonNode, place: String| {
        path.push(index);
        let found = leads(&place) && walk(child, &place, wanted, path);
        if !found {
            path.pop();
        }
        found
    };
    if let Some(members) = node.members() {
        // Of duplicate keys, readers use the last.
        return members.iter().enumerate().rev().any(|(index, member)| {
            let dot = if here.is_empty() { "" } else { "." };
            let place = format!("{here}{dot}{}", key_text(&member.key));
            try_child(index, &member.value, place)
        });
    }
    let elements = node.elements().unwrap_or_default();
    elements
        .iter()
        .enumerate()
        .any(|(index, child)| try_child(index, child, format!("{here}[{index}]")))
}

/// The steps of a key path that consists of plain names, as in TOML files with hooks.
fn steps(key: &str) -> Option<Vec<TomlStep<'_>>> {
    let mut steps = Vec::new();
    for part in key.split('.') {
        let (name, indices) = part.split_once('[').unwrap_or((part, ""));
        if name.is_empty() || name.contains('"') {
            return None;
        }
        steps.push(TomlStep::Key(name));
        for index in indices.split('[').filter(|index| !index.is_empty()) {
            steps.push(TomlStep::Index(index.strip_suffix(']')?.parse().ok()?));
        }
    }
    Some(steps)
}

fn own_index(key: &str) -> Option<usize> {
    match steps(key)?[..] {
        [TomlStep::Key("hook"), TomlStep::Index(index)] => Some(index),
        _ => None,
    }
}

fn has_extension(file: &Path, wanted: &[&str]) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| wanted.iter().any(|w| extension.eq_ignore_ascii_case(w)))
}

fn is_toml(file: &Path) -> bool {
    has_extension(file, &["toml"])
}

fn is_yaml(file: &Path) -> bool {
    has_extension(file, &["yaml", "yml", "md"])
}

fn gone(key: &str) -> EditError {
    EditError::Gone {
        key: key.to_owned(),
    }
}

fn by_hand(hook: &HookSpec, hint: &str) -> EditError {
    let format = if is_toml(&hook.source.file) {
        "an inline array"
    } else {
        "YAML"
    };
    EditError::Format {
        format,
        hint: format!("`{}` on line {}: {hint}", hook.source.key, hook.source.line),
    }
}
