//! A TOML document that can be edited without reprinting it.
//!
//! Only what install plans need: whole tables are appended and removed again, and single values are replaced.
//! The parser gives the positions; the changes are splices, and removing what was added restores the
//! original bytes.

use std::ops::Range;

use toml_edit::{Item, Table, TableLike};

use super::layout::newline;
use super::toml_set::last_value;
use super::tree::position;
use super::{EditError, TextPosition};

/// A parsed TOML text. After every edit it is parsed again; a failed edit leaves it unchanged.
///
/// ```
/// use becket_agents::edit::TomlDocument;
///
/// let mut document = TomlDocument::parse("a = 1 # one\n")?;
/// document.append_tables(&["[b]\nc = 2".to_owned()])?;
/// assert_eq!(document.text(), "a = 1 # one\n\n[b]\nc = 2\n");
/// let table = document.item(&["b"]).and_then(|item| item.as_table()).unwrap();
/// let block = document.block(table).unwrap();
/// document.remove_tables(&[block])?;
/// assert_eq!(document.text(), "a = 1 # one\n");
/// # Ok::<(), becket_agents::edit::EditError>(())
/// ```
#[derive(Debug, Clone)]
pub struct TomlDocument {
    parsed: toml_edit::Document<String>,
}

impl TomlDocument {
    /// Parses a text.
    pub fn parse(text: impl Into<String>) -> Result<Self, EditError> {
        let text = text.into();
        match toml_edit::Document::parse(text.clone()) {
            Ok(parsed) => Ok(Self { parsed }),
            Err(error) => Err(EditError::Toml {
                at: position(&text, error.span().map_or(0, |span| span.start)),
                message: error.message().to_owned(),
            }),
        }
    }

    /// The current text.
    pub fn text(&self) -> &str {
        self.parsed.raw()
    }

    /// The current text, owned.
    pub fn into_text(self) -> String {
        self.text().to_owned()
    }

    /// Line and column of a byte offset.
    pub fn position(&self, offset: usize) -> TextPosition {
        position(self.text(), offset)
    }

    /// The item under these nested keys, in whatever notation the tables are written.
    pub fn item(&self, keys: &[&str]) -> Option<&Item> {
        let mut item = self.parsed.as_item();
        for key in keys {
            item = item.as_table_like().and_then(|table| table.get(key))?;
        }
        Some(item)
    }

    /// The members of the table under these keys.
    pub fn members(&self, keys: &[&str]) -> Option<&dyn TableLike> {
        self.item(keys).and_then(Item::as_table_like)
    }

    /// The byte range of a table with a header, from the header to the end of its last line. Subtables are not
    /// included.
    pub fn block(&self, table: &Table) -> Option<Range<usize>> {
        let header = table.span()?;
        let end = last_value(table).map_or(header.end, |value| value.end.max(header.end));
        Some(header.start..self.line_end(end))
    }

    /// Appends tables, each given as its lines without the last line break.
    pub fn append_tables(&mut self, blocks: &[String]) -> Result<(), EditError> {
        let mut text = self.text().to_owned();
        let newline = newline(&text);
        for block in blocks {
            let block = block.replace('\n', newline);
            text = if text.is_empty() {
                format!("{block}{newline}")
            } else if text.ends_with('\n') {
                format!("{text}{newline}{block}{newline}")
            } else {
                format!("{text}{newline}{newline}{block}")
            };
        }
        self.become_text(text)
    }

    /// Removes each [`Self::block`], with the separators that [`Self::append_tables`] put around it.
    pub fn remove_tables(&mut self, blocks: &[Range<usize>]) -> Result<(), EditError> {
        let mut blocks = blocks.to_vec();
        // Backwards, so that earlier positions stay valid.
        blocks.sort_by_key(|block| std::cmp::Reverse(block.start));
        let mut text = self.text().to_owned();
        for block in blocks {
            text = without(&text, block);
        }
        self.become_text(text)
    }

    /// Replaces these bytes.
    pub fn replace(&mut self, range: Range<usize>, new: &str) -> Result<(), EditError> {
        let mut text = self.text().to_owned();
        if text.get(range.clone()).is_some() {
            text.replace_range(range, new);
        }
        self.become_text(text)
    }

    pub(super) fn root(&self) -> &Item {
        self.parsed.as_item()
    }

    pub(super) fn line_end(&self, from: usize) -> usize {
        let rest = &self.text()[from..];
        let length = rest.find('\n').unwrap_or(rest.len());
        let line = &rest[..length];
        from + line.strip_suffix('\r').unwrap_or(line).len()
    }

    fn become_text(&mut self, text: String) -> Result<(), EditError> {
        *self = Self::parse(text)?;
        Ok(())
    }
}

/// The text without a table.
fn without(text: &str, block: Range<usize>) -> String {
    let Some((before, after)) = text.get(..block.start).zip(text.get(block.end..)) else {
        return text.to_owned();
    };
    let (before, after) = match without_break_ahead(after) {
        Some(after) => (without_blank_line(before), after),
        // The text did not end in a line break, so the one before is ours as well.
        None => (without_break(without_blank_line(before)), after),
    };
    // The separator before the next table is no longer needed.
    let after = match without_break_ahead(after) {
        Some(next) if before.is_empty() => next,
        _ => after,
    };
    format!("{before}{after}")
}

/// A text that ends in a blank line, without it.
fn without_blank_line(text: &str) -> &str {
    let shorter = without_break(text);
    if shorter.ends_with('\n') {
        shorter
    } else {
        text
    }
}

fn without_break(text: &str) -> &str {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.strip_suffix('\r').unwrap_or(text)
}

fn without_break_ahead(text: &str) -> Option<&str> {
    text.strip_prefix("\r\n")
        .or_else(|| text.strip_prefix('\n'))
}

/// A string literal that is valid in both TOML and JSON.
pub fn toml_string(text: &str) -> String {
    super::layout::quoted(text).replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::{EditError, TomlDocument, toml_string};

    fn block_of(document: &TomlDocument, key: &str) -> std::ops::Range<usize> {
        let table = document.item(&[key]).and_then(|item| item.as_table());
        document.block(table.unwrap()).unwrap()
    }

    fn append(document: &mut TomlDocument, block: &str) -> Result<(), EditError> {
        document.append_tables(&[block.to_owned()])
    }

    fn remove(document: &mut TomlDocument, key: &str) {
        let block = block_of(document, key);
        document.remove_tables(&[block]).unwrap();
    }

    #[test]
    fn tables_come_and_go_in_any_order() {
        for before in [
            "",
            "\n",
            "a = 1",
            "a = 1\n",
            "a = 1\n\n",
            "a = 1\r\n",
            "# only a remark",
            "[t]\na = 1 # one\n# end\n",
            "[t]\r\na = 1\r\n\r\n# end",
        ] {
            let mut document = TomlDocument::parse(before).unwrap();
            append(&mut document, "[x]\nk = 1").unwrap();
            let with_x = document.text().to_owned();
            append(&mut document, "[y]\nk = '2' # two").unwrap();
            let both = document.clone();

            remove(&mut document, "y");
            assert_eq!(document.text(), with_x);
            remove(&mut document, "x");
            assert_eq!(document.text(), before);

            let mut document = both.clone();
            remove(&mut document, "x");
            remove(&mut document, "y");
            assert_eq!(document.text(), before);

            let mut document = both;
            let blocks = ["x", "y"].map(|key| block_of(&document, key));
            document.remove_tables(&blocks).unwrap();
            assert_eq!(document.text(), before);
        }
    }

    #[test]
    fn what_follows_a_table_stays() {
        let mut document = TomlDocument::parse("[x]\nk = 1\n# mine\n[z]\n").unwrap();
        remove(&mut document, "x");
        assert_eq!(document.text(), "# mine\n[z]\n");
    }

    #[test]
    fn errors_name_line_and_column() {
        let error = TomlDocument::parse("a = 1\nb = \n").unwrap_err();
        let at = error.position().unwrap();
        assert_eq!(at.line, 2);
        assert!(error.to_string().starts_with("not valid TOML at line 2"));
    }

    #[test]
    fn an_edit_that_breaks_the_text_is_refused() {
        let mut document = TomlDocument::parse("a = 1\n").unwrap();
        assert!(append(&mut document, "[a]\nb = 1").is_err());
        assert!(document.replace(4..5, "").is_err());
        assert_eq!(document.text(), "a = 1\n");
    }

    #[test]
    fn a_string_is_read_back_as_it_was() {
        for text in ["", "é\"\\\n\u{7f}\u{1}", "/a b/becket", "🦀"] {
            let document = TomlDocument::parse(format!("k = {}", toml_string(text))).unwrap();
            assert_eq!(document.item(&["k"]).unwrap().as_str(), Some(text));
        }
    }
}
