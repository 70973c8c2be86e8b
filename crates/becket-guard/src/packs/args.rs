//! Splits a command line into flags and operands.
//!
//! Each tool has its own conventions; a [`FlagStyle`] and the list of flags that take the next word cover all tools
//! of the packs. After an unknown flag, the next word may be its value or an operand; matching considers both
//! readings.

use crate::command::Word;
use crate::programs::{self, SWITCHES};

/// How a tool spells its flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlagStyle {
    /// `-abc` is three flags, `--long` is one.
    Gnu,
    /// As [`Gnu`](Self::Gnu), and long flags may be abbreviated while they stay unambiguous. The tables list every
    /// flag of these tools that takes a value.
    Abbreviating,
    /// `-long` is one flag.
    SingleDash,
}

/// A flag of a command line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ArgFlag<'a> {
    /// Name without dashes.
    pub(crate) name: &'a str,
    pub(crate) value: Option<&'a str>,
    /// Whether the word may be the value of the preceding unknown flag.
    pub(super) may_be_value: bool,
}

/// A word that is not a flag.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operand<'a> {
    pub(crate) text: &'a str,
    /// Whether the word may be the value of the preceding unknown flag.
    pub(super) may_be_value: bool,
}

/// A parsed command line.
#[derive(Debug)]
pub(crate) struct Args<'a> {
    /// Operands, in order.
    pub(crate) operands: Vec<Operand<'a>>,
    /// Flags, in order.
    pub(crate) flags: Vec<ArgFlag<'a>>,
    /// Number of operands before a `--`.
    pub(crate) separator: Option<usize>,
    style: FlagStyle,
}

/// [`UNKNOWN`](crate::command::UNKNOWN) as a string.
const UNKNOWN_OPERAND: &str = "\u{FFFC}";
/// Shorter abbreviations are always ambiguous.
const MIN_ABBREVIATION: usize = 3;

impl<'a> Args<'a> {
    /// Parses `words`. `values` lists the flags that take the next word (`-o --output`); `-u?` is a short flag
    /// whose value has to be attached.
    pub(crate) fn read(words: &'a [Word], values: &str, style: FlagStyle) -> Self {
        let mut args = Self {
            operands: Vec::with_capacity(words.len()),
            flags: Vec::new(),
            separator: None,
            style,
        };
        let mut words = words.iter().map(|word| word.text.as_str()).peekable();
        let mut after_flag = false;
        while let Some(text) = words.next() {
            if args.separator.is_some() || text == "-" || !text.starts_with('-') {
                args.operands.push(Operand {
                    text,
                    may_be_value: after_flag && args.separator.is_none(),
                });
                after_flag = false;
            } else if text == "--" {
                args.separator = Some(args.operands.len());
            } else {
                let wants_value = args.flag(text, values, after_flag);
                if wants_value && let Some(value) = words.next() {
                    args.give_value(value);
                    // The same letter can take a value in one subcommand and none in another: `-f --volumes`.
                    if style != FlagStyle::Abbreviating && value.len() > 1 && value.starts_with('-')
                    {
                        args.flag(value, values, true);
                    }
                    after_flag = false;
                } else {
                    after_flag = !text.contains('=') && !args.ended_with_switch();
                }
            }
        }
        args
    }

    /// Adds an unknown operand if `more` operands are only known at run time (`xargs`).
    pub(crate) fn with_unknown_operands(mut self, more: bool) -> Self {
        if more {
            self.operands.push(Operand {
                text: UNKNOWN_OPERAND,
                may_be_value: false,
            });
        }
        self
    }

    /// Parses one word of flags; returns whether the last flag takes the next word.
    fn flag(&mut self, text: &'a str, values: &str, may_be_value: bool) -> bool {
        let long =
            text.starts_with("--") || (self.style == FlagStyle::SingleDash && text.len() > 2);
        if long {
            let bare = text.trim_start_matches('-');
            let (name, value) = match bare.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (bare, None),
            };
            self.flags.push(ArgFlag {
                name,
                value,
                may_be_value,
            });
            return value.is_none() && self.takes_value(name, values);
        }
        self.bundle(&text[1..], values, may_be_value)
    }

    fn bundle(&mut self, letters: &'a str, values: &str, may_be_value: bool) -> bool {
        for (at, letter) in letters.char_indices() {
            let end = at + letter.len_utf8();
            let (name, rest) = (&letters[at..end], &letters[end..]);
            let mut flag = ArgFlag {
                name,
                value: None,
                may_be_value,
            };
            let attached = lists_attached(values, name);
            if let Some(value) = rest.strip_prefix('=') {
                flag.value = Some(value);
            } else if !rest.is_empty() && (attached || lists(values, name)) {
                flag.value = Some(rest);
            }
            self.flags.push(flag);
            if flag.value.is_some() {
                return false;
            }
            if rest.is_empty() {
                return !attached && lists(values, name);
            }
        }
        false
    }

    fn takes_value(&self, name: &str, values: &str) -> bool {
        lists(values, name)
            || (self.style == FlagStyle::Abbreviating
                && values
                    .split_ascii_whitespace()
                    .any(|known| abbreviates(name, known.trim_start_matches('-'))))
    }

    /// Whether the last flag certainly takes no value.
    fn ended_with_switch(&self) -> bool {
        self.style == FlagStyle::Abbreviating
            || self
                .flags
                .last()
                .is_some_and(|flag| programs::contains(SWITCHES, flag.name))
    }

    fn give_value(&mut self, value: &'a str) {
        if let Some(flag) = self.flags.last_mut() {
            flag.value = Some(value);
        }
    }

    pub(crate) fn operand(&self, at: usize) -> Option<&'a str> {
        self.operands.get(at).map(|operand| operand.text)
    }

    /// The operands' texts.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &'a str> + Clone {
        self.operands.iter().map(|operand| operand.text)
    }

    /// Whether the flag is set and its last occurrence does not unset it (`--force=false`, `--no-force`).
    pub(crate) fn has(&self, name: &str) -> bool {
        self.is_on(name, false)
    }

    pub(super) fn is_on(&self, name: &str, surely: bool) -> bool {
        let mut on = false;
        for flag in &self.flags {
            if self.is(flag.name, name) {
                let off = matches!(flag.value, Some("false" | "none" | "no" | "0"));
                let doubtful = surely && flag.may_be_value;
                on = !off && !doubtful;
            } else if flag.name.strip_prefix("no-") == Some(name) {
                on = false;
            }
        }
        on
    }

    /// The values of a flag.
    pub(crate) fn values<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'a str> + 's {
        self.given(name).filter_map(|flag| flag.value)
    }

    /// The values of any of these flags.
    pub(crate) fn values_of(&self, names: &[&str]) -> impl Iterator<Item = &'a str> {
        self.flags
            .iter()
            .filter(|flag| names.iter().any(|name| self.is(flag.name, name)))
            .filter_map(|flag| flag.value)
    }

    pub(super) fn given<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s ArgFlag<'a>> + 's {
        self.flags
            .iter()
            .filter(move |flag| self.is(flag.name, name))
    }

    fn is(&self, given: &str, name: &str) -> bool {
        given == name || (self.style == FlagStyle::Abbreviating && abbreviates(given, name))
    }

    /// Whether the command only prints help. A `--help` that may be the value of another flag does not count.
    pub(crate) fn is_help_request(&self) -> bool {
        let asks = |flag: &ArgFlag<'_>| flag.name == "help" && flag.value.is_none();
        self.flags
            .iter()
            .any(|flag| asks(flag) && !flag.may_be_value)
    }
}

fn abbreviates(given: &str, name: &str) -> bool {
    given.len() >= MIN_ABBREVIATION && name.starts_with(given)
}

fn lists(values: &str, name: &str) -> bool {
    values
        .split_ascii_whitespace()
        .any(|known| known.trim_start_matches('-') == name)
}

fn lists_attached(values: &str, name: &str) -> bool {
    values.split_ascii_whitespace().any(|known| {
        known
            .strip_suffix('?')
            .is_some_and(|known| known.trim_start_matches('-') == name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<Word> {
        line.split_whitespace().map(Word::literal).collect()
    }

    #[test]
    fn help_flag_counts_only_if_it_cannot_be_a_value() {
        let asks =
            |line: &str| Args::read(&words(line), "--name", FlagStyle::Gnu).is_help_request();
        assert!(asks("delete --help"));
        assert!(asks("delete --force --help"));
        assert!(!asks("delete --name --help"));
        assert!(!asks("delete --unknown --help"));
        assert!(!asks("delete -- --help"));
    }
}
