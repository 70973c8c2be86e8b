//! How much is told at most.

use serde::{Deserialize, Serialize};

use super::cap::cap;

/// A token has about as many characters.
const CHARS_PER_TOKEN: usize = 4;

/// How much is told at one time. Each is a ceiling: less is told where less is relevant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Pieces of code.
    pub code_chunks: usize,
    /// Lines of each piece.
    pub lines_per_chunk: usize,
    /// Memories.
    pub memories: usize,
    /// Sessions before this one.
    pub session_summaries: usize,
    /// Tokens of all together, marks included; a token is taken to be four characters.
    pub tokens: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            code_chunks: 3,
            lines_per_chunk: 50,
            memories: 10,
            session_summaries: 5,
            tokens: 2_000,
        }
    }
}

/// What is left to fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Room {
    chars: usize,
    bytes: usize,
}

impl Room {
    /// The room that others have left: `taken` bytes of what an agent takes are not ours.
    pub(super) fn new(limits: &Limits, agent: &str, taken: usize) -> Self {
        let bytes = cap(agent).map_or(usize::MAX, |cap| cap.saturating_sub(taken));
        Self {
            chars: limits.tokens.saturating_mul(CHARS_PER_TOKEN),
            bytes,
        }
    }

    /// Takes the room of some texts together, if there is as much.
    pub(super) fn take(&mut self, texts: &[&str]) -> bool {
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        let chars: usize = texts.iter().map(|text| text.chars().count()).sum();
        let fits = bytes <= self.bytes && chars <= self.chars;
        if fits {
            self.bytes -= bytes;
            self.chars -= chars;
        }
        fits
    }
}
