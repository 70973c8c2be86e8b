//! Finds the path arguments and the text arguments of a tool.

use serde_json::Value;

/// Limits on the number of paths and the depth of the input. Beyond them the guard asks.
const MAX_PATHS: usize = 4096;
const MAX_DEPTH: usize = 64;
/// Longer strings are not paths.
const MAX_PATH_LENGTH: usize = 4096;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PathArgument {
    pub(super) text: String,
    pub(super) role: PathRole,
}

/// The role of a path in a copy or a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PathRole {
    Source,
    Target,
    Only,
}

/// All path arguments of a tool call.
#[derive(Debug, Default)]
pub(super) struct PathArguments {
    /// The paths, in order.
    pub(super) paths: Vec<PathArgument>,
    /// Whether a limit was exceeded.
    pub(super) too_many: bool,
}

/// Finds all paths in the input.
pub(super) fn paths(input: &Value) -> PathArguments {
    let mut found = PathArguments::default();
    collect(input, None, 0, &mut found);
    found
}

fn collect(value: &Value, role: Option<PathRole>, depth: usize, found: &mut PathArguments) {
    if depth > MAX_DEPTH || found.paths.len() >= MAX_PATHS {
        found.too_many |= !matches!(value, Value::Null | Value::Bool(_) | Value::Number(_));
        return;
    }
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                collect(value, role_of(key), depth + 1, found);
            }
        }
        Value::Array(items) => {
            for item in items {
                collect(item, role, depth + 1, found);
            }
        }
        Value::String(text) => {
            let is_uri = text.starts_with("file:");
            let Some(role) = role.or(is_uri.then_some(PathRole::Only)) else {
                return;
            };
            let is_address = !is_uri && text.contains("://");
            if !text.is_empty()
                && text.len() <= MAX_PATH_LENGTH
                && !is_address
                && !text.contains('\n')
            {
                let text = if is_uri { from_uri(text) } else { text.clone() };
                found.paths.push(PathArgument { text, role });
            }
        }
        _ => {}
    }
}

/// The role of an argument whose name says that it is a path; `None` for other arguments.
fn role_of(key: &str) -> Option<PathRole> {
    let key: String = key
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|c| c.to_ascii_lowercase())
        .collect();
    match key.as_str() {
        "source" | "src" | "from" | "oldpath" | "sourcepath" | "sources" | "frompath"
        | "sourcefile" | "inputpath" | "inputfile" => Some(PathRole::Source),
        "destination" | "dest" | "dst" | "to" | "target" | "newpath" | "destinationpath"
        | "targetpath" | "targets" | "topath" | "targetfile" | "outputpath" | "outputfile"
        | "output" => Some(PathRole::Target),
        "path"
        | "paths"
        | "file"
        | "files"
        | "filepath"
        | "filepaths"
        | "filename"
        | "filenames"
        | "uri"
        | "uris"
        | "directory"
        | "dir"
        | "folder"
        | "notebookpath"
        | "absolutepath"
        | "relativepath"
        | "relativeworkspacepath"
        | "abspath"
        | "location"
        | "document"
        | "documenturi"
        | "textdocument"
        | "attachment"
        | "attachments" => Some(PathRole::Only),
        _ => None,
    }
}

/// The path of a `file:` URI.
pub(super) fn from_uri(uri: &str) -> String {
    let rest = uri.strip_prefix("file:").unwrap_or(uri);
    let path = match rest.strip_prefix("//") {
        // A host may precede the path.
        Some(rest) => rest.find('/').map_or(rest, |at| &rest[at..]),
        None => rest,
    };
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let decoded = (bytes[at] == b'%')
            .then(|| path.get(at + 1..at + 3))
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(decoded.unwrap_or(bytes[at]));
        at += if decoded.is_some() { 3 } else { 1 };
    }
    let path = String::from_utf8_lossy(&out).into_owned();
    // `file:///c:/x`
    match path.strip_prefix('/') {
        Some(drive) if drive.as_bytes().get(1) == Some(&b':') => drive.to_owned(),
        _ => path,
    }
}

/// Finds all texts that the tool would write.
pub(super) fn texts(input: &Value) -> Vec<&str> {
    let mut found = Vec::new();
    collect_texts(input, false, 0, &mut found);
    found
}

fn collect_texts<'v>(value: &'v Value, is_text: bool, depth: usize, found: &mut Vec<&'v str>) {
    if depth > MAX_DEPTH {
        return;
    }
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                let is_text = matches!(
                    key.as_str(),
                    "content"
                        | "contents"
                        | "new_string"
                        | "newString"
                        | "new_str"
                        | "newText"
                        | "new_text"
                        | "text"
                        | "file_text"
                        | "insert_text"
                        | "insert_line_text"
                        | "new_source"
                        | "replacement"
                        | "data"
                        | "body"
                );
                collect_texts(value, is_text, depth + 1, found);
            }
        }
        Value::Array(items) => {
            for item in items {
                collect_texts(item, is_text, depth + 1, found);
            }
        }
        Value::String(text) if is_text => found.push(text),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn path_arguments_are_found_by_name() {
        let input = json!({
            "path": "a", "query": "b", "nested": { "filePath": "c", "items": [{ "file": "d" }] },
            "paths": ["e", "f"], "source": "g", "new_path": "h", "uri": "file:///i%2Ej", "url": "https://k/l",
            "resource": "file:///m",
        });
        let found = paths(&input).paths.into_iter().map(|path| path.text);
        let found: Vec<String> = found.collect();
        assert_eq!(found, ["a", "c", "d", "e", "f", "g", "h", "/i.j", "/m"]);
    }

    #[test]
    fn file_uris_become_paths() {
        for (uri, expected) in [
            ("file:///a/b", "/a/b"),
            ("file://localhost/a", "/a"),
            ("file:/a", "/a"),
            ("file:///a%20b?x#y", "/a b"),
            ("file:///c:/x", "c:/x"),
            ("file:///a%", "/a%"),
            ("file:///a%é", "/a%é"),
        ] {
            assert_eq!(from_uri(uri), expected, "{uri}");
        }
    }
}
