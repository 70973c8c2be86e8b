//! Tables that fit the terminal: the widest column gives way first.

use std::io::IsTerminal;

use becket::EnvVars;
use becket::env::{ProcessEnv, Vars};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::report::{Style, tame};

/// Where there is no terminal and nobody says: what goes into a file or a pipe is not cut.
const UNLIMITED: usize = usize::MAX / 2;
/// No column gets narrower than this.
const NARROWEST: usize = 3;
/// What a column of text needs to say something.
const LEGIBLE: usize = 8;
const GAP: &str = "  ";

/// How wide lines may be.
pub(crate) fn width() -> usize {
    let terminal = || {
        let is_one = std::io::stdout().is_terminal();
        let size = is_one.then(crossterm::terminal::size)?.ok()?;
        Some(usize::from(size.0)).filter(|width| *width > 0)
    };
    let said = || ProcessEnv.get(EnvVars::COLUMNS)?.to_str()?.parse().ok();
    terminal().or_else(said).unwrap_or(UNLIMITED)
}

/// What a cell looks like.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    Plain,
    Dim,
    Bad,
    Good,
    Warn,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// A text and what it looks like.
pub(crate) struct Cell(String, Look);

pub(crate) fn cell(text: impl ToString) -> Cell {
    looking(text, Look::Plain)
}

pub(crate) fn looking(text: impl ToString, look: Look) -> Cell {
    let line = tame(&text.to_string());
    Cell(line.split_whitespace().collect::<Vec<_>>().join(" "), look)
}

/// A number; zero hardly shows.
pub(crate) fn count(number: u64) -> Cell {
    let look = if number == 0 { Look::Dim } else { Look::Plain };
    looking(number, look)
}

/// A number that should be zero.
pub(crate) fn bad_count(number: u64) -> Cell {
    let look = if number == 0 { Look::Dim } else { Look::Bad };
    looking(number, look)
}

pub(crate) struct Table {
    head: Vec<(&'static str, Side)>,
    rows: Vec<Vec<Cell>>,
    dispensable: &'static [&'static str],
}

impl Table {
    pub(crate) fn new(head: &[(&'static str, Side)]) -> Self {
        Self {
            head: head.to_vec(),
            rows: Vec::new(),
            dispensable: &[],
        }
    }

    /// These columns go, in this order, where the others would have to be cut below their headings.
    pub(crate) fn without(mut self, columns: &'static [&'static str]) -> Self {
        self.dispensable = columns;
        self
    }

    pub(crate) fn push(&mut self, row: Vec<Cell>) {
        self.rows.push(row);
    }

    /// The lines, none wider than `most` as long as every column can keep a few characters.
    pub(crate) fn render(&self, most: usize, style: Style) -> String {
        let columns = self.columns(most);
        let widths = self.widths(&columns, most);
        let head = columns.iter().map(|at| (self.head[*at].0, Look::Dim));
        let mut out = self.line(head, &columns, &widths, style);
        for row in &self.rows {
            let cells = columns.iter().filter_map(|at| row.get(*at));
            let cells = cells.map(|Cell(text, look)| (text.as_str(), *look));
            out += &self.line(cells, &columns, &widths, style);
        }
        out
    }

    /// The columns that are shown.
    fn columns(&self, most: usize) -> Vec<usize> {
        let mut shown: Vec<usize> = (0..self.head.len()).collect();
        for name in self.dispensable {
            let least = shown.iter().map(|at| self.least(*at)).sum::<usize>();
            if least + GAP.len() * shown.len().saturating_sub(1) <= most {
                break;
            }
            shown.retain(|at| self.head[*at].0 != *name);
        }
        shown
    }

    /// How narrow a column can be and still say something.
    fn least(&self, column: usize) -> usize {
        let heading = self.head[column].0.width();
        self.wanted(column).min(heading.max(LEGIBLE))
    }

    fn wanted(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let widest = cells.map(|Cell(text, _)| text.width()).max();
        widest.unwrap_or(0).max(self.head[column].0.width())
    }

    fn widths(&self, columns: &[usize], most: usize) -> Vec<usize> {
        let mut widths: Vec<usize> = columns.iter().map(|at| self.wanted(*at)).collect();
        let room = most.saturating_sub(GAP.len() * widths.len().saturating_sub(1));
        while widths.iter().sum::<usize>() > room {
            match widths.iter_mut().max() {
                Some(widest) if *widest > NARROWEST => *widest -= 1,
                _ => break,
            }
        }
        widths
    }

    fn line<'c>(
        &self,
        cells: impl Iterator<Item = (&'c str, Look)>,
        columns: &[usize],
        widths: &[usize],
        style: Style,
    ) -> String {
        let mut parts = Vec::new();
        for (at, (text, look)) in cells.enumerate() {
            let text = fit(text, widths[at]);
            let pad = " ".repeat(widths[at] - text.width());
            let painted = paint(&text, look, style);
            let is_last = at + 1 == widths.len();
            parts.push(match self.head[columns[at]].1 {
                Side::Right => pad + &painted,
                Side::Left if is_last => painted,
                Side::Left => painted + &pad,
            });
        }
        format!("{}\n", parts.join(GAP).trim_end())
    }
}

fn paint(text: &str, look: Look, style: Style) -> String {
    match look {
        Look::Plain => text.to_owned(),
        Look::Dim => style.dim(text),
        Look::Bad => style.bad(text),
        Look::Good => style.good(text),
        Look::Warn => style.warn(text),
    }
}

/// A text, cut to a width if need be.
pub(crate) fn fit(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut room = width.saturating_sub(1);
    let kept = text.chars().take_while(|c| {
        let wide = c.width().unwrap_or(0);
        let fits = wide <= room;
        room = room.saturating_sub(wide);
        fits
    });
    kept.chain((width > 0).then_some('…')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&[
            ("ID", Side::Left),
            ("CALLS", Side::Right),
            ("WHAT", Side::Left),
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
    fn what_fits_is_shown_whole_with_numbers_to_the_right() {
        let text = table().render(80, Style::plain());
        assert_eq!(
            text,
            "ID        CALLS  WHAT\n020f002d      7  Fix the parser and its docs\n9          1200  配置ファイルを直す and more\n"
        );
    }

    #[test]
    fn columns_that_can_be_missed_go_before_the_others_are_cut_to_pieces() {
        let lean = |most| table().without(&["CALLS"]).render(most, Style::plain());
        assert!(lean(26).starts_with("ID        CALLS  WHAT\n"));
        assert!(lean(20).starts_with("ID        WHAT\n"), "{}", lean(20));
    }

    #[test]
    fn no_line_is_wider_than_the_terminal() {
        for most in [13, 20, 27, 33, 40, 100] {
            for line in table().render(most, Style::plain()).lines() {
                assert!(line.width() <= most, "{most}: {line:?}");
            }
        }
        assert_eq!(fit("配置", 3), "配…");
        assert_eq!(fit("abc", 0), "");
    }
}
