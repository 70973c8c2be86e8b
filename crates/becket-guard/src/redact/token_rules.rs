//! Table of provider tokens: a prefix, then a run of certain characters (`data/tokens.toml`). The order matters.

use super::RedactionKind;
use super::bytes::{
    ALNUM, BASE64, ByteSet, DASH, DIGIT, DOT, EQUALS, HEX, PLUS_SLASH, RunCache, UNDER, UPPER,
    URL64, WORD,
};
use super::tokens;

/// A recognizable token.
pub(super) struct TokenRule {
    pub(super) prefix: &'static [u8],
    pub(super) kind: RedactionKind,
    pub(super) shape: TokenShape,
}

/// The text after the prefix.
pub(super) enum TokenShape {
    /// A run of bytes.
    Run(RunShape),
    /// A custom matcher.
    Custom(TokenMatcher),
    /// The prefix is a mark inside the token.
    Infix(InfixShape),
}

/// Takes the text, the start of the prefix and its end; returns the end of the token.
pub(super) type TokenMatcher = fn(&[u8], usize, usize, &mut RunCache) -> Option<usize>;

/// Fixed numbers of bytes before and after a mark.
pub(super) struct InfixShape {
    pub(super) set: ByteSet,
    pub(super) before: usize,
    pub(super) after: usize,
}

/// A run of bytes with conditions.
pub(super) struct RunShape {
    pub(super) set: ByteSet,
    pub(super) least: usize,
    pub(super) most: usize,
    pub(super) boundary: TokenBoundary,
    pub(super) randomness: Randomness,
}

/// Where a token may start.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenBoundary {
    /// Anywhere: the prefix is unambiguous even inside a word.
    Anywhere,
    /// Only at a word start; no letter or digit may follow the run.
    Word,
}

/// How random the run has to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Randomness {
    /// Anything except a placeholder such as `xxxx`.
    Any,
    /// Letters and digits, because a word can follow the same prefix.
    Mixed,
    /// Random letters and digits, because several words can follow the same prefix.
    Random,
}

const NO_LIMIT: usize = usize::MAX;

const UPPER_DIGIT: ByteSet = UPPER | DIGIT;
const DOTTED: ByteSet = URL64 | DOT;

include!(concat!(env!("OUT_DIR"), "/tokens.rs"));

/// For each first byte, the range of rules that start with it: `RULES[from..to]`.
pub(super) static BY_FIRST: [(u8, u8); 256] = by_first();

const fn by_first() -> [(u8, u8); 256] {
    assert!(RULES.len() < 256, "the index holds u8");
    let mut table = [(0, 0); 256];
    let mut i = 0;
    while i < RULES.len() {
        let first = RULES[i].prefix[0] as usize;
        let (from, to) = table[first];
        assert!(
            to == 0 || to as usize == i,
            "rules are sorted by first byte"
        );
        #[expect(clippy::cast_possible_truncation, reason = "asserted above")]
        let here = i as u8;
        table[first] = (if to == 0 { here } else { from }, here + 1);
        i += 1;
    }
    table
}

/// A Bloom-style filter over the first three bytes: no rule starts where the bit is clear.
pub(super) static PREFIX_FILTER: [u64; FILTER_WORDS] = prefix_filter();

const FILTER_WORDS: usize = 256;

/// Whether a rule may start with these three bytes.
pub(super) const fn may_be_prefix(a: u8, b: u8, c: u8) -> bool {
    let hash = prefix_hash(a, b, c);
    PREFIX_FILTER[hash / 64] >> (hash % 64) & 1 == 1
}

const fn prefix_hash(a: u8, b: u8, c: u8) -> usize {
    let bytes = u32::from_le_bytes([a, b, c, 0]);
    (bytes.wrapping_mul(0x9e37_79b1) >> 18) as usize % (FILTER_WORDS * 64)
}

const fn prefix_filter() -> [u64; FILTER_WORDS] {
    let mut table = [0; FILTER_WORDS];
    let mut i = 0;
    while i < RULES.len() {
        let prefix = RULES[i].prefix;
        let mut third = 0_u32;
        // Any byte can follow a two-byte prefix.
        while third < 256 {
            #[expect(clippy::cast_possible_truncation, reason = "the loop ends at 255")]
            let last = third as u8;
            if prefix.len() < 3 || prefix[2] == last {
                let hash = prefix_hash(prefix[0], prefix[1], last);
                table[hash / 64] |= 1 << (hash % 64);
            }
            third += 1;
        }
        i += 1;
    }
    table
}
