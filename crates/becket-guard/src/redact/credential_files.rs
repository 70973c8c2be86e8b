//! Redacts content read from, or written to, a file that holds only secrets.
//!
//! The token in `~/.vault-token` has neither a name nor a shape; the file identifies it. Files with mixed content,
//! such as `.env`, are redacted line by line instead.

use becket_base::text::prefix_bytes;
use serde_json::{Map, Value};

use super::{Redactor, placeholder};
use crate::paths::{self, SecretFile, SecretKind};

/// Programs that print files.
#[rustfmt::skip]
const PRINTING_PROGRAMS: &[&str] = &[
    "awk", "base64", "bat", "batcat", "cat", "cut", "grep", "head", "hexdump", "less", "more", "nl", "od", "rg", "sed",
    "strings", "tac", "tail", "type", "xxd",
];
/// Fields of a result that describe the file, not its content.
const METADATA_FIELDS: &[&str] = &[
    "type",
    "file_path",
    "filePath",
    "path",
    "status",
    "mode",
    "encoding",
];
/// How many bytes of a command, and how many of its words, are examined.
const MAX_COMMAND_BYTES: usize = 4096;
const MAX_WORDS: usize = 16;
/// Label of the placeholder.
const LABEL: &str = "credential-file";

/// Fields with the input of a tool call, with its result, and with file content.
const INPUT_FIELDS: &[&str] = &["tool_input", "toolInput", "toolArgs", "tool_info", "args"];
#[rustfmt::skip]
const RESPONSE_FIELDS: &[&str] = &[
    "tool_response", "tool_output", "tool_result", "toolResult", "toolOutput", "result", "output", "response",
];
#[rustfmt::skip]
const CONTENT_FIELDS: &[&str] = &["content", "contents", "old_string", "new_string", "oldString", "newString"];

/// Redacts the content of a credential file in an object. Most objects have no content field (such as every payload
/// before a tool call); for them this only looks at the field names.
pub(super) fn redact_credential_file(redactor: &Redactor, fields: &mut Map<String, Value>) -> bool {
    let has = |names: &[&str]| fields.keys().any(|name| names.contains(&name.as_str()));
    let is_call = has(RESPONSE_FIELDS)
        && fields
            .iter()
            .any(|(name, value)| is_credential_input(name, value));
    let is_file = has(CONTENT_FIELDS)
        && fields
            .iter()
            .any(|(name, value)| is_credential_path(name, value));
    if !is_file && !is_call {
        return false;
    }
    let mut changed = false;
    for (name, value) in fields.iter_mut() {
        let name = name.as_str();
        let hides = (is_call && RESPONSE_FIELDS.contains(&name))
            || (is_file && CONTENT_FIELDS.contains(&name));
        changed |= hides && replace_strings(redactor, value);
    }
    changed
}

fn is_credential_input(name: &str, value: &Value) -> bool {
    INPUT_FIELDS.contains(&name) && value.as_object().is_some_and(reads_credential_file)
}

/// Whether the input of a tool call reads a credential file.
fn reads_credential_file(input: &Map<String, Value>) -> bool {
    input.iter().any(|(name, value)| match name.as_str() {
        "command" | "cmd" => match value {
            Value::String(command) => prints_credential_file(command),
            Value::Array(words) => words
                .iter()
                .filter_map(Value::as_str)
                .any(prints_credential_file),
            _ => false,
        },
        _ => is_credential_path(name, value),
    })
}

fn is_credential_path(name: &str, value: &Value) -> bool {
    matches!(name, "file_path" | "filePath" | "path" | "absolute_path")
        && value.as_str().is_some_and(is_credential_file)
}

fn prints_credential_file(command: &str) -> bool {
    let ends_word = |c: char| c.is_whitespace() || ";|&()<>'\"`".contains(c);
    let words = prefix_bytes(command, MAX_COMMAND_BYTES).split(ends_word);
    let mut words = words.skip_while(|word| !PRINTING_PROGRAMS.contains(&paths::name(word)));
    words.next();
    words
        .filter(|word| word.contains(['.', '/']) || word.starts_with("id_"))
        .take(MAX_WORDS)
        .any(is_credential_file)
}

fn is_credential_file(path: &str) -> bool {
    use SecretKind::{Credentials, Key, Store, System};
    let found = paths::secret_by_name(path);
    found.is_some_and(|SecretFile { kind, sure }| {
        sure && matches!(kind, Credentials | Key | Store | System)
    })
}

/// Replaces every string by a placeholder, without recursion.
fn replace_strings(redactor: &Redactor, value: &mut Value) -> bool {
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
                let content = fields.iter_mut();
                let content = content.filter(|(name, _)| !METADATA_FIELDS.contains(&name.as_str()));
                waiting.extend(content.map(|(_, value)| value));
            }
            _ => {}
        }
    }
    changed
}

fn is_placeholder(text: &str) -> bool {
    placeholder::end(text.as_bytes(), 0) == Some(text.len())
}
