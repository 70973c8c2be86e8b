//! Translates a tool call to a hook's dialect, and a rewritten input back to canonical keys.
//!
//! Tool names come from the model's tables; this module has the keys. Where the dialect's agent would send
//! other data, it is derived: an edit becomes the patch that Codex would have sent, and the inserted part of
//! an edit stands for the whole text that Cursor would have sent.

use becket_model::tool::{mcp_parts, names_in};
use becket_model::{Dialect, ToolCall};
use serde_json::{Map, Value, json};

use super::invocation::HookInvocation;

/// A tool call in the hook's dialect.
pub(super) struct DialectCall {
    pub(super) name: String,
    pub(super) input: Value,
}

/// Why a rewritten input cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RewriteError {
    /// The dialect does not allow this rewrite.
    Invalid(String),
    /// The rewrite is allowed, but the pending call cannot be changed that way.
    Inapplicable(String),
}

/// Translates the call to the hook's dialect.
pub(super) fn native(invocation: &HookInvocation<'_>, call: &ToolCall) -> DialectCall {
    let dialect = invocation.hook.dialect;
    DialectCall {
        name: name(dialect, invocation.event.agent.as_str(), call),
        input: input(dialect, call, invocation.event.cwd.as_deref()),
    }
}

/// The dialect's name for the tool. A call from the dialect's own agent keeps its original name.
pub(super) fn name(dialect: Dialect, agent: &str, call: &ToolCall) -> String {
    if agent == dialect.name() {
        return call.native_name.clone();
    }
    let name = names_in(dialect, &call.name).into_iter().next();
    name.map_or_else(|| call.name.clone(), Into::into)
}

/// The server and the tool of an MCP call.
pub(super) fn mcp(call: &ToolCall) -> Option<(&str, &str)> {
    mcp_parts(&call.name)
}

/// The input under the dialect's keys.
pub(super) fn input(dialect: Dialect, call: &ToolCall, cwd: Option<&str>) -> Value {
    let Value::Object(input) = &call.input else {
        return call.input.clone();
    };
    let tool = kind(call);
    match (dialect, tool) {
        (Dialect::Codex, ToolKind::Bash) => json!({ "command": call.command() }),
        (Dialect::Codex, ToolKind::Write | ToolKind::Edit | ToolKind::Delete | ToolKind::Patch) => {
            json!({ "command": patch(call) })
        }
        (Dialect::Cursor, ToolKind::Bash) => {
            let mut out = input.clone();
            out.entry("cwd").or_insert(json!(cwd.unwrap_or_default()));
            Value::Object(out)
        }
        (Dialect::Cursor, ToolKind::Edit) => {
            let mut out = rename_keys(input, renames(dialect, tool));
            let put_in = input.get("new_string").cloned().unwrap_or_default();
            out.entry("content").or_insert(put_in);
            Value::Object(out)
        }
        (Dialect::Cursor, ToolKind::Patch) => {
            json!({ "file_path": call.paths().first(), "content": patch(call) })
        }
        (Dialect::Gemini, ToolKind::Patch) => {
            let mut out = input.clone();
            out.entry("file_path")
                .or_insert(json!(call.paths().first()));
            Value::Object(out)
        }
        _ => Value::Object(rename_keys(input, renames(dialect, tool))),
    }
}

/// The complete canonical input after a rewrite in the dialect's terms; `None` if it changes nothing.
pub(super) fn rewritten(
    dialect: Dialect,
    call: &ToolCall,
    cwd: Option<&str>,
    given: Map<String, Value>,
) -> Result<Option<Value>, RewriteError> {
    let sent = match input(dialect, call, cwd) {
        Value::Object(sent) => sent,
        _ => Map::new(),
    };
    let tool = kind(call);
    let merges = match dialect {
        Dialect::Autohand | Dialect::Cursor => true,
        // Of a rewritten shell call or patch, Codex takes only the command.
        Dialect::Codex => tool != ToolKind::Other,
        _ => false,
    };
    let requested = if merges {
        merge_rewrite(&sent, given, dialect)?
    } else {
        given
    };
    if requested == sent {
        return Ok(None);
    }
    let current = call.input.as_object().cloned().unwrap_or_default();
    to_canonical(dialect, tool, &current, &sent, requested).map(|input| Some(Value::Object(input)))
}

/// Merges a rewrite into the input. It must not turn the call into another one.
fn merge_rewrite(
    sent: &Map<String, Value>,
    given: Map<String, Value>,
    dialect: Dialect,
) -> Result<Map<String, Value>, RewriteError> {
    const RESERVED: [&str; 5] = ["type", "tool", "__proto__", "prototype", "constructor"];
    let mut merged = sent.clone();
    for (key, value) in given {
        let reserved = dialect == Dialect::Autohand && RESERVED.contains(&key.as_str());
        if reserved && merged.get(&key) != Some(&value) {
            let message = format!("the updated input may not set `{key}`");
            return Err(RewriteError::Invalid(message));
        }
        if dialect == Dialect::Codex && key != "command" {
            continue;
        }
        merged.insert(key, value);
    }
    Ok(merged)
}

/// Converts the dialect's keys to canonical keys.
fn to_canonical(
    dialect: Dialect,
    tool: ToolKind,
    current: &Map<String, Value>,
    sent: &Map<String, Value>,
    mut requested: Map<String, Value>,
) -> Result<Map<String, Value>, RewriteError> {
    let changed = |requested: &Map<String, Value>, key: &str| requested.get(key) != sent.get(key);
    match (dialect, tool) {
        (Dialect::Codex, ToolKind::Bash) => {
            let mut out = current.clone();
            out.extend(requested);
            Ok(out)
        }
        (Dialect::Codex | Dialect::Cursor, ToolKind::Patch) => {
            let key = if dialect == Dialect::Codex {
                "command"
            } else {
                "content"
            };
            if dialect == Dialect::Cursor && changed(&requested, "file_path") {
                return Err(lost("a patch names its files itself", &requested));
            }
            let mut out = current.clone();
            let patch = patch_key(&out).to_owned();
            out.insert(patch, requested.remove(key).unwrap_or_default());
            Ok(out)
        }
        (Dialect::Codex, ToolKind::Write | ToolKind::Edit | ToolKind::Delete) => {
            Err(lost("the pending call is not a patch", &requested))
        }
        (Dialect::Cursor, ToolKind::Bash) => {
            if !current.contains_key("cwd") && !changed(&requested, "cwd") {
                requested.remove("cwd");
            }
            Ok(requested)
        }
        (Dialect::Cursor, ToolKind::Edit) if !current.contains_key("content") => {
            let rewrote = changed(&requested, "content");
            let content = requested.remove("content").unwrap_or_default();
            if rewrote && !changed(&requested, "new_string") {
                requested.insert("new_string".into(), content);
            }
            Ok(restore_keys(requested, renames(dialect, tool), current))
        }
        (Dialect::Gemini, ToolKind::Patch) => {
            if !current.contains_key("file_path") && !changed(&requested, "file_path") {
                requested.remove("file_path");
            }
            Ok(requested)
        }
        _ => Ok(restore_keys(requested, renames(dialect, tool), current)),
    }
}

fn lost(why: &str, requested: &Map<String, Value>) -> RewriteError {
    let requested = Value::Object(requested.clone());
    RewriteError::Inapplicable(format!("{why}, so it cannot become {requested}"))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ToolKind {
    Bash,
    Read,
    Write,
    Edit,
    Delete,
    Search,
    List,
    Patch,
    Other,
}

fn kind(call: &ToolCall) -> ToolKind {
    match call.name.as_str() {
        "Bash" => ToolKind::Bash,
        "Read" => ToolKind::Read,
        "Write" => ToolKind::Write,
        "Edit" | "MultiEdit" | "NotebookEdit" => ToolKind::Edit,
        "Delete" => ToolKind::Delete,
        "Grep" | "Glob" => ToolKind::Search,
        "List" => ToolKind::List,
        "ApplyPatch" => ToolKind::Patch,
        _ => ToolKind::Other,
    }
}

/// Pairs of canonical key and dialect key. A key that already has the dialect's name stays.
type KeyRenames = &'static [(&'static str, &'static str)];

fn renames(dialect: Dialect, tool: ToolKind) -> KeyRenames {
    match (dialect, tool) {
        (
            Dialect::Autohand,
            ToolKind::Read | ToolKind::Write | ToolKind::Edit | ToolKind::Delete | ToolKind::List,
        ) => &[("file_path", "path")],
        (Dialect::Cursor, ToolKind::Search | ToolKind::List) => &[("path", "file_path")],
        (Dialect::Cursor, ToolKind::Edit) => &[("notebook_path", "file_path")],
        (Dialect::Gemini, ToolKind::Search) => &[("path", "dir_path")],
        (Dialect::Gemini, ToolKind::List) => &[("path", "dir_path"), ("file_path", "dir_path")],
        (Dialect::Gemini, ToolKind::Edit) => &[("replace_all", "allow_multiple")],
        (Dialect::Copilot, ToolKind::Read | ToolKind::Delete | ToolKind::List) => {
            &[("file_path", "path")]
        }
        (Dialect::Copilot, ToolKind::Write) => &[("file_path", "path"), ("content", "file_text")],
        (Dialect::Copilot, ToolKind::Edit) => &[
            ("file_path", "path"),
            ("old_string", "old_str"),
            ("new_string", "new_str"),
        ],
        _ => &[],
    }
}

fn rename_keys(input: &Map<String, Value>, renames: KeyRenames) -> Map<String, Value> {
    let new = |key: &str| {
        let found = renames.iter().find(|(ours, _)| *ours == key);
        // Two canonical keys may map to one dialect key; the first that is present wins.
        let theirs = found.map(|(_, theirs)| *theirs)?;
        let taken = input.contains_key(theirs)
            || renames
                .iter()
                .take_while(|(ours, _)| *ours != key)
                .any(|(ours, other)| *other == theirs && input.contains_key(*ours));
        (!taken).then_some(theirs)
    };
    input
        .iter()
        .map(|(key, value)| (new(key).unwrap_or(key).to_owned(), value.clone()))
        .collect()
}

/// The inverse: a dialect key becomes the canonical key that the call has. A key that the call itself has
/// under the dialect's name stays.
fn restore_keys(
    requested: Map<String, Value>,
    renames: KeyRenames,
    current: &Map<String, Value>,
) -> Map<String, Value> {
    let ours = |key: &str| {
        let mut meant = renames.iter().filter(|(_, theirs)| *theirs == key);
        let had = meant.clone().find(|(ours, _)| current.contains_key(*ours));
        match had {
            None if current.contains_key(key) => None,
            None => meant.next(),
            had => had,
        }
    };
    requested
        .into_iter()
        .map(|(key, value)| {
            let key = ours(&key).map_or(key, |(ours, _)| (*ours).to_owned());
            (key, value)
        })
        .collect()
}

fn patch_key(input: &Map<String, Value>) -> &'static str {
    ["patch", "input", "command"]
        .into_iter()
        .find(|key| input.get(*key).is_some_and(Value::is_string))
        .unwrap_or("command")
}

/// The patch of a call, or the equivalent patch of an edit.
pub(super) fn patch(call: &ToolCall) -> String {
    fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
        value.get(key).and_then(Value::as_str)
    }
    if kind(call) == ToolKind::Patch {
        let key = call.input.as_object().map_or("command", patch_key);
        return text(&call.input, key).unwrap_or_default().to_owned();
    }
    // A line break would end the file name and start another patch line.
    let path = call
        .file_path()
        .unwrap_or_default()
        .replace(['\n', '\r'], " ");
    let mut out = String::from("*** Begin Patch\n");
    match kind(call) {
        ToolKind::Delete => out.push_str(&format!("*** Delete File: {path}\n")),
        ToolKind::Write => {
            out.push_str(&format!("*** Add File: {path}\n"));
            marked(&mut out, '+', text(&call.input, "content"));
        }
        _ => {
            out.push_str(&format!("*** Update File: {path}\n"));
            let many = call.input.get("edits").and_then(Value::as_array);
            let edits = many.map_or(std::slice::from_ref(&call.input), Vec::as_slice);
            for edit in edits {
                out.push_str("@@\n");
                marked(&mut out, '-', text(edit, "old_string"));
                marked(&mut out, '+', text(edit, "new_string"));
            }
        }
    }
    out.push_str("*** End Patch\n");
    out
}

fn marked(out: &mut String, mark: char, text: Option<&str>) {
    for line in text.into_iter().flat_map(str::lines) {
        out.push(mark);
        out.push_str(line);
        out.push('\n');
    }
}

/// The text of a tool's response, as a model would see it.
pub(super) fn response_text(response: &Value) -> String {
    const TEXTS: [&str; 7] = [
        "llmContent",
        "textResultForLlm",
        "text_result_for_llm",
        "stdout",
        "output",
        "text",
        "content",
    ];
    match response {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Object(fields) => {
            let found = TEXTS
                .iter()
                .find_map(|key| fields.get(*key).and_then(Value::as_str));
            found.map_or_else(|| response.to_string(), str::to_owned)
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(tool: &str, input: Value) -> ToolCall {
        ToolCall::new(tool, input)
    }

    #[test]
    fn inputs_have_the_keys_that_each_dialects_agent_gives_them() {
        let edit = json!({ "file_path": "a", "old_string": "x", "new_string": "y" });
        for (dialect, tool, ours, theirs) in [
            (
                Dialect::Autohand,
                "Write",
                json!({ "file_path": "a", "content": "x" }),
                json!({ "path": "a", "content": "x" }),
            ),
            (
                Dialect::Copilot,
                "Write",
                json!({ "file_path": "a", "content": "x" }),
                json!({ "path": "a", "file_text": "x" }),
            ),
            (
                Dialect::Copilot,
                "Edit",
                edit.clone(),
                json!({ "path": "a", "old_str": "x", "new_str": "y" }),
            ),
            (
                Dialect::Cursor,
                "Edit",
                edit.clone(),
                json!({ "file_path": "a", "old_string": "x", "new_string": "y", "content": "y" }),
            ),
            (
                Dialect::Cursor,
                "Bash",
                json!({ "command": "ls" }),
                json!({ "command": "ls", "cwd": "/w" }),
            ),
            (
                Dialect::Gemini,
                "List",
                json!({ "file_path": "src" }),
                json!({ "dir_path": "src" }),
            ),
            (
                Dialect::Codex,
                "Bash",
                json!({ "command": "ls", "timeout": 5 }),
                json!({ "command": "ls" }),
            ),
            (
                Dialect::Codex,
                "Edit",
                edit,
                json!({ "command": "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch\n" }),
            ),
            (
                Dialect::Codex,
                "Write",
                json!({ "file_path": "a\n*** Delete File: b", "content": "1\n2" }),
                json!({ "command": "*** Begin Patch\n*** Add File: a *** Delete File: b\n+1\n+2\n*** End Patch\n" }),
            ),
        ] {
            let call = call(tool, ours);
            assert_eq!(
                input(dialect, &call, Some("/w")),
                theirs,
                "{dialect:?} {tool}"
            );
        }
    }

    #[test]
    fn rewrite_maps_back_to_canonical_keys_and_an_echo_is_ignored() {
        let write = || call("Write", json!({ "file_path": "a", "content": "x" }));
        let edit = || {
            call(
                "Edit",
                json!({ "file_path": "a", "old_string": "x", "new_string": "y" }),
            )
        };
        let bash = || call("Bash", json!({ "command": "ls", "timeout": 5 }));
        let patch = || call("apply_patch", json!({ "patch": "p" }));
        for (dialect, call, given, expected) in [
            (
                Dialect::Copilot,
                write(),
                json!({ "path": "b", "file_text": "x" }),
                Some(json!({ "file_path": "b", "content": "x" })),
            ),
            (
                Dialect::Copilot,
                write(),
                json!({ "path": "a", "file_text": "x" }),
                None,
            ),
            (
                Dialect::Cursor,
                bash(),
                json!({ "command": "ls -l" }),
                Some(json!({ "command": "ls -l", "timeout": 5 })),
            ),
            (
                Dialect::Cursor,
                edit(),
                json!({ "content": "z" }),
                Some(json!({ "file_path": "a", "old_string": "x", "new_string": "z" })),
            ),
            (
                Dialect::Cursor,
                patch(),
                json!({ "content": "q" }),
                Some(json!({ "patch": "q" })),
            ),
            (
                Dialect::Codex,
                bash(),
                json!({ "command": "ls -l", "cwd": "/" }),
                Some(json!({ "command": "ls -l", "timeout": 5 })),
            ),
            (
                Dialect::Codex,
                patch(),
                json!({ "command": "q" }),
                Some(json!({ "patch": "q" })),
            ),
            (
                Dialect::Gemini,
                bash(),
                json!({ "command": "ls -l" }),
                Some(json!({ "command": "ls -l" })),
            ),
            (
                Dialect::Autohand,
                write(),
                json!({ "path": "b" }),
                Some(json!({ "file_path": "b", "content": "x" })),
            ),
        ] {
            let Value::Object(given) = given else {
                panic!("an object");
            };
            let shown = format!("{dialect:?} {given:?}");
            assert_eq!(
                rewritten(dialect, &call, Some("/w"), given),
                Ok(expected),
                "{shown}"
            );
        }
    }

    #[test]
    fn inapplicable_rewrite_is_an_error_and_not_dropped() {
        let write = call("Write", json!({ "file_path": "a", "content": "x" }));
        let given = json!({ "command": "*** Begin Patch\n*** Delete File: a\n" });
        let unfit = rewritten(
            Dialect::Codex,
            &write,
            None,
            given.as_object().cloned().expect("an object"),
        );
        assert!(
            matches!(&unfit, Err(RewriteError::Inapplicable(why)) if why.contains("Delete File")),
            "{unfit:?}"
        );
    }
}
