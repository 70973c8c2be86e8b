//! Options of wrappers: exactly enough to find where the wrapped command begins.

use crate::command::Word;

/// Which options of a program take a value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Options {
    /// Letters that take one.
    pub(super) shorts: &'static str,
    /// Long names that take one, or that do not.
    pub(super) longs: Longs,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Longs {
    /// These take a value, others do not.
    Valued(&'static [&'static str]),
    /// These do not, others do.
    Plain(&'static [&'static str]),
}

pub(super) const NONE: Options = Options {
    shorts: "",
    longs: Longs::Valued(&[]),
};

/// What stands in front of the operands.
pub(super) struct Given {
    /// Names without dashes, with their values.
    pub(super) options: Vec<(String, Option<Word>)>,
    /// Where the operands begin.
    pub(super) rest: usize,
    /// Whether `--` stands in front of them.
    pub(super) dashes: bool,
}

impl Given {
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

impl Options {
    fn long_takes_value(&self, name: &str) -> bool {
        match self.longs {
            Longs::Valued(names) => names.iter().any(|known| known.starts_with(name)),
            Longs::Plain(names) => !names.contains(&name),
        }
    }

    /// Reads options up to the first operand.
    pub(super) fn read(&self, args: &[Word]) -> Given {
        let mut given = Given {
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

    /// Reads options wherever they stand, operands between them; the operands come back, too.
    pub(super) fn read_all(&self, args: &[Word]) -> (Given, Vec<Word>) {
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

    fn long(&self, long: &str, word: &Word, args: &[Word], given: &mut Given) {
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

    fn bundle(&self, word: &Word, args: &[Word], given: &mut Given) {
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
