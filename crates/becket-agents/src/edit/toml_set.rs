//! Sets single values in a TOML document: a key of a table, an item of an array of strings.
//!
//! In whatever notation the table is written (header, inline, dotted keys), the change is one splice.

use std::ops::Range;

use toml_edit::{Array, Item, Table, TableLike, Value};

use super::layout::newline;
use super::toml::{TomlDocument, toml_string};
use super::{EditError, TextPosition};

/// One step from a table to a value in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TomlStep<'a> {
    /// Under this key.
    Key(&'a str),
    /// At this index of an array.
    Index(usize),
}

/// A table, in one of TOML's notations.
#[derive(Clone, Copy)]
enum TableForm<'d> {
    /// With a header, or made of dotted keys.
    Table(&'d Table),
    Inline(&'d toml_edit::InlineTable),
    Array(&'d Array),
    Tables(&'d toml_edit::ArrayOfTables),
}

impl<'d> TableForm<'d> {
    fn of(item: &'d Item) -> Option<Self> {
        match item {
            Item::Table(table) => Some(Self::Table(table)),
            Item::ArrayOfTables(tables) => Some(Self::Tables(tables)),
            Item::Value(value) => Self::of_value(value),
            Item::None => None,
        }
    }

    fn of_value(value: &'d Value) -> Option<Self> {
        match value {
            Value::InlineTable(table) => Some(Self::Inline(table)),
            Value::Array(array) => Some(Self::Array(array)),
            _ => None,
        }
    }

    fn step(self, step: TomlStep<'_>) -> Option<Self> {
        match (self, step) {
            (Self::Table(table), TomlStep::Key(key)) => table.get(key).and_then(Self::of),
            (Self::Inline(table), TomlStep::Key(key)) => {
                TableLike::get(table, key).and_then(Self::of)
            }
            (Self::Tables(tables), TomlStep::Index(index)) => tables.get(index).map(Self::Table),
            (Self::Array(array), TomlStep::Index(index)) => {
                array.get(index).and_then(Self::of_value)
            }
            _ => None,
        }
    }

    fn as_table(self) -> Option<&'d dyn TableLike> {
        match self {
            Self::Table(table) => Some(table),
            Self::Inline(table) => Some(table),
            _ => None,
        }
    }
}

impl TomlDocument {
    /// Sets a key of the table at `path` to a value given as TOML source. An existing key keeps its position and
    /// its comments; a new one is appended.
    ///
    /// ```
    /// use becket_agents::edit::{TomlStep, TomlDocument};
    ///
    /// let mut document = TomlDocument::parse("[[hook]]\nname = \"a\" # mine\n")?;
    /// let hook = [TomlStep::Key("hook"), TomlStep::Index(0)];
    /// document.set(&hook, "enabled", "false")?;
    /// assert_eq!(document.text(), "[[hook]]\nname = \"a\" # mine\nenabled = false\n");
    /// # Ok::<(), becket_agents::edit::EditError>(())
    /// ```
    pub fn set(&mut self, path: &[TomlStep<'_>], key: &str, value: &str) -> Result<(), EditError> {
        let found = self.find(path);
        let table = found
            .and_then(TableForm::as_table)
            .ok_or_else(|| no_table(path))?;
        if let Some(item) = table.get(key) {
            return match item.span().filter(|_| item.is_value()) {
                Some(span) => self.replace(span, value),
                None => Err(self.unexpected(item, key, "a single value")),
            };
        }
        let (at, new) = match found {
            Some(TableForm::Inline(inline)) => {
                inline_insertion_point(inline, &format!("{} = {value}", bare(key)))
            }
            Some(TableForm::Table(table)) => self.insertion_point(table, path, key, value),
            _ => None,
        }
        .ok_or_else(|| no_table(path))?;
        self.replace(at..at, &new)
    }

    /// Removes a key from the table at `path`, with its line.
    pub fn unset(&mut self, path: &[TomlStep<'_>], key: &str) -> Result<(), EditError> {
        let table = self.find(path).and_then(TableForm::as_table);
        let place = table
            .and_then(|table| table.get_key_value(key))
            .and_then(|(key, item)| Some(key.span()?.start..item.span()?.end))
            .ok_or_else(|| no_table(path))?;
        let lines = self.line_start(place.start)..self.line_end(place.end);
        let lines = match self.text()[lines.end..].find('\n') {
            Some(length) => lines.start..lines.end + length + 1,
            None => lines,
        };
        self.replace(lines, "")
    }

    /// Adds a string to the array under `key`, unless it is present.
    pub fn add_text(
        &mut self,
        path: &[TomlStep<'_>],
        key: &str,
        text: &str,
    ) -> Result<(), EditError> {
        let Some(array) = self.array(path, key)? else {
            return self.set(path, key, &format!("[{}]", toml_string(text)));
        };
        if array.iter().any(|item| item.as_str() == Some(text)) {
            return Ok(());
        }
        self.add_item(path, key, &toml_string(text))
    }

    /// Appends a value, given as TOML source, to the array under `key`.
    pub fn add_item(
        &mut self,
        path: &[TomlStep<'_>],
        key: &str,
        new: &str,
    ) -> Result<(), EditError> {
        let Some(array) = self.array(path, key)? else {
            return self.set(path, key, &format!("[{new}]"));
        };
        let Some(span) = array.span() else {
            return Err(no_table(path));
        };
        let Some(last) = array.iter().last().and_then(Value::span) else {
            return self.replace(span.start + 1..span.start + 1, new);
        };
        let rest = &self.text()[last.end..span.end];
        let comma = rest
            .find(|c: char| !c.is_whitespace())
            .filter(|at| rest.as_bytes()[*at] == b',');
        let after = last.end + comma.map_or(0, |at| at + 1);
        if !self.text()[after..span.end].contains('\n') {
            let comma = if comma.is_some() { " " } else { ", " };
            let end = if comma == " " { "," } else { "" };
            return self.replace(after..after, &format!("{comma}{new}{end}"));
        }
        // Comments after the last item stay with it.
        let line = self.line_end(after);
        let indent = self.indent(last.start);
        let newline = newline(self.text());
        let remark = &self.text()[after..line];
        let (start, end) = if comma.is_some() {
            ("", ",")
        } else {
            (",", "")
        };
        let new = format!("{start}{remark}{newline}{indent}{new}{end}");
        self.replace(after..line, &new)
    }

    /// Removes a string from the array under `key`; returns whether it was present.
    pub fn remove_text(
        &mut self,
        path: &[TomlStep<'_>],
        key: &str,
        text: &str,
    ) -> Result<bool, EditError> {
        let Some(array) = self.array(path, key)? else {
            return Ok(false);
        };
        let spans: Vec<Range<usize>> = array.iter().filter_map(Value::span).collect();
        let index = array.iter().position(|item| item.as_str() == Some(text));
        let Some(index) = index.filter(|index| *index < spans.len()) else {
            return Ok(false);
        };
        let item = spans[index].clone();
        let line = self.line_start(item.start)..self.line_end(item.end);
        let before = self.text()[line.start..item.start].trim();
        let behind = self.text()[item.end..line.end].trim_start();
        let behind = behind.strip_prefix(',').unwrap_or(behind).trim_start();
        let alone = before.is_empty() && (behind.is_empty() || behind.starts_with('#'));
        let range = if alone {
            line.start..(line.end + self.break_at(line.end)).min(self.text().len())
        } else if let Some(next) = spans.get(index + 1) {
            item.start..next.start
        } else if index > 0 {
            spans[index - 1].end..item.end
        } else {
            let rest = &self.text()[item.end..];
            item.start..item.end + usize::from(rest.starts_with(','))
        };
        self.replace(range, "")?;
        Ok(true)
    }

    /// The table at `index` of an array of tables at `path`, with its subtables.
    pub fn element_blocks(&self, path: &[TomlStep<'_>], index: usize) -> Option<Vec<Range<usize>>> {
        let TableForm::Tables(tables) = self.find(path)? else {
            return None;
        };
        let mut blocks = Vec::new();
        self.collect_blocks(tables.get(index)?, &mut blocks);
        Some(blocks)
    }

    /// Whether there is no table at this path.
    pub fn is_missing(&self, path: &[TomlStep<'_>]) -> bool {
        self.find(path).is_none()
    }

    /// Whether the table at this path has the key.
    pub fn has_key(&self, path: &[TomlStep<'_>], key: &str) -> bool {
        let table = self.find(path).and_then(TableForm::as_table);
        table.is_some_and(|table| table.contains_key(key))
    }

    fn collect_blocks(&self, table: &Table, blocks: &mut Vec<Range<usize>>) {
        if !table.is_dotted() {
            blocks.extend(self.block(table).map(|block| self.with_remarks(block)));
        }
        for (_, item) in table {
            match item {
                Item::Table(table) => self.collect_blocks(table, blocks),
                Item::ArrayOfTables(tables) => {
                    for table in tables {
                        self.collect_blocks(table, blocks);
                    }
                }
                _ => {}
            }
        }
    }

    /// Comments directly above a table, without a blank line between, belong to it. At the start of a file they
    /// may be about the whole file, and stay.
    fn with_remarks(&self, block: Range<usize>) -> Range<usize> {
        let mut start = self.line_start(block.start);
        while start > 0 {
            let above = self.line_start(start - 1);
            if !self.text()[above..start].trim_start().starts_with('#') {
                break;
            }
            start = above;
        }
        let heads_the_file = self.text()[..start]
            .trim_start_matches('\u{feff}')
            .is_empty();
        if heads_the_file {
            block
        } else {
            start..block.end
        }
    }

    fn find(&self, path: &[TomlStep<'_>]) -> Option<TableForm<'_>> {
        path.iter()
            .try_fold(TableForm::of(self.root())?, |found, step| found.step(*step))
    }

    fn array(&self, path: &[TomlStep<'_>], key: &str) -> Result<Option<&Array>, EditError> {
        let table = self
            .find(path)
            .and_then(TableForm::as_table)
            .ok_or_else(|| no_table(path))?;
        match table.get(key) {
            None => Ok(None),
            Some(item) => match item.as_array() {
                Some(array) => Ok(Some(array)),
                None => Err(self.unexpected(item, key, "an array")),
            },
        }
    }

    /// Where a new line of a table goes, and its text.
    fn insertion_point(
        &self,
        table: &Table,
        path: &[TomlStep<'_>],
        key: &str,
        value: &str,
    ) -> Option<(usize, String)> {
        let newline = newline(self.text());
        let last = last_value(table);
        let name = match (table.is_dotted(), path.last()) {
            (true, Some(TomlStep::Key(above))) => format!("{}.{}", bare(above), bare(key)),
            (true, _) => return None,
            (false, _) => bare(key),
        };
        let at = match (&last, table.span()) {
            (Some(span), _) => span.end,
            (None, Some(header)) if !table.is_dotted() => header.end,
            _ => return None,
        };
        // A key and the start of its value are on one line.
        let indent = last.map_or("", |span| self.indent(span.start));
        Some((
            self.line_end(at),
            format!("{newline}{indent}{name} = {value}"),
        ))
    }

    fn indent(&self, offset: usize) -> &str {
        let line = &self.text()[self.line_start(offset)..];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    fn line_start(&self, offset: usize) -> usize {
        self.text()[..offset].rfind('\n').map_or(0, |at| at + 1)
    }

    fn break_at(&self, offset: usize) -> usize {
        let rest = &self.text()[offset..];
        ["\r\n", "\n"]
            .iter()
            .find(|newline| rest.starts_with(**newline))
            .map_or(0, |newline| newline.len())
    }

    fn unexpected(&self, item: &Item, key: &str, expected: &'static str) -> EditError {
        EditError::Unexpected {
            at: item
                .span()
                .map_or(TextPosition { line: 1, column: 1 }, |span| {
                    self.position(span.start)
                }),
            key: key.to_owned(),
            expected,
            found: item.type_name(),
        }
    }
}

/// The last value written under a table's own header.
pub(super) fn last_value(table: &Table) -> Option<Range<usize>> {
    let spans = table.iter().filter_map(|(_, item)| match item {
        Item::Value(value) => value.span(),
        Item::Table(inner) if inner.is_dotted() => last_value(inner),
        _ => None,
    });
    spans.max_by_key(|span| span.end)
}

/// Where a new member of an inline table goes, and its text.
fn inline_insertion_point(table: &toml_edit::InlineTable, member: &str) -> Option<(usize, String)> {
    let last = table.iter().filter_map(|(_, value)| value.span());
    match last.map(|span| span.end).max() {
        Some(end) => Some((end, format!(", {member}"))),
        None => Some((table.span()?.start + 1, format!(" {member} "))),
    }
}

/// A key in TOML notation.
fn bare(key: &str) -> String {
    let plain = !key.is_empty()
        && key
            .bytes()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'-'));
    if plain {
        key.to_owned()
    } else {
        toml_string(key)
    }
}

fn no_table(path: &[TomlStep<'_>]) -> EditError {
    EditError::NoSuchPath {
        path: path
            .iter()
            .filter_map(|step| match step {
                TomlStep::Index(index) => Some(*index),
                TomlStep::Key(_) => None,
            })
            .collect(),
        expected: "editable table",
    }
}

#[cfg(test)]
mod tests;
