//! One tree for three notations: JSON (with comments), TOML and YAML are parsed into [`ConfigNode`]s with
//! line numbers, so one reader serves every dialect.
//!
//! Nothing here knows what a hook is. Depth is limited in all three notations, and YAML aliases are never
//! expanded, because a configuration file may come from an untrusted source.

use std::borrow::Cow;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

/// The nesting limit for YAML. The JSON and TOML parsers have their own limits.
const MAX_YAML_DEPTH: usize = 64;

/// A value and the line it starts on.
#[derive(Debug)]
pub(crate) struct ConfigNode<'t> {
    pub(crate) tree: ConfigValue<'t>,
    /// Counted from 1.
    pub(crate) line: usize,
}

#[derive(Debug)]
pub(crate) enum ConfigValue<'t> {
    Null,
    Bool(bool),
    Number(Number),
    Text(Cow<'t, str>),
    List(Vec<ConfigNode<'t>>),
    Table(Vec<ConfigField<'t>>),
    /// A value that JSON cannot express; the text describes it.
    Unsupported(&'static str),
}

/// One key of a table, in file order.
#[derive(Debug)]
pub(crate) struct ConfigField<'t> {
    pub(crate) key: Cow<'t, str>,
    /// The line of the key.
    pub(crate) line: usize,
    pub(crate) node: ConfigNode<'t>,
    /// The same key occurs again further down, and the later one is used.
    pub(crate) shadowed: bool,
}

/// The text is not valid in its notation.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SyntaxError {
    pub(crate) line: usize,
    pub(crate) message: String,
}

impl<'t> ConfigNode<'t> {
    /// The type of the value, for "expected …, found …".
    pub(crate) fn describe(&self) -> &'static str {
        match &self.tree {
            ConfigValue::Null => "null",
            ConfigValue::Bool(_) => "a boolean",
            ConfigValue::Number(_) => "a number",
            ConfigValue::Text(_) => "a string",
            ConfigValue::List(_) => "an array",
            ConfigValue::Table(_) => "an object",
            ConfigValue::Unsupported(what) => what,
        }
    }

    /// Its text, if it is text.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.tree {
            ConfigValue::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The effective value of a key. `null` counts as missing.
    pub(crate) fn get(&self, key: &str) -> Option<&ConfigField<'t>> {
        match &self.tree {
            ConfigValue::Table(fields) => find(fields, key),
            _ => None,
        }
    }

    /// Converts to a JSON value.
    pub(crate) fn to_json(&self) -> Value {
        match &self.tree {
            ConfigValue::Null | ConfigValue::Unsupported(_) => Value::Null,
            ConfigValue::Bool(flag) => Value::Bool(*flag),
            ConfigValue::Number(number) => Value::Number(number.clone()),
            ConfigValue::Text(text) => Value::String(text.as_ref().to_owned()),
            ConfigValue::List(nodes) => nodes.iter().map(ConfigNode::to_json).collect(),
            ConfigValue::Table(fields) => fields
                .iter()
                .filter(|field| !field.shadowed)
                .map(|field| (field.key.as_ref().to_owned(), field.node.to_json()))
                .collect::<Map<_, _>>()
                .into(),
        }
    }
}

/// The effective field of a key. `null` counts as missing.
pub(crate) fn find<'n, 't>(
    fields: &'n [ConfigField<'t>],
    key: &str,
) -> Option<&'n ConfigField<'t>> {
    fields.iter().find(|field| {
        field.key == key && !field.shadowed && !matches!(field.node.tree, ConfigValue::Null)
    })
}

/// Marks all but the last of several equal keys as shadowed.
fn table(mut fields: Vec<ConfigField<'_>>) -> ConfigValue<'_> {
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
    ConfigValue::Table(fields)
}

/// Maps byte offsets to line numbers.
struct LineIndex(Vec<usize>);

impl LineIndex {
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

/// Parses JSON, allowing comments and trailing commas. Of the top-level object only the `wanted` keys are
/// converted: the rest of a settings file belongs to the agent. `None` if the text is blank.
pub(crate) fn json(
    text: &str,
    wanted: impl Fn(&str) -> bool,
) -> Result<Option<ConfigNode<'_>>, SyntaxError> {
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
    let lines = LineIndex::new(text);
    Ok(parsed.value.map(|value| match value {
        ast::Value::Object(mut object) => {
            object.properties.retain(|prop| wanted(prop.name.as_str()));
            json_node(ast::Value::Object(object), &lines)
        }
        other => json_node(other, &lines),
    }))
}

fn json_node<'t>(value: ast::Value<'t>, lines: &LineIndex) -> ConfigNode<'t> {
    let line = lines.of(value.start());
    let tree = match value {
        ast::Value::NullKeyword(_) => ConfigValue::Null,
        ast::Value::BooleanLit(flag) => ConfigValue::Bool(flag.value),
        ast::Value::NumberLit(number) => number_tree(number.value),
        ast::Value::StringLit(text) => ConfigValue::Text(text.value),
        ast::Value::Array(array) => ConfigValue::List(
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
                .map(|prop| ConfigField {
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
    ConfigNode { tree, line }
}

fn number_tree<'t>(text: &str) -> ConfigValue<'t> {
    if let Ok(whole) = text.parse::<i64>() {
        return ConfigValue::Number(whole.into());
    }
    if let Ok(whole) = text.parse::<u64>() {
        return ConfigValue::Number(whole.into());
    }
    float_tree(text.parse::<f64>().unwrap_or(f64::NAN))
}

fn float_tree<'t>(number: f64) -> ConfigValue<'t> {
    Number::from_f64(number).map_or(
        ConfigValue::Unsupported("a non-finite number"),
        ConfigValue::Number,
    )
}

/// Reads TOML.
pub(crate) fn toml(text: &str) -> Result<ConfigNode<'_>, SyntaxError> {
    let text = without_bom(text);
    let lines = LineIndex::new(text);
    let table = DeTable::parse(text).map_err(|error| SyntaxError {
        line: error.span().map_or(1, |span| lines.of(span.start)),
        message: format!("not valid TOML: {}", sentence(error.message())),
    })?;
    Ok(ConfigNode {
        tree: toml_table(table.into_inner(), &lines),
        line: 1,
    })
}

fn toml_table<'t>(found: DeTable<'t>, lines: &LineIndex) -> ConfigValue<'t> {
    // The parser's map is sorted by name; users expect file order.
    let mut sorted: Vec<_> = found.into_iter().collect();
    sorted.sort_by_key(|(key, _)| key.span().start);
    let fields = sorted
        .into_iter()
        .map(|(key, value)| ConfigField {
            line: lines.of(key.span().start),
            key: key.into_inner(),
            node: toml_node(value, lines),
            shadowed: false,
        })
        .collect();
    ConfigValue::Table(fields)
}

fn toml_node<'t>(value: Spanned<DeValue<'t>>, lines: &LineIndex) -> ConfigNode<'t> {
    let line = lines.of(value.span().start);
    let tree = match value.into_inner() {
        DeValue::String(text) => ConfigValue::Text(text),
        DeValue::Integer(number) => toml_integer(&number),
        DeValue::Float(number) => float_tree(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => ConfigValue::Bool(flag),
        DeValue::Datetime(_) => ConfigValue::Unsupported("a date"),
        DeValue::Array(array) => ConfigValue::List(
            array
                .into_iter()
                .map(|element| toml_node(element, lines))
                .collect(),
        ),
        DeValue::Table(table) => toml_table(table, lines),
    };
    ConfigNode { tree, line }
}

fn toml_integer<'t>(number: &DeInteger<'_>) -> ConfigValue<'t> {
    match i64::from_str_radix(number.as_str(), number.radix()) {
        Ok(whole) => ConfigValue::Number(whole.into()),
        Err(_) => ConfigValue::Unsupported("an out-of-range number"),
    }
}

/// Reads one YAML document that starts on `first_line` of its file.
pub(crate) fn yaml(text: &str, first_line: usize) -> Result<ConfigNode<'_>, SyntaxError> {
    let mut builder = YamlBuilder {
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
    Ok(builder.done.unwrap_or(ConfigNode {
        tree: ConfigValue::Null,
        line: first_line,
    }))
}

/// Builds the tree from parser events, without recursion.
struct YamlBuilder<'t> {
    first_line: usize,
    open: Vec<OpenContainer<'t>>,
    done: Option<ConfigNode<'t>>,
}

enum OpenContainer<'t> {
    List(usize, Vec<ConfigNode<'t>>),
    Table(usize, Vec<ConfigField<'t>>, Option<(Cow<'t, str>, usize)>),
}

impl<'t> YamlBuilder<'t> {
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
                self.put(ConfigNode { tree, line }, at)
            }
            Event::Alias(_) => {
                let tree = ConfigValue::Unsupported("an alias, which is not expanded here");
                self.put(ConfigNode { tree, line }, at)
            }
            Event::SequenceStart(..) => self.push(OpenContainer::List(line, Vec::new()), at),
            Event::MappingStart(..) => self.push(OpenContainer::Table(line, Vec::new(), None), at),
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(OpenContainer::List(line, nodes)) => self.put(
                    ConfigNode {
                        tree: ConfigValue::List(nodes),
                        line,
                    },
                    at,
                ),
                Some(OpenContainer::Table(line, fields, _)) => self.put(
                    ConfigNode {
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

    fn push(&mut self, open: OpenContainer<'t>, at: usize) -> Result<(), SyntaxError> {
        if self.open.len() == MAX_YAML_DEPTH {
            return Err(self.error(at, "cannot read YAML: nested too deeply"));
        }
        self.open.push(open);
        Ok(())
    }

    fn put(&mut self, node: ConfigNode<'t>, at: usize) -> Result<(), SyntaxError> {
        match self.open.last_mut() {
            None => self.done = Some(node),
            Some(OpenContainer::List(_, nodes)) => nodes.push(node),
            Some(OpenContainer::Table(_, fields, key)) => match key.take() {
                Some((key, line)) => fields.push(ConfigField {
                    key,
                    line,
                    node,
                    shadowed: false,
                }),
                None => match key_text(node) {
                    Ok(found) => *key = Some(found),
                    Err(what) => {
                        return Err(self.error(at, format!("cannot read YAML: {what} as a key")));
                    }
                },
            },
        }
        Ok(())
    }
}

fn key_text(node: ConfigNode<'_>) -> Result<(Cow<'_, str>, usize), &'static str> {
    let what = node.describe();
    match node.tree {
        ConfigValue::Text(text) => Ok((text, node.line)),
        ConfigValue::Bool(flag) => Ok((flag.to_string().into(), node.line)),
        ConfigValue::Number(number) => Ok((number.to_string().into(), node.line)),
        ConfigValue::Null => Ok(("null".into(), node.line)),
        _ => Err(what),
    }
}

/// YAML's core schema.
fn scalar<'t>(text: Cow<'t, str>, style: ScalarStyle, tag: Option<&Tag>) -> ConfigValue<'t> {
    let said_text = tag.is_some_and(|tag| tag.is_yaml_core_schema() && tag.suffix == "str");
    if style != ScalarStyle::Plain || said_text {
        return ConfigValue::Text(text);
    }
    match text.as_ref() {
        "" | "~" | "null" | "Null" | "NULL" => ConfigValue::Null,
        "true" | "True" | "TRUE" => ConfigValue::Bool(true),
        "false" | "False" | "FALSE" => ConfigValue::Bool(false),
        ".nan" | ".NaN" | ".NAN" | ".inf" | ".Inf" | ".INF" | "-.inf" | "-.Inf" | "-.INF" => {
            ConfigValue::Unsupported("a non-finite number")
        }
        number if is_number(number) => number_tree(number.strip_prefix('+').unwrap_or(number)),
        _ => ConfigValue::Text(text),
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
