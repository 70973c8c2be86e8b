//! Test helper: splits command lines of plain words, quotes, pipes and lists. Returns `None` for anything that
//! needs the real parser.

use std::iter::Peekable;
use std::str::Chars;

use crate::command::{Invocation, Script, Span, Stdin, UNKNOWN, Word};

/// The commands of `line`, if it is plain.
pub(crate) fn script(line: &str) -> Option<Script> {
    let mut script = Script::default();
    let mut words = Vec::new();
    let mut piped = false;
    let mut characters = line.chars().peekable();
    let mut word: Option<Word> = None;
    while let Some(character) = characters.next() {
        match character {
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '\'' => break,
                        inner => word.text.push(inner),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match characters.next()? {
                        '"' => break,
                        '\\' if characters
                            .peek()
                            .is_some_and(|next| "\"\\$`".contains(*next)) =>
                        {
                            word.text.extend(characters.next());
                        }
                        '$' => variable(&mut characters, word)?,
                        '`' => return None,
                        inner => word.text.push(inner),
                    }
                }
            }
            ' ' => words.extend(word.take()),
            '|' | ';' | '&' => {
                let doubled = characters.next_if_eq(&character).is_some();
                if character == '&' && !doubled {
                    return None;
                }
                words.extend(word.take());
                push(&mut script, std::mem::take(&mut words), piped)?;
                piped = character == '|' && !doubled;
            }
            '$' => variable(&mut characters, word.get_or_insert_default())?,
            '`' | '<' | '>' | '(' | ')' | '{' | '}' | '\\' | '\n' => return None,
            '#' if word.is_none() => return None,
            character => {
                let word = word.get_or_insert_default();
                word.glob |= matches!(character, '*' | '?' | '[');
                word.text.push(character);
            }
        }
    }
    words.extend(word);
    push(&mut script, words, piped)?;
    Some(script)
}

/// `$NAME`, with an unknown value.
fn variable(characters: &mut Peekable<Chars<'_>>, word: &mut Word) -> Option<()> {
    let part = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
    characters.next_if(part)?;
    while characters.next_if(part).is_some() {}
    word.text.push(UNKNOWN);
    Some(())
}

fn push(script: &mut Script, words: Vec<Word>, piped: bool) -> Option<()> {
    let mut words = words.into_iter().peekable();
    let mut env = Vec::new();
    while let Some((name, value)) = words.peek().and_then(assignment) {
        env.push((name, value));
        words.next();
    }
    let mut program = words.next()?.text;
    let mut more_operands = false;
    if program == "sudo" {
        program = words.next()?.text;
    }
    if program == "xargs" {
        more_operands = true;
        program = words.find(|word| !word.text.starts_with('-'))?.text;
    }
    // Finding the command that a container runs is left to the real parser.
    if program == "docker" && words.peek().is_some_and(|word| word.text == "exec") {
        return None;
    }
    let at = script.commands.len();
    let stdin = match at.checked_sub(1) {
        Some(before) if piped => Stdin::Pipe(before),
        _ => Stdin::Inherited,
    };
    let name = program.rsplit('/').next().unwrap_or_default().to_owned();
    script.commands.push(Invocation {
        path: (name != program).then_some(program),
        program: name,
        args: words.collect(),
        env,
        stdin,
        cwd: Some("/home/dev/app".to_owned()),
        more_operands,
        span: Span {
            start: at,
            end: at + 1,
        },
        ..Invocation::default()
    });
    Some(())
}

fn assignment(word: &Word) -> Option<(String, Word)> {
    let (name, value) = word.text.split_once('=')?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(plain)).then(|| (name.to_owned(), Word::literal(value)))
}
