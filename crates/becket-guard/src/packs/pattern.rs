//! A small pattern language for command lines.
//!
//! A pattern is a list of words. Plain words form the path of subcommands, in order. A flag has to be present
//! anywhere; `!` in front means that it must be absent. `a|b` matches either; `del*`, `*:drop` and `*part*` match a
//! prefix, a suffix and a substring. `_` matches any operand, `**` any number of operands, `$` the end, and `+x` an
//! operand at any position.

use super::args::{ArgFlag, Args, Operand};

/// Maximum number of path words in a pattern.
const MAX_PATH_WORDS: usize = 8;

impl Args<'_> {
    /// Whether `pattern` (see the module documentation) may describe this command line.
    pub(crate) fn matches_pattern(&self, pattern: &str) -> bool {
        self.matches_with(pattern, MatchCertainty::Possible)
    }

    /// Whether `pattern` certainly describes this command line: no word of it can be the value of an unknown flag.
    pub(crate) fn surely_matches(&self, pattern: &str) -> bool {
        self.matches_with(pattern, MatchCertainty::Certain)
    }

    fn matches_with(&self, pattern: &str, certainty: MatchCertainty) -> bool {
        let mut path = [""; MAX_PATH_WORDS];
        let mut length = 0;
        for token in pattern.split_ascii_whitespace() {
            let (wanted, token) = match token.strip_prefix('!') {
                Some(token) => (false, token),
                None => (true, token),
            };
            if token.starts_with('-') {
                // A dangerous pattern matches if it possibly applies, a harmless one only if it certainly does.
                // A flag that makes the command harmless has to be certain, one that makes it dangerous need not.
                let surely = (certainty == MatchCertainty::Certain) == wanted;
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
        path_matches(
            &path[..length],
            &self.operands,
            certainty == MatchCertainty::Possible,
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

    /// Whether the flag has a value that matches `wanted`. With `surely`, only the last value counts, and it has
    /// to be certain; otherwise any value counts.
    fn has_value(&self, name: &str, wanted: &str, surely: bool) -> bool {
        let mut given = self.given(name);
        let fits = |flag: &ArgFlag<'_>| flag.value.is_some_and(|value| one_of(wanted, value));
        if surely {
            given
                .last()
                .is_some_and(|flag| fits(flag) && !flag.may_be_value)
        } else {
            given.any(fits)
        }
    }
}

/// How to read words after unknown flags.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MatchCertainty {
    /// As a value or as a separate word, whichever matches.
    Possible,
    /// Only in the unambiguous reading.
    Certain,
}

/// Whether the operands start with the path. `skipping` also tries readings in which a word is a flag's value.
///
/// All readings are followed in parallel as a bit set with one bit for each position in the path, so the cost is
/// linear in the length of the command line.
fn path_matches(path: &[&str], operands: &[Operand<'_>], skipping: bool) -> bool {
    let mut at = reachable(path, 0);
    for operand in operands {
        if at == 0 || at & path_end(path) != 0 {
            break;
        }
        at = step(path, at, *operand, skipping);
    }
    let ends = |position: usize| at & (1 << position) != 0 && path[position] == "$";
    at & path_end(path) != 0 || (0..path.len()).any(ends)
}

/// The positions after one more operand.
fn step(path: &[&str], at: u16, operand: Operand<'_>, mut skipping: bool) -> u16 {
    let mut next = 0;
    for (position, wanted) in path.iter().enumerate() {
        let any = *wanted == "**";
        skipping &= !any;
        if at & (1 << position) == 0 {
            continue;
        }
        if any || (skipping && operand.may_be_value) {
            next |= reachable(path, position);
        }
        if !any && *wanted != "$" && one_of(wanted, operand.text) {
            next |= reachable(path, position + 1);
        }
    }
    next
}

/// The bit for the end of the path.
fn path_end(path: &[&str]) -> u16 {
    1 << path.len()
}

/// The position and all positions after it that need no operand.
fn reachable(path: &[&str], position: usize) -> u16 {
    let stars = path[position..]
        .iter()
        .take_while(|wanted| **wanted == "**");
    (position..=position + stars.count()).fold(0, |positions, position| positions | 1 << position)
}

/// Whether `text` matches one of `a|b*|*c`.
pub(crate) fn one_of(alternatives: &str, text: &str) -> bool {
    alternatives
        .split('|')
        .any(|alternative| matches_alternative(alternative, text))
}

/// Matches one star at any position, or `*part*`; a lone star matches itself.
fn matches_alternative(pattern: &str, text: &str) -> bool {
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
    use crate::packs::args::FlagStyle;

    fn words(line: &str) -> Vec<Word> {
        line.split_whitespace().map(Word::literal).collect()
    }

    fn fits(pattern: &str, line: &str, values: &str, style: FlagStyle) -> bool {
        Args::read(&words(line), values, style).matches_pattern(pattern)
    }

    #[test]
    fn subcommand_paths_match_among_flags() {
        for line in [
            "system prune",
            "-H tcp://x system prune",
            "--host=x system prune",
            "--unknown word system prune",
            "--debug system prune -a",
            "system --all prune",
        ] {
            assert!(
                fits("system prune", line, "-H --host", FlagStyle::Gnu),
                "{line}"
            );
        }
        for line in ["prune", "system df", "run system prune", "-H system prune"] {
            assert!(!fits("system prune", line, "-H", FlagStyle::Gnu), "{line}");
        }
    }

    #[test]
    fn flags_match_bundled_attached_and_unset() {
        assert!(fits("rm -f|--force", "rm -af x", "", FlagStyle::Gnu));
        assert!(fits("rm -f|--force", "rm x --force", "", FlagStyle::Gnu));
        assert!(!fits(
            "rm -f|--force",
            "rm --force=false x",
            "",
            FlagStyle::Gnu
        ));
        assert!(!fits("rm -f|--force", "rm -- -f", "", FlagStyle::Gnu));
        assert!(!fits("rm -f", "rm -xof", "-o", FlagStyle::Gnu));
        assert!(!fits("rm -n", "rm -uno", "-u?", FlagStyle::Gnu));
        assert!(fits("get -o=yaml", "get -o yaml", "-o", FlagStyle::Gnu));
        assert!(fits("get -o=yaml", "get -oyaml", "-o", FlagStyle::Gnu));
        assert!(fits("get -o=yaml", "get -o=yaml", "-o", FlagStyle::Gnu));
        assert!(fits(
            "apply -destroy",
            "apply -destroy",
            "",
            FlagStyle::SingleDash
        ));
        assert!(fits(
            "apply -destroy",
            "apply --destroy",
            "",
            FlagStyle::SingleDash
        ));
        assert!(fits(
            "reset --hard",
            "reset --har",
            "",
            FlagStyle::Abbreviating
        ));
        assert!(!fits(
            "reset --hard",
            "reset --ha",
            "",
            FlagStyle::Abbreviating
        ));
    }

    #[test]
    fn pattern_metacharacters_match_as_documented() {
        assert!(fits(
            "** delete",
            "compute instances delete x",
            "",
            FlagStyle::Gnu
        ));
        assert!(!fits(
            "** delete",
            "compute instances list",
            "",
            FlagStyle::Gnu
        ));
        assert!(fits("_ delete-*", "ec2 delete-vpc", "", FlagStyle::Gnu));
        assert!(fits("*:drop", "db:drop", "", FlagStyle::Gnu));
        assert!(fits("config $", "config", "", FlagStyle::Gnu));
        assert!(!fits("config $", "config get x", "", FlagStyle::Gnu));
        assert!(fits("delete +prod", "delete x prod", "", FlagStyle::Gnu));
        assert!(!fits(
            "delete !--dry-run",
            "delete --dry-run",
            "",
            FlagStyle::Gnu
        ));
        assert!(fits(
            "delete !--dry-run",
            "delete --dry-run=none",
            "",
            FlagStyle::Gnu
        ));
    }
}
