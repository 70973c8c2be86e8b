//! A command line cut into flags and operands.
//!
//! Every tool has its own habits; a [`Style`] and the list of flags that take the next word are enough for all
//! that the packs know. Where a flag is unknown, the word after it may be its value or an operand: both readings
//! are tried.

use crate::command::Word;

/// How a tool spells its flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// `-abc` is three flags, `--long` one.
    Gnu,
    /// As [`Gnu`](Self::Gnu), and a long flag may be cut short as long as it stays clear. Of these tools every flag
    /// that takes a value is listed.
    Abbreviating,
    /// `-long` is one flag.
    SingleDash,
}

/// A flag as given.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Flag<'a> {
    /// Its name without dashes.
    pub(crate) name: &'a str,
    /// What was given with it.
    pub(crate) value: Option<&'a str>,
    /// It follows a flag that may have taken it for its value.
    pub(super) may_be_value: bool,
}

/// A word that is no flag.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operand<'a> {
    /// Its text.
    pub(crate) text: &'a str,
    /// It follows a flag that may have taken it for its value.
    pub(super) may_be_value: bool,
}

/// A command line, read.
#[derive(Debug)]
pub(crate) struct Args<'a> {
    /// In order.
    pub(crate) operands: Vec<Operand<'a>>,
    /// In order.
    pub(crate) flags: Vec<Flag<'a>>,
    /// How many operands stand before a `--`.
    pub(crate) separator: Option<usize>,
    style: Style,
}

/// Flags that are switches wherever they occur.
const SWITCHES: &[&str] = &[
    "all",
    "auto-approve",
    "delete",
    "force",
    "force-reset",
    "global",
    "hard",
    "no-input",
    "no-wait",
    "prune",
    "purge",
    "quiet",
    "recursive",
    "verbose",
    "volumes",
    "y",
    "yes",
];
/// [`UNKNOWN`](crate::command::UNKNOWN) as a text.
const UNKNOWN_OPERAND: &str = "\u{FFFC}";
/// Abbreviations shorter than this are never clear.
const SHORTEST_ABBREVIATION: usize = 3;

impl<'a> Args<'a> {
    /// Reads `words`. `values` lists the flags that take the next word (`-o --output`); `-u?` is a short flag
    /// whose value can only be attached.
    pub(crate) fn read(words: &'a [Word], values: &str, style: Style) -> Self {
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
                    // The same letter takes a value for one subcommand and none for another: `-f --volumes`.
                    if style != Style::Abbreviating && value.len() > 1 && value.starts_with('-') {
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

    /// With an operand that nobody knows yet, if `more` come from elsewhere (`xargs`).
    pub(crate) fn with_more(mut self, more: bool) -> Self {
        if more {
            self.operands.push(Operand {
                text: UNKNOWN_OPERAND,
                may_be_value: false,
            });
        }
        self
    }

    /// Takes one word of flags; tells whether the last of them wants the next word.
    fn flag(&mut self, text: &'a str, values: &str, may_be_value: bool) -> bool {
        let long = text.starts_with("--") || (self.style == Style::SingleDash && text.len() > 2);
        if long {
            let bare = text.trim_start_matches('-');
            let (name, value) = match bare.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (bare, None),
            };
            self.flags.push(Flag {
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
            let mut flag = Flag {
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
            || (self.style == Style::Abbreviating
                && values
                    .split_ascii_whitespace()
                    .any(|known| abbreviates(name, known.trim_start_matches('-'))))
    }

    /// Whether the last flag takes no value for sure.
    fn ended_with_switch(&self) -> bool {
        self.style == Style::Abbreviating
            || self
                .flags
                .last()
                .is_some_and(|flag| SWITCHES.contains(&flag.name))
    }

    fn give_value(&mut self, value: &'a str) {
        if let Some(flag) = self.flags.last_mut() {
            flag.value = Some(value);
        }
    }

    /// The operand at `at`.
    pub(crate) fn operand(&self, at: usize) -> Option<&'a str> {
        self.operands.get(at).map(|operand| operand.text)
    }

    /// The operands' texts.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &'a str> + Clone {
        self.operands.iter().map(|operand| operand.text)
    }

    /// Whether the flag is given, and its last word is not that it is off (`--force=false`, `--no-force`).
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

    /// The values given for a flag.
    pub(crate) fn values<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'a str> + 's {
        self.given(name).filter_map(|flag| flag.value)
    }

    /// The values given for any of these flags.
    pub(crate) fn values_of(&self, names: &[&str]) -> impl Iterator<Item = &'a str> {
        self.flags
            .iter()
            .filter(|flag| names.iter().any(|name| self.is(flag.name, name)))
            .filter_map(|flag| flag.value)
    }

    pub(super) fn given<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s Flag<'a>> + 's {
        self.flags
            .iter()
            .filter(move |flag| self.is(flag.name, name))
    }

    fn is(&self, given: &str, name: &str) -> bool {
        given == name || (self.style == Style::Abbreviating && abbreviates(given, name))
    }

    /// Whether it only prints help. A `--help` that another flag may have taken for its value does not count.
    pub(crate) fn asks_for_help(&self) -> bool {
        let asks = |flag: &Flag<'_>| flag.name == "help" && flag.value.is_none();
        self.flags
            .iter()
            .any(|flag| asks(flag) && !flag.may_be_value)
    }
}

fn abbreviates(given: &str, name: &str) -> bool {
    given.len() >= SHORTEST_ABBREVIATION && name.starts_with(given)
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
    fn help_counts_only_where_no_flag_can_have_taken_it() {
        let asks = |line: &str| Args::read(&words(line), "--name", Style::Gnu).asks_for_help();
        assert!(asks("delete --help"));
        assert!(asks("delete --force --help"));
        assert!(!asks("delete --name --help"));
        assert!(!asks("delete --unknown --help"));
        assert!(!asks("delete -- --help"));
    }
}
