//! A document's values with their byte ranges.
//!
//! The parser accepts comments and trailing commas but no other extension of JSON, because an agent would
//! refuse to load them. The parser limits nesting.

use std::ops::Range;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::{EditError, TextPosition};

/// The byte order mark that some editors write. It is kept, and it is not part of the JSON.
pub(super) const BOM: &str = "\u{feff}";

const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// One JSON value and its byte range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonNode {
    /// The byte range of the value, brackets and quotes included.
    pub range: Range<usize>,
    /// What the value is.
    pub shape: JsonShape,
}

/// The type and contents of a value. Numbers are not decoded, because no edit needs them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonShape {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// Any number.
    Number,
    /// A string, with its escapes resolved.
    String(String),
    /// The elements, in order.
    Array(Vec<JsonNode>),
    /// The members, in order; a key may occur twice.
    Object(Vec<JsonMember>),
}

/// One `"key": value` of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonMember {
    /// From the key's first quote to the end of the value.
    pub range: Range<usize>,
    /// Where the key ends, closing quote included.
    pub key_end: usize,
    /// The key, with its escapes resolved.
    pub key: String,
    /// The value.
    pub value: JsonNode,
}

impl JsonNode {
    /// The type of the value with its article, for messages.
    pub fn describe(&self) -> &'static str {
        match self.shape {
            JsonShape::Null => "null",
            JsonShape::Bool(_) => "a boolean",
            JsonShape::Number => "a number",
            JsonShape::String(_) => "a string",
            JsonShape::Array(_) => "an array",
            JsonShape::Object(_) => "an object",
        }
    }

    /// The string, if it is one.
    pub fn as_str(&self) -> Option<&str> {
        match &self.shape {
            JsonShape::String(text) => Some(text),
            _ => None,
        }
    }

    /// The elements, if it is an array.
    pub fn elements(&self) -> Option<&[JsonNode]> {
        match &self.shape {
            JsonShape::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The members, if it is an object.
    pub fn members(&self) -> Option<&[JsonMember]> {
        match &self.shape {
            JsonShape::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The effective member for `key`, with its index. Of duplicate keys, readers use the last.
    pub fn member(&self, key: &str) -> Option<(usize, &JsonMember)> {
        let members = self.members()?;
        let index = members.iter().rposition(|member| member.key == key)?;
        Some((index, &members[index]))
    }

    /// The effective value for `key`.
    pub fn get(&self, key: &str) -> Option<&JsonNode> {
        self.member(key).map(|(_, member)| &member.value)
    }

    /// The child with this index: an element, or a member's value.
    pub fn child(&self, index: usize) -> Option<&JsonNode> {
        match &self.shape {
            JsonShape::Array(elements) => elements.get(index),
            JsonShape::Object(members) => members.get(index).map(|member| &member.value),
            _ => None,
        }
    }
}

/// Parses a document; a text without any value is `None`.
pub(super) fn parse(text: &str) -> Result<Option<JsonNode>, EditError> {
    let skipped = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let body = &text[skipped..];
    match parse_to_ast(body, &CollectOptions::default(), &OPTIONS) {
        Ok(parsed) => Ok(parsed.value.map(|value| node(value, skipped))),
        Err(error) => Err(EditError::Syntax {
            at: position(text, skipped + error.range().start),
            message: uncapitalised(&error.kind().to_string()),
        }),
    }
}

/// Line and column of a byte offset. An offset inside a character is moved back to its start.
pub(super) fn position(text: &str, offset: usize) -> TextPosition {
    let mut end = offset.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let before = &text[..end];
    let before = before.strip_prefix(BOM).unwrap_or(before);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    TextPosition {
        line: before.matches('\n').count() + 1,
        column: before[line_start..].chars().count() + 1,
    }
}

fn node(value: ast::Value<'_>, skipped: usize) -> JsonNode {
    let range = shifted(value.range(), skipped);
    let shape = match value {
        ast::Value::NullKeyword(_) => JsonShape::Null,
        ast::Value::BooleanLit(literal) => JsonShape::Bool(literal.value),
        ast::Value::NumberLit(_) => JsonShape::Number,
        ast::Value::StringLit(literal) => JsonShape::String(literal.value.into_owned()),
        ast::Value::Array(array) => JsonShape::Array(
            array
                .elements
                .into_iter()
                .map(|element| node(element, skipped))
                .collect(),
        ),
        ast::Value::Object(object) => JsonShape::Object(
            object
                .properties
                .into_iter()
                .map(|property| member(property, skipped))
                .collect(),
        ),
    };
    JsonNode { range, shape }
}

fn member(property: ast::ObjectProp<'_>, skipped: usize) -> JsonMember {
    JsonMember {
        range: shifted(property.range, skipped),
        key_end: shifted(property.name.range(), skipped).end,
        key: property.name.as_str().to_owned(),
        value: node(property.value, skipped),
    }
}

fn shifted(range: jsonc_parser::common::Range, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

fn uncapitalised(message: &str) -> String {
    let mut chars = message.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => String::new(),
    }
}
