//! Size limits of injected context.

use serde::{Deserialize, Serialize};

use super::context_limit::context_limit;

/// Estimated characters per token.
const CHARS_PER_TOKEN: usize = 4;

/// Limits per injection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InjectionLimits {
    /// Code chunks.
    pub code_chunks: usize,
    /// Lines per chunk.
    pub lines_per_chunk: usize,
    /// Memories.
    pub memories: usize,
    /// Earlier sessions.
    pub session_summaries: usize,
    /// Tokens in total, including markers, at four characters per token.
    pub tokens: usize,
}

impl Default for InjectionLimits {
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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RemainingSpace {
    chars: usize,
    bytes: usize,
}

impl RemainingSpace {
    /// The space for an agent, minus `taken` bytes from others.
    pub(super) fn new(limits: &InjectionLimits, agent: &str, taken: usize) -> Self {
        let bytes = context_limit(agent).map_or(usize::MAX, |cap| cap.saturating_sub(taken));
        Self {
            chars: limits.tokens.saturating_mul(CHARS_PER_TOKEN),
            bytes,
        }
    }

    /// Takes the space of these texts, if all of them fit.
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
