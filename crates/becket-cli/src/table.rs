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
/// What the column that rows are about needs.
const TELLING: usize = 24;
/// Where nothing is cut, a text longer than this does not push the columns behind it away in all other rows.
const PADDED: usize = 60;
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

/// A text, what it looks like, and whether it is of use only as a whole.
pub(crate) struct Cell {
    text: String,
    look: Look,
    is_whole: bool,
}

pub(crate) fn cell(text: impl ToString) -> Cell {
    looking(text, Look::Plain)
}

/// An id, which other commands want to be given: never cut.
pub(crate) fn whole(text: impl ToString) -> Cell {
    Cell {
        is_whole: true,
        ..cell(text)
    }
}

pub(crate) fn looking(text: impl ToString, look: Look) -> Cell {
    let line = tame(&text.to_string());
    Cell {
        text: line.split_whitespace().collect::<Vec<_>>().join(" "),
        look,
        is_whole: false,
    }
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
    subject: &'static str,
}

impl Table {
    pub(crate) fn new(head: &[(&'static str, Side)]) -> Self {
        Self {
            head: head.to_vec(),
            rows: Vec::new(),
            dispensable: &[],
            subject: "",
        }
    }

    /// This column says what the rows are about: dispensable ones go before it is cut to a few words.
    pub(crate) fn about(mut self, column: &'static str) -> Self {
        self.subject = column;
        self
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
        let is_cut = most < UNLIMITED;
        let mut out = self.line(head, &columns, &widths, is_cut, style);
        for row in &self.rows {
            let cells = columns.iter().filter_map(|at| row.get(*at));
            let cells = cells.map(|cell| (cell.text.as_str(), cell.look));
            out += &self.line(cells, &columns, &widths, is_cut, style);
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
        let is_subject = self.head[column].0 == self.subject;
        let enough = if is_subject { TELLING } else { LEGIBLE };
        let legible = self.wanted(column).min(heading.max(enough));
        legible.max(self.widest(column, |cell| cell.is_whole))
    }

    fn wanted(&self, column: usize) -> usize {
        self.widest(column, |_| true)
            .max(self.head[column].0.width())
    }

    fn widest(&self, column: usize, which: fn(&Cell) -> bool) -> usize {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let cells = cells.filter(|cell| which(cell));
        cells.map(|cell| cell.text.width()).max().unwrap_or(0)
    }

    fn widths(&self, columns: &[usize], most: usize) -> Vec<usize> {
        let mut widths: Vec<usize> = columns.iter().map(|at| self.wanted(*at)).collect();
        let floor = |at: &usize| NARROWEST.max(self.widest(*at, |cell| cell.is_whole));
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
        cells: impl Iterator<Item = (&'c str, Look)>,
        columns: &[usize],
        widths: &[usize],
        is_cut: bool,
        style: Style,
    ) -> String {
        let mut parts = Vec::new();
        for (at, (text, look)) in cells.enumerate() {
            let text = fit(text, widths[at]);
            let padded = widths[at].min(if is_cut { usize::MAX } else { PADDED });
            let pad = " ".repeat(padded.saturating_sub(text.width()));
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

/// A text in lines of at most this width, broken between words where that is possible.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines = vec![String::new()];
    for mut word in text.split_whitespace() {
        let last = lines.last_mut().expect("there is a line");
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
            let at = fitting(word, width);
            let last = lines.last_mut().expect("there is a line");
            last.push_str(&word[..at]);
            lines.push(String::new());
            word = &word[at..];
        }
        let last = lines.last_mut().expect("there is a line");
        last.push_str(word);
    }
    lines
}

/// How many bytes of a text are at most so wide; one character at least.
fn fitting(text: &str, width: usize) -> usize {
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

/// A text in lines that fit; those behind the first begin further in.
pub(crate) fn hanging(first: &str, text: &str, indent: usize) -> String {
    let most = width();
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
    fn what_the_rows_are_about_is_not_cut_to_a_few_letters_while_others_can_go() {
        let lean = |most| {
            let table = table().without(&["CALLS"]).about("WHAT");
            table.render(most, Style::plain())
        };
        assert!(lean(41).starts_with("ID        CALLS  WHAT\n"));
        assert!(lean(40).starts_with("ID        WHAT\n"), "{}", lean(40));
    }

    #[test]
    fn what_is_of_use_only_whole_is_never_cut() {
        let mut table = Table::new(&[("ID", Side::Left), ("WHAT", Side::Left)]);
        table.push(vec![whole("8193d1c8a3cc1441"), cell("a text that is long")]);
        let text = table.render(26, Style::plain());
        assert!(text.contains("8193d1c8a3cc1441  a text …\n"), "{text}");
    }

    #[test]
    fn a_text_that_is_not_cut_does_not_push_others_away() {
        let mut table = Table::new(&[("WHAT", Side::Left), ("WHY", Side::Left)]);
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
    fn texts_are_broken_between_words_and_long_words_anywhere() {
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
        assert_eq!(fit("配置", 3), "配…");
        assert_eq!(fit("abc", 0), "");
    }
}
