//! WordPiece tokenizer of BERT, with identifiers split first.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, DefaultHasher};

use becket_base::text::prefix_bytes;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Longer words are unknown, as in BERT.
const MAX_WORD_CHARS: usize = 100;

type PieceIds = HashMap<&'static str, u32, BuildHasherDefault<DefaultHasher>>;

#[derive(Debug)]
pub(super) struct Vocabulary {
    starts: PieceIds,
    continuations: PieceIds,
    /// In bytes.
    longest: usize,
    unknown: u32,
}

impl Vocabulary {
    /// Parses a vocabulary: the id of a piece is its line number.
    pub(super) fn parse(lines: &'static str) -> Self {
        let (mut starts, mut continuations) = (PieceIds::default(), PieceIds::default());
        let (mut longest, mut unknown) = (0, 0);
        for (id, line) in (0..).zip(lines.lines()) {
            match line.strip_prefix("##") {
                Some(rest) if !rest.is_empty() => continuations.insert(rest, id),
                _ => starts.insert(line, id),
            };
            longest = longest.max(line.len());
            if line == "[UNK]" {
                unknown = id;
            }
        }
        Self {
            starts,
            continuations,
            longest,
            unknown,
        }
    }

    /// The ids of a text, at most `most`.
    pub(super) fn ids(&self, text: &str, most: usize) -> Vec<u32> {
        let mut ids = Vec::with_capacity(most.min(text.len() / 3 + 1));
        let mut word = String::with_capacity(32);
        // Truncate first: 64 bytes per id are more than enough, and a file with a single line may have a megabyte.
        let text = prefix_bytes(text, most * 64);
        let plain = text.is_ascii();
        let mut before = ' ';
        for c in text.chars() {
            if ids.len() >= most {
                break;
            }
            let breaks =
                c.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit());
            before = c;
            if breaks {
                self.finish(&mut word, &mut ids);
            }
            if plain {
                self.take(c.to_ascii_lowercase(), &mut word, &mut ids);
            } else {
                self.take_any(c, &mut word, &mut ids);
            }
        }
        self.finish(&mut word, &mut ids);
        ids.truncate(most);
        ids
    }

    /// Any character: strips accents, lower-cases, and separates ideographs.
    fn take_any(&self, c: char, word: &mut String, ids: &mut Vec<u32>) {
        if is_ideograph(c) {
            self.finish(word, ids);
            word.push(c);
            self.finish(word, ids);
            return;
        }
        for part in c.nfd().filter(|part| !is_combining_mark(*part)) {
            for small in part.to_lowercase() {
                self.take(small, word, ids);
            }
        }
    }

    fn take(&self, c: char, word: &mut String, ids: &mut Vec<u32>) {
        if c == '_' || c.is_whitespace() {
            self.finish(word, ids);
        } else if is_punctuation(c) {
            self.finish(word, ids);
            word.push(c);
            self.finish(word, ids);
        } else if !is_dropped(c) {
            word.push(c);
        }
    }

    fn finish(&self, word: &mut String, ids: &mut Vec<u32>) {
        if !word.is_empty() {
            self.pieces(word, ids);
            word.clear();
        }
    }

    /// Greedy: the longest start, then the longest continuations.
    fn pieces(&self, word: &str, ids: &mut Vec<u32>) {
        let before = ids.len();
        if word.len() > MAX_WORD_CHARS && word.chars().count() > MAX_WORD_CHARS {
            ids.push(self.unknown);
            return;
        }
        let mut rest = word;
        let mut known = &self.starts;
        while !rest.is_empty() {
            let Some((length, id)) = self.longest_of(known, rest) else {
                ids.truncate(before);
                ids.push(self.unknown);
                return;
            };
            ids.push(id);
            rest = &rest[length..];
            known = &self.continuations;
        }
    }

    fn longest_of(&self, known: &PieceIds, rest: &str) -> Option<(usize, u32)> {
        let most = rest.len().min(self.longest);
        (1..=most)
            .rev()
            .filter(|length| rest.is_char_boundary(*length))
            .find_map(|length| Some((length, *known.get(&rest[..length])?)))
    }
}

fn is_dropped(c: char) -> bool {
    c == '\0' || c == '\u{fffd}' || (c.is_control() && !c.is_whitespace())
}

fn is_punctuation(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_punctuation();
    }
    // Unicode blocks with punctuation. Symbols among them are treated as punctuation, too.
    matches!(c,
        '\u{a1}' | '\u{a7}' | '\u{ab}' | '\u{b6}' | '\u{b7}' | '\u{bb}' | '\u{bf}'
        | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205e}' | '\u{2308}'..='\u{230b}' | '\u{2768}'..='\u{2775}'
        | '\u{27e6}'..='\u{27ef}' | '\u{2983}'..='\u{2998}' | '\u{2e00}'..='\u{2e5d}' | '\u{3001}'..='\u{3003}'
        | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}' | '\u{fe30}'..='\u{fe6b}' | '\u{ff01}'..='\u{ff0f}'
        | '\u{ff1a}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff3d}' | '\u{ff5b}'..='\u{ff65}')
}

fn is_ideograph(c: char) -> bool {
    matches!(c,
        '\u{4e00}'..='\u{9fff}' | '\u{3400}'..='\u{4dbf}' | '\u{20000}'..='\u{2a6df}' | '\u{2a700}'..='\u{2ceaf}'
        | '\u{f900}'..='\u{faff}' | '\u{2f800}'..='\u{2fa1f}')
}
