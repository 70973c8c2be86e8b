//! A JSON document that can be edited without reprinting it.

use serde_json::Value;

use super::container::{JsonContainer, Splice, apply};
use super::layout::{LayoutStyle, newline, quoted};
use super::tree::{BOM, JsonNode, parse, position};
use super::{EditError, TextPosition};

/// A parsed JSON text; comments and trailing commas are allowed.
///
/// Positions are child indices from the root, because keys may occur twice. After every edit the text is
/// parsed again, so a `JsonDocument` always holds valid JSON or no value at all; a failed edit leaves it
/// unchanged.
///
/// ```
/// use becket_agents::edit::JsonDocument;
///
/// let mut document = JsonDocument::parse("{\n    \"model\": \"opus\" // the big one\n}\n")?;
/// document.append_member(&[], "verbose", &true.into(), 0)?;
/// assert_eq!(
///     document.text(),
///     "{\n    \"model\": \"opus\", // the big one\n    \"verbose\": true\n}\n"
/// );
/// # Ok::<(), becket_agents::edit::EditError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonDocument {
    text: String,
    root: Option<JsonNode>,
}

impl JsonDocument {
    /// Parses a text. A text without any value (empty, or only comments) is a document without a root.
    pub fn parse(text: impl Into<String>) -> Result<Self, EditError> {
        let text = text.into();
        let root = parse(&text)?;
        Ok(Self { text, root })
    }

    /// The current text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The current text, owned.
    pub fn into_text(self) -> String {
        self.text
    }

    /// The root value.
    pub fn root(&self) -> Option<&JsonNode> {
        self.root.as_ref()
    }

    /// The value at a position; an empty path is the root.
    pub fn node(&self, path: &[usize]) -> Option<&JsonNode> {
        path.iter()
            .try_fold(self.root()?, |node, index| node.child(*index))
    }

    /// Line and column of a byte offset.
    pub fn position(&self, offset: usize) -> TextPosition {
        position(&self.text, offset)
    }

    /// Gives a document without a value its root. [`Self::remove`] on its last child removes it again.
    pub fn create_root(&mut self, value: &Value, spread: usize) -> Result<(), EditError> {
        if self.root.is_some() {
            return Err(no_such_path(&[], "room for a second value"));
        }
        let style = LayoutStyle::of(&self.text, None);
        let root = style.render(value, "", spread);
        let body = self.text.strip_prefix(BOM).unwrap_or(&self.text);
        // Exactly one line break is added, so that removal knows which one to remove.
        let text = if body.is_empty() || body.ends_with('\n') {
            format!("{}{root}{}", self.text, style.newline)
        } else {
            format!("{}{}{root}", self.text, style.newline)
        };
        self.become_text(text)
    }

    /// Appends a member to the object at `path`. In a document of several lines, the outermost `spread` levels
    /// of `value` get one line per child.
    pub fn append_member(
        &mut self,
        path: &[usize],
        key: &str,
        value: &Value,
        spread: usize,
    ) -> Result<(), EditError> {
        if self.node(path).and_then(JsonNode::members).is_none() {
            return Err(no_such_path(path, "object"));
        }
        self.append(path, |style, indent| {
            style.render_member(key, value, indent, spread)
        })
    }

    /// Appends an element to the array at `path`; `spread` as in [`Self::append_member`].
    pub fn append_element(
        &mut self,
        path: &[usize],
        value: &Value,
        spread: usize,
    ) -> Result<(), EditError> {
        if self.node(path).and_then(JsonNode::elements).is_none() {
            return Err(no_such_path(path, "array"));
        }
        self.append(path, |style, indent| style.render(value, indent, spread))
    }

    /// Replaces the string at `path`.
    pub fn replace_string(&mut self, path: &[usize], new: &str) -> Result<(), EditError> {
        let place = self.node(path).filter(|node| node.as_str().is_some());
        let Some(place) = place else {
            return Err(no_such_path(path, "string"));
        };
        let splice = (place.range.clone(), quoted(new));
        self.splice(vec![splice])
    }

    /// Sets a member of the object at `path` to `true` or `false`, in place if it exists.
    pub fn set_flag(&mut self, path: &[usize], key: &str, flag: bool) -> Result<(), EditError> {
        let object = self.node(path).filter(|node| node.members().is_some());
        let Some(object) = object else {
            return Err(no_such_path(path, "object"));
        };
        match object.member(key) {
            Some((_, member)) => {
                let splice = (member.value.range.clone(), flag.to_string());
                self.splice(vec![splice])
            }
            // An object on one line stays on one line.
            None => match object.members().and_then(<[_]>::last) {
                Some(last) if !self.text[object.range.clone()].contains('\n') => {
                    let end = last.range.end;
                    let style = LayoutStyle::of(&self.text, self.root());
                    let member = style.render_member(key, &flag.into(), "", 0);
                    let gap = if style.spaced { " " } else { "" };
                    self.splice(vec![(end..end, format!(",{gap}{member}"))])
                }
                _ => self.append_member(path, key, &flag.into(), 0),
            },
        }
    }

    /// Removes the member or element at `path`, and every container that becomes empty, unless there is proof
    /// that the container existed before: a comment inside, or the blank line that appending to an empty
    /// container leaves. A document that loses its root keeps the text around it.
    pub fn remove(&mut self, path: &[usize]) -> Result<(), EditError> {
        if self.node(path).is_none() {
            return Err(no_such_path(path, "value"));
        }
        let mut path = path;
        while let Some((index, parent)) = path.split_last() {
            let container = self.container(parent)?;
            let splices = match container.len() {
                1 => container.remove_only(),
                _ => Some(container.remove(*index)),
            };
            match splices {
                Some(splices) => return self.splice(splices),
                None => path = parent,
            }
        }
        let text = self.without_root();
        self.become_text(text)
    }

    fn append(
        &mut self,
        path: &[usize],
        render: impl Fn(&LayoutStyle, &str) -> String,
    ) -> Result<(), EditError> {
        let style = LayoutStyle::of(&self.text, self.root());
        let container = self.container(path)?;
        let splices = container.append(&style, |indent| render(&style, indent));
        self.splice(splices)
    }

    fn container(&self, path: &[usize]) -> Result<JsonContainer<'_>, EditError> {
        self.node(path)
            .and_then(|node| JsonContainer::of(&self.text, node))
            .ok_or_else(|| no_such_path(path, "object or array"))
    }

    fn splice(&mut self, splices: Vec<Splice>) -> Result<(), EditError> {
        let text = apply(&self.text, splices);
        self.become_text(text)
    }

    fn become_text(&mut self, text: String) -> Result<(), EditError> {
        *self = Self::parse(text)?;
        Ok(())
    }

    fn without_root(&self) -> String {
        let Some(root) = &self.root else {
            return self.text.clone();
        };
        let inside = &self.text[root.range.clone()];
        let before = &self.text[..root.range.start];
        let after = &self.text[root.range.end..];
        let newline = newline(inside);
        let body = before.strip_prefix(BOM).unwrap_or(before);
        if after == newline && (body.is_empty() || body.ends_with('\n')) {
            return before.to_owned();
        }
        if after.is_empty()
            && let Some(before) = before.strip_suffix(newline)
        {
            return before.to_owned();
        }
        if body.trim().is_empty() && after.trim().is_empty() {
            return before[..before.len() - body.len()].to_owned();
        }
        // Comments of the user surround it, so an empty value stays for them to refer to.
        let empty = if inside.starts_with('[') { "[]" } else { "{}" };
        format!("{before}{empty}{after}")
    }
}

fn no_such_path(path: &[usize], expected: &'static str) -> EditError {
    EditError::NoSuchPath {
        path: path.to_vec(),
        expected,
    }
}
