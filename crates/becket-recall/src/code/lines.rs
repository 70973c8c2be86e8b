//! Pieces by lines.

/// As many lines make a piece where there is no grammar.
pub(super) const WINDOW: usize = 100;

/// As many lines of the piece before begin the next one.
pub(super) const OVERLAP: usize = 10;

/// As many bytes make a piece: more says nothing clearly.
pub(super) const MOST_BYTES: usize = 4096;

/// Lines of a file and where they are.
pub(super) struct Lines<'t> {
    pub(super) all: Vec<&'t str>,
}

/// Part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part<'t> {
    /// Counted from 0.
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) text: std::borrow::Cow<'t, str>,
}

impl<'t> Lines<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self {
            all: text.lines().collect(),
        }
    }

    /// Parts of some lines that are no longer than they should be. Lines are repeated where a part follows
    /// another; a line that is too long by itself is cut.
    pub(super) fn parts(&self, first: usize, last: usize) -> Vec<Part<'t>> {
        let mut parts = Vec::new();
        let last = last.min(self.all.len().saturating_sub(1));
        let mut from = first;
        while from <= last && from < self.all.len() {
            if self.all[from].len() > MOST_BYTES {
                self.cut(from, &mut parts);
                from += 1;
                continue;
            }
            let to = self.reach(from, last);
            let text = self.all[from..=to].join("\n");
            parts.push(Part {
                first: from,
                last: to,
                text: text.into(),
            });
            if to == last {
                break;
            }
            let next_is_long = self.all[to + 1].len() > MOST_BYTES;
            // At least one line is new each time.
            from = if next_is_long {
                to + 1
            } else {
                (to + 1).saturating_sub(OVERLAP).max(from + 1)
            };
        }
        parts.retain(|part| part.text.chars().any(char::is_alphanumeric));
        parts
    }

    /// The last line of a part that begins here.
    fn reach(&self, from: usize, last: usize) -> usize {
        let mut bytes = 0;
        for (at, line) in self.all.iter().enumerate().take(last + 1).skip(from) {
            bytes += line.len() + 1;
            if at > from && (bytes > MOST_BYTES || at - from >= WINDOW) {
                return at - 1;
            }
        }
        last
    }

    fn cut(&self, at: usize, parts: &mut Vec<Part<'t>>) {
        let mut rest = self.all[at];
        while !rest.is_empty() {
            let piece = crate::text::cut(rest, MOST_BYTES);
            parts.push(Part {
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
        let lines = Lines::of(text);
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
    fn a_huge_line_is_cut_and_loses_nothing() {
        let text = format!("before\n{}\nafter", "ä".repeat(6000));
        let lines = Lines::of(&text);
        let parts = lines.parts(0, 2);
        assert!(parts.iter().all(|part| part.text.len() <= MOST_BYTES));
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
