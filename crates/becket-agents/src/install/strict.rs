//! What agents refuse to parse although it is valid JSON with comments: the reasons behind
//! [`Installer::rejection_reason`](super::Installer::rejection_reason).
//!
//! The editor accepts comments, trailing commas and a byte order mark everywhere, because a user's file must
//! survive whatever it contains. Many agents accept less, and most of them report nothing.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

const BOM: char = '\u{feff}';

/// What an agent accepts beyond strict JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonTolerance {
    Nothing,
    /// A byte order mark.
    Bom,
    /// Comments, but no trailing comma.
    Comments,
    /// A byte order mark, and comments without trailing commas.
    BomAndComments,
}

impl JsonTolerance {
    fn mark(self) -> bool {
        matches!(self, Self::Bom | Self::BomAndComments)
    }

    fn comments(self) -> bool {
        matches!(self, Self::Comments | Self::BomAndComments)
    }
}

/// For agents that parse everything we write, or whose parser is not known to be stricter.
pub(crate) fn accepts_any_json(_text: &str) -> Option<String> {
    None
}

/// For agents that pass the command line to a shell unchanged.
pub(crate) fn passes_verbatim(_binary: &str) -> Option<&'static str> {
    None
}

/// For agents that expand variables in any string of their settings.
pub(crate) fn expands_variables(binary: &str) -> Option<&'static str> {
    binary
        .contains('$')
        .then_some("the agent expands `$` and a name as a variable")
}

/// For Cursor, which strips comments without respecting quotes.
pub(crate) fn strips_comments(binary: &str) -> Option<&'static str> {
    let cut = binary.contains("//") || binary.contains("/*");
    cut.then_some(
        "Cursor treats `//` and `/*` as comments even inside quotes, and rejects the file",
    )
}

/// For Auggie, which splits the command line itself and has no escapes.
pub(crate) fn splits_words(binary: &str) -> Option<&'static str> {
    binary
        .contains(['\'', '"', '\\', '$', '`'])
        .then_some("Auggie splits the line without a shell, so quotes and escapes do not work")
}

/// Why an agent that parses strict JSON, with some tolerance, rejects a text. `consequence` says what the
/// agent does then, after its name.
pub(crate) fn not_strict(
    text: &str,
    tolerates: JsonTolerance,
    consequence: &str,
) -> Option<String> {
    let body = match text.strip_prefix(BOM) {
        Some(body) if tolerates.mark() => body,
        Some(_) => {
            return Some(format!(
                "the file begins with a byte order mark, so {consequence}"
            ));
        }
        None => text,
    };
    if body.trim().is_empty() {
        return None;
    }
    let stripped;
    let (body, forbidden) = if tolerates.comments() {
        stripped = without_comments(body);
        (stripped.as_str(), "a trailing comma, for instance")
    } else {
        (body, "a comment or a trailing comma, for instance")
    };
    let error = serde_json::from_str::<IgnoredAny>(body).err()?;
    let line = error.line();
    Some(format!(
        "line {line} is not strict JSON ({forbidden}), so {consequence}"
    ))
}

/// Why Cursor rejects a `hooks.json`; it then runs no hook of that file.
pub(crate) fn cursor(text: &str, known: &[&str]) -> Option<String> {
    let body = text.strip_prefix(BOM).unwrap_or(text);
    if body.trim().is_empty() {
        return None;
    }
    let so = "so Cursor rejects the whole file";
    let Ok(root) = serde_json::from_str::<Value>(&as_cursor_strips(body)) else {
        let reason = "the file is not valid JSON once everything behind `//` is cut off, even inside \
                      strings, and trailing commas are not allowed";
        return Some(format!("{reason}, {so}"));
    };
    if root.get("version").and_then(Value::as_u64).unwrap_or(0) == 0 {
        return Some(format!("`version` is not a positive integer, {so}"));
    }
    let hooks = root.get("hooks").and_then(Value::as_object)?;
    for (event, scripts) in hooks {
        if !known.contains(&event.as_str()) {
            return Some(format!("`{event}` is not an event of Cursor, {so}"));
        }
        let is_script = |script: &Value| {
            let text = |key: &str| script.get(key).is_some_and(Value::is_string);
            text("command") || text("prompt")
        };
        let scripts = scripts.as_array();
        if !scripts.is_some_and(|scripts| scripts.iter().all(is_script)) {
            return Some(format!(
                "an entry under `{event}` has neither a command nor a prompt, {so}"
            ));
        }
    }
    None
}

/// Why Droid ignores the hooks of a `settings.json`.
pub(crate) fn droid_settings(text: &str) -> Option<String> {
    droid(text, |root| root.get("hooks").cloned())
}

/// Why Droid ignores the hooks of a `hooks.json`, which has the events at its top level.
pub(crate) fn droid_hooks(text: &str) -> Option<String> {
    droid(text, |root| Some(root.clone())).or_else(|| {
        let root: Value = serde_json::from_str(&without_comments(text)).ok()?;
        root.get("hooks")?.is_object().then(|| {
            "Droid expects events at the top level of `hooks.json` and ignores entries under the key `hooks`; \
             only `settings.json` has that key"
                .to_owned()
        })
    })
}

fn droid(text: &str, hooks: impl Fn(&Value) -> Option<Value>) -> Option<String> {
    let so = "Droid ignores all hooks of the file";
    if let Some(reason) = not_strict(text, JsonTolerance::Comments, so) {
        return Some(reason);
    }
    let root: Value = serde_json::from_str(&without_comments(text)).ok()?;
    let error = serde_json::from_value::<DroidEventsWire>(hooks(&root)?).err()?;
    Some(format!("{so}: {error}"))
}

/// One invalid handler makes Droid 0.225 drop the whole map.
#[derive(Deserialize, Default)]
#[serde(rename_all = "PascalCase", default)]
struct DroidEventsWire {
    pre_tool_use: Vec<DroidGroupWire>,
    post_tool_use: Vec<DroidGroupWire>,
    notification: Vec<DroidGroupWire>,
    user_prompt_submit: Vec<DroidGroupWire>,
    stop: Vec<DroidGroupWire>,
    subagent_stop: Vec<DroidGroupWire>,
    pre_compact: Vec<DroidGroupWire>,
    session_start: Vec<DroidGroupWire>,
    session_end: Vec<DroidGroupWire>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "deserialized only to see whether it is valid")]
struct DroidGroupWire {
    matcher: Option<String>,
    hooks: Vec<DroidHandlerWire>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(dead_code, reason = "deserialized only to see whether it is valid")]
enum DroidHandlerWire {
    Command {
        command: String,
        timeout: Option<f64>,
    },
}

/// Why Codex rejects a `hooks.json`; it is parsed as Codex 0.166 does.
pub(crate) fn codex(text: &str) -> Option<String> {
    if text.trim().is_empty() {
        return None;
    }
    let error = serde_json::from_str::<CodexFileWire>(text).err()?;
    Some(format!(
        "Codex cannot read the file and runs none of its hooks: {error}"
    ))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "deserialized only to see whether it is valid")]
struct CodexFileWire {
    description: Option<String>,
    #[serde(default)]
    hooks: CodexEventsWire,
}

/// Unknown names are ignored; known ones must not occur twice.
#[derive(Deserialize, Default)]
#[serde(rename_all = "PascalCase", default)]
struct CodexEventsWire {
    pre_model_request: Vec<CodexGroupWire>,
    post_model_request: Vec<CodexGroupWire>,
    pre_tool_use: Vec<CodexGroupWire>,
    permission_request: Vec<CodexGroupWire>,
    post_tool_use: Vec<CodexGroupWire>,
    pre_compact: Vec<CodexGroupWire>,
    post_compact: Vec<CodexGroupWire>,
    session_start: Vec<CodexGroupWire>,
    session_end: Vec<CodexGroupWire>,
    user_prompt_submit: Vec<CodexGroupWire>,
    subagent_start: Vec<CodexGroupWire>,
    subagent_stop: Vec<CodexGroupWire>,
    stop: Vec<CodexGroupWire>,
    interrupt: Vec<CodexGroupWire>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "deserialized only to see whether it is valid")]
struct CodexGroupWire {
    matcher: Option<String>,
    #[serde(default)]
    hooks: Vec<CodexHandlerWire>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(dead_code, reason = "deserialized only to see whether it is valid")]
enum CodexHandlerWire {
    Command {
        command: String,
        timeout: Option<u64>,
        #[serde(default)]
        r#async: bool,
        #[serde(rename = "statusMessage")]
        status_message: Option<String>,
        #[serde(rename = "additionalContextLimit")]
        additional_context_limit: Option<usize>,
    },
    McpTool {
        server: String,
        tool: String,
        timeout: Option<u64>,
    },
    Prompt {},
    Agent {},
}

/// Replaces comments by spaces, so that line numbers stay.
fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', '/']) {
        let (before, found) = rest.split_at(at);
        out.push_str(before);
        let length = if found.starts_with("//") {
            found.find(['\n', '\r']).unwrap_or(found.len())
        } else if found.starts_with("/*") {
            found.find("*/").map_or(found.len(), |end| end + 2)
        } else {
            let length = if found.starts_with('"') {
                string_length(found)
            } else {
                1
            };
            out.push_str(&found[..length]);
            rest = &found[length..];
            continue;
        };
        let breaks = |c: char| if matches!(c, '\n' | '\r') { c } else { ' ' };
        out.extend(found[..length].chars().map(breaks));
        rest = &found[length..];
    }
    out.push_str(rest);
    out
}

/// The length of the string literal at the start of a text, or of the text if it is unterminated.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The text after Cursor's comment stripping.
fn as_cursor_strips(text: &str) -> String {
    let lines = text.split('\n').map(|line| {
        let cut = line.find("//").unwrap_or(line.len());
        &line[..cut]
    });
    let mut text = lines.collect::<Vec<_>>().join("\n");
    while let Some(start) = text.find("/*") {
        let Some(length) = text[start + 2..].find("*/") else {
            break;
        };
        text.replace_range(start..start + 2 + length + 2, "");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_become_spaces_and_strings_stay() {
        for (text, expected) in [
            ("{} // a", "{}     "),
            ("/* a\n*/{}", "    \n  {}"),
            (r#"{"a": "// \" /* x"} /"#, r#"{"a": "// \" /* x"} /"#),
            ("\"open", "\"open"),
            ("/* open", "       "),
            ("// é\r1", "    \r1"),
        ] {
            assert_eq!(without_comments(text), expected);
        }
    }

    #[test]
    fn cursor_cuts_inside_strings_too() {
        assert_eq!(
            as_cursor_strips("{\"a\": \"https://x\",\n/* c\n */ \"b\": 1} // end"),
            "{\"a\": \"https:\n \"b\": 1} "
        );
    }

    #[test]
    fn json_tolerance_is_applied() {
        let so = "it stays unread";
        let strict = |text| not_strict(text, JsonTolerance::Nothing, so).is_none();
        let mark = |text| not_strict(text, JsonTolerance::Bom, so).is_none();
        let comments = |text| not_strict(text, JsonTolerance::Comments, so).is_none();
        let both = |text| not_strict(text, JsonTolerance::BomAndComments, so).is_none();
        for (text, expected) in [
            ("", [true, true, true, true]),
            ("{}", [true, true, true, true]),
            ("{} // c", [false, false, true, true]),
            ("{\"a\": 1,}", [false, false, false, false]),
            ("{\"a\": 1, /* c */}", [false, false, false, false]),
            ("\u{feff}{}", [false, true, false, true]),
            ("{\"a\": \"// no\"}", [true, true, true, true]),
            ("{", [false, false, false, false]),
        ] {
            assert_eq!(
                [strict(text), mark(text), comments(text), both(text)],
                expected,
                "{text}"
            );
        }
        assert_eq!(
            not_strict("{\n  // c\n}", JsonTolerance::Bom, so).as_deref(),
            Some(
                "line 2 is not strict JSON (a comment or a trailing comma, for instance), so it stays unread"
            )
        );
    }

    #[test]
    fn codex_files_are_validated_like_codex() {
        let file = |inside: &str| format!(r#"{{"hooks":{{"Stop":[{{"hooks":[{inside}]}}]}}}}"#);
        let command = r#"{"type":"command","command":"x"}"#;
        for good in [
            "",
            "{}",
            &file(command),
            &file(r#"{"type":"command","command":"x","timeout":3,"if":"y"}"#),
            &file(r#"{"type":"prompt","prompt":"x"}"#),
            r#"{"description":"d","hooks":{"Foo":5,"Stop":[{"z":1}]}}"#,
        ] {
            assert_eq!(codex(good), None, "{good}");
        }
        for bad in [
            "{} // c",
            "{\"hooks\":{},}",
            "\u{feff}{}",
            r#"{"hooks":{},"model":"x"}"#,
            r#"{"hooks":{"Stop":[],"Stop":[]}}"#,
            &file(r#"{"command":"x"}"#),
            &file(r#"{"type":"http","url":"x"}"#),
            &file(r#"{"type":"command","command":"x","timeout":1.5}"#),
        ] {
            assert!(codex(bad).is_some(), "{bad}");
        }
    }
}
