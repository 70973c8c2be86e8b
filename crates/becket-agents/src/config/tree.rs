//! One tree for three notations: JSON (with comments), TOML and YAML all become [`Node`]s that
//! remember their line, so that one reader serves every dialect.
//!
//! Nothing here knows what a hook is. Depth is bounded in all three notations, and YAML aliases are
//! never expanded: a configuration file may come from a stranger.

use std::borrow::Cow;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

/// How deep YAML may nest. JSON and TOML parsers bring their own bounds.
const DEPTH: usize = 64;

/// A value and the line it starts on.
#[derive(Debug)]
pub(crate) struct Node<'t> {
    pub(crate) tree: Tree<'t>,
    /// From 1.
    pub(crate) line: usize,
}

#[derive(Debug)]
pub(crate) enum Tree<'t> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'t, str>),
    List(Vec<Node<'t>>),
    Table(Vec<Field<'t>>),
    /// Something JSON has no word for; the text says what.
    Strange(&'static str),
}

/// One key of a table, in the order of the file.
#[derive(Debug)]
pub(crate) struct Field<'t> {
    pub(crate) key: Cow<'t, str>,
    /// The line of the key.
    pub(crate) line: usize,
    pub(crate) node: Node<'t>,
    /// The same key comes again further down; that one counts.
    pub(crate) shadowed: bool,
}

/// The text is not in its notation at all.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    pub(crate) line: usize,
    pub(crate) message: String,
}

impl<'t> Node<'t> {
    /// What it is, for "expected …, found …".
    pub(crate) fn what(&self) -> &'static str {
        match &self.tree {
            Tree::Null => "null",
            Tree::Bool(_) => "a boolean",
            Tree::Number(_) => "a number",
            Tree::Text(_) => "a string",
            Tree::List(_) => "an array",
            Tree::Table(_) => "an object",
            Tree::Strange(what) => what,
        }
    }

    /// Its text, if it is text.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.tree {
            Tree::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The value of a key that counts. `null` is the same as no value.
    pub(crate) fn get(&self, key: &str) -> Option<&Field<'t>> {
        match &self.tree {
            Tree::Table(fields) => find(fields, key),
            _ => None,
        }
    }

    /// The same as a JSON value.
    pub(crate) fn to_json(&self) -> Value {
        match &self.tree {
            Tree::Null | Tree::Strange(_) => Value::Null,
            Tree::Bool(flag) => Value::Bool(*flag),
            Tree::Number(number) => Value::Number(number.clone()),
            Tree::Text(text) => Value::String(text.as_ref().to_owned()),
            Tree::List(nodes) => nodes.iter().map(Node::to_json).collect(),
            Tree::Table(fields) => fields
                .iter()
                .filter(|field| !field.shadowed)
                .map(|field| (field.key.as_ref().to_owned(), field.node.to_json()))
                .collect::<Map<_, _>>()
                .into(),
        }
    }
}

/// The field of a key that counts. `null` is the same as no value.
pub(crate) fn find<'n, 't>(fields: &'n [Field<'t>], key: &str) -> Option<&'n Field<'t>> {
    fields
        .iter()
        .find(|field| field.key == key && !field.shadowed && !matches!(field.node.tree, Tree::Null))
}

/// Marks all but the last of equal keys.
fn table(mut fields: Vec<Field<'_>>) -> Tree<'_> {
    if fields.len() <= 16 {
        for at in 1..fields.len() {
            let (before, rest) = fields.split_at_mut(at);
            for field in before.iter_mut().filter(|field| field.key == rest[0].key) {
                field.shadowed = true;
            }
        }
    } else {
        let mut order: Vec<usize> = (0..fields.len()).collect();
        order.sort_by(|a, b| (&fields[*a].key, a).cmp(&(&fields[*b].key, b)));
        for pair in order.windows(2) {
            fields[pair[0]].shadowed = fields[pair[0]].key == fields[pair[1]].key;
        }
    }
    Tree::Table(fields)
}

/// Byte offsets to lines.
struct Lines(Vec<usize>);

impl Lines {
    fn new(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at).collect())
    }

    fn of(&self, offset: usize) -> usize {
        self.0.partition_point(|newline| *newline < offset) + 1
    }
}

fn without_bom(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Reads JSON, allowing comments and trailing commas. Of the outermost object only the keys that are
/// `wanted` are looked into: the rest of a settings file is somebody else's. `None` when the text is blank.
pub(crate) fn json(
    text: &str,
    wanted: impl Fn(&str) -> bool,
) -> Result<Option<Node<'_>>, SyntaxError> {
    let text = without_bom(text);
    let options = ParseOptions {
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
    let parsed =
        parse_to_ast(text, &CollectOptions::default(), &options).map_err(|error| SyntaxError {
            line: error.line_display(),
            message: format!("not valid JSON: {}", sentence(&error.kind().to_string())),
        })?;
    let lines = Lines::new(text);
    Ok(parsed.value.map(|value| match value {
        ast::Value::Object(mut object) => {
            object.properties.retain(|prop| wanted(prop.name.as_str()));
            json_node(ast::Value::Object(object), &lines)
        }
        other => json_node(other, &lines),
    }))
}

fn json_node<'t>(value: ast::Value<'t>, lines: &Lines) -> Node<'t> {
    let line = lines.of(value.start());
    let tree = match value {
        ast::Value::NullKeyword(_) => Tree::Null,
        ast::Value::BooleanLit(flag) => Tree::Bool(flag.value),
        ast::Value::NumberLit(number) => number_tree(number.value),
        ast::Value::StringLit(text) => Tree::Text(text.value),
        ast::Value::Array(array) => Tree::List(
            array
                .elements
                .into_iter()
                .map(|element| json_node(element, lines))
                .collect(),
        ),
        ast::Value::Object(object) => table(
            object
                .properties
                .into_iter()
                .map(|prop| Field {
                    line: lines.of(prop.range.start),
                    key: match prop.name {
                        ast::ObjectPropName::String(name) => name.value,
                        ast::ObjectPropName::Word(name) => Cow::Borrowed(name.value),
                    },
                    node: json_node(prop.value, lines),
                    shadowed: false,
                })
                .collect(),
        ),
    };
    Node { tree, line }
}

fn number_tree<'t>(text: &str) -> Tree<'t> {
    if let Ok(whole) = text.parse::<i64>() {
        return Tree::Number(whole.into());
    }
    if let Ok(whole) = text.parse::<u64>() {
        return Tree::Number(whole.into());
    }
    float_tree(text.parse::<f64>().unwrap_or(f64::NAN))
}

fn float_tree<'t>(number: f64) -> Tree<'t> {
    Number::from_f64(number).map_or(Tree::Strange("not a finite number"), Tree::Number)
}

/// Reads TOML.
pub(crate) fn toml(text: &str) -> Result<Node<'_>, SyntaxError> {
    let text = without_bom(text);
    let lines = Lines::new(text);
    let table = DeTable::parse(text).map_err(|error| SyntaxError {
        line: error.span().map_or(1, |span| lines.of(span.start)),
        message: format!("not valid TOML: {}", sentence(error.message())),
    })?;
    Ok(Node {
        tree: toml_table(table.into_inner(), &lines),
        line: 1,
    })
}

fn toml_table<'t>(found: DeTable<'t>, lines: &Lines) -> Tree<'t> {
    // The parser's map is sorted by name; people expect the order of the file.
    let mut sorted: Vec<_> = found.into_iter().collect();
    sorted.sort_by_key(|(key, _)| key.span().start);
    let fields = sorted
        .into_iter()
        .map(|(key, value)| Field {
            line: lines.of(key.span().start),
            key: key.into_inner(),
            node: toml_node(value, lines),
            shadowed: false,
        })
        .collect();
    Tree::Table(fields)
}

fn toml_node<'t>(value: Spanned<DeValue<'t>>, lines: &Lines) -> Node<'t> {
    let line = lines.of(value.span().start);
    let tree = match value.into_inner() {
        DeValue::String(text) => Tree::Text(text),
        DeValue::Integer(number) => toml_integer(&number),
        DeValue::Float(number) => float_tree(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => Tree::Bool(flag),
        DeValue::Datetime(_) => Tree::Strange("a date"),
        DeValue::Array(array) => Tree::List(
            array
                .into_iter()
                .map(|element| toml_node(element, lines))
                .collect(),
        ),
        DeValue::Table(table) => toml_table(table, lines),
    };
    Node { tree, line }
}

fn toml_integer<'t>(number: &DeInteger<'_>) -> Tree<'t> {
    match i64::from_str_radix(number.as_str(), number.radix()) {
        Ok(whole) => Tree::Number(whole.into()),
        Err(_) => Tree::Strange("a number too large"),
    }
}

/// Reads one YAML document that starts on `first_line` of its file.
pub(crate) fn yaml(text: &str, first_line: usize) -> Result<Node<'_>, SyntaxError> {
    let mut builder = Builder {
        first_line,
        open: Vec::new(),
        done: None,
    };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            builder.error(
                error.marker().line(),
                format!("not valid YAML: {}", sentence(error.info())),
            )
        })?;
        builder.take(event, span.start.line())?;
        if builder.done.is_some() {
            break;
        }
    }
    Ok(builder.done.unwrap_or(Node {
        tree: Tree::Null,
        line: first_line,
    }))
}

/// Builds the tree from events, without recursion.
struct Builder<'t> {
    first_line: usize,
    open: Vec<Open<'t>>,
    done: Option<Node<'t>>,
}

enum Open<'t> {
    List(usize, Vec<Node<'t>>),
    Table(usize, Vec<Field<'t>>, Option<(Cow<'t, str>, usize)>),
}

impl<'t> Builder<'t> {
    fn error(&self, line: usize, message: impl Into<String>) -> SyntaxError {
        SyntaxError {
            line: self.line(line),
            message: message.into(),
        }
    }

    fn line(&self, line: usize) -> usize {
        line.max(1) + self.first_line - 1
    }

    fn take(&mut self, event: Event<'t>, at: usize) -> Result<(), SyntaxError> {
        let line = self.line(at);
        match event {
            Event::Scalar(text, style, _, tag) => {
                let tree = scalar(text, style, tag.as_deref());
                self.put(Node { tree, line }, at)
            }
            Event::Alias(_) => {
                let tree = Tree::Strange("an alias, which is not expanded here");
                self.put(Node { tree, line }, at)
            }
            Event::SequenceStart(..) => self.push(Open::List(line, Vec::new()), at),
            Event::MappingStart(..) => self.push(Open::Table(line, Vec::new(), None), at),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::List(line, nodes)) => self.put(
                    Node {
                        tree: Tree::List(nodes),
                        line,
                    },
                    at,
                ),
                Some(Open::Table(line, fields, _)) => self.put(
                    Node {
                        tree: table(fields),
                        line,
                    },
                    at,
                ),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    fn push(&mut self, open: Open<'t>, at: usize) -> Result<(), SyntaxError> {
        if self.open.len() == DEPTH {
            return Err(self.error(at, "not readable YAML: nested too deeply"));
        }
        self.open.push(open);
        Ok(())
    }

    fn put(&mut self, node: Node<'t>, at: usize) -> Result<(), SyntaxError> {
        match self.open.last_mut() {
            None => self.done = Some(node),
            Some(Open::List(_, nodes)) => nodes.push(node),
            Some(Open::Table(_, fields, key)) => match key.take() {
                Some((key, line)) => fields.push(Field {
                    key,
                    line,
                    node,
                    shadowed: false,
                }),
                None => match key_text(node) {
                    Ok(found) => *key = Some(found),
                    Err(what) => {
                        return Err(self.error(at, format!("not readable YAML: {what} as a key")));
                    }
                },
            },
        }
        Ok(())
    }
}

fn key_text(node: Node<'_>) -> Result<(Cow<'_, str>, usize), &'static str> {
    let what = node.what();
    match node.tree {
        Tree::Text(text) => Ok((text, node.line)),
        Tree::Bool(flag) => Ok((flag.to_string().into(), node.line)),
        Tree::Number(number) => Ok((number.to_string().into(), node.line)),
        Tree::Null => Ok(("null".into(), node.line)),
        _ => Err(what),
    }
}

/// YAML's core schema.
fn scalar<'t>(text: Cow<'t, str>, style: ScalarStyle, tag: Option<&Tag>) -> Tree<'t> {
    let said_text = tag.is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
    if style != ScalarStyle::Plain || said_text {
        return Tree::Text(text);
    }
    match text.as_ref() {
        "" | "~" | "null" | "Null" | "NULL" => Tree::Null,
        "true" | "True" | "TRUE" => Tree::Bool(true),
        "false" | "False" | "FALSE" => Tree::Bool(false),
        ".nan" | ".NaN" | ".NAN" | ".inf" | ".Inf" | ".INF" | "-.inf" | "-.Inf" | "-.INF" => {
            Tree::Strange("not a finite number")
        }
        number if is_number(number) => number_tree(number.strip_prefix('+').unwrap_or(number)),
        _ => Tree::Text(text),
    }
}

fn is_number(text: &str) -> bool {
    let digits = text.trim_start_matches(['+', '-', '.']);
    digits.starts_with(|c: char| c.is_ascii_digit()) && text.parse::<f64>().is_ok()
}

/// A parser's message as a lower-case fragment of one line.
fn sentence(message: &str) -> String {
    let message = message
        .lines()
        .next()
        .unwrap_or_default()
        .trim_end_matches('.');
    let mut chars = message.chars();
    match chars.next() {
        Some(first) if chars.as_str().starts_with(|c: char| c.is_lowercase()) => {
            first.to_lowercase().chain(chars).collect()
        }
        _ => message.to_owned(),
    }
}
