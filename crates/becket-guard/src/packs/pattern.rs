//! Small patterns over a command line.
//!
//! A pattern is words apart by blanks. Plain words are the path of subcommands, in order; a flag must be there,
//! wherever it stands; `!` in front means that it must not be. `a|b` is either, `del*`, `*:drop` and `*part*` match by their
//! beginning, end and middle, `_` is any operand, `**` any number of them, `$` the end, `+x` an operand anywhere.

use super::args::{Args, Flag, Operand};

/// No pattern has more words of a path.
const LONGEST_PATH: usize = 8;

impl Args<'_> {
    /// Whether `pattern` (see the module) may describe this command line.
    pub(crate) fn fit(&self, pattern: &str) -> bool {
        self.fit_as(pattern, Reading::Possible)
    }

    /// Whether `pattern` describes this command line for sure: no word of it can be the value of an unknown flag.
    pub(crate) fn fit_surely(&self, pattern: &str) -> bool {
        self.fit_as(pattern, Reading::Sure)
    }

    fn fit_as(&self, pattern: &str, reading: Reading) -> bool {
        let mut path = [""; LONGEST_PATH];
        let mut length = 0;
        for token in pattern.split_ascii_whitespace() {
            let (wanted, token) = match token.strip_prefix('!') {
                Some(token) => (false, token),
                None => (true, token),
            };
            if token.starts_with('-') {
                // What speaks for harmlessness must be sure, what speaks against it need not be.
                let surely = (reading == Reading::Sure) == wanted;
                if self.has_one(token, surely) != wanted {
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
        leads(
            &path[..length],
            &self.operands,
            reading == Reading::Possible,
        )
    }

    fn has_one(&self, alternatives: &str, surely: bool) -> bool {
        alternatives.split('|').any(|flag| {
            let flag = flag.trim_start_matches('-');
            match flag.split_once('=') {
                Some((name, value)) => self.has_value(name, value, surely),
                None => self.is_on(flag, surely),
            }
        })
    }

    /// The last value counts when something harmless hangs on it.
    fn has_value(&self, name: &str, wanted: &str, surely: bool) -> bool {
        let mut given = self.given(name);
        let fits = |flag: &Flag<'_>| flag.value.is_some_and(|value| one_of(wanted, value));
        if surely {
            given
                .last()
                .is_some_and(|flag| fits(flag) && !flag.may_be_value)
        } else {
            given.any(fits)
        }
    }
}

/// How words after unknown flags are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// As a value or as a word of their own, whichever fits.
    Possible,
    /// Only as what they must be.
    Sure,
}

/// Whether the operands begin with the path. `skipping` tries the reading in which a word is a flag's value.
///
/// All readings are followed side by side, a bit for each place in the path that one has come to, so that a
/// long command line costs its length and no more.
fn leads(path: &[&str], operands: &[Operand<'_>], skipping: bool) -> bool {
    let mut at = arrive(path, 0);
    for operand in operands {
        if at == 0 || at & done(path) != 0 {
            break;
        }
        at = step(path, at, *operand, skipping);
    }
    let ends = |place: usize| at & (1 << place) != 0 && path[place] == "$";
    at & done(path) != 0 || (0..path.len()).any(ends)
}

/// Where the readings are after one more operand.
fn step(path: &[&str], at: u16, operand: Operand<'_>, mut skipping: bool) -> u16 {
    let mut next = 0;
    for (place, wanted) in path.iter().enumerate() {
        let any = *wanted == "**";
        skipping &= !any;
        if at & (1 << place) == 0 {
            continue;
        }
        if any || (skipping && operand.may_be_value) {
            next |= arrive(path, place);
        }
        if !any && *wanted != "$" && one_of(wanted, operand.text) {
            next |= arrive(path, place + 1);
        }
    }
    next
}

/// The end of the path.
fn done(path: &[&str]) -> u16 {
    1 << path.len()
}

/// The place, and those after it that need no operand.
fn arrive(path: &[&str], place: usize) -> u16 {
    let stars = path[place..].iter().take_while(|wanted| **wanted == "**");
    (place..=place + stars.count()).fold(0, |places, place| places | 1 << place)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Word;
    use crate::packs::args::Style;

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
}
