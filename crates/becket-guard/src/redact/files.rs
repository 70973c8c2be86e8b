//! What was read from a file that holds nothing but secrets, or written to one.
//!
//! The token in `~/.vault-token` has neither a name nor a shape; where it comes from says what it is. Files that hold
//! other things as well, as `.env` does, are left to what is known of their lines.

use serde_json::{Map, Value};

use super::{Redactor, placeholder};
use crate::paths::{self, Secret, SecretKind};

/// Programs that print what is in a file.
#[rustfmt::skip]
const READERS: &[&str] = &[
    "awk", "base64", "bat", "batcat", "cat", "cut", "grep", "head", "hexdump", "less", "more", "nl", "od", "rg", "sed",
    "strings", "tac", "tail", "type", "xxd",
];
/// What in an answer tells of the file and not of what is in it.
const ABOUT: &[&str] = &[
    "type",
    "file_path",
    "filePath",
    "path",
    "status",
    "mode",
    "encoding",
];
/// How far into a command, and at how many of its words, is looked.
const FAR: usize = 4096;
const MOST_WORDS: usize = 16;
/// What stands where the content was.
const LABEL: &str = "credential-file";

/// Fields with the input of a call, with what came of it, and with what is in a file.
const INPUTS: &[&str] = &["tool_input", "toolInput", "toolArgs", "tool_info", "args"];
#[rustfmt::skip]
const ANSWERS: &[&str] = &[
    "tool_response", "tool_output", "tool_result", "toolResult", "toolOutput", "result", "output", "response",
];
#[rustfmt::skip]
const CONTENTS: &[&str] = &["content", "contents", "old_string", "new_string", "oldString", "newString"];

/// Redacts what an object says of the content of such a file. Where it says nothing of any, which is so before every call,
/// this is a look at the names of its fields.
pub(super) fn hide(redactor: &Redactor, fields: &mut Map<String, Value>) -> bool {
    let has = |names: &[&str]| fields.keys().any(|name| names.contains(&name.as_str()));
    let is_call = has(ANSWERS)
        && fields
            .iter()
            .any(|(name, value)| is_call_of_one(name, value));
    let is_file = has(CONTENTS)
        && fields
            .iter()
            .any(|(name, value)| is_path_of_one(name, value));
    if !is_file && !is_call {
        return false;
    }
    let mut changed = false;
    for (name, value) in fields.iter_mut() {
        let name = name.as_str();
        let hides = (is_call && ANSWERS.contains(&name)) || (is_file && CONTENTS.contains(&name));
        changed |= hides && blank(redactor, value);
    }
    changed
}

fn is_call_of_one(name: &str, value: &Value) -> bool {
    INPUTS.contains(&name) && value.as_object().is_some_and(names_file)
}

/// Whether the input of a call names such a file to read it.
fn names_file(input: &Map<String, Value>) -> bool {
    input.iter().any(|(name, value)| match name.as_str() {
        "command" | "cmd" => match value {
            Value::String(command) => shows_file(command),
            Value::Array(words) => words.iter().filter_map(Value::as_str).any(shows_file),
            _ => false,
        },
        _ => is_path_of_one(name, value),
    })
}

fn is_path_of_one(name: &str, value: &Value) -> bool {
    matches!(name, "file_path" | "filePath" | "path" | "absolute_path")
        && value.as_str().is_some_and(is_credential_file)
}

/// Whether a program that prints files is given one.
fn shows_file(command: &str) -> bool {
    let end = (0..=command.len().min(FAR))
        .rev()
        .find(|at| command.is_char_boundary(*at))
        .unwrap_or(0);
    let ends_word = |c: char| c.is_whitespace() || ";|&()<>'\"`".contains(c);
    let words = command[..end].split(ends_word);
    let mut words = words.skip_while(|word| !READERS.contains(&paths::name(word)));
    words.next();
    words
        .filter(|word| word.contains(['.', '/']) || word.starts_with("id_"))
        .take(MOST_WORDS)
        .any(is_credential_file)
}

fn is_credential_file(path: &str) -> bool {
    use SecretKind::{Credentials, Key, Store, System};
    let found = paths::secret_at(path);
    found.is_some_and(|Secret { kind, sure }| {
        sure && matches!(kind, Credentials | Key | Store | System)
    })
}

/// Puts a placeholder in the place of every text, without recursion.
fn blank(redactor: &Redactor, value: &mut Value) -> bool {
    let mut changed = false;
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        match value {
            Value::String(text) if !text.is_empty() && !is_placeholder(text) => {
                let hash = blake3::keyed_hash(&redactor.key, text.as_bytes());
                text.clear();
                placeholder::push_label(text, LABEL, hash);
                changed = true;
            }
            Value::Array(items) => waiting.extend(items),
            Value::Object(fields) => {
                let told = fields.iter_mut();
                let told = told.filter(|(name, _)| !ABOUT.contains(&name.as_str()));
                waiting.extend(told.map(|(_, value)| value));
            }
            _ => {}
        }
    }
    changed
}

fn is_placeholder(text: &str) -> bool {
    placeholder::end(text.as_bytes(), 0) == Some(text.len())
}
