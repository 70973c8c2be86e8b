//! Text tables that fit the terminal: the widest column shrinks first.

use std::io::IsTerminal;

use becket::EnvVars;
use becket::env::{ProcessEnv, Vars};
use becket_base::text::columns::ellipsize;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::report::{Style, sanitize};

/// Width without a terminal and without `COLUMNS`: output to a file or a pipe is not truncated.
const UNLIMITED: usize = usize::MAX / 2;
/// Minimum width of any column.
const MIN_WIDTH: usize = 3;
/// Minimum useful width of a text column.
const MIN_TEXT_WIDTH: usize = 8;
/// Minimum useful width of the subject column.
const MIN_SUBJECT_WIDTH: usize = 24;
/// Maximum padding when nothing is truncated, so that one long cell does not shift the columns of all other rows.
const MAX_PADDING: usize = 60;
const GAP: &str = "  ";

/// Maximum line width: the terminal's, else `COLUMNS`, else unlimited.
pub(crate) fn terminal_width() -> usize {
    let terminal = || {
        let is_one = std::io::stdout().is_terminal();
        let size = is_one.then(crossterm::terminal::size)?.ok()?;
        Some(usize::from(size.0)).filter(|width| *width > 0)
    };
    let columns_variable = || ProcessEnv.get(EnvVars::COLUMNS)?.to_str()?.parse().ok();
    terminal().or_else(columns_variable).unwrap_or(UNLIMITED)
}

/// The color of a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CellStyle {
    Plain,
    Dim,
    Bad,
    Good,
    Warn,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alignment {
    Left,
    Right,
}

/// A cell: text, color, and whether the text may be truncated.
pub(crate) struct Cell {
    text: String,
    look: CellStyle,
    is_never_cut: bool,
}

pub(crate) fn cell(text: impl ToString) -> Cell {
    styled_cell(text, CellStyle::Plain)
}

/// A cell that is never truncated, such as an id that other commands take as an argument.
pub(crate) fn uncut_cell(text: impl ToString) -> Cell {
    Cell {
        is_never_cut: true,
        ..cell(text)
    }
}

pub(crate) fn styled_cell(text: impl ToString, look: CellStyle) -> Cell {
    let line = sanitize(&text.to_string());
    Cell {
        text: line.split_whitespace().collect::<Vec<_>>().join(" "),
        look,
        is_never_cut: false,
    }
}

/// A count; zero is dimmed.
pub(crate) fn count(number: u64) -> Cell {
    let look = if number == 0 {
        CellStyle::Dim
    } else {
        CellStyle::Plain
    };
    styled_cell(number, look)
}

/// An error count: red unless zero.
pub(crate) fn bad_count(number: u64) -> Cell {
    let look = if number == 0 {
        CellStyle::Dim
    } else {
        CellStyle::Bad
    };
    styled_cell(number, look)
}

pub(crate) struct Table {
    head: Vec<(&'static str, Alignment)>,
    rows: Vec<Vec<Cell>>,
    optional_columns: &'static [&'static str],
    subject_column: &'static str,
}

impl Table {
    pub(crate) fn new(head: &[(&'static str, Alignment)]) -> Self {
        Self {
            head: head.to_vec(),
            rows: Vec::new(),
            optional_columns: &[],
            subject_column: "",
        }
    }

    /// Names the column that describes the rows. Optional columns are dropped before it becomes too narrow.
    pub(crate) fn with_subject(mut self, column: &'static str) -> Self {
        self.subject_column = column;
        self
    }

    /// Columns to drop, in this order, when the others would become narrower than their headings.
    pub(crate) fn with_optional_columns(mut self, columns: &'static [&'static str]) -> Self {
        self.optional_columns = columns;
        self
    }

    pub(crate) fn push(&mut self, row: Vec<Cell>) {
        self.rows.push(row);
    }

    /// Renders the table. No line is wider than `most`, unless the columns reach their minimum width first.
    pub(crate) fn render(&self, most: usize, style: Style) -> String {
        let columns = self.columns(most);
        let widths = self.widths(&columns, most);
        let head = columns.iter().map(|at| (self.head[*at].0, CellStyle::Dim));
        let is_cut = most < UNLIMITED;
        let mut out = self.line(head, &columns, &widths, is_cut, style);
        for row in &self.rows {
            let cells = columns.iter().filter_map(|at| row.get(*at));
            let cells = cells.map(|cell| (cell.text.as_str(), cell.look));
            out += &self.line(cells, &columns, &widths, is_cut, style);
        }
        out
    }

    /// The columns that fit.
    fn columns(&self, most: usize) -> Vec<usize> {
        let mut shown: Vec<usize> = (0..self.head.len()).collect();
        for name in self.optional_columns {
            let least = shown.iter().map(|at| self.min_width(*at)).sum::<usize>();
            if least + GAP.len() * shown.len().saturating_sub(1) <= most {
                break;
            }
            shown.retain(|at| self.head[*at].0 != *name);
        }
        shown
    }

    /// The narrowest width at which a column is still useful.
    fn min_width(&self, column: usize) -> usize {
        let heading = self.head[column].0.width();
        let is_subject = self.head[column].0 == self.subject_column;
        let enough = if is_subject {
            MIN_SUBJECT_WIDTH
        } else {
            MIN_TEXT_WIDTH
        };
        let legible = self.natural_width(column).min(heading.max(enough));
        legible.max(self.max_cell_width(column, |cell| cell.is_never_cut))
    }

    fn natural_width(&self, column: usize) -> usize {
        self.max_cell_width(column, |_| true)
            .max(self.head[column].0.width())
    }

    fn max_cell_width(&self, column: usize, which: fn(&Cell) -> bool) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let cells = cells.filter(|cell| which(cell));
        cells.map(|cell| cell.text.width()).max().unwrap_or(0)
    }

    fn widths(&self, columns: &[usize], most: usize) -> Vec<usize> {
        let mut widths: Vec<usize> = columns.iter().map(|at| self.natural_width(*at)).collect();
        let floor = |at: &usize| MIN_WIDTH.max(self.max_cell_width(*at, |cell| cell.is_never_cut));
        let floors: Vec<usize> = columns.iter().map(floor).collect();
        let room = most.saturating_sub(GAP.len() * widths.len().saturating_sub(1));
        while widths.iter().sum::<usize>() > room {
            let all = widths.iter_mut().zip(&floors);
            let widest = all.filter(|(width, floor)| **width > **floor).max();
            match widest {
                Some((width, _)) => *width -= 1,
                None => break,
            }
        }
        widths
    }

    fn line<'c>(
        &self,
        cells: impl Iterator<Item = (&'c str, CellStyle)>,
        columns: &[usize],
        widths: &[usize],
        is_cut: bool,
        style: Style,
    ) -> String {
        let mut parts = Vec::new();
        for (at, (text, look)) in cells.enumerate() {
            let text = ellipsize(text, widths[at]);
            let padded = widths[at].min(if is_cut { usize::MAX } else { MAX_PADDING });
            let pad = " ".repeat(padded.saturating_sub(text.width()));
            let painted = paint(&text, look, style);
            let is_last = at + 1 == widths.len();
            parts.push(match self.head[columns[at]].1 {
                Alignment::Right => pad + &painted,
                Alignment::Left if is_last => painted,
                Alignment::Left => painted + &pad,
            });
        }
        format!("{}\n", parts.join(GAP).trim_end())
    }
}

fn paint(text: &str, look: CellStyle, style: Style) -> String {
    match look {
        CellStyle::Plain => text.to_owned(),
        CellStyle::Dim => style.dim(text),
        CellStyle::Bad => style.bad(text),
        CellStyle::Good => style.good(text),
        CellStyle::Warn => style.warn(text),
    }
}

/// Wraps a text at word boundaries; breaks words that are longer than a line.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![String::new()];
    for mut word in text.split_whitespace() {
        let last = lines.last_mut().expect("lines is never empty");
        let gap = usize::from(!last.is_empty());
        if last.width() + gap + word.width() <= width {
            if gap > 0 {
                last.push(' ');
            }
            last.push_str(word);
            continue;
        }
        if gap > 0 {
            lines.push(String::new());
        }
        while word.width() > width {
            let at = prefix_length(word, width);
            let last = lines.last_mut().expect("lines is never empty");
            last.push_str(&word[..at]);
            lines.push(String::new());
            word = &word[at..];
        }
        let last = lines.last_mut().expect("lines is never empty");
        last.push_str(word);
    }
    lines
}

/// Length in bytes of the longest prefix that fits `width` columns; at least one character.
fn prefix_length(text: &str, width: usize) -> usize {
    let (mut taken, mut bytes) = (0, 0);
    for c in text.chars() {
        taken += c.width().unwrap_or(0);
        if taken > width && bytes > 0 {
            break;
        }
        bytes += c.len_utf8();
    }
    bytes
}

/// Wraps a text to the terminal with a hanging indent: lines after the first start at column `indent`.
pub(crate) fn hanging_indent(first: &str, text: &str, indent: usize) -> String {
    let most = terminal_width();
    let lines = wrap(text, most.saturating_sub(indent.max(first.width())));
    let mut lines = lines.into_iter();
    let mut out = format!("{first}{}\n", lines.next().unwrap_or_default());
    for line in lines {
        out += &format!("{}{line}\n", " ".repeat(indent));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&[
            ("ID", Alignment::Left),
            ("CALLS", Alignment::Right),
            ("WHAT", Alignment::Left),
        ]);
        table.push(vec![
            cell("020f002d"),
            count(7),
            cell("Fix the parser and its docs"),
        ]);
        table.push(vec![
            cell("9"),
            count(1200),
            cell("配置ファイルを直す\nand more"),
        ]);
        table
    }

    #[test]
    fn wide_table_is_not_truncated_and_numbers_are_right_aligned() {
        let text = table().render(80, Style::plain());
        assert_eq!(
            text,
            "ID        CALLS  WHAT\n020f002d      7  Fix the parser and its docs\n9          1200  配置ファイルを直す and more\n"
        );
    }

    #[test]
    fn optional_columns_are_dropped_before_others_are_truncated() {
        let lean = |most| {
            table()
                .with_optional_columns(&["CALLS"])
                .render(most, Style::plain())
        };
        assert!(lean(26).starts_with("ID        CALLS  WHAT\n"));
        assert!(lean(20).starts_with("ID        WHAT\n"), "{}", lean(20));
    }

    #[test]
    fn subject_column_keeps_its_width_while_optional_columns_remain() {
        let lean = |most| {
            let table = table()
                .with_optional_columns(&["CALLS"])
                .with_subject("WHAT");
            table.render(most, Style::plain())
        };
        assert!(lean(41).starts_with("ID        CALLS  WHAT\n"));
        assert!(lean(40).starts_with("ID        WHAT\n"), "{}", lean(40));
    }

    #[test]
    fn uncut_cells_are_never_truncated() {
        let mut table = Table::new(&[("ID", Alignment::Left), ("WHAT", Alignment::Left)]);
        table.push(vec![
            uncut_cell("8193d1c8a3cc1441"),
            cell("a text that is long"),
        ]);
        let text = table.render(26, Style::plain());
        assert!(text.contains("8193d1c8a3cc1441  a text …\n"), "{text}");
    }

    #[test]
    fn long_untruncated_text_does_not_shift_other_rows() {
        let mut table = Table::new(&[("WHAT", Alignment::Left), ("WHY", Alignment::Left)]);
        table.push(vec![cell("short"), cell("one")]);
        table.push(vec![cell("x".repeat(500)), cell("two")]);
        let text = table.render(UNLIMITED, Style::plain());
        assert!(
            text.lines().nth(1).is_some_and(|line| line.width() < 70),
            "{text}"
        );
        assert!(text.ends_with("xx  two\n"), "{text}");
    }

    #[test]
    fn wrap_breaks_between_words_and_inside_long_words() {
        assert_eq!(wrap("the quick brown fox", 10), ["the quick", "brown fox"]);
        assert_eq!(
            wrap("a /very/long/path b", 6),
            ["a", "/very/", "long/p", "ath b"]
        );
        assert_eq!(wrap("配置ファイル", 5), ["配置", "ファ", "イル"]);
        assert_eq!(wrap("", 5), [""]);
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for most in [13, 20, 27, 33, 40, 100] {
            for line in table().render(most, Style::plain()).lines() {
                assert!(line.width() <= most, "{most}: {line:?}");
            }
        }
    }
}
