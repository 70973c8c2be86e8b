//! Reads `hooks` from the YAML front matter of Markdown files: skills, subagents, commands.

use std::path::Path;

use becket_model::{Dialect, Layer};

use super::reader::{ConfigReader, KeyPath};
use super::tree::{self, ConfigNode, SyntaxError};
use super::{ConfigFile, choice, hooks_of, scope};

/// Reads the `hooks` in a Markdown file's front matter. A file without front matter, or without
/// hooks in it, gives an empty layer. In a subagent's file (under `agents/`) `Stop` means `SubagentStop`.
pub fn front_matter(file: &ConfigFile) -> Layer {
    let mut reader = ConfigReader::new(file);
    let Some(text) = front(file.text).filter(|text| mentions_hooks(text)) else {
        return reader.layer;
    };
    match parse(text, &mut reader) {
        Err(error) => return reader.syntax_error(error),
        Ok(node) => {
            let at = KeyPath::root(node.line);
            let mut scope = scope(Dialect::Claude);
            scope.subagent = is_subagent(file.path);
            scope.choice = choice(&mut reader, &node, &at);
            hooks_of(&mut reader, &node, &at, scope);
        }
    }
    reader.layer
}

/// The text between the `---` lines. It starts on line 2.
fn front(text: &str) -> Option<&str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (first, rest) = text.split_once('\n')?;
    if first.trim_end() != "---" {
        return None;
    }
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        if matches!(line.trim_end(), "---" | "...") {
            return Some(&rest[..end]);
        }
        end += line.len();
    }
    None
}

/// A cheap check before parsing: most such files have no hooks, and many are not valid YAML.
fn mentions_hooks(text: &str) -> bool {
    text.trim_start().starts_with('{') || text.lines().any(|line| is_hooks_key(line.trim_start()))
}

fn is_hooks_key(line: &str) -> bool {
    ["hooks", "\"hooks\"", "'hooks'"].iter().any(|key| {
        line.strip_prefix(key)
            .is_some_and(|rest| rest.trim_start().starts_with(':'))
    })
}

/// Parses the front matter. A description with a stray colon makes the whole block invalid YAML; then
/// only the `hooks` block is parsed, so the hooks still load.
fn parse<'t>(text: &'t str, reader: &mut ConfigReader) -> Result<ConfigNode<'t>, SyntaxError> {
    let error = match tree::yaml(text, 2) {
        Ok(node) => return Ok(node),
        Err(error) => error,
    };
    let Some((block, line)) = hooks_block(text) else {
        return Err(error);
    };
    let node = tree::yaml(block, line)?;
    reader.warn(
        &KeyPath::root(error.line),
        format!("{}; only `hooks` was read", error.message),
        Some("put the value in quotes".to_owned()),
    );
    Ok(node)
}

/// The lines of the top-level `hooks` key, and the number of the first.
fn hooks_block(text: &str) -> Option<(&str, usize)> {
    let mut start = None;
    let mut at = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let inside = line.starts_with([' ', '\t', '-', '#']) || line.trim().is_empty();
        match start {
            None if is_hooks_key(line) => start = Some((at, index + 2)),
            Some((from, first)) if !inside => return Some((&text[from..at], first)),
            _ => {}
        }
        at += line.len();
    }
    start.map(|(from, line)| (&text[from..], line))
}

/// Whether the file describes a subagent: its nearest ancestor among the component folders is `agents`.
fn is_subagent(path: &Path) -> bool {
    path.parent()
        .into_iter()
        .flat_map(Path::components)
        .rev()
        .filter_map(|part| part.as_os_str().to_str())
        .find(|part| matches!(*part, "agents" | "skills" | "commands"))
        == Some("agents")
}
