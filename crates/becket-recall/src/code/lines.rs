//! Splits text into line windows.

use becket_base::text::prefix_bytes;

/// Lines per chunk without a grammar.
pub(super) const WINDOW: usize = 100;

/// Overlap of consecutive chunks, in lines.
pub(super) const OVERLAP: usize = 10;

/// Maximum size of a chunk. Larger chunks have no clear topic.
pub(super) const MAX_CHUNK_BYTES: usize = 4096;

pub(super) struct TextLines<'t> {
    pub(super) all: Vec<&'t str>,
}

/// A range of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LineRange<'t> {
    /// Counted from 0.
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) text: std::borrow::Cow<'t, str>,
}

impl<'t> TextLines<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self {
            all: text.lines().collect(),
        }
    }

    /// Splits lines into windows of limited size. Windows overlap; a single line that is too long is split.
    pub(super) fn parts(&self, first: usize, last: usize) -> Vec<LineRange<'t>> {
        let mut parts = Vec::new();
        let last = last.min(self.all.len().saturating_sub(1));
        let mut from = first;
        while from <= last && from < self.all.len() {
            if self.all[from].len() > MAX_CHUNK_BYTES {
                self.split_long_line(from, &mut parts);
                from += 1;
                continue;
            }
            let to = self.last_line(from, last);
            let text = self.all[from..=to].join("\n");
            parts.push(LineRange {
                first: from,
                last: to,
                text: text.into(),
            });
            if to == last {
                break;
            }
            let next_is_long = self.all[to + 1].len() > MAX_CHUNK_BYTES;
            // Each window adds at least one line.
            from = if next_is_long {
                to + 1
            } else {
                (to + 1).saturating_sub(OVERLAP).max(from + 1)
            };
        }
        parts.retain(|part| part.text.chars().any(char::is_alphanumeric));
        parts
    }

    /// The last line of a window that starts here.
    fn last_line(&self, from: usize, last: usize) -> usize {
        let mut bytes = 0;
        for (at, line) in self.all.iter().enumerate().take(last + 1).skip(from) {
            bytes += line.len() + 1;
            if at > from && (bytes > MAX_CHUNK_BYTES || at - from >= WINDOW) {
                return at - 1;
            }
        }
        last
    }

    fn split_long_line(&self, at: usize, parts: &mut Vec<LineRange<'t>>) {
        let mut rest = self.all[at];
        while !rest.is_empty() {
            let piece = prefix_bytes(rest, MAX_CHUNK_BYTES);
            parts.push(LineRange {
                first: at,
                last: at,
                text: piece.into(),
            });
            rest = &rest[piece.len()..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(text: &str) -> Vec<(usize, usize)> {
        let lines = TextLines::of(text);
        let parts = lines.parts(0, lines.all.len());
        parts.iter().map(|part| (part.first, part.last)).collect()
    }

    #[test]
    fn windows_overlap_and_reach_the_end() {
        let text = "line\n".repeat(250);
        assert_eq!(spans(&text), [(0, 99), (90, 189), (180, 249)]);
        assert_eq!(spans("one"), [(0, 0)]);
        assert_eq!(spans("\n\n  \n"), []);
        assert_eq!(spans(""), []);
    }

    #[test]
    fn long_line_is_split_without_loss() {
        let text = format!("before\n{}\nafter", "ä".repeat(6000));
        let lines = TextLines::of(&text);
        let parts = lines.parts(0, 2);
        assert!(parts.iter().all(|part| part.text.len() <= MAX_CHUNK_BYTES));
        let whole: String = parts
            .iter()
            .filter(|part| part.first == 1)
            .map(|part| &*part.text)
            .collect();
        assert_eq!(whole, "ä".repeat(6000));
        assert_eq!(parts.first().map(|part| &*part.text), Some("before"));
        assert_eq!(parts.last().map(|part| &*part.text), Some("after"));
    }
}
