//! The single pass over a text.
//!
//! A table skips bytes that cannot start anything. At the others, the byte determines the check: a token prefix, a
//! separator between a name and a value, the middle of a URL.

use super::bytes::{NAME, RunCache, run_start, word_start};
use super::secret_name::{MAX_NAME, NameClass, classify};
use super::{
    RedactionKind, SecretMatch, assignment, credential_lines, header, pem, placeholder,
    token_rules, tokens, url,
};

/// State of a scan.
pub(super) struct Scanner<'t> {
    pub(super) text: &'t [u8],
    pub(super) runs: RunCache,
    /// End of the last match; nothing before it is examined again.
    pub(super) floor: usize,
    /// Class and end of the last `name: "API_KEY"`, for the `value:` that follows.
    pub(super) named: Option<(NameClass, usize)>,
    found: Vec<SecretMatch>,
}

/// The matches in `text`, in order, without overlaps.
pub(super) fn scan(text: &str) -> Vec<SecretMatch> {
    let mut scanner = Scanner {
        text: text.as_bytes(),
        runs: RunCache::default(),
        floor: 0,
        named: None,
        found: Vec::new(),
    };
    scanner.run();
    scanner.found
}

/// The construct that a byte may belong to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ByteCue {
    Nothing,
    Prefix,
    Scheme,
    Dash,
    Middle,
    Colon,
    Equals,
    Tag,
    Comma,
    Blank,
    Bracket,
}

static CUES: [ByteCue; 256] = cues();

const fn cues() -> [ByteCue; 256] {
    let mut table = [ByteCue::Nothing; 256];
    let mut byte = 0;
    while byte < 256 {
        if token_rules::BY_FIRST[byte].1 != 0 {
            table[byte] = ByteCue::Prefix;
        }
        byte += 1;
    }
    table[b'b' as usize] = ByteCue::Scheme;
    table[b'B' as usize] = ByteCue::Scheme;
    table[b'-' as usize] = ByteCue::Dash;
    table[b'.' as usize] = ByteCue::Middle;
    table[b'~' as usize] = ByteCue::Middle;
    table[b':' as usize] = ByteCue::Colon;
    table[b'=' as usize] = ByteCue::Equals;
    table[b'>' as usize] = ByteCue::Tag;
    table[b',' as usize] = ByteCue::Comma;
    table[b' ' as usize] = ByteCue::Blank;
    table[b'[' as usize] = ByteCue::Bracket;
    table
}

impl Scanner<'_> {
    fn run(&mut self) {
        let mut at = 0;
        while at < self.text.len() {
            let cue = CUES[usize::from(self.text[at])];
            // Hot path: most text is letters, and this one branch rejects nearly all of them.
            let dull = cue <= ByteCue::Prefix && !tokens::may_start(self.text, at);
            if dull || cue == ByteCue::Nothing {
                at += 1;
            } else if cue == ByteCue::Bracket {
                at = self.step_over_placeholder(at);
            } else {
                let found = self.ask(cue, at);
                at = found.map_or(at + 1, |found| self.keep(found));
            }
        }
    }

    fn ask(&mut self, cue: ByteCue, at: usize) -> Option<SecretMatch> {
        let text = self.text;
        match cue {
            ByteCue::Nothing | ByteCue::Bracket => None,
            ByteCue::Prefix => tokens::at_prefix(text, at, self.floor, &mut self.runs),
            ByteCue::Scheme => header::scheme(text, at, &mut self.runs)
                .map(|found| assignment::refine(self, found))
                .or_else(|| self.prefix(at)),
            ByteCue::Dash => pem::block(text, at)
                .or_else(|| pem::rest(text, at, self.floor))
                .or_else(|| assignment::at_flag(self, at)),
            ByteCue::Middle => tokens::at_middle(text, at, self.floor),
            ByteCue::Colon => url::credential(text, at, &mut self.runs)
                .or_else(|| tokens::at_middle(text, at, self.floor))
                .or_else(|| assignment::at_separator(self, at))
                .or_else(|| credential_lines::pgpass(text, at, self.floor))
                .or_else(|| credential_lines::putty(text, at)),
            ByteCue::Equals => assignment::at_separator(self, at),
            ByteCue::Tag => assignment::at_tag(self, at),
            ByteCue::Comma => assignment::at_comma(self, at),
            ByteCue::Blank => assignment::at_blank(self, at),
        }
    }

    fn prefix(&mut self, at: usize) -> Option<SecretMatch> {
        if !tokens::may_start(self.text, at) {
            return None;
        }
        tokens::at_prefix(self.text, at, self.floor, &mut self.runs)
    }

    fn step_over_placeholder(&mut self, at: usize) -> usize {
        let Some(end) = placeholder::end(self.text, at) else {
            return at + 1;
        };
        self.floor = end;
        end
    }

    /// Records a match and returns the position to continue at.
    fn keep(&mut self, finding: SecretMatch) -> usize {
        let SecretMatch { range, kind } = finding;
        debug_assert!(
            range.start >= self.floor && range.start < range.end,
            "{range:?}"
        );
        let range = range.start.max(self.floor)..range.end;
        self.floor = range.end;
        self.found.push(SecretMatch { range, kind });
        if kind == RedactionKind::AwsAccessKey
            && let Some(secret) = tokens::aws_secret_after(self.text, self.floor)
        {
            self.floor = secret.end;
            self.found.push(SecretMatch {
                range: secret,
                kind: RedactionKind::Secret,
            });
        }
        self.floor
    }

    /// The name that ends at `to`, looking at nothing before the last match.
    pub(super) fn name_before(&self, to: usize) -> std::ops::Range<usize> {
        let start = run_start(self.text, to, NAME, MAX_NAME, self.floor);
        // The letter of an escape such as `\n` belongs to the name only if no name remains without it.
        let plain = word_start(self.text, to, NAME, MAX_NAME, self.floor);
        if plain > start && classify(&self.text[plain..to]).is_some() {
            plain..to
        } else {
            start..to
        }
    }
}
