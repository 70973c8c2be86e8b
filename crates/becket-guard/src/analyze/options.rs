//! Parses the options of wrappers, just enough to find the wrapped command.

use crate::command::Word;

/// The options of a program that take a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct OptionSpec {
    /// Short options that take a value.
    pub(super) shorts: &'static str,
    /// Long options that take a value, or that take none.
    pub(super) longs: LongOptions,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum LongOptions {
    /// Only these take a value.
    Valued(&'static [&'static str]),
    /// All except these take a value.
    Plain(&'static [&'static str]),
}

pub(super) const NONE: OptionSpec = OptionSpec {
    shorts: "",
    longs: LongOptions::Valued(&[]),
};

/// The parsed options before the operands.
pub(super) struct ParsedOptions {
    /// Names without dashes, with values.
    pub(super) options: Vec<(String, Option<Word>)>,
    /// Index of the first operand.
    pub(super) rest: usize,
    /// Whether `--` precedes the operands.
    pub(super) dashes: bool,
}

impl ParsedOptions {
    pub(super) fn value(&self, names: &[&str]) -> Option<&Word> {
        self.options
            .iter()
            .find(|(name, _)| names.contains(&name.as_str()))
            .and_then(|(_, value)| value.as_ref())
    }

    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.options
            .iter()
            .any(|(name, _)| names.contains(&name.as_str()))
    }
}

impl OptionSpec {
    fn long_takes_value(&self, name: &str) -> bool {
        match self.longs {
            LongOptions::Valued(names) => names.iter().any(|known| known.starts_with(name)),
            LongOptions::Plain(names) => !names.contains(&name),
        }
    }

    /// Parses options up to the first operand.
    pub(super) fn read(&self, args: &[Word]) -> ParsedOptions {
        let mut given = ParsedOptions {
            options: Vec::new(),
            rest: 0,
            dashes: false,
        };
        while let Some(word) = args.get(given.rest) {
            let text = word.text.as_str();
            if text == "--" {
                given.rest += 1;
                given.dashes = true;
                break;
            }
            if let Some(long) = text.strip_prefix("--") {
                given.rest += 1;
                self.long(long, word, args, &mut given);
            } else if text.len() > 1 && text.starts_with('-') {
                given.rest += 1;
                self.bundle(word, args, &mut given);
            } else {
                break;
            }
        }
        given
    }

    /// Parses options in any position; also returns the operands.
    pub(super) fn read_all(&self, args: &[Word]) -> (ParsedOptions, Vec<Word>) {
        let mut all = self.read(args);
        let mut operands = Vec::new();
        while let Some(operand) = args.get(all.rest) {
            operands.push(operand.clone());
            all.rest += 1;
            if !all.dashes {
                let more = self.read(&args[all.rest..]);
                all.rest += more.rest;
                all.dashes = more.dashes;
                all.options.extend(more.options);
            }
        }
        (all, operands)
    }

    fn long(&self, long: &str, word: &Word, args: &[Word], given: &mut ParsedOptions) {
        if let Some((name, value)) = long.split_once('=') {
            given
                .options
                .push((name.to_owned(), Some(with_text(word, value))));
            return;
        }
        let value = if self.long_takes_value(long) {
            args.get(given.rest).cloned()
        } else {
            None
        };
        given.rest += usize::from(value.is_some());
        given.options.push((long.to_owned(), value));
    }

    fn bundle(&self, word: &Word, args: &[Word], given: &mut ParsedOptions) {
        let letters = &word.text[1..];
        for (at, letter) in letters.char_indices() {
            let name = letter.to_string();
            if !self.shorts.contains(letter) {
                given.options.push((name, None));
                continue;
            }
            let attached = &letters[at + letter.len_utf8()..];
            let value = if attached.is_empty() {
                let next = args.get(given.rest).cloned();
                given.rest += usize::from(next.is_some());
                next
            } else {
                Some(with_text(word, attached))
            };
            given.options.push((name, value));
            return;
        }
    }
}

pub(super) fn with_text(word: &Word, text: &str) -> Word {
    Word {
        text: text.to_owned(),
        ..word.clone()
    }
}
