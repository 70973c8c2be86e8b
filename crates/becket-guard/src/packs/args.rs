//! A command line cut into flags and operands, and small patterns over the two.
//!
//! Every tool has its own habits; a [`Style`] and the list of flags that take the next word are enough for all
//! that the packs know. Where a flag is unknown, the word after it may be its value or an operand: both readings
//! are tried.
//!
//! A pattern is words apart by blanks. Plain words are the path of subcommands, in order; a flag must be there,
//! wherever it stands; `!` in front means that it must not be. `a|b` is either, `del*`, `*:drop` and `*part*` match by their
//! beginning, end and middle, `_` is any operand, `**` any number of them, `$` the end, `+x` an operand anywhere.

use crate::command::Word;

/// How a tool spells its flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// `-abc` is three flags, `--long` one.
    Gnu,
    /// As [`Gnu`](Self::Gnu), and a long flag may be cut short as long as it stays clear.
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
    may_be_value: bool,
}

/// A word that is no flag.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Operand<'a> {
    /// Its text.
    pub(crate) text: &'a str,
    /// It follows a flag that may have taken it for its value.
    may_be_value: bool,
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

/// [`UNKNOWN`](crate::command::UNKNOWN) as a text.
const UNKNOWN_OPERAND: &str = "\u{FFFC}";
/// No tool has a longer path of subcommands; what comes later are its operands.
const LONGEST_PATH: usize = 64;
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
                    after_flag = false;
                } else {
                    after_flag = !text.contains('=');
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

    /// Whether the flag is given and not switched off (`--force=false`).
    pub(crate) fn has(&self, name: &str) -> bool {
        self.given(name)
            .any(|flag| !matches!(flag.value, Some("false" | "none" | "no" | "0")))
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

    fn given<'s>(&'s self, name: &'s str) -> impl Iterator<Item = &'s Flag<'a>> + 's {
        self.flags
            .iter()
            .filter(move |flag| self.is(flag.name, name))
    }

    fn is(&self, given: &str, name: &str) -> bool {
        given == name || (self.style == Style::Abbreviating && abbreviates(given, name))
    }

    /// Whether it only prints help. A `--help` that another flag may have taken for its value does not count.
    pub(crate) fn asks_for_help(&self) -> bool {
        self.flags
            .iter()
            .any(|flag| flag.name == "help" && flag.value.is_none() && !flag.may_be_value)
            || self.operand(0) == Some("help")
    }

    /// Whether `pattern` (see the module) describes this command line.
    pub(crate) fn fit(&self, pattern: &str) -> bool {
        self.fit_reading(pattern, true)
    }

    /// As [`fit`](Self::fit), for those who know every flag: no operand can be the value of one.
    pub(crate) fn fit_strictly(&self, pattern: &str) -> bool {
        self.fit_reading(pattern, false)
    }

    fn fit_reading(&self, pattern: &str, skipping: bool) -> bool {
        let mut path = [""; 8];
        let mut length = 0;
        for token in pattern.split_ascii_whitespace() {
            let (wanted, token) = match token.strip_prefix('!') {
                Some(token) => (false, token),
                None => (true, token),
            };
            if token.starts_with('-') {
                if self.has_one(token) != wanted {
                    return false;
                }
            } else if let Some(word) = token.strip_prefix('+') {
                if self.texts().any(|text| one_of(word, text)) != wanted {
                    return false;
                }
            } else if length < path.len() {
                path[length] = token;
                length += 1;
            }
        }
        let operands = &self.operands[..self.operands.len().min(LONGEST_PATH)];
        leads(&path[..length], operands, skipping)
    }

    fn has_one(&self, alternatives: &str) -> bool {
        alternatives.split('|').any(|flag| {
            let flag = flag.trim_start_matches('-');
            match flag.split_once('=') {
                Some((name, value)) => self.values(name).any(|given| one_of(value, given)),
                None => self.has(flag),
            }
        })
    }
}

/// Whether the operands begin with the path. `skipping` tries the reading in which a word is a flag's value.
fn leads(path: &[&str], operands: &[Operand<'_>], skipping: bool) -> bool {
    let Some((wanted, later)) = path.split_first() else {
        return true;
    };
    match *wanted {
        "$" => operands.is_empty(),
        "**" => (0..=operands.len()).any(|at| leads(later, &operands[at..], false)),
        wanted => operands.split_first().is_some_and(|(first, rest)| {
            (one_of(wanted, first.text) && leads(later, rest, skipping))
                || (skipping && first.may_be_value && leads(path, rest, true))
        }),
    }
}

/// Whether `text` is one of `a|b*|*c`.
pub(crate) fn one_of(alternatives: &str, text: &str) -> bool {
    alternatives
        .split('|')
        .any(|alternative| like(alternative, text))
}

/// One star, wherever it is, or `*part*`; a star alone is itself.
fn like(pattern: &str, text: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == "_" || pattern == text,
        Some(("", "")) => text == "*",
        Some(("", part)) if part.ends_with('*') => text.contains(&part[..part.len() - 1]),
        Some((start, end)) => text
            .strip_prefix(start)
            .is_some_and(|rest| rest.ends_with(end)),
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

    fn fits(pattern: &str, line: &str, values: &str, style: Style) -> bool {
        Args::read(&words(line), values, style).fit(pattern)
    }

    #[test]
    fn paths_are_found_among_flags() {
        for line in [
            "system prune",
            "-H tcp://x system prune",
            "--host=x system prune",
            "--unknown word system prune",
            "--debug system prune -a",
            "system --all prune",
        ] {
            assert!(
                fits("system prune", line, "-H --host", Style::Gnu),
                "{line}"
            );
        }
        for line in ["prune", "system df", "run system prune", "-H system prune"] {
            assert!(!fits("system prune", line, "-H", Style::Gnu), "{line}");
        }
    }

    #[test]
    fn flags_are_found_bundled_attached_and_switched_off() {
        assert!(fits("rm -f|--force", "rm -af x", "", Style::Gnu));
        assert!(fits("rm -f|--force", "rm x --force", "", Style::Gnu));
        assert!(!fits("rm -f|--force", "rm --force=false x", "", Style::Gnu));
        assert!(!fits("rm -f|--force", "rm -- -f", "", Style::Gnu));
        assert!(!fits("rm -f", "rm -xof", "-o", Style::Gnu));
        assert!(!fits("rm -n", "rm -uno", "-u?", Style::Gnu));
        assert!(fits("get -o=yaml", "get -o yaml", "-o", Style::Gnu));
        assert!(fits("get -o=yaml", "get -oyaml", "-o", Style::Gnu));
        assert!(fits("get -o=yaml", "get -o=yaml", "-o", Style::Gnu));
        assert!(fits(
            "apply -destroy",
            "apply -destroy",
            "",
            Style::SingleDash
        ));
        assert!(fits(
            "apply -destroy",
            "apply --destroy",
            "",
            Style::SingleDash
        ));
        assert!(fits("reset --hard", "reset --har", "", Style::Abbreviating));
        assert!(!fits("reset --hard", "reset --ha", "", Style::Abbreviating));
    }

    #[test]
    fn the_small_signs_of_patterns_mean_what_they_say() {
        assert!(fits(
            "** delete",
            "compute instances delete x",
            "",
            Style::Gnu
        ));
        assert!(!fits("** delete", "compute instances list", "", Style::Gnu));
        assert!(fits("_ delete-*", "ec2 delete-vpc", "", Style::Gnu));
        assert!(fits("*:drop", "db:drop", "", Style::Gnu));
        assert!(fits("config $", "config", "", Style::Gnu));
        assert!(!fits("config $", "config get x", "", Style::Gnu));
        assert!(fits("delete +prod", "delete x prod", "", Style::Gnu));
        assert!(!fits(
            "delete !--dry-run",
            "delete --dry-run",
            "",
            Style::Gnu
        ));
        assert!(fits(
            "delete !--dry-run",
            "delete --dry-run=none",
            "",
            Style::Gnu
        ));
    }

    #[test]
    fn help_counts_only_where_no_flag_can_have_taken_it() {
        let asks = |line: &str| Args::read(&words(line), "--name", Style::Gnu).asks_for_help();
        assert!(asks("delete --help"));
        assert!(asks("help delete"));
        assert!(!asks("delete --name --help"));
        assert!(!asks("delete --unknown --help"));
        assert!(!asks("delete -- --help"));
    }
}
