//! Parses arguments the way GNU programs do: bundled short flags, abbreviated long flags, `--`, flags after
//! operands, attached and separate values.

use crate::command::{Invocation, UNKNOWN, Word};

/// The flags of a program. Flags that are not listed take no value.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FlagGrammar {
    /// Short flags that take a value, attached or in the next word.
    pub(crate) short: &'static str,
    /// Short flags whose value has to be attached: `sed -i.bak`.
    pub(crate) attached: &'static str,
    /// Long flags, for resolving abbreviations. A trailing `=` means the flag takes a value, attached or in the
    /// next word.
    pub(crate) long: &'static [&'static str],
    /// Whether flag parsing stops at the first operand (`ssh host …`, BSD programs).
    pub(crate) stops: bool,
}

impl FlagGrammar {
    /// No flag takes a value.
    pub(crate) const PLAIN: Self = Self {
        short: "",
        attached: "",
        long: &[],
        stops: false,
    };
}

/// A flag with its value.
#[derive(Debug, Clone)]
pub(crate) struct ParsedFlag<'a> {
    /// Name without dashes; the full name if it is a listed long flag.
    pub(crate) name: &'a str,
    pub(crate) value: Option<Word>,
}

/// Parsed arguments of a command.
#[derive(Debug, Clone, Default)]
pub(crate) struct ParsedArgs<'a> {
    /// Flags, in order.
    pub(crate) flags: Vec<ParsedFlag<'a>>,
    /// Operands, in order.
    pub(crate) operands: Vec<Word>,
}

impl<'a> ParsedArgs<'a> {
    /// Parses the arguments of `command`. Operands that are only known at run time become one unknown word at the
    /// end.
    pub(crate) fn of(command: &'a Invocation, grammar: &FlagGrammar) -> Self {
        let mut line = Self::read(&command.args, grammar);
        if command.more_operands && !line.operands.iter().any(|word| !word.is_known()) {
            line.operands.push(Word::literal(UNKNOWN.to_string()));
        }
        line
    }

    /// Parses a list of arguments.
    pub(crate) fn read(args: &'a [Word], grammar: &FlagGrammar) -> Self {
        let mut line = Self::default();
        let mut rest = args.iter();
        while let Some(word) = rest.next() {
            let text = word.text.as_str();
            if text == "--" {
                line.operands.extend(rest.cloned());
                break;
            }
            if let Some(long) = text.strip_prefix("--") {
                line.long(long, word, &mut rest, grammar);
            } else if text.len() > 1 && text.starts_with('-') {
                line.short(&text[1..], word, &mut rest, grammar);
            } else {
                line.operands.push(word.clone());
                if grammar.stops {
                    line.operands.extend(rest.cloned());
                    break;
                }
            }
        }
        line
    }

    fn long(
        &mut self,
        text: &'a str,
        word: &'a Word,
        rest: &mut std::slice::Iter<'a, Word>,
        grammar: &FlagGrammar,
    ) {
        let (name, attached) = match text.split_once('=') {
            Some((name, value)) => (name, Some(part(word, value))),
            None => (text, None),
        };
        let known = resolve(name, grammar.long);
        let takes_value = known.is_some_and(|known| known.ends_with('='));
        let value = attached.or_else(|| takes_value.then(|| rest.next().cloned()).flatten());
        let name = known.map_or(name, |known| known.trim_end_matches('='));
        self.flags.push(ParsedFlag { name, value });
    }

    fn short(
        &mut self,
        text: &'a str,
        word: &'a Word,
        rest: &mut std::slice::Iter<'a, Word>,
        grammar: &FlagGrammar,
    ) {
        for (at, c) in text.char_indices() {
            let after = &text[at + c.len_utf8()..];
            let name = &text[at..at + c.len_utf8()];
            if grammar.attached.contains(c) {
                let value = (!after.is_empty()).then(|| part(word, after));
                self.flags.push(ParsedFlag { name, value });
                return;
            }
            if grammar.short.contains(c) {
                let value = if after.is_empty() {
                    rest.next().cloned()
                } else {
                    Some(part(word, after))
                };
                self.flags.push(ParsedFlag { name, value });
                return;
            }
            self.flags.push(ParsedFlag { name, value: None });
        }
    }

    /// Whether any of these flags is present.
    pub(crate) fn has(&self, names: &[&str]) -> bool {
        self.flags.iter().any(|flag| names.contains(&flag.name))
    }

    /// The values of any of these flags, in order.
    pub(crate) fn values<'s>(&'s self, names: &'s [&str]) -> impl Iterator<Item = &'s Word> {
        self.flags
            .iter()
            .filter(|flag| names.contains(&flag.name))
            .filter_map(|flag| flag.value.as_ref())
    }
}

/// The long flag that `name` equals or abbreviates; the first listed one if it is ambiguous.
fn resolve(name: &str, long: &'static [&'static str]) -> Option<&'static str> {
    let bare = |known: &&'static str| known.trim_end_matches('=');
    let whole = long.iter().find(|known| bare(known) == name);
    let short = || {
        long.iter()
            .find(|known| !name.is_empty() && bare(known).starts_with(name))
    };
    whole.or_else(short).copied()
}

/// Part of a word, as a word.
pub(crate) fn part(word: &Word, text: &str) -> Word {
    Word {
        text: text.to_owned(),
        ..word.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRAMMAR: FlagGrammar = FlagGrammar {
        short: "n",
        attached: "i",
        long: &["recursive", "force", "lines=", "reference="],
        stops: false,
    };

    fn read(text: &str) -> String {
        let args: Vec<Word> = text.split_whitespace().map(Word::literal).collect();
        let line = ParsedArgs::read(&args, &GRAMMAR);
        let flags = line.flags.iter().map(|flag| match &flag.value {
            Some(value) => format!("{}={value}", flag.name),
            None => flag.name.to_owned(),
        });
        let operands = line.operands.iter().map(|word| format!("<{word}>"));
        flags.chain(operands).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn flags_and_operands_are_separated_like_gnu() {
        for (text, expected) in [
            ("-rf a", "r f <a>"),
            ("-r -f -- -a", "r f <-a>"),
            ("a -rf", "r f <a>"),
            ("--recursive --force a", "recursive force <a>"),
            ("--rec --fo a", "recursive force <a>"),
            ("--r a", "recursive <a>"),
            ("-n 5 a", "n=5 <a>"),
            ("-n5 a", "n=5 <a>"),
            ("-qn 5 a", "q n=5 <a>"),
            ("--lines 5 a", "lines=5 <a>"),
            ("--lines=5 a", "lines=5 <a>"),
            ("--li=5 a", "lines=5 <a>"),
            ("--unknown=5 a", "unknown=5 <a>"),
            ("-i.bak a", "i=.bak <a>"),
            ("-i a", "i <a>"),
            ("- a", "<-> <a>"),
            ("-n", "n"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
