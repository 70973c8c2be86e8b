//! The one pass over a text.
//!
//! Most bytes can start nothing and are skipped by table. At the others, the question is asked that
//! the byte suggests: a token's prefix, a separator between a name and a value, the middle of a URL.

use super::bytes::{NAME, Runs, run_start, word_start};
use super::key::{Class, LONGEST, classify};
use super::{Finding, Kind, assign, header, lines, pem, placeholder, provider, rules, url};

/// Everything that looking at one text needs to remember.
pub(super) struct Scanner<'t> {
    pub(super) text: &'t [u8],
    pub(super) runs: Runs,
    /// The end of the last finding; nothing is looked at twice.
    pub(super) floor: usize,
    /// The class of the last `name: "API_KEY"`, and where it ended, for the `value:` that follows.
    pub(super) named: Option<(Class, usize)>,
    found: Vec<Finding>,
}

/// The findings in `text`, in order, without overlap.
pub(super) fn scan(text: &str) -> Vec<Finding> {
    let mut scanner = Scanner {
        text: text.as_bytes(),
        runs: Runs::default(),
        floor: 0,
        named: None,
        found: Vec::new(),
    };
    scanner.run();
    scanner.found
}

/// What a byte may be part of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cue {
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

static CUES: [Cue; 256] = cues();

const fn cues() -> [Cue; 256] {
    let mut table = [Cue::Nothing; 256];
    let mut byte = 0;
    while byte < 256 {
        if rules::BY_FIRST[byte].1 != 0 {
            table[byte] = Cue::Prefix;
        }
        byte += 1;
    }
    table[b'b' as usize] = Cue::Scheme;
    table[b'B' as usize] = Cue::Scheme;
    table[b'-' as usize] = Cue::Dash;
    table[b'.' as usize] = Cue::Middle;
    table[b'~' as usize] = Cue::Middle;
    table[b':' as usize] = Cue::Colon;
    table[b'=' as usize] = Cue::Equals;
    table[b'>' as usize] = Cue::Tag;
    table[b',' as usize] = Cue::Comma;
    table[b' ' as usize] = Cue::Blank;
    table[b'[' as usize] = Cue::Bracket;
    table
}

impl Scanner<'_> {
    fn run(&mut self) {
        let mut at = 0;
        while at < self.text.len() {
            let cue = CUES[usize::from(self.text[at])];
            // Letters are most of any text; one branch that is almost never taken decides them.
            let dull = cue <= Cue::Prefix && !provider::may_start(self.text, at);
            if dull || cue == Cue::Nothing {
                at += 1;
            } else if cue == Cue::Bracket {
                at = self.step_over_placeholder(at);
            } else {
                let found = self.ask(cue, at);
                at = found.map_or(at + 1, |found| self.keep(found));
            }
        }
    }

    fn ask(&mut self, cue: Cue, at: usize) -> Option<Finding> {
        let text = self.text;
        match cue {
            Cue::Nothing | Cue::Bracket => None,
            Cue::Prefix => provider::at_prefix(text, at, self.floor, &mut self.runs),
            Cue::Scheme => header::scheme(text, at, &mut self.runs)
                .map(|found| assign::refine(self, found))
                .or_else(|| self.prefix(at)),
            Cue::Dash => pem::block(text, at)
                .or_else(|| pem::rest(text, at, self.floor))
                .or_else(|| assign::at_flag(self, at)),
            Cue::Middle => provider::at_middle(text, at, self.floor),
            Cue::Colon => url::credential(text, at, &mut self.runs)
                .or_else(|| provider::at_middle(text, at, self.floor))
                .or_else(|| assign::at_separator(self, at))
                .or_else(|| lines::pgpass(text, at, self.floor))
                .or_else(|| lines::putty(text, at)),
            Cue::Equals => assign::at_separator(self, at),
            Cue::Tag => assign::at_tag(self, at),
            Cue::Comma => assign::at_comma(self, at),
            Cue::Blank => assign::at_blank(self, at),
        }
    }

    fn prefix(&mut self, at: usize) -> Option<Finding> {
        if !provider::may_start(self.text, at) {
            return None;
        }
        provider::at_prefix(self.text, at, self.floor, &mut self.runs)
    }

    fn step_over_placeholder(&mut self, at: usize) -> usize {
        let Some(end) = placeholder::end(self.text, at) else {
            return at + 1;
        };
        self.floor = end;
        end
    }

    /// Records a finding and returns where to go on.
    fn keep(&mut self, finding: Finding) -> usize {
        let Finding { range, kind } = finding;
        debug_assert!(
            range.start >= self.floor && range.start < range.end,
            "{range:?}"
        );
        let range = range.start.max(self.floor)..range.end;
        self.floor = range.end;
        self.found.push(Finding { range, kind });
        if kind == Kind::AwsAccessKey
            && let Some(secret) = provider::aws_secret_after(self.text, self.floor)
        {
            self.floor = secret.end;
            self.found.push(Finding {
                range: secret,
                kind: Kind::Secret,
            });
        }
        self.floor
    }

    /// The name that ends at `to`, looking at nothing before the last finding.
    pub(super) fn name_before(&self, to: usize) -> std::ops::Range<usize> {
        let start = run_start(self.text, to, NAME, LONGEST, self.floor);
        // The letter of an escape such as `\n` is part of a name only if nothing is one without it.
        let plain = word_start(self.text, to, NAME, LONGEST, self.floor);
        if plain > start && classify(&self.text[plain..to]).is_some() {
            plain..to
        } else {
            start..to
        }
    }
}
