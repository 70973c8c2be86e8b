//! The shell line that an agent runs for a hook: writing ours, and recognising ours among others.
//!
//! Agents pass the line to `/bin/sh -c`. This is not a shell parser: it splits words as far as needed to see
//! whether the line runs `becket hook`, and it expands nothing.

use std::ops::Range;

/// A word of a shell line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellWord {
    /// The word without its quotes; expansions stay unexpanded.
    pub value: String,
    /// Its byte range in the line, quotes included.
    pub range: Range<usize>,
    /// Whether the shell would pass `value` on unchanged, without any expansion.
    pub literal: bool,
}

/// A line that runs `becket hook … --agent <agent>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnCommand {
    /// The word that names the program.
    pub program: ShellWord,
    /// The event it names, if it names one.
    pub event: Option<String>,
}

/// The line that runs `binary` for `event` of `agent`.
pub fn hook_command(binary: &str, event: &str, agent: &str) -> String {
    format!("{} hook {event} --agent {agent}", quote(binary))
}

/// Whether [`OwnCommand::parse`] would recognise this program path.
pub fn is_becket(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    matches!(name, "becket" | "becket.exe")
}

/// Quotes a word for `/bin/sh`, if it needs it.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The words of the first simple command of a line; `None` if a quote is left open.
pub fn split(line: &str) -> Option<Vec<ShellWord>> {
    let mut splitter = WordSplitter { line, at: 0 };
    let mut words = Vec::new();
    loop {
        splitter.skip_blanks();
        match splitter.peek() {
            None | Some('\n' | ';' | '|' | '&' | '(' | ')' | '#') => return Some(words),
            Some(_) => words.push(splitter.word()?),
        }
    }
}

impl OwnCommand {
    /// Recognises a line of ours for this agent, in any spelling of the program and with any suffix.
    pub fn parse(line: &str, agent: &str) -> Option<Self> {
        let words = split(line)?;
        let (program, arguments) = words.split_first()?;
        let (verb, arguments) = arguments.split_first()?;
        if !is_becket(&program.value) || verb.value != "hook" {
            return None;
        }
        let flag = format!("--agent={agent}");
        let named = arguments.iter().any(|word| word.value == flag)
            || arguments
                .windows(2)
                .any(|pair| pair[0].value == "--agent" && pair[1].value == agent);
        named.then(|| Self {
            program: program.clone(),
            event: event(arguments),
        })
    }

    /// Whether the line names this event, or none, which leaves it to the payload. Spellings such as
    /// `pre-tool-use` count.
    pub fn is_for(&self, event: &str) -> bool {
        let plain = |name: &str| name.replace(['-', '_'], "").to_ascii_lowercase();
        self.event
            .as_deref()
            .is_none_or(|named| plain(named) == plain(event))
    }
}

fn event(arguments: &[ShellWord]) -> Option<String> {
    let mut words = arguments.iter().map(|word| word.value.as_str());
    while let Some(word) = words.next() {
        match word {
            "--agent" => drop(words.next()),
            flag if flag.starts_with('-') => {}
            redirection if redirection.contains(['<', '>']) => return None,
            event => return Some(event.to_owned()),
        }
    }
    None
}

struct WordSplitter<'l> {
    line: &'l str,
    at: usize,
}

impl WordSplitter<'_> {
    fn peek(&self) -> Option<char> {
        self.line[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(' ' | '\t') => self.at += 1,
                Some('\\') if self.line[self.at..].starts_with("\\\n") => self.at += 2,
                _ => return,
            }
        }
    }

    fn word(&mut self) -> Option<ShellWord> {
        let start = self.at;
        let mut value = String::new();
        let mut literal = self.peek() != Some('~');
        while let Some(c) = self.peek() {
            if matches!(c, ' ' | '\t' | '\n' | ';' | '|' | '&' | '(' | ')') {
                break;
            }
            self.at += c.len_utf8();
            match c {
                '\'' => self.single_quoted(&mut value)?,
                '"' => literal &= self.double_quoted(&mut value)?,
                '\\' => match self.next() {
                    Some('\n') => {}
                    escaped => value.push(escaped.unwrap_or('\\')),
                },
                _ => {
                    literal &= !matches!(c, '$' | '`' | '*' | '?' | '[');
                    value.push(c);
                }
            }
        }
        Some(ShellWord {
            value,
            range: start..self.at,
            literal,
        })
    }

    fn single_quoted(&mut self, value: &mut String) -> Option<()> {
        loop {
            match self.next()? {
                '\'' => return Some(()),
                c => value.push(c),
            }
        }
    }

    /// Returns whether the text was free of expansions.
    fn double_quoted(&mut self, value: &mut String) -> Option<bool> {
        let mut literal = true;
        loop {
            match self.next()? {
                '"' => return Some(literal),
                '\\' => match self.next()? {
                    '\n' => {}
                    c @ ('$' | '`' | '"' | '\\') => value.push(c),
                    c => value.extend(['\\', c]),
                },
                c => {
                    literal &= !matches!(c, '$' | '`');
                    value.push(c);
                }
            }
        }
    }
}
