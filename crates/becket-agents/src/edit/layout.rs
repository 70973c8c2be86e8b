//! Detects a document's layout, and prints new values in it.

use serde_json::Value;

use super::tree::{JsonNode, JsonShape};

/// The layout of one document. It only decides how new text looks; removal never uses it.
#[derive(Debug, Clone)]
pub(super) struct LayoutStyle {
    pub(super) newline: &'static str,
    /// One step of indentation.
    pub(super) unit: String,
    /// Whether the document has more than one line. An empty one may get several.
    pub(super) lines: bool,
    /// Whether a colon is followed by a space.
    pub(super) spaced: bool,
}

impl LayoutStyle {
    pub(super) fn of(text: &str, root: Option<&JsonNode>) -> Self {
        let first = root.and_then(JsonNode::members).and_then(<[_]>::first);
        Self {
            newline: newline(text),
            unit: unit(text, root).unwrap_or("  ").to_owned(),
            lines: root
                .is_none_or(|root| is_empty(root) || text[root.range.clone()].contains('\n')),
            spaced: first.is_none_or(|member| {
                text[member.key_end..member.value.range.start].contains(char::is_whitespace)
            }),
        }
    }

    /// Prints `value`; its outermost `spread` levels get one line per child if the document has several lines.
    pub(super) fn render(&self, value: &Value, indent: &str, spread: usize) -> String {
        let mut out = String::new();
        self.write(&mut out, value, indent, spread);
        out
    }

    /// Prints `"key": value`.
    pub(super) fn render_member(
        &self,
        key: &str,
        value: &Value,
        indent: &str,
        spread: usize,
    ) -> String {
        let mut out = String::new();
        self.write_member(&mut out, key, value, indent, spread);
        out
    }

    fn write(&self, out: &mut String, value: &Value, indent: &str, spread: usize) {
        match value {
            Value::Array(elements) => {
                self.write_children(out, ['[', ']'], elements, indent, spread, Self::write);
            }
            Value::Object(members) => {
                self.write_children(
                    out,
                    ['{', '}'],
                    members,
                    indent,
                    spread,
                    |style, out, (key, value), indent, spread| {
                        style.write_member(out, key, value, indent, spread);
                    },
                );
            }
            scalar => out.push_str(&scalar.to_string()),
        }
    }

    fn write_member(
        &self,
        out: &mut String,
        key: &str,
        value: &Value,
        indent: &str,
        spread: usize,
    ) {
        out.push_str(&quoted(key));
        out.push_str(if self.spaced { ": " } else { ":" });
        self.write(out, value, indent, spread);
    }

    fn write_children<I: IntoIterator>(
        &self,
        out: &mut String,
        [open, close]: [char; 2],
        children: I,
        indent: &str,
        spread: usize,
        mut write: impl FnMut(&Self, &mut String, I::Item, &str, usize),
    ) {
        let on_lines = self.lines && spread > 0;
        let inner = format!("{indent}{}", self.unit);
        let mut count = 0_usize;
        out.push(open);
        for child in children {
            match (count, on_lines) {
                (0, _) => {}
                (_, false) if self.spaced => out.push_str(", "),
                _ => out.push(','),
            }
            if on_lines {
                out.push_str(self.newline);
                out.push_str(&inner);
            }
            write(self, out, child, &inner, spread.saturating_sub(1));
            count += 1;
        }
        if on_lines && count > 0 {
            out.push_str(self.newline);
            out.push_str(indent);
        }
        out.push(close);
    }
}

/// A JSON string literal.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// The line ending of the first line.
pub(super) fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The indentation of the line that contains `offset`.
pub(super) fn indent_at(text: &str, offset: usize) -> &str {
    let start = text[..offset].rfind('\n').map_or(0, |newline| newline + 1);
    let line = &text[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The indentation of the text at `offset`, if it is the first on its line.
pub(super) fn own_line_indent(text: &str, offset: usize) -> Option<&str> {
    let start = text[..offset].rfind('\n')? + 1;
    let before = &text[start..offset];
    before
        .trim_start_matches([' ', '\t'])
        .is_empty()
        .then_some(before)
}

fn unit<'t>(text: &'t str, root: Option<&JsonNode>) -> Option<&'t str> {
    let root = root?;
    let starts: Vec<usize> = match &root.shape {
        JsonShape::Array(elements) => elements.iter().map(|element| element.range.start).collect(),
        JsonShape::Object(members) => members.iter().map(|member| member.range.start).collect(),
        _ => Vec::new(),
    };
    starts
        .into_iter()
        .find_map(|start| own_line_indent(text, start))
}

fn is_empty(node: &JsonNode) -> bool {
    match &node.shape {
        JsonShape::Array(elements) => elements.is_empty(),
        JsonShape::Object(members) => members.is_empty(),
        _ => false,
    }
}
