//! A tool call in the words of a hook's dialect, and a rewritten input back in ours.
//!
//! Names come from the model's tables; here are the keys. What a dialect's own agent would send for a
//! call is made from what is known: an edit becomes the patch that Codex would have asked for, and the
//! part that is put in stands for the whole text that Cursor would have sent.

use becket_model::tool::{mcp_parts, names_in};
use becket_model::{Dialect, ToolCall};
use serde_json::{Map, Value, json};

use super::scene::Scene;

/// A call as the hook sees it.
pub(super) struct Native {
    pub(super) name: String,
    pub(super) input: Value,
}

/// Why a rewritten input cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unfit {
    /// The hook may not say that.
    Wrong(String),
    /// It may, but the call that waits cannot be changed so.
    Lost(String),
}

/// The call in the words of the hook's dialect.
pub(super) fn native(scene: &Scene<'_>, call: &ToolCall) -> Native {
    let dialect = scene.hook.dialect;
    Native {
        name: name(dialect, scene.event.agent.as_str(), call),
        input: input(dialect, call, scene.event.cwd.as_deref()),
    }
}

/// What the dialect's own agent calls the tool. That agent's own calls keep the name it gave them.
pub(super) fn name(dialect: Dialect, agent: &str, call: &ToolCall) -> String {
    if agent == dialect.name() {
        return call.native_name.clone();
    }
    let name = names_in(dialect, &call.name).into_iter().next();
    name.map_or_else(|| call.name.clone(), Into::into)
}

/// The server and the tool, if the call is one of MCP.
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
        (Dialect::Codex, Kind::Bash) => json!({ "command": call.command() }),
        (Dialect::Codex, Kind::Write | Kind::Edit | Kind::Delete | Kind::Patch) => {
            json!({ "command": patch(call) })
        }
        (Dialect::Cursor, Kind::Bash) => {
            let mut out = input.clone();
            out.entry("cwd").or_insert(json!(cwd.unwrap_or_default()));
            Value::Object(out)
        }
        (Dialect::Cursor, Kind::Edit) => {
            let mut out = renamed(input, renames(dialect, tool));
            let put_in = input.get("new_string").cloned().unwrap_or_default();
            out.entry("content").or_insert(put_in);
            Value::Object(out)
        }
        (Dialect::Cursor, Kind::Patch) => {
            json!({ "file_path": call.paths().first(), "content": patch(call) })
        }
        (Dialect::Gemini, Kind::Patch) => {
            let mut out = input.clone();
            out.entry("file_path")
                .or_insert(json!(call.paths().first()));
            Value::Object(out)
        }
        _ => Value::Object(renamed(input, renames(dialect, tool))),
    }
}

/// The whole canonical input that a rewrite in the dialect's words asks for; `None` if it changes nothing.
pub(super) fn rewritten(
    dialect: Dialect,
    call: &ToolCall,
    cwd: Option<&str>,
    given: Map<String, Value>,
) -> Result<Option<Value>, Unfit> {
    let sent = match input(dialect, call, cwd) {
        Value::Object(sent) => sent,
        _ => Map::new(),
    };
    let tool = kind(call);
    let merges = match dialect {
        Dialect::Autohand | Dialect::Cursor => true,
        // Codex takes nothing but the command from a rewritten shell call or patch.
        Dialect::Codex => tool != Kind::Other,
        _ => false,
    };
    let asked = if merges {
        over(&sent, given, dialect)?
    } else {
        given
    };
    if asked == sent {
        return Ok(None);
    }
    let current = call.input.as_object().cloned().unwrap_or_default();
    back(dialect, tool, &current, &sent, asked).map(|input| Some(Value::Object(input)))
}

/// What a rewrite is laid over. It may not turn the call into another one.
fn over(
    sent: &Map<String, Value>,
    given: Map<String, Value>,
    dialect: Dialect,
) -> Result<Map<String, Value>, Unfit> {
    const RESERVED: [&str; 5] = ["type", "tool", "__proto__", "prototype", "constructor"];
    let mut merged = sent.clone();
    for (key, value) in given {
        let reserved = dialect == Dialect::Autohand && RESERVED.contains(&key.as_str());
        if reserved && merged.get(&key) != Some(&value) {
            let message = format!("the updated input may not set `{key}`");
            return Err(Unfit::Wrong(message));
        }
        if dialect == Dialect::Codex && key != "command" {
            continue;
        }
        merged.insert(key, value);
    }
    Ok(merged)
}

/// From the dialect's keys to ours.
fn back(
    dialect: Dialect,
    tool: Kind,
    current: &Map<String, Value>,
    sent: &Map<String, Value>,
    mut asked: Map<String, Value>,
) -> Result<Map<String, Value>, Unfit> {
    let changed = |asked: &Map<String, Value>, key: &str| asked.get(key) != sent.get(key);
    match (dialect, tool) {
        (Dialect::Codex, Kind::Bash) => {
            let mut out = current.clone();
            out.extend(asked);
            Ok(out)
        }
        (Dialect::Codex | Dialect::Cursor, Kind::Patch) => {
            let key = if dialect == Dialect::Codex {
                "command"
            } else {
                "content"
            };
            if dialect == Dialect::Cursor && changed(&asked, "file_path") {
                return Err(lost("a patch names its files itself", &asked));
            }
            let mut out = current.clone();
            let patch = patch_key(&out).to_owned();
            out.insert(patch, asked.remove(key).unwrap_or_default());
            Ok(out)
        }
        (Dialect::Codex, Kind::Write | Kind::Edit | Kind::Delete) => {
            Err(lost("the call that waits is not a patch", &asked))
        }
        (Dialect::Cursor, Kind::Bash) => {
            if !current.contains_key("cwd") && !changed(&asked, "cwd") {
                asked.remove("cwd");
            }
            Ok(asked)
        }
        (Dialect::Cursor, Kind::Edit) if !current.contains_key("content") => {
            let rewrote = changed(&asked, "content");
            let content = asked.remove("content").unwrap_or_default();
            if rewrote && !changed(&asked, "new_string") {
                asked.insert("new_string".into(), content);
            }
            Ok(restored(asked, renames(dialect, tool), current))
        }
        (Dialect::Gemini, Kind::Patch) => {
            if !current.contains_key("file_path") && !changed(&asked, "file_path") {
                asked.remove("file_path");
            }
            Ok(asked)
        }
        _ => Ok(restored(asked, renames(dialect, tool), current)),
    }
}

fn lost(why: &str, asked: &Map<String, Value>) -> Unfit {
    let asked = Value::Object(asked.clone());
    Unfit::Lost(format!("{why}, so it cannot become {asked}"))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
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

fn kind(call: &ToolCall) -> Kind {
    match call.name.as_str() {
        "Bash" => Kind::Bash,
        "Read" => Kind::Read,
        "Write" => Kind::Write,
        "Edit" | "MultiEdit" | "NotebookEdit" => Kind::Edit,
        "Delete" => Kind::Delete,
        "Grep" | "Glob" => Kind::Search,
        "List" => Kind::List,
        "ApplyPatch" => Kind::Patch,
        _ => Kind::Other,
    }
}

/// Ours and theirs. A key that already has their name is left alone.
type Renames = &'static [(&'static str, &'static str)];

fn renames(dialect: Dialect, tool: Kind) -> Renames {
    match (dialect, tool) {
        (Dialect::Autohand, Kind::Read | Kind::Write | Kind::Edit | Kind::Delete | Kind::List) => {
            &[("file_path", "path")]
        }
        (Dialect::Cursor, Kind::Search | Kind::List) => &[("path", "file_path")],
        (Dialect::Cursor, Kind::Edit) => &[("notebook_path", "file_path")],
        (Dialect::Gemini, Kind::Search) => &[("path", "dir_path")],
        (Dialect::Gemini, Kind::List) => &[("path", "dir_path"), ("file_path", "dir_path")],
        (Dialect::Gemini, Kind::Edit) => &[("replace_all", "allow_multiple")],
        (Dialect::Copilot, Kind::Read | Kind::Delete | Kind::List) => &[("file_path", "path")],
        (Dialect::Copilot, Kind::Write) => &[("file_path", "path"), ("content", "file_text")],
        (Dialect::Copilot, Kind::Edit) => &[
            ("file_path", "path"),
            ("old_string", "old_str"),
            ("new_string", "new_str"),
        ],
        _ => &[],
    }
}

fn renamed(input: &Map<String, Value>, renames: Renames) -> Map<String, Value> {
    let new = |key: &str| {
        let found = renames.iter().find(|(ours, _)| *ours == key);
        // Two of our keys may stand for one of theirs; the first that is there has it.
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

/// The other way round: a key of theirs is the one of ours that the call has; a key that the call has
/// by their name stays.
fn restored(
    asked: Map<String, Value>,
    renames: Renames,
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
    asked
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

/// The patch that a call is, or amounts to.
pub(super) fn patch(call: &ToolCall) -> String {
    fn text<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
        value.get(key).and_then(Value::as_str)
    }
    if kind(call) == Kind::Patch {
        let key = call.input.as_object().map_or("command", patch_key);
        return text(&call.input, key).unwrap_or_default().to_owned();
    }
    // A line break would end the name and start something else.
    let path = call
        .file_path()
        .unwrap_or_default()
        .replace(['\n', '\r'], " ");
    let mut out = String::from("*** Begin Patch\n");
    match kind(call) {
        Kind::Delete => out.push_str(&format!("*** Delete File: {path}\n")),
        Kind::Write => {
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

/// What a tool answered, as the text that a model would see of it.
pub(super) fn answer(response: &Value) -> String {
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
    fn a_rewrite_comes_back_under_our_keys_and_an_echo_is_none() {
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
    fn what_cannot_be_changed_so_is_told_and_not_dropped() {
        let write = call("Write", json!({ "file_path": "a", "content": "x" }));
        let given = json!({ "command": "*** Begin Patch\n*** Delete File: a\n" });
        let unfit = rewritten(
            Dialect::Codex,
            &write,
            None,
            given.as_object().cloned().expect("an object"),
        );
        assert!(
            matches!(&unfit, Err(Unfit::Lost(why)) if why.contains("Delete File")),
            "{unfit:?}"
        );
    }
}
